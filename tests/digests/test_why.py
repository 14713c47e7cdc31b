"""Tests of why: each step at which a paper can drop out of a digest is named, in words."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from digests.compose import compose_now
from digests.paper import PaperId
from digests.ports import Store
from digests.schedule import parse_days
from digests.why import Step, why
from storage.store import open_store
from tests.digests.lab import about, read, subscribe
from tests.fakes import LAB, NOON, FakeMessenger, channel, paper


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A database with the channel `LAB`."""
    opened = open_store(tmp_path / "p.db")
    opened.channels.add(channel())
    yield opened
    opened.close()


def walk(store: Store, of: PaperId, days: float = 0) -> tuple[Step, ...]:
    """The steps of a paper, so many days after noon of the first of December."""
    return why(store, store.papers.get(of), store.channels.get(LAB), NOON + timedelta(days=days))


def test_paper_that_is_coming_passes_every_step(store: Store) -> None:
    """Seen, asked for, in time, not shown: it is item one of tomorrow's digest, and its rank is explained."""
    ids = read(store, *about("lattice", 3))
    subscribe(store, "lattice")
    compose_now(store, channel(size=1), {"console": FakeMessenger()}, NOON, "cli:dana")
    waiting = next(one for one in ids if one not in store.outbox.shown(LAB))
    seen, asked, in_time, before, rank, coming = walk(store, waiting)
    assert seen == Step("seen", True, f"p{waiting}, first seen Tue 1 Dec 2026 12:00, in arxiv")
    assert asked == Step("asked for by Topic", True, "matched: lattice")
    assert in_time == Step("in time for Topic", True, "first seen within the last 14 days")
    assert before == Step("not shown before", True, "#ml has not had it yet")
    assert rank.name == "rank in Topic"
    assert rank.passed is None
    assert " of 2 for Topic: relevance 0." in rank.because
    assert " from lattice 0." in rank.because
    assert coming.name == "digest of Wed 2 Dec 2026"
    assert coming.passed
    assert coming.because.startswith("would be item ")


@pytest.mark.parametrize(
    ("query", "because"),
    [
        ("lattice melting", "it lacks: melting"),
        ('lattice "of frost"', "it lacks: of frost (phrase)"),
        ("lattice quantiz*", "it lacks: words that start with quantiz"),
        ("lattice (melting OR freezing)", "it has none of: melting, freezing"),
        ("amber -lattice", "left out, for it has: lattice"),
        ("amber -category:cs.CL", "left out, for it is in category cs.CL"),
        ('amber author:"Yann LeCun"', "it is not by Yann LeCun"),
        ("amber like:2501.00001", "no paper 2501.00001 is stored that it could be compared with"),
    ],
)
def test_first_part_that_failed_is_named(store: Store, query: str, because: str) -> None:
    """Of a query that does not match, the part that keeps the paper out is said, and no more."""
    given = replace(about("lattice")[0], categories=("cs.CL",))
    (one,) = read(store, given)
    subscribe(store, query)
    assert walk(store, one)[1] == Step("asked for by Topic", False, because)


def test_a_paper_is_not_said_to_be_unlike_itself(store: Store) -> None:
    """Near a paper are others."""
    (one,) = read(store, *about("lattice"))
    subscribe(store, f"like:p{one}")
    assert walk(store, one)[1].because == "it is that paper itself"


def test_every_subscription_has_its_say(store: Store) -> None:
    """A paper that one subscription does not want may come through another."""
    (one,) = read(store, *about("lattice"))
    subscribe(store, "frogs", "Frogs")
    subscribe(store, "lattice", "Lattices")
    steps = walk(store, one)
    assert [step.name for step in steps if step.passed is False] == ["asked for by Frogs"]
    assert steps[-1].because == "would be item 1 of Lattices"


def test_feeds_filter_is_named(store: Store) -> None:
    """A subscription that reads other feeds says which."""
    (one,) = read(store, *about("lattice"))
    read(store, *about("frogs", first=1), feed="iclr")
    subscribe(store, "lattice", feeds=("iclr",))
    assert walk(store, one)[2] == Step(
        "feeds of Topic", False, "Topic reads only iclr, and none of these gave it"
    )


def test_too_old_is_named_even_where_only_old_papers_are(store: Store) -> None:
    """After the window a paper waits no longer, and what it matched is still told."""
    (one,) = read(store, *about("lattice"))
    subscribe(store, "lattice")
    steps = walk(store, one, days=15)
    assert [step.passed for step in steps] == [True, True, False, True]
    assert steps[2].because == "it was first seen more than 14 days ago, and papers wait no longer"


def test_first_look_is_named(store: Store) -> None:
    """What a new subscription does not look back to is said, with the moment where it begins."""
    (one,) = read(store, *about("lattice"), at=NOON - timedelta(days=2))
    subscribe(store, "lattice")
    because = "first seen before Mon 30 Nov 2026 12:00, where this subscription begins"
    assert walk(store, one)[2] == Step("in time for Topic", False, because)


def test_list_is_always_in_time(store: Store) -> None:
    """A paper of a conference's list waits as long as the list drips."""
    (one,) = read(store, *about("lattice"), feed="iclr", title="ICLR 2026", is_list=True)
    subscribe(store, "lattice")
    steps = walk(store, one, days=40)
    assert steps[2].because == "ICLR 2026 is a list, which drips until it is done"
    assert steps[-1].because == "would be item 1 of Topic"


def test_shown_before_is_named_with_its_date(store: Store) -> None:
    """What the channel had, it had on a date, and it does not come again."""
    (one,) = read(store, *about("lattice"))
    subscribe(store, "lattice")
    compose_now(store, channel(), {"console": FakeMessenger()}, NOON, "cli:dana")
    assert walk(store, one)[-1] == Step("not shown before", False, "#ml had it on Tue 1 Dec 2026")


@pytest.mark.parametrize(
    ("limit", "size", "held"),
    [(2, 10, "the limit of Topic (2)"), (10, 3, "the channel's limit of 3 papers a digest")],
)
def test_limit_is_named_with_those_in_line_before(store: Store, limit: int, size: int, held: str) -> None:
    """Which limit holds a paper back, and how many others wait before it."""
    ids = read(store, *about("lattice", 5))
    subscribe(store, "lattice", limit=limit)
    store.channels.save(channel(size=size))
    ends = [walk(store, one)[-1] for one in ids]
    waits = sorted(step.because for step in ends if not step.passed)
    first = ["it is the first in line", "1 other in line before it", "2 others in line before it"]
    assert waits == sorted(f"waits, held back by {held}; {place}" for place in first[: 5 - min(limit, size)])


def test_twin_is_named(store: Store) -> None:
    """A near-twin of a chosen paper says whose twin it is."""
    text = about("lattice")[0].abstract
    ids = read(store, paper("Melting one", text), paper("Melting two", text + " Again."))
    subscribe(store, "lattice")
    ends = [walk(store, one)[-1] for one in ids]
    (twin,) = [step for step in ends if not step.passed]
    assert "waits for another day, for it is much like p" in twin.because
    assert "(Melting " in twin.because


def test_turn_is_named(store: Store) -> None:
    """A weekly subscription says on which day its turn is."""
    (one,) = read(store, *about("lattice"))
    subscribe(store, "lattice", cadence=parse_days("weekly"), last_turn=date(2026, 11, 30))
    subscribe(store, "frogs", "Frogs")
    because = "waits: the turn of Topic (weekly) is on Mon 7 Dec 2026 09:00"
    assert walk(store, one)[-1] == Step("digest of Tue 1 Dec 2026", False, because)


def test_pause_is_named(store: Store) -> None:
    """In a pause nothing comes."""
    (one,) = read(store, *about("lattice"))
    subscribe(store, "lattice")
    store.channels.save(channel(paused=True))
    assert walk(store, one)[-1] == Step("next digest", False, "the channel is paused")


def test_channel_without_subscriptions_says_so(store: Store) -> None:
    """Nobody asked for anything here."""
    (one,) = read(store, *about("lattice"))
    assert walk(store, one)[-1] == Step("subscriptions", False, "#ml has none yet")
