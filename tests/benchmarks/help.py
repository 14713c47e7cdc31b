"""The command line's start: `paperround --help` beside the help of a typer program of two commands.

    python -m tests.benchmarks.help

CPU time of the child processes, medians of several runs taken in turn.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from tests.benchmarks.figures import ROOT, report

ROUNDS = 15
TWO_COMMANDS = '''
import typer
app = typer.Typer()
@app.command()
def one(name: str = typer.Option("", help="A name.")) -> None:
    """Do one thing."""
@app.command()
def two(name: str = typer.Option("", help="A name.")) -> None:
    """Do another."""
app()
'''


def main() -> None:
    """Print the CPU time of both, and of an interpreter that does nothing."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "two.py"
        program.write_text(TWO_COMMANDS)
        commands = {
            "paperround": [sys.executable, "-m", "bot", "--help"],
            "typer": [sys.executable, str(program), "--help"],
            "python": [sys.executable, "-c", "pass"],
        }
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                times[name].append(_cpu(command))
    ours, two, bare = (median(times[name]) for name in commands)
    report("help.cpu", 1000 * ours, "ms", against=1000 * two, n=ROUNDS)
    report("help.interpreters", 1000 * ours, "ms", against=1000 * bare, n=ROUNDS)


def _cpu(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
