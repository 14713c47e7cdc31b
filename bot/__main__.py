"""The command `paperround`: finds the command's module, runs it, and turns errors into one clear line."""

from __future__ import annotations

import os
import signal
import sys
from importlib import import_module
from typing import Any, NamedTuple, NoReturn

BY_CTRL_C = 128 + signal.SIGINT
BY_CLOSED_PIPE = 128 + signal.SIGPIPE


def _stopped() -> NoReturn:
    """Ctrl-C: each change is one transaction, so there is none that is half-done."""
    print("stopped; nothing was left half-done", file=sys.stderr)
    sys.exit(BY_CTRL_C)


try:
    import typer
    from typer.core import TyperCommand, TyperGroup
except KeyboardInterrupt:  # it takes long enough for an impatient person
    _stopped()


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

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # Typer would end with 1, as if something had failed
            _reader_gone()


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
    try:
        _prepare()
        try:
            app()
        finally:
            sys.stdout.flush()
    except SystemExit as end:
        if end.code == BY_CTRL_C:  # Typer says nothing
            _stopped()
        raise
    except KeyboardInterrupt:
        _stopped()
    except BrokenPipeError:
        _reader_gone()
    except Exception as error:
        from bot.cli.show import explain

        code = explain(error)
        _drop_output()
        sys.exit(code)


def _prepare() -> None:
    """Make the streams print everything, and refuse to work for nobody."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        print("paperround: its output is closed; next: send it to /dev/null instead", file=sys.stderr)
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
        sys.exit(1)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    if os.environ.get("COLUMNS") == "0":  # some terminals and cron jobs say so and mean: unknown
        del os.environ["COLUMNS"]


def _reader_gone() -> NoReturn:
    """What reads the output (head, less) has enough: end as quietly as cat and grep, with their exit code."""
    _drop_output()
    sys.exit(BY_CLOSED_PIPE)


def _drop_output() -> None:
    """Let what still waits to be written go nowhere if it cannot be written; Python tries at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
