"""What a sentence of an abstract is: the paper speaking of itself, an aim, a conclusion, a question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

MOST_CHARACTERS: Final = 2_000
"""Of a longer sentence only so many characters are searched for names and cues."""


def cue(low: str, words: Sequence[str]) -> re.Match[str] | None:
    """Where the paper says what it does, "we propose" or the like, in a sentence in small letters."""
    # the search is slow, and most sentences have none of these
    if not low.isascii():
        return _CUE.search(low)
    if _SUBJECTS.isdisjoint(words):
        return None
    found = (_CUE.match(low, subject.start()) for subject in _SUBJECT.finditer(low))
    return next(filter(None, found), None)


def is_own(low: str, words: Sequence[str]) -> bool:
    """Whether the paper speaks of itself: a sentence with "we", "our" or "this paper", in small letters."""
    return not _OWNERS.isdisjoint(words) or ("this " in low and _OWN.search(low) is not None)


def concludes(text: str) -> bool:
    """Whether it calls itself a conclusion."""
    return _CONCLUSION.match(text) is not None


def is_question(text: str) -> bool:
    """Whether it ends by asking; a question is never a summary."""
    return text.rstrip(_CLOSERS).endswith(("?", "？"))


def is_intent(low: str) -> bool:
    """Whether it says what is aimed at or studied, in small letters."""
    return any(hint in low for hint in _INTENT_HINTS) and _INTENT.search(low) is not None


def is_outlook(low: str) -> bool:
    """Whether it speaks of what may come of the work, in small letters."""
    return any(hint in low for hint in _OUTLOOK_HINTS) and _OUTLOOK.search(low) is not None


def is_aside(text: str) -> bool:
    """Whether it says only where the code is."""
    low = text[:MOST_CHARACTERS].lower()
    return any(hint in low for hint in _ASIDE_HINTS) and _ASIDE.search(low) is not None


_OWNERS: Final = frozenset(("we", "our", "us", "i"))
_OWN: Final = re.compile(r"\bthis (?:paper|work|study|article|report)\b")
_INTENT_HINTS: Final = (
    " aim", " seek", " goal", "focus", " stud", "investigat", "consider", "attempt", " interest",
)  # fmt: skip
_INTENT: Final = re.compile(
    r"\b(?:we|paper|work|study) (?:aims?|seeks?|attempts?|focus(?:es)?|consider|stud(?:y|ies)|investigates?"
    r"|are interested)\b|\b(?:our|the|this) (?:aim|goal)\b"
)
_OUTLOOK_HINTS: Final = ("the way", " gap", "open", " light", "future", "we hope", "we believe")
_OUTLOOK: Final = re.compile(
    r"\b(?:pav(?:es?|ing) the way|(?:fills?|filling) (?:a|the|this) gap|open(?:s|ing) (?:up )?new"
    r"|shed(?:s|ding)? (?:new )?light|future (?:work|research)|we hope|we believe)\b"
)
_CONCLUSION: Final = re.compile(
    r"\W*(?:(?:authors'? )?conclusions?|interpretation|significance|schlussfolgerung(?:en)?"
    r"|结论|結論|выводы?)\b\W*[:：.—–-]"
    r"|in (?:conclusion|summary)\b|(?:we|the authors) conclude\b",
    re.IGNORECASE,
)
_CLOSERS: Final = " \t\n\"'”’»)]*_"
VERBS: Final = (
    r"(?:introduc(?:e|es|ed|ing)|propos(?:e|es|ed|ing)|present(?:s|ed|ing)?|develop(?:s|ed)?|design(?:s|ed)?"
    r"|describes?|devises?|contributes?|creates?|constructs?|establish(?:es)?|unveils?|formulates?"
    r"|builds?|defines?|release[sd]?|provides?|curates?|collects?|publish(?:es)?|offers?|open-sources?"
    r"|proposons|présentons|introduisons|präsentieren|entwickeln|предлагаем|представляем)"
)
WE: Final = (
    r"\b(?:we|i|paper|work|article|study|authors?|nous|wir|мы)\b"
    r"(?:,? (?:\w+ly|then|also|first|here|next|therefore|thus|further|instead|will|are)\b,?){0,2} "
)
_CUE: Final = re.compile(
    rf"{WE}(?:{VERBS}|shows?|finds?|demonstrates?|proves?|stud(?:y|ies)|investigates?|analy[sz]es?|explores?"
    r"|address(?:es)?|examines?|derives?|uncovers?|discovers?|identif(?:y|ies)|explains?|revisits?"
    r"|focus(?:es)?|extends?|argues?|tackles?|aims?|reports?|evaluates?|consider|assembles?|links?|compiles?"
    r"|(?:show|demonstrat|investigat|analy[sz]|explor|address|examin|deriv|uncover|discover|identifi|report"
    r"|evaluat|describ|assembl|link|record|measur|determin|characteri[sz]|estimat|quantifi|compil|compar)ed"
    r"|found|studied|(?:randomly )?assigned)\b"
    r"|我们|我們|本文|本論文|本研究|提案|우리는|본 논문|본 연구|\bnous\b|\bwir\b|\bмы\b"
    r"|в (?:этой|данной|настоящей) (?:статье|работе)"
)
_SUBJECTS: Final = frozenset("we i paper work article study author authors nous wir".split())
# where the subjects end; no \b before them, as a pattern that begins with letters is found much sooner
_SUBJECT: Final = re.compile(rf"(?:{'|'.join(sorted(_SUBJECTS))})\b")
_ASIDE_HINTS: Final = ("http", "availab", "releas", "open-sourc", "publish", "shared")
_ASIDE: Final = re.compile(
    r"https?://|\bavailable (?:at|on|here|online|from|in|upon|under)\b|\b(?:publicly|openly|freely) available"
    r"|\bwill (?:be )?(?:publicly |openly |freely )?(?:made )?(?:release|publish|available|open-source|share)"
    r"|\b(?:release|open-source) (?:our|the|all) (?:code|models?|data|source)"
)
