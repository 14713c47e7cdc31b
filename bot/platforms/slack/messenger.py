"""Posts digests to Slack: one message per delivery, and a look-up where an answer was lost."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from pydantic import TypeAdapter
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.http_retry.request import HttpRequest
from slack_sdk.http_retry.response import HttpResponse
from slack_sdk.http_retry.state import RetryState
from slack_sdk.web.async_client import AsyncWebClient

from bot.platforms.slack.pace import Pace
from bot.platforms.slack.refusals import error_code, retry_after, translated
from bot.platforms.slack.render import render
from digests.digest import Digest
from digests.errors import DeliveryError
from digests.outbox import Delivery, Receipt

NAME = "slack"
API_URL = AsyncWebClient.BASE_URL

# https://docs.slack.dev/apis/web-api/rate-limits: one message a second in a channel, several hundred a minute
# in a workspace, which we take for five a second; the look-up is a method of Tier 3, 50 a minute.
# The little more is for requests that take unequally long on their way: at 0.2 a strict server refused some.
CHANNEL_PACE, WORKSPACE_PACE, LOOK_UP_PACE = 1.05, 0.208, 1.2

# Together with a turn's longest wait they stay well inside the lease of a claimed message, two minutes.
TIMEOUT = 30
SEND_WITHIN, LOOK_UP_WITHIN = 45, 30
BRIEF = timedelta(seconds=5)
"""A 429 that asks for a longer wait than this goes back to the outbox."""

PAGE = 15
"""The most that apps outside the Marketplace are given at once."""
CLOCKS_DIFFER = timedelta(days=1)
"""By so much, at most, Slack's clock may be behind ours.

A message that did not arrive costs a look-up of a whole day; one that did is among the newest.
"""

EVENT = "paperround_message"
NO_PREVIEWS: dict[str, Any] = {"unfurl_links": False, "unfurl_media": False}
"""Only both together turn link previews off."""


class _BriefWaits(AsyncRateLimitErrorRetryHandler):
    """Waits out a 429 that asks for little; slack_sdk's own would sleep through a message's lease."""

    async def _can_retry_async(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> bool:
        may = await super()._can_retry_async(state=state, request=request, response=response, error=error)
        if response is None or not may:
            return False
        header = next((v for name, v in response.headers.items() if name.lower() == "retry-after"), ["1"])
        wait = retry_after(header[0])
        return wait is not None and wait <= BRIEF


def connect(token: str, *, api_url: str = API_URL, timeout: int = TIMEOUT) -> AsyncWebClient:
    """A client for one workspace's bot token, fit for posting once and for bolt's `AsyncApp(client=…)`.

    It repeats nothing but what Slack refused for being too fast: slack_sdk's default repeats a request
    whose connection broke, and with it a message that was posted.
    """
    return AsyncWebClient(
        token, base_url=api_url, timeout=timeout, retry_handlers=[_BriefWaits(max_retry_count=3)]
    )


@dataclass(frozen=True, slots=True)
class _Posted:
    ts: str


@dataclass(frozen=True, slots=True)
class _Metadata:
    event_type: str = ""
    event_payload: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class _Message:
    ts: str
    metadata: _Metadata | None = None

    @property
    def key(self) -> object:
        """What `Delivery.key` it was posted for, None if it is not one of ours."""
        ours = self.metadata and self.metadata.event_type == EVENT and self.metadata.event_payload
        return ours.get("key") if ours else None


@dataclass(frozen=True, slots=True)
class _Next:
    next_cursor: str = ""


@dataclass(frozen=True, slots=True)
class _Page:
    messages: tuple[_Message, ...]
    response_metadata: _Next | None = None

    @property
    def cursor(self) -> str:
        return self.response_metadata.next_cursor if self.response_metadata else ""


_POSTED, _PAGE = TypeAdapter(_Posted), TypeAdapter(_Page)


class SlackMessenger:
    """`ports.Messenger` over Slack's Web API; a receipt is a message's `ts`."""

    def __init__(
        self, client: AsyncWebClient, *, posts: Pace | None = None, look_ups: Pace | None = None
    ) -> None:
        self._client = client
        self._posts = posts or Pace(of_channel=CHANNEL_PACE, of_all=WORKSPACE_PACE)
        self._look_ups = look_ups or Pace(of_channel=0, of_all=LOOK_UP_PACE)
        self._read_up_to: dict[str, str] = {}

    def render(self, digest: Digest) -> tuple[str, ...]:
        return render(digest)

    async def send(self, delivery: Delivery) -> Receipt:
        channel = delivery.channel.channel
        message = json.loads(delivery.payload)
        if delivery.thread:
            message["thread_ts"] = delivery.thread
        await self._posts.turn(channel)
        with translated(delivery.channel):
            async with asyncio.timeout(SEND_WITHIN):
                answer = await self._client.chat_postMessage(
                    channel=channel,
                    metadata={"event_type": EVENT, "event_payload": {"key": delivery.key}},
                    **NO_PREVIEWS,
                    **message,
                )
            return Receipt(_POSTED.validate_python(answer.data).ts)

    async def find_sent(self, delivery: Delivery) -> Receipt | None:
        """As the port says; a look-up that fails leaves it unclear, unless the channel itself is lost."""
        try:
            with translated(delivery.channel):
                async with asyncio.timeout(LOOK_UP_WITHIN):
                    receipt = await self._look_up(delivery)
        except DeliveryError as error:
            if not (error.unclear or error.retry_after):
                self._read_up_to.pop(delivery.key, None)
            if error.permanent:
                raise
            raise DeliveryError(
                error.what, unclear=True, retry_after=error.retry_after, hint=error.hint
            ) from error
        self._read_up_to.pop(delivery.key, None)
        return receipt

    async def _look_up(self, delivery: Delivery) -> Receipt | None:
        """Read page by page; after a page that could not be read, the next look-up goes on from there."""
        while True:
            await self._look_ups.turn(delivery.channel.channel)
            page = await self._page(delivery, self._read_up_to.get(delivery.key))
            found = next((message for message in page.messages if message.key == delivery.key), None)
            if found or not page.cursor:
                return Receipt(found.ts) if found else None
            self._read_up_to[delivery.key] = page.cursor

    async def _page(self, delivery: Delivery, cursor: str | None) -> _Page:
        """Messages that may be the one: of the thread, else of the channel since the first try."""
        asked: dict[str, Any] = {
            "channel": delivery.channel.channel,
            "cursor": cursor,
            "limit": PAGE,
            "include_all_metadata": True,
        }
        since = delivery.sending_since
        try:
            if delivery.thread:
                answer = await self._client.conversations_replies(ts=delivery.thread, **asked)
            else:
                oldest = f"{(since - CLOCKS_DIFFER).timestamp():.6f}" if since else None
                answer = await self._client.conversations_history(oldest=oldest, **asked)
        except SlackApiError as error:
            return _without_page(error, delivery)
        return _PAGE.validate_python(answer.data)


def _without_page(error: SlackApiError, delivery: Delivery) -> _Page:
    """What a refusal to show messages says about the message: nothing, but that a lost thread is empty."""
    code = error_code(error)
    if code == "thread_not_found":
        return _Page(())
    if code in ("missing_scope", "no_permission"):
        raise DeliveryError(
            f"Slack does not let the app read {str(delivery.channel)!r}, where a message may have arrived",
            unclear=True,
            hint="add the scopes channels:history and groups:history and install the app again",
        ) from error
    raise error
