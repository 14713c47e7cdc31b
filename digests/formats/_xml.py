"""XML documents: their root, their items one by one, the text of elements; entities are never expanded."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from html.entities import html5
from io import BytesIO
from itertools import islice, pairwise

from lxml import etree

from digests.errors import ParseError
from digests.feed import Refused, Remark
from digests.formats._decoding import head, utf8

Element = etree._Element

_PROLOG = re.compile(
    r"(?:\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE\s[^\[>]*(?:\[.*?\]\s*)?>)", re.DOTALL | re.IGNORECASE
)
_ROOT = re.compile(r"<[A-Za-z_][^<>]{0,5000}>")
_WRAPPED = re.compile(r"<(?:feed\b[^<>]*/Atom|rss\b[^<>]*version=|rdf:RDF\b)[^<>]*>")
_DAMAGED = re.compile(r"<(?:feed|rss|rdf:RDF|OAI-PMH|PubmedArticleSet)\b")
_DOCTYPE = re.compile(rb"<!DOCTYPE\s[^\[>]*+(?:\[.*?\]\s*)?>", re.DOTALL | re.IGNORECASE)
_PROLOG_SIZE = 8_000
_FIRST_TAG = re.compile(rb"<[A-Za-z_]")
_OPAQUE = re.compile(r"<!\[CDATA\[|<!--")
_DECLARED = re.compile(r"\bxmlns(:[\w.-]+)?\s*=\s*[\"']([^\"'<>&]*)[\"']")
_ENTITY = re.compile(r"&(?:#(?:(\d{1,9})|[xX]([0-9a-fA-F]{1,8}));|([A-Za-z][A-Za-z0-9]{1,31});)?")
_BARE_LESS = re.compile(r"<(?![A-Za-z_/!?])")

_PREFIXES = {
    "http://purl.org/dc/elements/1.1/": "dc:",
    "http://purl.org/dc/terms/": "dcterms:",
    "http://purl.org/rss/1.0/modules/content/": "content:",
    "http://www.w3.org/2005/Atom": "atom:",
    "http://purl.org/atom/ns#": "atom:",
    "http://arxiv.org/schemas/atom": "arxiv:",
    "http://a9.com/-/spec/opensearch/1.1/": "opensearch:",
    "http://rssnamespace.org/feedburner/ext/1.0": "feedburner:",
    "http://search.yahoo.com/mrss/": "media:",
    "http://www.itunes.com/dtds/podcast-1.0.dtd": "itunes:",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#": "rdf:",
}


def root(body: bytes) -> str:
    """The tag that opens the document, "" if it is no XML; of a page or rubbish around a feed the feed's."""
    start = head(body)
    at = 0
    while found := _PROLOG.match(start, at):
        at = found.end()
    tag = _ROOT.match(start, at)
    if tag and local_name(tag[0]) != "html":
        return tag[0]
    if tag:
        wrapped = _WRAPPED.search(start)
        return wrapped[0] if wrapped else tag[0]
    damaged = _DAMAGED.search(start, 0, 2000) if start.lstrip()[:1] not in ("{", "[") else None
    return start[damaged.start() : damaged.end() + 1000] if damaged else ""


def local_name(tag: str) -> str:
    """The name of a tag without brackets, prefix and namespace: "<rdf:RDF xmlns=...>" → "rdf"."""
    name = re.match(r"<?(?:\{[^}]*\})?(?:[\w.-]+:)?([\w.-]+)", tag)
    return name[1].lower() if name else ""


def items(body: bytes, names: Sequence[str], format: str) -> Iterator[Element | Refused | Remark]:
    """The elements of these names, one at a time, and last the root.

    An element is emptied when the next is asked for.  An ill-formed document is mended, and read item by item
    where that does not help: a `Remark` says so, and damage costs the item in which it is.
    """
    source = _prepared(body, format)
    seen = 0
    fault = ""
    for mend in (bytes, _mended):
        try:
            for element in islice(_walk(mend(source), names), seen, None):
                yield element
                seen += 1
            return
        except etree.XMLSyntaxError as error:
            fault = fault or f"line {error.lineno}: {error.msg}".split("\n")[0]
    yield Remark(f"the XML is not well-formed ({fault}); it was read item by item")
    yield from _piecemeal(source.decode(), names, seen)


def _prepared(body: bytes, format: str) -> bytes:
    source = utf8(body).lstrip()
    first = _FIRST_TAG.search(source)
    prolog = source[: first.start()] if first else source
    if b"<!entity" in prolog.lower():
        raise ParseError(
            "the XML defines entities, which can be made into a bomb",
            format=format,
            hint="no feed needs them: tell its publisher",
        )
    return _DOCTYPE.sub(b"", prolog[:_PROLOG_SIZE], count=1) + source[min(len(prolog), _PROLOG_SIZE) :]


def _walk(source: bytes, names: Sequence[str]) -> Iterator[Element]:
    walk = etree.iterparse(
        BytesIO(source),
        events=("end",),
        tag=[f"{{*}}{name}" for name in names],
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    for _, element in walk:
        yield element
        _forget(element)
    if walk.root is not None and local_name(str(walk.root.tag)) not in map(str.lower, names):
        yield walk.root


def _forget(element: Element) -> None:
    element.clear()
    parent = element.getparent()
    before = element.getprevious()
    if parent is not None and before is not None and before.tag == element.tag:
        parent.remove(before)


def _mended(source: bytes) -> bytes:
    """The source with HTML's entities, bare ampersands and bare less-than signs made XML, outside CDATA."""
    text = source.decode()
    mended, at = [], 0
    for start, end in (*_opaque(text), (len(text), len(text))):
        mended += [_BARE_LESS.sub("&lt;", _ENTITY.sub(_as_xml, text[at:start])), text[start:end]]
        at = end
    return "".join(mended).encode("utf-8", "replace")


def _opaque(source: str) -> Iterator[tuple[int, int]]:
    """The places of CDATA sections and comments that are closed, in time linear in the source."""
    at, never = 0, set()
    while opened := _OPAQUE.search(source, at):
        closing = "-->" if opened[0] == "<!--" else "]]>"
        end = -1 if closing in never else source.find(closing, opened.end())
        if end < 0:
            never.add(closing)
            at = opened.end()
        else:
            at = end + 3
            yield opened.start(), at


def _as_xml(entity: re.Match[str]) -> str:
    decimal, hexadecimal, name = entity.groups()
    if name in ("lt", "gt", "amp", "quot", "apos"):
        return entity[0]
    if name:
        return html.escape(html5[f"{name};"]) if f"{name};" in html5 else f"&amp;{entity[0][1:]}"
    if decimal or hexadecimal:
        code = int(decimal) if decimal else int(hexadecimal, 16)
        allowed = (
            code in (9, 10, 13)
            or 32 <= code < 0xD800
            or 0xE000 <= code < 0xFFFE
            or 0x10000 <= code <= 0x10FFFF
        )
        return entity[0] if allowed else ""
    return "&amp;"


def _piecemeal(source: str, names: Sequence[str], skip: int) -> Iterator[Element | Refused]:
    """The items behind the first `skip`, each cut out of the source and parsed alone under a common root."""
    name = rf"(?:[\w.-]+:)?(?:{'|'.join(names)})"
    visible = _visible(source)
    starts = [found.start() for found in re.finditer(rf"<{name}(?=[\s>])", visible)]
    before = source[: starts[0]] if starts else source
    root = _recovered(before) if "<" in before else None
    root = etree.Element("root") if root is None else root
    declared = _declarations(before)
    end_tag = re.compile(rf"</{name}\s*>")
    for number, (start, following) in enumerate(pairwise([*starts, len(source)]), start=1):
        end = end_tag.search(visible, start, following)
        if number <= skip:
            continue
        if end is None and following == len(source):
            yield Refused("the last item", "the document breaks off inside it")
            continue
        wrapped = _recovered(f"<wrap {declared}>{source[start : end.end() if end else following]}</wrap>")
        if wrapped is None or not len(wrapped):
            yield Refused(f"item {number}", "is not XML")
            continue
        item = wrapped[0]
        root.append(item)
        yield item
        root.remove(item)
    yield root


def _visible(source: str) -> str:
    """The source with blanks for what stands in CDATA sections and comments."""
    parts, at = [], 0
    for start, end in _opaque(source):
        parts += [source[at:start], " " * (end - start)]
        at = end
    return "".join([*parts, source[at:]])


def _recovered(source: str) -> Element | None:
    parser = etree.XMLParser(
        encoding="utf-8",
        recover=True,
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
    )
    found: Element | None = etree.fromstring(_mended(source.encode("utf-8", "replace")), parser)
    return found


def _declarations(before: str) -> str:
    """The namespaces that the document declares before its items, and the usual ones."""
    spaces = {f":{prefix.rstrip(':')}": space for space, prefix in _PREFIXES.items()}
    spaces[":prism"] = "http://prismstandard.org/namespaces/basic/2.0/"
    if "<feed" in before:
        spaces[""] = "http://www.w3.org/2005/Atom"
    spaces |= dict(_DECLARED.findall(before))
    return " ".join(f'xmlns{prefix}="{space}"' for prefix, space in spaces.items())


def children(element: Element) -> dict[str, list[Element]]:
    """The element's children by name, with the usual prefix of their namespace: "title", "dc:creator"."""
    found: dict[str, list[Element]] = {}
    for child in element:
        tag = child.tag
        if isinstance(tag, str):
            found.setdefault(_name(tag), []).append(child)
    return found


@lru_cache(1024)
def _name(tag: str) -> str:
    namespace, _, local = tag[1:].partition("}") if tag.startswith("{") else ("", "", tag)
    if namespace.startswith("http://prismstandard.org/namespaces/"):
        return f"prism:{local}"
    return _PREFIXES.get(namespace, "") + local


def text(element: Element | None) -> str:
    """The element's text; where it holds elements, all of it as HTML."""
    if element is None:
        return ""
    if not len(element):
        return (element.text or "").strip()
    return _inner(element).strip()


def _inner(element: Element) -> str:
    parts = [html.escape(element.text or "", quote=False)]
    for child in element:
        if isinstance(child.tag, str):
            name = local_name(child.tag)
            parts.append(f"<{name}>{_inner(child)}</{name}>")
        parts.append(html.escape(child.tail or "", quote=False))
    return "".join(parts)


def child_text(element: Element, name: str) -> str:
    """The text of the first child of that name, without a look at the others."""
    for child in element:
        if isinstance(child.tag, str) and _name(child.tag) == name:
            return text(child)
    return ""


def markup(element: Element | None) -> str:
    """The element's text and elements as HTML, its text escaped."""
    return "" if element is None else _inner(element).strip()


def first(found: dict[str, list[Element]], *names: str) -> str:
    """The first text that is not empty among the children of these names."""
    for name in names:
        for child in found.get(name, ()):
            if said := text(child):
                return said
    return ""


def every(found: dict[str, list[Element]], *names: str) -> tuple[str, ...]:
    """The texts of all children of these names, empty ones left out."""
    return tuple(said for name in names for child in found.get(name, ()) if (said := text(child)))
