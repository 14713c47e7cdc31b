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
    from digests.register import Register

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


def register(paperround: App, channel: str) -> Register:
    """A registered channel as the person at this terminal changes it: by the rules that hold in a chat."""
    from bot.app import now
    from digests.channel import ChannelId
    from digests.register import Hints, Register

    ours = "paperround subscriptions"
    hints = Hints(
        subscribe=f"{ours} add {channel} 'large language models'",
        list=f"{ours} list {channel}",
        edit=f"{ours} edit {channel} {{n}} --limit 5",
        remove=f"{ours} remove {channel} {{n}}",
        feeds="paperround feeds list",
        name='--name "Reasoning 2"',
    )
    found = paperround.store.channels.get(ChannelId.parse(channel))
    return Register(paperround.store, found, who(), now(), hints)


def record(paperround: App, channel: ChannelId, what: str, before: Facts = (), after: Facts = ()) -> None:
    """Note a change that the person at this terminal makes."""
    from bot.app import now
    from digests.changes import Change

    paperround.store.audit.add(Change(channel, who(), what, now(), before, after))


def who() -> str:
    """The person at this terminal, as an audit row names them."""
    return f"cli:{_user()}"


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
