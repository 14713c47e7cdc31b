"""Tests of the service: it catches up, goes on whatever fails, and stops without losing or doubling."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot import service
from bot.desk import Desk
from bot.platforms import Finding, chosen, names
from bot.service import Service
from bot.settings import Settings
from bot.shelf import Shelf
from digests.changes import Change
from digests.channel import ChannelId
from digests.errors import DeliveryError
from digests.feed import Feed, Fetched
from digests.outbox import Delivery, Receipt, Stage
from digests.ports import Fetcher, Store
from digests.query import parse
from digests.subscription import Subscription
from storage.store import open_store
from tests.bot.world import World, faults, furnished, world
from tests.fakes import LAB, NOON, FakeFetcher, FakeMessenger, channel

CHAT = ChannelId("chat", "lab", "ml")


@dataclass
class FakePlatform:
    """A platform in memory: what it was told, and how often it was connected."""

    messenger: FakeMessenger = field(default_factory=FakeMessenger)
    told: list[tuple[str, str]] = field(default_factory=list)
    connections: int = 0
    refuses: int = 0

    async def serve(self, desk: Desk) -> None:
        await asyncio.Event().wait()

    async def check(self, channels: Iterable[ChannelId]) -> tuple[Finding, ...]:
        return ()

    async def tell(self, person: str, text: str) -> None:
        self.told.append((person, text))

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[FakePlatform]:
        self.connections += 1
        if self.connections <= self.refuses:
            raise DeliveryError("no way through", hint="check the network")
        yield self


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A database with a channel on each of two platforms, both due."""
    opened = open_store(tmp_path / "p.db")
    for place in (LAB, CHAT):
        opened.channels.add(channel(id=place))
        opened.subscriptions.add(Subscription(place, "Topic", parse("nothing"), added=NOON))
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits for seconds in life waits for moments here."""
    monkeypatch.setattr(service, "FIRST_WAIT", 0.02)
    monkeypatch.setattr("digests.deliver.GRACE", 0.05)


@asynccontextmanager
async def running(
    store: Store,
    look_over: Callable[[], Iterable[Finding]] = tuple,
    fetcher: Fetcher | None = None,
    **platforms: FakePlatform,
) -> AsyncIterator[Service]:
    """The service at work; it is stopped at the end."""
    connects = {name: platform.connect for name, platform in platforms.items()}
    at_work = Service(store, lambda: NOON, fetcher or FakeFetcher({}), connects, look_over)
    stop = asyncio.Event()
    task = asyncio.create_task(at_work.run(stop))
    yield at_work
    stop.set()
    async with asyncio.timeout(20):
        await task


async def until(holds: Callable[[], object]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110 -- it watches a database
            await asyncio.sleep(0.01)


async def test_what_is_due_is_posted_at_once(store: Store) -> None:
    """A start catches up: feeds are read, editions made and sent, without waiting for an interval."""
    store.feeds.add(Feed("arxiv", "https://a.example/"), (), NOON)
    console, chat = FakePlatform(), FakePlatform()
    async with running(store, console=console, chat=chat):
        await until(lambda: console.messenger.posted and chat.messenger.posted)
        await until(lambda: store.feeds.get("arxiv").last_check)
    assert (len(console.messenger.posted), len(chat.messenger.posted)) == (1, 1)


class OneSlowFetcher(FakeFetcher):
    """One host never answers."""

    async def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> Fetched:
        if "slow" in url:
            await asyncio.sleep(3600)
        return await super().fetch(url)


async def test_slow_host_holds_up_no_other_check_and_no_later_round(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each check is a line as it ends; what becomes due meanwhile is checked; a stop waits for nobody."""
    monkeypatch.setattr(service, "REFRESH_EVERY", timedelta(seconds=0.1))
    store.feeds.add(Feed("slow", "https://slow.example/"), (), NOON)
    store.feeds.add(Feed("quick", "https://a.example/"), (), NOON)

    def checked() -> list[str]:
        return [line["feed"] for line in lines if line["event"] == "feed failed"]

    with capture_logs() as lines:
        async with running(store, fetcher=OneSlowFetcher({}), chat=FakePlatform()):
            await until(lambda: checked() == ["quick"])
            store.feeds.add(Feed("late", "https://b.example/"), (), NOON)
            await until(lambda: checked() == ["quick", "late"])
            begun = time.monotonic()
        assert time.monotonic() - begun < 2
    assert [feed.name for feed in store.feeds.due(NOON)] == ["slow"]


async def test_fault_of_our_own_is_told_with_its_origin(store: Store) -> None:
    """Its traceback stands in the log, for there is nothing else to report."""
    fault = RecursionError("too deep")
    for name in ("odd", "gone"):
        store.feeds.add(Feed(name, f"https://{name}.example/"), (), NOON)
    with capture_logs() as lines:
        async with running(store, fetcher=FakeFetcher({"https://odd.example/": fault}), chat=FakePlatform()):
            await until(lambda: sum(line["event"] == "feed failed" for line in lines) == 2)
    told = {line["feed"]: line["exc_info"] for line in lines if line["event"] == "feed failed"}
    assert told == {"odd": fault, "gone": None}


async def test_first_digests_wait_for_the_hosts_that_answer_only(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is read at the start belongs into today's digests; a host that says nothing does not hold them."""
    monkeypatch.setattr(service, "SLOW", 0.3)
    store.feeds.add(Feed("slow", "https://slow.example/"), (), NOON)
    for number in range(3):
        store.feeds.add(Feed(f"quick-{number}", f"https://a.example/{number}"), (), NOON)
    with capture_logs() as lines:
        async with running(store, fetcher=OneSlowFetcher({}), chat=(chat := FakePlatform())):
            await until(lambda: chat.messenger.posted)
    events = [line["event"] for line in lines]
    assert "feed failed" not in events[events.index("edition composed") :]
    assert events.count("feed failed") == 3


async def test_platform_that_cannot_be_reached_costs_no_other(store: Store) -> None:
    """It is tried again, ever later, and then gets what waits for it."""
    lost, chat = FakePlatform(refuses=3), FakePlatform()
    with capture_logs() as lines:
        async with running(store, console=lost, chat=chat):
            await until(lambda: lost.messenger.posted and chat.messenger.posted)
    said = [line["error"] for line in lines if line["event"] == "platform not connected"]
    assert said == ["no way through; check the network"] * 3


async def test_channel_that_refuses_is_told_of_once(store: Store) -> None:
    """The log says it once with the mending, and who changed the channel last is told."""
    store.audit.add(Change(CHAT, "chat:U7", "subscribe", NOON))
    refusal = DeliveryError("the channel is archived", permanent=True, hint="unarchive it")
    chat = FakePlatform(FakeMessenger(trouble=[lambda: refusal] * 5))
    with capture_logs() as lines:
        async with running(store, chat=chat):
            await until(lambda: chat.told)
    ((person, text),) = chat.told
    assert person == "U7"
    assert "the channel is archived" in text
    assert "unarchive it" in text
    assert [line["mend"] for line in lines if line["event"] == "channel refuses posts"] == ["unarchive it"]


async def test_revoked_token_stops_the_platform_not_the_service(store: Store) -> None:
    """One line says it; no channel is blamed; the other platform goes on."""
    revoked = DeliveryError("token revoked", permanent=True, everywhere=True, hint="set a new one")
    chat, console = FakePlatform(FakeMessenger(trouble=[lambda: revoked] * 50)), FakePlatform()
    with capture_logs() as lines:
        async with running(store, chat=chat, console=console):
            await until(lambda: [line for line in lines if line["event"] == "platform refuses the app"])
            await until(lambda: console.messenger.posted)
    assert store.channels.get(CHAT).refusal is None
    assert [d.stage for d in store.outbox.deliveries(channel=CHAT)] == [Stage.WAITING]


async def test_channel_that_cannot_be_composed_costs_no_other(store: Store) -> None:
    """Its fault is a line of its own; it is left alone for a while."""

    class Failing(FakeMessenger):
        def render(self, digest: object) -> tuple[str, ...]:
            raise RuntimeError("no")

    chat, console = FakePlatform(Failing()), FakePlatform()
    with capture_logs() as lines:
        async with running(store, chat=chat, console=console):
            await until(lambda: console.messenger.posted)
            await until(lambda: [line for line in lines if line["event"] == "edition failed"])
    assert chat.messenger.posted == []


async def test_shelf_that_cannot_be_kept_up_costs_no_edition_its_turn(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was composed is sent at once; the fault is a line of the log."""

    def keep_up(shelf: Shelf, now: datetime) -> None:
        raise RuntimeError("the disk is gone")

    monkeypatch.setattr(Shelf, "keep_up", keep_up)
    monkeypatch.setattr(service, "DELIVER_EVERY", timedelta(hours=1))
    with capture_logs() as lines:
        async with running(store, chat=(chat := FakePlatform())):
            await until(lambda: chat.messenger.posted)
            await until(lambda: [line for line in lines if line["event"] == "job failed"])
    assert [line["job"] for line in lines if line["event"] == "job failed"] == ["compose"]


async def test_stop_hands_back_what_it_holds(store: Store) -> None:
    """A message that is on its way when the service stops can be looked up by the next one at once."""

    class Hanging(FakeMessenger):
        asked = 0

        async def send(self, delivery: Delivery) -> Receipt:
            self.asked += 1
            await asyncio.sleep(3600)
            raise AssertionError

    hanging = Hanging()
    async with running(store, chat=FakePlatform(hanging)):
        await until(lambda: hanging.asked)
    (delivery,) = store.outbox.deliveries(channel=CHAT)
    assert (delivery.stage, delivery.sending_since) == (Stage.WAITING, NOON)


async def test_admin_is_told_once_of_what_is_wrong_and_of_its_mending(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Housekeeping repeats nothing."""
    monkeypatch.setattr(service, "HOUSEKEEPING_EVERY", service.DELIVER_EVERY / 100)
    is_full = True
    looked = 0

    def look_over() -> Iterator[Finding]:
        nonlocal looked
        looked += 1
        yield Finding("disk", not is_full, "3 bytes free", "make room")

    with capture_logs() as lines:
        async with running(store, look_over, chat=FakePlatform()):
            await until(lambda: looked > 3)
            is_full = False
            await until(lambda: [line for line in lines if line["event"] == "mended"])
    assert [line["event"] for line in lines if line.get("of") == "disk"] == ["look at this", "mended"]


def test_platforms_are_found_by_listing_their_folder() -> None:
    """The terminal where no token is set."""
    assert {"console", "slack", "discord"} <= set(names())
    assert chosen(Settings(_env_file=None)) == ("console",)  # type: ignore[call-arg]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_process_ends_cleanly_on_a_signal(tmp_path: Path, number: signal.Signals) -> None:
    """Exit code 0 within 20 s, also when a platform does not answer, and the next start finishes the work."""
    async with world(tmp_path) as here:
        channels = furnished(here, slack=1, discord=2, papers=20, size=5)
        here.discord.latency = 3600.0
        service = await here.start()
        await service.until("message sent")
        begun = time.monotonic()
        service.process.send_signal(number)
        assert await service.end() == 0
        assert time.monotonic() - begun < 20
        here.discord.latency = 0.0
        here.clock.offset += timedelta(minutes=3)  # what was on its way is looked up
        await finished(here, channels)


async def test_two_processes_share_one_database(tmp_path: Path) -> None:
    """They post everything once between them."""
    async with world(tmp_path) as here:
        channels = furnished(here, slack=2, discord=4, papers=60, size=12)
        other = await here.start()
        await finished(here, channels)
        other.process.terminate()
        assert await other.end() == 0
        assert faults(here, channels) == []


async def test_without_a_token_digests_come_on_the_terminal(tmp_path: Path) -> None:
    """`paperround run` needs nothing to be tried out; the log and the digests go separate ways."""
    async with world(tmp_path) as here:
        opened = open_store(here.db)
        opened.channels.add(channel())
        opened.subscriptions.add(Subscription(LAB, "Topic", parse("nothing"), added=NOON))
        opened.close()
        none = dict.fromkeys(("SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "DISCORD_TOKEN"), "")
        service = await here.start(**{f"PAPERROUND_{name}": value for name, value in none.items()})
        await service.until("message sent")
        service.process.terminate()
        assert await service.end() == 0
    assert "Paper digest · #ml" in service.written


async def finished(here: World, channels: tuple[ChannelId, ...]) -> None:
    """Run the service until every channel has its edition; stop it."""
    last = await here.start()

    def is_done() -> bool:
        opened = open_store(here.db)
        deliveries = opened.outbox.deliveries()
        opened.close()
        return {d.channel for d in deliveries} == set(channels) and {d.stage for d in deliveries} == {
            Stage.SENT
        }

    async with asyncio.timeout(60):
        while not await asyncio.to_thread(is_done):  # noqa: ASYNC110 -- it watches a database
            await asyncio.sleep(0.2)
    last.process.terminate()
    assert await last.end() == 0
    assert faults(here, channels) == []
