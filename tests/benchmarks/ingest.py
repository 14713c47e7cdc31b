"""Ingest: abstracts from JSON Lines into the database, beside a bare sqlite-utils insert with FTS5.

    python -m tests.benchmarks.ingest [ABSTRACTS] [ROUNDS]

ABSTRACTS: JSON Lines, gzipped or not; without one, those of the shared folder.
The product reads, cleans, de-duplicates, stores and indexes them, as `paperround feeds add` does it;
sqlite-utils reads the JSON and inserts it as it stands, its FTS5 table kept by triggers.
Both take turns, each in a process of its own, whose peak memory is the operating system's figure.
"""

from __future__ import annotations

import gzip
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

ROUNDS = 3


def main(abstracts: Path, rounds: int) -> None:
    """Print papers per second and peak memory."""
    taken: dict[str, list[float]] = {"product": [], "bare": []}
    peak = papers = 0.0
    for _ in range(rounds):
        for side, seconds in taken.items():
            command = [sys.executable, "-m", "tests.benchmarks.ingest", f"--{side}", str(abstracts)]
            done = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            seconds.append(done["seconds"])
            papers = done["papers"]
            peak = max(peak, done["peak"] if side == "product" else 0.0)
    ours, theirs = (papers / statistics.median(seconds) for seconds in taken.values())
    ratio = statistics.median(b / p for p, b in zip(taken["product"], taken["bare"], strict=True))
    _figure("ingest.per_second", ours, "papers/s", "sqlite-utils insert with FTS5", ratio, papers)
    _figure("sqlite_utils.per_second", theirs, "rows/s", None, None, papers)
    _figure("ingest.peak_memory", peak, "MB", "300 MB at most", peak / 300, papers)


def _figure(name: str, value: float, unit: str, against: str | None, ratio: float | None, n: float) -> None:
    rounded = ratio and round(ratio, 3)
    figure = {
        "name": name,
        "value": round(value, 1),
        "unit": unit,
        "against": against,
        "ratio": rounded,
        "n": n,
    }
    print(json.dumps(figure))


def product(abstracts: Path, folder: Path) -> tuple[float, int]:
    """Seconds and papers of the product, as `paperround feeds add` does it."""
    from digests.feed import Feed, Fetched
    from digests.refresh import read
    from storage.store import open_store

    store = open_store(folder / "product.db")
    began = time.perf_counter()
    reading = read(Fetched("abstracts.jsonl", _body(abstracts)))
    feed = Feed("abstracts", "abstracts.jsonl", reading.format, is_list=True)
    store.feeds.add(feed, reading.papers, datetime.now(UTC))
    seconds, papers = time.perf_counter() - began, store.papers.count()
    store.close()
    return seconds, papers


def bare(abstracts: Path, folder: Path) -> tuple[float, int]:
    """Seconds and rows of sqlite-utils alone, from the same file."""
    import sqlite_utils

    db = sqlite_utils.Database(folder / "bare.db")
    began = time.perf_counter()
    rows = [json.loads(line) for line in _body(abstracts).splitlines()]
    table = db.table("papers")
    table.insert_all(rows[:1])
    table.enable_fts(["title", "abstract", "authors"], create_triggers=True)
    table.insert_all(rows[1:])
    return time.perf_counter() - began, table.count


def _body(abstracts: Path) -> bytes:
    return gzip.decompress(abstracts.read_bytes()) if abstracts.suffix == ".gz" else abstracts.read_bytes()


def _once(side: str, abstracts: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        seconds, papers = (product if side == "--product" else bare)(abstracts, Path(folder))
    peak = (
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
    )
    print(json.dumps({"seconds": seconds, "papers": papers, "peak": peak}))


def _shared() -> Path:
    root = Path(__file__).resolve().parents[2]
    return Path(os.environ.get("PAPERROUND_SHARED") or root.parent / "shared") / "data/abstracts-20k.jsonl.gz"


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if arguments[:1] in (["--product"], ["--bare"]):
        _once(arguments[0], Path(arguments[1]))
    else:
        main(Path(arguments[0]) if arguments else _shared(), int(arguments[1]) if arguments[1:] else ROUNDS)
