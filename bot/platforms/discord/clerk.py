"""The clerk: acknowledges what people do on Discord, takes it to the desk, and answers.

The acknowledgement waits for nothing.
Every answer is an edit of it, so that a second try doubles nothing.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

import aiohttp
import discord
import structlog

from bot.platforms.discord import NAME
from bot.platforms.discord.answers import Components, answer, command_of, shortened
from bot.platforms.discord.permissions import lacking_to_post, to_mend
from digests.channel import ChannelId
from digests.commands import Caller, Place
from digests.errors import InputError, PaperroundError
from digests.handlers import UNKNOWN_BUTTON, refusal
from digests.reply import Reply
from digests.verbs import VERB

if TYPE_CHECKING:
    from bot.desk import Desk

log = structlog.get_logger()

DIRECT = "@me"
"""The workspace of direct messages, as Discord's own addresses have it."""

ACKNOWLEDGE_WITHIN = 2.8
"""Seconds; Discord gives up after three."""
ANSWER_WITHIN = 60.0
TRIES = 4
PAUSE = 0.3
"""Seconds before the second try, more before each further one."""

REMEMBERED = 2_000
"""So many interactions are known by their ids, in case the gateway brings one again."""

ALREADY_ACKNOWLEDGED, UNKNOWN_INTERACTION = 40060, 10062
MAX_CHOICE = 100

_UNCLEAR = (
    aiohttp.ClientError, OSError, TimeoutError, discord.DiscordServerError, KeyError, TypeError, ValueError
)  # fmt: skip
"""What says nothing about whether a request was done; the last three come of a malformed answer."""

Asked = discord.Interaction[discord.Client]


class Clerk:
    """Answers interactions at a desk."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._known: deque[int] = deque(maxlen=REMEMBERED)
        self._open: set[asyncio.Task[Any]] = set()

    async def on_interaction(self, asked: Asked) -> None:
        """The client's event: a command, a button, or an option that is being typed; it never raises."""
        if asked.id in self._known:
            log.info("interaction came twice", interaction=asked.id)
            return
        self._known.append(asked.id)
        task = asyncio.current_task()
        assert task
        self._open.add(task)
        try:
            await self._take(asked)
        except discord.HTTPException as error:
            log.warning("answer refused", interaction=asked.id, status=error.status, code=error.code)
        except _UNCLEAR as error:
            log.warning("answer did not arrive", interaction=asked.id, error=type(error).__name__)
        except Exception:
            log.exception("interaction failed", interaction=asked.id)
        finally:
            self._open.discard(task)

    async def finish(self, patience: float) -> None:
        """Let the answers that are on their way arrive."""
        if self._open:
            await asyncio.wait(self._open, timeout=patience)

    async def _take(self, asked: Asked) -> None:
        match asked.type:
            case discord.InteractionType.autocomplete:
                async with asyncio.timeout(ACKNOWLEDGE_WITHIN):
                    await asked.response.autocomplete(await self._choices(asked))
            case discord.InteractionType.application_command | discord.InteractionType.component:
                if await _acknowledge(asked):
                    await _answer(asked, await self._reply(asked))
            case other:
                log.warning("interaction of a kind that is not used", interaction=asked.id, kind=str(other))

    async def _reply(self, asked: Asked) -> Reply:
        data = _data(asked)
        try:
            caller, place = caller_of(asked), place_of(asked)
            if asked.type is discord.InteractionType.component:
                command = command_of(str(data.get("custom_id", "")))
                return await self._desk.answer(command, caller, place) if command else UNKNOWN_BUTTON
            verb, options, _ = typed(data)
            if verb not in VERB:  # the command is of another version
                return await self._desk.answer(verb, caller, place)
            if list(options) == ["query"]:  # a whole line, as help shows it, lands in it when it is pasted
                return await self._desk.answer(f"{verb} {options['query']}", caller, place)
            return await self._desk.answer_typed(verb, options, caller, place)
        except InputError as error:
            return refusal(error)
        except Exception as error:
            log.exception("command failed", interaction=asked.id, channel=asked.channel_id)
            return refusal(PaperroundError(type(error).__name__))

    async def _choices(self, asked: Asked) -> list[discord.app_commands.Choice[str | int | float]]:
        verb, options, focused = typed(_data(asked))
        option = VERB[verb].option(focused) if verb in VERB else None
        if not option or not option.offers:
            return []
        found = await self._desk.suggest(
            option.offers, options.get(focused, ""), caller_of(asked), place_of(asked)
        )
        return [
            discord.app_commands.Choice(name=shortened(label, MAX_CHOICE), value=value)
            for label, value in found
            if label and shortened(value, MAX_CHOICE) == value
        ]


# What an interaction says.


def typed(data: Mapping[str, Any]) -> tuple[str, dict[str, str], str]:
    """The verb of a typed command, its options as text, and the name of the one that is being typed."""
    sub_command: Mapping[str, Any] = next(iter(data.get("options") or ()), {})
    options = sub_command.get("options") or ()
    values = {str(option["name"]): str(option.get("value", "")) for option in options}
    focused = next((str(option["name"]) for option in options if option.get("focused")), "")
    return str(sub_command.get("name", "")), values, focused


def caller_of(asked: Asked) -> Caller:
    """Who asks; in a direct message everybody manages their own digest."""
    user = asked.user
    # The member's roles by id: as objects they would be missing while the server is not known yet.
    roles = frozenset(map(str, user._roles)) if isinstance(user, discord.Member) else frozenset()
    may = asked.permissions
    return Caller(
        NAME,
        _workspace(asked),
        str(user.id),
        groups=roles,
        is_bot=user.bot,
        can_manage=not asked.guild_id or may.manage_channels or may.administrator,
    )


def place_of(asked: Asked) -> Place:
    """Where it is asked, and whether the bot can post there."""
    if asked.channel_id is None:
        raise InputError("I cannot see which channel this is", "ask me in a text channel")
    address = ChannelId(NAME, _workspace(asked), str(asked.channel_id))
    if not asked.guild_id:
        return Place(address, asked.user.name)
    in_thread = isinstance(asked.channel, discord.Thread)
    missing = lacking_to_post(asked.app_permissions, in_thread=in_thread)
    cannot = f"I may not post in this channel; {to_mend(missing)}." if missing else ""
    return Place(address, getattr(asked.channel, "name", "") or "", cannot_post=cannot)


def _workspace(asked: Asked) -> str:
    return str(asked.guild_id or DIRECT)


def _data(asked: Asked) -> Mapping[str, Any]:
    return asked.data or {}


# Answering.


class _Written(discord.ui.LayoutView):
    """Components that are written already, as the library takes a message's; nothing of them is kept."""

    def __init__(self, components: Components) -> None:
        super().__init__(timeout=None)
        self._components = components
        self.stop()

    def has_components_v2(self) -> bool:
        return True

    def to_components(self) -> Components:
        return self._components


async def _acknowledge(asked: Asked) -> bool:
    """Say that an answer comes; whether one is still wanted, which is taken for granted if it is unclear."""
    try:
        async with asyncio.timeout(ACKNOWLEDGE_WITHIN):
            await _insist(lambda: asked.response.defer(ephemeral=True, thinking=True))
    except discord.InteractionResponded:  # an earlier try arrived, and its answer could not be read
        return True
    except discord.HTTPException as error:
        if error.code == ALREADY_ACKNOWLEDGED:  # an earlier try arrived, and was answered with an error
            return True
        if error.status < 500:
            late = error.code == UNKNOWN_INTERACTION
            log.warning("acknowledgement refused", interaction=asked.id, code=error.code, late=late)
            return False
        log.warning("acknowledgement unclear", interaction=asked.id, status=error.status)
    except _UNCLEAR as error:
        log.warning("acknowledgement unclear", interaction=asked.id, error=type(error).__name__)
    return True


async def _answer(asked: Asked, reply: Reply) -> None:
    """Give the reply to the asker, or to everybody in the channel if it is public."""
    first, *others = answer(reply)
    if reply.public:
        await _insist(asked.delete_original_response)
        others.insert(0, first)
    else:
        await _insist(lambda: asked.edit_original_response(view=_Written(first)))
    for components in others:
        await asked.followup.send(view=_Written(components), ephemeral=not reply.public)


async def _insist(request: Callable[[], Awaitable[object]]) -> None:
    """Make a request that may be repeated, again if its outcome is unclear."""
    for attempt in range(1, TRIES + 1):
        try:
            async with asyncio.timeout(ANSWER_WITHIN):
                await request()
            return
        except _UNCLEAR:
            if attempt == TRIES:
                raise
        await asyncio.sleep(PAUSE * attempt)
