"""A few seconds of fuzzing, without the guidance of coverage, of what `make fuzz` fuzzes for an hour."""

from __future__ import annotations

import random

import pytest

from tests.fuzz import targets
from tests.fuzz.__main__ import seeds, shrunk
from tests.fuzz.mutations import damaged

TIMES = {"documents": 120, "texts": 150, "queries": 300, "lists": 100, "messages": 30}


@pytest.mark.parametrize("name", targets.TARGETS)
def test_damaged_input_does_no_harm(name: str) -> None:
    """Seeds damaged at random are read or refused: quickly, cleanly, and with nothing lost."""
    chance = random.Random(20261201)
    bodies = seeds(name, with_shared=False)
    for _ in range(TIMES[name]):
        body = damaged(chance.choice(bodies), chance, bodies)[:20_000]
        targets.check(targets.TARGETS[name], body)


def test_a_fault_is_noticed_and_shrunk() -> None:
    """An input that makes a target raise is cut down to what does so."""

    def fragile(body: bytes) -> None:
        if b"<x>" in body:
            raise KeyError(body)

    with pytest.raises(targets.FaultError, match=r"KeyError in test_fuzz\.py:fragile"):
        targets.check(fragile, b"12345<x>67890")
    assert shrunk(fragile, b"12345<x>67890") == b"<x>"


def test_a_lost_item_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that reads fewer items than feedparser is a fault."""
    body = b"<rss><channel><item><title>One</title></item><item><title>Two</title></item></channel></rss>"
    targets.nothing_is_lost(body)
    monkeypatch.setattr("digests.reading.MOST_ITEMS", 1)
    with pytest.raises(targets.FaultError, match=r"items lost \(rss\): 1 instead of 2"):
        targets.nothing_is_lost(body)
