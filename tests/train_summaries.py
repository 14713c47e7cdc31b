"""Learns the summariser's model from SciTLDR: `python -m tests.train_summaries train.jsonl OUT.json`.

First a weight for each feature of a sentence, by listwise regression: per abstract the softmax over its
sentences' scores is fitted to a softmax over how near each of them comes to the human summary.
Then, from those scores, steps that foretell for each word of an abstract whether the summary has it.
What the steps learn from was foretold by models that had not seen the abstract: one for each fifth.
Every abstract comes with its title and without.
Full batches, fixed steps and one seed for the draws of rows: the same input gives the same file.
"""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from digests.salience import SIGHTS, Name, Odds, Reading, Steps, features, read, weigh, word_sights
from digests.sentences import roots
from tests.benchmarks.summaries import Abstract, rouge
from tests.benchmarks.summaries import read as read_file

Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]
Known = dict[str, tuple[float, float]]
"""For each root the logit of its chance to be taken over, and how rare it is."""

FOLDS = 5

RAREST = 4
"""A feature must hold for so many sentences to get a weight."""
RAREST_PAIR = 30
"""A pair of words must stand in so many."""
PENALTY = 40.0
TEMPERATURE = 0.13
STEPS = 150
PACE = 0.05
SMALLEST = 15
"""Weights under so many thousandths are left out of the file."""

RAREST_ROOT = 3
SHRINKAGE = 8.0
"""So many abstracts of the usual kind are added to what was seen of a root."""

ROUNDS = 150
STEP_PACE = 0.3
STEP_PENALTY = 20.0
BINS = 32
DRAWN = 0.3
"""The share of the rows from which each step is learnt."""
SEED = 5


@dataclass(frozen=True, slots=True)
class Sheet:
    """All sentences of all abstracts as rows: what holds where, who belongs together, what is right."""

    names: tuple[Name, ...]
    rows: Places
    columns: Places
    groups: Places
    wanted: Numbers


# Sentences


def sheet(found: Sequence[Sequence[Sequence[Name]]], nearness: Sequence[Sequence[float]]) -> Sheet:
    """The training sheet: for each abstract the features of its sentences, and how near each comes."""
    lists = [names for group in found for names in group]
    counts = Counter(name for names in lists for name in set(names))
    kept = tuple(sorted((name for name, count in counts.items() if count >= _rarest(name)), key=_spelt))
    place = {name: column for column, name in enumerate(kept)}
    pairs = [(row, place[name]) for row, names in enumerate(lists) for name in names if name in place]
    groups = np.array([number for number, group in enumerate(found) for _ in group], dtype=np.int64)
    rows, columns = np.array(pairs, dtype=np.int64).T
    near = np.array([value for group in nearness for value in group])
    return Sheet(kept, rows, columns, groups, _softmax(near / TEMPERATURE, groups))


def _rarest(name: Name) -> int:
    return RAREST_PAIR if isinstance(name, tuple) else RAREST


def _spelt(name: Name) -> str:
    return " ".join(name) if isinstance(name, tuple) else name


def _nearness(text: str, item: Abstract) -> float:
    one, two, longest = rouge(text, item.references)
    return (one + two / 2 + longest / 2) / 2


def _softmax(scores: Numbers, groups: Places) -> Numbers:
    highest = np.full(groups.max() + 1, -np.inf)
    np.maximum.at(highest, groups, scores)
    raised = _raised(scores - highest[groups])
    result: Numbers = raised / np.bincount(groups, raised)[groups]
    return result


def _raised(values: Numbers) -> Numbers:
    # numpy's exp differs in the last bit from processor to processor; the C library's hardly does
    return np.array([math.exp(value) for value in values.tolist()])


def learn(data: Sheet) -> dict[Name, int]:
    """The weights of sentences in thousandths, by Adam over full batches."""
    width, height = len(data.names), len(data.groups)
    weights, mean, square = np.zeros(width), np.zeros(width), np.zeros(width)
    for step in range(1, STEPS + 1):
        scores = np.bincount(data.rows, weights[data.columns], height)
        excess = _softmax(scores.astype(np.float64), data.groups) - data.wanted
        slope = np.bincount(data.columns, excess[data.rows], width) + PENALTY * weights
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope * slope
        weights = weights - PACE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    rounded = {name: round(1000 * float(weight)) for name, weight in zip(data.names, weights, strict=True)}
    return {name: weight for name, weight in rounded.items() if abs(weight) >= SMALLEST}


# Words


def taken(item: Abstract) -> frozenset[str]:
    """The roots that the first human summary of the abstract has."""
    return frozenset(roots(item.references[0]))


def known(readings: Sequence[Reading], summaries: Sequence[frozenset[str]]) -> Known:
    """How often each root that an abstract has is taken over into its summary, and how rare it is."""
    seen: Counter[str] = Counter()
    kept: Counter[str] = Counter()
    for reading, summary in zip(readings, summaries, strict=True):
        said = {root for each in reading.roots for root in each}
        seen.update(said)
        kept.update(said & summary)
    usual = kept.total() / seen.total()
    return {
        root: (round(_logit(kept[root], count, usual), 2), round(math.log(len(readings) / count), 2))
        for root, count in sorted(seen.items())
        if count >= RAREST_ROOT
    }


def _logit(kept: int, seen: int, usual: float) -> float:
    return math.log((kept + SHRINKAGE * usual) / (seen - kept + SHRINKAGE * (1 - usual)))


def odds(seen: Numbers, right: Numbers) -> Odds:
    """Steps whose sum is the logit of the chance that a row is right, by boosting: each round adds to one."""
    limits = [_limits(column) for column in seen.T]
    binned = np.array([np.searchsorted(cuts, column) for cuts, column in zip(limits, seen.T, strict=True)])
    usual = float(right.mean())
    base = round(math.log(usual / (1 - usual)), 4)
    heights = [np.zeros(len(cuts) + 1) for cuts in limits]
    draws = np.random.default_rng(SEED)
    for _ in range(ROUNDS):
        drawn = np.flatnonzero(draws.integers(0, 1000, len(right)) < 1000 * DRAWN)
        logits = base + sum(each[bins[drawn]] for each, bins in zip(heights, binned, strict=True))
        chance = 1 / (1 + _raised(-logits))
        slope, bend = right[drawn] - chance, chance * (1 - chance)
        cuts = [_best_cut(bins, slope, bend) for bins in binned[:, drawn]]
        best = max(cuts, key=lambda cut: cut.gain)
        number = cuts.index(best)
        heights[number][: best.place + 1] += STEP_PACE * best.low
        heights[number][best.place + 1 :] += STEP_PACE * best.high
    return Odds(base, [_steps(cuts, each) for cuts, each in zip(limits, heights, strict=True)])


def _limits(column: Numbers) -> Numbers:
    """Where the numbers of a column are cut: between neighbours, or into bins of like size."""
    values = np.unique(column)
    if len(values) > BINS:
        return np.unique(np.sort(column)[np.arange(1, BINS) * len(column) // BINS])
    return np.round((values[1:] + values[:-1]) / 2, 3)


@dataclass(frozen=True, slots=True)
class Cut:
    """Behind which limit a column is best cut, what that gains, and what both sides add to the logit."""

    gain: float
    place: int
    low: float
    high: float


def _best_cut(bins: Places, slope: Numbers, bend: Numbers) -> Cut:
    slopes, bends = (np.bincount(bins, values, BINS).cumsum() for values in (slope, bend))
    low, high = slopes[:-1], slopes[-1] - slopes[:-1]
    low_bend, high_bend = bends[:-1] + STEP_PENALTY, bends[-1] - bends[:-1] + STEP_PENALTY
    gains = low**2 / low_bend + high**2 / high_bend
    place = int(gains.argmax())
    sides = (float(low[place] / low_bend[place]), float(high[place] / high_bend[place]))
    return Cut(float(gains[place]), place, *sides)


def _steps(limits: Numbers, heights: Numbers) -> Steps:
    """The steps without limits at which nothing changes."""
    rounded = [round(float(height), 3) for height in heights]
    kept = [i for i in range(len(limits)) if rounded[i] != rounded[i + 1]]
    return Steps([float(limits[i]) for i in kept], [*(rounded[i] for i in kept), rounded[-1]])


# Both


@dataclass(frozen=True, slots=True)
class Corpus:
    """The abstracts with their titles, then the same without, and all that does not depend on a model."""

    readings: tuple[Reading, ...]
    found: tuple[list[list[Name]], ...]
    nearness: tuple[list[float], ...]
    summaries: tuple[frozenset[str], ...]

    def without(self, fold: int) -> Corpus:
        """All but every fifth abstract, counted from `fold`; each abstract stands in twice."""
        half = len(self.readings) // 2
        kept = [i for i in range(2 * half) if i % half % FOLDS != fold]
        return Corpus(
            tuple(self.readings[i] for i in kept),
            tuple(self.found[i] for i in kept),
            tuple(self.nearness[i] for i in kept),
            tuple(self.summaries[i] for i in kept),
        )


def corpus(abstracts: Sequence[Abstract]) -> Corpus:
    readings = [read(item.sentences, item.title) for item in abstracts]
    readings += [read(item.sentences) for item in abstracts]
    nearness = [[_nearness(text, item) for text in item.sentences] for item in abstracts]
    return Corpus(
        tuple(readings),
        tuple(features(reading) for reading in readings),
        (*nearness, *nearness),
        tuple(taken(item) for item in abstracts) * 2,
    )


def sentence_weights(data: Corpus) -> dict[Name, int]:
    return learn(sheet(data.found, data.nearness))


def known_roots(data: Corpus) -> Known:
    half = len(data.readings) // 2
    return known(data.readings[:half], data.summaries[:half])


def word_odds(data: Corpus) -> Odds:
    """The steps, learnt from what models that had not seen an abstract say about it."""
    half = len(data.readings) // 2
    tables: list[list[tuple[float, ...]]] = [[] for _ in data.readings]
    rights: list[list[bool]] = [[] for _ in data.readings]
    for fold in range(FOLDS):
        others = data.without(fold)
        weights, roots = sentence_weights(others), known_roots(others)
        for i in (i for i in range(2 * half) if i % half % FOLDS == fold):
            sights = word_sights(data.readings[i], weigh(data.found[i], weights), roots)
            tables[i] = list(sights.values())
            rights[i] = [root in data.summaries[i] for root in sights]
    rows = [row for rows in tables for row in rows]
    return odds(np.array(rows), np.array([right for each in rights for right in each], dtype=np.float64))


def written(data: Corpus) -> str:
    """The file's text: four parts, each entry on a line, in order of their names."""
    chances = word_odds(data)
    parts: dict[str, Mapping[str, object]] = {
        "sentences": {_spelt(name): weight for name, weight in sentence_weights(data).items()},
        "words": known_roots(data),
        "base": {"logit": chances.base},
        "steps": {
            name: [step.limits, step.heights] for name, step in zip(SIGHTS, chances.steps, strict=True)
        },
    }
    lines = []
    for name, part in parts.items():
        entries = (f"{_json(key)}:{_json(value)}" for key, value in sorted(part.items()))
        lines.append(f"{_json(name)}:{{\n" + ",\n".join(entries) + "\n}")
    return "{" + ",\n".join(lines) + "}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def main(source: str, target: str) -> None:
    Path(target).write_text(written(corpus(read_file(Path(source)))), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
