"""Tests of the command line: a whole round from a list to a digest, and JSON that scripts can rely on."""

import json
import socket
from functools import partial
from pathlib import Path

import pytest

from bot.reader import Limits, Reader
from tests.bot.cli.conftest import Run

LIST = """Invented papers

We study graphs. We introduce GraphMoth, a language model whose reasoning follows a graph. It is quick.

Frogs sing at night. We present PondEar, a benchmark of frog songs in nine ponds. Nobody sleeps.

Bridges age. This paper shows that language models estimate the age of a bridge by reasoning over its rust.
"""


@pytest.fixture
def ready(run: Run, tmp_path: Path) -> Run:
    """A list, a channel, and two subscriptions."""
    (tmp_path / "list.txt").write_text(LIST, "utf-8")
    assert run("feeds", "add", "list.txt", "--name", "invented", "--list").code == 0
    assert run("channels", "add", "console:lab/ml", "--zone", "Europe/Berlin", "--time", "09:00").code == 0
    for query, name in (('"language models" reasoning', "Reasoning"), ("benchmark -medical", "Benchmarks")):
        assert run("subscriptions", "add", "console:lab/ml", query, "--name", name).code == 0
    return run


def test_adding_a_feed_shows_what_it_gives(run: Run, tmp_path: Path) -> None:
    """The answer has the count, three papers, and what is missing."""
    (tmp_path / "list.txt").write_text(LIST, "utf-8")
    shown = run("feeds", "add", "list.txt", "--list").out
    assert "plain-text “Invented papers”, 3 papers" in shown
    assert "GraphMoth" in shown
    assert "3 without titles" in shown
    assert "Saved as 'list': 3 new papers." in shown


def test_preview_is_the_digest(ready: Run) -> None:
    """Sections, headings, summaries, reasons and the foot are on the terminal."""
    shown = ready("digest", "preview", "console:lab/ml").out
    assert "── Reasoning · 2 new ──" in shown
    assert "\nGraphMoth\nInvented papers\n" in shown
    assert "We introduce GraphMoth, a language model whose reasoning follows a graph." in shown
    assert "matched: " in shown
    assert "1 source checked" in shown
    assert "Invented papers: 3 of 3 shown" in shown


def test_preview_document(ready: Run) -> None:
    """The JSON is the digest itself, with the ids that other commands take."""
    document = ready("digest", "preview", "console:lab/ml", "--json").json
    names = [[item["heading"] for item in section["items"]] for section in document["sections"]]
    assert sorted(names[0])[0] == "GraphMoth"
    assert names[1] == ["PondEar"]
    first = document["sections"][0]["items"][0]["paper"]
    assert ready("papers", "show", first, "--json").json["id"] == first


def test_digest_is_sent_once_a_day(ready: Run) -> None:
    """The second send of a day says so and prints nothing new."""
    first, second = ready("digest", "send", "console:lab/ml"), ready("digest", "send", "console:lab/ml")
    assert "GraphMoth" in first.out
    assert "GraphMoth" not in second.out
    assert "has had its digest" in second.out
    assert "the next one comes on " in second.out
    assert "09:00 (Europe/Berlin)" in second.out
    (delivery,) = ready("digest", "status", "--json").json
    assert (delivery["stage"], delivery["attempts"]) == ("sent", 1)


def test_search_document_is_stable(ready: Run) -> None:
    """Scripts find these keys, whatever else comes."""
    (found,) = ready("papers", "search", "title:GraphMoth OR GraphMoth", "--json").json
    keys = "id title heading authors abstract summary identifiers links published feeds".split()
    assert set(keys) <= set(found)
    assert (found["heading"], found["feeds"], found["title"]) == ("GraphMoth", ["invented"], "")


def test_search_pages(ready: Run) -> None:
    """What does not fit on a page is announced and can be reached."""
    first, second = ready("papers", "search", "we OR this", "--limit", 2), None
    assert "--skip 2" in first.err
    second = ready("papers", "search", "we OR this", "--limit", 2, "--skip", 2, "--json")
    assert len(second.json) == 1
    assert second.err == ""


def test_check_tells_everything_and_saves_nothing(run: Run, tmp_path: Path) -> None:
    """A file is read as a feed would be, its bad items named, and nothing is stored."""
    lines = [json.dumps({"title": "A", "abstract": "We do."}), '{"title": "cut', json.dumps({"title": "B"})]
    (tmp_path / "papers.jsonl").write_text("\n".join(lines))
    document = run("feeds", "check", "papers.jsonl", "--json").json
    assert (document["state"], document["format"], document["count"]) == ("healthy", "json-lines", 2)
    assert [paper["title"] for paper in document["papers"]] == ["A", "B"]
    assert document["refused"][0]["where"] == "line 2"
    assert run("feeds", "list", "--json").json == []


def test_registered_feed_can_be_checked_paused_renamed_and_removed(ready: Run) -> None:
    """The life of a feed; its papers outlive it."""
    assert ready("feeds", "check", "invented", "--json").json["count"] == 3
    ready("feeds", "pause", "invented")
    assert ready("feeds", "show", "invented", "--json").json["state"] == "paused"
    ready("feeds", "resume", "invented")
    ready("feeds", "rename", "invented", "made-up")
    assert [feed["name"] for feed in ready("feeds", "list", "--json").json] == ["made-up"]
    assert "3 papers" in ready("feeds", "remove", "made-up").out
    assert len(ready("papers", "search", "we OR this", "--json").json) == 3


def test_file_that_grows_is_refreshed(run: Run, tmp_path: Path) -> None:
    """A file that is no fixed list is read again, and what is new comes in."""
    papers = tmp_path / "papers.jsonl"
    papers.write_text(json.dumps({"title": "One", "abstract": "We do one thing."}) + "\n")
    run("feeds", "add", papers, "--name", "mine")
    with papers.open("a") as file:
        file.write(json.dumps({"title": "Two", "abstract": "We do another."}) + "\n")
    assert "mine" in run("feeds", "refresh", "mine").out
    assert [paper["title"] for paper in run("papers", "search", "do", "--json").json] == ["Two", "One"]


def test_an_import_is_read_within_the_limits_of_feeds(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document that would take for ever is refused, and nothing of it is stored."""
    monkeypatch.setattr("bot.app.Reader", partial(Reader, Limits(seconds=0.05)))
    row = json.dumps({"title": "One", "abstract": "We do one thing. " * 50}) + "\n"
    (tmp_path / "long.jsonl").write_text(row * 20_000)
    result = run("papers", "import", "long.jsonl")
    assert result.code != 0
    assert "could not be read within 0.05 s" in result.err
    assert run("papers", "search", "thing", "--json").json == []


def test_papers_survive_export_and_import(
    ready: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one Paperround exports another takes in, and again changes nothing."""
    (tmp_path / "export.jsonl").write_text(ready("papers", "export").out, "utf-8")
    assert "0 new papers, 0 revised, 3 known before" in ready("papers", "import", "export.jsonl").out
    monkeypatch.setenv("PAPERROUND_DB", str(tmp_path / "other.db"))
    assert "3 new papers" in ready("papers", "import", "export.jsonl").out
    assert len(ready("papers", "search", "reasoning", "--json").json) == 2


def test_feeds_survive_export_and_import(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Feeds move to another Paperround as OPML."""
    opml = (
        '<opml version="2.0"><body><outline text="A" xmlUrl="https://a.example/rss"/>'
        '<outline text="B" xmlUrl="https://b.example/rss"/></body></opml>'
    )
    (tmp_path / "in.opml").write_text(opml)
    assert run("feeds", "import", "in.opml").code == 0
    (tmp_path / "out.opml").write_text(run("feeds", "export").out)
    monkeypatch.setenv("PAPERROUND_DB", str(tmp_path / "other.db"))
    assert run("feeds", "import", "out.opml").code == 0
    assert [feed["url"] for feed in run("feeds", "list", "--json").json] == [
        "https://a.example/rss",
        "https://b.example/rss",
    ]


def test_channel_settings_change_one_by_one(ready: Run) -> None:
    """What is not named stays, and the next digests are said on the channel's clock."""
    shown = ready("channels", "set", "console:lab/ml", "--time", "08:30", "--days", "weekdays").out
    assert "Next digests (Europe/Berlin): " in shown
    assert "08:30" in shown
    document = ready("channels", "show", "console:lab/ml", "--json").json
    assert (document["time"], document["days"], document["zone"], document["size"]) == (
        "08:30",
        "weekdays",
        "Europe/Berlin",
        10,
    )
    assert [subscription["name"] for subscription in document["subscriptions"]] == ["Reasoning", "Benchmarks"]


def test_language_is_written_as_in_a_chat(ready: Run) -> None:
    """Capitals do not matter here as they do not there."""
    ready("channels", "set", "console:lab/ml", "--language", "ZH")
    assert ready("channels", "show", "console:lab/ml", "--json").json["language"] == "zh"


def test_paused_channel_says_so(ready: Run) -> None:
    """A paused channel has no next digest until it is resumed."""
    ready("channels", "set", "console:lab/ml", "--pause")
    assert "paused" in ready("channels", "list").out
    assert "Next digests" in ready("channels", "set", "console:lab/ml", "--resume").out


def test_subscription_is_understood_tried_and_removed(ready: Run) -> None:
    """The answer to a subscription says how it was understood and what it would have brought."""
    shown = ready("subscriptions", "add", "console:lab/ml", "frog* OR pond").out
    assert "Understood as: " in shown
    assert "It would have brought 1 of the 3 papers" in shown
    assert "PondEar" in shown
    assert ready("subscriptions", "remove", "console:lab/ml", 3).code == 0
    assert len(ready("subscriptions", "list", "console:lab/ml", "--json").json) == 2


def test_subscription_is_changed_by_the_rules_of_a_chat(ready: Run) -> None:
    """What is not named stays, the audit names who did it, and a channel has room for fifty."""
    first = ready("subscriptions", "list", "console:lab/ml", "--json").json[0]
    said = ready("subscriptions", "edit", "console:lab/ml", 1, "--limit", 3, "--every", "mon,thu").out
    assert "mon,thu, at most 3 papers a digest" in said
    assert "is as it was" in ready("subscriptions", "edit", "console:lab/ml", 1, "--limit", 3).out
    changed = ready("subscriptions", "list", "console:lab/ml", "--json").json[0]
    assert (changed["query"], changed["name"], changed["limit"]) == (first["query"], first["name"], 3)
    row = ready("audit", "--json").json[0]
    assert (row["what"], row["before"]["limit"], row["after"]["limit"]) == ("edit", str(first["limit"]), "3")
    assert row["who"].startswith("cli:")
    for number in range(48):
        assert ready("subscriptions", "add", "console:lab/ml", f"word{number}").code == 0
    full = ready("subscriptions", "add", "console:lab/ml", "onemore")
    assert full.code == 2
    assert "50 subscriptions" in full.err


def test_a_channel_that_is_added_again_has_had_its_digest(ready: Run) -> None:
    """Removing it forgets everything but the date: nothing is posted twice on a day."""
    assert "Reasoning" in ready("digest", "send", "console:lab/ml").out
    ready("channels", "remove", "console:lab/ml")
    ready("channels", "add", "console:lab/ml")
    ready("subscriptions", "add", "console:lab/ml", "frog* OR pond")
    again = ready("digest", "send", "console:lab/ml").out
    assert "has had its digest of" in again
    assert "PondEar" not in again


def test_a_digest_that_was_sent_names_who_asked(ready: Run) -> None:
    """Its audit row is there with the edition; a second try adds none."""
    ready("digest", "send", "console:lab/ml")
    ready("digest", "send", "console:lab/ml")
    rows = [row for row in ready("audit", "--json").json if row["what"] == "now"]
    assert len(rows) == 1
    assert rows[0]["who"].startswith("cli:")


def test_a_clock_set_back_posts_no_date_again(ready: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the edition of a later date posted, that of an earlier one is not made."""
    monkeypatch.setenv("PAPERROUND_CLOCK_OFFSET", "86400")
    ready("digest", "send", "console:lab/ml")
    monkeypatch.setenv("PAPERROUND_CLOCK_OFFSET", "0")
    assert "has had its digest of" in ready("digest", "send", "console:lab/ml").out


def test_why_walks_the_stages(ready: Run) -> None:
    """A paper that one subscription shows and the other does not is explained for both."""
    steps = ready("papers", "why", "GraphMoth", "console:lab/ml", "--json").json["steps"]
    told = " ".join(step["because"] for step in steps)
    assert "invented" in told
    assert "reasoning" in told.casefold()
    assert "shown on" not in ready("papers", "why", "GraphMoth", "console:lab/ml").out
    ready("digest", "send", "console:lab/ml")
    assert ready("papers", "why", "GraphMoth", "console:lab/ml").out.splitlines()[1].startswith("shown on ")


def test_backup_can_be_restored(ready: Run, tmp_path: Path) -> None:
    """A copy brings back what was lost; what was there meanwhile is kept beside it."""
    assert ready("db", "check").out.strip() == "The database is sound."
    ready("db", "backup", "copy.db")
    ready("channels", "remove", "console:lab/ml")
    assert ready("channels", "list", "--json").json == []
    assert "is kept" in ready("db", "restore", "copy.db").out or (tmp_path / "p.db.before-restore").exists()
    assert [channel["id"] for channel in ready("channels", "list", "--json").json] == ["console:lab/ml"]


def test_one_is_no_plural(run: Run, tmp_path: Path) -> None:
    """One paper is a paper, wherever it is counted."""
    (tmp_path / "one.txt").write_text("A list\n\nWe study graphs. We introduce GraphMoth, a moth.\n")
    shown = run("feeds", "add", "one.txt").out
    assert "“A list”, 1 paper\n" in shown
    assert "1 without a title, 1 without an author" in shown
    assert "Saved as 'one': 1 new paper." in shown
    run("channels", "add", "console:lab/ml")
    assert (
        "at most 1 paper a digest"
        in run("subscriptions", "add", "console:lab/ml", "graphs", "--limit", 1).out
    )
    assert "1 paper that it showed is kept" in run("feeds", "remove", "one").out


def test_next_step_is_said(run: Run, tmp_path: Path) -> None:
    """Where there is nothing to do or to show, the answer says what would change that."""
    assert "feeds add" in run("feeds", "refresh").out
    (tmp_path / "empty.rss").write_text('<rss version="2.0"><channel><title>E</title></channel></rss>')
    for typed in (("feeds", "add", "empty.rss"), ("papers", "import", "empty.rss")):
        assert "well-formed, and empty just now" in run(*typed).out
    assert "feeds refresh empty" in run("feeds", "refresh").out
    assert "1 feed of files" in run("feeds", "export").err
    assert "PAPERROUND_SLACK_BOT_TOKEN" in run("channels", "add", "slack:T1/C1").err
    assert "subscriptions add slack:T1/C1" in run("digest", "preview", "slack:T1/C1").err


def test_new_address_is_not_promised_to_be_tried_again(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be reached is not saved, so nothing tries it later."""
    monkeypatch.setenv("PAPERROUND_ALLOW", "127.0.0.1")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    failed = run("feeds", "add", f"http://127.0.0.1:{port}/rss")
    assert "nothing was saved" in failed.err
    assert "it is tried again" not in failed.err
    assert run("feeds", "list", "--json").json == []


def test_channel_is_shown_on_its_own_clock(ready: Run) -> None:
    """The table has the channel's time, the document UTC."""
    assert " 09:00, " in ready("channels", "show", "console:lab/ml").out
    assert ready("channels", "show", "console:lab/ml", "--json").json["next"][0].endswith("Z")


def test_demo_prints_a_digest(run: Run, tmp_path: Path) -> None:
    """The bundled sample gives sections, held back papers and progress, and leaves nothing behind."""
    document = run("demo", "--json").json
    assert [section["name"] for section in document["sections"]] == [
        "Reasoning",
        "Benchmarks",
        "Climate and ecology",
    ]
    assert document["foot"]["waiting"] > 0
    assert "invented" in document["foot"]["progress"][0]["feed"]
    assert "── Reasoning" in run("demo").out
    assert list(tmp_path.iterdir()) == []
