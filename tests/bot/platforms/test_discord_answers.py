"""Tests of replies as Discord messages, and of the commands as Discord registers them."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.platforms.discord.answers import answer, command_of
from bot.platforms.discord.markdown import code, legible
from bot.platforms.discord.tree import is_registered, tree
from digests.phrases import LANGUAGES
from digests.reply import MAX_BUTTON, Button, Line, Look, Reply, Table
from digests.verbs import VERBS
from tests.bot.platforms.discord_reader import read
from tests.bot.platforms.discord_samples import LONG
from tests.bot.platforms.test_discord_render import hostile, urls

buttons = st.lists(
    st.builds(Button, hostile, hostile.map(lambda text: text[:MAX_BUTTON]), st.booleans()), max_size=20
).map(tuple)
lines = st.builds(Line, hostile, urls, st.sampled_from(Look), st.just(()) | buttons)
tables = st.builds(
    Table, st.just(("a", "b", "c")), st.lists(st.tuples(hostile, hostile, hostile), max_size=9).map(tuple)
)
bodies = st.tuples(st.lists(lines | tables, max_size=6).map(tuple), st.sampled_from((1, 1, 12)))
replies = st.builds(
    lambda title, body, last, refusal: Reply(title, body[0] * body[1], buttons=last, is_refusal=refusal),
    hostile, bodies, buttons, st.booleans(),
)  # fmt: skip


def walk(components: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All components of a message, nested ones too."""
    found = []
    for part in components:
        inner = [*part.get("components", ()), *([part["accessory"]] if "accessory" in part else [])]
        found += [part, *walk(inner)]
    return found


def contents(reply: Reply) -> list[str]:
    """Every text of a reply's messages, line by line."""
    parts = (part for message in answer(reply) for part in walk(message))
    return [line for part in parts if "content" in part for line in part["content"].split("\n")]


@given(replies)
@settings(max_examples=120)
@example(Reply())
@example(Reply("x" * 9000, (Line("\\" * 9000, buttons=(Button("🧪" * 90, "🧪" * 90),)),) * 50))
def test_every_limit_holds_for_any_reply(reply: Reply) -> None:
    """At most 40 components and 4,000 UTF-16 units, unique custom_ids of 100, labels of 80, nothing empty."""
    messages = answer(reply)
    assert messages
    for message in messages:
        parts = walk(message)
        texts = [part["content"] for part in parts if "content" in part]
        ids = [part["custom_id"] for part in parts if part["type"] == 2]
        assert len(parts) <= 40
        assert sum(len(text.encode("utf-16-le", "surrogatepass")) // 2 for text in texts) <= 4000
        assert all(text.strip() for text in texts)
        assert len(set(ids)) == len(ids)
        assert all(len(each.encode("utf-16-le", "surrogatepass")) <= 200 for each in ids)
        labels = [part["label"] for part in parts if part["type"] == 2]
        assert all(label and len(label.encode("utf-16-le")) <= 160 for label in labels)
        assert all(0 < len(part["components"]) <= 5 for part in parts if part["type"] == 1)
        assert message[0]["type"] == 17
        assert message[0]["components"]


@given(
    st.lists(
        st.builds(Line, hostile, st.just(""), st.sampled_from([Look.PLAIN, Look.STRONG, Look.QUIET])),
        max_size=6,
    )
)
@settings(max_examples=80)
def test_a_stranger_s_words_become_no_mark_up(body: list[Line]) -> None:
    """Mentions, links, emoji and formatting in a line show as they stand."""
    for line in contents(Reply("", tuple(body))):
        _, signs = read(line)
        assert {sign.kind for sign in signs} <= {"strong", "small"}


@pytest.mark.parametrize("text", ["a `b` ``` c", "@everyone", "[x](https://evil.example)", "**b**", "<@1>"])
def test_code_stays_code(text: str) -> None:
    """No backtick ends it early, so that nothing in it is read as anything else."""
    assert code(text) == "`" + text.replace("`", "ˋ") + "`"
    assert code(text, "^").count("`") == 6


def test_a_caret_stays_under_its_place() -> None:
    """Lines of code in a row are one block, in which spaces count."""
    body = (Line("(rag  OR", look=Look.CODE), Line("^", look=Look.CODE), Line("Close it."))
    assert contents(Reply("", body)) == ["```", "(rag  OR", "^", "```", "Close it."]
    spaced = (Line("a", look=Look.CODE), Line("    ^", look=Look.CODE))
    assert contents(Reply("", spaced))[2] == "    ^"


@given(st.lists(st.text("ab \n", min_size=1, max_size=600), min_size=1, max_size=60))
@settings(max_examples=40)
def test_all_lines_are_there_in_order(texts: list[str]) -> None:
    """However many messages it takes, nothing is dropped and nothing comes out of order."""
    body = tuple(Line(f"{n}. {text}") for n, text in enumerate(texts))
    shown = " ".join(read(line)[0] for line in contents(Reply("Title", body)))
    assert legible(shown).split() == legible(" ".join(["Title", *(line.text for line in body)])).split()


def test_a_row_is_a_line_that_names_its_columns() -> None:
    """Two columns need no names, more do; the first cell is bold."""
    settings_table = Table(("setting", "value"), (("papers", "10"),))
    feeds = Table(("source", "state", "last new paper"), (("arxiv-cs", "ok", "never"), ("x", "broken", "")))
    assert contents(Reply("", (settings_table, feeds))) == [
        "**papers** · 10",
        "**arxiv-cs** · state: ok · last new paper: never",
        "**x** · state: broken",
    ]


def test_the_point_before_a_link_is_no_part_of_it() -> None:
    """Only the words of a linked line are the link."""
    lines = (Line("• A title", "https://x.example"), Line("Another", "https://x.example"))
    assert contents(Reply("", lines)) == [
        "• **[A title](https://x.example)**",
        "**[Another](https://x.example)**",
    ]


def test_one_button_stands_beside_its_lines_and_two_below() -> None:
    """A single button is the accessory of its text; several make a row under the lines that follow."""
    one = Line("Paper", buttons=(Button("Why", "why 1"),))
    two = Line("Sub", buttons=(Button("Edit", "edit 1"), Button("Remove", "unsubscribe 1", is_danger=True)))
    (message,) = answer(Reply("List", (one, Line("fine"), two, Line("print"))))
    kinds = [part["type"] for part in message[0]["components"]]
    assert kinds == [10, 9, 10, 1]
    section = message[0]["components"][1]
    assert section["components"][0]["content"] == "Paper\nfine"
    assert [part["style"] for part in message[0]["components"][3]["components"]] == [2, 4]


def test_a_button_carries_its_command() -> None:
    """The command is read back from the custom_id; what is not ours gives none."""
    (message,) = answer(Reply("x", buttons=(Button("More", "search a:b page:2"), Button("Undo", "undo 7"))))
    ids = [part["custom_id"] for part in walk(message) if part["type"] == 2]
    assert [command_of(each) for each in ids] == ["search a:b page:2", "undo 7"]
    assert [command_of(each) for each in ("", "save:1", "digest:x:now", "digest:", "0:now")] == [""] * 5


def test_a_button_that_discord_cannot_take_is_spelt_out() -> None:
    """A command that is too long for a custom_id stands there to be typed."""
    said = contents(Reply("", (Line("x", buttons=(Button("More", "search " + "🧪" * 60),)),)))
    assert any("More: /digest search 🧪" in read(line)[0] for line in said)


def test_a_digest_follows_in_its_own_messages() -> None:
    """A preview is the digest as it would be posted, all parts of it."""
    first, *others = answer(Reply("As it would be", digest=LONG))
    assert walk(first)[1]["content"] == "### As it would be"
    assert len(others) > 1
    assert others[0][0]["components"][0]["content"].startswith("## Paper digest")


def test_the_commands_are_within_discord_s_rules() -> None:
    """One command whose sub-commands, options and texts keep every limit, in English and in Chinese."""
    (command,) = tree()
    verbs = {verb.name: verb for verb in VERBS if verb.is_listed}
    assert [sub["name"] for sub in command["options"]] == list(verbs)
    assert len(command["options"]) <= 25
    options = [option for sub in command["options"] for option in sub["options"]]
    for each in (command, *command["options"], *options):
        assert re.fullmatch(r"[-_\w]{1,32}", each["name"])
        assert each["name"] == each["name"].lower()
        texts = [each["description"], *each["description_localizations"].values()]
        assert all(1 <= len(text) <= 100 for text in texts)
        assert re.search(r"[\u4e00-\u9fff]", each["description_localizations"]["zh-CN"])
        assert len(each.get("choices", ())) <= 25
        assert not (each.get("choices") and each.get("autocomplete"))
    for sub in command["options"]:
        required = [option["required"] for option in sub["options"]]
        assert required == sorted(required, reverse=True)
        assert {option["name"] for option in sub["options"]} == {o.name for o in verbs[sub["name"]].options}
    assert sum(map(_length, (command, *command["options"], *options))) <= 8000


def _length(described: dict[str, Any]) -> int:
    """What Discord counts: names, values, and the longest of each description's languages."""
    longest = max(map(len, (described["description"], *described["description_localizations"].values())))
    choices = sum(len(each["name"]) + len(str(each["value"])) for each in described.get("choices", ()))
    return len(described["name"]) + longest + choices


def test_typed_options_are_typed() -> None:
    """Numbers have their bounds, choices their values, and what can be completed says so."""
    (command,) = tree()
    found = {(sub["name"], option["name"]): option for sub in command["options"] for option in sub["options"]}
    limit = found["subscribe", "limit"]
    assert (limit["type"], limit["min_value"], limit["max_value"]) == (4, 1, 50)
    assert [each["value"] for each in found["settings", "language"]["choices"]] == list(LANGUAGES)
    completed = {name for name, option in found.items() if option.get("autocomplete")}
    assert completed == {
        ("subscribe", "feeds"), ("edit", "number"), ("edit", "feeds"), ("unsubscribe", "number"),
        ("schedule", "zone"), ("help", "verb"),
    }  # fmt: skip


def test_the_tree_is_recognized_in_what_discord_makes_of_it() -> None:
    """Ids, versions and empty fields are Discord's; a changed word, option or choice is a difference."""
    theirs = json.loads(json.dumps(tree()))
    theirs[0] |= {"id": "1", "version": "2", "nsfw": False, "name_localizations": None, "dm_permission": True}
    del theirs[0]["options"][1]["options"]
    assert is_registered(theirs)
    changes: tuple[Callable[[Any], object], ...] = (
        lambda command: command["options"].pop(),
        lambda command: command["options"][0].update(description="Another"),
        lambda command: command["options"][0]["options"][3].update(max_value=99),
        lambda command: command["options"][0]["options"][0].update(choices=[{"name": "a", "value": "a"}]),
        lambda command: command["options"][0]["description_localizations"].update({"zh-CN": "x"}),
    )
    for change in changes:
        changed = json.loads(json.dumps(theirs))
        change(changed[0])
        assert not is_registered(changed)
    assert not is_registered([])
    assert not is_registered(None)
