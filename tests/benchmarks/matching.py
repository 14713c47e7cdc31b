"""Ranking of papers under authors' keywords: how many of the first ten, and of the first hundred, are right.

    python -m tests.benchmarks.matching [DOCS QUERIES QRELS]

DOCS: JSON Lines {id, title, abstract, ...}, gzipped or not; QUERIES: JSON Lines {id, text}; QRELS: lines
`query<TAB>document<TAB>grade`.
Prints one JSON line per figure, `against` the better of FTS5 with bm25(2, 1) and a plain BM25 of stems and
their pairs, over the same papers in the same run; the milliseconds are the median, against FTS5.

`matching.digest.*` is the order of a digest: of the papers that have all the words (`Index.match`).
`matching.*` is the same score over all papers (`Index.rank`): a keyword names a topic, and of the first
hundred papers 14 lack one of its words, of the first ten hardly any.
"""

from __future__ import annotations

import gzip
import json
import math
import sqlite3
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from heapq import nlargest
from itertools import pairwise
from pathlib import Path
from typing import Any

from digests import terms
from digests.matching import Index
from digests.paper import Paper
from digests.query import Query, Term, all_of
from tests.benchmarks.figures import report, shared_data

Ranker = Callable[[str], list[int]]
MOST = 100


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
    index.rank(Term("a"))  # makes what all scores share
    built = time.perf_counter() - started

    def ranked(text: str) -> list[int]:
        return [places[id(match.paper)] for match in index.rank(wanted(text), MOST)]

    def digest(text: str) -> list[int]:
        return [places[id(match.paper)] for match in index.match(wanted(text))[:MOST]]

    rankers = {
        "matching": ranked,
        "matching.digest": digest,
        "fts5": _full_text(rows),
        "bm25": _plain(papers),
    }
    figures = {name: _measured(rank, asked, right) for name, rank in rankers.items()}
    for ranker, measured in figures.items():
        for name, value in measured.items():
            unit = "ms" if name.startswith("ms") else "share"
            best = figures["fts5"][name]
            if unit == "share":
                best = max(best, figures["bm25"][name])
            against = best if ranker.startswith("matching") else None
            report(f"{ranker}.{name}", value, unit, against=against, n=len(asked))
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
    sql = f"SELECT rowid FROM papers WHERE papers MATCH ? ORDER BY bm25(papers, 2, 1) LIMIT {MOST}"

    def ranked(text: str) -> list[int]:
        either = " OR ".join(f'"{form}"' for form, _ in terms.words(text))
        return [place for (place,) in database.execute(sql, (either,))]

    return ranked


def _plain(papers: list[Paper]) -> Ranker:
    """BM25 of stems and of two in a row, the title counted twice."""
    found: defaultdict[str, dict[int, float]] = defaultdict(dict)
    lengths = []
    for place, paper in enumerate(papers):
        often: Counter[str] = Counter()
        for text in (paper.title, paper.title, paper.abstract):
            often.update(_stems_and_pairs(text))
        lengths.append(often.total())
        for feature, count in often.items():
            found[feature][place] = count
    mean = statistics.mean(lengths)

    def ranked(text: str) -> list[int]:
        scores: defaultdict[int, float] = defaultdict(float)
        for feature in _stems_and_pairs(text):
            rarity = math.log1p((len(papers) - len(found[feature]) + 0.5) / (len(found[feature]) + 0.5))
            for place, count in found[feature].items():
                scores[place] += rarity * count / (count + 1.2 * (0.25 + 0.75 * lengths[place] / mean))
        return nlargest(MOST, scores, key=scores.__getitem__)

    return ranked


def _stems_and_pairs(text: str) -> list[str]:
    stems = [stem for _, stem in terms.words(text)]
    return stems + [f"{one} {other}" for one, other in pairwise(stems)]


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
        found["recall@100"].append(sum(hits[:MOST]) / len(right[query]))
    took = statistics.median(found.pop("ms_per_query"))
    return {**{name: statistics.mean(values) for name, values in found.items()}, "ms_per_query": took}


if __name__ == "__main__":
    keywords = shared_data() / "keywords"
    default = [str(keywords / name) for name in ("docs.jsonl.gz", "queries.jsonl", "qrels.tsv")]
    if len(sys.argv) not in (1, 4):
        sys.exit(__doc__)
    main(*(sys.argv[1:] or default))
