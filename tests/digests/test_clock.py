"""The calendar in service: whatever befalls clock, settings and processes, a local date has one digest."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from zoneinfo import ZoneInfo

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from digests.channel import Channel, moved, paused, resumed
from digests.compose import Fault, compose, compose_now
from digests.deliver import deliver
from digests.errors import DeliveryError
from digests.outbox import Delivery, Receipt, Stage
from digests.query import parse
from digests.schedule import DAILY, WEEKDAYS, Calendar, Days, latest_believable
from digests.subscription import Subscription
from storage.store import open_store
from tests.fakes import LAB, FakeMessenger

ZONES = st.sampled_from(
    ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe", "America/Havana", "UTC")
)
TIMES = st.sampled_from((time(0), time(0, 30), time(2, 30), time(9), time(23, 45)))
STARTS = st.sampled_from(
    [
        datetime(2026, 3, 28, 3, tzinfo=UTC),
        datetime(2026, 10, 24, 20, tzinfo=UTC),
        datetime(2026, 6, 5, tzinfo=UTC),
    ]
)
MINUTE, QUARTER, DAY = timedelta(minutes=1), timedelta(minutes=15), timedelta(days=1)


class Forgetful(FakeMessenger):
    """A messenger that loses its answer when it is told to."""

    loses: Iterator[bool] = iter(())

    async def send(self, delivery: Delivery) -> Receipt:
        receipt = await super().send(delivery)
        if next(self.loses, False):
            raise DeliveryError("the answer was lost", unclear=True)
        return receipt


def became_due(calendar: Calendar, day: date) -> datetime:
    """The first quarter of an hour in which the wall shows the day's time or later, found by looking."""
    moment = datetime.combine(day, time(), UTC) - DAY
    while (wall := moment.astimezone(calendar.zone)).date() < day or (
        wall.date() == day and wall.time() < calendar.time
    ):
        moment += QUARTER
    return moment


class Lives(RuleBasedStateMachine):
    """A channel's life under two processes on one database; `steady_since`: nothing odd has happened."""

    @initialize(start=STARTS, zone=ZONES, at=TIMES)
    def begin(self, start: datetime, zone: str, at: time) -> None:
        self.folder = TemporaryDirectory()
        self.stores = [open_store(Path(self.folder.name) / "p.db") for _ in range(2)]
        self.messenger = Forgetful()
        self.now = self.steady_since = start
        calendar = Calendar(at, DAILY, ZoneInfo(zone))
        self.stores[0].channels.add(Channel(LAB, calendar, added=start, since=start))
        self.stores[0].subscriptions.add(Subscription(LAB, "Topic", parse("nothing"), added=start))

    def teardown(self) -> None:
        if hasattr(self, "stores"):
            self.ends_well()
            for store in self.stores:
                store.close()
            self.folder.cleanup()

    @property
    def channel(self) -> Channel:
        return self.stores[0].channels.get(LAB)

    @property
    def last(self) -> date | None:
        return self.stores[0].outbox.last_days([LAB], latest_believable(self.now)).get(LAB)

    def tick(self, *processes: int) -> None:
        """Let these processes do their jobs twice, as they do every few seconds."""
        messengers = {"console": self.messenger}
        for process in processes * 2:
            assert not [
                made
                for made in compose(self.stores[process], messengers, self.now)
                if isinstance(made, Fault)
            ]
            if process == processes[-1]:
                asyncio.run(deliver(self.stores[process], messengers, lambda: self.now))
        assert len(self.messenger.posted) == len(set(self.messenger.posted)), "a digest came twice"

    def nothing_is_missed(self) -> None:
        """The latest date that became due in quiet times has its digest, unless an answer is waited for."""
        calendar, first = self.channel.calendar, self.steady_since.date() - DAY
        days = [first + n * DAY for n in range((self.now.date() - first).days + 2)]
        due = [
            day
            for day in days
            if day in calendar.days and self.steady_since < became_due(calendar, day) <= self.now
        ]
        if due and not self.channel.paused and not self.channel.paused_until:
            assert self.waits or (self.last and self.last >= due[-1]), f"{due[-1]} has no digest"

    @property
    def waits(self) -> bool:
        stages = {delivery.stage for delivery in self.stores[0].outbox.deliveries()}
        return not stages.isdisjoint((Stage.WAITING, Stage.SENDING))

    @rule(minutes=st.integers(1, 300), both=st.booleans())
    def time_goes_by(self, minutes: int, both: bool) -> None:
        self.now += minutes * MINUTE
        self.tick(*((0, 1) if both else (minutes % 2,)))
        self.nothing_is_missed()

    @rule(hours=st.integers(6, 250))
    def nobody_serves_for_a_while(self, hours: int) -> None:
        self.now += timedelta(hours=hours)
        self.tick(0)
        self.nothing_is_missed()

    @rule(minutes=st.sampled_from((-500_000, -3000, -1500, -61, -5, 5, 61, 1500, 3000, 500_000)))
    def clock_is_set(self, minutes: int) -> None:
        self.now += minutes * MINUTE
        self.tick(0, 1)
        self.steady_since = self.now

    @rule(zone=ZONES, at=TIMES, days=st.sampled_from((DAILY, WEEKDAYS)))
    def calendar_changes(self, zone: str, at: time, days: Days) -> None:
        calendar = replace(self.channel.calendar, zone=ZoneInfo(zone), time=at, days=days)
        self.stores[0].channels.save(moved(self.channel, calendar, self.now, self.last))
        self.tick(0)
        self.steady_since = self.now

    @rule()
    def somebody_wants_it_now(self) -> None:
        compose_now(self.stores[1], self.channel, {"console": self.messenger}, self.now, "cli:dana")
        self.tick(0)

    @rule(days=st.integers(0, 3))
    def somebody_pauses(self, days: int) -> None:
        until = self.channel.calendar.local_date(self.now) + days * DAY if days else None
        self.stores[0].channels.save(paused(self.channel, self.now, until))
        self.tick(1)

    @precondition(lambda self: self.channel.paused or self.channel.paused_until)
    @rule()
    def somebody_resumes(self) -> None:
        self.stores[1].channels.save(resumed(self.channel, self.now))
        self.tick(1)
        self.steady_since = self.now

    @rule()
    def channel_is_removed_and_added_again(self) -> None:
        old, had = self.channel, self.stores[0].subscriptions.of([LAB])[LAB]
        self.stores[0].channels.remove(LAB)
        self.stores[1].channels.add(Channel(LAB, old.calendar, added=self.now, since=self.now))
        self.stores[1].subscriptions.add(replace(had[0], added=self.now, last_turn=None))
        self.tick(0, 1)
        self.steady_since = self.now

    @rule(losses=st.lists(st.booleans(), min_size=1, max_size=3))
    def answers_get_lost(self, losses: list[bool]) -> None:
        self.messenger.loses = iter(losses)

    def ends_well(self) -> None:
        """Two quiet days at the end: what waits arrives, and each of their dates has its digest."""
        self.messenger.loses = iter(())
        self.stores[0].channels.save(resumed(self.channel, self.now))
        for _ in range(18):
            self.now += timedelta(hours=1)
            self.tick(0)
        assert not self.waits
        self.steady_since = self.now
        for _ in range(30):
            self.now += timedelta(hours=1)
            self.tick(1)
            self.nothing_is_missed()
        sent = {
            delivery.key for delivery in self.stores[0].outbox.deliveries() if delivery.stage is Stage.SENT
        }
        assert sent <= set(self.messenger.posted)


TestLives = Lives.TestCase
TestLives.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
