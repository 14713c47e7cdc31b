"""All requests of a Discord client on their way out and back: paced, and stopped long before a ban."""

from __future__ import annotations

import asyncio
from collections import deque
from datetime import timedelta
from types import SimpleNamespace

import aiohttp
from yarl import URL

from bot.platforms.discord.refusals import token_refused
from digests.errors import DeliveryError

PER_SECOND = 48.0
"""Requests that leave in a second, evenly; Discord allows a bot 50 over all routes.

Over 3,000 messages to a server that counts each second strictly, 48 met one 429, and five on busy cores.
"""

INVALID_REQUESTS = 500
"""So many 401, 403 and 429 answers within `INVALID_WINDOW` stop everything; at 10,000 Discord bans the IP."""
INVALID_WINDOW = 600.0


class Traffic:
    """Watches a client's requests through `trace`, those that the library repeats by itself included."""

    def __init__(self) -> None:
        self._last_turn = 0.0
        self._invalid: deque[float] = deque(maxlen=INVALID_REQUESTS)
        self._turn = asyncio.Lock()
        self._token_refused = False

    def trace(self) -> aiohttp.TraceConfig:
        """What discord.Client takes as `http_trace`."""
        config = aiohttp.TraceConfig()
        config.on_request_start.append(self._start)
        config.on_request_end.append(self._end)
        return config

    def check(self, *, doubt: bool) -> None:
        """DeliveryError while nothing may be asked: the token was refused, or too much was invalid.

        `doubt` says that an earlier try is open, and stays so.
        """
        if self._token_refused:
            raise token_refused(doubt=doubt)
        now = asyncio.get_running_loop().time()
        if len(self._invalid) == INVALID_REQUESTS and now - self._invalid[0] < INVALID_WINDOW:
            wait = timedelta(seconds=self._invalid[0] + INVALID_WINDOW - now)
            raise DeliveryError(
                f"Discord refused {INVALID_REQUESTS} requests within minutes, so all wait for a while",
                everywhere=True,
                unclear=doubt,
                retry_after=wait,
                hint="look for channels that the bot may not post in: paperround doctor",
            )

    async def _start(
        self,
        _session: aiohttp.ClientSession,
        _context: SimpleNamespace,
        params: aiohttp.TraceRequestStartParams,
    ) -> None:
        if _is_answer(params.url):
            return
        async with self._turn:
            now, gap = asyncio.get_running_loop().time(), 1 / PER_SECOND
            # A turn that came a little late is made up for; after a pause there must be no burst.
            self._last_turn = max(self._last_turn + gap, now - gap / 2)
            await asyncio.sleep(self._last_turn - now)

    async def _end(
        self, _session: aiohttp.ClientSession, context: SimpleNamespace, params: aiohttp.TraceRequestEndParams
    ) -> None:
        answer = params.response
        if isinstance(context.trace_request_ctx, list):
            context.trace_request_ctx.append(answer.status)
        if answer.status == 401 and not _is_answer(params.url):
            self._token_refused = True
        # Shared limits are not the bot's fault and do not count.
        if answer.status in (401, 403, 429) and answer.headers.get("X-RateLimit-Scope") != "shared":
            self._invalid.append(asyncio.get_running_loop().time())


def _is_answer(url: URL) -> bool:
    """Answers to interactions have limits, and tokens, of their own and are due within 3 s."""
    return any(part in url.path for part in ("/interactions/", "/webhooks/"))
