"""Fetches documents over HTTP, politely and only from public addresses."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from importlib.metadata import version
from typing import Self

import aiohttp
from aiohttp.abc import AbstractResolver
from yarl import URL

from bot.faults import failed
from bot.guard import ALLOW_HINT, Guard, NotPublicError
from bot.inflated import CutError, Inflated, TooLargeError
from bot.turns import Turns
from digests.errors import FetchError
from digests.feed import Fetched

BODY_CAP = 20_000_000
URL_CAP = 4_000
LONGEST_PAUSE = timedelta(days=1)
"""Neither Retry-After nor Cache-Control can silence a feed for longer."""

_REDIRECTS = {301, 302, 303, 307, 308}
_PERMANENT = {301, 308}
_ACCEPT = (
    "application/atom+xml, application/rss+xml, application/xml;q=0.9, application/json;q=0.9, */*;q=0.5"
)
_BLANK = re.compile(r"[\s\x00-\x20\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one document may cost: bytes (as sent, and inflated), redirects, and seconds on each stage.

    `connect` covers look-up, TCP and TLS, `answer` all until the headers are there, `silence` the time
    between two bytes, `total` all of it over all redirects; waiting for a turn does not count.
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
    seconds: float


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
        target, permanent, left = self._checked(url), True, self._limits.total
        for hop in range(self._limits.redirects + 1):
            answer = await self._ask(target, headers, left)
            if isinstance(answer, Fetched):
                return replace(answer, moved_to=str(target)) if hop and permanent else answer
            target, permanent = answer.to, permanent and answer.permanent
            left = max(0.0, left - answer.seconds)
        raise failed(url, f"redirects more than {self._limits.redirects} times", hint="open it in a browser")

    def _checked(self, text: str, base: URL | None = None) -> URL:
        if len(text) > URL_CAP:
            raise failed(text, f"is longer than the {URL_CAP} characters that an address may have")
        if _BLANK.search(text):
            raise failed(text, "holds a space or a control character", hint="write a space as %20")
        try:
            url = URL(text)
            url = (base.join(url) if base and not url.scheme else url).with_fragment(None)
        except ValueError:
            raise failed(
                text, "is not an address", hint="write it like https://example.org/feed.xml"
            ) from None
        self._guard.check(url)
        return url

    async def _ask(self, url: URL, headers: Mapping[str, str], left: float) -> Fetched | _Moved:
        limits = self._limits
        async with self._turns.turn(url):
            begun = asyncio.get_running_loop().time()
            with _translated(url, limits):
                async with asyncio.timeout(left), await self._open(url, headers) as response:
                    if response.status in _REDIRECTS:
                        seconds = asyncio.get_running_loop().time() - begun
                        return _Moved(*self._moved(url, response), seconds)
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
            raise failed(url, f"sent no answer within {self._limits.answer:g} s", hint=_LATER) from None

    def _moved(self, url: URL, response: aiohttp.ClientResponse) -> tuple[URL, bool]:
        """Where an answer leads, and whether for good."""
        location = response.headers.get("Location", "").strip()
        if not location:
            raise failed(url, f"answered {response.status} without saying where to", status=response.status)
        try:
            target = self._checked(location, url)
        except FetchError as error:
            raise failed(
                url, f"redirects, but {error.what}", status=response.status, hint="open it in a browser"
            ) from error
        return target, response.status in _PERMANENT

    def _refused(self, url: URL, response: aiohttp.ClientResponse) -> FetchError:
        status, pause = response.status, _retry_after(response.headers)
        if pause and status in (429, 503):
            self._turns.rest(url, pause)
        what = f"answered {status} {_reason(response)}".rstrip()
        return failed(url, what, status=status, retry_after=pause, hint=_status_hint(status))


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
        raise failed(url, f"leads to {error}, which is not a public address", hint=ALLOW_HINT) from None
    except TooLargeError:
        raise failed(
            url,
            f"is larger than {limits.body:,} bytes, the most that is read of one answer",
            hint="ask it for fewer papers, or download it and add it as files",
        ) from None
    except CutError as error:
        raise failed(url, f"sent a damaged body ({error})", hint=_LATER) from None
    except aiohttp.ConnectionTimeoutError:
        raise failed(url, f"took no connection within {limits.connect:g} s", hint=_LATER) from None
    except aiohttp.ServerTimeoutError:
        raise failed(url, f"was silent for {limits.silence:g} s", hint=_LATER) from None
    except TimeoutError:
        raise failed(url, f"was not complete after {limits.total:g} s", hint=_LATER) from None
    except aiohttp.ClientError as error:
        what, hint = _client_error(error)
        raise failed(url, what, hint=hint) from None
    except UnicodeError:
        raise failed(url, "names no host", hint="look at its spelling") from None


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
