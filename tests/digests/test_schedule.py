"""The calendar: local send times on every kind of day in every zone, turns, polls, and what people type."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import pairwise
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from digests import schedule
from digests.errors import ScheduleError
from digests.schedule import DAILY, WEEKDAYS, WEEKLY, Calendar, Days

ZONES = sorted(available_timezones() - {"localtime"})
DAY, HOUR, MINUTE, SECOND = (timedelta(**{unit: 1}) for unit in ("days", "hours", "minutes", "seconds"))
BERLIN = ZoneInfo("Europe/Berlin")
CALM = settings(deadline=None)
SHORT = settings(deadline=None, max_examples=30)  # each example lives through twelve days


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def at(
    hour: int, minute: int = 0, days: Days = DAILY, zone: str = "Europe/Berlin", *holidays: str
) -> Calendar:
    off = frozenset(date.fromisoformat(day) for day in holidays)
    return Calendar(time(hour, minute), days, ZoneInfo(zone), off)


def wall(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None)


@cache
def transitions(zone: str, year: int) -> tuple[datetime, ...]:
    """The first whole UTC hours after the zone's offset changed, found by day, then by hour."""
    place, found = ZoneInfo(zone), []
    for moment in (datetime(year, 1, 1, tzinfo=UTC) + n * DAY for n in range(365)):
        before = moment.astimezone(place).utcoffset()
        if before != (moment + DAY).astimezone(place).utcoffset():
            hours = (moment + n * HOUR for n in range(1, 25))
            found.append(next(hour for hour in hours if hour.astimezone(place).utcoffset() != before))
    return tuple(found)


def first_minute_showing(target: datetime, zone: ZoneInfo) -> datetime:
    """The naive reference: look at the clock every minute until it shows the target or later."""
    moment = target.replace(tzinfo=UTC) - 26 * HOUR
    while wall(moment, zone) < target:
        moment += MINUTE
    return moment


@st.composite
def tricky_dates(draw: st.DrawFn) -> tuple[str, date]:
    """A zone and a date, by preference one beside a change of its clocks."""
    zone, year = draw(st.sampled_from(ZONES)), draw(st.integers(1975, 2037))
    changes = transitions(zone, year)
    anchor = draw(st.sampled_from(changes)) if changes else datetime(year, 6, 1, tzinfo=UTC)
    return zone, anchor.astimezone(ZoneInfo(zone)).date() + draw(st.integers(-2, 2)) * DAY


times = st.times().map(lambda t: t.replace(second=0, microsecond=0))
weekday_sets = st.sets(st.integers(0, 6), min_size=1).map(lambda found: Days(tuple(sorted(found))))


@st.composite
def calendars(draw: st.DrawFn) -> tuple[Calendar, date]:
    """A calendar, and a date beside a change of its clocks, with holidays around it."""
    zone, day = draw(tricky_dates())
    off = draw(st.frozensets(st.integers(-5, 5).map(lambda n: day + n * DAY), max_size=3))
    return Calendar(draw(times), draw(weekday_sets), ZoneInfo(zone), off), day


# Moments


@CALM
@given(tricky_dates(), times)
def test_a_moment_is_the_first_minute_at_which_the_clock_shows_the_time(
    where: tuple[str, date], at: time
) -> None:
    """On any date in any zone, the moment is what looking at the clock every minute finds."""
    zone = ZoneInfo(where[0])
    moment = Calendar(at, DAILY, zone).moment(where[1])
    assert moment == first_minute_showing(datetime.combine(where[1], at), zone)


def test_every_zone_has_one_moment_a_date_around_each_change_of_its_clocks() -> None:
    """In all zones, on the days around each change, at 49 times: right on the clock, or the end of a gap."""
    for name in ZONES:
        for change in transitions(name, 2026):
            _check_change(ZoneInfo(name), change)


def _check_change(zone: ZoneInfo, change: datetime) -> None:
    day = wall(change, zone).date()
    shift = abs(wall(change + DAY, zone) - wall(change - DAY, zone) - 2 * DAY)
    for at in [time(n // 2, n % 2 * 30) for n in range(48)] + [time(23, 59)]:
        calendar = Calendar(at, DAILY, zone)
        moments = [calendar.moment(day + n * DAY) for n in (-1, 0, 1)]
        assert moments[0] < moments[1] < moments[2]
        for n, moment in enumerate(moments):
            target = datetime.combine(day + (n - 1) * DAY, at)
            assert wall(moment, zone) == target or wall(moment - SECOND, zone) < target < wall(moment, zone)
            assert shift == timedelta(0) or wall(moment - shift, zone) != target


@CALM
@given(calendars())
def test_moments_grow_with_the_date(given_calendar: tuple[Calendar, date]) -> None:
    """A later sending date has a later moment, and none is on a date that the zone skips."""
    calendar, day = given_calendar
    days = [day + n * DAY for n in range(-4, 5) if calendar.sends_on(day + n * DAY)]
    moments = [calendar.moment(sending) for sending in days]
    assert moments == sorted(set(moments))


@pytest.mark.parametrize(
    ("calendar", "day", "moment"),
    [
        (at(9), "2026-07-01", "2026-07-01T07:00"),
        (at(2, 30), "2026-03-29", "2026-03-29T01:00"),
        (at(2, 30), "2026-10-25", "2026-10-25T00:30"),
        (at(0, 30, DAILY, "Asia/Beirut"), "2024-03-31", "2024-03-30T22:00"),
        (at(2, 15, DAILY, "Australia/Lord_Howe"), "2026-10-04", "2026-10-03T15:30"),
        (at(23, 45, DAILY, "America/Scoresbysund"), "2024-03-30", "2024-03-31T00:45"),
    ],
)
def test_moments_on_the_days_on_which_clocks_change(calendar: Calendar, day: str, moment: str) -> None:
    """A time in the gap is the end of the gap, a time that comes twice is the first of both."""
    assert calendar.moment(date.fromisoformat(day)) == utc(moment)


@pytest.mark.parametrize(
    ("zone", "skipped"), [("Pacific/Apia", "2011-12-30"), ("Pacific/Kwajalein", "1993-08-21")]
)
def test_a_date_that_a_zone_skipped_has_no_edition(zone: str, skipped: str) -> None:
    """Neither `sends_on`, nor `upcoming`, nor `due` knows a date that never was."""
    calendar, day = at(9, 0, DAILY, zone), date.fromisoformat(skipped)
    assert not calendar.sends_on(day)
    before = calendar.moment(day - DAY)
    assert calendar.upcoming(before, 1) == (calendar.moment(day + DAY),)
    assert calendar.due(calendar.moment(day), None) == day - DAY


# What is due


def ticking(calendar: Calendar, ticks: Iterator[datetime], since: datetime) -> list[date]:
    """The dates of the editions that a service sends that looks at the clock at each tick."""
    sent: list[date] = []
    for now in ticks:
        if day := calendar.due(now, sent[-1] if sent else None, since):
            sent.append(day)
    return sent


def clock(start: datetime, seed: int, *, outages: bool) -> Iterator[datetime]:
    """Twelve days of a clock read every 1 to 30 minutes, set back at times, and not read in outages."""
    luck, now = random.Random(seed), start
    while now < start + 12 * DAY:
        yield now
        now += luck.randint(1, 30) * MINUTE
        if luck.random() < 0.02:
            now -= luck.randint(1, 120) * MINUTE
        if outages and luck.random() < 0.02:
            now += luck.randint(1, 72) * HOUR
    yield now


def passed(calendar: Calendar, start: datetime, end: datetime) -> list[date]:
    """The sending dates whose moments lie between two times, both included."""
    first = calendar.local_date(start)
    days = [first + n * DAY for n in range(-1, (end - start).days + 3)]
    return [day for day in days if calendar.sends_on(day) and start <= calendar.moment(day) <= end]


@SHORT
@given(calendars(), st.integers(0, 24 * 60), st.integers())
def test_without_outage_every_sending_date_is_due_exactly_once(
    given_calendar: tuple[Calendar, date], minutes: int, seed: int
) -> None:
    """However the ticks fall, and when the clock is set back by up to two hours."""
    calendar, day = given_calendar
    start = datetime.combine(day, time(), UTC) - 6 * DAY + minutes * MINUTE
    ticks = list(clock(start, seed, outages=False))
    assert ticking(calendar, iter(ticks), start) == passed(calendar, start, max(ticks))


@SHORT
@given(calendars(), st.integers(0, 24 * 60), st.integers())
def test_after_an_outage_only_the_latest_date_is_due(
    given_calendar: tuple[Calendar, date], minutes: int, seed: int
) -> None:
    """Dates are sent at most once and in order, and the latest that has passed is never left out."""
    calendar, day = given_calendar
    start = datetime.combine(day, time(), UTC) - 6 * DAY + minutes * MINUTE
    ticks = list(clock(start, seed, outages=True))
    sent, all_passed = ticking(calendar, iter(ticks), start), passed(calendar, start, max(ticks))
    assert sent == sorted(set(sent) & set(all_passed))
    assert sent[-1:] == all_passed[-1:]


def changing(
    calendars: list[Calendar], ticks: Iterator[datetime], start: datetime, luck: random.Random
) -> list[date]:
    """The dates that a service sends while people change the calendar of a channel."""
    sent: list[date] = []
    current, since = calendars[0], start
    for now in ticks:
        for change in (False, luck.random() < 0.01):
            last = sent[-1] if sent else None
            if change:
                new = luck.choice(calendars)
                current, since = new, schedule.rescheduled(current, new, now, last, since)
            if day := current.due(now, last, since):
                sent.append(day)
    return sent


@SHORT
@given(calendars(), st.lists(st.tuples(times, weekday_sets), min_size=1, max_size=3), st.integers())
def test_a_changed_time_neither_doubles_nor_drops_a_date(
    given_calendar: tuple[Calendar, date], others: list[tuple[time, Days]], seed: int
) -> None:
    """A date that all calendars of a channel send is sent once, whenever one replaces another."""
    calendar, day = given_calendar
    choices = [calendar, *(Calendar(at, days, calendar.zone) for at, days in others)]
    start = datetime.combine(day, time(), UTC) - 6 * DAY
    ticks = list(clock(start, seed, outages=False))
    sent = changing(choices, iter(ticks), start, random.Random(seed))
    inner = [calendar.local_date(start) + n * DAY for n in range(1, 11)]
    assert sent == sorted(set(sent))
    assert {day for day in inner if all(choice.sends_on(day) for choice in choices)} <= set(sent)


@SHORT
@given(st.lists(calendars(), min_size=2, max_size=4), st.integers())
def test_a_changed_zone_never_doubles_a_date(given_calendars: list[tuple[Calendar, date]], seed: int) -> None:
    """Also where the local date moves back, or one comes twice."""
    start = datetime.combine(given_calendars[0][1], time(), UTC) - 6 * DAY
    choices = [calendar for calendar, _ in given_calendars]
    sent = changing(choices, clock(start, seed, outages=True), start, random.Random(seed))
    assert sent == sorted(set(sent))


def test_a_missed_weekend_of_downtime_gives_one_edition() -> None:
    """A service that comes back after three days sends the latest date, then nothing until the next."""
    calendar, back = at(9), utc("2026-07-06T12:00")
    assert calendar.due(back, date(2026, 7, 2)) == date(2026, 7, 6)
    assert calendar.due(back, date(2026, 7, 6)) is None


def test_a_manual_edition_of_the_day_leaves_nothing_due() -> None:
    """After an edition at 08:00 the timed run of 09:00 finds the date done, and the next is tomorrow's."""
    calendar, today = at(9), date(2026, 7, 1)
    assert calendar.due(utc("2026-07-01T07:30"), today) is None
    assert calendar.upcoming(utc("2026-07-01T06:00"), 1, today) == (utc("2026-07-02T07:00"),)


def test_a_date_stays_sent_when_the_clock_returns_to_the_day_before() -> None:
    """In St. John's of 2006 the clock went from 00:01 back to 23:01: the edition of 00:00 was due before."""
    calendar = at(0, 0, DAILY, "America/St_Johns")
    again = utc("2006-10-29T02:40")
    assert calendar.local_date(again) == date(2006, 10, 28)
    assert calendar.due(again, date(2006, 10, 28)) == date(2006, 10, 29)


def test_nothing_from_before_a_channel_was_made_is_due() -> None:
    """A channel made at noon with 09:00 waits for tomorrow."""
    made = utc("2026-07-01T12:00")
    assert at(9).due(made, None, made) is None
    assert at(9).due(utc("2026-07-02T07:00"), None, made) == date(2026, 7, 2)


def test_the_end_of_a_pause_makes_up_for_nothing() -> None:
    """At the first minute of the day on which a pause ends, the dates within it stay unsent."""
    calendar = at(9)
    resumed = calendar.begins(date(2026, 7, 10))
    assert resumed == utc("2026-07-09T22:00")
    assert calendar.due(resumed, date(2026, 7, 1), resumed) is None
    assert calendar.due(utc("2026-07-10T07:00"), date(2026, 7, 1), resumed) == date(2026, 7, 10)


@pytest.mark.parametrize(
    ("old", "new", "last", "due"),
    [
        pytest.param(at(15), at(11), "2026-06-30", "2026-07-01", id="an earlier time: today's at once"),
        pytest.param(at(15), at(18), "2026-06-30", None, id="a later time: today's later"),
        pytest.param(at(9), at(11), "2026-07-01", None, id="today's was sent: nothing"),
        pytest.param(at(9, 0, Days((0,))), at(9), "2026-06-29", None, id="today became a day: tomorrow"),
        pytest.param(at(9, 0, Days((0,))), at(9, 0, Days((1,))), "2026-06-29", None, id="no past day"),
        pytest.param(
            at(9, 0, DAILY, "America/Los_Angeles"),
            at(9, 0, DAILY, "Asia/Tokyo"),
            "2026-06-30",
            "2026-07-01",
            id="the date is ahead in the new zone and its time has passed: at once",
        ),
        pytest.param(
            at(9, 0, DAILY, "Asia/Tokyo"),
            at(9, 0, DAILY, "America/Los_Angeles"),
            "2026-07-01",
            None,
            id="the date is behind in the new zone: sent already",
        ),
    ],
)
def test_a_change_at_noon_on_wednesday(old: Calendar, new: Calendar, last: str, due: str | None) -> None:
    """What the old calendar still owed comes at once where the new one has passed it; nothing else does."""
    noon, done = utc("2026-07-01T10:00"), date.fromisoformat(last)
    since = schedule.rescheduled(old, new, noon, done, utc("2026-01-01T00:00"))
    assert new.due(noon, done, since) == (date.fromisoformat(due) if due else None)


def test_a_change_does_not_bring_a_date_from_before_the_channel() -> None:
    """Made at noon with 09:00 and changed to 08:00 a minute later, a channel still waits for tomorrow."""
    made = utc("2026-07-01T10:00")
    since = schedule.rescheduled(at(9), at(8), made + MINUTE, None, made)
    assert at(8).due(made + MINUTE, None, since) is None


def test_an_edition_of_a_wrong_clock_is_beyond_belief() -> None:
    """Samoa's date is a day ahead and believed; the date of a clock that ran a year ahead is not."""
    now = utc("2026-07-01T23:00")
    ahead = at(9, 0, DAILY, "Pacific/Apia").local_date(now)
    assert ahead < schedule.latest_believable(now) < date(2027, 7, 1)


# What comes


@CALM
@given(calendars(), st.integers(1, 5))
def test_upcoming_moments_are_the_next_sending_dates(
    given_calendar: tuple[Calendar, date], count: int
) -> None:
    """They are later than now, in order, and no sending date between them is left out."""
    calendar, day = given_calendar
    now = calendar.begins(day)
    found = calendar.upcoming(now, count)
    assert len(found) == count
    assert list(found) == [calendar.moment(sending) for sending in passed(calendar, now + SECOND, found[-1])]


def test_a_calendar_without_a_day_ends_its_search() -> None:
    """Where each day is a holiday, or none is a day, nothing comes and nothing is due."""
    now, year = utc("2026-07-01T12:00"), [date(2025, 1, 1) + n * DAY for n in range(1500)]
    for calendar in (at(9, 0, Days(())), Calendar(time(9), DAILY, BERLIN, frozenset(year))):
        assert calendar.upcoming(now, 3) == ()
        assert calendar.due(now, None) is None
        assert calendar.next_turn(DAILY, now, None, None) is None


def test_holidays_are_skipped() -> None:
    """Christmas on a Friday moves the next edition to Monday on a calendar of weekdays."""
    calendar = at(9, 0, WEEKDAYS, "Europe/Berlin", "2026-12-25")
    assert calendar.upcoming(utc("2026-12-24T12:00"), 1) == (utc("2026-12-28T08:00"),)


# Turns


def turns(calendar: Calendar, cadence: Days, start: date, days: int) -> list[date]:
    """The editions in which a subscription takes part, made after the edition before `start`."""
    found: list[date] = []
    for day in (start + n * DAY for n in range(days)):
        if calendar.sends_on(day) and calendar.takes_part(cadence, day, found[-1] if found else None):
            found.append(day)
    return found


def test_a_turn_on_a_holiday_moves_to_the_next_edition() -> None:
    """Monday is a holiday: the turn is on Tuesday, and Thursday's stays where it is."""
    calendar = at(9, 0, WEEKDAYS, "Europe/Berlin", "2026-07-06")
    found = turns(calendar, Days((0, 3)), date(2026, 7, 2), 9)
    assert found == [date(2026, 7, 2), date(2026, 7, 7), date(2026, 7, 9)]


def test_a_first_turn_on_a_holiday_moves_too() -> None:
    """A subscription that never took part does not lose its first Monday."""
    calendar = at(9, 0, WEEKDAYS, "Europe/Berlin", "2026-07-06")
    assert turns(calendar, WEEKLY, date(2026, 7, 3), 7) == [date(2026, 7, 7)]


def test_a_weekly_subscription_takes_part_once_a_week_whatever_the_day() -> None:
    """In a channel that sends on Friday its turn is Friday; in a daily one it is Monday."""
    july = date(2026, 7, 1)
    assert turns(at(9, 0, Days((4,))), WEEKLY, july, 16) == [date(2026, 7, 3), date(2026, 7, 10)]
    assert turns(at(9), WEEKLY, july, 16) == [date(2026, 7, 6), date(2026, 7, 13)]


@CALM
@given(calendars(), weekday_sets)
def test_no_turn_is_lost(given_calendar: tuple[Calendar, date], cadence: Days) -> None:
    """Between two days of a cadence with an edition in between, or on the first, there is a turn."""
    calendar, start = given_calendar
    found = turns(calendar, cadence, start, 30)
    owed = [day for day in (start + n * DAY for n in range(20)) if day in cadence]
    for first, after in pairwise(owed):
        between = [first + n * DAY for n in range((after - first).days)]
        expected = next((day for day in between if calendar.sends_on(day)), None)
        assert expected is None or expected in found


def test_the_next_turn_is_told_with_its_moment() -> None:
    """On Wednesday a subscription for Mondays hears of Tuesday, as Monday is a holiday."""
    calendar = at(9, 0, WEEKDAYS, "Europe/Berlin", "2026-07-06")
    assert calendar.next_turn(Days((0,)), utc("2026-07-01T12:00"), None, None) == utc("2026-07-07T07:00")


def test_a_turn_waits_for_as_long_as_there_is_no_edition() -> None:
    """After a month of outage, a Monday's edition has the subscription for Tuesdays too."""
    assert at(9).takes_part(Days((1,)), date(2026, 7, 6), date(2026, 6, 2))


def test_a_turn_is_taken_once() -> None:
    """In the edition after its turn, and in the same one again, a subscription has none."""
    calendar, monday = at(9), date(2026, 7, 6)
    assert calendar.takes_part(WEEKLY, monday, date(2026, 6, 29))
    assert not calendar.takes_part(WEEKLY, monday, monday)
    assert not calendar.takes_part(WEEKLY, monday + DAY, monday)


# Polls


@pytest.mark.parametrize(("failures", "hours"), [(0, 1), (1, 2), (2, 4), (4, 16), (5, 24), (10_000, 24)])
def test_polls_back_off_by_doubling_up_to_a_day(failures: int, hours: int) -> None:
    """An hourly feed is polled after 1, 2, 4, … hours, and never less than once a day."""
    now = utc("2026-07-01T12:00")
    assert schedule.poll_after(now, HOUR, failures) == now + hours * HOUR


def test_a_slow_feed_is_not_polled_faster_when_it_fails() -> None:
    """A feed that is polled every three days stays at three days."""
    now = utc("2026-07-01T12:00")
    assert schedule.poll_after(now, 3 * DAY, 4) == now + 3 * DAY


# What people type


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("09:00", time(9)),
        ("9:00", time(9)),
        (" 9 ", time(9)),
        ("9am", time(9)),
        ("09.30", time(9, 30)),
        ("9:30 PM", time(21, 30)),
        ("9 p.m.", time(21)),
        ("12am", time(0)),
        ("12:15pm", time(12, 15)),
        ("00:00", time(0)),
        ("23:59", time(23, 59)),
        ("９：００", time(9)),
    ],
)
def test_times_as_people_write_them(text: str, expected: time) -> None:
    """Each usual way of writing a time is understood."""
    assert schedule.parse_time(text) == expected


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("24:00", "midnight is 00:00"),
        ("25:00", "hours go from 00 to 23"),
        ("9:61", "minutes go from 00 to 59"),
        ("13pm", "from 1 to 12"),
        ("noon", "09:00"),
        ("", "09:00"),
        ("-1:00", "09:00"),
        ("9:00:00", "09:00"),
        ("9" * 10_000, "09:00"),
    ],
)
def test_what_is_no_time_is_refused_with_the_reason(text: str, hint: str) -> None:
    """The message is one short line that names the fault."""
    with pytest.raises(ScheduleError) as refused:
        schedule.parse_time(text)
    assert hint in refused.value.hint
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("daily", "daily"),
        ("mon-sun", "daily"),
        ("Weekdays", "weekdays"),
        ("mon tue wed thu fri", "weekdays"),
        ("weekly", "weekly"),
        ("monday", "mon"),
        ("thu, mon", "mon,thu"),
        ("sat sun", "sat,sun"),
        ("weekends", "sat,sun"),
        ("Tuesdays Thurs", "tue,thu"),
        ("fri-mon", "mon,fri,sat,sun"),
        ("weekdays,sat", "mon,tue,wed,thu,fri,sat"),
    ],
)
def test_days_as_people_write_them(text: str, canonical: str) -> None:
    """Each is understood and printed back in one canonical way."""
    assert str(schedule.parse_days(text)) == canonical


@CALM
@given(weekday_sets | st.just(WEEKLY))
def test_days_print_back(days: Days) -> None:
    """What is printed is read as the same days."""
    assert schedule.parse_days(str(days)) == days


@pytest.mark.parametrize(
    ("text", "fault", "hint"),
    [
        ("mon,thrsday", "'thrsday'", "thursday"),
        ("dayly", "'dayly'", "daily"),
        ("weekly fri", "'weekly'", "fri"),
        ("mon-", "'mon-'", "mon"),
        ("s", "'s'", "mon,thu"),
        ("", "no days", "mon,thu"),
        ("x" * 10_000, "'xxxx", "mon,thu"),
    ],
)
def test_what_is_no_day_is_refused_by_name(text: str, fault: str, hint: str) -> None:
    """The message names the word that is not understood, and one that would be."""
    with pytest.raises(ScheduleError) as refused:
        schedule.parse_days(text)
    assert fault in refused.value.what
    assert hint in refused.value.hint
    assert len(str(refused.value)) < 200


def test_every_zone_is_found_in_any_case() -> None:
    """Every name of the tz database that is a zone is accepted, and found back by its lower-case form."""
    for name in set(ZONES) - {"Factory"}:
        assert str(schedule.parse_zone(name)) == name
        assert str(schedule.parse_zone(name.lower())) == name


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("Europe/Berln", "Europe/Berlin"),
        ("berlin", "Europe/Berlin"),
        ("Kolkatta", "Asia/Kolkata"),
        ("EST5", "an offset knows no summer time"),
        ("+02:00", "an offset knows no summer time"),
        ("UTC+2", "an offset knows no summer time"),
        ("CEST", "an abbreviation may mean several zones"),
        ("Factory", "such as Europe/Berlin"),
        ("../../etc/passwd", "such as Europe/Berlin"),
        ("", "such as Europe/Berlin"),
        ("x" * 10_000, "such as Europe/Berlin"),
    ],
)
def test_what_is_no_zone_is_refused_with_the_nearest(text: str, hint: str) -> None:
    """A misspelt zone is answered with the zone that was meant, anything else with what a zone is."""
    with pytest.raises(ScheduleError) as refused:
        schedule.parse_zone(text)
    assert hint in refused.value.hint
    assert len(str(refused.value)) < 200


def test_zones_are_offered_while_typing() -> None:
    """Cities that begin with the text come first, and never more than asked for."""
    assert schedule.near_zones("new y")[0] == "America/New_York"
    assert schedule.near_zones("Shang")[0] == "Asia/Shanghai"
    assert len(schedule.near_zones("", 25)) == 25


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("08:30", "08:30 daily Europe/Berlin"),
        ("9 pm weekdays", "21:00 weekdays Europe/Berlin"),
        ("9am asia/shanghai", "09:00 daily Asia/Shanghai"),
        ("9 mon thu America/New York", "09:00 mon,thu America/New_York"),
        ("9 weekly utc", "09:00 weekly UTC"),
    ],
)
def test_a_schedule_is_a_time_with_what_changes(text: str, canonical: str) -> None:
    """Days and zone stay as they were where they are not given; the whole prints back."""
    made = schedule.parse_schedule(text, at(9))
    assert str(made) == canonical
    assert schedule.parse_schedule(str(made), at(1)) == made


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "no time"),
        ("weekdays", "'weekdays' is not a time"),
        ("9 weekdys", "'weekdys' is not a day"),
        ("9 daily Europe/Berln", "'Europe/Berln' is not a time zone"),
        ("9 Berlin", "'Berlin' is not a time zone"),
    ],
)
def test_a_schedule_is_refused_at_the_word_at_fault(text: str, fault: str) -> None:
    """The message names that word and what it was taken for."""
    with pytest.raises(ScheduleError, match=fault):
        schedule.parse_schedule(text, at(9))


def test_a_changed_schedule_keeps_the_holidays() -> None:
    """A new time does not forget the days off."""
    calendar = at(9, 0, DAILY, "Europe/Berlin", "2026-12-25")
    assert schedule.parse_schedule("10:00", calendar).holidays == calendar.holidays


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("", ""),
        ("2026-12-25", "2026-12-25"),
        ("2027-01-01, 2026-12-25 2026-12-26", "2026-12-25..2026-12-26,2027-01-01"),
        ("2026-12-30 .. 2027-01-02", "2026-12-30..2027-01-02"),
    ],
)
def test_holidays_as_people_write_them(text: str, canonical: str) -> None:
    """Dates and ranges are understood, and printed back in order with days in a row as ranges."""
    assert schedule.format_holidays(schedule.parse_holidays(text)) == canonical


@CALM
@given(st.frozensets(st.dates()))
def test_holidays_print_back(holidays: frozenset[date]) -> None:
    """What is printed is read as the same dates."""
    assert schedule.parse_holidays(schedule.format_holidays(holidays)) == holidays


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2026-02-30", "'2026-02-30' is not a date"),
        ("25.12.2026", "'25.12.2026' is not a date; write it as 2026-12-25"),
        ("20261225", "'20261225' is not a date; write it as 2026-12-25"),
        ("2026-12-25..", "'' is not a date"),
        ("2027-01-01..2026-12-24", "ends before it starts; write 2026-12-24..2027-01-01"),
        ("0001-01-01..9999-12-31", "more than 1000 holidays"),
    ],
)
def test_what_is_no_holiday_is_refused_by_name(text: str, message: str) -> None:
    """A date that does not exist, a range the wrong way round and one without end are refused."""
    with pytest.raises(ScheduleError, match=message):
        schedule.parse_holidays(text)


@pytest.mark.parametrize(
    ("text", "canonical"), [("30m", "30m"), ("90 m", "90m"), ("120m", "2h"), ("24H", "1d"), ("7d", "7d")]
)
def test_intervals_as_people_write_them(text: str, canonical: str) -> None:
    """Each is understood and printed back in its largest whole unit."""
    assert schedule.format_interval(schedule.parse_interval(text)) == canonical


@pytest.mark.parametrize(
    ("text", "hint"), [("1m", "from 5m to 7d"), ("8d", "from 5m to 7d"), ("1w", "30m, 6h or 1d"), ("", "30m")]
)
def test_what_is_no_interval_is_refused(text: str, hint: str) -> None:
    """Too fast, too slow and not understood are told apart."""
    with pytest.raises(ScheduleError) as refused:
        schedule.parse_interval(text)
    assert hint in refused.value.hint
