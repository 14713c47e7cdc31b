"""Discord's Markdown: text that shows as it stands, links that stay whole, and lengths as Discord counts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from digests.digest import Span
from digests.phrases import ENGLISH, Phrases

MAX_URL = 800
"""An address longer than this is not linked: it would take the room of the papers after it."""

_JOINER = "\u2060"
"""Seen by nobody, it keeps two characters from being read as one sign."""

# Control characters, bidirectional overrides, zero-width spaces and lone surrogates: nothing to read.
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]+"
)
_SIGN = re.compile(r"[\\*_~|`<>\[\]]|:(?=//|[\w+~-]+:)")
# What begins a heading, a list or small print: a backslash goes before a sign, and behind a number.
_FIRST_SIGN = re.compile(r"^(\d+(?=[.)](?:\s|$))|(?=[#+-]))")
_EVERYBODY = re.compile("@(?=everyone|here)", re.IGNORECASE)

# Inside a masked link Discord still reads Markdown but shows the backslashes that would escape it
# (discord-api-docs issue 6185), so that only other characters of nearly the same look keep a title whole.
_LOOK_ALIKE = str.maketrans("\\*`[]", "∖∗ˋ［］")
_WIDE_SPACE = re.compile("(?<=］) | (?=［)")
# These want a partner beside them, so that keeping them apart is enough.
_HALF_SIGN = re.compile(
    r"(?<=~)(?=~)|(?<=\|)(?=\|)|(?<=<)|(?<=:)(?=//|[\w+~-]+:)|(?<=@)(?=everyone|here)", re.I
)
_OUTER_UNDERSCORE = re.compile("(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
# An emoji anywhere in its text breaks a masked link (issue 6116).
_EMOJI = re.compile(
    "[\u203c\u2049\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf\u2934\u2935\u2b05-\u2b55"
    "\u3030\u303d\u3297\u3299\ufe0f\U0001f000-\U0001faff]"
)


def size(text: str) -> int:
    """The most that Discord can count: UTF-16 units, which are never fewer than code points."""
    return len(text) + sum(character > "\uffff" for character in text)


def legible(text: str) -> str:
    """`text` on one line, without what nobody can see."""
    return " ".join(_UNSEEN.sub("", text).split())


def escaped(text: str) -> str:
    """Markdown that shows `text`: no formatting, no mention, no link, no emoji that is not in it."""
    return _escaped(legible(text))


def bold(text: str) -> str:
    """Markdown that shows `text` in bold."""
    inside = escaped(text)
    return f"**{inside}**" if inside else ""


def code(*lines: str) -> str:
    """Markdown that shows `lines` in letters of equal width, their spaces kept; several make a block."""
    shown = [re.sub(r"\s", " ", _UNSEEN.sub("", line)).replace("`", "ˋ").rstrip() for line in lines]
    if len(shown) > 1:
        return "\n".join(("```", *shown, "```"))
    return f"`{shown[0]}`" if any(shown) else ""


def marked(text: str, marks: Iterable[Span]) -> str:
    """Markdown that shows `text` with its marked ranges in bold."""
    pieces: list[str] = []
    at = 0
    for start, end in _apart(text, marks):
        pieces += _piece(text[at:start]), bold(text[start:end])
        at = end
    return "".join([*pieces, _piece(text[at:])]).strip()


def title(text: str, url: str, say: Phrases = ENGLISH) -> str:
    """A title in bold that leads to `url`; where its text cannot be a link, a word behind it does."""
    address, text = linkable(url), legible(text)
    if not any(unicodedata.category(character)[0] in "LNPS" for character in text):
        text = say.untitled
    if not address:
        return bold(text)
    if _EMOJI.search(text):
        return f"{bold(text)} · [{say.open}]({address})"
    return f"**[{_link_text(text)}]({address})**"


def linkable(url: str) -> str:
    """The address as it may stand between the round brackets of a link; empty if it may not."""
    address = quote(url, safe="%/:?#@!$&+,;=~-._")
    return address if re.match(r"https?://[^/?#]", address) and len(address) <= MAX_URL else ""


def _escaped(text: str) -> str:
    text = _FIRST_SIGN.sub(r"\1\\", _SIGN.sub(r"\\\g<0>", text))
    return _EVERYBODY.sub("@" + _JOINER, text)


def _link_text(text: str) -> str:
    text = _WIDE_SPACE.sub("", text.translate(_LOOK_ALIKE))
    text = _HALF_SIGN.sub(_JOINER, _OUTER_UNDERSCORE.sub("ˍ", text))
    return re.sub(r"^(\d+[.)]|[#+-])(?=\s)", r"\1" + _JOINER, text)


def _piece(text: str) -> str:
    """A part of a line, escaped; the spaces at its ends, which part words, stay."""
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() else ""
    inside = escaped(text)
    return f"{before}{inside}{after}" if inside else before


def _apart(text: str, marks: Iterable[Span]) -> Iterator[Span]:
    """The ranges in order, clear of spaces; two with at most a space between them are one.

    Discord reads `**a****b**` as neither.
    """
    last: Span | None = None
    for start, end in sorted(marks):
        word = text[start:end]
        start, end = start + len(word) - len(word.lstrip()), start + len(word.rstrip())
        if start < 0 or start >= end:
            continue
        if last and not legible(text[last[1] : start]):
            last = (last[0], max(last[1], end))
            continue
        if last:
            yield last
        last = (start, end)
    if last:
        yield last
