"""What a child process does in tests of the storage: `python -m tests.storage.worker ACT PATH [START]`."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

from digests.outbox import Receipt, sent
from storage import sqlite
from storage.store import DatabaseStore, open_store
from tests.storage.examples import DAY, ML, NOW, a_paper, an_edition

FIRST_DAY = 740_000
BATCH = 30


def put(store: DatabaseStore) -> None:
    """Put an edition for each of sixty days; print how often this was the first."""
    days = map(date.fromordinal, range(FIRST_DAY, FIRST_DAY + 60))
    print([store.outbox.put(an_edition(day=day), ()) for day in days].count(True))


def claim(store: DatabaseStore) -> None:
    """Claim until nothing is left; print the channels."""
    while claimed := store.outbox.claim(NOW, 3, ("slack",)):
        print(*(delivery.channel.channel for delivery in claimed))


def toil(store: DatabaseStore) -> None:
    """Take papers in, put editions of three parts, claim and settle, without end."""
    print("ready", flush=True)
    day = store.outbox.last_days([ML], date.max).get(ML, DAY)
    while True:
        feed = store.feeds.get("arxiv-cs")
        known = feed.last_count
        papers = [a_paper(number) for number in range(max(0, known - 20), known + BATCH)]
        new = store.feeds.take_in(replace(feed, last_count=known + BATCH), papers, NOW).new
        for first in range(0, len(new), 3):
            day += timedelta(days=1)
            store.outbox.put(an_edition(*new[first : first + 3], day=day, payloads=("1", "2", "3")), ())
        for delivery in store.outbox.claim(NOW, 10, ("slack",)):
            store.outbox.settle(sent(delivery, Receipt(delivery.key), NOW))


def main(act: str, path: str, start: str = "0") -> None:
    """Wait until `start`, then act."""
    time.sleep(max(0.0, float(start) - time.time()))
    if act == "toil":  # a kill does not reach the disk; without waiting for it, more kills hit a transaction
        sqlite._PRAGMAS += ("PRAGMA synchronous = OFF",)
    store = open_store(Path(path))
    acts = {"put": put, "claim": claim, "toil": toil}
    if act in acts:
        acts[act](store)
    store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
