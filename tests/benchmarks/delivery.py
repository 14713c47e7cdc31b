"""Measures the delivery of one message each to 3,000 Discord and 500 Slack channels, both at once.

    python -m tests.benchmarks.delivery

Discord and Slack are a process of their own, which take 60 ms to answer and count strictly: Discord 50
requests in any second, Slack one message in any second to a channel and five to the workspace.
Slack says only "several hundred a minute" of a workspace; 300 a minute is what we take that for.
Store, outbox, delivery and messengers are the real ones.
Prints the seconds against what the limits leave possible, for both at once and for each, and the 429s met.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
import time
from asyncio.subprocess import PIPE
from collections import Counter, defaultdict, deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from aiohttp import web

from bot.platforms.discord import client as discord
from bot.platforms.slack import SlackMessenger
from bot.platforms.slack import connect as slack_client
from digests.channel import ChannelId
from digests.deliver import Outcome, deliver
from digests.digest import Digest, Foot, Item, Section
from digests.outbox import Edition
from digests.paper import PaperId
from digests.ports import Messenger
from storage.store import DatabaseStore, open_store
from tests.benchmarks.figures import report
from tests.fakes import channel
from tests.servers.discord import TOKEN, serve_discord
from tests.servers.slack import BOT_TOKEN, Slack

CHANNELS = {"discord": 3_000, "slack": 500}
A_SECOND = {"discord": 50, "slack": 5}
LATENCY = 0.06
DAY = date(2026, 12, 1)

Answering = Callable[[web.Request], Awaitable[web.StreamResponse]]


def main() -> None:
    """Deliver to both, and print what it took beside what the limits leave possible."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY"):
        os.environ.pop(name, None)
        os.environ.pop(name.lower(), None)
    with TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "p.db")
        seconds, said = asyncio.run(_delivered(store))
        store.close()
    bounds = {name: count / A_SECOND[name] for name, count in CHANNELS.items()}
    total = sum(CHANNELS.values())
    report("delivery.seconds", max(seconds.values()), "s", against=max(bounds.values()), n=total)
    for name, count in CHANNELS.items():
        report(f"delivery.{name}_seconds", seconds[name], "s", against=bounds[name], n=count)
    for name, count in CHANNELS.items():
        report(f"delivery.{name}_limited", said[f"{name}_limited"], "requests", n=count)


async def _delivered(store: DatabaseStore) -> tuple[dict[str, float], dict[str, int]]:
    """The seconds until each platform's last message was settled, and what the servers counted."""
    servers = await asyncio.create_subprocess_exec(
        sys.executable, "-m", __spec__.name, "serve", stdin=PIPE, stdout=PIPE
    )
    assert servers.stdout
    discord_url, gateway_url, slack_url = (await servers.stdout.readline()).decode().split()
    slack = SlackMessenger(slack_client(BOT_TOKEN, api_url=slack_url))
    connection = discord.connect(TOKEN, _now, api_url=discord_url, gateway_url=gateway_url)
    async with connection as messenger:
        messengers: dict[str, Messenger] = {"discord": messenger, "slack": slack}
        _fill(store, messengers)
        await asyncio.sleep(1)  # the requests of the login are out of the server's window
        seconds = await _timed(store, messengers)
    counted, _ = await servers.communicate(b"")  # its end of the pipe is what the servers wait for
    said: dict[str, int] = json.loads(counted)
    assert {name: said[name] for name in CHANNELS} == CHANNELS, "each channel has its message, once"
    return seconds, said


async def _timed(store: DatabaseStore, messengers: dict[str, Messenger]) -> dict[str, float]:
    """When each platform's last message was settled, in seconds from the start."""
    last: dict[str, float] = {}
    began = time.perf_counter()

    def note(outcome: Outcome) -> None:
        last[outcome.delivery.channel.platform] = time.perf_counter() - began

    await deliver(store, messengers, _now, tell=note)
    return last


def _fill(store: DatabaseStore, messengers: dict[str, Messenger]) -> None:
    """An edition of one message for each channel."""
    papers = tuple(
        Item(PaperId(number), f"Paper {number}", f"https://a.example/{number}", summary="We show it. " * 5)
        for number in range(1, 6)
    )
    digest = Digest("", "#lab", DAY, "UTC", (Section("Reasoning", papers),), Foot(checked=5))
    payloads = {name: messenger.render(digest) for name, messenger in messengers.items()}
    with store.together():
        for name, count in CHANNELS.items():
            for number in range(count):
                place = ChannelId(name, "1", str(1_000 + number))
                store.channels.add(channel(id=place))
                store.outbox.put(Edition(place, DAY, digest, payloads[name], _now()), ())


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class _Window:
    """So many requests in any second, and no more."""

    most: int
    times: deque[float] = field(default_factory=deque)

    def takes(self, now: float) -> bool:
        while self.times and now - self.times[0] >= 1:
            self.times.popleft()
        if len(self.times) >= self.most:
            return False
        self.times.append(now)
        return True


def _limited_slack(slack: Slack, statuses: Counter[int]) -> Answering:
    """Slack's answers, late and within the limits."""
    workspace = _Window(A_SECOND["slack"])
    channels: dict[str, _Window] = defaultdict(lambda: _Window(1))

    async def handle(request: web.Request) -> web.StreamResponse:
        asked, now = await request.json(), time.perf_counter()
        await asyncio.sleep(LATENCY)
        if channels[asked["channel"]].takes(now) and workspace.takes(now):
            answer = await slack._handle(request)
        else:
            no = {"ok": False, "error": "ratelimited"}
            answer = web.json_response(no, status=429, headers={"Retry-After": "1"})
        statuses[answer.status] += 1
        return answer

    return handle


async def _serve() -> None:
    """Print both addresses, serve until the input ends, then print what arrived and what was refused."""
    gc.disable()  # a collection takes 50 to 70 ms, and what arrived meanwhile would count as a burst
    slack, statuses = Slack(_now), Counter[int]()
    app = web.Application()
    app.router.add_post("/api/{method}", _limited_slack(slack, statuses))
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    slack.port = runner.addresses[0][1]
    async with serve_discord(_now) as discord_server:
        discord_server.latency, discord_server.per_second = LATENCY, A_SECOND["discord"]
        for number in range(CHANNELS["discord"]):
            discord_server.add(str(1_000 + number))
        print(discord_server.api_url, discord_server.gateway_url, slack.url, flush=True)
        await asyncio.to_thread(sys.stdin.read)
    arrived = {
        "discord": sum(len(place.messages) for place in discord_server.channels.values()),
        "slack": sum(map(len, slack.posted.values())),
    }
    limited = {"discord_limited": discord_server.statuses[429], "slack_limited": statuses[429]}
    print(json.dumps(arrived | limited))
    await runner.cleanup()


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        asyncio.run(_serve())
    else:
        main()
