"""A paper: one work under one identity, and the entry that it is made from."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NewType
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit, urlunsplit

from digests.boilerplate import without_boilerplate
from digests.errors import InputError
from digests.terms import fold
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
    stable; `published` is an ISO date as exact as the source is: "2022-02-24", "2025-03", "1987" or "".
    """

    title: str = ""
    abstract: str = ""
    authors: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    guid: str = ""
    published: str = ""
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

    `id` is `UNSTORED` until the database gives one; `version` is the highest seen of the preprint, 0 if none;
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

    @property
    def is_preprint(self) -> bool:
        """Whether it is on a preprint server, be it published elsewhere too."""
        return any(map(_is_preprint, self.identifiers))

    @property
    def published_in(self) -> str:
        """Where a preprint has come out: its venue, else its DOI there; "" if nowhere yet, or no preprint."""
        if not self.is_preprint:
            return ""
        if is_venue(self.venue):
            return self.venue
        dois = (str(i) for i in self.identifiers if i.kind == "doi" and not _is_preprint(i))
        return next(dois, "")


ARXIV_ID = r"(\d{4}\.\d{4,5}|[a-z]{2,8}(?:-[a-z]{2,4})?(?:\.[a-z]{2})?/\d{7})"
_ARXIV = re.compile(
    r"(?:(?:oai:)?arxiv(?:\.org)?:\s*|(?:https?://)?(?:[a-z]+\.)?(?:arxiv|alphaxiv)\.org/(?:abs|pdf|html|format)/"
    r"|https?://huggingface\.co/papers/|https?://ar5iv\.(?:labs\.arxiv\.)?org/(?:abs|html)/)?"
    rf"{ARXIV_ID}(?:v(\d{{1,3}}))?(?:\.pdf|/)?(?:\s*\[[\w.-]+\])?(?:[?#].*)?",
    re.IGNORECASE,
)
_ARXIV_DOI = re.compile(rf"10\.48550/arxiv\.{ARXIV_ID}(?:v(\d{{1,3}}))?", re.IGNORECASE)
_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"'?#]+")
_PAGE_OF_DOI = re.compile(
    r"(?:/(?:full|fulltext|pdf|epdf|pdfdirect|abstract|html|meta|summary|references)|\.pdf|\.full(?:[.-](?:pdf|text))?|\.abstract)+$"
)
_PREPRINT_VERSION = re.compile(
    r"^(10\.(?:1101|64898)/[\d.]*\d|10\.21203/rs\.\d+\.rs-\d+|10\.20944/preprints[\d.]*\d|10\.26434/chemrxiv-[\w-]+?"
    r"|10\.312\d\d/osf\.io/[a-z\d]+|10\.22541/au\.[\d.]*\d)[/._-]?v(\d{1,3})$"
)
_PREPRINT_SERVERS = (
    "10.1101/0", "10.1101/1", "10.1101/2", "10.64898/",  # bioRxiv and medRxiv; 10.1101/gr.… is a journal
    "10.21203/", "10.20944/", "10.26434/", "10.2139/ssrn", "10.36227/", "10.22541/", "10.31219/", "10.31234/",
    "10.31235/", "10.31222/", "10.31223/", "10.35542/", "10.5281/", "10.6084/", "10.17605/",
)  # fmt: skip
_PREPRINT_VENUE = re.compile(
    r"arxiv|[a-z]rxiv|\bcorr\b|ssrn|preprint|research square|\bosf\b|zenodo|figshare|authorea"
    r"|submi(?:tted|ssion)|under review|in preparation|\bto appear$",
    re.IGNORECASE,
)
_OTHERS = (
    ("openreview", re.compile(r"(?:openreview:|https?://openreview\.net/[a-z]+\?(?:.*&)?id=)([\w-]{4,40})")),
    (
        "pmid",
        re.compile(
            r"(?:pmid:\s*|https?://pubmed\.ncbi\.nlm\.nih\.gov/|https?://(?:www\.)?ncbi\.nlm\.nih\.gov/pubmed/"
            r"|https?://europepmc\.org/(?:article|abstract)/med/)"
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
    r"(?:utm_\w+|fbclid|gclid|dclid|msclkid|yclid|igshid|mc_[ce]id|wt[._]mc|_hsenc|_hsmi|mkt_tok|ns_campaign|cmpid"
    r"|ns_mchannel|_ga|jsessionid|af|feed_?id)(?:=.*)?"
    r"|(?:ref|source|src|from|via|rss)=(?:rss|feed|atom|twitter|facebook|email|newsletter|yes|1)?[\w.-]*",
    re.IGNORECASE,
)
_SESSION = re.compile(r";jsessionid=[^/?#]*", re.IGNORECASE)
_LONGEST_LINK = 2_000
# Nearly all addresses: nothing in them is odd, and reading them in parts takes twenty times as long.
_PLAIN_LINK = re.compile(
    r"https?://[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+(?:/[\w/%:@!$&'()*+,;=.~-]*)?"
    r"(?:\?[\w/%:@!$&'()*+,;=.~?-]+)?(?:#[\w/%:@!$&'()*+,;=.~?-]+)?",
    re.ASCII,
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
    return _PREPRINT_VERSION.sub(r"\1", _whole_doi(found))


def _whole_doi(found: str) -> str:
    doi = _PAGE_OF_DOI.sub("", found.lower().rstrip(".,;/&"))
    while doi.endswith(")") and doi.count(")") > doi.count("("):
        doi = doi[:-1].rstrip(".,;")
    return doi


def version_of(text: str) -> int:
    """The version that an identifier or address of a preprint names, 0 if it names none."""
    if text.isalnum():
        return 0
    found = _ARXIV.fullmatch(text.strip()) or _ARXIV_DOI.search(unquote(text))
    if not found and (doi := _DOI.search(unquote(text))):
        found = _PREPRINT_VERSION.match(_whole_doi(doi[0]))
    return int(found[2]) if found and found[2] else 0


def _is_preprint(identifier: Identifier) -> bool:
    is_doi = identifier.kind == "doi"
    return identifier.kind == "arxiv" or (is_doi and identifier.value.startswith(_PREPRINT_SERVERS))


def is_venue(name: str) -> bool:
    """Whether it names a place where work is published, and not a preprint server or a hope."""
    return bool(name) and not _PREPRINT_VENUE.search(name)


def safe_link(link: str) -> str:
    """The address with everything odd percent-encoded, "" unless it is http or https with a host."""
    if len(link) <= _LONGEST_LINK and _PLAIN_LINK.fullmatch(link):
        return link
    try:
        parts = urlsplit(link.strip())
        host = (parts.hostname or "").encode("idna").decode("ascii")
        port = f":{parts.port}" if parts.port else ""
    except (ValueError, UnicodeError):
        return ""
    if (
        parts.scheme.lower() not in ("http", "https")
        or not host
        or len(link) > _LONGEST_LINK
        or parts.username
    ):
        return ""
    if _UNSAFE_IN_LINK.search(host):
        return ""
    path = quote(parts.path, safe="/%:@!$&'()*+,;=-._~")
    query = quote(parts.query, safe="/%:@!$&'()*+,;=-._~?")
    fragment = quote(parts.fragment, safe="/%:@!$&'()*+,;=-._~?")
    return urlunsplit((parts.scheme.lower(), host + port, path, query, fragment))


def shown_link(link: str) -> str:
    """The address as readers get it: safe, and without the parameters that only follow them about.

    "https://a.example/x?id=2&utm_source=rss#top" → "https://a.example/x?id=2#top"
    """
    safe = safe_link(link)
    if "?" not in safe and ";" not in safe:
        return safe
    parts = urlsplit(safe)
    return urlunsplit(parts._replace(path=_SESSION.sub("", parts.path), query=_untracked(parts.query)))


def _untracked(query: str) -> str:
    return "&".join(piece for piece in query.split("&") if piece and not _TRACKING.fullmatch(piece))


def canonical_link(link: str) -> str:
    """What two addresses of one page have in common: no scheme, "www.", fragment or tracking parameters."""
    parts = urlsplit(link)
    query = parse_qsl(_untracked(parts.query), keep_blank_values=True)
    host = parts.netloc.lower().removeprefix("www.").removesuffix(":443").removesuffix(":80")
    path = _SESSION.sub("", unquote(parts.path)).rstrip("/")
    return host + path + ("?" + urlencode(sorted(query)) if query else "")


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
    abstract = clip(without_boilerplate(plain(entry.abstract)), MAX_ABSTRACT)
    if not title and not abstract:
        raise InputError("has neither a title nor an abstract")
    links = tuple(dict.fromkeys(filter(None, map(shown_link, entry.links[:20]))))
    names = dict.fromkeys((*entry.identifiers[:20], *links, entry.guid))
    identifiers = tuple(dict.fromkeys(found for name in names if (found := identify(name))))
    return Paper(
        title=title,
        abstract=abstract,
        authors=tuple(filter(None, map(_author, entry.authors[:MAX_AUTHORS]))),
        identifiers=identifiers,
        links=links,
        published=entry.published,
        venue=clip(plain(entry.venue), 200),
        categories=tuple(dict.fromkeys(clip(plain(category), 100) for category in entry.categories[:50])),
        version=max(map(version_of, names)) if identifiers else 0,
        guid=entry.guid[:500],
        announce=entry.announce,
    )


def _author(raw: str) -> str:
    """The name without the marks of footnotes, as in "Ann Author*"; "" where there is none."""
    name = plain(raw).rstrip(" *†‡§¶")
    return clip(name, 200) if any(map(str.isalnum, name)) else ""


def keys(paper: Paper) -> tuple[str, ...]:
    """The keys under which the paper is known, strongest first: identifiers, links, and what it says.

    An identifier's key names one work whatever else differs; a link ("url:"), a title ("title:") and the
    beginning of an abstract ("text:") only bring together what may be one work: see `is_weak`.
    """
    strong = [str(identifier) for identifier in paper.identifiers]
    links = [f"url:{canonical_link(link)}" for link in paper.links if not identify(link)]
    return tuple(dict.fromkeys([*strong, *links, *_said(paper)]))


def is_weak(key: str) -> bool:
    """Whether different works may have this key."""
    return key.startswith(("title:", "text:")) or is_link(key)


def is_link(key: str) -> bool:
    """Whether the key is an address, or a feed's own name for an item."""
    return key.startswith(("url:", "guid:"))


def _said(paper: Paper) -> Iterator[str]:
    title = letters(paper.title.replace("&", " and "))
    if title:
        yield f"title:{_hashed(title)}"
    label = _LABEL.match(paper.abstract)
    start = label.end() if label else 0
    beginning = letters(paper.abstract[start : start + 2 * _BEGINNING])[:_BEGINNING]
    if len(beginning) == _BEGINNING or not title:
        yield f"text:{_hashed(beginning or paper.abstract.encode(errors='replace'))}"


def _hashed(said: bytes) -> str:
    return hashlib.sha256(said).hexdigest()[:20]


_BEGINNING = 60  # letters and digits: some ten words, and less than any teaser shows
_LABEL = re.compile(
    r"\s*(?:abstract|background|objectives?|introduction|purpose|aims?|importance|context|motivation)\b\W*",
    re.IGNORECASE,
)
_LOWER_CASE = bytes(range(256)).lower()
_NO_WORD = re.compile(r"[\W_]")
_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalnum())


def letters(text: str) -> bytes:
    """The letters and digits of a text, folded: what is left when punctuation, case and accents go."""
    if text.isascii():
        return text.encode().translate(_LOWER_CASE, _NO_LETTERS)
    return _NO_WORD.sub("", fold(text)).encode(errors="replace")


def contradict(one: Iterable[Identifier], other: Iterable[Identifier]) -> bool:
    """Whether two works seem two: both have identifiers of a kind, and share none of it.

    A work has one DOI for each preprint server beside its journal's, and a forum of OpenReview for each venue
    that it was submitted to.
    """
    mine, theirs = _by_kind(one), _by_kind(other)
    return any(mine[kind].isdisjoint(theirs[kind]) for kind in mine.keys() & theirs.keys())


def _by_kind(identifiers: Iterable[Identifier]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for i in identifiers:
        if i.kind != "openreview":
            kind = i.value.partition("/")[0] if i.kind == "doi" and _is_preprint(i) else i.kind
            found.setdefault(kind, set()).add(i.value)
    return found
