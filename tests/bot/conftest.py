"""What tests of `bot` share: logging is found as it was, a site to fetch from and a fetcher that may."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import AsyncIterator, Iterator

import pytest
import structlog

from bot.fetch import HttpFetcher
from bot.turns import Turns
from tests.bot.fetching import LOCAL, NO_PAUSE
from tests.servers.web import Site, serve_site


@pytest.fixture(autouse=True)
def logging_as_before() -> Iterator[None]:
    """The process's logging comes back after each test."""
    root, hooks = logging.getLogger(), (sys.excepthook, threading.excepthook)
    handlers, level = root.handlers[:], root.level
    before = {name: logging.getLogger(name).level for name in root.manager.loggerDict}
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    for name in root.manager.loggerDict:
        logging.getLogger(name).setLevel(before.get(name, logging.NOTSET))
    sys.excepthook, threading.excepthook = hooks
    logging.captureWarnings(False)
    structlog.reset_defaults()


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    """A site of this machine."""
    async with serve_site() as running:
        yield running


@pytest.fixture
async def fetcher() -> AsyncIterator[HttpFetcher]:
    """A fetcher that may ask this machine, without pauses."""
    async with HttpFetcher(allow=LOCAL, turns=Turns(NO_PAUSE)) as fetching:
        yield fetching
