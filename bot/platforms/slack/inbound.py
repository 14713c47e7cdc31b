"""How commands come in: over Socket Mode, or as signed HTTP requests."""

from __future__ import annotations

import asyncio
import logging
import re

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
LOOK_EVERY, LOST_AFTER = 5.0, 60.0
"""Seconds between two looks at the connection, and without one after which it is given up."""


def make_app(client: AsyncWebClient, bot: AuthorizeResult, signing_secret: str = "") -> AsyncApp:
    """A bolt app for one workspace that asks Slack nothing before it acknowledges.

    Given the token, bolt would ask whose it is when the first command comes, and a person would wait.
    """

    async def authorize() -> AuthorizeResult:
        return bot

    return AsyncApp(
        name="paperround",
        # Given none, bolt takes over the level of the root and logs what strangers send.
        logger=logging.getLogger("slack_bolt"),
        client=AsyncWebClient(base_url=client.base_url),
        authorize=authorize,
        signing_secret=signing_secret,
        raise_error_for_unhandled_request=True,
    )


async def over_socket(app: AsyncApp, client: AsyncWebClient, app_token: str) -> None:
    """Take what comes over Socket Mode until cancelled; DeliveryError when the connection is not to be had.

    slack_sdk reconnects by itself; after `LOST_AFTER` without success it is the service's turn, whose pauses
    grow.
    """
    calm, logger = _Calm(), logging.getLogger("slack_sdk.socket_mode")
    handler = AsyncSocketModeHandler(app, app_token, logger=logger, web_client=client)
    logger.addFilter(calm)
    try:
        with translated("the app token"):
            async with asyncio.timeout(CONNECT_WITHIN):
                # Asked for in connect_async, an address that is refused would be asked for for ever.
                handler.client.wss_uri = await handler.client.issue_new_wss_url()
                await handler.connect_async()  # type: ignore[no-untyped-call]
        await _until_lost(handler, calm)
    finally:
        logger.removeFilter(calm)
        await handler.close_async()  # type: ignore[no-untyped-call]


class _Calm(logging.Filter):
    """Lets slack_sdk say once that a connection failed, in a line: it does so at each try, with a trace."""

    def __init__(self) -> None:
        super().__init__()
        self.has_told = False

    def filter(self, record: logging.LogRecord) -> bool:
        if not re.match(r"Failed to (connect|receive|check|retrieve)", record.getMessage()):
            return True
        record.exc_info = None
        is_news, self.has_told = not self.has_told, True
        return is_news


async def _until_lost(handler: AsyncSocketModeHandler, calm: _Calm) -> None:
    loop = asyncio.get_running_loop()
    seen = loop.time()
    while loop.time() - seen < LOST_AFTER:
        await asyncio.sleep(LOOK_EVERY)
        if await handler.client.is_connected():
            seen, calm.has_told = loop.time(), False
    raise DeliveryError("the connection to Slack is lost")


async def over_http(app: AsyncApp, address: str) -> None:
    """Take signed requests at `address` ("host:port") until cancelled; DeliveryError if it cannot be had."""

    async def take(request: web.Request) -> web.Response:
        try:
            answer = await app.async_dispatch(await to_bolt_request(request))
        except web.HTTPException:
            raise
        except Exception as error:  # bolt raises whatever its reading of a body comes upon
            log.warning("slack request refused", error=type(error).__name__)
            return web.Response(status=400)
        if answer.status == 401:
            log.warning("slack request refused", error="a wrong signature, or one older than five minutes")
        return await to_aiohttp_response(answer)

    web_app = web.Application(client_max_size=LARGEST)
    web_app.router.add_post(PATH, take)
    runner = web.AppRunner(web_app, access_log=None, shutdown_timeout=1)
    await runner.setup()
    host, _, port = address.rpartition(":")
    try:
        await web.TCPSite(runner, host.strip("[]"), int(port)).start()
        await asyncio.Event().wait()
    except OSError as error:
        what = f"Slack's requests cannot be taken at {address}: {error.strerror}"
        raise DeliveryError(
            what, hint="set PAPERROUND_SLACK_LISTEN to a free port of this machine"
        ) from error
    finally:
        await runner.cleanup()
