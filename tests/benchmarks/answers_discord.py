"""Answers on Discord: people ask while 1,000 editions of 20,000 papers are made; 10,000 subscriptions stored.

    python -m tests.benchmarks.answers_discord [ABSTRACTS [SECONDS]]

Discord is a process of its own, which allows 50 requests a second, and where people give commands, eight a
second; the service is `paperround run`.
Prints, as seen from Discord, the 50th and the 99th percentile of acknowledgements and of full answers, how
many editions were made, how many messages posted and how many requests refused meanwhile; and when the first
digest was posted.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from digests.channel import ChannelId
from storage.store import open_store
from tests.benchmarks.answers import CHANNELS, PAPERS, fill, report_answers, side_by_side, waited
from tests.benchmarks.figures import abstracts, report
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
    with TemporaryDirectory() as folder:
        db = Path(folder) / "p.db"
        with closing(open_store(db)) as store:
            fill(store, rows, _address)
        found = asyncio.run(side_by_side(__spec__.name, db, seconds, _settings))
        with closing(open_store(db)) as store:
            report_answers("answers_discord", found, store)
    report("answers_discord.limited", found["limited"][0], "requests")


def _address(number: int) -> ChannelId:
    return ChannelId("discord", "10", str(1_000 + number))


def _settings(urls: str) -> dict[str, str]:
    api, gateway = urls.split()
    return {
        "PAPERROUND_DISCORD_API_URL": api,
        "PAPERROUND_DISCORD_GATEWAY_URL": gateway,
        "PAPERROUND_DISCORD_TOKEN": TOKEN,
    }


async def _people(seconds: int) -> None:
    """Discord, and people who give commands at even times; prints its addresses, then what they waited."""
    async with serve_discord(lambda: datetime.now(UTC)) as server:
        server.per_second = 50
        places = [server.add(_address(number).channel).id for number in range(CHANNELS)]
        print(server.api_url, server.gateway_url, flush=True)
        while "IDENTIFY" not in server.gateway_log:  # noqa: ASYNC110  # nobody tells when it comes
            await asyncio.sleep(0.01)
        found = await waited(
            seconds,
            lambda number: _ask(server, places[number * 37 % CHANNELS], number),
            lambda: sum(len(channel.messages) for channel in server.channels.values()),
        )
        limited = server.statuses[429]
        print(json.dumps(found | {"limited": [limited]}), flush=True)
        await asyncio.to_thread(sys.stdin.read)  # Discord stays there until the service has stopped


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
        main(abstracts(sys.argv[1:2], PAPERS), int((sys.argv[2:3] or ["60"])[0]))
