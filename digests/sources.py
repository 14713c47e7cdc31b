"""The great sources: their short names, which page comes after one, and how missed days are caught up on.

An address may hold `{since}` and `{today}`, dates that are filled in when it is asked; `{since-90}` goes back
90 days the first time.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import quote, urlsplit, urlunsplit

from digests import formats
from digests.errors import InputError
from digests.formats import _json

MAX_PAGES = 50
"""So many pages of one document are read at most; an answer that has more is read no further than this."""

MAX_BYTES = 100_000_000
"""The pages of one document may have so many bytes together."""

FIRST_PAGES = 5
"""Of an answer with the newest first, so many pages are read the first time."""

OVERLAP = timedelta(days=3)
"""How much a window overlaps the last one: indexes lag by hours, and some papers come in late."""

CATCH_UP_OVERLAP = timedelta(days=7)
"""arXiv dates a paper by its submission, and moderation takes days."""

LONGEST_CATCH_UP = timedelta(days=60)

_WINDOW = re.compile(r"\{since(?:-(\d{1,3}))?\}")
_FIRST_WINDOW = 7


# ---- the short names


@dataclass(frozen=True, slots=True)
class Source:
    """A service with a short name: an example, what it brings, in which format, how its address is made.

    `build` gives "" for a text that names nothing there.
    """

    example: str
    brings: str
    format: str
    build: Callable[[str], str]

    @property
    def name(self) -> str:
        return self.example.partition(":")[0]


def _arxiv(text: str) -> str:
    categories = [category for category in re.split(r"[+,\s]+", text.strip()) if category]
    if not categories or not all(re.fullmatch(r"[A-Za-z-]+(\.[A-Za-z-]+)?", name) for name in categories):
        return ""
    return f"https://rss.arxiv.org/rss/{'+'.join(categories)}"


def _openreview(text: str) -> str:
    found = re.fullmatch(r"([\w.-]+(?:/[\w.-]+)+)/?(\?all)?", text.strip())
    if not found:
        return ""
    chosen = f"invitation={found[1]}/-/Submission" if found[2] else f"content.venueid={found[1]}"
    return f"https://api2.openreview.net/notes?{chosen}&limit=1000&offset=0"


def _preprints(server: str) -> Callable[[str], str]:
    def build(text: str) -> str:
        category = re.sub(r"[\s_-]+", "_", text.strip().lower())
        if not re.fullmatch(r"[a-z_]+", category):
            return ""
        chosen = "" if category == "all" else f"?category={category}"
        return f"https://api.biorxiv.org/details/{server}/{{since}}/{{today}}/0/json{chosen}"

    return build


def _europe_pmc(text: str, within: str = "") -> str:
    if not text.strip():
        return ""
    query = quote(f"({text.strip()}){within} AND ", safe="():*")
    return (
        "https://www.ebi.ac.uk/europepmc/webservices/rest/search?"
        f"query={query}(FIRST_IDATE:%5B{{since-14}}%20TO%20{{today}}%5D)"
        "&resultType=core&format=json&pageSize=100&cursorMark=*"
    )


def _pubmed(text: str) -> str:
    return _europe_pmc(text, " AND SRC:MED")


def _crossref(text: str) -> str:
    found = re.fullmatch(r"(\d{4})-?(\d{3}[\dXx])", text.strip())
    if not found:
        return ""
    journal = f"{found[1]}-{found[2].upper()}"
    return (
        f"https://api.crossref.org/journals/{journal}/works?filter=from-created-date:{{since-90}}"
        "&rows=200&cursor=*"
    )


def _doaj(text: str) -> str:
    if not text.strip():
        return ""
    query = quote(text.strip(), safe=":()")
    return f"https://doaj.org/api/search/articles/{query}?page=1&pageSize=100&sort=created_date:desc"


def _oai(text: str) -> str:
    url = text.strip()
    if not re.match(r"https?://[^/]+", url, re.IGNORECASE):
        return ""
    wanted = {"verb": "ListRecords", "metadataPrefix": "oai_dc", "from": "{since}"}
    if (urlsplit(url).hostname or "").endswith("arxiv.org"):
        wanted["metadataPrefix"] = "arXiv"
    return _with(url, **{name: value for name, value in wanted.items() if not _parameter(url, name)})


SOURCES = {
    source.name: source
    for source in (
        Source("arxiv:cs.CL+cs.LG", "the day's papers of arXiv categories", "arxiv-rss", _arxiv),
        Source(
            "openreview:ICLR.cc/2026/Conference",
            "a venue's accepted papers, with `?all` all that were submitted",
            "openreview",
            _openreview,
        ),
        Source("biorxiv:neuroscience", "a subject's preprints, or `all`", "biorxiv", _preprints("biorxiv")),
        Source("medrxiv:cardiology", "a subject's preprints, or `all`", "biorxiv", _preprints("medrxiv")),
        Source("europepmc:QUERY", "what is new for a query", "europe-pmc", _europe_pmc),
        Source("pubmed:QUERY", "the same of PubMed alone, through Europe PMC", "europe-pmc", _pubmed),
        Source("crossref:1476-4687", "a journal's articles, by its ISSN", "crossref", _crossref),
        Source("doaj:QUERY", "what is new for a query in open-access journals", "doaj", _doaj),
        Source("oai:https://…?set=…", "a repository's records, or those of a set", "oai-pmh", _oai),
    )
}


def is_short(text: str) -> bool:
    """Whether `text` begins like a short name: "arxiv:cs.CL"."""
    return text.partition(":")[0].strip().lower() in SOURCES and ":" in text


def address(short: str, mirror: str = "") -> str:
    """The address that a short name means; InputError with one that works.

    With a mirror everything is asked of that: https://host/path → MIRROR/host/path.
    """
    name, _, text = short.partition(":")
    source = SOURCES.get(name.strip().lower())
    if source is None:
        raise InputError(f"{short!r} is of no known source", f"known are: {', '.join(SOURCES)}")
    url = source.build(text)
    if not url:
        raise InputError(f"{short!r} names nothing that {source.name} has", f"write it like {source.example}")
    return f"{mirror.rstrip('/')}/{url.split('://', 1)[1]}" if mirror else url


def table() -> str:
    """The formats and their short names as Markdown: what README shows."""
    rows = [("format", "what it reads", "short name")]
    for known in formats.formats().values():
        sentence = (known.__doc__ or "").split("\n")[0].rstrip(".")
        named = (source for source in SOURCES.values() if source.format == known.name)
        shorts = [f"`{source.example}`: {source.brings}" for source in named]
        rows.append((f"`{known.name}`", sentence, "; ".join(shorts)))
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([lines[0], "|---|---|---|", *lines[1:]])


# ---- the windows


def is_windowed(url: str) -> bool:
    """Whether the address holds dates that are filled in when it is asked."""
    return "{today}" in url or bool(_WINDOW.search(url))


def asked(url: str, last_good: datetime | None, now: datetime) -> str:
    """The address to ask now: its window reaches `OVERLAP` behind the last good reading."""

    def since(found: re.Match[str]) -> str:
        back = timedelta(days=int(found[1] or _FIRST_WINDOW))
        start = last_good - OVERLAP if last_good else now - back
        return start.date().isoformat()

    return _WINDOW.sub(since, url).replace("{today}", now.date().isoformat())


def catch_up(url: str, since: datetime, now: datetime) -> str:
    """The address of arXiv's API for what an arXiv feed has missed since then, "" for any other feed."""
    found = re.search(r"^(.*/)rss\.arxiv\.org/(?:rss|atom)/([\w.+-]+)/?$", url)
    if not found:
        return ""
    categories = [_category(name) for name in found[2].split("+")]
    start = max(since - CATCH_UP_OVERLAP, now - LONGEST_CATCH_UP)
    query = (
        f"({'+OR+'.join(f'cat:{name}' for name in categories)})"
        f"+AND+submittedDate:%5B{start:%Y%m%d}0000+TO+{now:%Y%m%d}2359%5D"
    )
    return (
        f"{'https://' if found[1] == 'http://' else found[1]}"
        f"export.arxiv.org/api/query?search_query={query}"
        "&sortBy=submittedDate&sortOrder=descending&start=0&max_results=500"
    )


def _category(name: str) -> str:
    """An archive is the sum of its categories: "cs" → "cs.*", but "quant-ph" has none."""
    return f"{name}.*" if name in _ARCHIVES else name


_ARCHIVES = {
    "astro-ph",
    "cond-mat",
    "cs",
    "econ",
    "eess",
    "math",
    "nlin",
    "physics",
    "q-bio",
    "q-fin",
    "stat",
}


def other_version(url: str) -> str:
    """The same question to the other version of OpenReview's API, "" if the address is none of its."""
    for one, other, submission in (
        ("/api2.openreview.net/", "/api.openreview.net/", ("/-/Submission", "/-/Blind_Submission")),
        ("/api.openreview.net/", "/api2.openreview.net/", ("/-/Blind_Submission", "/-/Submission")),
    ):
        if one in url:
            return url.replace(one, other).replace(*submission)
    return ""


# ---- the pages


def newest_first(url: str) -> bool:
    """Whether the address asks for the newest first: then known papers are the end of what is new."""
    by_date = _parameter(url, "sortBy") in ("submittedDate", "lastUpdatedDate")
    return (by_date and _parameter(url, "sortOrder") == "descending" and "Date:" not in url) or _parameter(
        url, "sort"
    ).endswith(":desc")


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
    return _with(url, **{name: str(coming)}) if count and coming < total and not is_endless else None


def _after_openreview(url: str, body: bytes) -> str | None:
    answer = _json.load(body, "openreview")
    start, notes = _number(_parameter(url, "offset")), len(_json.sequence(answer, "notes"))
    total = _number(_json.text(answer, "count"))
    if not total and notes == _number(_parameter(url, "limit")):
        total = start + notes + 1
    return _after(url, "offset", start, notes, total)


_DETAILS = re.compile(r"(.*/details/\w+/(?:[\d-]+/[\d-]+|\d+d?))(?:/(\d+))?(?:/json)?(\?.*)?$", re.IGNORECASE)


def _after_biorxiv(url: str, body: bytes) -> str | None:
    place = _DETAILS.match(url)
    answer = _json.load(body, "biorxiv")
    said = next(iter(_json.sequence(answer, "messages")), None)
    coming = _number(_json.text(said, "cursor")) + len(_json.sequence(answer, "collection"))
    if not place or not _json.sequence(answer, "collection") or coming >= _number(_json.text(said, "total")):
        return None
    return f"{place[1]}/{coming}/json{place[3] or ''}"


def _after_europe_pmc(url: str, body: bytes) -> str | None:
    answer = _json.load(body, "europe-pmc")
    mark, found = _json.text(answer, "nextCursorMark"), len(_json.sequence(answer, "resultList", "result"))
    total = _number(_json.text(answer, "hitCount"))
    if not found or not mark or mark == _json.text(answer, "request", "cursorMark"):
        return None
    is_endless = total > found * MAX_PAGES and _parameter(url, "cursorMark") in ("", "*")
    return None if is_endless else _with(url, cursorMark=quote(mark, safe=""))


def _after_crossref(url: str, body: bytes) -> str | None:
    message = _json.member(_json.load(body, "crossref"), "message")
    mark, found = _json.text(message, "next-cursor"), len(_json.sequence(message, "items"))
    rows = _number(_parameter(url, "rows")) or 20
    is_endless = _number(_json.text(message, "total-results")) > rows * MAX_PAGES
    if not mark or found < rows or (is_endless and _parameter(url, "cursor") == "*"):
        return None
    return _with(url, cursor=quote(mark, safe=""))


def _after_doaj(url: str, body: bytes) -> str | None:
    answer = _json.load(body, "doaj")
    page, size = _number(_json.text(answer, "page")), _number(_json.text(answer, "pageSize"))
    total = _number(_json.text(answer, "total"))
    is_endless = total > size * MAX_PAGES and not newest_first(url)
    more = _json.sequence(answer, "results") and page * size < total and not is_endless
    return _with(url, page=str(page + 1)) if more else None


_TOKEN = re.compile(rb"<(?:\w+:)?resumptionToken\b[^<>]*>([^<>]{1,2000})</")


def _after_oai(url: str, body: bytes) -> str | None:
    found = _TOKEN.search(body, max(0, len(body) - 10_000))
    token = html.unescape(found[1].decode("utf-8", "replace")).strip() if found else ""
    if not token:
        return None
    parts = urlsplit(url)
    verb = _parameter(url, "verb") or "ListRecords"
    query = f"verb={verb}&resumptionToken={quote(token, safe='')}"
    return urlunsplit((parts.scheme, parts.netloc, parts.path, query, ""))


_PAGES: dict[str, Callable[[str, bytes], str | None]] = {
    "arxiv-api": _after_arxiv,
    "openreview": _after_openreview,
    "biorxiv": _after_biorxiv,
    "europe-pmc": _after_europe_pmc,
    "crossref": _after_crossref,
    "doaj": _after_doaj,
    "oai-pmh": _after_oai,
}


def _number(text: str) -> int:
    return int(text) if re.fullmatch(r"[0-9]{1,9}", text) else 0


def _parameter(url: str, name: str) -> str:
    """The value of a parameter as it stands in the address, "" where it is missing."""
    found = re.search(rf"[?&]{re.escape(name)}=([^&#]*)", url)
    return found[1] if found else ""


def _with(url: str, **parameters: str) -> str:
    """The address with these parameters; everything else stands as it stood."""
    for name, value in parameters.items():
        found = re.search(rf"[?&]{re.escape(name)}=([^&#]*)", url)
        if found:
            url = url[: found.start(1)] + value + url[found.end(1) :]
        else:
            url += f"{'&' if '?' in url else '?'}{name}={value}"
    return url
