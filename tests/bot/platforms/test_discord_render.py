"""Tests of digests as Discord messages: limits, mark-up, order, and what they look like."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import discord
import jsonschema
import pytest
import simcord
from discord.http import Route
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.platforms.discord.markdown import bold, escaped, legible, linkable, marked, size, title
from bot.platforms.discord.render import render
from digests.channel import Layout
from digests.compose import MAX_PUBLISHED
from digests.digest import Digest, Foot, Item, Progress, Publication, Section, Silent, foot, goes_on
from digests.paper import PaperId
from digests.phrases import LANGUAGES
from tests.bot.platforms.discord_reader import read
from tests.bot.platforms.discord_samples import DAY, GOLDEN, LONG, NEXT, SAMPLES, golden
from tests.bot.platforms.own_words import english_in

NASTY = (
    "@everyone", "@here", "<@1>", "<@&1>", "<!channel>", "<#12>", "</digest:1>", "<t:1>", "<a:x:1>",
    ":smile:", "[x](javascript:alert(1))", "[x](https://evil.example)", "https://evil.example/a",
    "<https://evil.example>", "](https://evil.example)", "[[", "]]", "(", ")", "`", "```", "*", "**", "_",
    "__", "~~", "||", "\\", ">", "#", "-#", "- ", "1. ", "\n", "\n# ", "\n> ", "\t", "\x00", "\x1b[31m",
    "\u200b", "\u200d", "\u2060", "\u202e", "\ufeff", "e\u0301" * 9, "\u0301" * 40, "שלום עולם", "مرحبا",
    "汉字", "\U0001f469\u200d\U0001f52c", "\U0001f3f4\U000e0067\U000e007f", "🧪", "\ud800", "é_x_é", "a_b",
    "x" * 400, "word " * 80, " ", "a", "First sentence. Second one. ",
)  # fmt: skip
hostile = st.lists(st.sampled_from(NASTY) | st.text(max_size=8), max_size=8).map("".join)
urls = st.just("") | st.sampled_from(
    (
        "https://arxiv.org/abs/1", "https://x.example/a_(b)_[c]?q=*_`\"'<>|\\&é", "javascript:alert(1)", "http://",
        "https://x.example/" + "y" * 2000, "https://x.example/)](https://evil.example)", "data:text/html,x",
    )
)  # fmt: skip


@st.composite
def items(draw: st.DrawFn) -> Item:
    """An item made of anything."""
    summary = draw(hostile) * draw(st.sampled_from((1, 1, 30)))
    snippet = draw(hostile) * draw(st.sampled_from((0, 1, 30)))
    places = st.integers(-2, len(summary) + 2)
    return Item(
        PaperId(1), draw(hostile), draw(urls), tuple(draw(st.lists(hostile, max_size=3))), draw(hostile),
        tuple(draw(st.lists(hostile, max_size=2))), summary,
        tuple(draw(st.lists(st.tuples(places, places), max_size=4))),
        tuple(draw(st.lists(hostile, max_size=3))), tuple(draw(st.lists(hostile, max_size=2))),
        snippet, tuple(draw(st.lists(st.tuples(places, places), max_size=4))),
    )  # fmt: skip


@st.composite
def digests(draw: st.DrawFn) -> Digest:
    """A digest made of anything, its items repeated up to some sixty."""
    one = st.lists(items(), min_size=1, max_size=4).map(tuple)
    times = draw(st.sampled_from((1, 1, 5)))
    sections = tuple(Section(draw(hostile), draw(one) * times) for _ in range(draw(st.integers(0, 3))))
    silent = tuple(Silent(name, "silent") for name in draw(st.lists(hostile, max_size=3)))
    progress = tuple(Progress(name, 1, 2) for name in draw(st.lists(hostile, max_size=12)))
    published = st.builds(Publication, st.just(PaperId(2)), hostile, hostile, urls)
    return Digest(
        "discord:1/2", draw(hostile), DAY, "UTC", sections, Foot(3, NEXT, silent, progress, 4, NEXT),
        tuple(draw(st.lists(published, max_size=MAX_PUBLISHED))), draw(st.sampled_from(Layout)),
        draw(st.sampled_from([*LANGUAGES])), draw(st.booleans()),
    )  # fmt: skip


def papers_of(digest: Digest) -> tuple[Item | Publication, ...]:
    """All that a digest shows, in order: its papers, and those that came out."""
    return (*digest.items, *digest.published)


def parts(messages: tuple[str, ...]) -> Iterator[list[dict[str, Any]]]:
    """The components in the container of each message."""
    for message in messages:
        (container,) = json.loads(message)["components"]
        yield container["components"]


def lines(messages: tuple[str, ...]) -> list[str]:
    """Every line of every text of the messages."""
    contents = (part["content"] for inner in parts(messages) for part in inner if "content" in part)
    return [line for content in contents for line in content.split("\n")]


def as_view(message: str) -> discord.ui.LayoutView:
    """The message as the library itself builds one; its classes refuse what is too much."""
    (container,) = json.loads(message)["components"]
    children: list[discord.ui.Item[Any]] = [
        discord.ui.TextDisplay(part["content"])
        if "content" in part
        else discord.ui.Separator(visible=part["divider"], spacing=discord.SeparatorSpacing(part["spacing"]))
        for part in container["components"]
    ]
    view = discord.ui.LayoutView()
    view.add_item(discord.ui.Container(*children, accent_colour=container["accent_color"]))
    return view


@given(digests())
@settings(max_examples=80)
def test_every_limit_holds_for_any_digest(digest: Digest) -> None:
    """However much and whatever it holds, each message has at most 40 components and 4,000 UTF-16 units."""
    for message, inner in zip(messages := render(digest), parts(messages), strict=True):
        contents = [part["content"] for part in inner if "content" in part]
        assert sum(len(content.encode("utf-16-le")) // 2 for content in contents) <= 4000
        assert len(inner) + 1 <= 40
        assert all(content.strip() for content in contents)
        assert as_view(message).content_length() <= 4000
        assert json.loads(message)["flags"] == 1 << 15 | 1 << 2


@given(digests())
@settings(max_examples=80)
def test_nothing_in_a_digest_becomes_mark_up_or_leads_elsewhere(digest: Digest) -> None:
    """Read as a client reads it, a digest holds headings, small print, bold words and its papers' links."""
    links = {linkable(paper.link) for paper in papers_of(digest)}
    for line in lines(render(digest)):
        _, signs = read(line)
        assert {sign.kind for sign in signs} <= {"heading", "small", "strong", "link"}
        assert {sign.url for sign in signs if sign.kind == "link"} <= links
        assert len([sign for sign in signs if sign.kind in ("heading", "small")]) <= 1


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("a [x](https://evil.example) b", "link"), ("see https://evil.example", "url"), ("<@12>", "mention"),
        ("@everyone", "mention"), ("**a**", "strong"), ("*a*", "italic"), ("é_x_é", "italic"),
        ("__a__", "underline"), ("~~a~~", "strike"), ("`a`", "code"), ("||a||", "spoiler"),
        (":smile:", "emoji"), ("# a", "heading"), ("-# a", "small"), ("> a", "quote"), ("- a", "list"),
        ("1. a", "list"), ("<https://evil.example>", "autolink"),
    ],
)  # fmt: skip
def test_the_judge_sees_each_kind_of_mark_up(written: str, kind: str) -> None:
    """The reader by which the other tests judge finds what is not escaped, and nothing once it is."""
    assert kind in {sign.kind for sign in read(written)[1]}
    assert read(escaped(written)) == (written, ())


@given(hostile)
def test_escaped_text_is_seen_as_it_stands(text: str) -> None:
    """Escaping changes what is written, never what is read, in plain text and in bold."""
    assert read(escaped(text))[0] == legible(text)
    assert read(bold(text))[0] == legible(text)


@given(hostile, st.lists(st.tuples(st.integers(-3, 99), st.integers(-3, 99)), max_size=5))
def test_marks_change_nothing_but_the_weight(text: str, marks: list[tuple[int, int]]) -> None:
    """Whatever ranges are marked, the words are the same, and bold is the only mark-up."""
    shown, signs = read(marked(text, marks))
    assert shown.split() == legible(text).split()
    assert {sign.kind for sign in signs} <= {"strong"}


def test_marked_words_are_bold_where_they_stand() -> None:
    """Marks inside a word, side by side, and around stars and spaces all come out."""
    text = "over*thinking and re-use of tokens"
    marks = [(0, 4), (4, 13), (18, 20), (24, 28)]
    assert marked(text, marks) == r"**over\*thinking** and **re**\-use **of** tokens"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[Re] Plain", "［Re］Plain"),
        ("A* search, x_i and `code`", "A∗ search, x_i and ˋcodeˋ"),
        ("1. First", "1. First"),
        ("x]( https://evil.example )", "x］( https://evil.example )"),
        ("||a|| ~~b~~ <@1> @everyone :smile:", "||a|| ~~b~~ <@1> @everyone :smile:"),
    ],
)
def test_a_title_stays_one_link_whatever_is_in_it(text: str, shown: str) -> None:
    """Signs that break a masked link are kept apart or give way to their likes, and nothing else changes."""
    seen, signs = read(title(text, "https://x.example/a(1)"))
    assert seen == shown
    assert [(sign.kind, sign.url) for sign in signs] == [
        ("strong", ""),
        ("link", "https://x.example/a%281%29"),
    ]


def test_a_title_with_an_emoji_has_its_link_behind_it() -> None:
    """An emoji inside a masked link breaks it, so that such a title is bold and a word after it leads on."""
    assert title("🧪 Tests", "https://x.example") == "**🧪 Tests** · [open](https://x.example)"


@pytest.mark.parametrize("url", ["", "javascript:alert(1)", "ftp://x", "https://", "https://x/" + "y" * 900])
def test_only_an_ordinary_web_address_is_linked(url: str) -> None:
    """Other schemes, no host and addresses beyond all measure leave the title bare."""
    assert title("Title", url) == "**Title**"


@given(digests())
@settings(max_examples=60)
def test_every_paper_is_there_and_in_order(digest: Digest) -> None:
    """Over all messages each paper appears, in the digest's order, under its heading; so does all news."""
    count = iter(range(10_000))
    numbered = replace(
        digest,
        label="#x",
        sections=tuple(
            Section(
                f"S{number}",
                tuple(replace(item, heading=f"P{next(count)} is {item.heading}") for item in section.items),
            )
            for number, section in enumerate(digest.sections)
        ),
        published=tuple(
            replace(news, heading=f"P{next(count)} is {news.heading}") for news in digest.published
        ),
    )
    messages = render(numbered)
    wanted = [paper.heading.split()[0] for paper in papers_of(numbered)]
    seen = [
        words[0] for line in lines(messages) if (words := read(line)[0].split()) and words[0] in set(wanted)
    ]
    assert list(dict.fromkeys(seen)) == wanted
    for inner in list(parts(messages))[1:]:
        assert inner[0]["content"].startswith(("### ", "-# ")) or not wanted


@given(digests())
@settings(max_examples=40)
def test_the_main_post_ends_with_what_was_checked(digest: Digest) -> None:
    """However long the digest, its first message says how many sources were checked."""
    last = next(parts(render(digest)))[-1]["content"]
    assert foot(digest)[0] in last


def test_a_digest_that_is_too_long_begins_with_first_sentences() -> None:
    """The main post has titles and first sentences; the thread has the other sentences and no second link."""
    first, *others = render(LONG)
    assert "ends the **reasoning** once the answer no longer changes" in first
    assert "saves 41%" not in first
    assert "saves 41%" in others[0]
    assert "[Stopping Rules" not in others[0]


def test_without_a_thread_every_paper_stands_whole() -> None:
    """No second half of a summary comes after other papers, and nobody is sent looking for a thread."""
    first, *others = render(SAMPLES["flat"])
    assert "saves 41%" in first
    assert others
    assert goes_on(SAMPLES["flat"], 9) == "9 more below"
    assert "-# 9 more below" in first
    assert not any("thread" in message for message in (first, *others))


def test_old_papers_that_came_out_are_not_counted_as_more() -> None:
    """A digest of one paper and of much news has no further paper in its thread."""
    news = tuple(Publication(PaperId(n), f"Paper {n}", f"Journal {n}") for n in range(1, 200))
    one = replace(LONG, sections=(replace(LONG.sections[0], items=LONG.items[:1]),), published=news)
    first, *others = render(one)
    assert others
    assert "-# the rest is in the thread\\n" in first


def test_a_compact_item_has_one_line_of_fine_print() -> None:
    """It stands below the sentence: who and where, and the matched words only where none is bold."""
    shown = lines(render(SAMPLES["compact"]))
    small = [line for line in shown if line.startswith("-# ")]
    assert small[0] == "-# Mara Lindqvist +4 · ICLR 2026 · also for Benchmarks"
    assert shown[shown.index(small[0]) - 1].startswith("A probe of 2,000 parameters")
    assert "-# Haruto Sato +3 · MLRC 2026 · matched: overthinking" in small


def test_what_came_out_stands_under_a_heading_of_its_own() -> None:
    """A line each: the title, linked, and where."""
    shown = lines(render(SAMPLES["news"]))
    at = shown.index("### From earlier digests")
    text, signs = read(shown[at + 1])
    assert text.endswith(" · now published in Transactions on Machine Learning Research")
    assert [sign.url for sign in signs if sign.kind == "link"] == ["https://arxiv.org/abs/2508.00090"]
    assert read(shown[at + 2])[0] == "MT-WALK · now published as doi:10.1000/j.walk.2026.11"


def test_a_chinese_digest_has_no_english_words_of_its_own() -> None:
    """All that is English in it comes from papers, feeds and people."""
    for digest in (SAMPLES["chinese"], replace(LONG, language="zh"), replace(SAMPLES["news"], language="zh")):
        assert english_in("".join(render(digest))) == set()


def test_a_long_summary_is_clipped_only_where_no_message_could_hold_it() -> None:
    """A sentence of 3,000 characters stands whole in the thread, one of 9,000 ends with an ellipsis."""
    for length, whole in ((3000, True), (9000, False)):
        item = Item(PaperId(1), "Title", summary="word " * (length // 5))
        messages = render(Digest("discord:1/2", "#x", DAY, "UTC", (Section("S", (item,)),), Foot(1)))
        longest = max(lines(messages), key=len)
        assert ("…" not in longest) is whole
        assert len(longest) > 2900


@pytest.mark.parametrize("name", SAMPLES)
def test_messages_are_as_they_were_looked_at(name: str) -> None:
    """The golden files hold the messages whose pictures were approved."""
    assert golden(SAMPLES[name]) == (GOLDEN / f"{name}.json").read_text("utf-8")


HOSTILE = Digest(
    "discord:1/2", "".join(NASTY), DAY, "UTC",
    tuple(Section(text, (Item(PaperId(1), text, "https://x.example/(", summary=text),)) for text in NASTY),
    Foot(300, NEXT, tuple(Silent("f" * 999, "broken", datetime(2026, 1, 1, tzinfo=UTC)) for _ in range(300))),
)  # fmt: skip


@pytest.mark.parametrize("digest", [*SAMPLES.values(), HOSTILE], ids=[*SAMPLES, "hostile"])
def test_messages_are_what_discord_s_description_asks_for(digest: Digest, shared: Path) -> None:
    """Each message is a MessageCreateRequest of Discord's official API description."""
    spec = json.loads((shared / "data/discord/openapi.json").read_text("utf-8"))
    schema = {"$ref": "#/components/schemas/MessageCreateRequest", "components": spec["components"]}
    validator = jsonschema.Draft202012Validator(schema)
    for message in render(digest):
        validator.validate(json.loads(message))


async def test_another_discord_takes_and_keeps_each_message() -> None:
    """simcord, which checks the limits of Components V2 by itself, posts every sample."""
    client = discord.Client(intents=discord.Intents(guilds=True))
    async with simcord.run(client) as env:
        channel = env.create_guild().create_text_channel("ml-papers")
        route = Route("POST", "/channels/{channel_id}/messages", channel_id=channel.id)
        for message in (message for digest in (*SAMPLES.values(), HOSTILE) for message in render(digest)):
            posted = await client.http.request(route, json=json.loads(message))
            kept = [part.get("content") for part in posted["components"][0]["components"]]
            assert kept == [part.get("content") for part in next(parts((message,)))]
            assert posted["mention_everyone"] is False


def test_a_size_is_what_the_larger_count_gives() -> None:
    """A character outside the basic plane counts twice, as in UTF-16."""
    assert [size(text) for text in ("a", "汉", "🧪", "e\u0301")] == [1, 1, 2, 2]
