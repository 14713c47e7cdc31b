"""Identity: one paper is one paper, among 200,000 of them.

    python -m tests.benchmarks.identity [ABSTRACTS] [PAPERS]

ABSTRACTS: JSON Lines, gzipped; without one, those of the shared folder. PAPERS: 200,000.
Works are made of the abstracts: each takes one, and other words for half of its own.
All are first seen as arXiv shows them; then 2,000 sightings of some come at once, as a DOI's record with a
reworked abstract, as a note of OpenReview, as a title with authors, as a title alone and with the arXiv id,
and with them works that only sound alike: parts, errata, and other authors under the same title.
Precision: of the sightings that were taken for a known work, how many are of that work.
Recall: of the sightings of known works, how many were recognised.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from digests.feed import Feed
from digests.paper import Identifier, Paper, canonical_link
from storage.store import DatabaseStore, open_store
from tests.benchmarks.figures import abstracts, report

NOW = datetime(2026, 12, 1, 8, tzinfo=UTC)
BATCH = 2_000


class Sighting(NamedTuple):
    """A second sighting, the arXiv id of the work that it shows, "" if that was never seen, and its kind."""

    paper: Paper
    work: str
    kind: str


def main(arguments: Sequence[str]) -> None:
    """Print seconds per 1,000 papers as the store grows, and how well works are told apart."""
    papers = int(arguments[1]) if arguments[1:] else 200_000
    rows = abstracts(arguments[:1], 20_000)
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "identity.db")
        first, last = _fill(store, rows, papers)
        report("identity.first_20k", first, "s/1000 papers", n=20_000)
        report("identity.last_20k", last, "s/1000 papers", against=first, n=papers)
        _again(store, rows, papers, first)
        store.close()


def _fill(store: DatabaseStore, rows: Sequence[dict[str, Any]], papers: int) -> tuple[float, float]:
    taken = []
    works = (_work(rows, number) for number in range(papers))
    number = 0
    while batch := list(islice(works, 20_000)):
        taken.append(_add(store, f"arxiv-{number}", batch) / len(batch) * 1000)
        number += 1
    assert store.papers.count() == papers, f"{papers - store.papers.count()} works were taken for others"
    return taken[0], taken[-1]


def _again(store: DatabaseStore, rows: Sequence[dict[str, Any]], papers: int, first: float) -> None:
    seen = list(_sightings(rows, papers))
    taken = _add(store, "second", [sighting.paper for sighting in seen]) / len(seen) * 1000
    report("identity.second_sightings", taken, "s/1000 papers", against=first, n=len(seen))
    homes = [_home(store, sighting.paper) for sighting in seen]
    joined = [bool(home.arxiv) for home in homes]
    right = [home.arxiv == s.work for home, s in zip(homes, seen, strict=True)]
    merged = sum(joined)
    report("identity.precision", sum(map(min, joined, right)) / merged, "of merges", n=merged)
    known = [is_right for is_right, s in zip(right, seen, strict=True) if s.work]
    report("identity.recall", sum(known) / len(known), "of sightings", n=len(known))
    for kind in dict.fromkeys(s.kind for s in seen):
        of_kind = [is_right for is_right, s in zip(right, seen, strict=True) if s.kind == kind]
        report(f"identity.right.{kind}", sum(of_kind) / len(of_kind), "of sightings", n=len(of_kind))


def _home(store: DatabaseStore, paper: Paper) -> Paper:
    key = f"url:{canonical_link(paper.links[0])}"
    return store.papers.get(store.papers.by_keys([key])[key])


def _add(store: DatabaseStore, name: str, papers: Sequence[Paper]) -> float:
    began = time.perf_counter()
    store.feeds.add(Feed(name, f"https://example.org/{name}"), papers, NOW)
    return time.perf_counter() - began


def _work(rows: Sequence[dict[str, Any]], number: int) -> Paper:
    chance = random.Random(number)
    row = rows[number % len(rows)]
    title = _reworded(str(row["title"]), rows, chance, 0.6) + f" {_reworded('of x', rows, chance, 1)}"
    return Paper(
        title=title,
        abstract=_reworded(str(row["abstract"]), rows, chance, 0.5),
        authors=tuple(_person(rows, chance) for _ in range(3)),
        identifiers=(Identifier("arxiv", f"{1000 + number // 90_000}.{number % 90_000:05}"),),
        published=str(2000 + number % 25),
        version=1,
    )


def _reworded(text: str, rows: Sequence[dict[str, Any]], chance: random.Random, share: float) -> str:
    words = text.split()
    others = str(rows[chance.randrange(len(rows))]["abstract"]).split()
    return " ".join(chance.choice(others) if chance.random() < share else word for word in words)


def _person(rows: Sequence[dict[str, Any]], chance: random.Random) -> str:
    while True:
        authors = rows[chance.randrange(len(rows))]["authors"]
        if isinstance(authors, list) and authors and " " in str(authors[0]).strip():
            return str(authors[0])


def _sightings(rows: Sequence[dict[str, Any]], papers: int) -> Iterator[Sighting]:
    chance = random.Random(11)
    for at, number in enumerate(chance.sample(range(papers), BATCH)):
        work = _work(rows, number)
        kind, make = list(_KINDS.items())[at % len(_KINDS)]
        shown = make(work, rows, chance)
        paper = Paper(
            **{
                "title": work.title,
                "abstract": "",
                "links": (f"https://second.example/{at}",),
                "published": work.published,
                **shown,
            }
        )
        yield Sighting(paper, "" if kind in _OTHERS else work.arxiv, kind)


def _doi(work: Paper, rows: Sequence[dict[str, Any]], chance: random.Random) -> dict[str, Any]:
    turned = tuple(f"{name.split()[-1]}, {' '.join(name.split()[:-1])}" for name in work.authors)
    identifiers = (Identifier("doi", f"10.1000/{chance.random()}"),)
    abstract = _reworded(work.abstract, rows, chance, 0.3)
    return {"abstract": abstract, "authors": turned, "identifiers": identifiers}


def _openreview(work: Paper, rows: Sequence[dict[str, Any]], chance: random.Random) -> dict[str, Any]:
    abstract = _reworded(work.abstract, rows, chance, 0.15)
    return {
        "title": work.title.title(),
        "abstract": abstract,
        "authors": work.authors,
        "identifiers": (Identifier("openreview", f"f{chance.randrange(10**9)}"),),
    }


def _listed(work: Paper, rows: Sequence[dict[str, Any]], chance: random.Random) -> dict[str, Any]:
    return {"authors": tuple(f"{name[0]}. {name.split()[-1]}" for name in work.authors)}


def _title(work: Paper, rows: Sequence[dict[str, Any]], chance: random.Random) -> dict[str, Any]:
    return {"title": work.title.upper() + "."}


def _arxiv(work: Paper, rows: Sequence[dict[str, Any]], chance: random.Random) -> dict[str, Any]:
    return {"title": "Renamed since", "identifiers": work.identifiers, "version": 2}


def _retitled(work: Paper, rows: Sequence[dict[str, Any]], chance: random.Random) -> dict[str, Any]:
    return {"title": "", "abstract": work.abstract}


def _part(work: Paper, rows: Sequence[dict[str, Any]], chance: random.Random) -> dict[str, Any]:
    return {"title": f"{work.title}: Part II", "abstract": work.abstract, "authors": work.authors}


def _erratum(work: Paper, rows: Sequence[dict[str, Any]], chance: random.Random) -> dict[str, Any]:
    return {"title": f"Erratum: {work.title}", "authors": work.authors}


def _namesake(work: Paper, rows: Sequence[dict[str, Any]], chance: random.Random) -> dict[str, Any]:
    other = _work(rows, 10**7 + chance.randrange(10**6))
    return {"abstract": other.abstract, "authors": other.authors}


_KINDS = {
    "doi": _doi,
    "openreview": _openreview,
    "title_and_authors": _listed,
    "title": _title,
    "arxiv": _arxiv,
    "text": _retitled,
    "part": _part,
    "erratum": _erratum,
    "namesake": _namesake,
}
_OTHERS = ("part", "erratum", "namesake")


if __name__ == "__main__":
    main(sys.argv[1:])
