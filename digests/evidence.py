"""Why a paper matched: the words, and where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from digests import terms
from digests.digest import Span
from digests.leaf import Feature, feature_of, fits, values_of
from digests.paper import Paper
from digests.query import Has, Prefix, Query, Term, leaves


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why a paper matched: the leaves of the query that it satisfies, most telling first."""

    paper: Paper
    leaves: tuple[Query, ...]

    def spans(self, field: str) -> tuple[Span, ...]:
        """Where the matched words stand in "title" or "abstract": ascending, apart from one another."""
        return _spans(self.leaves, getattr(self.paper, field), field)

    @property
    def words(self) -> tuple[str, ...]:
        """The matched words as they stand in the paper, each once, a phrase as the phrase.

        Where one stands there as asked for, or not as titles write it, so it is shown.
        """
        shown: dict[frozenset[str], str] = {}
        for text in self._found():
            stems = frozenset(stem for _, stem in terms.words(text))
            if not any(stems <= other for other in shown):
                shown[stems] = text if text.count("(") == text.count(")") else _unbracketed(text)
        return tuple(shown.values())

    def _found(self) -> Iterator[str]:
        rows = {"title": _Row(self.paper.title), "abstract": _Row(self.paper.abstract)}
        for leaf in self.leaves:
            if isinstance(leaf, Has):
                yield from _having(leaf, self.paper)
            else:
                spans = [(row.text, *span) for field, row in rows.items() for span in row.spans(leaf, field)]
                found = [" ".join(text[start:end].split()) for text, start, end in spans]
                yield from sorted(found, key=lambda text: (not _as_asked(leaf, text), text != text.lower()))


def _unbracketed(text: str) -> str:
    """A phrase that a bracket ends or begins within: "offline) learning" → "offline learning"."""
    return text.translate({ord("("): None, ord(")"): None})


def marks(query: Query, text: str, field: str = "abstract") -> tuple[Span, ...]:
    """Where the words that the query asks for stand in a text, such as a sentence of the abstract."""
    return _spans(tuple(leaves(query)), text, field)


def _spans(wanted: Iterable[Query], text: str, field: str) -> tuple[Span, ...]:
    row = _Row(text)
    merged: list[Span] = []
    for start, end in sorted(span for leaf in wanted for span in row.spans(leaf, field)):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return tuple(merged)


class _Row:
    """The words of one text, where the leaves of a query are looked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        words = terms.words(text)
        self._forms = [form for form, _ in words]
        self._stems = [stem for _, stem in words]
        self._places = terms.places(text)

    def spans(self, leaf: Query, field: str) -> Iterator[Span]:
        """Where a leaf matches in the text, which is the paper's `field`."""
        if not isinstance(leaf, Term | Prefix) or leaf.field not in ("", field):
            return
        feature = feature_of(leaf)
        last = len(feature.forms) - 1
        for at in self._starts(feature):
            yield self._places[at][0], self._places[at + last][1]

    def _starts(self, feature: Feature) -> Iterable[int]:
        last = len(feature.forms) - 1
        wanted, row = (feature.forms, self._forms) if feature.literal else (feature.stems, self._stems)
        found: Iterable[int] = range(len(row) - last)
        for step, word in enumerate(wanted):
            if feature.prefix and step == last:
                found = [at for at in found if self._forms[at + step].startswith(feature.forms[last])]
            else:
                found = [at for at in found if row[at + step] == word]
        return found


def _as_asked(leaf: Query, text: str) -> bool:
    return isinstance(leaf, Term) and feature_of(leaf).forms == tuple(form for form, _ in terms.words(text))


def _having(leaf: Has, paper: Paper) -> tuple[str, ...]:
    """The authors, categories, ... of the paper that the leaf asks for."""
    if leaf.field == "like":
        return (f"like {leaf.value}",)
    return tuple(filter(fits(leaf), values_of(paper, leaf.field)))
