"""Slack as a platform that is connected: posts digests, and says what is wrong with the app."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.platforms import Finding
from bot.platforms.slack.messenger import NAME, NO_PREVIEWS, SlackMessenger
from bot.platforms.slack.messenger import connect as client_of
from bot.platforms.slack.refusals import MENDING, error_code, translated
from digests.channel import ChannelId

if TYPE_CHECKING:
    from datetime import datetime

    from bot.desk import Desk
    from bot.settings import Settings

SCOPES = frozenset("chat:write channels:history groups:history channels:read groups:read commands".split())
"""What the app asks for; deploy/slack-manifest.yaml names the same."""


@asynccontextmanager
async def connect(settings: Settings, _clock: Callable[[], datetime]) -> AsyncIterator[SlackPlatform]:
    """Slack with the bot token of the settings; nothing is asked of it yet."""
    assert settings.slack_bot_token
    token = settings.slack_bot_token.get_secret_value()
    client = client_of(token, api_url=settings.slack_api_url.rstrip("/") + "/")
    yield SlackPlatform(SlackMessenger(client), client)


@dataclass(frozen=True, slots=True)
class SlackPlatform:
    """`platforms.Platform` over one workspace's client."""

    messenger: SlackMessenger
    client: AsyncWebClient

    async def serve(self, desk: Desk) -> None:
        """Commands come later."""

    async def check(self, channels: Iterable[ChannelId]) -> tuple[Finding, ...]:
        """The token, its scopes, and whether the app is in each channel."""
        try:
            answer = await self.client.auth_test()
        except SlackApiError as error:
            return (_finding("Slack's token", error),)
        found = [
            Finding("Slack's token", True, f"of {answer.get('user', 'the app')}"),
            *_scopes(answer.headers),
        ]
        for channel in channels:
            found.append(await self._check_channel(channel))
        return tuple(found)

    async def _check_channel(self, channel: ChannelId) -> Finding:
        try:
            answer = await self.client.conversations_info(channel=channel.channel)
        except SlackApiError as error:
            return _finding(f"channel {channel}", error)
        about: dict[str, Any] = answer.get("channel") or {}
        for wrong, code in (
            (about.get("is_archived"), "is_archived"),
            (not about.get("is_member", True), "not_in_channel"),
        ):
            if wrong:
                return Finding(f"channel {channel}", False, code.replace("_", " "), MENDING[code])
        return Finding(f"channel {channel}", True, "the app is in it")

    async def tell(self, person: str, text: str) -> None:
        """A direct message."""
        with translated(ChannelId(NAME, "direct", person)):
            await self.client.chat_postMessage(channel=person, text=text, mrkdwn=False, **NO_PREVIEWS)


def _scopes(headers: Any) -> Iterator[Finding]:
    """Slack names the scopes of a token in a header of each answer."""
    given = next((str(value) for name, value in headers.items() if name.lower() == "x-oauth-scopes"), "")
    missing = sorted(SCOPES - {scope.strip() for scope in given.split(",")}) if given else []
    if missing:
        yield Finding("Slack's scopes", False, f"{', '.join(missing)} missing", MENDING["missing_scope"])


def _finding(of: str, error: SlackApiError) -> Finding:
    code = error_code(error) or "no usable answer"
    return Finding(of, False, f"Slack says {code}", MENDING.get(code, "try again in a minute"))
