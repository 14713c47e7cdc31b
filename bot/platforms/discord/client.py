"""Connects to Discord: a client that is logged in, and the messenger over it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime

import discord
from discord.gateway import DiscordWebSocket
from discord.http import Route
from yarl import URL

from bot.platforms.discord.messenger import TIMEOUT, DiscordMessenger
from bot.platforms.discord.refusals import token_refused, translated
from bot.platforms.discord.traffic import Traffic

API_URL = "https://discord.com/api/v10"
GATEWAY_URL = "wss://gateway.discord.gg/"
LONGEST_WAIT = 30.0
"""Seconds; a longer wait that Discord asks for goes to the outbox instead of being sat out."""


@asynccontextmanager
async def connect(
    token: str,
    clock: Callable[[], datetime],
    *,
    api_url: str = API_URL,
    gateway_url: str = GATEWAY_URL,
    patience: float = TIMEOUT,
) -> AsyncIterator[DiscordMessenger]:
    """A messenger over a client that is logged in; DeliveryError if Discord does not take the token.

    To serve commands, hang them on `messenger.client` and run its `connect()`.
    The two addresses hold for the whole process: the library keeps them in its classes.
    """
    Route.BASE = api_url.rstrip("/")
    DiscordWebSocket.DEFAULT_GATEWAY = URL(gateway_url)
    # There is no voice here, so nobody need hear that its libraries are missing.
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False
    traffic = Traffic()
    client = discord.AutoShardedClient(
        intents=discord.Intents(guilds=True),
        allowed_mentions=discord.AllowedMentions.none(),
        max_ratelimit_timeout=LONGEST_WAIT,
        http_trace=traffic.trace(),
    )
    async with client:
        try:
            await client.login(token)
        except discord.LoginFailure:
            raise token_refused() from None
        except (discord.HTTPException, OSError) as error:
            raise translated(error, (), doubt=False) from error
        yield DiscordMessenger(client, traffic, clock, patience)
