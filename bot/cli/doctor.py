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
def doctor(
    quick: bool = typer.Option(
        False, "--quick", help="Ask nobody outside: only the database, the disk, the clock and the service."
    ),
    json: bool = typer.Option(False, "--json", help="Print JSON for scripts."),
) -> None:
    """Check tokens, scopes, channels, feeds, clock, disk and database; exit code 1 if something is wrong.

    What only is not there yet, as feeds before the first are added, is said, and is not wrong.

    Example: paperround doctor
    """
    found = _examined(quick)
    if json:
        show.print_json([asdict(finding) for finding in found])
    else:
        for finding in found:
            _say(finding)
    if any(finding.is_wrong for finding in found):
        raise typer.Exit(show.FAILED)


def _say(finding: Finding) -> None:
    verdict = "ok" if finding.ok else "wrong" if finding.is_wrong else "not yet"
    show.say(f"{verdict:7}  {finding.of}: {finding.what}", "red" if finding.is_wrong else "")
    if not finding.ok and finding.hint:
        show.say(f"         {'mend it' if finding.is_wrong else 'next'}: {finding.hint}")


def _examined(quick: bool) -> tuple[Finding, ...]:
    from bot.app import examine, glance
    from bot.logs import configure
    from bot.platforms import Finding
    from bot.settings import load_settings

    try:
        settings = load_settings()
        configure(settings.secrets, "error", settings.form)
        return glance() if quick else examine()
    except PaperroundError as error:
        return (Finding("settings", False, error.what, error.hint),)
