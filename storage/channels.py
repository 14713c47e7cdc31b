"""The channels and their settings."""

from __future__ import annotations

from digests.channel import Channel, ChannelId
from digests.errors import ConflictError, UnknownError
from storage.database import Database, Row, Session, assignments, insertion
from storage.rows import CHANNEL, channel_from, channel_row

# All that may have been posted: everything but editions whose first message nobody has tried to send.
_PART = """
    INSERT INTO parted (channel, day)
    SELECT channel, day FROM editions e WHERE channel = :channel AND NOT EXISTS (
        SELECT 1 FROM messages m
        WHERE m.channel = e.channel AND m.day = e.day AND m.part = 1
          AND m.stage IN ('waiting', 'given up') AND m.sending_since IS NULL
    )
    ON CONFLICT (channel, day) DO NOTHING
"""


class ChannelRepository:
    """`ports.Channels` in a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, channel: Channel) -> None:
        sql = insertion("channels", CHANNEL) + " ON CONFLICT (id) DO NOTHING"
        with self._database.write() as session:
            if not session.run(sql, **channel_row(channel)):
                raise ConflictError(
                    f"{channel.id} is a channel already",
                    f"change its settings with: paperround channels set {channel.id}",
                )

    def get(self, channel: ChannelId) -> Channel:
        with self._database.read() as session:
            return channel_from(require_channel(session, channel))

    def all(self) -> tuple[Channel, ...]:
        with self._database.read() as session:
            return tuple(map(channel_from, session.all("SELECT * FROM channels ORDER BY id")))

    def save(self, channel: Channel) -> None:
        with self._database.write() as session:
            require_channel(session, channel.id)
            session.run(f"UPDATE channels SET {assignments(CHANNEL)} WHERE id = :id", **channel_row(channel))

    def remove(self, channel: ChannelId) -> None:
        with self._database.write() as session:
            require_channel(session, channel)
            session.run(_PART, channel=str(channel))
            session.run("DELETE FROM channels WHERE id = :id", id=str(channel))


def require_channel(session: Session, channel: ChannelId) -> Row:
    """The row of a channel; UnknownError."""
    row = session.one("SELECT * FROM channels WHERE id = :id", id=str(channel))
    if not row:
        raise UnknownError(
            f"{channel} is not a channel yet",
            f"add it with: paperround channels add {channel}; see all with: paperround channels list",
        )
    return row
