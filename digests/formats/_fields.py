"""Papers out of records with named fields, as tables and lists of objects hold them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from digests import json_values
from digests.errors import InputError
from digests.formats._dates import iso, parts_to_iso
from digests.formats._people import flipped, full_name, people
from digests.paper import ARXIV_ID, Entry

_SYNONYMS = {
    "title": "title papertitle name papername articletitle documenttitle primarytitle ti t1",
    "abstract": "abstract summary description abstracttext abstractnote paperabstract ab content text",
    "authors": "authors author authornames authorlist authorsnames creators creator authorfullnames au",
    "link": "url link links site href landingpage paperurl articleurl htmlurl webpage openreview",
    "pdf": "pdf pdfurl pdflink",
    "doi": "doi di digitalobjectidentifier",
    "arxiv": "arxiv arxivid eprint arxivurl",
    "pmid": "pmid pubmedid",
    "openreview": "forum openreviewid forumid",
    "id": "id uid paperid key identifier",
    "date": (
        "date published publicationdate publisheddate datepublished pubdate publishedat submitteddate"
        " submissiondate created issued"
    ),
    "year": "year publicationyear pubyear py",
    "month": "month",
    "venue": "venue conference journal journaltitle publicationtitle sourcetitle booktitle containertitle",
    "keywords": "keywords keyword tags categories subjects topics authorkeywords",
}
KNOWN = {name: field for field, names in _SYNONYMS.items() for name in reversed(names.split())}
"""The fields by the names that sources give them, letters and digits only."""

_iso = lru_cache(maxsize=5000)(iso)  # a day has many papers
_year_and_month = lru_cache(maxsize=1000)(parts_to_iso)
_KINDS = {"arxiv": "arXiv", "doi": "doi", "pmid": "pmid", "openreview": "openreview"}
_LISTS = ("authors", "keywords")
_NOTHING = ("", "na", "n/a", "nan", "none", "null", "-")
_ARXIV = re.compile(rf"(?:arxiv:)?{ARXIV_ID}(?:v\d{{1,3}})?", re.IGNORECASE)
_FORUM = re.compile(r"(?=.*[A-Z])(?=.*[a-z])[\w-]{9,14}")
_WEB = re.compile(r"https?://\S+", re.IGNORECASE)


@lru_cache(maxsize=1000)
def key(name: str) -> str:
    """A field's name as `KNOWN` has it: "Paper Title" → "papertitle"."""
    return re.sub(r"[\W_]", "", name.casefold())


def is_paper(names: frozenset[str] | set[str]) -> bool:
    """Whether fields of these names make a paper: a title or an abstract is among them."""
    return not {"title", "abstract"}.isdisjoint(KNOWN.get(key(name), "") for name in names)


def entry(record: Mapping[str, object], date: str = "") -> Entry:
    """The paper that a record describes, `date` where it names none; InputError if it says nothing."""
    values = _by_field(record)
    said = {field: json_values.text(found) for field, found in values.items() if field not in _LISTS}
    abstract = said.get("abstract", "")
    title = said.get("title", "")
    if not title and not abstract:
        raise InputError("has neither a title nor an abstract")
    links, names, guid = _names(said, values.get("link"))
    year = _year_and_month(said.get("year", "")[:60], said.get("month", "")[:60])
    return Entry(
        title=title,
        abstract=abstract,
        authors=authors(values.get("authors")),
        links=links,
        identifiers=names,
        guid=guid,
        published=_iso(said.get("date", "")[:60]) or year or date,
        venue=said.get("venue", ""),
        categories=_keywords(values.get("keywords")),
    )


def authors(value: object) -> tuple[str, ...]:
    """Names out of a string of many, a list of strings or a list of objects."""
    if isinstance(value, str):
        return people(value)
    if isinstance(value, dict):
        value = value.get("value") or [value]
    names = (_name(person) for person in value) if isinstance(value, list) else ()
    return tuple(name for name in names if name)


def year_in(url: str) -> str:
    """The year that a list's file name ends a conference with: ".../iclr2013.json" → "2013"."""
    found = re.search(r"[a-z][-_]?((?:19|20)\d\d)(?!\d)[\w.-]*$", url, re.IGNORECASE)
    return found[1] if found else ""


def _by_field(record: Mapping[str, object]) -> dict[str, object]:
    """The record's values that say something, under our names; the usual name wins over its synonyms."""
    found: dict[str, tuple[int, object]] = {}
    for name, value in record.items():
        field, rank = _ranked(str(name))
        if field and not _is_nothing(value, field) and (field not in found or rank < found[field][0]):
            found[field] = rank, value
    return {field: value for field, (_, value) in found.items()}


@lru_cache(maxsize=1000)
def _ranked(name: str) -> tuple[str, int]:
    """Our name for a field, "" for none, and how far from the usual one the source's name is."""
    field = KNOWN.get(key(name), "")
    return field, _SYNONYMS[field].split().index(key(name)) if field else 0


def _is_nothing(value: object, field: str) -> bool:
    if isinstance(value, str):
        said = value.strip()
        return not said or (field != "title" and len(said) < 5 and said.casefold() in _NOTHING)
    return value is None or value != value or value in ([], {})  # NaN differs from itself


def _name(person: object) -> str:
    if isinstance(person, str):
        return flipped(json_values.text(person))
    known = {key(str(name)): value for name, value in person.items()} if isinstance(person, dict) else {}
    family = (
        json_values.text(known, "family")
        or json_values.text(known, "lastname")
        or json_values.text(known, "surname")
    )
    given = (
        json_values.text(known, "given")
        or json_values.text(known, "firstname")
        or json_values.text(known, "givenname")
    )
    whole = (
        json_values.text(known, "name")
        or json_values.text(known, "fullname")
        or json_values.text(known, "author")
    )
    return flipped(whole) if whole else full_name(given, family)


def _names(said: Mapping[str, str], link: object) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """A record's links, identifiers and key."""
    places = json_values.texts({"link": link}, "link") or (said.get("link", ""),)
    links = [place for place in (*places, said.get("pdf", "")) if place and _WEB.fullmatch(place)]
    names = []
    for field, kind in _KINDS.items():
        if not (name := said.get(field, "")):
            continue
        if _WEB.fullmatch(name):
            links.append(name)
        else:
            names.append(f"{kind}:{_bare(name)}")
    guid = said.get("id", "")
    if _WEB.fullmatch(guid):
        links.append(guid)
    elif _ARXIV.fullmatch(guid):
        names.append(f"arXiv:{_bare(guid)}")
    elif guid.startswith("10."):
        names.append(f"doi:{guid}")
    elif _FORUM.fullmatch(guid) and _is_openreview(links):
        names.append(f"openreview:{guid}")
    return tuple(dict.fromkeys(links)), tuple(dict.fromkeys(names)), guid


def _is_openreview(links: list[str]) -> bool:
    return not links or any("openreview.net" in link for link in links)


def _bare(name: str) -> str:
    return re.sub(r"^(?:doi|arxiv|pmid|openreview):\s*", "", name.strip(), flags=re.IGNORECASE)


def _keywords(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return tuple(filter(None, (word.strip() for word in re.split(r"[;,|]", value))))
    return json_values.texts({"keywords": value}, "keywords")
