"""The sample documents of tests/data/formats, and parts as the JSON beside them writes them."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from digests.feed import Part, Refused, Remark, Titled
from digests.paper import Announce, Entry

FOLDER = Path(__file__).parents[2] / "data" / "formats"
DOCUMENTS = sorted(path for path in FOLDER.iterdir() if not path.name.endswith(".expected.json"))


def format_of(document: Path) -> str:
    """The format that a sample is of, by the longest format name that its file name begins with."""
    from digests.formats import formats

    return max((name for name in formats() if document.stem.startswith(name)), key=len)


def expected(document: Path) -> list[dict[str, Any]]:
    """The parts that must come, as written beside the sample."""
    found: list[dict[str, Any]] = json.loads(
        document.with_name(document.name + ".expected.json").read_text("utf-8")
    )
    return found


def written(part: Part) -> dict[str, Any]:
    """A part as JSON writes it: what is empty or usual is left out."""
    match part:
        case Titled(title):
            return {"titled": title}
        case Refused(where, why):
            return {"refused": where, "why": why}
        case Remark():
            return {"remark": True}
        case Entry():
            fields = {
                name: list(value) if isinstance(value, tuple) else value
                for name, value in asdict(part).items()
            }
            return {name: value for name, value in fields.items() if value and value != Announce.NEW}
