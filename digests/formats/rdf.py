"""RSS 1.0 and 0.90, which are RDF, as publishers and OJS journals use them."""

from __future__ import annotations

from collections.abc import Iterator

from digests.feed import Part
from digests.formats import _syndication, _xml

name = "rdf"
order = 20


def recognizes(url: str, body: bytes) -> bool:
    """A document whose root is <rdf:RDF>."""
    return _xml.local_name(_xml.root(body)) == "rdf"


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The items beside the channel."""
    return _syndication.parse(body, url, name)
