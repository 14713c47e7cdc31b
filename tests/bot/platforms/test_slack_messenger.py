"""Tests of bot/platforms/slack/messenger.py: unmodified slack_sdk against a Slack that has moods."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.platforms.slack import SlackMessenger, connect
from bot.platforms.slack.pace import Pace
from bot.platforms.slack.refusals import MENDING, OF_THE_APP
from digests.channel import ChannelId
from digests.deliver import deliver
from digests.errors import DeliveryError
from digests.outbox import LEASE, Delivery, Edition, Stage
from storage.store import DatabaseStore, open_store
from tests.bot.platforms.slack_samples import DAY, LONG
from tests.fakes import NOON, channel
from tests.servers.slack import Mood, Slack, serve_slack

C1 = ChannelId("slack", "T1", "C1")
KEYS = [f"{C1}|{DAY}|{part}" for part in (1, 2, 3)]
NO_PACE = Pace(of_channel=0, of_all=0)
MOODS = [mood for mood in Mood if mood is not Mood.FINE]


class Clock:
    """A clock that stands still until it jumps."""

    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> datetime:
        return self.now

    def jump(self, by: timedelta = timedelta(minutes=10)) -> None:
        self.now += by


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[DatabaseStore]:
    """A store with the three-part edition of channel C1 in its outbox."""
    opened = open_store(tmp_path / "paperround.db")
    put(opened, C1)
    yield opened
    opened.close()


@pytest.fixture
async def slack(clock: Clock) -> AsyncIterator[Slack]:
    async with serve_slack(clock) as server:
        yield server


def put(store: DatabaseStore, address: ChannelId) -> None:
    store.channels.add(channel(id=address))
    payloads = SlackMessenger(connect("")).render(LONG)
    assert store.outbox.put(Edition(address, DAY, LONG, payloads, NOON), ())


def messenger(slack: Slack, token: str = "", timeout: int = 1) -> SlackMessenger:
    client = connect(token or slack.token, api_url=slack.url, timeout=timeout)
    return SlackMessenger(client, posts=NO_PACE, look_ups=NO_PACE)


async def run(store: DatabaseStore, slack: Slack, clock: Clock, rounds: int = 30) -> list[Delivery]:
    """Deliver what is due, jump, and so on until nothing is open; gives what became of each part."""
    sender = messenger(slack)
    for _ in range(rounds):
        await deliver(store, {"slack": sender}, clock)
        parts = sorted(store.outbox.deliveries(DAY), key=lambda delivery: (delivery.channel, delivery.part))
        if all(delivery.stage in (Stage.SENT, Stage.GIVEN_UP) for delivery in parts):
            break
        clock.jump()
    return parts


def assert_posted_once(slack: Slack, parts: list[Delivery]) -> None:
    """Each part stands in the channel once, in order, the later ones under the first; receipts are right."""
    posted = slack.posted["C1"]
    assert slack.keys("C1") == KEYS
    assert [message.get("thread_ts") for message in posted] == [None, posted[0]["ts"], posted[0]["ts"]]
    assert [part.receipt for part in parts] == [message["ts"] for message in posted]


@pytest.mark.parametrize("part", [1, 2, 3])
@pytest.mark.parametrize("mood", MOODS, ids=lambda mood: mood.value)
async def test_each_part_is_posted_once_whatever_goes_wrong(
    mood: Mood, part: int, store: DatabaseStore, slack: Slack, clock: Clock
) -> None:
    """After any one failure at any one part the channel has all three parts, once each and in order."""
    slack.upset(part, mood)
    assert_posted_once(slack, await run(store, slack, clock))


QUICK = [
    mood for mood in MOODS if mood not in (Mood.HANGS_APPLIED, Mood.TOO_FAST_UNSAID, Mood.TOO_FAST_BRIEFLY)
]


@settings(max_examples=25)
@given(
    posting=st.lists(st.tuples(st.integers(1, 3), st.sampled_from(QUICK)), max_size=6),
    reading=st.lists(st.sampled_from([Mood.FINE, *QUICK]), max_size=6),
)
def test_each_part_is_posted_once_in_any_run_of_bad_luck(
    posting: list[tuple[int, Mood]], reading: list[Mood], tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Failure upon failure, of posts and of look-ups: still all parts, once each and in order."""

    async def example() -> None:
        clock = Clock()
        store = open_store(tmp_path_factory.mktemp("luck") / "paperround.db")
        put(store, C1)
        async with serve_slack(clock) as slack:
            for part, mood in posting:
                slack.upset(part, mood)
            slack.reading_moods.extend(reading)
            assert_posted_once(slack, await run(store, slack, clock))
        store.close()

    asyncio.run(example())


@pytest.mark.parametrize("arrived", [True, False])
async def test_a_process_that_died_while_posting_is_followed_by_a_look_up(
    arrived: bool, store: DatabaseStore, slack: Slack, clock: Clock
) -> None:
    """Whether the message of a dead sender arrived or not, it stands there once in the end."""
    (claimed,) = store.outbox.claim(clock(), 1, ["slack"])
    if arrived:
        await messenger(slack).send(claimed)
    clock.jump(LEASE + timedelta(seconds=1))
    assert_posted_once(slack, await run(store, slack, clock))


@pytest.mark.parametrize("hours", [-23, 23])
async def test_a_message_is_found_though_the_clocks_differ(
    hours: int, store: DatabaseStore, clock: Clock
) -> None:
    """Slack's clock may be most of a day ahead or behind."""
    async with serve_slack(lambda: clock() + timedelta(hours=hours)) as slack:
        slack.upset(1, Mood.RESET_APPLIED)
        assert_posted_once(slack, await run(store, slack, clock))


async def test_a_message_is_found_on_a_later_page(store: DatabaseStore, slack: Slack, clock: Clock) -> None:
    """A busy channel: forty messages came after the one that is looked for."""
    slack.upset(1, Mood.RESET_APPLIED)
    await deliver(store, {"slack": messenger(slack)}, clock)
    slack.chat("C1", [f"hello {number}" for number in range(40)])
    clock.jump()
    await run(store, slack, clock)
    assert [key for key in keyed(slack) if key] == KEYS


def keyed(slack: Slack) -> list[str]:
    """What stands in C1: the key of a message of ours, "" for anybody else's."""
    return [m["metadata"]["event_payload"]["key"] if "metadata" in m else "" for m in slack.posted["C1"]]


async def test_a_look_up_of_many_pages_goes_on_where_it_was_stopped(
    store: DatabaseStore, slack: Slack, clock: Clock
) -> None:
    """One page a minute: each look-up reads one page more, and the last finds the message."""
    slack.upset(1, Mood.RESET_APPLIED)
    sender = messenger(slack)
    await deliver(store, {"slack": sender}, clock)
    slack.chat("C1", [f"hello {number}" for number in range(40)])
    slack.reading_moods.extend([Mood.FINE, Mood.TOO_FAST] * 3)
    for _ in range(3):
        clock.jump()
        await deliver(store, {"slack": sender}, clock)
    assert [key for key in keyed(slack) if key] == KEYS
    cursors = [asked.get("cursor") for method, asked in slack.requests if method == "conversations.history"]
    assert cursors == [None, "15", "15", "30", "30"]


async def test_a_look_up_that_is_forbidden_leaves_the_message_unclear(
    store: DatabaseStore, slack: Slack, clock: Clock
) -> None:
    """Without the scope to read, nothing is posted a second time; with it, delivery goes on."""
    slack.upset(1, Mood.RESET_APPLIED)
    slack.scopes.remove("channels:history")
    parts = await run(store, slack, clock, rounds=5)
    assert slack.keys("C1") == KEYS[:1]
    assert "may have arrived" in parts[0].error
    slack.scopes.add("channels:history")
    clock.jump(timedelta(hours=6))
    assert_posted_once(slack, await run(store, slack, clock))


async def test_a_part_whose_thread_is_gone_was_not_posted(slack: Slack) -> None:
    """A look-up in a thread that somebody deleted finds nothing."""
    lost = Delivery(C1, DAY, 2, 2, "{}", sending_since=NOON, thread="1.000000")
    assert await messenger(slack).find_sent(lost) is None


@pytest.mark.parametrize("code", sorted(MENDING))
async def test_a_refusal_that_no_second_try_heals_is_permanent(
    code: str, store: DatabaseStore, slack: Slack, clock: Clock
) -> None:
    """The delivery is given up at once, and the error names the channel, the code and the next step."""
    slack.refusals["C1"] = code
    (claimed,) = store.outbox.claim(clock(), 1, ["slack"])
    with pytest.raises(DeliveryError) as caught:
        await messenger(slack).send(claimed)
    assert caught.value.permanent
    assert caught.value.everywhere == (code in OF_THE_APP)
    assert "slack:T1/C1" in str(caught.value)
    assert code in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize("code", ["token_revoked", "account_inactive", "missing_scope"])
async def test_a_refusal_of_the_app_costs_no_channel_its_digest(
    code: str, store: DatabaseStore, slack: Slack, clock: Clock
) -> None:
    """The token is revoked for a while: afterwards every part is posted, once and in order."""
    slack.refusals["C1"] = code
    await run(store, slack, clock, rounds=3)
    del slack.refusals["C1"]
    clock.jump(timedelta(hours=6))
    assert_posted_once(slack, await run(store, slack, clock))


async def test_a_lost_channel_holds_up_no_other(store: DatabaseStore, slack: Slack, clock: Clock) -> None:
    """C1 is archived: it is tried once; C2 gets its three parts."""
    put(store, ChannelId("slack", "T1", "C2"))
    slack.refusals["C1"] = "is_archived"
    await run(store, slack, clock)
    assert len(slack.keys("C2")) == 3
    assert sum(asked["channel"] == "C1" for _, asked in slack.requests) == 1


async def test_a_missing_scope_is_named(slack: Slack) -> None:
    """What Slack says is needed stands in the error."""
    slack.scopes.remove("chat:write")
    with pytest.raises(DeliveryError, match=r"missing_scope \(chat:write\).*OAuth"):
        await messenger(slack).send(first_part())


async def test_a_long_wait_goes_back_to_the_outbox(slack: Slack) -> None:
    """A 429 that asks for thirty seconds is not slept through: the lease runs meanwhile."""
    slack.upset(1, Mood.TOO_FAST)
    with pytest.raises(DeliveryError) as caught:
        await messenger(slack).send(first_part())
    assert caught.value.retry_after == timedelta(seconds=30)
    assert not caught.value.unclear
    assert len(slack.requests) == 1


async def test_a_server_that_is_not_there_is_a_clear_no(slack: Slack) -> None:
    """Where no connection stands, nothing can have been posted."""
    client = connect(slack.token, api_url="http://127.0.0.1:1/api/")
    with pytest.raises(DeliveryError, match="cannot be reached") as caught:
        await SlackMessenger(client).send(first_part())
    assert not caught.value.unclear


async def test_posts_are_quiet(store: DatabaseStore, slack: Slack, clock: Clock) -> None:
    """No post has link previews, looks for names to mention, or repeats a reply in the channel."""
    await run(store, slack, clock)
    for _, asked in slack.requests:
        assert asked["unfurl_links"] is asked["unfurl_media"] is False
        assert not {"link_names", "parse", "reply_broadcast"} & asked.keys()


async def test_the_token_is_never_shown(
    store: DatabaseStore, slack: Slack, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    """Not in a log at its loudest, an error, a stored row or a repr."""
    caplog.set_level(logging.DEBUG)
    secret, sender = slack.token, messenger(slack)
    for mood in (Mood.HTML, Mood.TOO_FAST, Mood.RESET, Mood.BROKEN):
        slack.upset(1, mood)
        await deliver(store, {"slack": sender}, clock)
        clock.jump()
    slack.token = "xoxb-another"
    await deliver(store, {"slack": sender}, clock)
    shown = [caplog.text, repr(sender), repr(sender.__dict__), repr(store.outbox.deliveries(DAY))]
    assert "api/chat.postMessage" in caplog.text
    assert "invalid_auth" in shown[-1]
    assert not [text for text in shown if secret in text]


def first_part() -> Delivery:
    return Delivery(C1, DAY, 1, 1, SlackMessenger(connect("")).render(LONG)[0])
