"""Tests of commands on Slack: unmodified bolt against a Slack that people use, the real desk behind it."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import structlog

from bot.desk import Desk
from bot.platforms import connect
from bot.platforms.slack import inbound
from bot.platforms.slack.inbound import PATH
from bot.platforms.slack.platform import SCOPES, SlackPlatform
from bot.settings import Settings
from digests.channel import ChannelId, new_channel
from digests.commands import Caller, Place
from digests.errors import DeliveryError
from digests.feed import Feed
from digests.handlers import Office
from digests.reply import Reply
from digests.verbs import VERBS, Who
from storage.store import DatabaseStore, open_store
from tests.fakes import NOON, paper
from tests.servers.slack import SCOPES as GIVEN
from tests.servers.slack import Message, Mood, Slack, form, person, room, serve_slack, signed

C1 = ChannelId("slack", "T1", "C1")
SECRET = "0123456789abcdef"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[DatabaseStore]:
    """A store with one feed and two papers."""
    opened = open_store(tmp_path / "paperround.db")
    papers = [paper("Diffusion for restoration", "We restore images."), paper("Reasoning", "Short chains.")]
    opened.feeds.add(Feed("day", "https://day.example/", last_check=NOON), papers, NOON)
    yield opened
    opened.close()


@pytest.fixture
async def slack() -> AsyncIterator[Slack]:
    async with serve_slack(lambda: NOON) as server:
        yield server


def settings(slack: Slack, **said: Any) -> Settings:
    ways = said or {"slack_app_token": slack.app_token}
    values: dict[str, Any] = {"slack_bot_token": slack.token, "slack_api_url": slack.url, **ways}
    return Settings(**values)


@asynccontextmanager
async def served(slack: Slack, store: DatabaseStore, **said: Any) -> AsyncIterator[asyncio.Task[None]]:
    """Slack connected and its commands answered; gives the serving task."""
    async with connect("slack", settings(slack, **said), lambda: NOON) as platform:
        desk = Desk(Office(store, {"slack": platform.messenger}), lambda: NOON, lambda: None)
        task = asyncio.create_task(platform.serve(desk))
        try:
            yield task
        finally:
            task.cancel()
            await asyncio.wait([task])


@pytest.fixture
async def serving(slack: Slack, store: DatabaseStore) -> AsyncIterator[asyncio.Task[None]]:
    async with served(slack, store) as task:
        yield task


def words(answer: Message) -> str:
    """Everything that an answer shows."""
    return "\n".join(
        element["text"]
        for element in inside(answer["blocks"])
        if "text" in element and isinstance(element["text"], str)
    )


def inside(value: object) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from inside(part)


def buttons(answer: Message) -> dict[str, Message]:
    """The buttons of an answer by their labels, as a click sends them."""
    found = [element for element in inside(answer["blocks"]) if element.get("type") == "button"]
    return {b["text"]["text"]: {"action_id": b["action_id"], "value": b["value"]} for b in found}


# Commands and buttons ------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb.is_listed], ids=lambda verb: verb.name)
async def test_every_verb_is_answered(verb: Any, slack: Slack, serving: object) -> None:
    """Acknowledged with nothing, then answered for the asker alone, without previews."""
    payload = slack.command(verb.example)
    assert await slack.send("slash_commands", payload) == {}
    answer, *_ = await slack.answered(payload)
    assert answer["response_type"] == "ephemeral"
    assert (answer["unfurl_links"], answer["unfurl_media"]) == (False, False)
    assert answer["text"]
    assert "fault of mine" not in words(answer)


async def test_a_preview_is_a_digest(slack: Slack, serving: object) -> None:
    """What it would bring, then the digest itself."""
    payload = slack.command("preview restoration")
    await slack.send("slash_commands", payload)
    about, digest = await slack.answered(payload, 2)
    assert "What it would bring" in words(about)
    assert "Diffusion for restoration" in words(digest)


async def test_a_subscription_is_undone_by_its_button(
    slack: Slack, store: DatabaseStore, serving: object
) -> None:
    """Undo takes it back, and the answer that offered it is replaced."""
    subscribed = await slack.ask("subscribe diffusion")
    assert len(store.subscriptions.of([C1])[C1]) == 1
    undone = await slack.press(buttons(subscribed)["Undo"])
    assert undone["replace_original"]
    assert buttons(undone) == {}
    assert not store.subscriptions.of([C1]).get(C1)


async def test_buttons_work_after_a_restart(slack: Slack, store: DatabaseStore) -> None:
    """A button of a message that another process sent carries all that is needed."""
    async with served(slack, store):
        await slack.ask("subscribe diffusion")
        listed = await slack.ask("list")
    async with served(slack, store):
        removed = await slack.press(buttons(listed)["Remove"])
        assert "Removed diffusion." in words(removed)
        assert not removed["replace_original"]


async def test_the_zone_of_who_subscribes_becomes_the_channels(
    slack: Slack, store: DatabaseStore, serving: object
) -> None:
    """A new channel's clock is that of its first subscriber; its name is Slack's own."""
    slack.channels["C1"]["name"] = "renamed"
    await slack.ask("subscribe diffusion")
    stored = store.channels.get(C1)
    assert (str(stored.calendar.zone), stored.label) == ("Europe/Berlin", "#renamed")


async def test_mentions_and_links_arrive_as_they_were_meant(
    slack: Slack, store: DatabaseStore, serving: object
) -> None:
    """Slack writes links and people in its own way."""
    assert "2611.99999" in words(await slack.ask("why <https://arxiv.org/abs/2611.99999>"))
    await slack.ask("settings managers:<@U1|dana>,<!subteam^S1|@lab>")
    assert store.channels.get(C1).managers == ("U1", "S1")


async def test_who_writes_to_the_app_is_told_of_its_commands(slack: Slack, serving: object) -> None:
    """Once for each message of a person in a direct message; not in channels, and not to bots."""
    said = [
        slack.event("message", channel="D1", channel_type="im", user="U1", text="hello"),
        slack.event("message", channel="C1", channel_type="channel", user="U1", text="hello"),
        slack.event("message", channel="D1", channel_type="im", bot_id="B7", text="hello"),
        slack.event("message", channel="D1", channel_type="im", user="U1", subtype="message_changed"),
    ]
    for event in [*said, *said]:
        await slack.send("events_api", event)
    await slack.ask("list")
    assert [note["text"].endswith("/digest help") for note in slack.posted["D1"]] == [True]
    assert not slack.posted["C1"]


# Who may what, and where -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"is_restricted": True}, "Guests cannot"),
        ({"is_ultra_restricted": True}, "Guests cannot"),
        ({"deleted": True}, "Guests cannot"),
        ({"is_bot": True}, "Bots cannot"),
        ({"team_id": "T2"}, "own workspace"),
        ({"is_stranger": True, "team_id": "T2"}, "own workspace"),
        ({"team_id": "E1", "enterprise_user": {"teams": ["T1", "T2"]}}, "Subscribed"),
        ({}, "Subscribed"),
    ],
    ids=str,
)
async def test_people_are_what_slack_says(
    facts: dict[str, Any], said: str, slack: Slack, serving: object
) -> None:
    """Guests, bots and people of other workspaces change nothing; those of the own one do."""
    slack.users["U1"] = person("U1", **facts)
    assert said in words(await slack.ask("subscribe diffusion"))


PEOPLE: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "guest": ({"is_restricted": True}, ()),
    "plain member": ({}, ("U9",)),
    "manager": ({}, ()),
    "manager by name": ({}, ("U1",)),
    "bot": ({"is_bot": True}, ("U1",)),
    "somebody of another workspace": ({"team_id": "T2"}, ("U1",)),
}
REFUSALS = (
    "Bots cannot",
    "Only people of this channel's own",
    "Guests cannot",
    "Only this channel's managers",
)


@pytest.mark.parametrize("name", PEOPLE)
async def test_each_verb_is_for_whom_it_is_for(
    name: str, slack: Slack, store: DatabaseStore, serving: object
) -> None:
    """As Slack describes people, each verb is done or refused in one sentence, and a refusal does nothing."""
    facts, managers = PEOPLE[name]
    slack.users["U1"] = person("U1", **facts)
    store.channels.add(replace(new_channel(C1, NOON), managers=managers))
    before = store.channels.get(C1)
    for verb in VERBS:
        payload = slack.command(verb.example)
        await slack.send("slash_commands", payload)
        said = words((await slack.answered(payload))[0])  # a digest comes as a further message
        looks = name in ("guest", "plain member") and verb.who is Who.MEMBER
        assert said.startswith(REFUSALS) is not (name.startswith("manager") or looks), (verb.name, said)
    if not name.startswith("manager"):
        assert store.channels.get(C1) == before
        assert not store.audit.latest()
        assert not store.subscriptions.of([C1]).get(C1)


async def test_a_user_group_may_manage(slack: Slack, serving: object) -> None:
    """Once a group is named, its people may change the channel, and nobody else."""
    slack.users["U2"] = person("U2")
    slack.groups["S1"] = ["U1"]
    await slack.ask("settings managers:<!subteam^S1|@lab>")
    assert "Only this channel's managers" in words(await slack.ask("subscribe diffusion", user="U2"))
    assert "Subscribed" in words(await slack.ask("subscribe diffusion"))


async def test_who_is_unknown_changes_nothing(slack: Slack, serving: object) -> None:
    """Slack does not say who somebody is: they may look, not change, and are told why."""
    slack.refusals["users.info"] = "missing_scope"
    assert "No subscriptions" in words(await slack.ask("list"))
    refused = words(await slack.ask("subscribe diffusion"))
    assert "Guests cannot" in refused
    assert "missing_scope" in refused


@pytest.mark.parametrize(
    ("place", "name", "said"),
    [
        (room("C1", "x", is_member=False), "x", "/invite @paperround"),
        (room("C1", "x", is_member=False, is_private=True), "privategroup", "/invite @paperround"),
        (room("C1", "x", is_archived=True), "x", "archived"),
        (room("C1", "x", is_member=False, is_private=True), "directmessage", "no part"),
        (room("C1", "", is_im=True, is_member=False), "directmessage", "Subscribed"),
    ],
    ids=["not invited", "private", "archived", "others talk", "direct"],
)
async def test_where_nothing_can_be_posted_nothing_is_saved(
    place: Message, name: str, said: str, slack: Slack, store: DatabaseStore, serving: object
) -> None:
    """One sentence with the fix; in a direct message the same command works."""
    slack.channels["C1"] = place
    assert said in words(await slack.ask("subscribe diffusion", channel_name=name))
    assert bool(store.subscriptions.of([C1]).get(C1)) == (said == "Subscribed")


async def test_an_invitation_counts_at_once(slack: Slack, serving: object) -> None:
    """That the app was not there is not remembered."""
    slack.channels["C1"]["is_member"] = False
    await slack.ask("subscribe diffusion")
    slack.channels["C1"]["is_member"] = True
    assert "Subscribed" in words(await slack.ask("subscribe diffusion"))


async def test_what_slack_said_lately_is_not_asked_again(slack: Slack, serving: object) -> None:
    """Ten commands of one person ask three times: about them, the channel, and the groups."""
    for _ in range(10):
        await slack.ask("list")
    methods = [method for method, _ in slack.requests]
    assert sorted(methods) == sorted(
        ["auth.test", "apps.connections.open", "users.info", "conversations.info", "usergroups.list"]
    )


# Bad input -------------------------------------------------------------------------------------------------


async def test_a_command_that_slack_repeats_is_obeyed_once(
    slack: Slack, store: DatabaseStore, serving: object
) -> None:
    """The same trigger comes three times: one subscription, one answer."""
    payload = slack.command("subscribe diffusion")
    for _ in range(3):
        await slack.send("slash_commands", payload)
    await slack.ask("list")
    assert len(await slack.answered(payload)) == 1


async def test_a_double_click_counts_once(slack: Slack, serving: object) -> None:
    """Two clicks on one button of one message, at the same time: one answer."""
    subscribed = await slack.ask("subscribe diffusion")
    first, second = (slack.click(buttons(subscribed)["Undo"]) for _ in range(2))
    await asyncio.gather(slack.send("interactive", first), slack.send("interactive", second))
    await slack.ask("list")
    assert len(await slack.answered(first)) == 1
    assert await slack.answered(second, 0) == []


@pytest.mark.parametrize(
    "button",
    [
        {"action_id": "save-1", "value": "p1"},
        {"action_id": "command-1"},
        {"action_id": "command-1", "value": None, "type": "static_select"},
    ],
    ids=str,
)
async def test_a_button_of_another_version_is_answered(
    button: Message, slack: Slack, serving: object
) -> None:
    """It is not known any more, and help is offered."""
    assert "do not know this button" in words(await slack.press(button))


@pytest.mark.parametrize("value", ["undo 999999", "unsubscribe #77", "drop table", "undo -1", "x" * 2_000])
async def test_a_forged_button_is_answered(value: str, slack: Slack, serving: object) -> None:
    """What stands in a button is read like a command that somebody typed."""
    answer = await slack.press({"action_id": "command-1", "value": value})
    assert "fault of mine" not in words(answer)


@pytest.mark.parametrize(
    "text", ["subscribe " + "word " * 2_000, "why " + "x" * 9_996, "(" * 10_000, "\x00" * 9]
)
async def test_a_command_of_any_length_is_answered(text: str, slack: Slack, serving: object) -> None:
    """Ten thousand characters of anything get a sentence that fits into a message."""
    assert words(await slack.ask(text))


@pytest.mark.parametrize("missing", ["trigger_id", "user_id", "team_id", "channel_id", "response_url"])
async def test_a_command_that_lacks_something_is_refused(missing: str, slack: Slack, serving: object) -> None:
    """The asker is told in the acknowledgement, and the next command works."""
    payload = slack.command("list")
    del payload[missing]
    assert "could not read" in (await slack.send("slash_commands", payload))["text"]
    assert words(await slack.ask("list"))


@pytest.mark.parametrize("wrong", [7, None, ["C1"], {"id": "C1"}, "C1/../C2", "C" * 200])
async def test_a_command_with_nonsense_in_it_is_refused(wrong: Any, slack: Slack, serving: object) -> None:
    """An id is an id, or the command is not obeyed."""
    payload = slack.command("list") | {"channel_id": wrong}
    assert "could not read" in (await slack.send("slash_commands", payload))["text"]


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("interactive", {}),
        ("interactive", {"type": "block_actions"}),
        ("interactive", {"type": "block_actions", "actions": []}),
        ("interactive", {"type": "block_actions", "actions": [{"action_id": "command-1"}]}),
        ("interactive", {"type": "view_submission", "view": {}}),
        ("interactive", []),
        ("events_api", {"type": "event_callback"}),
        ("events_api", {"type": "event_callback", "event": None}),
        ("events_api", {"type": "event_callback", "event": {"type": "reaction_added"}}),
        ("events_api", {"type": "event_callback", "event": {"type": "tokens_revoked", "tokens": 7}}),
        ("slash_commands", {"command": 7}),
        ("slash_commands", "text"),
        ("unheard_of", {"a": 1}),
    ],
    ids=str,
)
async def test_a_malformed_payload_harms_nothing(
    kind: str, payload: Any, slack: Slack, serving: asyncio.Task[None]
) -> None:
    """It is acknowledged or left alone; the next command is answered."""
    socket = await slack.socket()
    await socket.send_json({"type": kind, "envelope_id": "E0", "payload": payload})
    await socket.send_str("{no json")
    await socket.send_str("no json")
    assert words(await slack.ask("list"))
    assert not serving.done()


async def test_a_fault_of_ours_is_answered_without_its_trace(slack: Slack, store: DatabaseStore) -> None:
    """The asker reads a sentence, the log the rest."""

    class Broken(Desk):
        async def answer(self, text: str, caller: Caller, place: Place) -> Reply:
            raise RuntimeError("secret detail")

    async with connect("slack", settings(slack), lambda: NOON) as platform:
        task = asyncio.create_task(platform.serve(Broken(Office(store, {}), lambda: NOON, lambda: None)))
        answer = await slack.ask("list")
        task.cancel()
        await asyncio.wait([task])
    assert "fault of mine" in words(answer)
    assert "secret" not in json.dumps(answer)


# Trouble with Slack ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "mood", [Mood.RESET_APPLIED, Mood.BROKEN_APPLIED, Mood.HTML, Mood.RESET, Mood.UNAVAILABLE]
)
async def test_an_answer_is_never_said_twice(mood: Mood, slack: Slack, serving: object) -> None:
    """Whatever becomes of an answer, it is not sent again; the next command is answered."""
    slack.answer_moods.append(mood)
    payload = slack.command("list")
    await slack.send("slash_commands", payload)
    await slack.until(lambda: not slack.answer_moods)
    assert words(await slack.ask("list"))
    assert len(await slack.answered(payload, 0)) == mood.applies


async def test_an_answer_that_came_too_fast_is_said_again(slack: Slack, serving: object) -> None:
    """A 429 is a clear no: after the wait that Slack asks for, the answer comes."""
    slack.answer_moods.append(Mood.TOO_FAST_BRIEFLY)
    assert words(await slack.ask("list"))


@pytest.mark.parametrize("reason", ["warning", "refresh_requested", "too_many_websockets"])
async def test_slack_may_ask_for_a_new_connection(reason: str, slack: Slack, serving: object) -> None:
    """After a disconnect message a new connection takes the commands."""
    before = await slack.socket()
    await before.send_json({"type": "disconnect", "reason": reason})
    await slack.until(lambda: before not in slack.sockets)
    assert words(await slack.ask("list"))


async def test_a_connection_that_breaks_is_made_anew(slack: Slack, serving: object) -> None:
    """Slack closes it without a word."""
    before = await slack.socket()
    await before.close()
    await slack.until(lambda: before not in slack.sockets)
    assert words(await slack.ask("list"))


async def test_a_connection_that_stays_lost_is_given_up(
    slack: Slack,
    serving: asyncio.Task[None],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """When slack_sdk does not get it back, serving ends, and the service connects anew in its own time.

    The log has one line of the library for all its tries.
    """
    monkeypatch.setattr(inbound, "LOOK_EVERY", 0.05)
    monkeypatch.setattr(inbound, "LOST_AFTER", 3.0)
    socket = await slack.socket()
    slack.app_token = "xapp-1-other"
    await asyncio.sleep(0.1)
    await socket.close()
    with pytest.raises(DeliveryError, match="connection to Slack is lost"):
        async with asyncio.timeout(10):
            await serving
    told = [record for record in caplog.records if record.getMessage().startswith("Failed to")]
    assert [record.exc_info for record in told] == [None]


@pytest.mark.parametrize(
    "event", [("app_uninstalled", {}), ("tokens_revoked", {"tokens": {"oauth": [], "bot": ["U0"]}})]
)
async def test_an_app_that_is_removed_ends_serving(
    event: tuple[str, dict[str, Any]], slack: Slack, serving: asyncio.Task[None]
) -> None:
    """The error says how to come back; no channel is at fault."""
    kind, said = event
    await slack.send("events_api", slack.event(kind, **said))
    with pytest.raises(DeliveryError, match="install the app again") as caught:
        await serving
    assert caught.value.everywhere


async def test_another_workspace_may_remove_the_app(slack: Slack, serving: asyncio.Task[None]) -> None:
    """One connection brings the events of every workspace that has the app."""
    await slack.send("events_api", slack.event("app_uninstalled") | {"team_id": "T2"})
    assert words(await slack.ask("list"))
    assert not serving.done()


async def test_a_persons_token_that_is_revoked_is_none_of_ours(
    slack: Slack, serving: asyncio.Task[None]
) -> None:
    """Only the bot's own token matters."""
    await slack.send("events_api", slack.event("tokens_revoked", tokens={"oauth": ["U7"]}))
    assert words(await slack.ask("list"))
    assert not serving.done()


async def test_a_token_that_is_revoked_in_mid_run_is_answered(slack: Slack, serving: object) -> None:
    """Slack tells nothing more: the asker may look, and is told what is wrong when they want to change."""
    slack.token = "xoxb-1-other"
    refused = words(await slack.ask("subscribe diffusion"))
    assert "invalid_auth" in refused
    assert "install the app again" in refused


@pytest.mark.parametrize("wrong", ["slack_bot_token", "slack_app_token"])
async def test_a_refused_token_says_how_to_mend_it(wrong: str, slack: Slack, store: DatabaseStore) -> None:
    """Neither the error nor its causes carry the token."""
    tokens = {"slack_bot_token": "xoxb-wrong-token", "slack_app_token": "xapp-wrong-token"}
    set_up = settings(slack, **{"slack_app_token": slack.app_token, wrong: tokens[wrong]})
    with pytest.raises(DeliveryError, match="invalid_auth; install the app again") as caught:
        async with connect("slack", set_up, lambda: NOON) as platform:
            await platform.serve(Desk(Office(store, {}), lambda: NOON, lambda: None))
    assert caught.value.everywhere
    assert "wrong-token" not in repr(caught.value) + repr(caught.value.__cause__)


async def test_answers_on_their_way_arrive_when_serving_ends(slack: Slack, store: DatabaseStore) -> None:
    """A command that was acknowledged is answered, though the service is stopped."""
    async with served(slack, store):
        payload = slack.command("list")
        await slack.send("slash_commands", payload)
    assert len(await slack.answered(payload)) == 1


# Signed requests -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Door:
    """Where signed requests are taken."""

    url: str

    async def post(
        self, body: str, headers: dict[str, str], kind: str = "application/x-www-form-urlencoded"
    ) -> tuple[int, str]:
        async with (
            aiohttp.ClientSession() as session,
            session.post(self.url, data=body.encode(), headers={**headers, "Content-Type": kind}) as answer,
        ):
            return answer.status, await answer.text()


@pytest.fixture
async def door(slack: Slack, store: DatabaseStore, unused_port: int) -> AsyncIterator[Door]:
    address = f"127.0.0.1:{unused_port}"
    async with served(slack, store, slack_signing_secret=SECRET, slack_listen=address) as task:
        while not task.done():
            try:
                (await asyncio.open_connection("127.0.0.1", unused_port))[1].close()
                break
            except OSError:
                await asyncio.sleep(0.01)
        yield Door(f"http://{address}{PATH}")


@pytest.fixture
async def unused_port() -> int:
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port: int = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    return port


async def test_a_signed_command_is_answered(slack: Slack, door: Door) -> None:
    """The request is acknowledged with nothing, the answer comes by response_url."""
    payload = slack.command("subscribe diffusion")
    assert await door.post(form(payload), signed(SECRET, form(payload))) == (200, "")
    subscribed, *_ = await slack.answered(payload)
    click = slack.click(buttons(subscribed)["Undo"])
    assert await door.post(form(click), signed(SECRET, form(click))) == (200, "")
    assert "Undone" in words((await slack.answered(click))[0])


async def test_slack_finds_the_address(slack: Slack, door: Door) -> None:
    """The challenge of a new request URL is given back."""
    body = json.dumps({"type": "url_verification", "challenge": "abc"})
    status, said = await door.post(body, signed(SECRET, body), "application/json")
    assert (status, "abc" in said) == (200, True)


@pytest.mark.parametrize(
    "headers",
    [
        lambda body: {},
        lambda body: signed("another secret", body),
        lambda body: signed(SECRET, body + "x"),
        lambda body: signed(SECRET, body, at=time.time() - 301),
        lambda body: signed(SECRET, body, at=time.time() + 400),
        lambda body: signed(SECRET, body) | {"X-Slack-Request-Timestamp": "yesterday"},
        lambda body: signed(SECRET, body) | {"X-Slack-Signature": "v0=é"},
    ],
    ids=["none", "forged", "changed", "old", "early", "no time", "no signature"],
)
async def test_a_request_that_slack_did_not_sign_is_refused(
    headers: Callable[[str], dict[str, str]], slack: Slack, store: DatabaseStore, door: Door
) -> None:
    """Forged, changed or older than five minutes: nothing is done, and the log has a line."""
    body = form(slack.command("subscribe diffusion"))
    with structlog.testing.capture_logs() as lines:
        status, _ = await door.post(body, headers(body))
    assert status in (400, 401)
    assert [line["event"] for line in lines] == ["slack request refused"]
    assert not store.subscriptions.of([C1]).get(C1)


async def test_a_replayed_request_is_obeyed_once(slack: Slack, door: Door) -> None:
    """Within five minutes a signature is good, but its command has been given."""
    payload = slack.command("list")
    headers = signed(SECRET, form(payload))
    for _ in range(3):
        assert await door.post(form(payload), headers) == (200, "")
    other = slack.command("help")
    await door.post(form(other), signed(SECRET, form(other)))
    await slack.answered(other)
    assert len(await slack.answered(payload)) == 1


@pytest.mark.parametrize(
    "body", ["", "{", "[]", "7", "payload={", "payload=[]", "payload=7", "a=%ff", "payload=%7B%7D"]
)
async def test_a_signed_request_that_makes_no_sense_harms_nothing(
    body: str, slack: Slack, door: Door
) -> None:
    """It gets a status, and the next command is answered."""
    status, said = await door.post(body, signed(SECRET, body))
    assert status < 500
    assert "Traceback" not in said
    payload = slack.command("list")
    await door.post(form(payload), signed(SECRET, form(payload)))
    assert await slack.answered(payload)


async def test_a_request_of_a_million_characters_is_refused(door: Door) -> None:
    """It is not even read."""
    status, _ = await door.post("x" * 1_500_000, signed(SECRET, ""))
    assert status == 413


async def test_an_address_that_is_taken_is_named(slack: Slack, store: DatabaseStore, door: Door) -> None:
    """The error names the variable to change."""
    address = door.url.removeprefix("http://").removesuffix(PATH)
    async with served(slack, store, slack_signing_secret=SECRET, slack_listen=address) as second:
        with pytest.raises(DeliveryError, match="PAPERROUND_SLACK_LISTEN"):
            await second


# The platform ----------------------------------------------------------------------------------------------


async def test_check_says_what_is_right_and_wrong(slack: Slack, store: DatabaseStore) -> None:
    """The token, its scopes, the app token, and each channel."""
    slack.channels["C2"] = room("C2", "left", is_member=False)
    channels = [C1, ChannelId("slack", "T1", "C2"), ChannelId("slack", "T9", "C3")]
    async with connect("slack", settings(slack), lambda: NOON) as platform:
        findings = {finding.of: finding for finding in await platform.check(channels)}
    assert {of: finding.ok for of, finding in findings.items()} == {
        "Slack token": True,
        "Slack scopes": True,
        "Slack app token": True,
        "channel slack:T1/C1": True,
        "channel slack:T1/C2": False,
        "channel slack:T9/C3": False,
    }
    assert "/invite @paperround" in findings["channel slack:T1/C2"].hint


async def test_check_says_how_to_mend_a_token(slack: Slack) -> None:
    """A scope and the app token are missing: both are named, with the place to give them."""
    async with connect("slack", settings(slack), lambda: NOON) as platform:
        assert isinstance(platform, SlackPlatform)
        platform._scopes -= {"users:read"}
        slack.app_token = "xapp-1-other"
        slack.refusals["users.conversations"] = "missing_scope"
        wrong = [finding for finding in await platform.check([C1]) if not finding.ok]
    assert [finding.of for finding in wrong] == ["Slack scopes", "Slack app token", "Slack channels"]
    assert "users:read" in wrong[0].what
    assert all(finding.hint for finding in wrong)


def test_the_scopes_are_those_of_the_manifest() -> None:
    """What check asks for is what the test server gives."""
    assert set(SCOPES) == set(GIVEN.split(","))


async def test_a_person_is_told_in_plain_words(slack: Slack) -> None:
    """A note can mention nobody, and shows no preview."""
    async with connect("slack", settings(slack), lambda: NOON) as platform:
        await platform.tell("U1", "No posts in <!channel>: https://x.example")
    (note,) = slack.posted["U1"]
    assert note["text"] == "No posts in &lt;!channel&gt;: https://x.example"
    assert (note["unfurl_links"], note["unfurl_media"]) == (False, False)


async def test_a_person_who_takes_no_notes_is_named(slack: Slack) -> None:
    """The error says what Slack said."""
    slack.refusals["U1"] = "messages_tab_disabled"
    async with connect("slack", settings(slack), lambda: NOON) as platform:
        with pytest.raises(DeliveryError, match=r"U1.*messages_tab_disabled"):
            await platform.tell("U1", "hello")


async def test_no_secret_is_logged(
    slack: Slack, store: DatabaseStore, caplog: pytest.LogCaptureFixture
) -> None:
    """A run full of failures, with every library at its most talkative: no token in any line."""
    caplog.set_level(logging.DEBUG)
    with structlog.testing.capture_logs() as lines:
        async with served(slack, store):
            slack.answer_moods.append(Mood.BROKEN)
            await slack.send("slash_commands", slack.command("list", user="U9"))
            await slack.send("slash_commands", {"command": "/digest"})
            await slack.until(lambda: not slack.answer_moods)
            await (await slack.socket()).close()
            await slack.ask("list")
    written = caplog.text + repr(lines)
    assert slack.token not in written
    assert slack.app_token not in written
