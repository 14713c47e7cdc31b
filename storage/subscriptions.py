"""The standing queries of the channels."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from digests.channel import ChannelId
from digests.errors import ConflictError, UnknownError
from digests.query import And, Has, Not, Or, Query
from digests.subscription import Subscription, SubscriptionId
from storage.channels import require_channel
from storage.database import Database, Session, assignments, insertion
from storage.rows import SUBSCRIPTION, listed, query_from, subscription_from, subscription_row, texts


class SubscriptionRepository:
    """`ports.Subscriptions` in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, subscription: Subscription) -> Subscription:
        with self._database.write() as session:
            require_channel(session, subscription.channel)
            _refuse_double(session, subscription)
            row = session.one(
                insertion("subscriptions", SUBSCRIPTION) + " RETURNING id", **subscription_row(subscription)
            )
            assert row
            return replace(subscription, id=SubscriptionId(row["id"]))

    def of(self, channels: Collection[ChannelId]) -> Mapping[ChannelId, tuple[Subscription, ...]]:
        found: dict[ChannelId, list[Subscription]] = {channel: [] for channel in channels}
        with self._database.read() as session:
            sql = f"SELECT * FROM subscriptions WHERE channel IN {session.texts('channels')} ORDER BY id"
            for subscription in map(subscription_from, session.all(sql, channels=[*map(str, channels)])):
                found[subscription.channel].append(subscription)
        return {channel: tuple(subscriptions) for channel, subscriptions in found.items()}

    def save(self, subscription: Subscription) -> None:
        sql = f"UPDATE subscriptions SET {assignments(SUBSCRIPTION)} WHERE id = :id AND channel = :channel"
        with self._database.write() as session:
            _refuse_double(session, subscription)
            if not session.run(sql, id=subscription.id, **subscription_row(subscription)):
                raise _unknown(subscription.id)

    def remove(self, subscription: SubscriptionId) -> None:
        with self._database.write() as session:
            if not session.run("DELETE FROM subscriptions WHERE id = :id", id=subscription):
                raise _unknown(subscription)


def rename_feed(session: Session, old: str, new: str) -> None:
    """Let the subscriptions that read a feed, or ask for it in their query, follow its new name."""
    for row in session.all("SELECT id, query, feeds FROM subscriptions"):
        feeds = listed(new if name == old else name for name in texts(row["feeds"]))
        query = str(_renamed(query_from(row["query"]), old, new))
        if (feeds, query) != (row["feeds"], row["query"]):
            query_from(query)  # QueryError, should the longer name make it too long
            sql = "UPDATE subscriptions SET feeds = :feeds, query = :query WHERE id = :id"
            session.run(sql, feeds=feeds, query=query, id=row["id"])


def _renamed(query: Query, old: str, new: str) -> Query:
    match query:
        case And(parts) | Or(parts):
            return type(query)(tuple(_renamed(part, old, new) for part in parts))
        case Not(part):
            return Not(_renamed(part, old, new))
        case Has("feed", value) if value.casefold() == old.casefold():
            return Has("feed", new)
        case _:
            return query


def _refuse_double(session: Session, subscription: Subscription) -> None:
    taken = session.one(
        "SELECT id FROM subscriptions WHERE channel = :channel AND name = :name AND id <> :id",
        channel=str(subscription.channel),
        name=subscription.name,
        id=subscription.id,
    )
    if taken:
        raise ConflictError(
            f"{subscription.channel} has a subscription called {subscription.name!r} already",
            "give it another name",
        )


def _unknown(subscription: SubscriptionId) -> UnknownError:
    return UnknownError(
        f"there is no subscription {subscription}",
        "see a channel's with: paperround subscriptions list CHANNEL",
    )
