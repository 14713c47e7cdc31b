"""Measures 300 feeds that are due at once, from local servers that take 200 ms to answer.

Thirty hosts have ten feeds each; politeness wants one request at a time at each of them, and a pause.
Measured against the longest chain of one host: its answers and the pauses between them.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from aiohttp import web

from bot.fetch import HttpFetcher
from bot.reader import Reader
from bot.turns import HOST_PAUSE
from digests.feed import Feed
from digests.refresh import refresh
from storage.store import open_store
from tests.benchmarks.figures import abstracts, report

HOSTS = 30
FEEDS = 10
PAPERS = 20
LATENCY = 0.2


async def serve() -> None:
    """Thirty servers on ports that are printed; each answers /0, /1, ... with a document after 200 ms."""
    made = documents(HOSTS * FEEDS)

    async def answer(request: web.Request) -> web.Response:
        await asyncio.sleep(LATENCY)
        return web.Response(body=made[int(request.match_info["number"])], content_type="text/xml")

    app = web.Application()
    app.router.add_get("/{number}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    for _ in range(HOSTS):
        await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(json.dumps([port for _, port in runner.addresses]), flush=True)
    await asyncio.Event().wait()


def documents(count: int) -> list[bytes]:
    """Feeds of twenty papers each."""
    from xml.sax.saxutils import escape

    rows = iter(abstracts([], count * PAPERS))
    made = []
    for number in range(count):
        items = "".join(
            f"<item><title>{escape(row['title'] or '')}</title><link>https://a.example/{number}/{n}</link>"
            f"<description>{escape(row['abstract'])}</description></item>"
            for n, row in zip(range(PAPERS), rows, strict=False)
        )
        made.append(f'<rss version="2.0"><channel><title>Feed</title>{items}</channel></rss>'.encode())
    return made


async def measured(folder: Path, ports: list[int]) -> tuple[float, float, int]:
    """Seconds of the round, the longest time that the loop was blocked, and how many papers came."""
    store, now = open_store(folder / "p.db"), datetime.now(UTC)
    for number in range(HOSTS * FEEDS):
        url = f"http://127.0.0.1:{ports[number // FEEDS]}/{number}"
        store.feeds.add(Feed(f"f{number}", url, added=now), (), now)
    async with HttpFetcher(allow=["127.0.0.1"]) as fetcher, Reader() as read:
        watch = asyncio.create_task(_longest_block())
        began = time.perf_counter()
        outcomes = await refresh(store.feeds.due(now), store, fetcher, lambda: now, read=read)
        seconds = time.perf_counter() - began
        watch.cancel()
        blocked = await watch
    assert not [outcome.error for outcome in outcomes if outcome.error]
    papers = store.papers.count()
    store.close()
    return seconds, blocked, papers


async def _longest_block() -> float:
    """How late the loop came back from a sleep, at worst."""
    longest = 0.0
    try:
        while True:
            began = time.perf_counter()
            await asyncio.sleep(0.01)
            longest = max(longest, time.perf_counter() - began - 0.01)
    except asyncio.CancelledError:
        return longest


def main() -> None:
    """Print the seconds of the round beside the longest chain, and the longest block of the loop."""
    pause = HOST_PAUSE.total_seconds()
    chain = FEEDS * LATENCY + (FEEDS - 1) * pause
    command = [sys.executable, "-m", "tests.benchmarks.refresh", "serve"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as servers:
        assert servers.stdout
        ports = json.loads(servers.stdout.readline())
        with tempfile.TemporaryDirectory() as folder:
            seconds, blocked, papers = asyncio.run(measured(Path(folder), ports))
        servers.terminate()
    report("refresh.seconds", seconds, "s", against=chain, n=HOSTS * FEEDS)
    report("refresh.loop_blocked", blocked * 1000, "ms", against=100, n=papers)


if __name__ == "__main__":
    if sys.argv[1:] == ["serve"]:
        asyncio.run(serve())
    else:
        main()
