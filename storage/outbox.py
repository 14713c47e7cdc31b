"""Editions and their messages: what is to be sent, what is on its way, what was shown."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

from digests.channel import ChannelId
from digests.outbox import LAST_RETRY, LEASE, Delivery, Edition, Stage
from digests.paper import PaperId
from digests.subscription import SubscriptionId
from storage.channels import require_channel
from storage.database import Database, Session, assignments, insertion
from storage.rows import MESSAGE, digest_from, digest_text, message_from, message_row, moment, stamp

RECENT_DAYS = 14

# A time so far ahead was written while the clock was wrong: waiting for it could take years.
FURTHEST_LEASE = 30 * LEASE
FURTHEST_WAIT = LAST_RETRY + timedelta(hours=1)

# Of an edition whose first message was surely never posted, nobody has seen anything.
_WITHDRAWN = """EXISTS (
    SELECT 1 FROM messages w
    WHERE w.channel = {0}.channel AND w.day = {0}.day AND w.part = 1
      AND w.stage = 'given up' AND w.sending_since IS NULL
)"""
_EDITION = """
    INSERT INTO editions (channel, day, digest, made, thread)
    SELECT :channel, :day, :digest, :made, :thread
    WHERE NOT EXISTS (SELECT 1 FROM parted WHERE channel = :channel AND day = :day)
    ON CONFLICT (channel, day) DO NOTHING
"""
_SHOWN = """
    INSERT INTO shown (channel, paper, day)
    SELECT :channel, id, :day FROM papers
    WHERE id = COALESCE((SELECT paper FROM absorbed_papers WHERE id = :paper), :paper)
    ON CONFLICT (channel, paper) DO NOTHING
"""
_TELL = """
    UPDATE shown SET told = :day
    WHERE channel = :channel AND told IS NULL
      AND paper = COALESCE((SELECT paper FROM absorbed_papers WHERE id = :paper), :paper)
"""
_PUBLISHED = """
    SELECT s.paper, p.place FROM shown s JOIN publications p ON p.paper = s.paper
    WHERE s.channel = :channel AND s.told IS NULL ORDER BY p.at, p.paper
"""
_CLEAR_WITHDRAWN = f"""
    DELETE FROM editions WHERE channel = :channel AND day = :day AND {_WITHDRAWN.format("editions")}
"""
_LAST_DAYS = f"""
    SELECT c.id AS channel, (
        SELECT e.day FROM editions e
        WHERE e.channel = c.id AND e.day <= :until AND NOT {_WITHDRAWN.format("e")}
        ORDER BY e.day DESC LIMIT 1
    ) AS day, (SELECT max(p.day) FROM parted p WHERE p.channel = c.id AND p.day <= :until) AS parted
    FROM channels c WHERE c.id IN {{channels}}
"""
_MESSAGES = """
    SELECT {}, e.made, CASE WHEN m.part > 1 AND e.thread = 1 THEN f.receipt ELSE '' END AS thread
    FROM messages m
    JOIN editions e ON e.channel = m.channel AND e.day = m.day
    JOIN messages f ON f.channel = m.channel AND f.day = m.day AND f.part = 1
"""
# What is told of a message needs no payload: 10,000 channels have 140,000 in two weeks.
_TOLD = ", ".join("'' AS payload" if column == "payload" else f"m.{column}" for column in MESSAGE)
# The first open message of its channel, in the order of days and parts, waits for nothing but its time.
_CLAIMABLE = f"""
    {_MESSAGES.format("m.*")}
    JOIN channels c ON c.id = m.channel
    WHERE m.stage IN ('waiting', 'sending')
      AND (m.not_before IS NULL OR m.not_before <= :now OR m.not_before > :furthest_wait)
      AND (m.leased_until IS NULL OR m.leased_until <= :now OR m.leased_until > :furthest_lease)
      AND c.platform IN {{platforms}}
      AND m.channel = COALESCE(CAST(:channel AS TEXT), m.channel)
      AND NOT EXISTS (
          SELECT 1 FROM messages b
          WHERE b.channel = m.channel AND b.stage IN ('waiting', 'sending')
            AND (b.day < m.day OR (b.day = m.day AND b.part < m.part))
      )
    ORDER BY e.made, m.channel
    LIMIT :limit
"""
_CLAIM = """
    UPDATE messages SET
        stage = 'sending', attempts = attempts + 1, leased_until = :until,
        sending_since = COALESCE(sending_since, :now)
    WHERE channel = :channel AND day = :day AND part = :part
"""
_SETTLED = ("stage", "attempts", "sending_since", "not_before", "receipt", "sent_at", "error")
# A sender whose lease ran out may still know that the message was posted; nothing else that it says counts.
_SETTLE = f"""
    UPDATE messages SET {assignments(_SETTLED)}, leased_until = NULL
    WHERE channel = :channel AND day = :day AND part = :part
      AND stage <> 'sent' AND (:stage = 'sent' OR attempts = :attempts)
"""
_GIVE_UP_REST = """
    UPDATE messages SET stage = 'given up', error = :error
    WHERE channel = :channel AND day = :day AND part > :part AND stage = 'waiting'
"""


_OPEN = """
    SELECT day, part, stage, sending_since FROM messages
    WHERE channel = :channel AND day < :before AND stage IN ('waiting', 'sending')
"""
_WITHDRAW = """
    UPDATE messages SET stage = 'given up', error = :error WHERE channel = :channel AND day = :day
"""
_NOT_SHOWN = "DELETE FROM shown WHERE channel = :channel AND day = :day"
_NOT_TOLD = "UPDATE shown SET told = NULL WHERE channel = :channel AND told = :day"
# With a turn a week before, every cadence finds that a day of it has come since.
_TURNS_OWED = "UPDATE subscriptions SET last_turn = :before WHERE channel = :channel AND last_turn = :day"


class OutboxRepository:
    """`ports.Outbox` in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, edition: Edition, turns: Sequence[SubscriptionId]) -> bool:
        channel, day = str(edition.channel), edition.day.isoformat()
        digest, made = digest_text(edition.digest), stamp(edition.made)
        with self._database.write() as session:
            require_channel(session, edition.channel)
            session.run(_CLEAR_WITHDRAWN, channel=channel, day=day)
            thread = int(edition.digest.thread)
            if not session.run(_EDITION, channel=channel, day=day, digest=digest, made=made, thread=thread):
                return False
            _put_messages(session, edition)
            shown = [{"channel": channel, "paper": paper, "day": day} for paper in edition.digest.papers]
            session.run_many(_SHOWN, shown)
            told = [{"channel": channel, "paper": paper, "day": day} for paper in edition.digest.told]
            session.run_many(_TELL, told)
            turn = "UPDATE subscriptions SET last_turn = :day WHERE channel = :channel AND id IN "
            session.run(turn + session.ids("turns"), day=day, channel=channel, turns=list(turns))
            return True

    def edition(self, channel: ChannelId, day: date) -> Edition | None:
        place = {"channel": str(channel), "day": day.isoformat()}
        with self._database.read() as session:
            sql = f"SELECT * FROM editions e WHERE channel = :channel AND day = :day AND NOT {_WITHDRAWN}"
            row = session.one(sql.format("e"), **place)
            messages = session.all(
                "SELECT payload FROM messages WHERE channel = :channel AND day = :day ORDER BY part", **place
            )
        if not row:
            return None
        payloads = tuple(message["payload"] for message in messages)
        return Edition(channel, day, digest_from(row["digest"]), payloads, moment(row["made"]))

    def last_days(self, channels: Collection[ChannelId], until: date) -> Mapping[ChannelId, date]:
        with self._database.read() as session:
            sql = _LAST_DAYS.format(channels=session.texts("channels"))
            rows = session.all(sql, channels=[*map(str, channels)], until=until.isoformat())
        latest = {row["channel"]: max(row["day"] or "", row["parted"] or "") for row in rows}
        return {ChannelId.parse(place): date.fromisoformat(day) for place, day in latest.items() if day}

    def withdraw(self, channel: ChannelId, before: date, why: str) -> bool:
        with self._database.write() as session:
            left = session.all(_OPEN, channel=str(channel), before=before.isoformat())
            untouched = {
                row["day"]
                for row in left
                if row["part"] == 1 and row["stage"] == Stage.WAITING and not row["sending_since"]
            }
            for day in untouched:
                session.run(_WITHDRAW, channel=str(channel), day=day, error=why)
                _take_back(session, str(channel), date.fromisoformat(day))
            return untouched.issuperset(row["day"] for row in left)

    def shown(self, channel: ChannelId) -> Mapping[PaperId, date]:
        with self._database.read() as session:
            rows = session.all("SELECT paper, day FROM shown WHERE channel = :channel", channel=str(channel))
        return {row["paper"]: date.fromisoformat(row["day"]) for row in rows}

    def published(self, channel: ChannelId) -> Mapping[PaperId, str]:
        with self._database.read() as session:
            return {row["paper"]: row["place"] for row in session.all(_PUBLISHED, channel=str(channel))}

    def claim(
        self, now: datetime, limit: int, platforms: Collection[str], channel: ChannelId | None = None
    ) -> tuple[Delivery, ...]:
        with self._database.write() as session:
            rows = session.all(
                _CLAIMABLE.format(platforms=session.texts("platforms")),
                now=stamp(now),
                furthest_wait=stamp(now + FURTHEST_WAIT),
                furthest_lease=stamp(now + FURTHEST_LEASE),
                limit=limit,
                platforms=list(platforms),
                channel=channel and str(channel),
            )
            until, since = stamp(now + LEASE), stamp(now)
            session.run_many(
                _CLAIM,
                [
                    {
                        "channel": row["channel"],
                        "day": row["day"],
                        "part": row["part"],
                        "until": until,
                        "now": since,
                    }
                    for row in rows
                ],
            )
        return tuple(_claimed(message_from(row)) for row in rows)

    def settle(self, delivery: Delivery) -> bool:
        """A part that is given up takes the later parts of its edition with it: nobody could read them alone.

        What a holder of a lease that ran out has to say counts only if it is that the message was sent.
        """
        row = message_row(delivery)
        with self._database.write() as session:
            counts = bool(session.run(_SETTLE, **row))
            if counts and delivery.stage is Stage.GIVEN_UP:
                session.run(_GIVE_UP_REST, **row)
                if delivery.part == 1 and not delivery.sending_since:
                    _take_back(session, str(delivery.channel), delivery.day)
            return counts

    def deliveries(self, day: date | None = None, channel: ChannelId | None = None) -> tuple[Delivery, ...]:
        """The last fourteen days are those up to the latest edition."""
        only = "m.channel = :channel AND" if channel else ""
        messages = _MESSAGES.format(_TOLD)
        sql = f"{messages} WHERE {only} m.day BETWEEN :first AND :last ORDER BY m.day DESC, m.channel, m.part"
        with self._database.read() as session:
            first, last = (day, day) if day else _recent(session)
            place = {"channel": str(channel)} if channel else {}
            rows = session.all(sql, first=first.isoformat(), last=last.isoformat(), **place)
        return tuple(map(message_from, rows))


def _put_messages(session: Session, edition: Edition) -> None:
    parts = len(edition.payloads)
    waiting = (
        Delivery(edition.channel, edition.day, part, parts, payload)
        for part, payload in enumerate(edition.payloads, start=1)
    )
    session.run_many(insertion("messages", MESSAGE), map(message_row, waiting))


def _take_back(session: Session, channel: str, day: date) -> None:
    """The papers, the turns and the news of an edition that nobody saw are owed again."""
    session.run(_NOT_SHOWN, channel=channel, day=day.isoformat())
    session.run(_NOT_TOLD, channel=channel, day=day.isoformat())
    before = day - timedelta(days=7)
    session.run(_TURNS_OWED, channel=channel, day=day.isoformat(), before=before.isoformat())


def _claimed(before: Delivery) -> Delivery:
    return replace(before, stage=Stage.SENDING, attempts=before.attempts + 1)


def _recent(session: Session) -> tuple[date, date]:
    row = session.one("SELECT max(day) AS day FROM editions")
    last = date.fromisoformat(row["day"]) if row and row["day"] else date.max
    return last - timedelta(days=RECENT_DAYS - 1), last
