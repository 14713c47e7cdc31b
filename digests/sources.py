"""The great sources: their short names, and how missed days are caught up on.

An address may hold `{since}` and `{today}`, dates that are filled in when it is asked; `{since-90}` goes back
90 days the first time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import quote, urlsplit

from digests import formats
from digests.errors import InputError
from digests.pages import parameter, with_parameters

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
    return with_parameters(url, **{name: value for name, value in wanted.items() if not parameter(url, name)})


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
