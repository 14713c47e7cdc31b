"""How benchmarks read their abstracts and print their figures: one JSON line each."""

from __future__ import annotations

import gzip
import json
import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


def shared_data() -> Path:
    """The folder of real input, beside the project unless PAPERROUND_SHARED says where."""
    return Path(os.environ.get("PAPERROUND_SHARED") or ROOT.parent / "shared") / "data"


def abstracts(arguments: Sequence[str], count: int) -> list[dict[str, Any]]:
    """So many abstracts of the named file, by default of the 20,000, in an order that is always the same."""
    path = Path(arguments[0]) if arguments else shared_data() / "abstracts-20k.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    random.Random(7).shuffle(rows)
    return rows[:count]


def report(name: str, value: float, unit: str, *, against: float | None = None, n: int = 0) -> None:
    """Print a figure, and its ratio to what it is measured against in the same run."""
    figure: dict[str, Any] = {"name": name, "value": round(value, 4), "unit": unit}
    if against:
        figure |= {"against": round(against, 4), "ratio": round(value / against, 3)}
    print(json.dumps(figure | {"n": n}), flush=True)
