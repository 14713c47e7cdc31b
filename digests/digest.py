"""The digest: the platform-neutral document of one channel and one local date, without any mark-up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from digests.paper import PaperId
from digests.schedule import long_date
from digests.subscription import SubscriptionId

Span = tuple[int, int]
"""A half-open range of characters of the text beside it."""


@dataclass(frozen=True, slots=True)
class Item:
    """A paper as a digest shows it.

    `link` is http(s) or empty; `source` says where it appeared ("ICLR 2026", "arXiv"), `also_in` the other
    places; `marks` are the matched words inside `summary`; `matched` are the same words, and those that
    stand elsewhere, as the text spells them; `also_for` names the other subscriptions that it matches.
    `snippet` is a part of the abstract that shows the match, for a summary that does not; `snippet_marks` are
    the matched words inside it.
    """

    paper: PaperId
    heading: str
    link: str = ""
    authors: tuple[str, ...] = ()
    source: str = ""
    also_in: tuple[str, ...] = ()
    summary: str = ""
    marks: tuple[Span, ...] = ()
    matched: tuple[str, ...] = ()
    also_for: tuple[str, ...] = ()
    snippet: str = ""
    snippet_marks: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """The items of one subscription, under the name that it had then; `subscription` is its id, 0 if none."""

    name: str
    items: tuple[Item, ...]
    subscription: SubscriptionId = SubscriptionId(0)


@dataclass(frozen=True, slots=True)
class Silent:
    """A feed that gave nothing: `since` is when it last gave something, `why` is "silent" or "broken"."""

    feed: str
    why: str
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a list has dripped into this channel: `shown` of `total` matching papers."""

    feed: str
    shown: int
    total: int


@dataclass(frozen=True, slots=True)
class Foot:
    """What was checked, what is silent, what waits, and when the next digest comes; times are aware UTC."""

    checked: int = 0
    checked_at: datetime | None = None
    silent: tuple[Silent, ...] = ()
    progress: tuple[Progress, ...] = ()
    waiting: int = 0
    next_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Digest:
    """What a channel is told on `day`, its local date in `zone` (an IANA name)."""

    channel: str
    label: str
    day: date
    zone: str
    sections: tuple[Section, ...]
    foot: Foot

    @property
    def papers(self) -> tuple[PaperId, ...]:
        """The papers that it shows, in order."""
        return tuple(item.paper for section in self.sections for item in section.items)

    @property
    def title(self) -> str:
        """The first line: "Paper digest · #ml-papers · Tue 1 Dec 2026"."""
        return f"Paper digest · {self.label} · {long_date(self.day)}"


def section_title(section: Section) -> str:
    """ "Reasoning efficiency · 3 new" """
    return f"{section.name} · {len(section.items)} new"


def byline(item: Item) -> str:
    """Who wrote it and where it stands: "Ann Author, Bo Author +4 · ICLR 2026 · also in arXiv"."""
    also = f"also in {', '.join(item.also_in)}" if item.also_in else ""
    return " · ".join(filter(None, (short_authors(item.authors), item.source, also)))


def short_authors(authors: tuple[str, ...]) -> str:
    """The first authors by name and the others by number; one more name is as short as "+1"."""
    named = authors if len(authors) <= 3 else authors[:2]
    rest = len(authors) - len(named)
    return ", ".join(named) + (f" +{rest}" if rest else "")


def reason(item: Item) -> str:
    """Why it is there: "matched: overthinking, reasoning · also for Benchmarks"."""
    matched = f"matched: {', '.join(item.matched)}" if item.matched else ""
    also = f"also for {', '.join(item.also_for)}" if item.also_for else ""
    return " · ".join(filter(None, (matched, also)))


def foot(digest: Digest) -> tuple[str, ...]:
    """What the last line says, piece by piece: what was checked, what is silent, what waits, what comes."""
    return tuple(filter(None, _foot(digest.foot, digest.day, ZoneInfo(digest.zone))))


def _foot(foot: Foot, day: date, zone: ZoneInfo) -> Iterator[str]:
    if not foot.checked:
        yield "no sources yet"
    else:
        yield f"{counted(foot.checked, 'source')} checked{_at(foot.checked_at, day, zone)}"
    for silent in foot.silent[:2]:
        since = f" since {_day(silent.since.astimezone(zone).date(), day)}" if silent.since else ""
        yield f"{silent.feed} {silent.why}{since}"
    if len(foot.silent) > 2:
        yield f"{len(foot.silent) - 2} more silent or broken"
    for progress in foot.progress:
        yield f"{progress.feed}: {progress.shown:,} of {progress.total:,} shown"
    coming = ""
    if foot.next_at:
        local = foot.next_at.astimezone(zone)
        coming = f"next at {local:%H:%M} {_day(local.date(), day)}"
    yield ", ".join(filter(None, (f"{foot.waiting:,} more waiting" if foot.waiting else "", coming)))


def _at(moment: datetime | None, day: date, zone: ZoneInfo) -> str:
    """ " 08:55", with the day where it is not the digest's; "" where nothing is known."""
    if moment is None:
        return ""
    local = moment.astimezone(zone)
    return f" {local:%H:%M}" + ("" if local.date() == day else f" {_day(local.date(), day)}")


def _day(other: date, day: date) -> str:
    """A date as people on `day` say it: today, tomorrow, Mon, 24 Nov."""
    names = {timedelta(0): "today", timedelta(1): "tomorrow", timedelta(-1): "yesterday"}
    if other - day in names:
        return names[other - day]
    if abs(other - day) < timedelta(7):
        return f"{other:%a}"
    year = f" {other.year}" if other.year != day.year else ""
    return f"{other.day} {other:%b}{year}"


def counted(number: int, noun: str) -> str:
    """A number of things: "1 paper", "1,200 papers"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
