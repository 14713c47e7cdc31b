"""What a sentence of an abstract is: the paper speaking of itself, an aim, a conclusion, a question."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from sys import intern
from typing import Final

from digests.scan import scan
from digests.sentences import ROOT

MOST_CHARACTERS: Final = 2_000
"""Of a longer sentence only so many characters are searched for names and cues."""
VERBS: Final = (
    r"(?:introduc(?:e|es|ed|ing)|propos(?:e|es|ed|ing)|present(?:s|ed|ing)?|develop(?:s|ed)?|design(?:s|ed)?"
    r"|describes?|devises?|contributes?|creates?|constructs?|establish(?:es)?|unveils?|formulates?|builds?"
    r"|defines?|release[sd]?|provides?|curates?|collects?|publish(?:es)?|offers?|open-sources?|proposons"
    r"|présentons|introduisons|präsentieren|entwickeln|предлагаем|представляем)"
)
"""What a paper does that brings a thing of its own, in five languages."""
WE: Final = (
    r"\b(?:we|i|paper|work|article|study|authors?|nous|wir|мы)\b(?:,? (?:\w+ly|then|also|first|here|next"
    r"|therefore|thus|further|instead|will|are)\b,?){0,2} "
)
"""The paper or its authors as a subject, up to the verb: "we then also "."""


def telling(roots: Sequence[str]) -> frozenset[str]:
    """Those of the roots without which there is no cue of some kind: most sentences have few or none."""
    return _TELLING.intersection(roots)


def cue(low: str, roots: Collection[str]) -> re.Match[str] | None:
    """Where the paper says what it does, "we propose" or the like, in a sentence in small letters."""
    found = scan(_CUE, low, _SUBJECTS.intersection(roots))
    return found[0] if found else None if low.isascii() else _FOREIGN_CUE.search(low)


def is_own(low: str, roots: Collection[str]) -> bool:
    """Whether the paper speaks of itself: "we", "our", "this paper", "a method is proposed"; small letters.

    What "we" did earlier is another paper's.
    """
    if _OWNERS.isdisjoint(roots) and (_OWN_HINTS.isdisjoint(roots) or not _OWN.search(low)):
        return False
    return _EARLIER_HINTS.isdisjoint(roots) or _EARLIER.search(low) is None


def concludes(text: str, roots: Collection[str]) -> bool:
    """Whether it calls itself a conclusion."""
    return not _CONCLUSION_HINTS.isdisjoint(roots) and _CONCLUSION.match(text) is not None


def sums_up(low: str) -> bool:
    """Whether it says what the findings of a study mean: "these results suggest", in small letters."""
    return _SUM.search(low) is not None


def is_proposal(found: re.Match[str]) -> bool:
    """Whether what `cue` found says that the paper brings a thing of its own."""
    return found[0].endswith(_MADE)


def is_study(lows: Sequence[str], roots: Sequence[Sequence[str]], seen: Sequence[frozenset[str]]) -> bool:
    """Whether the sentences report a study, in the past tense: what was asked, then what was found.

    `seen` are the telling ones among the roots of each.
    """
    told = sum([_is_past(low, each) for low, each in zip(lows, seen, strict=True)])
    return (told > 1 and 4 * told >= len(lows)) or any(
        each[0] == "to" and each[1] in _STUDIES for each in roots if len(each) > 3
    )


def _is_past(low: str, roots: frozenset[str]) -> bool:
    if not _PAST.isdisjoint(roots):
        return True
    return not _MAYBE_PAST.isdisjoint(roots) and _PAST_VERB.search(low) is not None


def finds(low: str) -> bool:
    """Whether it tells a finding of a study: "we found", "was reduced", "significantly", in small letters."""
    return _FINDING.search(low) is not None


def is_further(low: str, roots: Collection[str]) -> bool:
    """Whether it tells something besides: "we also", "furthermore", in small letters."""
    return not _FURTHER_HINTS.isdisjoint(roots) and _FURTHER.match(low) is not None


def is_aim(low: str) -> bool:
    """Whether it says, as reports of studies do, only what was to be studied and how, in small letters."""
    return _AIM.search(low) is not None


def is_notice(low: str, roots: Collection[str]) -> bool:
    """Whether it says that the paper was taken back, in small letters."""
    return not _NOTICE_HINTS.isdisjoint(roots) and _NOTICE.search(low) is not None


def is_question(text: str) -> bool:
    """Whether it ends by asking; a question is never a summary."""
    return text.rstrip(_CLOSERS).endswith(("?", "？"))


def is_intent(low: str, roots: Collection[str]) -> bool:
    """Whether it says what is aimed at or studied, in small letters."""
    return not _INTENT_HINTS.isdisjoint(roots) and _INTENT.search(low) is not None


def is_outlook(low: str, roots: Collection[str]) -> bool:
    """Whether it speaks of what may come of the work, in small letters."""
    return not _OUTLOOK_HINTS.isdisjoint(roots) and _OUTLOOK.search(low) is not None


def is_only_outlook(low: str) -> bool:
    """Whether it says nothing but that more should be studied, in small letters."""
    return _MORE_WORK.match(low) is not None


def is_note(low: str, roots: Collection[str]) -> bool:
    """Whether it is about the publication and not about the work: a registration, who paid; small letters."""
    return not _NOTE_HINTS.isdisjoint(roots) and _NOTE.match(low) is not None


def is_vague(found: re.Match[str]) -> bool:
    """Whether behind what `cue` found the point lies in another sentence: "we present such a system"."""
    return found[0].endswith(_SHOWN) and _POINTED.match(found.string, found.end()) is not None


def points(found: re.Match[str]) -> bool:
    """Whether behind what `cue` found a thing of another sentence is named: "these limitations"."""
    return _THING.search(found.string, found.end()) is not None


def is_praise(low: str, roots: Collection[str]) -> bool:
    """Whether it says only that the work was tried and is good, not what it is, in small letters."""
    if _PRAISE_HINTS.isdisjoint(roots) or not any(word in low for word in _PRAISING):
        return False
    return _PRAISE.search(low) is not None


def leans(low: str) -> bool:
    """Whether it begins with a word for something in the sentence before, in small letters."""
    return _LEANING.match(low) is not None


def is_later_part(low: str) -> bool:
    """Whether it is the second or a later part of a list, in small letters."""
    return _LATER_PART.match(low) is not None


def is_cut_off(text: str) -> bool:
    """Whether its end is missing, as in a teaser."""
    return text.rstrip(_CLOSERS).endswith(("…", "..."))


def is_aside(text: str) -> bool:
    """Whether it says only where the code is."""
    low = text[:MOST_CHARACTERS].lower()
    return any(hint in low for hint in _ASIDE_HINTS) and _ASIDE.search(low) is not None


def _roots(words: str) -> frozenset[str]:
    return frozenset(map(intern, (word[:ROOT] for word in words.split())))


_SUBJECTS: Final = _roots("we i paper work article study author authors nous wir мы")
_OWNERS: Final = _roots("we our us i")
_OWN_HINTS: Final = _roots(
    "paper work study article report review survey letter chapter thesis note overview trial investigation"
    " meta-analysis analysis authors proposed presented introduced described developed derived"
    " reported"
)
_EARLIER_HINTS: Final = _roots("previous previously earlier prior recently")
_PAST: Final = _roots("was were sought aimed")
_MAYBE_PAST: Final = _roots("investigated examined assessed hypothesized")
_NOTICE_HINTS: Final = _roots(
    "retracted retraction retract retracts withdrawn withdrawal withdraw withdraws erratum corrigendum"
    " concern"
)
_INTENT_HINTS: Final = _roots(
    "aim aims seek seeks goal focus focuses study studies investigate investigates consider attempt attempts"
    " interested"
)
_OUTLOOK_HINTS: Final = _roots("way gap open opens opening light future hope believe")
_NOTE_HINTS: Final = _roots(
    "registration funding funded trial prospero keyword keywords key copyright supplementary contact"
    " availability"
)
_PRAISING: Final = tuple(
    "effectiveness efficacy usefulness superiority benefits advantage merits validate evaluate ablation"
    " applicability".split()
)
_PRAISE_HINTS: Final = _roots(" ".join(_PRAISING))
_FURTHER_HINTS: Final = _roots(
    "besides moreover furthermore further additionally addition finally lastly second secondly third thirdly"
    " also"
)
_CONCLUSION_HINTS: Final = _roots(
    "conclusion authors interpretation significance schlussfolgerung summary 结 結 결론 вывод выводы"
)
_TELLING: Final = _SUBJECTS.union(
    _OWNERS, _OWN_HINTS, _EARLIER_HINTS, _PAST, _MAYBE_PAST, _NOTICE_HINTS, _INTENT_HINTS, _OUTLOOK_HINTS,
    _NOTE_HINTS, _PRAISE_HINTS, _CONCLUSION_HINTS, _FURTHER_HINTS,
)  # fmt: skip
_OWN: Final = re.compile(
    r"\b(?:this|the present|the current) (?:\w+ )?(?:paper|work|study|article|report|review|survey|letter"
    r"|chapter|thesis|note|overview|trial|investigation|meta-analysis|analysis)\b|\b(?:is"
    r"|are) (?:here )?(?:proposed|presented|introduced|described|developed|derived|reported)\b"
    r"|\bthe authors\b"
)
_EARLIER: Final = re.compile(
    r"\bwe (?:have |had )?(?:previously|earlier|recently)\b|\bpreviously,? we\b|\bin (?:an? "
    r"|our )?(?:previous|earlier|prior) (?:\w+ )?(?:works?|papers?|study|studies|article)\b|\bour (?:previous"
    r"|earlier|prior) (?:\w+ )?(?:work|works|paper|papers|study|studies)\b.{0,40}\b(?:show|found|demonstrat"
    r"|suggest|reveal|indicat)"
)
_SUM: Final = re.compile(
    r"^(?:taken together|together|overall|collectively|thus|therefore|hence|in all)\b|\b(?:results?|findings?"
    r"|data|observations?|evidence|stud(?:y|ies)|experiments|analys[ei]s) (?:\w+ly |\w+ [\w-]+ |here "
    r"|presented here |also |thus |therefore |further |may |reported here )?(?:suggest|indicate|demonstrate"
    r"|show|reveal|confirm|support|impl(?:y|ies)|provide|establish|highlight|underscore|emphasi[sz]e"
    r"|identif(?:y|ies)|raise)(?:s|d|ed)?\b|\b(?:we|authors|it is|was|can be|is) (?:therefore "
    r"|thus )?conclude[sd]?\b|\b(?:it is|is) (?:therefore |thus )?(?:suggested|proposed) that\b"
)
_MADE: Final = tuple("introduce introduces propose proposes present develop build release released".split())
_PAST_VERB: Final = re.compile(r"\b(?:investigated|examined|assessed|hypothesized)\b")
_STUDY_VERBS: Final = (
    "assess determine evaluate examine investigate compare describe explore identify study test"
    " estimate review quantify characterize characterise analyze analyse measure report understand"
    " summarize summarise clarify present explain elucidate define validate"
)
_STUDIES: Final = _roots(_STUDY_VERBS)
_FINDING: Final = re.compile(
    r"\b(?:we|i|authors|study|trial|review|analysis|search|results?|calculations?|data)"
    r" (?:also |have |\w+ly )?"
    r"(?:find|show|prove|conclude|observe|demonstrate|indicate|suggest|obtain|predict|establish|imply|argue"
    r"|found|observed|showed|demonstrated|detected|identified|noted|concluded|proved|obtained)\b"
    r"|\breveal(?:s|ed)?\b|\bimplies\b|\b(?:is|are|was|were|been) (?:\w+ly )?(?:identified|obtained"
    r"|established|explained|predicted|confirmed|revealed|ruled out)\b|\bsignificant"
    r"|\bthere (?:was|were|is|are) (?:no|a|an|some|little|strong|evidence|few)\b"
    r"|\b(?:was|were|is|are) (?:\w+ly |also |not |no |more |less "
    r"|\w+ more |\w+ less )?(?:associated|higher|lower|greater|reduced|increased|decreased|found|shown|seen"
    r"|improved|effective|similar|correlated|superior|inhibited|enhanced|impaired|attenuated|abolished"
    r"|prevented|elevated|more|less|better|worse|different)\b|\b(?:reduced|increased|decreased|improved"
    r"|inhibited|induced|caused|produced|resulted in|led to|enhanced|prevented|attenuated|blocked|predicted"
    r"|abolished|reversed|impaired|failed|differed|occurred|showed|exhibited|suppressed|potentiated|elicited"
    r"|remained|had no)\b"
)
_FURTHER: Final = re.compile(
    r"\W*(?:besides|moreover|furthermore|additionally|in addition|finally|lastly|second(?:ly)?"
    r"|third(?:ly)?),? |.{0,60}\b(?:we|paper|work|study|talk|results?|analysis|it is) (?:then )?(?:also"
    r"|further|additionally)\b"
)
_STUDIED: Final = (
    r"(?:investigated|examined|assessed|evaluated|studied|explored|compared|tested|determined|analy[sz]ed"
    r"|measured|reviewed|considered|sought|aimed|attempted|undertaken|conducted|performed|carried out"
    r"|designed|recorded|randomi[sz]ed|randomly assigned|searched|surveyed|interviewed|collected|recruited"
    r"|enrolled)"
)
_AIM: Final = re.compile(
    rf"^\W*(?:in order )?to (?:{'|'.join(sorted(_STUDY_VERBS.split()))})\b"
    r"|\b(?:aims?|purposes?|objectives?|goals?) (?:of|was|were|is|are|this)\b|\bwanted to\b|\b(?:aims?"
    r"|seeks?) to\b|\bwe (?:here )?(?:review|investigate|examine|assess|stud[yi])|\b(?:we|authors|study|paper"
    r"|article|review|trial|report|investigation) (?:was |were |have |has )?"
    rf"{_STUDIED}\b|\b(?:was|were|been) (?:\w+ly |also |then )?{_STUDIED}\b"
    r"|\b(?:paper|article|review|report|chapter) (?:\w+ly )?(?:describes|reflects|highlights|discusses"
    r"|examines|explores|reviews|outlines|considers|summari[sz]es|focuses|reports|covers|addresses|surveys)\b"
)
_NOTICE: Final = re.compile(
    r"\b(?:this|the|our|above|following) (?:article|paper|manuscript|preprint|submission|chapter)"
    r"(?:,? (?:published|entitled|by|titled|from|in)\b[^.;]{0,200}?)?,? (?:has|had|was|is)"
    r" (?:now |since |formally )?(?:been |being )?(?:retracted|withdrawn)\b"
    r"|^\W*(?:(?:retraction|withdrawal)(?: notice|:)|retraction of\b)"
    r"|\b(?:retracted|withdrawn) by (?:the )?(?:author|editor|publisher)"
    r"|\b(?:withdraw|retract)s? (?:this|the|our) (?:article|paper|manuscript|submission|preprint)"
    r"|^\W*(?:erratum|corrigendum|expression of concern)\b"
)
_INTENT: Final = re.compile(
    r"\b(?:we|paper|work|study) (?:\w+ly )?(?:aims?|seeks?|attempts?|focus(?:es)?|consider|stud(?:y|ies)"
    r"|investigates?|are interested)\b|\b(?:our|the|this) (?:aim|goal)\b"
)
_OUTLOOK: Final = re.compile(
    r"\b(?:pav(?:es?|ing) the way|(?:fills?|filling) (?:a|the|this) gap|open(?:s|ing) (?:up )?new|shed(?:s"
    r"|ding)? (?:new )?light|future (?:work|research)|we hope|we believe)\b"
)
_MORE_WORK: Final = re.compile(
    r"\W*(?:conclusions?\W+)?(?:however, |nevertheless, )?(?:further|future|more|additional"
    r"|larger)(?:,? [\w-]+){0,3} (?:research|stud(?:y|ies)|trials?|work|investigations?|evidence"
    r"|experiments?)\b"
)
_NOTE: Final = re.compile(
    r"\W*(?:(?:clinical |systematic )?(?:trials? |review )?registration|funding|funded by|trial number"
    r"|prospero|keywords?|key words|copyright|supplementary information|contact|availability)\b"
)
_SHOWN: Final = tuple(
    "present presents presented introduce introduces introduced describe describes described propose proposes"
    " proposed develop develops developed address addressed show shows showed tackle tackles tackled"
    " consider study studies studied provide provides provided prove proves proved".split()
)
_POINTED: Final = re.compile(
    r" (?:(?:such|these|those)\b|this\b(?! (?:paper|work|study))|the following\b|how to do)"
)
_THING: Final = re.compile(
    r" (?:this|these|those|such) (?!(?:paper|work|study|is|are|that|we)\b)(?:\w+ )?(?:problems?|issues?"
    r"|challenges?|limitations?|gaps?|hypothesis|phenomen(?:on|a)|attacks?|difficult(?:y|ies)|shortcomings?"
    r"|ideas?|approach(?:es)?|methods?|models?|questions?|settings?|frameworks?|tasks?|propert(?:y|ies)"
    r"|bounds?|conditions?|drawbacks?|transformations?)\b"
)
EMPTY_ROOTS: Final = _roots(
    "novel new approach framework method model models paper work introduce propose present termed called"
    " named based use uses using which that this with from their into study studies problem task tasks"
    " technique algorithm address explore investigate have been stands such"
)
"""What says nothing of what a paper is about."""
_PRAISE: Final = re.compile(
    r"\b(?:effectiveness|efficacy|usefulness|superiority|benefits|advantages?|merits|applicability) of"
    r" (?:our|the proposed|the|this|its)\b|\bwe (?:\w+ly |also |further )?(?:evaluate|validate)"
    r" (?:our|the proposed|its|this|the)\b|\bablation\b"
)
_LEANING: Final = re.compile(
    r"\W*(?:they|he|she|its|their|the former|the latter|both|such|this|these|those)\b(?! (?:paper|work"
    r"|article|study|report|review|survey|results?|findings?|data|observations))"
    r"|\W*it (?!is (?:\w+ly )?(?:shown|found|concluded|suggested|proved|demonstrated|argued|proposed)\b)"
)
_LATER_PART: Final = re.compile(
    r"\W*(?:(?:second|third|fourth)(?:ly)?,|in the (?:second|third|latter)\b|the (?:second|third)\b|(?:ii|iii"
    r"|[2-9b-d])\))"
)
_CONCLUSION: Final = re.compile(
    r"\W*(?:(?:authors'? )?conclusions?(?: and relevance)?|interpretation|significance"
    r"|schlussfolgerung(?:en)?|conclusiones|结论|結論|结语|결론|выводы?)\b\W*[:：.—】-]"
    r"|\W*(?-i:CONCLUSIONS?(?: AND RELEVANCE)? [A-Z])|in (?:conclusion|summary)\b|(?:we"
    r"|the authors) conclude\b",
    re.IGNORECASE,
)
_CLOSERS: Final = " \t\n\"'”’»)]*_"
_CUE: Final = re.compile(
    rf"{WE}(?:{VERBS}|shows?|finds?|demonstrates?|proves?|stud(?:y|ies)|investigates?|analy[sz]es?|explores?"
    r"|address(?:es)?|examines?|derives?|uncovers?|discovers?|identif(?:y|ies)|explains?|revisits?"
    r"|focus(?:es)?|extends?|argues?|tackles?|aims?|reports?|evaluates?|consider|assembles?|links?|compiles?"
    r"|(?:show|demonstrat|investigat|analy[sz]|explor|address|examin|deriv|uncover|discover|identifi|report"
    r"|evaluat|describ|assembl|link|record|measur|determin|characteri[sz]|estimat|quantifi|compil|compar)ed"
    r"|found|studied|(?:randomly )?assigned)\b|\b(?:nous|wir|мы)\b"
)
_FOREIGN_CUE: Final = re.compile(
    r"我们|我們|本文|本論文|本研究|本稿|この論文|我々は|提案(?!手法|方法|法|モデル)"
    r"|우리는|본 논문|이 논문|본 연구|в (?:этой|данной|настоящей) (?:статье|работе)"
)
_ASIDE_HINTS: Final = ("http", "availab", "releas", "open-sourc", "publish", "share")
_ASIDE: Final = re.compile(
    r"https?://|\bavailable (?:at|on|here|online|from|in|upon|under)\b|\b(?:publicly|openly|freely) available"
    r"|\bwill (?:be )?(?:publicly |openly |freely )?(?:made )?(?:release|publish|available|open-source|share)"
    r"|\b(?:release|open-source) (?:our|the|all) (?:code|models?|data|source)"
)
