"""Tests of what a digest quotes: which sentence under which query, and the part of it that is shown."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digests.digest import Span
from digests.evidence import marks
from digests.paper import Paper
from digests.query import parse
from digests.quote import LONGEST_SNIPPET, NEAR, Quote, quote
from digests.sentences import sentences
from digests.summary import rate, summarise

OWN = "We propose Ellwander, a decoder that attaches a dimension to every quantity it writes."
GAIN = "It lifts the share of correct solutions from 58% to 70%."
COST = "Our cost is a slowdown of 14% on long proofs."
ASKED = "Why do proofs by parity fail?"
ABSTRACT = " ".join((ASKED, "Language models lose marks.", OWN, GAIN, COST))


def quoted(query: str, abstract: str = ABSTRACT, title: str = "", near: float = NEAR) -> Quote:
    """What is quoted of a paper for a query."""
    return quote(parse(query), Paper(title, abstract), summarise(abstract, title), near)


def words(text: str, spans: Iterable[Span]) -> list[str]:
    return [text[start:end] for start, end in spans]


def test_summary_with_a_matched_word_stays() -> None:
    """Where the model's sentence shows the match there is nothing to add."""
    found = quoted("decoder OR slowdown")
    assert (found.summary, found.snippet) == (OWN, "")
    assert words(found.summary, found.marks) == ["decoder"]


def test_summary_without_one_gets_the_sentence_that_has_it() -> None:
    """A sentence that is far from the best does not displace it, and follows it with its words marked."""
    found = quoted("slowdown AND proofs")
    assert (found.summary, found.marks, found.snippet) == (OWN, (), COST)
    assert words(found.snippet, found.snippet_marks) == ["slowdown", "proofs"]


def test_sentence_that_is_nearly_as_good_becomes_the_summary() -> None:
    """The margin decides: within it the matched sentence is the summary, outside it the snippet."""
    texts = sentences(ABSTRACT)
    scores = dict(zip(texts, rate(texts), strict=True))
    gap = scores[OWN] - scores[COST]
    within, outside = quoted("slowdown", near=gap + 0.01), quoted("slowdown", near=gap - 0.01)
    assert (within.summary, words(within.summary, within.marks), within.snippet) == (COST, ["slowdown"], "")
    assert (outside.summary, outside.snippet) == (OWN, COST)


def test_background_never_takes_the_place_of_the_papers_own_words() -> None:
    """However wide the margin, what others do or how things are is at most the snippet."""
    found = quoted("marks", near=100)
    assert (found.summary, found.snippet) == (OWN, "Language models lose marks.")


def test_a_sentence_that_becomes_the_summary_is_trimmed_too() -> None:
    """Its opener goes as any summary's does, unless the match stands there."""
    abstract = f"{OWN} In this paper, we even lift the share of correct solutions by half."
    assert (
        quoted("lift", abstract, near=100).summary == "We even lift the share of correct solutions by half."
    )
    assert quoted("paper", abstract, near=100).summary.startswith("In this paper, we even lift")


def test_what_is_told_besides_never_takes_the_place_of_the_summary() -> None:
    """A second result that has the word is the snippet."""
    also = "We further study the slowdown of the proofs of others."
    assert quoted("slowdown", f"{OWN} {also}", near=100) == Quote(
        OWN, (), also, marks(parse("slowdown"), also)
    )


def test_a_cut_does_not_turn_a_sentence_into_its_contrary() -> None:
    """It begins with the sentence, or else with a clause."""
    long = (
        "Unlike earlier decoders that write each of the many quantities without any dimension at all and so"
    )
    text = (
        f"{long} produce quite unconstrained and nearly meaningless numbers, ours is slow to write a target."
    )
    assert quoted("target", f"{OWN} {text}").snippet == "…ours is slow to write a target."
    assert quoted("quantities", f"{OWN.replace('quantity', 'x')} {text}").snippet.startswith("Unlike earlier")


def test_question_never_becomes_the_summary() -> None:
    """However wide the margin, a question is at most the snippet, and only where no statement has a match."""
    found = quoted("parity", near=100)
    assert (found.summary, found.snippet) == (OWN, ASKED)
    assert quoted("proofs").snippet == COST


@pytest.mark.parametrize("query", ["title:mangrove", "mangrove", "author:Weiss", "venue:ICLR", "like:2501.1"])
def test_match_outside_the_abstract_adds_nothing(query: str) -> None:
    """What stands in the title, an author, a venue alone has no sentence to show."""
    assert quoted(query, title="Mangrove") == Quote(summarise(ABSTRACT, "Mangrove")[0])


def test_excluded_word_shows_no_match() -> None:
    """A paper is not there because of a word that the query shuts out."""
    assert quoted("title:mangrove -slowdown", title="Mangrove").snippet == ""


@pytest.mark.parametrize("abstract", ["", "Abstract not available", "x" * 3_000, "$a$ $b$", "One? Two?"])
def test_poor_abstract_is_quoted_as_far_as_it_goes(abstract: str) -> None:
    """No abstract, none to speak of and one endless word give the model's summary and no error."""
    assert quoted("anything", abstract) == Quote(" ".join(summarise(abstract)))


@pytest.mark.parametrize(
    ("before", "after"),
    [(0, 60), (5, 60), (30, 30), (60, 5), (60, 0)],
)
def test_long_sentence_is_cut_around_its_match(before: int, after: int) -> None:
    """The part is as long as may be and made of whole words; an ellipsis stands for what is left out."""
    sentence = f"Here are words{' early' * before} target{' later' * after}."
    found = quoted("target", f"{OWN} {sentence}")
    part = found.snippet.strip("…")
    assert part in sentence
    assert set(part.split()) <= set(sentence.split())
    assert found.snippet.startswith("…") is not sentence.startswith(part)
    assert LONGEST_SNIPPET - 12 <= len(found.snippet) <= LONGEST_SNIPPET
    assert words(found.snippet, found.snippet_marks) == ["target"]


def test_chinese_sentence_is_cut_around_its_match() -> None:
    """Without spaces a sentence is cut at its words, and still shows the match."""
    found = quoted("推理效率", f"我们提出了一个新的模型。{'数据' * 150}推理效率{'结果' * 150}。")
    assert "推理效率" in words(found.snippet, found.snippet_marks)
    assert len(found.snippet) <= LONGEST_SNIPPET


PIECES = ("target", "a", "Word.", "(x)", "é\u0301", "汉字", "👩\u200d🔬", "−3.2", "w" * 170, "?")


@given(st.lists(st.sampled_from(PIECES), max_size=30), st.text(max_size=20))
def test_whatever_is_quoted_stands_in_the_abstract(pieces: list[str], text: str) -> None:
    """Summary and snippet are verbatim, the snippet is short, and one of them shows the match if any can."""
    abstract = f"{OWN} {' '.join(pieces)}{text}"
    found = quoted("target", abstract)
    assert found.summary in abstract
    assert found.snippet.removeprefix("…").removesuffix("…") in abstract
    assert len(found.snippet) <= LONGEST_SNIPPET
    assert bool(found.marks or found.snippet_marks) is bool(marks(parse("target"), abstract))
    assert not (found.marks and found.snippet)
