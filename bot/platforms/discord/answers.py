"""Replies as Discord messages: a container of text and buttons each, within every limit for any reply."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count, groupby, zip_longest
from typing import Any

from bot.platforms.discord.markdown import bold, code, escaped, legible, size, title
from bot.platforms.discord.render import ACCENT, MAX_COMPONENTS, MAX_TEXT, render
from digests.commands import SLASH
from digests.reply import Button, Line, Look, Reply, Table
from digests.text import clip

REFUSED = 0xC9793A
MAX_LINE = 900
"""Characters of a line; escaping at most doubles them, and an address may come to it."""

MAX_GROUP = 3000
"""Characters of the lines that stand with their buttons."""

MAX_BUTTONS = 15
"""Buttons of one line; further ones are spelt out."""
MAX_LABEL = 80
MAX_CUSTOM_ID = 100
ROW = 5

PREFIX = "digest:"
"""What a button's custom_id begins with; a number follows, which makes it unique, and the command."""

_ACTION_ROW, _BUTTON, _SECTION, _TEXT, _CONTAINER = 1, 2, 9, 10, 17
_SECONDARY, _DANGER = 2, 4

Components = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class _Part:
    """Markdown, and the buttons that belong to it; one of the two may be missing."""

    text: str
    buttons: tuple[Button, ...] = ()

    @property
    def is_section(self) -> bool:
        """Whether its button stands beside its text."""
        return bool(self.text) and len(self.buttons) == 1

    @property
    def size(self) -> int:
        """How many components it takes."""
        if self.is_section:
            return 3
        return bool(self.text) + len(self.buttons) + -(-len(self.buttons) // ROW)


def answer(reply: Reply) -> tuple[Components, ...]:
    """The messages of a reply, each as its components: at least one, a digest's own after the rest."""
    parts = tuple(part for part in _parts(reply) if part.text or part.buttons)
    if not parts and not reply.digest:
        parts = (_Part(bold("Done.")),)
    colour = REFUSED if reply.is_refusal else ACCENT
    pages = [_message(page, colour) for page in _pages(parts)]
    shown = render(reply.digest) if reply.digest else ()
    return (*pages, *(json.loads(message)["components"] for message in shown))


def command_of(custom_id: str) -> str:
    """The command that a button of ours gives; empty for any other."""
    number, _, command = custom_id.removeprefix(PREFIX).partition(":")
    return command if custom_id.startswith(PREFIX) and number.isdecimal() else ""


def shortened(text: str, most: int) -> str:
    """`text` within so many characters, however Discord counts them."""
    text = clip(text, most)
    while size(text) > most:
        text = clip(text, len(text) - (size(text) - most + 1) // 2)
    return text


def _parts(reply: Reply) -> Iterator[_Part]:
    name = clip(reply.title, MAX_LINE)
    yield _Part(bold(name) if reply.is_refusal or not legible(name) else f"### {escaped(name)}")
    for lines, buttons in _groups(reply.body):
        text, *others = _split(lines)
        yield _Part(text, buttons)
        yield from map(_Part, others)
    buttons, spelt = _usable(reply.buttons)
    yield from map(_Part, spelt)
    yield _Part("", buttons)


def _groups(body: Iterable[Line | Table]) -> Iterator[tuple[list[str], tuple[Button, ...]]]:
    """The lines in Markdown, with the buttons of the first: a line with buttons begins a group."""
    lines: list[str] = []
    held: tuple[Button, ...] = ()
    for is_code, run in groupby(body, _is_code):
        blocks = tuple(run)
        written = [(_code(blocks), ())] if is_code else [_written(block) for block in blocks]
        for texts, buttons in written:
            if buttons:
                yield lines, held
                lines, held = [], buttons
            lines += filter(None, texts)
    yield lines, held


def _is_code(block: Line | Table) -> bool:
    return isinstance(block, Line) and block.look is Look.CODE and not block.buttons


def _code(lines: Iterable[Line | Table]) -> list[str]:
    """Lines of code in a row as one block, or as several where that would be too long."""
    texts = [clip(line.text, MAX_LINE) for line in lines if isinstance(line, Line)]
    return [code(*some.split("\n")) for some in _split([text.replace("\n", " ") for text in texts])]


def _written(block: Line | Table) -> tuple[list[str], tuple[Button, ...]]:
    if isinstance(block, Table):
        return [_row(block.columns, row) for row in block.rows], ()
    buttons, spelt = _usable(block.buttons)
    return [_line(block), *spelt], buttons


def _line(line: Line) -> str:
    text = clip(line.text, MAX_LINE)
    if line.link:
        point, text = ("• ", text[2:]) if text.startswith("• ") else ("", text)
        return point + title(text, line.link)
    match line.look:
        case Look.STRONG:
            return bold(text)
        case Look.QUIET:
            return f"-# {escaped(text)}" if legible(text) else ""
        case Look.CODE:
            return code(text)
    return escaped(text)


def _row(columns: tuple[str, ...], row: tuple[str, ...]) -> str:
    """A row as a line: its first cell in bold, and of several others each after the name of its column."""
    first, *others = (clip(cell, MAX_LINE // max(len(row), 1)) for cell in row or ("",))
    if len(others) > 1:
        named = zip_longest(columns[1 : len(row)], others, fillvalue="")
        others = [f"{column}: {cell}" if column else cell for column, cell in named if cell]
    return " · ".join(filter(None, (bold(first), *map(escaped, others))))


def _usable(buttons: tuple[Button, ...]) -> tuple[tuple[Button, ...], list[str]]:
    """The buttons that Discord can take, and lines that spell out the others."""
    fit = [button for button in buttons if size(_custom_id(0, button)) < MAX_CUSTOM_ID][:MAX_BUTTONS]
    others = [button for button in buttons if button not in fit]
    return tuple(fit), [
        f"-# {escaped(clip(f'{each.label}: {SLASH} {each.command}', MAX_LINE))}" for each in others
    ]


def _split(lines: Iterable[str]) -> list[str]:
    """Lines joined as far as they fit into a group."""
    groups = [""]
    for line in lines:
        longer = f"{groups[-1]}\n{line}" if groups[-1] else line
        if size(longer) <= MAX_GROUP:
            groups[-1] = longer
        else:
            groups.append(line)
    return groups


def _pages(parts: Iterable[_Part]) -> Iterator[tuple[_Part, ...]]:
    """The parts as they go into messages; text after text is one part."""
    page: tuple[_Part, ...] = ()
    for part in parts:
        longer = _joined(page, part)
        if page and not _fits(longer):
            yield page
            longer = (part,)
        page = longer
    if page:
        yield page


def _joined(page: tuple[_Part, ...], part: _Part) -> tuple[_Part, ...]:
    if page and not page[-1].buttons and not part.buttons:
        return (*page[:-1], _Part(f"{page[-1].text}\n{part.text}"))
    return (*page, part)


def _fits(page: tuple[_Part, ...]) -> bool:
    return (
        sum(size(part.text) for part in page) <= MAX_TEXT and sum(part.size for part in page) < MAX_COMPONENTS
    )


def _message(page: tuple[_Part, ...], colour: int) -> Components:
    numbers = count()
    components = [component for part in page for component in _components(part, numbers)]
    return [{"type": _CONTAINER, "accent_color": colour, "components": components}]


def _components(part: _Part, numbers: Iterator[int]) -> Components:
    text = {"type": _TEXT, "content": part.text}
    buttons = [_button(next(numbers), button) for button in part.buttons]
    if part.is_section:
        return [{"type": _SECTION, "components": [text], "accessory": buttons[0]}]
    starts = range(0, len(buttons), ROW)
    rows = [{"type": _ACTION_ROW, "components": buttons[at : at + ROW]} for at in starts]
    return [text, *rows] if part.text else rows


def _button(number: int, button: Button) -> dict[str, Any]:
    return {
        "type": _BUTTON,
        "style": _DANGER if button.is_danger else _SECONDARY,
        "label": shortened(legible(button.label), MAX_LABEL) or "…",
        "custom_id": _custom_id(number, button),
    }


def _custom_id(number: int, button: Button) -> str:
    return f"{PREFIX}{number}:{button.command}"
