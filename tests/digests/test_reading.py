"""Tests of a feed whose document is another kind of document at the next check."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from digests.feed import Feed
from digests.ports import Store
from digests.refresh import refresh
from storage.store import open_store
from tests.fakes import NOON, FakeFetcher

URL = "https://journal.example/feed"
RSS = (
    b'<rss version="2.0"><channel><title>J</title><item><title>Walls of stone and sand</title>'
    b"<link>https://journal.example/1</link></item></channel></rss>"
)
ATOM = (
    b'<feed xmlns="http://www.w3.org/2005/Atom"><title>J</title>'
    b'<entry><title>Walls of stone and sand</title><link href="https://journal.example/1"/></entry>'
    b'<entry><title>Doors of wood and iron</title><link href="https://journal.example/2"/></entry></feed>'
)
JSON = (
    b'{"version": "https://jsonfeed.org/version/1.1", "title": "J", "home_page_url": "https://journal.example",'
    b' "items": [{"id": "2", "url": "https://journal.example/2", "title": "Doors of wood and iron"},'
    b' {"id": "3", "url": "https://journal.example/3", "title": "Roofs of straw and slate"}]}'
)
PAGE = b"<!DOCTYPE html><html><head><title>Just a moment...</title></head></html>"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty database."""
    opened = open_store(tmp_path / "p.db")
    yield opened
    opened.close()


async def test_a_feed_may_change_its_format_between_checks(store: Store) -> None:
    """Recognised anew each time: what is known stays known, what is new comes in, nothing is doubled."""
    feed = Feed("j", URL)
    store.feeds.add(feed, [], NOON)
    seen = []
    for body in (RSS, ATOM, PAGE, JSON, RSS):
        (checked,) = await refresh([store.feeds.get("j")], store, FakeFetcher({URL: body}), lambda: NOON)
        new = len(checked.intake.new) if checked.intake else 0
        seen.append((checked.feed.format, new, bool(checked.error)))
    page = ("atom", 0, True)
    assert seen == [("rss", 1, False), ("atom", 1, False), page, ("json-feed", 1, False), ("rss", 0, False)]
