"""OPML: the list of feeds that other readers export and import."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlsplit

from lxml import etree

from digests import sources
from digests.decoding import scrub, utf8
from digests.errors import ParseError, ScheduleError
from digests.feed import DEFAULT_EVERY, Feed
from digests.schedule import format_interval, parse_interval

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_ENTITY = re.compile(r"&(?!(?:#\d+|#[xX][0-9a-fA-F]+|amp|lt|gt|quot|apos);)(?:[A-Za-z]\w*;)?")


_OWN = "urn:paperround:opml"
"""The namespace of what only Paperround knows of a feed; other readers pass it over."""


@dataclass(frozen=True, slots=True)
class Outline:
    """A feed in somebody's list; `title` is "" where the list gives none.

    The rest is what an export of ours says besides: `name` is "" in a list of any other reader.
    """

    url: str
    title: str
    name: str = ""
    format: str = ""
    every: timedelta = DEFAULT_EVERY
    is_list: bool = False
    paused: bool = False


def read_opml(body: bytes) -> tuple[Outline, ...]:
    """The http and https feeds of the list at any depth, each address once, in order.

    ParseError if the document is not OPML, is not well-formed, or defines entities.
    """
    root = _root(body)
    found: dict[str, Outline] = {}
    for outline in _outlines(root):
        if _is_web(outline.url):
            found.setdefault(outline.url, outline)
    return tuple(found.values())


def write_opml(feeds: Iterable[Feed], now: datetime) -> str:
    """The feeds that others can fetch too, those at http and https addresses, as OPML 2.0.

    An address with a window has the dates of `now` for other readers; `read_opml` gives it as it was.
    """
    opml = etree.Element("opml", version="2.0", nsmap={"paperround": _OWN})
    head = etree.SubElement(opml, "head")
    etree.SubElement(head, "title").text = "Paperround feeds"
    body = etree.SubElement(opml, "body")
    for feed in feeds:
        if _is_web(feed.url):
            name, url = scrub(feed.name), scrub(sources.asked(feed.url, None, now))
            # Some readers show text, some title; some skip an outline whose type is not rss, even for Atom.
            written = etree.SubElement(body, "outline", type="rss", text=name, title=name, xmlUrl=url)
            for key, value in _own(feed).items():
                written.set(f"{{{_OWN}}}{key}", scrub(value))
    return _DECLARATION + etree.tostring(opml, encoding="unicode", pretty_print=True)


def _own(feed: Feed) -> dict[str, str]:
    """What an outline cannot say by itself."""
    said = {"name": feed.name, "format": feed.format, "every": format_interval(feed.every)}
    said |= {"list": "yes" if feed.is_list else "", "paused": "yes" if feed.paused else ""}
    said["address"] = feed.url if sources.is_windowed(feed.url) else ""
    return {key: value for key, value in said.items() if value}


def _root(body: bytes) -> etree._Element:
    source = utf8(body).decode().lstrip()
    if "<!entity" in source.lower():
        raise _unreadable("defines entities, which can be made into a bomb", "remove its DOCTYPE")
    parser = etree.XMLParser(
        encoding="utf-8", resolve_entities=False, no_network=True, huge_tree=False, remove_comments=True
    )
    try:
        root = etree.fromstring(_ENTITY.sub(_as_xml, source).encode(), parser)
    except etree.XMLSyntaxError as error:
        fault = f"is not well-formed XML: {error.msg}".split("\n")[0]
        raise _unreadable(fault, "export it from the reader again", f"line {error.lineno}") from error
    if _local_name(root) != "opml":
        hint = "add a single feed with: paperround feeds add FILE"
        raise _unreadable(f"is no OPML: it begins with <{_local_name(root)}>", hint)
    return root


def _as_xml(entity: re.Match[str]) -> str:
    """A bare ampersand, as in many exported addresses, or an entity of HTML as XML has it."""
    return html.escape(html.unescape(entity[0]))


def _unreadable(why: str, hint: str, where: str = "") -> ParseError:
    return ParseError(f"the list of feeds {why}", format="opml", where=where, hint=hint)


def _outlines(root: etree._Element) -> Iterator[Outline]:
    for element in root.iter("{*}*"):
        if _local_name(element) == "outline":
            given = _attributes(element)
            title = given.get("title") or given.get("text") or ""
            ours = {key: given.get(f"{{{_OWN}}}{key}", "") for key in _SAID}
            yield Outline(
                url=ours["address"] or given.get("xmlurl", ""),
                title=title,
                name=ours["name"],
                format=ours["format"],
                every=_interval(ours["every"]),
                is_list=ours["list"] == "yes",
                paused=ours["paused"] == "yes",
            )


_SAID = ("name", "address", "format", "every", "list", "paused")


def _interval(said: str) -> timedelta:
    try:
        return parse_interval(said)
    except ScheduleError:
        return DEFAULT_EVERY


def _attributes(element: etree._Element) -> dict[str, str]:
    return {str(name).lower(): " ".join(str(value).split()) for name, value in element.items()}


def _local_name(element: etree._Element) -> str:
    return etree.QName(element).localname.lower()


def _is_web(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False
