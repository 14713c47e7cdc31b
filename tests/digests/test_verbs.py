"""Tests of reading a line of text as a command, as people write it and as they mistype it."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digests import commands as c
from digests.channel import EmptyDay, Layout
from digests.errors import CommandError
from digests.query import parse
from digests.schedule import WEEKDAYS, WEEKLY, parse_days
from digests.verbs import MAX_COMMAND, VERBS, build, parse_command

EIGHT = ("12345678", "98765432")
CHRISTMAS = (date(2026, 12, 24), date(2026, 12, 25))
LLM = parse('"large language models" reasoning')


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("subscribe diffusion", c.Subscribe(parse("diffusion"))),
        ("/digest SUBSCRIBE diffusion", c.Subscribe(parse("diffusion"))),
        (
            'subscribe "large language models" reasoning name:"Deep thought" every:mon,thu limit:3 feeds:a,b',
            c.Subscribe(LLM, "Deep thought", parse_days("mon,thu"), 3, ("a", "b")),
        ),
        (
            "subscribe every:mon, thu “large language models” name:“Deep” limit:3 feeds: a, b reasoning",
            c.Subscribe(LLM, "Deep", parse_days("mon,thu"), 3, ("a", "b")),
        ),
        ("subscribe\n Limit：5 图像 生成", c.Subscribe(parse("图像 生成"), limit=5)),
        (
            'subscribe "limit:5 of" author:"Yann LeCun" feed:arxiv like:https://arxiv.org/abs/2510.13201',
            c.Subscribe(parse('"limit:5 of" author:"Yann LeCun" feed:arxiv like:https://arxiv.org/abs/2510.13201')),
        ),
        ("list", c.List()),
        ("edit 2", c.Edit("2")),
        ("edit 2 limit:5 every:weekly", c.Edit("2", every=WEEKLY, limit=5)),
        ("edit 2 diffusion -survey name:New", c.Edit("2", parse("diffusion -survey"), "New")),
        ("edit name:New number:2 feeds:all", c.Edit("2", name="New", feeds=())),
        ("unsubscribe Deep thought", c.Unsubscribe("Deep thought")),
        ("preview", c.Preview()),
        ("preview lora OR adapters", c.Preview(parse("lora OR adapters"))),
        ("now", c.Now()),
        ("schedule 09:00 weekdays Europe/Berlin", c.Schedule("09:00 weekdays Europe/Berlin")),
        ("schedule 9 am zone:Europe/Berlin", c.Schedule("9 am", zone="Europe/Berlin")),
        ("settings", c.Settings()),
        (
            "settings papers:5 layout:compact thread:off empty:weekly language:zh",
            c.Settings(5, Layout.COMPACT, False, EmptyDay.WEEKLY, language="zh"),
        ),
        ("settings managers:<@U024BE7LH>, <!subteam^S012|@lab>", c.Settings(managers=("U024BE7LH", "S012"))),
        ("settings managers: <@&12345678> <@!98765432> papers:5", c.Settings(5, managers=EIGHT)),
        ("settings managers:all holidays:none", c.Settings(managers=(), holidays=frozenset())),
        ("settings holidays:2026-12-25, 2026-12-24", c.Settings(holidays=frozenset(CHRISTMAS))),
        ("pause", c.Pause()),
        ("pause until 2027-01-07", c.Pause(date(2027, 1, 7))),
        ("pause until:2027-01-07", c.Pause(date(2027, 1, 7))),
        ("resume", c.Resume()),
        ("search rag evaluation page:2", c.Search(parse("rag evaluation"), 2)),
        ("why https://arxiv.org/abs/2510.13201", c.Why("https://arxiv.org/abs/2510.13201")),
        ("why arXiv:2510.13201", c.Why("arXiv:2510.13201")),
        ("feeds", c.Feeds()),
        ("status", c.Status()),
        ("", c.Help()),
        ("/digest", c.Help()),
        ("help", c.Help()),
        ("help /digest subscribe", c.Help("subscribe")),
        ("undo 12", c.Undo(12)),
    ],
)  # fmt: skip
def test_line_is_read(text: str, command: c.Command) -> None:
    """Options stand anywhere, with a name; what is left is the query, with its quotes and colons."""
    assert parse_command(text) == command


@pytest.mark.parametrize(
    ("text", "what", "works"),
    [
        ("subcribe rag -survey", "'subcribe' is not a command; did you mean", "subscribe rag -survey"),
        ("remove 2", "'remove' is not a command; did you mean unsubscribe?", "unsubscribe 2"),
        ("subcribe (diffusion", "'subcribe' is not a command; did you mean subscribe?", "subscribe \"large"),
        ("large language models", "'large' is not a command; all commands: /digest help", "subscribe "),
        ("subscribe", "subscribe needs a query", "subscribe "),
        ("subscribe limit:5", "subscribe needs a query", "subscribe "),
        ("subscribe rag limit:many", "limit: 'many' is not a number from 1 to 50", "subscribe "),
        ("subscribe rag limit:0", "limit: '0' is not a number from 1 to 50", "subscribe "),
        ("subscribe rag lmit:5", "'lmit:' is not an option of subscribe; did you mean limit:", "subscribe "),
        ("subscribe rag limit:", "limit: has nothing after it", "subscribe "),
        ("subscribe rag limit:5 limit:6", "limit: stands twice; say it once", "subscribe "),
        ("subscribe rag every:mondey", "every: 'mondey' is not a day of the week; did you", "subscribe "),
        ("subscribe (rag", "this parenthesis is never closed", "subscribe "),
        ("list everything", "list does not take 'everything'; it takes no more words", "list"),
        ("settings size 5", "settings does not take 'size 5'; it takes papers:… layout:…", "settings "),
        ("settings layout:tiny", "layout: 'tiny' is none of compact, full", "settings "),
        ("settings managers:dana", "managers: 'dana' are no people or groups", "settings "),
        ("pause until tomorrow", "until: 'tomorrow' is not a date; write it as 2026-12-25", "pause "),
        ("help frobnicate", "verb: 'frobnicate' is not a command; all commands: /digest help", "help"),
        ("why", "why needs a paper", "why "),
        ("edit", "edit needs a number", "edit "),
    ],
)  # fmt: skip
def test_wrong_line_is_answered_with_one_that_works(text: str, what: str, works: str) -> None:
    """A mistake is named, the nearest right word offered, and the command that is offered works."""
    with pytest.raises(CommandError) as caught:
        parse_command(text)
    assert str(caught.value).startswith(what)
    assert caught.value.works.startswith(f"/digest {works}")
    parse_command(caught.value.works)


def test_what_was_understood_is_said() -> None:
    """Beside the mistake stands the part of the command that was no mistake."""
    with pytest.raises(CommandError) as caught:
        parse_command("subscribe diffusion limit:lots name:Pictures")
    assert caught.value.understood == "subscribe · name: Pictures · query: diffusion"


def test_fault_of_a_query_is_pointed_at() -> None:
    """Where a query is at fault, a caret stands under the place."""
    with pytest.raises(CommandError) as caught:
        parse_command('subscribe limit:5 rag "chain of')
    assert caught.value.pointed == 'rag "chain of\n    ^'


def test_long_command_is_refused_briefly() -> None:
    """Ten thousand characters are refused without being read, and the answer stays short."""
    with pytest.raises(CommandError, match="10,009 characters") as caught:
        parse_command("subscribe " + "word " * 2_000)
    assert len(str(caught.value) + caught.value.understood) < 300


def test_typed_options_make_the_same_command() -> None:
    """What Discord sends as options is the command that a line of text would have been."""
    options = {"query": "rag", "limit": "5", "feeds": "a, b", "name": ""}
    assert build("subscribe", options) == parse_command("subscribe rag limit:5 feeds:a,b")
    assert build("schedule", {"time": "9am", "days": "weekdays"}) == c.Schedule("9am", "weekdays")
    assert build("subscribe", {"query": "rag", "every": "weekdays"}) == c.Subscribe(
        parse("rag"), every=WEEKDAYS
    )


verbs = st.sampled_from([verb.name for verb in VERBS])
names = st.sampled_from([option.name + ":" for verb in VERBS for option in verb.options])
words = st.text(alphabet="ab5,:\"“”'()-* <@>&U：\n\u200b", max_size=12)


@given(verbs, st.lists(words | names | st.text(max_size=30), max_size=12))
def test_any_line_is_read_or_refused(verb: str, pieces: list[str]) -> None:
    """Whatever follows a verb, it is read or refused in words, never anything else."""
    try:
        parse_command(f"{verb} {' '.join(pieces)}")
        said = "understood"
    except CommandError as error:
        said = str(error)
    assert 0 < len(said) < MAX_COMMAND
