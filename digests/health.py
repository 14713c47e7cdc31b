"""How a feed fares, told from what was seen of it: healthy, quiet, stale, broken or paused, and why."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from itertools import pairwise, takewhile
from statistics import median

from digests.feed import Day, Feed, with_day


class State(StrEnum):
    """What an admin reads first about a feed."""

    HEALTHY = "healthy"
    QUIET = "quiet"
    STALE = "stale"
    BROKEN = "broken"
    PAUSED = "paused"
    NEW = "new"


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
DAILY_FORMATS = ("arxiv-rss", "biorxiv", "huggingface")
MANY = 3
"""So many papers on the same weekday before, and an empty document is no quiet day."""

TROUBLED = (State.QUIET, State.STALE, State.BROKEN)
DAY_NAMES = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


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
        f"it still holds the {feed.last_count:,} papers of {DAY_NAMES[day.weekday()]}, {day:%d %b}",
        feed.batch_at,
    )


def _quiet(feed: Feed, now: datetime) -> Health | None:
    if not feed.last_count and (many := usual(feed)) >= MANY:
        assert feed.last_check
        weekday = DAY_NAMES[day_of(feed, feed.last_check).weekday()]
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
    is_known = feed.gap or len(news) > 3 or feed.format in DAILY_FORMATS or not feed.days
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
