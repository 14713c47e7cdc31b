"""Documents that grow in one way each, for measuring whether reading them grows no faster than they do."""

from __future__ import annotations

from collections.abc import Callable

Shape = Callable[[int], bytes]


def _rss(items: bytes) -> bytes:
    return b'<rss version="2.0"><channel><title>Feed</title>' + items + b"</channel></rss>"


def _item(inside: bytes) -> bytes:
    return _rss(b"<item><title>T</title>" + inside + b"</item>")


def _title(inside: bytes) -> bytes:
    return _rss(b"<item><title>" + inside + b"</title></item>")


def _atom(inside: bytes) -> bytes:
    entry = b"<entry><title>T</title>" + inside + b"</entry>"
    return b'<feed xmlns="http://www.w3.org/2005/Atom">' + entry + b"</feed>"


def _numbered(pattern: bytes, count: int) -> bytes:
    return b"".join(pattern.replace(b"#", b"%d" % n) for n in range(count))


SHAPES: dict[str, Shape] = {
    "items": lambda n: _rss(_numbered(b"<item><title>Paper #</title></item>", n)),
    "empty items": lambda n: _rss(b"<item/>" * n),
    "damaged items": lambda n: _rss(_numbered(b"<item><title>Paper & #</title></item>", n)),
    "unclosed items": lambda n: _rss(b"<item><title>T" * n),
    "nested items": lambda n: _rss(b"<item>" * n + b"<title>T</title>"),
    "items with one guid": lambda n: _rss(_numbered(b"<item><title>#</title><guid>g</guid></item>", n)),
    "elements beside items": lambda n: _rss(b"<x>y</x>" * n + b"<item><title>T</title></item>" * n),
    "authors": lambda n: _atom(_numbered(b"<author><name>Ann Author#</name></author>", n)),
    "one author's commas": lambda n: _item(b"<author>" + b"Ann Author, " * n + b"</author>"),
    "one author's brackets": lambda n: _item(b"<author>" + b"Ann (Author " * n + b"</author>"),
    "categories": lambda n: _item(_numbered(b"<category>c#</category>", n)),
    "links": lambda n: _atom(b'<link href="/c"/>' * n),
    "attributes": lambda n: _rss(b"<item><title " + _numbered(b' a#="x"', n) + b">T & t</title></item>"),
    "quotes in a tag": lambda n: _title(b"<a b='\" " * n),
    "a tag's endless name": lambda n: _title(b"&<" + b"a" * n + b"<![CDATA[x]]>"),
    "namespaces": lambda n: _rss(b"<item" + _numbered(b' xmlns:a#="u:#"', n) + b"><title>T</title></item>"),
    "nesting": lambda n: _title(b"<b>" * n + b"x" + b"</b>" * n),
    "nesting that does not fit": lambda n: _title(b"<b><i></b>" * n),
    "entities": lambda n: _title(b"&nbsp;&amp;&#65;" * n),
    "CDATA sections": lambda n: _title(b"<![CDATA[x]]>&" * n),
    "unclosed CDATA": lambda n: _title(b"<![CDATA[" * n),
    "comments": lambda n: _title(b"<!-- x -->&" * n),
    "one line": lambda n: _item(b"<description>" + b"A sentence is here. " * n + b"</description>"),
    "one word": lambda n: _item(b"<description>" + b"x" * 9 * n + b"</description>"),
    "records": lambda n: b"<OAI-PMH><ListRecords>" + b"<record><header/></record>" * n + b"</ListRecords>",
    "JSON lines": lambda n: b'{"title": "T"}\n' * n,
    "broken JSON lines": lambda n: b'{"title": "T"}\n' + b'{"title":\n' * n,
    "JSON list": lambda n: b"[" + b'{"title": "T"},' * n + b"1]",
    "broken JSON list": lambda n: b'[{"title": "T"},' + b'{"a" 1},' * n + b"1]",
    "rows": lambda n: b"title,abstract\n" + b"T,A\n" * n,
    "lone quotes": lambda n: b"title,abstract\n" + b'"T,A\n' * n,
    "columns": lambda n: b"title,abstract" + b",x" * n + b"\nT,A" + b",y" * n + b"\n",
    "BibTeX entries": lambda n: b"@article{a, title={T}}\n" * n,
    "broken BibTeX": lambda n: b"@article{a, title={T\n" * n,
    "braces": lambda n: b"@article{a, title={" + b"{" * n + b"T" + b"}" * n + b"}}",
    "RIS references": lambda n: b"TY  - JOUR\nTI  - T\nER  - \n" * n,
    "RIS lines": lambda n: b"TY  - JOUR\nTI  - T\nAB  - x\n" + b"more words\n" * n,
    "citations": lambda n: b"PMID- 1\nTI  - T\n\n" * n,
    "paragraphs": lambda n: b"We look at walls, and at what is behind them. It is more.\n\n" * n,
    "headings": lambda n: b"We look at walls, and at what is behind them. It is more.\n\n" + b"Head\n\n" * n,
}
