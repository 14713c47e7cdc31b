"""A JSON list of papers, as conferences' accepted papers are exported."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from digests import json_values
from digests.decoding import decode
from digests.feed import Part, Refused, Remark
from digests.formats import _fields
from digests.formats.json_lines import record_part

name = "json-list"
order = 30

_LISTS = ("", "papers[].", "accepted[].", "submissions[].", "results[].", "data[].", "records[].")
_START = re.compile(r'\s*(?:\{[^\[\]]*?"(?:papers|accepted|submissions|results|data|records)"\s*:\s*)?(?=\[)')
_NEXT = re.compile(r"\}\s*,\s*(?=\{)")


def recognizes(url: str, body: bytes) -> bool:
    """A list of objects with titles or abstracts, alone or in an object, or one such object."""
    shape = json_values.shape(body)
    starts = ("[].", *_LISTS)
    return any(
        _fields.is_paper(frozenset(path[len(start) :] for path in shape if path.startswith(start)))
        for start in starts
    )


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The papers of the list; a broken object is refused, and reading goes on with the next."""
    text = decode(body)
    year = _fields.year_in(url)
    start = _START.match(text)
    if not start:
        yield record_part(json_values.load(body, name), "the document", year)
        return
    at, count = start.end() + 1, 0
    decoder = json.JSONDecoder()
    while (at := _skip(text, at)) < len(text) and text[at] != "]":
        count += 1
        try:
            record, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            yield Refused(f"item {count}", f"is not whole JSON: {getattr(error, 'msg', error)}")
            following = _NEXT.search(text, at)
            if not following:
                break
            at = following.end()
        else:
            yield record_part(record, f"item {count}", year)
    if at >= len(text):
        yield Remark("the list is cut off at its end")
    if not count:
        yield Remark("the list is empty")


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n,":
        at += 1
    return at
