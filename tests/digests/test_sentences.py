"""Tests of sentences and words: every trap of scientific prose, verbatim pieces, nothing lost."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digests import sentences as splitting
from digests.sentences import roots, sentences, words
from digests.text import plain
from tests.digests.sentences_gold import SEEDS, Trap, traps

PROSE = st.text(
    st.sampled_from(' .?!…。()[]{}"“”„«»*;1aA字é\n\u0301') | st.characters(), max_size=80
) | st.lists(
    st.sampled_from(
        ["We ", "e.g. ", "et al. ", "Fig. ", "3 ", "J. ", '"', "(", ") ", "x. ", "The ", "? ", "…"]
    ),
    max_size=25,
).map("".join)


@pytest.mark.parametrize("trap", traps(), ids=lambda trap: trap.sentences[0][:40])
def test_a_trap_is_split_as_a_reader_splits_it(trap: Trap) -> None:
    """Abbreviations, initials, decimals, quotes, labels, lists, citations and other languages."""
    assert sentences(trap.text) == trap.sentences


def test_the_traps_are_many() -> None:
    """The file of traps was read whole: hundreds of sentences, in English and in other languages."""
    of = {
        is_english: [trap for trap in traps() if trap.is_english is is_english]
        for is_english in (True, False)
    }

    assert sum(len(trap.sentences) for trap in of[True]) > 500
    assert sum(len(trap.sentences) for trap in of[False]) > 100


def test_the_abstracts_of_the_real_list_are_split_as_a_reader_splits_them(shared: Path) -> None:
    """All 19 of them: the number of sentences, and where each begins."""
    document = shared / "data/feeds/plain-text/000_c39bef2cca73db67.txt"
    abstracts = document.read_text(encoding="utf-8").split("\n\n")[1:]

    found = tuple(
        tuple(" ".join(sentence.split()[:3]) for sentence in sentences(plain(abstract)))
        for abstract in abstracts
    )

    assert found == SEEDS


@given(PROSE)
def test_sentences_are_verbatim_pieces_that_hold_everything_but_spaces(text: str) -> None:
    """Nothing is lost, nothing is changed, nothing is empty, and the order is the text's."""
    found = sentences(text)

    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(sentence and sentence == sentence.strip() for sentence in found)
    at = 0
    for sentence in found:
        at = text.index(sentence, at) + len(sentence)


def test_real_abstracts_lose_nothing(shared: Path) -> None:
    """Every tenth of 20,000 abstracts, cleaned and split, has all its characters."""
    with gzip.open(shared / "data/abstracts-20k.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts = [plain(json.loads(line)["abstract"] or "") for n, line in enumerate(lines) if n % 10 == 0]

    for text in texts:
        assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@pytest.mark.parametrize(
    "unit",
    [". ", "(", '"', ". (", "a. ", "A. ", ".]", "。", "e.g. ", " ", "“”", ". x", '"a. ', "." * 90_000 + "a"],
)
def test_a_long_hostile_text_is_split_whole(unit: str) -> None:
    """A quarter of a megabyte of one sign neither raises nor loses a character."""
    text = unit * (250_000 // len(unit))

    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


def test_roots_are_the_beginnings_of_small_words() -> None:
    """Whatever stands around them; what is remembered of them stays within its bound."""
    splitting._ROOTS.clear()
    assert roots("Proposed (proposing), GPT-4!") == ["propos", "propos", "gpt-4"]
    assert roots(" ".join(f"word{n}" for n in range(splitting._MAX_KNOWN + 2)))[-1] == "word40"
    assert len(splitting._ROOTS) <= splitting._MAX_KNOWN
    assert roots("x" * 1_000) == ["xxxxxx"]
    assert "x" * 1_000 not in splitting._ROOTS


def test_an_empty_text_has_no_sentence_and_no_word() -> None:
    """Spaces alone are no sentence."""
    assert sentences("") == sentences(" \n ") == words(" , ") == ()


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("GPT-4, 3D and Qwen2.5-VL.", ("GPT-4", "3D", "and", "Qwen2.5-VL")),
        ("Uni-CoT (COVID-19)", ("Uni-CoT", "COVID-19")),
        ("from 10⁰ to 10⁻¹²!", ("from", "10⁰", "to", "10⁻¹²")),
        ("6,341 of 22–25% at v1.5.", ("6,341", "of", "22", "25", "at", "v1.5")),
        ("1,2 and 3;4", ("1", "2", "and", "3", "4")),
        ("“don't” ‘quote’ Puffin’s", ("don't", "quote", "Puffin’s")),
        ("Easy/Normal/Hard", ("Easy", "Normal", "Hard")),
        ("C++, C# and R&D in Node.js", ("C++", "C#", "and", "R&D", "in", "Node.js")),
        ("the U.S. (e.g. Ohio)", ("the", "U.S", "e.g", "Ohio")),
        ("snake_case __x__", ("snake_case", "x")),
        ("Kähler, x\u0302\u0323y and हिन्दी", ("Kähler", "x\u0302\u0323y", "and", "हिन्दी")),
        ("泥炭ABC燃える", ("泥", "炭", "ABC", "燃", "え", "る")),
        ("이탄은 탄다.", ("이탄은", "탄다")),
        ("α = ±∞ … — *", ("α",)),
    ],
)
def test_words_are_what_a_reader_takes_for_words(sentence: str, expected: tuple[str, ...]) -> None:
    """Names with signs in them stay whole, punctuation is no word, Han and kana signs stand alone."""
    assert words(sentence) == expected


@given(PROSE, PROSE)
def test_words_do_not_reach_over_a_space(one: str, other: str) -> None:
    """The words of two texts with a space between are those of the one and those of the other."""
    assert words(f"{one} {other}") == words(one) + words(other)


@given(PROSE)
def test_words_are_verbatim_and_in_order(text: str) -> None:
    """Each word stands in the text after the one before, and holds a letter or a digit."""
    at = 0
    for word in words(text):
        at = text.index(word, at) + len(word)
        assert any(character.isalnum() for character in word)
