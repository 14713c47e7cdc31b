"""How much each sentence and each word of an abstract matters, as a model learnt from people's summaries.

A linear model over what can be seen on the surface of a sentence says how much each sentence matters.
From that, small trees foretell for each word how likely a person's summary would have it.
The sentence is best whose words, and pairs of words, would overlap most with such a summary.
`data/summary.md` says from what it was learnt, by which script, and how good it is.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain, pairwise, repeat
from math import exp, log
from operator import mul
from typing import Final

import numpy as np
import numpy.typing as npt

from digests.cues import MOST_CHARACTERS, concludes, cue, is_proposal, is_study, sums_up
from digests.sentences import words as split_words
from digests.trimming import variants

MOST_WORDS: Final = 80
"""Of a longer sentence only so many words are looked at."""
LOOKED_AT: Final = 3
"""Only in so many sentences is each word looked at: those that matter most, and conclusions beside them."""
HOPELESS: Final = 0.5
"""Nor is it where a sentence matters so much less than the first that it was never chosen."""
USUAL_LENGTH: Final = 18
"""So many words has the summary that a person is thought to write."""
_SPREAD: Final = 2.7
"""Brings the expected overlap to the scale of the rules."""
_BLEND: Final = 0.25
"""So much counts how much a sentence matters besides."""
_UNLIKELY: Final = 0.01
_UNKNOWN: Final = (-1.5, 7.3)
"""What is taken for a root that was not seen in training."""


# Ranking


@dataclass(frozen=True, slots=True)
class Reading:
    """What several steps want to know about an abstract: small letters, words, their roots, cues."""

    texts: Sequence[str]
    lows: Sequence[str]
    words: Sequence[Sequence[str]]
    """In small letters, as all that follows."""
    roots: Sequence[Sequence[str]]
    sets: Sequence[frozenset[str]]
    """The roots of each sentence without order."""
    cues: Sequence[bool]
    told: Sequence[int]
    """For each sentence about how many of its words stand up to the end of its cue; 0 for no cue."""
    proposes: Sequence[bool]
    """Whether the cue says that the paper brings a thing of its own."""
    is_study: bool
    concludes: Sequence[bool]
    """Whether it calls itself a conclusion or, in the report of a study, sums up what was found."""
    title: Sequence[str]


def read(sentences: Sequence[str], title: str = "") -> Reading:
    """The abstract as the model sees it."""
    lows = [text[:MOST_CHARACTERS].lower() for text in sentences]
    words = [split_words(low)[:MOST_WORDS] for low in lows]
    roots = [[word[:6] for word in each] for each in words]
    cues = [cue(low, each) for low, each in zip(lows, words, strict=True)]
    proposes = [found is not None and is_proposal(found) for found in cues]
    study = True not in proposes and is_study(words)
    return Reading(
        texts=sentences,
        lows=lows,
        words=words,
        roots=roots,
        sets=[frozenset(each) for each in roots],
        cues=[found is not None for found in cues],
        told=[
            low.count(" ", 0, found.end()) + 1 if found else 0 for low, found in zip(lows, cues, strict=True)
        ],
        proposes=proposes,
        is_study=study,
        concludes=[
            concludes(text) or (study and sums_up(low)) for text, low in zip(sentences, lows, strict=True)
        ],
        title=roots_of(title),
    )


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the model says about an abstract."""

    scores: list[float]
    """How well each sentence would stand for the abstract."""
    shortest: Mapping[int, str]
    """For the places of the sentences that were looked at what is left with most overlap."""


def ranked(reading: Reading) -> Verdict:
    """The ranking by the model alone: the overlap to be expected of the promising sentences."""
    model = _model()
    scores = weigh(features(reading), model.sentences)
    looked = promising(reading, scores)
    options = {i: variants(reading.texts[i]) for i in looked}
    if len(looked) == 1 and len(options[looked[0]]) == 1:  # the words of one sentence decide nothing
        return Verdict(scores, {looked[0]: options[looked[0]][0]})
    sights = word_sights(reading, scores, model.words)
    chances = dict(zip(sights, model.trees.chances(table(sights.values())), strict=True))
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
        overlap(reading.roots[i] if option == reading.texts[i] else roots_of(option), chances)
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


def roots_of(text: str) -> list[str]:
    return [word[:6] for word in split_words(text.lower())[:MOST_WORDS]]


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


def word_sights(
    reading: Reading, scores: Sequence[float], known: Mapping[str, Sequence[float]]
) -> dict[str, tuple[float, ...]]:
    """For each root of the promising sentences the numbers from which the trees foretell its chance.

    `scores` say how much each sentence matters, `known` how often a root is taken over and how rare it is.
    """
    looked = promising(reading, scores)
    wanted = frozenset(chain.from_iterable(reading.roots[i] for i in looked))
    shares = _shares(scores)
    first: dict[str, int] = {}
    mass = dict.fromkeys(wanted, 0.0)
    for i, (own, share) in enumerate(zip(reading.sets, shares, strict=True)):
        for root in own & wanted:
            mass[root] += share
            first.setdefault(root, i)
    counts = Counter(chain.from_iterable(reading.roots))
    count, title, length = len(shares), frozenset(reading.title), len(reading.title) or -1
    found: dict[str, tuple[float, ...]] = {}
    for place, i in enumerate(looked):
        roots, told, share = reading.roots[i], reading.told[i], shares[i]
        size = len(roots)
        numbers = [*map(known.get, roots, repeat(_UNKNOWN)), _UNKNOWN]
        for k, root in enumerate(roots):
            if root in found:
                continue
            prior, rarity = numbers[k]
            distance = 99 if not told else k - told if k >= told else 60 + told - k
            found[root] = (
                prior, rarity, counts[root], mass[root], share, place,
                (root in title) if title else -1, distance, numbers[k + 1][0], len(root),
                count, length, first[root] / count, size,
            )  # fmt: skip
    return found


def _shares(scores: Sequence[float]) -> list[float]:
    highest = max(scores)
    raised = [exp(score - highest) for score in scores]
    total = sum(raised)
    return [value / total for value in raised]


Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Trees:
    """Oblivious trees: at each depth of a tree one question for all its branches, so that arrays do."""

    asked: Places
    """Which number each question looks at."""
    limits: Numbers
    """For each question the number above which the answer is yes."""
    order: Places
    """For each depth and tree which question is put; many trees put the same."""
    leaves: Numbers
    """For each tree and combination of answers what it adds to the logit."""
    base: float

    def logits(self, table: Numbers) -> Numbers:
        above = table.T.take(self.asked, 0) > self.limits[:, None]
        answers = above.view(np.uint8)
        # the answers of a tree, read as a binary number, are the place of its leaf
        places = answers.take(self.order[0], 0)
        for questions in self.order[1:]:
            places <<= 1
            places |= answers.take(questions, 0)
        trees, width = self.leaves.shape
        leaves = self.leaves.ravel().take(places + np.arange(0, trees * width, width)[:, None])
        result: Numbers = self.base + leaves.sum(axis=0)
        return result

    def chances(self, table: Numbers) -> list[float]:
        """For each row of the table the chance that a summary has this word."""
        if not table.size:
            return []
        return [1 / (1 + exp(-logit)) for logit in self.logits(table).tolist()]


def grove(asked: Places, limits: Numbers, leaves: Numbers, base: float) -> Trees:
    """The trees from what is asked, and the limit, at each depth of each tree."""
    questions, order = np.unique(np.stack([asked.ravel(), limits.ravel()]), axis=1, return_inverse=True)
    return Trees(questions[0].astype(np.int64), questions[1], order.reshape(asked.shape), leaves, base)


def table(rows: Collection[Sequence[float]]) -> Numbers:
    """The numbers of a collection of rows as an array."""
    flat = np.fromiter(chain.from_iterable(rows), np.float64)
    return flat.reshape(len(rows), -1) if rows else flat


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
    cues, word_lists = reading.cues, reading.words
    first_cue = cues.index(True) if True in cues else len(cues)
    central = _ranks(_centralities(reading.sets))
    result = []
    for i, words in enumerate(word_lists):
        found: list[Name] = [*dict.fromkeys(words), *pairwise(words)]
        found += _place(i, len(word_lists), first_cue)
        found += (
            _LENGTHS[min(len(words) // 3, 20)],
            "^" + " ".join(words[:1]),
            "^" + " ".join(words[:2]),
            _CENTRAL[central[i]],
        )
        result.append(found)
    if reading.title:
        _add_title(result, reading)
    return result


@lru_cache(maxsize=2048)  # few kinds of places, and each time four names to spell
def _place(i: int, count: int, first_cue: int) -> tuple[str, ...]:
    return (
        f"@at {min(i, 10)}",
        f"@from end {min(count - i, 6)}",
        f"@part {10 * i // count}",
        f"@after cue {max(-5, min(i - first_cue, 5))}" if first_cue < count else f"@no cue {min(i, 5)}",
    )


def _add_title(result: list[list[Name]], reading: Reading) -> None:
    wanted = frozenset(reading.title)
    content = {root for root in wanted if len(root) > 3}
    most = len(reading.title)
    likeness = [
        2 * len(wanted & own) / (most + len(roots))
        for own, roots in zip(reading.sets, reading.roots, strict=True)
    ]
    for found, own, like, place in zip(result, reading.sets, likeness, _ranks(likeness), strict=True):
        share = len(content & own) / (len(content) or 1)
        found += (
            _SHARES[min(int(share * 10), 7)],
            _LIKENESSES[min(int(like * 20), 10)],
            _TITLE_PLACES[place],
        )


def _centralities(sets: Sequence[frozenset[str]]) -> list[float]:
    """For each sentence how much of it the others say too."""
    contents = [[root for root in own if len(root) > 3] for own in sets]
    counts = Counter(chain.from_iterable(contents))
    # whole numbers, so that the order of a set does not matter
    logs = [0, *(round(1000 * log(count)) for count in range(1, len(sets) + 1))]
    return [sum([logs[counts[root]] for root in roots]) / (len(roots) + 5) for roots in contents]


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
    trees: Trees


@cache
def _model() -> _Model:
    found = json.loads(weights())
    trees = found["trees"]
    sentences = {_name(written): weight for written, weight in found["sentences"].items()}
    asked, limits, leaves = (np.array(trees[part]) for part in ("asked", "limits", "leaves"))
    # one object for all roots with the same numbers: it stays in the processor's cache
    shared = {numbers: numbers for numbers in map(tuple, found["words"].values())}
    words: dict[str, Sequence[float]] = {
        root: shared[tuple(numbers)] for root, numbers in found["words"].items()
    }
    return _Model(sentences, words, grove(asked, limits, leaves, trees["base"]))


def _name(written: str) -> Name:
    first, _, second = written.partition(" ")
    return (first, second) if second and first[0] not in "@^" else written


@cache
def weights() -> bytes:
    """The file of the model."""
    return files("digests").joinpath("data/summary.json").read_bytes()
