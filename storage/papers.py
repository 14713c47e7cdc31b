"""The stored papers, their text and their summaries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice

from digests.errors import UnknownError
from digests.paper import Paper, PaperId, is_weak, written_id
from storage.database import Database, Session
from storage.rows import key_number, listed, paper_from, stamp, texts

PAGE = 500
"""So many papers are read at once: who reads all holds no more, and no transaction between the pages."""

_CANDIDATES = """
    SELECT id FROM papers WHERE first_seen >= :since
    UNION
    SELECT s.paper FROM sightings s JOIN feeds f ON f.id = s.feed WHERE f.is_list = 1
    ORDER BY 1
"""
_OWNED = "SELECT key, paper FROM paper_keys WHERE key IN {}"
_SHARED = """
    SELECT k.key, min(l.paper) AS paper FROM look_keys k JOIN looks l ON l.id = k.look
    WHERE k.key IN {} GROUP BY k.key
"""
_KEEP_SUMMARY = """
    INSERT INTO summaries (paper, method, sentences)
    SELECT id, :method, :sentences FROM papers WHERE id = :paper
    ON CONFLICT (paper, method) DO UPDATE SET sentences = excluded.sentences
"""


class PaperRepository:
    """`ports.Papers` in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, paper: PaperId) -> Paper:
        found = self.get_many((paper,)).get(paper)
        if found is None:
            raise UnknownError(
                f"there is no paper {written_id(paper)}", "look for it with: paperround papers search WORDS"
            )
        return found

    def get_many(self, papers: Collection[PaperId]) -> Mapping[PaperId, Paper]:
        """A paper that another absorbed is answered with that one."""
        with self._database.read() as session:
            found = load(session, papers)
            lost = [paper for paper in papers if paper not in found]
            heirs = _heirs(session, lost) if lost else {}
            inherited = load(session, set(heirs.values())) if heirs else {}
        return found | {paper: inherited[heir] for paper, heir in heirs.items()}

    def by_keys(self, keys: Collection[str]) -> Mapping[str, PaperId]:
        with self._database.read() as session:
            return owners(session, keys)

    def candidates(self, since: datetime) -> Iterator[Paper]:
        with self._database.read() as session:
            ids = [row["id"] for row in session.all(_CANDIDATES, since=stamp(since))]
        return self._paged(ids)

    def search(self, prefilter: str | None) -> Iterator[Paper]:
        """Newest is what came in last."""
        with self._database.read() as session:
            if prefilter is None:
                ids = [row["id"] for row in session.all("SELECT id FROM papers ORDER BY id DESC")]
            else:
                ids = list(session.find(prefilter))
        return self._paged(ids)

    def mark(self) -> int:
        with self._database.read() as session:
            row = session.one("SELECT mark FROM papers_mark")
            return row["mark"] if row else 0

    def count(self, since: datetime | None = None) -> int:
        where = "WHERE first_seen >= :since" if since else ""
        times = {"since": stamp(since)} if since else {}
        with self._database.read() as session:
            row = session.one(f"SELECT count(*) AS papers FROM papers {where}", **times)
            return row["papers"] if row else 0

    def summaries(self, papers: Collection[PaperId], method: str) -> Mapping[PaperId, tuple[str, ...]]:
        with self._database.read() as session:
            sql = f"SELECT * FROM summaries WHERE method = :method AND paper IN {session.ids('papers')}"
            rows = session.all(sql, method=method, papers=list(papers))
        return {row["paper"]: texts(row["sentences"]) for row in rows}

    def keep_summaries(self, made: Mapping[PaperId, tuple[str, ...]], method: str) -> None:
        """A summary of a paper that is gone meanwhile is dropped."""
        rows = [
            {"paper": paper, "method": method, "sentences": listed(sentences)}
            for paper, sentences in made.items()
        ]
        with self._database.write() as session:
            session.run_many(_KEEP_SUMMARY, rows)

    def _paged(self, ids: Iterable[PaperId]) -> Iterator[Paper]:
        rest = iter(ids)
        while page := list(islice(rest, PAGE)):
            with self._database.read() as session:
                found = load(session, page)
            yield from (found[paper] for paper in page if paper in found)


def load(session: Session, papers: Collection[PaperId]) -> dict[PaperId, Paper]:
    """The papers of those ids, as far as they are there."""
    rows = session.all(f"SELECT * FROM papers WHERE id IN {session.ids('papers')}", papers=list(papers))
    feeds = _feeds_of(session, papers)
    return {row["id"]: paper_from(row, feeds[row["id"]]) for row in rows}


def owners(session: Session, keys: Collection[str]) -> dict[str, PaperId]:
    """The papers that have those keys, the oldest of several."""
    found = {
        row["key"]: row["paper"] for row in session.all(_OWNED.format(session.texts("keys")), keys=list(keys))
    }
    weak = {key_number(key): key for key in keys if is_weak(key)}
    rows = session.all(_SHARED.format(session.ids("keys")), keys=list(weak)) if weak else ()
    return found | {weak[row["key"]]: row["paper"] for row in rows}


def _feeds_of(session: Session, papers: Collection[PaperId]) -> Mapping[PaperId, list[str]]:
    sql = f"""
        SELECT s.paper, f.name FROM sightings s JOIN feeds f ON f.id = s.feed
        WHERE s.paper IN {session.ids("papers")} ORDER BY s.paper, s.first_at, f.name
    """
    names: dict[PaperId, list[str]] = defaultdict(list)
    for row in session.all(sql, papers=list(papers)):
        names[row["paper"]].append(row["name"])
    return names


def _heirs(session: Session, papers: Sequence[PaperId]) -> dict[PaperId, PaperId]:
    sql = f"SELECT * FROM absorbed_papers WHERE id IN {session.ids('papers')}"
    return {row["id"]: row["paper"] for row in session.all(sql, papers=papers)}
