"""Dates as sources write them to ISO dates as exact as the source is."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_FORMS = (
    re.compile(r"^(?P<y>\d{4})(?P<m>\d{2})(?P<d>\d{2})(?=T|$)", re.I),
    re.compile(
        r"^(?P<y>\d{4})(?:[-/.](?P<m>\d{1,2})(?:[-/.](?P<d>\d{1,2}))?)?(?=[-/.T\s]|$)(?!\s+[a-z])", re.I
    ),
    re.compile(rf"\b(?P<d>\d{{1,2}})[\s-]+(?P<m>{_MONTH})[\s,-]+(?P<y>\d{{4}}|\d{{2}})\b", re.I),
    re.compile(rf"^(?P<y>\d{{4}})[\s/-]+(?P<m>{_MONTH})(?:[\s/-]+(?P<d>\d{{1,2}})\b)?", re.I),
    re.compile(rf"\b(?P<m>{_MONTH})\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y>\d{{4}})\b", re.I),
    re.compile(rf"\b(?P<m>{_MONTH})[\s,/-]+(?P<y>\d{{4}})\b", re.I),
    re.compile(r"^(?P<y>\d{4})\s+[a-z]", re.I),
)
_STAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T")
_UNIX = re.compile(r"(\d{10})(?:\d{3})?(?:\.\d+)?")


def iso(text: str) -> str:
    """The date in `text`, in the source's own zone; "" if there is none or no calendar has it.

    "Tue, 04 Mar 2025 00:00:00 GMT" → "2025-03-04"; "2018 Apr" → "2018-04"; "2024-02-30" → ""
    """
    text = text.strip()[:60]
    if _STAMP.match(text):  # the usual form
        return parts_to_iso(text[:4], text[5:7], text[8:10])
    if unix := _UNIX.fullmatch(text):
        return datetime.fromtimestamp(int(unix[1]), UTC).date().isoformat()
    for form in _FORMS:
        if found := form.search(text):
            parts = found.groupdict()
            return parts_to_iso(parts["y"], parts.get("m") or "", parts.get("d") or "")
    return ""


def parts_to_iso(year: str, month: str = "", day: str = "") -> str:
    """The ISO date of a year, a month (number or English name) and a day, as far as they are given."""
    y, m, d = _number(year), _month(month), _number(day)
    if len(year.strip()) == 2:
        y += 1900 if y > 68 else 2000
    if not 1400 <= y <= 2999:
        return ""
    try:
        date(y, m or 1, d or 1)
    except ValueError:
        return ""
    if not m:
        return f"{y:04}"
    return f"{y:04}-{m:02}-{d:02}" if d else f"{y:04}-{m:02}"


def _month(text: str) -> int:
    name = text.strip().lower()[:3]
    return _MONTHS.index(name) + 1 if name in _MONTHS else _number(text)


def _number(text: str) -> int:
    found = re.match(r"\s*(\d{1,4})", text, re.ASCII)
    return int(found[1]) if found else 0
