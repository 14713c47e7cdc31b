"""Copies of an SQLite database: made while it is in use, looked over, and put back."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path

import sqlite_utils

from digests.digest import counted
from digests.errors import StorageError
from storage.migrations import recognize
from storage.sqlite import explained

MAX_FAULTS = 20

_INVARIANTS = {
    ("paper", "without text in the search"): """
        SELECT count(*) FROM papers p LEFT JOIN paper_text t ON t.rowid = p.id WHERE t.rowid IS NULL
    """,
    ("text", "in the search without a paper"): """
        SELECT count(*) FROM paper_text t LEFT JOIN papers p ON p.id = t.rowid WHERE p.id IS NULL
    """,
    ("paper", "that nothing identifies"): """
        SELECT count(*) FROM papers p WHERE NOT EXISTS (SELECT 1 FROM looks l WHERE l.paper = p.id)
    """,
    ("edition", "with a message missing"): """
        SELECT count(*) FROM (
            SELECT 1 FROM messages GROUP BY channel, day
            HAVING count(*) <> max(parts) OR max(part) <> max(parts)
        )
    """,
}


def check(path: Path) -> tuple[str, ...]:
    """What is wrong with the database, a line each; StorageError if it cannot be read at all.

    Changes nothing, and may run while the database is in use.
    """
    return _faults(path, "")


def _faults(path: Path, still: str) -> tuple[str, ...]:
    _require(path)
    with explained(path), closing(_reading(path, still)) as connection:
        recognize(_wrapped(connection), str(path))
        faults = [
            f"page structure: {row[0]}" for row in connection.execute(f"PRAGMA integrity_check({MAX_FAULTS})")
        ]
        if faults != ["page structure: ok"]:
            return tuple(faults)
        return (*_dangling(connection), *_broken_promises(connection))


def back_up(path: Path, copy: Path) -> None:
    """Write a copy of the database, as it is at one moment, to a new file; writers go on meanwhile."""
    _require(path)
    if copy.exists():
        raise StorageError(f"{str(copy)!r} is there already", "name a new file for the backup")
    with _partial(copy) as partial:
        with explained(path), closing(_reading(path)) as source:
            recognize(_wrapped(source), str(path))
            _copy(source, partial)
        os.replace(partial, copy)


def restore(copy: Path, path: Path) -> Path | None:
    """Put a backup in the place of the database, which is kept beside it; gives where, if there was one.

    The backup is checked first; StorageError, and nothing is touched, if it is damaged, or if another process
    has the database open.
    """
    still = "" if _beside(copy, "-wal").exists() else _STILL
    if faults := _faults(copy, still):
        raise StorageError(f"the backup {str(copy)!r} is damaged: {faults[0]}", "use an older one")
    with _partial(path) as partial:
        with explained(copy), closing(_reading(copy, still)) as source:
            _copy(source, partial)
        kept = _keep(path) if path.exists() else None
        os.replace(partial, path)
    return kept


def _require(path: Path) -> None:
    if not path.is_file() or not path.stat().st_size:
        what = "is a directory" if path.is_dir() else "is empty" if path.exists() else "does not exist"
        raise StorageError(f"the database {str(path)!r} {what}", "PAPERROUND_DB names the file")


_STILL = "&immutable=1"
"""For a file that nobody writes: SQLite then puts nothing beside it, as it would beside one under WAL."""


def _reading(path: Path, still: str = "") -> sqlite3.Connection:
    return sqlite3.connect(path.absolute().as_uri() + "?mode=ro" + still, uri=True, isolation_level=None)


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def _partial(path: Path) -> Iterator[Path]:
    """A name for the file while it is written; what still has it at the end is removed."""
    partial = _beside(path, ".part")
    try:
        yield partial
    except OSError as error:
        is_full = error.errno in _FULL
        what, hint = ("the disk is full", "make room") if is_full else (error.strerror, "look at its rights")
        raise StorageError(f"{str(path)!r} cannot be written: {what}", f"{hint}, then try again") from error
    finally:
        for ending in ("", "-journal", "-wal", "-shm"):
            _beside(partial, ending).unlink(missing_ok=True)


def _wrapped(connection: sqlite3.Connection) -> sqlite_utils.Database:
    return sqlite_utils.Database(connection, recursive_triggers=False, execute_plugins=False)


def _dangling(connection: sqlite3.Connection) -> list[str]:
    rows = connection.execute("PRAGMA foreign_key_check").fetchmany(MAX_FAULTS)
    return [f"row {row[1]} of {row[0]} points to a missing row of {row[2]}" for row in rows]


def _broken_promises(connection: sqlite3.Connection) -> list[str]:
    counts = {what: connection.execute(sql).fetchone()[0] for what, sql in _INVARIANTS.items()}
    return [f"{counted(count, thing)} {which}" for (thing, which), count in counts.items() if count]


def _copy(source: sqlite3.Connection, partial: Path) -> None:
    """A whole copy in one file, on the disk when this returns."""
    partial.unlink(missing_ok=True)
    with explained(partial), closing(sqlite3.connect(partial)) as target:
        source.backup(target)
        target.execute("PRAGMA journal_mode = DELETE")
    with partial.open("rb") as written:
        os.fsync(written.fileno())


def _keep(path: Path) -> Path:
    """Move the database and what belongs to it aside."""
    _close_for_all(path)
    kept = _unused(path)
    try:
        shutil.copy2(path, kept)
    except OSError:
        kept.unlink(missing_ok=True)
        raise
    for ending in ("-wal", "-shm"):
        left = _beside(path, ending)  # of a damaged database; the restored one must not read it
        if left.exists():
            os.replace(left, _beside(kept, ending))
    return kept


def _unused(path: Path) -> Path:
    """A name for what is kept that no earlier restore has taken."""
    names = (_beside(path, ".before-restore" + (f"-{n}" if n > 1 else "")) for n in count(1))
    return next(
        name for name in names if not any(_beside(name, end).exists() for end in ("", "-wal", "-shm"))
    )


def _close_for_all(path: Path) -> None:
    """Fold the WAL in; SQLite does that only for the sole user of the file, so it tells who else is there."""
    try:
        with closing(sqlite3.connect(path, timeout=1, isolation_level=None)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorname in ("SQLITE_BUSY", "SQLITE_LOCKED"):
            raise StorageError(
                f"the database {str(path)!r} is in use", "stop paperround, then restore again"
            ) from error
        raise StorageError(f"the database {str(path)!r} cannot be moved aside: {error}") from error
    except sqlite3.DatabaseError:
        return  # damaged: there is nothing to fold in
