"""Atom, as blogs, repositories and OJS journals publish it."""

from __future__ import annotations

from collections.abc import Iterator

from digests.feed import Part
from digests.formats import _syndication, _xml

name = "atom"
order = 20


def recognizes(url: str, body: bytes) -> bool:
    """A document whose root is <feed>."""
    return _xml.local_name(_xml.root(body)) == "feed"


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The entries of the feed."""
    return _syndication.parse(body, url, name)
