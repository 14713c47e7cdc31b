"""OpenReview's notes, API versions 1 and 2."""

from __future__ import annotations

import re
from collections.abc import Iterator

from digests import json_values
from digests.feed import Part, Refused, Remark
from digests.formats._dates import iso
from digests.json_values import text, texts
from digests.paper import Entry

name = "openreview"
order = 10

_NO_PAPER = re.compile(r"withdraw|desk_?reject|/-/(?!.*submission$|blind|paper)", re.IGNORECASE)


def recognizes(url: str, body: bytes) -> bool:
    """An object with notes."""
    shape = json_values.shape(body)
    return "notes" in shape and not shape.isdisjoint({"notes[].forum", "notes[].content", "count"})


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The submissions; replies, reviews, withdrawn and desk-rejected notes are counted in a remark."""
    notes = json_values.sequence(json_values.load(body, name), "notes")
    if not notes:
        yield Remark(
            "OpenReview answered with no notes: a venue may be known to the other version of its API only"
        )
    left_out = 0
    for number, note in enumerate(notes, start=1):
        if _is_paper(note):
            yield _entry(note) or Refused(f"item {number}", "has neither a title nor an abstract")
        else:
            left_out += 1
    if left_out:
        yield Remark(
            f"{left_out} notes are no papers: replies, reviews, withdrawn or rejected without review"
        )


def _is_paper(note: object) -> bool:
    if text(note, "replyto") or text(note, "ddate") or text(note, "id") != text(note, "forum"):
        return False
    kinds = (text(note, "invitation"), *texts(note, "invitations")[:1], text(note, "content", "venueid"))
    return not any(_NO_PAPER.search(kind) for kind in kinds)


def _entry(note: object) -> Entry | None:
    content = json_values.member(note, "content")
    title, abstract = text(content, "title"), text(content, "abstract")
    forum = text(note, "forum")
    if not title and not abstract:
        return None
    dated = next(filter(None, (text(note, key) for key in ("pdate", "cdate", "tcdate"))), "")
    return Entry(
        title=title,
        abstract=abstract,
        authors=texts(content, "authors"),
        links=(f"https://openreview.net/forum?id={forum}",),
        identifiers=(f"openreview:{forum}",),
        published=iso(dated),
        venue=text(content, "venue"),
        categories=texts(content, "keywords"),
    )
