"""JSON documents: what shape they have, and values out of them whatever the type."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from digests.decoding import decode, head, scrub
from digests.errors import ParseError

_TOKEN = re.compile(r'"((?:[^"\\]|\\.)*+)"|([{}\[\],:])|[^\s{}\[\],:"]++', re.DOTALL)
_DEEP = 5


def shape(body: bytes) -> frozenset[str]:
    """The paths of the keys at the document's beginning: {"items": [{"DOI": ...}]} → items, items[].DOI.

    Empty where the document is no JSON; "[]" stands for a list at the top.
    """
    text = head(body).lstrip()
    return frozenset(_paths(text)) if text[:1] in ("{", "[") else frozenset()


def _paths(text: str) -> Iterator[str]:
    steps: list[str] = []
    key = last = ""
    for token in _TOKEN.finditer(text):
        string, mark = token[1], token[2]
        if mark in ("{", "["):
            steps.append(key + ("[]" if mark == "[" else "."))
            if mark == "[" and len(steps) <= _DEEP:
                yield "".join(steps).removeprefix(".")
            key = ""
        elif mark in ("}", "]"):
            if steps:
                steps.pop()
            key = ""
        elif mark == ":":
            key = last
            if len(steps) <= _DEEP:
                yield "".join((*steps, key)).removeprefix(".")
        elif mark == ",":
            key = ""
        elif string is not None:
            last = string


def load(body: bytes, format: str) -> object:
    """The document's value; ParseError with the place where it is not JSON."""
    try:
        return json.loads(decode(body))
    except RecursionError as error:
        raise ParseError("the JSON is nested too deeply", format=format) from error
    except ValueError as error:
        at = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        why = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
        raise ParseError(
            f"not whole JSON: {why}{f' in {at}' if at else ''}",
            format=format,
            where=at,
            hint="the document may be cut off; fetch it again",
        ) from error


def member(value: object, *keys: str) -> object:
    """The value under the keys, None where a key or an object on the way is missing."""
    for key in keys:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def text(value: object, *keys: str) -> str:
    """The value under the keys as text: of a list its first, of {"value": x} x, of null and objects ""."""
    if keys:
        value = member(value, *keys)
    if isinstance(value, dict):
        value = value.get("value")
    if isinstance(value, list):
        value = value[0] if value else ""
    if isinstance(value, str):
        return scrub(value).strip()
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    return str(int(value)) if isinstance(value, int) or value.is_integer() else str(value)


def sequence(value: object, *keys: str) -> list[object]:
    """The list under the keys; also out of {"value": [...]}; empty where there is none."""
    value = member(value, *keys)
    if isinstance(value, dict):
        value = value.get("value")
    return value if isinstance(value, list) else []


def texts(value: object, *keys: str) -> tuple[str, ...]:
    """The texts of the list under the keys, empty ones left out."""
    return tuple(filter(None, map(text, sequence(value, *keys))))
