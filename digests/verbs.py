"""The verbs: who may give which command, with which options, and how a line of text is read as one.

`VERBS` is the table from which Discord's typed options, the reading of a line and `help` are made.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from digests.channel import MAX_SIZE, EmptyDay, Layout
from digests.commands import (
    SLASH,
    Command,
    Edit,
    Feeds,
    Help,
    List,
    Now,
    Pause,
    Preview,
    Resume,
    Schedule,
    Search,
    Settings,
    Status,
    Subscribe,
    Undo,
    Unsubscribe,
    Why,
)
from digests.errors import CommandError, InputError, QueryError
from digests.phrases import LANGUAGES
from digests.query import FIELDS, MAX_QUERY, Query, parse
from digests.schedule import Days, parse_date, parse_days, parse_holidays
from digests.subscription import named
from digests.text import clip

MAX_COMMAND = MAX_QUERY + 2_000
MAX_MANAGERS = 50


class Who(StrEnum):
    """Who may give a command."""

    MEMBER = "member"
    MANAGER = "manager"


class Offer(StrEnum):
    """What a platform may complete an option with, see `handlers.suggest`."""

    SUBSCRIPTIONS = "subscriptions"
    FEEDS = "feeds"
    ZONES = "zones"
    VERBS = "verbs"


Value = Query | Days | Layout | EmptyDay | str | int | bool | date | frozenset[date] | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Option:
    """A value that a command takes; `about` and `about_zh` say what in at most 100 characters.

    `choices` are all its values, () for any; `least` and `most` bound a number, `most` is 0 for a text;
    `is_list` values may have spaces after their commas.
    """

    name: str
    about: str
    about_zh: str
    read: Callable[[str], Value] = str
    required: bool = False
    choices: tuple[str, ...] = ()
    least: int = 0
    most: int = 0
    offers: Offer | None = None
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Verb:
    """A command's name, who may give it, and its options; `free` names those that words without a name fill.

    Of several each but the last takes one word; `is_listed` is False for what only buttons ask for.
    """

    name: str
    command: type[Command]
    who: Who
    about: str
    about_zh: str
    example: str
    options: tuple[Option, ...] = ()
    free: tuple[str, ...] = ()
    is_listed: bool = True

    @property
    def works(self) -> str:
        """A whole command that works."""
        return f"{SLASH} {self.example}"

    def option(self, name: str) -> Option | None:
        """The option of that name."""
        return next((option for option in self.options if option.name == name), None)


def parse_command(text: str) -> Command:
    """The command that a line of text gives; CommandError says what was understood and what would work.

    `subscribe <query> name:… every:… limit:N feeds:a,b`: options stand anywhere, a value with spaces in
    quotes; what is left is the query, which keeps its own quotes and colons. No text at all asks for help.
    """
    text = text.strip()
    if len(text) > MAX_COMMAND:
        raise CommandError(
            f"the command has {len(text):,} characters, and {MAX_COMMAND:,} is the most",
            understood=clip(text, 60),
            works=VERB["subscribe"].works,
        )
    word, rest = _first_word(text.removeprefix(SLASH + " "))
    verb = VERB.get(word.casefold()) if word not in ("", SLASH) else VERB["help"]
    if verb is None:
        raise _unknown_verb(word, rest)
    free, given = _split(verb, rest)
    return build(verb.name, _assigned(verb, free, given))


def build(verb: str, given: Mapping[str, str]) -> Command:
    """The command of a verb and of its options as text, which is how a platform with typed options gives it.

    CommandError names the option that cannot be used.
    """
    found = VERB[verb]
    for option in found.options:
        if option.required and not given.get(option.name, "").strip():
            raise _faulty(found, given, f"{verb} needs {_article(option.name)}")
    values: dict[str, Value] = {}
    for name, text in given.items():
        asked = found.option(name)
        if asked is None:
            raise _faulty(found, given, f"{verb} has no option {_quoted(name)}")
        if text.strip():
            values[name] = _read(found, asked, text.strip(), given)
    return found.command(**values)  # type: ignore[arg-type]  # a test compares options and fields


def _read(verb: Verb, option: Option, text: str, given: Mapping[str, str]) -> Value:
    try:
        return option.read(text)
    except InputError as error:
        pointed = error.pointed() if isinstance(error, QueryError) else ""
        what = error.what if option.name == "query" else f"{option.name}: {error.what}"
        others = {name: value for name, value in given.items() if name != option.name}
        raise _faulty(verb, others, what, error.hint, pointed) from error


def _faulty(
    verb: Verb, understood: Mapping[str, str], what: str, hint: str = "", pointed: str = ""
) -> CommandError:
    said = [f"{name}: {clip(value.strip(), 80)}" for name, value in understood.items() if value.strip()]
    return CommandError(
        what, hint, understood=" · ".join([verb.name, *said]), works=verb.works, pointed=pointed
    )


# A line of text: its verb, its options, and the words that are left.

_QUOTES = '"“”„‟«»＂「」『』〝〞'
_QUOTED = rf"[{_QUOTES}]([^{_QUOTES}]*)[{_QUOTES}]"
_SKIPPED = re.compile(rf"[{_QUOTES}][^{_QUOTES}]*[{_QUOTES}]")
_NAMED = re.compile(r"(?<!\S)([^\W\d_]+)[:：](?!//)")
_ONE = re.compile(rf"\s*(?:{_QUOTED}|(\S*))")
_SEVERAL = re.compile(rf"\s*(?:{_QUOTED}|([^\s,，]*(?:\s*[,，]\s*[^\s,，]+)*))")
_ALL = re.compile(rf"\s*(?:{_QUOTED}|(.*?))(?=\s+[^\W\d_]+[:：]|\s*$)", re.DOTALL)
"""A value after an option: one word, words with commas between, everything up to the next option."""

_MEANT = {
    "add": "subscribe", "follow": "subscribe", "sub": "subscribe", "new": "subscribe",
    "remove": "unsubscribe", "delete": "unsubscribe", "unfollow": "unsubscribe", "unsub": "unsubscribe",
    "change": "edit", "subscriptions": "list", "show": "list", "ls": "list", "test": "preview",
    "send": "now", "post": "now", "time": "schedule", "when": "schedule", "config": "settings",
    "set": "settings", "stop": "pause", "mute": "pause", "start": "resume", "find": "search",
    "explain": "why", "sources": "feeds", "health": "status", "?": "help",
}  # fmt: skip


def _first_word(text: str) -> tuple[str, str]:
    first, *rest = text.split(None, 1) or [""]
    return first, rest[0].strip() if rest else ""


def _unknown_verb(word: str, rest: str) -> CommandError:
    known = [name for name, verb in VERB.items() if verb.is_listed]
    folded = word.casefold()[:30]
    near = difflib.get_close_matches(folded, [*known, *_MEANT], n=1, cutoff=0.6)
    what = f"{_quoted(word)} is not a command"
    if not near:
        return CommandError(what, f"all commands: {SLASH} help", works=VERB["subscribe"].works)
    verb = VERB[_MEANT.get(near[0], near[0])]
    meant = f"{SLASH} {verb.name} {rest.strip()}".rstrip()
    try:
        parse_command(meant)
    except CommandError:
        meant = verb.works
    return CommandError(what, f"did you mean {verb.name}?", works=clip(meant, 300))


def _split(verb: Verb, text: str) -> tuple[str, dict[str, str]]:
    """The words that no option takes, and the options' values; quoted words are the query's own."""
    free: list[str] = []
    given: dict[str, str] = {}
    at = 0
    while at < len(text):
        if skipped := _SKIPPED.match(text, at):
            free.append(skipped[0])
            at = skipped.end()
        elif (named := _NAMED.match(text, at)) and (option := _option(verb, named[1])):
            several = _SEVERAL if verb.free else _ALL
            value = (several if option.is_list else _ONE).match(text, named.end())
            assert value
            if option.name in given:
                raise _faulty(verb, given, f"{option.name}: stands twice", "say it once")
            given[option.name] = value[1] if value[1] is not None else value[2]
            if not given[option.name].strip():
                raise _faulty(verb, given, f"{option.name}: has nothing after it")
            at = value.end()
        else:
            free.append(text[at])
            at += 1
    return "".join(free).strip(), given


def _option(verb: Verb, typed: str) -> Option | None:
    """The option that stands before a colon; None where the colon belongs to the query or to a link."""
    name = typed.casefold()
    if (found := verb.option(name)) or name in FIELDS:
        return found
    names = [option.name for option in verb.options]
    if near := difflib.get_close_matches(name, names, n=1, cutoff=0.75):
        raise _faulty(
            verb, {}, f"{_quoted(typed + ':')} is not an option of {verb.name}", f"did you mean {near[0]}:"
        )
    return None


def _assigned(verb: Verb, free: str, given: dict[str, str]) -> dict[str, str]:
    """The options' values, the free words among them."""
    open_to = [name for name in verb.free if name not in given]
    for name in open_to[:-1]:
        given[name], free = _first_word(free)
    if free and not open_to:
        takes = " ".join(f"{option.name}:…" for option in verb.options)
        what = f"{verb.name} does not take {_quoted(free)}"
        raise _faulty(verb, given, what, f"it takes {takes}" if takes else "it takes no more words")
    if free:
        given[open_to[-1]] = free
    return given


# Reading the options.


def _number(least: int, most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not re.fullmatch(r"\d{1,9}", text) or not least <= int(text) <= most:
            raise InputError(f"{_quoted(text)} is not a number from {least} to {most}")
        return int(text)

    return read


def _one_of(choices: Mapping[str, Value]) -> Callable[[str], Value]:
    def read(text: str) -> Value:
        found = choices.get(text.casefold())
        if found is None:
            raise InputError(f"{_quoted(text)} is none of {', '.join(choices)}")
        return found

    return read


def _feeds(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(re.findall(r"[^\s,，]+", text)))
    return () if [name.casefold() for name in names] == ["all"] else names


def _until(text: str) -> date:
    return parse_date(re.sub(r"^until\s+", "", text, flags=re.IGNORECASE))


def _holidays(text: str) -> frozenset[date]:
    return parse_holidays("" if text.casefold() == "none" else text)


_MENTION = re.compile(r"<(?:@[!&]?|!subteam\^)([A-Za-z0-9]+)(?:\|[^<>]*)?>|([A-Z0-9]{7,20})\b")
"""A mention as Slack (`<@U1>`, `<!subteam^S1|lab>`) and Discord (`<@1>`, `<@&1>`) write it, or an id."""


def _managers(text: str) -> tuple[str, ...]:
    if text.casefold() in ("all", "anyone", "none", "everybody", "default"):
        return ()
    found = tuple(dict.fromkeys(mention or bare for mention, bare in _MENTION.findall(text)))
    if not found or re.sub(r"[\s,，]+", "", _MENTION.sub("", text)):
        raise InputError(
            f"{_quoted(text)} are no people or groups",
            "mention them, as in managers:@dana, or say managers:all",
        )
    if len(found) > MAX_MANAGERS:
        raise InputError(f"these are more than {MAX_MANAGERS}", "name a group instead")
    return found


def _verb(text: str) -> str:
    name = text.casefold().removeprefix(SLASH).strip()
    name = _MEANT.get(name, name)
    if name not in VERB or not VERB[name].is_listed:
        raise InputError(f"{_quoted(text)} is not a command", f"all commands: {SLASH} help")
    return name


def _quoted(text: str) -> str:
    return repr(clip(text, 60))


def _article(name: str) -> str:
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


_LAYOUTS: dict[str, Value] = {layout.value: layout for layout in Layout}
_EMPTY: dict[str, Value] = {policy.value: policy for policy in EmptyDay}
_ON_OFF: dict[str, Value] = {"on": True, "off": False}

_QUERY = Option(
    "query",
    'What to look for: words, "phrases", OR, -not, title: author: category: like:',
    '要查找的内容：词语、"短语"、OR、-排除、title: author: category: like:',
    parse,
    required=True,
)
_NAME = Option("name", "The heading of its section in the digest", "速递中该部分的标题", named)
_EVERY = Option(
    "every",
    "On which days: daily, weekdays, weekly, or days such as mon,thu",
    "哪些日子：daily、weekdays、weekly，或 mon,thu 等",
    parse_days,
    is_list=True,
)
_LIMIT = Option(
    "limit", "Most papers of one digest", "每次速递最多的论文数", _number(1, MAX_SIZE), least=1, most=MAX_SIZE
)
_FEEDS = Option(
    "feeds",
    "Only these sources, with commas between; all for every source",
    "仅限这些来源，用逗号分隔；all 表示全部",
    _feeds,
    offers=Offer.FEEDS,
    is_list=True,
)
_NUMBER = Option(
    "number",
    "Its number in the list, or its name",
    "列表中的编号或名称",
    required=True,
    offers=Offer.SUBSCRIPTIONS,
)
_SOME_QUERY = Option("query", _QUERY.about, _QUERY.about_zh, parse)

VERBS = (
    Verb(
        "subscribe",
        Subscribe,
        Who.MANAGER,
        "Add a standing query to this channel",
        "为本频道添加一个长期查询",
        'subscribe "large language models" reasoning -survey limit:5',
        (_QUERY, _NAME, _EVERY, _LIMIT, _FEEDS),
        ("query",),
    ),
    Verb("list", List, Who.MEMBER, "Show this channel's subscriptions", "显示本频道的订阅", "list"),
    Verb(
        "edit",
        Edit,
        Who.MANAGER,
        "Change a subscription; what you do not name stays",
        "修改一个订阅；未提及的保持不变",
        "edit 1 limit:5 every:weekdays",
        (_NUMBER, _SOME_QUERY, _NAME, _EVERY, _LIMIT, _FEEDS),
        ("number", "query"),
    ),
    Verb(
        "unsubscribe",
        Unsubscribe,
        Who.MANAGER,
        "Remove a subscription",
        "删除一个订阅",
        "unsubscribe 1",
        (_NUMBER,),
        ("number",),
    ),
    Verb(
        "preview",
        Preview,
        Who.MEMBER,
        "Show today's digest as it would be now, or what a query would bring",
        "预览今天的速递，或某个查询会带来的论文",
        "preview diffusion restoration",
        (_SOME_QUERY,),
        ("query",),
    ),
    Verb("now", Now, Who.MANAGER, "Post today's digest at once", "立即发布今天的速递", "now"),
    Verb(
        "schedule",
        Schedule,
        Who.MANAGER,
        "Say when the digest comes: time, days and zone",
        "设置速递的时间、日期和时区",
        "schedule 09:00 weekdays Europe/Berlin",
        (
            Option(
                "time",
                "When, on the channel's clock: 09:00 or 9am",
                "频道时钟上的时间：09:00 或 9am",
                required=True,
            ),
            Option(
                "days",
                "On which days: daily, weekdays, weekly, or days such as mon,thu",
                _EVERY.about_zh,
                is_list=True,
            ),
            Option(
                "zone",
                "The zone of the channel's clock: Europe/Berlin",
                "频道时钟的时区：Asia/Shanghai",
                offers=Offer.ZONES,
            ),
        ),
        ("time",),
    ),
    Verb(
        "settings",
        Settings,
        Who.MANAGER,
        "Show or change this channel's settings",
        "显示或更改本频道的设置",
        "settings papers:5 empty:silent",
        (
            Option(
                "papers",
                "Most papers of one digest, over all subscriptions",
                "每次速递的论文总数上限",
                _number(1, MAX_SIZE),
                least=1,
                most=MAX_SIZE,
            ),
            Option(
                "layout",
                "How much of each paper is shown: compact for phones, full with all places and words",
                "每篇论文显示多少：compact 简洁，full 完整",
                _one_of(_LAYOUTS),
                choices=tuple(_LAYOUTS),
            ),
            Option(
                "thread",
                "Whether what is too long for one post goes into its thread, or below it",
                "过长的内容放入跟帖，还是接在下方",
                _one_of(_ON_OFF),
                choices=tuple(_ON_OFF),
            ),
            Option(
                "empty",
                "What a day without papers brings: nothing, one line, or a line once a week",
                "没有论文的日子：不发、一行、或每周一行",
                _one_of(_EMPTY),
                choices=tuple(_EMPTY),
            ),
            Option(
                "holidays",
                "Dates without digest: 2026-12-24..2027-01-01,2027-05-01, or none",
                "不发速递的日期：2026-12-24..2027-01-01，或 none",
                _holidays,
                is_list=True,
            ),
            Option(
                "language",
                "The language of the digest's own words",
                "速递自身用语的语言",
                _one_of({language: language for language in LANGUAGES}),
                choices=tuple(LANGUAGES),
            ),
            Option(
                "managers",
                "Who may change all this: mention people or groups, or say all",
                "谁可以更改：提及成员或用户组，或 all",
                _managers,
                is_list=True,
            ),
        ),
    ),
    Verb(
        "pause",
        Pause,
        Who.MANAGER,
        "Stop the digests, until a date or until resume",
        "暂停速递，直到某日或 resume",
        "pause until 2027-01-07",
        (
            Option(
                "until",
                "The first date with a digest again: 2027-01-07",
                "恢复速递的日期：2027-01-07",
                _until,
            ),
        ),
        ("until",),
    ),
    Verb("resume", Resume, Who.MANAGER, "End a pause", "结束暂停", "resume"),
    Verb(
        "search",
        Search,
        Who.MEMBER,
        "Search all stored papers, newest first",
        "搜索所有已存论文，最新在前",
        'search title:diffusion OR "flow matching"',
        (_QUERY, Option("page", "Which page of the answer", "第几页", _number(1, 20), least=1, most=20)),
        ("query",),
    ),
    Verb(
        "why",
        Why,
        Who.MEMBER,
        "Say why a paper is, was or is not in the digest",
        "解释论文为何在或不在速递中",
        "why 2510.13201",
        (
            Option(
                "paper",
                "A link, an identifier, or words of its title",
                "链接、标识符或标题中的词",
                required=True,
            ),
        ),
        ("paper",),
    ),
    Verb("feeds", Feeds, Who.MEMBER, "Show the sources and how they fare", "显示来源及其状况", "feeds"),
    Verb(
        "status",
        Status,
        Who.MEMBER,
        "Show the last digests: when, how many papers, delivered or not",
        "显示最近的速递：时间、篇数、是否送达",
        "status",
    ),
    Verb(
        "help",
        Help,
        Who.MEMBER,
        "Show the commands, with an example of each",
        "显示命令及示例",
        "help subscribe",
        (Option("verb", "One command", "某个命令", _verb, offers=Offer.VERBS),),
        ("verb",),
    ),
    Verb(
        "undo",
        Undo,
        Who.MANAGER,
        "Take back a change",
        "撤销更改",
        "undo 1",
        (
            Option(
                "change",
                "The number of the change",
                "更改编号",
                _number(1, 999_999_999),
                required=True,
                least=1,
                most=999_999_999,
            ),
        ),
        ("change",),
        is_listed=False,
    ),
)

VERB: Mapping[str, Verb] = {verb.name: verb for verb in VERBS}
VERB_OF: Mapping[type[Command], Verb] = {verb.command: verb for verb in VERBS}
