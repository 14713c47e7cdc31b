"""PubMed's articles in XML, as efetch and the download give them."""

from __future__ import annotations

from collections.abc import Iterator

from digests.feed import Part, Refused, Remark
from digests.formats import _xml
from digests.formats._dates import iso, parts_to_iso
from digests.formats._people import full_name
from digests.formats._xml import Element, first, markup
from digests.paper import Entry

name = "pubmed"
order = 10

_ARTICLES = ("PubmedArticle", "PubmedBookArticle")


def recognizes(url: str, body: bytes) -> bool:
    """A document whose root is a set of articles, an article or a book."""
    return _xml.local_name(_xml.root(body)) in ("pubmedarticleset", *map(str.lower, _ARTICLES))


def parse(body: bytes, url: str) -> Iterator[Part]:
    """The articles; the labelled parts of an abstract become paragraphs "LABEL: text"."""
    count = 0
    for found in _xml.items(body, _ARTICLES, name):
        if isinstance(found, Refused | Remark):
            yield found
        elif str(found.tag) in _ARTICLES:
            count += 1
            entry = _entry(found)
            yield entry if entry.title or entry.abstract else Refused(f"item {count}", "has no title")


def _entry(article: Element) -> Entry:
    pmid = _text(article, ".//PMID")
    places = (
        "./PubmedData/ArticleIdList/ArticleId",
        "./PubmedBookData/ArticleIdList/ArticleId",
        ".//ELocationID",
    )
    names = {
        (place.get("IdType") or place.get("EIdType") or ""): (place.text or "").strip()
        for path in reversed(places)
        for place in article.iterfind(path)
    }
    kinds = {"pmid": pmid, "doi": names.get("doi", ""), "pmcid": names.get("pmc", "")}
    return Entry(
        title=markup(article.find(".//ArticleTitle")) or markup(article.find(".//BookTitle")),
        abstract="\n".join(_sections(article)),
        authors=tuple(filter(None, map(_author, article.iterfind(".//AuthorList/Author")))),
        links=(f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/",) if pmid else (),
        identifiers=tuple(f"{kind}:{said}" for kind, said in kinds.items() if said),
        published=_date(article),
        venue=_text(article, ".//Journal/Title") or _text(article, ".//Book/Publisher/PublisherName"),
        categories=tuple(filter(None, (markup(word) for word in article.iterfind(".//KeywordList/Keyword")))),
    )


def _text(article: Element, path: str) -> str:
    return (article.findtext(path) or "").strip()


def _sections(article: Element) -> Iterator[str]:
    for part in article.iterfind(".//Abstract/AbstractText"):
        label = (part.get("Label") or "").strip()
        if said := markup(part):
            yield f"{label}: {said}" if label and label != "UNLABELLED" else said


def _author(author: Element) -> str:
    found = _xml.children(author)
    collective = first(found, "CollectiveName")
    return collective or full_name(first(found, "ForeName", "Initials"), first(found, "LastName"))


def _date(article: Element) -> str:
    for path in (".//JournalIssue/PubDate", ".//Book/PubDate", ".//ArticleDate"):
        found = article.find(path)
        if found is not None:
            parts = _xml.children(found)
            date = parts_to_iso(first(parts, "Year"), first(parts, "Month"), first(parts, "Day"))
            return date or iso(first(parts, "MedlineDate"))
    return ""
