"""Crossref's deposits in XML (UNIXREF), as its OpenURL and DOI resolver answer."""

from __future__ import annotations

from collections.abc import Iterator

from digests.feed import Part, Refused, Remark
from digests.formats import _xml
from digests.formats._dates import parts_to_iso
from digests.formats._people import full_name
from digests.formats._xml import Element, first, markup
from digests.paper import Entry

name = "crossref-xml"
order = 10

_WORKS = (
    "journal_article",
    "conference_paper",
    "posted_content",
    "content_item",
    "dissertation",
    "report-paper",
)


def recognizes(url: str, body: bytes) -> bool:
    """A document whose root is Crossref's."""
    return _xml.local_name(_xml.root(body)) in ("doi_records", "crossref_result", "crossref")


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The works."""
    count = 0
    for found in _xml.items(body, _WORKS, name):
        if isinstance(found, Refused | Remark):
            yield found
        elif _xml.local_name(str(found.tag)) in _WORKS:
            count += 1
            yield _entry(found) or Refused(f"item {count}", "has no title")


def _entry(work: Element) -> Entry | None:
    title = markup(work.find("./{*}titles/{*}title"))
    doi = work.findtext("./{*}doi_data/{*}doi") or ""
    page = work.findtext("./{*}doi_data/{*}resource") or ""
    if not title:
        return None
    return Entry(
        title=title,
        abstract=markup(work.find("./{*}abstract")),
        authors=tuple(filter(None, map(_author, work.iterfind("./{*}contributors/*")))),
        links=(page.strip(),) if page.strip() else (),
        identifiers=(f"doi:{doi.strip()}",) if doi.strip() else (),
        published=_date(work),
    )


def _author(person: Element) -> str:
    found = _xml.children(person)
    if person.get("contributor_role") != "author":
        return ""
    return full_name(first(found, "given_name"), first(found, "surname")) or _xml.text(person)


def _date(work: Element) -> str:
    for path in ("./{*}publication_date", "./{*}posted_date"):
        found = work.find(path)
        if found is not None:
            parts = _xml.children(found)
            return parts_to_iso(first(parts, "year"), first(parts, "month"), first(parts, "day"))
    return ""
