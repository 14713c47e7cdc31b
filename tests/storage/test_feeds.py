"""The contract of the feeds' repository."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

import pytest

from digests.errors import ConflictError, ParseError, UnknownError
from digests.feed import LEASE, Day
from digests.paper import Paper
from digests.ports import Feeds, Intake, Store
from digests.query import parse
from storage.store import DatabaseStore
from tests.storage.examples import ML, NOW, a_channel, a_feed, a_paper, a_subscription, with_papers

LATER = NOW + timedelta(hours=1)


def test_the_store_keeps_the_ports(store: DatabaseStore) -> None:
    """A store is what the core asks for; mypy reads this test, too."""
    port: Store = store
    feeds: Feeds = port.feeds
    assert feeds.all() == ()


def test_a_feed_comes_back_as_it_was_saved(store: DatabaseStore) -> None:
    """Every field of a feed is stored, times to the microsecond."""
    feed = a_feed(
        format="atom",
        title="cs.CL",
        is_list=True,
        every=timedelta(hours=3),
        paused=True,
        added=NOW,
        etag='"x"',
        last_modified="Tue, 01 Dec 2026 08:00:00 GMT",
        due=NOW + timedelta(microseconds=7),
        last_check=NOW,
        last_good=NOW,
        last_new=NOW,
        last_count=80,
        last_error="answered 404",
        failures=3,
        status=404,
        error_at=NOW,
        back_at=NOW,
        batch="0123abcd",
        batch_at=NOW,
        gap=14,
        whole=NOW,
        days=(Day(NOW.date(), 80, 79, 12),),
        held_until=LATER,
    )
    store.feeds.add(a_feed(), (), NOW)
    store.feeds.save(feed)
    assert store.feeds.get("arxiv-cs") == feed


def test_adding_a_feed_brings_its_papers(store: DatabaseStore) -> None:
    """The first papers come in with the feed, and name it."""
    intake = store.feeds.add(a_feed(), [a_paper(1), a_paper(2)], NOW)
    papers = store.papers.get_many(intake.new)
    assert [(paper.first_seen, paper.feeds) for paper in papers.values()] == [(NOW, ("arxiv-cs",))] * 2
    assert store.feeds.get("arxiv-cs").last_new == NOW


def test_a_taken_name_is_refused(store: DatabaseStore) -> None:
    """Two feeds never share a name, and the refused one leaves no paper."""
    store.feeds.add(a_feed(), (), NOW)
    with pytest.raises(ConflictError, match="'arxiv-cs'"):
        store.feeds.add(a_feed(url="https://example.org/other"), [a_paper()], NOW)
    assert store.papers.count() == 0


def test_a_taken_address_is_refused_with_the_feed_that_has_it(store: DatabaseStore) -> None:
    """Two feeds never share an address."""
    store.feeds.add(a_feed(), (), NOW)
    with pytest.raises(ConflictError, match="feeds show arxiv-cs"):
        store.feeds.add(a_feed("other", url="https://example.org/arxiv-cs"), (), NOW)


def test_an_unknown_feed_is_answered_with_the_nearest(store: DatabaseStore) -> None:
    """A slip of the keyboard is recognised."""
    store.feeds.add(a_feed(), (), NOW)
    with pytest.raises(UnknownError, match=r"'arxiv-sc'.*did you mean 'arxiv-cs'"):
        store.feeds.get("arxiv-sc")


def test_unknown_feeds_are_refused_everywhere(store: DatabaseStore) -> None:
    """Nothing is written for a feed that is not registered."""
    for act in (
        lambda: store.feeds.save(a_feed()),
        lambda: store.feeds.take_in(a_feed(), [a_paper()], NOW),
        lambda: store.feeds.rename("arxiv-cs", "cs"),
        lambda: store.feeds.remove("arxiv-cs"),
    ):
        with pytest.raises(UnknownError):
            act()
    assert store.papers.count() == 0


def test_due_are_feeds_whose_time_has_come(store: DatabaseStore) -> None:
    """Lists, paused feeds, held ones and those of a later time are not; one without a time is, and first.

    One that is held for longer than anybody holds a feed was so by a wrong clock.
    """
    for feed in (
        a_feed("past", due=NOW),
        a_feed("unset"),
        a_feed("later", due=LATER),
        a_feed("paused", paused=True),
        a_feed("list", is_list=True),
        a_feed("held", held_until=NOW + LEASE),
        a_feed("released", held_until=NOW),
        a_feed("ahead", held_until=NOW + 2 * LEASE),
        a_feed("wrong", held_until=NOW + 6 * LEASE),
    ):
        store.feeds.add(feed, (), NOW)
    assert [feed.name for feed in store.feeds.due(NOW)] == ["released", "unset", "wrong", "past"]


def test_a_second_reading_adds_only_what_is_new(store: DatabaseStore) -> None:
    """Known papers are counted and keep the time at which they were first seen."""
    (first,) = store.feeds.add(a_feed(), [a_paper(1)], NOW).new
    intake = store.feeds.take_in(a_feed(), [a_paper(1), a_paper(2), a_paper(2)], LATER)
    assert (len(intake.new), intake.revised, intake.same) == (1, (), 2)
    assert store.papers.get(first).first_seen == NOW
    assert store.papers.count() == 2


def test_a_reading_without_news_leaves_the_time_of_the_last_news(store: DatabaseStore) -> None:
    """`last_new` moves only when a paper was new."""
    store.feeds.add(a_feed(), [a_paper(1)], NOW)
    store.feeds.take_in(replace(store.feeds.get("arxiv-cs"), last_check=LATER), [a_paper(1)], LATER)
    feed = store.feeds.get("arxiv-cs")
    assert (feed.last_new, feed.last_check) == (NOW, LATER)


def test_a_failing_document_leaves_nothing(store: DatabaseStore) -> None:
    """When the papers' source breaks off, neither papers nor the feed's state are written."""
    store.feeds.add(a_feed(), (), NOW)

    def broken() -> Iterator[Paper]:
        yield from (a_paper(number) for number in range(700))
        raise ParseError("breaks off", format="atom")

    with pytest.raises(ParseError):
        store.feeds.take_in(a_feed(etag="new"), broken(), NOW)
    assert (store.papers.count(), store.feeds.get("arxiv-cs").etag) == (0, "")


def test_a_paper_of_two_feeds_is_one_paper(store: DatabaseStore) -> None:
    """A second sighting adds the feed, never a paper."""
    (paper,) = with_papers(store, a_paper(1))
    assert store.feeds.add(a_feed("openreview"), [a_paper(1)], LATER) == Intake(same=1)
    assert store.papers.get(paper).feeds == ("arxiv-cs", "openreview")


def test_a_renamed_feed_keeps_its_papers_and_readers(store: DatabaseStore) -> None:
    """Subscriptions follow, in their list of feeds and in their query."""
    with_papers(store, a_paper(1))
    store.channels.add(a_channel())
    store.subscriptions.add(
        a_subscription(feeds=("arxiv-cs", "other"), query=parse("reasoning (feed:arxiv-cs OR -survey)"))
    )
    store.feeds.rename("arxiv-cs", "cs papers")
    (subscription,) = store.subscriptions.of([ML])[ML]
    assert subscription.feeds == ("cs papers", "other")
    assert subscription.query == parse('reasoning (feed:"cs papers" OR -survey)')
    (paper,) = store.papers.search(None)
    assert paper.feeds == ("cs papers",)


def test_a_feed_is_not_renamed_onto_another(store: DatabaseStore) -> None:
    """A name in use stays with its feed."""
    store.feeds.add(a_feed("one"), (), NOW)
    store.feeds.add(a_feed("two"), (), NOW)
    with pytest.raises(ConflictError):
        store.feeds.rename("one", "two")
    assert [feed.name for feed in store.feeds.all()] == ["one", "two"]


def test_a_removed_feed_leaves_its_papers(store: DatabaseStore) -> None:
    """Removing tells how many papers the feed had shown, and forgets none."""
    papers = with_papers(store, a_paper(1), a_paper(2))
    assert store.feeds.remove("arxiv-cs") == 2
    assert store.papers.get(papers[0]).feeds == ()
