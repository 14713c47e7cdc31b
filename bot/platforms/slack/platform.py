"""Slack as the service meets it: the messenger, and commands served for one workspace."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from pydantic import SecretStr, TypeAdapter
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.web.async_client import AsyncWebClient

from bot.platforms import Finding
from bot.platforms.slack import messenger
from bot.platforms.slack.blocks import escaped, rich, short, text
from bot.platforms.slack.clerk import Clerk
from bot.platforms.slack.inbound import PATH, make_app, over_http, over_socket
from bot.platforms.slack.messenger import LOOK_UP_PACE, NO_PREVIEWS, SlackMessenger
from bot.platforms.slack.people import People
from bot.platforms.slack.refusals import translated
from digests.channel import ChannelId
from digests.errors import DeliveryError

if TYPE_CHECKING:
    from bot.desk import Desk
    from bot.settings import Settings

SCOPES = {
    "chat:write": "posting digests",
    "commands": "taking /digest",
    "channels:history": "looking up whether a message arrived",
    "groups:history": "the same in private channels",
    "im:history": "the same in direct messages",
    "channels:read": "seeing whether the app is in a channel",
    "groups:read": "the same for private channels",
    "im:read": "the same for direct messages",
    "users:read": "telling guests from members",
    "usergroups:read": "letting a user group manage a channel",
}
"""What the token has to be allowed, and what for."""

ANSWER_WITHIN = 30
FINISH_WITHIN = 2.0
PAGE, MOST_PAGES = 200, 50
LONGEST_NOTE = 3_000


@dataclass(frozen=True, slots=True)
class _Bot:
    """Whom auth.test says that the token is for."""

    team_id: str
    user_id: str
    user: str = "Paperround"
    team: str = ""
    bot_id: str | None = None


@dataclass(frozen=True, slots=True)
class _Id:
    id: str


@dataclass(frozen=True, slots=True)
class _Cursor:
    next_cursor: str = ""


@dataclass(frozen=True, slots=True)
class _Channels:
    channels: tuple[_Id, ...]
    response_metadata: _Cursor = _Cursor()


_BOT, _CHANNELS = TypeAdapter(_Bot), TypeAdapter(_Channels)


@dataclass(frozen=True, slots=True)
class _Ways:
    """How commands come in: with an app token over Socket Mode, else signed at `listen`."""

    app_token: str = field(repr=False)
    signing_secret: str = field(repr=False)
    listen: str


class SlackPlatform:
    """`platforms.Platform` for the workspace of one bot token; `scopes` is what Slack allows it."""

    def __init__(self, client: AsyncWebClient, bot: _Bot, scopes: frozenset[str], ways: _Ways) -> None:
        self._client, self._bot, self._scopes, self._ways = client, bot, scopes, ways
        self._messenger = SlackMessenger(client)

    @property
    def messenger(self) -> SlackMessenger:
        return self._messenger

    async def serve(self, desk: Desk) -> None:
        """As the protocol says; DeliveryError also when the app is removed or its token revoked."""
        people = People(self._client, self._bot.team_id, self._bot.user)
        clerk = Clerk(desk, people, self._client, self._bot.team_id)
        way = asyncio.create_task(self._listen(clerk))
        try:
            done, _ = await asyncio.wait([way, clerk.lost], return_when=asyncio.FIRST_COMPLETED)
            for ended in done:
                ended.result()
        finally:
            way.cancel()
            await asyncio.gather(clerk.finish(FINISH_WITHIN), asyncio.wait([way], timeout=FINISH_WITHIN))

    async def _listen(self, clerk: Clerk) -> None:
        bot = AuthorizeResult(
            enterprise_id=None,
            team_id=self._bot.team_id,
            bot_user_id=self._bot.user_id,
            bot_id=self._bot.bot_id,
            bot_token=self._client.token,
        )
        app = make_app(self._client, bot, self._ways.signing_secret)
        clerk.listen(app)
        if self._ways.app_token:
            await over_socket(app, self._client, self._ways.app_token)
        else:
            await over_http(app, self._ways.listen)

    async def tell(self, person: str, note: str) -> None:
        """Write a direct message; DeliveryError if the person takes none."""
        words = short(note, LONGEST_NOTE)
        with translated(f"a note to {person!r}"):
            async with asyncio.timeout(ANSWER_WITHIN):
                await self._client.chat_postMessage(
                    channel=person, text=escaped(words), blocks=[rich(text(words))], **NO_PREVIEWS
                )

    async def check(self, channels: Iterable[ChannelId]) -> tuple[Finding, ...]:
        """The token and its scopes, the way in, and whether the app is in each channel."""
        known = f"@{self._bot.user} in the workspace {self._bot.team or self._bot.team_id}"
        findings = [Finding("Slack token", True, known), self._check_scopes(), await self._check_way()]
        try:
            joined = await self._joined()
        except DeliveryError as error:
            return (*findings, Finding("Slack channels", False, error.what, error.hint))
        return (*findings, *(self._check_channel(channel, joined) for channel in channels))

    def _check_scopes(self) -> Finding:
        missing = [f"{scope} ({what})" for scope, what in SCOPES.items() if not self._may(scope)]
        if missing:
            hint = "add them under OAuth & Permissions and install the app again"
            return Finding("Slack scopes", False, f"missing: {', '.join(missing)}", hint)
        return Finding("Slack scopes", True, f"all {len(SCOPES)} are there")

    def _may(self, scope: str) -> bool:
        # A proxy may take the header with the scopes away: then nothing is known to be missing.
        return not self._scopes or scope in self._scopes

    async def _check_way(self) -> Finding:
        if not self._ways.app_token:
            return Finding("Slack requests", True, f"expected at http://{self._ways.listen}{PATH}, signed")
        try:
            with translated("the app token"):
                async with asyncio.timeout(ANSWER_WITHIN):
                    await self._client.apps_connections_open(app_token=self._ways.app_token)
        except DeliveryError as error:
            hint = "make an App-Level Token with connections:write under Basic Information"
            return Finding("Slack app token", False, error.what, hint)
        return Finding("Slack app token", True, "opens Socket Mode")

    async def _joined(self) -> frozenset[str]:
        """The channels that the app is in, and its direct messages."""
        kinds = {"channels:read": "public_channel", "groups:read": "private_channel", "im:read": "im"}
        types = ",".join(kind for scope, kind in kinds.items() if self._may(scope))
        found: set[str] = set()
        cursor = ""
        for _ in range(MOST_PAGES):
            with translated("a question about its channels"):
                async with asyncio.timeout(ANSWER_WITHIN):
                    answer = await self._client.users_conversations(
                        types=types, exclude_archived=True, limit=PAGE, cursor=cursor
                    )
                page = _CHANNELS.validate_python(answer.data)
            found |= {channel.id for channel in page.channels}
            cursor = page.response_metadata.next_cursor
            if not cursor:
                break
            await asyncio.sleep(LOOK_UP_PACE)
        return frozenset(found)

    def _check_channel(self, channel: ChannelId, joined: frozenset[str]) -> Finding:
        of = f"channel {channel}"
        if channel.workspace != self._bot.team_id:
            what = f"it is of another workspace than the token ({self._bot.team_id})"
            return Finding(
                of, False, what, f"paperround channels list shows the channels of {channel.workspace}"
            )
        if channel.channel not in joined:
            hint = f"unarchive it, or type /invite @{self._bot.user} there"
            return Finding(of, False, "the app is not in it, or it is archived", hint)
        return Finding(of, True, "the app may post there")


@asynccontextmanager
async def connect(settings: Settings, _clock: Callable[[], datetime]) -> AsyncIterator[SlackPlatform]:
    """Slack for the token that is set; DeliveryError if it cannot be reached or refuses the token."""
    client = messenger.connect(_secret(settings.slack_bot_token), api_url=settings.slack_api_url)
    with translated("the bot token"):
        async with asyncio.timeout(ANSWER_WITHIN):
            answer = await client.auth_test()
        bot = _BOT.validate_python(answer.data)
    said = next((str(v) for name, v in answer.headers.items() if name.lower() == "x-oauth-scopes"), "")
    scopes = frozenset(filter(None, (scope.strip() for scope in said.split(","))))
    ways = _Ways(
        _secret(settings.slack_app_token), _secret(settings.slack_signing_secret), settings.slack_listen
    )
    yield SlackPlatform(client, bot, scopes, ways)


def _secret(value: SecretStr | None) -> str:
    return value.get_secret_value() if value else ""
