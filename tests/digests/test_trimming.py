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
        ("We counted ducks;", "We counted ducks"),
        ("(All of the ducks are well and at home.) We count ducks.", "We count ducks."),
        ("(All of the ducks are well and at home.)", "(All of the ducks are well and at home.)"),
        ("For this reason, we count ducks.", "We count ducks."),
        ("We count the ducks of others [1], [2].", "We count the ducks of others."),
        ("We count ducks (Drake et al., 2020) and teals (Teal et al., 2019).", "We count ducks and teals."),
        ("CONCLUSION: Ducks sleep.", "Ducks sleep."),
        ("Conclusions and relevance: in spring, ducks sleep.", "In spring, ducks sleep."),
        ("Results. We saw ducks (p<0.05).", "We saw ducks (p<0.05)."),
        ("Results: p<0.05 for ducks.", "p<0.05 for ducks."),
        ("Results show ducks.", "Results show ducks."),
        ("Objective: To count ducks.", "Objective: To count ducks."),
        ("We then count ducks.", "We count ducks."),
        ("In this paper, we also count ducks.", "We count ducks."),
        ("Our study also reveals ducks.", "Our study reveals ducks."),
        ("We then also count ducks.", "We count ducks."),
        ("We further the count of ducks.", "We further the count of ducks."),
        ("Our results thus far show ducks.", "Our results thus far show ducks."),
        ("Ducks also sleep.", "Ducks also sleep."),
        ("Result: x = 5 ducks.", "x = 5 ducks."),
        ("Result: a duck sleeps.", "A duck sleeps."),
    ],
)
def test_trimming_only_deletes_openers_and_citations(sentence: str, expected: str) -> None:
    """What tells nothing goes; names in brackets and everything else stay."""
    assert trim(sentence) == expected


@pytest.mark.parametrize(
    "sentence",
    [
        "We use the count of ducks proposed in [1] and refined by (Drake et al., 2020) later.",
        "We improve [3] and the methods of (Drake, 2019).",
        "The count follows that of the teals (as in [1] and [2]).",
        r"We prove a bound of order $\tilde O (n + m + k + l \log n \log m + 1)$ for all lakes.",
        "We call `count (the ducks of all the lakes of this land)` at dawn.",
        "We let x lie in the interval [0, 1] and y in [0,1]ᵈ.",
        "We use the DNA (deoxyribonucleic acid, as in HDNA) of ducks and the HDNA of drakes.",
        "Lakes have more ducks (an index of 2.55 and a margin of 10.9) than rivers (an index of 2.29).",
        "We count f(the argument is longer than thirty letters) at dawn.",
        "We count ducks (but only those of them that really sleep) at dawn.",
        "We count more ducks at dawn than at noon, (83.4 +/- 1.7 versus 95.25 +/- 3.3 ducks).",
        "We find the optimum (up to a factor that does not depend on ducks) of each lake.",
        "We count ducks in each season, namely (in the order of the seasons there) in spring and fall.",
    ],
)
def test_trimming_keeps_brackets_that_something_needs(sentence: str) -> None:
    """A bracket stays that a preposition or verb asks for, in formulas, with a condition, with a name."""
    assert trim(sentence) == sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "If the lake is covered by these clouds, we count ducks.",
        "To see them only in such weather, we count ducks.",
        "For such lakes, we prove that ducks sleep.",
    ],
)
def test_trimming_keeps_an_opener_that_limits_the_rest(sentence: str) -> None:
    """Without the condition the sentence would claim more."""
    assert variants(sentence) == (sentence,)


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
            "We count the ducks of forty-one lakes with a drone by looking at a map of all that sleep.",
            "We count the ducks of forty-one lakes with a drone.",
        ),
        (
            "We count the ducks of forty-one lakes with a drone, which everybody can do at home.",
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
        "In mice, we show that ducks are feared.",
        "By watching twelve lakes, we find that ducks sleep.",
        "To the best of our knowledge, we are the first who count ducks.",
        "To count the ducks of a lake, for convex lakes, we prove a bound.",
        "Motivated by the sleep of ducks, we model their dreams.",
        "Previously, we counted ducks.",
        "We name the hardest of our tasks, namely, i) the count of ducks.",
        "To keep frost, hail and wind away from here, ducks are counted.",
    ],
)
def test_variants_keep_scope_and_what_the_rest_points_to(sentence: str) -> None:
    """Where a statement holds, since when, how sure one is and what "their" means is no opener."""
    assert variants(sentence) == (sentence,)


@pytest.mark.parametrize(
    "sentence",
    [
        "We show that the ducks of forty-one lakes, which everybody has counted, swim in circles at night.",
        "We propose a count of ducks that relies on not only one, including several recent looks at dawn.",
        "We represent with a code of letters not just single ducks, as well as the profiles of their flocks.",
        "We count the ducks of forty-one lakes by either a drone and show that most of them sleep or fly.",
        "We ask how the lakes and the ducks could be improved, either by giving bread or by giving corn.",
        "We count the ducks that sleep in either the big lake or both the small one, as well as in rivers.",
        "We show that the ducks swim on the one hand in circles, especially at noon or at the other end.",
        "We study the sleep of ducks on three lakes: the big one in the north; the small ones in the south.",
        "We find two habits of all ducks: they sleep on water, including big lakes and small ponds nearby.",
        "We split the ducks of all lakes into (i) those that sleep; and those that swim at night.",
        "We split the count of ducks into 1. a look at the lake; 2. a look at the map of the lake.",
        "We ask each watcher who first counts all the ducks, and can then change the count at dawn.",
        "We study lakes where the food of a duck is not thrown at once, but rather spread over many days.",
        "We consider watchers that never say wrongly that a duck is asleep, while being often correct.",
        "We show that the ducks of small lakes sleep longer, whereas those of big lakes hardly sleep.",
        "We move the count of ducks from a pond to a real lake, where no duck is left without a ring.",
        "We prove that all of the ducks sleep on lakes; however, this needs that the lakes are frozen.",
        "We study the sleep of ducks in a lake, which is the sum of all ponds in the land.",
        "We propose a new and quick way to count the ducks of lakes, which we call DuckNet.",
        "We propose a way to count ducks that combines a drone, a boat, as well as a watcher on land.",
        r"We prove that the ducks sleep in a time of $n \log n, where n is the number of lakes$.",
        "We argue for a new way to count ducks on lakes, for example by reporting all the sleeping ones.",
        "We show a new map of all lakes where the ducks swim and are fed with the same bread.",
        "We count the ducks of forty-one lakes with a drone, which everybody can do at home",
        "We count with drones the ducks of three lakes, where a duck is what swims or sleeps there.",
        "We count the ducks of all the lakes with a drone that learns to count and use its camera.",
        "We count the ducks of all forty-one lakes and rivers with tight; good nets (0.25mm).",
    ],
)
def test_no_tail_is_cut_that_the_rest_needs(sentence: str) -> None:
    """Halves of pairs and lists, contrasts, negations, conditions, definitions: all of it stays."""
    assert variants(sentence) == (sentence,)


def test_a_hostile_sentence_has_few_variants() -> None:
    """However many places there are for a cut, only the first are tried."""
    sentence = "We count ducks on forty-one lakes and rivers" + "; we count them all" * 100 + "."
    assert 2 < len(variants(sentence)) < 15
