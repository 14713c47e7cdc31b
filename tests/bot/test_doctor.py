"""Tests of the doctor: each thing that is wrong is named, with how to mend it."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from bot import doctor
from bot.doctor import damage, look_over, of_platforms, overdue
from bot.platforms import Finding, Platform
from bot.settings import Settings
from digests.channel import ChannelId, refused
from digests.errors import DeliveryError
from digests.feed import LEASE, Feed
from digests.ports import Store
from storage.store import open_store
from tests.bot.cli.conftest import Run
from tests.bot.cli.conftest import run as run
from tests.fakes import LAB, NOON, FakeMessenger, channel

HEALTHY = Feed("arxiv", "https://a.example/", last_check=NOON, last_good=NOON, last_new=NOON, due=NOON)


class Room(NamedTuple):
    """What is left of a disk."""

    total: int
    used: int
    free: int


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A database with a channel and a feed, all in order."""
    opened = open_store(tmp_path / "p.db")
    opened.channels.add(channel())
    opened.feeds.add(HEALTHY, (), NOON)
    yield opened
    opened.close()


def wrong(store: Store, tmp_path: Path, now: object = NOON) -> dict[str, Finding]:
    """What the doctor finds wrong, or not there yet, by what it is about."""
    settings = Settings(_env_file=None, db=tmp_path / "p.db")  # type: ignore[call-arg]
    return {finding.of: finding for finding in look_over(settings, store, lambda: NOON) if not finding.ok}


def test_what_is_in_order_is_said_to_be(store: Store, tmp_path: Path) -> None:
    """Nothing is wrong with a sound installation, and each part is named."""
    assert wrong(store, tmp_path) == {}
    settings = Settings(_env_file=None, db=tmp_path / "p.db")  # type: ignore[call-arg]
    assert {found.of for found in look_over(settings, store, lambda: NOON)} >= {
        "disk",
        "clock",
        "feeds",
        "channels",
    }


def test_full_disk(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Little room is wrong before there is none."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Room(10**10, 10**10, doctor.LEAST_ROOM - 1))
    assert "make room" in wrong(store, tmp_path)["disk"].hint


def test_clock_behind_the_database(store: Store, tmp_path: Path) -> None:
    """A database that was written tomorrow tells of a wrong clock."""
    store.feeds.save(replace(HEALTHY, last_check=NOON + timedelta(days=1)))
    assert "2026-12-02" in wrong(store, tmp_path)["clock"].what


def test_broken_feed(store: Store, tmp_path: Path) -> None:
    """It is named with its error and the command that looks closer."""
    store.feeds.save(replace(HEALTHY, failures=3, last_error="HTTP 404"))
    found = wrong(store, tmp_path)["feed arxiv"]
    assert "HTTP 404" in found.what
    assert found.hint == "paperround feeds check arxiv"


def test_no_feed_at_all(store: Store, tmp_path: Path) -> None:
    """Without a source there is no digest; before the first is added, that is not wrong."""
    store.feeds.remove("arxiv")
    found = wrong(store, tmp_path)["feeds"]
    assert "paperround feeds add" in found.hint
    assert not found.is_wrong


def test_refusing_channel(store: Store, tmp_path: Path) -> None:
    """Since when, why, and what to do."""
    store.channels.save(refused(channel(), "it is archived", "unarchive it", NOON))
    found = wrong(store, tmp_path)[f"channel {LAB}"]
    assert "since Tue 01 Dec 12:00 UTC: it is archived" in found.what
    assert found.hint == "unarchive it"


def test_channels_of_a_platform_without_token(store: Store, tmp_path: Path) -> None:
    """They would wait for ever."""
    store.channels.add(channel(id=ChannelId("discord", "7", "8")))
    assert "PAPERROUND_DISCORD_TOKEN" in wrong(store, tmp_path)["discord"].hint


def test_misspelt_variable(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that nobody reads is a mistake."""
    monkeypatch.setenv("PAPERROUND_DISCRD_TOKEN", "x")
    assert "variable PAPERROUND_DISCRD_TOKEN" in wrong(store, tmp_path)


def test_feeds_that_nobody_reads(store: Store) -> None:
    """Half an hour after a feed's time, no service seems to run."""
    assert list(overdue(store, NOON + timedelta(minutes=5))) == []
    (found,) = overdue(store, NOON + timedelta(hours=1))
    assert (found.of, found.hint) == ("service", "start it with: paperround run")


def test_feed_that_takes_long_is_being_read(store: Store) -> None:
    """Who has read one for an hour is at work, however late the feed is."""
    late = NOON + timedelta(hours=1)
    store.feeds.save(replace(store.feeds.get("arxiv"), held_until=late + LEASE))
    assert list(overdue(store, late)) == []


def test_damage_is_shown_with_the_way_back() -> None:
    """The first faults, and the command that restores."""
    assert damage([]).ok
    assert "restore" in damage(["page 7"] * 9).hint


async def test_platform_that_takes_no_token_and_one_that_answers() -> None:
    """What a platform's own check finds is passed on; one that cannot be entered is wrong itself."""

    class Answering:
        messenger = FakeMessenger()

        async def check(self, channels: Iterable[ChannelId]) -> tuple[Finding, ...]:
            return tuple(Finding(f"channel {place}", False, "not invited", "/invite") for place in channels)

    @asynccontextmanager
    async def entered(error: Exception | None) -> AsyncIterator[Platform]:
        if error:
            raise error
        yield Answering()  # type: ignore[misc]

    refusing = DeliveryError("the token is refused", hint="make a new one")
    connects = {"console": partial(entered, None), "other": partial(entered, refusing)}
    found = await of_platforms(connects, [channel()])
    assert found == (
        Finding("console", True, "connected"),
        Finding(f"channel {LAB}", False, "not invited", "/invite"),
        Finding("other", False, "the token is refused", "make a new one"),
    )


def test_the_command_before_the_first_run(run: Run) -> None:
    """What is not there yet is said with the next step, and the exit code is that of a sound installation."""
    result = run("doctor")
    assert result.code == 0
    assert "not yet  feeds: none yet" in result.out
    assert "next: paperround feeds add" in result.out
    document = {finding["of"]: finding for finding in run("doctor", "--json").json}
    assert (document["database"]["ok"], document["feeds"]["ok"]) == (True, False)
    assert document["feeds"]["is_to_come"]


def test_the_command_ends_with_1_and_says_how_to_mend(run: Run) -> None:
    """A channel that can never be posted to is wrong."""
    run("channels", "add", "discord:7/8")
    result = run("doctor")
    assert result.code == 1
    assert "wrong    discord: its token is not set, and it has 1 channel" in result.out
    assert "mend it: set PAPERROUND_DISCORD_TOKEN" in result.out


def test_a_glance_asks_nobody(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--quick enters no platform: it says whether the database opens, there is room, and a service works."""
    monkeypatch.setenv("PAPERROUND_DISCORD_TOKEN", "discord.secret.token")
    monkeypatch.setenv("PAPERROUND_DISCORD_API_URL", "http://127.0.0.1:9/")
    assert [line.split()[:2] for line in run("doctor", "--quick").out.splitlines()] == [
        ["ok", "database:"],
        ["ok", "disk:"],
        ["ok", "clock:"],
    ]
    opened = open_store(tmp_path / "p.db")
    opened.feeds.add(replace(HEALTHY, due=NOON - timedelta(days=400)), (), NOON)
    opened.close()
    late = run("doctor", "--quick")
    assert late.code == 1
    assert "start it with: paperround run" in late.out


def test_a_glance_at_a_database_that_is_none(run: Run, tmp_path: Path) -> None:
    """It is wrong, in one line."""
    (tmp_path / "p.db").write_text("not a database, for sure" * 100)
    result = run("doctor", "--quick")
    assert result.code == 1
    assert result.out.startswith("wrong    database: ")


def test_the_command_names_a_wrong_setting(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is the first thing to mend."""
    monkeypatch.setenv("PAPERROUND_LOG", "loud")
    result = run("doctor", "--json")
    assert result.code == 1
    assert result.json[0]["of"] == "settings"


def test_status_names_the_channels_that_refuse_posts(run: Run, tmp_path: Path) -> None:
    """Whoever asks what became of the digests learns which channels take none."""
    run("channels", "add", "slack:T1/C1")
    opened = open_store(tmp_path / "p.db")
    place = ChannelId("slack", "T1", "C1")
    opened.channels.save(refused(opened.channels.get(place), "it is archived", "unarchive it", NOON))
    opened.close()
    said = run("digest", "status").err
    assert (
        "slack:T1/C1 has refused posts since 2026-12-01 12:00Z: it is archived; to mend it: unarchive it"
        in said
    )
