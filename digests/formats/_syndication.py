"""RSS, RDF and Atom: what they share, one item at a time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from urllib.parse import urljoin

from digests.decoding import head, utf8
from digests.feed import Part, Refused, Remark, Titled
from digests.formats import _xml
from digests.formats._dates import iso
from digests.formats._people import people
from digests.formats._xml import Element, every, first
from digests.paper import Entry

Children = dict[str, list[Element]]

_ITEM = re.compile(r"<(?:[\w.-]+:)?(?:item|entry)(?=[\s<>])", re.IGNORECASE)
_SAYS = re.compile(r"<(?:[\w.-]+:)?(?:title|description|summary|content)(?=[\s>])", re.IGNORECASE)
_GUID = re.compile(rb"<(?:[\w.-]+:)?(?:guid|id)(?:\s[^<>]*)?>([^<]{1,500})</")
_TAGS = re.compile(r"<[^<>]*>|&[#\w]+;")
_CITED = re.compile(
    r"\b(?:volume|vol|issue|pages?|pp?|early ?view|ahead of print|(?:published|available) online"
    r"|publication date)\b",
    re.IGNORECASE,
)
_CUT = re.compile(r"(?:\.\.\.|…|\[…\]|\[\.\.\.\])\s*(?:<[^<>]*>\s*)*$")
_LABELLED = re.compile(
    r"<(p|div|span)\b[^<>]*>\s*(?:<(?:b|strong)>)?\s*Abstract\s*:\s*(.*?)</\1>", re.DOTALL | re.I
)
_HEADED = re.compile(r"<h[1-6]\b[^<>]*>\s*Abstract\s*:?\s*</h[1-6]>\s*(.*?)(?=<h[1-6]\b|$)", re.DOTALL | re.I)
_BYLINE = re.compile(r"(?:>|^)\s*Author(?:s|\(s\))?\s*:\s*(?:</(?:b|strong)>)?\s*([^<]+)", re.IGNORECASE)
_BYLINE_FIRST = re.compile(
    r"^\s*(?:<[a-z]+\b[^<>]*>\s*)*Author(?:s|\(s\))?\s*:\s*(?:</(?:b|strong)>)?[^<]+(?:</(?:p|div|span)>|<br\s*/?>)",
    re.IGNORECASE,
)
_CNKI = re.compile(r"^(.*?;)?\s*</br>\s*(.*)$", re.DOTALL)
_DOI_SAID = re.compile(r"\bDOI:\s*(10\.\d{4,9}/[^\s<\"]+)", re.IGNORECASE)
_LONGEST = 50_000
"""No title or abstract is longer; patterns are not tried on more."""

_ENOUGH = 60
"""A description this long says something itself; a shorter one gives way to a longer text of the item."""


def has_items(body: bytes) -> bool:
    """Whether the document's beginning holds an item with something in it, whatever stands around."""
    start = head(body)
    item = _ITEM.search(start)
    return bool(item and _SAYS.search(start, item.end()))


def parse(body: bytes, url: str, format: str, channel_date: bool = False) -> Iterator[Part]:
    """The parts of an RSS, RDF or Atom document.

    With `channel_date` an item without a date has the channel's.
    """
    doubled = _doubled(body)
    channel: Children | None = None
    count = 0
    for found in _xml.items(body, ("item", "entry"), format):
        if isinstance(found, Refused | Remark):
            yield found
            continue
        is_item = _xml.local_name(str(found.tag)) in ("item", "entry")
        if channel is None:
            channel = _channel(found, is_item)
            if title := first(channel, "title", "atom:title", "dc:title"):
                yield Titled(title)
        if is_item:
            count += 1
            entry = _entry(found, channel, url, doubled, channel_date)
            yield entry or Refused(f"item {count}", "has neither a title nor a description")


def _doubled(body: bytes) -> frozenset[str]:
    """The keys that stand in the document more than once: one for several items is a key for none."""
    keys = Counter(map(bytes.strip, _GUID.findall(utf8(body))))
    return frozenset(key.decode() for key, count in keys.items() if count > 1)


def _channel(found: Element, is_item: bool) -> Children:
    """What surrounds the items: RSS's channel, RDF's channel beside them, Atom's feed."""
    around = found.getparent() if is_item else found
    inside = _xml.children(around) if around is not None else {}
    return _xml.children(inside["channel"][0]) if inside.get("channel") else inside


def _entry(
    item: Element, channel: Children, url: str, doubled: frozenset[str], channel_date: bool
) -> Entry | None:
    found = _xml.fields(item, *_SAID)
    title = first(found, *_TITLES)[:_LONGEST]
    said = _description(found)[:_LONGEST]
    abstract, authors = _abstract(said), _authors(found, channel) or _byline(first(found, "description"))
    if not title and not said:
        return None
    guid = first(found, "guid", "atom:id", "id")
    links = _links(item, found, guid, url)
    dated = _dates(channel, _PUBLISHED) if channel_date else ""
    return Entry(
        title=title,
        abstract=abstract,
        authors=authors,
        links=links,
        identifiers=_identifiers(found, said),
        guid="" if guid in doubled else guid,
        published=_dates(found, _PUBLISHED) or _dates(found, _UPDATED) or dated,
        venue=first(found, "prism:publicationName", "dc:source", "arxiv:journal_ref"),
        categories=_categories(found),
    )


_TITLES = ("title", "atom:title", "dc:title", "media:title")
_OTHER_TEXTS = (
    *("content:encoded", "atom:content", "content", "dc:description", "dcterms:abstract", "abstract"),
    *("media:description", "itunes:summary", "body"),
)
_SAID = (*_TITLES, "description", "atom:summary", "summary", *_OTHER_TEXTS)
_PUBLISHED = (
    *("pubDate", "atom:published", "published", "issued", "atom:issued", "dc:date", "dcterms:issued"),
    *("dcterms:created", "prism:publicationDate", "prism:coverDate"),
)
_UPDATED = ("atom:updated", "updated", "atom:modified", "dcterms:modified")


def _dates(found: Children, names: tuple[str, ...]) -> str:
    return next((date for said in every(found, *names) if (date := iso(said))), "")


def _description(found: Children) -> str:
    """The description, unless it is short, a citation or cut off and another text of the item is longer."""
    described = first(found, "description", "atom:summary", "summary", "dc:description")
    others = every(found, *_OTHER_TEXTS)
    if described and not (_says_little(described) or _CUT.search(described)):
        return described
    longest = max(others, key=len, default="")
    margin = 40 if described and not _is_citation(described) else 0
    is_longer = len(_letters(longest)) > len(_letters(described)) + margin
    best = longest if is_longer and not _is_citation(longest) else described
    return "" if _is_citation(best) else best


def _letters(text: str) -> str:
    return _TAGS.sub("", text).strip()


def _says_little(text: str) -> bool:
    return len(_letters(text)) < _ENOUGH or _is_citation(text)


def _is_citation(text: str) -> bool:
    """Whether a description only says where the paper stands: "Volume 56, Issue 3, Page 163-175"."""
    said = _letters(text)
    return (
        len(said) < 400
        and bool(_CITED.search(said))
        and not re.search(r"[a-z]{3} [a-z]+ [a-z]+ [a-z]+ ", said)
    )


def _abstract(said: str) -> str:
    """The abstract in a description that holds more: behind a label, under a heading, behind the authors."""
    if found := _LABELLED.search(said):
        return found[2].strip()
    if found := _HEADED.search(said):
        return found[1].strip()
    if (found := _CNKI.match(said)) and "</br>" in said:
        said = found[2].removeprefix("<正>").strip()
        return said if len(said) > 9 else ""
    return _BYLINE_FIRST.sub("", said)


def _byline(said: str) -> tuple[str, ...]:
    """The authors out of a description that names them."""
    if found := _BYLINE.search(said):
        return people(found[1])
    found = _CNKI.match(said) if "</br>" in said else None
    return people(found[1]) if found and found[1] else ()


def _authors(found: Children, channel: Children) -> tuple[str, ...]:
    names = (
        list(every(found, "dc:creator", "author", "itunes:author")) if not found.get("atom:author") else []
    )
    for author in (*found.get("atom:author", ()), *found.get("author", ())):
        inside = _xml.children(author)
        if name := first(inside, "atom:name", "name"):
            names[len(names) - (author.tag == "author") :] = [name]
    if not names and found.get("atom:title") and channel.get("atom:author"):
        names = list(every(_xml.children(channel["atom:author"][0]), "atom:name"))
    return tuple(dict.fromkeys(person for name in names for person in people(name)))


def _links(item: Element, found: Children, guid: str, url: str) -> tuple[str, ...]:
    rank = {"alternate": 0, "related": 1, "enclosure": 2}
    typed = [
        (rank.get(link.get("rel") or "alternate", 9), link.get("href") or "")
        for link in found.get("atom:link", ())
    ]
    places = [
        first(found, "feedburner:origLink"),
        first(found, "link"),
        *(href for order, href in sorted(typed, key=lambda link: link[0]) if order < 9),
        first(found, "prism:url"),
        item.get("{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about") or "",
        guid if guid.startswith(("http://", "https://")) else "",
    ]
    return tuple(dict.fromkeys(absolute for place in places if place and (absolute := _absolute(place, url))))


def _absolute(place: str, url: str) -> str:
    if place.startswith(("http://", "https://")):
        return place
    try:
        joined = urljoin(url, place)
    except ValueError:
        return ""
    return joined if joined.startswith(("http://", "https://")) else ""


def _identifiers(found: Children, said: str) -> tuple[str, ...]:
    names = [*every(found, "prism:doi", "dc:identifier", "dcterms:identifier", "arxiv:doi")]
    if doi := _DOI_SAID.search(said):
        names.append(f"doi:{doi[1]}")
    return tuple(dict.fromkeys(f"doi:{name}" if name.startswith("10.") else name for name in names))


def _categories(found: Children) -> tuple[str, ...]:
    terms = (tag.get("term") or tag.get("label") or "" for tag in found.get("atom:category", ()))
    said = every(found, "category", "dc:subject", "prism:keyword")
    return tuple(dict.fromkeys(word.strip() for word in (*terms, *said) if word.strip()))
