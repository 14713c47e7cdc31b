"""Many queries against many papers: which match, and how well.

An Index holds the day's papers as one row of numbered words, a gap between texts, so that every question is
answered from the places where a word stands: which papers, how often, in which form, beside which other word.
Each leaf of a query is looked up once per Index, whoever asks it; Boolean operations work on whole sets.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, repeat
from operator import itemgetter
from typing import TypeVar, overload

import numpy as np

from digests import terms
from digests.acronyms import other_names
from digests.author import author_name
from digests.evidence import Evidence
from digests.leaf import Feature, feature_of, fits, folded, values_of
from digests.likeness import Floats, Ints, Profiles, rarity
from digests.paper import Paper
from digests.query import And, Has, Not, Or, Prefix, Query, Term, leaves

_Length = TypeVar("_Length", float, Floats)

# BM25 over title and abstract; measured on the keywords set, see tests/benchmarks/matching.py
_TITLE = 3.0
_K1, _B = 1.6, 0.4
_WORD_EXACT, _WORD_STEM = 1.0, 0.5
_PAIR_EXACT, _PAIR_STEM = 1.5, 0.5
_ACRONYM = 1.0

# "self-supervised" is not "supervised": a word that a hyphen ties to one before it, for which the query does
# not ask, counts so much. On held-out halves of the keywords set P@10 +.001, nDCG@10 +.004, R@100 +.003
_TIED = 0.1

# This share of relevance is likeness to the best answers
_ALIKE = 0.6


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
            return tuple(map(Match, map(papers.__getitem__, docs[at]), relevance[at], repeat(telling)))
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
    """What a part of a query adds to `docs` (ascending), and the most it could add.

    `tie` is the stem of its first word if a hyphen ties its second word to that somewhere, else 0.
    """

    part: Feature | Has
    docs: Ints
    scores: Floats
    most: float
    tie: int = 0


class Index:
    """The papers of a day (or of a store), ready to be asked many queries.

    `likes` gives the paper behind each value of `like:`; a value without one matches nothing.
    Building it takes about 0.1 ms a paper, holding it about 3 kB a paper.
    """

    def __init__(self, papers: Iterable[Paper], likes: Mapping[str, Paper] | None = None) -> None:
        self.papers = tuple(papers)
        self._likes = likes or {}
        numbers = _Numbers({("", ""): 0})
        row, ends, tied = array("i", [0]), array("i"), array("i")
        for paper in self.papers:
            for text in (paper.title, paper.abstract):
                before = ""
                for piece in text.split("-"):
                    if before[-1:].isalnum() and piece[:1].isalnum():
                        tied.append(len(row))
                    row.extend(map(numbers.__getitem__, terms.words(piece)))
                    before = piece
                row.append(0)
                ends.append(len(row))
        self._lay_out(row, ends, tied, numbers)

    def _lay_out(self, row: array[int], ends: array[int], tied: array[int], numbers: _Numbers) -> None:
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
        self._alone = self._weight.copy()
        self._alone[tied] *= _TIED
        self._order = np.argsort(self._stem, kind="stable").astype(np.int32)
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(self._stem, minlength=len(stems)))])
        length = (sizes[0::2] - 1) * _TITLE + (sizes[1::2] - 1)
        self._ordinary = max(1.0, float(length.mean())) if ends else 1.0
        self._norm = self._norm_of(length)
        self._everything = (1 << len(self.papers)) - 1
        self._forget()

    def _norm_of(self, length: _Length) -> _Length:
        """What BM25 adds to how often a paper of this length has a word."""
        return _K1 * (1 - _B + _B * length / self._ordinary)

    def _forget(self) -> None:
        self._sets: dict[Query, int] = {}
        self._leaves: dict[Query, tuple[list[_Impact], float]] = {}
        self._impacts: dict[tuple[Feature | Has, tuple[int, ...]], _Impact] = {}
        self._names: dict[Feature, _Impact] = {}
        self._tables: dict[str, dict[str, list[int]]] = {}

    def anew(self, likes: Mapping[str, Paper]) -> Index:
        """The same papers, for another thread or other `likes`: nothing asked before is remembered.

        What the papers alone tell is found out once for all of these.
        """
        _ = self._profiles, self._sorted_forms, self._acronyms, self._name_sizes  # seconds, else for each
        other = copy(self)
        other._likes = likes
        other._forget()
        return other

    # The Boolean side: a set of papers is the bits of one integer.

    def match(self, query: Query) -> Matches:
        """The papers that satisfy the query, most relevant first, equal ones in the index's order."""
        return Matches(self, query, self._set(query))

    def scored(self, query: Query, bits: int) -> tuple[list[int], list[float], tuple[Query, ...]]:
        """The papers of a set by relevance, their relevance, the leaves of the query, telling first."""
        if not bits:
            return [], [], ()
        docs = _members(bits, len(self.papers))
        words, near = self._scores(query, docs)
        scores = words + near
        order = np.argsort(-scores, kind="stable")
        return docs[order].tolist(), np.minimum(scores[order], 1.0).tolist(), self._telling(query)

    def rank(self, query: Query, limit: int = 100) -> tuple[Match, ...]:
        """The papers with the best scores for the query, whether or not they satisfy it."""
        words, near = self._scores(query, np.arange(len(self.papers), dtype=np.int32))
        scores = words + near
        best = np.argsort(-scores, kind="stable")[:limit]
        best = best[scores[best] > 0]
        telling = self._telling(query)
        pairs = zip(best.tolist(), np.minimum(scores[best], 1.0).tolist(), strict=True)
        return tuple(Match(self.papers[doc], score, telling) for doc, score in pairs)

    def holds(self, query: Query, paper: Paper) -> bool:
        """Whether one of the papers satisfies a query, or a part of one."""
        return bool(self._set(query) >> self.papers.index(paper) & 1)

    def explain(self, query: Query, paper: Paper) -> tuple[tuple[str, float], ...]:
        """The parts of a match's relevance by name, largest first.

        Each word and each two words in a row, the other name of an acronym, the likeness to the best matches.
        """
        doc = self.papers.index(paper)
        impacts, most = self._parts(query)
        parts: defaultdict[str, float] = defaultdict(float)
        for impact in impacts:
            parts[self._label(impact)] += float(impact.scores[impact.docs == doc].sum()) / most
        docs = _members(self._set(query), len(self.papers))
        _, near = self._scores(query, docs)
        parts["likeness to the best matches"] = float(near[docs == doc].sum())
        return tuple(sorted(filter(itemgetter(1), parts.items()), key=itemgetter(1), reverse=True))

    def _label(self, impact: _Impact) -> str:
        """A part of a score for readers; "lm (acronym)" where the query asks for language models."""
        part = impact.part
        if isinstance(part, Has) or self._names.get(part) is not impact:
            return str(part)
        return f"{part} ({'acronym' if len(part.forms) == 1 else 'in full'})"

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

    # The score: BM25 of each word and each two words in a row, exact forms above stemmed ones; then what the
    # papers themselves teach: acronyms, and the words that the best answers have in common.

    def _scores(self, query: Query, docs: Ints) -> tuple[Floats, Floats]:
        """What their words, and likeness to the best of them, give some papers.

        Together 0 to 1, and more where a paper has several alternatives of an OR.
        """
        impacts, most = self._parts(query) if len(docs) else ((), 1.0)
        if not impacts:
            return np.zeros(len(docs)), np.zeros(len(docs))
        where, what = zip(*((impact.docs, impact.scores) for impact in impacts), strict=True)
        words = np.bincount(np.concatenate(where), np.concatenate(what), len(self.papers))[docs] / most
        return words, _ALIKE * self._echo(docs, words)

    def _parts(self, query: Query) -> tuple[list[_Impact], float]:
        """What a score of the query adds up, each part once, and what a paper is divided by."""
        found, most = self._weighed(query)
        impacts = list(dict.fromkeys(found))
        if any(impact.tie for impact in impacts):
            impacts = self._untied(impacts)
        names = tuple(self._other_names(query))
        most += sum(name.most for name in names)
        return [*impacts, *names], most / (1 - _ALIKE) or 1.0

    def _untied(self, impacts: list[_Impact]) -> list[_Impact]:
        """The same, each word counted in full after those that the query has before it as well."""
        before: defaultdict[str, tuple[int, ...]] = defaultdict(tuple)
        for impact in impacts:
            if impact.tie and isinstance(impact.part, Feature):
                before[impact.part.stems[1]] += (impact.tie,)
        words = (
            (impact, impact.part.stems[0] if isinstance(impact.part, Feature) else "") for impact in impacts
        )
        return [
            self._impact(impact.part, before[word]) if word in before else impact for impact, word in words
        ]

    def _impact(self, part: Feature | Has, after: tuple[int, ...] = ()) -> _Impact:
        known = self._impacts.get((part, after))
        if known is None:
            made = self._having(part) if isinstance(part, Has) else self._weigh(part, after)
            known = self._impacts[part, after] = made
        return known

    def _having(self, leaf: Has) -> _Impact:
        """An author, a category, ... counts as a word in its exact form at its best; likeness by degree."""
        if leaf.field == "like":
            docs, degree = self._near(leaf.value)
        else:
            docs = _members(self._set(leaf), len(self.papers))
            degree = np.ones(len(docs))
        most = _WORD_EXACT * self._rarity(len(docs)) * (_K1 + 1)
        return _Impact(leaf, docs, most * degree, most)

    def _weigh(self, feature: Feature, after: tuple[int, ...]) -> _Impact:
        one = len(feature.forms) == 1
        stem_share, exact_share = (_WORD_STEM, _WORD_EXACT) if one else (_PAIR_STEM, _PAIR_EXACT)
        hits = self._hits(feature)
        exact = hits if feature.literal or feature.prefix or not len(hits) else self._exact(hits, feature)
        if feature.prefix or len(exact) == len(hits):
            share = stem_share + exact_share * (not feature.prefix)
            return _Impact(feature, *self._bm25(hits, share, after), self._tie(feature, hits))
        docs, scores, most = self._bm25(hits, stem_share, after)
        exact_docs, exact_scores, exact_most = self._bm25(exact, exact_share, after)
        scores[docs.searchsorted(exact_docs)] += exact_scores
        return _Impact(feature, docs, scores, most + exact_most, self._tie(feature, hits))

    def _tie(self, feature: Feature, hits: Ints) -> int:
        """See `_Impact`."""
        tied = len(feature.stems) == 2 and len(hits) and (self._alone[hits + 1] < 1).any()
        return self._stem_numbers[feature.stems[0]] if tied else 0

    def _bm25(self, hits: Ints, share: float, after: tuple[int, ...] = ()) -> tuple[Ints, Floats, float]:
        """The papers of some places, their BM25 times `share`, and the most that a paper could get."""
        if not len(hits):
            return np.zeros(0, np.int32), np.zeros(0), 0.0
        of = self._doc[hits]
        fresh = np.empty(len(of), np.bool_)
        fresh[0] = True
        np.not_equal(of[1:], of[:-1], out=fresh[1:])
        first = fresh.nonzero()[0]
        docs = of[first]
        weight = self._alone[hits]
        if after:
            weight = np.where(np.isin(self._stem[hits - 1], after), self._weight[hits], weight)
        often = np.add.reduceat(weight, first)
        most = share * self._rarity(len(docs)) * (_K1 + 1)
        return docs, most * often / (often + self._norm[docs]), most

    def _rarity(self, docs: int) -> float:
        return rarity(docs, len(self.papers))

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

    def _other_names(self, query: Query) -> Iterator[_Impact]:
        """ "rlhf" → reinforcement learning from human feedback, and the other way."""
        loose = [
            leaf for leaf in leaves(query) if isinstance(leaf, Term) and not (leaf.literal or leaf.field)
        ]
        stems = [stem for leaf in loose for stem in feature_of(leaf).stems]
        asked = dict.fromkeys(
            tuple(stems[start : start + size])
            for start, stem in enumerate(stems)
            for size in self._name_sizes.get(stem, ())
        )
        for name in dict.fromkeys(name for words in asked for name in self._acronyms.get(words, ())):
            if name.stems not in asked:
                yield self._name(name)

    def _name(self, name: Feature) -> _Impact:
        known = self._names.get(name)
        if known is None:
            places = self._row_hits([self._stem_numbers.get(stem, -1) for stem in name.stems])
            known = self._names[name] = _Impact(name, *self._bm25(places, _ACRONYM))
        return known

    @cached_property
    def _name_sizes(self) -> dict[str, list[int]]:
        """How many words the names have that begin with a stem."""
        sizes: dict[str, list[int]] = {}
        for stems in self._acronyms:
            sizes.setdefault(stems[0], []).append(len(stems))
        return sizes

    @cached_property
    def _acronyms(self) -> Mapping[tuple[str, ...], Sequence[Feature]]:
        return other_names(text for paper in self.papers for text in (paper.title, paper.abstract))

    def _echo(self, docs: Ints, words: Floats) -> Floats:
        """How like each of some papers is to the best of the others: 0 to 1."""
        if np.count_nonzero(words) < 2:  # then no profiles have to be made, which takes a while
            return np.zeros(len(docs))
        return self._profiles.echo(docs, words)

    def _near(self, value: str) -> tuple[Ints, Floats]:
        """The papers like the one that `value` names, not itself, and how like it they are."""
        model = self._likes.get(value)
        if model is None or not self.papers:
            return np.zeros(0, np.int32), np.zeros(0)
        often: defaultdict[str, float] = defaultdict(float)
        for text, weight in ((model.title, _TITLE), (model.abstract, 1.0)):
            for _, stem in terms.words(text):
                often[stem] += weight
        near, likeness = self._profiles.near(often, self._norm_of(sum(often.values())))
        docs = [doc for doc in near if not _same(self.papers[doc], model)]
        return np.array(docs, np.int32), likeness[docs]

    @cached_property
    def _profiles(self) -> Profiles:
        words, known = self._stem > 0, len(self._stem_numbers)
        pairs, which = np.unique(self._doc[words] * np.int64(known) + self._stem[words], return_inverse=True)
        often = np.bincount(which, self._weight[words], len(pairs)).astype(np.float64, copy=False)
        return Profiles(self._stem_numbers, pairs // known, pairs % known, often, self._norm)

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


def _features(leaf: Query) -> Iterator[Feature | Has]:
    """What a score of a leaf counts."""
    match leaf:
        case Term():
            yield from _word_features(feature_of(leaf))
        case Prefix():
            whole = feature_of(leaf)
            yield from _word_features(Feature(whole.forms[:-1], whole.stems[:-1], field=whole.field))
            yield Feature(whole.forms[-1:], whole.stems[-1:], prefix=True, field=whole.field)
        case Has():
            yield leaf


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
    """Whether two are one paper to a reader: another version's abstract may differ."""
    if set(paper.identifiers) & set(other.identifiers):
        return True
    return (folded(paper.title) or paper.abstract) == (folded(other.title) or other.abstract)
