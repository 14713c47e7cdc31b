"""Tests of the bundled sample: thirty clean invented papers that show what a digest can do."""

import re
from importlib.resources import files

import pytest

from digests.feed import Fetched
from digests.matching import Index
from digests.paper import Paper
from digests.query import parse
from digests.reading import Reading, read
from digests.sentences import sentences

SAMPLE = (files("bot") / "demo" / "sample.txt").read_bytes()


@pytest.fixture(scope="module")
def reading() -> Reading:
    """The sample, read as any other document would be."""
    return read(Fetched(url="sample.txt", body=SAMPLE))


def matches(query: str, reading: Reading) -> tuple[Paper, ...]:
    """The papers of the sample that a query finds, best first."""
    return tuple(match.paper for match in Index(reading.papers).match(parse(query)))


def test_all_thirty_come_in(reading: Reading) -> None:
    """The sample is a plain-text list of thirty papers, none refused, nothing to remark."""
    assert (reading.format, len(reading.papers)) == ("plain-text", 30)
    assert (reading.refused, reading.notes) == ((), ())


def test_the_sample_says_that_it_is_invented(reading: Reading) -> None:
    """Its first line is the list's name and says that nothing in it is real."""
    assert SAMPLE.decode().splitlines()[0] == reading.title
    assert "invented papers" in reading.title


def test_half_of_the_papers_have_titles(reading: Reading) -> None:
    """Fifteen have a title above the abstract; no abstract swallowed one."""
    titles = [paper.title for paper in reading.papers if paper.title]
    assert len(titles) == 15
    assert all(len(title) < 100 for title in titles)


@pytest.mark.parametrize(
    "markup",
    [
        r"\textbf{",
        r"\emph{",
        "**",
        "*virtual cell*",
        "$10^{",
        r"--25\%",
        r"$\times 4$",
        r"K\"{o}nigsberg",
        "``",
        "10~MHz",
    ],
)
def test_the_sample_is_written_as_authors_write(markup: str) -> None:
    """LaTeX and Markdown stand in the source, or the demo would not show how they come off."""
    assert markup in SAMPLE.decode()


def test_no_markup_is_left(reading: Reading) -> None:
    """Cleaned, no title and no abstract holds a sign of LaTeX or Markdown."""
    texts = [f"{paper.title} {paper.abstract}" for paper in reading.papers]
    assert [found[0] for text in texts for found in re.finditer(r".{0,20}[\\$*{}~^`_].{0,20}", text)] == []


@pytest.mark.parametrize(
    "shown",
    [
        *(
            "We introduce Halterbrook,",
            "22–25%",
            "below 10⁻²",
            "by ×4",
            "Königsberg",
            "virtual cell",
            "10 MHz",
        ),
        *("“what cannot change here?”", "300 °C", "6.1 × 10⁻⁴ S cm⁻¹", "O(m log n)", "澜窗方法", "Mühlheide"),
    ],
)
def test_markup_comes_out_as_readable_text(shown: str, reading: Reading) -> None:
    """What LaTeX and Markdown meant stands in the texts as plain characters."""
    assert any(shown in f"{paper.title} {paper.abstract}" for paper in reading.papers)


def test_each_abstract_is_long_enough_to_be_summarised(reading: Reading) -> None:
    """Each has four sentences or more, and as many words as abstracts have."""
    for paper in reading.papers:
        assert len(sentences(paper.abstract)) >= 4, paper.abstract[:60]
        if paper.abstract.isascii() or " " in paper.abstract[:40]:
            assert 120 <= len(paper.abstract.split()) <= 220, paper.abstract[:60]


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ('"language models" reasoning', 5),
        ("benchmark -medical", 5),
        ("climate OR ecolog* OR biodiversity", 5),
    ],
)
def test_the_demo_has_something_for_each_subscription(query: str, count: int, reading: Reading) -> None:
    """Each of the demo's subscriptions finds a few papers, not one and not all."""
    assert len(matches(query, reading)) == count


def test_a_paper_matches_two_subscriptions(reading: Reading) -> None:
    """Two papers belong in two sections, of which a digest shows one each."""
    benchmarks = {paper.abstract for paper in matches("benchmark -medical", reading)}
    others = ('"language models" reasoning', "climate OR ecolog* OR biodiversity")
    assert [sum(paper.abstract in benchmarks for paper in matches(query, reading)) for query in others] == [
        1,
        1,
    ]


def test_the_excluded_word_excludes(reading: Reading) -> None:
    """One benchmark is medical, and is what -medical leaves out."""
    kept = {paper.abstract for paper in matches("benchmark -medical", reading)}
    left_out = [paper for paper in matches("benchmark", reading) if paper.abstract not in kept]
    assert [paper.abstract.split(" a ")[0] for paper in left_out] == [
        "Segmentation models for medical images are mostly compared on scans from"
    ]


def test_one_pair_is_nearly_the_same_text(reading: Reading) -> None:
    """Two abstracts share most of their words, a text and its revision; no other two are near to that."""
    bags = [frozenset(paper.abstract.split()) for paper in reading.papers]
    pairs = [(one & other, one | other) for i, one in enumerate(bags) for other in bags[:i]]
    assert sum(len(shared) > 0.85 * len(all_words) for shared, all_words in pairs) == 1
    assert sum(len(shared) > 0.4 * len(all_words) for shared, all_words in pairs) == 1
