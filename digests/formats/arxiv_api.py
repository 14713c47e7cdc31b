"""The arXiv API's answer to a query, in Atom."""

from __future__ import annotations

from collections.abc import Iterator

from digests.decoding import head
from digests.errors import ParseError
from digests.feed import Part, Refused, Remark, Titled
from digests.formats import _xml
from digests.formats._dates import iso
from digests.formats._xml import Element, first
from digests.paper import Entry
from digests.text import clip

name = "arxiv-api"
order = 10


def recognizes(url: str, body: bytes) -> bool:
    """An Atom document of arXiv's with the counts of a search."""
    root = _xml.root(body)
    return _xml.local_name(root) == "feed" and "opensearch" in root and "arxiv.org/" in head(body)[:4000]


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The papers of the page, a remark where it is empty too early; ParseError if arXiv reports an error."""
    count = 0
    for found in _xml.items(body, ("entry",), name):
        if isinstance(found, Refused | Remark):
            yield found
        elif _xml.local_name(str(found.tag)) == "entry":
            count += 1
            yield _entry(found, count)
        else:
            yield from _about(found, count)


def _entry(element: Element, count: int) -> Part:
    # The names without a prefix are those of an answer that lost its namespace.
    found = _xml.fields(element, "atom:title", "atom:summary", "title", "summary")
    title, abstract = first(found, "atom:title", "title"), first(found, "atom:summary", "summary")
    place = first(found, "atom:id", "id")
    if "/api/errors" in place or (title == "Error" and not found.get("atom:published")):
        why = clip(" ".join(abstract.split()), 200)
        raise ParseError(f"arXiv answered with an error: {why}", format=name, hint="check the query")
    if not title and not abstract:
        return Refused(f"item {count}", "has neither a title nor an abstract")
    links = found.get("atom:link", [])
    pages = [link.get("href") or "" for link in links if link.get("rel") in ("alternate", None)]
    files = [link.get("href") or "" for link in links if link.get("title") == "pdf"]
    authors = (_xml.child_text(author, "atom:name") for author in found.get("atom:author", ()))
    doi = first(found, "arxiv:doi")
    return Entry(
        title=title,
        abstract=abstract,
        authors=tuple(filter(None, authors)),
        links=tuple(filter(None, (*(pages or [place]), *files))),
        identifiers=tuple(filter(None, (_identifier(place), f"doi:{doi}" if doi else ""))),
        published=iso(first(found, "atom:published")),
        venue=first(found, "arxiv:journal_ref"),
        categories=tuple(tag.get("term") or "" for tag in found.get("atom:category", ())),
    )


def _identifier(place: str) -> str:
    _, found, identifier = place.partition("/abs/")
    return f"arXiv:{identifier}" if found else ""


def _about(feed: Element, count: int) -> Iterator[Part]:
    found = _xml.children(feed)
    if title := first(found, "atom:title"):
        yield Titled(title)
    total, start = first(found, "opensearch:totalResults"), first(found, "opensearch:startIndex")
    if not count and total.isdecimal() and int(total) > int(start if start.isdecimal() else 0):
        yield Remark(
            f"arXiv has {total} papers for this query, but its page from {start} came empty; ask again later"
        )
