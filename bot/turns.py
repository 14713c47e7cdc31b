"""Whose turn it is at a host: one request at a time, with a pause between two."""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta

from yarl import URL

from bot.faults import failed

HOST_PAUSE = timedelta(seconds=1)
ARXIV_PAUSE = timedelta(seconds=3)
"""One connection, and a request every 3 s over all of its hosts: https://info.arxiv.org/help/api/tou.html"""


@dataclass(slots=True)
class _Lane:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    free_at: float = 0.0
    shut_until: float = 0.0


class Turns:
    """Lets one request at a time go to a host, and the next one only after a pause."""

    def __init__(
        self,
        pause: timedelta = HOST_PAUSE,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._pause = pause
        self._clock = clock
        self._sleep = sleep
        self._lanes: defaultdict[str, _Lane] = defaultdict(_Lane)

    @asynccontextmanager
    async def turn(self, url: URL) -> AsyncIterator[None]:
        """Wait for the turn at the host of `url`; FetchError where that host asked to be left alone."""
        lane, arxiv = self._lanes[_lane_of(url)], _is_arxiv(url)
        async with lane.lock:
            rest = lane.shut_until - self._clock()
            if rest > 0:
                raise failed(
                    url,
                    f"is not asked now: its host wants {rest:.0f} s of rest",
                    retry_after=timedelta(seconds=rest),
                )
            if (wait := lane.free_at - self._clock()) > 0:
                await self._sleep(wait)
            try:
                yield
            finally:
                pause = max(self._pause, ARXIV_PAUSE) if arxiv else self._pause
                lane.free_at = self._clock() + pause.total_seconds()

    def rest(self, url: URL, pause: timedelta) -> None:
        """The host of `url` answered that it wants no request for `pause`."""
        self._lanes[_lane_of(url)].shut_until = self._clock() + pause.total_seconds()


def _is_arxiv(url: URL) -> bool:
    host = (url.raw_host or "").rstrip(".")
    return host == "arxiv.org" or host.endswith(".arxiv.org")


def _lane_of(url: URL) -> str:
    if _is_arxiv(url):
        return "arxiv.org"
    return f"{url.raw_host}:{'' if url.port in (80, 443) else url.port}"
