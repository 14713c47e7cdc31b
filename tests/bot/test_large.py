"""What holds for a feed of 200 MB: it is refused with the limit and the next step, within 250 MB."""

from __future__ import annotations

import asyncio
import gzip
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.servers.web import Site

SIZE = 200_000_000
MOST = 250_000_000
HEAD, FOOT = b'<rss version="2.0"><channel><title>Walls</title>', b"</channel></rss>"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child's memory in /proc")


def pieces() -> Iterator[bytes]:
    """A well-formed RSS document of `SIZE`, about a megabyte at a time."""
    yield HEAD
    words = "We study walls and what is behind them. " * 30
    made, number = len(HEAD) + len(FOOT), 0
    while made < SIZE:
        numbers = range(number, number + 800)
        items = (f"<item><title>Paper {n}</title><description>{words}</description></item>" for n in numbers)
        piece = "".join(items).encode()
        made, number = made + len(piece), number + 800
        yield piece
    yield FOOT


async def streamed() -> AsyncIterator[bytes]:
    for piece in pieces():
        yield piece


async def command(folder: Path, *arguments: str) -> tuple[int, str, int]:
    """The exit code of `paperround`, what it said on stderr, and the most memory of it and its processes."""
    variables = {
        "PAPERROUND_DB": str(folder / "p.db"),
        "PAPERROUND_ALLOW": "127.0.0.1",
        "PYTHONPATH": str(ROOT),
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", *arguments),
        stdout=PIPE,
        stderr=PIPE,
        env={**os.environ, **variables},
    )
    most, ending = 0, asyncio.create_task(process.communicate())
    while not ending.done():
        most = max(most, memory(process.pid))
        await asyncio.wait([ending], timeout=0.01)
    return process.returncode or 0, ending.result()[1].decode(), most


def memory(process: int) -> int:
    """The bytes that a process and those that it started hold in memory."""
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
        tasks = list(Path(f"/proc/{process}/task").iterdir())
        started = [int(one) for task in tasks for one in (task / "children").read_text().split()]
    except OSError:  # it has ended
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE") + sum(map(memory, started))


@pytest.mark.parametrize("verb", ["check", "add"])
async def test_a_file_of_200_mb_is_refused(verb: str, tmp_path: Path) -> None:
    """By its size, without being read."""
    file = tmp_path / "walls.xml"
    with file.open("wb") as out:
        out.writelines(pieces())
    code, said, most = await command(tmp_path, "feeds", verb, str(file))
    assert code == 1
    assert f"holds {file.stat().st_size:,} bytes" in said
    assert "split it: at most 50,000,000 are read" in said
    assert 10_000_000 < most < MOST


async def test_a_file_that_inflates_to_200_mb_is_refused(tmp_path: Path) -> None:
    """As soon as it has become too much."""
    file = tmp_path / "walls.xml.gz"
    with gzip.open(file, "wb", compresslevel=1) as out:
        out.writelines(pieces())
    code, said, most = await command(tmp_path, "feeds", "check", str(file))
    assert code == 1
    assert "inflates to more than 50,000,000 bytes" in said
    assert 10_000_000 < most < MOST


@pytest.mark.parametrize("says_length", [True, False])
async def test_an_answer_of_200_mb_is_refused(says_length: bool, site: Site, tmp_path: Path) -> None:
    """With the limit and what to do, before it is there where it says how long it is."""
    headers = {"content_length": str(sum(map(len, pieces())))} if says_length else {}
    url = site.drips("/walls.xml", streamed(), **headers)
    code, said, most = await command(tmp_path, "feeds", "check", url)
    assert code == 1
    assert "is larger than 20,000,000 bytes, the most that is read of one answer" in said
    assert "fewer papers" in said
    assert 10_000_000 < most < MOST
