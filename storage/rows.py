"""Rows of the tables ↔ values of the core.

Times are written in UTC and with microseconds, so that texts of equal width sort as the times do.
Lists are JSON; calendars, cadences and queries are the canonical text that the core prints and parses.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from digests.channel import Channel, ChannelId, EmptyDay, Layout, Refusal
from digests.dedupe import Look
from digests.digest import Digest
from digests.feed import Day, Feed
from digests.outbox import Delivery, Stage
from digests.paper import Announce, Identifier, Paper, PaperId
from digests.query import Query, parse
from digests.schedule import Calendar, format_holidays, parse_days, parse_holidays, parse_time, parse_zone
from digests.subscription import Subscription, SubscriptionId
from storage.database import Row

if TYPE_CHECKING:
    from pydantic import TypeAdapter

FEED = (
    "name",
    "url",
    "format",
    "title",
    "is_list",
    "every",
    "paused",
    "added",
    "etag",
    "last_modified",
    "due",
    "last_check",
    "last_good",
    "last_new",
    "last_count",
    "last_error",
    "failures",
    "status",
    "error_at",
    "back_at",
    "batch",
    "batch_at",
    "gap",
    "whole",
    "days",
    "held_until",
)
PAPER = (
    "title",
    "abstract",
    "authors",
    "identifiers",
    "links",
    "published",
    "venue",
    "categories",
    "version",
    "guid",
    "announce",
)
CHANNEL = (
    "id",
    "platform",
    "time",
    "days",
    "zone",
    "holidays",
    "name",
    "size",
    "layout",
    "empty_day",
    "language",
    "thread",
    "managers",
    "paused",
    "paused_until",
    "added",
    "since",
    "refused_since",
    "refusals",
    "retry_at",
    "refusal",
    "refusal_hint",
)
SUBSCRIPTION = ("channel", "name", "query", "cadence", "limit", "feeds", "added", "last_turn")
MESSAGE = (
    "channel",
    "day",
    "part",
    "parts",
    "payload",
    "stage",
    "attempts",
    "sending_since",
    "not_before",
    "receipt",
    "sent_at",
    "error",
)


_encode = json.JSONEncoder(ensure_ascii=False).encode  # json.dumps would make one for each call


def stamp(when: datetime) -> str:
    """A time as it is stored."""
    return when.astimezone(UTC).isoformat(timespec="microseconds")


def _stamp(when: datetime | None) -> str | None:
    return None if when is None else stamp(when)


def moment(stored: str) -> datetime:
    """A time as it was stored, aware UTC."""
    return datetime.fromisoformat(stored)


def _moment(stored: str | None) -> datetime | None:
    return None if stored is None else datetime.fromisoformat(stored)


def _day(stored: str | None) -> date | None:
    return None if stored is None else date.fromisoformat(stored)


def listed(texts: Iterable[str]) -> str:
    """Texts as one column holds them."""
    return _encode(list(texts)) if texts else "[]"


def texts(stored: str) -> tuple[str, ...]:
    """The texts of such a column."""
    return tuple(json.loads(stored))


def feed_row(feed: Feed) -> dict[str, object]:
    """A feed's columns."""
    return {
        "name": feed.name,
        "url": feed.url,
        "format": feed.format,
        "title": feed.title,
        "is_list": int(feed.is_list),
        "every": int(feed.every.total_seconds()),
        "paused": int(feed.paused),
        "added": _stamp(feed.added),
        "etag": feed.etag,
        "last_modified": feed.last_modified,
        "due": _stamp(feed.due),
        "last_check": _stamp(feed.last_check),
        "last_good": _stamp(feed.last_good),
        "last_new": _stamp(feed.last_new),
        "last_count": feed.last_count,
        "last_error": feed.last_error,
        "failures": feed.failures,
        "status": feed.status,
        "error_at": _stamp(feed.error_at),
        "back_at": _stamp(feed.back_at),
        "batch": feed.batch,
        "batch_at": _stamp(feed.batch_at),
        "gap": feed.gap,
        "whole": _stamp(feed.whole),
        "days": _days_text(feed.days),
        "held_until": _stamp(feed.held_until),
    }


def feed_from(row: Row) -> Feed:
    """The feed of a row."""
    return Feed(
        name=row["name"],
        url=row["url"],
        format=row["format"],
        title=row["title"],
        is_list=bool(row["is_list"]),
        every=timedelta(seconds=row["every"]),
        paused=bool(row["paused"]),
        added=_moment(row["added"]),
        etag=row["etag"],
        last_modified=row["last_modified"],
        due=_moment(row["due"]),
        last_check=_moment(row["last_check"]),
        last_good=_moment(row["last_good"]),
        last_new=_moment(row["last_new"]),
        last_count=row["last_count"],
        last_error=row["last_error"],
        failures=row["failures"],
        status=row["status"],
        error_at=_moment(row["error_at"]),
        back_at=_moment(row["back_at"]),
        batch=row["batch"],
        batch_at=_moment(row["batch_at"]),
        gap=row["gap"],
        whole=_moment(row["whole"]),
        days=_days(row["days"]),
        held_until=_moment(row["held_until"]),
    )


def _days_text(days: Iterable[Day]) -> str:
    """A feed's history as its column holds it."""
    return _encode([[day.day.isoformat(), day.papers, day.abstracts, day.new] for day in days])


def _days(text: str) -> tuple[Day, ...]:
    return tuple(Day(date.fromisoformat(day), *counts) for day, *counts in json.loads(text))


def paper_row(paper: Paper) -> dict[str, object]:
    """A paper's columns, all but `id` and `first_seen`."""
    return {
        "title": paper.title,
        "abstract": paper.abstract,
        "authors": listed(paper.authors),
        "identifiers": listed(map(str, paper.identifiers)),
        "links": listed(paper.links),
        "published": paper.published,
        "venue": paper.venue,
        "categories": listed(paper.categories),
        "version": paper.version,
        "guid": paper.guid,
        "announce": paper.announce.value,
    }


def paper_from(row: Row, feeds: Iterable[str]) -> Paper:
    """The paper of a row, and of the names of the feeds that showed it."""
    return Paper(
        title=row["title"],
        abstract=row["abstract"],
        authors=texts(row["authors"]),
        identifiers=tuple(map(_identifier, texts(row["identifiers"]))),
        links=texts(row["links"]),
        published=row["published"],
        venue=row["venue"],
        categories=texts(row["categories"]),
        version=row["version"],
        guid=row["guid"],
        announce=Announce(row["announce"]),
        id=PaperId(row["id"]),
        first_seen=moment(row["first_seen"]),
        feeds=tuple(feeds),
    )


def look_row(look: Look) -> dict[str, object]:
    """A look's columns, all but `id` and `paper`."""
    return {"title": look.title, "author": look.author, "year": look.year, "beginning": look.beginning}


def look_from(row: Row) -> Look:
    """The look of a row."""
    return Look(row["title"], row["author"], row["year"], row["beginning"])


def key_number(key: str) -> int:
    """What stands for a weak key: two keys with one number cost a comparison and no more."""
    return int.from_bytes(hashlib.sha256(key.encode(errors="replace")).digest()[:8], "big", signed=True)


def _identifier(stored: str) -> Identifier:
    kind, _, value = stored.partition(":")
    return Identifier(kind, value)


def channel_row(channel: Channel) -> dict[str, object]:
    """A channel's columns."""
    return {
        "id": str(channel.id),
        "platform": channel.id.platform,
        "time": channel.calendar.time.isoformat(timespec="minutes"),
        "days": str(channel.calendar.days),
        "zone": str(channel.calendar.zone),
        "holidays": format_holidays(channel.calendar.holidays),
        "name": channel.name,
        "size": channel.size,
        "layout": channel.layout.value,
        "empty_day": channel.empty_day.value,
        "language": channel.language,
        "thread": int(channel.thread),
        "managers": listed(channel.managers),
        "paused": int(channel.paused),
        "paused_until": channel.paused_until and channel.paused_until.isoformat(),
        "added": _stamp(channel.added),
        "since": _stamp(channel.since),
        **_refusal_row(channel.refusal),
    }


def _refusal_row(refusal: Refusal | None) -> dict[str, object]:
    return {
        "refused_since": _stamp(refusal.since) if refusal else None,
        "refusals": refusal.count if refusal else 0,
        "retry_at": _stamp(refusal.retry_at) if refusal else None,
        "refusal": refusal.what if refusal else "",
        "refusal_hint": refusal.hint if refusal else "",
    }


def _refusal(row: Row) -> Refusal | None:
    since, retry_at = _moment(row["refused_since"]), _moment(row["retry_at"])
    if since is None or retry_at is None:
        return None
    return Refusal(since, row["refusals"], retry_at, row["refusal"], row["refusal_hint"])


def channel_from(row: Row) -> Channel:
    """The channel of a row."""
    return Channel(
        id=ChannelId.parse(row["id"]),
        calendar=_calendar(row["time"], row["days"], row["zone"], row["holidays"]),
        name=row["name"],
        size=row["size"],
        layout=Layout(row["layout"]),
        empty_day=EmptyDay(row["empty_day"]),
        language=row["language"],
        thread=bool(row["thread"]),
        managers=texts(row["managers"]),
        paused=bool(row["paused"]),
        paused_until=_day(row["paused_until"]),
        added=_moment(row["added"]),
        since=_moment(row["since"]),
        refusal=_refusal(row),
    )


@lru_cache(maxsize=4096)  # 10,000 channels share a few hundred calendars
def _calendar(time: str, days: str, zone: str, holidays: str) -> Calendar:
    return Calendar(parse_time(time), parse_days(days), parse_zone(zone), parse_holidays(holidays))


def subscription_row(subscription: Subscription) -> dict[str, object]:
    """A subscription's columns, all but `id`."""
    return {
        "channel": str(subscription.channel),
        "name": subscription.name,
        "query": str(subscription.query),
        "cadence": str(subscription.cadence),
        "limit": subscription.limit,
        "feeds": listed(subscription.feeds),
        "added": _stamp(subscription.added),
        "last_turn": subscription.last_turn and subscription.last_turn.isoformat(),
    }


def subscription_from(row: Row) -> Subscription:
    """The subscription of a row."""
    return Subscription(
        channel=ChannelId.parse(row["channel"]),
        name=row["name"],
        query=query_from(row["query"]),
        cadence=parse_days(row["cadence"]),
        limit=row["limit"],
        feeds=texts(row["feeds"]),
        id=SubscriptionId(row["id"]),
        added=_moment(row["added"]),
        last_turn=_day(row["last_turn"]),
    )


@lru_cache(maxsize=16384)
def query_from(stored: str) -> Query:
    """The query of its canonical text; kept, for every digest asks for all of them again."""
    return parse(stored)


def message_row(delivery: Delivery) -> dict[str, object]:
    """A message's columns, all but its lease."""
    return {
        "channel": str(delivery.channel),
        "day": delivery.day.isoformat(),
        "part": delivery.part,
        "parts": delivery.parts,
        "payload": delivery.payload,
        "stage": delivery.stage.value,
        "attempts": delivery.attempts,
        "sending_since": _stamp(delivery.sending_since),
        "not_before": _stamp(delivery.not_before),
        "receipt": delivery.receipt,
        "sent_at": _stamp(delivery.sent_at),
        "error": delivery.error,
    }


def message_from(row: Row) -> Delivery:
    """The delivery of a message's row that has `made` and `thread` beside its own columns."""
    return Delivery(
        channel=ChannelId.parse(row["channel"]),
        day=date.fromisoformat(row["day"]),
        part=row["part"],
        parts=row["parts"],
        payload=row["payload"],
        stage=Stage(row["stage"]),
        attempts=row["attempts"],
        sending_since=_moment(row["sending_since"]),
        not_before=_moment(row["not_before"]),
        receipt=row["receipt"],
        sent_at=_moment(row["sent_at"]),
        error=row["error"],
        made=_moment(row["made"]),
        thread=row["thread"],
    )


def digest_text(digest: Digest) -> str:
    """A digest as JSON."""
    return _digests().dump_json(digest).decode()


def digest_from(stored: str) -> Digest:
    """The digest of such a text."""
    return _digests().validate_json(stored)


@cache
def _digests() -> TypeAdapter[Digest]:
    from pydantic import TypeAdapter  # here: takes 0.2 s, and most commands store no digest

    return TypeAdapter(Digest)
