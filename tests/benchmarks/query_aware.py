"""What it costs to show why a paper matched: `python -m tests.benchmarks.query_aware`.

For each margin within which a sentence with a matched word may become the summary, a JSON line each for
    shown     the share of summaries with a matched word in them, against the model's own choice: of each
              keyword query the ten best papers that match it
    quoted    the same, the second line of an item counted too; the other papers match by their title alone
    r1 r2 rl  ROUGE against human summaries, against the model's own choice: each rarer word of a title that
              the abstract has plays the query
Reads the keywords set and the development part of SciTLDR in the shared folder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np

from digests import summary, terms
from digests.evidence import marks
from digests.matching import Index
from digests.paper import Paper
from digests.query import Query, Term
from digests.quote import NEAR, Quote, quote
from tests.benchmarks import matching, summaries
from tests.benchmarks.figures import report, shared_data

MARGINS = (0.0, 0.2, NEAR, 0.6, 0.8, 1.0)
NONE = float("-inf")
PER_QUERY = 10
RARE = 0.05
"""A word that stands in more of the titles is nobody's keyword."""


@dataclass(frozen=True, slots=True)
class Case:
    """A paper that was found by a query, its summary whoever asks, and what people wrote about it."""

    query: Query
    paper: Paper
    chosen: tuple[str, ...]
    references: tuple[str, ...] = ()

    def quoted(self, near: float) -> Quote:
        """What a digest quotes with that margin."""
        return quote(self.query, self.paper, self.chosen, near)


def main(keywords: Path, scitldr: Path) -> None:
    """Print the trade-off, margin by margin."""
    found, judged = tuple(_found(keywords)), tuple(_judged(scitldr))
    shown, rouge = _shown(found, NONE), _rouge(judged, NONE)
    for near in MARGINS:
        name = f"query_aware.near_{near}"
        for measure, value in _shown(found, near).items():
            report(f"{name}.{measure}", value, "share", against=shown["shown"], n=len(found))
        for measure, value in _rouge(judged, near).items():
            report(f"{name}.{measure}", value, "F1 x 100", against=rouge[measure], n=len(judged))


def _found(folder: Path) -> Iterator[Case]:
    rows = matching.read(folder / "docs.jsonl.gz")
    index = Index(Paper(row.get("title") or "", row.get("abstract") or "") for row in rows)
    for row in matching.read(folder / "queries.jsonl"):
        query = matching.wanted(row["text"])
        for match in islice(index.match(query), PER_QUERY):
            yield Case(query, match.paper, _summarised(match.paper.abstract, match.paper.title))


def _judged(path: Path) -> Iterator[Case]:
    abstracts = summaries.read(path)
    common = Counter(form for item in abstracts for form in _keywords(item.title))
    for item in abstracts:
        paper = Paper(item.title, " ".join(item.sentences))
        for form in _keywords(item.title):
            if common[form] <= RARE * len(abstracts) and marks(Term(form), paper.abstract):
                chosen = _summarised(paper.abstract, paper.title)
                yield Case(Term(form), paper, chosen, item.references)


def _keywords(title: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(form for form, _ in terms.words(title) if len(form) > 3))


@cache
def _summarised(abstract: str, title: str) -> tuple[str, ...]:
    return summary.summarise(abstract, title)


def _shown(cases: Sequence[Case], near: float) -> dict[str, float]:
    quotes = [case.quoted(near) for case in cases]
    return {
        "shown": sum(bool(each.marks) for each in quotes) / len(quotes),
        "quoted": sum(bool(each.marks or each.snippet) for each in quotes) / len(quotes),
    }


def _rouge(cases: Sequence[Case], near: float) -> dict[str, float]:
    scores = [_rouge_of(case.quoted(near).summary, case.references) for case in cases]
    return dict(zip(("r1", "r2", "rl"), (100 * np.mean(scores, axis=0)).tolist(), strict=True))


@cache
def _rouge_of(text: str, references: tuple[str, ...]) -> summaries.Scores:
    return summaries.rouge(text, references)


if __name__ == "__main__":
    main(shared_data() / "keywords", shared_data() / "scitldr/dev.jsonl")
