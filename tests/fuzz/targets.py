"""What is fuzzed, and what must hold of any input: each target raises a `FaultError` where it does not."""

from __future__ import annotations

import contextlib
import html
import json
import re
import time
import unicodedata
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from io import BytesIO
from resource import RUSAGE_SELF, getrusage

from bot.opml import read_opml, write_opml
from digests.decoding import decode, is_wide
from digests.dedupe import Known, look, sort_out
from digests.digest import Digest, Foot, Item, Section
from digests.errors import ParseError, QueryError
from digests.feed import Feed, Fetched
from digests.formats import formats, read
from digests.matching import Index
from digests.pages import next_page
from digests.paper import Entry, Paper, PaperId, keys
from digests.query import parse
from digests.reading import Reading
from digests.reading import read as read_document
from digests.sentences import sentences
from digests.text import plain

URL = "https://feeds.example.org/feed"
SECONDS = 1.0
MEGABYTES = 150
COMPARED = 16_000
"""feedparser is asked about documents of at most so many bytes: its own time grows faster than they do."""


class FaultError(Exception):
    """Something that must hold does not; `kind` is the same for faults that probably have one cause."""

    def __init__(self, kind: str, what: str = "") -> None:
        super().__init__(f"{kind}: {what}")
        self.kind = kind


@dataclass(slots=True)
class Counts:
    """What came of the inputs so far."""

    executions: int = 0
    bytes: int = 0
    read: int = 0
    papers: int = 0
    compared: int = 0
    theirs: int = 0
    ours: int = 0
    slowest: float = 0.0
    formats: dict[str, int] = field(default_factory=dict)


COUNTS = Counts()
_CHARSETS = ("iso-8859-1", "utf-16", "x-unknown", "koi8-r", "gb18030", "utf-7", "idna", "hz")


def documents(body: bytes) -> None:
    """A document as a feed check reads it, its papers as they are told apart, stored and shown."""
    dice = zlib.crc32(body)
    sent = f"text/xml; charset={_CHARSETS[dice % len(_CHARSETS)]}" if dice % 7 == 0 else ""
    if reading := _reading(Fetched(URL, body, content_type=sent)):
        _papers_hold(reading)
        if dice % 3 == 1 and not sent:
            _stood_there(reading.format, body)
        with contextlib.suppress(ParseError):
            next_page(reading.format, URL, body)
    if dice % 4 == 0:
        _reading(Fetched(URL, body), list(formats())[dice // 4 % len(formats())])


def _reading(fetched: Fetched, format: str = "") -> Reading | None:
    try:
        reading = read_document(fetched, format)
    except ParseError as error:
        if not error.what or "\n" in str(error):
            raise FaultError("an error that is no line of text", repr(error)) from error
        return None
    COUNTS.read += 1
    COUNTS.papers += len(reading.papers)
    COUNTS.formats[reading.format] = COUNTS.formats.get(reading.format, 0) + 1
    return reading


def _papers_hold(reading: Reading) -> None:
    before: list[Known] = []
    for paper in reading.papers[:200]:
        for said in (paper.title, paper.abstract, paper.venue, *paper.authors[:20], *paper.categories):
            _is_clean(said)
        if not keys(paper):
            raise FaultError("a paper without a key", repr(paper))
        shown = look(paper)
        sort_out(paper, shown, before)
        before = [Known(paper, (shown,), (shown,))]


def _is_clean(said: str) -> None:
    if said != said.strip() or "\n" in said or not unicodedata.is_normalized("NFC", said):
        raise FaultError("a text that is not clean", repr(said))
    if not said.endswith("…") and (again := plain(said)) != said:
        raise FaultError("a text that a second cleaning changes", f"{said!r} → {again!r}")


_ESCAPED = re.compile(r"\\u([0-9a-fA-F]{4})")
_HALF_REFERENCE = re.compile(rb"&#[xX]?[0-9a-fA-F]+(?![0-9a-fA-F;])")
_LETTER = re.compile(r"[a-z0-9]")
_TAG = re.compile(r"<[^<>]*>")


def _stood_there(format: str, body: bytes) -> None:
    """The letters of each entry's title and abstract stand in the document, in their order."""
    if _HALF_REFERENCE.search(body):
        return  # it is text to one reader and a character to another
    source = decode(body)
    stands = [_letters(source), _letters(_ESCAPED.sub(lambda code: chr(int(code[1], 16)), source))]
    for _ in range(3):
        source = html.unescape(source)
        stands.append(_letters(source))
    left = 20
    with contextlib.suppress(ParseError):
        for part in read(body, URL, format):
            if isinstance(part, Entry) and (left := left - 1) >= 0:
                for said in (part.title, part.abstract):
                    # End tags that a document lacks are put in where it is mended.
                    forms = {_letters(_TAG.sub("", form)[:5000]) for form in (said, html.unescape(said))}
                    if not any(_is_within(form, stand) for form in forms for stand in stands):
                        raise FaultError(f"a text that did not stand there ({format})", repr(said))


def _letters(text: str) -> str:
    return "".join(_LETTER.findall(text.lower()))


def _is_within(said: str, stand: str) -> bool:
    """Whether the letters of one stand in the other, in order."""
    if said in stand:
        return True
    letters = iter(stand)
    return all(letter in letters for letter in said)


_CITED = re.compile(r"(?=.{0,80}$).*\b(?:volume|issue|pages?|early ?view)\b", re.IGNORECASE)
"""An item that only says where a paper stands, without a title, is none."""

_ITEM = re.compile(rb"<(?:\w+:)?(?:item|entry)\b")
_BROKEN_OFF = re.compile(rb"<(?:\w+:)?(?:item|entry)\b(?:(?!</).)*$", re.DOTALL)
FEEDS = ("rss", "rdf", "atom", "arxiv-rss", "arxiv-api", "plain-text", "")


def nothing_is_lost(body: bytes) -> None:
    """FaultError if feedparser finds more items that say something.

    It knows feeds only: in a document that is of another format it finds the pieces of feeds that fuzzing put
    in.  Definitions of entities, and arXiv's report of an error, are refused here on purpose.
    """
    if len(body) > COMPARED or b"!ENTITY" in body.replace(b"\0", b"").upper():
        return
    theirs = _found_by_feedparser(body)
    try:
        reading = read_document(Fetched(URL, body))
        ours, format, how = (
            len(reading.papers),
            reading.format,
            str(Counter(part.why for part in reading.refused)),
        )
    except ParseError as error:
        ours, format, how = 0, error.format, error.what
    if (
        format not in FEEDS
        or how.startswith("arXiv answered")
        or (format == "arxiv-api" and b"<item" in body)
    ):
        return
    if b"\0" in body and _ITEM.search(body) and (is_wide(body) or re.search(rb"(?i)utf-?16|ucs", body[:200])):
        return  # a part of it is in UTF-16, as it says of the whole
    if _BROKEN_OFF.search(body) and len(theirs) - ours == 1:
        return  # a title that breaks off is no title
    COUNTS.compared += 1
    COUNTS.theirs += len(theirs)
    COUNTS.ours += ours
    if len(theirs) > ours:
        raise FaultError(
            f"items lost ({format or how[:50]})", f"{ours} instead of {len(theirs)}, {how}: {theirs[:3]}"
        )


def _found_by_feedparser(body: bytes) -> list[str]:
    """What feedparser's entries say, those that say nothing left out; nothing where it fails itself."""
    import feedparser

    try:
        found = feedparser.parse(BytesIO(body), response_headers={"content-location": URL})
    except Exception:  # it is the yardstick; its own faults are not ours
        return []
    texts = [" ".join(_texts(entry))[:200].strip() for entry in found.entries]
    return [said for said in texts if said and not _CITED.match(said)]


def _texts(entry: dict[str, object]) -> Iterator[str]:
    content = entry.get("content")
    values = [entry.get("title"), entry.get("summary"), *(part.get("value") for part in content or ())]  # type: ignore[attr-defined]
    for value in values:
        if isinstance(value, str) and (said := plain(value)):
            yield said


def lists(body: bytes) -> None:
    """A list of feeds as `feeds import` reads it; what is written is read again as it was."""
    try:
        found = read_opml(body)
    except ParseError:
        return
    COUNTS.read += 1
    feeds = [Feed(name=outline.title or outline.url, url=outline.url) for outline in found]
    again = read_opml(write_opml(feeds, datetime(2026, 12, 1, tzinfo=UTC)).encode())
    if [outline.url for outline in again] != [outline.url for outline in found]:
        raise FaultError("a list that is not read again as it was written", repr((found, again)))


_INDEX: list[Index] = []


def queries(body: bytes) -> None:
    """A query as a person types it: canonical text means the same, and it can be asked."""
    said = body.decode("utf-8", "surrogatepass" if b"\xed" in body else "replace") if _decodes(body) else ""
    try:
        query = parse(said)
    except QueryError as error:
        if not 0 <= error.at <= len(said):
            raise FaultError("an error that points beside the query", repr((said, error.at))) from error
        error.pointed()
        return
    COUNTS.read += 1
    canonical = str(query)
    if parse(canonical) != query:
        raise FaultError("a query that its canonical text changes", f"{said!r} → {canonical!r}")
    if not _INDEX:
        text = "Deep models of quantized walls. We prove that graphs are large."
        _INDEX.append(
            Index([Paper("A title of graphs", text, ("Ann Author",)), Paper("Müller's C++", "x " * 50)])
        )
    for match in (*_INDEX[0].match(query), *_INDEX[0].rank(query)):
        COUNTS.papers += bool(match.evidence)


def _decodes(body: bytes) -> bool:
    try:
        body.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return b"\xed" not in body
    return True


def texts(body: bytes) -> None:
    """A text of any source: cleaned once is cleaned, and its sentences are all of it."""
    said = body.decode("utf-8", "surrogatepass") if _decodes(body) and b"\xed" in body else decode(body)
    shown = plain(said)
    COUNTS.read += 1
    _is_clean(shown)
    if set(shown) & set("\x00\x07\x7f\x85\u00ad\u200b\u200e\u202e\u2060\u2066\ufeff\ud800\ufdd0"):
        raise FaultError("a text with characters that nobody sees", repr(shown))
    found = sentences(shown)
    if "".join("".join(found).split()) != "".join(shown.split()):
        raise FaultError("sentences that are not the text", repr((shown, found)))


def messages(body: bytes) -> None:
    """A digest of papers with these words, a field a line, as Slack's and Discord's messages."""
    from bot.platforms.discord.render import render as render_for_discord
    from bot.platforms.slack.render import render as render_for_slack

    lines = [plain(line) for line in decode(body).split("\n")][:400] or [""]
    rows = [(lines[at : at + 4] + [""] * 4)[:4] for at in range(0, len(lines), 4)]
    items = tuple(
        Item(PaperId(number), heading, link, (author,), author, (), summary, ((0, 9),), (heading[:9],))
        for number, (heading, summary, author, link) in enumerate(rows, start=1)
    )
    digest = Digest("x:1", lines[0], date(2026, 12, 1), "UTC", (Section(lines[-1], items),), Foot())
    for message in (*render_for_slack(digest), *render_for_discord(digest)):
        json.loads(message)
    COUNTS.read += 1


Target = Callable[[bytes], None]
TARGETS: dict[str, Target] = {
    "documents": documents,
    "lists": lists,
    "queries": queries,
    "texts": texts,
    "messages": messages,
}


def check(target: Target, body: bytes) -> None:
    """Run a target on an input; a FaultError also where it raises, takes long, or takes much memory."""
    COUNTS.executions += 1
    COUNTS.bytes += len(body)
    memory = getrusage(RUSAGE_SELF).ru_maxrss
    taken = _timed(target, body)
    grown = (getrusage(RUSAGE_SELF).ru_maxrss - memory) // 1024
    COUNTS.slowest = max(COUNTS.slowest, taken)
    if taken > SECONDS:
        taken = min(taken, *(_timed(target, body) for _ in range(3)))
        if taken > SECONDS:
            raise FaultError(f"slow ({target.__name__})", f"{taken:.1f} s for {len(body):,} bytes")
    if grown > MEGABYTES:
        raise FaultError(f"memory ({target.__name__})", f"{grown:,} MB for {len(body):,} bytes")
    if target is documents and zlib.crc32(body) % 3 == 0:
        nothing_is_lost(body)


def _timed(target: Target, body: bytes) -> float:
    start = time.process_time()
    try:
        target(body)
    except FaultError:
        raise
    except Exception as error:
        raise FaultError(f"{type(error).__name__} in {_place(error)}", str(error)[:200]) from error
    return time.process_time() - start


def _place(error: BaseException) -> str:
    """The innermost line of ours that the error came through."""
    place, trace = "", error.__traceback__
    while trace:
        code = trace.tb_frame.f_code
        if "site-packages" not in code.co_filename and "/lib/python" not in code.co_filename:
            place = f"{code.co_filename.rsplit('/', 2)[-1]}:{code.co_name}"
        trace = trace.tb_next
    return place
