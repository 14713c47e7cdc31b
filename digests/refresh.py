"""Job: reads feeds that are due, and stores what is new in them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from digests import formats
from digests.errors import FetchError, InputError, PaperroundError
from digests.feed import Feed, Fetched, Refused, Remark, State, Titled
from digests.paper import Entry, Paper, from_entry
from digests.ports import Fetcher, Intake, Store
from digests.schedule import poll_after

AT_ONCE = 16
"""So many feeds are fetched at the same time; the fetcher spaces those of one host."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a document gave: its papers, what it calls itself, and what is wrong with it.

    `missing` counts the papers without a title, an abstract, authors, a link or a date.
    """

    format: str
    title: str = ""
    papers: tuple[Paper, ...] = ()
    refused: tuple[Refused, ...] = ()
    notes: tuple[str, ...] = ()
    missing: tuple[tuple[str, int], ...] = ()

    @property
    def state(self) -> State:
        """What the document says of its feed's health."""
        if self.papers:
            return State.HEALTHY
        return State.BROKEN if self.refused else State.QUIET


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What became of a feed's check: its new state, what came in, and the error if it gave no document."""

    feed: Feed
    intake: Intake = Intake()
    reading: Reading | None = None
    error: PaperroundError | None = None


def read(fetched: Fetched, format: str = "") -> Reading:
    """Read a document whatever it is; ParseError says what it is where it is none.

    An item that cannot be read is refused by its place and costs no other.
    """
    known = formats.choose(format, fetched.url, fetched.body)
    title = ""
    papers: list[Paper] = []
    refused: list[Refused] = []
    notes: list[str] = []
    for part in known.parse(fetched.body, fetched.url):
        match part:
            case Entry():
                try:
                    papers.append(from_entry(part))
                except InputError as error:
                    refused.append(Refused(f"item {len(papers) + len(refused) + 1}", error.what))
            case Refused():
                refused.append(part)
            case Remark(text):
                notes.append(text)
            case Titled(name):
                title = name
    return Reading(known.name, title, tuple(papers), tuple(refused), tuple(notes), _missing(papers))


def _missing(papers: Iterable[Paper]) -> tuple[tuple[str, int], ...]:
    fields = {
        "titles": "title",
        "abstracts": "abstract",
        "authors": "authors",
        "links": "links",
        "dates": "published",
    }
    count = Counter(word for paper in papers for word, field in fields.items() if not getattr(paper, field))
    return tuple((word, count[word]) for word in fields if count[word])


def after_document(feed: Feed, fetched: Fetched, reading: Reading, now: datetime) -> Feed:
    """The feed after a check that gave a document."""
    return replace(
        feed,
        url=fetched.moved_to or feed.url,
        format=reading.format,
        title=reading.title or feed.title,
        etag=fetched.etag,
        last_modified=fetched.last_modified,
        due=poll_after(now, max(feed.every, fetched.fresh_for), 0),
        last_check=now,
        last_good=now,
        last_count=len(reading.papers),
        last_error="",
        failures=0,
    )


def after_nothing_new(feed: Feed, now: datetime) -> Feed:
    """The feed after the server said that its document has not changed."""
    return replace(
        feed, due=poll_after(now, feed.every, 0), last_check=now, last_good=now, last_error="", failures=0
    )


def after_error(feed: Feed, error: PaperroundError, now: datetime) -> Feed:
    """The feed after a check that gave no document: tried again later, ever later, at least daily."""
    failures = feed.failures + 1
    due = poll_after(now, feed.every, failures)
    asked = error.retry_after if isinstance(error, FetchError) else None
    return replace(
        feed,
        due=max(due, now + min(asked or timedelta(0), timedelta(days=1))),
        last_check=now,
        last_error=error.what,
        failures=failures,
    )


async def check(feed: Feed, store: Store, fetcher: Fetcher, now: datetime) -> Refreshed:
    """Fetch one feed and store what is new; a fault becomes the feed's state and is never raised."""
    try:
        fetched = await fetcher.fetch(feed.url, etag=feed.etag, last_modified=feed.last_modified)
        if fetched.not_modified:
            unchanged = after_nothing_new(feed, now)
            await asyncio.to_thread(store.feeds.save, unchanged)
            return Refreshed(unchanged)
        # Recognised anew each time: a feed may change its format.
        reading = await asyncio.to_thread(read, fetched)
        seen = after_document(feed, fetched, reading, now)
        intake = await asyncio.to_thread(store.feeds.take_in, seen, reading.papers, now)
    except PaperroundError as error:
        broken = after_error(feed, error, now)
        await asyncio.to_thread(store.feeds.save, broken)
        return Refreshed(broken, error=error)
    return Refreshed(replace(seen, last_new=now if intake.new else feed.last_new), intake, reading)


async def refresh(
    feeds: Iterable[Feed], store: Store, fetcher: Fetcher, now: datetime
) -> tuple[Refreshed, ...]:
    """Check several feeds at once, `AT_ONCE` at a time; one bad feed costs the others nothing."""
    places = asyncio.Semaphore(AT_ONCE)

    async def one(feed: Feed) -> Refreshed:
        async with places:
            return await check(feed, store, fetcher, now)

    return tuple(await asyncio.gather(*(one(feed) for feed in feeds)))
