"""What people ask on Slack: its payloads, read once and checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import StringConstraints, TypeAdapter

from bot.platforms.slack.answers import ACTION

Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]{2,40}$")]
Address = Annotated[str, StringConstraints(pattern=r"^https?://\S{1,2000}$")]
Word = Annotated[str, StringConstraints(max_length=500)]


@dataclass(frozen=True, slots=True)
class Asked:
    """A command, who gave it and where.

    `id` is the same when Slack says the same once more; `answer_to` takes the answers, for half an hour;
    `click` is what was pressed where and by whom, "" for a typed command. `text` is None for a button of
    another version.
    """

    id: str
    text: str | None
    user: str
    workspace: str
    channel: str
    channel_name: str
    answer_to: str
    click: str = ""


@dataclass(frozen=True, slots=True)
class _Typed:
    trigger_id: Word
    user_id: Id
    team_id: Id
    channel_id: Id
    response_url: Address
    text: str = ""
    channel_name: Word = ""


@dataclass(frozen=True, slots=True)
class _User:
    id: Id
    team_id: Id | None = None


@dataclass(frozen=True, slots=True)
class _Named:
    id: Id
    name: Word = ""


@dataclass(frozen=True, slots=True)
class _Action:
    action_id: Word = ""
    value: str | None = None


@dataclass(frozen=True, slots=True)
class _Container:
    message_ts: Word = ""


@dataclass(frozen=True, slots=True)
class _Click:
    trigger_id: Word
    user: _User
    channel: _Named
    response_url: Address
    actions: Annotated[tuple[_Action, ...], ...]
    team: _Named | None = None
    container: _Container = _Container()


_TYPED, _CLICK = TypeAdapter(_Typed), TypeAdapter(_Click)


def typed(payload: Mapping[str, Any]) -> Asked:
    """What a slash command asks; ValueError if it is not one."""
    found = _TYPED.validate_python(payload)
    return Asked(
        found.trigger_id,
        as_typed(found.text),
        found.user_id,
        found.team_id,
        found.channel_id,
        found.channel_name,
        found.response_url,
    )


def clicked(payload: Mapping[str, Any]) -> Asked:
    """What a button asks; ValueError if none was pressed."""
    found = _CLICK.validate_python(payload)
    if not found.actions:
        raise ValueError("no action")
    action = found.actions[0]
    team = found.user.team_id or (found.team.id if found.team else "")
    return Asked(
        found.trigger_id,
        action.value if action.action_id.startswith(ACTION) else None,
        found.user.id,
        team,
        found.channel.id,
        found.channel.name,
        found.response_url,
        click=f"{found.user.id} {found.container.message_ts} {action.value}",
    )


_MARKED = re.compile(r"<([^<>|\s][^<>|]*)(?:\|([^<>]*))?>")


def as_typed(text: str) -> str:
    """A command's text as the person typed it; people and groups stay as Slack writes their mention.

    Slack sends links as `<https://x.example|x.example>`, channels as `<#C1|name>`, and `&lt;` for <.
    """
    text = _MARKED.sub(_shown, text)
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def _shown(marked: re.Match[str]) -> str:
    address, label = marked[1], marked[2]
    if address.startswith("#"):
        return f"#{label or address[1:]}"
    if address.startswith(("@", "!")):
        return marked[0]
    return label if label and address.removeprefix("http://").removeprefix("mailto:") == label else address
