"""A plain-text list: abstracts divided by blank lines, with or without titles and labels."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice, pairwise

from digests.decoding import decode, head, split
from digests.errors import InputError, ParseError
from digests.feed import Part, Refused, Remark, Titled
from digests.formats import MOST_ITEMS, _fields
from digests.paper import Entry

name = "plain-text"
order = 90

_SHORT = 200
"""A block up to this length that ends like no sentence is a heading or a title."""

_ENDS = (".", "!", "?", "。", "！", "？", '."', ".)", ".”", "…", "}", "*", "$")
_LABEL = re.compile(
    r"(title|abstract|authors?|url|link|pdf|doi|arxiv|date|year|venue|conference|journal|keywords)\s*[:：]\s*",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?:https?://\S+|(?:doi|arxiv|pmid):\s?\S+)", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?][\"'”)\]}*$]*(?:\s|$)|[。！？]")


@dataclass(frozen=True, slots=True)
class _Block:
    line: int
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    @property
    def is_short(self) -> bool:
        """Whether it is a heading or a title, which may be a question."""
        if len(self.text) > _SHORT or len(self.lines) > 2:
            return False
        is_question = self.text[-1] in "?!？！" and len(_SENTENCE.findall(self.text)) == 1
        return is_question or not self.text.endswith(_ENDS)

    @property
    def is_labelled(self) -> bool:
        return bool(_LABEL.match(self.lines[0]))


def recognizes(url: str, body: bytes) -> bool:
    """Text that is no mark-up or data and holds a paragraph of sentences."""
    start = head(body)
    if re.match(r"\s*(?:<[!?A-Za-z]|[{\[]\s*[\"{\[\]}])", start):
        return False
    return any(_is_prose(block.text) for block in _blocks(start))


def _is_prose(text: str) -> bool:
    is_long = len(text) >= 40 and (len(text.split()) >= 6 or not text.isascii())
    return is_long and bool(_SENTENCE.search(text))


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The abstracts in order; the first block names the list if it is a line without a sentence's end.

    ParseError if the text holds no paragraph at all.
    """
    found = _blocks(decode(body))
    blocks = list(islice(found, MOST_ITEMS))
    if not any(_is_prose(block.text) or block.is_labelled for block in blocks):
        raise ParseError("no abstract in the text", format=name, hint="divide abstracts by blank lines")
    if blocks[0].is_short and not blocks[0].is_labelled and not _is_title(blocks):
        yield Titled(blocks.pop(0).lines[0].lstrip("# ").strip())
    yield from _parts(blocks)
    if next(found, None):
        yield Remark(f"only the first {MOST_ITEMS:,} paragraphs were read; divide the document to have all")


def _blocks(text: str) -> Iterator[_Block]:
    """The runs of lines that are not blank; lines that are whole abstracts are a block each."""
    lines: list[str] = []
    number = 0
    for number, raw in enumerate(chain(split(text), [""]), start=1):
        line = raw.strip()
        if line:
            lines.append(line)
        elif lines:
            start = number - len(lines)
            if all(len(one) > 300 for one in lines):
                yield from (_Block(start + n, (one,)) for n, one in enumerate(lines))
            else:
                yield _Block(start, tuple(lines))
            lines = []


def _is_title(blocks: list[_Block]) -> bool:
    """Whether a short first block is a paper's title: each abstract, of several, has one above it."""
    short = [block.is_short for block in blocks]
    above = [before for before, is_short in pairwise(short) if not is_short]
    return len(above) > 1 and all(above) and not short[1]


def _parts(blocks: list[_Block]) -> Iterator[Part]:
    headings = sum(block.is_short and not block.is_labelled for block in blocks)
    are_titles = headings * 2 >= len(blocks) - headings
    title: _Block | None = None
    fields: dict[str, str] = {}
    for block in blocks:
        found = _labelled(block) if block.is_labelled else {}
        if fields and not found and "abstract" not in fields and not block.is_short:
            found = {"abstract": block.text}
        if fields and (not found or "title" in found or not found.keys().isdisjoint(fields)):
            yield _entry(fields, block)
            fields = {}
        if title and (block.is_short or "title" in found or not (are_titles or found)):
            yield Remark(f"line {title.line}: {title.lines[0]!r} is taken for a heading")
            title = None
        if found:
            fields |= found | ({"title": " ".join(title.lines)} if title else {})
        elif block.is_short:
            title = block
            continue
        else:
            yield _unlabelled(block, title)
        title = None
    if fields:
        yield _entry(fields, blocks[-1])
    if title:
        yield Refused(f"line {title.line}", "is a line without a sentence, neither a title nor an abstract")


def _labelled(block: _Block) -> dict[str, str]:
    """The labelled fields of a block; a line without a label continues the field above it."""
    fields: dict[str, list[str]] = {}
    field = ""
    for line in block.lines:
        if label := _LABEL.match(line):
            field, line = label[1].lower(), line[label.end() :]
        fields.setdefault(field, []).append(line)
    return {field: "\n".join(lines) for field, lines in fields.items()}


def _entry(fields: dict[str, str], block: _Block) -> Part:
    try:
        return _fields.entry(fields)
    except InputError as error:
        return Refused(f"line {block.line}", error.what)


def _unlabelled(block: _Block, title: _Block | None) -> Entry:
    names = tuple(line for line in block.lines if _NAME.fullmatch(line))
    lines = [line for line in block.lines if not _NAME.fullmatch(line)]
    heading = " ".join(title.lines) if title else ""
    if not heading and _has_title(lines):
        heading = lines.pop(0)
    return Entry(
        title=heading.lstrip("# "),
        abstract="\n".join(lines),
        links=tuple(found for found in names if found.lower().startswith("http")),
        identifiers=tuple(found for found in names if not found.lower().startswith("http")),
    )


def _has_title(lines: list[str]) -> bool:
    """Whether the first line is a title: it ends early, where wrapping would have put the next word on it."""
    if len(lines) < 2 or len(lines[0]) > _SHORT or lines[0].endswith((".", ",", ";", ":", "-", "。", "，")):
        return False
    width = max(map(len, lines[1:]))
    next_word = len(lines[1].split(maxsplit=1)[0])
    return len(lines[0]) + 1 + next_word <= width and _is_prose("\n".join(lines[1:]))
