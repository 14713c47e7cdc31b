"""Takes a document's papers in: looks their keys up, lets the core decide, writes what it decided."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from digests.dedupe import Known, Look, Verdict, look, sort_out
from digests.paper import UNSTORED, Paper, PaperId, is_link, is_weak, keys
from digests.ports import Intake
from digests.terms import index_text
from storage.database import Row, Session, assignments, insertion
from storage.papers import load
from storage.rows import PAPER, paper_row, stamp

CHUNK = 500
"""So many papers are looked up and written at once; no more of a document is held."""

MAX_SHARED = 20
"""A link or a title that so many looks share tells nothing more: no further ones are noted under it."""

MAX_LOOKS = 20
"""So many looks of one paper are remembered: a page may say something else each time."""

_INSERT = insertion("papers", ("id", *PAPER, "first_seen"))
_UPDATE = f"UPDATE papers SET {assignments(PAPER)} WHERE id = :id"
_KEY = insertion("paper_keys", ("key", "paper", "look"))
_LOOK = insertion("looks", ("paper", "number", "title", "author", "year", "sample"))
_NOTED = """
    SELECT k.key, k.paper, k.look AS number, l.title, l.author, l.year, l.sample
    FROM paper_keys k LEFT JOIN looks l ON l.paper = k.paper AND l.number = k.look
    WHERE k.key IN {} ORDER BY k.key, k.paper, k.look
"""
_LOOKS = "SELECT paper, max(number) AS looks FROM looks WHERE paper IN {} GROUP BY paper"
_SIGHTING = """
    INSERT INTO sightings (paper, feed, first_at, last_at, announce)
    VALUES (:paper, :feed, :now, :now, :announce)
    ON CONFLICT (paper, feed) DO UPDATE SET last_at = excluded.last_at
"""
_PUBLICATION = """
    INSERT INTO publications (paper, place, at) VALUES (:paper, :place, :now) ON CONFLICT (paper) DO NOTHING
"""
_ABSORB = (
    """
    INSERT INTO paper_keys (key, paper, look)
    SELECT key, :heir, CASE look WHEN 0 THEN 0 ELSE look + :rise END FROM paper_keys WHERE paper = :gone
    """,
    """
    INSERT INTO looks (paper, number, title, author, year, sample)
    SELECT :heir, number + :rise, title, author, year, sample FROM looks WHERE paper = :gone
    """,
    "UPDATE absorbed_papers SET paper = :heir WHERE paper = :gone",
    "INSERT INTO absorbed_papers (id, paper) VALUES (:gone, :heir)",
    """
    INSERT INTO publications (paper, place, at)
    SELECT :heir, place, at FROM publications WHERE paper = :gone ON CONFLICT (paper) DO NOTHING
    """,
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


class _Noted(NamedTuple):
    """A look of a paper, as it is noted under a key."""

    paper: PaperId
    number: int
    look: Look


class _Keys:
    """Whose key is whose, of all the keys that one chunk has, and what of it waits to be written.

    An identifier has one owner; under a link, a title or the beginning of a text stand looks of several.
    """

    def __init__(self, session: Session, names: Collection[str]) -> None:
        self.session = session
        self.owner: dict[str, PaperId] = {}
        self.noted: defaultdict[str, list[_Noted]] = defaultdict(list)
        self.looks: dict[PaperId, int] = {}
        self.new_keys: list[dict[str, object]] = []
        self.new_looks: list[dict[str, object]] = []
        for row in session.all(_NOTED.format(session.texts("names")), names=names):
            self.looks[row["paper"]] = 0
            if row["number"]:
                self.noted[row["key"]].append(_Noted(row["paper"], row["number"], _look_from(row)))
            else:
                self.owner[row["key"]] = row["paper"]
        for row in session.all(_LOOKS.format(session.ids("papers")), papers=list(self.looks)):
            self.looks[row["paper"]] = row["looks"]

    def papers(self) -> set[PaperId]:
        return set(self.looks)

    def known(self, names: Iterable[str], papers: Mapping[PaperId, Paper]) -> list[Known]:
        """The papers that have any of these keys, each with those of its looks that do."""
        said: defaultdict[PaperId, list[Look]] = defaultdict(list)
        linked: defaultdict[PaperId, list[Look]] = defaultdict(list)
        for name in names:
            if name in self.owner:
                said[self.owner[name]] += ()
            for noted in self.noted.get(name, ()):
                (linked if is_link(name) else said)[noted.paper].append(noted.look)
        found = dict.fromkeys((*said, *linked))
        return [Known(papers[paper], tuple(said[paper]), tuple(linked[paper])) for paper in found]

    def note(self, paper: PaperId, names: Iterable[str], shown: Look) -> None:
        """The paper was seen with these keys and this look."""
        unshared = []
        for name in names:
            if is_weak(name):
                unshared.append(name)
            elif name not in self.owner:
                self.owner[name] = paper
                self.new_keys.append({"key": name, "paper": paper, "look": 0})
        number = 0
        for name in unshared:
            noted = self.noted[name]
            if len(noted) < MAX_SHARED and not any(n.paper == paper and n.look == shown for n in noted):
                number = number or self._number(paper, unshared, shown)
                if number:
                    noted.append(_Noted(paper, number, shown))
                    self.new_keys.append({"key": name, "paper": paper, "look": number})

    def _number(self, paper: PaperId, names: Iterable[str], shown: Look) -> int:
        """The number of this look of the paper; 0 if it would be one too many."""
        for noted in (noted for name in names for noted in self.noted[name]):
            if noted.paper == paper and noted.look == shown:
                return noted.number
        number = self.looks.get(paper, 0) + 1
        if number > MAX_LOOKS:
            return 0
        self.looks[paper] = number
        self.new_looks.append(
            {
                "paper": paper,
                "number": number,
                "title": shown.title,
                "author": shown.author,
                "year": shown.year,
                "sample": shown.sample,
            }
        )
        return number

    def absorb(self, gone: PaperId, heir: PaperId) -> int:
        """Give all of one paper's to another; by so much the numbers of its looks rise."""
        rise = self.looks.get(heir, 0)
        self.owner = {key: heir if owner == gone else owner for key, owner in self.owner.items()}
        for noted in self.noted.values():
            for at, (paper, number, shown) in enumerate(noted):
                if paper == gone:
                    noted[at] = _Noted(heir, number + rise, shown)
        self.looks[heir] = rise + self.looks.pop(gone, 0)
        return rise

    def write(self) -> None:
        self.session.run_many(_LOOK, self.new_looks)
        self.session.run_many(_KEY, sorted(self.new_keys, key=itemgetter("key")))  # a tree likes order
        self.new_looks.clear()
        self.new_keys.clear()


def _look_from(row: Row) -> Look:
    return Look(row["title"], row["author"], row["year"], row["sample"])


class _Intake:
    """One document on its way in.

    `new`, `revised` and `same` are for the whole document; the rest is of one chunk: the papers that it
    touches as they now are, their keys, and what waits to be written.
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
        self.keys = _Keys(session, ())
        self.added: set[PaperId] = set()
        self.changed: set[PaperId] = set()
        self.reworded: set[PaperId] = set()
        self.sightings: list[dict[str, object]] = []
        self.publications: list[dict[str, object]] = []

    def take(self, chunk: list[Paper]) -> None:
        names = [self._names(paper) for paper in chunk]
        self.keys = _Keys(self.session, {name for of_paper in names for name in of_paper})
        self.papers = load(self.session, self.keys.papers())
        for paper, of_paper in zip(chunk, names, strict=True):
            self._sort_in(paper, of_paper)
        self._write()

    def _names(self, paper: Paper) -> tuple[str, ...]:
        """The paper's keys, and its guid in this feed unless that is its link."""
        names = keys(paper)
        if not paper.guid or paper.guid in paper.links:
            return names
        return (*names, f"guid:{self.feed}:{paper.guid}")

    def _sort_in(self, incoming: Paper, names: tuple[str, ...]) -> None:
        shown = look(incoming)
        known = self.keys.known(names, self.papers)
        verdict = sort_out(incoming, shown, known) if known else None
        if verdict is None or verdict.paper.id == UNSTORED:
            paper = self._add(incoming)
        else:
            paper = verdict.paper.id
            self._merge(verdict)
        self.keys.note(paper, names, shown)
        self.sightings.append(
            {"paper": paper, "feed": self.feed, "now": self.stamped, "announce": incoming.announce.value}
        )

    def _add(self, paper: Paper) -> PaperId:
        added = next(self.ids)
        self.papers[added] = replace(paper, id=added, first_seen=self.now)
        self.new[added] = None
        self.added.add(added)
        return added

    def _merge(self, verdict: Verdict) -> None:
        merged = verdict.paper
        for gone in verdict.absorbed:
            self._absorb(gone, merged.id)
        if verdict.changed:
            self._change(merged)
        if verdict.published and merged.id not in self.new:
            self.publications.append({"paper": merged.id, "place": merged.published_in, "now": self.stamped})
        if verdict.revised and merged.id not in self.new:
            self.revised[merged.id] = None
        else:
            self.same += 1

    def _change(self, merged: Paper) -> None:
        before = self.papers[merged.id]
        self.papers[merged.id] = merged
        self.changed.add(merged.id)
        if (before.title, before.abstract, before.authors) != (merged.title, merged.abstract, merged.authors):
            self.reworded.add(merged.id)

    def _absorb(self, gone: PaperId, heir: PaperId) -> None:
        self._write()
        self.session.unindex((gone,))
        rise = self.keys.absorb(gone, heir)
        for sql in _ABSORB:
            self.session.run(sql, gone=gone, heir=heir, rise=rise)
        del self.papers[gone]
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
        self.keys.write()
        session.run_many(_SIGHTING, self.sightings)
        session.run_many(_PUBLICATION, self.publications)
        for written in (self.added, self.changed, self.reworded, self.sightings, self.publications):
            written.clear()

    def _row(self, paper: PaperId) -> dict[str, object]:
        return {"id": paper, **paper_row(self.papers[paper])}


def _indexed(paper: Paper) -> tuple[PaperId, str, str, str]:
    authors = index_text(" ".join(paper.authors))
    return paper.id, index_text(paper.title), index_text(paper.abstract), authors
