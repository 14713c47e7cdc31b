"""What holds for politeness: one request at a time to a host, and a pause between two."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from aiohttp import web

from bot.fetch import HttpFetcher
from bot.turns import Turns
from tests.bot.fetching import FEED, LOCAL, Names, dripping, failure, patient
from tests.servers.web import Site


class Clock:
    """A clock that only moves when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


async def test_requests_to_one_host_never_overlap(site: Site, fetcher: HttpFetcher) -> None:
    """Ten at once are asked one after the other, in order."""
    running, most = 0, 0
    order: list[str] = []

    async def handle(request: web.Request) -> web.Response:
        nonlocal running, most
        order.append(request.query["n"])
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1
        return web.Response(body=FEED)

    url = site.runs("/feed", handle)
    await asyncio.gather(*(fetcher.fetch(f"{url}?n={n}") for n in range(10)))
    assert most == 1
    assert order == [str(n) for n in range(10)]


async def test_requests_to_different_hosts_overlap(site: Site) -> None:
    """Each of two waits for the other to arrive: only together do they end."""
    both = asyncio.Barrier(2)

    async def handle(_: web.Request) -> web.Response:
        await both.wait()
        return web.Response(body=FEED)

    url = site.runs("/feed", handle)
    names = Names(a_test=[["127.0.0.1"]], b_test=[["127.0.0.1"]])
    async with patient(resolver=names, total=10) as fetching:
        found = await asyncio.gather(
            *(fetching.fetch(url.replace("127.0.0.1", host)) for host in ("a.test", "b.test"))
        )
    assert [document.body for document in found] == [FEED, FEED]


@pytest.mark.parametrize(
    ("hosts", "slept"),
    [
        (["a.test", "a.test", "a.test"], [1.0, 1.0]),
        (["a.test", "b.test"], []),
        (["export.arxiv.org", "rss.arxiv.org", "arxiv.org"], [3.0, 3.0]),
        (["notarxiv.org", "notarxiv.org"], [1.0]),
    ],
)
async def test_a_pause_lies_between_two_requests_to_one_host(
    hosts: list[str], slept: list[float], site: Site
) -> None:
    """A second in general; three to arXiv, whose hosts count as one."""
    clock, url = Clock(), site.answers(body=FEED)
    names = Names(**{host.replace(".", "_"): [["127.0.0.1"]] for host in hosts})
    async with HttpFetcher(
        allow=LOCAL, resolver=names, turns=Turns(clock=clock, sleep=clock.sleep)
    ) as fetching:
        for host in hosts:
            await fetching.fetch(url.replace("127.0.0.1", host))
    assert clock.slept == slept


async def test_a_host_that_asked_for_rest_is_left_alone(site: Site) -> None:
    """After a Retry-After no other feed of that host is asked either, until the time is over."""
    clock = Clock()
    busy, fine = site.answers("/busy", status=503, retry_after="60"), site.answers("/fine", body=FEED)
    async with HttpFetcher(allow=LOCAL, turns=Turns(clock=clock, sleep=clock.sleep)) as fetching:
        await failure(fetching, busy)
        error = await failure(fetching, fine)
        assert error.retry_after == timedelta(seconds=60)
        assert len(site.asked) == 1
        clock.now += 61
        assert (await fetching.fetch(fine)).body == FEED


async def test_a_cancelled_fetch_frees_its_turn(site: Site, fetcher: HttpFetcher) -> None:
    """Stopping one feed does not block its host."""
    begun = asyncio.Event()

    async def endless() -> AsyncIterator[bytes]:
        async for piece in dripping():
            begun.set()
            yield piece

    slow = asyncio.create_task(fetcher.fetch(site.drips("/slow", endless())))
    await begun.wait()
    slow.cancel()
    assert (await fetcher.fetch(site.answers(body=FEED))).body == FEED
