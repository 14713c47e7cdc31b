"""RIS, as reference managers and publishers export it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from digests.decoding import decode, head
from digests.feed import Part, Refused
from digests.formats._dates import iso
from digests.formats._people import flipped
from digests.formats._tagged import Record, records
from digests.paper import Entry

name = "ris"
order = 10

_TAGGED = re.compile(r"\s?([A-Z][A-Z0-9])\s{1,2}-(?: |$)(.*)")
_START = re.compile(r"^\s?TY\s{1,2}- ", re.MULTILINE)


def recognizes(url: str, body: bytes) -> bool:
    """Text with a line that begins a reference: "TY  - "."""
    start = head(body)
    return not start.lstrip().startswith(("{", "[", "<")) and bool(_START.search(start))


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The references, text between them left out."""
    for record in records(decode(body), _TAGGED, "TY", "ER"):
        entry = _entry(record)
        yield entry if entry.title or entry.abstract else Refused(f"line {record.line}", "has no title")


def _entry(record: Record) -> Entry:
    doi = record.first("DO", "M3")
    return Entry(
        title=record.first("TI", "T1", "CT", "BT"),
        abstract=record.first("AB", "N2"),
        authors=tuple(map(flipped, record.every("AU", "A1"))),
        links=tuple(link for link in record.every("UR") if link.startswith("http")),
        identifiers=(doi,) if "10." in doi else (),
        published=iso(record.first("PY", "Y1"))
        if len(record.first("PY", "Y1")) > 4
        else iso(record.first("DA", "PY", "Y1")),
        venue=record.first("JO", "JF", "T2", "JA"),
        categories=record.every("KW"),
    )
