"""How commands come in: over Socket Mode, or as signed HTTP requests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import structlog
from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.web.async_client import AsyncWebClient

from bot.platforms.slack.refusals import translated
from digests.errors import DeliveryError

log = structlog.get_logger()

PATH = "/slack/events"
LARGEST = 1_000_000
"""Bytes of a request; Slack's own are a hundred times smaller."""

CONNECT_WITHIN = 30
LOOK_EVERY = 5.0
LOST_AFTER = 60.0
"""Seconds without a connection after which the service connects anew, with its own growing pauses."""


def make_app(client: AsyncWebClient, bot: AuthorizeResult, signing_secret: str = "") -> AsyncApp:
    """A bolt app for one workspace that asks Slack nothing before it acknowledges.

    Given a token, bolt would ask who it is when the first command comes, and the person would wait.
    """

    async def authorize() -> AuthorizeResult:
        return bot

    return AsyncApp(
        name="paperround",
        client=AsyncWebClient(base_url=client.base_url),
        authorize=authorize,
        signing_secret=signing_secret,
        raise_error_for_unhandled_request=True,
    )


@asynccontextmanager
async def over_socket(app: AsyncApp, client: AsyncWebClient, app_token: str) -> AsyncIterator[None]:
    """Socket Mode as long as the context lasts; DeliveryError if Slack does not open it."""
    handler = AsyncSocketModeHandler(app, app_token, web_client=client)
    try:
        with translated("the app token"):
            async with asyncio.timeout(CONNECT_WITHIN):
                # slack_sdk itself would try for ever, and log each failure with its trace
                handler.client.wss_uri = await handler.client.issue_new_wss_url()
                await handler.connect_async()
        yield handler
    finally:
        await handler.close_async()


async def until_lost(handler: AsyncSocketModeHandler) -> None:
    """Watch a connection; DeliveryError when slack_sdk has not got it back for a minute."""
    loop = asyncio.get_running_loop()
    seen = loop.time()
    while loop.time() - seen < LOST_AFTER:
        await asyncio.sleep(LOOK_EVERY)
        if await handler.client.is_connected():
            seen = loop.time()
    raise DeliveryError("the connection to Slack is lost", everywhere=True)


@asynccontextmanager
async def over_http(app: AsyncApp, address: str) -> AsyncIterator[None]:
    """Signed requests at `address` ("host:port") as long as the context lasts; DeliveryError if it is taken."""

    async def take(request: web.Request) -> web.Response:
        try:
            answer = await app.async_dispatch(await to_bolt_request(request))
        except web.HTTPException:
            raise
        except Exception as error:  # bolt raises whatever its reading of a body comes upon
            log.warning("slack request refused", why=type(error).__name__)
            return web.Response(status=400)
        if answer.status == 401:
            log.warning("slack request refused", why="its signature is wrong, or older than five minutes")
        return await to_aiohttp_response(answer)
    ...
