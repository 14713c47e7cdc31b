"""A paper: one work under one identity, and the entry that it is made from."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NewType
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from digests.errors import InputError
from digests.text import clip, plain

PaperId = NewType("PaperId", int)
UNSTORED = PaperId(0)

MAX_TITLE = 500
MAX_ABSTRACT = 20_000
MAX_AUTHORS = 5_000


class Announce(StrEnum):
    """How a feed shows a paper: arXiv tells the four apart, every other source only knows `new`."""

    NEW = "new"
    CROSS = "cross"
    REPLACE = "replace"
    REPLACE_CROSS = "replace-cross"


@dataclass(frozen=True, slots=True)
class Entry:
    """One item as a feed's format gives it: every text as it stands there, mark-up and all.

    `links` holds the landing page first; `identifiers` anything that names the work ("arXiv:2202.12139v1",
    "10.1101/001891", "pmid:42286391", "openreview:0UK8c2kg7c"); `guid` is the feed's own key, where it is
    stable; `published` and `updated` are ISO dates as exact as the source is: "2022-02-24", "2025-03",
    "1987" or "".
    """

    title: str = ""
    abstract: str = ""
    authors: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    guid: str = ""
    published: str = ""
    updated: str = ""
    venue: str = ""
    categories: tuple[str, ...] = ()
    announce: Announce = Announce.NEW


@dataclass(frozen=True, slots=True, order=True)
class Identifier:
    """A name of a work: its kind ("arxiv", "doi", "openreview", "pmid", ...) and its normal form."""

    kind: str
    value: str

    def __str__(self) -> str:
        return f"{self.kind}:{self.value}"


@dataclass(frozen=True, slots=True)
class Paper:
    """One work: clean Unicode text, its identifiers and links, and where it was seen.

    `id` is `UNSTORED` until the database gives one; `version` is the highest arXiv version seen, 0 if none;
    `first_seen` is aware UTC, None before it is stored; `feeds` names the feeds that showed it.
    """

    title: str
    abstract: str
    authors: tuple[str, ...] = ()
    identifiers: tuple[Identifier, ...] = ()
    links: tuple[str, ...] = ()
    published: str = ""
    venue: str = ""
    categories: tuple[str, ...] = ()
    version: int = 0
    guid: str = ""
    announce: Announce = Announce.NEW
    id: PaperId = UNSTORED
    first_seen: datetime | None = None
    feeds: tuple[str, ...] = ()

    @property
    def arxiv(self) -> str:
        """Its arXiv id without version, "" if it has none."""
        return next((i.value for i in self.identifiers if i.kind == "arxiv"), "")


ARXIV_ID = r"(\d{4}\.\d{4,5}|[a-z]{2,8}(?:-[a-z]{2,4})?(?:\.[a-z]{2})?/\d{7})"
_ARXIV = re.compile(
    rf"(?:(?:oai:)?arxiv(?:\.org)?:\s*|(?:https?://)?(?:[a-z]+\.)?arxiv\.org/(?:abs|pdf|html|format)/)?"
    rf"{ARXIV_ID}(?:v(\d{{1,3}}))?(?:\.pdf)?(?:[?#].*)?",
    re.IGNORECASE,
)
_ARXIV_DOI = re.compile(rf"10\.48550/arxiv\.{ARXIV_ID}(?:v(\d{{1,3}}))?", re.IGNORECASE)
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"'?#]+")
_PREPRINT_VERSION = re.compile(r"^(10\.(?:1101|64898)/[\d.]*\d)v\d+(?:\.(?:full|abstract|pdf|full\.pdf))*$")
_OTHERS = (
    ("openreview", re.compile(r"(?:openreview:|https?://openreview\.net/[a-z]+\?(?:.*&)?id=)([\w-]{4,40})")),
    (
        "pmid",
        re.compile(
            r"(?:pmid:\s*|https?://pubmed\.ncbi\.nlm\.nih\.gov/|https?://www\.ncbi\.nlm\.nih\.gov/pubmed/)"
            r"(\d{1,9})\b.*",
            re.IGNORECASE,
        ),
    ),
    ("pmcid", re.compile(r"(?:pmcid:\s*|https?://\S*/)?(PMC\d{1,9})\b.*", re.IGNORECASE)),
    ("acl", re.compile(r"(?:acl:|https?://(?:www\.)?aclanthology\.org/)([\w.-]+?-[\w.-]*\d)(?:\.pdf|/)?")),
    ("pmlr", re.compile(r"(?:pmlr:|https?://proceedings\.mlr\.press/)(v\d+/[\w-]+)(?:\.html|/.*)?")),
    ("dblp", re.compile(r"(?:dblp:|https?://dblp\.org/rec/)([\w/-]+)(?:\.html)?", re.IGNORECASE)),
)
_LANDING = {
    "arxiv": "https://arxiv.org/abs/{}",
    "openreview": "https://openreview.net/forum?id={}",
    "doi": "https://doi.org/{}",
    "pmid": "https://pubmed.ncbi.nlm.nih.gov/{}/",
    "pmcid": "https://pmc.ncbi.nlm.nih.gov/articles/{}/",
    "acl": "https://aclanthology.org/{}/",
    "pmlr": "https://proceedings.mlr.press/{}.html",
}
_TRACKING = re.compile(
    r"utm_.*|fbclid|gclid|mc_[ce]id|wt_mc|af|rss|ref|source|ns_campaign|cmpid", re.IGNORECASE
)
_UNSAFE_IN_LINK = re.compile(r"[\x00-\x20\x7f\\]")


def written_id(paper: PaperId) -> str:
    """How people write a stored paper's id: 12 → "p12"; "" for one that is not stored."""
    return f"p{paper}" if paper else ""


def read_id(text: str) -> PaperId | None:
    """The id that `text` writes, None if it writes none."""
    found = re.fullmatch(r"[pP](\d{1,15})", text.strip())
    return PaperId(int(found[1])) if found else None


def identify(text: str) -> Identifier | None:
    """The identifier that `text` writes, in whichever form; None if it names no work for certain.

    "https://arxiv.org/pdf/2202.12139v3" → arxiv:2202.12139; "doi.org/10.1101/001891" → doi:10.1101/001891
    """
    text = text.strip()
    if text.isalnum() and text[:3].upper() != "PMC":
        return None  # the names of all other kinds have punctuation in them
    if found := _ARXIV.fullmatch(text) or _ARXIV_DOI.search(unquote(text)):
        return Identifier("arxiv", found[1].lower())
    for kind, pattern in _OTHERS:
        if found := pattern.fullmatch(text):
            return Identifier(kind, found[1].upper() if kind == "pmcid" else found[1])
    if found := _DOI.search(unquote(text)):
        return Identifier("doi", _doi(found[0]))
    return None


def _doi(found: str) -> str:
    """A DOI's normal form: lower case, without the punctuation that follows it in prose and addresses."""
    doi = found.lower().rstrip(".,;/&")
    while doi.endswith(")") and doi.count(")") > doi.count("("):
        doi = doi[:-1].rstrip(".,;")
    return _PREPRINT_VERSION.sub(r"\1", doi)


def arxiv_version(text: str) -> int:
    """The version in an arXiv identifier or address, 0 if it names none."""
    found = _ARXIV.fullmatch(text.strip()) or _ARXIV_DOI.search(unquote(text))
    return int(found[2]) if found and found[2] else 0


def safe_link(link: str) -> str:
    """The address with everything odd percent-encoded, "" unless it is http or https with a host."""
    try:
        parts = urlsplit(link.strip())
        host = (parts.hostname or "").encode("idna").decode("ascii")
        port = f":{parts.port}" if parts.port else ""
    except (ValueError, UnicodeError):
        return ""
    if parts.scheme.lower() not in ("http", "https") or not host or len(link) > 2_000 or parts.username:
        return ""
    if _UNSAFE_IN_LINK.search(host):
        return ""
    path = quote(parts.path, safe="/%:@!$&'()*+,;=-._~")
    query = quote(parts.query, safe="/%:@!$&'()*+,;=-._~?")
    fragment = quote(parts.fragment, safe="/%:@!$&'()*+,;=-._~?")
    return urlunsplit((parts.scheme.lower(), host + port, path, query, fragment))


def canonical_link(link: str) -> str:
    """What two addresses of one page have in common: no scheme, "www.", fragment or tracking parameters."""
    parts = urlsplit(link)
    query = [(k, v) for k, v in parse_qsl(parts.query, keep_blank_values=True) if not _TRACKING.fullmatch(k)]
    host = parts.netloc.lower().removeprefix("www.").removesuffix(":443").removesuffix(":80")
    return host + parts.path.rstrip("/") + ("?" + urlencode(query) if query else "")


def landing(paper: Paper) -> str:
    """The address where a reader starts: the first link, else one made from an identifier, else ""."""
    if paper.links:
        return paper.links[0]
    for identifier in paper.identifiers:
        if identifier.kind in _LANDING:
            return _LANDING[identifier.kind].format(quote(identifier.value, safe="/:().;-_"))
    return ""


def from_entry(entry: Entry) -> Paper:
    """The paper that a feed's entry describes, all text cleaned; InputError if it says nothing at all."""
    title = clip(plain(entry.title), MAX_TITLE)
    abstract = clip(plain(entry.abstract), MAX_ABSTRACT)
    if not title and not abstract:
        raise InputError("has neither a title nor an abstract")
    links = tuple(dict.fromkeys(filter(None, map(safe_link, entry.links[:20]))))
    names = (*entry.identifiers[:20], *links, entry.guid)
    identifiers = tuple(dict.fromkeys(found for name in names if (found := identify(name))))
    return Paper(
        title=title,
        abstract=abstract,
        authors=tuple(filter(None, (clip(plain(author), 200) for author in entry.authors[:MAX_AUTHORS]))),
        identifiers=identifiers,
        links=links,
        published=entry.published,
        venue=clip(plain(entry.venue), 200),
        categories=tuple(dict.fromkeys(clip(plain(category), 100) for category in entry.categories[:50])),
        version=max(map(arxiv_version, names)) if identifiers else 0,
        guid=entry.guid[:500],
        announce=entry.announce,
    )


def keys(paper: Paper) -> tuple[str, ...]:
    """The keys under which the paper is known, strongest first: identifiers, links, and what it says.

    An identifier's key names one work whatever else differs; a link ("url:") or the fingerprint of the text
    ("text:") names it only as far as no identifier contradicts.
    """
    strong = [str(identifier) for identifier in paper.identifiers]
    links = [f"url:{canonical_link(link)}" for link in paper.links if not identify(link)]
    return tuple(dict.fromkeys([*strong, *links, fingerprint(paper)]))


def fingerprint(paper: Paper) -> str:
    """A key of what the paper says: letters and digits of title and abstract; authors where it has none."""
    said = (paper.title, paper.abstract, "" if paper.abstract else " ".join(paper.authors))
    return "text:" + hashlib.sha256(b"|".join(map(_letters, said))).hexdigest()[:24]


_LOWER_CASE = bytes(range(256)).lower()
_NO_WORD = re.compile(r"[\W_]")
_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalnum())


def _letters(text: str) -> bytes:
    if text.isascii():
        return text.encode().translate(_LOWER_CASE, _NO_LETTERS)
    folded = unicodedata.normalize("NFKC", text).casefold().encode(errors="ignore")
    return _NO_WORD.sub("", folded.translate(None, _NO_LETTERS).decode()).encode()


def contradict(one: Iterable[Identifier], other: Iterable[Identifier]) -> bool:
    """Whether two works cannot be one: both have identifiers of a kind, and share none of it."""
    mine, theirs = set(one), set(other)
    for kind in {i.kind for i in mine} & {i.kind for i in theirs}:
        if {i.value for i in mine if i.kind == kind}.isdisjoint(i.value for i in theirs if i.kind == kind):
            return True
    return False
