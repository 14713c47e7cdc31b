"""The digest's own words: one table of phrases for each language.

A phrase with a number has its forms divided by `|`, as the language's `form` numbers them.
What comes from papers, feeds and people is put in as it is, and never read as a phrase.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta


@dataclass(frozen=True, slots=True)
class Phrases:
    """All that a digest says by itself; a third language is one more table of these."""

    form: Callable[[int], int]
    weekdays: tuple[str, ...]
    months: tuple[str, ...]
    long_date: str
    short_date: str
    date_of_year: str
    today: str
    tomorrow: str
    yesterday: str
    moment: str
    comma: str
    pause: str

    title: str
    new: str
    continued: str
    message_continued: str
    untitled: str
    unnamed: str
    open: str
    no_abstract: str
    quiet_day: str
    authors: str
    also_in: str
    matched: str
    also_for: str
    published: str
    published_in: str
    published_as: str

    in_thread: str
    below: str
    rest_in_thread: str
    rest_below: str
    more_notes: str
    no_sources: str
    checked: str
    silent: str
    stale: str
    broken: str
    unread: str
    removed: str
    since: str
    more_silent: str
    progress: str
    waiting: str
    next: str

    def counted(self, phrase: str, number: int, **words: str) -> str:
        """A phrase with its number: "12 sources checked"."""
        form = phrase.split("|")[self.form(number)]
        return form.format(n=f"{number:,}", **words).strip()

    def listed(self, names: tuple[str, ...]) -> str:
        """Names one after another."""
        return self.comma.join(names)

    def dated(self, day: date) -> str:
        """A date with its weekday: "Tue 1 Dec 2026"."""
        return self._dated(self.long_date, day)

    def day(self, other: date, day: date) -> str:
        """A date as people on `day` say it: today, tomorrow, Mon, 24 Nov."""
        names = {timedelta(0): self.today, timedelta(1): self.tomorrow, timedelta(-1): self.yesterday}
        if other - day in names:
            return names[other - day]
        if abs(other - day) < timedelta(7):
            return self.weekdays[other.weekday()]
        return self._dated(self.short_date if other.year == day.year else self.date_of_year, other)

    def at(self, local: datetime, day: date, *, always: bool = False) -> str:
        """A time of the day, with the day where it is not `day`, or `always`: "09:00 tomorrow"."""
        time = f"{local:%H:%M}"
        if local.date() == day and not always:
            return time
        return self.moment.format(time=time, day=self.day(local.date(), day))

    def _dated(self, phrase: str, day: date) -> str:
        return phrase.format(
            weekday=self.weekdays[day.weekday()],
            day=day.day,
            month=self.months[day.month - 1],
            year=day.year,
        )


ENGLISH = Phrases(
    form=lambda number: int(number != 1),
    weekdays=("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    months=("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    long_date="{weekday} {day} {month} {year}",
    short_date="{day} {month}",
    date_of_year="{day} {month} {year}",
    today="today",
    tomorrow="tomorrow",
    yesterday="yesterday",
    moment="{time} {day}",
    comma=", ",
    pause=", ",
    title="Paper digest · {label} · {date}",
    new="{n} new|{n} new",
    continued="continued",
    message_continued="{title}, continued",
    untitled="Untitled paper",
    unnamed="Papers",
    open="open",
    no_abstract="No abstract in the source.",
    quiet_day="No new papers for this channel today.",
    authors="{names} +{rest}",
    also_in="also in {places}",
    matched="matched: {words}",
    also_for="also for {names}",
    published="From earlier digests",
    published_in="now published in {place}",
    published_as="now published as {place}",
    in_thread="{n} more in the thread|{n} more in the thread",
    below="{n} more below|{n} more below",
    rest_in_thread="the rest is in the thread",
    rest_below="the rest is below",
    more_notes="{n} more note|{n} more notes",
    no_sources="no sources yet",
    checked="{n} source checked {at}|{n} sources checked {at}",
    silent="{feed} silent {since}",
    stale="{feed} stale {since}",
    broken="{feed} broken {since}",
    unread="{feed} not read {since}",
    removed="{feed} removed by the admin",
    since="since {day}",
    more_silent="{n} more silent or broken|{n} more silent or broken",
    progress="{feed}: {shown} of {total} shown",
    waiting="{n} more waiting|{n} more waiting",
    next="next at {at}",
)

CHINESE = Phrases(
    form=lambda _number: 0,
    weekdays=("周一", "周二", "周三", "周四", "周五", "周六", "周日"),
    months=("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"),
    long_date="{year}年{month}月{day}日 {weekday}",
    short_date="{month}月{day}日",
    date_of_year="{year}年{month}月{day}日",
    today="今天",
    tomorrow="明天",
    yesterday="昨天",
    moment="{day} {time}",
    comma="、",
    pause="，",
    title="论文速递 · {label} · {date}",
    new="新论文 {n} 篇",
    continued="续",
    message_continued="{title}（续）",
    untitled="无标题论文",
    unnamed="论文",
    open="打开",
    no_abstract="来源未提供摘要。",
    quiet_day="本频道今天没有新论文。",
    authors="{names} 等 {all} 人",
    also_in="另见 {places}",
    matched="匹配：{words}",
    also_for="同时符合 {names}",
    published="往期论文",
    published_in="现已发表于 {place}",
    published_as="现已发表：{place}",
    in_thread="其余 {n} 篇见跟帖",
    below="其余 {n} 篇见下方",
    rest_in_thread="其余内容见跟帖",
    rest_below="其余内容见下方",
    more_notes="另有 {n} 条说明",
    no_sources="尚无来源",
    checked="{at} 已检查 {n} 个来源",
    silent="{feed} {since}没有新论文",
    stale="{feed} {since}内容未更新",
    broken="{feed} {since}无法读取",
    unread="{feed} {since}未被读取",
    removed="{feed} 已被管理员移除",
    since="自{day}起",
    more_silent="另有 {n} 个来源异常",
    progress="{feed}：已推送 {shown}/{total} 篇",
    waiting="另有 {n} 篇待推送",
    next="下次：{at}",
)

LANGUAGES: Mapping[str, Phrases] = {"en": ENGLISH, "zh": CHINESE}


def phrases(language: str) -> Phrases:
    """The table of a language; English for one that is not there any more."""
    return LANGUAGES.get(language, ENGLISH)
