"""Authors' names out of the strings that sources put them in."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

_MAX = 300_000
_TAGS = re.compile(r"<[^<>]{0,500}>")
_BRACKETS = re.compile(r"\s*[(（][^()（）]*[)）]")
_AND = re.compile(r"\s*,?\s+(?:and|&)\s+", re.IGNORECASE)
_SUFFIX = re.compile(r"(?:jr|sr|ii|iii|iv)\.?", re.IGNORECASE)
_DEGREE = re.compile(r"(?:ph\.?\s?d|m\.?d|m\.?sc|b\.?sc|d\.?phil)\.?", re.IGNORECASE)
_MAIL = re.compile(r"^\S+@\S+\s*[(（](.+)[)）]\s*$")


def people(text: str) -> tuple[str, ...]:
    """The names in a string that holds one author or many, affiliations in brackets left out.

    "Noor, Omar; Pia, Quin" → Omar Noor, Quin Pia; "A. Li (MIT, USA), B. Qu and C. Xu" → A. Li, B. Qu, C. Xu
    """
    text = _plain(text)
    if ";" in text or "|" in text or "；" in text:
        return _named(flipped(name) for name in re.split(r"[;|；]", text))
    if "，" in text or "、" in text:
        return _named(re.split("[，、,]", text))
    pieces = _AND.split(text)
    if len(pieces) > 1 and all(_is_family_first(piece) for piece in pieces):
        return _named(map(flipped, pieces))
    return _comma_list([name.strip() for piece in pieces for name in piece.split(",")])


def flipped(name: str) -> str:
    """A name with the given name first: "Noor, Omar" → "Omar Noor"; others as they are."""
    if "," not in name and not _DEGREE.fullmatch(name := name.strip()):
        return name
    parts = [part.strip() for part in name.split(",") if part.strip() and not _DEGREE.fullmatch(part.strip())]
    if len(parts) == 3 and _SUFFIX.fullmatch(parts[1]):
        return f"{parts[2]} {parts[0]} {parts[1]}"
    if len(parts) == 3 and _SUFFIX.fullmatch(parts[2]):
        return f"{parts[1]} {parts[0]} {parts[2]}"
    return f"{parts[1]} {parts[0]}" if len(parts) == 2 else ", ".join(parts)


def full_name(given: str, family: str) -> str:
    """A name made of its parts, either of which may be missing."""
    return " ".join(f"{given} {family}".split())


def _plain(text: str) -> str:
    text = " ".join(text[:_MAX].split())
    if "&" in text:
        text = html.unescape(html.unescape(text))
    if mail := _MAIL.match(text):
        return mail[1]
    text = _TAGS.sub("", text)
    for _ in range(4):
        text = _BRACKETS.sub("", text)
    opened = max(text.rfind("("), text.rfind("（"))
    if opened > max(text.rfind(")"), text.rfind("）")):
        text = text[:opened]
    return " ".join(text.split())


def _is_family_first(piece: str) -> bool:
    family, comma, given = piece.partition(",")
    return bool(comma) and "," not in given and min(len(family.split()), len(given.split())) == 1


def _are_initials(name: str) -> bool:
    letters = re.sub(r"[.\s-]", "", name)
    return letters.isupper() and len(letters) <= 4


def _comma_list(names: list[str]) -> tuple[str, ...]:
    if len(names) % 2 == 0 and all(map(_are_initials, names[1::2])):
        return _named(f"{given} {family}" for family, given in zip(names[::2], names[1::2], strict=True))
    if len(names) == 2 and all(name and " " not in name for name in names):
        return (f"{names[1]} {names[0]}",)
    joined: list[str] = []
    for name in names:
        if joined and _SUFFIX.fullmatch(name):
            joined[-1] += f" {name}"
        elif not _DEGREE.fullmatch(name):
            joined.append(name)
    return _named(joined)


def _named(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(name for name in (" ".join(n.split()).strip(" ,;") for n in names) if name)
