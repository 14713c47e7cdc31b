"""Tests of bad input: one clear line with the next step, an exit code that is not 0, nothing half-done."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.bot.cli.conftest import Result, Run

BOMB = '<!DOCTYPE b [<!ENTITY a "aaaa"><!ENTITY c "&a;&a;&a;">]><rss><channel>&c;</channel></rss>'
FILES = {
    "empty.txt": b"",
    "blank.txt": b"\n\n  \n",
    "binary.txt": bytes(range(256)) * 20,
    "paper.pdf": b"%PDF-1.7\n%\xe2\xe3",
    "page.xml": b"<!DOCTYPE html><html><head><title>Login</title></head><body>Please log in</body></html>",
    "challenge.xml": b"<html><title>Just a moment...</title><body>Verify you are human</body></html>",
    "bomb.xml": BOMB.encode(),
    "unknown.csv": b"colour;size\nred;3\nblue;4\n",
    "cut.json": b'[{"title": "A", "abstract": "We do.',
    "broken.jsonl": b'{"title": 1\n{"title"\n',
    "nothing.rss": b'<?xml version="1.0"?><rss version="2.0"><channel><title>Cut he',
}
# What is typed, the exit code, and words that the error must have.
TYPED = [
    (("feeds", "add", "missing.txt"), 2, ["missing.txt", "neither a file"]),
    (("feeds", "add", "."), 1, ["is a folder"]),
    (("feeds", "add", "empty.txt"), 1, ["empty"]),
    (("feeds", "add", "blank.txt"), 1, ["empty"]),
    (("feeds", "add", "binary.txt"), 1, ["binary data"]),
    (("feeds", "add", "paper.pdf"), 1, ["PDF"]),
    (("feeds", "add", "page.xml"), 1, ["web page instead of a feed"]),
    (("feeds", "add", "challenge.xml"), 1, ["bot protection"]),
    (("feeds", "add", "bomb.xml"), 1, ["entit"]),
    (("feeds", "add", "unknown.csv"), 1, ["colour", "title"]),
    (("feeds", "add", "cut.json"), None, ["cut.json"]),
    (("feeds", "add", "broken.jsonl"), None, ["broken.jsonl"]),
    (("feeds", "add", "good.txt", "--format", "teletext"), 2, ["teletext", "known formats"]),
    (("feeds", "add", "good.txt", "--every", "1s"), 2, ["1s"]),
    (("feeds", "add", "good.txt", "--name", "a b/c"), 2, ["a b/c", "arxiv-cl"]),
    (("feeds", "add", "good.txt", "--name", "there"), 2, ["there", "exists"]),
    (("feeds", "add", "good.txt", "--name", "all"), 2, ["all", "arxiv-cl"]),
    (("feeds", "add", "gopher://a.example/"), 2, ["gopher", "https://"]),
    (("feeds", "add", "http://127.0.0.1/feed"), 1, ["127.0.0.1"]),
    (("feeds", "add", "http://169.254.169.254/latest/"), 1, ["169.254.169.254"]),
    (("feeds", "show", "ther"), 2, ["ther", "there"]),
    (("feeds", "check", "ther"), 2, ["ther", "there"]),
    (("feeds", "remove", "nobody"), 2, ["nobody"]),
    (("feeds", "rename", "there", "a b"), 2, ["a b"]),
    (("feeds", "import", "good.txt"), 1, ["list of feeds"]),
    (("channels", "add", "lab"), 2, ["lab", "slack:T1/C1"]),
    (("channels", "add", "console:lab/x", "--zone", "Europe/Berln"), 2, ["Europe/Berln", "Europe/Berlin"]),
    (("channels", "add", "console:lab/x", "--time", "25:00"), 2, ["25:00"]),
    (("channels", "add", "console:lab/x", "--days", "someday"), 2, ["someday"]),
    (("channels", "add", "console:lab/x", "--holidays", "2026-02-30"), 2, ["2026-02-30"]),
    (("channels", "add", "console:lab/ml"), 2, ["console:lab/ml"]),
    (("channels", "show", "console:lab/mll"), 2, ["console:lab/mll"]),
    (("channels", "set", "console:lab/ml", "--size", "0"), 2, ["--size", "1"]),
    (("subscriptions", "add", "console:lab/ml", '"chain of thought'), 2, ["^", "quot"]),
    (("subscriptions", "add", "console:lab/ml", "-survey"), 2, ["exclude"]),
    (("subscriptions", "add", "console:lab/ml", ""), 2, ["next: "]),
    (("subscriptions", "add", "console:lab/ml", "x" * 10_000), 2, ["2,000 characters"]),
    (("subscriptions", "add", "console:lab/ml", "(" * 1_000 + "a" + ")" * 1_000), 2, ["next: "]),
    (("subscriptions", "add", "console:lab/no", "graphs"), 2, ["console:lab/no"]),
    (("subscriptions", "add", "console:lab/ml", "moths", "--feeds", "nobody"), 2, ["nobody", "feeds list"]),
    (("subscriptions", "add", "console:lab/ml", "graphs", "--name", "Other"), 2, ["number 1", "edit"]),
    (("subscriptions", "edit", "console:lab/ml", "7", "--limit", "5"), 2, ["'7'", "subscriptions list"]),
    (("subscriptions", "edit", "console:lab/ml", "1", "--query", "("), 2, ["^"]),
    (("channels", "set", "console:lab/ml", "--managers", "the boss"), 2, ["the boss"]),
    (("channels", "set", "console:lab/ml", "--language", "tlh"), 2, ["'tlh'", "en, zh"]),
    (("channels", "set", "console:lab/ml", "--language", ""), 2, ["en, zh"]),
    (("subscriptions", "add", "console:lab/ml", "moths", "--name", "Graphs"), 2, ["Graphs"]),
    (("subscriptions", "remove", "console:lab/ml", "7"), 2, ["7"]),
    (("papers", "show", "p999"), 2, ["999"]),
    (("papers", "show", "nothing like it"), 2, ["nothing like it"]),
    (("papers", "search", "foo:bar"), 2, ["foo", "title"]),
    (("papers", "import", "missing.txt"), 2, ["missing.txt"]),
    (("digest", "preview", "console:lab/no"), 2, ["console:lab/no"]),
    (("digest", "send", "slack:T1/C1"), 2, ["slack", "PAPERROUND_SLACK_BOT_TOKEN"]),
    (("digest", "status", "--date", "yesterday"), 2, ["yesterday"]),
    (("db", "restore", "good.txt"), 1, ["good.txt"]),
    (("db", "backup", "good.txt"), 1, ["good.txt", "there already"]),
    (("papers", "search", "graphs", "--skip", "9" * 23), 2, ["--skip"]),
    (("channels", "add", "telegram:a/b"), 2, ["telegram", "console, discord, slack"]),
    (("channels", "set", "console:lab/ml"), 2, ["nothing to change", "--time 08:30"]),
    (("feeds", "add", "x" * 5_000), 1, ["name too long"]),
    (("feds",), 2, ["feds", "feeds"]),
]


@pytest.fixture
def ready(run: Run, tmp_path: Path) -> Run:
    """A feed, two channels and a subscription, and files of every wrong kind."""
    for name, body in FILES.items():
        (tmp_path / name).write_bytes(body)
    (tmp_path / "good.txt").write_text(
        "A list\n\nWe study graphs. We introduce GraphMoth, a moth of graphs.\n"
    )
    run("feeds", "add", "good.txt", "--name", "there")
    run("channels", "add", "console:lab/ml")
    run("channels", "add", "slack:T1/C1")
    run("subscriptions", "add", "console:lab/ml", "graphs", "--name", "Graphs")
    return run


def everything(folder: Path) -> list[str]:
    """All that the database holds."""
    with closing(sqlite3.connect(folder / "p.db")) as connection:
        return list(connection.iterdump())


def is_one_clear_error(result: Result) -> bool:
    """An error speaks of the fault itself, in a line and a hint, and shows no insides."""
    return (
        "Traceback" not in result.err
        and "a fault of Paperround itself" not in result.err
        and result.err != ""
    )


@pytest.mark.parametrize(
    ("typed", "code", "words"),
    TYPED,
    ids=lambda value: " ".join(value)[:60] if isinstance(value, tuple) else "",
)
def test_wrong_input_is_explained_and_changes_nothing(
    ready: Run, tmp_path: Path, typed: tuple[str, ...], code: int | None, words: list[str]
) -> None:
    """Each mistake has its line, its next step and its exit code, and the database is as it was."""
    before = everything(tmp_path)
    result = ready(*typed)
    assert result.code == code if code is not None else result.code in (1, 2)
    assert is_one_clear_error(result)
    assert [word for word in words if word.casefold() not in (result.err + result.out).casefold()] == []
    assert everything(tmp_path) == before


def test_huge_file_is_refused_by_its_size(ready: Run, tmp_path: Path) -> None:
    """Two gigabytes are not read before they are refused."""
    with (tmp_path / "huge.jsonl").open("wb") as file:
        file.truncate(2 * 1024**3)
    result = ready("feeds", "add", "huge.jsonl")
    assert result.code == 1
    assert "huge.jsonl" in result.err
    assert is_one_clear_error(result)


def test_pipe_is_not_waited_for(ready: Run, tmp_path: Path) -> None:
    """A named pipe that nobody writes to is refused instead of read for ever."""
    os.mkfifo(tmp_path / "pipe")
    assert ready("feeds", "check", "pipe").code == 1


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252", "latin-1"])
def test_encoding_is_detected(ready: Run, tmp_path: Path, encoding: str) -> None:
    """A list from an old editor comes in with its umlauts."""
    text = "Liste\n\nWir untersuchen Käfer. Wir führen GraphKäfer ein, ein Modell für Käfer über Flüssen.\n"
    (tmp_path / "old.txt").write_bytes(text.encode(encoding))
    document = ready("feeds", "check", "old.txt", "--json").json
    assert "Käfer über Flüssen" in document["papers"][0]["abstract"]


def test_compressed_list_is_read(ready: Run, tmp_path: Path) -> None:
    """A .jsonl.gz is as good as a .jsonl."""
    line = json.dumps({"title": "A", "abstract": "We do it."})
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(line.encode()))
    assert ready("feeds", "check", "a.jsonl.gz", "--json").json["count"] == 1


def test_broken_feed_is_json_too(ready: Run) -> None:
    """A script that checks a web page gets the state and the reason, and the exit code."""
    result = ready("feeds", "check", "page.xml", "--json")
    assert (result.code, result.json["state"], result.json["count"]) == (1, "broken", 0)
    assert "web page" in result.json["notes"][0]


@pytest.mark.parametrize(
    ("variable", "value"),
    [("PAPERROUND_DB", "/proc/nowhere/p.db"), ("PAPERROUND_DB", "good.txt"), ("PAPERROUND_DB", ".")],
)
def test_wrong_setting_is_named(
    ready: Run, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    """A database that cannot be one is an error with its place."""
    monkeypatch.setenv(variable, value)
    result = ready("feeds", "list")
    assert result.code == 1
    assert is_one_clear_error(result)
    assert value in result.err


def test_escape_sequences_do_not_reach_the_terminal(ready: Run, tmp_path: Path) -> None:
    """A hostile title cannot recolour, clear or retitle an admin's terminal."""
    hostile = "Red \x1b[31malert\x1b[0m \x1b]0;owned\x07 \u202egnp"
    (tmp_path / "x.jsonl").write_text(json.dumps({"title": hostile, "abstract": "We graph it \x1b[2J."}))
    shown = ready("feeds", "add", "x.jsonl").out + ready("papers", "search", "graph").out
    shown += ready("digest", "preview", "console:lab/ml").out
    assert "alert" in shown
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)


def test_endless_words_do_not_fill_the_screen(ready: Run, tmp_path: Path) -> None:
    """A name, a title or a sentence of 60,000 letters is shown by its beginning."""
    endless = [{"abstract": f"We graph it. We introduce {'X' * 60_000}."}, {"title": "Y" * 60_000}]
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, endless)))
    shown = ready("feeds", "add", "x.jsonl").out + ready("digest", "preview", "console:lab/ml").out
    assert "XXX" in shown
    assert "YYY" in shown
    assert len(shown) < 5_000
