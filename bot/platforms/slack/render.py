"""Renders a digest as Slack messages.

All text of strangers stands in `rich_text` and `plain_text` elements, which know no mark-up: whatever it
says, it can ping nobody, link nowhere and format nothing.
Only the fallback for notifications is read as mark-up, so it alone is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from bot.platforms.slack.blocks import (
    MAX_BLOCKS,
    MAX_SIZE,
    Block,
    as_json,
    context,
    escaped,
    link,
    plain,
    rich,
    short,
    size_of,
    text,
)
from digests.digest import Digest, Item, Section, Span, byline, foot, reason, section_title
from digests.text import clip

# One item at its largest, with header, heading and foot, stays below MAX_SIZE even if all of it is quotes,
# which JSON writes with two characters.
HEADER, SECTION, LABEL, FEED = 150, 80, 60, 40
HEADING, SUMMARY, MARKS = 300, 1_000, 16
SNIPPET, SNIPPET_MARKS = 160, 6
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
    notices = [_notice(digest), *[f"{digest.title}, continued"] * (len(messages) - 1)]
    return tuple(
        as_json({"text": escaped(notice), "blocks": blocks})
        for notice, blocks in zip(notices, messages, strict=True)
    )


@dataclass(slots=True)
class _Message:
    """The blocks of a message, and how many characters more they may have."""

    room: int = MAX_SIZE
    blocks: list[Block] = field(default_factory=list)

    def takes(self, blocks: Sequence[Block]) -> bool:
        return len(self.blocks) + len(blocks) < MAX_BLOCKS and size_of(blocks) <= self.room

    def add(self, blocks: Sequence[Block]) -> None:
        self.blocks += blocks
        self.room -= size_of(blocks)


def _packed(digest: Digest) -> list[list[Block]]:
    """The blocks of each message; the main post keeps room for the longest foot that it can get."""
    main = _Message(MAX_SIZE - size_of(_foot(digest, len(digest.papers))))
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
        main.add([rich(text(QUIET_DAY))])
    main.add(_foot(digest, len(digest.papers) - in_main))
    return [message.blocks for message in messages]


def _header(title: str) -> Block:
    return {"type": "header", "text": plain(short(title, HEADER))}


def _heading(title: str, message: _Message) -> list[Block]:
    """A section's heading, set apart from the section before it."""
    name, _, count = title.rpartition(" · ")
    heading = rich(text(name, bold=True), text(f" · {count}"))
    return [{"type": "divider"}, heading] if message.blocks else [heading]


def _item(item: Item) -> list[Block]:
    heading = item.heading or UNTITLED
    title = link(heading, item.link, bold=True)
    below = "\n".join(filter(None, (short(byline(item), BYLINE), short(reason(item), REASON))))
    summary = [text(words, bold=bold) for words, bold in _pieces(item.summary or NO_ABSTRACT, item.marks)]
    blocks = [rich(title, text("\n"), *summary, *_snippet(item))]
    return [*blocks, context(below)] if below else blocks


def _snippet(item: Item) -> Iterator[Block]:
    """A line of its own, set apart from the summary by its letters and its quotation marks."""
    if item.snippet:
        pieces = _pieces(item.snippet, item.snippet_marks[:SNIPPET_MARKS])
        yield text("\n“", italic=True)
        yield from (text(words, bold=bold, italic=True) for words, bold in pieces)
        yield text("”", italic=True)


def _pieces(words: str, marks: Sequence[Span]) -> Iterator[tuple[str, bool]]:
    """A text cut at the borders of its marks, and whether each piece is marked."""
    at = 0
    for start, end in sorted(marks)[:MARKS]:
        start, end = max(start, at), min(end, len(words))
        if start < end:
            yield from ((words[at:start], False),) if at < start else ()
            yield words[start:end], True
            at = end
    if at < len(words):
        yield words[at:], False


def _foot(digest: Digest, in_thread: int) -> list[Block]:
    pieces = [f"{in_thread} more in the thread"] if in_thread else []
    pieces += filter(None, foot(digest))
    if len(pieces) > FOOT_PIECES:
        left_out = len(pieces) - FOOT_PIECES + 1
        pieces = [*pieces[: FOOT_PIECES - 2], f"{left_out} more notes", pieces[-1]]
    return [{"type": "divider"}, context(" · ".join(pieces))]


def _notice(digest: Digest) -> str:
    """What a notification says, and a screen reader reads first."""
    headings = "; ".join(item.heading or UNTITLED for section in digest.sections for item in section.items)
    return f"{digest.title}: {clip(headings, NOTICE) or QUIET_DAY}"


# Text -------------------------------------------------------------------------------------------------


def _tidied(digest: Digest) -> Digest:
    """The digest with each text short enough for its place, without what hides or turns its neighbours."""
    silent = tuple(replace(silent, feed=short(silent.feed, FEED)) for silent in digest.foot.silent)
    progress = tuple(replace(progress, feed=short(progress.feed, FEED)) for progress in digest.foot.progress)
    return replace(
        digest,
        label=short(digest.label, LABEL),
        sections=tuple(
            Section(short(section.name, SECTION) or UNNAMED, tuple(map(_tidied_item, section.items)))
            for section in digest.sections
        ),
        foot=replace(digest.foot, silent=silent, progress=progress),
    )


def _tidied_item(item: Item) -> Item:
    return replace(
        item,
        heading=short(item.heading, HEADING),
        authors=tuple(short(name, NAME) for name in item.authors),
        source=short(item.source, NAME),
        also_in=tuple(short(name, NAME) for name in item.also_in),
        summary=short(item.summary, SUMMARY),
        matched=tuple(short(word, NAME) for word in item.matched),
        also_for=tuple(short(name, NAME) for name in item.also_for),
        snippet=short(item.snippet, SNIPPET),
    )
