"""Block Kit's parts, and text made fit for them.

All text of strangers goes into `rich_text` and `plain_text` elements, which know no mark-up: whatever it
says, it can ping nobody, link nowhere and format nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from digests.paper import safe_link
from digests.text import clip

Block = dict[str, Any]

MAX_BLOCKS = 50
MAX_SIZE = 10_000
"""Slack refuses blocks of together about 12,000 characters, and counts in a way that is nowhere said.

So this counts everything that could be: the UTF-16 units of the JSON, containers, links and all.
"""

_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def rich(*elements: Block) -> Block:
    """A paragraph."""
    return {"type": "rich_text", "elements": [paragraph(*elements)]}


def paragraph(*elements: Block) -> Block:
    return {"type": "rich_text_section", "elements": list(elements)}


def text(words: str, *, bold: bool = False, italic: bool = False, code: bool = False) -> Block:
    """Words inside a paragraph."""
    styles = (("bold", bold), ("italic", italic), ("code", code))
    style = {name: True for name, is_set in styles if is_set}
    element: Block = {"type": "text", "text": words}
    return element | {"style": style} if style else element


def link(words: str, url: str, *, bold: bool = False) -> Block:
    """Words that lead to an address, the words alone if it is not one of the web."""
    url = safe_link(url)
    if not url:
        return text(words, bold=bold)
    element: Block = {"type": "link", "url": url, "text": words}
    return element | {"style": {"bold": True}} if bold else element


def context(words: str) -> Block:
    """Fine print."""
    return {"type": "context", "elements": [plain(words)]}


def plain(words: str) -> Block:
    return {"type": "plain_text", "text": words, "emoji": False}


def escaped(words: str) -> str:
    """Words as Slack's mark-up writes them: without a sign that could begin a mention or a link."""
    return words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def short(words: str, limit: int) -> str:
    """At most `limit` UTF-16 units of it, cut at a word; "" if there is nothing to see.

    Hidden characters become spaces, so that places in the text stay where they are.
    """
    clipped = clip(_HIDDEN.sub(" ", words), limit)
    if _units(clipped) > limit:
        clipped = clip(clipped, limit // 2)
    return clipped if any(character.isprintable() for character in clipped.replace(" ", "")) else ""


def as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def size_of(blocks: Sequence[Block]) -> int:
    """The characters of these blocks in a message, with the commas around them."""
    return _units(as_json(blocks))


def _units(words: str) -> int:
    return len(words) + sum(character > "\uffff" for character in words)
