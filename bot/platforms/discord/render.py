"""A digest as Discord messages: one container of text displays each, within every limit for any digest.

Components V2 rather than embeds, compared as rendered: an embed per paper is a stack of boxes, ten to a
message and 6,000 characters in all; one embed for all has no headings and no small print.
Embeds also need the permission Embed Links, are hidden from people who have switched previews off, and are
hidden by the very flag that keeps previews away.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any

from bot.platforms.discord.markdown import bold, escaped, marked, size, title
from digests.commands import HELP
from digests.digest import (
    Digest,
    Item,
    Publication,
    Span,
    fine_print,
    foot,
    goes_on,
    new_items,
    published_in,
)
from digests.phrases import Phrases
from digests.sentences import sentences
from digests.text import clip

MAX_TEXT = 4000
"""Characters over all text displays of a message."""
MAX_COMPONENTS = 40
"""Components of a message, nested ones too."""
MAX_PARTS = MAX_COMPONENTS - 3
"""Beside them stand the container, and a line and a text at the end."""
FLAGS = 1 << 15 | 1 << 2
"""IS_COMPONENTS_V2 and SUPPRESS_EMBEDS."""
ACCENT = 0x4F7CAC

# Escaping at most doubles a text. So an item's lines never fill a message: its summary has 600 left.
MAX_HEADING = 300
MAX_LINE = 300
MAX_SECTION = 150
MAX_SENTENCE = 280
MAX_SNIPPET = 400
MAX_FOOT = 800
MAX_MORE = 60

_CONTAINER, _TEXT, _SEPARATOR = 17, 10, 14


@dataclass(frozen=True, slots=True)
class _Entry:
    """A text and the heading under which it stands; `rest` is what `brief` leaves of `whole`.

    `papers` says how many new papers it shows: one, or none.
    """

    heading: str
    whole: str
    brief: str
    rest: str = ""
    papers: int = 1


@dataclass(slots=True)
class _Page:
    """A message in the making; `kept` characters stay free for its last lines."""

    texts: list[str] = field(default_factory=list)
    parts: list[dict[str, Any]] = field(default_factory=list)
    kept: int = 0
    heading: str = ""

    def take(self, heading: str, text: str) -> bool:
        """Add a text, under its heading where that is not the one above; False if there is no room."""
        new = heading != self.heading
        more = [heading, text] if new and heading else [text]
        parts = [_line(divider=new)] if self.parts else []
        parts += map(_text, more)
        characters = sum(map(size, [*self.texts, *more])) + self.kept
        if characters > MAX_TEXT or len(self.parts) + len(parts) > MAX_PARTS:
            return False
        self.texts += more
        self.parts += parts
        self.heading = heading
        return True


def render(digest: Digest) -> tuple[str, ...]:
    """The messages of a digest: one for all of it, or titles and first sentences first and then the rest.

    Without a thread the rest of a summary would come after other papers: each paper stands whole.
    """
    head = f"## {escaped(clip(digest.title, MAX_LINE))}"
    last, *more_feet = _feet(digest)
    entries = tuple(_entries(digest))
    if not more_feet and (whole := _one_page(head, entries, kept=size(last))):
        return (_message(whole, last),)
    if not digest.thread:
        entries = tuple(replace(entry, brief=entry.whole, rest="") for entry in entries)
    page = _titled(head, kept=size(last) + MAX_MORE)
    taken = len(tuple(takewhile(lambda entry: page.take(entry.heading, entry.brief), entries)))
    later = [(entry.heading, entry.rest) for entry in entries[:taken] if entry.rest]
    later += [(entry.heading, entry.whole) for entry in entries[taken:]]
    pages = _pages([*later, *(("", text) for text in more_feet)])
    more = sum(entry.papers for entry in entries[taken:])
    first = _message(page, _lines(f"-# {goes_on(digest, more)}", last))
    return (first, *(_message(page) for page in pages))


def _titled(head: str, kept: int) -> _Page:
    page = _Page(kept=kept)
    page.take("", head)
    return page


def _one_page(head: str, entries: Iterable[_Entry], kept: int) -> _Page | None:
    page = _titled(head, kept)
    return page if all(page.take(entry.heading, entry.whole) for entry in entries) else None


def _pages(texts: Iterable[tuple[str, str]]) -> tuple[_Page, ...]:
    pages: list[_Page] = []
    for heading, text in texts:
        if not (pages and pages[-1].take(heading, text)):
            pages.append(_Page())
            pages[-1].take(heading, text)
    return tuple(pages)


def _message(page: _Page, last: str = "") -> str:
    parts = [*page.parts, *([_line(divider=True), _text(last)] if last else [])]
    container = {"type": _CONTAINER, "accent_color": ACCENT, "components": parts}
    message = {"flags": FLAGS, "allowed_mentions": {"parse": []}, "components": [container]}
    return json.dumps(message, ensure_ascii=False)


def _text(content: str) -> dict[str, Any]:
    return {"type": _TEXT, "content": content}


def _line(*, divider: bool) -> dict[str, Any]:
    """A gap, with a line in it or without."""
    return {"type": _SEPARATOR, "divider": divider, "spacing": 1}


def _entries(digest: Digest) -> Iterator[_Entry]:
    if not digest.sections:
        yield _Entry("", digest.say.quiet_day, digest.say.quiet_day, papers=0)
    for section in digest.sections:
        title = f"{clip(section.name, MAX_SECTION)} · {new_items(digest, section)}"
        for item in section.items:
            yield _entry(f"### {escaped(title)}", digest, item)
    for publication in digest.published:
        shown = _publication(digest, publication)
        yield _Entry(f"### {digest.say.published}", shown, shown, papers=0)


def _entry(heading: str, digest: Digest, item: Item) -> _Entry:
    name = title(clip(item.heading, MAX_HEADING), item.link, digest.say)
    above, small = map(_small, fine_print(digest, item))
    below = _lines(_snippet(item), small)
    room = MAX_TEXT - sum(map(size, (heading, name, above, below))) - 8
    whole = _lines(name, above, _summary(item, (0, len(item.summary)), room, digest.say), below)
    first, *others = sentences(item.summary) or ("",)
    if not others and size(first) <= MAX_SENTENCE:
        return _Entry(heading, whole, whole)
    at = item.summary.find(first)
    end = at + len(first)
    brief = _lines(name, above, _summary(item, (at, end), MAX_SENTENCE, digest.say), below)
    begin = end if size(first) <= MAX_SENTENCE else at
    rest = _summary(item, (begin, len(item.summary)), room, digest.say)
    return _Entry(heading, whole, brief, _lines(bold(clip(item.heading, MAX_HEADING)), rest))


def _summary(item: Item, span: Span, room: int, say: Phrases) -> str:
    """This range of an item's summary, marked, or as much of its beginning as goes into `room`."""
    start, end = span
    text = item.summary[start:end]
    if not text:
        return f"-# {say.no_abstract}"
    return _marked(text, [(a - start, b - start) for a, b in item.marks], room)


def _publication(digest: Digest, publication: Publication) -> str:
    name = title(clip(publication.heading, MAX_HEADING), publication.link, digest.say)
    return f"{name} · {escaped(clip(published_in(digest, publication), MAX_LINE))}"


def _snippet(item: Item) -> str:
    """The sentence that shows the match, as small print in quotation marks."""
    shown = _marked(item.snippet, item.snippet_marks, MAX_SNIPPET)
    return f"-# “{shown}”" if shown else ""


def _marked(text: str, marks: Iterable[Span], room: int) -> str:
    """A text with its marked ranges, or as much of its beginning as goes into `room`."""
    width = min(len(text), room)
    while size(shown := _clipped(text, marks, width)) > room:
        width = width * room // size(shown)
    return shown


def _clipped(text: str, marks: Iterable[Span], width: int) -> str:
    clipped = clip(text, width)
    kept = len(clipped) - clipped.endswith("…")
    return marked(clipped, ((start, end) for start, end in marks if 0 <= start < end <= kept))


def _small(text: str) -> str:
    shown = escaped(clip(text, MAX_LINE))
    return f"-# {shown}" if shown else ""


def _lines(*lines: str) -> str:
    return "\n".join(filter(None, lines))


def _feet(digest: Digest) -> list[str]:
    """The last line, and further ones where it would be too long."""
    lines = [""]
    for piece in (*foot(digest), HELP):
        text = escaped(clip(piece, MAX_LINE))
        longer = " · ".join(filter(None, (lines[-1], text)))
        if size(longer) <= MAX_FOOT:
            lines[-1] = longer
        else:
            lines.append(text)
    return [f"-# {line}" for line in lines if line]
