"""BibTeX, with macros, braces and quotes as they come."""

from __future__ import annotations

import re
from collections.abc import Iterator

from digests.decoding import decode, head
from digests.feed import Part, Refused
from digests.formats._dates import iso, parts_to_iso
from digests.formats._people import flipped
from digests.paper import Entry

name = "bibtex"
order = 10

_ENTRY = re.compile(r"^[ \t]*@\s*([A-Za-z]+)\s*([{(])", re.MULTILINE)
_KNOWN = re.compile(
    r"^[ \t]*@\s*(?:[A-Za-z]+\s*\{\s*[^\s,={}()]+\s*,|(?i:string)\s*[{(]\s*\w+\s*=)", re.MULTILINE
)
_FIELD = re.compile(r"[\s,]*([\w:.+/-]+)\s*=\s*")
_BARE = re.compile(r"[^\s,#{}()\"]+")
_MONTH = re.compile(r"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec", re.IGNORECASE)


_LONGEST_MACRO = 1_000
_MOST_EXPANDED = 10_000
"""So many characters of a value may come out of macros: each of them can double the one before."""


class _BrokenError(ValueError):
    """An entry does not follow the grammar."""


def recognizes(url: str, body: bytes) -> bool:
    """Text with an entry at a line's beginning: "@article{key,"."""
    start = head(body)
    return not start.lstrip().startswith(("{", "[", "<")) and bool(_KNOWN.search(start))


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The entries; one that is not closed is refused and the next one read."""
    text = decode(body)
    macros: dict[str, str] = {}
    at, line, counted = 0, 1, 0
    while found := _ENTRY.search(text, at):
        kind, at = found[1].lower(), found.end()
        line, counted = line + text.count("\n", counted, found.start()), found.start()
        if kind in ("comment", "preamble"):
            continue
        where = f"line {line}"
        try:
            fields, at = _fields(text, at, macros, has_key=kind != "string")
        except _BrokenError as error:
            yield Refused(where, str(error))
            continue
        if kind == "string":
            macros |= {name: value for name, value in fields.items() if len(value) <= _LONGEST_MACRO}
            continue
        entry = _entry(fields)
        yield (
            entry if entry.title or entry.abstract else Refused(where, "has neither a title nor an abstract")
        )


def _fields(text: str, at: int, macros: dict[str, str], has_key: bool) -> tuple[dict[str, str], int]:
    """The fields of the entry whose brace was opened before `at`, and where it ends."""
    if has_key:
        comma = re.compile(r"[^,={}\"]*,?").match(text, at)
        at = comma.end() if comma else at
    fields: dict[str, str] = {}
    while field := _FIELD.match(text, at):
        value, at = _value(text, field.end(), macros)
        fields.setdefault(field[1].lower(), value)
    closing = re.compile(r"[\s,]*[})]").match(text, at)
    if not closing:
        raise _BrokenError("is not closed, or a field of it has no value")
    return fields, closing.end()


def _value(text: str, at: int, macros: dict[str, str]) -> tuple[str, int]:
    """A value of pieces joined by "#": {braces}, "quotes", numbers and macros."""
    pieces: list[str] = []
    expanded = 0
    while True:
        if text[at : at + 1] in ("{", '"') and at < len(text):
            piece, at = _quoted(text, at)
        elif bare := _BARE.match(text, at):
            piece, at = macros.get(bare[0].lower(), bare[0]), bare.end()
            expanded += len(piece)
        else:
            raise _BrokenError("has a field without a value")
        if expanded > _MOST_EXPANDED:
            raise _BrokenError("has a value that macros make too long")
        pieces.append(piece)
        joint = re.compile(r"\s*#\s*").match(text, at)
        if not joint:
            return "".join(pieces), at
        at = joint.end()


def _quoted(text: str, at: int) -> tuple[str, int]:
    end, depth = '"' if text[at] == '"' else "}", 0
    for mark in re.compile(r'\\.|[{}"]|^[ \t]*@\w+\{', re.DOTALL | re.MULTILINE).finditer(text, at + 1):
        if mark[0] == end and depth == 0:
            return text[at + 1 : mark.start()], mark.end()
        if mark[0].lstrip().startswith("@"):
            break
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
    raise _BrokenError("has a value that is not closed")


def _entry(fields: dict[str, str]) -> Entry:
    url, doi, eprint = (fields.get(key, "").strip() for key in ("url", "doi", "eprint"))
    is_arxiv = "arxiv" in (fields.get("archiveprefix", "") + fields.get("eprinttype", "")).lower()
    names = (
        doi and (doi if doi.startswith("http") else f"doi:{doi}"),
        f"arXiv:{eprint}" if eprint and is_arxiv else "",
    )
    return Entry(
        title=_unbraced(fields.get("title", "").strip()),
        abstract=fields.get("abstract", "").strip(),
        authors=_authors(fields.get("author", "")),
        links=(url,) if url.startswith("http") else (),
        identifiers=tuple(filter(None, names)),
        published=iso(fields.get("date", "")) or _date(fields),
        venue=next(
            filter(None, (fields.get(key, "") for key in ("journal", "journaltitle", "booktitle"))), ""
        ),
        categories=tuple(
            filter(None, (word.strip() for word in re.split("[;,]", fields.get("keywords", ""))))
        ),
    )


def _unbraced(title: str) -> str:
    """The title without the braces that keep its capitals."""
    for _ in range(3):
        title = re.sub(r"(?<![\\\w}^])\{([^{}\\$]*)\}", r"\1", title)
    return title


def _authors(said: str) -> tuple[str, ...]:
    """The names between the "and"s that stand outside braces."""
    names, depth = [""], 0
    for word in said[:100_000].split():
        if word.lower() == "and" and depth == 0:
            names.append("")
        else:
            names[-1] += f" {word}"
            depth += word.count("{") - word.count("}")
    return tuple(flipped(name.strip()) for name in names if name.strip() and name.strip() != "others")


def _date(fields: dict[str, str]) -> str:
    said = fields.get("month", "")
    month = _MONTH.search(said)
    day = fields.get("day", "") or (re.sub(r"\D", "", said) if month else "")
    return parts_to_iso(fields.get("year", ""), month[0] if month else said, day[:2])
