"""Memory of the idle service: 10,000 channels with a subscription each, 20,000 papers stored.

    python -m tests.benchmarks.idle [ABSTRACTS]

The service is `paperround run`, with the terminal as its platform.
Prints the megabytes that it holds after half a minute in which nothing was due, and those that it holds when
one digest has been made, until the housekeeping puts the papers away.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from datetime import time as wall
from pathlib import Path
from tempfile import TemporaryDirectory
from zoneinfo import ZoneInfo

from digests.channel import Channel, ChannelId
from digests.feed import Feed
from digests.paper import Entry, from_entry
from digests.query import parse
from digests.schedule import DAILY, Calendar
from digests.subscription import Subscription
from storage.store import open_store
from tests.benchmarks.figures import abstracts, report

CHANNELS, PAPERS = 10_000, 20_000
SETTLED = 30.0
"""Seconds after which the service has done what there was to do at its start."""


def main(rows: Sequence[dict[str, object]]) -> None:
    """Measure it twice, on one database."""
    with TemporaryDirectory() as folder:
        db = Path(folder) / "p.db"
        now = datetime.now(UTC)
        with closing(open_store(db)) as store:
            papers = [from_entry(Entry(str(row["title"]), str(row["abstract"]))) for row in rows]
            feed = Feed("day", "https://day.example/", last_check=now, due=now + timedelta(days=1))
            store.feeds.add(feed, papers, now)
            with store.together():
                for number in range(CHANNELS):
                    place = ChannelId("console", "lab", str(number))
                    store.channels.add(Channel(place, Calendar(wall(0), DAILY, ZoneInfo("UTC")), since=now))
                    store.subscriptions.add(Subscription(place, "Topic", parse("diffusion"), added=now))
        report("idle.memory", _held(db), "MB", n=CHANNELS)
        with closing(open_store(db)) as store:
            first = store.channels.get(ChannelId("console", "lab", "0"))
            calendar = Calendar(wall(0), DAILY, ZoneInfo("UTC"))
            store.channels.save(Channel(first.id, calendar, since=now - timedelta(days=2)))
        report("idle.memory_after_a_digest", _held(db), "MB", n=PAPERS)


def _held(db: Path) -> float:
    """The megabytes that a service holds when it has come to rest."""
    ours = {"PAPERROUND_DB": str(db), "PAPERROUND_LOG": "error"}
    command = [sys.executable, "-m", "bot", "run"]
    with subprocess.Popen(command, env=os.environ | ours, stdout=subprocess.DEVNULL) as service:
        time.sleep(SETTLED)
        status = Path(f"/proc/{service.pid}/status").read_text()
        service.terminate()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


if __name__ == "__main__":
    main(abstracts(sys.argv[1:], PAPERS))
