"""Tests of refreshing: what a document gives, and how a feed fares when it gives none."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from digests.errors import FetchError, ParseError
from digests.feed import Feed, Fetched, State, state
from digests.ports import Store
from digests.refresh import read, refresh
from storage.store import open_store
from tests.fakes import NOON, FakeFetcher

HOUR = timedelta(hours=1)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty database."""
    opened = open_store(tmp_path / "p.db")
    yield opened
    opened.close()


def lines(*items: object) -> bytes:
    """A JSON Lines document."""
    return "\n".join(item if isinstance(item, str) else json.dumps(item) for item in items).encode()


def item(number: int, **fields: str) -> dict[str, str]:
    return {"title": f"Paper {number}", "abstract": f"We do thing {number}. It works.", **fields}


def test_bad_item_is_named_and_costs_no_other() -> None:
    """A broken line in the middle is refused by its place; the lines around it come in."""
    reading = read(Fetched("file:a.jsonl", lines(item(1), '{"title": "cut', item(3))))
    assert [paper.title for paper in reading.papers] == ["Paper 1", "Paper 3"]
    assert [refused.where for refused in reading.refused] == ["line 2"]


def test_missing_fields_are_counted() -> None:
    """An admin sees at once that a source has no authors."""
    reading = read(Fetched("file:a.jsonl", lines(item(1, authors="Ann Author"), item(2))))
    assert dict(reading.missing) == {"authors": 1, "links": 2, "dates": 2}


def test_document_that_is_none_is_refused() -> None:
    """A web page is not a feed without news."""
    with pytest.raises(ParseError, match="web page"):
        read(Fetched("https://a.example/", b"<!DOCTYPE html><html><body>Hello</body></html>"))


async def test_refresh_stores_what_is_new(store: Store) -> None:
    """The first reading brings all, the second only what was added."""
    feed = Feed("a", "https://a.example/")
    store.feeds.add(feed, [], NOON)
    (first,) = await refresh([feed], store, FakeFetcher({feed.url: lines(item(1), item(2))}), NOON)
    (second,) = await refresh(
        [first.feed], store, FakeFetcher({feed.url: lines(item(2), item(3))}), NOON + HOUR
    )
    assert [len(first.intake.new), len(second.intake.new), second.intake.same] == [2, 1, 1]
    assert store.feeds.get("a").last_new == NOON + HOUR


async def test_unchanged_document_is_asked_for_by_its_etag(store: Store) -> None:
    """What the server calls unchanged is not read again, and the feed is healthy."""
    feed = Feed("a", "https://a.example/", etag='"7"', last_check=NOON, last_new=NOON, last_count=2)
    store.feeds.add(feed, [], NOON)
    fetcher = FakeFetcher({feed.url: Fetched(feed.url, b"", 304, not_modified=True)})
    (outcome,) = await refresh([feed], store, fetcher, NOON + HOUR)
    assert fetcher.asked == [(feed.url, '"7"')]
    assert state(outcome.feed, NOON + HOUR) is State.HEALTHY


async def test_failures_wait_longer_and_longer_and_recovery_is_noticed(store: Store) -> None:
    """Each failure in a row doubles the wait; one good document ends it."""
    feed = Feed("a", "https://a.example/", every=HOUR)
    store.feeds.add(feed, [], NOON)
    waits = []
    for _ in range(6):
        (outcome,) = await refresh([feed], store, FakeFetcher({}), NOON)
        feed = outcome.feed
        assert feed.due
        waits.append((feed.due - NOON) // HOUR)
    assert waits == [2, 4, 8, 16, 24, 24]
    assert state(store.feeds.get("a"), NOON) is State.BROKEN
    (outcome,) = await refresh([feed], store, FakeFetcher({feed.url: lines(item(1))}), NOON)
    assert (outcome.feed.failures, outcome.feed.last_error, state(outcome.feed, NOON)) == (
        0,
        "",
        State.HEALTHY,
    )


async def test_server_that_asks_for_a_pause_gets_it(store: Store) -> None:
    """Retry-After is obeyed, up to a day."""
    feed = Feed("a", "https://a.example/", every=HOUR)
    store.feeds.add(feed, [], NOON)
    error = FetchError("busy", url=feed.url, status=429, retry_after=timedelta(days=30))
    (outcome,) = await refresh([feed], store, FakeFetcher({feed.url: error}), NOON)
    assert outcome.feed.due == NOON + timedelta(days=1)


async def test_bad_feed_costs_no_other(store: Store) -> None:
    """Of three feeds one is gone and one is a web page; the third is read."""
    feeds = [Feed(name, f"https://{name}.example/") for name in "abc"]
    for feed in feeds:
        store.feeds.add(feed, [], NOON)
    answers = {"https://b.example/": b"<html><body>Hello</body></html>", "https://c.example/": lines(item(1))}
    outcomes = await refresh(feeds, store, FakeFetcher(answers), NOON)
    assert [bool(outcome.error) for outcome in outcomes] == [True, True, False]
    assert [len(outcome.intake.new) for outcome in outcomes] == [0, 0, 1]


async def test_permanent_move_is_remembered(store: Store) -> None:
    """Where a feed has moved for good it is read there from then on."""
    feed = Feed("a", "https://a.example/")
    store.feeds.add(feed, [], NOON)
    moved = Fetched("https://new.example/", lines(item(1)), moved_to="https://new.example/")
    await refresh([feed], store, FakeFetcher({feed.url: moved}), NOON)
    assert store.feeds.get("a").url == "https://new.example/"
