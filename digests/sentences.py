"""Sentence and word splitting for scientific prose.

A sentence is a verbatim piece of the text; together the pieces hold every character that is not a space.
In doubt two sentences stay together: a summary may be long, but it must not begin or end in the middle.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from itertools import chain
from sys import intern

from digests.scan import scan

__all__ = ["ROOT", "roots", "sentences", "words"]


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of `text` in order, each as it stands there; linear in its length."""
    found = []
    start = _skip_spaces(text, 0)
    asides = _Asides(text)
    has_parts = ";" in text and "; (2) " in text
    for end in scan(_END_OF_PART, text, _STOPS + ";") if has_parts else scan(_END, text, _STOPS):
        ends = _ends_plainly(text, start, end.start()) or _ends_sentence(text, start, end)
        if ends and not asides.hold(end.end()):
            found.append(text[start : end.end()])
            start = _skip_spaces(text, end.end())
    rest = text[start:].rstrip()
    if rest and found and not _WORD.search(rest):
        return (*found[:-1], text[text.rindex(found[-1], 0, start) :].rstrip())
    return (*found, rest) if rest else tuple(found)


def words(sentence: str) -> tuple[str, ...]:
    """The words as a reader sees them: GPT-4, Qwen2.5 and 10⁰ whole; each Han or kana sign is a word."""
    return tuple(_WORD.findall(sentence))


def roots(text: str) -> list[str]:
    """The roots of the words in order: the first six letters of each, made small."""
    return [*chain.from_iterable(map(_ROOTS.__getitem__, text.lower().split()))]


class _Roots(dict[str, tuple[str, ...]]):
    """The roots in what stands between two spaces: nearly always something that came before."""

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        bare = chunk.strip(",.;:()")
        found = (bare,) if bare.isascii() and bare.isalpha() else words(chunk)
        roots = tuple([intern(word[:ROOT]) for word in found])
        if len(chunk) <= _LONGEST_KNOWN:
            if len(self) >= _MAX_KNOWN:
                self.clear()
            self[chunk] = roots
        return roots


ROOT = 6
_ROOTS = _Roots()
_MAX_KNOWN, _LONGEST_KNOWN = 40_000, 40  # 10 MB at most

# Words -----------------------------------------------------------------------------------------------------

_SIGNS_OF_SCRIPTS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
_COMBINING = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u0900-\u0963\u0966-\u0dff"
    "\u0e30-\u0e4e\u0eb0-\u0ecd\u200c\u200d\u20d0-\u20ff"
)
_LETTERS = rf"(?:[^\W_{_SIGNS_OF_SCRIPTS}][{_COMBINING}]*+)++"
_WORD = re.compile(
    rf"(?=\w)[{_SIGNS_OF_SCRIPTS}][{_COMBINING}]*|{_LETTERS}"
    rf"(?:(?:[-‐‑'’_·⁻⁺₋₊]|\.(?=[0-9a-z])|(?<=[A-Z])(?:\.(?=[A-Z]\b)|&(?=[A-Z]))|(?<=[0-9]),(?=[0-9]{{3}}\b)){_LETTERS})*+"
    r"(?:\+\+|\#(?!\w))?"
)

# Where a sentence may end ----------------------------------------------------------------------------------

_CITATION = r"(?: ?\[[0-9]{1,3}(?:[,–-] ?[0-9]{1,3})*\]|[⁰¹²³⁴-⁹]{1,6})"
_WIDE = "。．！？｡।॥؟۔"
_CLOSING = r"(?:[\"'’”»)\]}*_›」』）】〉》]|“(?!\w)| [»›])"
# "0.5" and "example.org" have no end: that is most of the stops which are none.
_STOPS = ".!?…" + _WIDE
# A run of stops is tried once, not anew at each of them.
_STOP = rf"(?<![{_STOPS}])[{_STOPS}]++"
_AFTER_STOP = rf"(?!(?<=[.!?])[a-z0-9])((?= [A-Za-z])|{_CLOSING}*+;?{_CITATION}?)"
_END = re.compile(rf"({_STOP}){_AFTER_STOP}")
# "(1) Background: …; (2) Methods: …", as one publisher wants it.
_END_OF_PART = re.compile(rf"({_STOP}|;(?= \([1-9]\) [A-Z][A-Za-z ]{{2,40}}:)){_AFTER_STOP}")
_REACH, _AHEAD = 60, 30


def _set(listed: str) -> frozenset[str]:
    return frozenset(listed.split())


# Never the end of a sentence.
_NEVER_LAST = _set(
    "e.g eg i.e ie cf c.f vs v.s w.r.t wrt viz approx abbrev ca incl excl esp s.t a.k.a seq w.l.o.g bzw "
    "vgl z.b d.h u.u i.d.r o.g evtl ggf z.t hrsg bspw inkl exkl sog p.ex p.ej c.-à-d d.w.z т.е т.к т.н см "
    "напр табл"
)
_TITLES = _set("Dr Mr Mrs Ms Prof St Mt Messrs Mme Mlle Dres Dra Sra Hr Gen Lt")
# The end only where what follows could not go on: "et al. We", "in the U.S. The".
_SELDOM_LAST = _set(
    "al jr sr inc ltd co corp bros dec nov oct sept sep aug jul jun apr mar feb jan resp sp spp ssp "
    "subsp var subg subgen sect subsect ser aff diff jh jhd v.chr n.chr др г гг тыс млн"
)
# Take a number or a letter: "Fig. 2", "No. 5", "Eq. (3)", "Tab. S1".
_NUMBERED = _set(
    "fig figs eq eqs eqn eqns sec secs no nos nr vol vols pp ch chap ref refs abb kap bd núm pág стр рис гл"
)
_NUMBER = re.compile(r"[(\[]?(?:[A-Z]{0,2}[0-9]|[A-Z]\b|[IVX]+\b)|\(")
_PLAIN_NUMBER = re.compile(r"[A-Z]?[0-9]|[A-Z][.,;:)]")
_ORDINAL_NOUNS = _set(
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember Jahrhundert "
    "Jahrhunderts Jh Jhd Lebensjahr Auflage Kapitel Platz Grades"
)
_ABBREVIATIONS = _NEVER_LAST | _SELDOM_LAST | _NUMBERED | {title.lower() for title in _TITLES}
# Words that begin a sentence and are hardly names.
_STARTERS = _set(
    "A Accordingly Additionally After All Also Although An Analyses Analysis Another Applying As At "
    "Based Because Besides Beyond Both Building But By Can Code Combining Compared Comparing "
    "Consequently Conversely Data Despite Due During Each Empirical Empirically Even Existing "
    "Experimental Experiments Extensive Finally First Firstly Following For From Further Furthermore "
    "Given Hence Here How However If Importantly In Indeed Inspired Instead Is It Its Last Lastly "
    "Leveraging Likewise Many Meanwhile Moreover Most Motivated Nevertheless Next No Nonetheless Not "
    "Notably Numerical On One Only Our Out Over Overall Part Participants Patients Previous Recent "
    "Recently Remarkably Results Second Secondly Several Similarly Simulations Since So Some "
    "Specifically Such Surprisingly Systematically Taken That The Their Then Theoretically There "
    "Therefore These They Third This Those Though Through Thus To Today Together Training Two Under "
    "Unfortunately Unlike Until Using We What When Where Whereas Whether Which While Why With Within "
    "Without Yet You BACKGROUND CONCLUSION CONCLUSIONS DESIGN EXPOSURE EXPOSURES FINDINGS IMPORTANCE "
    "INTERVENTION INTERVENTIONS INTRODUCTION MAIN MATERIALS METHOD METHODS OBJECTIVE OBJECTIVES "
    "PARTICIPANTS PATIENTS PRIMARY PURPOSE RELEVANCE RESULT RESULTS SETTING TRIAL Der Die Das Es Wir "
    "Hier Diese Dieser Ein Eine Im Le La Les Il Nous Cette Ce Мы В Это Эти На Для При Также Однако "
    "Показано Показана Показаны Установлено Установлена Установлены Выявлено Выявлены Обнаружено "
    "Обнаружены Получено Получены Предложено Предложен Предложена Предложены Рассмотрено Рассмотрен "
    "Рассмотрена Рассмотрены Исследованы Изучено Изучены Описано Описаны Проведено Проведен Проведён "
    "Проведена Проведены Разработано Разработан Разработана Разработаны Определено Определены "
    "Результаты Авторы Целью Цель Работа Кроме Наши"
)
_EXCLAIMING_NAMES = _set("Yahoo Jeopardy Yum")
_LABEL = re.compile(
    r"background|objectives?|aims?|purpose|introduction|context|motivation|approach|methods?|methodology|design"
    r"|setting|participants|materials and methods|measurements|(?:main )?(?:results?|findings)|conclusions?"
    r"|discussion|significance|interpretation|limitations|importance|relevance|summary|interventions?|exposures?"
    r"|design, setting,? and (?:participants|patients)|main outcomes? (?:and|or) measures?"
    r"|conclusions? and relevance|trial registration"
    r"|(?:step|stage|phase|part|study|experiment|task|aim) [0-9]{1,2}",
    re.IGNORECASE,
)
# From its end to its beginning, which is sooner found: "htimS .R .J".
_LAST_WORD = re.compile(r"[^\s(\[{“„«\"'‘—–/,;:]*+(?: \.[^\W\d_](?=[\s(]|$))*")
_WORD_BEFORE = re.compile(r"([^\W\d_]+) \S*$")
_QUANTITY = re.compile(r"(?:[0-9] ?|/)\S$")
_LIST_OF_LETTERS = re.compile(r"\b[A-Z],? (?:and|or|versus) [A-Z]$")
_ABBREVIATED = re.compile(r"[^\W\d_]{1,5}\.")  # "J. K. Okoro", "s. Abb. 3"
# "J. Okoro, …", "J. Okoro and K. Brandt", "J. Okoro & K. Brandt"
_NAME = re.compile(r"[A-Z]\w+(?<!ly)(?:,| (?:and|&|et|ex) [A-Z])")
_FAMILY = re.compile(r"\([A-Z][a-z]+(?:ae|ales)[),]")  # "Ficus religiosa L. (Moraceae)"
_RANGE = re.compile(r"[0-9]{1,3}(?:\+/?-|±)")  # "to 6. 3+/-0.6%"
_BEFORE_NAMES = _set("with from after that than like")
_NEXT = re.compile(r"(?:\((?:[ivx]{1,5}|[a-z0-9])\) |% )?[\"'“„«‘(\[{*_¿¡]*")
_NEXT_WORD = re.compile(r"[^\W_]+")
_SMALL_NAME = re.compile(
    r"[a-zα-ω]{1,5}[A-Z0-9]|(?:[a-zα-ω]|alpha|beta|gamma|delta)[-–‐]\w|[α-ω](?!\w)|https?://|www\."
)
_CANNOT_BEGIN = frozenset(",;:.)]}=<>%&+/*?!…")
_SHORT_NAME = re.compile(r"[A-Z][a-z]{1,3}")
_LONGEST_LABEL = 27
_CLOSED = re.compile(r"(?:[^\W\d_]{2}|.[)\]%])$")
_LATIN_OR_GREEK = re.compile("[a-uw-zα-ω]")  # "Brown v. Board"


def _skip_spaces(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _ends_plainly(text: str, start: int, at: int) -> bool:
    """Three of four ends: a full stop after a common word, before a capital; no rule below says else."""
    if at - start <= _LONGEST_LABEL or not text.startswith(". ", at):
        return False
    first, second = text[at + 2 : at + 3], text[at + 3 : at + 4]
    if not ("A" <= first <= "Z" and (second == " " or "a" <= second <= "z")):
        return False
    word = text[text.rfind(" ", start, at) + 1 : at]
    return len(word) > 2 and word.isalpha() and word.lower() not in _ABBREVIATIONS


def _ends_sentence(text: str, start: int, end: re.Match[str]) -> bool:
    stop, after = end[1], end.end()
    if stop == ";":
        return True
    if any(sign in _WIDE for sign in stop):
        if stop == "．" and text[after : after + 1].isdecimal() and text[after - 2 : after - 1].isdecimal():
            return False  # "３．５"
        return not end[2] or not text[after : after + 1].isalnum()
    if after == len(text):
        return True
    if not text[after].isspace():
        return _is_glued(text, start, end)
    following = _skip_spaces(text, after)
    if following == len(text):
        return True
    begins = _NEXT.match(text, following)
    at = begins.end() if begins else following
    if not _can_begin(text, at):
        return False
    found = _NEXT_WORD.match(text, at)
    next_word = found[0] if found else ""
    if (
        ")" in end[2]
        and next_word not in _STARTERS
        and text.find("(", max(start + 1, after - 200), after) > 0
    ):
        return False
    before = text[max(start, end.start() - _REACH) : end.start()]
    return _stops(before, stop, text[following : following + _AHEAD], next_word)


def _is_glued(text: str, start: int, end: re.Match[str]) -> bool:
    """The space was lost: "in mice.We show", "by 30%.It", "in mice.Crucially, we", "in mice.Results: We"."""
    found = _NEXT_WORD.match(text, end.end())
    if found is None or len(end[1]) > 1 or end[2]:
        return False
    before = text[max(start, end.start() - _REACH) : end.start()]
    if not _CLOSED.search(before) or _last_word(before).lower() in _NEVER_LAST:
        return False
    after = text[found.end() : found.end() + 2]
    if found[0] in _STARTERS:
        return after[:1] in (" ", ",")
    return found[0].istitle() and ((after == ", " and found[0].endswith("ly")) or after == ": ")


def _can_begin(text: str, at: int) -> bool:
    first = text[at : at + 1]
    if first.isalpha():
        return not first.islower() or _SMALL_NAME.match(text, at) is not None
    return first not in _CANNOT_BEGIN


def _last_word(before: str) -> str:
    """With its initials, without spaces: "J.R.Smith", "z.B"."""
    found = _LAST_WORD.match(before[::-1])
    return found[0][::-1].replace(" ", "") if found else ""


def _stops(before: str, stop: str, following: str, next_word: str) -> bool:
    """Whether the stop after `before` ends a sentence, given that what follows could begin one."""
    last = _last_word(before)
    starts = next_word in _STARTERS
    if "?" in stop or "!" in stop:
        return last not in _EXCLAIMING_NAMES or starts
    if len(stop) > 1 or stop == "…":
        return starts and not before[-1:].isspace()
    if _LABEL.fullmatch(before) or (before.isdecimal() and len(before) < 3):
        return False
    return _full_stop(last, before, following, next_word)


def _full_stop(last: str, before: str, following: str, next_word: str) -> bool:
    # CF and LTD are no "cf." and no "Ltd.".
    word = last if _is_acronym(last) and following[:1].isalpha() else last.lower()
    starts = next_word in _STARTERS
    bare = word[2:] if word[1:2] == "." else word  # "P. cf. niger", "P. ser. Humidae"
    if word in _NEVER_LAST or bare in _NEVER_LAST or last in _TITLES:
        return False
    if word in _SELDOM_LAST or bare in _SELDOM_LAST or _is_dotted(last):
        return starts
    if word in _NUMBERED and _NUMBER.match(following):
        return False
    if _SHORT_NAME.fullmatch(last) and _PLAIN_NUMBER.match(following):
        return False
    if len(last) < 3 and last.isdecimal() and (next_word in _ORDINAL_NOUNS or _RANGE.match(following)):
        return False
    if following[0] == "(" and _FAMILY.match(following):
        return False
    return starts or not (len(last) == 1 and last.isalpha()) or _is_no_initial(last, before, following)


def _is_acronym(last: str) -> bool:
    return len(last) > 1 and last.isalpha() and last.isupper() and last != "VS"


def _is_dotted(last: str) -> bool:
    return len(last) > 2 and all(len(part) == 1 and part.isalpha() for part in last.split("."))


def _is_no_initial(letter: str, before: str, following: str) -> bool:
    """In "vitamin C. Doses", "for 4 h. Blood" and "over all n. Bounds" it is not the initial of a name."""
    if _ABBREVIATED.match(following):
        return False
    if _QUANTITY.search(before) or _LIST_OF_LETTERS.search(before):
        return True
    if not letter.isupper():
        return _LATIN_OR_GREEK.match(letter) is not None
    if not letter.isascii() or _NAME.match(following):
        return False
    found = _WORD_BEFORE.search(before)
    return found is not None and found[1].islower() and len(found[1]) > 3 and found[1] not in _BEFORE_NAMES


# Brackets and quotation marks ------------------------------------------------------------------------------

_BRACKET = re.compile(r"\"++|.", re.DOTALL)
_OPENING = {
    ")": "(",
    "]": "[",
    "}": "{",
    "）": "（",
    "」": "「",
    "』": "『",
    "”": "“„",
    "»": "«",
    "“": "„",
    '"': '"“„',
}
_HALVES = frozenset("".join(_OPENING) + "".join(_OPENING.values()))
_LONGEST_ASIDE = 800
_DEEPEST = 6


class _Asides:
    """What stands in brackets or quotation marks; a sign without its other half counts for nothing."""

    def __init__(self, text: str) -> None:
        outermost: list[tuple[int, int]] = []
        for start, end in _pairs(text):
            while outermost and outermost[-1][0] > start:
                outermost.pop()
            outermost.append((start, end))
        self._starts = [start for start, _ in outermost]
        self._ends = [end for _, end in outermost]

    def hold(self, at: int) -> bool:
        index = bisect_left(self._starts, at) - 1
        return index >= 0 and at <= self._ends[index]


def _pairs(text: str) -> Iterator[tuple[int, int]]:
    """Pairs of signs in order of their ends; one around the whole text, or a very long one, is none."""
    first, last = _skip_spaces(text, 0), len(text.rstrip()) - 2
    opened: list[int] = []
    for sign in scan(_BRACKET, text, _HALVES):
        at = sign.start()
        halves = "" if _only_opens(text, at, sign.end()) else _OPENING.get(text[at], "")
        depth = next(
            (n for n, start in enumerate(reversed(opened[-_DEEPEST:]), 1) if text[start] in halves), 0
        )
        if depth:
            start = opened[-depth]
            del opened[-depth:]
            if at - start <= _LONGEST_ASIDE and not (start == first and sign.end() > last):
                yield start, sign.end() - 1
        elif _can_open(text, at):
            opened.append(at)


def _only_opens(text: str, at: int, end: int) -> bool:
    """A straight quotation mark after a space and before a word closes nothing, whatever is open."""
    return text[at] == '"' and text[at - 1 : at] == " " and not text[end : end + 1].isspace()


def _can_open(text: str, at: int) -> bool:
    if text[at] == '"':
        before = text[at - 1 : at]
        return not before or before.isspace() or before in "([{“—–"
    return text[at] not in _OPENING or text[at] == "“"
