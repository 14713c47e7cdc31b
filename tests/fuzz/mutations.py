"""Damage to documents: bytes, tokens, encodings, nesting, sizes, and pieces of two documents put together."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

TOKENS = (
    *(b"<item>", b"</item>", b"<entry>", b"</entry>", b"<item/>", b"<title>", b"</title>", b"<title/>"),
    *(b"<description>", b"</description>", b"<summary>", b"<summary type='xhtml'><div>", b"</channel>"),
    *(b"<rss version='2.0'><channel>", b"<feed xmlns='http://www.w3.org/2005/Atom'>", b"</rss>", b"</feed>"),
    *(b"<rdf:RDF xmlns='http://purl.org/rss/1.0/'>", b"<record>", b"<outline xmlUrl='http://a.b/'/>"),
    *(b"<![CDATA[", b"]]>", b"<!--", b"-->", b"<?x", b"?>", b"<!DOCTYPE rss>", b"<!DOCTYPE html>", b"<html>"),
    *(b"<!DOCTYPE rss [<!ENTITY a 'aa'>]>", b"<!ENTITY", b"<", b">", b"</", b"/>", b"<a", b"<b>x</b>"),
    b"<p>",
    *(b"&", b"&amp;", b"&lt;b&gt;", b"&amp;lt;", b"&nbsp;", b"&eacute;", b"&#65;", b"&#x1F600;", b"&#0;"),
    *(b"&#xD800;", b"&a;", b"&nosuch;", b" xmlns='x'", b" xmlns:dc='http://purl.org/dc/elements/1.1/'"),
    *(b"<dc:creator>", b"<a:b>", b"a:b='", b" type='html'", b" type=\"xhtml\"", b" xml:base='http://[x/'"),
    *(b"{", b"}", b"[", b"]", b'"', b"'", b",", b":", b"\\", b'{"title":"a"}', b'"title":', b"null"),
    b"1e999",
    *(b'{"title":"A","abstract":"B"}\n', b'"\\ud800"', b'"\\u0000"', b"NaN", b"-0", b"9" * 5000, b"true"),
    *(b"\n", b"\r\n", b"\r", b"\n\n", b"\t", b" ", b"\x0b", b"\x0c", b"\x00", b"\x1b[31m", b"\x7f", b"\x85"),
    *(b"TY  - JOUR\n", b"ER  - \n", b"AB  - ", b"AU  - Li, A\n", b"PMID- 1\n", b"FAU - ", b"      "),
    *(b"@article{a,\n", b"title = {", b"}\n", b'"', b" # ", b"@string{j = {J}}\n", b"@comment{", b" and "),
    *(b"title,abstract\n", b"a;b;c\n", b'"a""b"', b"sep=;\n", b"Title: ", b"Abstract: ", b"doi:10.1/x"),
    b"# ",
    *(b"$", b"$$x^2$$", b"\\textbf{", b"\\frac{1}{2}", b"\\'e", b"\\", b"^{", b"_{", b"{\\em ", b"\\cite{a}"),
    *(b"\\begin{a}", b"\\[", b"\\(", b"``", b"''", b"--", b"~", b"**", b"*", b"`", b"[a](http://b)"),
    b"<sub>",
    *(b"</sub>", b"<math><msup><mi>x</mi>", b"</math>", b"<jats:p>", b"http://a.b/(c)", b"Abstract "),
    *("é".encode(), "é".encode("latin-1"), "漢字".encode(), "ﬁ".encode(), "e\u0301".encode(), "Ã©".encode()),
    *("\u200b\u200d\ufeff\u00ad".encode(), "\u2028".encode(), "\U0001f469\u200d\U0001f52c".encode()),
    *(b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbf\xbe", b"\xef\xbb\xbf", b"\xff\xfe"),
    *(b" AND ", b" OR ", b" NOT ", b"-", b"(", b")", b'"a b"', b"title:", b"author:", b"like:p1", b"*", b"?"),
    *(b"2202.12139v1", b"https://arxiv.org/abs/2202.12139", b"2024-13-45", b"Tue, 04 Mar 2025", b"0000"),
)  # fmt: skip
ENCODINGS = (
    *("utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252", "koi8-r", "gb18030"),
    "utf-7",
    *("shift_jis", "iso-2022-jp", "x-unknown", "unicode_escape", "idna", "zip", "US-ASCII", "utf-8-sig"),
    "hz",
)  # fmt: skip

_PIECE = re.compile(rb"<[^<>]{0,200}>|&#?\w{1,20};|\"[^\"\n]{0,100}\"|[^\W_]+|\n|.", re.DOTALL)
_DECLARED = re.compile(rb"(encoding\s*=\s*[\"'])[\w.:-]*")
_NAME = re.compile(rb"<[A-Za-z][\w:.-]*")


def damaged(body: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    """The document with one to five kinds of damage; `others` are documents to take pieces from."""
    for _ in range(min(int(chance.expovariate(0.7)) + 1, 5)):
        body = chance.choice(_DAMAGE)(body, chance, others)
    return body


def _span(body: bytes, chance: random.Random) -> tuple[int, int]:
    """A range of the document, mostly small, that begins and ends between tokens."""
    at = chance.randrange(len(body) + 1)
    start = at if chance.random() < 0.3 else max(body.rfind(b"<", 0, at), body.rfind(b"\n", 0, at), 0)
    length = int(min(chance.paretovariate(0.6), 4000))
    end = min(start + length, len(body))
    if chance.random() < 0.6:
        closing = [place for mark in (b">", b"\n", b"}") if (place := body.find(mark, end)) >= 0]
        end = min(closing) + 1 if closing else end
    return start, end


def _cut_out(body: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    start, end = _span(body, chance)
    return body[:start] + body[end:]


def _doubled(body: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    start, end = _span(body, chance)
    times = chance.choice((2, 2, 3, 10, 200))
    return body[:start] + body[start:end] * min(times, 20_000 // (end - start + 1) + 1) + body[end:]


def _truncated(body: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    at = chance.randrange(len(body) + 1)
    return body[:at] if chance.random() < 0.8 else body[at:]


def _token_put_in(body: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    start, end = _span(body, chance)
    at = chance.choice((start, end, chance.randrange(len(body) + 1)))
    return body[:at] + chance.choice(TOKENS) + body[at if chance.random() < 0.7 else end :]


def _nested(body: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    """One or two tokens, very often."""
    start, end = _span(body, chance)
    piece = chance.choice(TOKENS) + (chance.choice(TOKENS) if chance.random() < 0.5 else b"")
    times = min(chance.choice((5, 50, 300, 3000)), 16_000 // len(piece) + 1)
    close = b"</%s>" % piece[1:-1] if re.fullmatch(rb"<\w+>", piece) and chance.random() < 0.5 else b""
    return body[:start] + piece * times + body[start:end] + close * times + body[end:]


def _spliced(body: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    """A piece, or the other half, of another document."""
    other = chance.choice(others)
    start, end = _span(body, chance)
    if chance.random() < 0.3:
        return body[:start] + other[_span(other, chance)[0] :]
    begin, stop = _span(other, chance)
    return body[:start] + other[begin:stop] + body[end:]


def _token_exchanged(body: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    """A tag, a string, a word or a sign gives way to another of this or of another document."""
    pieces = _PIECE.findall(body[:20_000])
    if not pieces:
        return chance.choice(TOKENS)
    source = pieces if chance.random() < 0.5 else _PIECE.findall(chance.choice(others)[:4000]) or pieces
    for _ in range(chance.randrange(1, 6)):
        pieces[chance.randrange(len(pieces))] = chance.choice(source)
    return b"".join(pieces) + body[20_000:]


def _bytes_changed(body: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    changed = bytearray(body)
    for _ in range(chance.choice((1, 1, 2, 5, 50))):
        if changed:
            changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def _reencoded(body: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    """In another encoding, whatever the document declares."""
    try:
        return body.decode("utf-8", "replace").encode(chance.choice(ENCODINGS[:11]), "replace")
    except (UnicodeError, LookupError):
        return body


def _declared(body: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    """With another encoding declared, which may be a lie."""
    name = chance.choice(ENCODINGS).encode()
    if _DECLARED.search(body[:200]):
        return _DECLARED.sub(rb"\g<1>" + name, body, count=1)
    return b'<?xml version="1.0" encoding="%s"?>' % name + body


def _attributes(body: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    """A tag with a huge attribute, or with many."""
    tags = list(_NAME.finditer(body[:20_000]))
    if not tags:
        return body
    at = chance.choice(tags).end()
    many = b"".join(b" a%d='%d'" % (n, n) for n in range(chance.choice((2, 20, 400))))
    huge = b' a="' + chance.choice((b"x", b"&amp;", b"&", b"<", b"\n", b"/a")) * 3000 + b'"'
    return body[:at] + chance.choice((many, huge)) + body[at:]


def _nuls(body: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    start, end = _span(body, chance)
    return body[:start] + b"\0".join(bytes([byte]) for byte in body[start:end]) + b"\0" + body[end:]


def _end_tags_lost(body: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    """Without the end tags of one name, or with them in capitals."""
    tags = re.findall(rb"</[\w:.-]+\s*>", body[:20_000])
    if not tags:
        return body
    tag = chance.choice(tags)
    return body.replace(tag, chance.choice((b"", tag.upper(), b"</", b">")), chance.choice((1, 2, -1)))


def _moved(body: bytes, chance: random.Random, others: Sequence[bytes]) -> bytes:
    start, end = _span(body, chance)
    piece, rest = body[start:end], body[:start] + body[end:]
    at = _span(rest, chance)[0]
    return rest[:at] + piece + rest[at:]


Damage = Callable[[bytes, random.Random, Sequence[bytes]], bytes]
_DAMAGE: tuple[Damage, ...] = (
    *(_cut_out, _cut_out, _doubled, _truncated, _token_put_in, _token_put_in, _token_put_in, _nested),
    _spliced,
    *(_spliced, _token_exchanged, _token_exchanged, _bytes_changed, _reencoded, _declared, _attributes),
    _nuls,
    *(_end_tags_lost, _moved),
)  # fmt: skip
