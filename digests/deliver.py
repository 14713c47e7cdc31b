"""Job: sends the messages that wait in the outbox, each exactly once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from digests.channel import Channel, ChannelId, Refusal, accepted, refused
from digests.errors import DeliveryError, PaperroundError
from digests.outbox import Delivery, Receipt, Stage, failed, sent
from digests.ports import Messenger, Store

AT_ONCE = 64
"""So many messages of a platform are on their way at the same time, never two of one channel."""

WORTHWHILE = AT_ONCE // 4
LOOK_AGAIN = 2.0
"""A round claims when it has room for so many, or after so many seconds.

With 20,000 messages waiting a claim takes 70 ms: one for each message that arrives would be the bottleneck.
"""

GRACE = 12.0
"""Seconds that messages on their way get to arrive when the round is stopped."""

LOOK_BACK = timedelta(days=7)
"""So far back an unclear message is looked for, if the clock was wrong when it was sent."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a try: the delivery, the error if it failed, and the channel's refusal if it changed.

    `refusal` is set when the channel did not take the edition, `recovered` when it takes posts again.
    """

    delivery: Delivery
    error: DeliveryError | None = None
    refusal: Refusal | None = None
    recovered: bool = False


def _nobody(_outcome: Outcome) -> None:
    return None


async def deliver(
    store: Store,
    messengers: Mapping[str, Messenger],
    clock: Callable[[], datetime],
    channel: ChannelId | None = None,
    *,
    tell: Callable[[Outcome], None] = _nobody,
    stop: asyncio.Event | None = None,
) -> tuple[Delivery, ...]:
    """Send what may be sent now, until nothing is left; gives what became of each message.

    `messengers` is keyed by platform; a message of a platform that is not served here is left alone.
    `tell` hears of each try when it ends. After `stop` nothing more is begun, and what is on its way has
    `GRACE` seconds; the rest is handed back, to be looked up before it is sent again.
    """
    ending = stop or asyncio.Event()
    rounds = (_Round(store, *platform, clock, tell).run(channel, ending) for platform in messengers.items())
    settled: list[Delivery] = []
    for found in await asyncio.gather(*rounds, return_exceptions=True):
        if isinstance(found, BaseException):
            raise found
        settled += found
    return tuple(settled)


class _Round:
    """One platform's messages, many at once; a slow channel keeps no other waiting."""

    def __init__(
        self,
        store: Store,
        platform: str,
        messenger: Messenger,
        clock: Callable[[], datetime],
        tell: Callable[[Outcome], None],
    ) -> None:
        self._store = store
        self._platform = platform
        self._messenger = messenger
        self._clock = clock
        self._tell = tell
        self._under_way: dict[str, asyncio.Task[Outcome]] = {}
        self._limits: dict[str, asyncio.Timeout] = {}
        self._settled: list[Delivery] = []
        self._shut_out = False
        self._claimed_at = -LOOK_AGAIN

    async def run(self, channel: ChannelId | None, stop: asyncio.Event) -> list[Delivery]:
        """Claim and send until nothing is left, the platform shuts us out, or `stop` is set."""
        stopped = asyncio.create_task(stop.wait())
        try:
            while not stop.is_set():
                if not self._shut_out:
                    await self._begin(channel)
                if not self._under_way:
                    break
                waited_for = [stopped, *self._under_way.values()]
                await asyncio.wait(waited_for, timeout=LOOK_AGAIN, return_when=asyncio.FIRST_COMPLETED)
                self._collect()
        finally:
            stopped.cancel()
            await self._end()
        return self._settled

    async def _begin(self, channel: ChannelId | None) -> None:
        free, now = AT_ONCE - len(self._under_way), asyncio.get_running_loop().time()
        if not free or (free < WORTHWHILE and now - self._claimed_at < LOOK_AGAIN):
            return
        self._claimed_at = now
        claim = self._store.outbox.claim
        for delivery in await asyncio.to_thread(claim, self._clock(), free, (self._platform,), channel):
            # A clock that jumps ends leases early: what is still on its way from here gets no second sender.
            if delivery.key not in self._under_way:
                self._under_way[delivery.key] = asyncio.create_task(self._send(delivery))

    def _collect(self) -> None:
        for key, task in list(self._under_way.items()):
            if task.done():
                del self._under_way[key]
                outcome = task.result()
                self._settled.append(outcome.delivery)
                self._shut_out |= outcome.error is not None and outcome.error.everywhere
                self._tell(outcome)

    async def _end(self) -> None:
        """Let what is on its way arrive, and hand back what does not in time."""
        if self._under_way:
            await asyncio.wait(self._under_way.values(), timeout=GRACE)
            for limit in self._limits.values():
                limit.reschedule(0)
        if self._under_way:
            await asyncio.wait(self._under_way.values())
            self._collect()

    async def _send(self, delivery: Delivery) -> Outcome:
        """Try once, and write what became of it; never raises."""
        started, error = self._clock(), None
        try:
            done = sent(delivery, await self._within_limit(delivery), self._clock())
        except Exception as fault:
            error = _as_delivery_error(fault)
            done = failed(delivery, error, started, self._clock())
        try:
            return await asyncio.to_thread(_settle, self._store, done, error, self._clock())
        except Exception as fault:  # it stays claimed; when its lease has run out, it is looked up
            return Outcome(delivery, _as_delivery_error(fault))

    async def _within_limit(self, delivery: Delivery) -> Receipt:
        try:
            async with asyncio.timeout(None) as limit:
                self._limits[delivery.key] = limit
                return await self._posted(delivery)
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise DeliveryError("Paperround was stopped while this was on its way", unclear=True) from error
        finally:
            self._limits.pop(delivery.key, None)

    async def _posted(self, delivery: Delivery) -> Receipt:
        """The receipt of an earlier, unclear try that did arrive, else of a new one."""
        since, now = delivery.sending_since, self._clock()
        if since is None:
            return await self._messenger.send(delivery)
        if since > now:
            delivery = replace(delivery, sending_since=now - LOOK_BACK)
        return await self._messenger.find_sent(delivery) or await self._messenger.send(delivery)


def _as_delivery_error(fault: Exception) -> DeliveryError:
    """A fault as what it means for a message: unclear, unless the platform said otherwise."""
    if isinstance(fault, DeliveryError):
        return fault
    what = (
        fault.what if isinstance(fault, PaperroundError) else f"a fault of Paperround: {type(fault).__name__}"
    )
    error = DeliveryError(what, unclear=True)
    error.__cause__ = fault
    return error


def _settle(store: Store, delivery: Delivery, error: DeliveryError | None, now: datetime) -> Outcome:
    """Write what became of a delivery, and what it says about its channel."""
    with store.together():
        if not store.outbox.settle(delivery) or delivery.part > 1:
            return Outcome(delivery, error)
        before = store.channels.get(delivery.channel)
        after = _after(before, delivery, error, now)
        if after != before:
            store.channels.save(after)
    recovered = bool(before.refusal and not after.refusal)
    return Outcome(delivery, error, after.refusal if after != before else None, recovered)


def _after(channel: Channel, delivery: Delivery, error: DeliveryError | None, now: datetime) -> Channel:
    if delivery.stage is Stage.SENT:
        return accepted(channel)
    if delivery.stage is Stage.GIVEN_UP and error and error.permanent:
        return refused(channel, error.what, error.hint, now)
    return channel
