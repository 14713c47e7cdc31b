"""Tests of posting on Discord exactly once: discord.py and a real outbox against a local server."""

import asyncio
import json
import logging
import time as clocks
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import aiohttp
import pytest
from multidict import CIMultiDict
from yarl import URL

from bot.platforms.discord import DiscordMessenger, connect, traffic
from bot.platforms.discord.traffic import Traffic
from digests.channel import Channel, ChannelId
from digests.deliver import deliver
from digests.digest import Digest, Foot
from digests.errors import DeliveryError
from digests.outbox import Delivery, Edition, Stage
from digests.schedule import DAILY, Calendar
from storage.store import DatabaseStore, open_store
from tests.bot.platforms import discord_samples
from tests.servers.discord import TOKEN, DiscordServer, Fault, serve_discord

DAY = date(2026, 12, 1)
SHORT, LONG = timedelta(seconds=31), timedelta(minutes=10)
BROKEN = (Fault.BROKEN, Fault.APPLIED_THEN_BROKEN)
SILENCES = (Fault.SILENCE, Fault.APPLIED_THEN_SILENCE)


class Clock:
    """A clock that only jumps."""

    def __init__(self) -> None:
        self.now = datetime(2026, 12, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def jump(self, by: timedelta) -> None:
        self.now += by


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def server(clock: Clock) -> AsyncIterator[DiscordServer]:
    async with serve_discord(clock) as running:
        yield running


@pytest.fixture
def store(tmp_path: Path) -> Iterator[DatabaseStore]:
    opened = open_store(tmp_path / "test.db")
    yield opened
    opened.close()


def connected(
    server: DiscordServer, clock: Clock, patience: float = 5.0
) -> AbstractAsyncContextManager[DiscordMessenger]:
    """A messenger whose Discord is the local server."""
    return connect(TOKEN, clock, api_url=server.api_url, gateway_url=server.gateway_url, patience=patience)


def body(channel: str, part: int) -> str:
    """A message that says which part it is."""
    text = {"type": 10, "content": f"{channel} part {part}"}
    return json.dumps({"flags": 1 << 15, "components": [{"type": 17, "components": [text]}]})


def put(store: DatabaseStore, clock: Clock, channel: str, payloads: tuple[str, ...] = ()) -> ChannelId:
    """An edition in the outbox of a new channel, of three parts unless others are given."""
    address = ChannelId("discord", "10", channel)
    calendar = Calendar(time(9), DAILY, ZoneInfo("UTC"))
    store.channels.add(Channel(address, calendar, added=clock(), since=clock()))
    payloads = payloads or tuple(body(channel, part) for part in (1, 2, 3))
    digest = Digest(str(address), "#ml", DAY, "UTC", (), Foot())
    assert store.outbox.put(Edition(address, DAY, digest, payloads, clock()), ())
    return address


async def deliver_with_jumps(
    store: DatabaseStore, messenger: DiscordMessenger, clock: Clock, jump: timedelta
) -> None:
    """Run the job again and again, as the scheduler does, until nothing is open."""
    for _ in range(60):
        await deliver(store, {"discord": messenger}, clock)
        if all(one.stage in (Stage.SENT, Stage.GIVEN_UP) for one in store.outbox.deliveries(DAY)):
            return
        clock.jump(jump)
    pytest.fail(f"never settled: {store.outbox.deliveries(DAY)}")


def texts(server: DiscordServer, channel: str) -> list[str]:
    """What stands in a channel and its threads, in order."""
    return [message["components"][0]["components"][0]["content"] for message in server.posted(channel)]


def three(channel: str) -> list[str]:
    return [f"{channel} part {part}" for part in (1, 2, 3)]


@pytest.mark.parametrize("jump", [SHORT, LONG], ids=["nonce", "look-up"])
@pytest.mark.parametrize("fault", Fault)
async def test_each_part_arrives_once_whatever_goes_wrong(
    fault: Fault, jump: timedelta, server: DiscordServer, store: DatabaseStore, clock: Clock
) -> None:
    """A fault at any part of three, tried again soon or late: each part stands there once, in order."""
    channels = {str(100 + part): part for part in (1, 2, 3)}
    for channel, part in channels.items():
        server.add(channel)
        server.faults[channel, part].append(fault)
        put(store, clock, channel)
    # With little patience a pause of the library before its own second try is cut off as well.
    impatient = fault in SILENCES or (fault in BROKEN and jump is LONG)
    async with connected(server, clock, 0.3 if impatient else 5.0) as messenger:
        await deliver_with_jumps(store, messenger, clock, jump)
    assert {channel: texts(server, channel) for channel in channels} == {c: three(c) for c in channels}
    assert not any(server.faults.values()), "each fault was met"


async def test_a_long_digest_arrives_as_it_was_rendered(
    server: DiscordServer, store: DatabaseStore, clock: Clock
) -> None:
    """All messages of a rendered digest are taken, in order."""
    server.add("1")
    async with connected(server, clock) as messenger:
        payloads = messenger.render(discord_samples.LONG)
        put(store, clock, "1", payloads)
        await deliver_with_jumps(store, messenger, clock, SHORT)
    sent = [json.loads(payload)["components"][0]["components"] for payload in payloads]
    assert len(sent) > 1
    assert [message["components"][0]["components"] for message in server.posted("1")] == sent


async def test_faults_in_a_row_double_nothing(
    server: DiscordServer, store: DatabaseStore, clock: Clock
) -> None:
    """An applied message whose next tries meet a 429, a 503 and a reset is still found and not repeated."""
    server.add("1")
    put(store, clock, "1")
    row = (Fault.APPLIED_THEN_RESET, Fault.LIMITED_FOR_LONG, Fault.UNAVAILABLE, Fault.RESET)
    server.faults["1", 1].append(row[0])
    server.faults["1", 2].extend(row[1:])
    async with connected(server, clock) as messenger:
        await deliver_with_jumps(store, messenger, clock, timedelta(seconds=65))
    assert texts(server, "1") == three("1")


async def test_a_refusal_after_an_unclear_try_leaves_it_unclear(server: DiscordServer, clock: Clock) -> None:
    """A 429 on the second try says nothing about the first, so that the message is still looked up later."""
    server.add("1")
    server.faults["1", 1].append(Fault.LIMITED_FOR_LONG)
    open_try = delivery("1", sending_since=clock())
    async with connected(server, clock) as messenger:
        with pytest.raises(DeliveryError) as caught:
            await messenger.send(open_try)
    assert caught.value.unclear
    assert caught.value.retry_after == timedelta(seconds=60)


def delivery(channel: str, part: int = 1, **fields: object) -> Delivery:
    """A claimed message."""
    made = Delivery(ChannelId("discord", "10", channel), DAY, part, 3, body(channel, part), attempts=1)
    return replace(made, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize("applied", [True, False])
@pytest.mark.parametrize("part", [1, 2, 3])
async def test_a_process_that_died_while_sending_doubles_and_loses_nothing(
    part: int, applied: bool, server: DiscordServer, store: DatabaseStore, clock: Clock
) -> None:
    """Claimed, perhaps posted, never settled: the next process posts what is missing and only that."""
    server.add("1")
    put(store, clock, "1")
    async with connected(server, clock) as messenger:
        for _ in range(part - 1):
            (claimed,) = store.outbox.claim(clock(), 1, ["discord"])
            receipt = await messenger.send(claimed)
            store.outbox.settle(
                replace(claimed, stage=Stage.SENT, receipt=receipt.message, sending_since=None)
            )
        (claimed,) = store.outbox.claim(clock(), 1, ["discord"])
        if applied:
            await messenger.send(claimed)
    clock.jump(LONG)
    async with connected(server, clock) as messenger:
        await deliver_with_jumps(store, messenger, clock, SHORT)
    assert texts(server, "1") == three("1")


async def test_the_message_is_found_among_many_others(server: DiscordServer, clock: Clock) -> None:
    """The look-up reads the history page by page, past what others wrote."""
    server.add("1")
    async with connected(server, clock) as messenger:
        server.chatter("1", 230)
        receipt = await messenger.send(delivery("1"))
        server.chatter("1", 30)
        since = clock()
        clock.jump(LONG)
        found = await messenger.find_sent(delivery("1", sending_since=since))
        other = await messenger.find_sent(delivery("1", part=2, sending_since=since))
    assert found == receipt
    assert other is None


async def test_an_unreadable_history_proves_nothing(server: DiscordServer, clock: Clock) -> None:
    """Without Read Message History Discord gives an empty list: that is no reason to post again."""
    server.add("1").history_is_open = False
    async with connected(server, clock) as messenger:
        await messenger.send(delivery("1"))
        since = clock()
        clock.jump(LONG)
        with pytest.raises(DeliveryError, match="Read Message History") as caught:
            await messenger.find_sent(delivery("1", sending_since=since))
    assert caught.value.unclear
    assert not caught.value.permanent


async def test_a_clock_that_was_set_back_leads_to_a_look_up(server: DiscordServer, clock: Clock) -> None:
    """A first try that lies in the future says nothing about the age of its nonce."""
    server.add("1")
    async with connected(server, clock) as messenger:
        receipt = await messenger.send(delivery("1"))
        found = await messenger.find_sent(delivery("1", sending_since=clock() + timedelta(minutes=5)))
    assert found == receipt


async def test_later_parts_stand_in_the_thread_of_the_first(
    server: DiscordServer, store: DatabaseStore, clock: Clock
) -> None:
    """One thread, whose id is the first message's, holds all the other parts."""
    server.add("1")
    put(store, clock, "1")
    async with connected(server, clock) as messenger:
        await deliver_with_jumps(store, messenger, clock, SHORT)
    (first,) = server.channels["1"].messages
    assert [m["channel_id"] for m in server.posted("1")] == ["1", first["id"], first["id"]]
    assert sum(asked.endswith("/threads") for asked in server.asked) == 1


async def test_a_thread_that_is_there_already_is_used(server: DiscordServer, clock: Clock) -> None:
    """A second try at the second part meets 160004, which is as good as a new thread."""
    server.add("1")
    async with connected(server, clock) as messenger:
        first = await messenger.send(delivery("1"))
        await messenger.send(delivery("1", part=2, thread=first.message))
        again = await messenger.send(delivery("1", part=2, thread=first.message))
    assert texts(server, "1") == three("1")[:2]
    assert again.message == server.channels[first.message].messages[0]["id"]


@pytest.mark.parametrize("refused", ["threads", "thread_post"])
async def test_without_threads_the_parts_follow_in_the_channel(
    refused: str, server: DiscordServer, store: DatabaseStore, clock: Clock
) -> None:
    """A bot that may not make threads, or not write in them, posts all parts in the channel, in order."""
    channel = server.add("1")
    channel.refusals[refused] = (403, 50013)
    put(store, clock, "1")
    async with connected(server, clock) as messenger:
        await deliver_with_jumps(store, messenger, clock, SHORT)
    assert [m["channel_id"] for m in server.posted("1")] == ["1"] * 3
    assert texts(server, "1") == three("1")


@pytest.mark.parametrize("part", [2, 3])
@pytest.mark.parametrize("fault", [Fault.APPLIED_THEN_RESET, Fault.RESET])
async def test_without_threads_an_unclear_part_is_looked_up_in_the_channel(
    fault: Fault, part: int, server: DiscordServer, store: DatabaseStore, clock: Clock
) -> None:
    """The look-up reads the channel as well as the thread that could not be made."""
    server.add("1").refusals["threads"] = (403, 50013)
    server.faults["1", part].append(fault)
    put(store, clock, "1")
    async with connected(server, clock) as messenger:
        await deliver_with_jumps(store, messenger, clock, LONG)
    assert texts(server, "1") == three("1")


@pytest.mark.parametrize(
    ("status", "code", "hint"),
    [
        (403, 50001, "View Channel"),
        (403, 50013, "Send Messages"),
        (403, 50007, "direct messages"),
        (404, 10003, "subscribe again"),
        (400, 50035, "report"),
        (400, 99999, ""),
    ],
)
async def test_a_lasting_no_ends_the_delivery_and_says_how_to_mend_it(
    status: int, code: int, hint: str, server: DiscordServer, clock: Clock
) -> None:
    """Discord's own refusals are permanent, are not repeated, and come with the next step."""
    server.add("1").refusals["post"] = (status, code)
    async with connected(server, clock) as messenger:
        with pytest.raises(DeliveryError) as caught:
            await messenger.send(delivery("1"))
    assert caught.value.permanent
    assert hint in caught.value.hint
    assert sum(asked.startswith("POST") for asked in server.asked) == 1


async def test_what_stands_before_discord_is_no_lasting_no(server: DiscordServer, clock: Clock) -> None:
    """A 403 without one of Discord's codes, as a proxy gives it, is tried again."""
    server.add("1").refusals["post"] = (403, 0)
    async with connected(server, clock) as messenger:
        with pytest.raises(DeliveryError) as caught:
            await messenger.send(delivery("1"))
    assert not caught.value.permanent
    assert not caught.value.unclear


async def test_after_a_refused_token_nothing_more_is_asked(server: DiscordServer, clock: Clock) -> None:
    """A revoked token costs one invalid request, however many messages wait."""
    server.add("1")
    async with connected(server, clock) as messenger:
        server.token_is_good = False
        for _ in range(3):
            with pytest.raises(DeliveryError, match="token") as caught:
                await messenger.send(delivery("1"))
            assert caught.value.everywhere
            assert not caught.value.unclear
        with pytest.raises(DeliveryError) as caught:
            await messenger.send(delivery("1", sending_since=clock()))
    assert caught.value.unclear, "what was open before stays open"
    assert server.statuses[401] == 1


async def test_a_wrong_token_is_told_at_once(server: DiscordServer, clock: Clock) -> None:
    """Connecting with a token that Discord does not know says what to do about it."""
    with pytest.raises(DeliveryError, match="PAPERROUND_DISCORD_TOKEN"):
        async with connect("no", clock, api_url=server.api_url, gateway_url=server.gateway_url):
            pytest.fail("connected")


async def test_many_invalid_requests_stop_all_requests(
    server: DiscordServer, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Long before Discord bans the address, the client asks for nothing more and says when to come back."""
    monkeypatch.setattr(traffic, "INVALID_REQUESTS", 5)
    server.add("1").refusals["post"] = (403, 50013)
    async with connected(server, clock) as messenger:
        for _ in range(8):
            with pytest.raises(DeliveryError) as caught:
                await messenger.send(delivery("1"))
    assert server.statuses[403] == 5
    assert caught.value.retry_after
    assert caught.value.everywhere
    assert not caught.value.permanent


async def test_bursts_stay_within_the_limit_over_all_routes(
    server: DiscordServer, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many channels at once are posted to without a single 429."""
    monkeypatch.setattr(traffic, "AT_ONCE", 20)
    monkeypatch.setattr(traffic, "WITHIN", 1.1)
    server.per_second = 20
    channels = [server.add(str(number)).id for number in range(45)]
    async with connected(server, clock) as messenger:
        await asyncio.gather(*(messenger.send(delivery(channel)) for channel in channels))
    assert server.statuses[429] == 0
    assert all(len(server.posted(channel)) == 1 for channel in channels)


async def test_requests_keep_their_distance_however_busy_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any request leaves a whole window after the one that was so many before it, and lateness is made up."""
    monkeypatch.setattr(traffic, "AT_ONCE", 20)
    monkeypatch.setattr(traffic, "WITHIN", 0.4)
    left: list[float] = []
    trace, loop = Traffic().trace(), asyncio.get_running_loop()
    (start,), (sent,) = trace.on_request_start, trace.on_request_headers_sent
    url, headers = URL("https://discord.example/api/v10/channels/1/messages"), CIMultiDict[str]()

    async def ask(number: int) -> None:
        context = SimpleNamespace()
        await start(None, context, aiohttp.TraceRequestStartParams("POST", url, headers))  # type: ignore[arg-type]
        if number % 7 == 0:
            clocks.sleep(0.03)  # noqa: ASYNC251  # the loop is held up, as by a commit
        await asyncio.sleep(0)
        await sent(None, context, aiohttp.TraceRequestHeadersSentParams("POST", url, headers))  # type: ignore[arg-type]
        left.append(loop.time())

    await asyncio.gather(*map(ask, range(80)))
    assert min(last - first for first, last in zip(left, left[20:], strict=False)) >= 0.4 - 0.001
    assert left[-1] - left[0] < 1.15 * 79 * 0.4 / 20


async def test_a_channel_at_its_limit_delays_no_other(server: DiscordServer, clock: Clock) -> None:
    """The library waits for one channel's bucket while the messages of another go out."""
    server.bucket = (2, 0.5)
    server.add("1"), server.add("2")
    async with connected(server, clock) as messenger:
        slow = [asyncio.create_task(messenger.send(delivery("1", part))) for part in range(1, 5)]
        await messenger.send(delivery("2"))
        waiting = [task for task in slow if not task.done()]
        await asyncio.gather(*slow)
    assert waiting
    assert server.statuses[429] == 0


async def test_a_global_limit_that_is_cut_off_does_not_stop_the_client(
    server: DiscordServer, clock: Clock
) -> None:
    """The library would wait for ever for the end of a global limit whose waiter was cancelled."""
    server.add("1")
    async with connected(server, clock, 0.2) as messenger:
        server.per_second = 0
        with pytest.raises(DeliveryError):
            await messenger.send(delivery("1"))
        server.per_second = 100
        await messenger.send(delivery("1"))
    assert texts(server, "1") == ["1 part 1"]


async def test_nobody_is_mentioned_and_nothing_is_previewed(server: DiscordServer, clock: Clock) -> None:
    """Each message goes out without mentions and with its key's mark and nonce."""
    seen: list[dict[str, object]] = []
    server.add("1")
    async with connected(server, clock) as messenger:
        request = messenger.client.http.request

        async def watched(route: object, **sent: object) -> object:
            seen.append(sent["json"])  # type: ignore[arg-type]
            return await request(route, **sent)  # type: ignore[arg-type]

        messenger.client.http.request = watched  # type: ignore[method-assign]
        await messenger.send(delivery("1"))
        allowed = messenger.client.allowed_mentions
    (sent,) = seen
    assert sent["allowed_mentions"] == {"parse": []}
    assert allowed is not None
    assert dict(allowed.to_dict()) == {"parse": []}
    assert sent["enforce_nonce"] is True
    assert len(str(sent["nonce"])) == 25


async def test_deliveries_go_on_while_the_gateway_is_cut_and_resumed(
    server: DiscordServer, store: DatabaseStore, clock: Clock
) -> None:
    """The gateway carries commands only: a cut during a delivery is resumed, and each part arrives once."""
    server.add("1")
    server.latency = 0.05
    put(store, clock, "1")
    async with connected(server, clock) as messenger:
        client = messenger.client
        running = asyncio.create_task(client.connect())
        await client.wait_until_ready()
        resumed = asyncio.create_task(client.wait_for("shard_resumed", timeout=10))
        sending = asyncio.create_task(deliver_with_jumps(store, messenger, clock, SHORT))
        await asyncio.sleep(0.08)
        await server.drop()
        await asyncio.gather(sending, resumed)
        await client.close()
        await running
    assert texts(server, "1") == three("1")
    assert server.gateway_log == ["IDENTIFY", "RESUME session-1 from 1"]


async def test_the_token_is_told_to_nobody(
    server: DiscordServer, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither a log line, nor a repr, nor an error of a failing run carries the token."""
    caplog.set_level(logging.DEBUG)
    server.add("1")
    said: list[str] = []
    async with connected(server, clock) as messenger:
        said += [repr(messenger), repr(messenger.client), str(vars(messenger))]
        for fault in (Fault.UNAVAILABLE, Fault.RESET, Fault.LIMITED_FOR_LONG):
            server.faults["1", 1].append(fault)
            with pytest.raises(DeliveryError) as caught:
                await messenger.send(delivery("1"))
            said += [repr(caught.value), str(caught.value), repr(caught.value.__cause__)]
        server.token_is_good = False
        with pytest.raises(DeliveryError) as caught:
            await messenger.send(delivery("1"))
        said += [repr(caught.value), str(caught.value), repr(caught.value.__cause__)]
    assert TOKEN not in "\n".join([*said, caplog.text])
