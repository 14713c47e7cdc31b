"""A small world to run the real `paperround run` in: local Slack and Discord, a database, and a clock."""

from __future__ import annotations

import asyncio
import os
import random
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from bot.platforms.discord.messenger import _mark
from digests.channel import Channel, ChannelId
from digests.feed import Feed
from digests.outbox import Delivery, Stage
from digests.paper import Entry, Paper, from_entry
from digests.query import parse
from digests.schedule import DAILY, Calendar
from digests.subscription import Subscription
from storage.store import open_store
from tests.conftest import ROOT
from tests.servers.discord import TOKEN as DISCORD_TOKEN
from tests.servers.discord import DiscordServer, serve_discord
from tests.servers.slack import Slack, serve_slack

BEGIN = datetime(2026, 12, 1, 12, tzinfo=UTC)
ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Auckland", "UTC")
SYLLABLES = "ba ce di fo gu ha ke li mo nu pa re si to vu wa ze chi dro fla".split()


@dataclass(slots=True)
class World:
    """Where the process runs; `ahead` is how far its clock, and the servers', are ahead of `BEGIN`."""

    folder: Path
    slack: Slack
    discord: DiscordServer
    clock: WorldClock

    @property
    def db(self) -> Path:
        return self.folder / "p.db"

    @property
    def environment(self) -> dict[str, str]:
        """Of the process: both platforms, and the clock."""
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith("PAPERROUND_")},
            "PAPERROUND_DB": str(self.db),
            "PAPERROUND_SLACK_BOT_TOKEN": self.slack.token,
            "PAPERROUND_SLACK_APP_TOKEN": self.slack.app_token,
            "PAPERROUND_SLACK_API_URL": self.slack.url,
            "PAPERROUND_DISCORD_TOKEN": DISCORD_TOKEN,
            "PAPERROUND_DISCORD_API_URL": self.discord.api_url,
            "PAPERROUND_DISCORD_GATEWAY_URL": self.discord.gateway_url,
            "PAPERROUND_CLOCK_OFFSET": str(self.clock.offset.total_seconds()),
        }

    @property
    def secrets(self) -> tuple[str, ...]:
        return (self.slack.token, self.slack.app_token, DISCORD_TOKEN)

    async def start(self, *arguments: str, **changed: str) -> Running:
        """`paperround run`, or another command, as a process of its own."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "bot", *(arguments or ("run",))),
            cwd=self.folder,
            env={**self.environment, "PYTHONPATH": str(ROOT), **changed},
            stdout=PIPE,
            stderr=PIPE,
        )
        return Running(process)

    def posted(self, channel: ChannelId, known: Mapping[str, Delivery]) -> list[str]:
        """The keys of the messages in a channel and its threads, in the order in which they came."""
        if channel.platform == "slack":
            return self.slack.keys(channel.channel)
        keys = {_mark(delivery): key for key, delivery in known.items() if delivery.channel == channel}
        return [keys[message["components"][0]["id"]] for message in self.discord.posted(channel.channel)]


@dataclass(slots=True)
class WorldClock:
    """The time in the world: it runs as ours does, and can be set."""

    offset: timedelta = field(default_factory=lambda: BEGIN - datetime.now(UTC))

    def __call__(self) -> datetime:
        return datetime.now(UTC) + self.offset


@dataclass(slots=True)
class Running:
    """A process at work, and all that it has written so far."""

    process: Process
    written: str = ""

    async def until(self, event: str) -> None:
        """Read the log up to a line that tells of that event."""
        assert self.process.stderr
        async for raw in self.process.stderr:
            self.written += raw.decode()
            if event in raw.decode():
                return
        raise AssertionError(f"it ended without {event!r}:\n{self.written}")

    async def end(self) -> int:
        """Read what is left, and wait for its end; gives the exit code."""
        out, err = await self.process.communicate()
        self.written += out.decode() + err.decode()
        return self.process.returncode or 0


@asynccontextmanager
async def world(folder: Path) -> AsyncIterator[World]:
    """A world without channels."""
    clock = WorldClock()
    async with serve_slack(clock) as slack, serve_discord(clock) as discord:
        yield World(folder, slack, discord, clock)


def furnished(world: World, *, slack: int, discord: int, papers: int, size: int) -> tuple[ChannelId, ...]:
    """Channels of both platforms, in several zones, that all want what a list of papers holds."""
    store = open_store(world.db)
    places = [ChannelId("slack", "T1", f"C{n}") for n in range(slack)]
    places += [ChannelId("discord", "77", str(1000 + n)) for n in range(discord)]
    for number, place in enumerate(places):
        calendar = Calendar(time(9), DAILY, ZoneInfo(ZONES[number % len(ZONES)]))
        since = BEGIN - timedelta(days=2)
        store.channels.add(Channel(place, calendar, name="ml", size=size, added=since, since=since))
        store.subscriptions.add(Subscription(place, "Lattices", parse("lattice"), limit=size, added=since))
        if place.platform == "discord":
            world.discord.add(place.channel)
    conference = Feed(
        "iclr", "file:///iclr.txt", is_list=True, title="ICLR", last_check=BEGIN, last_good=BEGIN
    )
    store.feeds.add(conference, map(_paper, range(papers)), BEGIN)
    store.close()
    return tuple(places)


def _paper(number: int) -> Paper:
    """A paper whose words no other has, so that no two are taken for twins."""
    dice = random.Random(number)
    words = ["".join(dice.choices(SYLLABLES, k=4)) for _ in range(40)]
    abstract = (
        f"The study of {' '.join(words[:8])} is hard. We show that a lattice of {' '.join(words)} is found."
    )
    authors = tuple(
        f"{first.title()} {last.title()}" for first, last in zip(words[:3], words[3:6], strict=True)
    )
    return from_entry(Entry(title=f"On {' '.join(words[:6])}", abstract=abstract, authors=authors))


def deliveries(here: World) -> dict[str, Delivery]:
    """Every message that there ever was, by its key, in order of channel, date and part."""
    store = open_store(here.db)
    first = BEGIN.date() - timedelta(days=3)
    days = [first + timedelta(days=n) for n in range((here.clock().date() - first).days + 2)]
    found = [delivery for day in days for delivery in store.outbox.deliveries(day)]
    store.close()
    return {each.key: each for each in sorted(found, key=lambda each: (each.channel, each.day, each.part))}


def faults(here: World, channels: tuple[ChannelId, ...]) -> list[str]:
    """What is not as it should be: each edition is posted whole, once and in order, or not at all yet."""
    every = deliveries(here)
    found = []
    for channel in channels:
        mine = [delivery for delivery in every.values() if delivery.channel == channel]
        expected = [delivery.key for delivery in mine if delivery.stage is Stage.SENT]
        posted = here.posted(channel, every)
        if posted != expected:
            found.append(f"{channel}: posted {posted}, sent {expected}")
        for day in {delivery.day for delivery in mine}:
            stages = {delivery.stage for delivery in mine if delivery.day == day}
            if stages not in ({Stage.SENT}, {Stage.GIVEN_UP}, {Stage.WAITING}):
                found.append(f"{channel} {day}: {stages}")
    return found
