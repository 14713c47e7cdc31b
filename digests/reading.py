"""A reading: what a document gave, whatever format it has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from digests import formats
from digests.decoding import charset, utf8
from digests.errors import InputError
from digests.feed import Fetched, Refused, Remark, Titled
from digests.formats import MOST_ITEMS
from digests.health import State
from digests.paper import Entry, Paper, from_entry


@dataclass(frozen=True, slots=True)
class Reading:
    """What a document gave: its papers, what it calls itself, and what is wrong with it.

    `missing` counts the papers without a title, an abstract, authors, a link or a date.
    """

    format: str
    title: str = ""
    papers: tuple[Paper, ...] = field(default=(), repr=False)  # asyncio.run takes repr() of its result
    refused: tuple[Refused, ...] = ()
    notes: tuple[str, ...] = ()
    missing: tuple[tuple[str, int], ...] = ()

    @property
    def state(self) -> State:
        """What the document says of its feed's health."""
        if self.papers:
            return State.HEALTHY
        return State.BROKEN if self.refused else State.QUIET


def read(fetched: Fetched, format: str = "") -> Reading:
    """Read a document whatever it is; ParseError says what it is where it is none.

    An item that cannot be read is refused by its place and costs no other.
    """
    body = _in_utf8(fetched)
    known = formats.choose(format, fetched.url, body)
    title = ""
    papers: list[Paper] = []
    refused: list[Refused] = []
    notes: list[str] = []
    for part in known.parse(body, fetched.url):
        if len(papers) + len(refused) + len(notes) >= MOST_ITEMS:
            notes.append(f"only the first {MOST_ITEMS:,} items were read; divide the document to have all")
            break
        match part:
            case Entry():
                try:
                    papers.append(from_entry(part))
                except InputError as error:
                    refused.append(Refused(f"item {len(papers) + len(refused) + 1}", error.what))
            case Refused():
                refused.append(part)
            case Remark(text):
                notes.append(text)
            case Titled(name):
                title = name
    return Reading(known.name, title, tuple(papers), tuple(refused), tuple(notes), _missing(papers))


def _in_utf8(fetched: Fetched) -> bytes:
    """The body, in UTF-8 where the server named another encoding: formats know only what is in it."""
    named = charset(fetched.content_type)
    if not named or named.lower() in ("utf-8", "utf8"):
        return fetched.body
    return utf8(fetched.body, named)


def _missing(papers: Iterable[Paper]) -> tuple[tuple[str, int], ...]:
    fields = {
        "titles": "title",
        "abstracts": "abstract",
        "authors": "authors",
        "links": "links",
        "dates": "published",
    }
    count = Counter(word for paper in papers for word, field in fields.items() if not getattr(paper, field))
    return tuple((word, count[word]) for word in fields if count[word])


def joined(readings: Sequence[Reading]) -> Reading | None:
    """The readings of several pages as one; a refused item is told with its page."""
    if len(readings) < 2:
        return readings[0] if readings else None
    refused = [
        replace(item, where=f"page {page}, {item.where}") if page > 1 else item
        for page, reading in enumerate(readings, start=1)
        for item in reading.refused
    ]
    papers = tuple(paper for reading in readings for paper in reading.papers)
    notes = dict.fromkeys(note for reading in readings for note in reading.notes)
    first = readings[0]
    return Reading(first.format, first.title, papers, tuple(refused), tuple(notes), _missing(papers))
