"""arXiv's daily feeds: RSS 2.0, Atom, and the RDF of before 2024."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from digests.decoding import head
from digests.errors import ParseError
from digests.feed import Part, Titled
from digests.formats import _syndication, _xml
from digests.paper import ARXIV_ID, Announce, Entry
from digests.text import clip

name = "arxiv-rss"
order = 10

_PREFIX = re.compile(
    rf"^\s*arXiv:({ARXIV_ID}(?:v\d+)?)\s+Announce Type:\s*(new|cross|replace-cross|replace)\s*"
    r"(?:Abstract:\s*)?",
    re.IGNORECASE,
)
_SUFFIX = re.compile(rf"\.?\s*\(arXiv:({ARXIV_ID}(?:v\d+)?)\s*(?:\[[^\]]*\])?\s*([A-Z ]*)\)\s*$")
_WORDS = {"CROSS LISTED": Announce.CROSS, "UPDATED": Announce.REPLACE}
_CHANNEL = re.compile(
    r"updates on (?:the )?arXiv|Feed error for query|<link[^>]*>?\s*https?://(?:rss\.|export\.)?arxiv\.org"
)


def recognizes(url: str, body: bytes) -> bool:
    """An RSS, RDF or Atom document that speaks of itself as arXiv's."""
    root = _xml.root(body)
    kind = _xml.local_name(root)
    if kind not in ("rss", "rdf", "feed") or "opensearch" in root:
        return False
    start = head(body)[:4000]
    return bool(_CHANNEL.search(start)) or (kind == "rss" and "arxiv.org/schemas/atom" in root)


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The day's papers with the way each is announced, version in the identifier, prefix and suffix cut.

    ParseError if the document is arXiv's report of an error.
    """
    for part in _syndication.parse(body, url, name, channel_date=True):
        if isinstance(part, Entry):
            yield _arxiv(part)
        elif isinstance(part, Titled) and part.title.startswith("Feed error"):
            raise ParseError(
                f"arXiv answered with an error: {clip(part.title, 200)!r}",
                format=name,
                hint="check the categories",
            )
        else:
            yield part


def _arxiv(entry: Entry) -> Entry:
    title, abstract, announce, names = entry.title, entry.abstract, Announce.NEW, list(entry.identifiers)
    if prefix := _PREFIX.match(abstract):
        abstract, announce = abstract[prefix.end() :], Announce(prefix[3].lower())
        names.insert(0, f"arXiv:{prefix[1]}")
    if suffix := _SUFFIX.search(title):
        title, announce = title[: suffix.start()], _WORDS.get(suffix[3].strip(), announce)
        names.insert(0, f"arXiv:{suffix[1]}")
    if entry.guid.startswith("oai:arXiv.org:") and not (prefix or suffix):
        names.insert(0, entry.guid.removeprefix("oai:"))
    # The guid names a version: kept as the key, each replacement would look like another paper.
    return replace(
        entry, title=title, abstract=abstract, announce=announce, identifiers=tuple(names), guid=""
    )
