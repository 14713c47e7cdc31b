"""Opens a database and holds its repositories."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from storage.audit import AuditRepository
from storage.channels import ChannelRepository
from storage.database import Database
from storage.feeds import FeedRepository
from storage.outbox import OutboxRepository
from storage.papers import PaperRepository
from storage.sqlite import SqliteDatabase
from storage.subscriptions import SubscriptionRepository


class DatabaseStore:
    """`ports.Store` over a database of any engine; every thread may use it."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.feeds = FeedRepository(database)
        self.papers = PaperRepository(database)
        self.channels = ChannelRepository(database)
        self.subscriptions = SubscriptionRepository(database)
        self.outbox = OutboxRepository(database)
        self.audit = AuditRepository(database)

    def together(self) -> AbstractContextManager[object]:
        return self._database.write()

    def close(self) -> None:
        self._database.close()


def open_store(path: Path | str) -> DatabaseStore:
    """The store in an SQLite file, which is made if there is none; StorageError if it cannot be used."""
    return DatabaseStore(SqliteDatabase(Path(path)))
