"""Measures an arXiv document of 2,000 papers on its way in, beside feedparser's parsing alone.

The product parses, cleans, identifies, stores and indexes; feedparser only parses the same bytes.
Both take turns, each in a process of its own, and the round counts in which each was disturbed least.
The memory is the peak above that of the idle process.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from tests.benchmarks.figures import abstracts, report, shared_data

PAPERS = 2_000
ROUNDS = 5


def document() -> bytes:
    """A page of arXiv's API with real abstracts, around the head and foot of a real answer."""
    real = (shared_data() / "feeds/arxiv-atom-api/q_testing_s0_m10_bc5a6c384fe9.xml").read_text("utf-8")
    head, foot = real[: real.index("<entry>")], "</feed>"
    head = re.sub(r"(totalResults>)\d+", rf"\g<1>{PAPERS}", head)
    return (head + "".join(map(_entry, range(PAPERS), abstracts([], PAPERS))) + foot).encode()


def _entry(number: int, paper: dict[str, Any]) -> str:
    names = paper.get("authors") or ["A. Author", "B. Author", "C. Author"]
    names = re.split(r"[;,]\s*", names) if isinstance(names, str) else names
    authors = "".join(f"<author><name>{escape(str(name))}</name></author>" for name in names[:12])
    place, at = f"2611.{number:05}v1", f"2026-11-{1 + number % 30:02}T{number % 24:02}:{number % 60:02}:19Z"
    return f"""<entry>
    <id>http://arxiv.org/abs/{place}</id>
    <title>{escape(paper["title"] or "Untitled")}</title>
    <updated>{at}</updated>
    <link href="https://arxiv.org/abs/{place}" rel="alternate" type="text/html"/>
    <link href="https://arxiv.org/pdf/{place}" rel="related" type="application/pdf" title="pdf"/>
    <summary>{escape(paper["abstract"])}</summary>
    <category term="cs.LG" scheme="http://arxiv.org/schemas/atom"/>
    <category term="cs.CL" scheme="http://arxiv.org/schemas/atom"/>
    <published>{at}</published>
    <arxiv:comment>12 pages, 5 figures</arxiv:comment>
    <arxiv:primary_category term="cs.LG"/>
    {authors}
  </entry>"""


def main(rounds: int) -> None:
    """Print papers per second, the ratio to feedparser's, and the peak memory."""
    taken: dict[str, list[dict[str, float]]] = {"product": [], "feedparser": []}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arxiv.xml"
        path.write_bytes(document())
        for _ in range(rounds):
            for side, figures in taken.items():
                command = [sys.executable, "-m", "tests.benchmarks.arxiv_intake", side, str(path)]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                figures.append(json.loads(done.stdout))
    ours, theirs = (PAPERS / min(done["seconds"] for done in figures) for figures in taken.values())
    report("arxiv_intake.per_second", ours, "papers/s", against=theirs, n=PAPERS)
    report(
        "arxiv_intake.memory", max(done["memory"] for done in taken["product"]), "MB", against=150, n=PAPERS
    )


def product(body: bytes, folder: Path) -> tuple[float, float]:
    """Seconds and megabytes of the product, from the bytes to the search index."""
    from digests.feed import Feed, Fetched
    from digests.reading import read
    from digests.refresh import after_document
    from storage.store import open_store

    now = datetime.now(UTC)
    store = open_store(folder / "p.db")
    feed = Feed("arxiv", "https://export.arxiv.org/api/query?search_query=cat:cs.LG", added=now)
    warm = Fetched(feed.url, body[: body.index(b"</entry>")] + b"</entry></feed>")
    read(warm)
    idle, began = _memory("VmRSS"), time.perf_counter()
    fetched = Fetched(feed.url, body)
    reading = read(fetched)
    intake = store.feeds.add(after_document(feed, fetched, reading, now), reading.papers, now)
    seconds = time.perf_counter() - began
    assert len(intake.new) > PAPERS * 0.99
    store.close()
    return seconds, _memory("VmHWM") - idle


def feedparser_alone(body: bytes) -> tuple[float, float]:
    """Seconds and megabytes of feedparser's parsing."""
    import feedparser

    feedparser.parse(body[: body.index(b"</entry>")] + b"</entry></feed>")
    idle, began = _memory("VmRSS"), time.perf_counter()
    found = feedparser.parse(body)
    seconds = time.perf_counter() - began
    assert len(found.entries) == PAPERS
    return seconds, _memory("VmHWM") - idle


def _memory(figure: str) -> float:
    """The process's memory now (VmRSS) or at its peak (VmHWM) in MB: Linux tells both, others the peak."""
    try:
        status = Path("/proc/self/status").read_text("ascii")
        return int(re.findall(rf"{figure}:\s+(\d+) kB", status)[0]) * 1024 / 1e6
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def _once(side: str, path: Path) -> None:
    body = path.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        seconds, memory = product(body, Path(folder)) if side == "product" else feedparser_alone(body)
    print(json.dumps({"seconds": seconds, "memory": memory}))


if __name__ == "__main__":
    if sys.argv[1:2] in (["product"], ["feedparser"]):
        _once(sys.argv[1], Path(sys.argv[2]))
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else ROUNDS)
