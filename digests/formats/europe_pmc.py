"""Europe PMC's search results in JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator

from digests import json_values
from digests.feed import Part, Refused
from digests.formats._dates import iso
from digests.formats._people import full_name, people
from digests.json_values import text, texts
from digests.paper import Entry

name = "europe-pmc"
order = 10

_HEADING = re.compile(r"<h4>([^<>]{1,80})</h4>")


def recognizes(url: str, body: bytes) -> bool:
    """An object with a list of results under `resultList`."""
    return "resultList" in json_values.shape(body)


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The articles and preprints of the page."""
    results = json_values.sequence(json_values.load(body, name), "resultList", "result")
    for number, result in enumerate(results, start=1):
        yield _entry(result) or Refused(f"item {number}", "has neither a title nor an abstract")


def _entry(result: object) -> Entry | None:
    title, abstract = text(result, "title"), text(result, "abstractText")
    if not title and not abstract:
        return None
    kinds = {"pmid": text(result, "pmid"), "doi": text(result, "doi"), "pmcid": text(result, "pmcid")}
    source, key = text(result, "source"), text(result, "id")
    return Entry(
        title=title,
        abstract=_HEADING.sub(lambda heading: f"{heading[1].strip(' :')}: ", abstract),
        authors=_authors(result),
        links=(f"https://europepmc.org/article/{source}/{key}",) if source and key else (),
        identifiers=tuple(f"{kind}:{said}" for kind, said in kinds.items() if said),
        published=iso(text(result, "firstPublicationDate")) or iso(text(result, "pubYear")),
        venue=text(json_values.member(result, "journalInfo", "journal"), "title")
        or text(result, "journalTitle"),
        categories=texts(result, "keywordList", "keyword"),
    )


def _authors(result: object) -> tuple[str, ...]:
    listed = json_values.sequence(result, "authorList", "author")
    if not listed:
        return people(text(result, "authorString").rstrip("."))
    names = (
        full_name(text(author, "firstName"), text(author, "lastName"))
        if text(author, "lastName")
        else text(author, "fullName") or text(author, "collectiveName")
        for author in listed
    )
    return tuple(filter(None, names))
