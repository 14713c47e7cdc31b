"""The command that checks the installation."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from bot.cli import show
from digests.errors import PaperroundError

if TYPE_CHECKING:
    from bot.platforms import Finding

app = typer.Typer(
    add_completion=False,
    help="Check tokens, channels, feeds, clock, disk and database; says how to mend each.",
)


@app.command()
def doctor(json: bool = typer.Option(False, "--json", help="Print JSON for scripts.")) -> None:
    """Check tokens, scopes, channels, feeds, clock, disk and database; exit code 1 if something is wrong.

    Example: paperround doctor
    """
    found = _examined()
    if json:
        show.print_json([asdict(finding) for finding in found])
    else:
        for finding in found:
            show.say(
                f"{'ok   ' if finding.ok else 'wrong'}  {finding.of}: {finding.what}",
                "" if finding.ok else "red",
            )
            if not finding.ok and finding.hint:
                show.say(f"       mend it: {finding.hint}")
    if not all(finding.ok for finding in found):
        raise typer.Exit(show.FAILED)


def _examined() -> tuple[Finding, ...]:
    from bot.app import examine
    from bot.logs import configure
    from bot.platforms import Finding
    from bot.settings import load_settings

    try:
        settings = load_settings()
        configure(settings.secrets, "error", settings.form)
        return examine()
    except PaperroundError as error:
        return (Finding("settings", False, error.what, error.hint),)
