"""Commands that preview and send digests, and tell what became of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from bot.cli import show
from bot.cli.audit import who
from digests.channel import ChannelId
from digests.errors import InputError
from digests.outbox import Stage
from digests.schedule import parse_date

if TYPE_CHECKING:
    import datetime as dt

    from bot.app import App
    from digests.channel import Channel

app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="Preview and send digests, and see what became of them."
)

_Channel = typer.Argument(
    metavar="CHANNEL", help="platform:workspace/channel, as in slack:T1/C1 or console:lab/ml."
)
_Json = typer.Option(False, "--json", help="Print JSON for scripts.")


@app.command()
def preview(channel: str = _Channel, json: bool = _Json) -> None:
    """Print today's digest as it would be now; nothing is marked as shown.

    Example: paperround digest preview console:lab/ml
    """
    from bot.app import now, opened
    from bot.documents import digest_json
    from bot.platforms.console import show as show_digest
    from digests.compose import preview as compose_preview

    with opened() as paperround:
        found = _get(paperround, channel)
        digest = compose_preview(paperround.store, found, now())
        subscriptions = paperround.store.subscriptions.of([found.id]).get(found.id)
    if not subscriptions:
        show.warn(
            f"{channel} has no subscriptions yet; "
            f"add one with: paperround subscriptions add {channel} 'large language models'"
        )
    if json:
        show.print_json(digest_json(digest))
    else:
        show_digest(digest)


@app.command()
def send(channel: str = _Channel) -> None:
    """Post today's digest at once, exactly once; the timed run of the day then finds it done.

    Example: paperround digest send console:lab/ml
    """
    from bot.app import now, opened

    with opened() as paperround:
        found = _get(paperround, channel)
        platform = found.id.platform
        if variable := paperround.settings.missing_token(platform):
            raise InputError(f"no token for {platform} is set here", f"set {variable} and send again")
        composed, deliveries = paperround.send(found, who())
    if not deliveries and not composed.is_new:
        show.say(f"{channel} has had its digest of {composed.day}; {_next(found, now(), composed.day)}.")
        return
    if not deliveries:
        show.say(f"Nothing to post in {channel} on {composed.day}: no new papers, and it wants silence then.")
    for delivery in deliveries:
        if delivery.stage is not Stage.SENT:
            show.warn(f"part {delivery.part} of {delivery.parts} is {delivery.stage}: {delivery.error}")
    if any(delivery.stage is not Stage.SENT for delivery in deliveries):
        raise typer.Exit(show.FAILED)


@app.command()
def status(
    date: str = typer.Option(
        "", help="Only the digests of this local date; by default of the last two weeks."
    ),
    json: bool = _Json,
) -> None:
    """Show what was posted where, what waits, and what failed.

    Example: paperround digest status --date 2026-12-01
    """
    from bot.app import opened
    from bot.documents import delivery_json

    with opened() as paperround:
        deliveries = paperround.store.outbox.deliveries(parse_date(date) if date else None)
        refusing = [channel for channel in paperround.store.channels.all() if channel.refusal]
    if json:
        show.print_json([delivery_json(delivery) for delivery in deliveries])
        return
    rows = [
        (str(d.day), str(d.channel), f"{d.part}/{d.parts}", str(d.stage), show.ago(d.sent_at), d.error)
        for d in deliveries
    ]
    show.table(("day", "channel", "part", "stage", "when", "error"), rows, "No digest has been composed yet.")
    for channel in refusing:
        if refusal := channel.refusal:
            mend = f"; to mend it: {refusal.hint}" if refusal.hint else ""
            show.warn(
                f"{channel.id} has refused posts since {refusal.since:%Y-%m-%d %H:%M}Z: {refusal.what}{mend}"
            )


def _next(channel: Channel, now: dt.datetime, last: dt.date) -> str:
    """ "the next one comes on Wed 2 Dec 2026 09:00 (Europe/Berlin)" """
    if channel.paused:
        return "it is paused, so no other comes"
    coming = channel.coming(now, 1, last)
    if not coming:
        return "no other comes: its schedule leaves out every day"
    return f"the next one comes on {channel.clock(coming[0])} ({channel.calendar.zone})"


def _get(paperround: App, channel: str) -> Channel:
    return paperround.store.channels.get(ChannelId.parse(channel))
