"""A subscription: a standing query of a channel, with a name, a cadence and a limit."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import NewType

from digests.channel import ChannelId
from digests.errors import InputError
from digests.query import Query
from digests.schedule import DAILY, Days
from digests.text import clip, plain

SubscriptionId = NewType("SubscriptionId", int)

DEFAULT_LIMIT = 10
MAX_NAME = 80


@dataclass(frozen=True, slots=True)
class Subscription:
    """A standing query; `limit` is its most items a digest, `feeds` the only feeds it reads (empty: all).

    `added` is aware UTC; `last_turn` is the local date of the last edition in which it took part.
    """

    channel: ChannelId
    name: str
    query: Query
    cadence: Days = DAILY
    limit: int = DEFAULT_LIMIT
    feeds: tuple[str, ...] = ()
    id: SubscriptionId = SubscriptionId(0)
    added: datetime | None = None
    last_turn: date | None = None


def named(name: str) -> str:
    """A name as it heads a section: one line of at most `MAX_NAME` characters; InputError if it is empty."""
    clean = clip(plain(name), MAX_NAME)
    if not clean:
        raise InputError(f"{clip(name, 60)!r} cannot be a name", "write a few words: Chain of thought")
    return clean
