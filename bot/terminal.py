"""The terminal that we print on: Rich's, without its mark-up, and honest about a pipe that was closed."""

from __future__ import annotations

from rich.console import Console


class Terminal(Console):
    """Prints text as it stands; a closed pipe is BrokenPipeError, where Rich would end the process with 1."""

    def __init__(self, **settings: object) -> None:
        super().__init__(markup=False, highlight=False, emoji=False, **settings)  # type: ignore[arg-type]

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError
