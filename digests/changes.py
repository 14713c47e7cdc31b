"""A change: who changed what of a channel, and the facts before and after, as an audit row keeps them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from digests.channel import Channel, ChannelId
from digests.query import parse
from digests.schedule import format_holidays, parse_days
from digests.subscription import Subscription

Facts = tuple[tuple[str, str], ...]
"""Named values as a person reads them: (("limit", "10"), ("every", "daily"))."""


@dataclass(frozen=True, slots=True)
class Change:
    """Who changed what of a channel, and when: `before` and `after` hold the facts that differ.

    `who` is a platform and a person ("slack:U1"), `what` the command's verb; `at` is aware UTC.
    """

    channel: ChannelId
    who: str
    what: str
    at: datetime
    before: Facts = ()
    after: Facts = ()
    id: int = 0


def settings(channel: Channel) -> Facts:
    """A channel's settings as people read them."""
    until = f"until {channel.paused_until}" if channel.paused_until else "no"
    return (
        ("name", channel.label),
        ("schedule", str(channel.calendar)),
        ("holidays", format_holidays(channel.calendar.holidays) or "none"),
        ("papers", str(channel.size)),
        ("layout", channel.layout.value),
        ("thread", "on" if channel.thread else "off"),
        ("empty", channel.empty_day.value),
        ("language", channel.language),
        ("managers", ", ".join(channel.managers) or "all"),
        ("paused", "yes" if channel.paused else until),
    )


def terms(subscription: Subscription) -> Facts:
    """What a person can change of a subscription."""
    return (
        ("name", subscription.name),
        ("query", str(subscription.query)),
        ("every", str(subscription.cadence)),
        ("limit", str(subscription.limit)),
        ("feeds", ",".join(subscription.feeds) or "all"),
    )


def whole(subscription: Subscription) -> Facts:
    """Everything of a subscription, so that `restored` can make it again."""
    added, turn = subscription.added, subscription.last_turn
    return (
        *terms(subscription),
        ("id", str(subscription.id)),
        ("added", added.isoformat() if added else ""),
        ("last turn", turn.isoformat() if turn else ""),
    )


def restored(channel: ChannelId, facts: Facts) -> Subscription:
    """The subscription of which `whole` gave these facts, not stored yet."""
    said = dict(facts)
    return Subscription(
        channel,
        said["name"],
        parse(said["query"]),
        cadence=parse_days(said["every"]),
        limit=int(said["limit"]),
        feeds=() if said["feeds"] == "all" else tuple(said["feeds"].split(",")),
        added=datetime.fromisoformat(said["added"]) if said["added"] else None,
        last_turn=date.fromisoformat(said["last turn"]) if said["last turn"] else None,
    )


def differing(before: Facts, after: Facts) -> tuple[Facts, Facts]:
    """Of two states the facts that differ."""
    old, new = set(before), set(after)
    return tuple(fact for fact in before if fact not in new), tuple(fact for fact in after if fact not in old)
