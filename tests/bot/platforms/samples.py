"""What the platforms' sample digests are made of."""

from __future__ import annotations

from typing import Any

from digests.digest import Item, Span
from digests.paper import PaperId


def item(number: int, heading: str, summary: str, matched: str, authors: str, **fields: Any) -> Item:
    """An item; words of `matched` that stand in the summary or in the snippet are marked."""
    words = tuple(matched.split(", "))
    values: dict[str, Any] = {
        "link": f"https://arxiv.org/abs/2611.{number:05}",
        "authors": tuple(authors.split(", ")),
        "source": "arXiv",
        "marks": _marks(summary, words),
        "snippet_marks": _marks(str(fields.get("snippet", "")), words),
        "matched": words,
    }
    return Item(PaperId(number), heading, summary=summary, **{**values, **fields})


def _marks(text: str, words: tuple[str, ...]) -> tuple[Span, ...]:
    """Where the words stand in a text, each where it stands first."""
    starts = [(text.lower().find(word.lower()), len(word)) for word in words]
    return tuple((at, at + length) for at, length in sorted(starts) if at >= 0)
