"""dblp's records in XML."""

from __future__ import annotations

import re
from collections.abc import Iterator

from digests.decoding import head
from digests.feed import Part, Refused, Remark
from digests.formats import _xml
from digests.formats._dates import iso
from digests.formats._xml import Element, every, first
from digests.paper import Entry

name = "dblp"
order = 15

_RECORDS = ("article", "inproceedings", "incollection", "book", "phdthesis")
_KEYED = re.compile(r"<(?:article|inproceedings|incollection|book|phdthesis)\b[^<>]*\bkey=[\"'][\w-]+/")


def recognizes(url: str, body: bytes) -> bool:
    """A document of records with dblp's keys."""
    root = _xml.local_name(_xml.root(body))
    return root in ("dblp", "dblpperson", *_RECORDS) and bool(_KEYED.search(head(body)))


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The records; dblp has no abstracts."""
    count = 0
    for found in _xml.items(body, _RECORDS, name):
        if isinstance(found, Refused | Remark):
            yield found
        elif str(found.tag) in _RECORDS:
            count += 1
            yield _entry(found) or Refused(f"item {count}", "has no title")


def _entry(record: Element) -> Entry | None:
    found = _xml.children(record)
    title = first(found, "title")
    if not title:
        return None
    return Entry(
        title=title,
        authors=tuple(re.sub(r" \d{4}$", "", author) for author in every(found, "author")),
        links=tuple(place for place in every(found, "ee") if place.startswith("http")),
        identifiers=(f"dblp:{record.get('key')}",),
        published=iso(first(found, "year")),
        venue=first(found, "journal", "booktitle"),
    )
