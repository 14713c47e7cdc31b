"""The command that prints a digest of the bundled sample, without a token and without a network."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from bot.app import App
    from digests.channel import Channel

app = typer.Typer(add_completion=False)

CHANNEL = "console:demo/papers"
SIZE = 7
SUBSCRIPTIONS = (
    ("Reasoning", '"language models" reasoning'),
    ("Benchmarks", "benchmark -medical"),
    ("Climate and ecology", "climate OR ecolog* OR biodiversity"),
)


@app.command()
def demo(json: bool = typer.Option(False, "--json", help="Print the digest's document.")) -> None:
    """Print a digest of the bundled sample: no token, no network, nothing is kept.

    Example: paperround demo
    """
    from bot.app import now, opened_for_demo
    from bot.cli.show import print_json
    from bot.documents import digest_json
    from bot.platforms.console import show
    from digests.compose import preview

    with opened_for_demo() as paperround:
        made = now()
        digest = preview(paperround.store, set_up(paperround, made), made)
    if json:
        print_json(digest_json(digest))
    else:
        show(digest)


def set_up(paperround: App, made: datetime) -> Channel:
    """Register the sample, a channel, and what it subscribes to."""
    from datetime import time
    from importlib.resources import files
    from zoneinfo import ZoneInfo

    from digests.channel import Channel, ChannelId
    from digests.feed import Feed, Fetched
    from digests.query import parse
    from digests.reading import read
    from digests.refresh import after_document
    from digests.schedule import DAILY, Calendar
    from digests.subscription import Subscription

    store = paperround.store
    fetched = Fetched("file:sample.txt", (files("bot") / "demo" / "sample.txt").read_bytes())
    reading = read(fetched)
    feed = after_document(Feed("sample", fetched.url, is_list=True, added=made), fetched, reading, made)
    store.feeds.add(feed, reading.papers, made)
    calendar = Calendar(time(9), DAILY, ZoneInfo("UTC"))
    channel = Channel(ChannelId.parse(CHANNEL), calendar, size=SIZE, added=made, since=made)
    store.channels.add(channel)
    for name, query in SUBSCRIPTIONS:
        store.subscriptions.add(Subscription(channel.id, name, parse(query), added=made))
    return channel
