"""JSON Lines: one paper a line, as tools and dumps write them."""

from __future__ import annotations

import json
from collections.abc import Iterator

from digests import json_values
from digests.decoding import head, lines
from digests.errors import InputError
from digests.feed import Part, Refused
from digests.formats import _fields

name = "json-lines"
order = 30


def recognizes(url: str, body: bytes) -> bool:
    """Objects with a title or an abstract, the first of them on a line of its own."""
    first = head(body).lstrip().split("\n", 1)[0].rstrip()
    if not first.startswith("{") or len(first) < 3:
        return False
    return _fields.is_paper(frozenset(key for key in json_values.shape(first.encode()) if "." not in key))


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The papers, line by line; a line that is broken or no paper is refused."""
    year = _fields.year_in(url)
    for number, line in enumerate(lines(body), start=1):
        if line.strip():
            yield _part(line, f"line {number}", year)


def _part(line: str, where: str, year: str) -> Part:
    try:
        record = json.loads(line.strip())
    except RecursionError:
        return Refused(where, "is nested too deeply")
    except ValueError as error:
        return Refused(
            where, f"is not whole JSON: {error.msg if isinstance(error, json.JSONDecodeError) else error}"
        )
    return record_part(record, where, year)


def record_part(record: object, where: str, year: str) -> Part:
    """The paper that an object describes, or its refusal."""
    if not isinstance(record, dict):
        return Refused(where, "is not an object")
    try:
        return _fields.entry(record, year)
    except InputError as error:
        return Refused(where, error.what)
