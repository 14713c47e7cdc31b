"""Hugging Face's daily papers."""

from __future__ import annotations

from collections.abc import Iterator

from digests import json_values
from digests.feed import Part, Refused
from digests.formats._dates import iso
from digests.json_values import text, texts
from digests.paper import Entry

name = "huggingface"
order = 10


def recognizes(url: str, body: bytes) -> bool:
    """A list of objects that hold a paper each."""
    return "[].paper.title" in json_values.shape(body)


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The papers of the day, all of them arXiv's."""
    days = json_values.load(body, name)
    for number, day in enumerate(days if isinstance(days, list) else (), start=1):
        yield _entry(json_values.member(day, "paper")) or Refused(
            f"item {number}", "has neither a title nor a summary"
        )


def _entry(paper: object) -> Entry | None:
    title, abstract, identifier = text(paper, "title"), text(paper, "summary"), text(paper, "id")
    if not title and not abstract:
        return None
    return Entry(
        title=title,
        abstract=abstract,
        authors=tuple(
            filter(None, (text(author, "name") for author in json_values.sequence(paper, "authors")))
        ),
        links=(f"https://arxiv.org/abs/{identifier}",) if identifier else (),
        identifiers=(f"arXiv:{identifier}",) if identifier else (),
        published=iso(text(paper, "publishedAt")),
        categories=texts(paper, "ai_keywords"),
    )
