"""Tests of the audit on the command line: every change made there leaves a row that says what it changed."""

import pytest

from tests.bot.cli.conftest import Run

LAB = "console:lab/ml"


@pytest.fixture
def changed(run: Run) -> Run:
    """Two channels, settings changed, a subscription that came and went."""
    for arguments in (
        ("channels", "add", LAB),
        ("channels", "add", "console:lab/bio"),
        ("channels", "set", LAB, "--size", 5, "--managers", "U024BE7LH"),
        ("subscriptions", "add", LAB, "benchmark -medical", "--name", "Benchmarks"),
        ("subscriptions", "remove", LAB, 1),
        ("channels", "remove", "console:lab/bio"),
    ):
        assert run(*arguments).code == 0
    return run


def test_every_change_leaves_a_row(changed: Run) -> None:
    """Who, what and where of each change, the latest first, also of a channel that is gone."""
    rows = changed("audit", "--json").json
    assert [(row["what"], row["channel"]) for row in rows] == [
        ("channels remove", "console:lab/bio"),
        ("unsubscribe", LAB),
        ("subscribe", LAB),
        ("channels set", LAB),
        ("channels add", "console:lab/bio"),
        ("channels add", LAB),
    ]
    assert all(row["who"].startswith("cli:") for row in rows)
    assert rows[3]["before"] == {"papers": "10", "managers": "all"}
    assert rows[3]["after"] == {"papers": "5", "managers": "U024BE7LH"}


def test_rows_of_one_channel_say_what_changed(changed: Run) -> None:
    """On the terminal a row reads as before and after."""
    shown = changed("audit", "--channel", LAB).out
    assert "papers: 10 → 5, managers: all → U024BE7LH" in shown
    assert "lab/bio" not in shown


def test_nothing_changed_is_said(run: Run) -> None:
    """An empty audit is one sentence."""
    assert run("audit").out == "Nobody has changed anything yet.\n"


def test_refused_change_leaves_no_row(changed: Run) -> None:
    """What was not done is not noted."""
    before = changed("audit", "--json").json
    assert changed("channels", "add", LAB).code == 2
    assert changed("audit", "--json").json == before
