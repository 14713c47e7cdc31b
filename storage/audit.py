"""Who changed what, and when."""

from __future__ import annotations

import json
from dataclasses import replace

from digests.changes import Change, Facts
from digests.channel import ChannelId
from digests.errors import UnknownError
from storage.database import Database, Row, insertion
from storage.rows import moment, stamp

_COLUMNS = ("channel", "who", "what", "at", "before", "after")


class AuditRepository:
    """`ports.Audit` in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, change: Change) -> Change:
        row = {
            "channel": str(change.channel),
            "who": change.who,
            "what": change.what,
            "at": stamp(change.at),
            "before": _stored(change.before),
            "after": _stored(change.after),
        }
        with self._database.write() as session:
            made = session.one(insertion("audit", _COLUMNS) + " RETURNING id", **row)
        assert made
        return replace(change, id=made["id"])

    def get(self, change: int) -> Change:
        with self._database.read() as session:
            row = session.one("SELECT * FROM audit WHERE id = :id", id=change)
        if not row:
            raise UnknownError(f"there is no change {change}", "see the changes with: paperround audit")
        return _change(row)

    def latest(self, channel: ChannelId | None = None, limit: int = 100) -> tuple[Change, ...]:
        where = "WHERE channel = :channel" if channel else ""
        place = {"channel": str(channel)} if channel else {}
        with self._database.read() as session:
            sql = f"SELECT * FROM audit {where} ORDER BY id DESC LIMIT :limit"
            rows = session.all(sql, limit=limit, **place)
        return tuple(map(_change, rows))


def _stored(facts: Facts) -> str:
    return json.dumps(dict(facts), ensure_ascii=False)


def _facts(stored: str) -> Facts:
    return tuple(json.loads(stored).items())


def _change(row: Row) -> Change:
    return Change(
        channel=ChannelId.parse(row["channel"]),
        who=row["who"],
        what=row["what"],
        at=moment(row["at"]),
        before=_facts(row["before"]),
        after=_facts(row["after"]),
        id=row["id"],
    )
