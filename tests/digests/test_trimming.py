"""What trimming promises: something is left out, nothing is changed, and what is left is a sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digests.trimming import trim, variants
from tests.digests.test_summary import WORDS


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("In this paper, we count ducks.", "We count ducks."),
        ("To address these challenges, we count ducks.", "We count ducks."),
        ("We count ducks (Drake et al., 2020) [3, 4].", "We count ducks."),
        ("We count birds (e.g., ducks) at dawn.", "We count birds at dawn."),
        ("We count ducks (Anas) at dawn.", "We count ducks (Anas) at dawn."),
        ("We count ducks (there are more of them than one thinks) at dawn.", "We count ducks at dawn."),
        ("In this paper, ducks are counted.", "In this paper, ducks are counted."),
        ("(No duck was harmed in any of our studies.) We count ducks.", "We count ducks."),
        ("(No duck was harmed in any of our studies.)", "(No duck was harmed in any of our studies.)"),
    ],
)
def test_trimming_only_deletes_openers_and_citations(sentence: str, expected: str) -> None:
    """What tells nothing goes; names in brackets and everything else stay."""
    assert trim(sentence) == expected


@given(st.lists(WORDS, max_size=60).map(" ".join))
def test_variants_only_delete(sentence: str) -> None:
    """What a variant says stands in the sentence in this order, but for a capital and the full stop."""
    for variant in variants(sentence):
        left = iter(sentence.lower())
        assert all(character in left for character in variant.lower().rstrip(". "))


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("To keep the harbour calm at night, we count ducks.", "We count ducks."),
        ("However, ducks (e.g., teals) swim.", "Ducks swim."),
        ("To keep frost, hail and wind away from here, we count ducks.", "We count ducks."),
        (
            "We count the ducks of forty-one lakes with a drone, leading to a map of all that sleep.",
            "We count the ducks of forty-one lakes with a drone.",
        ),
        (
            "We count the ducks of forty-one lakes with a drone, which nobody has done so far.",
            "We count the ducks of forty-one lakes with a drone.",
        ),
        (
            "We count the ducks of forty-one lakes with a drone and show that most of them sleep.",
            "We count the ducks of forty-one lakes with a drone.",
        ),
    ],
)
def test_variants_leave_out_openers_and_tails(sentence: str, expected: str) -> None:
    """The model chooses among what is left when an opener or a tail goes."""
    assert expected in variants(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "If the lake is frozen, we count ducks.",
        "To keep frost, hail and wind away from here, ducks are counted.",
        "We show that the ducks of forty-one lakes, which nobody has counted, swim in circles at night.",
    ],
)
def test_variants_keep_conditions_and_what_a_clause_interrupts(sentence: str) -> None:
    """A condition is no opener, and no tail is cut in the middle of a statement."""
    assert variants(sentence) == (sentence,)
