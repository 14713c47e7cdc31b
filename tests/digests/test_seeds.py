"""Tests of the real list: nineteen abstracts without titles, against the table that a person made by hand."""

from pathlib import Path

import pytest

from digests.feed import Fetched
from digests.heading import heading
from digests.matching import Index
from digests.paper import Paper
from digests.query import parse
from digests.reading import read
from digests.sentences import sentences
from digests.summary import choose, summarise
from digests.trimming import trim
from tests.digests.seeds import SEEDS, Seed
from tests.digests.test_summary import stands_in

NUMBERED = [
    pytest.param(number, seed, id=seed.heading or f"#{number + 1}") for number, seed in enumerate(SEEDS)
]


@pytest.fixture(scope="module")
def papers(shared: Path) -> tuple[Paper, ...]:
    """The papers of the list."""
    (file,) = (shared / "data/feeds/plain-text").glob("000_*.txt")
    reading = read(Fetched(file.as_uri(), file.read_bytes()))
    assert reading.title == "ICLR 2026 论文列表"
    return reading.papers


def test_all_come_in_clean(papers: tuple[Paper, ...]) -> None:
    """Nineteen papers, and no mark-up is left in any."""
    assert len(papers) == len(SEEDS)
    assert [paper for paper in papers if set("\\$*_{}~") & set(paper.abstract)] == []


@pytest.mark.parametrize(("number", "seed"), NUMBERED)
def test_heading(papers: tuple[Paper, ...], number: int, seed: Seed) -> None:
    """The heading is the name that the abstract introduces, or the leading words of its summary."""
    found = heading(papers[number].abstract)
    if seed.heading:
        assert found == seed.heading
    else:
        (summary,) = choose(sentences(papers[number].abstract), whole=True)
        words = found.removesuffix("…").casefold()
        assert words in trim(summary).casefold()
        assert 20 <= len(found) <= 80


@pytest.mark.parametrize(("number", "seed"), NUMBERED)
def test_summary(papers: tuple[Paper, ...], number: int, seed: Seed) -> None:
    """The summary is the one sentence that a reader would choose, less what tells nothing."""
    abstract = papers[number].abstract
    (sentence,) = choose(sentences(abstract), whole=True)
    assert sentence.startswith(seed.summary)
    assert sentence in abstract
    assert stands_in(summarise(abstract)[0], sentence)


@pytest.mark.parametrize(("number", "seed"), NUMBERED)
def test_queries(papers: tuple[Paper, ...], number: int, seed: Seed) -> None:
    """What a researcher would type finds the paper; what is about something else does not."""
    index = Index([papers[number]])
    assert [query for query in seed.hits if not index.match(parse(query))] == []
    assert [query for query in seed.misses if index.match(parse(query))] == []
