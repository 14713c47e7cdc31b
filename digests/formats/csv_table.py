"""CSV and TSV: a table with a paper a row, whatever its columns are called."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from itertools import islice

from digests.decoding import decode, head
from digests.errors import InputError, ParseError
from digests.feed import Part, Refused
from digests.formats import _fields
from digests.paper import Entry
from digests.text import clip

name = "csv"
order = 40

_LINE = re.compile(r"[^\r\n]*+(?:\r\n|\n|\r)|[^\r\n]++")
_GAP = re.compile(r"[\r\n]{1000,}")
_DELIMITERS = (",", "\t", ";", "|")
_TALLEST = 1_000
"""No row has so many lines: a quote in it was not closed."""

_MENDED = 100
"""So many rows with a quote that is not closed are read again before the table is given up."""


def recognizes(url: str, body: bytes) -> bool:
    """A first row that names a title or an abstract, or rows of equal length under headings, one known."""
    start = head(body)
    lines = _beginning(_text(start))
    if not lines or lines[0].lstrip()[:1] in ("{", "[", "<"):
        return False
    delimiter, headings = _header(lines)
    if len(headings) < 2:
        return _is_named_table(url) and _fields.is_paper(frozenset(headings))
    if _fields.is_paper(frozenset(headings)):
        return True
    rows = [row for row in islice(_csv(lines, delimiter), 20) if row]
    is_heading = all(len(heading) <= 40 for heading in headings)
    is_known = _is_named_table(url) or any(_fields.key(heading) in _fields.KNOWN for heading in headings)
    return (
        is_heading
        and is_known
        and len(rows) > 1
        and len({len(row) for row in rows[:-1]}) == 1
        and len(rows[0]) == len(rows[1])
    )


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The papers row by row; ParseError if no column is a title or an abstract."""
    text = _text(decode(body))
    delimiter, headings = _header(_beginning(text))
    if not _fields.is_paper(frozenset(headings)):
        columns = clip(", ".join(map(repr, headings[:20])), 300)
        raise ParseError(
            f"no column is a title or an abstract; the columns are {columns}",
            format=name,
            where="line 1",
            hint="call one 'title' or 'abstract'; also known: authors, url, doi, arxiv, date, year",
        )
    year = _fields.year_in(url)
    for number, row, line in _rows(text, delimiter, len(headings)):
        where = f"line {number}"
        cells = _fitted(row, headings, delimiter, line)
        if not row:
            yield Refused(where, "a quote is not closed")
        elif len(cells) > len(headings):
            what = f"has {len(cells)} cells where the header has {len(headings)}"
            yield Refused(where, f"{what}; quote the text that holds the delimiter")
        else:
            yield _part(dict(zip(headings, cells, strict=False)), where, year)


_TEXTS = ("title", "abstract", "authors", "keywords")


def _fitted(row: list[str], headings: list[str], delimiter: str, line: str) -> list[str]:
    """The cells without empty ones behind the last column, which takes what is left over if it is text."""
    width = len(headings)
    while len(row) > width and not row[-1].strip():
        row = row[:-1]
    if len(row) <= width or _fields.KNOWN.get(_fields.key(headings[-1])) not in _TEXTS:
        return row
    is_plain = '"' not in line
    rest = (
        line.split(delimiter, width - 1)[-1].strip() if is_plain else f"{delimiter} ".join(row[width - 1 :])
    )
    return [*row[: width - 1], rest]


def _part(record: dict[str, str], where: str, year: str) -> Entry | Refused:
    try:
        return _fields.entry(record, year)
    except InputError as error:
        return Refused(where, error.what)


def _is_named_table(url: str) -> bool:
    return url.lower().split("?")[0].endswith((".csv", ".tsv", ".tab"))


def _text(text: str) -> str:
    """The table without the note for Excel and the blanks that may stand above it, and long gaps in it."""
    text = _GAP.sub("\n", text.lstrip())
    return text.partition("\n")[2] if text[:4].lower() == "sep=" else text


def _beginning(text: str) -> list[str]:
    return [line[0] for line in islice(_LINE.finditer(text), _TALLEST)]


def _csv(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    csv.field_size_limit(1 << 30)
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True)


def _header(lines: list[str]) -> tuple[str, list[str]]:
    """The delimiter that makes most known columns, else most columns, and the headings."""

    def worth(delimiter: str) -> tuple[int, int]:
        headings = next(_csv(lines[:1], delimiter), [])
        whole = (heading for heading in headings if not any(mark in heading for mark in _DELIMITERS))
        return sum(_fields.key(heading) in _fields.KNOWN for heading in whole), len(headings)

    best = max(_DELIMITERS, key=worth)
    return best, [heading.strip() for heading in next(_csv(lines, best), [])]


def _rows(text: str, delimiter: str, width: int) -> Iterator[tuple[int, list[str], str]]:
    """The rows under the header: a line's number, the cells, the line; no cells where a lone quote spoils it.

    A quote that is not closed would swallow all that follows, so reading begins again on the next line.
    """
    at = number = mended = 0
    while at < len(text):
        taken: list[str] = []
        for row in _csv(_taking(text, at, taken), delimiter):
            is_spoilt = mended < _MENDED and _is_spoilt(taken, row, width)
            if is_spoilt:
                mended += 1
                del taken[1:]
                row = []
            if (any(row) and number > 0) or is_spoilt:
                yield number + 1, row, taken[0]
            at, number = at + sum(map(len, taken)), number + len(taken)
            taken.clear()
            if is_spoilt:
                break


def _taking(text: str, start: int, taken: list[str]) -> Iterator[str]:
    """The lines, each put into `taken` too; no more where a row has so many that it is none."""
    for line in _LINE.finditer(text, start):
        taken.append(line[0])
        yield line[0]
        if len(taken) == _TALLEST:
            return


def _is_spoilt(lines: list[str], row: list[str], width: int) -> bool:
    if len(lines) < 2:
        return False
    is_odd = sum(line.count('"') for line in lines) % 2 == 1
    return is_odd or len(row) != width or len(lines) == _TALLEST
