"""The command that shows who changed what, and the audit rows of the command line's own changes."""

from __future__ import annotations

from getpass import getuser
from typing import TYPE_CHECKING

import typer

from bot.cli import show

if TYPE_CHECKING:
    from bot.app import App
    from digests.changes import Change, Facts
    from digests.channel import ChannelId

app = typer.Typer(add_completion=False)


@app.command()
def audit(
    channel: str = typer.Option("", help="Only the changes of this channel: slack:T1/C1."),
    limit: int = typer.Option(50, min=1, max=100_000, help="Most changes shown, the latest first."),
    json: bool = typer.Option(False, "--json", help="Print JSON for scripts."),
) -> None:
    """Show who changed which channel's settings and subscriptions, and when.

    Example: paperround audit --channel slack:T1/C1
    """
    from bot.app import opened
    from bot.documents import change_json
    from digests.channel import ChannelId

    with opened() as paperround:
        changes = paperround.store.audit.latest(ChannelId.parse(channel) if channel else None, limit)
    if json:
        show.print_json([change_json(change) for change in changes])
        return
    rows = [
        (f"{change.at:%Y-%m-%d %H:%M}Z", str(change.channel), change.who, change.what, _differences(change))
        for change in changes
    ]
    show.table(("at", "channel", "who", "what", "change"), rows, "Nobody has changed anything yet.")


def record(paperround: App, channel: ChannelId, what: str, before: Facts = (), after: Facts = ()) -> None:
    """Note a change that the person at this terminal makes."""
    from bot.app import now
    from digests.changes import Change

    paperround.store.audit.add(Change(channel, f"cli:{_user()}", what, now(), before, after))


def _user() -> str:
    try:
        return getuser()
    except (KeyError, OSError):  # a container may run under an id without a name
        return "unknown"


def _differences(change: Change) -> str:
    """ "limit: 10 → 5, feeds: all → arxiv" """
    before, after = dict(change.before), dict(change.after)
    named = (name for name in {**before, **after} if before.get(name) != after.get(name))
    return ", ".join(f"{name}: {_turned(before.get(name, ''), after.get(name, ''))}" for name in named)


def _turned(old: str, new: str) -> str:
    return f"{old} → {new}" if old and new else new or f"{old} → none"
