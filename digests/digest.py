"""The digest: the platform-neutral document of one channel and one local date, without any mark-up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal
from zoneinfo import ZoneInfo

from digests.channel import Layout
from digests.paper import PaperId
from digests.phrases import ENGLISH, Phrases, phrases
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
    the matched words inside it. `is_published` says that `source` is more than a preprint server.
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
    is_published: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """The items of one subscription, under the name that it had then; `subscription` is its id, 0 if none."""

    name: str
    items: tuple[Item, ...]
    subscription: SubscriptionId = SubscriptionId(0)


@dataclass(frozen=True, slots=True)
class Publication:
    """A paper that the channel was shown as a preprint, and where it has come out since: a venue or a DOI."""

    paper: PaperId
    heading: str
    place: str
    link: str = ""


Ailment = Literal["silent", "stale", "broken", "not read", "removed"]


@dataclass(frozen=True, slots=True)
class Silent:
    """A feed that gave nothing, and why; `since` is when it last gave something, or was last read."""

    feed: str
    why: Ailment
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
    """What a channel is told on `day`, its local date in `zone` (an IANA name).

    How much of a paper is shown, in which language, and whether what is too long goes into a thread are the
    channel's settings when it was made; a document from before there were any has the defaults.
    """

    channel: str
    label: str
    day: date
    zone: str
    sections: tuple[Section, ...]
    foot: Foot
    published: tuple[Publication, ...] = ()
    layout: Layout = Layout.FULL
    language: str = "en"
    thread: bool = True

    @property
    def items(self) -> tuple[Item, ...]:
        """The items of all sections, in order."""
        return tuple(item for section in self.sections for item in section.items)

    @property
    def papers(self) -> tuple[PaperId, ...]:
        """The papers that it shows, in order."""
        return tuple(item.paper for item in self.items)

    @property
    def told(self) -> tuple[PaperId, ...]:
        """The papers of which it says where they were published."""
        items = (item.paper for item in self.items if item.is_published)
        return (*items, *(publication.paper for publication in self.published))

    @property
    def say(self) -> Phrases:
        """The words of its language."""
        return phrases(self.language)

    @property
    def title(self) -> str:
        """The first line: "Paper digest · #ml-papers · Tue 1 Dec 2026"."""
        return self.say.title.format(label=self.label, date=self.say.dated(self.day))


def new_items(digest: Digest, section: Section) -> str:
    """How many there are: "3 new"."""
    return digest.say.counted(digest.say.new, len(section.items))


def fine_print(digest: Digest, item: Item) -> tuple[str, str]:
    """What stands above and below a summary: who wrote it and where it stands, and why it is here.

    "Ann Author, Bo Author +4 · ICLR 2026 · also in arXiv" and "matched: overthinking · also for Benchmarks".
    A compact digest has one short line below: one author, one place, and no words that are marked anyway.
    """
    say = digest.say
    also_for = say.also_for.format(names=say.listed(item.also_for)) if item.also_for else ""
    matched = say.matched.format(words=say.listed(item.matched)) if item.matched else ""
    if digest.layout is Layout.COMPACT:
        authors = short_authors(item.authors, say, most=1)
        return "", _joined(authors, item.source, "" if item.marks else matched, also_for)
    also_in = say.also_in.format(places=say.listed(item.also_in)) if item.also_in else ""
    return _joined(short_authors(item.authors, say), item.source, also_in), _joined(matched, also_for)


def short_authors(authors: tuple[str, ...], say: Phrases = ENGLISH, most: int = 3) -> str:
    """The first authors by name and the others by number; one more name is as short as "+1"."""
    named = authors if len(authors) <= most else authors[: max(most - 1, 1)]
    names, rest = say.listed(named), len(authors) - len(named)
    return say.authors.format(names=names, rest=rest, all=len(authors)) if rest else names


def published_in(digest: Digest, publication: Publication) -> str:
    """What is new about a paper that was shown before: "now published in TMLR"."""
    say = digest.say
    phrase = say.published_as if publication.place.startswith("doi:") else say.published_in
    return phrase.format(place=publication.place)


def goes_on(digest: Digest, more: int) -> str:
    """What the first message says of those after it: how many `more` new papers they have, if they have any.

    "5 more in the thread", "the rest is in the thread"
    """
    say = digest.say
    if more:
        return say.counted(say.in_thread if digest.thread else say.below, more)
    return say.rest_in_thread if digest.thread else say.rest_below


def foot(digest: Digest) -> tuple[str, ...]:
    """What the last line says, piece by piece: what was checked, what is silent, what waits, what comes."""
    return tuple(filter(None, _foot(digest.foot, digest.day, ZoneInfo(digest.zone), digest.say)))


def _foot(foot: Foot, day: date, zone: ZoneInfo, say: Phrases) -> Iterator[str]:
    if not foot.checked:
        yield say.no_sources
    else:
        at = say.at(foot.checked_at.astimezone(zone), day) if foot.checked_at else ""
        yield say.counted(say.checked, foot.checked, at=at)
    for silent in foot.silent[:2]:
        yield _ailing(silent, day, zone, say)
    if len(foot.silent) > 2:
        yield say.counted(say.more_silent, len(foot.silent) - 2)
    for progress in foot.progress:
        shown, total = f"{progress.shown:,}", f"{progress.total:,}"
        yield say.progress.format(feed=progress.feed, shown=shown, total=total)
    waiting = say.counted(say.waiting, foot.waiting) if foot.waiting else ""
    coming = ""
    if foot.next_at:
        coming = say.next.format(at=say.at(foot.next_at.astimezone(zone), day, always=True))
    yield say.pause.join(filter(None, (waiting, coming)))


def _ailing(silent: Silent, day: date, zone: ZoneInfo, say: Phrases) -> str:
    """ "journal-of-vision silent since Mon" """
    phrase = {
        "silent": say.silent,
        "stale": say.stale,
        "broken": say.broken,
        "not read": say.unread,
        "removed": say.removed,
    }
    since = ""
    if silent.since:
        since = say.since.format(day=say.day(silent.since.astimezone(zone).date(), day))
    return phrase[silent.why].format(feed=silent.feed, since=since).strip()


def _joined(*pieces: str) -> str:
    return " · ".join(filter(None, pieces))


def counted(number: int, noun: str) -> str:
    """A number of things: "1 paper", "1,200 papers"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
