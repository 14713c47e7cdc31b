"""Learns the weights of the summariser from SciTLDR: `python -m tests.train_summaries train.jsonl OUT.json`.

Listwise regression: per abstract the softmax over its sentences' scores is fitted to a softmax over how near
each of them comes to the human summary (ROUGE 1, 2 and L); every abstract comes with its title and without.
Full batches, a fixed number of steps from zero and no chance anywhere: the same input gives the same file.
"""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from digests.summary import features
from tests.benchmarks.summaries import Abstract, read, rouge

Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]

RAREST = 4
"""A feature must hold for so many sentences to get a weight."""
PENALTY = 40.0
TEMPERATURE = 0.13
STEPS = 150
PACE = 0.05
SMALLEST = 0.005
"""Weights under this are left out of the file."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """All sentences of all abstracts as rows: what holds where, who belongs together, what is right."""

    names: tuple[str, ...]
    rows: Places
    columns: Places
    groups: Places
    wanted: Numbers


def sheet(abstracts: Sequence[Abstract]) -> Sheet:
    """The training sheet: each abstract with its title, then each without."""
    found = [features(item.sentences, item.title) for item in abstracts]
    found += [features(item.sentences) for item in abstracts]
    lists = [names for group in found for names in group]
    counts = Counter(name for names in lists for name in set(names))
    kept = tuple(sorted(name for name, count in counts.items() if count >= RAREST))
    place = {name: column for column, name in enumerate(kept)}
    pairs = [(row, place[name]) for row, names in enumerate(lists) for name in names if name in place]
    groups = np.array([number for number, group in enumerate(found) for _ in group], dtype=np.int64)
    nearness = np.array([_nearness(text, item) for item in abstracts for text in item.sentences] * 2)
    rows, columns = np.array(pairs, dtype=np.int64).T
    wanted = _softmax(nearness / TEMPERATURE, groups)
    return Sheet(kept, rows, columns, groups, wanted)


def _nearness(text: str, item: Abstract) -> float:
    one, two, longest = rouge(text, item.references)
    return (one + two / 2 + longest / 2) / 2


def _softmax(scores: Numbers, groups: Places) -> Numbers:
    highest = np.full(groups.max() + 1, -np.inf)
    np.maximum.at(highest, groups, scores)
    # numpy's exp differs in the last bit from processor to processor; the C library's hardly does
    raised = np.array([math.exp(value) for value in (scores - highest[groups]).tolist()])
    result: Numbers = raised / np.bincount(groups, raised)[groups]
    return result


def learn(data: Sheet) -> dict[str, float]:
    """The weights, by Adam over full batches."""
    width, height = len(data.names), len(data.groups)
    weights, mean, square = np.zeros(width), np.zeros(width), np.zeros(width)
    for step in range(1, STEPS + 1):
        scores = np.bincount(data.rows, weights[data.columns], height)
        excess = _softmax(scores.astype(np.float64), data.groups) - data.wanted
        slope = np.bincount(data.columns, excess[data.rows], width) + PENALTY * weights
        mean = 0.9 * mean + 0.1 * slope
        square = 0.99 * square + 0.01 * slope * slope
        weights = weights - PACE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    rounded = {name: round(float(weight), 3) for name, weight in zip(data.names, weights, strict=True)}
    return {name: weight for name, weight in rounded.items() if abs(weight) >= SMALLEST}


def written(weights: dict[str, float]) -> str:
    """The file's text: one weight a line, in order of their names."""
    return json.dumps(weights, indent=0, sort_keys=True, ensure_ascii=False) + "\n"


def main(source: str, target: str) -> None:
    Path(target).write_text(written(learn(sheet(read(Path(source))))), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
