"""Tests of a channel's settings: each changes what people see, or what they may do."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest

from bot.platforms.slack.render import render
from digests.commands import Caller, Place
from digests.compose import compose
from digests.digest import Digest
from digests.handlers import Office, answer
from digests.outbox import Receipt, sent
from digests.phrases import LANGUAGES
from digests.ports import Store
from digests.reply import Reply
from digests.verbs import VERB
from storage.store import open_store
from tests.digests.lab import about, read
from tests.fakes import LAB, NOON, FakeMessenger

PLACE = Place(LAB, "ml", "UTC")
DANA = Caller("console", "lab", "dana", can_manage=True)
EVE = Caller("console", "lab", "eve", members_manage=True)
TOMORROW = NOON + timedelta(days=1)


class SlackLike(FakeMessenger):
    """A platform in memory whose messages are Slack's."""

    def render(self, digest: Digest) -> tuple[str, ...]:
        return render(digest)


OFFICE = {"console": SlackLike()}


Make = Callable[..., Store]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Makes databases with thirty papers on lattices, and a channel that asks for them, with settings."""
    with ExitStack() as stack:
        names = count()

        def made(settings: str = "papers:30", query: str = "lattice") -> Store:
            store = open_store(tmp_path / f"{next(names)}.db")
            stack.callback(store.close)
            read(store, *about("lattice", 30))
            say(store, f"subscribe {query} limit:50")
            say(store, f"settings {settings}")
            return store

        yield made


def say(store: Store, text: str, caller: Caller = DANA) -> Reply:
    return answer(text, caller, PLACE, Office(store, OFFICE), NOON)


def seen(store: Store) -> list[tuple[str, bool]]:
    """What is posted by tomorrow noon, and whether into a thread; the papers of two days come in one."""
    tuple(compose(store, OFFICE, TOMORROW))
    posted = []
    while waiting := store.outbox.claim(TOMORROW, 100, ["console"]):
        for delivery in waiting:
            posted.append((delivery.payload, bool(delivery.thread)))
            store.outbox.settle(sent(delivery, Receipt(delivery.key), TOMORROW))
    return posted


def titles(posted: list[tuple[str, bool]]) -> int:
    return sum(payload.count('"text":"\\n"') for payload, _ in posted)


def test_papers(make: Make) -> None:
    """A digest has as many papers as it says."""
    assert [titles(seen(make(f"papers:{most}"))) for most in (2, 9)] == [2, 9]


def test_layout(make: Make) -> None:
    """Compact leaves out the line of matched words, which are marked in the sentence."""
    full, compact = (json.dumps(seen(make(f"papers:5 layout:{layout}"))) for layout in ("full", "compact"))
    assert full.count("matched: lattice") == 5
    assert compact.count("matched: lattice") == 0
    assert titles(seen(make("papers:5 layout:compact"))) == 5


def test_thread(make: Make) -> None:
    """What is too long goes into the thread or follows in the channel, and the main post says so."""
    (main, _), *later = seen(make("papers:30 thread:on"))
    assert " more in the thread · " in main
    assert [in_thread for _, in_thread in later] == [True]
    (main, _), *later = seen(make("papers:30 thread:off"))
    assert " more below · " in main
    assert [in_thread for _, in_thread in later] == [False]


def test_empty(make: Make) -> None:
    """A day without papers is silent or has its line; weekly, it has one on the first day of a week."""
    assert "No new papers" in seen(make("empty:line", "frogs"))[0][0]
    assert seen(make("empty:silent", "frogs")) == []
    assert seen(make("empty:weekly", "frogs")) == []


def test_holidays(make: Make) -> None:
    """Nothing comes on a holiday."""
    assert seen(make("holidays:2026-12-01..2026-12-02")) == []


def test_language(make: Make) -> None:
    """The digest speaks it; one that is not there is refused, and those that are there are named."""
    assert '"text":"论文速递 · #ml · 2026年12月2日 周三"' in seen(make("language:zh"))[0][0]
    assert '"text":"Paper digest · #ml · Wed 2 Dec 2026"' in seen(make("language:en"))[0][0]
    refused = say(make(), "settings language:tlh")
    assert refused.is_refusal
    assert f"is none of {', '.join(LANGUAGES)}" in refused.title


def test_managers(make: Make) -> None:
    """Only those who are named may change the settings."""
    store = make()
    assert not say(store, "settings papers:3", EVE).is_refusal
    say(store, "settings managers:<@dana1234>")
    assert say(store, "settings papers:4", EVE).is_refusal
    assert not say(store, "settings papers:4", replace(EVE, user="dana1234")).is_refusal


def test_every_setting_is_tested_here() -> None:
    """Each option of `settings` has a test of its name."""
    assert {f"test_{option.name}" for option in VERB["settings"].options} <= globals().keys()
