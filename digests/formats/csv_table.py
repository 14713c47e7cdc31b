"""CSV and TSV: a table with a paper a row, whatever its columns are called."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from itertools import islice

from digests.errors import InputError, ParseError
from digests.feed import Part, Refused
from digests.formats import _fields
from digests.formats._decoding import decode, head
from digests.paper import Entry

name = "csv"
order = 40

_DELIMITERS = (",", "\t", ";", "|")
_MENDED = 100
"""So many rows with a quote that is not closed are read again before the table is given up."""


def recognizes(url: str, body: bytes) -> bool:
    """A first row that names a title or an abstract, or rows of equal length under headings, one known."""
    start = head(body)
    lines = _lines(start)
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
    lines = _lines(decode(body))
    delimiter, headings = _header(lines)
    if not _fields.is_paper(frozenset(headings)):
        raise ParseError(
            f"no column is a title or an abstract; the columns are {', '.join(map(repr, headings[:20]))}",
            format=name,
            where="line 1",
            hint="call one 'title' or 'abstract'; also known: authors, url, doi, arxiv, date, year",
        )
    year = _fields.year_in(url)
    for number, row in _rows(lines, delimiter, len(headings)):
        where = f"line {number}"
        cells = _fitted(row, headings, delimiter, lines[number - 1])
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


def _lines(text: str) -> list[str]:
    lines = list(io.StringIO(text.lstrip(), newline=""))
    return lines[1:] if lines and lines[0].lower().startswith("sep=") else lines


def _csv(lines: list[str], delimiter: str, start: int = 0) -> Iterator[list[str]]:
    csv.field_size_limit(1 << 30)
    return csv.reader(islice(lines, start, None), delimiter=delimiter, skipinitialspace=True)


def _header(lines: list[str]) -> tuple[str, list[str]]:
    """The delimiter that makes most known columns, else most columns, and the headings."""

    def worth(delimiter: str) -> tuple[int, int]:
        headings = next(_csv(lines[:1], delimiter), [])
        whole = (heading for heading in headings if not any(mark in heading for mark in _DELIMITERS))
        return sum(_fields.key(heading) in _fields.KNOWN for heading in whole), len(headings)

    best = max(_DELIMITERS, key=worth)
    return best, [heading.strip() for heading in next(_csv(lines, best), [])]


def _rows(lines: list[str], delimiter: str, width: int) -> Iterator[tuple[int, list[str]]]:
    """The rows under the header with the numbers of their lines; empty for one that a lone quote spoils.

    A quote that is not closed would swallow all that follows, so reading begins again on the next line.
    """
    start, mended = 0, 0
    while True:
        reader = csv.reader(islice(lines, start, None), delimiter=delimiter, skipinitialspace=True)
        at = 0
        for row in reader:
            first, at = at, reader.line_num
            if (
                mended < _MENDED
                and at - first > 1
                and _is_spoilt(lines[start + first : start + at], row, width)
            ):
                yield start + first + 1, []
                start, mended = start + first + 1, mended + 1
                break
            if any(row) and start + first > 0:
                yield start + first + 1, row
        else:
            return


def _is_spoilt(lines: list[str], row: list[str], width: int) -> bool:
    return sum(line.count('"') for line in lines) % 2 == 1 or len(row) != width
