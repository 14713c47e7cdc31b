"""What holds for the reader: the same papers come; a document that hangs or crashes costs only itself."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from bot.reader import Limits, Reader
from digests.errors import InputError, ParseError
from digests.feed import Fetched
from digests.pages import page
from digests.refresh import refresh
from storage.store import open_store
from tests.bot.fetching import FEED
from tests.conftest import ROOT
from tests.digests.test_refresh import registered
from tests.fakes import NOON, FakeFetcher

SAMPLES = sorted((ROOT / "tests/data/formats").iterdir())
has_proc = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists child processes in /proc")


@pytest.fixture
async def reader() -> AsyncIterator[Reader]:
    """A reader with its usual limits."""
    async with Reader() as reading:
        yield reading


def document(papers: int) -> Fetched:
    """An RSS document of about 1.3 KB a paper."""
    items = (
        f"<item><title>Paper {n}</title><description>{f'We study wall {n}. ' * 60}</description></item>"
        for n in range(papers)
    )
    return Fetched("https://a.example/", f"<rss><channel>{''.join(items)}</channel></rss>".encode())


def table(papers: int) -> bytes:
    """A CSV of the same; its reading needs the whole text."""
    rows = (f'"Paper {n}","{f"We study wall {n}. " * 60}"\n' for n in range(papers))
    return f"title,abstract\n{''.join(rows)}".encode()


def children() -> tuple[int, ...]:
    """The processes that this one has started."""
    found: list[int] = []
    for task in Path("/proc/self/task").iterdir():
        found += map(int, (task / "children").read_text().split())
    return tuple(found)


def has_begun(process: int) -> bool:
    """Whether a process is a reader already, and not its beginning."""
    return b"bot.reader" in Path(f"/proc/{process}/cmdline").read_bytes()


def environment(process: int) -> bytes:
    """The variables that a process was given."""
    return Path(f"/proc/{process}/environ").read_bytes()


async def test_gives_what_reading_gives_here(reader: Reader) -> None:
    """Every sample of every format: papers, what was refused, notes, and the address of the next page."""
    for sample in SAMPLES:
        fetched = Fetched(f"https://a.example/{sample.name}", sample.read_bytes(), content_type="text/plain")
        with suppress(ParseError):
            here = page(fetched)
            assert await reader(fetched) == here


async def test_papers_of_a_long_document_come_in_order(reader: Reader) -> None:
    """They come in batches, and are all there."""
    reading, following = await reader(document(1_234))
    assert [paper.title for paper in reading.papers] == [f"Paper {n}" for n in range(1_234)]
    assert following is None


async def test_errors_are_those_of_reading_here(reader: Reader) -> None:
    """With what is said of them, so that a command ends as it would without a reader."""
    with pytest.raises(InputError, match="unknown format 'nonsense'"):
        await reader(Fetched("https://a.example/", FEED), "nonsense")
    with pytest.raises(ParseError) as caught:
        await reader(Fetched("https://a.example/", b"<!DOCTYPE html><html><body>Hello</body></html>"))
    assert (caught.value.what, caught.value.hint[:12]) == ("a web page instead of a feed", "look on the ")


async def test_what_takes_too_long_is_given_up() -> None:
    """It is an error of that document, and the process that reads it is gone."""
    async with Reader(Limits(seconds=0.2)) as reading:
        with pytest.raises(ParseError, match=r"could not be read within 0.2 s"):
            await reading(document(10_000))
        if sys.platform == "linux":
            assert not children()


async def test_what_needs_too_much_memory_is_given_up() -> None:
    """And the next document is read as if nothing had been."""
    async with Reader(Limits(memory=80_000_000)) as reading:
        with pytest.raises(ParseError, match=r"needs more than 80,000,000 bytes|made its reader crash"):
            await reading(Fetched("https://a.example/", table(20_000)))
        assert len((await reading(document(3)))[0].papers) == 3


BABBLER = """\
#!{python}
import sys
while True:
    sys.stdout.buffer.write(b"\\0\\0\\0\\x02{{}}" * 1000)
"""


@has_proc
async def test_a_process_cannot_fill_ours_with_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that a document has taken over, and that never ends to answer, is ended."""
    babbler = tmp_path / "babbler"
    babbler.write_text(BABBLER.format(python=sys.executable))
    babbler.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(babbler))
    async with Reader(Limits(memory=100_000)) as reading:
        with pytest.raises(ParseError, match=r"gives more than 100,000 bytes"):
            await reading(document(3))
        assert not children()


@has_proc
async def test_a_crash_costs_only_the_document_that_made_it(reader: Reader) -> None:
    """What a parser written in C can do to its process, it cannot do to ours."""
    doomed = asyncio.create_task(reader(document(5_000)))
    async with asyncio.timeout(30):
        while not (found := [one for one in children() if has_begun(one)]):  # noqa: ASYNC110 -- of a process
            await asyncio.sleep(0.01)
    os.kill(found[0], signal.SIGSEGV)
    with pytest.raises(ParseError, match=r"made its reader crash \(code -11\)"):
        await doomed
    assert len((await reader(document(3)))[0].papers) == 3


@has_proc
async def test_a_process_is_used_again_and_ends_with_the_reader() -> None:
    """It starts once, and nothing is left behind; one that was stopped meanwhile is not used."""
    async with Reader() as reading:
        await reading(document(1))
        first = children()
        await reading(document(1))
        assert children() == first
        os.kill(first[0], signal.SIGKILL)
        await asyncio.sleep(0.2)
        await reading(document(1))
        assert children() != first
    assert not children()


@has_proc
async def test_processes_know_no_token(monkeypatch: pytest.MonkeyPatch, reader: Reader) -> None:
    """What reads strangers' documents gets none of our settings."""
    monkeypatch.setenv("PAPERROUND_SLACK_BOT_TOKEN", "xoxb-sesame")
    await reader(document(1))
    (process,) = children()
    assert b"PATH" in environment(process)
    assert b"sesame" not in environment(process)


async def test_cancelled_reading_leaves_no_process(reader: Reader) -> None:
    """A service that stops does not wait for a long document."""
    task = asyncio.create_task(reader(document(10_000)))
    await asyncio.sleep(0.1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    if sys.platform == "linux":
        assert not children()


async def test_a_document_over_the_limits_is_its_feeds_error_only(tmp_path: Path) -> None:
    """The others of the round come in."""
    store = open_store(tmp_path / "p.db")
    feeds = registered(store, "a.example/1", "b.example/1")
    answers = {feeds[0].url: document(20_000).body, feeds[1].url: document(2).body}
    async with Reader(Limits(seconds=2)) as reading:
        await reading(document(1))
        outcomes = await refresh(feeds, store, FakeFetcher(answers), lambda: NOON, read=reading)
    store.close()
    assert [bool(outcome.error) for outcome in outcomes] == [True, False]
    assert "could not be read within 2 s" in outcomes[0].feed.last_error
    assert len(outcomes[1].intake.new) == 2
