"""A channel: a place where digests go, and its settings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Self

from digests.errors import InputError
from digests.schedule import Calendar

DEFAULT_SIZE = 10
MAX_SIZE = 50


@dataclass(frozen=True, slots=True, order=True)
class ChannelId:
    """A channel's address, "platform:workspace/channel": `slack:T1/C1` both ways."""

    platform: str
    workspace: str
    channel: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """The address that `text` writes; InputError says what a right one looks like."""
        found = re.fullmatch(r"([a-z]{1,20}):([^\s/:]{1,100})/([^\s/:]{1,100})", text)
        if not found:
            raise InputError(f"{text!r} is not a channel", "write platform:workspace/channel, as in slack:T1/C1")
        return cls(*found.groups())

    def __str__(self) -> str:
        return f"{self.platform}:{self.workspace}/{self.channel}"


class Layout(StrEnum):
    """How much of an item stands in the main post."""

    COMPACT = "compact"
    FULL = "full"


class EmptyDay(StrEnum):
    """What a channel gets on a day without papers."""

    SILENT = "silent"
    LINE = "line"
    WEEKLY = "weekly"


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel and its settings.

    `size` is the most items of one digest; `added` and `since` are aware UTC: no edition of a moment before
    `since` is due.
    """

    id: ChannelId
    calendar: Calendar
    name: str = ""
    size: int = DEFAULT_SIZE
    layout: Layout = Layout.FULL
    empty_day: EmptyDay = EmptyDay.LINE
    language: str = "en"
    paused: bool = False
    paused_until: date | None = None
    added: datetime | None = None
    since: datetime | None = None

    @property
    def label(self) -> str:
        """What people call it: "#ml"."""
        return "#" + (self.name or self.id.channel).removeprefix("#")
