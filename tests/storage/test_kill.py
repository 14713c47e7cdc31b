"""A process that is killed at any moment leaves a database that is whole and goes on."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import pytest

from storage.backup import check
from storage.store import DatabaseStore, open_store
from tests.storage.examples import ML, NOW, a_channel, a_feed


def kill_at_work(path: Path, after: float) -> None:
    """Let a process work on the database, and kill it."""
    command = [sys.executable, "-m", "tests.storage.worker", "toil", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as worker:
        assert worker.stdout
        assert worker.stdout.readline() == "ready\n"
        time.sleep(after)
        worker.kill()


def faults(store: DatabaseStore, path: Path) -> list[str]:
    """What does not fit together."""
    found = list(check(path))
    papers = list(store.papers.search(None))
    if len({paper.arxiv for paper in papers}) != len(papers):
        found.append("a paper is there twice")
    seen = [paper for paper in papers if paper.feeds == ("arxiv-cs",)]
    if not store.feeds.get("arxiv-cs").last_count == len(papers) == len(seen):
        found.append("the feed's count is not that of its papers")
    shown = store.outbox.shown(ML)
    editions = [
        store.outbox.edition(ML, day) for day in {sending.day for sending in store.outbox.deliveries()}
    ]
    for edition in filter(None, editions):
        if edition.payloads != ("1", "2", "3"):
            found.append(f"the edition of {edition.day} lacks messages")
        if {paper for paper, day in shown.items() if day == edition.day} != set(edition.digest.papers):
            found.append(f"the edition of {edition.day} shows other papers than are marked")
    if shown and max(shown.values()) != store.outbox.last_days([ML], date.max)[ML]:
        found.append("the latest edition and the latest marks are of different dates")
    return found


@pytest.mark.parametrize("kills", [15, pytest.param(200, marks=pytest.mark.long)])
def test_a_killed_process_leaves_a_whole_database(tmp_path: Path, kills: int) -> None:
    """After each kill the file opens, is sound, holds whole things only, and work goes on."""
    path = tmp_path / "paperround.db"
    store = open_store(path)
    store.feeds.add(a_feed(), (), NOW)
    store.channels.add(a_channel())
    store.close()
    dice = random.Random(7)
    counts = []
    for _ in range(kills):
        kill_at_work(path, dice.uniform(0, 0.2))
        store = open_store(path)
        assert faults(store, path) == []
        counts.append(store.papers.count())
        store.close()
    assert counts == sorted(counts)
    assert counts[-1] > counts[0]
