"""Puts it together: the one module that knows the core, the storage and the world."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from bot import doctor, platforms
from bot.fetch import HttpFetcher
from bot.files import FILE_CAP, read_file
from bot.platforms import Finding
from bot.reader import Reader
from bot.settings import Settings, load_settings
from digests.channel import Channel
from digests.compose import Composed, compose_now
from digests.deliver import deliver
from digests.errors import InputError, StorageError
from digests.feed import Feed, Fetched
from digests.outbox import Delivery
from digests.ports import Fetcher, Store
from digests.reading import Reading
from digests.refresh import Refreshed, refresh
from storage import backup
from storage.store import open_store


def now() -> datetime:
    """The one clock of the program: aware UTC; tests move it by PAPERROUND_CLOCK_OFFSET, in seconds."""
    return datetime.now(UTC) + timedelta(seconds=float(os.environ.get("PAPERROUND_CLOCK_OFFSET", "0")))


@dataclass(frozen=True, slots=True)
class App:
    """Everything that a command or the service works with."""

    settings: Settings
    store: Store

    def read(self, url: str, format: str) -> tuple[Fetched, Reading]:
        """One document, fetched now, and what it gives."""

        async def one() -> tuple[Fetched, Reading]:
            async with self.fetcher() as fetcher, Reader() as read:
                fetched = await fetcher.fetch(url)
                reading, _ = await read(fetched, format)
                return fetched, reading

        return asyncio.run(one())

    def refresh(self, feeds: Iterable[Feed], tell: Callable[[Refreshed], object]) -> tuple[Refreshed, ...]:
        """Read these feeds now, and tell of each as it ends."""

        async def these() -> tuple[Refreshed, ...]:
            async with self.fetcher() as fetcher, Reader() as read:
                return await refresh(feeds, self.store, fetcher, now, tell, read)

        return asyncio.run(these())

    def send(self, channel: Channel, who: str) -> tuple[Composed, tuple[Delivery, ...]]:
        """Compose today's edition of a channel, asked for by `who`, unless it has one; send what waits."""
        name = channel.id.platform
        served = {platforms.FALLBACK, *platforms.chosen(self.settings)}
        if name not in served:
            raise InputError(
                f"no platform {name!r} is set up here", f"this process serves: {', '.join(sorted(served))}"
            )

        async def both() -> tuple[Composed, tuple[Delivery, ...]]:
            async with platforms.connect(name, self.settings, now) as platform:
                messengers = {name: platform.messenger}
                composed = compose_now(self.store, channel, messengers, now(), who)
                return composed, await deliver(self.store, messengers, now, channel.id)

        return asyncio.run(both())

    async def serve(self, stop: asyncio.Event) -> None:
        """The service, until `stop` is set."""
        from bot.service import Service

        watch = partial(doctor.look_over, self.settings, self.store, now)
        async with self.fetcher() as fetcher, Reader() as read:
            await Service(self.store, now, fetcher, self.connects(), watch, read).run(stop)

    def examine(self) -> Iterator[Finding]:
        """What is right and wrong, as seen from here and as the platforms see it."""
        yield from doctor.look_over(self.settings, self.store, now)
        yield from doctor.overdue(self.store, now())
        yield from asyncio.run(doctor.of_platforms(self.connects(), self.store.channels.all()))

    def connects(self) -> dict[str, platforms.Connecting]:
        """How each platform that is set up is connected."""
        chosen = platforms.chosen(self.settings)
        return {name: partial(platforms.connect, name, self.settings, now) for name in chosen}

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
        yield App(settings, store)
    finally:
        store.close()


@contextmanager
def opened_for_demo() -> Iterator[App]:
    """The app on a database of its own that is gone afterwards."""
    with TemporaryDirectory() as folder, opened(Path(folder) / "demo.db") as app:
        yield app


def examine() -> tuple[Finding, ...]:
    """What is right and wrong with the whole installation, the database first."""
    try:
        with opened() as app:
            return (doctor.damage(check_database()), *app.examine())
    except StorageError as error:
        return (Finding("database", False, error.what, error.hint),)


def glance() -> tuple[Finding, ...]:
    """What can be seen of the installation in a moment, without asking anybody."""
    try:
        with opened() as app:
            return (Finding("database", True, "opens"), *doctor.glance(app.settings, app.store, now))
    except StorageError as error:
        return (Finding("database", False, error.what, error.hint),)


def check_database() -> tuple[str, ...]:
    """What is wrong with the database, a line each."""
    return backup.check(load_settings().db)


def back_up_database(copy: Path) -> None:
    """Copy the database to a new file, also while the service runs."""
    backup.back_up(load_settings().db, copy)


def restore_database(copy: Path) -> Path | None:
    """Put a backup in the database's place; gives where the former one is kept."""
    return backup.restore(copy, load_settings().db)
