"""The pages of a long answer: which address comes after one, and where reading ends."""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from urllib.parse import quote, unquote, urljoin, urlsplit, urlunsplit

from digests import json_values
from digests.feed import Fetched
from digests.reading import Reading, read

MAX_PAGES = 50
"""So many pages of one document are read at most; an answer that has more is read no further than this."""

MAX_BYTES = 100_000_000
"""The pages of one document may have so many bytes together."""

FIRST_PAGES = 5
"""Of an answer with the newest first, so many pages are read the first time."""


Page = tuple[Reading, str | None]
"""What a document gave, and the address of the page after it, None where it is the last."""


def page(fetched: Fetched, format: str = "") -> Page:
    """What a document gives, and where the next one is; ParseError where it is none."""
    reading = read(fetched, format)
    return reading, next_page(reading.format, fetched.url, fetched.body)


def newest_first(url: str, format: str = "") -> bool:
    """Whether the newest come first, as the address asks: then known papers are the end of what is new."""
    by_date = parameter(url, "sortBy") in ("submittedDate", "lastUpdatedDate")
    if by_date and parameter(url, "sortOrder") == "descending" and "Date:" not in url:
        return True
    order = parameter(url, "sort")
    by_date = order.endswith(":desc") or order in ("-created", "-updated", "-published")
    return by_date or format == "json-feed"


def next_page(format: str, url: str, body: bytes) -> str | None:
    """The address of the page after the one that `url` answered with `body`, None where it was the last.

    Answers that are too long to be read to their end, unless the newest come first, are one page.
    """
    turn = _PAGES.get(format)
    return turn(url, body) if turn and url.startswith(("http://", "https://")) else None


def is_gap(format: str, body: bytes) -> bool:
    """Whether a page came empty before the end: arXiv's API does that when it is busy."""
    if format != "arxiv-api":
        return False
    start, total = _arxiv_place(body)
    return start < total and b"<entry" not in body


def _arxiv_place(body: bytes) -> tuple[int, int]:
    head = body[:4_000]
    numbers = (
        re.search(rb"opensearch:%s[^<>]*>\s*(\d{1,9})" % name, head)
        for name in (b"startIndex", b"totalResults")
    )
    start, total = (int(found[1]) if found else 0 for found in numbers)
    return start, total


def _after_arxiv(url: str, body: bytes) -> str | None:
    start, total = _arxiv_place(body)
    return _after(url, "start", start, body.count(b"<entry"), total)


def _after(url: str, name: str, start: int, count: int, total: int) -> str | None:
    """The page after one of `count` items from `start`, where a parameter of the address says the start."""
    coming = start + count
    is_endless = total - start > count * MAX_PAGES and not newest_first(url)
    return (
        with_parameters(url, **{name: str(coming)}) if count and coming < total and not is_endless else None
    )


def _after_openreview(url: str, body: bytes) -> str | None:
    answer = json_values.load(body, "openreview")
    start, notes = _number(parameter(url, "offset")), len(json_values.sequence(answer, "notes"))
    total = _number(json_values.text(answer, "count"))
    if not total and notes == _number(parameter(url, "limit")):
        total = start + notes + 1
    return _after(url, "offset", start, notes, total)


_DETAILS = re.compile(r"(.*/details/\w+/(?:[\d-]+/[\d-]+|\d+d?))(?:/(\d+))?(?:/json)?(\?.*)?$", re.IGNORECASE)


def _after_biorxiv(url: str, body: bytes) -> str | None:
    place = _DETAILS.match(url)
    answer = json_values.load(body, "biorxiv")
    said = next(iter(json_values.sequence(answer, "messages")), None)
    total, found = _number(json_values.text(said, "total")), len(json_values.sequence(answer, "collection"))
    coming = _number(json_values.text(said, "cursor")) + found
    if not place or not found or coming >= total:
        return None
    return f"{place[1]}/{coming}/json{place[3] or ''}"


def _after_europe_pmc(url: str, body: bytes) -> str | None:
    answer = json_values.load(body, "europe-pmc")
    mark = json_values.text(answer, "nextCursorMark")
    found = len(json_values.sequence(answer, "resultList", "result"))
    total = _number(json_values.text(answer, "hitCount"))
    if not found or not mark or mark == json_values.text(answer, "request", "cursorMark"):
        return None
    is_endless = total > found * MAX_PAGES and parameter(url, "cursorMark") in ("", "*")
    return None if is_endless else with_parameters(url, cursorMark=quote(mark, safe=""))


def _after_crossref(url: str, body: bytes) -> str | None:
    message = json_values.member(json_values.load(body, "crossref"), "message")
    mark, found = json_values.text(message, "next-cursor"), len(json_values.sequence(message, "items"))
    rows = _number(parameter(url, "rows")) or 20
    is_endless = _number(json_values.text(message, "total-results")) > rows * MAX_PAGES
    if not mark or found < rows or (is_endless and parameter(url, "cursor") == "*"):
        return None
    return with_parameters(url, cursor=quote(mark, safe=""))


def _after_doaj(url: str, body: bytes) -> str | None:
    answer = json_values.load(body, "doaj")
    page, size = _number(json_values.text(answer, "page")), _number(json_values.text(answer, "pageSize"))
    total = _number(json_values.text(answer, "total"))
    is_endless = total > size * MAX_PAGES and not newest_first(url)
    more = json_values.sequence(answer, "results") and page * size < total and not is_endless
    return with_parameters(url, page=str(page + 1)) if more else None


def _after_datacite(url: str, body: bytes) -> str | None:
    """The query of the answer's own link, so that a mirror stays asked."""
    answer = json_values.load(body, "datacite")
    query = json_values.text(answer, "links", "next").partition("?")[2]
    found = len(json_values.sequence(answer, "data"))
    total = _number(json_values.text(answer, "meta", "total"))
    plain = unquote(url)
    is_first = {parameter(plain, "page[cursor]"), parameter(plain, "page[number]")} <= {"", "1"}
    if not query or not found or (is_first and _is_endless(url, total, found)):
        return None
    return f"{url.partition('?')[0]}?{query}"


def _after_json_feed(url: str, body: bytes) -> str | None:
    said = json_values.text(json_values.load(body, "json-feed"), "next_url")
    try:
        following = urljoin(url, said)
    except ValueError:  # http://[
        return None
    return following if following != url and following.startswith(("http://", "https://")) else None


_MOST_RELEVANT = 1_000
"""Semantic Scholar's search by relevance gives no more than these; its bulk search gives all."""


def _after_semantic_scholar(url: str, body: bytes) -> str | None:
    answer = json_values.load(body, "semantic-scholar")
    total, found = _number(json_values.text(answer, "total")), len(json_values.sequence(answer, "data"))
    token, coming = json_values.text(answer, "token"), _number(json_values.text(answer, "next"))
    is_first = not parameter(url, "token") and not _number(parameter(url, "offset"))
    if not found or (is_first and token and _is_endless(url, total, found)):
        return None
    if token:
        return with_parameters(url, token=quote(token, safe=""))
    return with_parameters(url, offset=str(coming)) if 0 < coming < min(total, _MOST_RELEVANT) else None


def _is_endless(url: str, total: int, found: int) -> bool:
    """Whether an answer, of which `found` of `total` stand on the first page, is never read to its end."""
    return total > found * MAX_PAGES and not newest_first(url)


_TOKEN = re.compile(rb"<(?:\w+:)?resumptionToken\b[^<>]*>([^<>]{1,2000})</")


def _after_oai(url: str, body: bytes) -> str | None:
    found = _TOKEN.search(body, max(0, len(body) - 10_000))
    token = html.unescape(found[1].decode("utf-8", "replace")).strip() if found else ""
    if not token:
        return None
    parts = urlsplit(url)
    verb = parameter(url, "verb") or "ListRecords"
    query = f"verb={verb}&resumptionToken={quote(token, safe='')}"
    return urlunsplit((parts.scheme, parts.netloc, parts.path, query, ""))


_PAGES: dict[str, Callable[[str, bytes], str | None]] = {
    "arxiv-api": _after_arxiv,
    "openreview": _after_openreview,
    "biorxiv": _after_biorxiv,
    "europe-pmc": _after_europe_pmc,
    "crossref": _after_crossref,
    "doaj": _after_doaj,
    "datacite": _after_datacite,
    "json-feed": _after_json_feed,
    "semantic-scholar": _after_semantic_scholar,
    "oai-pmh": _after_oai,
}


def _number(text: str) -> int:
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else 0


def parameter(url: str, name: str) -> str:
    """The value of a parameter as it stands in the address, "" where it is missing."""
    found = re.search(rf"[?&]{re.escape(name)}=([^&#]*)", url)
    return found[1] if found else ""


def with_parameters(url: str, **parameters: str) -> str:
    """The address with these parameters; everything else stands as it stood."""
    for name, value in parameters.items():
        found = re.search(rf"[?&]{re.escape(name)}=([^&#]*)", url)
        if found:
            url = url[: found.start(1)] + value + url[found.end(1) :]
        else:
            url += f"{'&' if '?' in url else '?'}{name}={value}"
    return url
