"""A feed: where papers come from, what its document said, and how healthy it is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from itertools import pairwise, takewhile
from statistics import median

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
    body: bytes = field(repr=False)
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
class Day:
    """What a feed gave on a day: the papers of its last document that held any, and how many were new.

    `abstracts` counts the papers that had one; the day is the source's own, see `day_of`.
    """

    day: date
    papers: int = 0
    abstracts: int = 0
    new: int = 0


@dataclass(frozen=True, slots=True)
class Feed:
    """A source of papers that an admin registered, with its polling state; all times are aware UTC.

    `is_list` marks a fixed list (a conference) that drips its best papers a day until it is done.
    `failures` counts the checks in a row that gave no document; `last_error` came at `error_at` and stays
    when the feed is well again, which it is since `back_at`; `status` is HTTP's of the last check, 0 if none.
    `last_count` is how many papers the last good document held; `batch` is the fingerprint of the last one
    that held any, seen first at `batch_at`; `gap` the longest time in days between its papers' dates.
    Until `whole` nothing was missed; `days` is the history, oldest first.
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
    status: int = 0
    error_at: datetime | None = None
    back_at: datetime | None = None
    batch: str = ""
    batch_at: datetime | None = None
    gap: int = 0
    whole: datetime | None = None
    days: tuple[Day, ...] = ()


# ---- the history

HISTORY = 60
RECENT = timedelta(days=28)
"""Of older days only those with news are kept: the rhythm of a monthly journal fits into `HISTORY` days."""


def with_day(days: Iterable[Day], seen: Day) -> tuple[Day, ...]:
    """The history with what was seen today; a later document of the day takes the place of an earlier one."""
    known = {day.day: day for day in days}
    before = known.get(seen.day, Day(seen.day))
    counted = seen if seen.papers else before
    known[seen.day] = replace(counted, new=before.new + seen.new)
    kept = [day for day in known.values() if day.new or seen.day - day.day < RECENT]
    return tuple(sorted(kept, key=lambda day: day.day)[-HISTORY:])


def with_news(feed: Feed, new: int, now: datetime) -> Feed:
    """The feed after papers were stored of which `new` had not been seen before."""
    if not new:
        return feed
    today = day_of(feed, now)
    days = feed.days
    if any(day.day == today for day in days):
        days = with_day(days, Day(today, new=new))
    return noted_recovery(feed, replace(feed, last_new=now, days=days), now)


# ---- arXiv's calendar

_ARXIV_DAY = timedelta(hours=7)
"""arXiv's feeds change at midnight in New York, which is 4 or 5 o'clock UTC, or up to two hours later."""


def is_arxiv_daily(feed: Feed) -> bool:
    """Whether the feed holds one announcement of arXiv's, Monday to Friday, and nothing at weekends."""
    return feed.format == "arxiv-rss"


def day_of(feed: Feed, moment: datetime) -> date:
    """The day whose papers the feed should hold by then: arXiv's announcement day, else UTC's date."""
    if is_arxiv_daily(feed):
        return (moment - _ARXIV_DAY).date()
    return moment.date()


def missed_since(feed: Feed, now: datetime, *, is_empty: bool) -> datetime | None:
    """Since when announcements of arXiv's were missed, None where none was.

    `is_empty` says that the feed gave nothing, or the same again, on a day when it should have given more.
    """
    if not is_arxiv_daily(feed) or feed.is_list:
        return None
    today = day_of(feed, now)
    whole = feed.whole or feed.last_good
    if whole is None:
        return now - FIRST_LOOK_BACK if is_empty else None
    between = (
        (day_of(feed, whole) + timedelta(days=n)) for n in range(1, (today - day_of(feed, whole)).days)
    )
    if any(_is_weekday(day) for day in between):
        return whole
    return whole if is_empty and _is_weekday(today) and now - whole >= LOOK_AGAIN else None


FIRST_LOOK_BACK = timedelta(days=3)
LOOK_AGAIN = timedelta(hours=6)
"""How long a weekday's missing announcement is left alone before the API is asked again."""


def is_stale(feed: Feed) -> bool:
    """Whether the last document was an arXiv announcement of a day before, on a day that has its own."""
    if not is_arxiv_daily(feed) or not (feed.last_check and feed.batch_at and feed.last_count):
        return False
    today = day_of(feed, feed.last_check)
    return _is_weekday(today) and feed.batch_at.date() < today


def _is_weekday(day: date) -> bool:
    return day.weekday() < 5


# ---- the health


@dataclass(frozen=True, slots=True)
class Health:
    """How a feed fares: its state, why in a sentence ("" where all is well), and since when."""

    state: State
    why: str = ""
    since: datetime | None = None


QUIET_AFTER = timedelta(days=4)
"""arXiv's longest silence, over Christmas or a long weekend; nothing is called quiet sooner."""

FIRST_PATIENCE = timedelta(days=35)
"""A new feed whose rhythm is not known yet may be a monthly journal."""

LONGEST_PATIENCE = timedelta(days=400)
DAILY = ("arxiv-rss", "biorxiv", "huggingface")
MANY = 3
"""So many papers on the same weekday before, and an empty document is no quiet day."""

TROUBLED = (State.QUIET, State.STALE, State.BROKEN)
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


def state(feed: Feed, now: datetime) -> State:
    """How the feed fares, from what was seen of it."""
    return health(feed, now).state


def health(feed: Feed, now: datetime) -> Health:
    """How the feed fares and why, from what was seen of it."""
    if feed.paused:
        return Health(State.PAUSED)
    if feed.failures:
        times = f"; {feed.failures} checks in a row failed" if feed.failures > 1 else ""
        return Health(State.BROKEN, f"{feed.last_error}{times}", feed.last_good)
    if feed.last_check is None:
        return Health(State.NEW)
    if feed.is_list:
        return Health(State.HEALTHY, _partly(feed))
    return _lost_abstracts(feed) or _stale(feed) or _quiet(feed, now) or Health(State.HEALTHY, _partly(feed))


def _partly(feed: Feed) -> str:
    """What went wrong with a document of which at least the beginning was read."""
    is_now = feed.error_at is not None and feed.error_at == feed.last_check
    return f"it was read in part: {feed.last_error}" if is_now else ""


def _lost_abstracts(feed: Feed) -> Health | None:
    """Broken where the latest papers have no abstracts though most had one before."""
    given = [day for day in feed.days if day.papers >= MANY]
    bare = list(takewhile(lambda day: day.abstracts * 10 < day.papers, reversed(given)))
    before = given[: len(given) - len(bare)]
    papers, abstracts = sum(day.papers for day in before), sum(day.abstracts for day in before)
    if not bare or abstracts * 2 < papers or not papers:
        return None
    share = round(100 * abstracts / papers)
    why = f"its papers come without abstracts since {bare[-1].day:%d %b %Y}; before, {share} % had one"
    return Health(State.BROKEN, why, _midnight(bare[-1].day))


def _stale(feed: Feed) -> Health | None:
    if not is_stale(feed):
        return None
    assert feed.batch_at
    day = feed.batch_at.date()
    return Health(
        State.STALE,
        f"it still holds the {feed.last_count:,} papers of {WEEKDAYS[day.weekday()]}, {day:%d %b}",
        feed.batch_at,
    )


def _quiet(feed: Feed, now: datetime) -> Health | None:
    if not feed.last_count and (many := usual(feed)) >= MANY:
        assert feed.last_check
        weekday = WEEKDAYS[day_of(feed, feed.last_check).weekday()]
        return Health(State.QUIET, f"it gave no papers, where {many} are usual on a {weekday}", feed.last_new)
    since = feed.last_new or feed.added
    if since is None:
        return Health(State.QUIET, "it has given no papers yet")
    if now - since > patience(feed):
        kind = "it is empty" if not feed.last_count else "it shows nothing but known papers"
        return Health(
            State.QUIET, f"{kind}, and gave nothing new for {(now - since).days} days", feed.last_new
        )
    return None


def usual(feed: Feed) -> int:
    """How many papers the feed held on the same weekdays before the day of its last check."""
    if feed.last_check is None:
        return 0
    today = day_of(feed, feed.last_check)
    return usual_on(feed, today.weekday(), today)


def usual_on(feed: Feed, weekday: int, before: date = date.max) -> int:
    """How many papers the feed held on that weekday (Monday is 0) lately, 0 where that is not known yet."""
    same = [day.papers for day in feed.days if day.day < before and day.day.weekday() == weekday]
    return int(median(same[-8:])) if len(same) > 1 else 0


def patience(feed: Feed) -> timedelta:
    """How long the feed may be without news: longer than it ever was, and at least `QUIET_AFTER`."""
    news = [day.day for day in feed.days if day.new]
    gaps = [(later - earlier).days for earlier, later in pairwise(news)]
    longest = timedelta(days=1.5 * max([*gaps, feed.gap], default=0))
    is_known = feed.gap or len(news) > 3 or feed.format in DAILY or not feed.days
    return min(max(QUIET_AFTER, longest, timedelta(0) if is_known else FIRST_PATIENCE), LONGEST_PATIENCE)


def longest_gap(dates: Iterable[str], now: datetime) -> int:
    """The longest time in days between neighbouring dates of the last year, 0 where there are too few."""
    known = {date.fromisoformat(text) for text in dates if re.fullmatch(r"\d{4}-\d\d-\d\d", text)}
    recent = sorted(day for day in known if timedelta(0) <= now.date() - day < LONGEST_PATIENCE)
    return (
        max(((later - earlier).days for earlier, later in pairwise(recent)), default=0) if recent[2:] else 0
    )


def noted_recovery(before: Feed, after: Feed, now: datetime) -> Feed:
    """`after`, with the time of its recovery where it was in trouble before and is not any more."""
    if state(before, now) in TROUBLED and state(after, now) is State.HEALTHY:
        return replace(after, back_at=now)
    return after


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
