"""Ranking of papers under authors' keywords: how many of the first ten, and of the first hundred, are right.

    python -m tests.benchmarks.matching [DOCS QUERIES QRELS]

DOCS: JSON Lines {id, title, abstract, ...}, gzipped or not; QUERIES: JSON Lines {id, text}; QRELS: lines
`query<TAB>document<TAB>grade`.
Prints one JSON line per figure, `against` FTS5 with bm25(2, 1) over the same papers in the same run; the
milliseconds are the median.
"""

from __future__ import annotations

import gzip
import json
import math
import sqlite3
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from digests import terms
from digests.matching import Index
from digests.paper import Paper
from digests.query import Query, Term, all_of
from tests.benchmarks.figures import report, shared_data

Ranker = Callable[[str], list[int]]


def read(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a JSON Lines file, gzipped or not."""
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    yield from (json.loads(line) for line in content.splitlines() if line.strip())


def wanted(text: str) -> Query:
    """A bare keyword text as a query: all its words."""
    return all_of(Term(form) for form, _ in terms.words(text))


def main(docs: str, queries: str, qrels: str) -> None:
    """Print the figures of the product and of FTS5."""
    rows = list(read(Path(docs)))
    asked = [(row["id"], row["text"]) for row in read(Path(queries))]
    right = _judgements(Path(qrels), {row["id"]: place for place, row in enumerate(rows)})
    started = time.perf_counter()
    papers = [Paper(row.get("title") or "", row.get("abstract") or "") for row in rows]
    places = {id(paper): place for place, paper in enumerate(papers)}
    index = Index(papers)
    built = time.perf_counter() - started

    def ours(text: str) -> list[int]:
        return [places[id(match.paper)] for match in index.rank(wanted(text))]

    figures, baseline = _measured(ours, asked, right), _measured(_full_text(rows), asked, right)
    for name, value in figures.items():
        unit = "ms" if name.startswith("ms") else "share"
        report(f"matching.{name}", value, unit, against=baseline[name], n=len(asked))
    report("matching.index", built, "s", n=len(papers))


def _judgements(path: Path, places: dict[str, int]) -> dict[str, set[int]]:
    right: dict[str, set[int]] = {}
    for line in path.read_text("utf-8").splitlines():
        query, document, grade = line.split("\t")[:3]
        if float(grade) > 0 and document in places:
            right.setdefault(query, set()).add(places[document])
    return right


def _full_text(rows: list[dict[str, Any]]) -> Ranker:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE papers USING fts5(title, abstract, tokenize='unicode61')")
    values = ((place, row.get("title"), row.get("abstract")) for place, row in enumerate(rows))
    database.executemany("INSERT INTO papers (rowid, title, abstract) VALUES (?, ?, ?)", values)
    sql = "SELECT rowid FROM papers WHERE papers MATCH ? ORDER BY bm25(papers, 2, 1) LIMIT 100"

    def ranked(text: str) -> list[int]:
        either = " OR ".join(f'"{form}"' for form, _ in terms.words(text))
        return [place for (place,) in database.execute(sql, (either,))]

    return ranked


def _measured(rank: Ranker, asked: list[tuple[str, str]], right: dict[str, set[int]]) -> dict[str, float]:
    found: dict[str, list[float]] = {"p@10": [], "ndcg@10": [], "recall@100": [], "ms_per_query": []}
    for query, text in asked:
        if not right.get(query):
            continue
        started = time.perf_counter()
        ranked = rank(text)
        found["ms_per_query"].append((time.perf_counter() - started) * 1000)
        hits = [place in right[query] for place in ranked]
        ideal = sum(1 / math.log2(at + 2) for at in range(min(10, len(right[query]))))
        found["p@10"].append(sum(hits[:10]) / 10)
        found["ndcg@10"].append(sum(hit / math.log2(at + 2) for at, hit in enumerate(hits[:10])) / ideal)
        found["recall@100"].append(sum(hits[:100]) / len(right[query]))
    took = statistics.median(found.pop("ms_per_query"))
    return {**{name: statistics.mean(values) for name, values in found.items()}, "ms_per_query": took}


if __name__ == "__main__":
    keywords = shared_data() / "keywords"
    default = [str(keywords / name) for name in ("docs.jsonl.gz", "queries.jsonl", "qrels.tsv")]
    if len(sys.argv) not in (1, 4):
        sys.exit(__doc__)
    main(*(sys.argv[1:] or default))
