"""A channel: a place where digests go, and its settings."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import Self
from zoneinfo import ZoneInfo

from digests.errors import InputError, ScheduleError
from digests.schedule import DAILY, Calendar, Days, long_date, parse_zone, rescheduled
from digests.text import clip, plain

DEFAULT_SIZE = 10
MAX_LABEL = 80
MAX_SIZE = 50
DEFAULT_TIME = time(9)
FIRST_TRY_AGAIN, LAST_TRY_AGAIN = timedelta(minutes=15), timedelta(days=2)
"""A channel that refuses posts is tried again after the first, then ever later, at most after the second."""


@dataclass(frozen=True, slots=True, order=True)
class ChannelId:
    """A channel's address, "platform:workspace/channel": `slack:T1/C1` both ways."""

    platform: str
    workspace: str
    channel: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """The address that `text` writes; InputError says what a right one looks like."""
        found = re.fullmatch(r"([a-z]{1,20}):([^\s/:]{1,100})/([^\s/:]{1,100})", text)
        if not found:
            raise InputError(f"{text!r} is not a channel", "write it as in slack:T1/C1")
        return cls(*found.groups())

    def __str__(self) -> str:
        return f"{self.platform}:{self.workspace}/{self.channel}"


class Layout(StrEnum):
    """How much a digest says of a paper: one sentence and a short line, or all that helps to choose."""

    COMPACT = "compact"
    FULL = "full"


class EmptyDay(StrEnum):
    """What a channel gets on a day without papers."""

    SILENT = "silent"
    LINE = "line"
    WEEKLY = "weekly"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A channel takes no posts: since when, how many times in a row, until when it is left alone, and why."""

    since: datetime
    count: int
    retry_at: datetime
    what: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Channel:
    """A channel and its settings.

    `size` is the most items of one digest; with `thread` what is too long for the main post goes into its
    thread, else it follows in the channel; `language` is that of the digest's own words; `managers` are the
    ids of the people and groups who may change the settings, () for everybody whom the platform lets;
    `added` and `since` are aware UTC: no edition of a moment before `since` is due.
    While there is a `refusal`, digests wait for its `retry_at`.
    """

    id: ChannelId
    calendar: Calendar
    name: str = ""
    size: int = DEFAULT_SIZE
    layout: Layout = Layout.FULL
    empty_day: EmptyDay = EmptyDay.LINE
    language: str = "en"
    thread: bool = True
    managers: tuple[str, ...] = ()
    paused: bool = False
    paused_until: date | None = None
    added: datetime | None = None
    since: datetime | None = None
    refusal: Refusal | None = None

    @property
    def label(self) -> str:
        """What people call it: "#ml"."""
        return "#" + clip(plain(self.name) or self.id.channel, MAX_LABEL).removeprefix("#")

    def clock(self, moment: datetime) -> str:
        """A moment on the channel's wall: "Tue 1 Dec 2026 09:00"."""
        local = moment.astimezone(self.calendar.zone)
        return f"{long_date(local.date())} {local:%H:%M}"

    def coming(self, now: datetime, count: int, last: date | None = None) -> tuple[datetime, ...]:
        """The next `count` times of a digest, of dates later than `last`; none in a pause without end."""
        return () if self.paused else self.calendar.upcoming(self._awake(now), count, last)

    def next_turn(
        self, cadence: Days, now: datetime, last: date | None = None, last_turn: date | None = None
    ) -> datetime | None:
        """When a subscription takes part next, as `Calendar.next_turn` says; None in a pause without end."""
        return None if self.paused else self.calendar.next_turn(cadence, self._awake(now), last, last_turn)

    def _awake(self, now: datetime) -> datetime:
        """`now`, or the last moment of a pause that has an end."""
        if not self.paused_until:
            return now
        return max(now, self.calendar.begins(self.paused_until) - timedelta(microseconds=1))


def new_channel(channel: ChannelId, now: datetime, name: str = "", zone: str = "") -> Channel:
    """A channel as nobody has set it yet: daily at nine on its clock, UTC if its zone is not known."""
    try:
        known = parse_zone(zone or "UTC")
    except ScheduleError:
        known = ZoneInfo("UTC")
    return Channel(channel, Calendar(DEFAULT_TIME, DAILY, known), name=name, added=now, since=now)


def moved(channel: Channel, calendar: Calendar, now: datetime, last: date | None) -> Channel:
    """The channel on another calendar: what was owed stays owed, nothing old becomes due.

    `last` is the date of its latest edition up to `latest_believable(now)`.
    """
    since = channel.since
    if since is not None and calendar != channel.calendar:
        since = rescheduled(channel.calendar, calendar, now, last, since)
    return replace(channel, calendar=calendar, since=since)


def paused(channel: Channel, now: datetime, until: date | None = None) -> Channel:
    """The channel in a pause, which ends at the beginning of `until`, or when somebody ends it."""
    if until is None:
        return replace(channel, paused=True, paused_until=None)
    if until <= channel.calendar.local_date(now):
        raise ScheduleError(f"{until} is not to come", "name a date after today, or pause without a date")
    return replace(channel, paused=False, paused_until=until)


def resumed(channel: Channel, now: datetime) -> Channel:
    """The channel out of its pause: today's digest is due if its time has passed, none of an earlier date."""
    today = channel.calendar.begins(channel.calendar.local_date(now))
    since = max(channel.since, today) if channel.since else today
    return replace(channel, paused=False, paused_until=None, since=since)


def refused(channel: Channel, what: str, hint: str, now: datetime) -> Channel:
    """The channel after its platform said that it takes no posts: all settings stay, it is tried later."""
    before = channel.refusal
    count = before.count + 1 if before else 1
    wait = min(FIRST_TRY_AGAIN * 2 ** min(count - 1, 20), LAST_TRY_AGAIN)
    since = before.since if before else now
    return replace(channel, refusal=Refusal(since, count, now + wait, what, hint))


def accepted(channel: Channel) -> Channel:
    """The channel after it took a post."""
    return replace(channel, refusal=None)
