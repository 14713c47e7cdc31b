"""DataCite's DOIs in JSON: a page of them or one."""

from __future__ import annotations

from collections.abc import Iterator

from digests import json_values
from digests.feed import Part, Refused
from digests.formats._dates import iso
from digests.formats._fields import authors
from digests.json_values import text
from digests.paper import Entry

name = "datacite"
order = 10


def recognizes(url: str, body: bytes) -> bool:
    """Data with attributes, a DOI among them."""
    return not json_values.shape(body).isdisjoint({"data[].attributes.doi", "data.attributes.doi"})


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The works; of several descriptions only one that calls itself an abstract is taken for it."""
    data = json_values.member(json_values.load(body, name), "data")
    for number, work in enumerate(data if isinstance(data, list) else [data], start=1):
        yield _entry(json_values.member(work, "attributes")) or Refused(f"item {number}", "has no title")


def _entry(work: object) -> Entry | None:
    title = _of_type(work, "titles", "title", "titleType", "")
    abstract = _of_type(work, "descriptions", "description", "descriptionType", "Abstract")
    if not title and not abstract:
        return None
    doi, url = text(work, "doi"), text(work, "url")
    subjects = (text(subject, "subject") for subject in json_values.sequence(work, "subjects"))
    return Entry(
        title=title,
        abstract=abstract,
        authors=authors(json_values.sequence(work, "creators")),
        links=(url,) if url else (),
        identifiers=(f"doi:{doi}",) if doi else (),
        published=iso(_of_type(work, "dates", "date", "dateType", "Issued"))
        or iso(text(work, "publicationYear")),
        venue=text(work, "container", "title"),
        categories=tuple(filter(None, subjects)),
    )


def _of_type(work: object, members: str, key: str, type_key: str, type_name: str) -> str:
    found = (
        text(value, key)
        for value in json_values.sequence(work, members)
        if text(value, type_key) == type_name
    )
    return next(found, "")
