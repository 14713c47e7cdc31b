"""Hostile sizes: whether twice the document takes more than twice the time, in whatever way it grows.

    python -m tests.benchmarks.hostile [N]

N: how many pieces each document has, 4,000; its double is read as well.
A row for each way in which a document can grow gives the seconds for 2 N pieces and the ratio to those for N;
the last one the seconds for 20 MB of `<item/>`, the most that a feed may have.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress

from digests.errors import ParseError
from digests.feed import Fetched
from digests.reading import read
from tests.benchmarks.figures import report
from tests.digests.formats.shapes import SHAPES, Shape

BODY = 20_000_000


def main() -> None:
    """Print the figures."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 4_000
    for name, shape in SHAPES.items():
        once, twice = growth(shape, count)
        report(f"hostile: {name}", twice, "s", against=once, n=2 * count)
    items = BODY // len(b"<item/>")
    report("hostile: 20 MB of empty items", seconds(SHAPES["empty items"](items)), "s", n=items)


def growth(shape: Shape, count: int) -> tuple[float, float]:
    """The seconds for a document of `count` pieces and of twice as many, the best of three."""
    small, large = shape(count), shape(2 * count)
    return min(seconds(small) for _ in range(3)), min(seconds(large) for _ in range(3))


def seconds(body: bytes) -> float:
    """The seconds of CPU that reading a document takes."""
    start = time.process_time()
    with suppress(ParseError):
        read(Fetched("https://feeds.example.org/feed", body))
    return time.process_time() - start


if __name__ == "__main__":
    main()
