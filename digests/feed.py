"""A feed: where papers come from, what its document said, and how healthy it is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from digests.paper import Entry

DEFAULT_EVERY = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Refused:
    """An item of a document that could not be read: its place ("line 7", "item 3") and the reason."""

    where: str
    why: str


@dataclass(frozen=True, slots=True)
class Remark:
    """Something an admin should know about a document as a whole."""

    text: str


@dataclass(frozen=True, slots=True)
class Titled:
    """The name that a document gives itself: "cs.CL updates on arXiv.org"."""

    title: str


Part = Entry | Refused | Remark | Titled
"""What a format's `parse` yields, in the order of the document."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A document as it came.

    `url` is where it finally came from, `moved_to` where permanent redirects lead; `body` is inflated and
    empty when `not_modified`; `content_type` is as sent; `fresh_for` is how long the server calls it fresh.
    """

    url: str
    body: bytes
    status: int = 200
    content_type: str = ""
    etag: str = ""
    last_modified: str = ""
    not_modified: bool = False
    moved_to: str = ""
    fresh_for: timedelta = timedelta(0)


class State(StrEnum):
    """What an admin reads first about a feed."""

    HEALTHY = "healthy"
    QUIET = "quiet"
    STALE = "stale"
    BROKEN = "broken"
    PAUSED = "paused"
    NEW = "new"


@dataclass(frozen=True, slots=True)
class Feed:
    """A source of papers that an admin registered, with its polling state; all times are aware UTC.

    `is_list` marks a fixed list (a conference) that drips its best papers a day until it is done;
    `failures` counts the checks in a row that gave no document; `last_count` is how many papers the last
    good document held.
    """

    name: str
    url: str
    format: str = ""
    title: str = ""
    is_list: bool = False
    every: timedelta = DEFAULT_EVERY
    paused: bool = False
    added: datetime | None = None
    etag: str = ""
    last_modified: str = ""
    due: datetime | None = None
    last_check: datetime | None = None
    last_good: datetime | None = None
    last_new: datetime | None = None
    last_count: int = 0
    last_error: str = ""
    failures: int = 0


QUIET_AFTER = timedelta(days=4)
"""arXiv's longest silence, over Christmas or a long weekend; a feed without news for longer is quiet."""


def state(feed: Feed, now: datetime) -> State:
    """How the feed fares, from what was seen of it."""
    if feed.paused:
        return State.PAUSED
    if feed.failures:
        return State.BROKEN
    if feed.last_check is None:
        return State.NEW
    if feed.is_list:
        return State.HEALTHY
    if not feed.last_count or feed.last_new is None or now - feed.last_new > QUIET_AFTER:
        return State.QUIET
    return State.HEALTHY
