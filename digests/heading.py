"""Headings for untitled papers: the name that the abstract introduces, else how it says what was done."""

from __future__ import annotations

from typing import Final

from digests.names import introduced
from digests.sentences import sentences as split
from digests.summary import MOST_SENTENCES, rate
from digests.text import clip
from digests.trimming import trim

LONGEST_HEADING: Final = 80


def heading(abstract: str) -> str:
    """The name that the abstract introduces, else how its best sentence begins; "" for no abstract."""
    texts = [" ".join(text.split()) for text in split(abstract)[:MOST_SENTENCES]]
    name = introduced(texts)
    if name or not texts:
        return clip(name, LONGEST_HEADING)
    scores = rate(texts)
    return clip(trim(texts[scores.index(max(scores))]), LONGEST_HEADING)
