"""Standing queries: many distinct queries against a day's papers, beside FTS5 asked one by one.

    python -m tests.benchmarks.percolation [ABSTRACTS [QUERIES [PAPERS]]]

ABSTRACTS: JSON Lines {title, abstract, keywords, authors, venue}, gzipped or not.
The queries are made from the keywords and the words of other papers of the same file, with a fixed seed:
words, phrases, alternatives, exclusions and prefixes.
Both sides build their index in the measured time: first to find every match, then the 20 most relevant.
"""

from __future__ import annotations

import random
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from digests import terms
from digests.errors import QueryError
from digests.matching import Index, Match, Matches
from digests.paper import Paper
from digests.query import MAX_QUERY, And, Not, Or, Prefix, Query, Term, parse
from tests.benchmarks.figures import report, shared_data
from tests.benchmarks.matching import read

SHOWN = 3


def main(abstracts: str, queries: int = 10_000, papers: int = 2_000) -> None:
    """Print the seconds of both sides, of twice the channels, and of the evidence."""
    rows = list(read(Path(abstracts)))
    random.Random(7).shuffle(rows)
    day = [Paper(row["title"], row["abstract"]) for row in rows[:papers]]
    asked = standing_queries(rows[papers:], queries)
    [terms.words(paper.abstract) for paper in day[:200]]

    runs = [_run(asked, day) for _ in range(3)]
    figures = {name: sorted(run[name] for run in runs)[1] for name in runs[0]}
    n = len(asked)
    report("percolation.seconds", figures["matched"], "s", against=figures["fts5"], n=n)
    report("percolation.top_20", figures["ranked"], "s", against=figures["fts5, bm25"], n=n)
    report("percolation.twice_the_channels", figures["twice"], "s", against=figures["matched"], n=2 * n)
    found = _matched(asked, day)
    matches = sum(map(len, found.values()))
    report("percolation.matches", matches, "matches", n=n)
    shown = [match for matches in found.values() for match in matches[:SHOWN]]
    evidence = _timed(lambda: sum(map(_shown, shown)))
    value = round(1000 * evidence / len(shown), 4)
    report("percolation.evidence", value, "ms", n=len(shown))


def _run(asked: list[Query], day: list[Paper]) -> dict[str, float]:
    return {
        "matched": _timed(lambda: sum(map(len, _matched(asked, day).values()))),
        "fts5": _timed(lambda: _full_text(asked, day, "")),
        "ranked": _timed(lambda: sum(len(matches[:20]) for matches in _matched(asked, day).values())),
        "fts5, bm25": _timed(lambda: _full_text(asked, day, "ORDER BY bm25(day, 2, 1) LIMIT 20")),
        "twice": _timed(lambda: sum(map(len, _matched(asked * 2, day).values()))),
    }


def _matched(asked: list[Query], day: list[Paper]) -> dict[Query, Matches]:
    """The matches of each distinct query, as `compose` finds them."""
    index = Index(day)
    return {query: index.match(query) for query in dict.fromkeys(asked)}


def standing_queries(rows: list[dict[str, Any]], count: int) -> list[Query]:
    """Distinct queries of the kinds that researchers type, about what the rows are about."""
    chance = random.Random(11)
    keywords = [word for row in rows for word in row.get("keywords") or () if 3 <= len(word) <= 40]
    found: dict[Query, None] = {}
    while len(found) < count:
        row = chance.choice(rows)
        try:
            found[parse(_typed(chance, row, keywords))] = None
        except QueryError:
            continue
    return list(found)


def _typed(chance: random.Random, row: dict[str, Any], keywords: list[str]) -> str:
    one, other = (" ".join(form for form, _ in terms.words(chance.choice(keywords))) or "data" for _ in "ab")
    title = [form for form, _ in terms.words(row["title"]) if len(form) > 3] or ["learning"]
    word = chance.choice(title)
    kinds = (
        one,
        f'"{one}"',
        f"{one} {word}",
        f'"{one}" OR "{other}"',
        f"{one} -{word}",
        f"({one} OR {word}) {chance.choice(title)}",
        f"{word[:6]}* {chance.choice(title)}",
        f"title:{word}",
    )
    return chance.choice(kinds)[:MAX_QUERY]


def _full_text(queries: list[Query], papers: list[Paper], order: str) -> int:
    database = sqlite3.connect(":memory:")
    database.execute(
        "CREATE VIRTUAL TABLE day USING fts5(title, abstract, authors, tokenize='porter unicode61')"
    )
    values = [(place, paper.title, paper.abstract, "") for place, paper in enumerate(papers)]
    database.executemany("INSERT INTO day (rowid, title, abstract, authors) VALUES (?, ?, ?, ?)", values)
    sql = f"SELECT rowid FROM day WHERE day MATCH ? {order}"
    return sum(len(database.execute(sql, (_expression(query),)).fetchall()) for query in queries)


def _expression(query: Query) -> str:
    """The same query for FTS5's own tokenizer and stemmer."""
    match query:
        case Term(text, _, field):
            return f'{field or "{title abstract}"} : "{text}"'
        case Prefix(text, field):
            return f'{field or "{title abstract}"} : "{text}"*'
        case Or(parts):
            return " OR ".join(f"({_expression(part)})" for part in parts)
        case And(parts):
            wanted = " AND ".join(f"({_expression(part)})" for part in parts if not isinstance(part, Not))
            unwanted = [f"({_expression(part.part)})" for part in parts if isinstance(part, Not)]
            return " NOT ".join([f"({wanted})", *unwanted])
    raise TypeError(f"{query!r} is not one of this benchmark's queries")


def _shown(match: Match) -> int:
    evidence = match.evidence
    return len(evidence.words) + len(evidence.spans("title")) + len(evidence.spans("abstract"))


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    main(
        sys.argv[1] if sys.argv[1:] else str(shared_data() / "abstracts-20k.jsonl.gz"),
        *map(int, sys.argv[2:]),
    )
