"""Copies of a database: made, looked over, and put back."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from digests.errors import StorageError
from storage.backup import back_up, check, restore
from storage.store import open_store
from tests.storage.examples import ML, NOW, a_channel, a_feed, a_paper, an_edition, with_papers


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A closed database with a few papers and an edition."""
    path = tmp_path / "paperround.db"
    store = open_store(path)
    papers = with_papers(store, a_paper(1), a_paper(2))
    store.channels.add(a_channel())
    store.outbox.put(an_edition(*papers), ())
    store.close()
    return path


def spoil(path: Path, *statements: str) -> None:
    """Change a database behind its back."""
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def test_a_sound_database_has_no_faults(path: Path) -> None:
    """Nothing to say is good news."""
    assert check(path) == ()


def test_a_database_in_use_is_checked_and_copied(path: Path) -> None:
    """The copy holds what was committed, and is one file."""
    store = open_store(path)
    store.feeds.take_in(a_feed(), [a_paper(3)], NOW)
    copy = path.with_name("copy.db")
    assert check(path) == ()
    back_up(path, copy)
    store.close()
    assert check(copy) == ()
    assert sorted(file.name for file in path.parent.iterdir()) == ["copy.db", "paperround.db"]
    copied = open_store(copy)
    assert copied.papers.count() == 3
    copied.close()


def test_a_check_changes_nothing(path: Path) -> None:
    """A backup stays the file that it was, byte for byte."""
    copy = path.with_name("copy.db")
    back_up(path, copy)
    before = copy.read_bytes()
    check(copy)
    assert copy.read_bytes() == before


@pytest.mark.parametrize(
    ("statement", "fault"),
    [
        ("DELETE FROM paper_text WHERE rowid = 1", "1 paper without text"),
        ("INSERT INTO paper_text (rowid, title) VALUES (9, 'x')", "1 text in the search"),
        ("DELETE FROM looks WHERE paper = 1", "1 paper that nothing identifies"),
        ("DELETE FROM messages WHERE part = 1", "1 edition with a message missing"),
        ("DELETE FROM feeds", "sightings points to a missing row of feeds"),
    ],
)
def test_a_broken_promise_is_named(path: Path, statement: str, fault: str) -> None:
    """What no part of Paperround does is found when something else did it."""
    spoil(path, statement)
    assert fault in check(path)[0]


def test_a_broken_page_is_named(path: Path) -> None:
    """Damage of the file is found before it is met."""
    with path.open("r+b") as file:
        file.seek(-4096 * 3, os.SEEK_END)
        file.write(b"\xff" * 4096)
    try:
        faults = check(path)
    except StorageError as error:
        faults = (str(error),)
    assert faults


def test_a_restored_database_is_as_it_was_and_the_former_is_kept(path: Path) -> None:
    """What came after the backup is only in the file that is kept."""
    copy = path.with_name("copy.db")
    back_up(path, copy)
    store = open_store(path)
    store.channels.remove(ML)
    store.close()
    kept = restore(copy, path)
    assert kept == path.with_name("paperround.db.before-restore")
    for file, channels in ((path, 1), (kept, 0)):
        opened = open_store(file)
        assert len(opened.channels.all()) == channels
        opened.close()


def test_each_restore_keeps_what_was_there(path: Path) -> None:
    """The second does not write over what the first has kept."""
    copy = path.with_name("copy.db")
    back_up(path, copy)
    original = path.read_bytes()
    names = [kept.name for _ in range(3) if (kept := restore(copy, path))]
    assert names == [f"paperround.db.before-restore{end}" for end in ("", "-2", "-3")]
    assert path.with_name(names[0]).read_bytes()[100:] == original[100:]  # behind the header


def test_a_restore_leaves_nothing_beside_the_backup(path: Path) -> None:
    """Not even beside a copy of the file that was made with other tools, which is under WAL."""
    folder = path.parent / "backups"
    folder.mkdir()
    copy = folder / "copy.db"
    copy.write_bytes(path.read_bytes())
    restore(copy, path)
    assert [file.name for file in folder.iterdir()] == ["copy.db"]


FULL_DISK = """
import resource, sys
from pathlib import Path
from storage.backup import back_up, restore
from digests.errors import StorageError
act = {"back_up": back_up, "restore": restore}[sys.argv[1]]
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[4]), int(sys.argv[4])))
try:
    act(Path(sys.argv[2]), Path(sys.argv[3]))
except StorageError as error:
    print(error)
"""


@pytest.mark.parametrize("act", ["back_up", "restore"])
@pytest.mark.parametrize("limit", [8_192, 40_960])  # below and above what SQLite needs to read
def test_a_full_disk_is_said_and_leaves_nothing_half_written(path: Path, act: str, limit: int) -> None:
    """A limit on the size of files stands for the full disk; the partial file is gone."""
    target = path.with_name("target.db")
    before = sorted(path.parent.iterdir())
    told = subprocess.run(
        [sys.executable, "-c", FULL_DISK, act, str(path), str(target), str(limit)],
        capture_output=True,
        text=True,
    )
    assert "the disk is full" in told.stdout, told.stderr
    assert (
        sorted(file for file in path.parent.iterdir() if file.suffix not in (".db-wal", ".db-shm")) == before
    )


def test_a_database_in_use_is_not_replaced(path: Path) -> None:
    """The service must be stopped first, and its database stays as it is."""
    copy = path.with_name("copy.db")
    back_up(path, copy)
    store = open_store(path)
    with pytest.raises(StorageError, match="in use; stop paperround"):
        restore(copy, path)
    store.channels.remove(ML)
    assert store.channels.all() == ()
    store.close()


def test_a_damaged_database_is_replaced(path: Path) -> None:
    """That is what backups are for."""
    copy = path.with_name("copy.db")
    back_up(path, copy)
    path.write_bytes(os.urandom(10_000))
    path.with_name("paperround.db-wal").write_bytes(os.urandom(5_000))
    restore(copy, path)
    assert check(path) == ()


def test_a_lost_database_is_restored(path: Path) -> None:
    """There is nothing to keep then."""
    copy = path.with_name("copy.db")
    back_up(path, copy)
    path.unlink()
    assert restore(copy, path) is None
    assert check(path) == ()


def test_a_bad_backup_is_refused_before_anything_is_touched(path: Path) -> None:
    """Missing, empty, another program's, with a broken promise."""
    others = path.parent / "others"
    others.mkdir()
    (others / "empty.db").touch()
    (others / "text.db").write_text("no database " * 1_000)
    spoil(others / "notes.db", "CREATE TABLE notes (id)")
    back_up(path, others / "spoilt.db")
    spoil(others / "spoilt.db", "DELETE FROM paper_text")
    before = path.read_bytes()
    for name in ("none.db", "empty.db", "text.db", "notes.db", "spoilt.db"):
        with pytest.raises(StorageError, match=name):
            restore(others / name, path)
    assert path.read_bytes() == before


def test_a_backup_never_overwrites(path: Path) -> None:
    """A file that is there is somebody's backup."""
    with pytest.raises(StorageError, match="is there already"):
        back_up(path, path)
    with pytest.raises(StorageError, match="does not exist"):
        back_up(path.with_name("none.db"), path.with_name("copy.db"))
