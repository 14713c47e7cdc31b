"""What the summariser promises: quotations, never a question, the paper's own name as its heading."""

import hashlib
import json
import time
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digests.heading import heading
from digests.salience import SIGHTS, features, read, word_sights
from digests.sentences import sentences, words
from digests.summary import METHOD, choose, rate, summarise
from digests.trimming import variants
from tests import train_summaries
from tests.benchmarks.summaries import chosen, rouge, verbatim
from tests.benchmarks.summaries import read as read_file

TIDES = (
    "Harbours lose ships to swells that no gauge announces. "
    "Can a buoy know a swell before it arrives? "
    "To address this, we introduce BuoyNet, a network of sensors that predicts swells ten minutes ahead. "
    "We then introduce SwellBench, a test set of 40 storms. "
    "Across three ports, BuoyNet halves the number of false alarms. "
    "Code is available at https://example.org/buoynet."
)

WORDS = st.sampled_from(
    "we propose Introduce a novel Method (e.g. 3.5%), GPT-4 et al. results. Why? Is it? 我们提出。".split()
)


def whole(abstract: str, title: str = "", count: int = 1) -> tuple[str, ...]:
    """The sentences from which a summary was made."""
    return choose(sentences(abstract), title, count, whole=True)


def stands_in(part: str, text: str) -> bool:
    """Whether the words of one text stand in the other in this order; what was cut may end in a full stop."""
    left = iter(words(text.casefold()))
    return all(word in left for word in words(part.casefold()))


# Summaries


def test_takes_the_sentence_that_introduces_the_work() -> None:
    """The summary says what the paper made, not why it was needed and not where the code is."""
    (sentence,) = summarise(TIDES)
    assert sentence.startswith("We introduce BuoyNet, a network of sensors")


def test_takes_the_first_of_two_introduced_things() -> None:
    """Where a paper introduces two things, the summary tells of the first."""
    texts = (
        "We introduce LoamSet, a corpus of soils.",
        "We then introduce RootFormer, a transformer model that predicts crop yields from soils with ease.",
    )
    assert choose(texts) == (texts[0],)


@given(st.lists(WORDS, max_size=80).map(" ".join))
def test_quotes_word_for_word(abstract: str) -> None:
    """Whatever the text, its summary is made of its own sentences, in their order and no more than asked."""
    for count in (1, 2):
        chosen = whole(abstract, count=count)
        assert len(chosen) <= count
        found = sentences(abstract)
        assert [found.index(text) for text in chosen] == sorted(found.index(text) for text in chosen)
        assert bool(chosen) == bool(found)
        assert all(map(stands_in, summarise(abstract, count=count), chosen))


@given(st.text(max_size=300), st.text(max_size=40))
def test_survives_any_text(abstract: str, title: str) -> None:
    """No text and no title raises; the summary is part of the text."""
    assert all(text in abstract for text in whole(abstract, title))
    assert all(stands_in(text, abstract) for text in summarise(abstract, title))
    heading(abstract)


def test_never_takes_a_question() -> None:
    """A question is no summary as long as there is a statement."""
    texts = ("We ask: can we propose a novel framework for learning?", "Ducks swim.")
    assert choose(texts) == ("Ducks swim.",)
    assert choose(texts[:1]) == texts[:1]


@pytest.mark.parametrize("abstract", ["", "  \n\t "])
def test_an_empty_abstract_has_no_summary(abstract: str) -> None:
    """Nothing comes of nothing."""
    assert summarise(abstract) == ()
    assert heading(abstract) == ""


@pytest.mark.parametrize(
    "abstract",
    [
        "Abstract not available",
        "https://example.org/paper.pdf",
        "$x^2 + y^2 = z^2$",
        "WE PROPOSE A METHOD FOR SORTING MAIL BY SMELL.",
        "one sentence without an end " * 100,
    ],
)
def test_a_single_sentence_is_its_own_summary(abstract: str) -> None:
    """One sentence, whatever it looks like, is quoted whole."""
    assert summarise(abstract) == (abstract.strip(),)


@pytest.mark.parametrize(
    "abstract",
    [
        "• We count ducks. • We weigh them. • We let them go.",
        "Lake | Ducks | Weight\nNorth | 12 | 1.1 kg\nSouth | 40 | 0.9 kg\n",
        "Ni waasifu wa bata. Tulihesabu bata wa maziwa arobaini. Wengi wao hulala mchana.",
        "მდინარე ღრმაა. ჩვენ იხვები დავთვალეთ. ბევრს სძინავს.",
        "The lake is deep. " * 200,
        "We count " + "ducks and geese and swans and " * 100 + "herons.",
        "x" * 3000 + ". We count ducks.",
        "(" * 3000 + "We count ducks, and " * 100,
        "In this paper, " * 200,
        "$\\alpha$, $\\beta$; $\\gamma$. $\\delta$ = $\\epsilon$?",
    ],
)
def test_odd_abstracts_get_a_part_of_themselves_in_bounded_time(abstract: str) -> None:
    """A list, a table, a language that nobody taught it, endless sentences: a quotation, and soon."""
    start = time.thread_time()
    (summary,) = whole(abstract)
    (shorter,) = summarise(abstract)
    assert time.thread_time() - start < 1
    assert summary in abstract
    assert shorter
    assert len(shorter) <= len(summary)


def test_an_abstract_in_capitals_is_summarised() -> None:
    """Capitals hide neither the cue nor the sentences."""
    assert summarise(TIDES.upper())[0].startswith("WE INTRODUCE BUOYNET")


def test_a_second_sentence_must_add_something() -> None:
    """Two sentences come only where a later one says something new, and in the order of the text."""
    first = "We introduce a method for mapping mosses."
    again = "We introduce a method for mapping ferns and mosses."
    new = "We show that the proposed method learns maps of forests without labels."
    assert choose((first, again), count=2) == (first,)
    assert choose((first, new), count=2) == (first, new)


@pytest.mark.parametrize(
    "later",
    [
        "Can forests be mapped without any labels at all?",
        "Code is publicly available at https://example.org/mosses.",
    ],
)
def test_a_second_sentence_is_no_question_and_no_link(later: str) -> None:
    """What asks or only says where the code is does not come second."""
    first = "We introduce a method for mapping mosses."
    assert choose((first, later), count=2) == (first,)


def test_two_sentences_come_seldom_and_add_when_they_do(shared: Path) -> None:
    """Of real abstracts asked for two sentences, some get one; a second brings mostly other words."""
    items = read_file(shared / "data/scitldr/dev.jsonl")[:200]
    summaries = [choose(item.sentences, item.title, count=2) for item in items]
    doubles = [summary for summary in summaries if len(summary) == 2]
    assert 40 < len(doubles) < 190
    for item, summary in zip(items, summaries, strict=True):
        assert choose(item.sentences, item.title)[0] == summary[0]
    for first, second in doubles:
        said = {word for word in words(first.lower()) if len(word) > 3}
        content = {word for word in words(second.lower()) if len(word) > 3}
        assert len(content - said) > len(content) / 2


def test_the_title_draws_the_choice() -> None:
    """A title raises the sentence that speaks of its matter, and no other."""
    texts = ("We study how herons choose their nests.", "We study how glaciers choose their valleys.")
    herons, glaciers = rate(texts)
    herons_titled, glaciers_titled = rate(texts, "Glaciers and their valleys")
    assert glaciers_titled - glaciers > herons_titled - herons


def test_a_stated_conclusion_is_preferred_in_structured_abstracts() -> None:
    """Medical abstracts say themselves which sentence is the conclusion."""
    texts = (
        "BACKGROUND: Snoring is common in choirs.",
        "METHODS: Sixty singers were randomized to humming or silence for four weeks.",
        "RESULTS: Snoring fell by 31% (95% CI 12 to 44) in the humming group.",
        "CONCLUSIONS: Daily humming reduces snoring in choir singers.",
    )
    assert choose(texts, whole=True) == (texts[3],)
    assert choose(texts) == (texts[3].removeprefix("CONCLUSIONS: "),)


@pytest.mark.parametrize(
    ("abstract", "begins"),
    [
        (
            "近年来,城市交通问题日益严重。现有方法难以扩展。本文提出一种新的信号灯控制方法,可减少等待时间。代码已公开。",
            "本文提出",
        ),
        (
            "Viele Archive sind nicht lesbar. Wir stellen ein Verfahren vor, das alte Handschriften erkennt.",
            "Wir stellen",
        ),
        (
            "Les forêts brûlent souvent. Nous proposons une méthode qui prévoit les feux une semaine tôt.",
            "Nous proposons",
        ),
        (
            "都市の騒音は増えている。本研究では、街路の騒音を予測する手法を提案する。実験は三都市で行った。",
            "本研究では",
        ),
        (
            "도시의 소음이 늘고 있다. 본 논문에서는 소음을 예측하는 방법을 제안한다. 세 도시에서 했다.",
            "본 논문에서는",
        ),
        ("Города быстро растут. Мы предлагаем метод, который предсказывает шум на улицах.", "Мы предлагаем"),
    ],
)
def test_other_languages_get_the_sentence_that_says_we(abstract: str, begins: str) -> None:
    """Chinese, Japanese, Korean, German, French and Russian abstracts get the sentence of what was done."""
    assert summarise(abstract)[0].startswith(begins)


def test_long_abstracts_are_cut_off_at_a_bound() -> None:
    """Of ten thousand sentences only the first few are looked at."""
    texts = ("Nothing is said here.",) * 10_000 + ("We propose SlowPoke, a novel framework.",)
    assert choose(texts) == ("Nothing is said here.",)


# Trimmed


def test_a_trimmed_summary_is_the_same_sentence_with_less_in_it() -> None:
    """Trimming takes away from the chosen sentence; it chooses no other."""
    (chosen,) = whole(TIDES)
    (shorter,) = summarise(TIDES)
    assert shorter in variants(chosen)
    assert shorter.startswith("We introduce BuoyNet")


# The model


def test_the_method_names_the_weights() -> None:
    """Other weights are another method, so that stored summaries fall out of date."""
    digest = hashlib.sha256(files("digests").joinpath("data/summary.json").read_bytes()).hexdigest()
    assert METHOD.endswith(digest[:12])


def test_every_weight_belongs_to_a_feature_of_a_kind_that_exists() -> None:
    """The weights were learnt for the features that the code computes today."""
    model = json.loads(files("digests").joinpath("data/summary.json").read_text(encoding="utf-8"))
    weights = model["sentences"]
    reading = read(sentences(TIDES), "Buoys that know swells")
    names = {
        " ".join(name) if isinstance(name, tuple) else name for found in features(reading) for name in found
    }
    assert len(names & weights.keys()) > len(names) / 3
    assert {name.split()[0] for name in weights if name.startswith("@")} >= {
        "@at",
        "@length",
        "@title",
        "@central",
    }
    sights = word_sights(reading, rate(reading.texts), model["words"])
    assert {len(sight) for sight in sights.values()} == {len(SIGHTS)}
    assert model["steps"].keys() == set(SIGHTS)
    assert all(len(limits) == len(heights) - 1 for limits, heights in model["steps"].values())


def test_a_rating_comes_for_each_sentence() -> None:
    """Scores align with the sentences; no sentences, no scores."""
    assert len(rate(sentences(TIDES))) == 6
    assert rate(()) == []


def test_comes_near_to_what_people_write(shared: Path) -> None:
    """On 300 abstracts of SciTLDR the sentence scores far above LexRank's (32), trimmed even higher."""
    abstracts = read_file(shared / "data/scitldr/dev.jsonl", titles=False)[::2]
    long = [rouge(verbatim(item), item.references)[0] for item in abstracts]
    short = [rouge(chosen(item), item.references)[0] for item in abstracts]
    assert 40.0 < 100 * sum(long) / len(long) < 100 * sum(short) / len(short)


def test_quotes_real_abstracts_word_for_word(shared: Path) -> None:
    """A real abstract as one string gives one sentence that stands in it and is no question."""
    for item in read_file(shared / "data/scitldr/dev.jsonl")[:200]:
        abstract = " ".join(" ".join(item.sentences).split())
        (sentence,) = whole(abstract, item.title)
        assert sentence in abstract
        assert not sentence.endswith("?")
        assert stands_in(summarise(abstract, item.title)[0], sentence)


@pytest.mark.long
def test_training_gives_the_same_weights_again(shared: Path) -> None:
    """The script reproduces the file that is shipped, byte for byte."""
    abstracts = read_file(shared / "data/scitldr/train.jsonl")
    again = train_summaries.written(train_summaries.corpus(abstracts))
    assert again == files("digests").joinpath("data/summary.json").read_text(encoding="utf-8")
