"""Tests of terms: words as queries compare them."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from digests import terms


def forms(text: str) -> list[str]:
    """The folded words of a text."""
    return [form for form, _ in terms.words(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Chain-of-Thought", "chain of thought"),
        ("chain—of–thought/prompting", "chain of thought prompting"),
        ("RAG-based", "rag based"),
        ("C++ and C#, not C", "c++ and c# not c"),
        ("PointNet++ (2017)", "pointnet 2017"),
        ("GPT-4 Qwen2.5 3D", "gpt 4 qwen2 5 3d"),
        ("Kähler naïve Ångström Łukasz Øresund", "kahler naive angstrom lukasz oresund"),
        ("ﬁne-tuning ﬂow", "fine tuning flow"),
        ("𝐃𝐢𝐟𝐟 ℝ² ＡＢＣ CO₂", "diff r2 abc co2"),
        ("Straße", "strasse"),
        ("the model's models' O’Brien don't", "the model models obrien dont"),
        ("l'apprentissage d’une", "l apprentissage d une"),
        ("zero\u200bwidth soft\u00adhyphen", "zerowidth softhyphen"),
        ("Kafé Kafe\u0301", "kafe kafe"),
        ("snake_case", "snake case"),
        ("强化学习3D", "强 化 学 习 3d"),
        ("ﾊﾟﾀｰﾝ", "パ タ ー ン"),
        ("모델을", "모 델 을"),
        ("हिन्दी भाषा", "हिन्दी भाषा"),
        ("Ёлка Йод", "елка иод"),
        ("", ""),
        ("— … !?", ""),
    ],
)
def test_words(text: str, expected: str) -> None:
    """Case, accents, ligatures and font variants go; hyphens part words; CJK comes by characters."""
    assert forms(text) == expected.split()


@pytest.mark.parametrize(
    "alike",
    [
        "restore restoring restored restoration",
        "model models modelling modeling modelled",
        "LLM LLMs",
        "CNN's CNNs",
        "quantize quantized quantization quantisation",
        "analysis analyses analyze analyse analysing",
        "behaviour behaviors behavioural",
        "matrix matrices",
        "hypothesis hypotheses",
        "optimisation optimization optimizer",
        "Netzwerk Netzwerke Netzwerken",
        "Forschung Forschungen",
        "Qualität Qualitäten",
        "réseau réseaux",
        "signal signaux",
        "нейросеть нейросети нейросетей нейросетями",
    ],
)
def test_inflected_forms_share_a_stem(alike: str) -> None:
    """Plural, inflected, British and American forms are one word; Russian and some German and French too."""
    assert len({stem for _, stem in terms.words(alike)}) == 1


@pytest.mark.parametrize(
    "pair", ["gan organ", "gp gps", "c c++", "modal model", "graph graphene", "survey surface", "token tok"]
)
def test_different_words_stay_apart(pair: str) -> None:
    """Stemming does not throw these together."""
    assert len({stem for _, stem in terms.words(pair)}) == 2


@given(st.text())
@example("ʼ ʼa bʼcʼ")
@example("x\u0345ﾞ'sß l'Hôpital C++ 强ﾟ")
def test_tokens_lie_in_the_text(text: str) -> None:
    """Tokens are the words, not empty, at ascending places that do not touch each other's characters."""
    found = terms.tokens(text)
    assert [(token.form, token.stem) for token in found] == terms.words(text)
    ends = [0, *(token.end for token in found)]
    for end, token in zip(ends, found, strict=False):
        assert end <= token.start < token.end <= len(text)
        assert token.form
        assert token.stem
        assert terms.words(text[token.start : token.end])[0][0] == token.form


@given(st.text(alphabet=st.characters(codec="ascii")))
def test_the_quick_way_and_the_pattern_agree(text: str) -> None:
    """Texts that need no pattern give the same words as with it."""
    assert [form for form, _ in terms.words(text)] == [token.form for token in terms.tokens(text)]
    assert len(terms.words(text)) == len(terms.places(text))


@given(st.text())
def test_folding_twice_changes_nothing(word: str) -> None:
    """A folded word is folded."""
    assert terms.fold(terms.fold(word)) == terms.fold(word)


@given(st.text(min_size=1), st.text())
def test_a_spelled_prefix_stays_a_prefix(start: str, rest: str) -> None:
    """Spelling for a full-text table goes letter by letter, in letters that it keeps together."""
    assert terms.spell(start + rest).startswith(terms.spell(start))


def test_the_full_text_row_has_each_stem_and_the_forms_that_it_does_not_tell() -> None:
    """A form is left out where it is its stem and an ordinary ending."""
    assert terms.index_text("Restoring the images; restoration: C++, Uses") == (
        "restor the imag restor restoration cq00002bq00002b use uses"
    )


@given(st.text(alphabet="aAbces'’+#_-. éİΣ学\u0301") | st.text())
def test_the_full_text_row_knows_the_words_of_the_text(text: str) -> None:
    """Every stem is in the row, and by every beginning of a form there is one of its `beginnings`."""
    held = terms.index_text(text).split()
    for form, stem in terms.words(text):
        assert terms.spell(stem) in held or not stem
        for end in range(1, len(form) + 1):
            *stems, start = map(terms.spell, terms.beginnings(form[:end]))
            assert not {*stems}.isdisjoint(held) or any(word.startswith(start) for word in held)
