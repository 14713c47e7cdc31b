"""Composing a round: 1,000 channels with 5 subscriptions each, 1,000 distinct queries, 2,000 new papers.

    python -m tests.benchmarks.compose [ABSTRACTS]

Prints the seconds of the whole round, the share of the summaries, and the ratio for twice the channels.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from datetime import time as wall
from pathlib import Path
from tempfile import TemporaryDirectory
from zoneinfo import ZoneInfo

from bot.platforms.console import ConsoleMessenger
from digests import summary
from digests.channel import Channel, ChannelId
from digests.compose import compose
from digests.feed import Feed
from digests.outbox import Edition
from digests.paper import Entry, from_entry
from digests.query import Query
from digests.schedule import DAILY, Calendar
from digests.subscription import Subscription
from storage.store import open_store
from tests.benchmarks.figures import abstracts, report
from tests.benchmarks.percolation import standing_queries

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
PAPERS = 2_000
QUERIES = 1_000
EACH = 5


def main(rows: Sequence[dict[str, object]]) -> None:
    """Compose a round of 500 and one of 1,000 channels, each in a database of its own."""
    queries = standing_queries(list(rows[PAPERS:]), QUERIES)
    half, papers = _round(rows, queries, 500)
    whole, papers = _round(rows, queries, 1_000)
    report("compose.seconds", whole, "s", n=1_000)
    report("compose.twice_the_channels", whole, "s", against=half, n=1_000)
    begun = time.perf_counter()
    for row in rows[: min(papers, PAPERS)]:
        summary.summarise(str(row["abstract"]), str(row["title"]))
    report("compose.summaries", time.perf_counter() - begun, "s", against=whole, n=papers)


def _round(rows: Sequence[dict[str, object]], queries: list[Query], channels: int) -> tuple[float, int]:
    """The seconds of one round, and how many papers it chose."""
    chance = random.Random(3)
    with TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "p.db")
        papers = [from_entry(Entry(str(row["title"]), str(row["abstract"]))) for row in rows[:PAPERS]]
        store.feeds.add(Feed("day", "https://day.example/", last_check=NOON), papers, NOON)
        for number in range(channels):
            place = ChannelId("console", "bench", str(number))
            since = datetime(2026, 11, 1, tzinfo=UTC)
            store.channels.add(
                Channel(place, Calendar(wall(9), DAILY, ZoneInfo("UTC")), added=since, since=since)
            )
            for name, query in enumerate(chance.sample(queries, EACH)):
                store.subscriptions.add(Subscription(place, f"Topic {name}", query, added=NOON))
        begun = time.perf_counter()
        made = compose(store, {"console": ConsoleMessenger()}, NOON)
        editions = [edition for edition in made if isinstance(edition, Edition)]
        seconds = time.perf_counter() - begun
        store.close()
    assert len(editions) == channels
    return seconds, len({paper for edition in editions for paper in edition.digest.papers})


if __name__ == "__main__":
    main(abstracts(sys.argv[1:], 6_000))
