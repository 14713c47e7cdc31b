"""Many queries against many papers: which match, and how well.

An Index holds the day's papers as one row of numbered words, a gap between texts, so that every question is
answered from the places where a word stands: which papers, how often, in which form, beside which other word.
Each leaf of a query is looked up once per Index, whoever asks it; Boolean operations work on whole sets.
"""

from __future__ import annotations

import math
import re
from array import array
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import overload

import numpy as np
from numpy.typing import NDArray

from digests import terms
from digests.author import author_name
from digests.evidence import Evidence
from digests.leaf import Feature, feature_of, fits, folded, values_of
from digests.paper import Paper
from digests.query import And, Has, Not, Or, Prefix, Query, Term, leaves

Ints = NDArray[np.int32]
Floats = NDArray[np.float64]

# BM25 over title and abstract; measured on the keywords set, see tests/benchmarks/matching.py
_TITLE = 3.0
_K1, _B = 1.2, 0.4
_WORD_EXACT, _WORD_STEM = 1.0, 0.3
_PAIR_EXACT, _PAIR_STEM = 1.5, 0.5
_ACRONYM = 1.0
_FEEDBACK_PAPERS, _FEEDBACK_WORDS, _FEEDBACK = 5, 30, 0.6
_COMMON = 0.3

# A paper is near another if it shares this part of the weight of the other's most telling words
_LIKE_WORDS = 40
_LIKE_SHARE = 0.2


@dataclass(frozen=True, slots=True)
class Match:
    """A paper that a query asked for; `relevance` lies between 0 and 1 and compares between queries."""

    paper: Paper
    relevance: float
    leaves: tuple[Query, ...]

    @property
    def evidence(self) -> Evidence:
        """Which words matched, and where; worked out when asked."""
        return Evidence(self.paper, self.leaves)


class Matches(Sequence[Match]):
    """The papers that satisfy a query, most relevant first; scored when looked at."""

    __slots__ = ("_bits", "_index", "_query", "_scored")

    def __init__(self, index: Index, query: Query, bits: int) -> None:
        self._index = index
        self._query = query
        self._bits = bits
        self._scored: tuple[list[int], list[float], tuple[Query, ...]] | None = None

    def __len__(self) -> int:
        return self._bits.bit_count()

    @overload
    def __getitem__(self, at: int) -> Match: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Match, ...]: ...
    def __getitem__(self, at: int | slice) -> Match | tuple[Match, ...]:
        if self._scored is None:
            self._scored = self._index.scored(self._query, self._bits)
        docs, relevance, telling = self._scored
        papers = self._index.papers
        if isinstance(at, slice):
            pairs = zip(docs[at], relevance[at], strict=True)
            return tuple(Match(papers[doc], score, telling) for doc, score in pairs)
        return Match(papers[docs[at]], relevance[at], telling)

    def __iter__(self) -> Iterator[Match]:
        return iter(self[:])

    def __repr__(self) -> str:
        return f"<{len(self)} matches of {str(self._query)!r}>"


class _Numbers(dict[tuple[str, str], int]):
    """Numbers words as they come."""

    def __missing__(self, word: tuple[str, str]) -> int:
        self[word] = number = len(self)
        return number


@dataclass(frozen=True, slots=True, eq=False)
class _Impact:
    """What a feature adds to the scores of `docs` (ascending), and the most it could add."""

    docs: Ints
    scores: Floats
    most: float

    def on(self, docs: Ints) -> Floats:
        """What it adds to each of some papers."""
        if not len(self.docs):
            return np.zeros(len(docs))
        at = self.docs.searchsorted(docs)
        return np.where(self.docs.take(at, mode="clip") == docs, self.scores.take(at, mode="clip"), 0.0)


class Index:
    """The papers of a day (or of a store), ready to be asked many queries.

    `likes` gives the paper behind each value of `like:`; a value without one matches nothing.
    Building it takes about 0.1 ms a paper, holding it about 3 kB a paper.
    """

    def __init__(self, papers: Iterable[Paper], likes: Mapping[str, Paper] | None = None) -> None:
        self.papers = tuple(papers)
        self._likes = likes or {}
        numbers = _Numbers({("", ""): 0})
        row, ends = array("i", [0]), array("i")
        for paper in self.papers:
            for text in (paper.title, paper.abstract):
                row.extend(map(numbers.__getitem__, terms.words(text)))
                row.append(0)
                ends.append(len(row))
        self._lay_out(row, ends, numbers)

    def _lay_out(self, row: array[int], ends: array[int], numbers: _Numbers) -> None:
        stems: dict[str, int] = {}
        self._stem_numbers = stems
        self._form_numbers = {form: number for number, (form, _) in enumerate(numbers)}
        stem_of = np.array([stems.setdefault(stem, len(stems)) for _, stem in numbers], np.int32)
        self._form = np.frombuffer(row, np.int32)
        self._stem = stem_of[self._form]
        self._stem_of = stem_of
        borders = np.array([1, *ends], np.int32)
        sizes = borders[1:] - borders[:-1]
        text = np.concatenate([[-1], np.repeat(np.arange(len(sizes)), sizes)]).astype(np.int32)
        self._doc = text >> 1
        self._weight = np.where(text & 1, 1.0, _TITLE).astype(np.float32)
        self._order = np.argsort(self._stem, kind="stable").astype(np.int32)
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(self._stem, minlength=len(stems)))])
        self._sizes = sizes
        length = (sizes[0::2] - 1) * _TITLE + (sizes[1::2] - 1)
        self._norm = _K1 * (1 - _B + _B * length / max(1.0, float(length.mean()))) if ends else np.zeros(0)
        self._everything = (1 << len(self.papers)) - 1
        self._sets: dict[Query, int] = {}
        self._leaves: dict[Query, tuple[list[_Impact], float]] = {}
        self._impacts: dict[Feature | Has, _Impact] = {}
        self._tables: dict[str, dict[str, list[int]]] = {}

    # The Boolean side: a set of papers is the bits of one integer.

    def match(self, query: Query) -> Matches:
        """The papers that satisfy the query, most relevant first, equal ones in the index's order."""
        return Matches(self, query, self._set(query))

    def scored(self, query: Query, bits: int) -> tuple[list[int], list[float], tuple[Query, ...]]:
        """The papers of a set by relevance, their relevance, the leaves of the query, telling first."""
        docs = _members(bits, len(self.papers))
        impacts, most = self._weighed(query)
        scores = np.zeros(len(docs))
        for impact in dict.fromkeys(impacts) if len(docs) else ():
            scores += impact.on(docs)
        order = np.argsort(-scores, kind="stable")
        relevance = np.minimum(scores[order] / (most or 1.0), 1.0)
        return docs[order].tolist(), relevance.tolist(), self._telling(query)

    def rank(self, query: Query, limit: int = 100) -> tuple[Match, ...]:
        """The papers that answer the query's words best, whether or not they satisfy it."""
        impacts, most = self._weighed(query)
        scores = np.zeros(len(self.papers))
        for impact in dict.fromkeys(impacts):
            scores[impact.docs] += impact.scores
        for name in self._other_names(query):
            docs, added, _ = self._bm25(self._row_hits(name), _ACRONYM)
            scores[docs] += added
        scores += self._echo(scores)
        best = _best(scores, limit)
        relevance = np.minimum(scores[best] / (most or 1.0), 1.0)
        telling = self._telling(query)
        pairs = zip(best.tolist(), relevance.tolist(), strict=True)
        return tuple(Match(self.papers[doc], score, telling) for doc, score in pairs)

    def holds(self, query: Query, paper: Paper) -> bool:
        """Whether one of the papers satisfies a query, or a part of one."""
        return bool(self._set(query) >> self.papers.index(paper) & 1)

    def explain(self, query: Query, paper: Paper) -> tuple[tuple[str, float], ...]:
        """The parts of a paper's relevance by name: each word and each two words in a row, largest first."""
        doc = self.papers.index(paper)
        _, most = self._weighed(query)
        parts = {}
        for feature in dict.fromkeys(_features(query)):
            added = self._impact(feature).on(np.array([doc], np.int32))[0]
            if added:
                parts[str(feature)] = float(added) / most
        return tuple(sorted(parts.items(), key=lambda part: -part[1]))

    def _telling(self, query: Query) -> tuple[Query, ...]:
        found = dict.fromkeys(leaves(query))
        return tuple(sorted(found, key=lambda leaf: self._set(leaf).bit_count()))

    def _set(self, query: Query) -> int:
        match query:
            case And(parts):
                found = self._everything
                for part in parts:
                    found &= self._set(part)
                return found
            case Or(parts):
                found = 0
                for part in parts:
                    found |= self._set(part)
                return found
            case Not(part):
                return self._everything & ~self._set(part)
        known = self._sets.get(query)
        if known is None:
            known = self._sets[query] = self._look_up(query)
        return known

    def _look_up(self, leaf: Query) -> int:
        match leaf:
            case Term() | Prefix():
                return self._bits(self._doc[self._hits(feature_of(leaf))])
            case Has("like"):
                return self._bits(self._impact(leaf).docs)
            case Has(field, asked):
                table = self._values(field)
                values = self._named.get(author_name(asked)[-1:], ()) if field == "author" else table
                found = [doc for value in filter(fits(leaf), values) for doc in table[value]]
                return self._bits(np.array(found, np.int32))
        raise TypeError(f"{leaf!r} is not a leaf of the query language")

    def _bits(self, docs: Ints) -> int:
        mask = np.zeros(len(self.papers), np.bool_)
        mask[docs] = True
        return int.from_bytes(np.packbits(mask, bitorder="little").tobytes(), "little")

    # Places: where the words of a feature stand.

    def _hits(self, feature: Feature) -> Ints:
        """The places where the feature begins, ascending."""
        if feature.prefix:
            return self._prefix_hits(feature)
        numbers = [self._stem_numbers.get(stem, -1) for stem in feature.stems]
        found = self._row_hits(numbers)
        if feature.literal:
            found = self._exact(found, feature)
        return self._in_field(found, feature.field)

    def _row_hits(self, numbers: list[int]) -> Ints:
        if -1 in numbers:
            return np.zeros(0, np.int32)
        rarest = min(range(len(numbers)), key=lambda at: self._places(numbers[at]).size)
        found = self._places(numbers[rarest]) - rarest
        for at, number in enumerate(numbers):
            if at != rarest:
                found = found[self._stem.take(found + at, mode="clip") == number]
        return found

    def _places(self, stem: int) -> Ints:
        return self._order[self._starts[stem] : self._starts[stem + 1]]

    def _exact(self, found: Ints, feature: Feature) -> Ints:
        for at, form in enumerate(feature.forms):
            found = found[self._form[found + at] == self._form_numbers.get(form, -1)]
        return found

    def _prefix_hits(self, feature: Feature) -> Ints:
        start, last = feature.forms[-1], len(feature.forms) - 1
        forms = self._sorted_forms
        reach = slice(bisect_left(forms, start), bisect_left(forms, f"{start}\U0010ffff"))
        numbers = [self._form_numbers[form] for form in forms[reach]]
        wanted = np.zeros(len(self._form_numbers), np.bool_)
        wanted[numbers] = True
        ends = [self._places(stem) for stem in np.unique(self._stem_of[numbers]).tolist()]
        found = np.sort(np.concatenate([np.zeros(0, np.int32), *ends]))
        found = found[wanted[self._form[found]]] - last
        for at, stem in enumerate(feature.stems[:-1]):
            found = found[self._stem.take(found + at, mode="clip") == self._stem_numbers.get(stem, -1)]
        return self._in_field(found, feature.field)

    @cached_property
    def _sorted_forms(self) -> list[str]:
        return sorted(self._form_numbers)

    def _in_field(self, found: Ints, field: str) -> Ints:
        if not field:
            return found
        in_title = self._weight[found] == _TITLE
        kept: Ints = found[in_title if field == "title" else ~in_title]
        return kept

    # The score: BM25 of each word and each two words in a row, exact forms above stemmed ones.

    def _impact(self, feature: Feature | Has) -> _Impact:
        known = self._impacts.get(feature)
        if known is None:
            made = self._having(feature) if isinstance(feature, Has) else self._weigh(feature)
            known = self._impacts[feature] = made
        return known

    def _having(self, leaf: Has) -> _Impact:
        """An author, a category, ... counts as a word in its exact form would, at its best."""
        if leaf.field == "like":
            return self._near(leaf.value)
        docs = _members(self._set(leaf), len(self.papers))
        most = _WORD_EXACT * self._rarity(len(docs)) * (_K1 + 1)
        return _Impact(docs, np.full(len(docs), most), most)

    def _weigh(self, feature: Feature) -> _Impact:
        one = len(feature.forms) == 1
        stem_share, exact_share = (_WORD_STEM, _WORD_EXACT) if one else (_PAIR_STEM, _PAIR_EXACT)
        hits = self._hits(feature)
        exact = hits if feature.literal or feature.prefix else self._exact(hits, feature)
        if feature.prefix or len(exact) == len(hits):
            return _Impact(*self._bm25(hits, stem_share + exact_share * (not feature.prefix)))
        docs, scores, most = self._bm25(hits, stem_share)
        exact_docs, exact_scores, exact_most = self._bm25(exact, exact_share)
        scores[docs.searchsorted(exact_docs)] += exact_scores
        return _Impact(docs, scores, most + exact_most)

    def _bm25(self, hits: Ints, share: float) -> tuple[Ints, Floats, float]:
        """The papers of some places, their BM25 times `share`, and the most that a paper could get."""
        if not len(hits):
            return np.zeros(0, np.int32), np.zeros(0), 0.0
        of = self._doc[hits]
        fresh = np.empty(len(of), np.bool_)
        fresh[0] = True
        np.not_equal(of[1:], of[:-1], out=fresh[1:])
        first = fresh.nonzero()[0]
        docs = of[first]
        often = np.add.reduceat(self._weight[hits], first)
        most = share * self._rarity(len(docs)) * (_K1 + 1)
        return docs, most * often / (often + self._norm[docs]), most

    def _rarity(self, docs: int) -> float:
        return math.log1p((len(self.papers) - docs + 0.5) / (docs + 0.5))

    def _weighed(self, query: Query) -> tuple[list[_Impact], float]:
        """What a score of the query adds up, and the score of a paper that could not answer it better."""
        match query:
            case Not():
                return [], 0.0
            case And(parts) | Or(parts):
                inside = [self._weighed(part) for part in parts]
                impacts = [impact for found, _ in inside for impact in found]
                if isinstance(query, Or):
                    return impacts, max(most for _, most in inside)
                beside = [self._impact(feature) for feature in _joints(parts)]
                most = sum(most for _, most in inside) + sum(impact.most for impact in beside)
                return impacts + beside, most
        known = self._leaves.get(query)
        if known is None:
            impacts = [self._impact(feature) for feature in _features(query)]
            known = self._leaves[query] = impacts, sum(impact.most for impact in impacts)
        return known

    # What the papers themselves teach: acronyms, and the words of the best answers.

    def _other_names(self, query: Query) -> Iterator[list[int]]:
        """ "rlhf" → reinforcement learning from human feedback, and the other way."""
        texts = (leaf.text for leaf in leaves(query) if isinstance(leaf, Term) and not leaf.literal)
        stems = tuple(stem for _, stem in terms.words(" ".join(texts)))
        names = [self._acronyms[stem] for stem in stems if stem in self._acronyms]
        for start in range(len(stems)):
            for end in range(start + 2, len(stems) + 1):
                names += [(short,) for short in self._written_out.get(stems[start:end], ())]
        for name in names:
            yield [self._stem_numbers.get(stem, -1) for stem in name]

    @cached_property
    def _acronyms(self) -> dict[str, tuple[str, ...]]:
        seen: defaultdict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
        for paper in self.papers:
            for text in (paper.title, paper.abstract):
                for short, written_out in _introduced(text):
                    seen[short][written_out] += 1
        best = {short: names.most_common(1)[0] for short, names in seen.items()}
        return {short: name for short, (name, often) in best.items() if often >= 3}

    @cached_property
    def _written_out(self) -> dict[tuple[str, ...], list[str]]:
        found: dict[tuple[str, ...], list[str]] = {}
        for short, name in self._acronyms.items():
            found.setdefault(name, []).append(short)
        return found

    def _echo(self, scores: Floats) -> Floats:
        """What the telling words of the best answers add (RM3 over the index itself)."""
        best = _best(scores, _FEEDBACK_PAPERS)
        added = np.zeros(len(scores))
        if not len(best):
            return added
        words = self._telling_stems(best, scores[best] / scores[best].sum(), _FEEDBACK_WORDS)
        total = sum(weight for _, weight in words) or 1.0
        for stem, weight in words:
            docs, more, _ = self._bm25(self._places(stem), weight / total)
            added[docs] += more
        return _FEEDBACK * added

    def _telling_stems(self, docs: Ints, shares: Floats, limit: int) -> list[tuple[int, float]]:
        """The rarest and most frequent words of some papers, weighted; not the words of a third of all."""
        rows = [slice(self._firsts[doc], self._firsts[doc + 1]) for doc in docs.tolist()]
        weights = [self._weight[row] * (self._stem[row] > 0) for row in rows]
        parts = [weight * (share / weight.sum()) for weight, share in zip(weights, shares, strict=True)]
        stems, which = np.unique(np.concatenate([self._stem[row] for row in rows]), return_inverse=True)
        often = np.bincount(which, np.concatenate(parts)) * self._rarities[stems]
        often *= self._spread[stems] < _COMMON * len(self.papers)
        best = np.argsort(-often, kind="stable")[:limit]
        return [(int(stems[at]), float(often[at])) for at in best if often[at] > 0]

    @cached_property
    def _firsts(self) -> list[int]:
        """Where each paper begins in the row, and the row's end."""
        pairs = self._sizes[0::2] + self._sizes[1::2]
        return [1, *(1 + np.cumsum(pairs)).tolist()]

    @cached_property
    def _spread(self) -> Ints:
        """In how many papers each stem stands."""
        stems, docs = self._stem[self._order], self._doc[self._order]
        fresh = np.concatenate([[True], (stems[1:] != stems[:-1]) | (docs[1:] != docs[:-1])])
        return np.bincount(stems[fresh], minlength=len(self._stem_numbers)).astype(np.int32)

    @cached_property
    def _rarities(self) -> Floats:
        return np.log1p((len(self.papers) - self._spread + 0.5) / (self._spread + 0.5))

    def _near(self, value: str) -> _Impact:
        """The papers that share enough of the telling words of the paper that `value` names; not itself."""
        model = self._likes.get(value)
        scores = np.zeros(len(self.papers))
        if model is None:
            return _Impact(np.zeros(0, np.int32), scores[:0], 0.0)
        weights = self._model(model)
        for stem, weight in weights.items():
            scores[np.unique(self._doc[self._places(stem)])] += weight
        total = sum(weights.values()) or 1.0
        near = np.flatnonzero(scores >= _LIKE_SHARE * total).astype(np.int32)
        near = near[[not _same(self.papers[doc], model) for doc in near.tolist()]] if len(near) else near
        return _Impact(near, scores[near], total)

    def _model(self, paper: Paper) -> dict[int, float]:
        often = Counter(stem for _, stem in terms.words(f"{paper.title}\n{paper.title}\n{paper.abstract}"))
        known = {number: often[stem] for stem in often if (number := self._stem_numbers.get(stem))}
        common = _COMMON * len(self.papers)
        weights = {
            stem: float(self._rarities[stem]) * count / (count + _K1)
            for stem, count in known.items()
            if self._spread[stem] <= max(1.0, common)
        }
        return dict(sorted(weights.items(), key=lambda item: -item[1])[:_LIKE_WORDS])

    def _values(self, field: str) -> dict[str, list[int]]:
        """The authors, categories, venues or feeds of all papers, each with its papers."""
        if field not in self._tables:
            table = self._tables[field] = {}
            for doc, paper in enumerate(self.papers):
                for value in values_of(paper, field):
                    table.setdefault(value, []).append(doc)
        return self._tables[field]

    @cached_property
    def _named(self) -> dict[tuple[str, ...], list[str]]:
        """The authors that have a word in their name."""
        found: dict[tuple[str, ...], list[str]] = {}
        for author in self._values("author"):
            for form in {form for form, _ in terms.words(author)}:
                found.setdefault((form,), []).append(author)
        return found


def _members(bits: int, size: int) -> Ints:
    """The numbers of the papers in a set, ascending."""
    if not bits:
        return np.zeros(0, np.int32)
    raw = np.frombuffer(bits.to_bytes(size + 7 >> 3, "little"), np.uint8)
    return np.flatnonzero(np.unpackbits(raw, bitorder="little")).astype(np.int32)


def _best(scores: Floats, limit: int) -> Ints:
    """The numbers of the highest scores above 0, highest first."""
    best = np.argsort(-scores, kind="stable")[:limit]
    return best[scores[best] > 0].astype(np.int32)


def _features(query: Query) -> Iterator[Feature | Has]:
    """What a score of the query counts."""
    match query:
        case Term():
            yield from _word_features(feature_of(query))
        case Prefix():
            whole = feature_of(query)
            yield from _word_features(Feature(whole.forms[:-1], whole.stems[:-1], field=whole.field))
            yield Feature(whole.forms[-1:], whole.stems[-1:], prefix=True, field=whole.field)
        case Has():
            yield query
        case Or(parts):
            for part in parts:
                yield from _features(part)
        case And(parts):
            for part in parts:
                yield from _features(part)
            yield from _joints(parts)


def _word_features(whole: Feature) -> Iterator[Feature]:
    for size in (1, 2):
        for at in range(len(whole.forms) - size + 1):
            here = slice(at, at + size)
            yield Feature(whole.forms[here], whole.stems[here], whole.literal, field=whole.field)


def _joints(parts: tuple[Query, ...]) -> Iterator[Feature]:
    """The last word of each Term beside the first of the next."""
    for before, after in pairwise(parts):
        if isinstance(before, Term) and isinstance(after, Term) and before.field == after.field:
            one, other = feature_of(before), feature_of(after)
            forms, stems = one.forms[-1:] + other.forms[:1], one.stems[-1:] + other.stems[:1]
            yield Feature(forms, stems, one.literal and other.literal, field=one.field)


def _same(paper: Paper, other: Paper) -> bool:
    if set(paper.identifiers) & set(other.identifiers):
        return True
    return (folded(paper.title), paper.abstract) == (folded(other.title), other.abstract)


_INTRODUCTION = re.compile(r"\(\s*([A-Z][A-Za-z0-9]{1,7}?)s?\s*\)")
_SKIPPED = frozenset("of from for and with the to in on a".split())


def _introduced(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """ "large language models (LLMs)" → llm and its stems."""
    for found in _INTRODUCTION.finditer(text):
        letters = [char.lower() for char in found[1] if char.isupper()]
        before = terms.words(text[max(0, found.start() - 120) : found.start()])
        for size in range(len(letters), len(letters) + 3):
            name = before[-size:]
            initials = [form[0] for form, _ in name if form not in _SKIPPED]
            if len(name) == size > 1 and letters in (initials, [form[0] for form, _ in name]):
                yield found[1].lower(), tuple(stem for _, stem in name)
                break
