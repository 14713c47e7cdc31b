"""Tests of the digest's words: headings, bylines, reasons, and the line at its foot."""

from datetime import UTC, date, datetime, timedelta

import pytest

from digests.digest import (
    Digest,
    Foot,
    Item,
    Progress,
    Section,
    Silent,
    byline,
    foot,
    reason,
    section_title,
    short_authors,
)
from digests.paper import PaperId

TUESDAY = date(2026, 12, 1)
MORNING = datetime(2026, 12, 1, 7, 55, tzinfo=UTC)


def foot_line(**fields: object) -> str:
    """The foot of a digest of a channel in Berlin, in one line."""
    digest = Digest("console:lab/ml", "#ml", TUESDAY, "Europe/Berlin", (), Foot(**fields))  # type: ignore[arg-type]
    return " · ".join(foot(digest))


def test_title_names_channel_and_date() -> None:
    """The first line says for whom and for which day."""
    digest = Digest("console:lab/ml", "#ml-papers", TUESDAY, "UTC", (), Foot())
    assert digest.title == "Paper digest · #ml-papers · Tue 1 Dec 2026"


def test_section_is_counted() -> None:
    """A section's heading says how many papers it has."""
    items = (Item(PaperId(1), "A"), Item(PaperId(2), "B"))
    assert section_title(Section("Reasoning", items)) == "Reasoning · 2 new"


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


def test_byline_leaves_out_what_is_not_known() -> None:
    """No empty piece stands between the dots."""
    assert byline(Item(PaperId(1), "A", source="ICLR 2026", also_in=("arXiv", "PubMed"))) == (
        "ICLR 2026 · also in arXiv, PubMed"
    )
    assert byline(Item(PaperId(1), "A")) == ""


def test_reason_names_words_and_other_subscriptions() -> None:
    """Readers see which words matched and which other sections would have shown the paper."""
    item = Item(PaperId(1), "A", matched=("overthinking", "reasoning"), also_for=("Benchmarks",))
    assert reason(item) == "matched: overthinking, reasoning · also for Benchmarks"


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
