"""Tests of the commands that change feeds: what they leave in the audit, and what they tell whom."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.app import now
from bot.cli import feeds
from digests.refresh import claim, hold
from storage.store import open_store
from tests.bot.cli.conftest import Run

LAB = "console:lab/ml"
LIST = "On walls\n\nWe study walls and what is behind them, in many words.\n\nhttps://a.example/1\n"


@pytest.fixture
def listed(run: Run, tmp_path: Path) -> Run:
    """A feed of a file."""
    (tmp_path / "list.txt").write_text(LIST)
    assert run("feeds", "add", "list.txt", "--name", "walls", "--list").code == 0
    return run


def test_every_change_of_a_feed_leaves_a_row(listed: Run) -> None:
    """Who, what and which feed, with what was set before and after; a refused change leaves none."""
    for arguments in (
        ("pause", "walls"),
        ("resume", "walls"),
        ("rename", "walls", "doors"),
        ("remove", "doors"),
    ):
        assert listed("feeds", *arguments).code == 0
    assert listed("feeds", "remove", "doors").code == 2
    rows = listed("audit", "--json").json
    assert [(row["what"], row["channel"]) for row in reversed(rows)] == [
        ("feeds add", "paperround:feeds/walls"),
        ("feeds pause", "paperround:feeds/walls"),
        ("feeds resume", "paperround:feeds/walls"),
        ("feeds rename", "paperround:feeds/doors"),
        ("feeds remove", "paperround:feeds/doors"),
    ]
    assert all(row["who"].startswith("cli:") for row in rows)
    assert rows[-1]["after"]["list"] == "yes"
    assert (rows[-2]["before"], rows[-2]["after"]) == ({"paused": "no"}, {"paused": "yes"})
    assert rows[1]["before"] == {"name": "walls"}
    assert rows[0]["before"]["address"].startswith("file:")


def test_rows_of_one_feed_can_be_asked_for(listed: Run) -> None:
    """By the place that the audit gives it."""
    assert "feeds add" in listed("audit", "--channel", "paperround:feeds/walls").out


def test_no_key_of_an_address_stands_in_the_audit(run: Run, tmp_path: Path) -> None:
    """An audit is shown to more people than a database."""
    (tmp_path / "in.opml").write_text(
        '<opml version="2.0"><body><outline text="A" xmlUrl="https://a.example/?api_key=sesame"/></body></opml>'
    )
    assert run("feeds", "import", "in.opml").code == 0
    audit = run("audit", "--json")
    assert audit.json[0]["after"]["address"] == "https://a.example/?api_key=***"
    assert "sesame" not in audit.out


def test_who_removes_a_feed_is_told_which_subscriptions_it_empties(listed: Run, tmp_path: Path) -> None:
    """Those that read only it are named, with a command that mends each; others are not."""
    (tmp_path / "other.txt").write_text(LIST.replace("walls", "doors").replace("/1", "/2"))
    listed("feeds", "add", "other.txt", "--name", "doors", "--list")
    listed("channels", "add", LAB)
    for name, of in (("Both", "walls,doors"), ("Only", "walls"), ("All", "")):
        assert listed("subscriptions", "add", LAB, f"study {name}", "--name", name, "--feeds", of).code == 0
    removed = listed("feeds", "remove", "walls")
    assert "'Only' of console:lab/ml reads no feed any more" in removed.err
    assert "Both" not in removed.err
    command = removed.err.split("paperround ")[1].strip().replace("''", "")
    assert listed(*command.split(), "").code == 0
    assert [one["feeds"] for one in listed("subscriptions", "list", LAB, "--json").json] == [
        ["walls", "doors"],
        [],
        [],
    ]
    named = listed("feeds", "remove", "doors", "--json").json
    assert named == {
        "name": "doors",
        "papers": 1,
        "emptied": [{"channel": LAB, "number": 1, "name": "Both"}],
    }


def test_feeds_come_to_another_paperround_as_they_are(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Names, windows, intervals and pauses survive an export and an import."""
    address = "https://api.crossref.org/journals/1476-4687/works?filter=from-created-date:{since-90}&cursor=*"
    (tmp_path / "in.opml").write_text(
        '<opml version="2.0" xmlns:p="urn:paperround:opml"><body>'
        f'<outline xmlUrl="https://x.example/" p:address="{address.replace("&", "&amp;")}" p:name="nature"'
        ' p:every="6h" p:paused="yes" p:format="crossref"/></body></opml>'
    )
    run("feeds", "import", "in.opml")
    (tmp_path / "out.opml").write_text(run("feeds", "export").out)
    before = run("feeds", "list", "--json").json
    monkeypatch.setenv("PAPERROUND_DB", str(tmp_path / "other.db"))
    assert run("feeds", "import", "out.opml").code == 0
    (feed,) = run("feeds", "list", "--json").json
    assert [feed] == before
    assert (feed["name"], feed["url"], feed["every"], feed["state"]) == ("nature", address, "6h", "paused")


def test_what_the_service_is_reading_is_not_read_twice(run: Run, tmp_path: Path) -> None:
    """Whoever asks for it meanwhile is told, and gets it in a moment."""
    (tmp_path / "list.txt").write_text(LIST)
    assert run("feeds", "add", "list.txt", "--name", "walls").code == 0
    store = open_store(tmp_path / "p.db")
    taken = claim(store.feeds.get("walls"), store, now())
    assert taken
    asked = run("feeds", "refresh", "walls")
    assert "another process is reading walls just now; try again in a moment" in asked.err
    assert "not changed" not in asked.out
    assert "another process is reading walls just now" in run("feeds", "refresh").out
    hold(taken, store, None)
    store.close()
    assert "1 paper" in run("feeds", "refresh", "walls").out


def test_json_of_many_papers_is_whole(run: Run, tmp_path: Path) -> None:
    """Papers are printed one by one, and what comes is one document all the same."""
    rows = ({"title": f"Paper {n}", "abstract": f"We study “thing” {n}."} for n in range(50))
    (tmp_path / "many.jsonl").write_text("\n".join(map(json.dumps, rows)))
    found = run("feeds", "check", "many.jsonl", "--json").json
    assert (found["count"], found["state"], list(found)[-1]) == (50, "healthy", "came")
    assert [paper["title"] for paper in found["papers"]] == [f"Paper {n}" for n in range(50)]
    assert found["papers"][7]["abstract"] == "We study “thing” 7."


def test_json_of_a_document_without_papers_is_whole(run: Run, tmp_path: Path) -> None:
    """An empty list stays one."""
    (tmp_path / "none.rss").write_text(
        '<rss version="2.0"><channel><title>"papers": []</title></channel></rss>'
    )
    assert run("feeds", "check", "none.rss", "--json").json["papers"] == []


def test_who_waits_long_is_told_what_for(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server may take its time; the command says which."""
    monkeypatch.setattr(feeds, "PATIENCE", 0.001)
    (tmp_path / "list.txt").write_text(LIST)
    assert "please wait: " in run("feeds", "check", "list.txt").err
    assert "list.txt' has not been read to its end yet" in run("feeds", "check", "list.txt").err
