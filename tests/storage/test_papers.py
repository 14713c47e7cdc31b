"""The contract of the papers' repository, and what intake makes of sightings."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from digests.errors import UnknownError
from digests.paper import Announce, Paper, PaperId, keys
from digests.query import parse, prefilter
from storage.store import DatabaseStore
from tests.storage.examples import DAY, ML, NOW, a_channel, a_feed, a_paper, an_edition, with_papers

LATER = NOW + timedelta(hours=1)
NOBODY = PaperId(999)


def found(store: DatabaseStore, query: str) -> list[PaperId]:
    """The ids that a search gives."""
    return [paper.id for paper in store.papers.search(prefilter(parse(query)))]


def test_a_paper_comes_back_as_it_was(store: DatabaseStore) -> None:
    """Every field of a paper is stored."""
    paper = a_paper(
        1,
        title="扩散 𝛼 “models”",
        links=("https://example.org/a?b=c", "https://example.org/pdf"),
        identifiers=("arXiv:2511.00001v3", "10.1101/001891"),
        venue="ICLR",
        guid="g1",
        announce=Announce.CROSS,
    )
    (stored,) = with_papers(store, paper)
    assert store.papers.get(stored) == replace(paper, id=stored, first_seen=NOW, feeds=("arxiv-cs",))


def test_unknown_papers_are_refused_or_left_out(store: DatabaseStore) -> None:
    """`get` raises, `get_many` leaves out."""
    with pytest.raises(UnknownError, match="999"):
        store.papers.get(NOBODY)
    assert store.papers.get_many([NOBODY]) == {}


def test_papers_are_known_by_each_of_their_keys(store: DatabaseStore) -> None:
    """Identifiers, links and the text lead to the paper."""
    paper = a_paper(1, links=("https://example.org/a",))
    (stored,) = with_papers(store, paper)
    assert store.papers.by_keys([*keys(paper), "doi:10.1/none"]) == dict.fromkeys(keys(paper), stored)


def test_a_revision_changes_the_text_and_what_finds_it(store: DatabaseStore) -> None:
    """A later version replaces the text in the paper, in the search and drops its summaries."""
    (paper,) = with_papers(store, a_paper(1))
    store.papers.keep_summaries({paper: ("It works.",)}, "lead")
    second = a_paper(1, title="A study of unicorns", identifiers=("arXiv:2511.00001v2",))
    intake = store.feeds.take_in(a_feed(), [second], LATER)
    assert (intake.new, intake.revised, intake.same) == ((), (paper,), 0)
    assert (store.papers.get(paper).title, store.papers.get(paper).first_seen) == ("A study of unicorns", NOW)
    assert (found(store, "unicorn"), found(store, "diffusion")) == ([paper], [])
    assert store.papers.summaries([paper], "lead") == {}


def test_a_new_paper_revised_in_the_same_document_is_new(store: DatabaseStore) -> None:
    """Doubles within a document are one paper, and the later version counts."""
    second = a_paper(1, title="A study of unicorns", identifiers=("arXiv:2511.00001v2",))
    intake = store.feeds.add(a_feed(), [a_paper(1), second], NOW)
    assert (len(intake.new), intake.revised, intake.same) == (1, (), 1)
    assert found(store, "unicorn") == list(intake.new)


def two_halves_of_one() -> tuple[Paper, Paper, Paper]:
    """A preprint, a journal's record with other words, and the sighting that ties them together."""
    preprint = a_paper(1)
    journal = a_paper(1, title="Study 1 of diffusion, printed", abstract="", identifiers=("10.1101/001891",))
    return preprint, journal, a_paper(1, identifiers=("arXiv:2511.00001v1", "10.1101/001891"))


def test_two_papers_that_prove_one_become_one(store: DatabaseStore) -> None:
    """The older absorbs the younger with all its sightings and keys; the old id leads to the heir."""
    preprint, journal, both = two_halves_of_one()
    (old,) = with_papers(store, preprint)
    (young,) = with_papers(store, journal, feed="journal")
    store.feeds.add(a_feed("both"), [both], LATER)
    assert store.papers.count() == 1
    assert store.papers.get(young) == store.papers.get(old)
    assert store.papers.get(old).feeds == ("arxiv-cs", "journal", "both")
    assert set(store.papers.by_keys([*keys(journal), *keys(preprint)]).values()) == {old}
    assert found(store, "printed") == []


def test_an_absorbed_paper_stays_shown(store: DatabaseStore) -> None:
    """What a channel was shown under either id is not shown again under the heir's."""
    preprint, journal, both = two_halves_of_one()
    (old,) = with_papers(store, preprint)
    (young,) = with_papers(store, journal, feed="journal")
    store.channels.add(a_channel())
    store.outbox.put(an_edition(young), ())
    store.feeds.add(a_feed("both"), [both], LATER)
    assert store.outbox.shown(ML) == {old: DAY}


def test_an_edition_made_before_a_paper_was_absorbed_marks_the_heir(store: DatabaseStore) -> None:
    """An edition may be composed while its paper's identity changes."""
    preprint, journal, both = two_halves_of_one()
    (old,) = with_papers(store, preprint)
    (young,) = with_papers(store, journal, feed="journal")
    store.channels.add(a_channel())
    store.feeds.add(a_feed("both"), [both], LATER)
    assert store.outbox.put(an_edition(young), ())
    assert store.outbox.shown(ML) == {old: DAY}


def test_papers_of_one_document_are_absorbed_too(store: DatabaseStore) -> None:
    """The three sightings in one document make one new paper."""
    intake = store.feeds.add(a_feed(), two_halves_of_one(), NOW)
    assert (len(intake.new), store.papers.count()) == (1, 1)
    assert store.papers.get(intake.new[0]).feeds == ("arxiv-cs",)


def test_ids_are_never_given_again(store: DatabaseStore) -> None:
    """The id of an absorbed paper stays its own: old messages name papers by id."""
    store.feeds.add(a_feed(), two_halves_of_one(), NOW)
    (new,) = with_papers(store, a_paper(7), feed="other")
    assert new == 3


def test_candidates_are_the_recent_and_those_of_lists(store: DatabaseStore) -> None:
    """Recent by when they were first seen; a list's papers stay candidates; each comes once, oldest first."""
    (old,) = with_papers(store, a_paper(1))
    (listed, both) = store.feeds.add(a_feed("iclr", is_list=True), [a_paper(2), a_paper(3)], NOW).new
    (new,) = store.feeds.take_in(store.feeds.get("arxiv-cs"), [a_paper(3), a_paper(4)], LATER).new
    assert [paper.id for paper in store.papers.candidates(LATER)] == [listed, both, new]
    assert [paper.id for paper in store.papers.candidates(NOW)] == [old, listed, both, new]


def test_many_papers_come_in_pages_each_once(store: DatabaseStore) -> None:
    """Reading goes over page borders without a gap, while others write."""
    ids = store.feeds.add(a_feed(), map(a_paper, range(1, 1_203)), NOW).new
    reading = store.papers.candidates(NOW)
    first = next(reading)
    store.feeds.take_in(a_feed(), [a_paper(9_000)], LATER)
    assert [first.id, *(paper.id for paper in reading)] == list(ids)


def test_a_paper_names_the_feeds_that_showed_it(store: DatabaseStore) -> None:
    """Each paper has its own feeds, the first to show it first."""
    one, two = with_papers(store, a_paper(1), a_paper(2))
    with_papers(store, a_paper(2), feed="other")
    assert store.papers.get(one).feeds == ("arxiv-cs",)
    assert store.papers.get(two).feeds == ("arxiv-cs", "other")


@pytest.mark.parametrize(
    "query",
    [
        "restore",
        "restoration",
        "diffus*",
        '"7 of diffusion"',
        "title:diffusion",
        "author:borel",
        "-unicorn x OR 7",
    ],
)
def test_search_finds_papers_by_their_words(store: DatabaseStore, query: str) -> None:
    """Inflected forms, prefixes, fields and folded accents find the paper."""
    papers = with_papers(store, a_paper(7), a_paper(8, title="Other", abstract="Nothing.", authors=("X Y",)))
    assert papers[0] in found(store, query)


def test_search_gives_the_newest_first_and_all_without_an_expression(store: DatabaseStore) -> None:
    """The last that came in stands first."""
    papers = with_papers(store, a_paper(1), a_paper(2), a_paper(3))
    assert found(store, "diffusion") == list(reversed(papers))
    assert [paper.id for paper in store.papers.search(None)] == list(reversed(papers))


def test_summaries_are_kept_by_method_and_replaced(store: DatabaseStore) -> None:
    """A summary belongs to a paper and a method; one of a paper that is gone is dropped."""
    (paper,) = with_papers(store, a_paper(1))
    store.papers.keep_summaries({paper: ("It works.",), NOBODY: ("?",)}, "lead")
    store.papers.keep_summaries({paper: ("We study.", "It works.")}, "lead")
    assert store.papers.summaries([paper, NOBODY], "lead") == {paper: ("We study.", "It works.")}
    assert store.papers.summaries([paper], "other") == {}
