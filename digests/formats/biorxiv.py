"""The bioRxiv and medRxiv API's details of preprints."""

from __future__ import annotations

from collections.abc import Iterator

from digests import json_values
from digests.feed import Part, Refused
from digests.formats._dates import iso
from digests.formats._people import people
from digests.json_values import text
from digests.paper import Entry

name = "biorxiv"
order = 10


def recognizes(url: str, body: bytes) -> bool:
    """An object with messages and a collection."""
    return {"messages", "collection"} <= json_values.shape(body)


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The preprints, each once: the newest version's text with the first one's date.

    "no posts found" is the end of paging and gives nothing.
    """
    versions: dict[str, list[object]] = {}
    for number, post in enumerate(json_values.sequence(json_values.load(body, name), "collection"), start=1):
        versions.setdefault(text(post, "doi").lower() or f"item {number}", []).append(post)
    for doi, posts in versions.items():
        posts.sort(key=_version)
        yield _entry(posts) or Refused(doi, "has neither a title nor an abstract")


def _version(post: object) -> int:
    version = text(post, "version")
    return int(version) if version.isdecimal() and len(version) < 5 else 0


def _entry(posts: list[object]) -> Entry | None:
    newest = posts[-1]
    title, abstract = text(newest, "title"), text(newest, "abstract")
    if not title and not abstract:
        return None
    doi, server = text(newest, "doi"), text(newest, "server")
    is_named = doi and server.lower() in ("biorxiv", "medrxiv")
    journal = text(newest, "published")
    return Entry(
        title=title,
        abstract=abstract,
        authors=people(text(newest, "authors")),
        links=(f"https://www.{server.lower()}.org/content/{doi}v{max(_version(newest), 1)}",)
        if is_named
        else (),
        identifiers=tuple(f"doi:{said}" for said in (doi, journal) if said.startswith("10.")),
        published=iso(text(posts[0], "date")),
        venue=server,
        categories=tuple(filter(None, (text(newest, "category"),))),
    )
