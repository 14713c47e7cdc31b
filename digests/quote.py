"""What a digest quotes of an abstract: the summary, and the sentence that shows why the paper matched."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from digests import summary, terms
from digests.cues import is_further, is_own, is_question
from digests.digest import Span
from digests.evidence import marks
from digests.paper import Paper
from digests.query import Query
from digests.sentences import roots, sentences
from digests.text import clip
from digests.trimming import trim

NEAR = 0.4
"""So far below the best sentence one with a matched word may score and still be the summary.

Measured by tests/benchmarks/query_aware.py; a model that scores on another scale needs another number.
"""
LONGEST_SNIPPET = 160


@dataclass(frozen=True, slots=True)
class Quote:
    """The summary and, if no matched word is in it, the snippet; each with its matched words marked."""

    summary: str
    marks: tuple[Span, ...] = ()
    snippet: str = ""
    snippet_marks: tuple[Span, ...] = ()


def quote(query: Query, paper: Paper, chosen: tuple[str, ...], near: float = NEAR) -> Quote:
    """What a paper says to those who asked: `chosen` is its summary whoever asks.

    Where that has no matched word, a sentence that has one takes its place if it scores nearly as well, is no
    question, nothing told besides, and no background where the other was the paper's own; else the best of
    them is the snippet.
    """
    told = " ".join(chosen)
    if found := marks(query, told):
        return Quote(told, found)
    scores = _scores(paper.abstract, paper.title)
    showing = {text: found for text in scores if (found := marks(query, text))}
    if not showing:
        return Quote(told)
    best = max(showing, key=lambda text: (not is_question(text), scores[text]))
    is_near = len(chosen) == 1 and scores[best] >= max(scores.values()) - near
    is_less = is_question(best) or is_further(best.lower(), roots(best)) or _is_own(best) < _is_own(told)
    if is_near and not is_less:
        short = trim(best)
        shown = marks(query, short)
        return Quote(short, shown) if shown else Quote(best, showing[best])
    snippet = _around(best, *showing[best][0])
    return Quote(told, (), snippet, marks(query, snippet))


def _is_own(text: str) -> bool:
    low = text.lower()
    return is_own(low, roots(low))


_CLAUSE = re.compile(r"[,;:—] ")


@lru_cache(maxsize=2048)
def _scores(abstract: str, title: str) -> Mapping[str, float]:
    """How well each sentence would stand for the abstract; kept, as many channels are shown one paper."""
    texts = sentences(abstract)[: summary.MOST_SENTENCES]
    return dict(zip(texts, summary.rate(texts, title), strict=True))


def _around(text: str, start: int, end: int) -> str:
    """As much of a sentence around one of its words as a snippet may hold, cut at words.

    From its beginning if that has the word, else from the first clause that has: cut elsewhere it may say the
    contrary, as of "Unlike works that …, we …".
    """
    whole = clip(text, LONGEST_SNIPPET)
    if whole == text or end < len(whole):
        return whole
    for clause in _CLAUSE.finditer(text, max(0, end - LONGEST_SNIPPET + 2), start):
        found = "…" + clip(text[clause.end() :], LONGEST_SNIPPET - 1)
        if end - clause.end() < len(found) - 1:
            return found
    room = LONGEST_SNIPPET - (end - start) - 2
    early = min(start - room // 3, len(text) - LONGEST_SNIPPET + 1)
    if early <= 0:
        return clip(text, LONGEST_SNIPPET)
    space = text.find(" ", early - 1, start)
    starts = (at for at, _ in terms.places(text) if at >= early)
    begin = space + 1 if space >= 0 else min(next(starts, start), start)
    return "…" + clip(text[begin:], LONGEST_SNIPPET - 1)
