"""Tests of the digest's words: headings, bylines, reasons, and the line at its foot."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import get_args

import pytest

from digests.channel import Layout
from digests.digest import (
    Ailment,
    Digest,
    Foot,
    Item,
    Progress,
    Publication,
    Section,
    Silent,
    fine_print,
    foot,
    goes_on,
    new_items,
    published_in,
    short_authors,
)
from digests.paper import PaperId
from digests.phrases import CHINESE, LANGUAGES
from storage.rows import digest_from, digest_text

TUESDAY = date(2026, 12, 1)
MORNING = datetime(2026, 12, 1, 7, 55, tzinfo=UTC)
LONG_ITEM = Item(
    PaperId(1),
    "A",
    authors=("Ann Author", "Bo Author", "Cy Author", "Di Author"),
    source="ICLR 2026",
    also_in=("arXiv", "PubMed"),
    matched=("overthinking", "reasoning"),
    also_for=("Benchmarks",),
)


def a_digest(*items: Item, **fields: object) -> Digest:
    """A digest of a channel in Berlin."""
    given = {"sections": (Section("Reasoning", items),), "foot": Foot(), "zone": "Europe/Berlin"} | fields
    return Digest("console:lab/ml", "#ml-papers", TUESDAY, **given)  # type: ignore[arg-type]


def foot_line(language: str = "en", **fields: object) -> str:
    """The foot of a digest of a channel in Berlin, in one line."""
    return " · ".join(foot(a_digest(foot=Foot(**fields), language=language)))  # type: ignore[arg-type]


def test_title_names_channel_and_date() -> None:
    """The first line says for whom and for which day."""
    assert a_digest().title == "Paper digest · #ml-papers · Tue 1 Dec 2026"
    assert a_digest(language="zh").title == "论文速递 · #ml-papers · 2026年12月1日 周二"


def test_section_is_counted() -> None:
    """A section's heading says how many papers it has."""
    digest = a_digest(Item(PaperId(1), "A"), Item(PaperId(2), "B"))
    assert new_items(digest, digest.sections[0]) == "2 new"
    assert new_items(replace(digest, language="zh"), digest.sections[0]) == "新论文 2 篇"


@pytest.mark.parametrize(
    ("authors", "line"),
    [
        ((), ""),
        (("A. Author",), "A. Author"),
        (("A. Author", "B. Bee", "C. Cee"), "A. Author, B. Bee, C. Cee"),
        (("A. Author", "B. Bee", "C. Cee", "D. Dee"), "A. Author, B. Bee +2"),
    ],
)
def test_many_authors_are_counted(authors: tuple[str, ...], line: str) -> None:
    """Two authors and a number stand for many."""
    assert short_authors(authors) == line


def test_chinese_counts_all_authors() -> None:
    """Where the language says "and others, so many people", the number is that of all."""
    assert short_authors(("王伟", "李娜", "张敏", "刘洋"), CHINESE) == "王伟、李娜 等 4 人"


def test_fine_print_tells_who_where_and_why() -> None:
    """All places above the summary, the words and the other subscriptions below it."""
    above, below = fine_print(a_digest(), LONG_ITEM)
    assert above == "Ann Author, Bo Author +2 · ICLR 2026 · also in arXiv, PubMed"
    assert below == "matched: overthinking, reasoning · also for Benchmarks"
    above, below = fine_print(a_digest(language="zh"), LONG_ITEM)
    assert above == "Ann Author、Bo Author 等 4 人 · ICLR 2026 · 另见 arXiv、PubMed"
    assert below == "匹配：overthinking、reasoning · 同时符合 Benchmarks"


def test_fine_print_leaves_out_what_is_not_known() -> None:
    """No empty piece stands between the dots."""
    item = Item(PaperId(1), "A", source="ICLR 2026", also_in=("arXiv",))
    assert fine_print(a_digest(), item) == ("ICLR 2026 · also in arXiv", "")
    assert fine_print(a_digest(), Item(PaperId(1), "A")) == ("", "")


def test_compact_fine_print_is_one_short_line() -> None:
    """One author and one place; the matched words only where the summary does not show them marked."""
    digest = a_digest(layout=Layout.COMPACT)
    short = "Ann Author +3 · ICLR 2026"
    assert fine_print(digest, replace(LONG_ITEM, marks=((0, 3),))) == ("", f"{short} · also for Benchmarks")
    said = f"{short} · matched: overthinking, reasoning · also for Benchmarks"
    assert fine_print(digest, LONG_ITEM) == ("", said)


@pytest.mark.parametrize(
    ("place", "english", "chinese"),
    [
        ("TMLR", "now published in TMLR", "现已发表于 TMLR"),
        ("doi:10.1000/x", "now published as doi:10.1000/x", "现已发表：doi:10.1000/x"),
    ],
)
def test_a_publication_names_its_place(place: str, english: str, chinese: str) -> None:
    """A venue is a place in which, a DOI a name as which."""
    news = Publication(PaperId(1), "A", place)
    assert published_in(a_digest(), news) == english
    assert published_in(a_digest(language="zh"), news) == chinese


def test_a_digest_tells_of_publications_in_items_and_as_news() -> None:
    """What it shows as published needs no news later; what is news is no paper that it shows."""
    items = (Item(PaperId(1), "A", is_published=True), Item(PaperId(2), "B"))
    digest = a_digest(*items, published=(Publication(PaperId(3), "C", "TMLR"),))
    assert (digest.papers, digest.told) == ((1, 2), (1, 3))


def test_the_main_post_says_where_it_goes_on() -> None:
    """In the thread, or below it where the channel wants no threads."""
    assert (goes_on(a_digest(), 5), goes_on(a_digest(), 0)) == (
        "5 more in the thread",
        "the rest is in the thread",
    )
    flat = a_digest(thread=False)
    assert (goes_on(flat, 5), goes_on(flat, 0)) == ("5 more below", "the rest is below")
    assert goes_on(a_digest(language="zh"), 5) == "其余 5 篇见跟帖"


def test_a_document_from_before_there_were_settings_can_still_be_read() -> None:
    """It has the defaults: full, English, with a thread, and nothing published."""
    document = json.loads(digest_text(a_digest(LONG_ITEM)))
    for name in ("published", "layout", "language", "thread"):
        del document[name]
    for item in document["sections"][0]["items"]:
        del item["is_published"]
    assert digest_from(json.dumps(document)) == a_digest(LONG_ITEM)


def test_a_document_keeps_its_settings() -> None:
    """What the channel had set when the digest was made comes back with it."""
    digest = a_digest(
        LONG_ITEM,
        published=(Publication(PaperId(3), "C", "TMLR", "https://x.example"),),
        layout=Layout.COMPACT,
        language="zh",
        thread=False,
    )
    assert digest_from(digest_text(digest)) == digest


def test_foot_says_all_of_it() -> None:
    """Sources, silence since when, what waits and when the next comes, on the channel's clock."""
    line = foot_line(
        checked=12,
        checked_at=MORNING,
        silent=(Silent("bio", "silent", MORNING - timedelta(days=1)), Silent("phys", "broken", None)),
        progress=(Progress("ICLR 2026", 40, 112),),
        waiting=11,
        next_at=datetime(2026, 12, 2, 8, tzinfo=UTC),
    )
    assert line == (
        "12 sources checked 08:55 · bio silent since yesterday · phys broken · "
        "ICLR 2026: 40 of 112 shown · 11 more waiting, next at 09:00 tomorrow"
    )


@pytest.mark.parametrize(
    ("days", "word"), [(0, "today"), (1, "tomorrow"), (3, "Fri"), (7, "8 Dec"), (40, "10 Jan 2027")]
)
def test_next_date_is_said_as_people_say_it(days: int, word: str) -> None:
    """Near days by their names, far ones by date, with the year only when it is another."""
    assert foot_line(next_at=MORNING + timedelta(days=days)).endswith(f"next at 08:55 {word}")


def test_foot_speaks_chinese() -> None:
    """The same pieces, each as Chinese readers expect it."""
    line = foot_line(
        "zh",
        checked=12,
        checked_at=MORNING - timedelta(days=3),
        silent=(Silent("bio", "silent", MORNING - timedelta(days=1)), Silent("phys", "broken", None)),
        progress=(Progress("ICLR 2026", 40, 112),),
        waiting=11,
        next_at=datetime(2026, 12, 2, 8, tzinfo=UTC),
    )
    assert line == (
        "周六 08:55 已检查 12 个来源 · bio 自昨天起没有新论文 · phys 无法读取 · "
        "ICLR 2026：已推送 40/112 篇 · 另有 11 篇待推送，下次：明天 09:00"
    )


@pytest.mark.parametrize("why", get_args(Ailment))
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_ailment_of_a_feed_is_said_in_words_of_its_own(why: Ailment, language: str) -> None:
    """No two are told alike, and each names its feed."""
    said = {
        other: foot_line(language, checked=2, silent=(Silent("bio", other, MORNING),))
        for other in get_args(Ailment)
    }
    assert "bio" in said[why]
    assert list(said.values()).count(said[why]) == 1


def test_foot_counts_many_silent_feeds() -> None:
    """Thirty silent feeds do not fill the screen."""
    silent = tuple(Silent(f"feed-{n}", "silent") for n in range(30))
    assert foot_line(checked=30, silent=silent).count("silent") == 3


def test_no_source_is_said() -> None:
    """A channel of an installation without feeds learns that there is nothing to check."""
    assert foot_line() == "no sources yet"


def test_foot_dates_an_old_check() -> None:
    """Sources that were last read days ago do not look like this morning's."""
    assert foot_line(checked=2, checked_at=MORNING - timedelta(days=3)).startswith(
        "2 sources checked 08:55 Sat"
    )
