"""XML documents: their root, their items one by one, the text of elements; entities are never expanded."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from html.entities import html5
from io import BytesIO, StringIO
from itertools import islice, pairwise

from lxml import etree

from digests.decoding import head, utf8
from digests.errors import ParseError
from digests.feed import Refused, Remark

Element = etree._Element

_PROLOG = re.compile(
    r"(?:\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE\s[^\[>]*(?:\[.*?\]\s*)?>)", re.DOTALL | re.IGNORECASE
)
_ROOT = re.compile(r"<[A-Za-z_][^<>]{0,5000}>")
_WRAPPED = re.compile(r"<(?:feed\b[^<>]*/Atom|rss\b[^<>]*version=|rdf:RDF\b)[^<>]*>")
_DAMAGED = re.compile(r"<(?:feed|rss|rdf:RDF|OAI-PMH|PubmedArticleSet)\b")
_DOCTYPE = re.compile(rb"<!DOCTYPE\s[^\[>]*+(?:\[.*?\]\s*)?>", re.DOTALL | re.IGNORECASE)
_DEEPEST = 200
"""Elements nested deeper are ended, all but the item around them; libxml2 gives up at 256."""

_LARGEST = 2_000_000
"""So many characters of an item that is cut out of a damaged document are looked at."""

_PROLOG_SIZE = 8_000
_FIRST_TAG = re.compile(rb"<[A-Za-z_]")
_OPAQUE = re.compile(r"<!\[CDATA\[|<!--")
_TO_LAST_END = re.compile(r".*</[^<>]*[<>]", re.DOTALL)
_DECLARED = re.compile(r"\bxmlns(:[\w.-]+)?\s*=\s*[\"']([^\"'<>&]*)[\"']")
_ENTITY = re.compile(r"&(?:#(?:(\d{1,9})|[xX]([0-9a-fA-F]{1,8}));|([A-Za-z][A-Za-z0-9]{1,31});)?")
_UNCLOSED = re.compile(r"</?[A-Za-z_][^<>]*+(?=<)")
_TAG = re.compile(r"<(/?)([A-Za-z_][\w:.-]*+)((?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*+[^<>]*+)>")
_ATTRIBUTE = re.compile(r"\s[A-Za-z_][\w:.-]*\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*')")
_STRAY = re.compile(r"<!(?:\[CDATA\[|--|[A-Za-z][^<>]*>)")
_BARE_LESS = re.compile(r"<(?!/?[A-Za-z_]|\?[A-Za-z_][^<>]*+(?<=\?)>)")

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
    yield from _piecemeal(_mended(source).decode(), names, seen)


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
    """The source with HTML's entities, bare ampersands and less-than signs, and unclosed marks made XML.

    CDATA sections and comments stay as they are.
    """
    return _outside(source.decode(), _with_marks_mended).encode("utf-8", "replace")


def _with_marks_mended(text: str) -> str:
    text = _replaced(_STRAY, lambda _: "", text)
    text = _replaced(_ENTITY, _as_xml, text)
    text = _replaced(_UNCLOSED, lambda tag: f"{tag[0]}>", text)
    return _replaced(_BARE_LESS, lambda _: "&lt;", text)


def _replaced(pattern: re.Pattern[str], change: Callable[[re.Match[str]], str], text: str) -> str:
    """`pattern.sub`, which holds all its pieces until the end: 300 MB for 4 million of them."""
    if not pattern.search(text):
        return text
    replaced, at = StringIO(), 0
    for found in pattern.finditer(text):
        replaced.write(text[at : found.start()])
        replaced.write(change(found))
        at = found.end()
    replaced.write(text[at:])
    return replaced.getvalue()


def _outside(text: str, change: Callable[[str], str], within: Callable[[str], str] = str) -> str:
    """The text with what stands outside CDATA sections and comments changed, and what stands within them."""
    changed, at = StringIO(), 0
    for start, end in _opaque(text):
        changed.write(change(text[at:start]))
        changed.write(within(text[start:end]))
        at = end
    changed.write(change(text[at:]))
    return changed.getvalue()


class _Balance:
    """Tags made to fit: an end tag ends what was opened inside its element, or goes if that is not open."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._count: Counter[str] = Counter()

    def __call__(self, text: str) -> str:
        return _TAG.sub(self._tag, text)

    def _tag(self, found: re.Match[str]) -> str:
        is_end, name, rest = found.groups()
        if is_end:
            return self._ended(name.lower())
        attributes = "".join(_ATTRIBUTE.findall(rest))
        if rest.endswith("/"):
            return f"<{name}{attributes}/>"
        risen = "".join(self._pop() for _ in range(_DEEPEST - 2)) if len(self._open) >= _DEEPEST else ""
        self._open.append(name)
        self._count[name.lower()] += 1
        return f"{risen}<{name}{attributes}>"

    def _ended(self, name: str) -> str:
        tags = ""
        while self._count[name] and not tags.lower().endswith(f"</{name}>"):
            tags += self._pop()
        return tags

    def _pop(self) -> str:
        name = self._open.pop()
        self._count[name.lower()] -= 1
        return f"</{name}>"


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


def _piecemeal(source: str, names: Sequence[str], skip: int) -> Iterator[Element | Refused | Remark]:
    """The items behind the first `skip`, each cut out of the source and parsed alone under a common root."""
    name = rf"(?:[\w.-]+:)?(?:{'|'.join(names)})"
    visible = _visible(source)
    starts = [found.start() for found in re.finditer(rf"<{name}(?=[\s<>/])", visible)]
    before = source[: starts[0]] if starts else source
    root = _recovered(before) if "<" in before else None
    root = etree.Element("root") if root is None else root
    declared = _declarations(before)
    empty, end_tag = re.compile(rf"<{name}[^<>]*/>"), re.compile(rf"</{name}\s*>")
    for number, (start, following) in enumerate(pairwise([*starts, len(source)]), start=1):
        end = empty.match(visible, start) or end_tag.search(visible, start, following)
        if number <= skip:
            continue
        piece = source[start : end.end() if end else following]
        if len(piece) > _LARGEST:
            piece = _whole_part(piece[:_LARGEST])
            if not piece:
                yield Refused(f"item {number}", f"has no field that ends within {_LARGEST:,} characters")
                continue
            yield Remark(f"of item {number} the fields within {_LARGEST:,} characters were read")
        elif end is None and following == len(source):
            piece = _whole_part(piece)
            if not piece:
                yield Refused("the last item", "the document breaks off inside it")
                continue
            yield Remark("the document breaks off inside its last item, of which the whole fields were read")
        wrapped = _recovered(f"<wrap {declared}>{piece}</wrap>")
        if wrapped is None or not len(wrapped):
            yield Refused(f"item {number}", "is not XML")
            continue
        item = wrapped[0]
        root.append(item)
        yield item
        root.remove(item)
    yield root


def _whole_part(piece: str) -> str:
    """The beginning of an item that breaks off, to the end of its last whole field; "" for none."""
    opened = _OPAQUE.search(_visible(piece))
    found = _TO_LAST_END.match(piece, 0, opened.start() if opened else len(piece))
    return found[0] if found else ""


def _visible(source: str) -> str:
    """The source with blanks for what stands in CDATA sections and comments."""
    return _outside(source, str, lambda hidden: " " * len(hidden))


def _recovered(source: str) -> Element | None:
    parser = etree.XMLParser(
        encoding="utf-8",
        recover=True,
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
    )
    try:
        found: Element | None = etree.fromstring(_outside(source, _Balance()).encode(), parser)
    except etree.XMLSyntaxError:  # nothing is left of it
        return None
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
    return _by_name(element)


def fields(element: Element, *wanted: str) -> dict[str, list[Element]]:
    """An item's children by name; all that stands inside it if those that are wanted say nothing.

    Damage can put a tag that is never closed around the fields.
    """
    found = _by_name(element)
    return found if first(found, *wanted) else _by_name(element.iterdescendants())


def _by_name(elements: Iterable[Element]) -> dict[str, list[Element]]:
    found: dict[str, list[Element]] = {}
    for element in elements:
        tag = element.tag
        if isinstance(tag, str):
            found.setdefault(_name(tag), []).append(element)
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
