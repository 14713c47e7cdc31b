"""Tests of the shelf: papers are indexed once, and never out of date."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bot.shelf import Shelf
from digests.compose import preview, waiting
from digests.feed import Feed
from digests.ports import Store
from storage.store import DatabaseStore, open_store
from tests.conftest import ROOT
from tests.digests.lab import about, read, subscribe
from tests.fakes import NOON, channel, paper

ANOTHER_PROCESS = """
import sys
from storage.store import open_store
from tests.digests.lab import about, read
store = open_store(sys.argv[1])
read(store, *about("lattice", 1, 7), feed="other")
store.close()
"""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[DatabaseStore]:
    """A database with a channel that asks for lattices, and a feed that gave two."""
    opened = open_store(tmp_path / "p.db")
    read(opened, *about("lattice", 2))
    opened.channels.add(channel())
    subscribe(opened, "lattice")
    yield opened
    opened.close()


def titles(store: Store, shelf: Shelf, now: datetime = NOON) -> list[str]:
    """What a preview shows."""
    found = preview(store, channel(), now, papers=shelf)
    return sorted(item.heading for section in found.sections for item in section.items)


def test_what_did_not_change_is_not_read_again(store: DatabaseStore) -> None:
    """Commands and rounds of one day share one index, whatever else is written meanwhile."""
    shelf = Shelf(store)
    first = shelf(NOON)
    store.channels.save(channel(size=3))
    store.papers.keep_summaries({first.papers[0].id: ("It works.",)}, "method")
    store.feeds.take_in(store.feeds.get("arxiv"), about("lattice", 2), NOON)
    assert shelf(NOON + timedelta(hours=1)) is first


def test_a_paper_that_another_process_stores_is_in_the_next_preview(
    store: DatabaseStore, tmp_path: Path
) -> None:
    """Nobody has to tell this process."""
    shelf = Shelf(store)
    assert len(titles(store, shelf)) == 2
    arguments = [sys.executable, "-c", ANOTHER_PROCESS, str(tmp_path / "p.db")]
    subprocess.run(arguments, check=True, cwd=ROOT)
    assert len(titles(store, shelf)) == 3


def test_every_change_of_the_papers_is_seen(store: DatabaseStore) -> None:
    """After each way in which papers come to be others, the shelf holds what a new reading would."""
    shelf = Shelf(store)
    (known, *_) = shelf(NOON).papers
    revised = replace(known, abstract=f"{known.abstract} Corrected.", version=known.version + 1)
    feed = store.feeds.get("arxiv")
    ways = (
        lambda: store.feeds.take_in(feed, [paper("New", "A lattice is new.")], NOON),
        lambda: store.feeds.take_in(feed, [revised], NOON),
        lambda: read(store, known, feed="second"),
        lambda: store.feeds.rename("second", "renamed"),
        lambda: store.feeds.save(replace(store.feeds.get("renamed"), is_list=True)),
        lambda: store.feeds.remove("renamed"),
        lambda: store.feeds.add(Feed("list", "file:///list", is_list=True), [paper("L", "Lists.")], NOON),
    )
    for way in ways:
        before = store.papers.mark()
        way()
        assert store.papers.mark() != before
        assert shelf(NOON).papers == waiting(store, NOON).papers


def test_a_change_that_is_undone_leaves_the_papers(store: DatabaseStore) -> None:
    """What a transaction saw of itself is not taken for what is stored."""
    shelf = Shelf(store)
    with suppress(RuntimeError), store.together():
        store.feeds.take_in(store.feeds.get("arxiv"), about("lattice", 1, 5), NOON)
        assert len(shelf(NOON).papers) == 3
        raise RuntimeError
    store.feeds.take_in(store.feeds.get("arxiv"), about("lattice", 1, 6), NOON)
    assert shelf(NOON).papers == waiting(store, NOON).papers


def test_old_papers_leave_with_the_day(store: DatabaseStore) -> None:
    """The index of one day is not that of another, also when the clock is set back."""
    shelf = Shelf(store)
    assert len(shelf(NOON).papers) == 2
    assert len(shelf(NOON + timedelta(days=15)).papers) == 0
    assert len(shelf(NOON).papers) == 2


def test_threads_get_the_same_answers(store: DatabaseStore) -> None:
    """Questions at the same time, some of them after likeness, do not disturb each other."""
    shelf = Shelf(store)
    subscribe(store, 'author:"X Y" OR like:p1', "Near")
    alone = preview(store, channel(), NOON)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: preview(store, channel(), NOON, papers=shelf), range(24)))
    assert all(each == alone for each in found)


def test_nobody_asks_and_it_is_forgotten(store: DatabaseStore) -> None:
    """Two looks of the housekeeping without a question between them free the memory."""
    shelf = Shelf(store)
    first = shelf(NOON)
    shelf.rest()
    assert shelf(NOON) is first
    shelf.rest()
    shelf.rest()
    assert shelf(NOON) is not first


def test_what_is_in_use_is_kept_up(store: DatabaseStore) -> None:
    """A change is looked after before the next question; nothing is read while nobody asks."""
    shelf = Shelf(store)
    shelf.keep_up(NOON)
    assert shelf._made_of is None
    shelf(NOON)
    read(store, *about("lattice", 1, 7), feed="other")
    shelf.keep_up(NOON)
    kept = shelf._index
    assert shelf(NOON) is kept
    assert len(kept.papers) == 3
