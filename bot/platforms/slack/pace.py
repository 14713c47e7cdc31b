"""Keeps requests to Slack within its limits: so much time between two of one channel, and of all."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta

from digests.errors import DeliveryError

LONGEST_WAIT = 15.0
"""Seconds; a message that would wait longer, for its channel or for all, goes back: its lease runs."""

_REMEMBERED = 5_000
_FORGIVEN = 0.002
"""Seconds that a turn may come late without moving those after it: every sleep ends a little late."""


class Pace:
    """Gives each request its turn; who comes first goes first, and no channel holds up another."""

    def __init__(
        self,
        *,
        of_channel: float,
        of_all: float,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._of_channel, self._of_all = of_channel, of_all
        self._clock, self._sleep = clock, sleep
        self._free: dict[str, float] = {}
        self._all_free = self._all_open = 0.0

    async def turn(self, channel: str) -> None:
        """Wait until a request for that channel is within the limits.

        DeliveryError if the channel's turn is more than `LONGEST_WAIT` away, or from then on the turn of all.
        """
        start = max(self._clock(), self._free.get(channel, 0.0))
        self._refuse_if_far(start)
        self._take(channel, start)
        await self._until(start)
        start = max(self._clock(), self._all_free)
        self._refuse_if_far(start)
        self._all_free = start + self._of_all
        self._take(channel, start)
        await self._until(start)
        # The turns after one that came late were given out before, and would follow too closely.
        while self._clock() < self._all_open:
            await self._until(self._all_open)
        self._all_open = max(start, self._clock() - _FORGIVEN) + self._of_all

    async def _until(self, start: float) -> None:
        # Without a pause where there is nothing to wait for: who asks next must see that this turn is taken.
        if (wait := start - self._clock()) > 0:
            await self._sleep(wait)

    def _take(self, channel: str, start: float) -> None:
        if len(self._free) > _REMEMBERED:
            now = self._clock()
            self._free = {channel: free for channel, free in self._free.items() if free > now}
        self._free[channel] = max(self._free.get(channel, 0.0), start + self._of_channel)

    def _refuse_if_far(self, start: float) -> None:
        if (wait := start - self._clock()) > LONGEST_WAIT:
            raise DeliveryError(
                f"too many messages wait for Slack: the next turn is {wait:.0f} s away",
                retry_after=timedelta(seconds=wait),
            )
