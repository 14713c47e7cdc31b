"""How alike papers are, by their profiles: the words of each that tell most, and how much."""

from __future__ import annotations

import math
from collections.abc import Mapping
from heapq import nlargest

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

# A paper is compared with others by so many of its words, those that tell most; none that a third of all have
_TELLING = 40
_COMMON = 0.3

# So many of the best answers teach what the others should be like
_BEST = 10

# `like:` asks for this likeness. Of 2,000 abstracts one in a thousand pairs has it: a fifth of these share a
# rarer keyword of the authors (of any pairs 0.8 %); 20 of 28 looked alike to a reader, just below it 9 of 28
_LIKE = 0.15


def rarity(having: int, papers: int) -> float:
    """How rare a word is that so many of the papers have, as BM25 counts it."""
    return math.log1p((papers - having + 0.5) / (having + 0.5))


class Profiles:
    """The profiles of some papers: vectors of length 1 over the stems that tell most about each.

    `numbers` numbers the stems. `docs` (ascending), `stems` and `often` say which paper has which stem, and
    how often, each pair once; `norms` is what BM25 adds to that for the length of each paper.
    """

    def __init__(
        self,
        numbers: Mapping[str, int],
        docs: NDArray[np.int64],
        stems: NDArray[np.int64],
        often: Floats,
        norms: Floats,
    ) -> None:
        papers = len(norms)
        self._numbers = numbers
        self._unseen = rarity(0, papers)
        self._rarities = _rarities(np.bincount(stems, minlength=len(numbers)), papers)
        weights = self._rarities[stems] * often / (often + norms[docs])
        order = np.lexsort((-weights, docs))
        place = np.arange(len(docs)) - docs.searchsorted(docs)
        order, at = order[place < _TELLING], (docs[place < _TELLING], place[place < _TELLING])
        self._stems = np.zeros((papers, _TELLING), np.intp)
        self._weights = np.zeros((papers, _TELLING), np.float32)  # 0 where a paper has fewer words
        self._stems[at], self._weights[at] = stems[order], weights[order]
        lengths = np.sqrt((self._weights * self._weights).sum(axis=1, keepdims=True))
        self._weights /= np.where(lengths > 0, lengths, 1)

    def echo(self, docs: Ints, scores: Floats) -> Floats:
        """How like each of some papers is to the best of the others: 0 to 1; two of the scores are not 0."""
        best = np.argsort(-scores, kind="stable")[:_BEST]
        shares = scores[best]
        shares /= shares.sum()
        models = docs[best]
        parts = (self._weights[models] * shares[:, np.newaxis]).ravel()
        taught = np.bincount(self._stems[models].ravel(), parts, len(self._numbers))
        near = self._likeness(taught.astype(np.float64, copy=False), docs)
        near[best] = (near[best] - shares) / (1 - shares)  # that a model is like itself tells nothing
        return np.maximum(near, 0.0)

    def near(self, often: Mapping[str, float], norm: float) -> tuple[list[int], Floats]:
        """The papers like one that may not be among them, and how like it each of all papers is.

        `often` says how often it has which stem, `norm` what BM25 adds for its length.
        """
        taught = np.zeros(len(self._numbers))
        for stem, weight in self._profile(often, norm).items():
            if (number := self._numbers.get(stem)) is not None:
                taught[number] = weight
        likeness = self._likeness(taught, np.arange(len(self._stems), dtype=np.int32))
        return np.flatnonzero(likeness >= _LIKE).tolist(), likeness

    def _profile(self, often: Mapping[str, float], norm: float) -> dict[str, float]:
        weights = {stem: self._tells(stem) * count / (count + norm) for stem, count in often.items()}
        best = nlargest(_TELLING, weights, key=weights.__getitem__)
        length = math.hypot(*(weights[stem] for stem in best)) or 1.0
        return {stem: weights[stem] / length for stem in best}

    def _tells(self, stem: str) -> float:
        number = self._numbers.get(stem)
        return self._unseen if number is None else float(self._rarities[number])

    def _likeness(self, taught: Floats, docs: Ints) -> Floats:
        stems, weights = self._stems, self._weights
        if len(docs) < len(stems):
            stems, weights = stems.take(docs, 0), weights.take(docs, 0)
        likeness: Floats = np.einsum("ij,ij->i", taught.take(stems, mode="clip"), weights)
        return likeness


def _rarities(having: NDArray[np.int64], papers: int) -> Floats:
    """How rare each stem is, 0 for those that stand in a third of the papers: they tell nothing."""
    rarities = np.log1p((papers - having + 0.5) / (having + 0.5))
    return np.where(having <= max(1.0, _COMMON * papers), rarities, 0.0)
