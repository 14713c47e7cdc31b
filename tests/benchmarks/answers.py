"""What the benchmarks of answers share: the store, the people who ask at even times, and the figures."""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import time
from asyncio.subprocess import PIPE
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta
from datetime import time as wall
from pathlib import Path
from zoneinfo import ZoneInfo

from digests.channel import Channel, ChannelId
from digests.feed import Feed
from digests.paper import Entry, from_entry
from digests.schedule import DAILY, Calendar
from digests.subscription import Subscription
from storage.store import DatabaseStore
from tests.benchmarks.figures import report
from tests.benchmarks.percolation import standing_queries

CHANNELS, DUE, EACH = 2_000, 1_000, 5
PAPERS, QUERIES = 20_000, 1_000
A_SECOND = 8


def fill(
    store: DatabaseStore, rows: Sequence[dict[str, object]], address: Callable[[int], ChannelId]
) -> None:
    """Channels of which half are due today, with their subscriptions, and papers that all wait."""
    chance, now = random.Random(3), datetime.now(UTC)
    queries = standing_queries(list(rows[-4_000:]), QUERIES)
    papers = [from_entry(Entry(str(row["title"]), str(row["abstract"]))) for row in rows[:PAPERS]]
    feed = Feed("day", "https://day.example/", last_check=now, due=now + timedelta(days=1))
    store.feeds.add(feed, papers, now)
    with store.together():
        for number in range(CHANNELS):
            place = address(number)
            since = now - timedelta(days=2) if number < DUE else now
            calendar = Calendar(wall(0), DAILY, ZoneInfo("UTC"))
            store.channels.add(Channel(place, calendar, added=since, since=since))
            for name, query in enumerate(chance.sample(queries, EACH)):
                added = now - timedelta(minutes=1)
                store.subscriptions.add(Subscription(place, f"Topic {name}", query, added=added))


async def side_by_side(
    people: str, db: Path, seconds: int, settings: Callable[[str], dict[str, str]]
) -> dict[str, list[float]]:
    """The platform with its people, and `paperround run`, a process each; gives what the people measured.

    `people` is their module, which first prints where it is; `settings` makes variables of that.
    """
    asking = await asyncio.create_subprocess_exec(
        sys.executable, "-m", people, "people", str(seconds), stdin=PIPE, stdout=PIPE
    )
    assert asking.stdout
    where = settings((await asking.stdout.readline()).decode().strip())
    direct = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    ours = {"PAPERROUND_DB": str(db), "PAPERROUND_LOG": "error", **where}
    service = await asyncio.create_subprocess_exec(sys.executable, "-m", "bot", "run", env=direct | ours)
    measured = await asking.stdout.readline()
    service.terminate()
    await service.wait()
    await asking.communicate(b"")  # its end of the pipe is what the people wait for
    found: dict[str, list[float]] = json.loads(measured)
    return found


async def waited(
    seconds: int, ask: Callable[[int], Awaitable[tuple[float, float]]], posted: Callable[[], int]
) -> dict[str, list[float]]:
    """Ask at even times for so long; the seconds that each waited to be acknowledged, and to be answered.

    People begin with the first digest: the round is at work then, as it is every morning.
    """
    begun = time.perf_counter()
    while not posted():  # noqa: ASYNC110  # nobody tells when it comes
        await asyncio.sleep(0.05)
    first = time.perf_counter() - begun
    tasks: list[asyncio.Future[tuple[float, float]]] = []
    for number in range(seconds * A_SECOND):
        tasks.append(asyncio.ensure_future(ask(number)))
        await asyncio.sleep(1 / A_SECOND)
    acks, answers = zip(*await asyncio.gather(*tasks), strict=True)
    return {"ack": list(acks), "answer": list(answers), "first": [first], "posted": [posted()]}


def report_answers(benchmark: str, found: dict[str, list[float]], store: DatabaseStore) -> None:
    """Print the percentiles, how many editions were made, and how many messages posted meanwhile."""
    for name in ("ack", "answer"):
        took = sorted(found[name])
        report(f"{benchmark}.{name}_p50", 1_000 * took[len(took) // 2], "ms", n=len(took))
        report(f"{benchmark}.{name}_p99", 1_000 * took[len(took) * 99 // 100], "ms", n=len(took))
    report(f"{benchmark}.first_digest", found["first"][0], "s")
    places = [channel.id for channel in store.channels.all()]
    made = len(store.outbox.last_days(places, datetime.now(UTC).date()))
    report(f"{benchmark}.editions", made, "editions", n=DUE)
    report(f"{benchmark}.posted", found["posted"][0], "messages", n=made)
