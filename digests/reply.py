"""A reply: what a command is answered with, without any mark-up, for every platform to lay out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from digests.digest import Digest


class Look(StrEnum):
    """How a line stands out: a heading, fine print, or letters of equal width.

    CODE lines in a row belong together: the places of their letters matter.
    """

    PLAIN = "plain"
    STRONG = "strong"
    QUIET = "quiet"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Button:
    """A button that gives `command`, a line for `parse_command` of at most `MAX_BUTTON` characters."""

    label: str
    command: str
    is_danger: bool = False


MAX_BUTTON = 90


@dataclass(frozen=True, slots=True)
class Line:
    """A line of plain text, all of it perhaps a stranger's; `link` is http(s) or empty."""

    text: str
    link: str = ""
    look: Look = Look.PLAIN
    buttons: tuple[Button, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under their headings."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Reply:
    """What is answered, without any mark-up: only the asker sees it unless it is `public`.

    `is_refusal` says that nothing was done or found out.
    """

    title: str = ""
    body: tuple[Line | Table, ...] = ()
    digest: Digest | None = None
    buttons: tuple[Button, ...] = ()
    public: bool = False
    is_refusal: bool = False

    @property
    def text(self) -> str:
        """All its words, line by line, the digest's left out."""
        return "\n".join(filter(None, (self.title, *map(_text, self.body))))


def _text(block: Line | Table) -> str:
    if isinstance(block, Line):
        return f"{block.text} {block.link}".rstrip()
    return "\n".join("  ".join(row) for row in (block.columns, *block.rows))
