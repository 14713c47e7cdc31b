"""Every "when next?": local send times, cadences and daylight saving, poll intervals, back-off.

`now` is always an aware UTC time, and so is every moment that comes back.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from difflib import get_close_matches
from functools import cache
from itertools import islice
from zoneinfo import ZoneInfo, available_timezones

from digests.errors import ScheduleError

ONE_DAY = timedelta(days=1)
SEARCH_DAYS = 400  # how far the next or the last sending date is looked for; it may not exist
MAX_HOLIDAYS = 1000
MIN_EVERY = timedelta(minutes=5)
MAX_EVERY = timedelta(days=7)
MAX_BACK_OFF = ONE_DAY

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_GROUPS = {
    "daily": (0, 1, 2, 3, 4, 5, 6),
    "weekdays": (0, 1, 2, 3, 4),
    "weekends": (5, 6),
}
_UNITS = {"d": ONE_DAY, "h": timedelta(hours=1), "m": timedelta(minutes=1)}
_NOT_A_PLACE = {"Factory", "localtime"}


@dataclass(frozen=True, slots=True)
class Days:
    """Days of the week, Monday is 0; `weekly` marks the cadence that gathers the week, sent on Monday.

    `str` gives canonical text: "daily", "weekdays", "weekly", "mon,thu".
    """

    weekdays: tuple[int, ...]
    weekly: bool = False

    def __contains__(self, day: date) -> bool:
        return day.weekday() in self.weekdays

    def __str__(self) -> str:
        if self.weekly:
            return "weekly"
        for word in ("daily", "weekdays"):
            if self.weekdays == _GROUPS[word]:
                return word
        return ",".join(_WEEKDAYS[n][:3] for n in self.weekdays)


DAILY = Days(_GROUPS["daily"])
WEEKDAYS = Days(_GROUPS["weekdays"])
WEEKLY = Days((0,), weekly=True)


@dataclass(frozen=True, slots=True)
class Calendar:
    """When a channel gets its digests: at a local time, on days of the week, in a zone, not on holidays.

    `str` gives what `parse_schedule` reads: "09:00 weekdays Europe/Berlin".
    """

    time: time
    days: Days
    zone: ZoneInfo
    holidays: frozenset[date] = frozenset()

    def __str__(self) -> str:
        return f"{self.time:%H:%M} {self.days} {self.zone}"

    def local_date(self, now: datetime) -> date:
        """The date on the channel's wall."""
        return now.astimezone(self.zone).date()

    def begins(self, day: date) -> datetime:
        """The first instant of a local date; of a date that the zone skipped, the end of the gap."""
        return _first_instant(datetime.combine(day, time.min), self.zone)

    def moment(self, day: date) -> datetime:
        """When a local date's edition is due: the first instant at which the clock shows the time or later.

        A time that occurs twice counts once, the first; one that a gap leaves out is the end of the gap.
        """
        return _first_instant(datetime.combine(day, self.time), self.zone)

    def sends_on(self, day: date) -> bool:
        """Whether a local date has an edition; one that its zone skipped (Apia, 2011-12-30) has none."""
        return day in self.days and day not in self.holidays and self.local_date(self.begins(day)) == day

    def due(self, now: datetime, last: date | None, since: datetime | None = None) -> date | None:
        """The local date whose edition is due: the latest that has passed, if it is later than `last`.

        `last` is the date of the channel's latest edition up to `latest_believable(now)`.
        Nothing from before `since` is due: set it when a channel is made, or ends a pause (`begins` of the
        day on which it ends), and with `rescheduled` when its calendar changes.
        After an outage one edition is due, never several.
        """
        day = self._last_passed(now)
        if day is None or (last is not None and day <= last):
            return None
        return day if since is None or self.moment(day) >= since else None

    def upcoming(self, now: datetime, count: int, last: date | None = None) -> tuple[datetime, ...]:
        """The next `count` moments after `now`, of dates later than `last`; fewer if there are none."""
        return tuple(self.moment(day) for day in islice(self._days_to_come(now, last), count))

    def takes_part(self, cadence: Days, day: date, last_turn: date | None) -> bool:
        """Whether a subscription belongs in the edition of `day`.

        It does if a day of its cadence has come since `last_turn`, the edition in which it last took part:
        a turn on a day without edition moves to the next edition. A `last_turn` after `day` was written
        while the clock was wrong, and says nothing.
        """
        since = last_turn if last_turn and last_turn <= day else self._sending_before(day)
        passed = (day - timedelta(days=n) for n in range(min((day - since).days, 7)))
        return any(candidate in cadence for candidate in passed)

    def next_turn(
        self, cadence: Days, now: datetime, last: date | None, last_turn: date | None
    ) -> datetime | None:
        """When a subscription takes part next, in an edition later than `now` and `last`."""
        for day in self._days_to_come(now, last):
            if self.takes_part(cadence, day, last_turn):
                return self.moment(day)
        return None

    def _days_to_come(self, now: datetime, last: date | None) -> Iterator[date]:
        first = self.local_date(now)
        for day in (first + timedelta(days=n) for n in range(SEARCH_DAYS)):
            if (last is None or day > last) and self.sends_on(day) and self.moment(day) > now:
                yield day

    def _last_passed(self, now: datetime) -> date | None:
        # From tomorrow on: where clocks go back over midnight, tomorrow's 00:00 may have been already.
        first = self.local_date(now) + ONE_DAY
        for day in (first - timedelta(days=n) for n in range(SEARCH_DAYS)):
            if self.moment(day) <= now and self.sends_on(day):
                return day
        return None

    def _sending_before(self, day: date) -> date:
        earlier = (day - timedelta(days=n) for n in range(1, 8))
        return next((other for other in earlier if self.sends_on(other)), day - 7 * ONE_DAY)


def rescheduled(old: Calendar, new: Calendar, now: datetime, last: date | None, since: datetime) -> datetime:
    """The `since` to keep when a channel's calendar changes.

    A date that the old calendar still owed and whose moment the new one has passed is due at once.
    What only the new one would have sent earlier is not.
    """
    day = new._last_passed(now)
    pending = day is not None and (last is None or day > last)
    if day is not None and pending and old.sends_on(day) and old.moment(day) >= since:
        return new.moment(day)
    return max(since, now)


def latest_believable(now: datetime) -> date:
    """The latest local date of which an edition can be: no zone is two days ahead of UTC.

    A later one was made while the clock was wrong, and says nothing about what is due.
    """
    return (now + 2 * ONE_DAY).date()


def poll_after(now: datetime, every: timedelta, failures: int = 0) -> datetime:
    """When to poll next: after `every`, doubled for each failure in a row up to `MAX_BACK_OFF`."""
    wait = min(every * (1 << min(failures, 20)), MAX_BACK_OFF)
    return now + max(wait, every)


def parse_time(text: str) -> time:
    """A time of day: "09:00", "9.30", "9", "9am", "9:30 pm"."""
    found = re.fullmatch(r"([0-9]{1,2})(?:[:.]([0-9]{2}))?(?: ?([ap])\.?m\.?)?", _folded(text))
    if not found:
        raise ScheduleError(f"{_quoted(text)} is not a time of day", "write it as 09:00 or 9am")
    hour, minute = int(found[1]), int(found[2] or 0)
    if hint := _time_fault(hour, minute, half=found[3]):
        raise ScheduleError(f"{_quoted(text)} is not a time of day", hint)
    return time(hour % 12 + 12 * (found[3] == "p"), minute) if found[3] else time(hour, minute)


def _time_fault(hour: int, minute: int, half: str | None) -> str:
    if minute > 59:
        return "minutes go from 00 to 59, as in 09:30"
    if half and not 1 <= hour <= 12:
        return "with am or pm the hours go from 1 to 12, as in 9am"
    if (hour, minute) == (24, 0):
        return "midnight is 00:00, the start of a day"
    return "hours go from 00 to 23, as in 09:00" if hour > 23 else ""


def parse_days(text: str) -> Days:
    """Days of the week: "daily", "weekdays", "weekly", "mon,thu", "monday", "sat sun", "tue-fri"."""
    words = _folded(text).replace(",", " ").split()
    if words == ["weekly"]:
        return WEEKLY
    if not words:
        raise ScheduleError("no days are given", "write daily, weekdays, weekly, or days such as mon,thu")
    found: set[int] = set()
    for word in words:
        numbers = _weekdays_of(word)
        if not numbers:
            raise ScheduleError(f"{_quoted(word)} is not a day of the week", _days_hint(word))
        found.update(numbers)
    return Days(tuple(sorted(found)))


def _weekdays_of(word: str) -> tuple[int, ...]:
    if group := _GROUPS.get(word):
        return group
    first, dash, last = word.partition("-")
    start, end = _weekday(first), _weekday(last or first)
    if start is None or end is None or (dash and not last):
        return ()
    return tuple((start + n) % 7 for n in range((end - start) % 7 + 1))


def _weekday(word: str) -> int | None:
    if len(word) < 2:
        return None
    return next((n for n, name in enumerate(_WEEKDAYS) if f"{name}s".startswith(word)), None)


def _days_hint(word: str) -> str:
    if word == "weekly":
        return "write weekly alone, or the one day, such as fri"
    known = ("weekly", *_GROUPS, *_WEEKDAYS, *(name[:3] for name in _WEEKDAYS))
    if near := get_close_matches(word[:20], known, n=1):
        return f"did you mean {near[0]}?"
    return "write daily, weekdays, weekly, or days such as mon,thu"


def parse_zone(text: str) -> ZoneInfo:
    """A time zone by its IANA name, in any case: "europe/berlin", "America/New York"."""
    name = _zones().get(_zone_key(text))
    if not name:
        raise ScheduleError(f"{_quoted(text)} is not a time zone", _zone_hint(text))
    return ZoneInfo(name)


def near_zones(text: str, count: int = 25) -> tuple[str, ...]:
    """Zone names for what a person types, best first: cities that begin so, names with it, look-alikes."""
    key, zones = _zone_key(text)[:40], _zones()
    begin = [name for name in zones if _city(name).startswith(key)]
    within = [name for name in zones if key in name]
    alike = get_close_matches(key, [*zones, *map(_city, zones)], n=count, cutoff=0.75)
    similar = [name for word in alike for name in zones if word in (name, _city(name))]
    return tuple(zones[name] for name in dict.fromkeys(begin + within + similar))[:count]


def _zone_hint(text: str) -> str:
    key = _zone_key(text)
    if re.match(r"[a-z]{0,5}[+-]?[0-9]", key):
        return "an offset knows no summer time: name a place, such as Europe/Berlin or Asia/Shanghai"
    if re.fullmatch(r"[a-z]{1,4}t", key):
        return "an abbreviation may mean several zones: name a place, such as Europe/Berlin or Asia/Shanghai"
    near = near_zones(text, 3) if len(key) > 2 else ()
    if near:
        return f"did you mean {' or '.join(near)}?"
    return "name it as the IANA does, such as Europe/Berlin or Asia/Shanghai"


@cache
def _zones() -> dict[str, str]:
    """Zone names by their folded form, in order."""
    return {_zone_key(name): name for name in sorted(available_timezones() - _NOT_A_PLACE)}


def _zone_key(text: str) -> str:
    return _folded(text).replace(" ", "_")


def _city(name: str) -> str:
    return name.rpartition("/")[2]


def parse_schedule(text: str, current: Calendar) -> Calendar:
    """The calendar that "<time> [days] [zone]" makes of the current one: "9am weekdays Europe/Berlin"."""
    found = re.match(r"\s*(\S+(?:\s+[ap]m\b)?)", text, re.IGNORECASE)
    if not found:
        raise ScheduleError("no time is given", f"write a time, days and a zone: {current}")
    changed = replace(current, time=parse_time(found[1]))
    words = text[found.end() :].split()
    start = next((n for n, word in enumerate(words) if _means_zone(word)), len(words))
    if days := " ".join(words[:start]):
        changed = replace(changed, days=parse_days(days))
    if zone := " ".join(words[start:]):
        changed = replace(changed, zone=parse_zone(zone))
    return changed


def _means_zone(word: str) -> bool:
    key = _zone_key(word)
    return "/" in key or key in _zones() or any(_city(name) == key for name in _zones())


def parse_date(text: str) -> date:
    """A date as "2026-12-25"."""
    try:
        if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", _folded(text)):
            return date.fromisoformat(_folded(text))
    except ValueError as error:
        raise ScheduleError(f"{_quoted(text)} is not a date", f"{error}") from error
    raise ScheduleError(f"{_quoted(text)} is not a date", "write it as 2026-12-25")


def long_date(day: date) -> str:
    """A date as people read it: "Tue 1 Dec 2026"."""
    return f"{day:%a} {day.day} {day:%b %Y}"


def parse_holidays(text: str) -> frozenset[date]:
    """Dates and ranges with both ends: "2026-12-25, 2026-12-31..2027-01-01"."""
    found: set[date] = set()
    for part in re.sub(r"\s*\.\.\s*", "..", _folded(text)).replace(",", " ").split():
        first, _, last = part.partition("..")
        start, end = parse_date(first), parse_date(last if ".." in part else first)
        if end < start:
            raise ScheduleError(f"the range {_quoted(part)} ends before it starts", f"write {end}..{start}")
        if len(found) + (end - start).days >= MAX_HOLIDAYS:
            raise ScheduleError(
                f"these are more than {MAX_HOLIDAYS} holidays", "to stop digests, pause the channel"
            )
        found.update(date.fromordinal(n) for n in range(start.toordinal(), end.toordinal() + 1))
    return frozenset(found)


def format_holidays(holidays: frozenset[date]) -> str:
    """Holidays as canonical text, days in a row as a range: "2026-12-25..2026-12-27,2027-01-01"."""
    runs: list[list[date]] = []
    for day in sorted(holidays):
        if runs and day - runs[-1][-1] == ONE_DAY:
            runs[-1].append(day)
        else:
            runs.append([day])
    return ",".join(f"{run[0]}..{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)


def parse_interval(text: str) -> timedelta:
    """How often a feed is polled: "30m", "6h", "1d", from `MIN_EVERY` to `MAX_EVERY`."""
    found = re.fullmatch(r"([0-9]{1,5}) ?([dhm])", _folded(text))
    if not found:
        raise ScheduleError(f"{_quoted(text)} is not an interval", "write it as 30m, 6h or 1d")
    every = int(found[1]) * _UNITS[found[2]]
    if not MIN_EVERY <= every <= MAX_EVERY:
        bounds = f"{format_interval(MIN_EVERY)} to {format_interval(MAX_EVERY)}"
        raise ScheduleError(f"{_quoted(text)} is out of bounds", f"an interval goes from {bounds}")
    return every


def format_interval(every: timedelta) -> str:
    """An interval of whole minutes as canonical text, in the largest unit that fits: "90m", "6h", "1d"."""
    letter, unit = next((pair for pair in _UNITS.items() if not every % pair[1]), ("m", _UNITS["m"]))
    return f"{every // unit}{letter}"


def _first_instant(wall: datetime, zone: ZoneInfo) -> datetime:
    """The first instant at which a naive wall-clock time, or a later one, shows in the zone."""
    before, after = (_offset(wall.replace(tzinfo=zone, fold=fold)) for fold in (0, 1))
    instant = (wall - before).replace(tzinfo=UTC)
    if after <= before:  # a usual time or, with clocks going back, the first of two
        return instant
    # In a gap of that length, which ends at or before `instant`; zoneinfo does not tell where.
    width = after - before
    seconds = range(1, int(width.total_seconds()))

    def jumped(second: int) -> bool:
        return _offset((instant - width + timedelta(seconds=second)).astimezone(zone)) > before

    return instant - width + timedelta(seconds=1 + bisect_left(seconds, True, key=jumped))


def _offset(moment: datetime) -> timedelta:
    return moment.utcoffset() or timedelta(0)


def _folded(text: str) -> str:
    """Text with what does not matter evened out: case, width, spaces."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def _quoted(text: str) -> str:
    return repr(_clipped(text))


def _clipped(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:40]}…"
