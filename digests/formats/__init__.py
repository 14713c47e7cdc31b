"""The formats that feeds come in: one module each, found by listing this folder.

A format is a module with `name`, `order`, `recognizes(url, body)` and `parse(body, url)`; a module whose name
begins with "_" is a helper.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from functools import cache
from typing import NoReturn, Protocol, cast

from digests import decoding
from digests.errors import InputError, ParseError
from digests.feed import Part

MOST_ITEMS = 200_000
"""So many items of a document are read: more than any list of papers has, and soon done if they are empty."""


class Format(Protocol):
    """What a format's module gives.

    `order` says which format is asked first, the most specific with the lowest number.
    `parse` yields the parts one by one: a bad item is `Refused` and costs no other; nothing but ParseError.
    """

    name: str
    order: int

    def recognizes(self, url: str, body: bytes) -> bool:
        """Whether the document is of this format, by its content; the address only breaks ties."""

    def parse(self, body: bytes, url: str) -> Iterator[Part]:
        """The parts of the document, in its order."""


@cache
def formats() -> dict[str, Format]:
    """Every format by its name, in the order in which they are asked."""
    modules = (module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    found = [cast(Format, importlib.import_module(f"{__name__}.{module}")) for module in modules]
    return {format.name: format for format in sorted(found, key=lambda format: (format.order, format.name))}


def choose(format: str, url: str, body: bytes) -> Format:
    """The format of that name, or where `format` is "" the one that recognises the document.

    InputError for an unknown name, ParseError where the document is none: it says what it is instead.
    """
    if format and format not in formats():
        raise InputError(f"unknown format {format!r}", hint=f"known formats: {', '.join(formats())}")
    _refuse_file(body)
    found = formats()[format] if format else _recognized(url, body)
    if (found is None or found.name in _MADE_OF_TEXT) and _is_binary(body):
        _refuse_as("binary data")
    if found:
        return found
    _refuse_page(body)
    raise ParseError(
        "the document is of no known format",
        format="",
        hint=f"name it with --format, one of: {', '.join(formats())}",
    )


def read(body: bytes, url: str = "", format: str = "") -> Iterator[Part]:
    """The parts of a document of any format; `choose`'s errors come at once, ParseError also on the way."""
    return choose(format, url, body).parse(body, url)


_MADE_OF_TEXT = ("csv", "plain-text")
"""Formats that binary data may look like; XML that is full of NULs is still XML."""

_BLANK = b"\x00 \t\r\n\xef\xbb\xbf"
_BINARY = (
    (b"%PDF-", "a PDF"),
    (b"PK\x03\x04", "a ZIP archive or an office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a zstd archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"SQLite format 3\x00", "an SQLite database"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"PAR1", "a Parquet file"),
    (b"\xd0\xcf\x11\xe0", "an old office document"),
)
_PAGE = re.compile(
    r"^\s*(?:(?><!--.*?-->)\s*|<\?xml[^>]*>\s*)*<(?:!DOCTYPE\s+html|html|head|body)\b", re.I | re.DOTALL
)
_CHALLENGE = re.compile(
    r"captcha|just a moment|challenge-platform|cf-chl|enable javascript and cookies|validate user"
    r"|are you a human|verify(?:ing)? (?:that )?you are|access denied|bot protection|ddos|unusual traffic"
    r"|incapsula|request blocked",
    re.IGNORECASE,
)
_ALTERNATE = re.compile(
    r"<link\b[^<>]*type=[\"']application/(?:rss|atom|feed)\+(?:xml|json)[\"'][^<>]*>", re.I
)
_HREF = re.compile(r"href=[\"']([^\"'<>\s]{1,500})[\"']", re.IGNORECASE)


def _recognized(url: str, body: bytes) -> Format | None:
    return next((known for known in formats().values() if known.recognizes(url, body)), None)


def _refuse_file(body: bytes) -> None:
    if not body[:4000].strip(_BLANK) and not body.strip(_BLANK):
        raise ParseError("the document is empty", format="", hint="see whether the address is still right")
    if kind := next((kind for start, kind in _BINARY if body.startswith(start)), ""):
        _refuse_as(kind)


def _refuse_as(kind: str) -> NoReturn:
    raise ParseError(
        f"the document is {kind}, not a feed or a list", format="", hint="give text, XML or JSON"
    )


def _is_binary(body: bytes) -> bool:
    """Whether control characters are left in the text, more than slips of the pen."""
    start = body[:4000]
    if body[:4] in (b"\xff\xfe\x00\x00", b"\x00\x00\xfe\xff") or decoding.is_wide(start):
        return False
    return sum(c < 32 and c not in b"\t\n\r\x0b\x0c\x1b" for c in start) * 20 > len(start)


def _refuse_page(body: bytes) -> None:
    start = decoding.head(body)
    if re.match(r"\s*(?:<[?!][^>]*>\s*)*<opml\b", start, re.IGNORECASE):
        raise ParseError(
            "an OPML list of feeds, not of papers", format="", hint="add the feeds that it lists"
        )
    if not _PAGE.match(start):
        return
    if _CHALLENGE.search(start):
        raise ParseError(
            "a web page instead of a feed (bot protection?)",
            format="",
            hint="open the address in a browser, or ask the publisher for an open feed",
        )
    link = _ALTERNATE.search(start)
    place = _HREF.search(link[0]) if link else None
    hint = f"its feed may be at {place[1]!r}" if place else "look on the page for the address of its feed"
    raise ParseError("a web page instead of a feed", format="", hint=hint)
