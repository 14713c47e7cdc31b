"""Renders a digest as Slack messages.

All text of strangers stands in `rich_text` and `plain_text` elements, which know no mark-up: whatever it
says, it can ping nobody, link nowhere and format nothing.
Only the fallback for notifications is read as mark-up, so it alone is escaped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from digests.digest import Digest, Item, Section, Span, byline, foot, reason, section_title
from digests.paper import safe_link
from digests.text import clip

Block = dict[str, Any]

MAX_BLOCKS = 50
MAX_SIZE = 10_000
"""Slack refuses blocks of together about 12,000 characters, and counts in a way that is nowhere said.

So this counts everything that could be: the UTF-16 units of the JSON, containers, links and all.
"""

# One item at its largest, with header, heading and foot, stays below MAX_SIZE even if all of it is quotes,
# which JSON writes with two characters.
HEADER, SECTION, LABEL, FEED = 150, 80, 60, 40
HEADING, SUMMARY, MARKS = 300, 1_000, 16
NAME, BYLINE, REASON = 50, 300, 200
FOOT_PIECES = 12
NOTICE = 400

UNTITLED, UNNAMED = "Untitled paper", "Papers"
NO_ABSTRACT = "No abstract in the source."
QUIET_DAY = "No new papers for this channel today."


def render(digest: Digest) -> tuple[str, ...]:
    """The messages of a digest as JSON objects of `text` and `blocks`: the main post, then its thread.

    Items stand in the main post as far as they fit and go on in the thread, in the same order; a section
    that goes on repeats its heading; what was checked stands at the end of the main post.
    """
    digest = _tidied(digest)
    messages = _packed(digest)
    texts = [_notice(digest), *[f"{digest.title}, continued"] * (len(messages) - 1)]
    return tuple(
        _json({"text": escaped(text), "blocks": blocks}) for text, blocks in zip(texts, messages, strict=True)
    )


def escaped(text: str) -> str:
    """Text as Slack's mark-up writes it: without a sign that could begin a mention or a link."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


@dataclass(slots=True)
class _Message:
    """The blocks of a message, and how many characters more they may have."""

    room: int = MAX_SIZE
    blocks: list[Block] = field(default_factory=list)

    def takes(self, blocks: Sequence[Block]) -> bool:
        return len(self.blocks) + len(blocks) < MAX_BLOCKS and _size(blocks) <= self.room

    def add(self, blocks: Sequence[Block]) -> None:
        self.blocks += blocks
        self.room -= _size(blocks)


def _packed(digest: Digest) -> list[list[Block]]:
    """The blocks of each message; the main post keeps room for the longest foot that it can get."""
    main = _Message(MAX_SIZE - _size(_foot(digest, len(digest.papers))))
    main.add([_header(digest.title)])
    messages, in_main = [main], 0
    for section in digest.sections:
        for index, item in enumerate(section.items):
            heading = [] if index else _heading(section_title(section), messages[-1])
            body = _item(item)
            if not messages[-1].takes([*heading, *body]):
                messages.append(_Message())
                title = f"{section.name} · continued" if index else section_title(section)
                heading = _heading(title, messages[-1])
            messages[-1].add([*heading, *body])
            in_main += len(messages) == 1
    if not digest.papers:
        main.add([_rich(_text(QUIET_DAY))])
    main.add(_foot(digest, len(digest.papers) - in_main))
    return [message.blocks for message in messages]


def _header(text: str) -> Block:
    return {"type": "header", "text": _plain(_short(text, HEADER))}


def _heading(title: str, message: _Message) -> list[Block]:
    """A section's heading, set apart from the section before it."""
    name, _, count = title.rpartition(" · ")
    heading = _rich(_text(name, bold=True), _text(f" · {count}"))
    return [{"type": "divider"}, heading] if message.blocks else [heading]


def _item(item: Item) -> list[Block]:
    heading = item.heading or UNTITLED
    link = safe_link(item.link)
    title = {"type": "link", "url": link, "text": heading, "style": {"bold": True}} if link else None
    below = "\n".join(filter(None, (_short(byline(item), BYLINE), _short(reason(item), REASON))))
    summary = [_text(text, bold=bold) for text, bold in _pieces(item.summary or NO_ABSTRACT, item.marks)]
    blocks = [_rich(title or _text(heading, bold=True), _text("\n"), *summary)]
    return [*blocks, _context(below)] if below else blocks


def _pieces(text: str, marks: Sequence[Span]) -> Iterator[tuple[str, bool]]:
    """The text cut at the borders of its marks, and whether each piece is marked."""
    at = 0
    for start, end in sorted(marks)[:MARKS]:
        start, end = max(start, at), min(end, len(text))
        if start < end:
            yield from ((text[at:start], False),) if at < start else ()
            yield text[start:end], True
            at = end
    if at < len(text):
        yield text[at:], False


def _foot(digest: Digest, in_thread: int) -> list[Block]:
    pieces = [f"{in_thread} more in the thread"] if in_thread else []
    pieces += filter(None, foot(digest))
    if len(pieces) > FOOT_PIECES:
        left_out = len(pieces) - FOOT_PIECES + 1
        pieces = [*pieces[: FOOT_PIECES - 2], f"{left_out} more notes", pieces[-1]]
    return [{"type": "divider"}, _context(" · ".join(pieces))]


def _notice(digest: Digest) -> str:
    """What a notification says, and a screen reader reads first."""
    headings = "; ".join(item.heading or UNTITLED for section in digest.sections for item in section.items)
    return f"{digest.title}: {clip(headings, NOTICE) or QUIET_DAY}"


# Text ----------------------------------------------------------------------------------------------------

_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def _tidied(digest: Digest) -> Digest:
    """The digest with each text short enough for its place, without what hides or turns its neighbours."""
    silent = tuple(replace(silent, feed=_short(silent.feed, FEED)) for silent in digest.foot.silent)
    progress = tuple(replace(progress, feed=_short(progress.feed, FEED)) for progress in digest.foot.progress)
    return replace(
        digest,
        label=_short(digest.label, LABEL),
        sections=tuple(
            Section(_short(section.name, SECTION) or UNNAMED, tuple(map(_tidied_item, section.items)))
            for section in digest.sections
        ),
        foot=replace(digest.foot, silent=silent, progress=progress),
    )


def _tidied_item(item: Item) -> Item:
    return replace(
        item,
        heading=_short(item.heading, HEADING),
        authors=tuple(_short(name, NAME) for name in item.authors),
        source=_short(item.source, NAME),
        also_in=tuple(_short(name, NAME) for name in item.also_in),
        summary=_short(item.summary, SUMMARY),
        matched=tuple(_short(word, NAME) for word in item.matched),
        also_for=tuple(_short(name, NAME) for name in item.also_for),
    )


def _short(text: str, limit: int) -> str:
    """At most `limit` UTF-16 units of it, cut at a word; "" if there is nothing to see.

    Hidden characters become spaces, so that places in the text stay where they are.
    """
    clipped = clip(_HIDDEN.sub(" ", text), limit)
    if _units(clipped) > limit:
        clipped = clip(clipped, limit // 2)
    return clipped if any(character.isprintable() for character in clipped.replace(" ", "")) else ""


def _units(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)


# Block Kit -----------------------------------------------------------------------------------------------


def _rich(*elements: Block) -> Block:
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": list(elements)}]}


def _text(text: str, *, bold: bool = False) -> Block:
    element: Block = {"type": "text", "text": text}
    return element | {"style": {"bold": True}} if bold else element


def _context(text: str) -> Block:
    return {"type": "context", "elements": [_plain(text)]}


def _plain(text: str) -> Block:
    return {"type": "plain_text", "text": text, "emoji": False}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _size(blocks: Sequence[Block]) -> int:
    """The characters of these blocks in a message, with the commas around them."""
    return _units(_json(blocks))
