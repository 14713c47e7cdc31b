"""Bytes to text: any encoding that can be told, without control characters, never an error."""

from __future__ import annotations

import codecs
import io
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

HEAD = 65_536
"""So many bytes of a document are looked at to recognise it."""

_BOMS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32-le"),
    (b"\x00\x00\xfe\xff", "utf-32-be"),
    (b"\xff\xfe", "utf-16-le"),
    (b"\xfe\xff", "utf-16-be"),
)
_WIDE_BOMS = tuple(bom for bom, name in _BOMS if name != "utf-8")
_TAB_LIKE = bytes.maketrans(b"\x0b\x0c", b"  ")
_CONTROL = bytes(c for c in range(32) if c not in b"\t\n\r\x0b\x0c") + b"\x7f"
_CONTROL_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_DECLARED = re.compile(rb"^\s*<\?xml[^>]{0,100}encoding\s*=\s*[\"']([\w.:-]{1,40})[\"']")
_HIGH = re.compile(rb"[\x80-\xff]+")
_SAFE_CODEC = re.compile(
    r"utf|iso|windows|cp|koi8|mac|big5|gb|euc|shift|sjis|ks_c|latin|l\d|us-ascii|ascii|tis|hz", re.IGNORECASE
)
# What documents hold that name the first: https://encoding.spec.whatwg.org/#names-and-labels
_MEANT = {
    "iso8859_1": "cp1252",
    "ascii": "cp1252",
    "iso8859_9": "cp1254",
    "tis_620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "utf_8": "",
    "utf_16": "",
    "utf_32": "",
}
_SEVEN_BIT = ("iso2022", "hz", "utf_7")
_DETECTED = [
    *("cp1251", "koi8_r", "cp1253", "cp1255", "cp1256"),
    *("cp932", "euc_jp", "gb18030", "big5", "cp949"),
]


def utf8(body: bytes, charset: str = "") -> bytes:
    """The document in UTF-8 without BOM and control characters.

    Asked in turn: the BOM, the pattern of UTF-16, UTF-8 (what decodes as UTF-8 is it, whatever it declares),
    `charset`, the XML declaration (so RFC 7303), and last the statistics of the bytes.
    """
    clean = _transcoded(body, charset).translate(_TAB_LIKE, _CONTROL)
    if b"\xef\xbf\xbe" in clean or b"\xef\xbf\xbf" in clean:
        clean = clean.replace(b"\xef\xbf\xbe", b"").replace(b"\xef\xbf\xbf", b"")
    return clean


def charset(content_type: str) -> str:
    """The encoding that a Content-Type names: "text/xml; charset=koi8-r" → "koi8-r"; "" for none."""
    found = re.search(r";\s*charset\s*=\s*[\"']?([\w.:+-]{1,40})", content_type, re.IGNORECASE)
    return found[1] if found else ""


def decode(body: bytes, charset: str = "") -> str:
    """The document's text, without BOM and control characters."""
    return utf8(body, charset).decode()


def head(body: bytes) -> str:
    """The text of the document's beginning, enough to recognise it by."""
    start = body[:HEAD]
    if len(body) > HEAD:
        start = start[: len(start) - next((n for n in range(8) if start[-1 - n] < 0x80), 0)]
    return _decoded(start)


@lru_cache(maxsize=4)
def _decoded(start: bytes) -> str:
    """The text of a beginning; each format asks for it again, and telling its encoding takes a while."""
    return decode(start)


def lines(body: bytes) -> Iterator[str]:
    """The document's lines, one decoded at a time; only a wide encoding needs the whole document."""
    if is_wide(body):
        body = utf8(body)
    return ("" if line.isspace() else decode(line) for line in io.BytesIO(body))


def split(text: str) -> Iterator[str]:
    """The lines of a text, one at a time: a list of short lines takes fifty times the room of the text."""
    at = 0
    while at < len(text):
        end = text.find("\n", at) + 1 or len(text)
        yield from text[at:end].splitlines()
        at = end


def is_wide(body: bytes) -> bool:
    """Whether the document is in UTF-16 or UTF-32."""
    return body.startswith(_WIDE_BOMS) or bool(_wide(body))


def scrub(text: str) -> str:
    """The text without control characters and halves of surrogate pairs."""
    return text if text.isprintable() else _CONTROL_TEXT.sub("", text)


def _transcoded(body: bytes, charset: str) -> bytes:
    if body.isascii() and not charset and b"\0" not in body and b"<?xml" not in body[:200]:
        return body
    for bom, name in _BOMS:
        if body.startswith(bom):
            rest = body[len(bom) :]
            return rest if rest.isascii() and b"\0" not in rest else _reencoded(rest, name)
    said = charset, _declaration(body)
    if wide := _wide(body) or _wide_as_said(body, said):
        return _reencoded(body, wide)
    declared = [_codec(name) for name in said]
    seven_bit = next((name for name in declared if name.startswith(_SEVEN_BIT)), "")
    if seven_bit and body.isascii():
        return _reencoded(body, seven_bit)
    text = body.decode("utf-8", "replace")
    faults = text.count("\ufffd") - body.count(b"\xef\xbf\xbd")
    if not faults:
        return body
    if faults * 10 <= len(text) - len(text.encode("ascii", "ignore")) - faults:
        return text.encode()
    for name in filter(None, declared):
        try:
            return body.decode(name).encode()
        except (UnicodeError, ValueError):
            continue
    return _reencoded(body, _detected(body))


def _reencoded(body: bytes, codec: str) -> bytes:
    return body.decode(codec, "replace").encode("utf-8", "replace")


def _wide(body: bytes) -> str:
    """The kind of UTF-16 that a document without BOM is in, by where its NULs stand; "" for none."""
    start = body[:400]
    if re.match(rb"<\0[^\0]\0|\0<\0[^\0]", start):
        return "utf-16-le" if start[0] else "utf-16-be"
    even, odd = start[::2].count(0), start[1::2].count(0)
    if odd > len(start) * 0.35 and even * 20 < odd:
        return "utf-16-le"
    return "utf-16-be" if even > len(start) * 0.35 and odd * 20 < even else ""


def _wide_as_said(body: bytes, said: Iterable[str]) -> str:
    """UTF-16 that is said to be it, of a script in which few bytes are NUL: Cyrillic has them in its spaces.

    Without any NUL, or ASCII with a stray one, it is no text with spaces in UTF-16: XML is often declared so
    that is something else.
    """
    start = body[:HEAD]
    is_stray = start.isascii() and start.count(0) * 50 < len(start)
    is_said = any(re.match(r"(?i)utf-?16|ucs-?2|unicode$", name) for name in said)
    if b"\0" not in start or is_stray or not is_said:
        return ""
    return "utf-16-le" if start[1::2].count(0) >= start[::2].count(0) else "utf-16-be"


def _declaration(body: bytes) -> str:
    found = _DECLARED.match(body[:200])
    return found[1].decode("ascii", "ignore") if found else ""


def _codec(name: str) -> str:
    """Python's name of an encoding, "" if unknown; Latin-1 means Windows-1252, as in browsers, and so on."""
    name = name.lower().removeprefix("x-")
    if not _SAFE_CODEC.match(name):
        return ""
    try:
        codec = codecs.lookup(name).name
    except (LookupError, ValueError):
        return ""
    codec = codec.replace("-", "_")
    return _MEANT.get(codec, codec)


def _detected(body: bytes) -> str:
    """The encoding by the bytes beyond ASCII; where most stand in ones and twos it is a European one."""
    first = _HIGH.search(body)
    start = max(first.start() - 1000, 0) if first else 0
    sample = body[start : start + HEAD]
    runs = _HIGH.findall(sample)
    if sum(len(run) < 3 for run in runs) * 2 > len(runs):
        return _european(sample)
    import charset_normalizer  # slow to load, and few documents come this far

    best = charset_normalizer.from_bytes(sample, cp_isolation=_DETECTED).best()
    return best.encoding if best and best.encoding != "utf_8" else "cp1252"


_WESTERN = "äöüßé éèêëàâçîïôùûœ áéíóúñü¿¡ áâãàçéêíóôõú àèéìòùî åäöé æøåé ëïéèöü áéíóúýðþæö àèéíïòóúüç".split()
_CENTRAL = "ąćęłńóśźż áčďéěíňóřšťúůýž áäčďéíĺľňóôŕšťúýž áéíóöőúüű ăâîşţ čćđšž".split()
_ELSEWHERE = {
    "cp1250": _CENTRAL,
    "iso8859_2": _CENTRAL,
    "cp1254": ["çğıöşüâîİ"],
    "cp1257": "ąčęėįšųūž āčēģīķļņšūž äõöüšž".split(),
}
_MARKS = "“”„‘’‚–—…«»°±§©®·×€•™\xa0\xad"


def _european(sample: bytes) -> str:
    """Windows-1252, unless the text is written in a language of another encoding, and in none of its own.

    Accents in the names of an English text are too few to tell a language by: they need 3 % of the letters.
    charset-normalizer takes French and Spanish in Windows-1252 for Windows-1250.
    """
    high = bytes(c for c in sample if c > 0x7F)
    is_dense = len(high) * 33 > sum(chr(c).isalpha() for c in sample if c < 0x80)
    if not is_dense or _fit(high, "cp1252", _WESTERN) > 0.9:
        return "cp1252"
    fits = {codec: _fit(high, codec, alphabets) for codec, alphabets in _ELSEWHERE.items()}
    best = max(fits, key=lambda codec: fits[codec])
    return best if fits[best] > 0.97 else "cp1252"


def _fit(high: bytes, codec: str, alphabets: Iterable[str]) -> float:
    """The share of the bytes beyond ASCII that one of these alphabets accounts for."""
    text = high.decode(codec, "replace")
    known = (sum(c in _MARKS or c in letters or c.lower() in letters for c in text) for letters in alphabets)
    return max(known) / len(text)
