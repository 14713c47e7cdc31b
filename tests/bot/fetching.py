"""What tests of fetching need: a feed, a resolver with answers of its own, and fetchers without patience."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest
from aiohttp.abc import AbstractResolver, ResolveResult

from bot.fetch import HttpFetcher, Limits
from bot.turns import Turns
from digests.errors import FetchError

FEED = b"<rss><channel><title>Letters</title></channel></rss>"
LOCAL = ("127.0.0.1",)
NO_PAUSE = timedelta(0)


class Names(AbstractResolver):
    """A resolver with answers of its own; a list of lists is used up look-up by look-up."""

    def __init__(self, **names: list[list[str]]) -> None:
        self.names = {name.replace("_", "."): answers for name, answers in names.items()}
        self.asked: list[str] = []

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        self.asked.append(host)
        if host not in self.names:
            raise socket.gaierror(f"no {host} here")
        answers = self.names[host]
        found = answers.pop(0) if len(answers) > 1 else answers[0]
        return [
            ResolveResult(hostname=host, host=address, port=port, family=socket.AF_INET, proto=0, flags=0)
            for address in found
        ]

    async def close(self) -> None: ...


def patient(
    allow: tuple[str, ...] = LOCAL, resolver: AbstractResolver | None = None, **limits: float
) -> HttpFetcher:
    """A fetcher with other limits than usual."""
    return HttpFetcher(
        allow=allow,
        resolver=resolver,
        turns=Turns(NO_PAUSE),
        limits=Limits(**limits),  # type: ignore[arg-type]
    )


async def failure(fetcher: HttpFetcher, url: str, **asked: str) -> FetchError:
    with pytest.raises(FetchError) as caught:
        await fetcher.fetch(url, **asked)
    return caught.value


async def dripping() -> AsyncIterator[bytes]:
    """A byte now and then, without end."""
    while True:
        await asyncio.sleep(0.02)
        yield b" "
