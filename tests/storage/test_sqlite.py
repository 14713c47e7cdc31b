"""What is SQLite's own: opening, upgrading, threads and processes, and errors in words."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from sqlite_utils import Migrations

from digests.errors import StorageError
from digests.paper import Paper
from digests.query import parse
from digests.search import search
from storage import migrations, sqlite
from storage.migrations import first_tables
from storage.store import DatabaseStore, open_store
from tests.storage.examples import ML, NOW, a_channel, a_feed, a_paper, an_edition, with_papers
from tests.storage.worker import FIRST_DAY


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a database may be made."""
    return tmp_path / "paperround.db"


def facts(path: Path) -> dict[str, object]:
    """How a connection of ours is set."""
    names = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
    with closing(sqlite.connect(path)) as connection:
        return {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names}


def test_an_empty_file_becomes_a_database(path: Path) -> None:
    """A file of no bytes is as good as none."""
    path.touch()
    store = open_store(path)
    assert store.feeds.all() == ()
    store.close()


def test_a_database_opens_again_with_what_it_held(path: Path) -> None:
    """Closing and opening changes nothing, and applies no migration twice."""
    store = open_store(path)
    with_papers(store, a_paper(1))
    store.close()
    for _ in range(2):
        store = open_store(path)
        assert store.papers.count() == 1
        store.close()


def test_every_connection_is_durable_and_keeps_references(path: Path) -> None:
    """WAL, a commit that is on the disk, foreign keys, patience."""
    assert facts(path) == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 60_000}


def test_a_database_of_another_program_is_left_alone(path: Path) -> None:
    """Its tables are not touched."""
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE notes (id)")
    with pytest.raises(StorageError, match=r"another program.*PAPERROUND_DB"):
        open_store(path)
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("notes",)]


def test_a_database_of_a_newer_version_is_left_alone(path: Path) -> None:
    """A step that this program does not know is a reason to stop."""
    open_store(path).close()
    with closing(sqlite3.connect(path)) as newer:
        newer.execute("UPDATE _sqlite_migrations SET name = 'wonders' WHERE name = 'first_tables'")
        newer.commit()
    with pytest.raises(StorageError, match=r"newer Paperround.*'wonders'"):
        open_store(path)


def test_an_upgrade_indexes_stored_papers_with_the_words_of_today(path: Path) -> None:
    """What was stored when words had other stems is found by today's."""
    store = open_store(path)
    with_papers(store, replace(a_paper(1), title="Zwei Netzwerken im Vergleich"))
    store.close()
    with closing(sqlite3.connect(path)) as older:
        older.execute("UPDATE paper_text SET title = 'zwei netzwerken im vergleich'")
        older.execute("DELETE FROM _sqlite_migrations WHERE name = 'papers_indexed_anew'")
        older.commit()
    store = open_store(path)
    assert [paper.title for paper in search(store, parse("netzwerk"))] == ["Zwei Netzwerken im Vergleich"]
    store.close()


def test_a_failed_migration_leaves_the_database_as_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Steps are applied all or none; the next start tries again."""

    def fails(db: object) -> None:
        raise RuntimeError("step 2")

    set_of_two = Migrations("paperround")
    set_of_two()(first_tables)
    set_of_two()(fails)
    monkeypatch.setattr(migrations, "migrations", set_of_two)
    with pytest.raises(RuntimeError):
        open_store(path)
    monkeypatch.undo()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
    open_store(path).close()


@pytest.mark.parametrize(
    ("prepare", "what"),
    [
        (lambda path: path.mkdir(), "cannot be opened.*folder"),
        (lambda path: path.write_bytes(b"%PDF-1.7 " * 500), "is no database.*PAPERROUND_DB"),
        (lambda path: path.write_text("title,abstract\n" * 100), "is no database"),
        (lambda path: path.symlink_to(path.parent / "none" / "x.db"), "cannot be opened.*folder exists"),
    ],
)
def test_what_is_no_database_is_refused_in_one_line(
    path: Path, prepare: Callable[[Path], object], what: str
) -> None:
    """A directory, other files, a missing folder: what, where, and the next step."""
    prepare(path)
    with pytest.raises(StorageError, match=what) as caught:
        open_store(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_damaged_database_says_what_helps(path: Path) -> None:
    """Overwritten pages end in one line, not in a traceback of SQLite."""
    store = open_store(path)
    store.feeds.add(a_feed(), map(a_paper, range(300)), NOW)
    store.close()
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(os.urandom(path.stat().st_size - 4096))
    with pytest.raises(StorageError, match=r"db check.*db restore"):
        list(open_store(path).papers.search(None))


def test_a_full_disk_stops_the_writing_and_keeps_what_was(path: Path) -> None:
    """The transaction is undone, and reading goes on."""
    store = open_store(path)
    with_papers(store, a_paper(1))
    with store._database.write() as session:
        session.run("PRAGMA max_page_count = 60")
    with pytest.raises(StorageError, match="disk is full"):
        store.feeds.take_in(a_feed(), map(a_paper, range(2, 2_000)), NOW)
    assert store.papers.count() == 1
    store.close()


def test_a_read_only_database_is_read(path: Path) -> None:
    """Reading works; writing says who may not write."""
    store = open_store(path)
    with store._database.read() as session:
        session.run("PRAGMA query_only = ON")
    assert store.feeds.all() == ()
    with pytest.raises(StorageError, match="is read-only"):
        store.channels.add(a_channel())
    store.close()


def test_a_database_that_another_holds_is_said_to_be_held(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer that waited in vain says so."""
    monkeypatch.setattr(sqlite, "BUSY_SECONDS", 0.05)
    store = open_store(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError, match=r"held by another process.*try again"):
            store.channels.add(a_channel())
    store.channels.add(a_channel())
    store.close()


def test_readers_do_not_wait_for_a_writer(path: Path) -> None:
    """While a document is written, other threads read what was there before."""
    store = open_store(path)
    with_papers(store, a_paper(1))

    def papers() -> Iterator[Paper]:
        with ThreadPoolExecutor(1) as reader:
            yield a_paper(2)
            assert reader.submit(store.papers.count).result(timeout=10) == 1

    store.feeds.take_in(a_feed(), papers(), NOW)
    assert store.papers.count() == 2
    store.close()


def test_threads_share_a_store(path: Path) -> None:
    """Many threads write and read at once; nothing is lost."""
    store = open_store(path)
    store.feeds.add(a_feed(), (), NOW)
    with ThreadPoolExecutor(8) as threads:
        list(
            threads.map(lambda n: store.feeds.take_in(a_feed(), [a_paper(n), a_paper(0)], NOW), range(1, 41))
        )
    assert store.papers.count() == 41
    store.close()


def race(path: Path, act: str) -> list[str]:
    """What two processes print that do the same at the same time."""
    command = [sys.executable, "-m", "tests.storage.worker", act, str(path), str(time.time() + 1)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [process.communicate(timeout=60)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    return said


def test_two_processes_make_a_new_database_together(path: Path) -> None:
    """Both find it ready."""
    race(path, "open")
    open_store(path).close()


def test_two_processes_put_each_edition_once(path: Path) -> None:
    """For each date exactly one of the two is told that it did."""
    store = open_store(path)
    store.channels.add(a_channel())
    assert sum(map(int, race(path, "put"))) == 60
    assert len(store.outbox.deliveries(date.fromordinal(FIRST_DAY))) == 2
    store.close()


def test_two_processes_claim_each_message_once(path: Path) -> None:
    """What they hold is disjoint, and together everything."""
    store = open_store(path)
    channels = [ML.parse(f"slack:T1/C{n}") for n in range(60)]
    for channel in channels:
        store.channels.add(a_channel(channel))
        store.outbox.put(an_edition(channel=channel), ())
    one, other = (said.split() for said in race(path, "claim"))
    assert sorted(one + other) == sorted(channel.channel for channel in channels)
    store.close()


def test_a_closed_store_closes_every_thread_s_connection(path: Path) -> None:
    """The sole user's closing folds the WAL in."""
    store: DatabaseStore = open_store(path)
    with ThreadPoolExecutor(3) as threads:
        list(threads.map(lambda n: store.papers.count(), range(9)))
    store.close()
    assert [file.name for file in path.parent.iterdir()] == ["paperround.db"]


def test_a_database_in_memory_is_refused() -> None:
    """Each thread would have one of its own, gone at the end."""
    with pytest.raises(StorageError, match="name a file"):
        open_store(":memory:")


def test_a_file_system_that_declines_wal_is_said_at_once(path: Path) -> None:
    """SQLite then answers with the old mode instead of an error."""
    with closing(sqlite3.connect(":memory:")) as connection, pytest.raises(StorageError, match="local disk"):
        sqlite._use_wal(connection, path)  # a database in memory declines WAL in the same way
