"""The clerk: acknowledges what people do on Slack, takes it to the desk, and answers.

The acknowledgement waits for nothing.
Answers go by `response_url` with a client that repeats only what Slack refused for being too fast: bolt's own
`respond()` says everything twice when a connection breaks.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import structlog
from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.error import BoltUnhandledRequestError
from slack_bolt.response import BoltResponse
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.webhook.async_client import AsyncWebhookClient

from bot.platforms.slack.answers import render_reply
from bot.platforms.slack.asked import Asked, clicked, typed
from bot.platforms.slack.messenger import NO_PREVIEWS, TIMEOUT
from bot.platforms.slack.people import People
from bot.platforms.slack.refusals import REINSTALL
from bot.platforms.slack.render import render
from digests.commands import SLASH
from digests.errors import DeliveryError, PaperroundError
from digests.handlers import UNKNOWN_BUTTON, refusal
from digests.reply import Line, Look, Reply

if TYPE_CHECKING:
    from bot.desk import Desk

log = structlog.get_logger()

TWICE_WITHIN = 600.0
"""Seconds in which Slack may say the same once more: it does so up to three times, over minutes."""
DOUBLE_CLICK = 5.0
"""Seconds in which pressing the same button again means the same."""
REMEMBERED = 10_000

UNREADABLE = "I could not read what Slack sent me: please type it once more."
HINT = f"I take commands that begin with {SLASH}, here and in channels. See them all with: {SLASH} help"
_ANY = re.compile("")


class _Lately:
    """Which things happened lately."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until: dict[str, float] = {}

    def again(self, what: str, within: float) -> bool:
        """Whether this happened so few seconds ago already; it has happened now."""
        now = self._clock()
        if len(self._until) >= REMEMBERED:
            self._until = {known: until for known, until in self._until.items() if until > now}
        is_known = self._until.get(what, 0.0) > now
        if not is_known:
            self._until[what] = now + within
        return is_known


class Clerk:
    """Answers commands and buttons at a desk; `lost` is set when the app is removed from its workspace."""

    def __init__(self, desk: Desk, people: People, client: AsyncWebClient, workspace: str) -> None:
        self._desk, self._people, self._client, self._workspace = desk, people, client, workspace
        self._lately = _Lately()
        self._open: set[asyncio.Task[None]] = set()
        self.lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def listen(self, app: AsyncApp) -> None:
        """Take what bolt brings."""
        app.command(_ANY)(self._on_command)
        app.block_action(_ANY)(self._on_click)
        app.event("app_uninstalled")(self._on_uninstalled)
        app.event("tokens_revoked")(self._on_revoked)
        app.event("message")(self._on_message)
        app.error(self._on_error)

    async def finish(self, patience: float) -> None:
        """Let the answers that are on their way arrive, and end the others."""
        if self._open:
            _, late = await asyncio.wait(self._open, timeout=patience)
            for task in late:
                task.cancel()

    async def _on_command(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        asked = _read(typed, body)
        await (ack() if asked else ack(UNREADABLE))
        if asked and not self._lately.again(asked.id, TWICE_WITHIN):
            self._begin(self._answer(asked))

    async def _on_click(self, ack: AsyncAck, body: dict[str, Any]) -> None:
        await ack()
        asked = _read(clicked, body)
        if not asked or self._lately.again(asked.id, TWICE_WITHIN):
            return
        if not self._lately.again(asked.click, DOUBLE_CLICK):
            self._begin(self._answer(asked))

    async def _on_uninstalled(self, body: dict[str, Any]) -> None:
        self._lose(body, "the app was removed from the workspace")

    async def _on_revoked(self, event: dict[str, Any], body: dict[str, Any]) -> None:
        tokens = event.get("tokens")
        if isinstance(tokens, dict) and tokens.get("bot"):
            self._lose(body, "the app's token was revoked")

    async def _on_message(self, event: dict[str, Any], body: dict[str, Any]) -> None:
        """Tell who writes to the app directly how commands are given; nobody else is listened to."""
        is_direct = event.get("channel_type") == "im" and isinstance(event.get("channel"), str)
        is_from_person = is_direct and not (event.get("bot_id") or event.get("subtype"))
        if is_from_person and not self._lately.again(str(body.get("event_id")), TWICE_WITHIN):
            self._begin(self._hint(event["channel"]))

    async def _hint(self, channel: str) -> None:
        try:
            await self._client.chat_postMessage(channel=channel, text=HINT, **NO_PREVIEWS)
        except Exception as error:
            log.warning("answer did not arrive", channel=channel, error=type(error).__name__)

    def _lose(self, body: Mapping[str, Any], what: str) -> None:
        # One connection brings what happens in every workspace that has the app.
        if body.get("team_id") == self._workspace and not self.lost.done():
            error = DeliveryError(f"Slack says: {what}", permanent=True, everywhere=True, hint=REINSTALL)
            self.lost.set_exception(error)

    async def _on_error(self, error: Exception, body: dict[str, Any]) -> BoltResponse:
        """What no listener takes is acknowledged, lest Slack repeat it; what bolt cannot read is refused."""
        kind = str(body.get("command") or body.get("type") or "")[:40]
        if isinstance(error, BoltUnhandledRequestError):
            log.info("slack request not used", kind=kind)
            return BoltResponse(status=200)
        log.warning("slack request refused", kind=kind, error=type(error).__name__)
        return BoltResponse(status=400)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _answer(self, asked: Asked) -> None:
        try:
            await _send(asked, await self._reply(asked))
        except Exception as error:
            log.warning("answer did not arrive", channel=asked.channel, error=type(error).__name__)

    async def _reply(self, asked: Asked) -> Reply:
        if asked.text is None:
            return UNKNOWN_BUTTON
        try:
            known = await self._people.known(asked)
            reply = await self._desk.answer(asked.text, known.caller, known.place)
        except Exception as error:
            log.exception("command failed", channel=asked.channel)
            return refusal(PaperroundError(type(error).__name__))
        if known.doubt and reply.is_refusal and not reply.body:
            doubt = Line(f"I do not know enough about you and this channel: {known.doubt}", look=Look.QUIET)
            return replace(reply, body=(doubt,))
        return reply


def _read(read: Callable[[Mapping[str, Any]], Asked], body: Mapping[str, Any]) -> Asked | None:
    try:
        return read(body)
    except ValueError as error:
        log.warning("slack payload refused", kind=read.__name__, error=type(error).__name__)
        return None


async def _send(asked: Asked, reply: Reply) -> None:
    """Answer in one message or, for a long reply, a few; what is undone loses its button."""
    client = AsyncWebhookClient(
        asked.answer_to, timeout=TIMEOUT, retry_handlers=[AsyncRateLimitErrorRetryHandler()]
    )
    is_undone = (asked.text or "").startswith("undo ") and not reply.is_refusal
    for number, message in enumerate(render_reply(reply, render(reply.digest) if reply.digest else ())):
        answer = await client.send_dict(
            {
                "response_type": "in_channel" if reply.public else "ephemeral",
                "replace_original": is_undone and number == 0,
                **NO_PREVIEWS,
                **message,
            }
        )
        if answer.status_code != 200:
            log.warning("answer refused", channel=asked.channel, status=answer.status_code)
            return
