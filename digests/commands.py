"""What people ask for in a channel: the commands, who asks and where."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from digests.channel import ChannelId, EmptyDay, Layout
from digests.query import Query
from digests.schedule import DAILY, Days
from digests.subscription import DEFAULT_LIMIT

SLASH = "/digest"
"""What stands before a command in a chat."""
HELP = f"{SLASH} help"
"""Where a digest in a chat sends who wants to know more."""


@dataclass(frozen=True, slots=True)
class Subscribe:
    query: Query
    name: str = ""
    every: Days = DAILY
    limit: int = DEFAULT_LIMIT
    feeds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class List:
    pass


@dataclass(frozen=True, slots=True)
class Edit:
    """What is None stays; `number` is a number of the list, a name, or "#" and an id."""

    number: str
    query: Query | None = None
    name: str | None = None
    every: Days | None = None
    limit: int | None = None
    feeds: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Unsubscribe:
    number: str


@dataclass(frozen=True, slots=True)
class Preview:
    query: Query | None = None


@dataclass(frozen=True, slots=True)
class Now:
    pass


@dataclass(frozen=True, slots=True)
class Schedule:
    """What is "" stays; in a line of text all three stand in `time`."""

    time: str
    days: str = ""
    zone: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """What is None stays; without any of them the settings are shown."""

    papers: int | None = None
    layout: Layout | None = None
    thread: bool | None = None
    empty: EmptyDay | None = None
    holidays: frozenset[date] | None = None
    language: str | None = None
    managers: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Pause:
    until: date | None = None


@dataclass(frozen=True, slots=True)
class Resume:
    pass


@dataclass(frozen=True, slots=True)
class Search:
    query: Query
    page: int = 1


@dataclass(frozen=True, slots=True)
class Why:
    paper: str


@dataclass(frozen=True, slots=True)
class Feeds:
    pass


@dataclass(frozen=True, slots=True)
class Status:
    pass


@dataclass(frozen=True, slots=True)
class Help:
    verb: str = ""


@dataclass(frozen=True, slots=True)
class Undo:
    """Takes back the change of that id; only buttons ask for it."""

    change: int


Command = (
    Subscribe
    | List
    | Edit
    | Unsubscribe
    | Preview
    | Now
    | Schedule
    | Settings
    | Pause
    | Resume
    | Search
    | Why
    | Feeds
    | Status
    | Help
    | Undo
)


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, as the platform knows them.

    `workspace` is their own, which may differ from the channel's; `groups` are the roles or user groups they
    are in; `can_manage` says whether the platform itself lets them manage the channel (Discord: Manage
    Channels; a direct message: always); `members_manage` whether on this platform every full member may, as
    long as the settings name nobody (Slack). That they can read the channel, the platforms see to: nobody
    can give a command where they are not.
    """

    platform: str
    workspace: str
    user: str
    groups: frozenset[str] = frozenset()
    is_bot: bool = False
    is_guest: bool = False
    can_manage: bool = False
    members_manage: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where it is asked, as the platform knows it.

    `zone` is the best guess at the channel's IANA zone, "" for none; `cannot_post` is "" or one sentence: why
    the bot cannot post there, and what mends it.
    """

    id: ChannelId
    name: str = ""
    zone: str = ""
    cannot_post: str = ""
