"""Tests of the digest's own words: each language says all of it, and says it as its readers do."""

import re
from dataclasses import fields
from datetime import date, datetime, timedelta
from string import Formatter

import pytest

from digests.phrases import CHINESE, ENGLISH, LANGUAGES, Phrases, phrases

TUESDAY = date(2026, 12, 1)
TABLES = pytest.mark.parametrize("say", LANGUAGES.values(), ids=LANGUAGES)
SPOKEN = [field.name for field in fields(Phrases) if field.type == "str"]


def gaps(phrase: str) -> set[str]:
    """The names of what is put into a phrase."""
    return {name for _, name, _, _ in Formatter().parse(phrase) if name}


@TABLES
def test_each_language_says_everything(say: Phrases) -> None:
    """No phrase is empty or left in English, and there are seven days and twelve months."""
    texts = {name: getattr(say, name) for name in SPOKEN}
    assert [name for name, text in texts.items() if not text.strip()] == []
    assert (len(set(say.weekdays)), len(set(say.months))) == (7, 12)
    worded = {name: text for name, text in texts.items() if re.search("[^\\W_]", re.sub("{.*?}", "", text))}
    assert say is ENGLISH or not [name for name, text in worded.items() if text == getattr(ENGLISH, name)]


@TABLES
def test_each_phrase_has_a_place_for_what_belongs_into_it(say: Phrases) -> None:
    """A translation may order the pieces otherwise; it may lose none, and expects none that does not come."""
    either = {"authors": {"names", "rest", "all"}}
    for name in SPOKEN:
        wanted = gaps(getattr(ENGLISH, name).split("|")[0])
        for form in getattr(say, name).split("|"):
            expected = either.get(name, wanted)
            assert gaps(form) <= expected, name
            assert name in either or gaps(form) == expected, name


@TABLES
def test_every_number_has_a_form(say: Phrases) -> None:
    """Whatever the number, the phrase with it exists and says it."""
    counted = [name for name in SPOKEN if "{n}" in getattr(say, name)]
    assert len(counted) == 7
    for name in counted:
        for number in (0, 1, 2, 3, 5, 11, 21, 100, 1_234):
            assert f"{number:,}" in say.counted(getattr(say, name), number, at="")


def test_an_unknown_language_is_english() -> None:
    """A stored document outlives its language."""
    assert phrases("tlh") is ENGLISH
    assert phrases("zh") is CHINESE


@pytest.mark.parametrize(
    ("days", "english", "chinese"),
    [
        (0, "today", "今天"),
        (1, "tomorrow", "明天"),
        (-1, "yesterday", "昨天"),
        (3, "Fri", "周五"),
        (-6, "Wed", "周三"),
        (7, "8 Dec", "12月8日"),
        (40, "10 Jan 2027", "2027年1月10日"),
    ],
)
def test_days_are_said_as_people_say_them(days: int, english: str, chinese: str) -> None:
    """Near days by their names, far ones by date, with the year only when it is another."""
    other = TUESDAY + timedelta(days=days)
    assert (ENGLISH.day(other, TUESDAY), CHINESE.day(other, TUESDAY)) == (english, chinese)


def test_dates_and_times_follow_the_language() -> None:
    """Weekday and year stand where the language has them."""
    assert (ENGLISH.dated(TUESDAY), CHINESE.dated(TUESDAY)) == ("Tue 1 Dec 2026", "2026年12月1日 周二")
    morning = datetime(2026, 12, 2, 9)
    assert (ENGLISH.at(morning, TUESDAY), CHINESE.at(morning, TUESDAY)) == ("09:00 tomorrow", "明天 09:00")
    assert ENGLISH.at(morning, morning.date()) == "09:00"
    assert ENGLISH.at(morning, morning.date(), always=True) == "09:00 today"


def test_what_is_put_in_is_never_read_as_a_phrase() -> None:
    """Braces and bars in a name stay what they are."""
    assert ENGLISH.counted(ENGLISH.checked, 2, at="{n}|{0}") == "2 sources checked {n}|{0}"
    assert ENGLISH.matched.format(words="{words} {x}") == "matched: {words} {x}"
