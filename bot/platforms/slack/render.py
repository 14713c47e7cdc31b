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
from digests.commands import HELP
from digests.digest import (
    Digest,
    Item,
    Publication,
    Section,
    Span,
    fine_print,
    foot,
    goes_on,
    new_items,
    published_in,
)
from digests.text import clip

# One item at its largest, with header, heading and foot, stays below MAX_SIZE even if all of it is quotes,
# which JSON writes with two characters.
HEADER, SECTION, LABEL, FEED = 150, 80, 60, 40
HEADING, SUMMARY, MARKS = 300, 1_000, 16
SNIPPET, SNIPPET_MARKS = 160, 6
NAME, PLACE, FINE_PRINT = 50, 60, (300, 200)
FOOT_PIECES = 12
NOTICE = 400


def render(digest: Digest) -> tuple[str, ...]:
    """The messages of a digest as JSON objects of `text` and `blocks`: the main post, then its thread.

    Items stand in the main post as far as they fit and go on in the thread, in the same order; a section
    that goes on repeats its heading; what was checked stands at the end of the main post.
    """
    digest = _tidied(digest)
    messages = _packed(digest)
    continued = digest.say.message_continued.format(title=digest.title)
    notices = [_notice(digest), *[continued] * (len(messages) - 1)]
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


@dataclass(frozen=True, slots=True)
class _Entry:
    """What stands together, and the heading above it: a name, and what comes after it on its line.

    `begins` says that it is the first under its heading; on a new message the others are `continued`.
    `papers` says how many new papers it shows: one, or none.
    """

    blocks: list[Block]
    name: str
    rest: str
    begins: bool
    papers: int = 1


def _packed(digest: Digest) -> list[list[Block]]:
    """The blocks of each message; the main post keeps room for the longest foot that it can get."""
    feet = (_foot(digest, more) for more in (0, len(digest.papers)))
    main = _Message(MAX_SIZE - max(map(size_of, feet)))
    main.add([_header(digest.title)])
    if not digest.papers:
        main.add([rich(text(digest.say.quiet_day))])
    messages, more = [main], 0
    for entry in _entries(digest):
        heading = _heading(entry.name, entry.rest, messages[-1]) if entry.begins else []
        if not messages[-1].takes([*heading, *entry.blocks]):
            messages.append(_Message())
            rest = entry.rest if entry.begins else digest.say.continued
            heading = _heading(entry.name, rest, messages[-1])
        messages[-1].add([*heading, *entry.blocks])
        more += entry.papers if len(messages) > 1 else 0
    main.add(_foot(digest, more if len(messages) > 1 else None))
    return [message.blocks for message in messages]


def _entries(digest: Digest) -> Iterator[_Entry]:
    for section in digest.sections:
        for index, item in enumerate(section.items):
            yield _Entry(_item(digest, item), section.name, new_items(digest, section), not index)
    for index, publication in enumerate(digest.published):
        yield _Entry([_publication(digest, publication)], digest.say.published, "", not index, papers=0)


def _header(title: str) -> Block:
    return {"type": "header", "text": plain(short(title, HEADER))}


def _heading(name: str, rest: str, message: _Message) -> list[Block]:
    """A section's heading, set apart from the section before it."""
    heading = rich(text(name, bold=True), *([text(f" · {rest}")] if rest else []))
    return [{"type": "divider"}, heading] if message.blocks else [heading]


def _item(digest: Digest, item: Item) -> list[Block]:
    title = link(item.heading or digest.say.untitled, item.link, bold=True)
    words = item.summary or digest.say.no_abstract
    summary = [text(piece, bold=bold) for piece, bold in _pieces(words, item.marks)]
    blocks = [rich(title, text("\n"), *summary, *_snippet(item))]
    lines = map(short, fine_print(digest, item), FINE_PRINT)
    below = "\n".join(filter(None, lines))
    return [*blocks, context(below)] if below else blocks


def _publication(digest: Digest, publication: Publication) -> Block:
    title = link(publication.heading or digest.say.untitled, publication.link)
    return rich(title, text(f" · {published_in(digest, publication)}"))


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


def _foot(digest: Digest, more: int | None) -> list[Block]:
    """The last line of the main post; `more` new papers stand in later messages, None where none come."""
    pieces = [] if more is None else [goes_on(digest, more)]
    pieces += filter(None, foot(digest))
    if len(pieces) > FOOT_PIECES:
        left_out = digest.say.counted(digest.say.more_notes, len(pieces) - FOOT_PIECES + 1)
        pieces = [*pieces[: FOOT_PIECES - 2], left_out, pieces[-1]]
    return [{"type": "divider"}, context(" · ".join([*pieces, HELP]))]


def _notice(digest: Digest) -> str:
    """What a notification says, and a screen reader reads first."""
    headings = "; ".join(item.heading or digest.say.untitled for item in digest.items)
    return f"{digest.title}: {clip(headings, NOTICE) or digest.say.quiet_day}"


# Text -------------------------------------------------------------------------------------------------


def _tidied(digest: Digest) -> Digest:
    """The digest with each text short enough for its place, without what hides or turns its neighbours."""
    silent = tuple(replace(silent, feed=short(silent.feed, FEED)) for silent in digest.foot.silent)
    progress = tuple(replace(progress, feed=short(progress.feed, FEED)) for progress in digest.foot.progress)
    return replace(
        digest,
        label=short(digest.label, LABEL),
        sections=tuple(
            Section(
                short(section.name, SECTION) or digest.say.unnamed, tuple(map(_tidied_item, section.items))
            )
            for section in digest.sections
        ),
        foot=replace(digest.foot, silent=silent, progress=progress),
        published=tuple(map(_tidied_publication, digest.published)),
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


def _tidied_publication(publication: Publication) -> Publication:
    heading, place = short(publication.heading, HEADING), short(publication.place, PLACE)
    return replace(publication, heading=heading, place=place)
