"""Fetches documents over HTTP, politely and only from public addresses; and reads local files for the CLI.

HttpFetcher   the port Fetcher on aiohttp: one hop at a time, each through the three below
Guard         which addresses may be asked; it is the resolver, so what it checked is what is connected to
Turns         whose turn it is at a host: one request at a time, with a pause between two
Inflated      a body in the making, inflated under a cap
read_file     the same promise for a file of this machine: the bytes, or one clear line
"""

from __future__ import annotations

import asyncio
import re
import socket
import stat
import time
import zlib
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from importlib.metadata import version
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import BinaryIO, Protocol, Self
from urllib.parse import unquote, urlsplit

import aiohttp
import brotli
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from digests.errors import FetchError, InputError
from digests.feed import Fetched

BODY_CAP = 20_000_000
FILE_CAP = 200_000_000
URL_CAP = 4_000
LONGEST_PAUSE = timedelta(days=1)
"""Neither Retry-After nor Cache-Control can silence a feed for longer."""

HOST_PAUSE = timedelta(seconds=1)
ARXIV_PAUSE = timedelta(seconds=3)
"""One connection, and a request every 3 s over all of its hosts: https://info.arxiv.org/help/api/tou.html"""

_PIECE = 1 << 18
_REDIRECTS = {301, 302, 303, 307, 308}
_PERMANENT = {301, 308}
_ACCEPT = (
    "application/atom+xml, application/rss+xml, application/xml;q=0.9, application/json;q=0.9, */*;q=0.5"
)
_BLANK = re.compile(r"[\s\x00-\x20\x7f-\x9f]")
_USERINFO = re.compile(r"^((?:[a-z][a-z0-9+.-]*:)?[/\\]+)?[^/?#\\]*@", re.IGNORECASE)
_SECRET = re.compile(
    r"([?&;#][^=&;#]*(?:key|token|secret|password|passwd|pwd|auth|signature|sig|session(?:id)?|credentials?|jwt)=)"
    r"[^&;#]*",
    re.IGNORECASE,
)


def redacted(url: str) -> str:
    """`url` fit for messages and logs: no user, password, key or token, at most 300 characters.

    "https://me:pw@a.org/?api_key=1&q=x" → "https://a.org/?api_key=***&q=x"
    """
    shown = _SECRET.sub(r"\1***", _USERINFO.sub(r"\1", url))
    return shown if len(shown) <= 300 else shown[:299] + "…"


def _failed(
    url: URL | str,
    what: str,
    *,
    status: int | None = None,
    retry_after: timedelta | None = None,
    hint: str = "",
) -> FetchError:
    shown = redacted(str(url))
    return FetchError(f"{shown!r} {what}", url=shown, status=status, retry_after=retry_after, hint=hint)


# ---- the guard

Address = IPv4Address | IPv6Address

# The registries of special addresses, written out: `ipaddress.is_global` differs between Python versions.
# https://www.iana.org/assignments/iana-ipv4-special-registry
_SPECIAL_4 = tuple(
    IPv4Network(block)
    for block in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
        *("192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15"),
        *("198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4"),
    )
)
# https://www.iana.org/assignments/iana-ipv6-special-registry; 2001::/23 holds Teredo, 2002::/16 is 6to4.
# Everything else that is special (mapped, link-local, unique local, multicast) lies outside 2000::/3.
_GLOBAL_6 = IPv6Network("2000::/3")
_SPECIAL_6 = tuple(IPv6Network(block) for block in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"))
_NAT64 = IPv6Network("64:ff9b::/96")


def is_public(address: Address) -> bool:
    """Whether `address` is one that anybody on the internet may ask; tunnelled and mapped forms are not."""
    if isinstance(address, IPv4Address):
        return not any(address in block for block in _SPECIAL_4)
    return address in _GLOBAL_6 and not any(address in block for block in _SPECIAL_6)


def _plain(address: Address) -> Address:
    """The IPv4 address inside a NAT64 one: behind DNS64 each IPv4-only site is reached like this."""
    if isinstance(address, IPv6Address) and address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address


class NotPublicError(Exception):
    """A name leads only to addresses that are not public; raised through aiohttp, never out of `fetch`."""


class Guard(AbstractResolver):
    """Says which addresses may be asked: public ones, and hosts or networks that an admin allowed.

    As the connector's resolver it hands on only addresses that it has checked, anew for each connection:
    a name that changes its mind between look-up and connect has nothing to gain.
    """

    def __init__(self, allow: Collection[str] = (), inner: AbstractResolver | None = None) -> None:
        self._inner = inner
        self._hosts: set[str] = set()
        self._networks: list[IPv4Network | IPv6Network] = []
        for entry in allow:
            self._allow(entry.strip())

    def _allow(self, entry: str) -> None:
        try:
            self._networks.append(ip_network(entry.strip("[]"), strict=False))
        except ValueError:
            try:
                host = URL.build(scheme="http", host=entry).raw_host
            except ValueError:
                host = None
            if not host or "/" in entry or ":" in entry:
                raise InputError(
                    f"{entry!r} is neither a host name nor a network",
                    "write 'feeds.lab.internal' or '10.0.0.0/8'",
                ) from None
            self._hosts.add(host.rstrip("."))

    def check(self, url: URL) -> None:
        """FetchError unless `url` is http or https, without a password, and not at a forbidden address."""
        host = url.raw_host or ""
        if url.scheme not in ("http", "https"):
            raise _failed(url, "is not an http or https address", hint="give an address that a browser opens")
        if url.raw_user is not None or url.raw_password is not None:
            raise _failed(
                url,
                "holds a user name or a password, which is never sent",
                hint="give it without the part before @",
            )
        if not host or "%" in host:
            raise _failed(url, "names no host", hint="write it like https://example.org/feed.xml")
        self._check_literal(url, host)
        # Ports below 1024 belong to other protocols: nobody shall make this program talk to mail servers.
        if url.port not in (80, 443) and (url.port or 0) < 1024 and not self._names(host):
            raise _failed(url, f"asks for port {url.port}", hint="80, 443 and those from 1024 on are allowed")

    def _check_literal(self, url: URL, host: str) -> None:
        """aiohttp connects to what looks like an IP address without asking the resolver."""
        try:
            address: Address = ip_address(host)
        except ValueError:
            if _is_odd_literal(host):
                raise _failed(
                    url, "spells an IP address in an odd way", hint="write it as 192.0.2.1"
                ) from None
            return
        if not self._admits(host, address):
            raise _failed(url, f"is at {address}, which is not a public address", hint=_ALLOW_HINT)

    def _names(self, host: str) -> bool:
        return host.rstrip(".").lower() in self._hosts

    def _admits(self, host: str, address: Address) -> bool:
        address = _plain(address)
        return (
            is_public(address) or self._names(host) or any(address in network for network in self._networks)
        )

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The addresses of `host` that may be asked; NotPublicError where there are only others."""
        self._inner = self._inner or aiohttp.ThreadedResolver()  # it needs a running loop
        found = await self._inner.resolve(host, port, family)
        if not found:
            raise OSError(f"{host} has no address")
        good = [result for result in found if self._admits(host, ip_address(result["host"]))]
        if not good:
            raise NotPublicError(found[0]["host"])
        return good

    async def close(self) -> None:
        if self._inner:
            await self._inner.close()


_ALLOW_HINT = "a host or network of your own is allowed with PAPERROUND_ALLOW=feeds.lab.example,10.0.0.0/8"


def _is_odd_literal(host: str) -> bool:
    """Whether some part of the system would take `host` for an IP address: 0x7f.1, 2130706433, 127.0.0.1."""
    if ":" in host or host.replace(".", "").isdigit():
        return True
    try:
        socket.inet_aton(host.rstrip("."))
    except OSError:
        return False
    return True


# ---- the politeness


@dataclass(slots=True)
class _Lane:
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    free_at: float = 0.0
    shut_until: float = 0.0


class Turns:
    """Lets one request at a time go to a host, and the next one only after a pause."""

    def __init__(
        self,
        pause: timedelta = HOST_PAUSE,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._pause = pause
        self._clock = clock
        self._sleep = sleep
        self._lanes: defaultdict[str, _Lane] = defaultdict(_Lane)

    @asynccontextmanager
    async def turn(self, url: URL) -> AsyncIterator[None]:
        """Wait for the turn at the host of `url`; FetchError where that host asked to be left alone."""
        lane, arxiv = self._lanes[_lane_of(url)], _is_arxiv(url)
        async with lane.lock:
            rest = lane.shut_until - self._clock()
            if rest > 0:
                raise _failed(
                    url,
                    f"is not asked now: its host wants {rest:.0f} s of rest",
                    retry_after=timedelta(seconds=rest),
                )
            if (wait := lane.free_at - self._clock()) > 0:
                await self._sleep(wait)
            try:
                yield
            finally:
                pause = max(self._pause, ARXIV_PAUSE) if arxiv else self._pause
                lane.free_at = self._clock() + pause.total_seconds()

    def rest(self, url: URL, pause: timedelta) -> None:
        """The host of `url` answered that it wants no request for `pause`."""
        self._lanes[_lane_of(url)].shut_until = self._clock() + pause.total_seconds()


def _is_arxiv(url: URL) -> bool:
    host = (url.raw_host or "").rstrip(".")
    return host == "arxiv.org" or host.endswith(".arxiv.org")


def _lane_of(url: URL) -> str:
    if _is_arxiv(url):
        return "arxiv.org"
    return f"{url.raw_host}:{'' if url.port in (80, 443) else url.port}"


# ---- the body


class TooLargeError(Exception):
    """A body is larger than its cap."""


class CutError(Exception):
    """A body ends before its compression does, or is not compressed as it says."""


class _Decoder(Protocol):
    def decode(self, data: bytes) -> Iterator[bytes]:
        """What `data` inflates to, made piece by piece as it is taken."""
        ...

    def is_finished(self) -> bool: ...


class _Zlib:
    """gzip (of any number of members) and both of the things that are called deflate."""

    def __init__(self, wbits: int) -> None:
        self._wbits = wbits
        self._z = zlib.decompressobj(wbits)
        self._members = 0
        self._rubbish = False

    def decode(self, data: bytes) -> Iterator[bytes]:
        while data and not self._rubbish:
            try:
                yield self._z.decompress(data, _PIECE)
            except zlib.error as error:
                if not self._members:
                    raise CutError(str(error)) from error
                self._rubbish = True  # what follows a complete member: gzip and browsers ignore it too
                return
            data = self._z.unconsumed_tail
            if self._z.eof:
                data = self._z.unused_data.lstrip(b"\0")
                self._members += 1
                if data:
                    self._z = zlib.decompressobj(self._wbits)

    def is_finished(self) -> bool:
        return self._z.eof or self._rubbish


class _Brotli:
    def __init__(self) -> None:
        self._d = brotli.Decompressor()

    def decode(self, data: bytes) -> Iterator[bytes]:
        try:
            yield self._d.process(data, output_buffer_limit=_PIECE)
            while not self._d.can_accept_more_data():
                yield self._d.process(b"", output_buffer_limit=_PIECE)
        except brotli.error as error:
            raise CutError(str(error)) from error

    def is_finished(self) -> bool:
        return bool(self._d.is_finished())


class _Identity:
    def decode(self, data: bytes) -> Iterator[bytes]:
        yield data

    def is_finished(self) -> bool:
        return True


def _decoder(encoding: str, first: bytes) -> _Decoder:
    """By what the body is rather than by what it says: gzip is sent unnamed, and text is sent as gzip."""
    if first.startswith(b"\x1f"):
        return _Zlib(31)
    if encoding == "br":
        return _Brotli()
    if encoding == "deflate":
        return _Zlib(15 if first[0] & 0x0F == 8 else -15)
    return _Identity()


class Inflated:
    """A body in the making: takes it piece by piece as sent and never holds more than `cap` bytes of it."""

    def __init__(self, encoding: str, cap: int) -> None:
        self._encoding = encoding
        self._cap = cap
        self._sent = 0
        self._body = bytearray()
        self._decoder: _Decoder | None = None

    def add(self, data: bytes) -> None:
        """Take the next piece; TooLargeError once either size is over the cap."""
        if not data:
            return
        self._sent += len(data)
        if self._sent > self._cap:
            raise TooLargeError
        self._decoder = self._decoder or _decoder(self._encoding, data)
        for piece in self._decoder.decode(data):
            self._body += piece
            if len(self._body) > self._cap:
                raise TooLargeError

    def body(self) -> bytes:
        """The whole; CutError where the end is missing."""
        if self._decoder and not self._decoder.is_finished():
            raise CutError("the end is missing")
        return bytes(self._body)


# ---- the fetcher


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may cost: bytes (as sent, and inflated), redirects, and seconds on each stage.

    `connect` covers look-up, TCP and TLS, `answer` all until the headers are there, `silence` the time
    between two bytes, `total` one hop from the first to the last; waiting for a turn does not count.
    """

    body: int = BODY_CAP
    redirects: int = 5
    connect: float = 10.0
    answer: float = 45.0
    silence: float = 30.0
    total: float = 120.0


@dataclass(frozen=True, slots=True)
class _Moved:
    to: URL
    permanent: bool


class HttpFetcher:
    """The port Fetcher over HTTP; an async context manager, safe to use by many tasks at once."""

    def __init__(
        self,
        *,
        contact: str = "",
        allow: Collection[str] = (),
        limits: Limits | None = None,
        turns: Turns | None = None,
        resolver: AbstractResolver | None = None,
    ) -> None:
        self._agent = user_agent(contact)
        self._guard = Guard(allow, resolver)
        self._limits = limits or Limits()
        self._turns = turns or Turns()

    async def __aenter__(self) -> Self:
        limits = self._limits
        self._session = aiohttp.ClientSession(
            # No limit: waiting in the pool would count as connecting. Who calls says how many run at once.
            connector=aiohttp.TCPConnector(resolver=self._guard, use_dns_cache=False, limit=0),
            timeout=aiohttp.ClientTimeout(
                total=None, connect=limits.connect, sock_connect=limits.connect, sock_read=limits.silence
            ),
            headers={"User-Agent": self._agent, "Accept": _ACCEPT, "Accept-Encoding": "gzip, deflate, br"},
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,  # a proxy would connect where the guard cannot look
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()
        await self._guard.close()

    async def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> Fetched:
        """The document at `url`, or `not_modified`; FetchError for everything else, within bounded time."""
        headers = _conditions(etag, last_modified)
        target, permanent = self._checked(url), True
        for hop in range(self._limits.redirects + 1):
            answer = await self._ask(target, headers)
            if isinstance(answer, Fetched):
                return replace(answer, moved_to=str(target)) if hop and permanent else answer
            target, permanent = answer.to, permanent and answer.permanent
        raise _failed(url, f"redirects more than {self._limits.redirects} times", hint="open it in a browser")

    def _checked(self, text: str, base: URL | None = None) -> URL:
        if len(text) > URL_CAP:
            raise _failed(text, f"is longer than the {URL_CAP} characters that an address may have")
        if _BLANK.search(text):
            raise _failed(text, "holds a space or a control character", hint="write a space as %20")
        try:
            url = URL(text)
            url = (base.join(url) if base and not url.scheme else url).with_fragment(None)
        except ValueError:
            raise _failed(
                text, "is not an address", hint="write it like https://example.org/feed.xml"
            ) from None
        self._guard.check(url)
        return url

    async def _ask(self, url: URL, headers: Mapping[str, str]) -> Fetched | _Moved:
        limits = self._limits
        async with self._turns.turn(url):
            with _translated(url, limits):
                async with asyncio.timeout(limits.total), await self._open(url, headers) as response:
                    if response.status in _REDIRECTS:
                        return self._moved(url, response)
                    if response.status == 304 and headers:
                        return _fetched(url, response, b"", headers)
                    if not 200 <= response.status < 300:
                        raise self._refused(url, response)
                    return _fetched(url, response, await _read(response, limits.body), headers)

    async def _open(self, url: URL, headers: Mapping[str, str]) -> aiohttp.ClientResponse:
        try:
            async with asyncio.timeout(self._limits.answer):
                return await self._session.get(url, headers=headers, allow_redirects=False)
        except aiohttp.ServerTimeoutError:
            raise
        except TimeoutError:
            raise _failed(url, f"sent no answer within {self._limits.answer:g} s", hint=_LATER) from None

    def _moved(self, url: URL, response: aiohttp.ClientResponse) -> _Moved:
        location = response.headers.get("Location", "").strip()
        if not location:
            raise _failed(url, f"answered {response.status} without saying where to", status=response.status)
        try:
            target = self._checked(location, url)
        except FetchError as error:
            raise _failed(
                url, f"redirects, but {error.what}", status=response.status, hint="open it in a browser"
            ) from error
        return _Moved(target, response.status in _PERMANENT)

    def _refused(self, url: URL, response: aiohttp.ClientResponse) -> FetchError:
        status, pause = response.status, _retry_after(response.headers)
        if pause and status in (429, 503):
            self._turns.rest(url, pause)
        what = f"answered {status} {_reason(response)}".rstrip()
        return _failed(url, what, status=status, retry_after=pause, hint=_status_hint(status))


def user_agent(contact: str = "") -> str:
    """What this program calls itself: Paperround/1.0 (+mailto:admin@lab.org)."""
    name = f"Paperround/{version('paperround')}"
    contact = "".join(c for c in contact if c.isprintable()).strip()
    return f"{name} (+{contact})" if contact else name


_LATER = "it is tried again later"


@contextmanager
def _translated(url: URL, limits: Limits) -> Iterator[None]:
    """aiohttp's errors as ours; their texts are not used, for they quote the address with its secrets."""
    try:
        yield
    except NotPublicError as error:
        raise _failed(url, f"leads to {error}, which is not a public address", hint=_ALLOW_HINT) from None
    except TooLargeError:
        raise _failed(url, f"is larger than {limits.body:,} bytes", hint="ask it for fewer papers") from None
    except CutError as error:
        raise _failed(url, f"sent a damaged body ({error})", hint=_LATER) from None
    except aiohttp.ConnectionTimeoutError:
        raise _failed(url, f"took no connection within {limits.connect:g} s", hint=_LATER) from None
    except aiohttp.ServerTimeoutError:
        raise _failed(url, f"was silent for {limits.silence:g} s", hint=_LATER) from None
    except TimeoutError:
        raise _failed(url, f"was not complete after {limits.total:g} s", hint=_LATER) from None
    except aiohttp.ClientError as error:
        what, hint = _client_error(error)
        raise _failed(url, what, hint=hint) from None
    except UnicodeError:
        raise _failed(url, "names no host", hint="look at its spelling") from None


def _client_error(error: aiohttp.ClientError) -> tuple[str, str]:
    match error:
        case aiohttp.ClientConnectorDNSError():
            return "names a host that is not known", "look at its spelling, or at this machine's network"
        case aiohttp.ClientConnectorCertificateError():
            why = getattr(error.certificate_error, "verify_message", "") or "it does not verify"
            return f"has a certificate that is not valid: {why}", "only its owner can mend that"
        case aiohttp.ClientSSLError():
            return "does not speak TLS as it should", "try http:// or tell its owner"
        case aiohttp.ClientConnectorError():
            return f"takes no connection: {error.os_error.strerror or 'it failed'}", _LATER
        case aiohttp.ClientPayloadError():
            return "broke off in the middle of the document", _LATER
        case aiohttp.ServerDisconnectedError() | aiohttp.ClientOSError():
            return "closed the connection without an answer", _LATER
        case aiohttp.InvalidURL():
            return "is not an address", "write it like https://example.org/feed.xml"
    return "does not answer as HTTP should", "open it in a browser"


def _status_hint(status: int) -> str:
    match status:
        case 401 | 403:
            return "it wants a login or keeps programs out; see whether its owner offers a feed or an API"
        case 404 | 410:
            return "look in a browser for its new address"
    return _LATER if status == 429 or status >= 500 else "open it in a browser"


def _reason(response: aiohttp.ClientResponse) -> str:
    """The server's words for its status: a stranger's text, so cut and cleaned."""
    return "".join(c for c in response.reason or "" if c.isprintable())[:60]


def _conditions(etag: str, last_modified: str) -> dict[str, str]:
    asked = {"If-None-Match": etag, "If-Modified-Since": last_modified}
    return {name: value for name, value in asked.items() if value and not re.search(r"[\r\n\0]", value)}


async def _read(response: aiohttp.ClientResponse, cap: int) -> bytes:
    encoding = response.headers.get("Content-Encoding", "").strip().lower()
    if encoding not in ("", "identity", "gzip", "x-gzip", "deflate", "br"):
        raise CutError(f"in the encoding {encoding[:30]!r}, which was not asked for")
    if (response.content_length or 0) > cap:
        raise TooLargeError
    body = Inflated(encoding, cap)
    async for piece in response.content.iter_any():
        body.add(piece)
    return body.body()


def _fetched(url: URL, response: aiohttp.ClientResponse, body: bytes, asked: Mapping[str, str]) -> Fetched:
    """A 304 need not repeat the validators: then those that were asked with still hold."""
    same = response.status == 304
    return Fetched(
        url=str(url),
        body=body,
        status=response.status,
        content_type=response.headers.get("Content-Type", ""),
        etag=response.headers.get("ETag", asked.get("If-None-Match", "") if same else ""),
        last_modified=response.headers.get(
            "Last-Modified", asked.get("If-Modified-Since", "") if same else ""
        ),
        not_modified=same,
        fresh_for=_fresh_for(response.headers),
    )


def _fresh_for(headers: Mapping[str, str]) -> timedelta:
    """How long the server calls its answer fresh: Cache-Control before Expires, 0 where unclear."""
    control = headers.get("Cache-Control", "").lower()
    if "no-store" in control or "no-cache" in control:
        return timedelta(0)
    if age := re.search(r"\bmax-age\s*=\s*\"?(\d{1,12})", control):
        spent = headers.get("Age", "0").strip()
        return _capped(int(age[1]) - (int(spent) if re.fullmatch(r"[0-9]{1,12}", spent) else 0))
    return _until(headers.get("Expires", ""), headers)


def _retry_after(headers: Mapping[str, str]) -> timedelta | None:
    asked = headers.get("Retry-After", "").strip()
    pause = _capped(int(asked)) if re.fullmatch(r"[0-9]{1,12}", asked) else _until(asked, headers)
    return pause or None


def _until(date: str, headers: Mapping[str, str]) -> timedelta:
    """From the server's own now until `date`: its clock may be wrong, but it is wrong in both."""
    then, now = _http_date(date), _http_date(headers.get("Date", "")) or datetime.now(UTC)
    return _capped((then - now).total_seconds()) if then else timedelta(0)


def _http_date(text: str) -> datetime | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return date if date.tzinfo else date.replace(tzinfo=UTC)


def _capped(seconds: float) -> timedelta:
    return timedelta(seconds=min(max(seconds, 0), LONGEST_PAUSE.total_seconds()))


# ---- the files


def read_file(place: str | Path, cap: int = FILE_CAP) -> bytes:
    """The content of a file of this machine, inflated where it is gzip; FetchError for everything else.

    Takes a path, with `~`, or a `file:` address; refuses by size before it reads, and never waits on a pipe.
    """
    path = _path_of(str(place))
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise _unreadable(path, f"is {_kind(found.st_mode)}", "give a file")
        if found.st_size > cap:
            raise _unreadable(path, f"holds {found.st_size:,} bytes", f"at most {cap:,} are read; split it")
        with path.open("rb") as file:
            body = _inflated(file, cap)
    except TooLargeError:
        raise _unreadable(path, f"inflates to more than {cap:,} bytes", "split it") from None
    except CutError as error:
        raise _unreadable(path, f"is damaged gzip ({error})", "get it again") from None
    except OSError as error:
        raise _unreadable(
            path, f"cannot be read: {error.strerror}", "look at its path and its rights"
        ) from None
    except ValueError:  # a NUL in the name
        raise _unreadable(path, "is not a path", "look at its spelling") from None
    if not body:
        raise _unreadable(path, "is empty", "give a file with papers in it")
    return body


def _unreadable(path: Path | str, what: str, hint: str) -> FetchError:
    return FetchError(f"{str(path)!r} {what}", url=str(path), hint=hint)


def _path_of(place: str) -> Path:
    if place[:5].lower() != "file:":
        path = Path(place)
    else:
        address = urlsplit(place)
        if address.netloc not in ("", "localhost"):
            raise _unreadable(place, "is a file of another machine", "write file:///path")
        path = Path(unquote(address.path))
    try:
        return path.expanduser()
    except RuntimeError:
        raise _unreadable(place, "names a home that is not known", "write the whole path") from None


def _inflated(file: BinaryIO, cap: int) -> bytes:
    body = Inflated("", cap)
    while piece := file.read(_PIECE):
        body.add(piece)
    return body.body()


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a pipe" if stat.S_ISFIFO(mode) else "a device or a socket"
