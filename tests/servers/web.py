"""A web server of this machine that plays the sites of the world, good and bad, over real HTTP."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass(slots=True)
class Site:
    """A running server: what each path answers, and what it was asked."""

    port: int = 0
    handlers: dict[str, Handler] = field(default_factory=dict)
    asked: list[web.Request] = field(default_factory=list)

    def url(self, path: str = "/feed", host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    def answers(self, path: str = "/feed", status: int = 200, body: bytes = b"", **headers: str) -> str:
        """Let `path` answer always the same (`content_type="x"` is a header); gives its address."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}

        async def handle(request: web.Request) -> web.StreamResponse:
            return web.Response(status=status, body=body, headers=sent)

        return self.runs(path, handle)

    def redirects(self, path: str, to: str, status: int = 302) -> str:
        return self.answers(path, status=status, location=to)

    def runs(self, path: str, handler: Handler) -> str:
        """Let `path` answer with what `handler` does; gives its address."""
        self.handlers[path] = handler
        return self.url(path)

    def drips(self, path: str, pieces: AsyncIterator[bytes], **headers: str) -> str:
        """Let `path` send piece after piece, as long as somebody reads."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}

        async def handle(request: web.Request) -> web.StreamResponse:
            response = web.StreamResponse(headers=sent)
            await response.prepare(request)
            async for piece in pieces:
                await response.write(piece)
            return response

        return self.runs(path, handle)

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request)
        handler = self.handlers.get(request.path)
        return await handler(request) if handler else web.Response(status=404)


@asynccontextmanager
async def serve_site() -> AsyncIterator[Site]:
    """A site on a free port of 127.0.0.1."""
    site = Site()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", site._handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    site.port = runner.addresses[0][1]
    try:
        yield site
    finally:
        await runner.cleanup()


@asynccontextmanager
async def serve_bytes(answer: bytes, *, close: bool = True) -> AsyncIterator[str]:
    """A server below HTTP: reads a request, sends `answer` as it stands, then hangs up or falls silent."""

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(4096)
        writer.write(answer)
        if not close:
            await reader.read()
        writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/feed"
    finally:
        server.close()


def gzip_bomb(size: int) -> bytes:
    """gzip that inflates to `size` zeros or more and never ends; made in no time of one block repeated."""
    squeeze = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = bytes(10_000_000)
    head = squeeze.compress(block) + squeeze.flush(zlib.Z_FULL_FLUSH)
    again = squeeze.compress(block) + squeeze.flush(zlib.Z_FULL_FLUSH)
    return head + again * (size // len(block))
