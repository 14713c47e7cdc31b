"""Tests of the terminal: how an item of a digest is laid out."""

import io

from bot.platforms.console import show
from digests.digest import Digest, Foot, Item, Section
from digests.paper import PaperId
from tests.bot.platforms.slack_samples import DAY


def printed(**fields: object) -> list[str]:
    """The lines of an item where there are neither colours nor links."""
    item = Item(PaperId(1), "T", summary="One.", matched=("two",), **fields)  # type: ignore[arg-type]
    stream = io.StringIO()
    show(Digest("console:a/b", "#x", DAY, "UTC", (Section("S", (item,)),), Foot()), stream)
    return [line.rstrip() for line in stream.getvalue().splitlines()][2:-2]


def test_the_snippet_is_a_line_in_quotation_marks_below_the_summary() -> None:
    """Without colours the signs alone tell it from the summary; no snippet, no line."""
    lines = printed(snippet="…two three", snippet_marks=((1, 4),))
    assert lines == ["T", "One.", "“…two three”", "matched: two"]
    assert printed() == ["T", "One.", "matched: two"]
