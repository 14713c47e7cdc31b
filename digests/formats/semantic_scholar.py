"""Semantic Scholar's answers: a search, a batch, recommendations or one paper."""

from __future__ import annotations

from collections.abc import Iterator

from digests import json_values
from digests.feed import Part, Refused
from digests.formats._dates import iso
from digests.json_values import text, texts
from digests.paper import Entry

name = "semantic-scholar"
order = 10

_LISTS = ("data", "recommendedPapers", "papers")
_KINDS = {
    "ArXiv": "arXiv:{}",
    "DOI": "doi:{}",
    "PubMed": "pmid:{}",
    "PubMedCentral": "PMC{}",
    "ACL": "acl:{}",
    "DBLP": "dblp:{}",
}


def recognizes(url: str, body: bytes) -> bool:
    """Objects with a `paperId`."""
    shape = json_values.shape(body)
    return not shape.isdisjoint({"paperId", "[].paperId", *(f"{key}[].paperId" for key in _LISTS)})


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The papers; what a batch does not know is null there and left out."""
    answer = json_values.load(body, name)
    found = answer if isinstance(answer, list) else [answer]
    if isinstance(answer, dict) and "paperId" not in answer:
        found = [paper for key in _LISTS for paper in json_values.sequence(answer, key)]
    for number, paper in enumerate(found, start=1):
        if paper is not None:
            yield _entry(paper) or Refused(f"item {number}", "has neither a title nor an abstract")


def _entry(paper: object) -> Entry | None:
    title, abstract = text(paper, "title"), text(paper, "abstract")
    if not title and not abstract:
        return None
    names = (form.format(said) for kind, form in _KINDS.items() if (said := text(paper, "externalIds", kind)))
    links = (text(paper, "url"), text(json_values.member(paper, "openAccessPdf"), "url"))
    return Entry(
        title=title,
        abstract=abstract,
        authors=tuple(
            filter(None, (text(author, "name") for author in json_values.sequence(paper, "authors")))
        ),
        links=tuple(filter(None, links)),
        identifiers=tuple(names),
        guid=text(paper, "paperId"),
        published=iso(text(paper, "publicationDate")) or iso(text(paper, "year")),
        venue=text(paper, "venue"),
        categories=texts(paper, "fieldsOfStudy"),
    )
