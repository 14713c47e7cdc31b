"""What a sentence can do without: openers, citations, asides and tails; nothing is added or changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from digests.cues import MOST_CHARACTERS

MOST_OPENING: Final = 125
"""An opener ends within so many characters."""


def trim(sentence: str) -> str:
    """The sentence without its discourse opener, citations, "(e.g. …)" and long brackets; the rest stays.

    "In this paper, we study X (Doe et al., 2020)." → "We study X."
    """
    text = sentence
    if "(" in sentence or "[" in sentence:
        text = _ASIDES.sub("", _CITATION.sub("", sentence)).strip()
        if not any(map(str.isalnum, text)):  # all of it is an aside
            text = sentence
    opener = _OPENER.match(text)
    return _capitalised(text[opener.end() :]) if opener else text


def variants(sentence: str) -> tuple[str, ...]:
    """The trimmed sentence, then with less in it, in each way that leaves a sentence; nothing is added."""
    found = [bare(sentence)]
    if len(sentence) > MOST_CHARACTERS:
        return (found[0],)
    if "," in sentence[:MOST_OPENING]:
        openers = (pattern.match(found[0]) for pattern in (_CLAUSE, _ADVERB))
        found += [_capitalised(found[0][opener.end() :]) for opener in openers if opener]
    return tuple(dict.fromkeys((*found, *(text for whole in found for text in _tailless(whole)))))


def bare(sentence: str) -> str:
    """As `trim`, but an endless sentence is left alone."""
    return sentence.strip() if len(sentence) > MOST_CHARACTERS else trim(sentence.strip())


def _capitalised(text: str) -> str:
    word = text.partition(" ")[0]
    return text[:1].upper() + text[1:] if word.islower() else text


def _tailless(text: str) -> Iterator[str]:
    """Cut before ", which …", "and show …", "; …" or the like, if "We do …" and enough of it remains."""
    if not _WE_DO.match(text):
        return
    for tail in _TAIL.finditer(text):
        kept, gone = text[: tail.start()], text[tail.start() + 1 :]
        if kept.count(" ") < 6 or gone.count(" ") < 3 or kept.count("(") != kept.count(")"):
            continue
        kind = tail.lastgroup
        if kind in ("which", "beside") and "," in gone:
            continue
        if kind == "act" and ("," in kept or " both " in kept):
            continue
        if kind == "way" and ("," in gone or " that " in kept or kept.endswith("ed")):
            continue
        yield kept.rstrip(" ,") + "." * text.endswith(".")


_OPENER: Final = re.compile(
    r"(?:(?:in|with|through|throughout|for) (?:this|the present|our)"
    r" (?:paper|work|article|study|report|letter|thesis|manuscript)"
    r"|here|to (?:this|that) end|towards? this end|specifically|in particular|particularly|concretely"
    r"|furthermore|moreover|finally|additionally|in addition|thus|hence|therefore|consequently"
    r"|accordingly|as a result|in response|instead|however|motivated by this|inspired by this"
    r"|(?:to|in order to|for|by|building|based|inspired|motivated|drawing|guided|leveraging|given"
    r"|following)\b[^,;:.?()]{0,50}\b(?:this|these|those|such|the above|the aforementioned|the challenges?)\b"
    r"[^,;:.?()]{0,60})"
    r",?\s+(?=(?:we|i|this paper|this work|this study|our)\b)",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(
    r"(?!(?:if|when|whenever|under|assuming|unless|provided|without|with|only|on|for|at|since|because)\b)"
    r"(?:[^,;:.?()]{2,120}|[^;:.?()]{2,90}),\s+"
    r"(?=(?:we|i|this (?:paper|work|study)|our (?:work|paper|study|approach|method))\b)",
    re.IGNORECASE,
)
_ADVERB: Final = re.compile(
    r"(?:however|moreover|furthermore|additionally|in addition|finally|specifically|in particular|importantly"
    r"|notably|interestingly|surprisingly|remarkably|in (?:this|our) (?:paper|work|article|study)|here|thus"
    r"|hence|therefore|consequently|as a result|in conclusion|in summary|overall|to summarize|in short"
    r"|instead|then|also|first|second|lastly|to this end|crucially|concretely),\s+",
    re.IGNORECASE,
)
_WE_DO: Final = re.compile(r"(?:we|i|this (?:paper|work|study)) \w+", re.IGNORECASE)
_TAIL: Final = re.compile(
    # at most signs the look ahead fails at once, where each kind would be tried in turn
    r"(?=[,;]| and | by )(?:(?P<which>, which )|(?P<next>; )|(?P<way>,? by \w+ing )"
    r"|(?P<act>,? and (?:we |it )?(?:(?:also|then|further|can|\w+ly) )?(?:show|demonstrate|find|prove|propose"
    r"|provide|use|evaluate|present|introduce|apply|report|analy[sz]e|establish|discuss|study|derive|develop"
    r"|investigate|achieve|improve|compare|explore|outperform|allow|enable|require|lead|perform|reduce"
    r"|generali[sz]e|is|are|can|has|have|does)s? )"
    r"|(?P<doing>, (?:thus |thereby |hence |while )?(?:allow|enabl|lead|result|achiev|mak|yield|outperform"
    r"|improv|demonstrat|provid|show|reduc|obtain|giv|surpass|suggest|highlight|ensur|avoid|produc|offer"
    r"|reach|requir|indicat|preserv|exploit|eliminat|help|open|increas|permit|facilitat|alleviat|remov"
    r"|prevent|captur|exhibit)ing )"
    r"|(?P<beside>, (?:where|while|whereas|although|even|such that|so that|in order to|as well as|without"
    r"|but|rather than|instead of|including|such as|especially|particularly) ))"
)
_CITATION: Final = re.compile(
    r"\s*(?:\((?:see |cf\. |e\.g\.,? )?[A-Z][^()]{0,120}?(?:19|20)\d\d[a-z]?(?:[;,][^()]{0,120})?\)"
    r"|\[\d+(?:\s*[,–-]\s*\d+)*\])"
)
_ASIDES: Final = re.compile(
    r"\s*\((?:(?:e\.\s?g\.|for example|for instance|see )[^()]{0,300}|[^()]{30,300})\)"
)
