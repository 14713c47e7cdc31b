"""Tests of the commands: each is a dataclass, a verb with options, and a handler, and the three agree."""

from dataclasses import MISSING, fields
from typing import get_args

import pytest

from digests.commands import Command
from digests.handlers import HANDLERS
from digests.reply import Line, Reply, Table
from digests.verbs import VERB, VERB_OF, VERBS, Option, Verb, parse_command

every_verb = pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)


def test_commands_verbs_and_handlers_are_the_same() -> None:
    """No command is without a verb or a handler, and none of these is without a command."""
    commands = set(get_args(Command))
    assert commands == set(HANDLERS) == set(VERB_OF)
    assert len(VERBS) == len(VERB) == len(commands)


@every_verb
def test_options_are_the_fields_of_the_command(verb: Verb) -> None:
    """An option fills the field of its name, and is required where the field has no default."""
    wanted = {field.name: field.default is MISSING for field in fields(verb.command)}
    assert {option.name: option.required for option in verb.options} == wanted
    assert set(verb.free) <= set(wanted)


@every_verb
def test_names_and_descriptions_are_what_discord_takes(verb: Verb) -> None:
    """Names are lower-case words of 32 letters at most; descriptions, in both languages, 100 characters."""
    things: tuple[Verb | Option, ...] = (verb, *verb.options)
    for named in things:
        assert named.name.isalpha()
        assert named.name.islower()
        assert len(named.name) <= 32
        assert 0 < len(named.about) <= 100
        assert 0 < len(named.about_zh) <= 100
        assert any("\u4e00" <= char <= "\u9fff" for char in named.about_zh)
    assert len(verb.options) <= 25
    assert all(len(option.choices) <= 25 for option in verb.options)
    assert [option.required for option in verb.options] == sorted(
        (option.required for option in verb.options), reverse=True
    )


@every_verb
def test_example_works(verb: Verb) -> None:
    """The example of a verb is a command of that verb."""
    assert isinstance(parse_command(verb.works), verb.command)


def test_text_of_a_reply_has_all_its_words() -> None:
    """What is answered can be read as plain lines."""
    reply = Reply("Title", (Line("One", "https://one.example"), Table(("a", "b"), (("1", "2"),))))
    assert reply.text == "Title\nOne https://one.example\na  b\n1  2"
