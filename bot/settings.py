"""Settings: environment variables that begin with PAPERROUND_, and an optional file `.env`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Self
from urllib.parse import urlsplit

from dotenv import dotenv_values
from dotenv.parser import parse_stream
from pydantic import Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from digests.errors import InputError

_EXAMPLES = {
    "db": "/var/lib/paperround/paperround.db",
    "contact": "papers@lab.example",
    "allow": "feeds.lab.example",
    "log": "info json",
    "slack_bot_token": "xoxb-1234567890-…",
    "slack_app_token": "xapp-1-A0123-…",
    "slack_signing_secret": "0123456789abcdef0123456789abcdef",
    "slack_listen": "127.0.0.1:3000",
    "slack_api_url": "https://slack.com/api/",
    "discord_token": "MTAx….Gx4k….…",
    "discord_api_url": "https://discord.com/api/v10",
    "discord_gateway_url": "wss://gateway.discord.gg/",
}

PREFIX = "PAPERROUND_"
ELSEWHERE = frozenset({"PAPERROUND_DEBUG", "PAPERROUND_CLOCK_OFFSET", "PAPERROUND_SHARED"})
"""Variables that are read where they are needed."""


LEVELS = ("debug", "info", "warning", "error")
FORMS = ("auto", "plain", "json")
"""How a log line is written; auto is plain on a terminal and JSON elsewhere."""


def _data_home() -> Path:
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "paperround/paperround.db"


class Settings(BaseSettings):
    """What the person who runs Paperround has set.

    `db` is the database file; `contact` goes into the User-Agent, so that a source can reach the person;
    `allow` names hosts and networks inside the house that feeds may come from; `log` is a level, a form, or
    both: "info json". A chat platform is served when its token is set: Slack over Socket Mode with an app
    token, else over signed HTTP requests with a signing secret, taken at `slack_listen`. The
    URLs are for proxies and for tests.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=".env",
        env_file_encoding="utf-8",
        env_ignore_empty=True,
        extra="ignore",
        hide_input_in_errors=True,
    )

    db: Path = Field(default_factory=_data_home)
    contact: str = ""
    allow: Annotated[tuple[str, ...], NoDecode] = ()
    log: str = "info"
    slack_bot_token: SecretStr | None = None
    slack_app_token: SecretStr | None = None
    slack_signing_secret: SecretStr | None = None
    slack_listen: str = "127.0.0.1:3000"
    slack_api_url: str = "https://slack.com/api/"
    discord_token: SecretStr | None = None
    discord_api_url: str = "https://discord.com/api/v10"
    discord_gateway_url: str = "wss://gateway.discord.gg/"

    @property
    def level(self) -> str:
        """The level that `log` names, by default info."""
        return next((word for word in self.log.split() if word in LEVELS), "info")

    @property
    def form(self) -> str:
        """The form that `log` names, by default the one that fits where the lines go."""
        return next((word for word in self.log.split() if word in FORMS), "auto")

    @property
    def secrets(self) -> tuple[str, ...]:
        """Everything that must not be written anywhere."""
        values = (getattr(self, name) for name in type(self).model_fields)
        return tuple(value.get_secret_value() for value in values if isinstance(value, SecretStr))

    def serves(self, platform: str) -> bool:
        """Whether a token of that platform is set."""
        return any(
            name.startswith(f"{platform}_") and name.endswith("_token") and getattr(self, name)
            for name in type(self).model_fields
        )

    def missing_token(self, platform: str) -> str:
        """The variable of the token that a platform lacks; "" if it has one or needs none."""
        named = (f"{platform}_bot_token", f"{platform}_token")
        tokens = [name for name in named if name in type(self).model_fields]
        return "" if not tokens or self.serves(platform) else f"{PREFIX}{tokens[0]}".upper()

    @field_validator("db")
    @classmethod
    def _from_home(cls, value: Path) -> Path:
        try:
            return value.expanduser()
        except RuntimeError:
            raise ValueError("it names a home that is not known; write the whole path") from None

    @field_validator("allow", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(filter(None, value.replace(",", " ").split())) if isinstance(value, str) else value

    @field_validator("log")
    @classmethod
    def _known_words(cls, value: str) -> str:
        words = value.lower().replace(",", " ").split()
        for word in words:
            if word not in LEVELS + FORMS:
                raise ValueError(
                    f"{word!r} is neither a level ({', '.join(LEVELS)}) nor a form ({', '.join(FORMS)})"
                )
        return " ".join(words)

    @field_validator(
        "slack_bot_token", "slack_app_token", "slack_signing_secret", "discord_token", mode="before"
    )
    @classmethod
    def _unquoted(cls, value: object) -> object:
        return value.strip().strip("'\"").removeprefix("Bot ") if isinstance(value, str) else value

    @field_validator("slack_bot_token")
    @classmethod
    def _bot_token(cls, value: SecretStr | None) -> SecretStr | None:
        return _begins(value, "xoxb-", "the Bot User OAuth Token, under OAuth & Permissions")

    @field_validator("slack_app_token")
    @classmethod
    def _app_token(cls, value: SecretStr | None) -> SecretStr | None:
        return _begins(value, "xapp-", "the App-Level Token, under Basic Information")

    @field_validator("discord_token")
    @classmethod
    def _discord_token(cls, value: SecretStr | None) -> SecretStr | None:
        if value and not re.fullmatch(r"[\w.=-]{10,200}", value.get_secret_value()):
            raise ValueError("this is not a bot token: it is one word of letters, digits, dots and dashes")
        return value

    @field_validator("slack_listen")
    @classmethod
    def _host_and_port(cls, value: str) -> str:
        if not re.fullmatch(r"\S+:\d{1,5}", value) or int(value.rpartition(":")[2]) > 65_535:
            raise ValueError("it has to be a host and a port, with a colon between")
        return value

    @field_validator("slack_api_url", "discord_api_url", "discord_gateway_url")
    @classmethod
    def _address(cls, value: str, info: object) -> str:
        schemes = ("ws", "wss") if "gateway" in str(getattr(info, "field_name", "")) else ("http", "https")
        parts = urlsplit(value)
        if parts.scheme not in schemes or not parts.hostname:
            raise ValueError(f"it has to begin with {' or '.join(f'{scheme}://' for scheme in schemes)}")
        return value

    @model_validator(mode="after")
    def _whole_pairs(self) -> Self:
        ways = self.slack_app_token or self.slack_signing_secret
        if self.slack_bot_token and not ways:
            raise ValueError(
                "PAPERROUND_SLACK_BOT_TOKEN is set, but nothing says how commands arrive; "
                "set PAPERROUND_SLACK_APP_TOKEN=xapp-… (Socket Mode), "
                "or PAPERROUND_SLACK_SIGNING_SECRET=… (requests over HTTP)"
            )
        if ways and not self.slack_bot_token:
            half = "APP_TOKEN" if self.slack_app_token else "SIGNING_SECRET"
            raise ValueError(
                f"PAPERROUND_SLACK_{half} is set without the bot token; "
                "set PAPERROUND_SLACK_BOT_TOKEN=xoxb-… too, or unset it"
            )
        return self


def load_settings() -> Settings:
    """The settings; InputError names the variable that is wrong, with an example."""
    try:
        _refuse_malformed(Path(str(Settings.model_config["env_file"])))
        return Settings()
    except ValidationError as error:
        raise _explained(error) from None  # the cause holds what was set
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"the file '.env' cannot be read: {error}", "make it a text file in UTF-8, or remove it"
        ) from error


def _refuse_malformed(file: Path) -> None:
    """InputError for a line that sets nothing, which pydantic-settings would skip: it may hold a secret."""
    if not file.is_file():
        return
    with file.open(encoding="utf-8") as stream:
        for line in parse_stream(stream):
            is_ours = (line.key or "").upper().startswith(PREFIX)
            if line.error or (is_ours and line.value is None):
                blank = line.original.string[: -len(line.original.string.lstrip()) or None].count("\n")
                raise InputError(
                    f"line {line.original.line + blank} of {file.name!r} sets nothing",
                    f"write it as in: {PREFIX}CONTACT={_EXAMPLES['contact']}, or begin it with #",
                )


def unknown_variables() -> Iterator[str]:
    """Variables that begin like ours and mean nothing: they are misspelt."""
    known = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields} | ELSEWHERE
    file = dotenv_values(Path(str(Settings.model_config["env_file"])))
    for name in sorted({*os.environ, *file}):
        if name.upper().startswith(PREFIX) and name.upper() not in known:
            yield name


def _explained(error: ValidationError) -> InputError:
    fault = error.errors(include_input=False, include_context=False)[0]
    what = str(fault["msg"]).removeprefix("Value error, ")
    if not fault["loc"]:  # a pair: the message names its variables
        said, _, hint = what.partition("; ")
        return InputError(said, hint)
    name = str(fault["loc"][0])
    variable = f"{PREFIX}{name.upper()}"
    return InputError(
        f"{variable} is not usable: {what}", f"an example: {variable}={_EXAMPLES.get(name, '')}"
    )


def _begins(value: SecretStr | None, beginning: str, where: str) -> SecretStr | None:
    secret = value.get_secret_value() if value else beginning
    if not secret.startswith(beginning):
        held = next(
            (kind for kind in ("xoxb-", "xoxp-", "xapp-") if secret.startswith(kind)), "something else"
        )
        raise ValueError(f"it begins with {beginning}; this is {held} (it is {where})")
    return value
