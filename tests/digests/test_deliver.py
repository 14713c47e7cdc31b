"""Tests of delivery: each message once and in order, whatever the platform answers."""

from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from digests.channel import ChannelId
from digests.deliver import deliver
from digests.digest import Digest, Foot
from digests.errors import DeliveryError
from digests.outbox import Edition, Receipt, Stage, failed, sent
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
