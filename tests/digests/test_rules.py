"""What a reader wants of a summary, whatever the model makes of a sentence: the point, and all of it."""

import pytest

from digests.rules import rules
from digests.salience import known_roots, read
from digests.sentences import roots
from digests.summary import choose

STUDY = (
    "Sleep matters to otters.",
    "The aim of this study was to determine whether river noise disturbs the sleep of otters.",
    "We recorded forty otters in six rivers over two winters.",
    "Loud nights were associated with 30% less sleep (p < 0.01).",
    "These findings suggest that quiet banks should be kept near holts.",
)


@pytest.mark.parametrize(
    ("texts", "place"),
    [
        (STUDY, 4),
        (STUDY[:4], 3),
        ((*STUDY[:4], "Conclusions: Noise costs otters sleep.", "Further research on otters is needed."), 4),
        ((*STUDY[:4], "CONCLUSIONS AND RELEVANCE Noise costs otters sleep."), 4),
        (("【目的】カワウソの睡眠を調べる。", "【方法】40頭を記録した。", "【結論】騒音は睡眠を妨げる。"), 2),
        (("목적: 수달의 수면을 조사한다.", "방법: 40마리를 기록하였다.", "결론: 소음은 수면을 방해한다."), 2),
    ],
)
def test_what_a_study_found_comes_before_what_it_asked(texts: tuple[str, ...], place: int) -> None:
    """Of a report's aim, method, finding and conclusion the latest that it states is the summary."""
    assert choose(texts, whole=True) == (texts[place],)


def test_a_study_that_brings_a_thing_of_its_own_is_told_by_it() -> None:
    """Where "we propose" something, that is the point, though sentences in the past tense follow."""
    texts = (
        "Otters are shy.",
        "We propose HoltNet, a network of microphones that finds sleeping otters.",
        "It was tested in six rivers, and was found to miss few of them.",
        "These results suggest that microphones are useful.",
    )
    assert choose(texts, whole=True) == (texts[1],)


@pytest.mark.parametrize(
    "notice",
    [
        "This article has been retracted: please see the policy on article withdrawal.",
        "The preprint was withdrawn by the authors.",
        "The above article, published online on 3 May 2024, has been retracted by agreement.",
        "Retraction notice: the editors found that figures had been altered.",
        "This submission has been withdrawn due to an error in Lemma 3.",
        "The author withdraws this paper because the proof of Lemma 3 is wrong.",
    ],
)
def test_a_notice_that_a_paper_was_taken_back_is_never_hidden(notice: str) -> None:
    """Whatever else the abstract says, a reader must learn that it no longer holds."""
    texts = (notice, "We propose a zirconium catalyst for brewing tea.", "It works.")
    assert choose(texts, whole=True) == (notice,)
    assert choose(texts[::-1], whole=True) == (notice,)


@pytest.mark.parametrize(
    "background",
    [
        "Some 900 papers were retracted last year.",
        "The drug was withdrawn after a week in the study.",
        "Withdrawal of the drug led to a rebound.",
    ],
)
def test_what_others_took_back_is_no_notice(background: str) -> None:
    """A paper may be about retractions, or about a drug that patients no longer took."""
    texts = (background, "We propose a zirconium catalyst for brewing tea.")
    assert choose(texts, whole=True) == (texts[1],)


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        ("We have previously shown that otters sing at dusk.", "Here we report that they sing at dawn, too."),
        (
            "In previous work, we presented an otter counter.",
            "In this paper, we extend it to minks and voles.",
        ),
        ("We present such a system.", "We present a system that counts otters by their tracks in snow."),
        ("We use a method that counts otters by …", "We count otters by their tracks in snow."),
        (
            "We demonstrate the effectiveness of our approach on three rivers and two lakes.",
            "We introduce HoltNet, a network of microphones.",
        ),
        ("Trial registration: we propose NCT0123456.", "Otters were counted in snow."),
        ("Should we propose a novel framework?", "Otters were counted in snow."),
    ],
)
def test_some_sentences_are_passed_over(worse: str, better: str) -> None:
    """Earlier work, a sentence whose point or end is missing, a note and a question yield to a plain one."""
    assert choose((worse, better), whole=True) == (better,)


@pytest.mark.parametrize(
    "later",
    [
        "We aim to understand how minks and voles share the banks with them.",
        "Second, minks avoid snow that carries the scent of large dogs.",
        "Further research on minks and voles in northern wetlands is required.",
        "It remains unclear why minks and voles avoid them.",
    ],
)
def test_a_second_sentence_has_a_point_of_its_own(later: str) -> None:
    """An aim, a later part of a list, a call for research and what leans on what is not shown add nothing."""
    texts = ("We present OtterTrack, a system that counts otters by their tracks.", "Snow is cold.", later)
    assert choose(texts, count=2, whole=True) == texts[:1]


@pytest.mark.parametrize(
    ("worse", "better"),
    [
        (
            "We propose a pump to get rid of these limitations in dry wells.",
            "We propose a pump to get rid of the limitations in dry wells.",
        ),
        (
            "We propose a sand filter for such problems of wells.",
            "To solve such problems, we propose a sand filter for wells.",
        ),
        (
            "We propose new pumps for dry wells.",
            "We propose new pumps for dry wells with solar cells and wind.",
        ),
    ],
)
def test_a_sentence_counts_less_that_needs_another_or_says_no_more_than_the_title(
    worse: str, better: str
) -> None:
    """What points to a thing named elsewhere, or repeats the title, tells a reader less."""
    first = "Wells run dry in summer."
    (bad, good) = (rules(read((first, text), "Pumps for dry wells"))[1] for text in (worse, better))
    assert bad < good


@pytest.mark.parametrize(
    ("texts", "worse", "better"),
    [
        (("Otters sleep.", "We {}show that noise wakes otters at night."), "also ", ""),
        (("We {} the sleep of otters.", "We show that noise wakes them."), "study", "measure"),
        ((STUDY[1], "Otters were found to wake.", "Otters were found to sleep."), 1, 2),
    ],
)
def test_what_is_told_besides_aimed_at_or_early_counts_less(
    texts: tuple[str, ...], worse: str | int, better: str | int
) -> None:
    """A side result, what "we study" before a result, and the earlier of two findings of a study."""
    if isinstance(worse, int) and isinstance(better, int):
        assert rules(read(texts))[worse] < rules(read(texts))[better]
        return
    (place,) = (i for i, text in enumerate(texts) if "{}" in text)
    bad, good = (rules(read([text.format(word) for text in texts]))[place] for word in (worse, better))
    assert bad < good


def test_in_another_field_what_was_found_comes_before_what_was_studied() -> None:
    """Where the model knows few of the words, findings in the present tense win over "we study"."""
    texts = (
        "We study the magnetopause of quiescent blazars and its polarimetric flickering.",
        "Magnetohydrodynamic turbulence accelerates the leptons.",
        "We find that flickering leptons obey the Kolmogorov scaling of the magnetopause.",
        "We also find thermonuclear remnants.",
    )
    assert choose(texts, whole=True) == (texts[2],)
    known = frozenset(root for text in texts for root in roots(text))
    assert read(texts, known=known).is_study is False
    assert read(texts, known=known_roots()).is_study is True
