"""What a sentence can do without: openers, citations, asides and tails; nothing is added or changed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import repeat
from typing import Final

from digests.cues import MOST_CHARACTERS
from digests.scan import scan

MOST_OPENING: Final = 125
"""An opener ends within so many characters."""
FEWEST_SPACES: Final = 6
"""A tail is cut only after more words than that."""
LONGEST_LABEL: Final = 40
"""A label ends within so many characters."""
MOST_TAILS: Final = 10
"""Only so many places for a cut are tried."""


def trim(sentence: str) -> str:
    """The sentence without its label, discourse words, citations, "(e.g. …)" and long brackets.

    "In this paper, we then study X (Doe et al., 2020)." → "We study X.", "Results: We see Y." → "We see Y."
    An endless sentence is left alone: looking around each of its brackets would take too long.
    """
    text = sentence.strip()
    if len(text) > MOST_CHARACTERS:
        return text
    if "(" in text or "[" in text:
        rest = _without(_ASIDE, _without(_CITATION, text))
        if any(map(str.isalnum, rest)):  # else all of it is an aside
            text = rest
    label = _LABEL.match(text) if ":" in text[:LONGEST_LABEL] or "." in text[:LONGEST_LABEL] else None
    if label:
        text = capitalised(text[label.end() :])
    opener = _OPENER.match(text)
    if opener and not _CONDITION.search(opener[0]):
        text = capitalised(text[opener.end() :])
    besides = _BESIDES.match(text)
    if besides:
        text = besides["who"] + text[besides.end() :]
    return text.rstrip(" ;,") or text


def variants(sentence: str) -> tuple[str, ...]:
    """The trimmed sentence, then with less in it, in each way that leaves a sentence; nothing is added."""
    found = [trim(sentence)]
    if len(sentence) > MOST_CHARACTERS:
        return (found[0],)
    if "," in sentence[:MOST_OPENING]:
        openers = (pattern.match(found[0]) for pattern in (_CLAUSE, _ADVERB))
        found += [
            capitalised(found[0][opener.end() :])
            for opener in openers
            if opener and not _CONDITION.search(opener[0]) and not _POINTS.match(found[0], opener.end())
        ]
    return tuple(dict.fromkeys((*found, *(text for whole in found for text in _tailless(whole)))))


def capitalised(text: str) -> str:
    """As the beginning of a sentence, unless its first word is a name or a formula."""
    word = text.partition(" ")[0]
    is_word = word in ("a", "i") or (len(word) > 1 and word[:2].isalpha() and word.islower())
    return text[:1].upper() + text[1:] if is_word else text


def _without(brackets: re.Pattern[str], text: str) -> str:
    """The text without those of the brackets that nothing else in it needs."""
    parts, at = [], 0
    for bracket in scan(brackets, text, "(["):
        if not _needed(bracket):
            parts.append(text[at : bracket.start()].rstrip())
            at = bracket.end()
    return "".join([*parts, text[at:]]).strip()


def _needed(bracket: re.Match[str]) -> bool:
    """Whether the bracket belongs to a formula, is what a word before it asks for, or says what matters."""
    before, after = bracket.string[: bracket.start()].rstrip(), bracket.string[bracket.end() :]
    return (
        _dangles(before)
        or _is_open(before)
        or (before.endswith(",") and after.startswith((",", ";", ".")))
        or _MATTERS.search(bracket[0]) is not None
        or (_NUMBER.search(bracket[0]) is not None and len(_NUMBERS.findall(bracket.string)) > 1)
        or any(name in after for name in _ABBREVIATION.findall(bracket[0]))
    )


def _dangles(text: str) -> bool:
    """Whether its last word waits for another."""
    return text.rstrip(" ,").rpartition(" ")[2].lower().lstrip("([") in _WAITING


def _is_open(text: str) -> bool:
    """Whether it ends within a formula or code."""
    return text.count("$") % 2 + text.count("`") % 2 > 0


def _tailless(text: str) -> Iterator[str]:
    """Cut before ", which …", "and show …", "; …" or the like, if "We do …" and enough of it remains."""
    if not text.endswith(".") or not _WE_DO.match(text):
        return
    for tail in scan(_TAIL, text, (",", ";", " and ", " by "))[:MOST_TAILS]:
        kept, gone = text[: tail.start()].rstrip(" ,"), text[tail.start() + 1 :].lstrip()
        if kept.count(" ") < FEWEST_SPACES or gone.count(" ") < 3:
            continue
        if _goes_on(tail.lastgroup, kept, gone) or _MATTERS.search(gone) or _is_half(kept):
            continue
        yield kept + "."


def _goes_on(kind: str | None, kept: str, gone: str) -> bool:
    """Whether this kind of tail may be the middle of something: a clause, a list, what comes after "to"."""
    if kind == "next":
        return ":" in kept
    if kind == "act":
        return "," in kept or " both " in kept or kept.rpartition(" ")[0].endswith(" to")
    if kind == "way":
        return "," in gone or " that " in kept or kept.endswith("ed")
    return "," in gone or (kind == "more" and "," in kept)


def _is_half(text: str) -> bool:
    """Whether it announces what no longer comes: the other half of a pair, a list, a closing sign."""
    return (
        _dangles(text)
        or _is_open(text)
        or any(text.count(sign) != text.count(other) for sign, other in ("()", "[]", "{}", "“”"))
        or text.count('"') % 2 > 0
        or _ANNOUNCES.search(text) is not None
        or any(map(_lacks, repeat(f" {text.lower()} "), _PAIRS))
    )


def _lacks(low: str, pair: tuple[str, str]) -> bool:
    """Whether the first word of the pair stands in the text, and the second does not follow."""
    _, first, rest = low.rpartition(f" {pair[0]} ")
    return bool(first) and f" {pair[1]} " not in f" {rest}"


_LABEL: Final = re.compile(
    r"(?:(?:authors['’]? |main )?(?:conclusions?|results?|findings?)(?: and (?:relevance|implications))?"
    r"|interpretation|discussion|significance|summary)\s?(?::\s*(?=\w)|\.\s+(?=(?-i:[A-Z])))",
    re.IGNORECASE,
)
"""What heads the part of an abstract that tells what was found."""
_BESIDES: Final = re.compile(
    r"(?P<who>(?:we|i|this (?:paper|work|study)|our (?:\w+ )?(?:paper|work|study|results|experiments)) )"
    r"(?:(?:then|also|further|furthermore|additionally|moreover|therefore|thus|hence|next)"
    r" (?!(?:an?|the|this|these|that|our|its|their|far|to)\b)(?=\w)){1,2}",
    re.IGNORECASE,
)
"""Joins what "we" do to what stood before, which the summary does not have."""
_OPENER: Final = re.compile(
    r"(?:(?:in|with|through|throughout|for) (?:this|the present|our) (?:paper|work|article|study|report"
    r"|letter|thesis|manuscript)|here|to (?:this|that) end|towards? this end|specifically|in particular"
    r"|particularly|concretely|furthermore|moreover|finally|additionally|in addition|thus|hence|therefore"
    r"|consequently|accordingly|as a result|in response|instead|however|motivated by this|inspired by this"
    r"|for (?:this|that|these) (?:reasons?|purposes?|aim|end)|(?:to|in order to|by|building|based|inspired"
    r"|motivated|drawing|guided|leveraging|given|following)\b[^,;:.?()]{0,50}\b(?:this|these|those|such"
    r"|the above|the aforementioned|the challenges?)\b[^,;:.?()]{0,60}),?\s+(?=(?:we|i|this paper|this work"
    r"|this study|our)\b(?![.)]))",
    re.IGNORECASE,
)
_LINK: Final = (
    r"(?:however|moreover|further(?:more)?|additionally|in addition|finally|lastly|specifically|in particular"
    r"|importantly|notably|interestingly|surprisingly|remarkably|crucially|concretely|indeed|namely|besides"
    r"|here(?:in)?|thus|hence|therefore|consequently|subsequently|nevertheless|accordingly|as a result"
    r"|in (?:this|our|the (?:present|current)) (?:paper|work|article|study|research|letter|report|thesis"
    r"|regard|context|vein|respect|direction|spirit)|in (?:conclusion|summary|short|response|contrast)"
    r"|by contrast|overall|to summarize|alternatively|instead|then|next|also|so|as such|first(?:ly)?"
    r"|second(?:ly)?|third(?:ly)?|to (?:this|that) end|meanwhile|empirically|theoretically|experimentally"
    r"|concurrently|against this background|from this point of view)"
)
"""Joins a sentence to the one before, which the summary does not have."""
_AIM: Final = (
    r"(?:to(?! the best)|in order to|aim(?:ing|ed)|towards?|motivated|inspired|prompted|sparked|triggered"
    r"|encouraged|driven|building|drawing|armed|equipped|based|leveraging|observing|recogni[sz]ing|addressing"
    r"|unlike|different from|contrary to|in contrast|rather than|instead of|as an?(?! function)|along"
    r"|in (?:light|view) of)"
)
"""How a purpose or motive begins; what holds only for some things ("in mice", "using") is none."""
_CLAUSE: Final = re.compile(
    rf"[\"“]?(?:{_LINK},?\s+){{0,2}}{_AIM}\b(?:[^,;:.?()]{{0,120}}|[^;:.?()]{{2,90}}),\s+"
    r"(?=(?:we|this (?:paper|work|study)|our (?:work|paper|study|approach|method))\b)",
    re.IGNORECASE,
)
_ADVERB: Final = re.compile(rf"[\"“]?(?:{_LINK},\s+){{1,2}}", re.IGNORECASE)
_WE_DO: Final = re.compile(r"(?:we|i|this (?:paper|work|study)) \w+", re.IGNORECASE)
_TAIL: Final = re.compile(
    r"(?:(?P<which>, which (?!(?:is|are) the ))|(?P<next>; )|(?P<way>,? by \w+ing )"
    r"|(?P<act>,? and (?:we |it )?(?:(?:also|then|further|can|\w+ly) )?(?:show|demonstrate|find|prove|propose"
    r"|provide|use|evaluate|present|introduce|apply|report|analy[sz]e|establish|discuss|study|derive|develop"
    r"|investigate|achieve|improve|compare|explore|outperform|allow|enable|require|lead|perform|reduce"
    r"|generali[sz]e|can|has|have|does)s? )|(?P<beside>, (?:in order to|rather than|instead of|including"
    r"|such as|especially|particularly) )|(?P<more>, as well as ))"
)
_CITATION: Final = re.compile(
    r"(?:\((?:see |cf\. |e\.g\.,? )?[A-Z][^()]{0,120}?(?:19|20)\d\d[a-z]?(?:[;,][^()]{0,120})?\)"
    r"|(?<!\()\[[1-9]\d*(?:\s*[,–-]\s*\d+)*\](?:,?\s?\[\d+\])*(?![^\s.,;:)]))"
)
_ASIDE: Final = re.compile(
    r"\((?<!\S.)(?:(?:e\.\s?g\.|for example|for instance|see )[^()]{0,300}|[^()]{30,300})\)"
)
_WAITING: Final = frozenset(
    # prepositions and conjunctions
    "of in on at by for from to with without within into onto over under between among through via per than"
    " as like about against across after before behind beyond during toward towards upon using and or but nor"
    " either neither both whether if that which who whose whom where when while because since so yet"
    # determiners and helping verbs
    " the a an this these those its their our his her such each every any some no is are was were be been"
    " being has have had can could may might will would should must do does did not also only"
    # verbs that want an object, and what announces one
    " extend extends extending extended improve improves improving follow follows following"
    " generalize generalizes outperform outperforms see include includes including called named"
    " termed dubbed namely example instance i.e. e.g. cf. viz.".split()
)
"""Words after which a text cannot end."""
_LIMIT: Final = (
    r"(?:\b(?:if|unless|only|except|provided|assuming|under|when|whenever|not|no|never|without|cannot)\b"
    r"|n['’]t\b)"
)
"""Makes a statement less general, or the contrary."""
_CONDITION: Final = re.compile(
    rf"{_LIMIT}|, (?:for|in(?! (?:this|our|the present|the current|order))|using|with|by|at|on|among|after"
    r"|via|given)\b",
    re.IGNORECASE,
)
"""What an opener says that limits all that follows."""
_MATTERS: Final = re.compile(
    rf"{_LIMIT}|\b(?:nor|neither|none|non|fails?|but|however|despite|although|though|while|whereas|unlike"
    r"|up to|at the (?:cost|expense)|with known|high probability|in expectation|we call|named|dubbed"
    r"|termed)\b",
    re.IGNORECASE,
)
"""What is never left out: the rest would claim more, or the contrary, or have no name."""
_POINTS: Final = re.compile(
    r"(?:\S+\s+){0,6}?(?:this(?! (?:paper|work|study))|it|its|them|they|their|both|the (?:same|resulting))\b"
    r"|.*\b(?:these|those|such (?!as |that )|the (?:former|latter)\b)"
)
"""A sentence that may point back to its opener."""
_NUMBER: Final = re.compile(r"\b(?!(?:19|20)\d\d[a-z]?\b)\d")
_NUMBERS: Final = re.compile(rf"\([^()]*{_NUMBER.pattern}[^()]*\)")
"""Of several brackets with numbers none goes: they are compared."""
_ABBREVIATION: Final = re.compile(r"\b[A-Z]\w*[A-Z]\w*\b")
_ANNOUNCES: Final = re.compile(
    r"\b(?:two|three|four|five|six|several|following|[2-9])\b[^:]{0,200}:|\bas follows|(?:^|[\s(])(?:i|a"
    r"|1)(?:\)|\. )|(?<!the )(?<!our )\bfirst(?:ly)?\b(?! (?:time|step|order))(?!.{0,200}\bthen\b)",
    re.IGNORECASE,
)
"""A list of which only the first part may stand there."""
_PAIRS: Final = (
    *((f"not {word}", "but") for word in ("only", "just", "merely", "simply", "solely")),
    ("either", "or"),
    ("neither", "nor"),
    ("both", "and"),
    ("between", "and"),
    ("one hand", "other"),
)
"""Of such words the second must follow the first."""
