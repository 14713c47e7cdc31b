"""Tests of bot/platforms/slack/answers.py: how replies look, and that none can break out of its limits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slack_sdk.models.blocks import Block

from bot.platforms.slack.answers import MOST_MESSAGES, render_reply
from bot.platforms.slack.blocks import MAX_BLOCKS, MAX_SIZE, size_of
from bot.platforms.slack.render import render
from digests.reply import MAX_BUTTON, Button, Line, Look, Reply, Table
from tests.blockkit_html import to_html
from tests.bot.platforms.slack_samples import LONG, NASTY

texts = st.one_of(st.sampled_from(NASTY), st.text(max_size=40))
commands = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=MAX_BUTTON)
buttons = st.lists(st.builds(Button, texts, commands, st.booleans()), max_size=5).map(tuple)
links = st.sampled_from(
    ["", "https://arxiv.org/abs/2611.00001", "javascript:alert(1)", "https://x.example/>|y"]
)
lines = st.builds(Line, texts, links, st.sampled_from(Look), buttons)
tables = st.builds(
    lambda rows: Table(("a", "b", "c"), tuple(rows)), st.lists(st.tuples(texts, texts, texts), max_size=60)
)
bodies = st.lists(st.one_of(lines, tables), max_size=60).map(tuple)
replies = st.builds(Reply, texts, bodies, buttons=buttons)


@settings(max_examples=40)
@given(replies)
def test_no_reply_breaks_a_limit(reply: Reply) -> None:
    """Whatever it says: few enough messages, blocks and characters, each button's id once in its message."""
    messages = render_reply(reply)
    assert 1 <= len(messages) <= MOST_MESSAGES
    for message in messages:
        assert len(message["blocks"]) <= MAX_BLOCKS
        assert size_of(message["blocks"]) <= MAX_SIZE + 200
        ids = [button["action_id"] for button in buttons_of(message)]
        assert len(ids) == len(set(ids))
        for block in Block.parse_all(message["blocks"]):
            block.validate_json()


@settings(max_examples=20)
@given(replies)
def test_a_reply_is_as_slack_describes_messages(schema: jsonschema.Draft7Validator, reply: Reply) -> None:
    """Every message passes Slack's own description of them."""
    for message in render_reply(reply):
        schema.validate({"channel": "C1", **message})


@settings(max_examples=40)
@given(replies)
def test_nothing_in_a_reply_is_read_as_mark_up(reply: Reply) -> None:
    """All words stand in elements that know no mark-up; the notification is escaped; links are of the web."""
    for message in render_reply(reply):
        assert "<" not in message["text"]
        for element in elements(message["blocks"]):
            assert element.get("type") not in ("mrkdwn", "user", "usergroup", "broadcast")
            assert element.get("url", "https://").startswith(("http://", "https://"))


@settings(max_examples=40)
@given(st.lists(lines, max_size=30).map(tuple))
def test_every_button_is_there_in_order(body: tuple[Line, ...]) -> None:
    """No button is lost or moved before another, wherever it is shown."""
    found = [button["value"] for message in render_reply(Reply("T", body)) for button in buttons_of(message)]
    assert found == [button.command for line in body for button in line.buttons][: len(found)]
    assert len(render_reply(Reply("T", body))) == MOST_MESSAGES or len(found) == sum(
        len(line.buttons) for line in body
    )


def test_a_reply_reads_well() -> None:
    """A title by itself, a name with its query, the fine print, then the buttons that belong to them."""
    edit, undo = Button("Edit", "edit #1"), Button("Undo", "undo 1")
    body = (
        Line("1. Reasoning", look=Look.STRONG, buttons=(edit,)),
        Line("reasoning -survey", look=Look.CODE),
        Line("daily", look=Look.QUIET),
        Line("A paper", "https://arxiv.org/abs/1"),
    )
    (message,) = render_reply(Reply("One subscription", body, buttons=(undo,)))
    title, subscription, terms, actions, paper, last = message["blocks"]
    assert plain(title) == ["One subscription"]
    assert plain(subscription) == ["1. Reasoning", "reasoning -survey"]
    assert terms["type"] == "context"
    assert [button["value"] for button in actions["elements"]] == ["edit #1"]
    assert paper["elements"][0]["elements"][0]["url"] == "https://arxiv.org/abs/1"
    assert [button["value"] for button in last["elements"]] == ["undo 1"]


def test_places_of_letters_in_code_stay() -> None:
    """The caret stands under the fault that it points at."""
    body = (Line("(a OR", look=Look.CODE), Line("   ^", look=Look.CODE))
    (message,) = render_reply(Reply("No", body))
    assert plain(message["blocks"][1]) == ["(a OR\n   ^"]


def test_a_table_is_a_list() -> None:
    """Each row names its cells, so that it can be read on a phone."""
    rows = (("arxiv", "healthy", "today"), ("pubmed", "silent", ""))
    (message,) = render_reply(Reply("Feeds", (Table(("source", "state", "last"), rows),)))
    (points,) = message["blocks"][1]["elements"]
    said = ["".join(part["text"] for part in point["elements"]) for point in points["elements"]]
    assert said == ["arxiv: state healthy · last today", "pubmed: state silent · last –"]


def test_a_digest_follows_what_is_said_of_it() -> None:
    """A preview: first what it is, then the digest's own messages."""
    first, *others = render_reply(Reply("Preview", digest=LONG), render(LONG))
    assert plain(first["blocks"][0]) == ["Preview"]
    assert others == [json.loads(message) for message in render(LONG)]


def test_what_no_answer_has_room_for_is_said() -> None:
    """Slack takes five answers: the last one says that there is more."""
    messages = render_reply(Reply("Preview", digest=LONG), render(LONG) * 3)
    assert len(messages) == MOST_MESSAGES
    assert "no room" in messages[-1]["blocks"][-1]["elements"][0]["text"]


def test_an_empty_reply_is_still_an_answer() -> None:
    """There is a word to see, though nothing was said."""
    assert render_reply(Reply())[0]["text"] == "Done."


@settings(max_examples=10)
@given(replies)
def test_a_reply_can_be_drawn(reply: Reply) -> None:
    """The renderer for the eye knows every block."""
    assert "<body>" in to_html(list(render_reply(reply)))


def elements(value: object) -> list[dict[str, Any]]:
    """Every object inside, at any depth."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    found = [element for part in inner for element in elements(part)]
    return [value, *found] if isinstance(value, dict) else found


def buttons_of(message: dict[str, Any]) -> list[dict[str, Any]]:
    return [element for element in elements(message["blocks"]) if element.get("type") == "button"]


def plain(block: dict[str, Any]) -> list[str]:
    """The paragraphs of a block."""
    return ["".join(part["text"] for part in section["elements"]) for section in block["elements"]]


@pytest.fixture(scope="session")
def schema(shared: Path) -> jsonschema.Draft7Validator:
    """Slack's description of what chat.postMessage takes."""
    described = json.loads((shared / "data/slack/blockkit.schema.json").read_text("utf-8"))
    return jsonschema.Draft7Validator({**described, "$ref": "#/definitions/PostMessage"})
