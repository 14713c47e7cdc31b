"""Finds a language's own words in what a platform shows."""

from __future__ import annotations

import re
from dataclasses import fields

from digests.phrases import ENGLISH, Phrases

LEAST = 4
"""Shorter words may be anything: "new" stands in "news"."""


def english_in(shown: str) -> set[str]:
    """The English phrases, without what is put into them, that stand in a text."""
    texts = [getattr(ENGLISH, field.name) for field in fields(Phrases) if field.type == "str"]
    pieces = {piece.strip() for text in texts for piece in re.split(r"{.*?}|\|", text)}
    return {piece for piece in pieces if len(piece) >= LEAST and re.search(rf"\b{re.escape(piece)}\b", shown)}
