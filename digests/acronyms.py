"""Acronyms: the short names that papers introduce, and what they stand for."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from digests import terms
from digests.leaf import Feature

_OFTEN = 3
"""A short name that fewer texts introduce is one paper's own."""


def other_names(texts: Iterable[str]) -> Mapping[tuple[str, ...], Sequence[Feature]]:
    """The stems of an acronym → its words in full, and the other way; of several meanings the commonest."""
    seen: defaultdict[tuple[str, ...], Counter[tuple[str, ...]]] = defaultdict(Counter)
    named: dict[tuple[str, ...], Feature] = {}
    for text in texts:
        for short, in_full in _introduced(text):
            seen[short.stems][in_full.stems] += 1
            named.setdefault(short.stems, short)
            named.setdefault(in_full.stems, in_full)
    found: dict[tuple[str, ...], list[Feature]] = {}
    for short_stems, names in seen.items():
        ((stems, often),) = names.most_common(1)
        if often >= _OFTEN:
            found.setdefault(short_stems, []).append(named[stems])
            found.setdefault(stems, []).append(named[short_stems])
    return found


_INTRODUCTION = re.compile(r"\(\s*([A-Z][A-Za-z0-9]{1,7}?)s?\s*\)")
_SKIPPED = frozenset("of from for and with the to in on a".split())


def _introduced(text: str) -> Iterator[tuple[Feature, Feature]]:
    """ "large language models (LLMs)" → llm; large language models."""
    for found in _INTRODUCTION.finditer(text):
        letters = [char.lower() for char in found[1] if char.isupper()]
        before = terms.words(text[max(0, found.start() - 120) : found.start()])
        for size in range(len(letters), len(letters) + 3):
            name = before[-size:]
            initials = [form[0] for form, _ in name if form not in _SKIPPED]
            if len(name) == size > 1 and letters in (initials, [form[0] for form, _ in name]):
                yield _named(terms.words(found[1])), _named(name)
                break


def _named(words: Sequence[tuple[str, str]]) -> Feature:
    return Feature(tuple(form for form, _ in words), tuple(stem for _, stem in words))
