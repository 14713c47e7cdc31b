"""The stores that the contract suite runs over."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from storage.store import DatabaseStore, open_store

ENGINES = {"sqlite": lambda folder: open_store(folder / "paperround.db")}


@pytest.fixture(params=ENGINES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[DatabaseStore]:
    """An empty store of each engine."""
    opened = ENGINES[request.param](tmp_path)
    yield opened
    opened.close()
