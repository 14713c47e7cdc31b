"""A Slack of this machine: posts, histories and threads over real HTTP, with Slack's limits and its moods.

People give commands and press buttons there: over Socket Mode, or as requests that are signed.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import itertools
import json
import time
from collections import defaultdict, deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any
from urllib.parse import urlencode

from aiohttp import WSMsgType, web

Message = dict[str, Any]
Answer = web.StreamResponse

BOT_TOKEN, APP_TOKEN = "xoxb-1-secret", "xapp-1-secret"
MAX_PAGE = 15
MAX_ANSWERS = 5
SCOPES = (
    "chat:write,commands,channels:history,groups:history,im:history,channels:read,groups:read,im:read,"
    "users:read,usergroups:read"
)


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
    `users` and `channels` are what users.info and conversations.info say, `groups` the people of each group;
    `answers` is what came for each `response_url`, `answer_moods` says how the next ones are taken.
    """

    clock: Callable[[], datetime]
    token: str = BOT_TOKEN
    port: int = 0
    posted: dict[str, list[Message]] = field(default_factory=lambda: defaultdict(list))
    moods: dict[int, deque[Mood]] = field(default_factory=lambda: defaultdict(deque))
    reading_moods: deque[Mood] = field(default_factory=deque)
    refusals: dict[str, str] = field(default_factory=dict)
    scopes: set[str] = field(default_factory=lambda: {"chat:write", "channels:history"})
    requests: list[tuple[str, Message]] = field(default_factory=list)
    app_token: str = APP_TOKEN
    team: str = "T1"
    users: dict[str, Message] = field(default_factory=lambda: {"U1": person("U1")})
    channels: dict[str, Message] = field(default_factory=lambda: {"C1": room("C1", "ml-papers")})
    groups: dict[str, list[str]] = field(default_factory=dict)
    answers: dict[str, list[Message]] = field(default_factory=lambda: defaultdict(list))
    answer_moods: deque[Mood] = field(default_factory=deque)
    sockets: list[web.WebSocketResponse] = field(default_factory=list)
    _acks: dict[str, asyncio.Future[Message]] = field(default_factory=dict)
    _changed: asyncio.Event = field(default_factory=asyncio.Event)
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

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
        is_json = request.content_type == "application/json"
        asked = await request.json() if is_json else {**request.query, **await request.post()}
        self.requests.append((method, asked))
        if method == "apps.connections.open":
            return self._open(request)
        if request.headers.get("Authorization") != f"Bearer {self.token}":
            return _no("invalid_auth")
        if code := self.refusals.get(method) or self.refusals.get(str(asked.get("channel", ""))):
            return _no(code)
        if method == "chat.postMessage":
            return await (self._post if "metadata" in asked else self._note)(request, asked)
        if method in ("conversations.history", "conversations.replies"):
            return await self._read(request, method, asked)
        return self._look_up(method, asked)

    def _look_up(self, method: str, asked: Message) -> Answer:
        """What Slack says of the token, of people and of channels."""
        match method:
            case "auth.test":
                said = {
                    "team_id": self.team,
                    "team": "Lab",
                    "user": "paperround",
                    "user_id": "U0",
                    "bot_id": "B0",
                }
                return web.json_response({"ok": True, **said}, headers={"x-oauth-scopes": SCOPES})
            case "users.info":
                user = self.users.get(asked["user"])
                return web.json_response({"ok": True, "user": user}) if user else _no("user_not_found")
            case "conversations.info":
                channel = self.channels.get(asked["channel"])
                is_seen = channel and (channel["is_im"] or channel["is_member"] or not channel["is_private"])
                return (
                    web.json_response({"ok": True, "channel": channel})
                    if is_seen
                    else _no("channel_not_found")
                )
            case "users.conversations":
                joined = [c for c in self.channels.values() if c["is_im"] or c["is_member"]]
                return web.json_response(
                    {"ok": True, "channels": joined, "response_metadata": {"next_cursor": ""}}
                )
            case "usergroups.list":
                groups = [{"id": group, "users": users} for group, users in self.groups.items()]
                return web.json_response({"ok": True, "usergroups": groups})
        return _no("unknown_method")

    async def _note(self, request: web.Request, asked: Message) -> Answer:
        ts = self._ts(asked["channel"])
        self.posted[asked["channel"]].append({"type": "message", "ts": ts, **asked})
        return web.json_response({"ok": True, "channel": asked["channel"], "ts": ts})

    # Commands and buttons.

    def command(self, text: str, user: str = "U1", channel: str = "C1", **said: str) -> Message:
        """What Slack sends when somebody types /digest and that text."""
        number = next(self._numbers)
        return {
            "command": "/digest",
            "text": text,
            "user_id": user,
            "user_name": "dana",
            "team_id": self.team,
            "channel_id": channel,
            "channel_name": "ml-papers",
            "trigger_id": f"{number}.1",
            "response_url": f"http://127.0.0.1:{self.port}/answers/{number}",
            **said,
        }

    def click(self, button: Message, user: str = "U1", channel: str = "C1", **said: Any) -> Message:
        """What Slack sends when somebody presses a button of a message."""
        number = next(self._numbers)
        return {
            "type": "block_actions",
            "user": {"id": user, "username": "dana", "team_id": self.team},
            "team": {"id": self.team, "domain": "lab"},
            "channel": {"id": channel, "name": "ml-papers"},
            "container": {"type": "message", "message_ts": "1.0", "is_ephemeral": True},
            "trigger_id": f"{number}.1",
            "response_url": f"http://127.0.0.1:{self.port}/answers/{number}",
            "actions": [{"type": "button", "block_id": "b", "action_ts": "2.0", **button}],
            **said,
        }

    def event(self, kind: str, **said: Any) -> Message:
        """What Slack sends when something happened."""
        event = {"type": kind, "event_ts": "1.0", **said}
        return {
            "type": "event_callback",
            "team_id": self.team,
            "event_id": f"Ev{next(self._numbers)}",
            "event": event,
        }

    async def send(self, kind: str, payload: object, within: float = 5.0) -> Message:
        """Send something over Socket Mode and wait for its acknowledgement; TimeoutError if none comes."""
        async with asyncio.timeout(within):
            socket = await self.socket()
            envelope = f"E{next(self._numbers)}"
            self._acks[envelope] = asyncio.get_running_loop().create_future()
            await socket.send_json({"type": kind, "envelope_id": envelope, "payload": payload})
            return await self._acks[envelope]

    async def socket(self) -> web.WebSocketResponse:
        """The connection that is open, as soon as there is one."""
        await self.until(lambda: bool(self.sockets))
        return self.sockets[-1]

    async def answered(self, payload: Message, count: int = 1, within: float = 10.0) -> list[Message]:
        """So many answers to a command, as soon as they are there."""
        number = payload["response_url"].rpartition("/")[2]
        await self.until(lambda: len(self.answers[number]) >= count, within)
        return self.answers[number]

    async def ask(self, text: str, **said: str) -> Message:
        """Type a command, have it acknowledged, and get its only answer."""
        payload = self.command(text, **said)
        await self.send("slash_commands", payload)
        (answer,) = await self.answered(payload)
        return answer

    async def press(self, button: Message, **said: Any) -> Message:
        """Press a button, have it acknowledged, and get its only answer."""
        payload = self.click(button, **said)
        await self.send("interactive", payload)
        (answer,) = await self.answered(payload)
        return answer

    async def until(self, holds: Callable[[], bool], within: float = 10.0) -> None:
        """Wait until something holds; TimeoutError if it never does."""
        async with asyncio.timeout(within):
            while not holds():
                self._changed.clear()
                await self._changed.wait()

    def _open(self, request: web.Request) -> Answer:
        if request.headers.get("Authorization") != f"Bearer {self.app_token}":
            return _no("invalid_auth")
        return web.json_response({"ok": True, "url": f"ws://127.0.0.1:{self.port}/link"})

    async def _link(self, request: web.Request) -> Answer:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json({"type": "hello", "num_connections": 1})
        self.sockets.append(socket)
        self._changed.set()
        try:
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    answer = json.loads(message.data)
                    ack = self._acks.pop(answer["envelope_id"], None)
                    if ack and not ack.done():
                        ack.set_result(answer.get("payload") or {})
        finally:
            self.sockets.remove(socket)
            self._changed.set()
        return socket

    async def _take_answer(self, request: web.Request) -> Answer:
        number, answer = request.match_info["number"], await request.json()
        mood = self.answer_moods.popleft() if self.answer_moods else Mood.FINE
        if len(self.answers[number]) >= MAX_ANSWERS:
            return web.Response(status=404, text="used_url")
        if fault(answer):
            return web.Response(status=400, text=fault(answer))
        if mood.applies:
            self.answers[number].append(answer)
        self._changed.set()
        return await _answer(request, mood, {})

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
    ids = [part["action_id"] for block in blocks for part in block.get("elements", ()) if "action_id" in part]
    if len(blocks) > 50 or len(ids) > len(set(ids)):
        return "invalid_blocks"
    if sum(map(len, _strings(blocks))) > 11_000:
        return "msg_blocks_too_long"
    return "" if asked["text"] else "no_text"


def person(user: str, **said: object) -> Message:
    """A full member of the workspace T1, as users.info gives them."""
    known = {"is_restricted": False, "is_ultra_restricted": False, "is_bot": False, "deleted": False}
    return {"id": user, "team_id": "T1", "name": "dana", "tz": "Europe/Berlin", **known, **said}


def room(channel: str, name: str, **said: object) -> Message:
    """A public channel that the app is in, as conversations.info gives it."""
    known = {"is_im": False, "is_member": True, "is_private": False, "is_archived": False}
    return {"id": channel, "name": name, **known, **said}


def signed(secret: str, body: str, at: float | None = None) -> dict[str, str]:
    """The headers of a request that Slack signs; `at` is when, by default now."""
    stamp = str(int(time.time() if at is None else at))
    digest = hmac.new(secret.encode(), f"v0:{stamp}:{body}".encode(), hashlib.sha256).hexdigest()
    return {"X-Slack-Request-Timestamp": stamp, "X-Slack-Signature": f"v0={digest}"}


def form(payload: Message) -> str:
    """A payload as the body of a request: a command by its fields, anything else as JSON in one field."""
    return urlencode(payload if "command" in payload else {"payload": json.dumps(payload)})


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
    app.router.add_get("/link", slack._link)
    app.router.add_post("/answers/{number}", slack._take_answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    slack.port = runner.addresses[0][1]
    try:
        yield slack
    finally:
        await runner.cleanup()
