"""Crossref's works in JSON: a page of them or one."""

from __future__ import annotations

from collections.abc import Iterator

from digests import json_values
from digests.feed import Part, Refused
from digests.formats._dates import parts_to_iso
from digests.formats._fields import authors
from digests.json_values import text, texts
from digests.paper import Entry

name = "crossref"
order = 10

_DATES = ("published", "published-online", "published-print", "posted", "issued")


def recognizes(url: str, body: bytes) -> bool:
    """Objects with a `DOI`, or Crossref's envelope around none."""
    shape = json_values.shape(body)
    return not shape.isdisjoint({"DOI", "items[].DOI", "message.DOI", "message.items[].DOI", "message-type"})


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The works, abstracts in JATS."""
    answer = json_values.load(body, name)
    message = json_values.member(answer, "message") or answer
    works = (
        json_values.sequence(message, "items")
        if json_values.member(message, "items") is not None
        else [message]
    )
    for number, work in enumerate(works, start=1):
        yield _entry(work) or Refused(f"item {number}", "has neither a title nor an abstract")


def _entry(work: object) -> Entry | None:
    title, abstract, doi = text(work, "title"), text(work, "abstract"), text(work, "DOI")
    if not title and not abstract:
        return None
    url = text(work, "URL")
    return Entry(
        title=title,
        abstract=abstract,
        authors=authors(json_values.sequence(work, "author")),
        links=(url,) if url else (),
        identifiers=(f"doi:{doi}",) if doi else (),
        published=next(filter(None, (_date(work, key) for key in _DATES)), ""),
        venue=text(work, "container-title"),
        categories=texts(work, "subject"),
    )


def _date(work: object, key: str) -> str:
    """The date of {"date-parts": [[2025, 3]]}."""
    rows = json_values.sequence(work, key, "date-parts")
    parts = [json_values.text(part) for part in rows[0]] if rows and isinstance(rows[0], list) else []
    return parts_to_iso(*parts[:3]) if parts else ""
