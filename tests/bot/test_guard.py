"""What holds for addresses: only public ones are asked, however they are spelt."""

from __future__ import annotations

import socket
from ipaddress import ip_address

import pytest

from bot.fetch import HttpFetcher
from bot.guard import Guard, is_public
from bot.turns import Turns
from digests.errors import InputError
from tests.bot.fetching import FEED, NO_PAUSE, Names, failure, patient
from tests.servers.web import Site

REFUSED = [
    "http://127.0.0.1/",
    "http://127.8.9.10/",
    "http://127.1/",
    "http://127.0.0.1./",
    "http://127.0.0.01/",
    "http://0177.0.0.1/",
    "http://0x7f.1/",
    "http://0x7f000001/",
    "http://2130706433/",
    "http://017700000001/",
    "http://１２７.0.0.1/",
    "http://127。0。0。1/",
    "http://①②⑦.0.0.1/",
    "http://%31%32%37.0.0.1/",
    "http://0/",
    "http://0.0.0.0/",
    "http://10.1.2.3/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://192.168.1.1/",
    "http://100.64.0.1/",
    "http://100.127.255.254/",
    "http://169.254.169.254/",
    "http://192.0.0.8/",
    "http://192.0.2.1/",
    "http://192.88.99.1/",
    "http://198.18.0.1/",
    "http://198.51.100.7/",
    "http://203.0.113.7/",
    "http://224.0.0.1/",
    "http://239.255.255.250/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    "http://[::]/",
    "http://[::1]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[::127.0.0.1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:a9fe:a9fe]/",
    "http://[::ffff:8.8.8.8]/",
    "http://[::ffff:0:127.0.0.1]/",
    "http://[64:ff9b::127.0.0.1]/",
    "http://[64:ff9b::a00:1]/",
    "http://[64:ff9b::8.8.8.8]/",
    "http://[64:ff9b:1::1]/",
    "http://[100::1]/",
    "http://[2001::1]/",
    "http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
    "http://[2001:db8::1]/",
    "http://[2002:7f00:1::]/",
    "http://[2002:c0a8:101::1]/",
    "http://[3fff::1]/",
    "http://[fc00::1]/",
    "http://[fd12:3456::1]/",
    "http://[fe80::1]/",
    "http://[fe80::1%25eth0]/",
    "http://[fec0::1]/",
    "http://[ff02::1]/",
    "ftp://example.org/",
    "file:///etc/passwd",
    "/etc/passwd",
    "example.org/feed",
    "//example.org/feed",
    "data:text/plain,x",
    "javascript:alert(1)",
    "http://",
    "http:///feed",
    "http://:80/",
    "",
    "http://me@example.org/",
    "http://me:pw@example.org/",
    "http://example.org@127.0.0.1/",
    "http://127.0.0.1\\@example.org/",
    "http://example.org/a b",
    "http://example.org/\r\nX: 1",
    "http://exam\x00ple.org/",
    " http://example.org/",
    "http://example.org/\u2028",
    "http://example.org:22/",
    "http://example.org:0/",
    "http://example.org:99999/",
    "http://example.org:x/",
    "http://[::1/",
    "http://[v1.x]/",
    "http://example.org/" + "a" * 4000,
    "http://" + "a" * 300 + ".org/",
    "http://a..b/",
]


@pytest.mark.parametrize("url", REFUSED)
async def test_refuses_without_connecting(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No spelling of an address that is not public, and no odd address, opens a connection."""

    def connect(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", connect)
    names = Names(**{"127.0.0.1.": [["127.0.0.1"]]})
    names.names["%31%32%37.0.0.1"] = [["127.0.0.1"]]
    async with HttpFetcher(resolver=names, turns=Turns(NO_PAUSE)) as fetching:
        error = await failure(fetching, url)
    assert error.hint or "longer" in error.what
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("8.8.8.8", True),
        ("1.1.1.1", True),
        ("100.63.255.255", True),
        ("100.128.0.0", True),
        ("172.15.255.255", True),
        ("172.32.0.0", True),
        ("223.255.255.255", True),
        ("2606:4700::1111", True),
        ("2a00:1450::1", True),
        ("2001:200::1", True),
        ("2001:1ff::1", False),
        ("4000::1", False),
        ("2002:808:808::1", False),
    ],
)
def test_public_is_what_the_registries_leave(address: str, public: bool) -> None:
    """The edges of the special blocks are where the registries put them."""
    assert is_public(ip_address(address)) is public


@pytest.mark.parametrize(
    ("answers", "good"),
    [
        (["8.8.8.8"], ["8.8.8.8"]),
        (["64:ff9b::808:808"], ["64:ff9b::808:808"]),
        (["64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "8.8.8.8"], ["8.8.8.8"]),
        (["10.0.0.1", "8.8.8.8", "::1"], ["8.8.8.8"]),
    ],
)
async def test_hands_on_only_the_addresses_that_it_checked(answers: list[str], good: list[str]) -> None:
    """Of several answers the public ones are left; NAT64 is judged by the address inside."""
    found = await Guard((), Names(a_test=[answers])).resolve("a.test", 80)
    assert [result["host"] for result in found] == good


async def test_a_name_that_changes_its_address_gains_nothing(site: Site) -> None:
    """The address that was checked is the one that is connected to; the next connection checks anew."""
    names = Names(a_test=[["127.0.0.1"], ["127.0.0.2"]])
    url = site.answers(body=FEED, connection="close").replace("127.0.0.1", "a.test")
    async with patient(resolver=names) as fetching:
        assert (await fetching.fetch(url)).body == FEED
        assert names.asked == ["a.test"]
        error = await failure(fetching, url)
    assert "leads to 127.0.0.2, which is not a public address" in str(error)
    assert len(site.asked) == 1


async def test_a_name_of_this_machine_is_refused_by_its_address(site: Site) -> None:
    """The system's own look-up of localhost is checked like any other."""
    async with HttpFetcher() as fetching:
        assert "not a public address" in str(await failure(fetching, site.url(host="localhost")))
    assert not site.asked


@pytest.mark.parametrize("host", ["a..b", "a" * 300 + ".org"])
async def test_a_name_that_cannot_be_looked_up_is_an_error(host: str) -> None:
    """The system's own look-up refuses it without asking the network."""
    async with HttpFetcher() as fetching:
        assert "names no host" in str(await failure(fetching, f"http://{host}/"))


@pytest.mark.parametrize("allow", ["a.test", "A.Test.", "127.0.0.0/8", "127.0.0.1", " 127.0.0.1/8 "])
async def test_an_admin_can_allow_hosts_and_networks(allow: str, site: Site) -> None:
    """By name, by address or by network; and that name or network only."""
    names = Names(a_test=[["127.0.0.1"]], b_test=[["10.0.0.1"]])
    url = site.answers(body=FEED).replace("127.0.0.1", "a.test")
    async with patient(allow=(allow,), resolver=names) as fetching:
        assert (await fetching.fetch(url)).body == FEED
        assert "not a public address" in str(await failure(fetching, "http://b.test/"))


@pytest.mark.parametrize("entry", ["", "10.0.0.0/33", "http://a.test", "a b/", "a.test:80"])
def test_what_cannot_be_allowed_is_named(entry: str) -> None:
    """A slip in the setting is an error, not a hole."""
    with pytest.raises(InputError, match="neither a host name nor a network"):
        Guard((entry,))
