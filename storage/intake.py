"""Takes a document's papers in: looks their keys up, lets the core decide, writes what it decided."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from digests.dedupe import Known, Look, Verdict, look, sort_out
from digests.paper import UNSTORED, Paper, PaperId, is_link, is_weak, keys
from digests.ports import Intake
from digests.terms import index_text
from storage.database import Session, assignments, insertion
from storage.papers import load
from storage.rows import PAPER, key_number, look_from, look_row, paper_row, stamp

CHUNK = 500
"""So many papers are looked up and written at once; no more of a document is held."""

MAX_SHARED = 20
"""A link or a title that so many looks share tells nothing more: no further ones are noted under it."""

MAX_LOOKS = 20
"""So many looks of one paper are remembered: a page may say something else each time."""

_INSERT = insertion("papers", ("id", *PAPER, "first_seen"))
_UPDATE = f"UPDATE papers SET {assignments(PAPER)} WHERE id = :id"
_OWNER = "INSERT INTO paper_keys (key, paper) VALUES (:key, :paper)"
_LOOK = insertion("looks", ("id", "paper", "title", "author", "year", "beginning"))
_KEY = "INSERT INTO look_keys (key, look) VALUES (:key, :look) ON CONFLICT DO NOTHING"
_OWNED = "SELECT key, paper FROM paper_keys WHERE key IN {}"
_NOTED = """
    SELECT k.key, l.* FROM look_keys k JOIN looks l ON l.id = k.look WHERE k.key IN {} ORDER BY k.look
"""
_LOOKS = "SELECT paper, count(*) AS looks FROM looks WHERE paper IN {} GROUP BY paper"
_SIGHTING = """
    INSERT INTO sightings (paper, feed, first_at, last_at, announce)
    VALUES (:paper, :feed, :now, :now, :announce)
    ON CONFLICT (paper, feed) DO UPDATE SET last_at = excluded.last_at
"""
_PUBLICATION = """
    INSERT INTO publications (paper, place, at) VALUES (:paper, :place, :now) ON CONFLICT (paper) DO NOTHING
"""
_ABSORB = (
    "UPDATE paper_keys SET paper = :heir WHERE paper = :gone",
    "UPDATE looks SET paper = :heir WHERE paper = :gone",
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
    INSERT INTO shown (channel, paper, day, told)
    SELECT channel, :heir, day, told FROM shown WHERE paper = :gone
    ON CONFLICT (channel, paper) DO UPDATE SET told = COALESCE(shown.told, excluded.told)
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
    id: int
    look: Look


class _Keys:
    """Whose key is whose, of all the keys that one chunk has, and what of it waits to be written.

    An identifier has one owner; under a link, a title or the beginning of a text stand looks of several.
    """

    def __init__(self, session: Session, names: Collection[str], ids: Iterator[int]) -> None:
        self.session = session
        self.ids = ids
        self.numbers = {name: key_number(name) for name in names if is_weak(name)}
        self.owner: dict[str, PaperId] = {}
        self.noted: dict[str, list[_Noted]] = {name: [] for name in self.numbers}
        self.new_owners: list[dict[str, object]] = []
        self.new_looks: list[dict[str, object]] = []
        self.new_keys: list[dict[str, object]] = []
        self._load([name for name in names if name not in self.numbers])

    def _load(self, strong: Sequence[str]) -> None:
        session = self.session
        if strong:
            rows = session.all(_OWNED.format(session.texts("names")), names=strong)
            self.owner = {row["key"]: row["paper"] for row in rows}
        names = {number: name for name, number in self.numbers.items()}
        for row in session.all(_NOTED.format(session.ids("numbers")), numbers=list(names)):
            self.noted[names[row["key"]]].append(_Noted(row["paper"], row["id"], look_from(row)))
        papers = list(self.papers())
        rows = session.all(_LOOKS.format(session.ids("papers")), papers=papers) if papers else ()
        self.looks = {row["paper"]: row["looks"] for row in rows}

    def papers(self) -> set[PaperId]:
        """The papers that have any of the keys."""
        return {*self.owner.values(), *(each.paper for noted in self.noted.values() for each in noted)}

    def known(self, names: Iterable[str], papers: Callable[[PaperId], Paper]) -> list[Known]:
        """The papers that have any of these keys, each with those of its looks that do."""
        if not any(name in self.owner or self.noted.get(name) for name in names):
            return []
        said: dict[PaperId, list[Look]] = {}
        linked: dict[PaperId, list[Look]] = {}
        for name in names:
            if name in self.owner:
                said.setdefault(self.owner[name], [])
            for each in self.noted.get(name, ()):
                (linked if is_link(name) else said).setdefault(each.paper, []).append(each.look)
        return [
            Known(papers(paper), tuple(said.get(paper, ())), tuple(linked.get(paper, ())))
            for paper in said | linked
        ]

    def note(self, paper: PaperId, names: Iterable[str], shown: Look) -> None:
        """The paper was seen with these keys and this look."""
        noted: _Noted | None = None
        for name in names:
            if name not in self.numbers:
                self._own(name, paper)
            elif not (there := self.noted[name]) or self._is_news(there, paper, shown):
                noted = noted or self._noted(paper, names, shown)
                if noted:
                    there.append(noted)
                    self.new_keys.append({"key": self.numbers[name], "look": noted.id})

    def _own(self, name: str, paper: PaperId) -> None:
        if name not in self.owner:
            self.owner[name] = paper
            self.new_owners.append({"key": name, "paper": paper})

    def _is_news(self, there: Sequence[_Noted], paper: PaperId, shown: Look) -> bool:
        is_there = any(each.paper == paper and each.look == shown for each in there)
        return len(there) < MAX_SHARED and not is_there

    def _noted(self, paper: PaperId, names: Iterable[str], shown: Look) -> _Noted | None:
        """This look of the paper, noted already or now; None if it would be one too many."""
        for each in (each for name in names for each in self.noted.get(name, ())):
            if each.paper == paper and each.look == shown:
                return each
        self.looks[paper] = count = self.looks.get(paper, 0) + 1
        if count > MAX_LOOKS:
            return None
        noted = _Noted(paper, next(self.ids), shown)
        self.new_looks.append({"id": noted.id, "paper": paper, **look_row(shown)})
        return noted

    def absorb(self, gone: PaperId, heir: PaperId) -> None:
        """Give all that was one paper's to another."""
        self.looks[heir] = self.looks.get(heir, 0) + self.looks.pop(gone, 0)
        self.owner = {key: heir if owner == gone else owner for key, owner in self.owner.items()}
        for noted in self.noted.values():
            noted[:] = [each._replace(paper=heir) if each.paper == gone else each for each in noted]

    def write(self) -> None:
        self.session.run_many(_OWNER, self.new_owners)
        self.session.run_many(_LOOK, self.new_looks)
        self.session.run_many(_KEY, self.new_keys)
        for written in (self.new_owners, self.new_looks, self.new_keys):
            written.clear()


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
        self.look_ids = session.new_ids("looks")
        self.keys = _Keys(session, (), self.look_ids)
        self.added: set[PaperId] = set()
        self.changed: set[PaperId] = set()
        self.reworded: set[PaperId] = set()
        self.sightings: list[dict[str, object]] = []
        self.publications: list[dict[str, object]] = []

    def take(self, chunk: list[Paper]) -> None:
        names = [self._names(paper) for paper in chunk]
        self.keys = _Keys(self.session, {name for of_paper in names for name in of_paper}, self.look_ids)
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
        known = self.keys.known(names, self._paper)
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

    def _paper(self, paper: PaperId) -> Paper:
        """The paper as it now is; most that are added are never asked for."""
        found = self.papers[paper]
        if found.id == UNSTORED:
            found = self.papers[paper] = replace(found, id=paper, first_seen=self.now)
        return found

    def _add(self, paper: Paper) -> PaperId:
        added = next(self.ids)
        self.papers[added] = paper
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
        self.keys.absorb(gone, heir)
        for sql in _ABSORB:
            self.session.run(sql, gone=gone, heir=heir)
        del self.papers[gone]
        self.new.pop(gone, None)
        self.revised.pop(gone, None)

    def _write(self) -> None:
        session, reworded = self.session, self.reworded - self.added
        rows = (self._row(paper) for paper in sorted(self.added))
        session.run_many(_INSERT, ({**row, "first_seen": self.stamped} for row in rows))
        session.run_many(_UPDATE, map(self._row, sorted(self.changed - self.added)))
        session.unindex(sorted(reworded))  # FTS5 writes its buffer out whenever a number falls
        session.run_many(
            "DELETE FROM summaries WHERE paper = :paper", ({"paper": paper} for paper in reworded)
        )
        session.index(_indexed(paper, self.papers[paper]) for paper in sorted(self.added | reworded))
        self.keys.write()
        session.run_many(_SIGHTING, self.sightings)
        session.run_many(_PUBLICATION, self.publications)
        for written in (self.added, self.changed, self.reworded, self.sightings, self.publications):
            written.clear()

    def _row(self, paper: PaperId) -> dict[str, object]:
        return {"id": paper, **paper_row(self.papers[paper])}


def _indexed(number: PaperId, paper: Paper) -> tuple[PaperId, str, str, str]:
    authors = index_text(" ".join(paper.authors))
    return number, index_text(paper.title), index_text(paper.abstract), authors
