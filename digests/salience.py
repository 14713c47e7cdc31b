"""How much each sentence and each word of an abstract matters, as a model learnt from people's summaries.

A linear model over what can be seen on the surface of a sentence says how much each sentence matters.
From that, a sum of step functions foretells for each word how likely a person's summary would have it.
The sentence is best whose words, and pairs of words, would overlap most with such a summary.
`data/summary.md` says from what it was learnt, by which script, and how good it is.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain, count, pairwise, repeat
from math import exp, log
from operator import mul
from sys import intern
from typing import Final

from digests.cues import (
    MOST_CHARACTERS,
    concludes,
    cue,
    is_proposal,
    is_study,
    is_vague,
    points,
    sums_up,
    telling,
)
from digests.sentences import roots as roots_of
from digests.trimming import variants

MOST_WORDS: Final = 80
"""Of a longer sentence only so many words are looked at."""
LOOKED_AT: Final = 3
"""Only in so many sentences is each word looked at: those that matter most, and conclusions beside them."""
HOPELESS: Final = 0.5
"""Nor is it where a sentence matters so much less than the first that it was never chosen."""
FOREIGN: Final = 0.11
"""Where a larger share of the roots is unknown, the field is another.

So it is in one of thirty abstracts about machine learning, and in nearly all of physics and medicine.
"""
USUAL_LENGTH: Final = 18
"""So many words has the summary that a person is thought to write."""
_SPREAD: Final = 3.2
"""Brings the expected overlap to the scale of the rules."""
_BLEND: Final = 0.35
"""So much counts how much a sentence matters besides."""
_UNLIKELY: Final = 0.01
_UNKNOWN: Final = (-1.5, 7.3)
"""What is taken for a root that was not seen in training."""


# Ranking


@dataclass(frozen=True, slots=True)
class Reading:
    """What several steps want to know about an abstract: small letters, the roots of its words, cues."""

    texts: Sequence[str]
    lows: Sequence[str]
    roots: Sequence[Sequence[str]]
    """In small letters, as all that follows."""
    distinct: Sequence[Mapping[str, None]]
    """The roots of each sentence, each once."""
    telling: Sequence[frozenset[str]]
    """Those roots of each sentence of which cues are made."""
    cues: Sequence[bool]
    told: Sequence[int]
    """For each sentence about how many of its words stand up to the end of its cue; 0 for no cue."""
    proposes: Sequence[bool]
    """Whether the cue says that the paper brings a thing of its own."""
    vague: Sequence[bool]
    """Whether what the cue says lies in another sentence."""
    points: Sequence[bool]
    """Whether it names a thing of another sentence behind its cue."""
    is_study: bool
    """Whether it is the report of a study, or of another field and proposes nothing."""
    concludes: Sequence[bool]
    """Whether it calls itself a conclusion or, in the report of a study, sums up what was found."""
    title: Sequence[str]


def read(sentences: Sequence[str], title: str = "", known: Collection[str] = ()) -> Reading:
    """The abstract as the model sees it; `known` are the roots that it has learnt, to tell another field."""
    lows = [text[:MOST_CHARACTERS].lower() for text in sentences]
    roots = [roots_of(low)[:MOST_WORDS] for low in lows]
    seen = [telling(each) for each in roots]
    cues = [cue(low, each) for low, each in zip(lows, seen, strict=True)]
    proposes = [found is not None and is_proposal(found) for found in cues]
    vague = [found is not None and is_vague(found) for found in cues]
    distinct = [dict.fromkeys(each) for each in roots]
    study = True not in proposes and (is_study(lows, roots, seen) or _is_foreign(distinct, known))
    return Reading(
        texts=sentences,
        lows=lows,
        roots=roots,
        distinct=distinct,
        telling=seen,
        cues=[found is not None for found in cues],
        told=[
            low.count(" ", 0, found.end()) + 1 if found else 0 for low, found in zip(lows, cues, strict=True)
        ],
        proposes=proposes,
        vague=vague,
        points=[
            found is not None and not unclear and points(found)
            for found, unclear in zip(cues, vague, strict=True)
        ],
        is_study=study,
        concludes=[
            concludes(text, each) or (study and sums_up(low))
            for text, low, each in zip(sentences, lows, seen, strict=True)
        ],
        title=roots_of(title)[:MOST_WORDS],
    )


def _is_foreign(distinct: Sequence[Mapping[str, None]], known: Collection[str]) -> bool:
    """Whether so many roots are unknown that the abstract is of a field that was not learnt from."""
    seen = sum(map(len, distinct))
    return bool(known) and sum(map(known.__contains__, chain.from_iterable(distinct))) < (1 - FOREIGN) * seen


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the model says about an abstract."""

    scores: list[float]
    """How well each sentence would stand for the abstract."""
    shortest: Mapping[int, str]
    """For the places of the sentences that were looked at what is left with most overlap."""


def known_roots() -> Collection[str]:
    """The roots of which the model knows how often a summary has them."""
    return _model().words


def ranked(reading: Reading) -> Verdict:
    """The ranking by the model alone: the overlap to be expected of the promising sentences."""
    model = _model()
    scores = weigh(features(reading), model.sentences)
    looked = promising(reading, scores)
    options = {i: variants(reading.texts[i]) for i in looked}
    if len(looked) == 1 and len(options[looked[0]]) == 1:  # the words of one sentence decide nothing
        return Verdict(scores, {looked[0]: options[looked[0]][0]})
    sights = word_sights(reading, scores, model.words)
    chances = dict(zip(sights, model.odds.chances(sights.values()), strict=True))
    known, shortest = {}, {}
    for i in looked:
        likely, shortest[i] = _expected(reading, i, options[i], chances)
        known[i] = _SPREAD * likely + _BLEND * scores[i]
    # the others stand below all that were looked at, in their own order
    least = min(known.values()) - max(scores)
    return Verdict([known.get(i, least + score) for i, score in enumerate(scores)], shortest)


def _expected(
    reading: Reading, i: int, options: Sequence[str], chances: Mapping[str, float]
) -> tuple[float, str]:
    """The overlap to be expected of a sentence, both trimmed and at its best, and its best variant."""
    likely = [
        overlap(reading.roots[i] if option == reading.texts[i] else roots_of(option)[:MOST_WORDS], chances)
        for option in options
    ]
    best = likely.index(max(likely))
    return likely[0] + likely[best] / 2, options[best]


def promising(reading: Reading, scores: Sequence[float]) -> list[int]:
    """The places of the sentences that are looked at word by word, best first."""
    order = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)
    least = scores[order[0]] - HOPELESS
    return [
        i
        for place, i in enumerate(order)
        if (place < LOOKED_AT and scores[i] >= least) or reading.concludes[i]
    ]


def overlap(roots: Sequence[str], chances: Mapping[str, float]) -> float:
    """ROUGE-1 + ROUGE-2 to be expected against the summary that a person would write."""
    likely = [chances.get(root, _UNLIKELY) for root in roots]
    single = sum(dict(zip(roots, likely, strict=True)).values())
    double: float = sum(map(mul, likely, likely[1:]))
    return 2 * (single + double) / (len(roots) + USUAL_LENGTH)


def weigh(found: Sequence[Sequence[Name]], weights: Mapping[Name, int]) -> list[float]:
    """For each sentence the sum of the weights, in thousandths, of its features."""
    return [sum(map(weights.get, names, repeat(0))) / 1000 for names in found]


# What holds for a word


SIGHTS: Final = (
    "logit of being taken over",
    "rarity",
    "how much its sentences matter",
    "in the title",
    "distance from the cue",
    "first sentence",
)
"""What the numbers of a word are: how much all its sentences matter, and where the first stands, in percent.

"in the title" is -1 where there is no title; the distance of a word before the cue is more than 60, and 99
where there is no cue.
"""


def word_sights(
    reading: Reading, scores: Sequence[float], known: Mapping[str, Sequence[float]]
) -> dict[str, tuple[float, ...]]:
    """For each root of the promising sentences the numbers, named in `SIGHTS`, that tell its chance.

    `scores` say how much each sentence matters, `known` how often a root is taken over and how rare it is.
    """
    far: dict[str, int] = {}
    for i in reversed(promising(reading, scores)):
        roots, told = reading.roots[i], reading.told[i]
        steps = chain(range(60 + told, 60, -1), count()) if told else repeat(99)
        # backwards, so that of equal roots the first counts
        far.update([*zip(roots, steps, strict=False)][::-1])
    if not far:
        return {}
    mass, first = dict.fromkeys(far, 0.0), {}
    shares = _shares(scores)
    for i in range(len(shares) - 1, -1, -1):
        found = far.keys() & reading.distinct[i]
        first.update(dict.fromkeys(found, 100 * i // len(shares)))
        for root in found:
            mass[root] += shares[i]
    in_title = dict.fromkeys(reading.title, 1)
    priors, rarities = zip(*map(known.get, far, repeat(_UNKNOWN)), strict=True)
    rows = zip(
        priors,
        rarities,
        map(round, mass.values()),
        map(in_title.get, far, repeat(0 if in_title else -1)),
        far.values(),
        map(first.__getitem__, far),
        strict=False,
    )
    return dict(zip(far, rows, strict=True))


def _shares(scores: Sequence[float]) -> list[float]:
    """The softmax of the scores, in percent."""
    highest = max(scores)
    raised = [exp(score - highest) for score in scores]
    percent = 100 / sum(raised)
    return [percent * value for value in raised]


class Steps(dict[float, float]):
    """What a number adds to the logit of a chance: one height up to each limit; answers are remembered.

    Few numbers are different: they are whole, or those of a known root.
    """

    def __init__(self, limits: Sequence[float], heights: Sequence[float]) -> None:
        super().__init__()
        self.limits = limits
        self.heights = heights

    def __missing__(self, number: float) -> float:
        height = self[number] = self.heights[bisect_left(self.limits, number)]
        return height


@dataclass(frozen=True, slots=True)
class Odds:
    """The model of the chance that a summary has a word: the logit is a sum of one step for each number."""

    base: float
    steps: Sequence[Steps]

    def chances(self, rows: Collection[Sequence[float]]) -> list[float]:
        """For each row of numbers the chance that a summary has this word."""
        columns = zip(*rows, strict=True)
        added = [map(step.__getitem__, column) for step, column in zip(self.steps, columns, strict=False)]
        return [1 / (1 + exp(-self.base - sum(parts))) for parts in zip(*added, strict=True)]


# What holds for a sentence


Name = str | tuple[str, str]
"""A pair of words, a word, or what else may hold for a sentence, after a sign with which no word begins."""


def _named(kind: str, count: int) -> tuple[str, ...]:
    return tuple(f"@{kind} {number}" for number in range(count))


_LENGTHS: Final = _named("length", 21)
_CENTRAL: Final = _named("central", 6)
_SHARES: Final = _named("title share", 8)
_LIKENESSES: Final = _named("title likeness", 11)
_TITLE_PLACES: Final = _named("title place", 6)


def features(reading: Reading) -> list[list[Name]]:
    """For each sentence the names of what holds for it: the model has a weight for each name."""
    return [
        [*own, *pairwise(roots), *seen]
        for own, roots, seen in zip(reading.distinct, reading.roots, _seen(reading), strict=True)
    ]


def _seen(reading: Reading) -> list[tuple[str, ...]]:
    """For each sentence the names of what holds for it besides its words."""
    cues, size = reading.cues, len(reading.roots)
    first_cue = cues.index(True) if True in cues else len(cues)
    central = _ranks(_centralities(reading.distinct))
    found = [
        (
            *_place(i, size, first_cue),
            _LENGTHS[min(len(roots) // 3, 20)],
            "^" + " ".join(roots[:1]),
            "^" + " ".join(roots[:2]),
            _CENTRAL[central[i]],
        )
        for i, roots in enumerate(reading.roots)
    ]
    if not reading.title:
        return found
    return [(*names, *titled) for names, titled in zip(found, _beside_title(reading), strict=True)]


@lru_cache(maxsize=2048)  # few kinds of places, and each time four names to spell
def _place(i: int, count: int, first_cue: int) -> tuple[str, ...]:
    return (
        f"@at {min(i, 10)}",
        f"@from end {min(count - i, 6)}",
        f"@part {10 * i // count}",
        f"@after cue {max(-5, min(i - first_cue, 5))}" if first_cue < count else f"@no cue {min(i, 5)}",
    )


def _beside_title(reading: Reading) -> Iterator[tuple[str, ...]]:
    wanted = dict.fromkeys(reading.title)
    content = frozenset([root for root in wanted if len(root) > 3])
    most, most_content = len(reading.title), len(content) or 1
    both = [wanted.keys() & own for own in reading.distinct]
    likeness = [
        2 * len(found) / (most + len(roots)) for found, roots in zip(both, reading.roots, strict=True)
    ]
    for found, like, place in zip(both, likeness, _ranks(likeness), strict=True):
        yield (
            _SHARES[min(10 * len(content & found) // most_content, 7)],
            _LIKENESSES[min(int(like * 20), 10)],
            _TITLE_PLACES[place],
        )


def _centralities(distinct: Sequence[Mapping[str, None]]) -> list[float]:
    """For each sentence how much of it the others say too."""
    counts = Counter(chain.from_iterable(distinct))
    # whole numbers, so that the order of a sum does not matter
    logs = [0, *(round(1000 * log(times)) for times in range(1, len(distinct) + 1))]
    shared = {root: logs[times] for root, times in counts.items() if len(root) > 3}
    return [
        sum(map(shared.get, own, repeat(0))) / (sum(map(shared.__contains__, own)) + 5) for own in distinct
    ]


def _ranks(values: Sequence[float]) -> list[int]:
    order = sorted(values, reverse=True)
    return [min(order.index(value), 5) for value in values]


# The model


@dataclass(frozen=True, slots=True)
class _Model:
    sentences: dict[Name, int]
    """The weight of each feature of a sentence, in thousandths."""
    words: dict[str, Sequence[float]]
    """For each root the logit of its chance to be taken over, and how rare it is."""
    odds: Odds


@cache
def _model() -> _Model:
    found = json.loads(weights())
    steps = [Steps(*found["steps"][name]) for name in SIGHTS]
    # one object for all roots with the same numbers: it stays in the processor's cache
    shared = {numbers: numbers for numbers in map(tuple, found["words"].values())}
    words: dict[str, Sequence[float]] = {
        intern(root): shared[tuple(numbers)] for root, numbers in found["words"].items()
    }
    sentences = {_name(written): weight for written, weight in found["sentences"].items()}
    return _Model(sentences, words, Odds(found["base"]["logit"], steps))


def _name(written: str) -> Name:
    first, _, second = written.partition(" ")
    return (intern(first), intern(second)) if second and first[0] not in "@^" else intern(written)


@cache
def weights() -> bytes:
    """The file of the model."""
    return files("digests").joinpath("data/summary.json").read_bytes()
