"""What holds for documents that come over HTTP."""

from __future__ import annotations

import asyncio
import gzip
import shutil
import socket
import ssl
import subprocess
import tracemalloc
import zlib
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from functools import partial
from pathlib import Path

import brotli
import pytest
from aiohttp import web
from aiohttp.abc import ResolveResult

from bot.faults import redacted
from bot.fetch import HttpFetcher, user_agent
from bot.inflated import Inflated, TooLargeError
from tests.bot.fetching import FEED, LOCAL, Names, dripping, failure, patient
from tests.servers.web import Site, gzip_bomb, serve_bytes

# ---- a good document


async def test_gives_the_document_with_all_that_the_server_said(site: Site, fetcher: HttpFetcher) -> None:
    """Body, type, validators and freshness come as they were sent."""
    url = site.answers(
        body=FEED,
        content_type="application/rss+xml; charset=latin-1",
        etag='"v1"',
        last_modified="Mon, 01 Jun 2026 08:00:00 GMT",
        cache_control="public, max-age=600",
        age="100",
    )
    found = await fetcher.fetch(url)
    assert (found.url, found.body, found.status, found.not_modified, found.moved_to) == (
        url,
        FEED,
        200,
        False,
        "",
    )
    assert found.content_type == "application/rss+xml; charset=latin-1"
    assert (found.etag, found.last_modified) == ('"v1"', "Mon, 01 Jun 2026 08:00:00 GMT")
    assert found.fresh_for == timedelta(seconds=500)


@pytest.mark.parametrize(
    ("headers", "fresh"),
    [
        ({}, 0),
        ({"cache_control": "max-age=60"}, 60),
        ({"cache_control": "no-cache, max-age=60"}, 0),
        ({"cache_control": "no-store"}, 0),
        ({"cache_control": "max-age=99999999"}, 86400),
        ({"cache_control": "max-age=-5"}, 0),
        ({"cache_control": "max-age=60", "age": "90"}, 0),
        ({"cache_control": "max-age=60", "expires": "Mon, 01 Jun 2026 08:10:00 GMT"}, 60),
        ({"date": "Mon, 01 Jun 2026 08:00:00 GMT", "expires": "Mon, 01 Jun 2026 08:10:00 GMT"}, 600),
        ({"date": "Mon, 01 Jun 2026 08:00:00 GMT", "expires": "Mon, 01 Jun 2020 08:10:00 GMT"}, 0),
        ({"expires": "0"}, 0),
        ({"expires": "Mon, 99 Foo 2026 08:10:00 GMT"}, 0),
    ],
)
async def test_freshness_is_what_the_server_says_within_a_day(
    headers: dict[str, str], fresh: int, site: Site, fetcher: HttpFetcher
) -> None:
    """Cache-Control goes before Expires, Age is taken off, and a day is the most."""
    found = await fetcher.fetch(site.answers("/feed", 200, FEED, **headers))
    assert found.fresh_for == timedelta(seconds=fresh)


async def test_asks_with_the_validators_and_understands_304(site: Site, fetcher: HttpFetcher) -> None:
    """A server that knows the ETag sends no body, and the validators are kept."""

    async def handle(request: web.Request) -> web.Response:
        same = (
            request.headers.get("If-None-Match") == '"v1"'
            and request.headers.get("If-Modified-Since") == "then"
        )
        return web.Response(status=304) if same else web.Response(body=FEED, headers={"ETag": '"v1"'})

    url = site.runs("/feed", handle)
    assert (await fetcher.fetch(url)).body == FEED
    again = await fetcher.fetch(url, etag='"v1"', last_modified="then")
    assert (again.not_modified, again.body, again.etag, again.last_modified) == (True, b"", '"v1"', "then")


async def test_304_to_a_plain_question_is_an_error(site: Site, fetcher: HttpFetcher) -> None:
    """Nothing was asked conditionally, so there is no document that could be unmodified."""
    assert (await failure(fetcher, site.answers(status=304))).status == 304


async def test_says_who_it_is(site: Site) -> None:
    """The User-Agent names the program, its version and the admin's contact, on one line."""
    async with HttpFetcher(contact="mailto:me@lab.org\r\nX-Evil: 1", allow=LOCAL) as fetching:
        await fetching.fetch(site.answers(body=FEED))
    sent = site.asked[0].headers
    assert sent["User-Agent"] == user_agent("mailto:me@lab.orgX-Evil: 1")
    assert sent["User-Agent"].startswith("Paperround/")
    assert "X-Evil" not in sent


async def test_keeps_no_cookies(site: Site, fetcher: HttpFetcher) -> None:
    """What a site wants remembered is not sent back to it."""
    url = site.answers(body=FEED, set_cookie="id=7; Path=/")
    await fetcher.fetch(url)
    await fetcher.fetch(url)
    assert "Cookie" not in site.asked[1].headers


# ---- bodies

RAW = zlib.compressobj(wbits=-15)
ENCODED = {
    "gzip": gzip.compress(FEED, mtime=0),
    "x-gzip": gzip.compress(FEED, mtime=0),
    "deflate": zlib.compress(FEED),
    "Deflate": RAW.compress(FEED) + RAW.flush(),
    "br": brotli.compress(FEED),
    "identity": FEED,
}


@pytest.mark.parametrize("encoding", ENCODED)
async def test_inflates_what_it_asks_for(encoding: str, site: Site, fetcher: HttpFetcher) -> None:
    """gzip, Brotli and both kinds of deflate come out as the document."""
    url = site.answers(body=ENCODED[encoding], content_encoding=encoding)
    assert (await fetcher.fetch(url)).body == FEED


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", FEED),
        ("", gzip.compress(FEED, mtime=0)),
        ("gzip", gzip.compress(FEED[:20], mtime=0) + gzip.compress(FEED[20:], mtime=0)),
        ("gzip", gzip.compress(FEED, mtime=0) + b"\0\0\0"),
        ("gzip", gzip.compress(FEED, mtime=0) + b"rubbish"),
    ],
    ids=["text sent as gzip", "gzip unnamed", "two members", "padded", "with rubbish"],
)
async def test_bears_with_servers_that_compress_oddly(
    encoding: str, body: bytes, site: Site, fetcher: HttpFetcher
) -> None:
    """What a browser would show is read."""
    url = site.answers(body=body, content_encoding=encoding) if encoding else site.answers(body=body)
    assert (await fetcher.fetch(url)).body == FEED


@pytest.mark.parametrize("step", [1, 2, 7, 1000])
@pytest.mark.parametrize("encoding", ENCODED)
def test_inflating_does_not_depend_on_the_pieces(encoding: str, step: int) -> None:
    """One byte at a time or all at once: the same body."""
    body = Inflated(encoding.lower(), 1000)
    for start in range(0, len(ENCODED[encoding]), step):
        body.add(ENCODED[encoding][start : start + step])
    assert body.body() == FEED


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br"])
async def test_a_cut_or_spoilt_compression_is_an_error(
    encoding: str, site: Site, fetcher: HttpFetcher
) -> None:
    """Half a document is never taken for a whole one."""
    whole = ENCODED[encoding]
    cut = await failure(fetcher, site.answers("/cut", body=whole[:-6], content_encoding=encoding))
    assert "damaged body" in str(cut)
    spoilt = site.answers("/spoilt", body=whole[:3] + bytes(9) + b"\xff" * 9, content_encoding=encoding)
    assert "damaged body" in str(await failure(fetcher, spoilt))


async def test_an_encoding_that_was_not_asked_for_is_an_error(site: Site, fetcher: HttpFetcher) -> None:
    """It is named, rather than handed to a parser as rubbish."""
    assert "'zstd'" in str(await failure(fetcher, site.answers(body=FEED, content_encoding="zstd")))


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br"])
async def test_a_bomb_costs_at_most_the_cap(encoding: str, site: Site) -> None:
    """10 GB of zeros in 10 MB of gzip, and their like, end after a few pieces, in the memory of the cap."""
    bomb = gzip_bomb(10_000_000_000) if encoding == "gzip" else BOMBERS[encoding](bytes(100_000_000))
    url = site.answers(body=bomb, content_encoding=encoding)
    async with patient(body=20_000_000) as fetching:
        tracemalloc.start()
        error = await failure(fetching, url)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert "larger than 20,000,000 bytes, the most that is read of one answer" in str(error)
    assert peak < 50_000_000


BOMBERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": partial(brotli.compress, quality=1),
}


@pytest.mark.parametrize("encoding", BOMBERS)
def test_each_bomb_stops_while_it_inflates(encoding: str) -> None:
    """A small piece that inflates to much is not inflated whole first."""
    bomb = BOMBERS[encoding](bytes(60_000_000))
    body = Inflated(encoding, 1_000_000)
    tracemalloc.start()
    with pytest.raises(TooLargeError):
        body.add(bomb)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 6_000_000


async def test_an_endless_body_ends_at_the_cap(site: Site) -> None:
    """A body without a length is read up to the cap only."""
    sent = 0

    async def zeros() -> AsyncIterator[bytes]:
        nonlocal sent
        while True:
            sent += 10_000
            yield b" " * 10_000

    async with patient(body=100_000) as fetching:
        assert "larger than" in str(await failure(fetching, site.drips("/feed", zeros())))
    assert sent < 20_000_000


async def test_a_length_over_the_cap_is_refused_unread(site: Site) -> None:
    """What says that it is too large is believed."""
    async with patient(body=100) as fetching:
        assert "larger than 100 bytes" in str(await failure(fetching, site.answers(body=bytes(101))))
        assert len((await fetching.fetch(site.answers(body=b"x" * 100))).body) == 100


async def test_a_body_shorter_than_its_length_is_an_error(fetcher: HttpFetcher) -> None:
    """A connection that breaks in the middle gives no half document."""
    async with serve_bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + FEED) as url:
        assert "broke off" in str(await failure(fetcher, url))
    async with serve_bytes(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<rss>\r\n") as url:
        assert "broke off" in str(await failure(fetcher, url))


async def test_a_body_longer_than_its_length_is_an_error(fetcher: HttpFetcher) -> None:
    """What follows the promised length is taken neither for the document nor for the next answer."""
    lying = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n" + FEED + b"HTTP/1.1 200 OK\r\n\r\nevil"
    async with serve_bytes(lying) as url:
        assert "does not answer as HTTP should" in str(await failure(fetcher, url))


@pytest.mark.parametrize(
    "answer",
    [
        b"",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 99_999,
    ],
)
async def test_what_is_not_http_is_an_error(answer: bytes, fetcher: HttpFetcher) -> None:
    """A server that hangs up, speaks another protocol or sends impossible headers is named."""
    async with serve_bytes(answer) as url:
        assert repr(url) in str(await failure(fetcher, url))


# ---- time-outs


async def test_a_silent_server_is_left(fetcher: HttpFetcher) -> None:
    """No byte for as long as `silence` ends it, before and within the body."""
    async with patient(silence=0.2) as fetching:
        async with serve_bytes(b"", close=False) as url:
            assert "was silent for 0.2 s" in str(await failure(fetching, url))
        async with serve_bytes(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n<", close=False) as url:
            assert "was silent for 0.2 s" in str(await failure(fetching, url))


async def test_a_body_of_a_byte_now_and_then_ends(site: Site) -> None:
    """A server that is never silent for long still has only `total`."""
    async with patient(silence=5, total=0.3) as fetching:
        assert "was not complete after 0.3 s" in str(await failure(fetching, site.drips("/feed", dripping())))


async def test_redirects_have_no_more_time_than_one_document(site: Site) -> None:
    """Five hops of a slow server are not five times as long."""

    async def slowly(request: web.Request) -> web.StreamResponse:
        await asyncio.sleep(0.2)
        return web.Response(status=302, headers={"Location": f"/{int(request.path[1:]) + 1}"})

    for hop in range(6):
        site.runs(f"/{hop}", slowly)
    async with patient(total=0.5) as fetching:
        assert "was not complete after 0.5 s" in str(await failure(fetching, site.url("/0")))
    assert len(site.asked) == 3


async def test_headers_of_a_byte_now_and_then_end() -> None:
    """The same holds for headers, with `answer`."""

    async def handle(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nX: ")
        while not writer.is_closing():
            writer.write(b"x")
            await asyncio.sleep(0.02)

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server, patient(answer=0.3) as fetching:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        assert "sent no answer within 0.3 s" in str(await failure(fetching, url))


async def test_a_tls_handshake_that_never_ends_is_left() -> None:
    """Connecting includes TLS."""
    async with serve_bytes(b"", close=False) as url, patient(connect=0.3) as fetching:
        assert "took no connection within 0.3 s" in str(
            await failure(fetching, url.replace("http:", "https:"))
        )


async def test_a_look_up_that_never_ends_is_left() -> None:
    """Connecting includes the look-up of the name."""

    class Never(Names):
        async def resolve(self, *_: object, **__: object) -> list[ResolveResult]:
            await asyncio.sleep(60)
            return []

    async with patient(connect=0.3, resolver=Never()) as fetching:
        assert "took no connection" in str(await failure(fetching, "http://a.test/"))


@pytest.fixture
def own_certificate(tmp_path: Path) -> ssl.SSLContext:
    """TLS with a certificate for 127.0.0.1 that nobody else has signed."""
    if not shutil.which("openssl"):
        pytest.skip("no openssl to make a certificate with")
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1",
         "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2", "-keyout", key, "-out", cert],
        check=True, capture_output=True,
    )  # fmt: skip
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    return context


async def test_tls_is_always_verified(own_certificate: ssl.SSLContext) -> None:
    """A certificate that nobody signed is refused, also of an allowed host."""
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0, ssl=own_certificate)
    async with server, patient() as fetching:
        url = f"https://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        assert "certificate that is not valid: self" in str(await failure(fetching, url))


# ---- redirects


@pytest.mark.parametrize(
    ("first", "second", "remembered"),
    [(301, 308, True), (308, 301, True), (301, 302, False), (302, 301, False), (307, 303, False)],
)
async def test_only_permanent_redirects_are_remembered(
    first: int, second: int, remembered: bool, site: Site, fetcher: HttpFetcher
) -> None:
    """`moved_to` is the last address if each hop was permanent, else nothing."""
    last = site.answers("/new", body=FEED)
    site.redirects("/middle", last, second)
    found = await fetcher.fetch(site.redirects("/old", "/middle#top", first))
    assert (found.url, found.body) == (last, FEED)
    assert found.moved_to == (last if remembered else "")


async def test_a_redirect_to_an_unmodified_document_is_304(site: Site, fetcher: HttpFetcher) -> None:
    """The validators go along with each hop."""
    site.answers("/new", status=304)
    found = await fetcher.fetch(site.redirects("/old", "/new", 301), etag='"v1"')
    assert (found.not_modified, found.moved_to) == (True, site.url("/new"))


async def test_endless_redirects_end(site: Site, fetcher: HttpFetcher) -> None:
    """After five hops it is an error that names the address which was asked for."""
    error = await failure(fetcher, site.redirects("/feed", "/feed"))
    assert "redirects more than 5 times" in str(error)
    assert len(site.asked) == 6


@pytest.mark.parametrize(
    "target",
    [
        "http://169.254.169.254/latest/meta-data/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/",
        "http://[64:ff9b::169.254.169.254]/",
        "http://[64:ff9b::8.8.8.8]/",
        "//10.0.0.1/x",
        "http://localhost/",
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
        "javascript:alert(1)",
        "http://me:secret-word@example.org/",
        "http://2130706433/",
        "http://",
        "http://[::1",
        "http://a b/",
        "http://example.org:25/",
        "",
    ],
)
async def test_each_redirect_is_checked_again(target: str, site: Site, fetcher: HttpFetcher) -> None:
    """An allowed site cannot send the fetcher on to where it may not go."""
    async with patient(resolver=Names(localhost=[["::1"]])) as fetching:
        error = await failure(fetching, site.redirects("/feed", target))
    assert "secret-word" not in str(error)
    assert len(site.asked) == 1


# ---- errors


@pytest.mark.parametrize(
    ("status", "hint"),
    [
        (404, "new address"),
        (410, "new address"),
        (403, "keeps programs out"),
        (500, "again"),
        (418, "browser"),
    ],
)
async def test_a_refusal_has_its_status_and_a_next_step(
    status: int, hint: str, site: Site, fetcher: HttpFetcher
) -> None:
    """The message names the address and the status, the hint what to do."""
    error = await failure(fetcher, site.answers(status=status, body=b"<html>challenge</html>"))
    assert (error.status, error.url, error.retry_after) == (status, site.url(), None)
    assert f"{site.url()!r} answered {status}" in error.what
    assert hint in error.hint


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry_after": "120"}, 120),
        ({"retry_after": "Mon, 01 Jun 2026 08:02:00 GMT", "date": "Mon, 01 Jun 2026 08:00:00 GMT"}, 120),
        ({"retry_after": "99999999"}, 86400),
        ({"retry_after": "soon"}, None),
        ({"retry_after": "-3"}, None),
        ({}, None),
    ],
)
async def test_retry_after_is_handed_on(
    status: int, headers: dict[str, str], seconds: int | None, site: Site, fetcher: HttpFetcher
) -> None:
    """Both forms, never more than a day, nothing where it makes no sense."""
    error = await failure(fetcher, site.answers("/feed", status, b"", **headers))
    assert error.retry_after == (None if seconds is None else timedelta(seconds=seconds))


async def test_a_date_to_retry_after_counts_from_now_where_the_server_has_no_clock(
    fetcher: HttpFetcher,
) -> None:
    """Without a Date header our own clock has to do."""
    later = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True).encode()
    async with serve_bytes(
        b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nRetry-After: " + later + b"\r\n\r\n"
    ) as url:
        error = await failure(fetcher, url)
    assert error.retry_after
    assert timedelta(minutes=50) < error.retry_after <= timedelta(hours=1)


async def test_messages_hold_no_secrets(site: Site, fetcher: HttpFetcher) -> None:
    """Keys and passwords of an address appear in no error, whatever went wrong."""
    asked = "/feed?api_key=TOPSECRET&access_token=TOPSECRET&q=x"
    site.answers("/feed", status=404)
    urls = [
        site.url(asked),
        f"http://me:TOPSECRET@127.0.0.1:{site.port}/",
        f"http://127.0.0.1:{free_port()}{asked}",
        f"http://10.0.0.1{asked}",
        f"http://nowhere.invalid{asked}",
        "http://me:TOPSECRET@[::1",
        f"http://127.0.0.1 {asked}",
    ]
    async with patient(resolver=Names(nowhere_invalid=[[]])) as fetching:
        errors = [await failure(fetching, url) for url in urls]
    assert not [error for error in errors if "TOPSECRET" in f"{error!r} {error} {error.url}"]
    assert "q=x" in errors[0].url


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def test_a_closed_port_and_an_unknown_name_are_told_apart(fetcher: HttpFetcher) -> None:
    """Each has its own words."""
    assert "takes no connection: " in str(await failure(fetcher, f"http://127.0.0.1:{free_port()}/"))
    async with patient(resolver=Names(a_test=[[]])) as fetching:
        assert "names a host that is not known" in str(await failure(fetching, "http://a.test/"))


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://me:pw@a.org/?api_key=1&q=x", "https://a.org/?api_key=***&q=x"),
        ("https://a.org/?keyword=x&author=y", "https://a.org/?keyword=x&author=y"),
        ("https://a.org/?TOKEN=1;sig=2#access_token=3", "https://a.org/?TOKEN=***;sig=***#access_token=***"),
        ("me:pw@a.org", "a.org"),
        ("https://a.org/@me/feed", "https://a.org/@me/feed"),
        ("https://a.org/" + "a" * 400, "https://a.org/" + "a" * 285 + "…"),
    ],
)
def test_redacted_leaves_what_identifies(url: str, shown: str) -> None:
    """Secrets go, the rest stays readable."""
    assert redacted(url) == shown
