"""Posts digests on Discord, each part exactly once, over REST alone.

What is unclear is sent again within two minutes under the same nonce, and Discord answers with the message
that it has; later the history is read for the message's mark.
The mark is the `id` of the message's container: a number that Discord keeps for bots and shows to nobody.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any, TypeVar

import discord
from discord.http import Route

from bot.platforms.discord.markdown import escaped
from bot.platforms.discord.refusals import UNKNOWN_CHANNEL, UNKNOWN_MESSAGE, RefusalError, translated
from bot.platforms.discord.render import render
from bot.platforms.discord.traffic import Traffic
from digests.digest import Digest
from digests.errors import DeliveryError
from digests.outbox import Delivery, Receipt
from digests.text import clip

TIMEOUT = 20.0
"""Seconds for one request with all that the library does by itself: waiting, repeating."""

NONCE_LIFE = timedelta(minutes=2)
"""Discord knows a nonce for "the past few minutes"; this is well inside."""

CLOCK_SKEW = timedelta(minutes=10)
"""So much before a first try the history is read: Discord's clock need not be ours."""

PAGE = 100
MAX_TOLD = 900
"""Characters of a text to one person; escaping at most doubles them, and 2,000 is Discord's most."""

_MESSAGES = "/channels/{channel_id}/messages"

T = TypeVar("T")


class DiscordMessenger:
    """`ports.Messenger` over a client that is logged in.

    Nothing here needs the gateway; `client` is for whoever serves commands on it.
    """

    def __init__(
        self,
        client: discord.Client,
        traffic: Traffic,
        clock: Callable[[], datetime],
        timeout: float = TIMEOUT,
    ) -> None:
        self.client = client
        self._traffic = traffic
        self._clock = clock
        self._timeout = timeout

    def render(self, digest: Digest) -> tuple[str, ...]:
        """The messages as JSON bodies of Create Message."""
        return render(digest)

    async def send(self, delivery: Delivery) -> Receipt:
        """Post it: the first part in the channel, the others in its thread, or after it where none can be."""
        channel = delivery.channel.channel
        if delivery.part > 1 and delivery.thread:
            try:
                if delivery.part == 2:
                    await self._open_thread(delivery)
                return await self._post(delivery.thread, delivery)
            except RefusalError as refused:
                if refused.status not in (403, 404) or refused.code == UNKNOWN_MESSAGE:
                    raise
        return await self._post(channel, delivery)

    async def find_sent(self, delivery: Delivery) -> Receipt | None:
        """Read the history for its mark, unless Discord still knows its nonce: then `send` finds it."""
        since = delivery.sending_since
        if since is None or timedelta(0) <= self._clock() - since < NONCE_LIFE:
            return None
        if delivery.part > 1 and delivery.thread:
            try:
                if receipt := await self._look(delivery.thread, delivery, since):
                    return receipt
            except RefusalError as refused:
                if refused.code != UNKNOWN_CHANNEL:
                    raise
        return await self._look(delivery.channel.channel, delivery, since)

    async def tell(self, person: str, text: str) -> None:
        """Write to one person; DeliveryError if that cannot be."""
        opened = await self._ask(
            "POST", "", "/users/@me/channels", _receipt, False, json={"recipient_id": person}
        )
        shown = escaped(clip(text, MAX_TOLD))
        body = {
            "content": shown,
            "flags": discord.MessageFlags(suppress_embeds=True).value,
            "allowed_mentions": discord.AllowedMentions.none().to_dict(),
            "nonce": _digest(f"{opened.message}|{self._clock().isoformat()}|{text}").hex()[:25],
            "enforce_nonce": True,
        }
        await self._ask("POST", opened.message, _MESSAGES, _receipt, False, json=body)

    async def ask(self, method: str, path: str, route: Mapping[str, str], **request: Any) -> Any:
        """The answer to anything else that is asked of the API; DeliveryError if there is none."""
        return await self._ask(method, "", path, _as_it_is, False, route, **request)

    def make_sure_it_may_ask(self) -> None:
        """DeliveryError while Discord should be left alone: the token was refused, or too much was."""
        self._traffic.check(doubt=False)

    async def _post(self, place: str, delivery: Delivery) -> Receipt:
        body = _stamped(delivery)
        return await self._ask("POST", place, _MESSAGES, _receipt, _in_doubt(delivery), json=body)

    async def _open_thread(self, delivery: Delivery) -> None:
        """Make the thread of the first message; it may be there, and it need not be possible."""
        path = "/channels/{channel_id}/messages/{message_id}/threads"
        body = {"name": f"{delivery.day}"}  # in every language
        route = {"message_id": delivery.thread}
        try:
            await self._ask(
                "POST", delivery.channel.channel, path, _anything, _in_doubt(delivery), route, json=body
            )
        except RefusalError as refused:
            if refused.status == 401 or refused.code == UNKNOWN_MESSAGE:
                raise

    async def _look(self, place: str, delivery: Delivery, since: datetime) -> Receipt | None:
        """The bot's own message with the delivery's mark, from that time on."""
        me, mark = self.client.user and self.client.user.id, _mark(delivery)
        first = last = discord.utils.time_snowflake(since - CLOCK_SKEW)
        while page := await self._page(place, after=last):
            for message in page:
                if _author(message) == me and mark in _component_ids(message):
                    return _receipt(message)
            last = max(int(message["id"]) for message in page)
            if len(page) < PAGE:
                return None
        if last == first:
            await self._make_sure_history_is_open(place, first)
        return None

    async def _page(self, place: str, **query: int) -> list[Any]:
        return await self._ask("GET", place, _MESSAGES, _messages, True, params={"limit": PAGE, **query})

    async def _make_sure_history_is_open(self, place: str, after: int) -> None:
        """Without the permission to read it, Discord gives an empty history, not a refusal."""
        newest = await self._ask("GET", place, "/channels/{channel_id}", _newest, True)
        if newest > after and not await self._page(place):
            raise DeliveryError(
                f"the bot cannot read the history of channel {place}, so a message may or may not be there",
                unclear=True,
                hint="give its role Read Message History there",
            )

    async def _ask(
        self,
        method: str,
        place: str,
        path: str,
        reading: Callable[[Any], T],
        doubt: bool,
        route: Mapping[str, str] | None = None,
        **request: Any,
    ) -> T:
        """Discord's answer as `reading` takes it; DeliveryError, unclear whenever it may have been done."""
        self._traffic.check(doubt=doubt)
        met: list[int] = []
        try:
            async with asyncio.timeout(self._timeout):
                answer = await self.client.http.request(
                    Route(method, path, channel_id=place, **(route or {})), trace_request_ctx=met, **request
                )
            return reading(answer)
        except TimeoutError as error:
            # A wait for a global limit that is cut off here would never end for the library's other requests.
            self.client.http._global_over.set()
            raise translated(error, met, doubt=doubt) from error
        except Exception as error:
            raise translated(error, met, doubt=doubt) from error


def _in_doubt(delivery: Delivery) -> bool:
    """Whether an earlier try may have posted it."""
    return delivery.sending_since is not None


def _stamped(delivery: Delivery) -> dict[str, Any]:
    """The body as it goes out: with its mark, its nonce, and nobody to be mentioned."""
    body = json.loads(delivery.payload)
    container, *others = body["components"]
    return {
        **body,
        "components": [{**container, "id": _mark(delivery)}, *others],
        "allowed_mentions": discord.AllowedMentions.none().to_dict(),
        "nonce": _digest(f"{delivery.channel.channel}|{delivery.key}").hex()[:25],
        "enforce_nonce": True,
    }


def _mark(delivery: Delivery) -> int:
    """A number for the key, within a component's 31 bits and above all that Discord counts out by itself."""
    return 1 << 30 | int.from_bytes(_digest(delivery.key)[:4]) >> 2


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def _receipt(answer: Any) -> Receipt:
    return Receipt(str(int(answer["id"])))


def _anything(_answer: Any) -> None:
    return None


def _as_it_is(answer: Any) -> Any:
    return answer


def _messages(answer: Any) -> list[Any]:
    if not isinstance(answer, list):
        raise TypeError("a history is a list")
    return [message for message in answer if int(message["id"])]


def _newest(answer: Any) -> int:
    return int(answer.get("last_message_id") or 0)


def _author(message: Any) -> int:
    return int(message["author"]["id"])


def _component_ids(message: Any) -> set[Any]:
    return {component.get("id") for component in message.get("components", ())}
