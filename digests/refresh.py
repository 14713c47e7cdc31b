"""Job: reads feeds that are due, page by page, and stores what is new in them."""

from __future__ import annotations

import asyncio
import hashlib
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache, partial
from typing import ParamSpec, TypeVar
from urllib.parse import urlsplit

from digests import sources
from digests.errors import FetchError, PaperroundError, ParseError, UnknownError
from digests.feed import LEASE, Day, Feed, Fetched, with_day
from digests.health import day_of, is_stale, longest_gap, missed_since, noted_recovery, with_news
from digests.pages import FIRST_PAGES, MAX_BYTES, MAX_PAGES, Page, is_gap, newest_first, page
from digests.paper import Paper, canonical_link, keys
from digests.ports import Fetcher, Intake, Store
from digests.reading import Reading, joined
from digests.schedule import poll_after

_P = ParamSpec("_P")
_T = TypeVar("_T")

AT_ONCE = 64
"""So many hosts are asked at the same time, and each for one document at a time."""

RENEW_EVERY = 15.0
"""Seconds after which a check that goes on takes its feed for another `LEASE`."""


@dataclass(frozen=True, slots=True)
class Collected:
    """A feed's document with all of its pages, and what was caught up on.

    `fetched` is the first page as it came, `document` what its pages gave, None where it had not changed;
    `caught_up` is what arXiv's API gave for missed days, None where none were; `fault` is why the rest of
    the pages is missing; `url` where the feed is to be asked from now on.
    """

    url: str
    fetched: Fetched
    document: Reading | None = None
    caught_up: Reading | None = None
    pages: int = 1
    size: int = 0
    fault: PaperroundError | None = None

    @property
    def reading(self) -> Reading | None:
        """All that was read, None where nothing had changed."""
        return joined([part for part in (self.document, self.caught_up) if part])


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What became of a feed's check: its new state, what came in, and what went wrong.

    `error` without a `reading` means that nothing came, with one that not all of it did.
    """

    feed: Feed
    intake: Intake = Intake()
    reading: Reading | None = None
    error: PaperroundError | None = None


# ---- off the loop

WORKERS = 2
"""So many threads parse and store: each more would only make the event loop wait longer for its turn."""


@cache
def _workers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(WORKERS, "refresh")


def _off_loop(work: Callable[_P, _T], *given: _P.args, **named: _P.kwargs) -> Awaitable[_T]:
    return asyncio.get_running_loop().run_in_executor(_workers(), partial(work, *given, **named))


# ---- a document and its pages

Read = Callable[[Fetched, str], Awaitable[Page]]
"""Reads a page, as the format of that name or, for "", as whatever it is; ParseError where it is none."""

IsKnown = Callable[[Sequence[Paper]], bool]
"""Whether none of these papers is new."""


async def read_here(fetched: Fetched, format: str) -> Page:
    """A page, read by a thread of this process, without any limit."""
    return await _off_loop(page, fetched, format)


@dataclass(frozen=True, slots=True)
class _Pages:
    readings: tuple[Reading, ...]
    size: int
    fault: PaperroundError | None = None


async def collect(
    feed: Feed,
    fetcher: Fetcher,
    now: datetime,
    format: str = "",
    is_known: IsKnown | None = None,
    read: Read = read_here,
) -> Collected:
    """Read a feed's document to its last page, and what arXiv's feeds have missed.

    An error on the first page is raised; a later one keeps what was read and becomes the `fault`.
    """
    asked = sources.asked(feed.url, feed.last_good, now)
    fetched = await fetcher.fetch(asked, etag=feed.etag, last_modified=feed.last_modified)
    if fetched.not_modified:
        return await _catch_up(Collected(feed.url, fetched), feed, fetcher, now, read)
    if feed.is_list:  # it is read to its end, wherever what is new in it stands
        pages = await _read_pages(fetched, fetcher, read, format)
    else:
        pages = await _read_pages(fetched, fetcher, read, format, feed.last_good is None, is_known)
    document = joined(pages.readings)
    assert document
    home = feed.url if sources.is_windowed(feed.url) else fetched.moved_to or feed.url
    done = Collected(home, fetched, document, None, len(pages.readings), pages.size, pages.fault)
    if document.format == "openreview" and not document.papers:
        return await _try_other_version(done, fetcher, format, read)
    return await _catch_up(done, replace(feed, format=document.format), fetcher, now, read)


async def _read_pages(
    fetched: Fetched,
    fetcher: Fetcher,
    read: Read,
    format: str = "",
    is_first: bool = False,
    is_known: IsKnown | None = None,
) -> _Pages:
    """The document and the pages after it: until none has anything new, a few only the first time."""
    readings: list[Reading] = []
    asked, size = {fetched.url}, 0
    while True:
        try:
            reading, following = await read(fetched, format)
        except PaperroundError as error:
            if not readings:
                raise
            return _Pages(tuple(readings), size, _named(error, len(readings) + 1))
        readings.append(reading)
        size += len(fetched.body)
        if following is None:
            gap = ParseError(reading.notes[-1], format=reading.format) if _is_gap(reading, fetched) else None
            return _Pages(tuple(readings), size, gap)
        is_newest_first = newest_first(fetched.url, reading.format)
        limit = FIRST_PAGES if is_first and is_newest_first else MAX_PAGES
        if following in asked or len(readings) >= limit or size > MAX_BYTES:
            return _Pages(tuple(readings), size)
        if is_known and is_newest_first and await _off_loop(is_known, reading.papers):
            return _Pages(tuple(readings), size)
        asked.add(following)
        try:
            fetched = await _fetch_page(following, fetcher)
        except PaperroundError as error:
            return _Pages(tuple(readings), size, _named(error, len(readings) + 1))


def _is_gap(reading: Reading, fetched: Fetched) -> bool:
    return bool(reading.notes) and is_gap(reading.format, fetched.body)


async def _fetch_page(url: str, fetcher: Fetcher) -> Fetched:
    """A later page, asked for once more where it comes empty too early."""
    fetched = await fetcher.fetch(url)
    return await fetcher.fetch(url) if is_gap("arxiv-api", fetched.body) else fetched


def _named(error: PaperroundError, page: int) -> PaperroundError:
    what = f"page {page} is missing: {error.what}"
    if isinstance(error, FetchError):
        return FetchError(
            what, url=error.url, status=error.status, retry_after=error.retry_after, hint=error.hint
        )
    return ParseError(what, format="", hint=error.hint)


async def _try_other_version(done: Collected, fetcher: Fetcher, format: str, read: Read) -> Collected:
    """A venue that one version of OpenReview's API answers with nothing may be known to the other."""
    other = sources.other_version(done.fetched.url)
    if not other:
        return done
    try:
        fetched = await fetcher.fetch(other)
        pages = await _read_pages(fetched, fetcher, read, format)
    except PaperroundError as error:
        return replace(done, fault=error)
    document = joined(pages.readings)
    if not document or not document.papers:
        return done
    note = "only the other version of OpenReview's API knows this venue; that is asked from now on"
    document = replace(document, notes=(*document.notes, note))
    home = sources.other_version(done.url)
    return Collected(home, fetched, document, None, len(pages.readings), pages.size, pages.fault)


async def _catch_up(done: Collected, feed: Feed, fetcher: Fetcher, now: datetime, read: Read) -> Collected:
    """`done` with what arXiv's API has for the days that its feed has missed."""
    papers = done.document.papers if done.document else ()
    seen = _with_batch(replace(feed, last_check=now, last_count=len(papers) or feed.last_count), papers, now)
    is_empty = (done.document is not None and not papers) or is_stale(seen)
    since = missed_since(feed, now, is_empty=is_empty)
    url = sources.catch_up(feed.url, since, now) if since else ""
    if not url:
        return done
    try:
        fetched = await fetcher.fetch(url)
        pages = await _read_pages(fetched, fetcher, read)
    except PaperroundError as error:
        return replace(done, fault=done.fault or error)
    found = joined(pages.readings)
    assert found
    assert since
    note = f"arXiv's API gave {len(found.papers):,} papers for the days since {since:%d %b}"
    found = replace(found, notes=(*found.notes, note))
    return replace(done, caught_up=found, size=done.size + pages.size, fault=done.fault or pages.fault)


# ---- the feed afterwards


def after_document(feed: Feed, fetched: Fetched, reading: Reading, now: datetime) -> Feed:
    """The feed after a check that gave a document."""
    return after_collected(feed, Collected(fetched.moved_to or feed.url, fetched, reading), now)


def after_collected(feed: Feed, collected: Collected, now: datetime) -> Feed:
    """The feed after a check that gave a document, or the word that it has not changed."""
    fetched, fault = collected.fetched, collected.fault
    # A page behind the first may change while the first does not.
    is_one = collected.pages == 1 and not fault and not sources.is_windowed(feed.url)
    seen = replace(
        feed,
        url=collected.url,
        etag=fetched.etag if is_one else "",
        last_modified=fetched.last_modified if is_one else "",
        due=poll_after(now, max(feed.every, fetched.fresh_for), 0),
        last_check=now,
        last_good=now,
        last_error=fault.what if fault else feed.last_error,
        error_at=now if fault else feed.error_at,
        failures=0,
        status=fetched.status,
        held_until=None,
    )
    if collected.document:
        seen = _with_document(seen, collected.document, now)
    is_behind = missed_since(feed, now, is_empty=False) or is_stale(seen) or not seen.last_count
    if not is_behind or (collected.caught_up and not fault):
        seen = replace(seen, whole=now)
    return noted_recovery(feed, seen, now)


def _with_document(feed: Feed, document: Reading, now: datetime) -> Feed:
    papers = document.papers
    named = replace(feed, format=document.format, title=document.title or feed.title, last_count=len(papers))
    abstracts = sum(1 for paper in papers if paper.abstract)
    return replace(
        _with_batch(named, papers, now),
        gap=longest_gap((paper.published for paper in papers), now) or feed.gap,
        days=with_day(feed.days, Day(day_of(named, now), len(papers), abstracts)),
    )


def _with_batch(feed: Feed, papers: Sequence[Paper], now: datetime) -> Feed:
    """The feed with the fingerprint of these papers, whatever their order; the same ones are no new batch."""
    if not papers:
        return feed
    names = sorted(map(_name, papers))
    batch = hashlib.sha256("\n".join(names).encode()).hexdigest()[:24]
    return feed if batch == feed.batch else replace(feed, batch=batch, batch_at=now)


def _name(paper: Paper) -> str:
    """What stays of a paper from one reading to the next."""
    if paper.identifiers:
        return str(paper.identifiers[0])
    return canonical_link(paper.links[0]) if paper.links else paper.title or paper.abstract


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
        error_at=now,
        failures=failures,
        status=(error.status or 0) if isinstance(error, FetchError) else 200,
        held_until=None,
    )


# ---- the job


async def check(
    feed: Feed, store: Store, fetcher: Fetcher, now: datetime, read: Read = read_here
) -> Refreshed:
    """Fetch one feed and store what is new; a fault becomes the feed's state and is never raised."""

    def is_known(papers: Sequence[Paper]) -> bool:
        names = [keys(paper) for paper in papers]
        known = store.papers.by_keys({key for of_paper in names for key in of_paper})
        return all(any(key in known for key in of_paper) for of_paper in names)

    try:
        # Recognised anew each time: a feed may change its format.
        collected = await collect(feed, fetcher, now, is_known=is_known, read=read)
        reading = collected.reading
        seen = after_collected(feed, collected, now)
        papers = reading.papers if reading else ()
        intake = await _off_loop(store.feeds.take_in, seen, papers, now)
    except Exception as caught:  # whatever a stranger's document does to us, the round goes on
        error = _told(caught)
        broken = after_error(feed, error, now)
        return Refreshed(await _saved(broken, store, now), error=error)
    return Refreshed(with_news(seen, len(intake.new), now), intake, reading, collected.fault)


def own_fault(error: Exception) -> PaperroundError:
    """What is said of an exception that nobody foresaw, which is its cause."""
    fault = ParseError(
        f"a fault of Paperround itself: {type(error).__name__}: {error}",
        format="",
        hint="please report it with the document",
    )
    fault.__cause__ = error
    return fault


def _told(error: Exception) -> PaperroundError:
    return error if isinstance(error, PaperroundError) else own_fault(error)


async def _saved(feed: Feed, store: Store, now: datetime) -> Feed:
    # It was removed or renamed meanwhile, or the database is busy: its next check says so.
    with suppress(PaperroundError):
        await _off_loop(store.feeds.take_in, feed, (), now)
    return feed


# ---- whose a feed is


def claim(feed: Feed, store: Store, now: datetime) -> Feed | None:
    """Take a feed for a check until `LEASE` is over: as it stands now.

    None where it was taken, read, paused, or removed since `feed` was looked up, or is held by another: of
    two processes one gets it.
    """
    with store.together():
        try:
            found = store.feeds.get(feed.name)
        except UnknownError:
            return None
        if found.is_held(now) or (found.due, found.paused) != (feed.due, feed.paused):
            return None
        taken = replace(found, held_until=now + LEASE)
        store.feeds.save(taken)
    return taken


def hold(taken: Feed, store: Store, until: datetime | None) -> Feed | None:
    """Hold a taken feed until then, or give it back for None; None where it is not ours any more."""
    with store.together():
        try:
            found = store.feeds.get(taken.name)
        except UnknownError:
            return None
        if found.held_until != taken.held_until:
            return None
        held = replace(found, held_until=until)
        store.feeds.save(held)
    return held


@asynccontextmanager
async def _held(
    feed: Feed, store: Store, clock: Callable[[], datetime], now: datetime
) -> AsyncIterator[Feed | None]:
    """The feed, taken and ours meanwhile; None where it could not be.

    A check that comes to its end gives the feed back itself.
    """
    over = asyncio.Event()
    taking = asyncio.ensure_future(_off_loop(claim, feed, store, now))
    keeping = asyncio.create_task(_keep(taking, store, clock, over))
    has_ended = False
    try:
        yield await asyncio.shield(taking)
        has_ended = True
    finally:
        over.set()
        held = await keeping
        if held and not has_ended:
            with suppress(Exception):  # the lease runs out
                await asyncio.to_thread(hold, held, store, None)


async def _keep(
    taking: Awaitable[Feed | None], store: Store, clock: Callable[[], datetime], over: asyncio.Event
) -> Feed | None:
    """Hold a feed until it is over, and give it as it is held then; is never cancelled.

    The workers may be busy with documents for longer than the lease, so they are not asked.
    """
    held = await taking
    while held and not over.is_set():
        with suppress(TimeoutError):
            await asyncio.wait_for(over.wait(), RENEW_EVERY)
            break
        with suppress(Exception):  # the next time, or the lease runs out
            held = await asyncio.to_thread(hold, held, store, clock() + LEASE)
    return held


class Checks:
    """The checks under way: one feed after another at each host, and no host waits for another.

    `tell` is called with each outcome as it comes, on the loop.
    """

    def __init__(
        self,
        store: Store,
        fetcher: Fetcher,
        clock: Callable[[], datetime],
        tell: Callable[[Refreshed], object],
        read: Read = read_here,
    ) -> None:
        self._store = store
        self._fetcher = fetcher
        self._clock = clock
        self._tell = tell
        self._read = read
        self._places = asyncio.Semaphore(AT_ONCE)
        self._hosts: dict[str, asyncio.Task[None]] = {}

    def begin(self, feeds: Iterable[Feed]) -> Collection[asyncio.Task[None]]:
        """Begin to check these feeds; a host that is under way is left alone, and what is due there waits.

        Gives what has begun, a task for each host.
        """
        queues: defaultdict[str, list[Feed]] = defaultdict(list)
        for feed in feeds:
            queues[urlsplit(feed.url).netloc].append(feed)
        begun = {host: queue for host, queue in queues.items() if host not in self._hosts}
        for host, queue in begun.items():
            task = self._hosts[host] = asyncio.create_task(self._one_host(queue), name=f"checks of {host}")
            task.add_done_callback(lambda _, host=host: self._hosts.pop(host))  # type: ignore[misc]
        return [self._hosts[host] for host in begun]

    async def stop(self, patience: float) -> None:
        """Begin nothing more and give up what is under way: it is due again as it was."""
        under_way = tuple(self._hosts.values())
        for task in under_way:
            task.cancel()
        if under_way:
            await asyncio.wait(under_way, timeout=patience)

    async def _one_host(self, queue: Iterable[Feed]) -> None:
        async with self._places:
            for feed in queue:
                if done := await self._one(feed):
                    self._tell(done)

    async def _one(self, feed: Feed) -> Refreshed | None:
        """The feed's check, None where it is not ours to make."""
        now = self._clock()
        try:
            async with _held(feed, self._store, self._clock, now) as taken:
                return await check(taken, self._store, self._fetcher, now, self._read) if taken else None
        except Exception as caught:  # it is told, the feed stays due, and the next one has its turn
            return Refreshed(feed, error=_told(caught))


async def refresh(
    feeds: Iterable[Feed],
    store: Store,
    fetcher: Fetcher,
    clock: Callable[[], datetime],
    tell: Callable[[Refreshed], object] = id,
    read: Read = read_here,
) -> tuple[Refreshed, ...]:
    """Check these feeds at once, `AT_ONCE` hosts at a time; one bad feed costs the others nothing.

    What another process holds is left out.
    """
    feeds = tuple(feeds)
    done: dict[str, Refreshed] = {}

    def note(outcome: Refreshed) -> None:
        done[outcome.feed.name] = outcome
        tell(outcome)

    await asyncio.gather(*Checks(store, fetcher, clock, note, read).begin(feeds))
    return tuple(done[feed.name] for feed in feeds if feed.name in done)
