"""OAI-PMH records in oai_dc, arXiv and arXivRaw, in their envelope or bare."""

from __future__ import annotations

import re
from collections.abc import Iterator

from digests.decoding import head
from digests.errors import ParseError
from digests.feed import Part, Refused, Remark
from digests.formats import _xml
from digests.formats._dates import iso
from digests.formats._people import flipped, full_name, people
from digests.formats._xml import Element, every, first
from digests.paper import Entry
from digests.text import clip

name = "oai-pmh"
order = 10

_NAMED = re.compile(r"arxiv:|doi:|10\.", re.IGNORECASE)


def recognizes(url: str, body: bytes) -> bool:
    """A document whose root is <OAI-PMH>, or a <record> with an OAI header."""
    root = _xml.local_name(_xml.root(body))
    return root == "oai-pmh" or (root == "record" and "<header" in head(body)[:2000])


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The records that are not deleted; ParseError for an error other than `noRecordsMatch`."""
    count = deleted = 0
    for found in _xml.items(body, ("record", "error"), name):
        if isinstance(found, Refused | Remark):
            yield found
        elif _xml.local_name(str(found.tag)) == "error":
            _refuse(found)
        elif _xml.local_name(str(found.tag)) == "record":
            count += 1
            part = _record(found)
            deleted += part is None
            if part is not None:
                yield part if part.title or part.abstract else Refused(f"item {count}", "has no title")
    if deleted:
        yield Remark(f"{deleted} records are deleted")


def _refuse(error: Element) -> None:
    code = error.get("code") or "error"
    if code != "noRecordsMatch":
        why = clip(" ".join(f"{code}: {_xml.text(error)}".split()), 200).rstrip(": ")
        raise ParseError(
            f"the repository answered with an error: {why}", format=name, hint="check the address"
        )


def _record(record: Element) -> Entry | None:
    """The record's paper, None if it is deleted."""
    parts = _xml.children(record)
    header = parts.get("header", [None])[0]
    if header is not None and header.get("status") == "deleted":
        return None
    key = first(_xml.children(header), "identifier") if header is not None else ""
    inside = next(iter(parts["metadata"][0]), None) if parts.get("metadata") else None
    if inside is None:
        return Entry()
    found = _xml.children(inside)
    return _dublin_core(found, key) if _xml.local_name(str(inside.tag)) == "dc" else _arxiv(found)


def _dublin_core(found: dict[str, list[Element]], key: str) -> Entry:
    said = every(found, "dc:identifier")
    is_arxiv = key.lower().startswith("oai:arxiv.org:")
    dates = [date for date in map(iso, every(found, "dc:date")) if date]
    return Entry(
        title=first(found, "dc:title"),
        abstract=next(
            (text for text in every(found, "dc:description") if not text.startswith("Comment:")), ""
        ),
        authors=tuple(flipped(creator) for creator in every(found, "dc:creator")),
        links=tuple(place for place in said if place.startswith("http")),
        identifiers=tuple(
            name for name in (key.removeprefix("oai:") if is_arxiv else "", *said) if _NAMED.match(name)
        ),
        guid="" if is_arxiv else key,
        published=dates[0] if dates else "",
        venue=first(found, "dc:source"),
        categories=every(found, "dc:subject"),
    )


def _arxiv(found: dict[str, list[Element]]) -> Entry:
    """The paper of arXiv's own forms: <created> and a list of authors, or <version> and a string."""
    identifier, doi = first(found, "id"), first(found, "doi")
    versions = found.get("version", [])
    dates = [iso(first(_xml.children(version), "date")) for version in versions]
    version = (versions[-1].get("version") or "") if versions else ""
    return Entry(
        title=first(found, "title"),
        abstract=first(found, "abstract"),
        authors=_authors(found),
        links=(f"https://arxiv.org/abs/{identifier}",) if identifier else (),
        identifiers=(f"arXiv:{identifier}{version}", *([f"doi:{doi}"] if doi else [])),
        published=iso(first(found, "created")) or (dates[0] if dates else ""),
        venue=first(found, "journal-ref"),
        categories=tuple(first(found, "categories").split()),
    )


def _authors(found: dict[str, list[Element]]) -> tuple[str, ...]:
    group = found.get("authors", [])
    if not group or not len(group[0]):
        return people(first(found, "authors"))
    names = (_xml.children(author) for author in group[0])
    return tuple(
        full_name(first(n, "forenames"), f"{first(n, 'keyname')} {first(n, 'suffix')}") for n in names
    )
