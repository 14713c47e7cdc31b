"""A Slack of this machine: posts, histories and threads over real HTTP, with Slack's limits and its moods."""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any

from aiohttp import web

Message = dict[str, Any]
Answer = web.StreamResponse

MAX_PAGE = 15


class Mood(Enum):
    """What goes wrong with one request; the second word says whether it was applied."""

    FINE = "fine"
    TOO_FAST = "429, Retry-After: 30"
    TOO_FAST_BRIEFLY = "429, Retry-After: 0"
    TOO_FAST_UNSAID = "429, no Retry-After"
    TOO_FAST_NONSENSE = "429, Retry-After: soon"
    BROKEN = "500"
    BROKEN_APPLIED = "502 after applying, in plain text"
    BROKEN_SAID_APPLIED = "internal_error after applying"
    UNAVAILABLE = "503"
    RESET = "reset before applying"
    RESET_APPLIED = "reset after applying"
    HANGS_APPLIED = "time-out after applying"
    NO_JSON_APPLIED = "malformed answer after applying: half a JSON object"
    NO_OBJECT_APPLIED = "malformed answer after applying: a JSON list"
    NO_TS_APPLIED = "malformed answer after applying: ok, but no ts"
    HTML = "malformed answer: a page"

    @property
    def applies(self) -> bool:
        return self is Mood.FINE or self.name.endswith("APPLIED")


@dataclass(slots=True)
class Slack:
    """A running server: what was posted in each channel, and how the next requests go.

    `moods` are those of posts by part of the digest, `reading_moods` those of look-ups, each in order.
    `refusals` says which error code a channel answers with, `scopes` what the token may do.
    `clock` gives Slack's time, which is not the tester's.
    """

    clock: Callable[[], datetime]
    token: str = "xoxb-1-secret"
    port: int = 0
    posted: dict[str, list[Message]] = field(default_factory=lambda: defaultdict(list))
    moods: dict[int, deque[Mood]] = field(default_factory=lambda: defaultdict(deque))
    reading_moods: deque[Mood] = field(default_factory=deque)
    refusals: dict[str, str] = field(default_factory=dict)
    scopes: set[str] = field(default_factory=lambda: {"chat:write", "channels:history"})
    requests: list[tuple[str, Message]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/api/"

    def upset(self, part: int, *moods: Mood) -> None:
        """Let the next posts of that part go wrong in these ways, one after another."""
        self.moods[part].extend(moods)

    def keys(self, channel: str) -> list[str]:
        """What was posted there, by `Delivery.key`, in order."""
        return [message["metadata"]["event_payload"]["key"] for message in self.posted[channel]]

    def chat(self, channel: str, texts: Iterable[str]) -> None:
        """Let people write into a channel."""
        for text in texts:
            self.posted[channel].append({"type": "message", "text": text, "ts": self._ts(channel)})

    def _ts(self, channel: str) -> str:
        last = max((float(message["ts"]) for message in self.posted[channel]), default=0.0)
        return f"{max(self.clock().timestamp(), last + 0.000_1):.6f}"

    async def _handle(self, request: web.Request) -> Answer:
        method = request.match_info["method"]
        asked = await request.json() if request.method == "POST" else dict(request.query)
        self.requests.append((method, asked))
        if request.headers.get("Authorization") != f"Bearer {self.token}":
            return _no("invalid_auth")
        if code := self.refusals.get(asked.get("channel", "")):
            return _no(code)
        if method == "chat.postMessage":
            return await self._post(request, asked)
        return await self._read(request, method, asked)

    async def _post(self, request: web.Request, asked: Message) -> Answer:
        part = int(asked["metadata"]["event_payload"]["key"].rpartition("|")[2])
        moods = self.moods[part]
        mood = moods.popleft() if moods else Mood.FINE
        if "chat:write" not in self.scopes:
            return _no("missing_scope", needed="chat:write", provided="commands")
        if code := fault(asked):
            return _no(code)
        ts = ""
        if mood.applies:
            ts = self._ts(asked["channel"])
            self.posted[asked["channel"]].append({"type": "message", "ts": ts, **asked})
        return await _answer(request, mood, {"channel": asked["channel"], "ts": ts})

    async def _read(self, request: web.Request, method: str, asked: Message) -> Answer:
        mood = self.reading_moods.popleft() if self.reading_moods else Mood.FINE
        if "channels:history" not in self.scopes:
            return _no("missing_scope", needed="channels:history", provided="chat:write")
        found = self._found(method, asked)
        if found is None:
            return _no("thread_not_found")
        start = int(asked.get("cursor") or 0)
        page = found[start : start + min(int(asked["limit"]), MAX_PAGE)]
        following = start + len(page)
        more = following < len(found)
        if asked.get("include_all_metadata") != "1":
            page = [{k: v for k, v in message.items() if k != "metadata"} for message in page]
        cursor = {"next_cursor": str(following) if more else ""}
        return await _answer(request, mood, {"messages": page, "has_more": more, "response_metadata": cursor})

    def _found(self, method: str, asked: Message) -> list[Message] | None:
        """A channel's messages, newest first; a thread's, oldest first after the one it hangs on."""
        messages = self.posted[asked["channel"]]
        if method == "conversations.history":
            oldest = float(asked.get("oldest", 0))
            return [m for m in reversed(messages) if "thread_ts" not in m and float(m["ts"]) > oldest]
        if all(message["ts"] != asked["ts"] for message in messages):
            return None
        return [message for message in messages if asked["ts"] in (message["ts"], message.get("thread_ts"))]


def fault(asked: Message) -> str:
    """The error code with which Slack refuses a message that is out of its limits; "" if it is not."""
    blocks = asked["blocks"]
    if len(blocks) > 50:
        return "invalid_blocks"
    if sum(map(len, _strings(blocks))) > 11_000:
        return "msg_blocks_too_long"
    return "" if asked["text"] else "no_text"


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part)
    elif isinstance(value, dict):
        yield from _strings(list(value.values()))


def _no(code: str, **more: str) -> Answer:
    return web.json_response({"ok": False, "error": code, **more})


async def _answer(request: web.Request, mood: Mood, answer: Message) -> Answer:
    """The answer, or what is left of it in that mood."""
    if mood in (Mood.RESET, Mood.RESET_APPLIED):
        assert request.transport
        request.transport.abort()
    if mood is Mood.HANGS_APPLIED:
        await asyncio.sleep(3_600)
    waits = {Mood.TOO_FAST: "30", Mood.TOO_FAST_BRIEFLY: "0", Mood.TOO_FAST_NONSENSE: "soon"}
    if mood is Mood.TOO_FAST_UNSAID or mood in waits:
        headers = {"Retry-After": waits[mood]} if mood in waits else {}
        return web.json_response({"ok": False, "error": "ratelimited"}, status=429, headers=headers)
    match mood:
        case Mood.BROKEN:
            return web.json_response({"ok": False, "error": "internal_error"}, status=500)
        case Mood.BROKEN_APPLIED:
            return web.Response(status=502, text="upstream went away")
        case Mood.BROKEN_SAID_APPLIED:
            return _no("internal_error")
        case Mood.UNAVAILABLE:
            return web.Response(status=503, text="<html>", content_type="text/html")
        case Mood.NO_JSON_APPLIED:
            return web.Response(text='{"ok": tr', content_type="application/json")
        case Mood.NO_OBJECT_APPLIED:
            return web.json_response(["ok"])
        case Mood.NO_TS_APPLIED:
            return web.json_response({"ok": True})
        case Mood.HTML:
            return web.Response(text="<html>welcome to the hotel</html>", content_type="text/html")
    return web.json_response({"ok": True, **answer})


@asynccontextmanager
async def serve_slack(clock: Callable[[], datetime]) -> AsyncIterator[Slack]:
    """A Slack on a free port of 127.0.0.1."""
    slack = Slack(clock)
    app = web.Application()
    app.router.add_route("*", "/api/{method}", slack._handle)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    slack.port = runner.addresses[0][1]
    try:
        yield slack
    finally:
        await runner.cleanup()
