"""Tests of delivery: each message once and in order, whatever the platform answers."""

import asyncio
import time
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from digests.channel import ChannelId
from digests.deliver import Outcome, _settle, deliver
from digests.digest import Digest, Foot
from digests.errors import DeliveryError
from digests.outbox import Delivery, Edition, Receipt, Stage, failed, sent
from digests.ports import Store
from storage.store import open_store
from tests.fakes import LAB, NOON, FakeMessenger, channel

OTHER = ChannelId("console", "lab", "other")
DAY = date(2026, 12, 1)


class Clock:
    """A clock that moves when it is told to."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A database with two channels."""
    opened = open_store(tmp_path / "p.db")
    for place in (LAB, OTHER):
        opened.channels.add(channel(id=place))
    yield opened
    opened.close()


def put(store: Store, messenger: FakeMessenger, place: ChannelId = LAB) -> list[str]:
    """An edition in the outbox; gives the keys of its messages."""
    digest = Digest(str(place), "#ml", DAY, "UTC", (), Foot())
    edition = Edition(place, DAY, digest, messenger.render(digest), NOON)
    assert store.outbox.put(edition, [])
    return [f"{place}|{DAY}|{part}" for part in range(1, messenger.parts + 1)]


def clear(*, permanent: bool = False) -> Callable[[], Exception]:
    return lambda: DeliveryError("no", permanent=permanent)


def unclear_after(posted: list[str], key: str) -> Callable[[], Exception]:
    """The message is posted, and the answer is lost."""

    def answer() -> Exception:
        posted.append(key)
        return DeliveryError("time-out", unclear=True)

    return answer


async def until_quiet(store: Store, messenger: FakeMessenger, clock: Clock) -> None:
    """Deliver again and again while the clock runs, as the service does it."""
    for _ in range(12):
        await deliver(store, {"console": messenger}, clock)
        clock.now += timedelta(minutes=10)


async def test_parts_are_sent_in_order(store: Store) -> None:
    """An edition of three parts arrives as three messages, one after another."""
    messenger = FakeMessenger(parts=3)
    keys = put(store, messenger)
    settled = await deliver(store, {"console": messenger}, Clock())
    assert messenger.posted == keys
    assert [delivery.stage for delivery in settled] == [Stage.SENT] * 3


async def test_second_run_sends_nothing(store: Store) -> None:
    """What has its receipt is not sent again."""
    messenger = FakeMessenger()
    keys = put(store, messenger)
    await until_quiet(store, messenger, Clock())
    assert messenger.posted == keys


@pytest.mark.parametrize("part", [1, 2, 3])
async def test_clear_refusal_is_tried_again(store: Store, part: int) -> None:
    """A platform that says no posted nothing: the part comes later, and those after it wait for it."""
    messenger = FakeMessenger(parts=3, trouble=[lambda: None] * (part - 1) + [clear()])
    keys = put(store, messenger)
    await until_quiet(store, messenger, Clock())
    assert messenger.posted == keys


@pytest.mark.parametrize("part", [1, 2, 3])
async def test_lost_answer_is_looked_up(store: Store, part: int) -> None:
    """A message that was posted though its answer was lost is found, not posted again."""
    messenger = FakeMessenger(parts=3)
    keys = put(store, messenger)
    messenger.trouble = iter([lambda: None] * (part - 1) + [unclear_after(messenger.posted, keys[part - 1])])
    await until_quiet(store, messenger, Clock())
    assert messenger.posted == keys


async def test_permanent_error_ends_the_edition_and_costs_no_other_channel(store: Store) -> None:
    """A channel that is gone is given up with all its parts; its neighbour gets its digest."""
    gone, fine = FakeMessenger(parts=2, trouble=[clear(permanent=True)]), FakeMessenger()
    put(store, gone)
    await deliver(store, {"console": gone}, Clock())
    keys = put(store, fine, OTHER)
    await until_quiet(store, fine, Clock())
    assert gone.posted == []
    assert fine.posted == keys
    stages = [delivery.stage for delivery in store.outbox.deliveries(DAY) if delivery.channel == LAB]
    assert stages == [Stage.GIVEN_UP, Stage.GIVEN_UP]


async def test_platform_that_is_not_served_is_not_touched(store: Store) -> None:
    """A process that serves only Slack leaves the terminal's messages waiting."""
    put(store, FakeMessenger())
    assert await deliver(store, {"slack": FakeMessenger()}, Clock()) == ()


def test_wait_doubles_and_obeys_the_platform(store: Store) -> None:
    """Without a word from the platform the wait doubles up to hours; with one it is obeyed."""
    put(store, FakeMessenger())
    (claimed,) = store.outbox.claim(NOON, 1, ["console"])
    waits = []
    for attempts in (1, 2, 3, 40):
        again = failed(
            type(claimed)(claimed.channel, DAY, 1, 1, "", attempts=attempts), DeliveryError("no"), NOON, NOON
        )
        assert again.not_before
        waits.append(again.not_before - NOON)
    assert waits == [timedelta(seconds=30), timedelta(seconds=60), timedelta(seconds=120), timedelta(hours=6)]
    asked = failed(claimed, DeliveryError("slow down", retry_after=timedelta(seconds=7)), NOON, NOON)
    assert asked.not_before == NOON + timedelta(seconds=7)


def test_unclear_send_is_remembered_from_its_first_try(store: Store) -> None:
    """A look-up begins where the first unclear try began, and a receipt ends it."""
    put(store, FakeMessenger())
    (claimed,) = store.outbox.claim(NOON, 1, ["console"])
    unclear = DeliveryError("reset", unclear=True)
    later = NOON + timedelta(minutes=5)
    twice = failed(failed(claimed, unclear, NOON, NOON), unclear, later, later)
    assert twice.sending_since == NOON
    assert sent(twice, Receipt("7"), later).sending_since is None


class SlowFor(FakeMessenger):
    """A platform on which some channels never answer."""

    def __init__(self, *slow: ChannelId) -> None:
        super().__init__()
        self.slow = slow

    async def send(self, delivery: Delivery) -> Receipt:
        if delivery.channel in self.slow:
            await asyncio.sleep(3600)
        return await super().send(delivery)


async def test_slow_channel_keeps_no_other_waiting(store: Store) -> None:
    """While one channel does not answer, another gets its edition, and one that is made meanwhile too."""
    messenger, stop = SlowFor(LAB), asyncio.Event()
    put(store, messenger)
    first = put(store, messenger, OTHER)
    heard: list[Outcome] = []

    def hear(outcome: Outcome) -> None:
        heard.append(outcome)
        if outcome.delivery.key == first[0]:
            third = ChannelId("console", "lab", "third")
            store.channels.add(channel(id=third))
            put(store, messenger, third)
        elif outcome.delivery.channel.channel == "third":
            stop.set()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("digests.deliver.GRACE", 0.1)
        await deliver(store, {"console": messenger}, Clock(), tell=hear, stop=stop)
    assert [outcome.delivery.channel.channel for outcome in heard] == ["other", "third", "ml"]


async def test_stopped_round_hands_back_what_is_on_its_way(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A message whose answer did not come in time is looked up by whoever takes it next, and not doubled."""
    monkeypatch.setattr("digests.deliver.GRACE", 0.05)
    messenger, clock, stop = SlowFor(LAB), Clock(), asyncio.Event()
    (key,) = put(store, messenger)
    asyncio.get_running_loop().call_later(0.05, stop.set)
    (handed_back,) = await deliver(store, {"console": messenger}, clock, stop=stop)
    assert (handed_back.stage, handed_back.sending_since) == (Stage.WAITING, NOON)
    messenger.posted.append(key)  # it had arrived after all
    messenger.slow = ()
    await until_quiet(store, messenger, clock)
    assert messenger.posted == [key]


async def test_nothing_is_begun_after_stop(store: Store) -> None:
    """A service that ends claims no more."""
    messenger, stop = FakeMessenger(), asyncio.Event()
    put(store, messenger)
    stop.set()
    assert await deliver(store, {"console": messenger}, Clock(), stop=stop) == ()
    assert messenger.posted == []


async def test_fault_of_the_platforms_code_is_unclear_and_costs_no_other(store: Store) -> None:
    """An exception that nobody expected is looked up later like a lost answer."""
    messenger, clock = FakeMessenger(trouble=[lambda: KeyError("ts")]), Clock()
    keys = [*put(store, messenger), *put(store, messenger, OTHER)]
    await until_quiet(store, messenger, clock)
    assert sorted(messenger.posted) == sorted(keys)


async def test_refusal_keeps_the_channel_and_its_papers_and_backs_off(store: Store) -> None:
    """A channel that is gone is tried ever later, up to days; told as new only the first time."""
    clock, outcomes = Clock(), list[Outcome]()
    waits = []
    for _ in range(10):
        messenger = FakeMessenger(trouble=[clear(permanent=True)])
        put(store, messenger)
        await deliver(store, {"console": messenger}, clock, tell=outcomes.append)
        refusal = store.channels.get(LAB).refusal
        assert refusal
        waits.append(refusal.retry_at - clock.now)
        assert store.outbox.last_days([LAB], DAY) == {}
        clock.now = refusal.retry_at
    assert waits[:3] == [timedelta(minutes=15), timedelta(minutes=30), timedelta(hours=1)]
    assert waits[-1] == timedelta(days=2)
    assert [outcome.refusal.count for outcome in outcomes if outcome.refusal] == list(range(1, 11))


async def test_channel_that_takes_posts_again_is_as_before(store: Store) -> None:
    """The first post that arrives ends the refusal."""
    clock, outcomes = Clock(), list[Outcome]()
    messenger = FakeMessenger(trouble=[clear(permanent=True)])
    put(store, messenger)
    await deliver(store, {"console": messenger}, clock)
    keys = put(store, messenger)
    await deliver(store, {"console": messenger}, clock, tell=outcomes.append)
    assert messenger.posted == keys
    assert store.channels.get(LAB).refusal is None
    assert [outcome.recovered for outcome in outcomes] == [True]


async def test_refusal_of_a_later_part_is_not_the_channels(store: Store) -> None:
    """Who took the first message takes posts; the rest of the edition is given up, its date is done."""
    messenger = FakeMessenger(parts=2, trouble=[lambda: None, clear(permanent=True)])
    put(store, messenger)
    await deliver(store, {"console": messenger}, Clock())
    assert store.channels.get(LAB).refusal is None
    assert store.outbox.last_days([LAB], DAY) == {LAB: DAY}


async def test_refusal_after_an_unclear_try_leaves_the_date_taken(store: Store) -> None:
    """What may have been posted is not posted again, not even when the channel comes back."""
    messenger, clock = (
        FakeMessenger(trouble=[lambda: DeliveryError("reset", unclear=True), clear(permanent=True)]),
        Clock(),
    )
    put(store, messenger)
    await until_quiet(store, messenger, clock)
    assert store.outbox.deliveries(DAY)[0].stage is Stage.GIVEN_UP
    assert store.outbox.last_days([LAB], DAY) == {LAB: DAY}


async def test_revoked_token_is_no_channels_fault(store: Store) -> None:
    """The round ends, every message waits, no channel is called refusing; with a good token all arrive."""
    revoked = DeliveryError("token revoked", permanent=True, everywhere=True)
    messenger, clock = FakeMessenger(trouble=[lambda: revoked] * 2), Clock()
    keys = [*put(store, messenger), *put(store, messenger, OTHER)]
    settled = await deliver(store, {"console": messenger}, clock)
    assert {delivery.stage for delivery in settled} == {Stage.WAITING}
    assert [channel.refusal for channel in store.channels.all()] == [None, None]
    await until_quiet(store, messenger, clock)
    assert sorted(messenger.posted) == sorted(keys)


async def test_edition_that_cannot_be_posted_is_given_up_after_a_day(store: Store) -> None:
    """Its papers come with the next one, if surely nothing was posted."""
    messenger, clock = FakeMessenger(trouble=[clear()] * 1000), Clock()
    put(store, messenger)
    for _ in range(40):
        await deliver(store, {"console": messenger}, clock)
        clock.now += timedelta(hours=1)
    assert store.outbox.deliveries(DAY)[0].stage is Stage.GIVEN_UP
    assert store.outbox.last_days([LAB], DAY) == {}


async def test_clock_that_was_wrong_holds_nothing_up(store: Store) -> None:
    """A wait, a lease and a first try of a time to come count for nothing once the clock is right."""
    messenger, clock = FakeMessenger(), Clock()
    keys = [*put(store, messenger), *put(store, messenger, OTHER)]
    clock.now += timedelta(hours=15)
    messenger.trouble = iter([unclear_after(messenger.posted, keys[0]), clear()])
    await deliver(store, {"console": messenger}, clock, LAB)
    await deliver(store, {"console": messenger}, clock, OTHER)
    clock.now = NOON
    await deliver(store, {"console": messenger}, clock)
    assert sorted(messenger.posted) == sorted(keys)


async def test_next_part_goes_at_once_though_the_last_one_is_still_being_noted(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A claim may see a settled part before its round has heard of it; what it brings is still sent."""

    def slowly(*settled: Any) -> Outcome:
        outcome = _settle(*settled)
        if outcome.delivery.channel == LAB:
            time.sleep(0.3)
        return outcome

    class Late(FakeMessenger):
        async def send(self, delivery: Delivery) -> Receipt:
            if delivery.channel == OTHER:
                await asyncio.sleep(0.1)
            return await super().send(delivery)

    monkeypatch.setattr("digests.deliver._settle", slowly)
    messenger = Late(parts=2)
    keys = [*put(store, messenger), *put(store, messenger, OTHER)]
    await deliver(store, {"console": messenger}, Clock())
    assert sorted(messenger.posted) == sorted(keys)
