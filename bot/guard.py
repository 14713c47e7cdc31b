"""The guard: which addresses may be asked.

It is the resolver, so what it checked is what is connected to.
"""

from __future__ import annotations

import socket
from collections.abc import Collection
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from bot.faults import failed
from digests.errors import InputError

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
            raise failed(url, "is not an http or https address", hint="give an address that a browser opens")
        if url.raw_user is not None or url.raw_password is not None:
            raise failed(
                url,
                "holds a user name or a password, which is never sent",
                hint="give it without the part before @",
            )
        if not host or "%" in host:
            raise failed(url, "names no host", hint="write it like https://example.org/feed.xml")
        self._check_literal(url, host)
        # Ports below 1024 belong to other protocols: nobody shall make this program talk to mail servers.
        if url.port not in (80, 443) and (url.port or 0) < 1024 and not self._names(host):
            raise failed(url, f"asks for port {url.port}", hint="80, 443 and those from 1024 on are allowed")

    def _check_literal(self, url: URL, host: str) -> None:
        """aiohttp connects to what looks like an IP address without asking the resolver."""
        try:
            address: Address = ip_address(host)
        except ValueError:
            if _is_odd_literal(host):
                raise failed(
                    url, "spells an IP address in an odd way", hint="write it as 192.0.2.1"
                ) from None
            return
        # Behind DNS64 it is the look-up that gives NAT64's addresses; nobody writes one, but to get round us.
        if address in _NAT64 or not self._admits(host, address):
            raise failed(url, f"is at {address}, which is not a public address", hint=ALLOW_HINT)

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


ALLOW_HINT = "a host or network of your own is allowed with PAPERROUND_ALLOW=feeds.lab.example,10.0.0.0/8"


def _is_odd_literal(host: str) -> bool:
    """Whether some part of the system would take `host` for an IP address: 0x7f.1, 2130706433, 127.0.0.1."""
    if ":" in host or host.replace(".", "").isdigit():
        return True
    try:
        socket.inet_aton(host.rstrip("."))
    except OSError:
        return False
    return True
