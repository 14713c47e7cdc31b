"""Takes a document's papers in: looks their keys up, lets the core decide, writes what it decided."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from itertools import islice

from digests.dedupe import Verdict, sort_out
from digests.paper import UNSTORED, Paper, PaperId, keys
from digests.ports import Intake
from digests.terms import index_text
from storage.database import Session, assignments, insertion
from storage.papers import load, owners
from storage.rows import PAPER, paper_row, stamp

CHUNK = 500
"""So many papers are looked up and written at once; no more of a document is held."""

_INSERT = insertion("papers", ("id", *PAPER, "first_seen"))
_UPDATE = f"UPDATE papers SET {assignments(PAPER)} WHERE id = :id"
_KEY = "INSERT INTO paper_keys (key, paper) VALUES (:key, :paper) ON CONFLICT (key) DO NOTHING"
_SIGHTING = """
    INSERT INTO sightings (paper, feed, first_at, last_at, announce)
    VALUES (:paper, :feed, :now, :now, :announce)
    ON CONFLICT (paper, feed) DO UPDATE SET last_at = excluded.last_at
"""
_ABSORB = (
    "UPDATE paper_keys SET paper = :heir WHERE paper = :gone",
    "UPDATE absorbed_papers SET paper = :heir WHERE paper = :gone",
    "INSERT INTO absorbed_papers (id, paper) VALUES (:gone, :heir)",
    """
    INSERT INTO sightings (paper, feed, first_at, last_at, announce)
    SELECT :heir, feed, first_at, last_at, announce FROM sightings WHERE paper = :gone
    ON CONFLICT (paper, feed) DO UPDATE SET
        first_at = CASE WHEN excluded.first_at < sightings.first_at
                   THEN excluded.first_at ELSE sightings.first_at END,
        last_at = CASE WHEN excluded.last_at > sightings.last_at
                  THEN excluded.last_at ELSE sightings.last_at END
    """,
    """
    INSERT INTO shown (channel, paper, day)
    SELECT channel, :heir, day FROM shown WHERE paper = :gone
    ON CONFLICT (channel, paper) DO NOTHING
    """,
    "DELETE FROM papers WHERE id = :gone",
)
"""What points to a paper comes to point to its heir; its summaries go with it, they quote another text."""


def take_in(session: Session, feed: int, papers: Iterable[Paper], now: datetime) -> Intake:
    """Store the papers that a feed showed; `papers` is consumed once, a chunk at a time."""
    intake = _Intake(session, feed, stamp(now), now)
    rest = iter(papers)
    while chunk := list(islice(rest, CHUNK)):
        intake.take(chunk)
    return Intake(tuple(intake.new), tuple(intake.revised), intake.same)


class _Intake:
    """One document on its way in.

    `new`, `revised` and `same` are for the whole document; the rest is of one chunk: the papers that it
    touches as they now are, whose key is whose, and what waits to be written.
    """

    def __init__(self, session: Session, feed: int, stamped: str, now: datetime) -> None:
        self.session = session
        self.feed = feed
        self.stamped = stamped
        self.now = now
        self.ids = map(PaperId, session.new_ids("papers"))
        self.new: dict[PaperId, None] = {}
        self.revised: dict[PaperId, None] = {}
        self.same = 0
        self.papers: dict[PaperId, Paper] = {}
        self.owner: dict[str, PaperId] = {}
        self.added: set[PaperId] = set()
        self.changed: set[PaperId] = set()
        self.reworded: set[PaperId] = set()
        self.keys: list[dict[str, object]] = []
        self.sightings: list[dict[str, object]] = []

    def take(self, chunk: list[Paper]) -> None:
        names = [keys(paper) for paper in chunk]
        self.owner = owners(self.session, {key for of_paper in names for key in of_paper})
        self.papers = load(self.session, set(self.owner.values()))
        for paper, of_paper in zip(chunk, names, strict=True):
            self._sort_in(paper, of_paper)
        self._write()

    def _sort_in(self, incoming: Paper, names: tuple[str, ...]) -> None:
        known = dict.fromkeys(self.owner[name] for name in names if name in self.owner)
        verdict = sort_out(incoming, [self.papers[paper] for paper in known]) if known else None
        if verdict is None or verdict.paper.id == UNSTORED:
            paper = self._add(incoming)
            self._own(paper, names)
        else:
            paper = verdict.paper.id
            self._merge(verdict)
        self.sightings.append(
            {"paper": paper, "feed": self.feed, "now": self.stamped, "announce": incoming.announce.value}
        )

    def _add(self, paper: Paper) -> PaperId:
        added = next(self.ids)
        self.papers[added] = replace(paper, id=added, first_seen=self.now)
        self.new[added] = None
        self.added.add(added)
        return added

    def _own(self, paper: PaperId, names: Iterable[str]) -> None:
        for name in names:
            if self.owner.setdefault(name, paper) == paper:
                self.keys.append({"key": name, "paper": paper})

    def _merge(self, verdict: Verdict) -> None:
        merged = verdict.paper
        for gone in verdict.absorbed:
            self._absorb(gone, merged.id)
        if verdict.changed:
            self._change(merged)
        if verdict.revised and merged.id not in self.new:
            self.revised[merged.id] = None
        else:
            self.same += 1

    def _change(self, merged: Paper) -> None:
        before = self.papers[merged.id]
        self.papers[merged.id] = merged
        self.changed.add(merged.id)
        self._own(merged.id, keys(merged))
        if (before.title, before.abstract, before.authors) != (merged.title, merged.abstract, merged.authors):
            self.reworded.add(merged.id)

    def _absorb(self, gone: PaperId, heir: PaperId) -> None:
        self._write()
        self.session.unindex((gone,))
        for sql in _ABSORB:
            self.session.run(sql, gone=gone, heir=heir)
        del self.papers[gone]
        self.owner = {key: heir if owner == gone else owner for key, owner in self.owner.items()}
        self.new.pop(gone, None)
        self.revised.pop(gone, None)

    def _write(self) -> None:
        session, reworded = self.session, self.reworded - self.added
        rows = (self._row(paper) for paper in sorted(self.added))
        session.run_many(_INSERT, ({**row, "first_seen": self.stamped} for row in rows))
        session.run_many(_UPDATE, map(self._row, sorted(self.changed - self.added)))
        session.unindex(reworded)
        session.run_many(
            "DELETE FROM summaries WHERE paper = :paper", ({"paper": paper} for paper in reworded)
        )
        session.index(_indexed(self.papers[paper]) for paper in sorted(self.added | reworded))
        session.run_many(_KEY, self.keys)
        session.run_many(_SIGHTING, self.sightings)
        for written in (self.added, self.changed, self.reworded, self.keys, self.sightings):
            written.clear()

    def _row(self, paper: PaperId) -> dict[str, object]:
        return {"id": paper, **paper_row(self.papers[paper])}


def _indexed(paper: Paper) -> tuple[PaperId, str, str, str]:
    authors = index_text(" ".join(paper.authors))
    return paper.id, index_text(paper.title), index_text(paper.abstract), authors
