"""Settings: environment variables that begin with PAPERROUND_, and an optional file `.env`."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from digests.errors import InputError

_EXAMPLES = {
    "db": "/var/lib/paperround/paperround.db",
    "contact": "papers@lab.example",
    "allow": "feeds.lab.example",
}


def _data_home() -> Path:
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "paperround/paperround.db"


class Settings(BaseSettings):
    """What the person who runs Paperround has set.

    `db` is the database file; `contact` goes into the User-Agent, so that a source can reach the person;
    `allow` names hosts and networks inside the house that feeds may come from.
    """

    model_config = SettingsConfigDict(env_prefix="PAPERROUND_", env_file=".env", extra="ignore")

    db: Path = Field(default_factory=_data_home)
    contact: str = ""
    allow: Annotated[tuple[str, ...], NoDecode] = ()

    @field_validator("allow", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return tuple(filter(None, value.replace(",", " ").split())) if isinstance(value, str) else value


def load_settings() -> Settings:
    """The settings; InputError names the variable that is wrong, with an example."""
    try:
        return Settings()
    except ValidationError as error:
        fault = error.errors()[0]
        name = str(fault["loc"][0])
        raise InputError(
            f"PAPERROUND_{name.upper()} is not usable: {fault['msg']}",
            f"an example: PAPERROUND_{name.upper()}={_EXAMPLES.get(name, '')}",
        ) from error
