"""Tests of a feed's health: what is told apart, and what is no trouble."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digests.errors import FetchError, ParseError
from digests.feed import HISTORY, Day, Feed, Fetched, with_day
from digests.health import Health, State, health, missed_since, patience, state
from digests.health import with_news as told
from digests.paper import Paper
from digests.reading import Reading
from digests.refresh import Collected, after_collected, after_document, after_error
from tests.fakes import paper

MONDAY = datetime(2026, 11, 2, 12, tzinfo=UTC)
DAY = timedelta(days=1)
ARXIV = Feed("cl", "https://rss.arxiv.org/rss/cs.CL", "arxiv-rss", added=MONDAY - DAY)
JOURNAL = Feed("nature", "https://nature.example/rss", "rss", added=MONDAY - DAY)


def papers(*numbers: int, abstract: str = "We do it. It works.", published: str = "") -> tuple[Paper, ...]:
    return tuple(
        paper(
            f"Study {n}",
            abstract and f"{abstract} {n}",
            links=(f"https://a.example/{n}",),
            published=published,
        )
        for n in numbers
    )


def seen(feed: Feed, given: tuple[Paper, ...], at: datetime, new: int = 0) -> Feed:
    """The feed after a check that gave these papers, so many of them new."""
    reading = Reading(feed.format, papers=given)
    return told(after_document(feed, Fetched(feed.url, b""), reading, at), new, at)


def arxiv_weeks(weeks: int = 3) -> Feed:
    """An arXiv feed that was read each day at noon: five papers on weekdays, none at weekends."""
    feed = ARXIV
    for n in range(7 * weeks):
        batch = papers(*range(n * 5, n * 5 + 5)) if n % 7 < 5 else ()
        feed = seen(feed, batch, MONDAY + n * DAY, len(batch))
    return feed


def test_a_feed_that_was_never_read_is_new() -> None:
    """Before the first check nothing is known."""
    assert state(ARXIV, MONDAY) is State.NEW


def test_a_quiet_weekend_of_arxiv_is_no_trouble() -> None:
    """Through three weeks with empty weekends the feed is healthy each day."""
    feed = ARXIV
    for n in range(21):
        batch = papers(*range(n * 5, n * 5 + 5)) if n % 7 < 5 else ()
        feed = seen(feed, batch, MONDAY + n * DAY, len(batch))
        assert health(feed, MONDAY + n * DAY) == Health(State.HEALTHY)


def test_yesterdays_batch_is_stale() -> None:
    """The same papers on the next weekday are no news, however fresh the document says that it is."""
    feed = seen(ARXIV, papers(1, 2, 3), MONDAY, 3)
    again = seen(feed, tuple(reversed(papers(1, 2, 3))), MONDAY + DAY)
    assert state(seen(feed, papers(1, 2, 3), MONDAY + timedelta(hours=3)), MONDAY) is State.HEALTHY
    assert health(again, MONDAY + DAY) == Health(
        State.STALE, "it still holds the 3 papers of Monday, 02 Nov", MONDAY
    )


def test_fridays_batch_on_monday_is_stale_and_at_the_weekend_is_not() -> None:
    """Only a day that has its own announcement makes the last one stale."""
    friday = MONDAY + 4 * DAY
    feed = seen(ARXIV, papers(1, 2), friday, 2)
    states = [state(seen(feed, papers(1, 2), friday + n * DAY), friday + n * DAY) for n in range(1, 4)]
    assert states == [State.HEALTHY, State.HEALTHY, State.STALE]


def test_a_stale_feed_is_asked_before_its_hour_and_is_healthy() -> None:
    """Until arXiv's feeds have changed, early in the morning UTC, the last batch is the right one."""
    feed = seen(ARXIV, papers(1), MONDAY, 1)
    early = MONDAY.replace(hour=6) + DAY
    assert state(seen(feed, papers(1), early), early) is State.HEALTHY


def test_recovery_is_noted() -> None:
    """From stale or broken back to healthy: since when stands in the feed."""
    stale = seen(seen(ARXIV, papers(1), MONDAY, 1), papers(1), MONDAY + DAY)
    assert seen(stale, papers(2), MONDAY + 2 * DAY, 1).back_at == MONDAY + 2 * DAY
    broken = after_error(stale, ParseError("the document is empty", format=""), MONDAY + 2 * DAY)
    assert state(broken, MONDAY + 2 * DAY) is State.BROKEN
    assert seen(broken, papers(3), MONDAY + 3 * DAY, 1).back_at == MONDAY + 3 * DAY


def test_no_papers_where_many_are_usual_are_named() -> None:
    """An empty document on a Monday that has had five papers for weeks is no quiet day."""
    at = MONDAY + 21 * DAY
    feed = seen(arxiv_weeks(), (), at)
    assert health(feed, at) == Health(
        State.QUIET, "it gave no papers, where 5 are usual on a Monday", MONDAY + 18 * DAY
    )


def test_lost_abstracts_are_named() -> None:
    """A source whose papers suddenly come without abstracts has changed its schema."""
    feed = JOURNAL
    for n in range(5):
        feed = seen(feed, papers(*range(n * 5, n * 5 + 5)), MONDAY + n * DAY, 5)
    assert state(feed, MONDAY + 4 * DAY) is State.HEALTHY
    feed = seen(feed, papers(*range(50, 55), abstract=""), MONDAY + 5 * DAY, 5)
    feed = seen(feed, papers(*range(60, 65), abstract=""), MONDAY + 6 * DAY, 5)
    fares = health(feed, MONDAY + 6 * DAY)
    assert fares.state is State.BROKEN
    assert fares.why == "its papers come without abstracts since 07 Nov 2026; before, 100 % had one"
    assert fares.since == datetime(2026, 11, 7, tzinfo=UTC)


def test_a_source_that_never_had_abstracts_is_healthy() -> None:
    """Half of the journals have none; that is no fault of today."""
    feed = JOURNAL
    for n in range(5):
        feed = seen(feed, papers(*range(n * 5, n * 5 + 5), abstract=""), MONDAY + n * DAY, 5)
    assert state(feed, MONDAY + 4 * DAY) is State.HEALTHY


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (FetchError("answered 503", url="u", status=503), "answered 503"),
        (ParseError("a web page instead of a feed (bot protection?)", format=""), "bot protection"),
        (ParseError("the document is empty", format=""), "empty"),
    ],
)
def test_a_failure_is_named_and_counted(error: FetchError | ParseError, why: str) -> None:
    """What came instead of a document is the reason; a second time the checks are counted."""
    feed = after_error(after_error(seen(ARXIV, papers(1), MONDAY, 1), error, MONDAY), error, MONDAY + DAY)
    fares = health(feed, MONDAY + DAY)
    assert (fares.state, fares.since) == (State.BROKEN, MONDAY)
    assert why in fares.why
    assert "2 checks in a row failed" in fares.why
    assert (feed.status, feed.error_at) == (getattr(error, "status", 200), MONDAY + DAY)


def test_a_monthly_journal_is_patiently_waited_for() -> None:
    """Its own history says how long it may be silent; twice as long is trouble."""
    feed = JOURNAL
    for n in range(121):
        issue = papers(*range(n // 30 * 10, n // 30 * 10 + 10))
        feed = seen(feed, issue, MONDAY + n * DAY, 10 if n % 30 == 0 else 0)
        assert state(feed, MONDAY + n * DAY) is State.HEALTHY
    assert len(feed.days) < HISTORY
    assert patience(feed) == timedelta(days=45)
    late = MONDAY + 166 * DAY
    assert health(feed, late).why == "it shows nothing but known papers, and gave nothing new for 46 days"


def test_the_dates_of_the_papers_tell_the_rhythm_of_a_new_feed() -> None:
    """A feed that was added today, with an issue every two weeks in it, may be silent for three weeks."""
    issues = [paper(f"Study {n}", "We do it.", published=f"2026-{month}") for n, month in enumerate(
        ("09-01", "09-15", "09-29", "10-13", "10-27")
    )]  # fmt: skip
    assert patience(seen(JOURNAL, tuple(issues), MONDAY, 5)) == timedelta(days=21)


def test_a_daily_feed_is_quiet_after_four_days() -> None:
    """A source with news each day is missed sooner than one with news each month."""
    feed = JOURNAL
    for n in range(20):
        feed = seen(feed, papers(n), MONDAY + n * DAY, 1)
    states = [state(feed, MONDAY + (19 + n) * DAY) for n in range(1, 6)]
    assert states == [State.HEALTHY] * 4 + [State.QUIET]


def test_a_document_that_was_read_in_part_says_so() -> None:
    """The feed is healthy, and why something is missing stands beside it until the next check."""
    reading = Reading("rss", papers=papers(1))
    part = Collected(JOURNAL.url, Fetched(JOURNAL.url, b""), reading, fault=FetchError("page 3", url="u"))
    feed = after_collected(replace(JOURNAL, etag='"1"'), part, MONDAY)
    assert health(feed, MONDAY) == Health(State.HEALTHY, "it was read in part: page 3")
    assert feed.etag == ""
    assert health(seen(feed, papers(1), MONDAY + DAY), MONDAY + DAY) == Health(State.HEALTHY)


# ---- what arXiv's feeds have missed


@pytest.mark.parametrize(
    ("last", "now", "is_empty", "is_missed"),
    [
        (0, 1, False, False),  # Monday, Tuesday
        (0, 2, False, True),  # Monday, Wednesday: Tuesday was missed
        (4, 7, False, False),  # Friday, Monday
        (3, 7, False, True),  # Thursday, Monday
        (4, 5, True, False),  # Friday, Saturday
        (0, 1, True, True),  # Monday, an empty Tuesday
    ],
)
def test_missed_days_are_weekdays(last: int, now: int, is_empty: bool, is_missed: bool) -> None:
    """A feed that was read on one day and then on another has missed the weekdays between."""
    feed = replace(ARXIV, whole=MONDAY + last * DAY)
    missed = missed_since(feed, MONDAY + now * DAY, is_empty=is_empty)
    assert missed == (feed.whole if is_missed else None)


def test_only_arxivs_daily_feeds_miss_days() -> None:
    """A rolling feed still holds what was not read."""
    assert missed_since(replace(JOURNAL, whole=MONDAY), MONDAY + 30 * DAY, is_empty=True) is None


# ---- the history


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9), st.integers(0, 9)), max_size=200))
def test_the_history_stays_short_sorted_and_each_day_once(steps: list[tuple[int, int, int]]) -> None:
    """However often a feed is checked, its history is bounded, and a day counts all that was new on it."""
    days: tuple[Day, ...] = ()
    today = MONDAY.date()
    news: dict[date, int] = {}
    for ahead, given_papers, new in steps:
        today += ahead * DAY
        news[today] = news.get(today, 0) + new
        days = with_day(days, Day(today, given_papers, 0, new))
    dates = [day.day for day in days]
    assert dates == sorted(set(dates))
    assert len(days) <= HISTORY
    assert all(day.new == news[day.day] for day in days)
