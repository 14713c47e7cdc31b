"""What a sentence is about, in its own words: "We propose a way to count ducks." → a way to count ducks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from string import ascii_letters, digits
from typing import Final

from digests.text import clip
from digests.trimming import capitalised, trim

LONGEST: Final = 80
"""A longer phrase is cut."""
SHORTEST_PHRASE: Final = 50
"""A phrase is not cut at a border to less than so many characters."""
MOST_SEARCHED: Final = 600
"""A topic is named within so many characters of its sentence."""
MOST_SHOWN: Final = 200
"""Of a topic no more characters are looked at."""
_OF_TOPIC: Final = 1.0
"""So much better heads a paper what "we propose" than the whole of its sentence."""
_OF_AIM: Final = 2.5
"""The same of what was to be studied: it never sums up a paper well."""
_OF_CLAIM: Final = 0.0
_REFERS: Final = 1.0
"""Against a phrase that points at something said before."""
_EARLIER: Final = 3.0
"""Against earlier work."""
_EMPTY: Final = 1.0
"""Against a phrase that says next to nothing, for each word that it lacks."""
MOST_WORTH: Final = max(_OF_TOPIC, _OF_AIM, _OF_CLAIM)


@dataclass(frozen=True, slots=True)
class Topic:
    """What a sentence offers as a heading."""

    text: str
    worth: float
    """How much better, or worse, it heads a paper than the sentence sums it up."""
    is_clause: bool = True
    """Whether it says something of its subject: then what is cut off may change what it says."""

    def short(self) -> str:
        """The phrase whole, or up to the border of a part that it can do without."""
        text = capitalised(self.text)
        if len(text) <= LONGEST:
            return text
        border = max(_borders(text), default=None)
        if border is None:
            return _clipped(text)
        kept = text[: border.at].rstrip(" ,;:–—-")
        return kept + "…" * (self.is_clause and not border.is_strong)


@dataclass(frozen=True, slots=True, order=True)
class _Border:
    value: int
    at: int
    is_strong: bool


def topic(sentence: str) -> Topic:
    """What the sentence is about: what "we propose", what "to assess" is the aim; else all that it says."""
    text = _OPENER.sub("", _LABEL.sub("", trim(sentence), count=1), count=1)[: MOST_SEARCHED + MOST_SHOWN]
    start = text[:MOST_SEARCHED]
    for pattern, worth, is_clause in _FRAMES:
        found = pattern.search(start)
        if found is None or (is_clause and _CONDITION.match(start[: found.start()])):
            continue
        rest = text[found.end() :]
        rest = _MAIN_CLAUSE.split(rest, maxsplit=1)[0] if worth == _OF_AIM else rest
        worth -= _EARLIER * (_PREVIOUSLY.search(start[: found.end()]) is not None)
        if not is_clause:
            first, *others = _SECOND_ACT.split(rest, maxsplit=1)
            rest = first if len(first) > 20 or not others else others[0]
        rest = _PROBLEM.sub("", rest, count=1).rstrip(" .;。") or text
        return _weighed(rest, worth, is_clause or _ASKS.match(rest) is not None)
    passive = _PASSIVE.match(start)
    if passive:
        return _weighed(passive["topic"], _OF_TOPIC, False)
    return _weighed(text, -_EARLIER * (_PREVIOUSLY.search(start) is not None), True)


def _weighed(text: str, worth: float, is_clause: bool) -> Topic:
    """The phrase, worth less where it points at what was said before, or says next to nothing."""
    shown = text[:LONGEST]
    worth -= _REFERS * (_REFERENCE.search(shown) is not None)
    content = [word for word in re.findall(r"[^\W_]{2,}", shown.lower()) if word not in _CONTENTLESS]
    worth -= _EMPTY * max(0, 3 - len(content))
    worth -= _REFERS * (not text[:1].isalnum())
    return Topic(text, worth, is_clause)


def _borders(text: str) -> Iterator[_Border]:
    """Where the phrase may end and still be whole; worth more the more is kept."""
    shown = text[: LONGEST + 1]
    for border in _BORDER.finditer(text[: LONGEST + 40]):
        at = border.start()
        if not SHORTEST_PHRASE <= at < LONGEST:
            continue
        kept = shown[:at]
        last = kept.rsplit(" ", 1)[-1].lower()
        if last in _FUNCTION_WORDS or _has_open_bracket(kept) or _DANGLES.search(kept):
            continue
        kind = border.lastgroup
        if kind == "weak" and (last.endswith(("ed", "ing")) or last in _BOUND or _HALF_SAID.search(kept)):
            continue
        yield _Border(at - _COSTS[kind or "weak"], at, kind == "strong")


def _clipped(text: str) -> str:
    """The beginning of the text, up to a word that can stand last."""
    kept = clip(text, LONGEST).removesuffix("…")
    if _WITHIN_WORD.match(text, len(kept) - 1):  # where no spaces stand between words, as in Chinese
        kept = kept.rstrip(ascii_letters + digits) or kept
    words = kept.split(" ")
    while len(words) > 3 and (
        words[-1].strip("(,").lower() in _FUNCTION_WORDS or _has_open_bracket(words[-1])
    ):
        words.pop()
    return " ".join(words).rstrip(" ,;:–—-(") + "…"


def _has_open_bracket(text: str) -> bool:
    return text.count("(") != text.count(")") or text.count("[") != text.count("]")


_WITHIN_WORD: Final = re.compile(r"[A-Za-z0-9]{2}")
_LABEL: Final = re.compile(
    r"^\W{0,3}\d{1,2}[.)] (?=[A-Z])|^\W{0,3}(?:[\w/&-]+ ){0,3}?(?:background|objectives?|aims?|purposes?"
    r"|goals?|methods?|results?|conclusions?|introduction|context|design|findings?|interpretation"
    r"|significance|motivation|rationale|setting|importance|hypothesis)\b(?: ?(?:and|&|/) ?\w+)?\s?[:.]\s+",
    re.IGNORECASE,
)
_OPENER: Final = re.compile(
    r"^(?:(?:however|moreover|furthermore|additionally|in addition|finally|specifically|in particular"
    r"|importantly|notably|interestingly|surprisingly|remarkably|in (?:this|our) (?:paper|work|article"
    r"|study)|here|thus|hence|therefore|consequently|as a result|in conclusion|in summary|overall"
    r"|to summarize|in short|also|lastly|to this end|to that end|indeed|then|first|second|third"
    r"|besides|instead|accordingly),? )+(?!of\b|to\b)(?=\w)",
    re.IGNORECASE,
)
_WHO: Final = (
    r"\b(?:we|i|(?:this|the present|the current|the|present|our) (?:\w+ )?(?:paper|work|article|study|report"
    r"|review|letter|thesis|manuscript|survey|chapter)|the authors?)"
)
_HOW: Final = (
    r"(?:,? (?:\w+ly|then|also|first|here|next|therefore|thus|further|instead|will|have|has|now|both),?){0,3}"
)
_DOES: Final = (
    r"(?:propos|present|introduc|develop|describ|design|devis|stud(?:y|ied|ies|ying)|investigat|examin|explor"
    r"|analy[sz]|assess|evaluat|consider|address|tackl|discuss|review|report|provid|offer|formulat|construct"
    r"|creat|deriv|conduct|perform|releas|publish|contribut|explain|revisit|characteri[sz]|quantif|measur"
    r"|determin|survey|summari[sz]|outlin|identif|estimat|establish|test|demonstrat|show|understand"
    r"|uncover|discover|reveal|prov(?=es?\b|ed\b)|obtain|defin|unveil|look(?:s|ed)? (?:at|into)|focus(?:es"
    r"|ed)? on|deals? with|dealt with|compar(?:e|es|ed|ing)(?= the\b)|carr(?:y|ied) out|gives?|gave|did"
    r"|buil[dt]|collect|initiate the study of|sought)(?:e|es|ed|s|y|ies|ied|ing)?"
)
_DO: Final = rf"{_DOES}(?:,? and (?:\w+ly |then |further )?{_DOES})?\b(?: on\b)?"
_AIMS: Final = (
    r"(?:aim(?:s|ed)?|seeks?|sought|attempt(?:s|ed)?|wanted|intend(?:s|ed)?|set out|tr(?:y|ies|ied)"
    r"|wish(?:ed)?|(?:is|was|were) (?:designed|undertaken|conducted|performed|carried out|done|planned"
    r"|initiated)|hope|propos(?:e|es|ed))"
)
_TELLING: Final = r"(?!(?:this|these|it|them|such|our|that|to)\b)(?=\w)"
_FINDS_OUT: Final = (
    r"(?:assess|evaluate|examine|investigate|determine|study|test|explore|analy[sz]e|characteri[sz]e|quantify"
    r"|describe|review|measure|identify|estimate|compare(?= the\b))(?: and [a-z]+(?= (?:the|an?|if"
    r"|whether)\b))?"
)
_THAT: Final = (
    r"(?:show|demonstrat|propos|believ|found|find|prov|conclud|argu|observ|suggest|report|discover|reveal"
    r"|indicat|establish|confirm|posit|hypothesi[sz])(?:e|es|ed|s|n)? that "
)
_FRAMES: Final = (
    (
        re.compile(
            r"\b(?:aim|objective|purpose|goal|focus|question)s?\b(?: (?:of|in) (?:this|the|our"
            r"|these)(?: [\w-]+){1,5}?)? (?:was|were)(?: therefore| thus)?"
            rf" to (?:\w+ly )?(?:{_DO} )?{_TELLING}",
            re.IGNORECASE,
        ),
        _OF_AIM,
        False,
    ),
    (
        re.compile(
            rf"(?:{_WHO}{_HOW} {_AIMS}|\b(?:aim|objective|purpose|goal|focus)s?\b[^,;.]{{0,30}} (?:is"
            rf"|are)) (?:in order )?to (?:\w+ly )?(?:{_DO} )?{_TELLING}",
            re.IGNORECASE,
        ),
        _OF_TOPIC,
        False,
    ),
    (re.compile(rf"^(?:in order )?to (?:\w+ly )?{_FINDS_OUT} (?=\w)", re.IGNORECASE), _OF_AIM, False),
    (re.compile(rf"{_WHO}{_HOW} {_THAT}", re.IGNORECASE), _OF_CLAIM, True),
    (re.compile(rf"{_WHO}{_HOW} {_DO} (?!to\b|that\b){_TELLING}", re.IGNORECASE), _OF_TOPIC, False),
    (
        re.compile(rf"\bby (?:introduc|propos|present|develop|design|devis)ing {_TELLING}", re.IGNORECASE),
        _OF_TOPIC,
        False,
    ),
    (
        re.compile(
            rf"^(?:\w+, )?(?:these|the|our)(?: \w+)? (?:results?|findings?|data|experiments?|stud(?:y|ies)"
            rf"|analys[ie]s)(?: (?:of|from) [^,;]{{1,60}}?)? {_THAT}",
            re.IGNORECASE,
        ),
        _OF_CLAIM,
        True,
    ),
    (re.compile(r"^to (?=\w+ (?:the|an?)\b)(?!.{1,200}\bwe\b)", re.IGNORECASE), _OF_AIM, False),
)
_PASSIVE: Final = re.compile(
    r"(?:in (?:this|the present) \w+,? )?(?P<topic>(?:the|an?|two|three|\w+ effects?) (?=(?:novel|new)\b"
    r"|.{1,150} (?:of|in|for|on|to) )(?:(?! that | which | is | are | was | were | has | have "
    r"|[;:.] ).){15,200}?) (?:(?:is|are) (?:\w+ly |also )?(?:proposed|presented|introduced|described)|(?:was"
    r"|were) (?:\w+ly |also )?(?:proposed|presented|introduced|described|developed|studied|investigated"
    r"|analy[sz]ed|examined|compared|reviewed|evaluated|assessed|determined))\b(?! (?:as|that)\b)",
    re.IGNORECASE,
)
_PROBLEM: Final = re.compile(
    r"^(?:the|a|an) (?:\w+ )?(?:problem|task|issue|question|case)s? of (?=\w)", re.IGNORECASE
)
_CONDITION: Final = re.compile(
    r"(?:if|when|whenever|under|assuming|unless|provided|without|with|only|for|at|since|because)\b",
    re.IGNORECASE,
)
_SECOND_ACT: Final = re.compile(
    r",? and (?:\w+ly |then |also |we |further |thus )*(?:introduce|propose|present|develop|demonstrate|show"
    r"|prove|find|provide|derive|define|describe|create|construct|compare|evaluate|investigate|apply|explore"
    r"|establish|discus|analy[sz]e|argue|illustrate|characteri[sz]e|validate|examine|obtain|give|identify"
    r"|identifie|suggest|assess)(?:s|es)? "
)
_MAIN_CLAUSE: Final = re.compile(r", (?=(?:we|the authors?|this (?:paper|study|work))\b)")
_ASKS: Final = re.compile(
    r"(?:whether|if|how|what|why|when|which|who|the (?:extent|degree) to which)\b", re.IGNORECASE
)
_PREVIOUSLY: Final = re.compile(
    r"\bin (?:a|our|the) (?:previous|prior|earlier|recent) [\w-]+\b|\b(?:we|i|have"
    r"|has) (?:have )?(?:previously|earlier)\b|^(?:previously|recently|earlier)\b",
    re.IGNORECASE,
)
_REFERENCE: Final = re.compile(
    r"^(?:it|they|he|she|its|their|another|such|that|those|our|the (?:proposed|implications?|results?"
    r"|techniques?|methods?|approach|algorithm|model|framework|system|latter|former|first|second|other)"
    r"|(?:extensive |several )?experiments?)\b|\b(?:this|these|such an?|the above|aforementioned"
    r"|above-mentioned|the same|the former|the latter|them)\b(?! (?:paper|work|study|article)\b)",
    re.IGNORECASE,
)
_VERB_AFTER_AND: Final = (
    r"and (?:we |it |then |also )?(?:show|demonstrate|find|prove|propose|provide|use|evaluate|present"
    r"|introduce|apply|report|analy[sz]e|establish|discuss|study|derive|develop|investigate|compare|explore"
    r"|define|create|build|design|give|describe|release|test|to)s?\b"
)
_BORDER: Final = re.compile(
    r"(?P<strong>, (?=(?:which|where|whose|who|that|while|whereas|although|but|so that|such that|because"
    r"|since|thus"
    rf"|thereby|hence|namely|including|such as|e\.g\.|i\.e\.|even|by|using|based|via|with|without|an|as|in"
    rf"|for|from|on|to|{_VERB_AFTER_AND}|and (?:through|by|in|with|using|then)|[\w-]+ing)\b)|; | [—–] |: )"
    rf"|(?P<middle> (?=(?:which|that|who|whose|where|when|while|whereas|because|by \w+ing|using|via|through"
    rf"|based on|such that|so that|so as to|in order to|{_VERB_AFTER_AND}|\()))"
    r"|(?P<weak> (?=(?:in|for|with|from|on|under|at|during|among|to|as|without|within|over|into|across"
    r"|towards?|against|after|before|by)\b))",
    re.IGNORECASE,
)
_DANGLES: Final = re.compile(r" (?:that|which|who|we|it|\w+ly|to) [\w-]+$", re.IGNORECASE)
_HALF_SAID: Final = re.compile(
    r"\b(?:enabl|allow|learn|requir|help|caus|lead|encourag|us|between|both)\w*(?: [\w-]+){1,4}$",
    re.IGNORECASE,
)
_COSTS: Final = {"strong": 0, "middle": 5, "weak": 15}
_BOUND: Final = frozenset(
    "due subject able according similar respect order such addition contrast relation response"
    " comparison based is are was were be not than only also more less".split()
)
_FUNCTION_WORDS: Final = frozenset(
    "a an the of in on at by to for from with without and or nor but as that which who whose whom"
    " where when while whether if than then is are was were be been being has have had can could may"
    " might will would shall should must do does did not no its their our his her this these those"
    " such via using under over into onto between among through during within across towards toward"
    " against about above after before both either each any some all more most less very so also only"
    " we it they he she i he's et de la le les des du un une der die das und ein eine einen".split()
)
_CONTENTLESS: Final = _FUNCTION_WORDS | frozenset(
    "new novel first concept concepts result results method methods approach approaches framework"
    " algorithm algorithms problem problems technique techniques idea ideas model models simple"
    " general efficient effective prototyping prototype preliminary system case study trial"
    " randomized randomised double-blind multicenter patients week paper work two three several"
    " different various many type overview remarks concluding answer questions question"
    " improve accuracy performance analysis other some possible".split()
)
