"""Stand-ins for the world, and values ready to use: what the core's tests meet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, time
from typing import Any
from zoneinfo import ZoneInfo

from digests.channel import Channel, ChannelId
from digests.digest import Digest
from digests.errors import FetchError
from digests.feed import Fetched
from digests.outbox import Delivery, Receipt
from digests.paper import Entry, Paper, from_entry
from digests.schedule import DAILY, Calendar

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
LAB = ChannelId("console", "lab", "ml")


def paper(title: str = "", abstract: str = "", **fields: Any) -> Paper:
    """A paper made the way feeds make them."""
    return from_entry(Entry(title=title, abstract=abstract, **fields))


def channel(at: time = time(9), zone: str = "UTC", **fields: Any) -> Channel:
    """The channel `LAB`, there since the beginning of November."""
    since = datetime(2026, 11, 1, tzinfo=UTC)
    calendar = Calendar(at, fields.pop("days", DAILY), ZoneInfo(zone))
    return Channel(**{"id": LAB, "calendar": calendar, "added": since, "since": since, **fields})


class FakeFetcher:
    """Answers from a table: a document, or the error to raise."""

    def __init__(self, answers: Mapping[str, bytes | Fetched | Exception]) -> None:
        self.answers = answers
        self.asked: list[tuple[str, str]] = []

    async def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> Fetched:
        self.asked.append((url, etag))
        answer = self.answers.get(url, FetchError("not found", url=url, status=404))
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Fetched) else Fetched(url, answer)


class FakeMessenger:
    """A platform in memory: `trouble` says what goes wrong with the next sends, one after another."""

    def __init__(self, parts: int = 1, trouble: Iterable[Callable[[], Exception | None]] = ()) -> None:
        self.parts = parts
        self.trouble = iter(trouble)
        self.posted: list[str] = []

    def render(self, digest: Digest) -> tuple[str, ...]:
        return tuple(f"{digest.label} {digest.day} {part}" for part in range(1, self.parts + 1))

    async def send(self, delivery: Delivery) -> Receipt:
        if error := next(self.trouble, lambda: None)():
            raise error
        self.posted.append(delivery.key)
        return Receipt(str(len(self.posted)))

    async def find_sent(self, delivery: Delivery) -> Receipt | None:
        return Receipt("found") if delivery.key in self.posted else None
