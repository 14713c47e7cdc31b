"""Tests of the stored identity of papers: keys, looks, and any order of sightings."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import sqlite_utils
from hypothesis import given, settings
from hypothesis import strategies as st

from digests.dedupe import Known, Look, Verdict, sort_out
from digests.paper import Entry, Paper, PaperId, from_entry, keys
from storage.intake import MAX_SHARED
from storage.migrations import migrations
from storage.store import DatabaseStore, open_store
from tests.digests.works import sightings, work, world
from tests.storage.examples import ML, NOW, a_channel, a_feed, a_paper, an_edition, with_papers

LATER = NOW + timedelta(hours=1)
ONE = work(1)


def shown(**fields: object) -> Paper:
    """A sighting of the first made-up work, without an identifier."""
    return from_entry(Entry(**({"title": ONE.title, "authors": ONE.authors} | fields)))  # type: ignore[arg-type]


def partition(order: list[tuple[int, Paper]], cut: int) -> set[frozenset[int]]:
    """Which sightings the database holds for one work; they come in two documents, divided at `cut`."""
    with TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "paperround.db")
        for name, part in (("a", order[:cut]), ("b", order[cut:])):
            with_papers(store, *(paper for _, paper in part), feed=name)
        ids = [
            next(iter(store.papers.by_keys((f"url:at.example/{number}",)).values())) for number, _ in order
        ]
        homes = store.papers.get_many(ids)
        assert store.papers.count() == len({paper.id for paper in homes.values()})
        store.close()
    return {frozenset(n for (n, _), at in zip(order, ids, strict=True) if at == paper) for paper in ids}


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_any_order_and_any_batches_give_the_same_works(data: st.DataObject) -> None:
    """A work's first version and its parts, in one document or two, whichever comes first."""
    works = world(data.draw(st.integers(0, 5)))[:2]
    seen = data.draw(st.lists(sightings(works), min_size=2, max_size=6))
    numbered = [
        (at, replace(paper, links=(*paper.links, f"https://at.example/{at}")))
        for at, (_, paper) in enumerate(seen)
    ]
    other = data.draw(st.permutations(numbered))
    cuts = data.draw(st.integers(0, len(seen))), data.draw(st.integers(0, len(seen)))
    assert partition(numbered, cuts[0]) == partition(other, cuts[1])


def test_a_title_brings_a_paper_home(store: DatabaseStore) -> None:
    """A list that gives titles and authors only shows what arXiv showed."""
    (paper,) = with_papers(store, shown(abstract=ONE.abstracts[0], guid="arXiv:2501.00001v1"))
    taken = store.feeds.add(a_feed("list"), [shown(), shown(title=f"{ONE.title} II")], LATER)
    assert (taken.same, len(taken.new)) == (1, 1)
    assert store.papers.get(paper).feeds == ("arxiv-cs", "list")


def test_different_works_may_share_a_weak_key(store: DatabaseStore) -> None:
    """Two editorials stand under one title, each with its own DOI; the title is answered with the older."""
    one, two = with_papers(
        store,
        *(shown(title="Editorial", authors=(), identifiers=(f"10.1000/{name}",)) for name in "ab"),
    )
    assert store.papers.by_keys(keys(shown(title="Editorial"))) == {keys(shown(title="Editorial"))[0]: one}
    assert store.papers.get(two).identifiers != store.papers.get(one).identifiers


def test_a_feeds_own_name_for_an_item_holds_when_all_else_changes(store: DatabaseStore) -> None:
    """The same guid with a reworded title is the paper revised; in another feed the guid says nothing."""
    before = shown(title="Melting of very thin films", guid="g1", abstract=ONE.abstracts[0])
    after = shown(title="Melting of films, revisited", guid="g1", abstract=ONE.revised)
    (paper,) = with_papers(store, before)
    taken = store.feeds.take_in(a_feed(), [after], LATER)
    assert (taken.new, taken.revised) == ((), (paper,))
    other = shown(title="Films of melting, another story", guid="g1", authors=("Ann Other",))
    assert len(with_papers(store, other, feed="other")) == 1


def test_a_guid_used_again_names_another_work(store: DatabaseStore) -> None:
    """A feed that counts its items from one each day does not hide the new ones."""
    with_papers(store, shown(guid="1", abstract=ONE.abstracts[0]))
    two = work(2)
    fresh = from_entry(Entry(title=two.title, abstract=two.abstracts[0], authors=two.authors, guid="1"))
    assert len(store.feeds.take_in(a_feed(), [fresh], LATER).new) == 1


def test_a_page_that_all_items_link_to_is_no_burden(
    store: DatabaseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a link that everything shares only so many looks are kept, and all items stay apart."""
    compared = 0

    def counting(incoming: Paper, shown: Look, known: Sequence[Known]) -> Verdict:
        nonlocal compared
        compared += len(known)
        return sort_out(incoming, shown, known)

    monkeypatch.setattr("storage.intake.sort_out", counting)
    items = [work(n) for n in range(100, 180)]
    papers = [
        from_entry(Entry(title=w.title, abstract=w.abstracts[0], links=("https://a.example/home",)))
        for w in items
    ]
    assert len(with_papers(store, *papers)) == len(items)
    assert 0 < compared <= MAX_SHARED * len(items)


def test_reading_again_writes_no_looks(store: DatabaseStore, tmp_path: Path) -> None:
    """What was seen before leaves no second look behind."""
    papers = [a_paper(n, guid=f"g{n}", links=(f"https://a.example/{n}",)) for n in range(5)]
    with_papers(store, *papers)
    store.feeds.take_in(a_feed(), papers, LATER)
    with sqlite3.connect(tmp_path / "paperround.db") as db:
        assert db.execute("SELECT count(*) FROM looks").fetchone() == (5,)


def test_a_publication_is_remembered_once(store: DatabaseStore) -> None:
    """What was known as a preprint and came out later, with the place that was learnt first."""
    (paper, other) = with_papers(store, a_paper(1), a_paper(2))
    store.channels.add(a_channel())
    store.outbox.put(an_edition(paper, other), ())
    printed = a_paper(1, identifiers=("arXiv:2511.00001v1", "10.1000/x"), venue="Annals of Films")
    store.feeds.add(a_feed("journal"), [printed], LATER)
    store.feeds.take_in(a_feed("journal"), [replace(printed, venue="Annals")], LATER + timedelta(hours=1))
    assert store.outbox.published(ML) == {paper: "Annals of Films"}


def test_looks_are_made_of_papers_stored_before_there_were_any(tmp_path: Path) -> None:
    """An older database knows its papers by title after the step, and by their identifiers as before."""
    path = tmp_path / "paperround.db"
    old = sqlite_utils.Database(path)
    migrations.apply(old, stop_before="looks")
    old.execute(
        "INSERT INTO papers VALUES (1, ?, ?, ?, '[\"doi:10.1000/x\"]', '[]', '', '', '[]', 0, '', 'new', ?)",
        (ONE.title, ONE.abstracts[0], f'["{ONE.authors[0]}"]', NOW.isoformat(timespec="microseconds")),
    )
    old.execute("INSERT INTO paper_keys VALUES ('doi:10.1000/x', 1), ('text:0123', 1)")
    old.conn.commit()
    old.close()
    store = open_store(path)
    try:
        assert set(store.papers.by_keys(keys(store.papers.get(PaperId(1)))).values()) == {1}
        assert store.papers.by_keys(("text:0123",)) == {}
        assert store.feeds.add(a_feed(), [shown()], LATER).same == 1
    finally:
        store.close()
