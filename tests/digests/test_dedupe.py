"""Tests of deduplication: a second sighting adds and never doubles; different works stay apart."""

from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest

from digests.dedupe import sort_out
from digests.paper import UNSTORED, Entry, Paper, PaperId, from_entry, keys

ABSTRACT = "We study how lattices of thin films melt, and find that they do so from the edge inwards."


def paper(paper_id: int = 0, **fields: Any) -> Paper:
    """A paper made the way feeds make them."""
    return replace(
        from_entry(Entry(**{"title": "Melting lattices", "abstract": ABSTRACT, **fields})),
        id=PaperId(paper_id),
    )


class Shelf:
    """Stored papers, looked up and merged as a database does it."""

    def __init__(self) -> None:
        self.papers: dict[PaperId, Paper] = {}

    def see(self, incoming: Paper) -> None:
        known = [stored for stored in self.papers.values() if set(keys(stored)) & set(keys(incoming))]
        verdict = sort_out(incoming, known)
        stored_id = verdict.paper.id or PaperId(len(self.papers) + 1000)
        for gone in verdict.absorbed:
            del self.papers[gone]
        self.papers[stored_id] = replace(verdict.paper, id=stored_id)


def test_unknown_work_is_new() -> None:
    """What shares no key with anything is new."""
    verdict = sort_out(paper(), [])
    assert verdict.paper.id == UNSTORED
    assert verdict.changed


def test_second_sighting_adds_what_it_knows() -> None:
    """The same work in another feed brings its DOI and link, and keeps the id."""
    stored = paper(7, guid="oai:arXiv.org:2501.00001v1")
    verdict = sort_out(
        paper(identifiers=("10.48550/arXiv.2501.00001", "10.1000/x"), links=("https://journal.example/x",)),
        [stored],
    )
    assert verdict.paper.id == 7
    assert [str(i) for i in verdict.paper.identifiers] == ["arxiv:2501.00001", "doi:10.1000/x"]
    assert (verdict.revised, verdict.changed) == (False, True)


def test_same_again_changes_nothing() -> None:
    """A feed that is read twice changes nothing the second time."""
    stored = paper(7, links=("https://a.example/1",))
    assert sort_out(paper(links=("https://a.example/1",)), [stored]).changed is False


def test_later_version_revises_the_text() -> None:
    """arXiv v2 replaces the text of v1, and v1 seen again does not bring the old text back."""
    first, second = (
        paper(7, guid="arXiv:2501.00001v1"),
        paper(title="Melting films", guid="arXiv:2501.00001v2"),
    )
    revised = sort_out(second, [first])
    assert (revised.paper.title, revised.revised) == ("Melting films", True)
    assert sort_out(replace(first, id=UNSTORED), [revised.paper]).paper.title == "Melting films"


def test_cut_abstract_is_completed() -> None:
    """A feed that cuts its abstracts does not hide the whole one."""
    stored = paper(7, abstract="We study how lattices of thin films melt…", links=("https://a.example/1",))
    assert sort_out(paper(links=("https://a.example/1",)), [stored]).paper.abstract == ABSTRACT


def test_sighting_that_joins_two_makes_them_one() -> None:
    """A record with both identifiers shows that two stored papers are one; the older one stays."""
    preprint = paper(3, guid="arXiv:2501.00001v1", abstract="One.")
    journal = paper(9, identifiers=("10.1000/x",), abstract="Two.")
    verdict = sort_out(paper(identifiers=("arXiv:2501.00001", "10.1000/x")), [journal, preprint])
    assert (verdict.paper.id, verdict.absorbed) == (3, (9,))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"guid": "arXiv:2501.00001"}, {"guid": "arXiv:2501.00002", "abstract": "Another."}),
        (
            {"title": "Editorial", "abstract": "", "identifiers": ("10.1000/a",)},
            {"title": "Editorial", "abstract": "", "identifiers": ("10.1000/b",)},
        ),
        (
            {
                "title": "Melting lattices, Part I",
                "links": ("https://a.example/home",),
                "abstract": "First part.",
            },
            {
                "title": "On something else entirely",
                "links": ("https://a.example/home",),
                "abstract": "Other.",
            },
        ),
        ({"title": "Melting lattices, Part I"}, {"title": "Melting lattices, Part II"}),
    ],
)
def test_different_works_stay_apart(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Two identifiers of a kind, two titles behind one link, two parts: two works."""
    shelf = Shelf()
    shelf.see(paper(**one))
    shelf.see(paper(**other))
    assert len(shelf.papers) == 2


def test_order_of_sightings_does_not_matter() -> None:
    """arXiv, the DOI, the OpenReview note and a record that names all become one, however they come."""
    sightings = (
        paper(guid="arXiv:2501.00001v1", abstract="A."),
        paper(identifiers=("10.1000/x",), abstract="B."),
        paper(links=("https://openreview.net/forum?id=abcdefgh",), abstract="C."),
        paper(identifiers=("arXiv:2501.00001", "10.1000/x", "openreview:abcdefgh"), abstract="D."),
    )
    for order in permutations(sightings):
        shelf = Shelf()
        for sighting in order:
            shelf.see(sighting)
        assert len(shelf.papers) == 1
