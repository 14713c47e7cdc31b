"""Puts it together: the one module that knows the core, the storage and the world."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from bot.fetch import FILE_CAP, HttpFetcher, read_file
from bot.platforms.console import ConsoleMessenger
from bot.settings import Settings, load_settings
from digests import compose
from digests.channel import Channel
from digests.deliver import deliver
from digests.errors import InputError
from digests.feed import Feed, Fetched
from digests.outbox import Delivery
from digests.ports import Fetcher, Messenger, Store
from digests.refresh import Refreshed, refresh
from storage import backup
from storage.store import open_store


def now() -> datetime:
    """The one clock of the program: aware UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class App:
    """Everything that a command or the service works with."""

    settings: Settings
    store: Store
    messengers: dict[str, Messenger]

    def fetch(self, url: str) -> Fetched:
        """One document, now."""

        async def one() -> Fetched:
            async with self.fetcher() as fetcher:
                return await fetcher.fetch(url)

        return asyncio.run(one())

    def refresh(self, feeds: Iterable[Feed]) -> tuple[Refreshed, ...]:
        """Read these feeds now."""

        async def these() -> tuple[Refreshed, ...]:
            async with self.fetcher() as fetcher:
                return await refresh(feeds, self.store, fetcher, now())

        return asyncio.run(these())

    def compose_now(self, channel: Channel) -> compose.Composed:
        """Compose today's edition of a channel, unless it has one."""
        if channel.id.platform not in self.messengers:
            raise InputError(
                f"no platform {channel.id.platform!r} is set up here",
                f"this process serves: {', '.join(self.messengers)}",
            )
        return compose.compose_now(self.store, channel, self.messengers, now())

    def deliver(self, channel: Channel) -> tuple[Delivery, ...]:
        """Send what waits for a channel."""
        return asyncio.run(deliver(self.store, self.messengers, now, channel.id))

    @asynccontextmanager
    async def fetcher(self) -> AsyncIterator[Fetcher]:
        """Documents from the web and, since only an admin can register them, from this machine's files."""
        async with HttpFetcher(contact=self.settings.contact, allow=self.settings.allow) as http:
            yield _AnyFetcher(http)


@dataclass(frozen=True, slots=True)
class _AnyFetcher:
    http: Fetcher

    async def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> Fetched:
        if url.startswith("file:"):
            return Fetched(url, await asyncio.to_thread(read_file, url, FILE_CAP))
        return await self.http.fetch(url, etag=etag, last_modified=last_modified)


@contextmanager
def opened(db: Path | None = None) -> Iterator[App]:
    """The app on a database, by default the one that the settings name; it is closed at the end."""
    settings = load_settings()
    if "db" not in settings.model_fields_set:
        settings.db.parent.mkdir(parents=True, exist_ok=True)
    store = open_store(db or settings.db)
    try:
        yield App(settings, store, {"console": ConsoleMessenger()})
    finally:
        store.close()


@contextmanager
def opened_for_demo() -> Iterator[App]:
    """The app on a database of its own that is gone afterwards."""
    with TemporaryDirectory() as folder, opened(Path(folder) / "demo.db") as app:
        yield app


def check_database() -> tuple[str, ...]:
    """What is wrong with the database, a line each."""
    return backup.check(load_settings().db)


def back_up_database(copy: Path) -> None:
    """Copy the database to a new file, also while the service runs."""
    backup.back_up(load_settings().db, copy)


def restore_database(copy: Path) -> Path | None:
    """Put a backup in the database's place; gives where the former one is kept."""
    return backup.restore(copy, load_settings().db)
