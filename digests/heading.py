"""Headings for untitled papers: the name that the abstract introduces, else its topic in its own words."""

from __future__ import annotations

from math import inf
from operator import itemgetter

from digests.names import introduced
from digests.sentences import sentences as split
from digests.summary import MOST_SENTENCES, rate
from digests.text import clip
from digests.topics import LONGEST, MOST_WORTH, topic


def heading(abstract: str) -> str:
    """The name that the abstract introduces, else its topic in its own words; "" for no abstract."""
    texts = [" ".join(text.split()) for text in split(abstract)[:MOST_SENTENCES]]
    name = introduced(texts)
    if name or not texts:
        return clip(name, LONGEST)
    best: tuple[float, str] = (-inf, "")
    for score, text in sorted(zip(rate(texts), texts, strict=True), key=itemgetter(0), reverse=True):
        if score + MOST_WORTH <= best[0]:
            break
        found = topic(text)
        best = max(best, (score + found.worth, found.short()), key=itemgetter(0))
    return best[1]
