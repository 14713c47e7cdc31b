"""Papers, feeds, channels and the rest as plain JSON values for scripts; their keys are kept stable."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, datetime
from typing import Any

from pydantic import TypeAdapter

from digests.changes import Change
from digests.channel import Channel
from digests.digest import Digest
from digests.feed import Feed
from digests.heading import heading
from digests.health import DAY_NAMES, Health, State, usual_on
from digests.outbox import Delivery
from digests.paper import Identifier, Paper, identify, landing, written_id
from digests.reading import Reading
from digests.schedule import format_holidays, format_interval
from digests.subscription import Subscription
from digests.summary import summarise

Json = dict[str, Any]

_DIGEST = TypeAdapter(Digest)


def paper_json(paper: Paper, summary: Collection[str] | None = None) -> Json:
    """A paper; `id` is "" before it is stored, `summary` is made here unless it is given."""
    sentences = summarise(paper.abstract, paper.title) if summary is None else summary
    return {
        "id": written_id(paper.id),
        "title": paper.title,
        "heading": paper.title or heading(paper.abstract),
        "authors": list(paper.authors),
        "abstract": paper.abstract,
        "summary": " ".join(sentences),
        "identifiers": identifiers(paper),
        "link": landing(paper),
        "links": list(paper.links),
        "published": paper.published,
        "venue": paper.venue,
        "categories": list(paper.categories),
        "first_seen": when(paper.first_seen),
        "feeds": list(paper.feeds),
    }


def identifiers(paper: Paper) -> list[str]:
    """Its identifiers as people cite them, arXiv with the version last seen; last the feed's own key."""
    named = [_cited(identifier, paper.version) for identifier in paper.identifiers]
    is_another = paper.guid and paper.guid not in paper.links and not identify(paper.guid)
    return [*named, paper.guid] if is_another else named


def _cited(identifier: Identifier, version: int) -> str:
    if identifier.kind == "arxiv":
        return f"arXiv:{identifier.value}" + (f"v{version}" if version else "")
    return str(identifier)


def digest_json(digest: Digest) -> Json:
    """A digest's document."""
    document: Json = _DIGEST.dump_python(digest, mode="json")
    for section in document["sections"]:
        for item in section["items"]:
            item["paper"] = written_id(item["paper"])
    return document


def reading_json(reading: Reading, state: State | None = None) -> Json:
    """What a document gave."""
    return {
        "state": state or reading.state,
        "format": reading.format,
        "title": reading.title,
        "count": len(reading.papers),
        "papers": [paper_json(paper) for paper in reading.papers],
        "refused": [{"where": refused.where, "why": refused.why} for refused in reading.refused],
        "notes": list(reading.notes),
        "missing": dict(reading.missing),
    }


def feed_json(feed: Feed, health: Health) -> Json:
    """A registered feed, how it fares, and how many papers it usually holds on which weekday."""
    usual = [(name[:3], usual_on(feed, weekday)) for weekday, name in enumerate(DAY_NAMES)]
    return {
        "name": feed.name,
        "state": health.state,
        "why": health.why,
        "url": feed.url,
        "format": feed.format,
        "title": feed.title,
        "list": feed.is_list,
        "every": format_interval(feed.every),
        "papers": feed.last_count,
        "usual": [f"{name} {count}" for name, count in usual if count],
        "status": feed.status or None,
        "last_check": when(feed.last_check),
        "last_good": when(feed.last_good),
        "last_new": when(feed.last_new),
        "due": when(feed.due),
        "failures": feed.failures,
        "error": feed.last_error,
        "error_at": when(feed.error_at),
        "back_since": when(feed.back_at),
    }


def channel_json(channel: Channel, now: datetime, last: date | None) -> Json:
    """A channel, its settings, and its next three digests."""
    return {
        "id": str(channel.id),
        "name": channel.name,
        "time": f"{channel.calendar.time:%H:%M}",
        "days": str(channel.calendar.days),
        "zone": str(channel.calendar.zone),
        "holidays": format_holidays(channel.calendar.holidays),
        "size": channel.size,
        "layout": channel.layout,
        "empty_day": channel.empty_day,
        "language": channel.language,
        "thread": channel.thread,
        "managers": list(channel.managers),
        "paused": channel.paused,
        "paused_until": channel.paused_until.isoformat() if channel.paused_until else None,
        "next": [when(moment) for moment in channel.coming(now, 3, last)],
    }


def subscription_json(subscription: Subscription) -> Json:
    """A subscription, its query in canonical text."""
    return {
        "channel": str(subscription.channel),
        "name": subscription.name,
        "query": str(subscription.query),
        "every": str(subscription.cadence),
        "limit": subscription.limit,
        "feeds": list(subscription.feeds),
        "last_turn": subscription.last_turn.isoformat() if subscription.last_turn else None,
    }


def delivery_json(delivery: Delivery) -> Json:
    """A message on its way."""
    return {
        "channel": str(delivery.channel),
        "day": delivery.day.isoformat(),
        "part": delivery.part,
        "parts": delivery.parts,
        "stage": delivery.stage,
        "attempts": delivery.attempts,
        "sent_at": when(delivery.sent_at),
        "not_before": when(delivery.not_before),
        "receipt": delivery.receipt,
        "error": delivery.error,
    }


def change_json(change: Change) -> Json:
    """A row of the audit."""
    return {
        "at": when(change.at),
        "channel": str(change.channel),
        "who": change.who,
        "what": change.what,
        "before": dict(change.before),
        "after": dict(change.after),
    }


def when(moment: datetime | None) -> str | None:
    """A time in ISO 8601, UTC, to the second."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment else None
