"""The command `paperround`: finds the command's module, runs it, and turns errors into one clear line."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup


class _Commands(NamedTuple):
    """A module of `bot.cli` and what its commands are for; it is loaded when one of them is run."""

    module: str
    help: str


_MODULES = {
    "demo": _Commands("demo", "Print a digest of the bundled sample: no token, no network."),
    "feeds": _Commands("feeds", "Register, check and read the sources of papers."),
    "channels": _Commands("channels", "Register the channels that get digests, and their settings."),
    "subscriptions": _Commands("subscriptions", "Subscribe channels to queries."),
    "papers": _Commands("papers", "Search, show, import and export the stored papers."),
    "digest": _Commands("digest", "Preview and send digests, and see what became of them."),
    "audit": _Commands("audit", "Show who changed what, and when."),
    "run": _Commands("run", "Run the service: scheduler, Slack and Discord in one process."),
    "doctor": _Commands(
        "doctor", "Check tokens, channels, feeds, clock, disk and database; says how to mend."
    ),
    "db": _Commands("db", "Migrate, check, back up and restore the database."),
}

_EPILOG = """Start with: paperround demo

Each command has --help with an example. Exit codes: 0 done, 1 failed, 2 wrong usage or input."""


class _Group(TyperGroup):
    """Lists all commands without loading them: the libraries behind them take a second."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = {name: TyperCommand(name, help=group.help) for name, group in _MODULES.items()}

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] in _MODULES:
            module = import_module(f"bot.cli.{_MODULES[args[0]].module}")
            self.commands[args[0]] = typer.main.get_command(module.app)
            self.commands[args[0]].name = args[0]
        return super().resolve_command(ctx, args)


app = typer.Typer(cls=_Group, no_args_is_help=True, add_completion=False, epilog=_EPILOG)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"paperround {version('paperround')}")
        raise typer.Exit


@app.callback()
def _main(
    db: str = typer.Option(
        "", "--db", metavar="FILE", help="The database; else PAPERROUND_DB says where it is."
    ),
    _version_asked: bool = typer.Option(
        False, "--version", callback=_version, is_eager=True, help="Print the version and stop."
    ),
) -> None:
    """Paperround posts a daily digest of new research papers into Slack and Discord channels."""
    if db:
        os.environ["PAPERROUND_DB"] = db


def main() -> None:
    """Run the command line; every fault ends in one line on stderr and an exit code of its own."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    try:
        app()
    except BrokenPipeError:  # the reader of our output (head, less) has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        sys.exit(1)
    except Exception as error:
        from bot.cli.show import explain

        sys.exit(explain(error))


if __name__ == "__main__":
    main()
