"""JSON Feed, versions 1 and 1.1, and what Rogue Scholar makes of it."""

from __future__ import annotations

from collections.abc import Iterator

from digests import json_values
from digests.feed import Part, Refused, Titled
from digests.formats._dates import iso
from digests.formats._fields import authors
from digests.json_values import text, texts
from digests.paper import Entry

name = "json-feed"
order = 10


def recognizes(url: str, body: bytes) -> bool:
    """An object with items that have content, or that names the version of JSON Feed."""
    shape = json_values.shape(body)
    if "items" not in shape:
        return False
    return not shape.isdisjoint(
        {
            "feed_url",
            "home_page_url",
            "items[].content_html",
            "items[].content_text",
            "items[].date_published",
        }
    )


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The feed's items; one that names no author has the feed's."""
    feed = json_values.load(body, name)
    if title := text(feed, "title"):
        yield Titled(title)
    for number, item in enumerate(json_values.sequence(feed, "items"), start=1):
        yield _entry(item, feed) or Refused(f"item {number}", "has neither a title nor a text")


def _entry(item: object, feed: object) -> Entry | None:
    title = text(item, "title")
    said = [text(item, key) for key in ("abstract", "content_text", "content_html", "summary")]
    abstract = next(filter(None, said), "")
    if not title and not abstract:
        return None
    guid = text(item, "id")
    links = (text(item, "url"), text(item, "external_url"), guid if guid.startswith("http") else "")
    doi = text(item, "doi")
    return Entry(
        title=title,
        abstract=abstract,
        authors=_authors(item) or _authors(feed),
        links=tuple(dict.fromkeys(filter(None, links))),
        identifiers=(doi if doi.startswith("http") else f"doi:{doi}",) if doi else (),
        guid=guid,
        published=iso(text(item, "date_published") or text(item, "published_at")),
        categories=texts(item, "tags"),
    )


def _authors(value: object) -> tuple[str, ...]:
    return authors(json_values.member(value, "authors")) or authors(json_values.member(value, "author"))
