"""LaTeX, Markdown, HTML and entities to plain Unicode; clipping at a word.

`plain` is the one gate for the words of strangers, whatever source they came from.
It reads the text in passes until nothing changes any more, so that mark-up inside mark-up comes off too.
Maths becomes characters where one line says the same: `$10^0$` → 10⁰, `$x_{i,j} \\leq y$` → x_(i,j) ≤ y.
What has to be drawn (roots, fractions, `\\|`, unknown macros) makes its whole formula stay as it was written.
"""

import html
import re
import unicodedata
from html.entities import html5

from digests.latex import maths_in, without_latex
from digests.markdown import dashes, tildes_and_quotes, without_markdown
from digests.tags import without_tags

__all__ = ["clip", "plain"]

_PASSES = 5
_SPECIAL = re.compile(r"[\\$&<*_`~^{}#\[]")
_TAG_LIKE = re.compile("<[A-Za-z/!?]")
_NO_SPECIALS = str.maketrans(dict.fromkeys("\\$&<>*_`~^{}#[]", " "))


def plain(raw: str) -> str:
    """Clean text from any source into readable Unicode (NFC) on one line; `plain(plain(x)) == plain(x)`."""
    if _is_clean(raw):
        return raw
    spaced = " ".join(raw.split())
    if _is_clean(spaced) and not _HEADING.match(raw) and "#" not in raw:
        return spaced
    text = raw
    for _ in range(_PASSES):
        cleaned = _pass(text)
        if cleaned == text or _is_clean(cleaned):
            return cleaned
        text = cleaned
    # Mark-up nested this deep is an attack: its signs go, its words stay, and what is left settles at once.
    return plain(text.translate(_NO_SPECIALS))


def _is_clean(text: str) -> bool:
    """Whether a pass would surely change nothing, as with most names, titles and abstracts."""
    return (
        text.isprintable()
        and not ("--" in text or "  " in text or text[:1] == " " or text[-1:] == " ")
        and not _may_have_markup(text)
        and not _HEADING.match(text)
        and (text.isascii() or (not _SUSPECT.search(text) and unicodedata.is_normalized("NFC", text)))
    )


def _may_have_markup(text: str) -> bool:
    """Sign by sign, which is ten times as fast as a pattern that looks for all of them."""
    return (
        "\\" in text
        or "$" in text
        or "{" in text
        or "~" in text
        or "`" in text
        or ("&" in text and ";" in text)
        or ("<" in text and _TAG_LIKE.search(text) is not None)
        or "](" in text
        or ("*" in text and text.count("*") > 1)
        or ("_" in text and text.count("_") > 1)
    )


def _pass(text: str) -> str:
    if not (text.isascii() and text.isprintable()):
        text = _legible(text)
    if _SPECIAL.search(text):
        text = _without_markup(text)
    if "--" in text:
        text = dashes(text)
    return " ".join(_without_heading(text).split())


def _without_markup(text: str) -> str:
    kept = _Kept()
    if "&" in text:
        text = _ENTITY.sub(_character, text)
    if _TAG_LIKE.search(text):
        text = without_tags(text)
    if '="' in text or "{#" in text or "{." in text:
        text = _without_attributes(text)
    if "://" in text:
        text = _URL.sub(lambda url: _kept_url(url[0], kept), text)
    if "$" in text or "\\" in text:
        text = maths_in(text, kept.keep)
    if "\\" in text or "{" in text:
        text = without_latex(text, kept.keep)
    return kept.restore(without_markdown(tildes_and_quotes(text)))


class _Kept:
    """Pieces that later steps must not touch; a pair of noncharacters stands in the text for each."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def keep(self, piece: str) -> str:
        self._pieces.append(self.restore(piece))
        return f"\ufdd0{len(self._pieces) - 1}\ufdd1"

    def restore(self, text: str) -> str:
        return _PLACE.sub(lambda place: self._pieces[int(place[1])], text)


def _kept_url(url: str, kept: _Kept) -> str:
    end = len(url.rstrip("*_`.,;:!?'"))
    while url[:end].endswith(")") and url.count(")", 0, end) > url.count("(", 0, end):
        end -= 1
    return kept.keep(url[:end]) + url[end:]


_PLACE = re.compile("\ufdd0([0-9]+)\ufdd1")
# "[![a](https://b.example)](https://c.example)" has two.
_URL = re.compile(r"(?:https?|ftp)://(?:[^\s<>{}\\\"$\ufdd0\ufdd1\])]|\](?!\()|\)(?!\]\())+")


# Pandoc's attributes --------------------------------------------------------------------------------------


def _without_attributes(text: str) -> str:
    """As feeds of blogs have them: `[here](https://a.example){.wide id="b"}`, `::: {#figure-1 .wide}`."""
    bare = _ATTRIBUTES.sub("", text)
    return _FENCE.sub(" ", bare) if ":::" in text and bare != text else bare


_VALUE = r'"(?:[^"\\]|\\.)*+"'
_ATTRIBUTE = rf"(?:\.[A-Za-z][\w:.-]+|#[\w:.-]+|[A-Za-z][\w:-]+={_VALUE})"
_ATTRIBUTES = re.compile(
    rf"(?:\[\]|(?<=[\])])|::::*+ ?)\{{ ?{_ATTRIBUTE}(?:\s++{_ATTRIBUTE})*+ ?\}}|\{{#[a-z][\w:.-]{{2,}}\}}",
    re.DOTALL,
)
_FENCE = re.compile(r"(?:^|(?<=\s))::::*+(?=\s|$)")


# Characters ------------------------------------------------------------------------------------------------

_CP1252 = {code: bytes([code]).decode("cp1252", "ignore") for code in range(0x80, 0xA0)}
_CP1252_BYTES = {character: code for code, character in _CP1252.items() if character}
_HIGH = "\u0080-\u00bf" + "".join(_CP1252_BYTES)
# UTF-8 read as Latin-1 or cp1252; only after signs that no word ends with ("ß»" is German, not UTF-8).
_MOJIBAKE = re.compile(f"[ÂÃ][\u0080-\u00bf]|â[\u0080-\u009f{''.join(_CP1252_BYTES)}][{_HIGH}]")
_CONTROL_OF_CP1252 = re.compile("[\u0080-\u0084\u0086-\u009f]")
# ZWJ and ZWNJ are spelling in Persian and Indic scripts and hold emoji together; elsewhere they only hide.
_HIDDEN = (
    "\x00-\x08\x0e-\x1b\x7f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff9-\ufffc\ufffe\uffff\ud800-\udfff"
    "\U000e0000-\U000e0fff"
)
_SUSPECT = re.compile(f"[ÂÃâ\u200c\u200d{_HIDDEN}]")
_INVISIBLE = re.compile(
    f"[{_HIDDEN}]|(?<![\u0590-\u1fff\u2600-\u27bf\ufe0f\U0001f000-\U0001faff])[\u200c\u200d]"
)


def _legible(text: str) -> str:
    if "Â" in text or "Ã" in text or "â" in text:
        while (mended := _MOJIBAKE.sub(_mended, text)) != text:
            text = mended
    if not (text.isascii() or text.isprintable()):
        text = _CONTROL_OF_CP1252.sub(lambda control: _CP1252[ord(control[0])], text)
    if _SUSPECT.search(text):
        text = _INVISIBLE.sub("", text)
    return unicodedata.normalize("NFC", text)


def _mended(found: re.Match[str]) -> str:
    try:
        return bytes(_CP1252_BYTES.get(character, ord(character)) for character in found[0]).decode()
    except UnicodeDecodeError:
        return found[0]


_ENTITY = re.compile(
    r"&(?:amp;)*+(?:(amp;)|(#[0-9]{1,7};|#[xX][0-9a-fA-F]{1,6};|[A-Za-z][A-Za-z0-9]{1,31};))?"
)


def _character(entity: re.Match[str]) -> str:
    name = entity[2]
    if name is None:
        return "&"
    if not name.startswith("#"):
        return html5.get(name, f"&{name}")
    character = html.unescape(f"&{name}")
    return f"&{name}" if character in ("", "\ufffd") else character


# The heading "Abstract" ------------------------------------------------------------------------------------

_OPENERS = (
    r"(?:A|An|As|At|By|For|From|Here|How|In|It|Many|Most|Our|Recent|The|There|These|This|To|We|What|While"
    r"|Aims?|Background|Introduction|Motivation|Objectives?|Purpose)\b"
)
_HEADING = re.compile(
    rf"\s*(?:(?i:abstract)|摘要)(?:\s*(?:[:：—–]|\.(?![\w.])|-(?=\s)|[ \t]*\n)\s*(?=\S)|\.(?=[A-Z][a-z])"
    rf"|\s*(?={_OPENERS})|(?=[A-Z][a-z]+ [a-z]))"
)


def _without_heading(text: str) -> str:
    at = 0
    while heading := _HEADING.match(text, at):
        at = heading.end()
    return text[at:]


# Clipping --------------------------------------------------------------------------------------------------


def clip(text: str, width: int) -> str:
    """At most `width` characters: the whole text, or its beginning up to a word's end and `…`."""
    if len(text) <= width:
        return text
    if width < 1:
        return ""
    end = width - 1
    while end > 0 and not _can_part(text, end):
        end -= 1
    word_end = text.rfind(" ", 0, end + 1)
    if word_end >= end // 2:
        end = word_end
    return text[:end].rstrip(" ,;:–—-(") + "…"


def _can_part(text: str, at: int) -> bool:
    """Whether what stands before and after `at` are two characters to a reader."""
    before, after = text[at - 1], text[at]
    if (
        unicodedata.category(after)[0] == "M"
        or after in "\u200c\u200d"
        or "\U0001f3fb" <= after <= "\U0001f3ff"
    ):
        return False
    if _is_flag_half(before) and _is_flag_half(after):
        run = at
        while run > 0 and _is_flag_half(text[run - 1]):
            run -= 1
        return (at - run) % 2 == 0
    return before != "\u200d"


def _is_flag_half(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"
