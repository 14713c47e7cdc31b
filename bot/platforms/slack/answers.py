"""Renders a reply as Slack messages, without any mark-up that its words could use."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, groupby
from typing import Any

from bot.platforms.slack.blocks import (
    MAX_BLOCKS,
    MAX_SIZE,
    Block,
    context,
    escaped,
    link,
    paragraph,
    plain,
    rich,
    short,
    size_of,
    text,
)
from digests.reply import Button, Line, Look, Reply, Table

# https://docs.slack.dev/interactivity/handling-user-interaction#message_responses
MOST_MESSAGES = 5
"""So many answers Slack takes for one command."""

ACTION = "command"
"""What the id of each of our buttons begins with; its value is the command."""

TITLE, LINE, CELL, NOTICE, LABEL = 600, 500, 200, 400, 75
CODE_LINES, ROW = 8, 10

_WRAPPED = 40
"""The characters that a block of its own puts around a paragraph."""

_Piece = Block
"""A block, or a paragraph, which reads on in the block of the one before it."""

_READS_ON = ("rich_text_section", "rich_text_preformatted", "rich_text_list")


def render_reply(reply: Reply, digest: Sequence[str] = ()) -> tuple[dict[str, Any], ...]:
    """The messages of a reply in order, at most `MOST_MESSAGES`, each with its `text` and `blocks`.

    `digest` are the messages of its digest. A table comes as a list, which a phone can show.
    """
    messages = [_Message()]
    for piece in _pieces(reply):
        if not messages[-1].takes(piece):
            messages.append(_Message())
        messages[-1].add(piece)
    notice = escaped(short(reply.text, NOTICE)) or "Done."
    answers = [{"text": notice, "blocks": message.blocks} for message in messages]
    return _bounded([*answers, *map(json.loads, digest)])


def _bounded(messages: list[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    kept, left = messages[:MOST_MESSAGES], len(messages) - MOST_MESSAGES
    if left > 0:
        kept[-1]["blocks"].append(context(f"This goes on, but an answer has no room for more ({left} left)."))
    return tuple(kept)


@dataclass(slots=True)
class _Message:
    room: int = MAX_SIZE
    blocks: list[Block] = field(default_factory=list)
    _joins: bool = False

    def takes(self, piece: _Piece) -> bool:
        # A place is kept for the word on what an answer has no room for.
        return len(self.blocks) + 1 < MAX_BLOCKS and size_of([piece]) + _WRAPPED <= self.room

    def add(self, piece: _Piece) -> None:
        self.room -= size_of([piece]) + _WRAPPED
        before = self.blocks[-1]["elements"] if self._joins else []
        self._joins = piece["type"] in _READS_ON
        if not self._joins:
            self.blocks.append(piece)
        elif not before or (_stands_out(before[-1]) and not _stands_out(piece)):
            self.blocks.append({"type": "rich_text", "elements": [piece]})
        elif piece["type"] == before[-1]["type"] == "rich_text_list":
            before[-1]["elements"] += piece["elements"]
        else:
            before.append(piece)


def _stands_out(piece: _Piece) -> bool:
    """Whether it is code or a list, which words below it are set apart from."""
    return piece["type"] != "rich_text_section" or "code" in piece["elements"][0].get("style", {})


def _pieces(reply: Reply) -> Iterator[_Piece]:
    """Everything of a reply but its digest; a line's buttons come after the fine print below it."""
    numbers = count(1)
    waiting: tuple[Button, ...] = ()
    if title := short(reply.title, TITLE):
        yield rich(text(title, bold=True))
    for block in _with_code_joined(reply.body):
        if isinstance(block, Table):
            yield from _rows(block)
            continue
        if block.buttons:
            yield from _actions(waiting, numbers)
            waiting = block.buttons
        yield from _line(block)
        if block.look is Look.QUIET:
            yield from _actions(waiting, numbers)
            waiting = ()
    yield from _actions(waiting, numbers)
    yield from _actions(reply.buttons, numbers)


def _with_code_joined(body: Iterable[Line | Table]) -> Iterator[Line | Table]:
    """The blocks with lines of code in a row as one, for the places of their letters matter."""
    for is_code, group in groupby(body, lambda block: isinstance(block, Line) and block.look is Look.CODE):
        if not is_code:
            yield from group
            continue
        lines = [line for line in group if isinstance(line, Line)]
        for at in range(0, len(lines), CODE_LINES):
            some = lines[at : at + CODE_LINES]
            buttons = tuple(button for line in some for button in line.buttons)
            yield Line("\n".join(short(line.text, LINE) for line in some), look=Look.CODE, buttons=buttons)


def _line(line: Line) -> Iterator[_Piece]:
    if line.look is Look.CODE:
        if "\n" in line.text:
            yield {"type": "rich_text_preformatted", "elements": [text(line.text)]}
        elif line.text:
            yield paragraph(text(line.text, code=True))
    elif words := short(line.text, LINE):
        if line.look is Look.QUIET:
            yield context(words)
        else:
            yield paragraph(link(words, line.link, bold=line.look is Look.STRONG))


def _rows(table: Table) -> Iterator[_Piece]:
    """Each row as a point of a list: its first cell, then the others, named where there are several."""
    for row in table.rows:
        first, *cells = (short(cell, CELL) or "–" for cell in row)
        if len(cells) > 1:
            cells = [f"{name} {cell}" for name, cell in zip(table.columns[1:], cells, strict=False)]
        said = paragraph(text(first, bold=True), text(": " + " · ".join(cells) if cells else " "))
        yield {"type": "rich_text_list", "style": "bullet", "elements": [said]}


def _actions(buttons: Sequence[Button], numbers: Iterator[int]) -> Iterator[_Piece]:
    for at in range(0, len(buttons), ROW):
        some = buttons[at : at + ROW]
        yield {"type": "actions", "elements": [_button(button, next(numbers)) for button in some]}


def _button(button: Button, number: int) -> Block:
    element: Block = {
        "type": "button",
        "action_id": f"{ACTION}-{number}",
        "text": plain(short(button.label, LABEL) or "…"),
        "value": button.command,
    }
    return element | {"style": "danger"} if button.is_danger else element
