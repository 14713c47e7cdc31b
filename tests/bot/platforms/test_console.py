"""Tests of the terminal: how a digest is laid out."""

import io
from dataclasses import replace

from bot.platforms.console import show
from digests.channel import Layout
from digests.digest import Digest, Foot, Item, Section
from digests.paper import PaperId
from tests.bot.platforms.own_words import english_in
from tests.bot.platforms.slack_samples import DAY, SAMPLES


def lines(digest: Digest) -> list[str]:
    """The lines of a digest where there are neither colours nor links."""
    stream = io.StringIO()
    show(digest, stream)
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def printed(layout: Layout = Layout.FULL, **fields: object) -> list[str]:
    """The lines of an item."""
    item = Item(PaperId(1), "T", authors=("A", "B"), summary="One.", matched=("two",), **fields)  # type: ignore[arg-type]
    return lines(Digest("console:a/b", "#x", DAY, "UTC", (Section("S", (item,)),), Foot(), (), layout))[2:-2]


def test_the_snippet_is_a_line_in_quotation_marks_below_the_summary() -> None:
    """Without colours the signs alone tell it from the summary; no snippet, no line."""
    shown = printed(snippet="…two three", snippet_marks=((1, 4),))
    assert shown == ["T", "A, B", "One.", "“…two three”", "matched: two"]
    assert printed() == ["T", "A, B", "One.", "matched: two"]


def test_a_compact_item_has_one_line_of_fine_print() -> None:
    """Title, sentence, and one line below."""
    assert printed(Layout.COMPACT) == ["T", "One.", "A +1 · matched: two"]


def test_what_came_out_stands_between_papers_and_foot() -> None:
    """Under a rule of its own: the title, where, and the address."""
    shown = lines(SAMPLES["news"])
    at = next(n for n, line in enumerate(shown) if line.startswith("── From earlier digests ──"))
    assert shown[at + 1 : at + 5] == [
        "[Re] Early Exits for Long Proofs: *two* seeds later · now published in",
        "Transactions on Machine Learning Research",
        "https://arxiv.org/abs/2508.00090",
        "MT-WALK · now published as doi:10.1000/j.walk.2026.11",
    ]
    assert shown[-1].startswith("12 sources checked")


def test_a_chinese_digest_has_no_english_words_of_its_own() -> None:
    """All that is English in it comes from papers, feeds and people."""
    for digest in (SAMPLES["chinese"], replace(SAMPLES["news"], language="zh")):
        assert english_in("\n".join(lines(digest))) == set()
    assert "本频道今天没有新论文。" in lines(replace(SAMPLES["quiet"], language="zh"))
