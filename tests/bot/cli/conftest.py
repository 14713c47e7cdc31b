"""The command line, run as people run it, on a database of its own."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bot.__main__ import main
from bot.cli import show


class Result(NamedTuple):
    """What a command did: its exit code, and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Result]


@pytest.fixture
def run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Result]:
    """Runs `paperround` with these arguments, in `tmp_path`, where its database lies too."""
    monkeypatch.setenv("PAPERROUND_DB", str(tmp_path / "p.db"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(show.out, "width", 200)  # it may have been made while there were other columns
    monkeypatch.chdir(tmp_path)

    def command(*arguments: object) -> Result:
        monkeypatch.setattr(sys, "argv", ["paperround", *map(str, arguments)])
        capsys.readouterr()
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = int(stop.code or 0)
        return Result(code, *capsys.readouterr())

    return command
