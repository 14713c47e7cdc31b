"""Tests of deduplication: a second sighting adds and never doubles; different works stay apart."""

from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from digests.dedupe import Known, Look, Verdict, look, sort_out
from digests.paper import UNSTORED, Entry, Paper, PaperId, from_entry, is_link, keys
from tests.digests.works import sightings, work, world

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
        self.seen: dict[PaperId, list[tuple[set[str], Look]]] = {}
        self.sightings: dict[PaperId, list[int]] = {}

    def see(self, incoming: Paper, sighting: int = 0) -> Verdict:
        names, shown = set(keys(incoming)), look(incoming)
        known = [each for paper in self.papers if (each := self._known(paper, names))]
        verdict = sort_out(incoming, shown, known)
        home = verdict.paper.id or PaperId(max(self.papers, default=1000) + 1)
        self.seen.setdefault(home, []).append((names, shown))
        self.sightings.setdefault(home, []).append(sighting)
        for gone in verdict.absorbed:
            del self.papers[gone]
            self.seen[home] += self.seen.pop(gone)
            self.sightings[home] += self.sightings.pop(gone)
        self.papers[home] = replace(verdict.paper, id=home)
        return verdict

    def _known(self, paper: PaperId, names: set[str]) -> Known | None:
        shared = [(mine & names, shown) for mine, shown in self.seen[paper] if mine & names]
        said = tuple(shown for keys, shown in shared if any(key[:5] in ("title", "text:") for key in keys))
        linked = tuple(shown for keys, shown in shared if any(map(is_link, keys)))
        return Known(self.papers[paper], said, linked) if shared else None

    @property
    def works(self) -> set[frozenset[int]]:
        """Which sightings are of one work."""
        return {frozenset(numbers) for numbers in self.sightings.values()}


def known(*stored: Paper) -> list[Known]:
    """Papers that were seen once and share every key."""
    return [Known(each, (look(each),), (look(each),)) for each in stored]


def sorted_out(incoming: Paper, *stored: Paper) -> Verdict:
    return sort_out(incoming, look(incoming), known(*stored))


def test_unknown_work_is_new() -> None:
    """What shares no key with anything is new."""
    verdict = sorted_out(paper())
    assert verdict.paper.id == UNSTORED
    assert verdict.changed


def test_second_sighting_adds_what_it_knows() -> None:
    """The same work in another feed brings its DOI and link, and keeps the id."""
    stored = paper(7, guid="oai:arXiv.org:2501.00001v1")
    verdict = sorted_out(
        paper(identifiers=("10.48550/arXiv.2501.00001", "10.1000/x"), links=("https://journal.example/x",)),
        stored,
    )
    assert verdict.paper.id == 7
    assert [str(i) for i in verdict.paper.identifiers] == ["arxiv:2501.00001", "doi:10.1000/x"]
    assert (verdict.revised, verdict.changed) == (False, True)


def test_same_again_changes_nothing() -> None:
    """A feed that is read twice changes nothing the second time."""
    stored = paper(7, links=("https://a.example/1",))
    assert sorted_out(paper(links=("https://a.example/1",)), stored).changed is False


def test_later_version_revises_the_text() -> None:
    """arXiv v2 replaces the text of v1, and v1 seen again does not bring the old text back."""
    first, second = (
        paper(7, guid="arXiv:2501.00001v1"),
        paper(title="Melting films", guid="arXiv:2501.00001v2"),
    )
    revised = sorted_out(second, first)
    assert (revised.paper.title, revised.revised) == ("Melting films", True)
    assert sorted_out(replace(first, id=UNSTORED), revised.paper).paper.title == "Melting films"


def test_cut_abstract_is_completed() -> None:
    """A feed that cuts its abstracts does not hide the whole one."""
    stored = paper(7, abstract="We study how lattices of thin films melt…", links=("https://a.example/1",))
    assert sorted_out(paper(links=("https://a.example/1",)), stored).paper.abstract == ABSTRACT


def test_sighting_that_joins_two_makes_them_one() -> None:
    """A record with both identifiers shows that two stored papers are one; the older one stays."""
    preprint = paper(3, guid="arXiv:2501.00001v1", abstract="One.")
    journal = paper(9, identifiers=("10.1000/x",), abstract="Two.")
    verdict = sorted_out(paper(identifiers=("arXiv:2501.00001", "10.1000/x")), journal, preprint)
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


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_identity_holds_in_whatever_order(data: st.DataObject) -> None:
    """Any sightings of any works, in two orders: the same works come out, and none holds two."""
    works = data.draw(st.lists(st.sampled_from(world(data.draw(st.integers(0, 5)))), min_size=1, max_size=2))
    seen = data.draw(st.lists(sightings(works), min_size=2, max_size=9))
    orders = [range(len(seen)), data.draw(st.permutations(range(len(seen))))]
    shelves = []
    for order in orders:
        shelf = Shelf()
        for at in order:
            shelf.see(seen[at][1], at)
        shelves.append(shelf)
    assert shelves[0].works == shelves[1].works
    for found in shelves[0].works:
        assert len({seen[at][0] for at in found}) == 1


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_nothing_seen_is_lost(data: st.DataObject) -> None:
    """Every identifier and link of every sighting is in the work that it went to."""
    shelf = Shelf()
    for at, (_, paper) in enumerate(data.draw(st.lists(sightings(world(1)), min_size=1, max_size=9))):
        verdict = shelf.see(paper, at)
        assert set(paper.identifiers) <= set(verdict.paper.identifiers)
        assert set(paper.links) <= set(verdict.paper.links)
        assert all(paper.id not in verdict.absorbed for paper in shelf.papers.values())


ONE = work(1)


def listed(**fields: Any) -> Paper:
    """A sighting of the first made-up work, as a source without identifiers shows it."""
    return from_entry(Entry(**{"title": ONE.title, "authors": ONE.authors, "published": "2020"} | fields))


@pytest.mark.parametrize(
    "other",
    [
        {},
        {"title": ONE.title.upper() + "."},
        {"authors": ("Lukasz, B.", "E. Second")},
        {"authors": ()},
        {"abstract": ONE.revised, "identifiers": ("10.1000/x",)},
        {"title": "", "abstract": ONE.abstracts[0]},
        {"title": "", "authors": (), "abstract": ONE.abstracts[0][:250] + " …"},
        {"published": "2021-05"},
    ],
)
def test_title_author_year_and_text_tell_a_work(other: dict[str, Any]) -> None:
    """A source without identifiers shows the same work as arXiv does."""
    preprint = replace(listed(abstract=ONE.abstracts[0], guid="arXiv:2501.00001v1"), id=PaperId(7))
    assert sorted_out(listed(**other), preprint).paper.id == 7


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({}, {"authors": ("Eve Second",)}),
        ({}, {"published": "2024"}),
        ({}, {"title": f"Erratum: {ONE.title}"}),
        ({}, {"title": f"Reply to {ONE.title}", "abstract": ONE.abstracts[0]}),
        ({"title": f"{ONE.title} I"}, {"title": f"{ONE.title} II"}),
        ({"title": f"{ONE.title} in 2 worlds"}, {"title": f"{ONE.title} in 2 worlds, Part 2"}),
        ({"title": f"{ONE.title}: Part A"}, {"title": f"{ONE.title}: Part B"}),
        ({"title": "Editorial"}, {"title": "Editorial", "links": ("https://a.example/2",)}),
        ({"abstract": ONE.abstracts[0]}, {"abstract": work(2).abstracts[0], "links": ("https://a.example/2",)}),
        ({"identifiers": ("10.1000/a",)}, {"identifiers": ("10.1000/b",)}),
        ({"title": "Gripper with stiffness", "abstract": ONE.abstracts[0], "guid": "arXiv:2501.00001"},
         {"title": "Gripper with gears", "abstract": ONE.abstracts[0][:-60], "guid": "arXiv:2501.00002",
          "authors": ("Another Person",)}),
    ],
)  # fmt: skip
def test_what_only_sounds_alike_stays_apart(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Other authors, far years, parts, errata, replies, editorials and two DOIs are other works."""
    first = replace(listed(**({"links": ("https://a.example/1",)} | one)), id=PaperId(7))
    verdict = sort_out(listed(**other), look(listed(**other)), [Known(first, (look(first),))])
    assert verdict.paper.id == UNSTORED


def test_the_same_text_outweighs_identifiers() -> None:
    """A preprint on two servers and a resubmission are one work: they say the same."""
    first = replace(listed(abstract=ONE.abstracts[0], identifiers=("10.21203/rs.3.rs-1/v1",)), id=PaperId(7))
    again = listed(abstract=ONE.abstracts[0], identifiers=("10.21203/rs.3.rs-2/v1",))
    assert sorted_out(again, first).paper.id == 7


def test_a_page_that_changes_its_text_is_the_same_paper_revised() -> None:
    """What is known by its link alone is recognised under another text, which replaces the old one."""
    page = {"title": "A page", "links": ("https://a.example/1",), "authors": ()}
    shelf = Shelf()
    shelf.see(listed(**page, abstract=ONE.abstracts[0]))
    verdict = shelf.see(listed(**page, abstract=ONE.revised))
    assert (verdict.revised, verdict.paper.abstract) == (True, ONE.revised)
    assert shelf.see(listed(**page, abstract=ONE.abstracts[0])).changed is False


def test_publication_is_told_once() -> None:
    """The first sighting that knows a preprint's journal says so, a second one and a new paper do not."""
    shelf = Shelf()
    printed = {"identifiers": ("arXiv:2501.00001", "10.1000/x"), "venue": "Annals of Films"}
    assert shelf.see(listed(guid="arXiv:2501.00001v1")).published is False
    verdict = shelf.see(listed(**printed))
    assert (verdict.published, verdict.paper.published_in) == (True, "Annals of Films")
    assert shelf.see(listed(**printed)).published is False
    assert Shelf().see(listed(**printed)).published is False


@pytest.mark.parametrize(
    ("one", "other"),
    [("Films, Part I", "Films, Part II"), ("Films 2019", "Films 2020"), ("Films", "Corrigendum: Films")],
)
def test_a_page_of_many_items_keeps_them_apart(one: str, other: str) -> None:
    """Items of one list page share its link and more than half of their titles' words."""
    shelf = Shelf()
    for title in (one, other):
        shelf.see(listed(title=title, links=("https://a.example/home",), abstract=ONE.abstracts[0]))
    assert len(shelf.papers) == 2
