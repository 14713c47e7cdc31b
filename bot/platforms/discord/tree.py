"""The slash command as Discord registers it: a sub-command for each verb, made from the table of verbs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from digests.commands import SLASH
from digests.verbs import VERBS, Option, Verb

_CHAT_INPUT = 1
_SUB_COMMAND, _STRING, _INTEGER = 1, 3, 4
_GUILD_INSTALL = 0
_GUILD, _BOT_DM = 0, 1

_LISTED = tuple(verb for verb in VERBS if verb.is_listed)

_OURS = frozenset(
    "name description description_localizations type options required autocomplete choices value min_value "
    "max_value integration_types contexts zh-CN".split()
)
"""What we say of a command; Discord adds an id, a version and much that is empty."""

Tree = list[dict[str, Any]]


def tree() -> Tree:
    """All commands of the application, as Discord's bulk overwrite takes them."""
    command = {
        "type": _CHAT_INPUT,
        "name": SLASH.removeprefix("/"),
        "description": "A digest of new papers, every day, for this channel",
        "description_localizations": {"zh-CN": "每天为本频道推送新论文速递"},
        "integration_types": [_GUILD_INSTALL],
        "contexts": [_GUILD, _BOT_DM],
        "options": [_sub_command(verb) for verb in _LISTED],
    }
    return [command]


def is_registered(theirs: Any) -> bool:
    """Whether the commands that Discord has are the tree."""
    return bool(_said(theirs) == _said(tree()))


def _sub_command(verb: Verb) -> dict[str, Any]:
    # Discord wants the required options first.
    options = sorted(verb.options, key=lambda option: not option.required)
    return {
        "type": _SUB_COMMAND,
        "name": verb.name,
        **_described(verb.about, verb.about_zh),
        "options": [_option(option) for option in options],
    }


def _option(option: Option) -> dict[str, Any]:
    made: dict[str, Any] = {
        "type": _INTEGER if option.most else _STRING,
        "name": option.name,
        **_described(option.about, option.about_zh),
        "required": option.required,
    }
    if option.most:
        return {**made, "min_value": option.least, "max_value": option.most}
    if option.offers:
        return {**made, "autocomplete": True}
    if option.choices:
        return {**made, "choices": [{"name": choice, "value": choice} for choice in option.choices]}
    return made


def _described(about: str, about_zh: str) -> dict[str, Any]:
    return {"description": about, "description_localizations": {"zh-CN": about_zh}}


def _said(value: Any) -> Any:
    """What was said of a command, without ids, versions and what is empty."""
    if isinstance(value, Mapping):
        kept = {name: _said(inner) for name, inner in value.items() if name in _OURS}
        return {name: inner for name, inner in kept.items() if inner not in (None, False, [], {})}
    if isinstance(value, list):
        return [_said(inner) for inner in value]
    return value
