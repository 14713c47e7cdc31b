"""Tests of serving commands on Discord: discord.py, a desk and a real database against a local server."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import discord
import jsonschema
import pytest
import simcord
from pydantic import SecretStr

from bot import logs
from bot.desk import Desk
from bot.platforms.discord import clerk
from bot.platforms.discord.clerk import Clerk
from bot.platforms.discord.platform import DiscordPlatform, connect
from bot.platforms.discord.tree import tree
from bot.settings import Settings
from digests.channel import ChannelId, new_channel
from digests.commands import Caller, Place
from digests.errors import DeliveryError, StorageError
from digests.feed import Feed
from digests.handlers import Office
from digests.reply import Line, Reply
from digests.verbs import VERBS, Who
from storage.store import DatabaseStore, open_store
from tests.fakes import paper
from tests.servers.discord import (
    HISTORY,
    MANAGE_CHANNELS,
    TOKEN,
    VIEW,
    DiscordServer,
    Exchange,
    Fault,
    serve_discord,
)

NOW = datetime(2026, 12, 1, 12, tzinfo=UTC)
HERE = ChannelId("discord", "10", "1")
EXAMPLES: dict[str, dict[str, Any]] = {
    "subscribe": {"query": "robots", "limit": 3, "every": "mon,thu"},
    "edit": {"number": "1", "limit": 2},
    "unsubscribe": {"number": "1"},
    "preview": {"query": "diffusion"},
    "schedule": {"time": "09:00", "days": "weekdays", "zone": "Europe/Berlin"},
    "settings": {"papers": 5, "empty": "silent", "managers": "<@&12345678>"},
    "pause": {"until": "2027-01-07"},
    "search": {"query": "diffusion", "page": 1},
    "why": {"paper": "Diffusion"},
    "help": {"verb": "subscribe"},
}


def clock() -> datetime:
    return NOW


@pytest.fixture
async def server() -> AsyncIterator[DiscordServer]:
    async with serve_discord(clock) as running:
        running.add("1")
        yield running


@pytest.fixture
def store(tmp_path: Path) -> Iterator[DatabaseStore]:
    opened = open_store(tmp_path / "test.db")
    papers = [paper(f"Diffusion models, part {n}", "We present diffusion for images.") for n in range(8)]
    opened.feeds.add(Feed("arxiv-cs", "https://example.org/rss", "rss"), papers, NOW)
    yield opened
    opened.close()


def settings_for(server: DiscordServer) -> Settings:
    return Settings(
        discord_token=SecretStr(TOKEN), discord_api_url=server.api_url, discord_gateway_url=server.gateway_url
    )


@asynccontextmanager
async def serving(
    server: DiscordServer, desk: Desk | None = None, store: DatabaseStore | None = None
) -> AsyncIterator[DiscordPlatform]:
    """Discord served at a desk, once the gateway is ready."""
    async with connect(settings_for(server), clock) as platform:
        if desk is None:
            assert store
            desk = Desk(Office(store, {"discord": platform.messenger}), clock, lambda: None)
        task = asyncio.create_task(platform.serve(desk))
        await until(lambda: "IDENTIFY" in server.gateway_log)
        try:
            yield platform
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def answered(exchange: Exchange) -> Exchange:
    """The exchange when its answer is there."""
    async with asyncio.timeout(5):
        await exchange.answered.wait()
        await asyncio.sleep(0.05)
    return exchange


async def until(condition: Callable[[], object]) -> None:
    """Wait until it holds."""
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110  # nobody tells when it does
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("verb", [verb.name for verb in VERBS if verb.is_listed])
async def test_every_verb_is_answered(verb: str, server: DiscordServer, store: DatabaseStore) -> None:
    """Each sub-command is acknowledged for the asker alone and answered in Components V2."""
    async with serving(server, store=store):
        await answered(await server.slash("subscribe", query="diffusion", name="Images"))
        exchange = await answered(await server.slash(verb, **EXAMPLES.get(verb, {})))
    assert exchange.callback == {"type": 5, "data": {"flags": 64}}
    assert exchange.text
    assert "fault of mine" not in exchange.text
    assert all(message["flags"] & (1 << 15 | 64) == 1 << 15 | 64 for message in exchange.messages)


SCHEMAS = {
    "commands": "ApplicationCommandUpdateRequest",
    5: "CreateMessageInteractionCallbackRequest",
    8: "ApplicationCommandAutocompleteCallbackRequest",
    "original": "IncomingWebhookUpdateRequestPartial",
    "follow": "IncomingWebhookRequestPartial",
}


async def test_what_goes_over_the_wire_is_as_discord_describes_it(
    server: DiscordServer, store: DatabaseStore, shared: Path
) -> None:
    """Commands, acknowledgements, answers and completions fit Discord's official API description."""
    async with serving(server, store=store):
        for verb in (verb.name for verb in VERBS if verb.is_listed):
            await answered(await server.slash(verb, **EXAMPLES.get(verb, {})))
        await answered(await server.slash("schedule", time="9", zone="Ber", _focused="zone"))
    spec = json.loads((shared / "data/discord/openapi.json").read_text("utf-8"))
    kinds = set()
    sent: Any
    for kind, sent in server.bodies:
        for body in sent if isinstance(sent, list) else [sent]:
            name = SCHEMAS[body["type"] if kind == "callback" else kind]
            schema = {"$ref": f"#/components/schemas/{name}", "components": spec["components"]}
            fault = jsonschema.exceptions.best_match(
                jsonschema.Draft202012Validator(schema).iter_errors(body)
            )
            assert fault is None, (name, fault and fault.message)
            kinds.add(name)
    assert kinds == set(SCHEMAS.values())


async def test_commands_are_registered_only_when_they_have_changed(
    server: DiscordServer, store: DatabaseStore
) -> None:
    """A second start asks what is there and gives nothing; a foreign change is put right."""

    def registrations() -> int:
        return sum(asked.startswith("PUT") for asked in server.asked)

    for expected in (1, 1, 2):
        if expected == 2:
            server.commands[0]["options"][0]["description"] = "Something else"
        async with serving(server, store=store):
            await answered(await server.slash("help"))
            await until(lambda: any(asked.startswith("GET /applications") for asked in server.asked))
            await asyncio.sleep(0.1)
        server.gateway_log.clear()
        assert registrations() == expected


async def test_typed_options_reach_the_command(server: DiscordServer, store: DatabaseStore) -> None:
    """Numbers, lists and names given as options are those of the subscription."""
    async with serving(server, store=store):
        options = {"query": 'diffusion -"old times"', "name": "Images", "every": "mon,thu", "limit": 4}
        exchange = await answered(await server.slash("subscribe", **options, feeds="arxiv-cs"))
    (saved,) = store.subscriptions.of([HERE])[HERE]
    assert (saved.name, saved.limit, str(saved.cadence), saved.feeds) == (
        "Images",
        4,
        "mon,thu",
        ("arxiv-cs",),
    )
    assert store.channels.get(HERE).name == "ml-papers"
    assert "Subscribed to Images" in exchange.text
    assert list(exchange.buttons) == ["Undo"]


async def test_a_line_as_help_shows_it_may_stand_in_the_query(
    server: DiscordServer, store: DatabaseStore
) -> None:
    """Pasted behind the command it lands in the first option whole, and its own options count."""
    async with serving(server, store=store):
        await answered(await server.slash("subscribe", query='"large language models" -survey limit:5'))
    (saved,) = store.subscriptions.of([HERE])[HERE]
    assert (str(saved.query), saved.limit) == ('"large language models" -survey', 5)


async def test_buttons_work_after_a_restart_and_again(server: DiscordServer, store: DatabaseStore) -> None:
    """Undo on an old message takes the subscription back; a second press says that it is gone."""
    async with serving(server, store=store):
        button = (await answered(await server.slash("subscribe", query="robots"))).buttons["Undo"]
    server.gateway_log.clear()
    async with serving(server, store=store):
        first = await answered(await server.click(button))
        second = await answered(await server.click(button))
    assert not store.subscriptions.of([HERE]).get(HERE)
    assert "is removed" in first.text
    assert "gone already" in second.text
    assert first.callback == second.callback == {"type": 5, "data": {"flags": 64}}


async def test_a_list_offers_its_buttons_to_managers_only(
    server: DiscordServer, store: DatabaseStore
) -> None:
    """Each subscription comes with Edit and Remove, which do what they say."""
    async with serving(server, store=store):
        await answered(await server.slash("subscribe", query="robots"))
        shown = await answered(await server.slash("list"))
        plain = await answered(await server.slash("list", _permissions=VIEW))
        edit = await answered(await server.click(shown.buttons["Edit"]))
        removed = await answered(await server.click(shown.buttons["Remove"]))
    assert not plain.buttons
    assert "Say what to change" in edit.text
    assert "Removed robots" in removed.text


@pytest.mark.parametrize(
    "custom_id",
    [
        "",
        "digest:",
        "digest:0:",
        "digest:x:now",
        "save:12",
        "digest:0:undo 99999",
        "digest:0:\x00" + "x" * 80,
    ],
)
async def test_a_forged_or_foreign_button_is_answered(
    custom_id: str, server: DiscordServer, store: DatabaseStore
) -> None:
    """What no button of ours carries changes nothing, and says so."""
    async with serving(server, store=store):
        exchange = await answered(await server.click(custom_id))
    assert exchange.text
    assert "fault of mine" not in exchange.text
    assert not store.audit.latest()


async def test_members_may_look_and_managers_may_change(server: DiscordServer, store: DatabaseStore) -> None:
    """Manage Channels or a role that the settings name makes a manager; nothing else does."""
    async with serving(server, store=store):
        denied = await answered(await server.slash("subscribe", query="robots", _permissions=VIEW))
        await answered(await server.slash("settings", managers="<@&12345678>"))
        by_role = await answered(
            await server.slash("subscribe", query="robots", _permissions=VIEW, _roles=["12345678"])
        )
        looked = await answered(await server.slash("list", _permissions=VIEW))
        bot = await answered(await server.slash("list", _user={"id": "8", "bot": True}))
    assert "managers can do that" in denied.text
    assert "Subscribed" in by_role.text
    assert "robots" in looked.text
    assert "Bots cannot" in bot.text


PEOPLE: dict[str, dict[str, Any]] = {
    "plain member": {"_permissions": VIEW},
    "manager": {},
    "manager by role": {"_permissions": VIEW, "_roles": ["12345678"]},
    "bot": {"_user": {"id": "8", "bot": True}},
}
REFUSALS = ("Bots cannot", "Only this channel's managers")


@pytest.mark.parametrize("name", PEOPLE)
async def test_each_verb_is_for_whom_it_is_for(
    name: str, server: DiscordServer, store: DatabaseStore
) -> None:
    """As Discord describes people, each verb is done or refused in one sentence; a refusal does nothing."""
    managers = ("12345678",) if name == "manager by role" else ()
    store.channels.add(replace(new_channel(HERE, NOW), managers=managers))
    before = store.channels.get(HERE)
    async with serving(server, store=store):
        for verb in VERBS:
            if verb.is_listed:
                asked = await server.slash(verb.name, **EXAMPLES.get(verb.name, {}), **PEOPLE[name])
            else:
                asked = await server.click("digest:0:undo 1", **{k[1:]: v for k, v in PEOPLE[name].items()})
            said = (await answered(asked)).text
            looks = name == "plain member" and verb.who is Who.MEMBER
            refused = any(sentence in said for sentence in REFUSALS)
            assert refused is not (name.startswith("manager") or looks), (verb.name, said)
    if not name.startswith("manager"):
        assert store.channels.get(HERE) == before
        assert not store.audit.latest()


async def test_another_server_has_channels_of_its_own(server: DiscordServer, store: DatabaseStore) -> None:
    """A manager of one server changes nothing in another's channel, whatever its number."""
    async with serving(server, store=store):
        await answered(await server.slash("subscribe", query="robots"))
        fields = {
            "type": 2,
            "data": {"options": [{"name": "pause"}]},
            "permissions": MANAGE_CHANNELS | VIEW,
        }
        exchange = server.prepare(fields)
        payload = server.payload(exchange, fields)
        payload |= {"guild_id": "11", "guild": {"id": "11", "features": []}}
        payload["channel"]["guild_id"] = "11"
        await server.send("INTERACTION_CREATE", payload)
        await answered(exchange)
    assert "Paused" in exchange.text
    assert not store.channels.get(HERE).paused


@pytest.mark.parametrize(
    ("channel", "missing"), [({"type": 0}, "Send Messages"), ({"type": 11, "thread_metadata": {}}, "Threads")]
)
async def test_subscribing_where_the_bot_may_not_post_says_how_to_mend_it(
    channel: dict[str, Any], missing: str, server: DiscordServer, store: DatabaseStore
) -> None:
    """Without the permission to post nothing is saved."""
    if channel["type"] == 11:
        metadata = {
            "archived": False,
            "auto_archive_duration": 60,
            "archive_timestamp": "2026-01-01T00:00:00Z",
        }
        channel |= {
            "thread_metadata": metadata,
            "owner_id": "7",
            "member_count": 1,
            "message_count": 1,
            "parent_id": "1",
        }
    server.permissions = VIEW | HISTORY
    async with serving(server, store=store):
        exchange = await answered(await server.slash("subscribe", query="robots", _channel=channel))
    assert missing in exchange.text
    assert not store.channels.all()


async def test_a_direct_message_makes_a_personal_digest(server: DiscordServer, store: DatabaseStore) -> None:
    """Whoever writes to the bot manages their own channel, whose name is theirs."""
    async with serving(server, store=store):
        exchange = await answered(
            await server.slash("subscribe", query="diffusion", _context=1, _channel={"id": "57"})
        )
    assert "Subscribed" in exchange.text
    (channel,) = store.channels.all()
    assert (str(channel.id), channel.label) == ("discord:@me/57", "#dana")


@pytest.mark.parametrize(
    ("verb", "option", "typed", "first"),
    [
        ("schedule", "zone", "berl", "Europe/Berlin"),
        ("subscribe", "feeds", "arx", "arxiv-cs"),
        ("unsubscribe", "number", "rob", "1. robots"),
        ("edit", "number", "", "1. robots"),
    ],
)
async def test_options_are_completed(
    verb: str, option: str, typed: str, first: str, server: DiscordServer, store: DatabaseStore
) -> None:
    """Zones, feeds and subscriptions are offered as one types."""
    async with serving(server, store=store):
        await answered(await server.slash("subscribe", query="robots"))
        exchange = await answered(await server.slash(verb, _focused=option, **{option: typed}))
    assert exchange.choices[0]["name"] == first
    assert len(exchange.choices) <= 25


async def test_nothing_is_offered_for_what_is_not_known(server: DiscordServer, store: DatabaseStore) -> None:
    """A completion for another version's verb or option is empty."""
    async with serving(server, store=store):
        unknown = [
            await answered(await server.slash("fly", _focused="where", where="up")),
            await answered(await server.slash("subscribe", _focused="query", query="up")),
        ]
    assert [exchange.choices for exchange in unknown] == [[], []]


@pytest.mark.parametrize(
    ("verb", "options", "said"),
    [
        ("subscribe", {"query": "x" * 10_000}, "characters"),
        ("subscribe", {"query": "(rag"}, "^"),
        ("subscribe", {}, "needs a query"),
        ("settings", {"papers": 1_000}, "papers"),
        ("settings", {"colour": "red"}, "colour"),
        ("fly", {}, "not a command"),
        ("", {}, "A digest of new papers"),
    ],
)
async def test_wrong_input_is_answered(
    verb: str, options: dict[str, Any], said: str, server: DiscordServer, store: DatabaseStore
) -> None:
    """What cannot be done is said, with what would work; nothing is stored."""
    async with serving(server, store=store):
        exchange = await answered(await server.slash(verb, **options))
    assert said in exchange.text
    assert "fault of mine" not in exchange.text
    assert not store.channels.all()


async def test_an_event_that_comes_twice_is_done_once(server: DiscordServer, store: DatabaseStore) -> None:
    """A resumed gateway may bring an interaction again: its id is known."""
    async with serving(server, store=store):
        fields = {
            "type": 2,
            "data": {"options": [{"name": "subscribe", "options": [{"name": "query", "value": "robots"}]}]},
        }
        exchange = server.prepare(fields)
        payload = server.payload(exchange, fields)
        for _ in range(3):
            await server.send("INTERACTION_CREATE", payload)
        await answered(exchange)
    assert len(store.audit.latest()) == 1
    assert [kind for kind, _ in server.bodies].count("callback") == 1


WHOLE = {"id": "1", "type": 2, "token": "t", "version": 1, "application_id": "42", "attachment_size_limit": 1}


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"id": "1", "type": 2},
        {**WHOLE, "id": "x"},
        {**WHOLE, "type": 3, "data": {}},
        {**WHOLE, "data": []},
        {**WHOLE, "type": 99},
    ],
)
async def test_a_malformed_interaction_ends_nothing(
    payload: dict[str, Any], server: DiscordServer, store: DatabaseStore
) -> None:
    """It is logged, and the next command is answered over the same connection."""
    async with serving(server, store=store):
        await server.send("INTERACTION_CREATE", payload)
        exchange = await answered(await server.slash("help"))
    assert exchange.text
    assert server.gateway_log == ["IDENTIFY"]


@pytest.mark.parametrize(
    "data", [None, {}, {"options": []}, {"options": [{"name": "subscribe"}]}, {"options": [7]}]
)
async def test_a_command_without_its_parts_is_answered(
    data: Any, server: DiscordServer, store: DatabaseStore
) -> None:
    """Whatever is missing in an interaction, the person hears something."""
    async with serving(server, store=store):
        exchange = await answered(await server.interact({"type": 2, "data": data}))
    assert exchange.text


async def test_a_command_from_nowhere_is_answered(server: DiscordServer, store: DatabaseStore) -> None:
    """An interaction that names no channel is refused in words."""
    async with serving(server, store=store):
        fields: dict[str, Any] = {"type": 2, "data": {"options": [{"name": "list"}]}}
        exchange = server.prepare(fields)
        payload = server.payload(exchange, fields)
        del payload["channel"]
        await server.send("INTERACTION_CREATE", payload)
        await answered(exchange)
    assert "which channel" in exchange.text


FAULTS = set(Fault) - {
    Fault.LIMITED_FOR_LONG,
    Fault.LIMITED_WITHOUT_WORD,
    Fault.SILENCE,
    Fault.APPLIED_THEN_SILENCE,
}


@pytest.mark.parametrize("kind", ["callback", "original"])
async def test_an_answer_arrives_whatever_goes_wrong(
    kind: str, server: DiscordServer, store: DatabaseStore
) -> None:
    """A fault at the acknowledgement or at the answer is made up for, and the command is done once."""
    async with serving(server, store=store):
        exchanges = [
            await server.slash("subscribe", query=f"robots{n}", _faults={kind: [fault]})
            for n, fault in enumerate(sorted(FAULTS))
        ]
        for exchange in exchanges:
            await answered(exchange)
        await asyncio.sleep(1.5)
    for n, exchange in enumerate(exchanges):
        assert f"Subscribed to robots{n}" in exchange.text
        assert len(exchange.messages) == 1
    assert len(store.audit.latest()) == len(FAULTS)


@pytest.mark.parametrize("fault", [Fault.SILENCE, Fault.APPLIED_THEN_SILENCE])
async def test_a_silent_discord_is_asked_again(
    fault: Fault, server: DiscordServer, store: DatabaseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An answer that hangs is given up and repeated, and stands there once."""
    monkeypatch.setattr(clerk, "ANSWER_WITHIN", 0.3)
    async with serving(server, store=store):
        exchange = await server.slash("help", _faults={"original": [fault]})
        await asyncio.sleep(0.8)
    assert len(exchange.messages) == 1
    assert [kind for kind, _ in server.bodies].count("original") == 2


async def test_an_interaction_that_is_too_old_is_left_alone(
    server: DiscordServer, store: DatabaseStore
) -> None:
    """If Discord no longer knows it, nobody would see the answer: nothing is done."""
    async with serving(server, store=store):
        fields: dict[str, Any] = {"type": 2, "data": {"options": [{"name": "pause", "options": []}]}}
        exchange = server.prepare(fields)
        exchange.is_expired = True
        await server.send("INTERACTION_CREATE", server.payload(exchange, fields))
        await answered(await server.slash("help"))
    assert not store.audit.latest()


class SlowDesk:
    """A desk that answers when it is told to, with what it is told, or that fails."""

    def __init__(self, answer: Reply | Exception) -> None:
        self.answer_with = answer
        self.may_answer = asyncio.Event()

    async def answer(self, text: str, caller: Caller, place: Place) -> Reply:
        await self.may_answer.wait()
        if isinstance(self.answer_with, Exception):
            raise self.answer_with
        return self.answer_with

    async def answer_typed(self, verb: str, options: object, caller: Caller, place: Place) -> Reply:
        return await self.answer(verb, caller, place)

    async def suggest(self, *_: object) -> tuple[tuple[str, str], ...]:
        return tuple((f"{n} " + "🧪" * 90, "v" * n) for n in range(99, 124))


async def test_the_acknowledgement_waits_for_nothing(server: DiscordServer) -> None:
    """A command is acknowledged while the desk has not begun to answer."""
    desk = SlowDesk(Reply("Done at last."))
    async with serving(server, desk):  # type: ignore[arg-type]
        exchange = await server.slash("list")
        await until(lambda: exchange.callback)
        assert not exchange.messages
        desk.may_answer.set()
        await answered(exchange)
    assert "Done at last" in exchange.text


async def test_answers_on_their_way_arrive_before_the_end(server: DiscordServer) -> None:
    """Stopping waits for what has been begun."""
    desk = SlowDesk(Reply("Done at last."))
    async with serving(server, desk):  # type: ignore[arg-type]
        exchange = await server.slash("list")
        await until(lambda: exchange.callback)
        asyncio.get_running_loop().call_later(0.2, desk.may_answer.set)
    assert "Done at last" in exchange.text


@pytest.mark.parametrize("error", [StorageError("disk full"), RuntimeError("boom")])
async def test_a_fault_of_ours_is_admitted_without_details(error: Exception, server: DiscordServer) -> None:
    """The person hears that it was not their fault, and no more."""
    desk = SlowDesk(error)
    desk.may_answer.set()
    async with serving(server, desk):  # type: ignore[arg-type]
        exchange = await answered(await server.slash("list"))
    assert "fault of mine" in exchange.text
    assert str(error) not in exchange.text


async def test_a_public_reply_is_seen_by_everybody(server: DiscordServer) -> None:
    """Only a reply that says so stands in the channel for all; the asker's note makes way for it."""
    desk = SlowDesk(Reply("Look at this.", public=True))
    desk.may_answer.set()
    async with serving(server, desk):  # type: ignore[arg-type]
        exchange = await answered(await server.slash("list"))
    (message,) = exchange.messages
    assert not message["flags"] & 64
    assert exchange.original is None


async def test_a_long_reply_comes_in_several_messages(server: DiscordServer) -> None:
    """Nothing is cut: all lines arrive, in order, for the asker alone."""
    lines = tuple(Line(f"line {n} " + "x" * 200) for n in range(60))
    desk = SlowDesk(Reply("Much", lines))
    desk.may_answer.set()
    async with serving(server, desk):  # type: ignore[arg-type]
        exchange = await answered(await server.slash("list"))
        await asyncio.sleep(0.2)
    assert [line.split()[1] for line in exchange.text.split("\n") if line.startswith("line")] == [
        str(n) for n in range(60)
    ]
    assert len(exchange.messages) > 2
    assert all(message["flags"] & 64 for message in exchange.messages)


async def test_what_is_offered_is_within_discord_s_limits(server: DiscordServer) -> None:
    """Labels are shortened, and a value that is too long is not offered."""
    async with serving(server, SlowDesk(Reply())):  # type: ignore[arg-type]
        exchange = await answered(await server.slash("schedule", zone="x", _focused="zone"))
    assert [len(choice["value"]) for choice in exchange.choices] == [99, 100]
    assert all(len(choice["name"].encode("utf-16-le")) <= 200 for choice in exchange.choices)


async def test_a_dropped_gateway_is_resumed_and_serves_on(
    server: DiscordServer, store: DatabaseStore
) -> None:
    """After a cut the session is resumed, and the next command is answered."""
    async with serving(server, store=store):
        await answered(await server.slash("help"))
        await server.drop()
        await until(lambda: len(server.gateway_log) > 1)
        exchange = await answered(await server.slash("list"))
    assert exchange.text
    assert server.gateway_log[1].startswith("RESUME")


async def test_a_lost_connection_is_one_line(server: DiscordServer, store: DatabaseStore) -> None:
    """What discord.py mends by itself is no traceback, however Discord refuses it for a while."""
    log = io.StringIO()
    logs.configure((), "info", "json", log)
    async with serving(server, store=store):
        await answered(await server.slash("help"))
        server.gateway_is_up = False
        await server.drop()
        await until(lambda: "REFUSED" in server.gateway_log)
        server.gateway_is_up = True
        await until(lambda: server.gateway_log.count("IDENTIFY") == 2)
    said = [json.loads(line) for line in log.getvalue().splitlines()]
    lost = [line for line in said if line["event"] == "discord connection lost"]
    assert [(line["level"], line["error"].partition(":")[0]) for line in lost] == [
        ("warning", "WSServerHandshakeError")
    ]
    assert "Traceback" not in log.getvalue()


async def test_a_removal_is_noted_and_ends_nothing(
    server: DiscordServer, store: DatabaseStore, capsys: pytest.CaptureFixture[str]
) -> None:
    """The channels of a server that the bot was removed from keep their settings."""
    async with serving(server, store=store):
        await answered(await server.slash("subscribe", query="robots"))
        await server.send("GUILD_CREATE", {"id": "10", "name": "Lab", "unavailable": False, "members": []})
        await server.send("GUILD_DELETE", {"id": "10"})
        exchange = await answered(await server.slash("list", _context=1, _channel={"id": "57"}))
    assert exchange.text
    assert store.subscriptions.of([HERE])[HERE]
    assert "server left" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("code", "said", "is_final"),
    [
        (4004, "PAPERROUND_DISCORD_TOKEN", True),
        (4014, "intents", True),
        (4011, "shards", True),
        (4013, "intents", True),
    ],
)
async def test_a_gateway_closed_for_good_is_an_error_that_says_why(
    code: int, said: str, is_final: bool, server: DiscordServer, store: DatabaseStore
) -> None:
    """`serve` raises, so that the service says so and connects anew."""
    async with connect(settings_for(server), clock) as platform:
        task = asyncio.create_task(platform.serve(Desk(Office(store, {}), clock, lambda: None)))
        await until(lambda: "IDENTIFY" in server.gateway_log)
        await server.close(code)
        with pytest.raises(DeliveryError) as caught:
            async with asyncio.timeout(5):
                await task
    assert said in str(caught.value)
    assert caught.value.permanent is is_final
    assert caught.value.everywhere


async def test_a_person_is_told(server: DiscordServer, store: DatabaseStore) -> None:
    """A direct message with the text as it stands, and nobody mentioned."""
    async with connect(settings_for(server), clock) as platform:
        await platform.tell("7", "The digest cannot be posted: *no* @everyone")
        server.takes_direct_messages = False
        with pytest.raises(DeliveryError, match="direct messages"):
            await platform.tell("8", "hello")
    (message,) = server.channels["57"].messages
    assert message["content"] == "The digest cannot be posted: \\*no\\* @\u2060everyone"


async def test_the_check_says_what_is_missing_and_how_to_mend_it(
    server: DiscordServer, store: DatabaseStore
) -> None:
    """Token, sessions, commands, and each channel: gone, unreadable, or fine."""
    async with connect(settings_for(server), clock) as platform:
        gone, odd = ChannelId("discord", "10", "9"), ChannelId("discord", "lab", "ml")
        before = {finding.of: finding for finding in await platform.check([HERE, gone, odd])}
        server.permissions = VIEW
        (*_, lacking) = await platform.check([HERE])
    assert before["Discord token"].ok
    assert before["Discord gateway"].ok
    assert not before["Discord commands"].ok
    assert before["channel discord:10/1"].ok
    assert "gone" in before["channel discord:10/9"].what
    assert "no address" in before["channel discord:lab/ml"].what
    assert "Send Messages" in lacking.what
    assert not lacking.ok


async def test_the_check_says_that_a_channel_is_of_another_server(
    server: DiscordServer, store: DatabaseStore
) -> None:
    """The bot sees the channel, but the address names another server: the hint says what to write."""
    async with connect(settings_for(server), clock) as platform:
        (*_, found) = await platform.check([ChannelId("discord", "11", "1")])
    assert not found.ok
    assert "no channel of the server 11" in found.what
    assert "discord:SERVER/CHANNEL" in found.hint


async def test_the_library_warns_of_nothing_at_the_start(
    server: DiscordServer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That no voice libraries are installed is nothing to log."""
    for name in ("warn_nacl", "warn_dave"):
        monkeypatch.setattr(discord.VoiceClient, name, True)
    async with connect(settings_for(server), clock):
        pass
    assert not [record for record in caplog.records if record.name.startswith("discord")]


async def test_no_token_of_an_interaction_or_of_the_bot_is_logged(
    server: DiscordServer,
    store: DatabaseStore,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """However an answer fails, neither secret stands in a line."""
    caplog.set_level(logging.INFO)
    async with serving(server, store=store):
        for kind in ("callback", "original"):
            for fault in (Fault.RESET, Fault.LIMITED_WITHOUT_WORD, Fault.APPLIED_THEN_NONSENSE):
                await server.slash("help", _faults={kind: [fault]})
                await asyncio.sleep(0.2)
        await server.send("INTERACTION_CREATE", {"token": "interaction-secret"})
        await answered(await server.slash("help"))
    lines = [record.getMessage() for record in caplog.records if record.name != "aiohttp.access"]
    said = "\n".join([*lines, capsys.readouterr().out])
    assert "secret" not in said
    assert TOKEN not in said


async def test_another_discord_takes_commands_answers_and_buttons(store: DatabaseStore) -> None:
    """simcord, which keeps Discord's rules by itself, takes commands, answers and a press of a button."""
    client = discord.Client(intents=discord.Intents(guilds=True))
    client.event(Clerk(Desk(Office(store, {}), clock, lambda: None)).on_interaction)
    async with simcord.run(client) as env:
        guild = env.create_guild()
        manager = guild.create_role("Managers", permissions=discord.Permissions(manage_channels=True))
        dana = guild.add_member(env.create_user("dana"), roles=[manager])
        reader = guild.add_member(env.create_user("reader"))
        channel = guild.create_text_channel("ml-papers")
        assert client.application_id
        await client.http.bulk_upsert_global_commands(client.application_id, tree())
        refused = await reader.slash(channel, "digest subscribe", query="robots")
        done = await dana.slash(channel, "digest subscribe", query="robots", limit=3)
        offered = await dana.autocomplete(channel, "digest unsubscribe", "number", "rob")
        assert done.response
        undone = await dana.click(done.response, label="Undo")
    assert refused.response
    assert undone.response
    assert refused.ephemeral
    assert "managers" in str(refused.response.components)
    assert done.ephemeral
    assert offered[0]["name"] == "1. robots"
    assert "is removed" in str(undone.response.components)
