"""Discord as the service meets it: the messenger, and commands served over the gateway."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

import aiohttp
import discord
import structlog

from bot.platforms import Finding
from bot.platforms.discord import client as clients
from bot.platforms.discord.clerk import DIRECT, Clerk
from bot.platforms.discord.messenger import DiscordMessenger
from bot.platforms.discord.permissions import lacking, to_mend
from bot.platforms.discord.refusals import token_refused, translated
from bot.platforms.discord.tree import is_registered, tree
from digests.channel import ChannelId
from digests.errors import DeliveryError

if TYPE_CHECKING:
    from bot.desk import Desk
    from bot.settings import Settings

log = structlog.get_logger()

REGISTER_AGAIN = timedelta(minutes=5)
FINISH_WITHIN = 2.0
"""Seconds for the answers that are on their way when the service stops."""

_COMMANDS = "/applications/{application}/commands"

_CLOSED = {
    4010: ("Discord refused the shard", "restart the service"),
    4011: ("Discord wants more shards", "restart the service"),
    4013: ("Discord does not know the intents asked for", "upgrade Paperround"),
    4014: ("Discord refused the intents asked for", "none of them is privileged: upgrade Paperround"),
}
"""Close codes of the gateway that no resuming can help, but for the token's own."""
TOKEN_REFUSED = 4004


@asynccontextmanager
async def connect(settings: Settings, clock: Callable[[], datetime]) -> AsyncIterator[DiscordPlatform]:
    """Discord with the token of the settings; DeliveryError if it cannot be reached or takes no token."""
    token = settings.discord_token.get_secret_value() if settings.discord_token else ""
    async with clients.connect(
        token, clock, api_url=settings.discord_api_url, gateway_url=settings.discord_gateway_url
    ) as messenger:
        yield DiscordPlatform(messenger)


class DiscordPlatform:
    """`bot.platforms.Platform` over a client that is logged in."""

    def __init__(self, messenger: DiscordMessenger) -> None:
        self.messenger = messenger
        self._client = messenger.client

    async def serve(self, desk: Desk) -> None:
        """Answer commands over the gateway until cancelled; DeliveryError when it is closed for good."""
        clerk = Clerk(desk)
        _guard_interactions(self._client)
        self._client.event(clerk.on_interaction)
        self._client.event(on_guild_remove)
        registering = asyncio.create_task(self._register())
        try:
            await self._client.connect()
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
            raise _closed(error) from None
        finally:
            registering.cancel()
            await clerk.finish(FINISH_WITHIN)
        raise DeliveryError("Discord's gateway ended the connection")

    async def check(self, channels: Iterable[ChannelId]) -> tuple[Finding, ...]:
        """The token, the sessions that are left, the commands, and the bot's rights in each channel."""
        user = self._client.user
        findings = [Finding("Discord token", True, f"logged in as {user}")]
        findings += [await self._check_gateway(), await self._check_commands()]
        servers = _Servers(self.messenger)
        for channel in channels:
            findings.append(await servers.check(channel))
        return tuple(findings)

    async def tell(self, person: str, text: str) -> None:
        """Write a direct message; DeliveryError if the person takes none."""
        await self.messenger.tell(person, text)

    async def _register(self) -> None:
        """Give Discord the commands if they are not what it has: it takes 200 new ones a day."""
        while True:
            try:
                if not is_registered(await self._commands()):
                    await self.messenger.ask("PUT", _COMMANDS, self._application, json=tree())
                    log.info("discord commands registered")
                return
            except DeliveryError as error:
                log.warning("discord commands not registered", error=error.what)
            await asyncio.sleep(REGISTER_AGAIN.total_seconds())

    async def _commands(self) -> Any:
        query = {"with_localizations": "true"}
        return await self.messenger.ask("GET", _COMMANDS, self._application, params=query)

    @property
    def _application(self) -> dict[str, str]:
        return {"application": str(self._client.application_id)}

    async def _check_gateway(self) -> Finding:
        try:
            answer = await self.messenger.ask("GET", "/gateway/bot", {})
            left = int(answer["session_start_limit"]["remaining"])
        except DeliveryError as error:
            return Finding("Discord gateway", False, error.what, error.hint)
        hint = "" if left else "wait a day: something reconnects again and again"
        return Finding("Discord gateway", left > 0, f"{left} sessions left today", hint)

    async def _check_commands(self) -> Finding:
        try:
            registered = is_registered(await self._commands())
        except DeliveryError as error:
            return Finding("Discord commands", False, error.what, error.hint)
        if registered:
            return Finding("Discord commands", True, "registered")
        what = "not registered as they are now; the service does that when it starts"
        return Finding("Discord commands", False, what, "paperround run", is_to_come=True)


class _Servers:
    """Looks at the bot's rights, each server once."""

    def __init__(self, messenger: DiscordMessenger) -> None:
        self._messenger = messenger
        self._client = messenger.client
        self._known: dict[str, tuple[discord.Guild, discord.Member]] = {}

    async def check(self, channel: ChannelId) -> Finding:
        """What the bot may do in a channel."""
        of = f"channel {channel}"
        if not (
            channel.channel.isdecimal() and (channel.workspace == DIRECT or channel.workspace.isdecimal())
        ):
            return Finding(of, False, "this is no address on Discord", "write it as in discord:1234/5678")
        try:
            self._messenger.make_sure_it_may_ask()
            missing = await self._lacking(channel)
        except DeliveryError as error:
            return Finding(of, False, error.what, error.hint)
        except (discord.DiscordException, aiohttp.ClientError, OSError) as error:
            refused = translated(error, (), doubt=False)
            return Finding(of, False, refused.what, refused.hint)
        if not missing:
            return Finding(of, True, "the bot may post there")
        return Finding(of, False, f"the bot lacks {', '.join(missing)}", to_mend(missing))

    async def _lacking(self, channel: ChannelId) -> tuple[str, ...]:
        if channel.workspace == DIRECT:
            await self._client.fetch_channel(int(channel.channel))
            return ()
        guild, me = await self._server(channel.workspace)
        place = await self._place(guild, channel)
        if isinstance(place, discord.Thread):
            parent = await guild.fetch_channel(place.parent_id)
            return lacking(parent.permissions_for(me), in_thread=True)
        return lacking(place.permissions_for(me), in_thread=False)

    async def _place(self, guild: discord.Guild, channel: ChannelId) -> Any:
        """A channel or a thread of that server; DeliveryError if it is another server's, or neither."""
        try:
            return await guild.fetch_channel(int(channel.channel))
        except discord.InvalidData:
            raise DeliveryError(
                f"this is no channel of the server {channel.workspace}",
                hint="write the id of the server that the channel is in: discord:SERVER/CHANNEL",
            ) from None

    async def _server(self, workspace: str) -> tuple[discord.Guild, discord.Member]:
        if workspace not in self._known:
            guild = await self._client.fetch_guild(int(workspace), with_counts=False)
            me = self._client.user
            assert me, "the client is logged in"
            self._known[workspace] = (guild, await guild.fetch_member(me.id))
        return self._known[workspace]


async def on_guild_remove(guild: discord.Guild) -> None:
    """Say that the bot was removed; its channels keep their settings, and refuse posts until it is back."""
    log.warning("discord server left", server=guild.id)


def _guard_interactions(client: discord.Client) -> None:
    """Log an interaction that the library cannot read, instead of ending the connection for it."""
    parsers = client._connection.parsers
    parse = parsers["INTERACTION_CREATE"]

    def guarded(data: Any) -> None:
        try:
            parse(data)
        except Exception as error:
            log.warning("malformed interaction", error=type(error).__name__)

    parsers["INTERACTION_CREATE"] = guarded


def _closed(error: Exception) -> DeliveryError:
    """Why the gateway is closed for good."""
    if isinstance(error, discord.ConnectionClosed) and error.code == TOKEN_REFUSED:
        return token_refused()
    code = 4014 if isinstance(error, discord.PrivilegedIntentsRequired) else getattr(error, "code", 0)
    if code in _CLOSED:
        what, hint = _CLOSED[code]
        return DeliveryError(what, permanent=True, everywhere=True, hint=hint)
    return DeliveryError(f"Discord's gateway closed the connection ({code or type(error).__name__})")
