"""The Directory of Open Access Journals' articles in JSON: a page of a search or one."""

from __future__ import annotations

from collections.abc import Iterator

from digests import json_values
from digests.feed import Part, Refused
from digests.formats._dates import parts_to_iso
from digests.formats._fields import authors
from digests.json_values import text, texts
from digests.paper import Entry

name = "doaj"
order = 10


def recognizes(url: str, body: bytes) -> bool:
    """Objects with a `bibjson`, or DOAJ's envelope around none."""
    shape = json_values.shape(body)
    known = {"bibjson", "results[].bibjson", "[].bibjson"}
    return not shape.isdisjoint(known) or {"results", "pageSize", "query", "total"} <= shape


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The articles, of whose links the full text comes first: it is the publisher's page."""
    answer = json_values.load(body, name)
    found = answer if isinstance(answer, list) else json_values.member(answer, "results")
    for number, article in enumerate(found if isinstance(found, list) else [answer], start=1):
        yield _entry(article) or Refused(f"item {number}", "has neither a title nor an abstract")


def _entry(article: object) -> Entry | None:
    about = json_values.member(article, "bibjson")
    title, abstract = text(about, "title"), text(about, "abstract")
    if not title and not abstract:
        return None
    doi, key = _of_type(about, "identifier", "id", "doi"), text(article, "id")
    page = _of_type(about, "link", "url", "fulltext")
    subjects = (text(subject, "term") for subject in json_values.sequence(about, "subject"))
    return Entry(
        title=title,
        abstract=abstract,
        authors=authors(json_values.sequence(about, "author")),
        links=tuple(filter(None, (page, f"https://doaj.org/article/{key}" if key else ""))),
        identifiers=(f"doi:{doi.removeprefix('https://doi.org/')}",) if doi else (),
        published=parts_to_iso(text(about, "year"), text(about, "month"))
        if text(about, "year")
        else text(article, "created_date")[:10],
        venue=text(about, "journal", "title"),
        categories=tuple(filter(None, (*texts(about, "keywords"), *subjects))),
    )


def _of_type(about: object, members: str, key: str, type_name: str) -> str:
    found = (
        text(value, key)
        for value in json_values.sequence(about, members)
        if text(value, "type").lower() == type_name
    )
    return next(found, "")
