"""Answers on Slack: people ask while 1,000 editions are composed and posted, 10,000 subscriptions stored.

    python -m tests.benchmarks.answers_slack [ABSTRACTS [SECONDS]]

Slack is a process of its own, where people type commands, eight a second, over Socket Mode.
The service is the real one, and keeps to Slack's limits.
Prints, as seen from Slack, the 50th and the 99th percentile of acknowledgements and of full answers, and how
many editions were made and how many messages posted meanwhile.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from datetime import time as wall
from pathlib import Path
from tempfile import TemporaryDirectory
from zoneinfo import ZoneInfo

from bot.logs import configure
from bot.platforms import connect
from bot.service import Service
from bot.settings import Settings
from digests.channel import Channel, ChannelId
from digests.feed import Feed
from digests.paper import Entry, from_entry
from digests.schedule import DAILY, Calendar
from digests.subscription import Subscription
from storage.store import DatabaseStore, open_store
from tests.benchmarks.figures import abstracts, report
from tests.benchmarks.percolation import standing_queries
from tests.fakes import FakeFetcher
from tests.servers.slack import Slack, room, serve_slack

CHANNELS, DUE, EACH = 2_000, 1_000, 5
PAPERS, QUERIES = 2_000, 1_000
A_SECOND = 8
TOKENS = {"slack_bot_token": "xoxb-1-secret", "slack_app_token": "xapp-1-secret"}
TYPED = (
    "list", "help", "status", "feeds", "settings", "search diffusion", "why diffusion", "preview restoration",
    'subscribe "{}" limit:3', "schedule 09:00 weekdays Europe/Berlin", "subscribe (", "unsubscribe 1",
)  # fmt: skip


def main(rows: Sequence[dict[str, object]], seconds: int) -> None:
    """Run the service and the people side by side."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY"):
        os.environ.pop(name, None)
        os.environ.pop(name.lower(), None)
    configure((), "error")
    with TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "p.db")
        _fill(store, rows)
        times = asyncio.run(_side_by_side(store, seconds))
        places = [channel.id for channel in store.channels.all()]
        made = len(store.outbox.last_days(places, datetime.now(UTC).date()))
        store.close()
    for name, unit in (("ack", "ms"), ("answer", "ms")):
        took = sorted(times[name])
        report(f"answers_slack.{name}_p50", 1_000 * took[len(took) // 2], unit, n=len(took))
        report(f"answers_slack.{name}_p99", 1_000 * took[len(took) * 99 // 100], unit, n=len(took))
    report("answers_slack.editions", made, "editions", n=DUE)
    report("answers_slack.posted", times["posted"][0], "messages", n=made)


def _fill(store: DatabaseStore, rows: Sequence[dict[str, object]]) -> None:
    """Channels of which half are due today, with their subscriptions, and the papers of a day."""
    chance, now = random.Random(3), datetime.now(UTC)
    queries = standing_queries(list(rows[PAPERS:]), QUERIES)
    papers = [from_entry(Entry(str(row["title"]), str(row["abstract"]))) for row in rows[:PAPERS]]
    feed = Feed("day", "https://day.example/", last_check=now, due=now + timedelta(days=1))
    store.feeds.add(feed, papers, now)
    with store.together():
        for number in range(CHANNELS):
            place = ChannelId("slack", "T1", f"C{number}")
            since = now - timedelta(days=2) if number < DUE else now
            calendar = Calendar(wall(0), DAILY, ZoneInfo("UTC"))
            store.channels.add(Channel(place, calendar, added=since, since=since))
            for name, query in enumerate(chance.sample(queries, EACH)):
                added = now - timedelta(minutes=1)
                store.subscriptions.add(Subscription(place, f"Topic {name}", query, added=added))


async def _side_by_side(store: DatabaseStore, seconds: int) -> dict[str, list[float]]:
    """The service in this process; gives what the people measured in theirs."""
    people = await asyncio.create_subprocess_exec(
        sys.executable, "-m", __spec__.name, "people", str(seconds), stdout=asyncio.subprocess.PIPE
    )
    assert people.stdout
    url = (await people.stdout.readline()).decode().strip()
    tokens: dict[str, str] = {**TOKENS, "slack_api_url": url}
    settings = Settings(**tokens)  # type: ignore[arg-type]  # pydantic reads them as from the environment

    def clock() -> datetime:
        return datetime.now(UTC)

    service = Service(store, clock, FakeFetcher({}), {"slack": lambda: connect("slack", settings, clock)})
    stop = asyncio.Event()
    running = asyncio.create_task(service.run(stop))
    measured = await people.stdout.read()
    stop.set()
    await running
    await people.wait()
    found: dict[str, list[float]] = json.loads(measured)
    return found


async def _people(seconds: int) -> None:
    """Slack, and people who type there at even times; prints its address, and at the end what they waited."""
    async with serve_slack(lambda: datetime.now(UTC)) as slack:
        slack.channels |= {f"C{number}": room(f"C{number}", f"lab-{number}") for number in range(CHANNELS)}
        print(slack.url, flush=True)
        await slack.socket()
        tasks = []
        for number in range(seconds * A_SECOND):
            tasks.append(asyncio.create_task(_ask(slack, number)))
            await asyncio.sleep(1 / A_SECOND)
        waited = await asyncio.gather(*tasks)
        posted = sum(map(len, slack.posted.values()))
    acks, answers = zip(*waited, strict=True)
    print(json.dumps({"ack": acks, "answer": answers, "posted": [posted]}))


async def _ask(slack: Slack, number: int) -> tuple[float, float]:
    """Type a command in one of the channels; the seconds until it was acknowledged, and answered."""
    text = TYPED[number % len(TYPED)].format(f"topic {number}")
    payload = slack.command(text, channel=f"C{number * 37 % CHANNELS}")
    begun = time.perf_counter()
    await slack.send("slash_commands", payload, within=60)
    acknowledged = time.perf_counter() - begun
    await slack.answered(payload, within=60)
    return acknowledged, time.perf_counter() - begun


if __name__ == "__main__":
    if sys.argv[1:2] == ["people"]:
        asyncio.run(_people(int(sys.argv[2])))
    else:
        main(abstracts(sys.argv[1:2], 6_000), int((sys.argv[2:3] or ["60"])[0]))
