"""RSS 0.9x and 2.0, as blogs, journals and PubMed publish it."""

from __future__ import annotations

from collections.abc import Iterator

from digests.feed import Part
from digests.formats import _syndication, _xml

name = "rss"
order = 80


def recognizes(url: str, body: bytes) -> bool:
    """A document whose root is <rss>, or one of no other format with items in it: a feed that is damaged."""
    return _xml.local_name(_xml.root(body)) == "rss" or _syndication.has_items(body)


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The items of the channel."""
    return _syndication.parse(body, url, name)
