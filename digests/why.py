"""Says why a paper is, was or is not in a channel's digest: each step of its way, in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property

from digests.channel import Channel
from digests.compose import FIRST_LOOK, WINDOW, Plan, Waiting, due_day, gather, liked, plan
from digests.evidence import Evidence
from digests.feed import Feed
from digests.matching import Index
from digests.paper import Announce, Paper, PaperId, written_id
from digests.ports import Store
from digests.query import And, Has, Not, Or, Query, describe, leaves, likes
from digests.schedule import latest_believable, long_date
from digests.subscription import Subscription

MAX_PARTS = 4
"""So many parts of a score, and so many matched words, are named."""

_SEEN_AS = {
    Announce.NEW: "",
    Announce.CROSS: " as a cross-list",
    Announce.REPLACE: " as a replacement",
    Announce.REPLACE_CROSS: " as the replacement of a cross-list",
}


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a paper's way into a digest: whether it went on from there, None where nothing is decided."""

    name: str
    passed: bool | None
    because: str


def why(
    store: Store, paper: Paper, channel: Channel, now: datetime, papers: Waiting | None = None
) -> tuple[Step, ...]:
    """The way of a stored paper into a channel's next digest, as far as it comes."""
    return tuple(_Walk(store, paper, channel, now, papers).steps())


class _Walk:
    """One paper's way; what is slow to find out is found out once, when it is needed."""

    def __init__(
        self, store: Store, paper: Paper, channel: Channel, now: datetime, papers: Waiting | None
    ) -> None:
        self.store = store
        self.paper = paper
        self.channel = channel
        self.now = now
        self.shared = gather(store, [channel.id], now, papers)
        self.subscriptions = self.shared.subscriptions.get(channel.id, ())
        self.last = store.outbox.last_days([channel.id], latest_believable(now)).get(channel.id)
        self.shown = store.outbox.shown(channel.id).get(paper.id)

    def steps(self) -> Iterator[Step]:
        yield self._seen()
        if not self.subscriptions:
            yield Step("subscriptions", False, f"{self.channel.label} has none yet")
            return
        open_to = []
        for subscription in self.subscriptions:
            steps = tuple(self._asked(subscription))
            yield from steps
            if all(step.passed for step in steps):
                open_to.append(subscription)
        yield self._shown_before()
        if open_to and self.shown is None:
            yield from self._today(open_to)

    def _seen(self) -> Step:
        paper, when = self.paper, self.paper.first_seen
        feeds = ", ".join(paper.feeds) or "no feed that is still registered"
        at = f", first seen {self.channel.clock(when)}" if when else ""
        return Step("seen", True, f"{written_id(paper.id)}{at}, in {feeds}{_SEEN_AS[paper.announce]}")

    # Each subscription: does it ask for the paper, may it show it?

    def _asked(self, subscription: Subscription) -> Iterator[Step]:
        name, query = subscription.name, subscription.query
        if failed := self._failed(query):
            yield Step(f"asked for by {name}", False, self._lack(failed))
            return
        words = Evidence(self.paper, tuple(leaves(query))).words[:MAX_PARTS]
        yield Step(f"asked for by {name}", True, f"matched: {', '.join(words)}" if words else "it matches")
        feeds = self._feeds(subscription)
        if subscription.feeds and not feeds:
            only = ", ".join(subscription.feeds)
            yield Step(f"feeds of {name}", False, f"{name} reads only {only}, and none of these gave it")
            return
        yield self._in_time(subscription, feeds)

    def _feeds(self, subscription: Subscription) -> tuple[Feed, ...]:
        """The feeds that gave the paper and that the subscription reads."""
        known = self.shared.feeds
        read = set(subscription.feeds or known)
        return tuple(known[name] for name in self.paper.feeds if name in known and name in read)

    def _in_time(self, subscription: Subscription, feeds: tuple[Feed, ...]) -> Step:
        name = f"in time for {subscription.name}"
        if dripping := [feed for feed in feeds if feed.is_list]:
            title = dripping[0].title or dripping[0].name
            return Step(name, True, f"{title} is a list, which drips until it is done")
        if self.shared.is_open_to(self.paper, subscription):
            return Step(name, True, f"first seen within the last {WINDOW.days} days")
        seen = self.paper.first_seen
        if seen is None or seen < self.now - WINDOW:
            return Step(
                name, False, f"it was first seen more than {WINDOW.days} days ago, and papers wait no longer"
            )
        begin = self.channel.clock((subscription.added or self.now) - FIRST_LOOK)
        return Step(name, False, f"first seen before {begin}, where this subscription begins")

    # The query, part by part.

    @cached_property
    def _index(self) -> Index:
        """The papers of the round; if this one is too old to be among them, with it.

        Alone it answers whether it satisfies a query, unless that asks what is near to another.
        """
        if any(paper.id == self.paper.id for paper in self.shared.index.papers):
            return self.shared.index
        queries = {subscription.query for subscription in self.subscriptions}
        others = self.shared.index.papers if any(map(likes, queries)) else ()
        return Index([*others, self.paper], liked(self.store, queries))

    @cached_property
    def _indexed(self) -> Paper:
        return next(paper for paper in self._index.papers if paper.id == self.paper.id)

    def _holds(self, query: Query) -> bool:
        return self._index.holds(query, self._indexed)

    def _failed(self, query: Query) -> Query | None:
        """The first part that keeps the paper out, as small as it can be said; None if nothing does."""
        if self._holds(query):
            return None
        if isinstance(query, And):
            return next(found for part in query.parts if (found := self._failed(part)))
        return query

    def _lack(self, failed: Query) -> str:
        match failed:
            case Not(Has() as part):
                return f"left out, for it is {describe(part)}"
            case Not(part):
                return f"left out, for it has: {describe(part)}"
            case Or(parts):
                return f"it has none of: {', '.join(map(describe, parts))}"
            case Has("like") if not liked(self.store, [failed]):
                return f"no paper {likes(failed)[0]} is stored that it could be compared with"
            case Has("like", value) if liked(self.store, [failed])[value].id == self.paper.id:
                return "it is that paper itself"
            case Has():
                return f"it is not {describe(failed)}"
            case _:
                return f"it lacks: {describe(failed)}"

    # The next digest: rank, turn, room.

    def _shown_before(self) -> Step:
        if self.shown is None:
            return Step("not shown before", True, f"{self.channel.label} has not had it yet")
        return Step("not shown before", False, f"{self.channel.label} had it on {long_date(self.shown)}")

    def _today(self, open_to: list[Subscription]) -> Iterator[Step]:
        day = self._next_day()
        if day is None:
            yield Step("next digest", False, self._pause())
            return
        planned = plan(self.store, self.shared, self.channel, day)
        yield from self._ranks(planned)
        yield self._place(planned, open_to)

    def _next_day(self) -> date | None:
        """The local date of the edition that comes next."""
        if due := due_day(self.channel, self.last, self.now):
            return due
        coming = self.channel.coming(self.now, 1, self.last)
        return self.channel.calendar.local_date(coming[0]) if coming else None

    def _pause(self) -> str:
        return "the channel is paused" if self.channel.paused else "no date of its schedule has a digest"

    def _ranks(self, planned: Plan) -> Iterator[Step]:
        queries = {subscription.name: subscription.query for subscription in planned.turns}
        for section in planned.selection.shares:
            for place, match in enumerate(section.ranked, 1):
                if match.paper.id == self.paper.id:
                    score = self._score(queries[section.name], match.relevance)
                    of = f"{_ordinal(place)} of {len(section.ranked)} for {section.name}"
                    yield Step(f"rank in {section.name}", None, f"{of}: {score}")

    def _score(self, query: Query, relevance: float) -> str:
        parts = [part for part in self._index.explain(query, self._indexed) if part[1] >= 0.005]
        named = ", ".join(f"{name} {share:.2f}" for name, share in parts[:MAX_PARTS])
        rest = f" and {len(parts) - MAX_PARTS} more" if len(parts) > MAX_PARTS else ""
        why = f" from {named}{rest}" if named else ""
        return f"relevance {relevance:.2f}{why}; the newer of two alike goes first"

    def _place(self, planned: Plan, open_to: list[Subscription]) -> Step:
        name = f"digest of {long_date(planned.day)}"
        for section in planned.selection.shares:
            for place, chosen in enumerate(section.chosen, 1):
                if chosen.match.paper.id == self.paper.id:
                    return Step(name, True, f"would be item {place} of {section.name}")
        if twin := planned.selection.twins.get(self.paper.id):
            return Step(name, False, f"waits for another day, for it is much like {self._named(twin)}")
        if held := self._held_back(planned):
            return Step(name, False, held)
        return Step(name, False, self._turns(planned, open_to))

    def _named(self, paper: PaperId) -> str:
        title = self.store.papers.get(paper).title
        return f"{written_id(paper)} ({title})" if title else written_id(paper)

    def _held_back(self, planned: Plan) -> str:
        """What the limits have to do with it, "" if it was not in the running."""
        limits = {subscription.name: subscription.limit for subscription in planned.turns}
        for section in planned.selection.shares:
            order = [match.paper.id for match in section.ranked]
            if self.paper.id not in order:
                continue
            chosen = {each.match.paper.id for part in planned.selection.shares for each in part.chosen}
            before = sum(paper not in chosen for paper in order[: order.index(self.paper.id)])
            full = len(section.chosen) >= limits[section.name]
            limit = f"the limit of {section.name} ({limits[section.name]})" if full else ""
            limit = limit or f"the channel's limit of {self.channel.size} papers a digest"
            return f"waits, held back by {limit}; {_waiting(before)}"
        return ""

    def _turns(self, planned: Plan, open_to: list[Subscription]) -> str:
        said = []
        for subscription in open_to:
            turn = self.channel.next_turn(subscription.cadence, self.now, planned.day, subscription.last_turn)
            when = f"on {self.channel.clock(turn)}" if turn else "on no date of the schedule"
            said.append(f"the turn of {subscription.name} ({subscription.cadence}) is {when}")
        return "waits: " + "; ".join(said)


def _waiting(before: int) -> str:
    if not before:
        return "it is the first in line"
    return f"{before} other{'s' if before > 1 else ''} in line before it"


def _ordinal(number: int) -> str:
    ending = "th" if 10 <= number % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"
