"""A feed: where papers come from, what its document said, and how healthy it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta

from digests.paper import Entry

DEFAULT_EVERY = timedelta(hours=1)

LEASE = timedelta(minutes=1)
"""So long a feed that is being checked is left alone by other processes; a long check renews it.

What a killed process held is due again after that.
"""

FURTHEST_LEASE = 5 * LEASE
"""What is held for longer is held by a clock that was wrong; no two clocks are quite alike."""


@dataclass(frozen=True, slots=True)
class Refused:
    """An item of a document that could not be read: its place ("line 7", "item 3") and the reason."""

    where: str
    why: str


@dataclass(frozen=True, slots=True)
class Remark:
    """Something an admin should know about a document as a whole."""

    text: str


@dataclass(frozen=True, slots=True)
class Titled:
    """The name that a document gives itself: "cs.CL updates on arXiv.org"."""

    title: str


Part = Entry | Refused | Remark | Titled
"""What a format's `parse` yields, in the order of the document."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A document as it came.

    `url` is where it finally came from, `moved_to` where permanent redirects lead; `body` is inflated and
    empty when `not_modified`; `content_type` is as sent; `fresh_for` is how long the server calls it fresh.
    """

    url: str
    body: bytes = field(repr=False)
    status: int = 200
    content_type: str = ""
    etag: str = ""
    last_modified: str = ""
    not_modified: bool = False
    moved_to: str = ""
    fresh_for: timedelta = timedelta(0)


@dataclass(frozen=True, slots=True)
class Day:
    """What a feed gave on a day: the papers of its last document that held any, and how many were new.

    `abstracts` counts the papers that had one; the day is the source's own, see `day_of`.
    """

    day: date
    papers: int = 0
    abstracts: int = 0
    new: int = 0


@dataclass(frozen=True, slots=True)
class Feed:
    """A source of papers that an admin registered, with its polling state; all times are aware UTC.

    `is_list` marks a fixed list (a conference) that drips its best papers a day until it is done.
    `failures` counts the checks in a row that gave no document; `last_error` came at `error_at` and stays
    when the feed is well again, which it is since `back_at`; `status` is HTTP's of the last check, 0 if none.
    `last_count` is how many papers the last good document held; `batch` is the fingerprint of the last one
    that held any, seen first at `batch_at`; `gap` the longest time in days between its papers' dates.
    Until `whole` nothing was missed; `days` is the history, oldest first. Until `held_until` it belongs to a
    process that reads it, None while nobody does.
    """

    name: str
    url: str
    format: str = ""
    title: str = ""
    is_list: bool = False
    every: timedelta = DEFAULT_EVERY
    paused: bool = False
    added: datetime | None = None
    etag: str = ""
    last_modified: str = ""
    due: datetime | None = None
    last_check: datetime | None = None
    last_good: datetime | None = None
    last_new: datetime | None = None
    last_count: int = 0
    last_error: str = ""
    failures: int = 0
    status: int = 0
    error_at: datetime | None = None
    back_at: datetime | None = None
    batch: str = ""
    batch_at: datetime | None = None
    gap: int = 0
    whole: datetime | None = None
    days: tuple[Day, ...] = ()
    held_until: datetime | None = None

    def is_held(self, now: datetime) -> bool:
        """Whether a process is reading it; a time that is too far ahead is a wrong clock's."""
        return bool(self.held_until and now < self.held_until <= now + FURTHEST_LEASE)


# ---- the history

HISTORY = 60
RECENT = timedelta(days=28)
"""Of older days only those with news are kept: the rhythm of a monthly journal fits into `HISTORY` days."""


def with_day(days: Iterable[Day], seen: Day) -> tuple[Day, ...]:
    """The history with what was seen today; a later document of the day takes the place of an earlier one."""
    known = {day.day: day for day in days}
    before = known.get(seen.day, Day(seen.day))
    counted = seen if seen.papers else before
    known[seen.day] = replace(counted, new=before.new + seen.new)
    kept = [day for day in known.values() if day.new or seen.day - day.day < RECENT]
    return tuple(sorted(kept, key=lambda day: day.day)[-HISTORY:])
