"""Tests of the documents: what README and CONTRIBUTING show works, and is what the program does."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bot.__main__ import _MODULES
from tests.conftest import ROOT
from tests.picture import PICTURE, demo_digest

README = (ROOT / "README.md").read_text("utf-8")
SAMPLE = ROOT / "bot" / "demo" / "sample.txt"


def paperround(*arguments: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command as people do, in a folder."""
    env = {**os.environ, "PAPERROUND_DB": str(folder / "p.db"), "COLUMNS": "100", **environment}
    command = [sys.executable, "-m", "bot", *arguments]
    env["PYTHONPATH"] = str(ROOT)
    return subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=False
    )


def test_readme_session_works(tmp_path: Path) -> None:
    """Every command of README's first digest runs, in its order, on the bundled sample."""
    (tmp_path / "accepted-papers.txt").write_bytes(SAMPLE.read_bytes())
    session = [
        line.removeprefix("$ paperround ") for line in README.splitlines() if line.startswith("$ paperround ")
    ]
    results = [paperround(*shlex.split(line), folder=tmp_path) for line in session]
    assert [(line, r.stderr) for line, r in zip(session, results, strict=True) if r.returncode] == []
    assert "── Reasoning" in results[4].stdout


def test_readme_queries_are_understood(tmp_path: Path) -> None:
    """Every query of README's table is one."""
    from digests.query import parse

    rows = re.findall(r"^\| (`.+?`) \|", README, re.MULTILINE)
    queries = [query for row in rows for query in re.findall(r"`([^`]+)`", row)]
    assert len(queries) > 10
    assert all(str(parse(query)) for query in queries)


def test_picture_is_of_this_version() -> None:
    """README's picture shows the digest that the demo prints."""
    picture = PICTURE.read_text("utf-8").replace("&#160;", " ")
    shown = [item.heading for section in demo_digest().sections for item in section.items]
    assert [heading for heading in shown if heading[:60] not in picture] == []


@pytest.mark.parametrize("group", _MODULES)
def test_help_has_examples_and_loads_nothing_heavy(group: str, tmp_path: Path) -> None:
    """`--help` answers with an example and without the libraries that take a second to load."""
    heavy = "('sumy', 'discord', 'slack_bolt', 'slack_sdk', 'numpy', 'lxml', 'feedparser', 'sqlite_utils')"
    script = (
        "import sys; from bot.__main__ import app\n"
        "try: app(sys.argv[1:])\n"
        f"except SystemExit: print('LOADED', [name for name in {heavy} if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", script, group, "--help"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "Usage: " in result.stdout
    assert "LOADED []" in result.stdout


def test_every_command_has_an_example(tmp_path: Path) -> None:
    """No command leaves people guessing how it is typed."""
    from importlib import import_module

    lacking = []
    for name, group in _MODULES.items():
        for command in import_module(f"bot.cli.{group.module}").app.registered_commands:
            if not re.search(r"Example: (\S+=\S+ )?paperround ", command.callback.__doc__ or ""):
                lacking.append(f"{name} {command.name or command.callback.__name__}")
    assert lacking == []
