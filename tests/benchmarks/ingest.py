"""Ingest: abstracts from JSON Lines into the database, beside a bare sqlite-utils insert with FTS5.

    python -m tests.benchmarks.ingest [ABSTRACTS] [ROUNDS]

ABSTRACTS: JSON Lines, gzipped or not; without one, those of the shared folder.
The product reads, cleans, de-duplicates, stores and indexes them, as `paperround feeds add` does it;
sqlite-utils reads the JSON and inserts it as it stands, its FTS5 table kept by triggers.
Both take turns, each in a process of its own, whose peak memory is the operating system's figure.
Seconds of the processor are given too: they hold still while other programs share the machine.
"""

from __future__ import annotations

import gzip
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from tests.benchmarks.figures import report, shared_data

ROUNDS = 3


def main(abstracts: Path, rounds: int) -> None:
    """Print papers per second of the clock and of the processor, and peak memory."""
    runs: dict[str, list[dict[str, float]]] = {"product": [], "bare": []}
    for _ in range(rounds):
        for side, done in runs.items():
            command = [sys.executable, "-m", "tests.benchmarks.ingest", f"--{side}", str(abstracts)]
            printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            done.append(json.loads(printed))
    papers = int(runs["product"][0]["papers"])
    for name, clock in (("ingest.per_second", "seconds"), ("ingest.per_cpu_second", "cpu")):
        ours, theirs = (papers / statistics.median(run[clock] for run in done) for done in runs.values())
        report(name, ours, "papers/s", against=theirs, n=papers)
    report("ingest.peak_memory", max(run["peak"] for run in runs["product"]), "MB", against=300, n=papers)


def product(abstracts: Path, folder: Path) -> dict[str, float]:
    """What the product takes, as `paperround feeds add` does it."""
    from digests.feed import Feed, Fetched
    from digests.reading import read
    from storage.store import open_store

    store = open_store(folder / "product.db")
    began = _clocks()
    reading = read(Fetched("abstracts.jsonl", _body(abstracts)))
    feed = Feed("abstracts", "abstracts.jsonl", reading.format, is_list=True)
    store.feeds.add(feed, reading.papers, datetime.now(UTC))
    taken = _since(began, store.papers.count())
    store.close()
    return taken


def bare(abstracts: Path, folder: Path) -> dict[str, float]:
    """What sqlite-utils alone takes, from the same file."""
    import sqlite_utils

    db = sqlite_utils.Database(folder / "bare.db")
    began = _clocks()
    rows = [json.loads(line) for line in _body(abstracts).splitlines()]
    table = db.table("papers")
    table.insert_all(rows[:1])
    table.enable_fts(["title", "abstract", "authors"], create_triggers=True)
    table.insert_all(rows[1:])
    return _since(began, table.count)


def _body(abstracts: Path) -> bytes:
    return gzip.decompress(abstracts.read_bytes()) if abstracts.suffix == ".gz" else abstracts.read_bytes()


def _clocks() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


def _since(began: tuple[float, float], papers: int) -> dict[str, float]:
    seconds, cpu = (now - then for now, then in zip(_clocks(), began, strict=True))
    return {"seconds": seconds, "cpu": cpu, "papers": papers}


def _once(side: str, abstracts: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        taken = (product if side == "--product" else bare)(abstracts, Path(folder))
    unit = 1 if sys.platform == "darwin" else 1024
    taken["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
    print(json.dumps(taken))


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[:1] in (["--product"], ["--bare"]):
        _once(arguments[0], Path(arguments[1]))
    else:
        main(
            Path(arguments[0]) if arguments else shared_data() / "abstracts-20k.jsonl.gz",
            int(arguments[1]) if arguments[1:] else ROUNDS,
        )
