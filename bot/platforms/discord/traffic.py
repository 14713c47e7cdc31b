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

AT_ONCE, WITHIN = 50, 1.035
"""A request leaves no sooner than so many seconds after the one that was so many before it.

Discord allows a bot 50 in a second over all routes; the 35 ms are for what happens on the way: a server that
counts each second strictly sees 51 requests in one only if they come that much closer than they left.
"""

FORGIVEN = 0.04
"""Seconds that a turn may come late without moving those after it; after a pause there must be no burst."""

INVALID_REQUESTS = 500
"""So many 401, 403 and 429 answers within `INVALID_WINDOW` stop everything; at 10,000 Discord bans the IP."""
INVALID_WINDOW = 600.0


class Traffic:
    """Watches a client's requests through `trace`, those that the library repeats by itself included."""

    def __init__(self) -> None:
        self._last_turn = 0.0
        self._left: deque[SimpleNamespace] = deque(maxlen=AT_ONCE)
        self._invalid: deque[float] = deque(maxlen=INVALID_REQUESTS)
        self._turn = asyncio.Lock()
        self._token_refused = False

    def trace(self) -> aiohttp.TraceConfig:
        """What discord.Client takes as `http_trace`."""
        config = aiohttp.TraceConfig()
        config.on_request_start.append(self._start)
        config.on_request_headers_sent.append(self._sent)
        config.on_request_chunk_sent.append(self._sent)
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
        context: SimpleNamespace,
        params: aiohttp.TraceRequestStartParams,
    ) -> None:
        if _is_answer(params.url):
            return
        async with self._turn:
            loop = asyncio.get_running_loop()
            turn = max(self._last_turn + WITHIN / AT_ONCE, loop.time() - FORGIVEN)
            if len(self._left) == AT_ONCE:
                turn = max(turn, self._left[0].at + WITHIN)
            await asyncio.sleep(turn - loop.time())
            self._last_turn = turn
            context.left = SimpleNamespace(at=loop.time())
            self._left.append(context.left)

    async def _sent(
        self,
        _session: aiohttp.ClientSession,
        context: SimpleNamespace,
        _params: aiohttp.TraceRequestHeadersSentParams | aiohttp.TraceRequestChunkSentParams,
    ) -> None:
        """It leaves only now: the loop may have been held up since its turn, as by a commit."""
        if hasattr(context, "left"):
            context.left.at = asyncio.get_running_loop().time()

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
