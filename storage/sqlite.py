"""The SQLite engine: opens a file, holds transactions, searches text, and puts its errors into words.

Each thread has its own connection, made when it first asks: under WAL readers then never wait for a writer,
and writers wait for each other in BEGIN IMMEDIATE, within a process as between processes.
Commits are synchronous=FULL: after a power cut a claim that was sent must be on the disk, else the message
would be sent again without a look-up; NORMAL survives the death of the process but not of the machine.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from itertools import count
from pathlib import Path

from digests.errors import StorageError
from digests.paper import PaperId
from storage.database import Parameters, Row, Session
from storage.migrations import migrate

BUSY_SECONDS = 60.0
"""A writer waits so long for another; a list of 20,000 papers is one transaction of some ten seconds."""

OLDEST = (3, 35, 0)  # RETURNING

_PRAGMAS: tuple[str, ...] = (
    "PRAGMA foreign_keys = ON",
    "PRAGMA synchronous = FULL",
    "PRAGMA journal_size_limit = 67108864",  # else the WAL keeps the size of the largest transaction for ever
)


class SqliteSession:
    """One transaction on one connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def all(self, sql: str, /, **parameters: object) -> Sequence[Row]:
        rows: list[Row] = self._connection.execute(sql, _bound(parameters)).fetchall()
        return rows

    def one(self, sql: str, /, **parameters: object) -> Row | None:
        rows = self.all(sql, **parameters)
        return rows[0] if rows else None

    def run(self, sql: str, /, **parameters: object) -> int:
        return self._connection.execute(sql, _bound(parameters)).rowcount

    def run_many(self, sql: str, rows: Iterable[Parameters], /) -> None:
        self._connection.executemany(sql, rows)

    def new_ids(self, table: str, /) -> Iterator[int]:
        last = self.one("SELECT seq FROM sqlite_sequence WHERE name = :table", table=table)
        return count(last["seq"] + 1 if last else 1)  # nobody else writes before this transaction ends

    def ids(self, parameter: str, /) -> str:
        return f"(SELECT value FROM json_each(:{parameter}))"

    texts = ids

    def index(self, texts: Iterable[tuple[PaperId, str, str, str]], /) -> None:
        sql = "INSERT INTO paper_text (rowid, title, abstract, authors) VALUES (?, ?, ?, ?)"
        self._connection.executemany(sql, texts)

    def unindex(self, papers: Iterable[PaperId], /) -> None:
        self._connection.executemany("DELETE FROM paper_text WHERE rowid = ?", ((paper,) for paper in papers))

    def find(self, prefilter: str, /) -> Sequence[PaperId]:
        sql = "SELECT rowid AS id FROM paper_text WHERE paper_text MATCH :prefilter ORDER BY rowid DESC"
        return [row["id"] for row in self.all(sql, prefilter=prefilter)]


def _bound(parameters: Mapping[str, object]) -> dict[str, object]:
    """The parameters as SQLite takes them: collections as JSON."""
    return {
        name: json.dumps(list(value)) if isinstance(value, (list, tuple, set, frozenset)) else value
        for name, value in parameters.items()
    }


class SqliteDatabase:
    """A database file that is open, its tables up to date."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._of_thread = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        with explained(path):
            migrate(self._connection(), str(path))

    @contextmanager
    def read(self) -> Iterator[Session]:
        with self._transaction("BEGIN") as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        with self._transaction("BEGIN IMMEDIATE") as session:
            yield session

    def close(self) -> None:
        """Close the connections of all threads; none may be inside a transaction."""
        with self._lock:
            while self._connections:
                self._connections.pop().close()
            self._of_thread = threading.local()

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[Session]:
        with explained(self.path):
            connection = self._connection()
            joins = connection.in_transaction  # and ends with it
            with nullcontext() if joins else _whole(connection, begin):
                yield SqliteSession(connection)

    def _connection(self) -> sqlite3.Connection:
        mine: sqlite3.Connection | None = getattr(self._of_thread, "connection", None)
        if mine is None:
            mine = connect(self.path)
            with self._lock:
                self._connections.append(mine)
            self._of_thread.connection = mine
        return mine


@contextmanager
def _whole(connection: sqlite3.Connection, begin: str) -> Iterator[None]:
    """A transaction from its beginning to its end."""
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite itself rolls back when the disk is full
            connection.execute("ROLLBACK")
        raise


def connect(path: Path) -> sqlite3.Connection:
    """A connection as every part of Paperround uses it; makes the file if there is none."""
    if sqlite3.sqlite_version_info < OLDEST:
        raise StorageError(
            f"SQLite {sqlite3.sqlite_version} is too old", "use a Python with SQLite 3.35 or newer"
        )
    if str(path) == ":memory:":
        raise StorageError("a database in memory is gone at once", "name a file with PAPERROUND_DB")
    connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    try:
        connection.row_factory = sqlite3.Row
        _use_wal(connection, path)
        for pragma in _PRAGMAS:
            connection.execute(pragma)
    except BaseException:
        connection.close()
        raise
    return connection


def _use_wal(connection: sqlite3.Connection, path: Path) -> None:
    """Switch to WAL; SQLite does not wait for a second process that switches the same new file, so we do."""
    deadline = time.monotonic() + BUSY_SECONDS
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            if connection.execute("PRAGMA journal_mode = WAL").fetchone()[0] != "wal":
                raise StorageError(
                    f"the file system of {str(path)!r} cannot hold a database that several read and write",
                    "name a file on a local disk with PAPERROUND_DB",
                )
        except sqlite3.OperationalError as error:
            if error.sqlite_errorname != "SQLITE_BUSY" or time.monotonic() > deadline:
                raise
            time.sleep(0.01)


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Raises SQLite's errors as StorageErrors that name the file and the next step."""
    try:
        yield
    except sqlite3.Error as error:
        raise explain(error, path) from error


def explain(error: sqlite3.Error, path: Path) -> StorageError:
    """What an error of SQLite means for the person who runs Paperround."""
    code = getattr(error, "sqlite_errorname", "")
    for beginning, (what, hint) in _MEANINGS.items():
        if code.startswith(beginning):
            return StorageError(f"the database {str(path)!r} {what}", hint)
    return StorageError(
        f"the database {str(path)!r} refused a statement: {error}", "look it over with: paperround db check"
    )


_DAMAGED = ("is damaged", "see how far with: paperround db check; go back with: paperround db restore BACKUP")
_LIMITED = (
    "cannot grow: the disk is full, or a limit on the size of files is reached",
    "make room, or raise the limit (ulimit -f); nothing was half-written",
)
_MEANINGS = {
    "SQLITE_BUSY": ("is held by another process", "try again when that one is done"),
    "SQLITE_LOCKED": ("is held by another process", "try again when that one is done"),
    "SQLITE_FULL": ("cannot grow: the disk is full", "make room; nothing was half-written"),
    "SQLITE_IOERR_WRITE": _LIMITED,
    "SQLITE_IOERR_SHMSIZE": _LIMITED,
    "SQLITE_READONLY": ("is read-only", "let this user write to the file and to its folder"),
    "SQLITE_CANTOPEN": (
        "cannot be opened",
        "check that its folder exists and that this user may write there; PAPERROUND_DB names the file",
    ),
    "SQLITE_NOTADB": (
        "is no database",
        "name another file with PAPERROUND_DB, or go back with: paperround db restore BACKUP",
    ),
    "SQLITE_CORRUPT": _DAMAGED,
    "SQLITE_IOERR": (
        "cannot be read or written: its disk failed",
        "check the disk, then: paperround db check",
    ),
}
