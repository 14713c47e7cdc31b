"""What the command line prints: tables, JSON, progress, and errors that name the next step."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from rich.table import Table
from rich.text import Text

from bot.terminal import Terminal
from digests.errors import InputError, PaperroundError, QueryError

_T = TypeVar("_T")


out = Terminal()
err = Terminal(stderr=True)

_OUTPUT = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF}

FAILED = 1
WRONG_INPUT = 2


def say(text: str, style: str = "") -> None:
    """A line for the person who asked."""
    out.print(Text(text, style=style), soft_wrap=True)


def warn(text: str) -> None:
    """A line on stderr that does not stop the command."""
    err.print(Text(f"note: {text}", style="yellow"), soft_wrap=True)


def print_json(value: Any) -> None:
    """A value as JSON, readable and in Unicode."""
    print(json.dumps(value, ensure_ascii=False, indent=2))


def table(columns: Sequence[str], rows: Iterable[Sequence[str]], empty: str) -> None:
    """Rows under their headings, or the one line that says why there are none."""
    grid = Table(box=None, pad_edge=False, header_style="bold", show_edge=False)
    for column in columns:
        grid.add_column(column.removesuffix("#"), justify="right" if column.endswith("#") else "left")
    for row in rows:
        grid.add_row(*(Text(cell) for cell in row))
    if grid.row_count:
        out.print(grid)
    else:
        say(empty)


def pairs(document: Mapping[str, Any]) -> None:
    """The names and values of a JSON object, one a line; empty ones are left out."""
    grid = Table(box=None, pad_edge=False, show_edge=False, show_header=False)
    grid.add_column(style="dim")
    grid.add_column(overflow="fold")
    for name, value in document.items():
        if value not in (None, "", []):
            grid.add_row(name.replace("_", " "), Text(cell(value)))
    out.print(grid)


def cell(value: object) -> str:
    """A JSON value as a table shows it."""
    if isinstance(value, list):
        return ", ".join(map(cell, value))
    if value is None:
        return ""
    if isinstance(value, bool):
        return ("no", "yes")[value]
    return f"{value:,}" if isinstance(value, int) else str(value)


def ago(moment: datetime | None, now: datetime | None = None) -> str:
    """How long ago something was, in the largest unit: "3 h ago", "never"."""
    if moment is None:
        return "never"
    seconds = int(((now or datetime.now(UTC)) - moment).total_seconds())
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if abs(seconds) >= size:
            return f"{seconds // size} {unit} ago" if seconds > 0 else f"in {-seconds // size} {unit}"
    return "just now"


def explain(error: BaseException) -> int:
    """Say on stderr what went wrong and the next step; gives the exit code."""
    if isinstance(error, OSError):
        error = _of_system(error) or error
    if not isinstance(error, PaperroundError):
        if os.environ.get("PAPERROUND_DEBUG"):
            err.print_exception()
        err.print(
            f"paperround: a fault of Paperround itself: {type(error).__name__}: {error}; "
            "set PAPERROUND_DEBUG=1 and try again for the whole story",
            soft_wrap=True,
        )
        return FAILED
    err.print(Text(f"paperround: {error.what}", style="red"), soft_wrap=True)
    if isinstance(error, QueryError):
        err.print(Text("\n".join(f"    {line}" for line in error.pointed().splitlines())), soft_wrap=True)
    if error.hint:
        err.print(Text(f"  next: {error.hint}"), soft_wrap=True)
    return WRONG_INPUT if isinstance(error, InputError) else FAILED


def _of_system(error: OSError) -> PaperroundError | None:
    """What the operating system refused: a path, or the output; None for all else, as of a network."""
    if error.filename is not None:
        what = f"{str(error.filename)!r} cannot be used: {error.strerror}"
        return PaperroundError(what, "look at its path and its rights")
    if error.errno in _OUTPUT:
        return PaperroundError(
            f"the output cannot be written: {error.strerror}", "see where it goes, and its disk"
        )
    return None


def tracked(items: Sequence[_T], doing: str) -> Iterable[_T]:
    """The items one after another, with a progress bar on a terminal where there are many."""
    if not err.is_terminal or len(items) < 1_000:
        return items
    from rich.progress import track

    return track(items, description=doing, console=err, transient=True)
