"""Finding a pattern that begins with one of a few texts: many times as fast as trying it at every sign."""

from __future__ import annotations

import re
from collections.abc import Iterable


def scan(pattern: re.Pattern[str], text: str, beginnings: Iterable[str]) -> list[re.Match[str]]:
    """What `pattern.finditer(text)` finds, for a pattern that begins with one of the texts."""
    places = []
    for beginning in beginnings:
        at = text.find(beginning)
        while at >= 0:
            places.append(at)
            at = text.find(beginning, at + 1)
    places.sort()
    found, end = [], 0
    for at in places:
        if at >= end and (match := pattern.match(text, at)):
            found.append(match)
            end = match.end()
    return found
