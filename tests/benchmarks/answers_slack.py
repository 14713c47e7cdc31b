"""Answers on Slack: people ask while 1,000 editions are composed and posted, 10,000 subscriptions stored.

    python -m tests.benchmarks.answers_slack [ABSTRACTS [SECONDS]]

Slack is a process of its own, where people type commands, eight a second, over Socket Mode.
The service is `paperround run`, and keeps to Slack's limits.
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
from asyncio.subprocess import PIPE
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from datetime import time as wall
from pathlib import Path
from tempfile import TemporaryDirectory
from zoneinfo import ZoneInfo

from digests.channel import Channel, ChannelId
from digests.feed import Feed
from digests.paper import Entry, from_entry
from digests.schedule import DAILY, Calendar
from digests.subscription import Subscription
from storage.store import open_store
from tests.benchmarks.figures import abstracts, report
from tests.benchmarks.percolation import standing_queries
from tests.servers.slack import APP_TOKEN, BOT_TOKEN, Slack, room, serve_slack

CHANNELS, DUE, EACH = 2_000, 1_000, 5
PAPERS, QUERIES = 2_000, 1_000
A_SECOND = 8
TYPED = (
    "list", "help", "status", "feeds", "settings", "search diffusion", "why diffusion", "preview restoration",
    'subscribe "{}" limit:3', "schedule 09:00 weekdays Europe/Berlin", "subscribe (", "unsubscribe 1",
)  # fmt: skip


def main(rows: Sequence[dict[str, object]], seconds: int) -> None:
    """Run the service and the people side by side."""
    with TemporaryDirectory() as folder:
        db = Path(folder) / "p.db"
        _fill(db, rows)
        times = asyncio.run(_side_by_side(db, seconds))
        store = open_store(db)
        places = [channel.id for channel in store.channels.all()]
        made = len(store.outbox.last_days(places, datetime.now(UTC).date()))
        store.close()
    for name, unit in (("ack", "ms"), ("answer", "ms")):
        took = sorted(times[name])
        report(f"answers_slack.{name}_p50", 1_000 * took[len(took) // 2], unit, n=len(took))
        report(f"answers_slack.{name}_p99", 1_000 * took[len(took) * 99 // 100], unit, n=len(took))
    report("answers_slack.editions", made, "editions", n=DUE)
    report("answers_slack.posted", times["posted"][0], "messages", n=made)


def _fill(db: Path, rows: Sequence[dict[str, object]]) -> None:
    """Channels of which half are due today, with their subscriptions, and the papers of a day."""
    chance, now, store = random.Random(3), datetime.now(UTC), open_store(db)
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
    store.close()


async def _side_by_side(db: Path, seconds: int) -> dict[str, list[float]]:
    """Slack and `paperround run`, each a process; gives what the people measured."""
    people = await asyncio.create_subprocess_exec(
        sys.executable, "-m", __spec__.name, "people", str(seconds), stdin=PIPE, stdout=PIPE
    )
    assert people.stdout
    settings = {
        "PAPERROUND_DB": str(db),
        "PAPERROUND_LOG": "error",
        "PAPERROUND_SLACK_API_URL": (await people.stdout.readline()).decode().strip(),
        "PAPERROUND_SLACK_BOT_TOKEN": BOT_TOKEN,
        "PAPERROUND_SLACK_APP_TOKEN": APP_TOKEN,
    }
    direct = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    service = await asyncio.create_subprocess_exec(sys.executable, "-m", "bot", "run", env=direct | settings)
    measured = await people.stdout.readline()
    service.terminate()
    await service.wait()
    await people.communicate(b"")  # its end of the pipe is what the people wait for
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
        print(json.dumps({"ack": acks, "answer": answers, "posted": [posted]}), flush=True)
        await asyncio.to_thread(sys.stdin.read)  # Slack stays there until the service has stopped


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
