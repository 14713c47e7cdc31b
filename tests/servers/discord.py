"""A Discord of this machine: the part of its REST API and of its gateway that we use, and its bad days.

Its clock is given, and with it the ids of its messages and the life of its nonces; limits run in real time.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter, defaultdict, deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from aiohttp import WSMsgType, web

TOKEN = "bot-token-9f2c"
BOT = {"id": "42", "username": "paperround", "discriminator": "0000", "avatar": None, "bot": True}
NONCE_LIFE = timedelta(minutes=3)
EPOCH = 1420070400000
COMMAND, COMPONENT, AUTOCOMPLETE = 2, 3, 4
MANAGE_CHANNELS, VIEW, SEND, THREADS, HISTORY, SEND_IN_THREADS = (
    1 << place for place in (4, 10, 11, 35, 16, 38)
)
ALL_IT_NEEDS = VIEW | SEND | THREADS | HISTORY | SEND_IN_THREADS
HELLO, DISPATCH, HEARTBEAT, IDENTIFY, RESUME, INVALID_SESSION, ACK = 10, 0, 1, 2, 6, 9, 11

Body = dict[str, Any]


class Fault(StrEnum):
    """What goes wrong with one request to post a message."""

    LIMITED = "429"
    LIMITED_FOR_LONG = "429 for a minute"
    LIMITED_WITHOUT_WORD = "429 that does not say for how long"
    BROKEN = "500"
    APPLIED_THEN_BROKEN = "502 after it was applied"
    UNAVAILABLE = "503"
    APPLIED_THEN_UNAVAILABLE = "503 after it was applied"
    RESET = "reset before it was applied"
    APPLIED_THEN_RESET = "reset after it was applied"
    SILENCE = "time-out before it was applied"
    APPLIED_THEN_SILENCE = "time-out after it was applied"
    APPLIED_THEN_NONSENSE = "malformed answer after it was applied"
    APPLIED_THEN_EMPTY = "an answer without an id after it was applied"


@dataclass(slots=True)
class Channel:
    """A channel or a thread; `refusals` maps what is asked of it to a status and Discord's own code."""

    id: str
    root: str
    messages: list[Body] = field(default_factory=list)
    refusals: dict[str, tuple[int, int]] = field(default_factory=dict)
    history_is_open: bool = True


@dataclass(slots=True)
class Exchange:
    """What came of an interaction: the callback, the messages of the answer, the asker's alone or not."""

    id: str
    token: str
    place: str
    is_expired: bool = False
    faults: dict[str, list[Fault]] = field(default_factory=dict)
    callback: Body | None = None
    original: Body | None = None
    others: list[Body] = field(default_factory=list)
    begun: float = 0.0
    acknowledged: float = 0.0
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    answered_at: float = 0.0

    @property
    def messages(self) -> list[Body]:
        """The messages of the answer, in order."""
        return [message for message in (self.original, *self.others) if message and "components" in message]

    @property
    def text(self) -> str:
        """All that the answer says."""
        parts = [part for message in self.messages for part in _components(message["components"])]
        return "\n".join(part["content"] for part in parts if "content" in part)

    @property
    def buttons(self) -> dict[str, str]:
        """The custom_ids of its buttons by their labels; of several alike the first."""
        parts = [part for message in self.messages for part in _components(message["components"])]
        return {part["label"]: part["custom_id"] for part in reversed(parts) if "custom_id" in part}

    @property
    def choices(self) -> list[Body]:
        """What an option was completed with."""
        assert self.callback
        found: list[Body] = self.callback["data"]["choices"]
        return found


@dataclass(slots=True)
class DiscordServer:
    """A running server: what it was asked, what was posted, and what is to go wrong."""

    clock: Callable[[], datetime]
    port: int = 0
    channels: dict[str, Channel] = field(default_factory=dict)
    faults: dict[tuple[str, int], deque[Fault]] = field(default_factory=lambda: defaultdict(deque))
    asked: list[str] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    gateway_log: list[str] = field(default_factory=list)
    gateway_is_up: bool = True
    commands: list[Body] = field(default_factory=list)
    exchanges: dict[str, Exchange] = field(default_factory=dict)
    bodies: list[tuple[str, Body]] = field(default_factory=list)
    permissions: int = ALL_IT_NEEDS
    takes_direct_messages: bool = True
    sockets: list[web.WebSocketResponse] = field(default_factory=list)
    latency: float = 0.0
    per_second: int = 10_000
    bucket: tuple[int, float] = (1000, 1.0)
    token_is_good: bool = True
    _nonces: dict[str, tuple[Body, datetime]] = field(default_factory=dict)
    _arrivals: deque[float] = field(default_factory=deque)
    _buckets: dict[str, tuple[float, int]] = field(default_factory=dict)
    _sequence: int = 0
    _count: int = 0

    @property
    def api_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/api/v10"

    @property
    def gateway_url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/gateway"

    def add(self, channel: str) -> Channel:
        """A new channel in which the bot may do everything."""
        return self.channels.setdefault(channel, Channel(channel, channel))

    def posted(self, channel: str) -> list[Body]:
        """The bot's messages in a channel and its threads, in the order in which they came."""
        places = [place for place in self.channels.values() if place.root == channel]
        return sorted((m for place in places for m in place.messages), key=lambda message: int(message["id"]))

    def chatter(self, channel: str, count: int = 1) -> None:
        """Let somebody else write something."""
        for _ in range(count):
            author = {"id": "7", "username": "reader", "discriminator": "0", "avatar": None}
            self._keep(self.channels[channel], {"content": "hm", "components": []}, author)

    async def drop(self) -> None:
        """Cut every gateway connection without a word."""
        for socket in self.sockets:
            transport = socket._req.transport if socket._req else None
            if transport:
                transport.abort()
        self.sockets.clear()

    async def close(self, code: int) -> None:
        """Close every gateway connection with a code."""
        for socket in list(self.sockets):
            await socket.close(code=code)
        self.sockets.clear()

    # Interactions -------------------------------------------------------------------------------------------

    async def slash(self, verb: str, /, **options: Any) -> Exchange:
        """Somebody gives the command; options that begin with `_` go into the interaction itself."""
        focused = options.pop("_focused", None)
        kind = AUTOCOMPLETE if focused else COMMAND
        given = [
            {"name": name, "type": 4 if isinstance(value, int) else 3, "value": value}
            | ({"focused": True} if name == focused else {})
            for name, value in options.items()
            if not name.startswith("_")
        ]
        fields = {name[1:]: value for name, value in options.items() if name.startswith("_")}
        sub_command = {"type": 1, "name": verb, "options": given}
        data = {"id": "9", "name": "digest", "type": 1, "options": [sub_command]}
        return await self.interact({"type": kind, "data": data, **fields})

    async def click(self, custom_id: str, **fields: Any) -> Exchange:
        """Somebody presses a button."""
        data = {"component_type": 2, "custom_id": custom_id, "id": 3}
        return await self.interact({"type": COMPONENT, "data": data, **fields})

    async def interact(self, fields: Body) -> Exchange:
        """Send an interaction over the gateway, as a manager's in channel 1 of guild 10 unless told."""
        exchange = self.prepare(fields)
        await self.send("INTERACTION_CREATE", self.payload(exchange, fields))
        return exchange

    def prepare(self, fields: Body) -> Exchange:
        """Know an interaction; `fields` may name its `channel`, and the `faults` of each kind of answer."""
        self._count += 1
        place = fields.get("channel", {}).get("id", "1")
        exchange = Exchange(str(900_000 + self._count), f"interaction-{self._count}-secret", place)
        exchange.faults = fields.pop("faults", {})
        self.exchanges[exchange.token] = exchange
        exchange.begun = asyncio.get_running_loop().time()
        return exchange

    def payload(self, exchange: Exchange, fields: Body) -> Body:
        """The interaction as the gateway gives it; `permissions` and `roles` are the asker's."""
        may, roles = fields.pop("permissions", MANAGE_CHANNELS | VIEW), fields.pop("roles", [])
        user = {"id": "7", "username": "dana", "discriminator": "0", "avatar": None, "global_name": "Dana"}
        user |= fields.pop("user", {})
        member = {"user": user, "roles": roles, "permissions": str(may), "joined_at": "2026-01-01T00:00:00Z",
                  "deaf": False, "mute": False, "flags": 0, "nick": None, "avatar": None}  # fmt: skip
        channel = {"id": "1", "type": 0, "name": "ml-papers", "guild_id": "10", "position": 0, "nsfw": False,
                   "permission_overwrites": [], "parent_id": None, "topic": None}  # fmt: skip
        whole: Body = {
            "id": exchange.id, "application_id": "42", "token": exchange.token, "version": 1,
            "locale": "en-GB", "entitlements": [], "authorizing_integration_owners": {"0": "10"},
            "context": 0, "attachment_size_limit": 10_000_000, "app_permissions": str(self.permissions),
            "channel_id": exchange.place,
        }  # fmt: skip
        whole |= fields | {"channel": channel | fields.get("channel", {})}
        if whole["context"] == 0:
            return whole | {"guild_id": "10", "member": member, "guild": {"id": "10", "features": []}}
        del whole["channel"]["guild_id"]
        whole["channel"] |= {"type": 1, "recipients": [user], "last_message_id": None}
        return whole | {"user": user}

    async def send(self, name: str, data: Body) -> None:
        """Send an event over the gateway."""
        await self._dispatch(self.sockets[-1], name, data)

    # REST ---------------------------------------------------------------------------------------------------

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Every request to the API: the token, the limits, then what was asked for."""
        self.asked.append(f"{request.method} {request.path.removeprefix('/api/v10')}")
        await asyncio.sleep(self.latency)
        kind = request.match_info.route.name or ""
        is_to_somebody = kind in ("callback", "original", "follow")
        response = await (self._to_somebody(kind, request) if is_to_somebody else self._answer(request))
        self.statuses[response.status] += 1
        return response

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        if request.headers.get("Authorization") != f"Bot {TOKEN}" or not self.token_is_good:
            return _json({"message": "401: Unauthorized", "code": 0}, 401)
        if self._too_many():
            return _limited(0.5, everywhere=True)
        place, kind = request.match_info.get("channel", ""), request.match_info.route.name or ""
        if place:
            if place not in self.channels:
                return _refusal(404, 10003)
            if kind in self.channels[place].refusals:
                return _refusal(*self.channels[place].refusals[kind])
        handler: Any = getattr(self, f"_{kind}")
        answer: web.StreamResponse = await handler(request)
        return answer

    def _too_many(self) -> bool:
        now = asyncio.get_running_loop().time()
        while self._arrivals and now - self._arrivals[0] >= 1:
            self._arrivals.popleft()
        if len(self._arrivals) >= self.per_second:
            return True
        self._arrivals.append(now)
        return False

    async def _me(self, request: web.Request) -> web.Response:
        return _json(BOT)

    async def _application(self, request: web.Request) -> web.Response:
        return _json({"id": "42", "name": "paperround", "description": "", "icon": None, "bot_public": False,
                      "bot_require_code_grant": False, "verify_key": "0", "flags": 0, "owner": BOT,
                      "team": None, "summary": "", "hook": True, "rpc_origins": []})  # fmt: skip

    async def _gateway_bot(self, request: web.Request) -> web.Response:
        limit = {"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": 1}
        return _json({"url": self.gateway_url, "shards": 1, "session_start_limit": limit})

    async def _channel(self, request: web.Request) -> web.Response:
        place = self.channels[request.match_info["channel"]]
        last = place.messages[-1]["id"] if place.messages else None
        return _json({"id": place.id, "type": 0, "last_message_id": last, "guild_id": "10", "name": place.id,
                      "position": 0, "permission_overwrites": [], "nsfw": False})  # fmt: skip

    async def _history(self, request: web.Request) -> web.Response:
        place = self.channels[request.match_info["channel"]]
        after, limit = int(request.query.get("after", 0)), int(request.query.get("limit", 50))
        found = [message for message in place.messages if int(message["id"]) > after]
        page = found[:limit] if "after" in request.query else found[-limit:]
        return _json(page[::-1] if place.history_is_open else [])

    async def _threads(self, request: web.Request) -> web.Response:
        place, message = self.channels[request.match_info["channel"]], request.match_info["message"]
        if message in self.channels:
            return _refusal(400, 160004)
        if not any(known["id"] == message for known in place.messages):
            return _refusal(404, 10008)
        refusals = {"post": place.refusals["thread_post"]} if "thread_post" in place.refusals else {}
        self.channels[message] = Channel(message, place.root, refusals=refusals)
        return _json({"id": message, "type": 11, "name": (await request.json())["name"]}, 201)

    async def _commands(self, request: web.Request) -> web.Response:
        if request.method == "PUT":
            body = await request.json()
            self.bodies.append(("commands", body))
            extra = {
                "application_id": "42",
                "version": "1",
                "default_member_permissions": None,
                "nsfw": False,
            }
            self.commands = [{**command, "id": "77", "type": 1, **extra} for command in body]
        return _json(self.commands)

    async def _open(self, request: web.Request) -> web.Response:
        person = (await request.json())["recipient_id"]
        self.add(f"5{person}")
        if not self.takes_direct_messages:
            self.channels[f"5{person}"].refusals["post"] = (403, 50007)
        return _json({"id": f"5{person}", "type": 1, "recipients": []})

    async def _guild(self, request: web.Request) -> web.Response:
        guild = request.match_info["guild"]
        everyone = {"id": guild, "name": "@everyone", "color": 0, "hoist": False, "position": 0, "flags": 0,
                    "permissions": str(self.permissions), "managed": False, "mentionable": False}  # fmt: skip
        return _json({"id": guild, "name": "Lab", "owner_id": "1", "roles": [everyone], "emojis": [],
                      "features": [], "verification_level": 0, "nsfw_level": 0, "stickers": [],
                      "mfa_level": 0, "explicit_content_filter": 0, "premium_tier": 0,
                      "default_message_notifications": 0, "afk_timeout": 0,
                      "system_channel_flags": 0, "preferred_locale": "en-US"})  # fmt: skip

    async def _member(self, request: web.Request) -> web.Response:
        return _json({"user": BOT, "roles": [], "joined_at": "2026-01-01T00:00:00Z", "deaf": False,
                      "mute": False, "flags": 0})  # fmt: skip

    async def _to_somebody(self, kind: str, request: web.Request) -> web.StreamResponse:
        """An answer to an interaction, for which its token is the key."""
        exchange = self.exchanges.get(request.match_info["token"])
        if exchange is None or exchange.is_expired:
            return _refusal(404, 10062 if kind == "callback" else 10015)
        body = await request.json() if request.can_read_body else {}
        self.bodies.append((kind, body))
        faults = exchange.faults.get(kind)
        fault = faults.pop(0) if faults else None
        done = None if fault and not fault.name.startswith("APPLIED") else getattr(self, f"_{kind}")
        response: web.StreamResponse = done(exchange, request, body) if done else web.Response()
        return await self._fail(fault, request) if fault else response

    def _callback(self, exchange: Exchange, _request: web.Request, body: Body) -> web.Response:
        if exchange.callback:
            return _refusal(400, 40060)
        exchange.callback = body
        exchange.acknowledged = asyncio.get_running_loop().time()
        flags = (body.get("data") or {}).get("flags", 0)
        if body["type"] == 5:
            exchange.original = {"flags": flags}
        else:
            exchange.answered.set()
        known = {"id": exchange.id, "type": 2, "response_message_ephemeral": bool(flags & 64)}
        return _json({"interaction": known, "resource": {"type": body["type"]}})

    def _original(self, exchange: Exchange, request: web.Request, body: Body) -> web.Response:
        if exchange.original is None:
            return _refusal(404, 10015)
        if request.method == "DELETE":
            exchange.original = None
            return web.Response(status=204)
        if _malformed(body):
            return _refusal(400, 50035)
        flags = body.get("flags", 0) | exchange.original["flags"] & 64
        exchange.original = self._made({**body, "flags": flags}, exchange.place, BOT)
        exchange.answered_at = asyncio.get_running_loop().time()
        exchange.answered.set()
        return _json(exchange.original)

    def _follow(self, exchange: Exchange, _request: web.Request, body: Body) -> web.Response:
        if exchange.callback is None:
            return _refusal(404, 10015)
        if _malformed(body):
            return _refusal(400, 50035)
        exchange.others.append(self._made(body, exchange.place, BOT))
        exchange.answered.set()
        return _json(exchange.others[-1])

    async def _post(self, request: web.Request) -> web.StreamResponse:
        place, body = self.channels[request.match_info["channel"]], await request.json()
        if _malformed(body):
            return _refusal(400, 50035)
        limits = self._limits(place.id)
        if limits is None:
            return _limited(1.0)
        waiting = self.faults[place.root, len(self.posted(place.root)) + 1]
        fault = waiting.popleft() if waiting else None
        message = None if fault and not fault.name.startswith("APPLIED") else self._keep(place, body, BOT)
        if fault is None:
            return _json(message, headers=limits)
        return await self._fail(fault, request)

    async def _fail(self, fault: Fault, request: web.Request) -> web.StreamResponse:
        if fault is Fault.LIMITED:
            return _limited(0.05)
        if fault is Fault.LIMITED_FOR_LONG:
            return _limited(60.0)
        if fault is Fault.LIMITED_WITHOUT_WORD:
            return web.Response(status=429, text="error code: 1015")
        if fault is Fault.BROKEN:
            return web.Response(status=500)
        if fault is Fault.APPLIED_THEN_BROKEN:
            return web.Response(status=502, text="<html>Bad Gateway</html>", content_type="text/html")
        if fault in (Fault.UNAVAILABLE, Fault.APPLIED_THEN_UNAVAILABLE):
            return web.Response(status=503)
        if fault is Fault.APPLIED_THEN_NONSENSE:
            return web.Response(text='{"id": "12', content_type="application/json", charset=None)
        if fault is Fault.APPLIED_THEN_EMPTY:
            return _json({})
        if fault in (Fault.SILENCE, Fault.APPLIED_THEN_SILENCE):
            await asyncio.sleep(3600)
        assert request.transport
        request.transport.abort()
        return web.Response()

    def _limits(self, place: str) -> dict[str, str] | None:
        """The bucket's headers after one more request, None if that is one too many."""
        limit, period = self.bucket
        now = asyncio.get_running_loop().time()
        since, used = self._buckets.get(place, (now, 0))
        if now - since >= period:
            since, used = now, 0
        if used >= limit:
            return None
        self._buckets[place] = (since, used + 1)
        rest = f"{since + period - now:.3f}"
        return {"X-RateLimit-Bucket": "messages", "X-RateLimit-Limit": str(limit),
                "X-RateLimit-Remaining": str(limit - used - 1), "X-RateLimit-Reset": rest,
                "X-RateLimit-Reset-After": rest}  # fmt: skip

    def _keep(self, place: Channel, body: Body, author: Body) -> Body:
        """Post it, or give what was posted under its nonce."""
        nonce = body.get("nonce") if body.get("enforce_nonce") else None
        if nonce in self._nonces and self.clock() - self._nonces[nonce][1] < NONCE_LIFE:
            return self._nonces[nonce][0]
        message = self._made(body, place.id, author)
        place.messages.append(message)
        if nonce:
            self._nonces[nonce] = (message, self.clock())
        return message

    def _made(self, body: Body, place: str, author: Body) -> Body:
        """The message that a body makes."""
        self._count += 1
        milliseconds = int(self.clock().timestamp() * 1000) - EPOCH
        message = {
            **body, "id": str((milliseconds << 22) + self._count), "channel_id": place, "author": author,
            "timestamp": self.clock().isoformat(), "edited_timestamp": None, "type": 0, "attachments": [],
            "embeds": [], "mentions": [], "mention_roles": [], "mention_everyone": False, "tts": False,
            "pinned": False, "content": body.get("content", ""),
        }  # fmt: skip
        message.pop("allowed_mentions", None)
        return message

    # Gateway ------------------------------------------------------------------------------------------------

    async def gateway(self, request: web.Request) -> web.StreamResponse:
        """HELLO, then READY or RESUMED, and an answer to each heartbeat."""
        if not self.gateway_is_up:
            self.gateway_log.append("REFUSED")
            return web.Response(status=503)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.sockets.append(socket)
        await socket.send_json({"op": HELLO, "d": {"heartbeat_interval": 41250}})
        async for frame in socket:
            if frame.type is WSMsgType.TEXT:
                await self._receive(socket, json.loads(frame.data))
        return socket

    async def _receive(self, socket: web.WebSocketResponse, frame: Body) -> None:
        if frame["op"] == HEARTBEAT:
            await socket.send_json({"op": ACK})
        elif frame["op"] == IDENTIFY:
            self.gateway_log.append("IDENTIFY")
            await self._dispatch(socket, "READY", {
                "v": 10, "user": BOT, "guilds": [], "session_id": "session-1", "shard": [0, 1],
                "resume_gateway_url": self.gateway_url, "application": {"id": "42", "flags": 0},
            })  # fmt: skip
        elif frame["op"] == RESUME:
            self.gateway_log.append(f"RESUME {frame['d']['session_id']} from {frame['d']['seq']}")
            await self._dispatch(socket, "RESUMED", {})

    async def _dispatch(self, socket: web.WebSocketResponse, name: str, data: Body) -> None:
        self._sequence += 1
        await socket.send_json({"op": DISPATCH, "t": name, "s": self._sequence, "d": data})


@asynccontextmanager
async def serve_discord(clock: Callable[[], datetime]) -> AsyncIterator[DiscordServer]:
    """A Discord on a free port of 127.0.0.1."""
    server = DiscordServer(clock)
    app = web.Application()
    app.router.add_get("/gateway", server.gateway)
    app.router.add_get("/gateway/", server.gateway)
    for method, path, kind in (
        ("GET", "/users/@me", "me"),
        ("GET", "/oauth2/applications/@me", "application"),
        ("GET", "/gateway/bot", "gateway_bot"),
        ("*", "/applications/{application}/commands", "commands"),
        ("POST", "/users/@me/channels", "open"),
        ("GET", "/guilds/{guild}", "guild"),
        ("GET", "/guilds/{guild}/members/{user}", "member"),
        ("POST", "/interactions/{id}/{token}/callback", "callback"),
        ("*", "/webhooks/{application}/{token}/messages/@original", "original"),
        ("POST", "/webhooks/{application}/{token}", "follow"),
        ("GET", "/channels/{channel}", "channel"),
        ("GET", "/channels/{channel}/messages", "history"),
        ("POST", "/channels/{channel}/messages", "post"),
        ("POST", "/channels/{channel}/messages/{message}/threads", "threads"),
    ):
        app.router.add_route(method, f"/api/v10{path}", server.answer, name=kind)
    runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    server.port = runner.addresses[0][1]
    try:
        yield server
    finally:
        await runner.cleanup()


def _json(body: Any, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    """An answer; discord.py takes it for JSON only if the type stands there without a charset."""
    content = json.dumps(body).encode()
    return web.Response(body=content, status=status, headers=headers, content_type="application/json")


def _refusal(status: int, code: int) -> web.Response:
    return _json({"message": "no", "code": code}, status)


def _limited(seconds: float, *, everywhere: bool = False) -> web.Response:
    """A 429 of Discord's own: without Via the library takes it for a ban."""
    body = {"message": "You are being rate limited.", "retry_after": seconds, "global": everywhere}
    scope = "global" if everywhere else "user"
    headers = {"Via": "1.1 google", "Retry-After": str(int(seconds) + 1), "X-RateLimit-Scope": scope}
    return _json(body, 429, headers)


def _malformed(body: Body) -> bool:
    """What Discord refuses with 50035, as far as it says what that is."""
    if not body.get("flags", 0) & 1 << 15:
        return not 0 < len(body.get("content", "")) <= 2000
    parts = list(_components(body.get("components", [])))
    ids = [part[name] for part in parts for name in ("id", "custom_id") if name in part]
    text = sum(len(part.get("content", "").encode("utf-16-le")) // 2 for part in parts)
    plain = "content" in body or "embeds" in body
    return not parts or plain or len(parts) > 40 or text > 4000 or len(ids) != len(set(ids))


def _components(parts: list[Body]) -> list[Body]:
    found: list[Body] = []
    for part in parts:
        accessory = [part["accessory"]] if "accessory" in part else []
        found += [part, *accessory, *_components(part.get("components", []))]
    return found
