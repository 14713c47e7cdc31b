"""Tests of how a command ends that cannot go on: no output, no reader, Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bot.__main__ import BY_CLOSED_PIPE, BY_CTRL_C
from tests.conftest import ROOT

WITHOUT_OUTPUT = [
    ("feeds list >/dev/full", "No space left"),
    ("papers export >/dev/full", "No space left"),
    ("demo >/dev/full", "No space left"),
    ("feeds list >&-", "output is closed"),
]


def ends(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A line of shell in which `paperround` is the command, with one stored paper."""
    (folder / "one.jsonl").write_text('{"title": "A", "abstract": "We do."}\n')
    env = {**os.environ, "PAPERROUND_DB": str(folder / "p.db"), "PYTHONPATH": str(ROOT)}
    whole = f'paperround() {{ "{sys.executable}" -m bot "$@"; }}\n{script}'
    command = ["bash", "-c", whole]
    return subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(("typed", "words"), WITHOUT_OUTPUT)
def test_output_that_cannot_be_written_is_said(tmp_path: Path, typed: str, words: str) -> None:
    """A full disk or a closed output is one clear error, no fault of the program."""
    result = ends(f"paperround papers import one.jsonl >/dev/null; paperround {typed}", tmp_path)
    assert result.returncode == 1
    assert words in result.stderr
    assert "Traceback" not in result.stderr
    assert "fault of Paperround" not in result.stderr
    assert "Exception ignored" not in result.stderr


def test_reader_that_has_enough_ends_it_quietly(tmp_path: Path) -> None:
    """`paperround feeds list | head` ends as `cat` would."""
    result = ends("{ sleep 0.1; paperround feeds list; echo $? >&2; } | true", tmp_path)
    assert result.stderr == f"{BY_CLOSED_PIPE}\n"


@pytest.mark.parametrize(
    "where",
    ["bot.app.opened", "bot.cli.feeds.health", "typer.main.get_command", "typer.core.TyperGroup.main"],
)
def test_ctrl_c_is_one_line(tmp_path: Path, where: str) -> None:
    """Ctrl-C while a command is loaded, or while it works, says that nothing is half-done."""
    (tmp_path / "interrupted.py").write_text(
        "import os, signal, sys\n"
        "from unittest.mock import patch\n"
        "import bot.__main__, bot.app, bot.cli.feeds\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # a job in the background ignores it
        f"def press(*_, **__): os.kill(os.getpid(), {int(signal.SIGINT)})\n"
        "sys.argv = ['paperround', 'feeds', 'list']\n"
        f"with patch('{where}', press):\n"
        "    bot.__main__.main()\n"
    )
    script = f'paperround feeds add one.jsonl >/dev/null; exec "{sys.executable}" interrupted.py'
    result = ends(script, tmp_path)
    assert (result.returncode, result.stderr) == (BY_CTRL_C, "stopped; nothing was left half-done\n")
