"""Who asks and where, as Slack knows it; remembered for a minute."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import TypeAdapter
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.platforms.slack.asked import Asked
from bot.platforms.slack.messenger import NAME
from bot.platforms.slack.refusals import error_code, translated
from digests.channel import ChannelId
from digests.commands import Caller, Place
from digests.errors import DeliveryError

REMEMBERED_FOR = 60.0
REMEMBERED = 5_000
ASK_WITHIN = 5
"""Seconds that Slack has for each of its answers: somebody waits."""

DIRECT = "direct-message"
"""The name of a conversation with the app, which has none."""

_OTHERS_TALK = "I take no part in this conversation: write to me directly, or ask in a channel."
_ARCHIVED = "This channel is archived, and nobody can post here: unarchive it first."

T = TypeVar("T")


class _Memory(Generic[T]):
    """What was asked lately; whoever asks the same meanwhile waits for the same answer."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._known: dict[str, tuple[float, asyncio.Task[T]]] = {}

    async def get(self, key: str, ask: Callable[[str], Coroutine[Any, Any, T]]) -> T:
        """What `ask` says of the key; a DeliveryError of it is not remembered."""
        until, task = self._known.get(key, (0.0, None))
        if task is None or self._clock() >= until:
            if len(self._known) >= REMEMBERED:
                self._known.clear()
            task = asyncio.create_task(ask(key))
            self._known[key] = (self._clock() + REMEMBERED_FOR, task)
        try:
            return await asyncio.shield(task)
        except DeliveryError:
            self.forget(key)
            raise

    def forget(self, key: str) -> None:
        self._known.pop(key, None)


@dataclass(frozen=True, slots=True)
class _Grid:
    teams: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _User:
    """A person as users.info gives them; of whom nothing more is said is taken for a guest."""

    team_id: str
    is_restricted: bool = True
    is_ultra_restricted: bool = False
    is_stranger: bool = False
    is_bot: bool = False
    deleted: bool = False
    tz: str | None = None
    enterprise_user: _Grid = _Grid()


@dataclass(frozen=True, slots=True)
class _Channel:
    """A conversation as conversations.info gives it."""

    name: str = ""
    is_im: bool = False
    is_member: bool = False
    is_archived: bool = False


@dataclass(frozen=True, slots=True)
class _Group:
    id: str
    users: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _UserAnswer:
    user: _User


@dataclass(frozen=True, slots=True)
class _ChannelAnswer:
    channel: _Channel


@dataclass(frozen=True, slots=True)
class _GroupsAnswer:
    usergroups: tuple[_Group, ...]


_USER, _CHANNEL, _GROUPS = TypeAdapter(_UserAnswer), TypeAdapter(_ChannelAnswer), TypeAdapter(_GroupsAnswer)


@dataclass(frozen=True, slots=True)
class Known:
    """The caller and the place of a command; `doubt` says what Slack did not tell, "" if it told all."""

    caller: Caller
    place: Place
    doubt: str = ""


class People:
    """Asks Slack about people and channels; `workspace` is the app's own, `bot` its name there.

    What Slack does not tell counts as the weaker: a guest, in no group, in a channel that takes no posts.
    """

    def __init__(
        self,
        client: AsyncWebClient,
        workspace: str,
        bot: str,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._client, self._workspace, self._bot = client, workspace, bot
        self._users: _Memory[_User] = _Memory(clock)
        self._channels: _Memory[_Channel] = _Memory(clock)
        self._groups: _Memory[tuple[_Group, ...]] = _Memory(clock)

    async def known(self, asked: Asked) -> Known:
        """Who asked, and where; never raises a DeliveryError."""
        user, channel, groups = await asyncio.gather(
            _tried(self._users.get(asked.user, self._ask_user)),
            _tried(self._channels.get(asked.channel, self._ask_channel)),
            _tried(self._groups.get("all", self._ask_groups)),
        )
        place = self._place(asked, user, channel)
        if place.cannot_post:  # it may be mended in the next moment
            self._channels.forget(asked.channel)
        doubts = [str(answer) for answer in (user, channel, groups) if isinstance(answer, DeliveryError)]
        return Known(self._caller(asked, user, channel, groups), place, "; ".join(doubts))

    def _caller(
        self,
        asked: Asked,
        user: _User | DeliveryError,
        channel: _Channel | DeliveryError,
        groups: tuple[_Group, ...] | DeliveryError,
    ) -> Caller:
        if isinstance(user, DeliveryError):
            user = _User(asked.workspace)
        is_ours = not user.is_stranger and self._workspace in (user.team_id, *user.enterprise_user.teams)
        theirs = () if isinstance(groups, DeliveryError) else groups
        return Caller(
            NAME,
            self._workspace if is_ours else user.team_id,
            asked.user,
            groups=frozenset(group.id for group in theirs if asked.user in group.users),
            is_bot=user.is_bot,
            is_guest=user.is_restricted or user.is_ultra_restricted or user.deleted,
            can_manage=isinstance(channel, _Channel) and channel.is_im,
            members_manage=True,
        )

    def _place(self, asked: Asked, user: _User | DeliveryError, channel: _Channel | DeliveryError) -> Place:
        address = ChannelId(NAME, self._workspace, asked.channel)
        zone = (user.tz or "") if isinstance(user, _User) else ""
        if isinstance(channel, DeliveryError):
            unknown = f"I cannot find out whether I may post here: {channel}."
            return Place(address, zone=zone, cannot_post=unknown)
        name = DIRECT if channel.is_im else channel.name
        return Place(address, name, zone, self._cannot_post(asked, channel))

    def _cannot_post(self, asked: Asked, channel: _Channel) -> str:
        if channel.is_archived:
            return _ARCHIVED
        if channel.is_im or channel.is_member:
            return ""
        if asked.channel_name == "directmessage" or asked.channel_name.startswith("mpdm-"):
            return _OTHERS_TALK
        return f"I am not in this channel: type /invite @{self._bot} here, then try again."

    async def _ask_user(self, user: str) -> _User:
        with translated(f"a question about {user!r}"):
            async with asyncio.timeout(ASK_WITHIN):
                answer = await self._client.users_info(user=user)
            return _USER.validate_python(answer.data).user

    async def _ask_channel(self, channel: str) -> _Channel:
        with translated(f"a question about channel {channel!r}"):
            try:
                async with asyncio.timeout(ASK_WITHIN):
                    answer = await self._client.conversations_info(channel=channel)
            except SlackApiError as error:
                if error_code(error) == "channel_not_found":  # so Slack calls what the app is not in
                    return _Channel()
                raise
            return _CHANNEL.validate_python(answer.data).channel

    async def _ask_groups(self, _all: str) -> tuple[_Group, ...]:
        with translated("a question about user groups"):
            async with asyncio.timeout(ASK_WITHIN):
                answer = await self._client.usergroups_list(include_users=True)
            return _GROUPS.validate_python(answer.data).usergroups


async def _tried(answer: Awaitable[T]) -> T | DeliveryError:
    try:
        return await answer
    except DeliveryError as error:
        return error
