"""The outbox: editions, their messages and deliveries, and what to do after each answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from enum import StrEnum

from digests.channel import ChannelId
from digests.digest import Digest
from digests.errors import DeliveryError

LEASE = timedelta(minutes=2)
FIRST_RETRY = timedelta(seconds=30)
LAST_RETRY = timedelta(hours=6)
"""A platform that asks to wait for longer is asked again all the same."""

PATIENCE = timedelta(hours=20)
"""An edition that could not be posted for so long is given up: the next one takes its papers."""


class Stage(StrEnum):
    """Where a message stands on its way."""

    WAITING = "waiting"
    SENDING = "sending"
    SENT = "sent"
    GIVEN_UP = "given up"


@dataclass(frozen=True, slots=True)
class Edition:
    """The digest of one channel for one local date, and its messages in order; none on a silent day."""

    channel: ChannelId
    day: date
    digest: Digest
    payloads: tuple[str, ...]
    made: datetime


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message on its way: part `part` (from 1) of an edition, as its platform takes it.

    `sending_since` is set when an earlier try may have posted it: look it up before a second send.
    `not_before` is the earliest time of the next try, `attempts` counts the tries so far.
    `thread` is the receipt of the edition's first message, under which the later parts go, "" where they
    follow in the channel; `made` is when the edition was. One that is given up with `sending_since` set may
    have been posted all the same.
    """

    channel: ChannelId
    day: date
    part: int
    parts: int
    payload: str
    stage: Stage = Stage.WAITING
    attempts: int = 0
    sending_since: datetime | None = None
    not_before: datetime | None = None
    made: datetime | None = None
    thread: str = ""
    receipt: str = ""
    sent_at: datetime | None = None
    error: str = ""

    @property
    def key(self) -> str:
        """What names this message for ever, on any platform: channel, local date, part."""
        return f"{self.channel}|{self.day}|{self.part}"


@dataclass(frozen=True, slots=True)
class Receipt:
    """The platform's id of a posted message."""

    message: str


def sent(delivery: Delivery, receipt: Receipt, now: datetime) -> Delivery:
    """The delivery after a clear yes."""
    return replace(
        delivery, stage=Stage.SENT, receipt=receipt.message, sent_at=now, sending_since=None, error=""
    )


def failed(delivery: Delivery, error: DeliveryError, started: datetime, now: datetime) -> Delivery:
    """The delivery after a no, or after an answer that leaves open whether it was posted.

    `started` is when this try began: from then on an unclear message is looked for.
    """
    if error.permanent and not error.everywhere:
        return replace(delivery, stage=Stage.GIVEN_UP, error=error.what)
    since = (delivery.sending_since or started) if error.unclear else None
    if delivery.made and now - delivery.made > PATIENCE:
        return replace(delivery, stage=Stage.GIVEN_UP, error=error.what, sending_since=since)
    wait = error.retry_after or FIRST_RETRY * 2 ** min(delivery.attempts - 1, 20)
    not_before = now + min(wait, LAST_RETRY)
    return replace(
        delivery, stage=Stage.WAITING, not_before=not_before, error=error.what, sending_since=since
    )
