"""Answers on Discord: people ask while 1,000 editions are composed and posted, 10,000 subscriptions stored.

    python -m tests.benchmarks.answers_discord [ABSTRACTS [SECONDS]]

Discord is a process of its own, which allows 50 requests a second, and where people give commands, eight a
second; the service is the real one.
Prints, as seen from Discord, the 50th and the 99th percentile of acknowledgements and of full answers, how
many editions were made, how many messages posted and how many requests refused meanwhile.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import SecretStr

from bot.logs import configure
from bot.platforms import connect
from bot.service import Service
from bot.settings import Settings
from digests.channel import ChannelId
from storage.store import DatabaseStore, open_store
from tests.benchmarks.answers import CHANNELS, fill, report_answers, waited
from tests.benchmarks.figures import abstracts, report
from tests.fakes import FakeFetcher
from tests.servers.discord import TOKEN, DiscordServer, serve_discord

GIVEN: tuple[tuple[str, dict[str, Any]], ...] = (
    ("list", {}),
    ("help", {}),
    ("status", {}),
    ("feeds", {}),
    ("settings", {"papers": 5}),
    ("search", {"query": "diffusion"}),
    ("why", {"paper": "diffusion"}),
    ("preview", {"query": "restoration"}),
    ("subscribe", {"query": "{}", "limit": 3}),
    ("schedule", {"time": "09:00", "days": "weekdays", "zone": "Europe/Berlin"}),
    ("subscribe", {"query": "("}),
    ("unsubscribe", {"number": "1"}),
)


def main(rows: Sequence[dict[str, object]], seconds: int) -> None:
    """Run the service and the people side by side."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY"):
        os.environ.pop(name, None)
        os.environ.pop(name.lower(), None)
    configure((), "error")
    with TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "p.db")
        fill(store, rows, _address)
        found = asyncio.run(_side_by_side(store, seconds))
        report_answers("answers_discord", found, store)
        store.close()
    report("answers_discord.limited", found["limited"][0], "requests")


def _address(number: int) -> ChannelId:
    return ChannelId("discord", "10", str(1_000 + number))


async def _side_by_side(store: DatabaseStore, seconds: int) -> dict[str, list[float]]:
    """The service in this process; gives what the people measured in theirs."""
    people = await asyncio.create_subprocess_exec(
        sys.executable, "-m", __spec__.name, "people", str(seconds), stdout=asyncio.subprocess.PIPE
    )
    assert people.stdout
    api, gateway = (await people.stdout.readline()).decode().split()
    settings = Settings(discord_token=SecretStr(TOKEN), discord_api_url=api, discord_gateway_url=gateway)

    def clock() -> datetime:
        return datetime.now(UTC)

    service = Service(store, clock, FakeFetcher({}), {"discord": lambda: connect("discord", settings, clock)})
    stop = asyncio.Event()
    running = asyncio.create_task(service.run(stop))
    measured = await people.stdout.read()
    stop.set()
    await running
    await people.wait()
    found: dict[str, list[float]] = json.loads(measured)
    return found


async def _people(seconds: int) -> None:
    """Discord, and people who give commands at even times; prints its addresses, then what they waited."""
    async with serve_discord(lambda: datetime.now(UTC)) as server:
        server.per_second = 50
        places = [server.add(_address(number).channel).id for number in range(CHANNELS)]
        print(server.api_url, server.gateway_url, flush=True)
        while "IDENTIFY" not in server.gateway_log:  # noqa: ASYNC110  # nobody tells when it comes
            await asyncio.sleep(0.01)
        found = await waited(seconds, lambda number: _ask(server, places[number * 37 % CHANNELS], number))
        posted = sum(len(channel.messages) for channel in server.channels.values())
        limited = server.statuses[429]
    print(json.dumps(found | {"posted": [posted], "limited": [limited]}))


async def _ask(server: DiscordServer, place: str, number: int) -> tuple[float, float]:
    """Give a command in a channel; the seconds until it was acknowledged, and answered."""
    verb, options = GIVEN[number % len(GIVEN)]
    options = {
        name: value.format(f"topic {number}") if isinstance(value, str) else value
        for name, value in options.items()
    }
    exchange = await server.slash(verb, **options, _channel={"id": place})
    async with asyncio.timeout(60):
        await exchange.answered.wait()
    return exchange.acknowledged - exchange.begun, exchange.answered_at - exchange.begun


if __name__ == "__main__":
    if sys.argv[1:2] == ["people"]:
        asyncio.run(_people(int(sys.argv[2])))
    else:
        main(abstracts(sys.argv[1:2], 6_000), int((sys.argv[2:3] or ["60"])[0]))
