"""The service: connects the platforms, runs the jobs, and stops without losing or doubling anything."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import structlog

from bot import events
from bot.desk import Desk
from bot.platforms import Connecting, Finding, Platform
from bot.scheduler import Job, Scheduler
from bot.shelf import Shelf
from digests.channel import ChannelId, Refusal
from digests.compose import Fault, compose
from digests.deliver import Outcome, deliver
from digests.errors import PaperroundError
from digests.handlers import Office
from digests.ports import Fetcher, Messenger, Store
from digests.refresh import Checks, Read, Refreshed, read_here

log = structlog.get_logger()

REFRESH_EVERY = timedelta(seconds=30)
COMPOSE_EVERY = timedelta(seconds=20)
DELIVER_EVERY = timedelta(seconds=3)
HOUSEKEEPING_EVERY = timedelta(hours=1)

FIRST_READ = 120.0
"""Seconds that the first digests wait at most for the first reading of the feeds."""

SLOW = 20.0
"""Seconds without the end of any check after which the first digests wait for the rest no longer."""

STOP_WITHIN = 15.0
"""Seconds for the jobs to end; what surrounds them stays within the 20 s that a service is given."""

CLOSE_WITHIN = 3.0
"""Seconds for the platforms to close their connections after that."""

FIRST_WAIT, LAST_WAIT = 5.0, 600.0
"""Seconds after which something that failed is tried anew: the first time, and at most."""

MOST_TOLD = 3
"""So many people are told of a channel that takes no posts."""


@dataclass(slots=True)
class _BackOff:
    """When something that failed is tried again, ever later."""

    failures: int = 0
    until: float = 0.0

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self.until

    def fail(self, asked: timedelta | None = None) -> float:
        """Note a failure; gives the seconds to wait, at least as many as were asked for."""
        wait = min(FIRST_WAIT * 2.0 ** min(self.failures, 20), LAST_WAIT)
        wait = max(wait, asked.total_seconds() if asked else 0.0)
        self.failures += 1
        self.until = time.monotonic() + wait
        return wait


@dataclass(slots=True)
class Service:
    """One process of Paperround; any number of them may work on one database.

    `platforms` says how each is connected; `look_over` gives what an admin should know of this machine.
    """

    store: Store
    clock: Callable[[], datetime]
    fetcher: Fetcher
    platforms: Mapping[str, Connecting]
    look_over: Callable[[], Iterable[Finding]] = tuple
    read: Read = read_here
    _connected: dict[str, Platform] = field(default_factory=dict)
    _shut_out: dict[str, _BackOff] = field(default_factory=lambda: defaultdict(_BackOff))
    _faulty: dict[ChannelId, _BackOff] = field(default_factory=lambda: defaultdict(_BackOff))
    _wrong: set[str] = field(default_factory=set)
    _stopping: asyncio.Event = field(default_factory=asyncio.Event)
    _have_read: asyncio.Event = field(default_factory=asyncio.Event)
    _checked: asyncio.Event = field(default_factory=asyncio.Event)
    _checks: Checks = field(init=False)
    _is_begun: bool = False
    _wake: Callable[[str], None] = lambda _job: None
    _asides: set[asyncio.Task[None]] = field(default_factory=set)
    _shelf: Shelf = field(init=False)

    def __post_init__(self) -> None:
        self._shelf = Shelf(self.store)

    async def run(self, stop: asyncio.Event) -> None:
        """Work until `stop` is set, then end within `STOP_WITHIN` and `CLOSE_WITHIN`."""
        self._checks = Checks(self.store, self.fetcher, self.clock, self._feed_checked, self.read)
        scheduler = Scheduler(self._jobs())
        self._wake = scheduler.wake
        keepers = [asyncio.create_task(self._keep(name, connect)) for name, connect in self.platforms.items()]
        scheduler.start()
        log.info("started", platforms=", ".join(self.platforms))
        await stop.wait()
        log.info("stopping")
        self._stopping.set()
        await asyncio.gather(scheduler.stop(STOP_WITHIN), self._checks.stop(STOP_WITHIN))
        for task in (*keepers, *self._asides):
            task.cancel()
        await asyncio.wait(keepers, timeout=CLOSE_WITHIN)
        log.info("stopped")

    def _jobs(self) -> tuple[Job, ...]:
        return (
            Job("refresh", REFRESH_EVERY, self._refresh),
            Job("compose", COMPOSE_EVERY, self._compose),
            *(Job(_delivering(name), DELIVER_EVERY, partial(self._deliver, name)) for name in self.platforms),
            Job("housekeeping", HOUSEKEEPING_EVERY, self._keep_house),
        )

    async def _keep(self, name: str, connect: Connecting) -> None:
        """Keep a platform connected and served; one that cannot be costs the others nothing."""
        trouble = _BackOff()
        while True:
            try:
                async with connect() as platform:
                    self._connected[name] = platform
                    log.info("platform connected", platform=name)
                    await self._serve(name, platform, trouble)
            except Exception as error:
                await _say_and_wait("platform not connected", name, error, trouble)
            finally:
                self._connected.pop(name, None)

    async def _serve(self, name: str, platform: Platform, trouble: _BackOff) -> None:
        """Take commands as long as it goes; digests are posted still while it waits to be connected anew."""
        wake = partial(self._wake, _delivering(name))
        self._wake("compose")
        wake()
        begun = time.monotonic()
        try:
            office = Office(self.store, self._messengers, self._shelf)
            await platform.serve(Desk(office, self.clock, wake))
            await asyncio.Event().wait()  # it takes no commands: it is there to post only
        except Exception as error:
            if time.monotonic() - begun > LAST_WAIT:
                trouble.failures = 0
            await _say_and_wait("platform takes no commands", name, error, trouble)

    @property
    def _messengers(self) -> Mapping[str, Messenger]:
        return {name: platform.messenger for name, platform in self._connected.items()}

    async def _refresh(self) -> None:
        """Begin to check what is due; no check holds up another host's, nor the next tick."""
        due = await asyncio.to_thread(self.store.feeds.due, self.clock())
        if self._stopping.is_set():
            return
        begun = self._checks.begin(due)
        if not self._is_begun:
            self._is_begun = True
            self._aside(self._first_reading(begun))

    async def _first_reading(self, begun: Collection[asyncio.Task[None]]) -> None:
        """Let the first digests wait as long as checks of this reading come to an end."""
        for host in begun:
            host.add_done_callback(lambda _: self._checked.set())
        while not all(host.done() for host in begun):
            self._checked.clear()
            try:
                await asyncio.wait_for(self._checked.wait(), SLOW)
            except TimeoutError:
                break
        self._have_read.set()

    def _feed_checked(self, done: Refreshed) -> None:
        events.feed_checked(done)
        self._checked.set()

    async def _compose(self) -> None:
        with suppress(TimeoutError):  # what came while the service was down belongs into today's digests
            await asyncio.wait_for(self._have_read.wait(), FIRST_READ)
        for name in await asyncio.to_thread(self._compose_all):
            self._wake(_delivering(name))
        if not self._stopping.is_set():
            await asyncio.to_thread(self._shelf.keep_up, self.clock())

    def _compose_all(self) -> set[str]:
        """Off the loop, ending between two channels if the service stops; gives whose outbox has more."""
        filled = set()
        left_out = {channel for channel, trouble in self._faulty.items() if not trouble.is_over}
        for made in compose(self.store, self._messengers, self.clock(), left_out, self._shelf):
            if isinstance(made, Fault):
                events.edition_failed(made, self._faulty[made.channel].fail())
            else:
                self._faulty.pop(made.channel, None)
                events.edition_made(made)
                filled.add(made.channel.platform)
            if self._stopping.is_set():
                break
        return filled

    async def _deliver(self, name: str) -> None:
        messenger = self._messengers.get(name)
        if messenger and self._shut_out[name].is_over:
            await deliver(
                self.store, {name: messenger}, self.clock, tell=self._delivered, stop=self._stopping
            )

    def _delivered(self, outcome: Outcome) -> None:
        channel = outcome.delivery.channel
        events.delivery_tried(outcome)
        events.channel_changed(outcome)
        if outcome.refusal and outcome.refusal.count == 1:
            self._aside(self._tell_managers(channel, outcome.refusal))
        shut = self._shut_out[channel.platform]
        if outcome.error and outcome.error.everywhere:
            if shut.is_over:
                wait = shut.fail(outcome.error.retry_after)
                log.error(
                    "platform refuses the app",
                    platform=channel.platform,
                    error=str(outcome.error),
                    again_in=f"{wait:.0f} s",
                )
        elif outcome.error is None:
            shut.failures = 0

    def _aside(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._asides.add(task)
        task.add_done_callback(self._asides.discard)

    async def _tell_managers(self, channel: ChannelId, refusal: Refusal) -> None:
        """Tell those who look after a channel that it takes no posts; who cannot be reached is not told."""
        platform = self._connected.get(channel.platform)
        if not platform:
            return
        mend = f"To mend it: {refusal.hint}. " if refusal.hint else ""
        text = f"The paper digest cannot be posted: {refusal.what}. {mend}All settings are kept; I try again."
        for person in await asyncio.to_thread(self._managers, channel):
            try:
                await platform.tell(person, text)
            except Exception as error:
                log.info("manager not told", channel=str(channel), error=type(error).__name__)

    def _managers(self, channel: ChannelId) -> tuple[str, ...]:
        """Who changed the channel's settings last."""
        changes = self.store.audit.latest(channel, 20)
        people = dict.fromkeys(change.who for change in changes)
        prefix = f"{channel.platform}:"
        return tuple(who.removeprefix(prefix) for who in people if who.startswith(prefix))[:MOST_TOLD]

    async def _keep_house(self) -> None:
        """Say once what has become wrong with this machine, and once that it is mended; put papers away."""
        await asyncio.to_thread(self._shelf.rest)
        findings = await asyncio.to_thread(lambda: tuple(self.look_over()))
        for finding in findings:
            if finding.is_wrong and finding.of not in self._wrong:
                log.error("look at this", of=finding.of, what=finding.what, mend=finding.hint)
            elif finding.ok and finding.of in self._wrong:
                log.info("mended", of=finding.of, what=finding.what)
        self._wrong = {finding.of for finding in findings if finding.is_wrong}


async def _say_and_wait(event: str, platform: str, error: Exception, trouble: _BackOff) -> None:
    known = isinstance(error, PaperroundError)
    what, wait = str(error) if known else type(error).__name__, trouble.fail()
    again = f"{wait:.0f} s"
    log.error(event, platform=platform, error=what, again_in=again, exc_info=None if known else error)
    await asyncio.sleep(wait)


def _delivering(platform: str) -> str:
    """The name of the job that delivers to a platform."""
    return f"deliver {platform}"
