"""Reads Discord's Markdown back as its clients do, rule by rule: the judge of what we write."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Each rule as the clients try it at a place of a line, first match first.
_RULES = {
    "escape": r"\\([^0-9A-Za-z\s])",
    "autolink": r"<(?:https?|mailto|tel):[^ >]+>",
    "url": r"https?://[^\s<]+",
    "link": r"\[((?:\[[^\]]*\]|[^\[\]]|\](?=[^\[]*\]))*)\]\(\s*<?((?:\([^)]*\)|[^\s\\]|\\.)*?)>?\s*\)",
    "mention": r"<(?:@[!&]?|#)\d+>|<a?:\w+:\d+>|<t:-?\d+(?::\w)?>|</[^>]+:\d+>|<id:\w+>|@(?:everyone|here)",
    "emoji": r":[\w+~-]+:",
    "strong": r"\*\*((?:\\.|[^\\])+?)\*\*(?!\*)",
    "underline": r"__((?:\\.|[^\\])+?)__(?!_)",
    "italic": r"\b_((?:__|\\.|[^\\_])+?)_\b"
    r"|\*(?=\S)((?:\*\*|\\.|\s+(?:\\.|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)",
    "strike": r"~~(.+?)~~",
    "code": r"(`+)(.*?[^`])\1(?!`)",
    "spoiler": r"\|\|(.+?)\|\|",
}
_INLINE = {name: re.compile(rule, re.ASCII | re.DOTALL) for name, rule in _RULES.items()}
_BLOCK = {
    "heading": re.compile(r"#{1,3} "),
    "small": re.compile(r"-# "),
    "quote": re.compile(r">(?:>>)? "),
    "list": re.compile(r"(?:[-*+]|\d+[.)])\s", re.ASCII),
}


@dataclass(frozen=True, slots=True)
class Sign:
    """A piece of mark-up: its kind, the text in it, and the address of a link."""

    kind: str
    text: str
    url: str = ""


def read(markdown: str) -> tuple[str, tuple[Sign, ...]]:
    """What a person sees of one line, and the mark-up in it, outermost first; the joiner is not seen."""
    signs: list[Sign] = []
    while block := next((kind for kind, rule in _BLOCK.items() if rule.match(markdown)), None):
        markdown = _BLOCK[block].sub("", markdown, count=1)
        signs.append(Sign(block, markdown))
    shown = "".join(_inline(markdown, signs, in_link=False))
    return shown.replace("\u2060", ""), tuple(signs)


def _inline(markdown: str, signs: list[Sign], *, in_link: bool) -> Iterator[str]:
    at = 0
    while at < len(markdown):
        kind, found = _first(markdown, at, in_link)
        if not found:
            yield markdown[at]
            at += 1
            continue
        at = found.end()
        if kind == "escape":
            yield found[1]
            continue
        inside = next((group for group in found.groups()[::-1] if group), found[0])
        if kind == "link":
            inside = found[1]
        signs.append(Sign(kind, inside, found[2] if kind == "link" else ""))
        nests = kind in ("link", "strong", "underline", "italic", "strike", "spoiler")
        yield from _inline(inside, signs, in_link=in_link or kind == "link") if nests else (inside,)


def _first(markdown: str, at: int, in_link: bool) -> tuple[str, re.Match[str] | None]:
    """The rule that matches here; inside a link a backslash escapes nothing and is seen."""
    for kind, rule in _INLINE.items():
        if not (in_link and kind == "escape") and (found := rule.match(markdown, at)):
            return kind, found
    return "", None
