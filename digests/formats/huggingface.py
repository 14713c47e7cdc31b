"""Hugging Face's daily papers."""

from __future__ import annotations

from collections.abc import Iterator

from digests.feed import Part, Refused
from digests.formats import _json
from digests.formats._dates import iso
from digests.formats._json import text, texts
from digests.paper import Entry

name = "huggingface"
order = 10


def recognizes(url: str, body: bytes) -> bool:
    """A list of objects that hold a paper each."""
    return "[].paper.title" in _json.shape(body)


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The papers of the day, all of them arXiv's."""
    days = _json.load(body, name)
    for number, day in enumerate(days if isinstance(days, list) else (), start=1):
        yield _entry(_json.member(day, "paper")) or Refused(
            f"item {number}", "has neither a title nor a summary"
        )


def _entry(paper: object) -> Entry | None:
    title, abstract, identifier = text(paper, "title"), text(paper, "summary"), text(paper, "id")
    if not title and not abstract:
        return None
    return Entry(
        title=title,
        abstract=abstract,
        authors=tuple(filter(None, (text(author, "name") for author in _json.sequence(paper, "authors")))),
        links=(f"https://arxiv.org/abs/{identifier}",) if identifier else (),
        identifiers=(f"arXiv:{identifier}",) if identifier else (),
        published=iso(text(paper, "publishedAt")),
        categories=texts(paper, "ai_keywords"),
    )
