"""The registered feeds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from difflib import get_close_matches
from typing import NoReturn

from digests.errors import ConflictError, UnknownError
from digests.feed import FURTHEST_LEASE, Feed
from digests.health import with_news
from digests.paper import Paper
from digests.ports import Intake
from digests.schedule import MAX_BACK_OFF, MAX_EVERY
from storage.database import Database, Session, assignments, insertion
from storage.intake import take_in
from storage.rows import FEED, feed_from, feed_row, stamp
from storage.subscriptions import rename_feed

_BY_NAME = "SELECT * FROM feeds WHERE name = :name"
# An admin may have changed the rest while the feed was read.
_SEEN = tuple(column for column in FEED if column not in ("paused", "every", "is_list", "added"))
# No feed is due so far ahead, unless the clock was wrong when that was written.
_FURTHEST = MAX_EVERY + MAX_BACK_OFF
_DUE = """
    SELECT * FROM feeds
    WHERE paused = 0 AND is_list = 0 AND (due IS NULL OR due <= :now OR due > :furthest)
        AND (held_until IS NULL OR held_until <= :now OR held_until > :longest)
    ORDER BY COALESCE(due, ''), name
"""


class FeedRepository:
    """`ports.Feeds` in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, feed: Feed, papers: Iterable[Paper], now: datetime) -> Intake:
        with self._database.write() as session:
            _refuse_double(session, feed)
            session.run(insertion("feeds", FEED), **feed_row(feed))
            return _take_in(session, feed, papers, now)

    def get(self, name: str) -> Feed:
        with self._database.read() as session:
            row = session.one(_BY_NAME, name=name)
            return feed_from(row) if row else _unknown(session, name)

    def all(self) -> tuple[Feed, ...]:
        with self._database.read() as session:
            return tuple(map(feed_from, session.all("SELECT * FROM feeds ORDER BY name")))

    def due(self, now: datetime) -> tuple[Feed, ...]:
        with self._database.read() as session:
            until = {"furthest": stamp(now + _FURTHEST), "longest": stamp(now + FURTHEST_LEASE)}
            return tuple(map(feed_from, session.all(_DUE, now=stamp(now), **until)))

    def save(self, feed: Feed) -> None:
        with self._database.write() as session:
            _save(session, feed)

    def take_in(self, feed: Feed, papers: Iterable[Paper], now: datetime) -> Intake:
        with self._database.write() as session:
            _save(session, feed, _SEEN)
            return _take_in(session, feed, papers, now)

    def rename(self, old: str, new: str) -> None:
        with self._database.write() as session:
            if not session.one(_BY_NAME, name=old):
                _unknown(session, old)
            if old != new and session.one(_BY_NAME, name=new):
                raise ConflictError(f"a feed is called {new!r} already", "choose another name")
            session.run("UPDATE feeds SET name = :new WHERE name = :old", old=old, new=new)
            rename_feed(session, old, new)

    def remove(self, name: str) -> int:
        with self._database.write() as session:
            feed = session.one(_BY_NAME, name=name) or _unknown(session, name)
            shown = session.run("DELETE FROM sightings WHERE feed = :feed", feed=feed["id"])
            session.run("DELETE FROM feeds WHERE id = :feed", feed=feed["id"])
            return shown


def _refuse_double(session: Session, feed: Feed) -> None:
    if session.one(_BY_NAME, name=feed.name):
        raise ConflictError(f"a feed is called {feed.name!r} already", "choose another with --name")
    _refuse_taken_address(session, feed)


def _refuse_taken_address(session: Session, feed: Feed) -> None:
    taken = session.one(
        "SELECT name FROM feeds WHERE url = :url AND name <> :name", url=feed.url, name=feed.name
    )
    if taken:
        raise ConflictError(
            f"that address is the feed {taken['name']!r} already",
            f"see it with: paperround feeds show {taken['name']}",
        )


def _save(session: Session, feed: Feed, columns: Sequence[str] = FEED) -> None:
    _refuse_taken_address(session, feed)
    if not session.run(f"UPDATE feeds SET {assignments(columns)} WHERE name = :name", **feed_row(feed)):
        _unknown(session, feed.name)


def _take_in(session: Session, feed: Feed, papers: Iterable[Paper], now: datetime) -> Intake:
    row = session.one(_BY_NAME, name=feed.name)
    assert row
    intake = take_in(session, row["id"], papers, now)
    if intake.new:
        _save(session, with_news(feed, len(intake.new), now), _SEEN)
    return intake


def _unknown(session: Session, name: str) -> NoReturn:
    names = [row["name"] for row in session.all("SELECT name FROM feeds ORDER BY name")]
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    asked = f"did you mean {near[0]!r}? " if near else ""
    raise UnknownError(f"no feed is called {name!r}", f"{asked}see all with: paperround feeds list")
