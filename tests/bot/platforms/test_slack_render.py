"""Tests of bot/platforms/slack/render.py: how digests look, and that none can break out of its limits."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from slack_sdk.models.blocks import Block

from bot.platforms.slack.blocks import MAX_BLOCKS, MAX_SIZE
from bot.platforms.slack.render import render
from digests.channel import Layout
from digests.compose import MAX_PUBLISHED
from digests.digest import Digest, Foot, Item, Progress, Publication, Section, Silent, foot, goes_on
from digests.paper import PaperId
from digests.phrases import ENGLISH, LANGUAGES
from tests.blockkit_html import to_html
from tests.bot.platforms.own_words import english_in
from tests.bot.platforms.slack_samples import (
    CHECKED,
    DAY,
    GOLDEN,
    LONG,
    NASTY,
    NEXT,
    ORDINARY,
    QUIET,
    SAMPLES,
    golden,
)

texts = st.one_of(st.sampled_from(NASTY), st.text(max_size=40))
names = st.lists(texts, max_size=4).map(tuple)
LINKS = (
    "",
    "https://arxiv.org/abs/2611.00001",
    "https://x.example/a_(b)|c>d\"e'f<g>[h](i)",
    "javascript:alert(1)",
    "https://x.example/" + "a" * 1_960,
    "https://x.example/" + "a" * 3_000,
    "mailto:a@b.example",
)


@st.composite
def items(draw: st.DrawFn) -> Item:
    spans = st.tuples(st.integers(-5, 400), st.integers(-5, 400))
    authors = ("Ann Author",) * 200 if draw(st.booleans()) else draw(names)
    return Item(
        PaperId(1),
        draw(texts),
        draw(st.sampled_from(LINKS)),
        authors,
        draw(texts),
        draw(names),
        draw(texts),
        tuple(draw(st.lists(spans, max_size=60))),
        draw(names),
        draw(names),
        draw(texts),
        tuple(draw(st.lists(spans, max_size=60))),
    )


@st.composite
def digests(draw: st.DrawFn) -> Digest:
    section = st.builds(Section, texts, st.lists(items(), max_size=6).map(tuple))
    some = draw(st.lists(section, max_size=4))
    many = Section("Many", (draw(items()),) * draw(st.sampled_from([0, 0, 41])))
    silent = (Silent(draw(texts), "silent", CHECKED),) * draw(st.sampled_from([0, 1, 300]))
    progress = (Progress(draw(texts), 1, 2),) * draw(st.sampled_from([0, 1, 60]))
    foot = Foot(
        draw(st.integers(0, 10**6)), CHECKED, silent, progress, 7, draw(st.sampled_from([None, NEXT]))
    )
    publication = st.builds(Publication, st.just(PaperId(2)), texts, texts, st.sampled_from(LINKS))
    return Digest(
        "slack:T1/C1",
        draw(texts),
        DAY,
        "Asia/Kathmandu",
        (*some, many),
        foot,
        tuple(draw(st.lists(publication, max_size=MAX_PUBLISHED))),
        draw(st.sampled_from(Layout)),
        draw(st.sampled_from([*LANGUAGES])),
        draw(st.booleans()),
    )


WORST = Item(
    PaperId(1),
    '"' * 300,
    "https://x.example/" + "a" * 1_980,
    ('"' * 50,) * 3,
    '"' * 50,
    ('"' * 50,) * 9,
    '"' * 1_000,
    tuple((at, at + 1) for at in range(0, 900, 2)),
    ('"' * 50,) * 9,
    ('"' * 50,) * 9,
    '"' * 160,
    tuple((at, at + 1) for at in range(0, 160, 2)),
)
WORST_DIGEST = Digest(
    "slack:T1/C1",
    '"' * 60,
    DAY,
    "UTC",
    (Section('"' * 80, (WORST, WORST)),),
    Foot(
        10**6, CHECKED, (Silent('"' * 40, "broken", CHECKED),) * 300, (Progress('"' * 40, 10**6, 10**7),) * 90
    ),
    (Publication(PaperId(2), '"' * 300, '"' * 60, "https://x.example/" + "a" * 1_980),) * MAX_PUBLISHED,
)


def messages(digest: Digest) -> list[dict[str, Any]]:
    return [json.loads(message) for message in render(digest)]


def elements(value: object) -> Iterator[dict[str, Any]]:
    """Every object inside, at any depth, in order."""
    if isinstance(value, dict):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from elements(part)


def headings(parts: list[dict[str, Any]], digest: Digest) -> tuple[list[str], list[str]]:
    """The headings of the papers and of the publications in these messages, in order."""
    starts = [
        (part["elements"][0]["text"], part["elements"][1]["text"])
        for part in elements(parts)
        if part.get("type") == "rich_text_section" and len(part["elements"]) > 1
    ]
    news = tuple(f" · {say.split('{')[0]}" for say in (digest.say.published_in, digest.say.published_as))
    return [one for one, two in starts if two == "\n"], [one for one, two in starts if two.startswith(news)]


@pytest.fixture(scope="session")
def schema(shared: Path) -> jsonschema.Draft7Validator:
    """Slack's description of what chat.postMessage takes."""
    described = json.loads((shared / "data/slack/blockkit.schema.json").read_text("utf-8"))
    return jsonschema.Draft7Validator({**described, "$ref": "#/definitions/PostMessage"})


@pytest.mark.parametrize("name", SAMPLES)
def test_a_digest_looks_as_its_golden_file_says(name: str) -> None:
    """The three samples give the messages that were looked at and found good."""
    assert golden(SAMPLES[name]) == (GOLDEN / f"{name}.json").read_text("utf-8")


@pytest.mark.parametrize("name", SAMPLES)
def test_a_digest_can_be_drawn(name: str) -> None:
    """The renderer for the eye knows every block, and shows every heading as text, never as a tag."""
    page = to_html(messages(SAMPLES[name]))
    assert page.count('<div class="message') == len(messages(SAMPLES[name]))
    assert "<One>" not in page


@settings(max_examples=80)
@example(WORST_DIGEST)
@given(digests())
def test_any_digest_stays_within_the_limits(digest: Digest) -> None:
    """Blocks, characters, headers, texts: within Slack's limits, and none of them empty."""
    for text in render(digest):
        message = json.loads(text.encode())
        blocks = message["blocks"]
        written = json.dumps(blocks, ensure_ascii=False, separators=(",", ":"))
        assert len(blocks) <= MAX_BLOCKS
        assert len(written.encode("utf-16-le")) // 2 <= MAX_SIZE
        assert 0 < len(message["text"]) <= 4_000
        assert all(part["text"] for part in elements(blocks) if "text" in part)
        headers = [block["text"]["text"] for block in blocks if block["type"] == "header"]
        assert all(len(header.encode("utf-16-le")) // 2 <= 150 for header in headers)
        plain = [part["text"] for part in elements(blocks) if part.get("type") == "plain_text"]
        assert max(map(len, plain), default=0) <= 3_000
        ids = [block["block_id"] for block in blocks if "block_id" in block]
        assert len(ids) == len(set(ids))


@settings(max_examples=25)
@example(WORST_DIGEST)
@given(digest=digests())
def test_any_digest_is_what_slack_describes(schema: jsonschema.Draft7Validator, digest: Digest) -> None:
    """Each message is valid by Slack's schema and by slack_sdk's own models."""
    for message in messages(digest):
        schema.validate({"channel": "C1", **message})
        for block in Block.parse_all(message["blocks"]):
            assert block is not None
            block.validate_json()


@settings(max_examples=60)
@given(digests())
def test_no_text_of_a_digest_becomes_markup(digest: Digest) -> None:
    """Only texts, item links, headers and lines: no mrkdwn, no mention, no link but an item's to the web."""
    allowed = {"header", "divider", "context", "rich_text", "rich_text_section", "text", "link", "plain_text"}
    for message in messages(digest):
        assert {part["type"] for part in elements(message["blocks"]) if "type" in part} <= allowed
        assert not any(part.get("emoji") for part in elements(message))
        urls = [part["url"] for part in elements(message) if "url" in part]
        assert all(url.startswith(("http://", "https://")) and not set(url) & set(' <>"|`\\') for url in urls)
        assert not set(message["text"]) & {"<", ">"}


@settings(max_examples=60)
@given(digests())
def test_every_paper_is_shown_once_and_in_order(digest: Digest) -> None:
    """Whatever the lengths: as many headings as papers, each the beginning of its paper's, in order."""
    wanted = [item.heading for item in digest.items], [news.heading for news in digest.published]
    for shown, full in zip(headings(messages(digest), digest), wanted, strict=True):
        assert len(shown) == len(full)
        for short, whole in zip(shown, full, strict=True):
            assert short == digest.say.untitled or visible(whole).startswith(visible(short).rstrip("…"))


@settings(max_examples=30)
@given(digests())
def test_the_main_post_counts_what_comes_after_it(digest: Digest) -> None:
    """The papers; only where none comes after it, what follows is "the rest"; where nothing does, no word."""
    main, *later = messages(digest)
    papers, _publications = headings(later, digest)
    last = main["blocks"][-1]["elements"][0]["text"]
    assert last.startswith(f"{goes_on(digest, len(papers))} · " if later else foot(digest)[0])


def test_old_papers_that_came_out_are_not_counted_as_more() -> None:
    """A digest of one paper and of much news has no further paper in its thread."""
    news = tuple(Publication(PaperId(n), f"Paper {n}", f"Journal {n}") for n in range(1, 200))
    one = replace(LONG, sections=(replace(LONG.sections[0], items=LONG.items[:1]),), published=news)
    main, *thread = render(one)
    assert thread
    assert '"the rest is in the thread · 300 sources checked' in main


def visible(text: str) -> str:
    return "".join(character for character in text if character.isprintable() and character != " ")


def test_what_does_not_fit_goes_on_in_the_thread() -> None:
    """The main post says how many more are there, and a section that goes on repeats its heading."""
    main, *thread = render(LONG)
    in_thread = sum(part.count('"type":"link"') for part in thread)
    assert f'"{in_thread} more in the thread · 300 sources checked 08:55' in main
    assert "more in the thread" not in "".join(thread)
    assert '"text":"Reasoning efficiency","style":{"bold":true}},{"type":"text","text":" · 15 new"}' in main
    assert '" · continued"' in thread[0]
    assert json.loads(thread[0])["text"] == "Paper digest · #ml-papers · Tue 1 Dec 2026, continued"


def test_without_a_thread_the_rest_is_below() -> None:
    """A channel that wants no threads is not sent looking for one."""
    main, *others = render(replace(LONG, thread=False))
    assert " more below · 300 sources checked 08:55" in main
    assert not any("thread" in part for part in (main, *others))


def test_a_compact_item_has_one_line_of_fine_print() -> None:
    """Title, sentence, and who and where in one short line: no line of matched words that are bold anyway."""
    digest = SAMPLES["compact"]
    prints = [block["elements"][0]["text"] for block in messages(digest)[0]["blocks"] if is_fine_print(block)]
    assert prints[0] == "Mara Lindqvist +5 · ICLR 2026 · also for Benchmarks"
    assert prints[2] == "Haruto Sato · MLSys 2026 · matched: overthinking"
    assert not any("\n" in line for line in prints)


def is_fine_print(block: dict[str, Any]) -> bool:
    return bool(block["type"] == "context")


def test_what_came_out_stands_between_papers_and_foot() -> None:
    """Under a heading of its own, a line each: the title, linked, and where."""
    *_, heading, first, second, _, _ = messages(SAMPLES["news"])[0]["blocks"]
    assert heading["elements"][0]["elements"][0]["text"] == "From earlier digests"
    title, place = first["elements"][0]["elements"]
    assert (title["url"], place["text"]) == (
        "https://arxiv.org/abs/2508.00090",
        " · now published in Transactions on Machine Learning Research",
    )
    assert second["elements"][0]["elements"][1]["text"].startswith(" · now published as doi:")


def test_a_chinese_digest_has_no_english_words_of_its_own() -> None:
    """All that is English in it comes from papers, feeds and people."""
    for digest in (SAMPLES["chinese"], replace(LONG, language="zh"), replace(QUIET, language="zh")):
        assert english_in("".join(render(digest))) == set()


def test_a_short_digest_is_one_message_that_ends_with_its_foot() -> None:
    """Nothing of it goes into a thread; what was checked stands last."""
    (message,) = messages(ORDINARY)
    (last,) = message["blocks"][-1]["elements"]
    assert last["text"].startswith("12 sources checked 08:55 · journal-of-vision silent since yesterday")


def test_a_quiet_day_says_so_and_what_was_checked() -> None:
    """One line and the foot, and the same in the notification."""
    (text,) = render(QUIET)
    assert ENGLISH.quiet_day in json.loads(text)["text"]
    assert "12 sources checked" in text


def test_matched_words_are_bold() -> None:
    """Overlapping, senseless and reversed marks do no harm; the text stays whole."""
    marked = Item(
        PaperId(1), "Title", summary="one two three", marks=((4, 7), (5, 9), (90, 95), (3, 1), (0, 3))
    )
    _, _, *summary = item_elements(marked)
    pieces = [(part["text"], "style" in part) for part in summary]
    assert pieces == [("one", True), (" ", False), ("two", True), (" t", True), ("hree", False)]


def test_the_snippet_stands_in_italics_below_the_summary() -> None:
    """It is a line of its own in quotation marks, its matched words bold; none without one."""
    shown = Item(PaperId(1), "T", summary="One.", snippet="…two three", snippet_marks=((1, 4),))
    title, _, summary, *rest = item_elements(shown)
    assert [part["text"] for part in rest] == ["\n“", "…", "two", " three", "”"]
    assert all(part["style"]["italic"] for part in rest)
    assert [part["text"] for part in rest if part["style"].get("bold")] == ["two"]
    assert item_elements(replace(shown, snippet="")) == [title, _, summary]


def item_elements(item: Item) -> list[dict[str, Any]]:
    digest = replace(ORDINARY, sections=(Section("S", (item,)),))
    blocks = messages(digest)[0]["blocks"]
    found: list[dict[str, Any]] = blocks[3]["elements"][0]["elements"]
    return found


def test_a_paper_without_title_link_and_abstract_is_still_shown() -> None:
    """It gets a name, and a word on what is missing."""
    title, _, summary = item_elements(Item(PaperId(1), "\u200b"))
    assert title == {"type": "text", "text": ENGLISH.untitled, "style": {"bold": True}}
    assert summary["text"] == ENGLISH.no_abstract


def test_a_long_author_list_leaves_room_for_the_places() -> None:
    """Names are cut, the number of the others and the places stay."""
    item = Item(PaperId(1), "T", authors=("A" * 900,) * 200, source="ICLR 2026", also_in=("arXiv",))
    blocks = messages(replace(ORDINARY, sections=(Section("S", (item,)),)))[0]["blocks"]
    assert blocks[4]["elements"][0]["text"].endswith("… +198 · ICLR 2026 · also in arXiv")


def test_a_long_foot_keeps_its_end() -> None:
    """Sixty lists in progress are too many to name; the time of the next digest stays."""
    foot = Foot(1, CHECKED, (), tuple(Progress(f"list-{n}", n, 99) for n in range(60)), 0, NEXT)
    text = messages(replace(QUIET, foot=foot))[0]["blocks"][-1]["elements"][0]["text"]
    assert text.endswith("list-8: 8 of 99 shown · 51 more notes · next at 09:00 tomorrow · /digest help")


def test_the_notification_is_escaped() -> None:
    """A heading that looks like a mention stays text there, too."""
    digest = replace(ORDINARY, sections=(Section("S", (Item(PaperId(1), "A<!channel>&amp;"),)),))
    assert "A&lt;!channel&gt;&amp;amp;" in messages(digest)[0]["text"]
