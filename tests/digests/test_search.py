"""Tests of the search of stored papers by what they are like."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from digests import search as module
from digests.errors import InputError
from digests.paper import identify, written_id
from digests.ports import Store
from digests.query import parse
from digests.search import find, search
from storage.store import open_store
from tests.digests.lab import read
from tests.fakes import paper

TOPICS = (
    "robots grasp fragile cups",
    "parsers recover broken sentences",
    "markets price rare options",
    "proteins fold into helices",
    "drivers follow narrow lanes",
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Twelve papers of each of five topics, the first of all with an identifier."""
    opened = open_store(tmp_path / "p.db")
    papers = [paper(f"Study {at}{n}", f"How {words}.") for at, words in enumerate(TOPICS) for n in range(12)]
    known = identify("openreview:-4IA4WgNAy4Wx")
    assert known
    read(opened, replace(papers[0], identifiers=(known,)), *papers[1:])
    yield opened
    opened.close()


def test_papers_like_a_stored_one_are_found(store: Store) -> None:
    """By its identifier and by its id: the papers of its topic, not itself."""
    model = find(store, "openreview:-4IA4WgNAy4Wx")
    by_name = [near.id for near in search(store, parse("like:openreview:-4IA4WgNAy4Wx"))]
    assert len(by_name) == 11
    assert model.id not in by_name
    assert [near.id for near in search(store, parse(f"like:{written_id(model.id)}"))] == by_name


def test_what_is_rare_does_not_depend_on_what_else_is_asked(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other papers stand beside those that other words of the query let through, and beside a short page."""
    whole = {near.id for near in search(store, parse("like:p1"))}
    assert {near.id for near in search(store, parse("like:p1 robots"))} == whole
    assert list(search(store, parse("like:p1 markets"))) == []
    monkeypatch.setattr(module, "LIKE_PAGE", 50)
    assert {near.id for near in search(store, parse("like:p1"))} == whole


@pytest.mark.parametrize("value", ["p999", "2510.13201", "nonsense"])
def test_a_paper_that_is_not_stored_is_said_to_be_missing(store: Store, value: str) -> None:
    """Rather than that nothing is like it."""
    with pytest.raises(InputError, match="no stored paper is"):
        list(search(store, parse(f"like:{value}")))
