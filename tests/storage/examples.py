"""Feeds, papers, channels, subscriptions and editions for the tests of the storage."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from zoneinfo import ZoneInfo

from digests.channel import Channel, ChannelId
from digests.digest import Digest, Foot, Item, Progress, Section, Silent
from digests.feed import Feed
from digests.outbox import Edition
from digests.paper import Entry, Paper, PaperId, from_entry
from digests.query import parse
from digests.schedule import WEEKDAYS, Calendar
from digests.subscription import Subscription
from storage.store import DatabaseStore

NOW = datetime(2026, 12, 1, 8, 0, tzinfo=UTC)
DAY = date(2026, 12, 1)
ML = ChannelId.parse("slack:T1/C1")
BIO = ChannelId.parse("discord:7/8")


def a_feed(name: str = "arxiv-cs", **settings: object) -> Feed:
    """A feed that was never read."""
    return Feed(**({"name": name, "url": f"https://example.org/{name}"} | settings))  # type: ignore[arg-type]


def a_paper(number: int = 1, **fields: object) -> Paper:
    """A paper of its own words, with an arXiv id made of the number."""
    given = {
        "title": f"Study {number} of diffusion",
        "abstract": f"We study restoration number {number}. It works.",
        "authors": ("Ada Lovelace", "Émile Borel"),
        "identifiers": (f"arXiv:2511.{number:05}v1",),
        "published": "2026-11-30",
        "categories": ("cs.CL",),
    }
    return from_entry(Entry(**(given | fields)))  # type: ignore[arg-type]


def a_channel(channel: ChannelId = ML, **settings: object) -> Channel:
    """A channel that gets its digests at nine on weekdays in Berlin."""
    calendar = Calendar(time(9), WEEKDAYS, ZoneInfo("Europe/Berlin"), frozenset({date(2026, 12, 25)}))
    return Channel(**({"id": channel, "calendar": calendar, "name": "ml"} | settings))  # type: ignore[arg-type]


def a_subscription(name: str = "Reasoning", **settings: object) -> Subscription:
    """A subscription of `ML`."""
    given = {"channel": ML, "name": name, "query": parse('"large language models" reasoning'), "added": NOW}
    return Subscription(**(given | settings))  # type: ignore[arg-type]


def an_edition(
    *papers: PaperId,
    channel: ChannelId = ML,
    day: date = DAY,
    payloads: tuple[str, ...] = ("one", "two"),
    made: datetime = NOW,
) -> Edition:
    """An edition that shows those papers in one section, with everything that a foot may say."""
    items = tuple(
        Item(paper, f"Paper {paper}", authors=("A",), summary="It works.", marks=((0, 2),), matched=("it",))
        for paper in papers
    )
    foot = Foot(12, NOW, (Silent("pubmed", "silent", NOW),), (Progress("iclr", 40, 112),), 11, NOW)
    digest = Digest(str(channel), "#ml", day, "Europe/Berlin", (Section("Reasoning", items),), foot)
    return Edition(channel, day, digest, payloads, made)


def with_papers(store: DatabaseStore, *papers: Paper, feed: str = "arxiv-cs") -> tuple[PaperId, ...]:
    """Register a feed with those papers; gives their ids."""
    return store.feeds.add(a_feed(feed), papers, NOW).new
