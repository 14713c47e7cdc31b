"""PubMed's MEDLINE text, also called nbib."""

from __future__ import annotations

import re
from collections.abc import Iterator

from digests.decoding import decode, head
from digests.feed import Part, Refused
from digests.formats._dates import iso
from digests.formats._people import flipped
from digests.formats._tagged import Record, records
from digests.paper import Entry

name = "medline"
order = 10

_TAGGED = re.compile(r"([A-Z][A-Z0-9]{1,3})\s{0,2}- ?(.*)")
_START = re.compile(r"^PMID- ?\d", re.MULTILINE)


def recognizes(url: str, body: bytes) -> bool:
    """Text with a line that begins a citation: "PMID- "."""
    start = head(body)
    return not start.lstrip().startswith(("{", "[", "<")) and bool(_START.search(start))


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The citations."""
    for record in records(decode(body), _TAGGED, "PMID"):
        entry = _entry(record)
        yield entry if entry.title or entry.abstract else Refused(f"line {record.line}", "has no title")


def _entry(record: Record) -> Entry:
    pmid = record.first("PMID")
    dois = (
        name.removesuffix("[doi]").strip() for name in record.every("AID", "LID") if name.endswith("[doi]")
    )
    return Entry(
        title=record.first("TI", "BTI"),
        abstract=record.first("AB"),
        authors=(*map(flipped, record.every("FAU", "AU")), *record.every("CN")),
        links=(f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/",),
        identifiers=(f"pmid:{pmid}", *(f"doi:{doi}" for doi in dois), *record.every("PMC")),
        published=iso(record.first("DP")),
        venue=record.first("JT", "TA"),
        categories=record.every("OT"),
    )
