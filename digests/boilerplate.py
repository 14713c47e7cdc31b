"""What stands in an abstract's place or around it and is none of it: placeholders, notices, keywords.

Only what is surely boilerplate goes, and only at the very beginning or end; in doubt it stays.
"""

import re

__all__ = ["without_boilerplate"]


def without_boilerplate(abstract: str) -> str:
    """What the paper itself says in an abstract that `plain` has cleaned; "" where that is nothing.

    "Abstract not available." → ""; "Summary: We see. © 2025 The Author(s)" → "We see."
    """
    # Databases of reviews join an abstract's parts with ";": "We tested.; Ten died."
    text = _STRAY.sub("", abstract) if ";" in abstract else abstract
    for _ in range(_MOST_NOTICES):
        if (shorter := _without_end(_without_beginning(text))) == text:
            break
        text = shorter
    if len(text) <= _LONGEST_NOTHING and _says_nothing(text):
        return ""
    return text


def _without_beginning(text: str) -> str:
    """The text without the first thing before the abstract; as it is where there is none."""
    if not (_MAY_BEGIN.match(text) or "Published online" in text[:_NEAR]):
        return text
    found = _BEGINNING.match(text, 0, _LONGEST_BEGINNING)
    return text[found.end() :] if found else text


def _without_end(text: str) -> str:
    """The text without the last thing behind the abstract; as it is where there is none."""
    if not _may_end(text):
        return text
    found = _END.search(text, max(0, len(text) - _LONGEST_END))
    return text[: found.start()].rstrip() if found else text


def _may_end(text: str) -> bool:
    """Whether there are signs of boilerplate at the end: looking for each of them would take too long."""
    last = text[-_LONGEST_WORD:].rstrip(" .)").rpartition(" ")[2]
    if not (last.islower() and last.isalpha()) or last in _LAST_WORDS:
        line = text[-_LONGEST_LINE:]
        if any(sign in line for sign in _SIGNS):
            return True
    tail = text[-_LONGEST_END:]
    return (":" in tail or "—" in tail or "·" in tail) and any(head in tail for head in _HEADS_OF_LISTS)


def _says_nothing(text: str) -> bool:
    """Whether it is a placeholder, a bare address, a mere reference to a page, or has no word in it."""
    said = text.strip(_AROUND)
    return _WORD.search(said) is None or _NOTHING.fullmatch(said) is not None


# At the beginning ------------------------------------------------------------------------------------------

_MOST_NOTICES = 20
_NEAR, _LONGEST_BEGINNING = 120, 600
_MAY_BEGIN = re.compile(r"(?i:an abstract|summary|highlights|author|arxiv:|please use|as you have)")
_OPENERS = (
    r"(?:(?:A|An|As|At|By|For|From|Here|How|In|It|Many|Most|Our|Recent|The|There|These|This|To|We|What|While)"
    r"(?= [a-z]))"
)
_NAME = r"(?:(?![a-z])[^\W\d_][\w.'’-]*|de|del|der|den|di|du|da|la|le|van|von|al|el|bin|ten|ter)"
_PEOPLE = rf"(?:(?!{_OPENERS}){_NAME}(?: |(?=[,;]|$))|(?:and|&|et al\.?) |[,;] ?)+"
_BYLINE = rf"(?i:authors?|author\(s\))\s?:\s?{_PEOPLE}"
_BEGINNING = re.compile(
    "|".join((
        r"(?:Summary|SUMMARY)(?:\s?[:.—–]|\s-)\s*(?=\S)|SUMMARY (?=[A-Z][a-z]|[AI] )",
        rf"Summary (?={_OPENERS})",
        r"(?i:highlights)\s?:?\s*•\s*(?=\S)|(?:Highlights|HIGHLIGHTS)\s?:\s*(?=\S)",
        rf"{_BYLINE}(?={_OPENERS})",
        r"arXiv:\S{6,20} Announce Type: (?:new|cross|replace|replace-cross)(?: Abstract:)?\s*",
        # Nature's: "Nature, Published online: 01 December 2025; doi:10.1038/s41586-025-1 We see."
        r"[A-Z][^.;:]{1,80}, Published online: [0-9]{1,2} [A-Z][a-z]{2,8} [0-9]{4};? ?doi:10\.[0-9]+/\S+\s*",
        # Cambridge's.
        r"An abstract is not available for this content so a preview has been provided\.\s*",
        r"(?:Please use the Get access link|As you have access to this (?:content|article),)[^.]{1,200}\.\s*",
    ))
)  # fmt: skip

# At the end ------------------------------------------------------------------------------------------------

_LONGEST_WORD, _LONGEST_LINE, _LONGEST_END = 30, 400, 700
# A notice ends with a name or a number, or else with one of these words.
_LAST_WORDS = frozenset(
    "abstract al authors business cited domain licence license made org purposes reserved words".split()
)
_SIGNS = (
    *("©", "(c", "(C)", "opyright", "ublished", "ights reserved", "ights Reserved", "RESERVED"),
    *("TRUNCATED", "truncated", "PACS", "MSC", "JEL", "Subject Class", "ccess article"),
    "appeared first",
)
_HEADS_OF_LISTS = "eyword", "ey word", "WORD", "ndex ", "INDEX ", "CCS "
_SIGN = r"(?:©|\((?:c|C|copyright|Copyright)\)|\b(?:Crown )?(?:Copyright|COPYRIGHT)\b)"
_YEAR = r"(?:19|20)[0-9]{2}\b(?:[-–][0-9]{2,4})?"
_WHOSE = rf"(?:{_YEAR}|[Tt]he [Aa]uthors?\b|[Aa]uthor\(s)"
_OWNER = r"(?i:rights reserved)|\b(?:Inc|Ltd|LLC|GmbH|Verlag|Press|Publish\w+|Group|Society|Association)\b"
_SMALL = (
    "a|al|all|an|and|authors?|behalf|business|by|company|copyright|et|exclusive|exclusively|for|in|imprint"
    "|licen[cs]ed?|licen[cs]ee|of|on|part|published|publisher|publishing|reserved|rights|the|to|under"
)
_LICENCE = r"This (?:is an [Oo]pen[ -][Aa]ccess article|article is a U\.S\. Government work)"
# The words of a notice: names, numbers and a few others; no sentence does with these alone.
_NOTICE = (
    rf"(?:(?!{_LICENCE})"
    rf"(?:\(s\)|[\s,.;:&/()|•@®™©+'’–-]|\b(?:(?:{_SMALL})\b|(?![a-z])\w[\w.'’&/-]*+)))*+(?:{_LICENCE}.{{0,500}})?"
)
_KEYWORDS = (
    r"(?:Key ?words?(?: and phrases)?|KEY ?WORDS?|Index [Tt]erms|INDEX TERMS|CCS (?:Concepts|CONCEPTS))"
    r"(?:\s?[:：—–]| (?=[^.!?]*·))"
)
_CODES = (
    r"(?:PACS(?: numbers?)?|(?:AMS )?MSC(?: ?[0-9]{4})?(?: codes)?|JEL(?: codes?| [Cc]lassification)?"
    r"|(?:AMS |[0-9]{4} )*Mathematics Subject Classification(?: ?\(?[0-9]{4}\)?)?)"
    r"(?:\s?[:：—–] ?|\s(?=[0-9]{2}[A-Z][0-9]{2}|[0-9]{2}\.[0-9]{2}|[A-Z][0-9]{2}?\b))"
)
_NINE_WORDS = r".{0,600}?(?<![^\s;,·•|])(?:[^\s;,·•|]++\s++){9}"
_LISTED = r"(?:[^.!?]|\.(?=[\w,+-]))*\.?"
_END = re.compile(
    r"(?:(?:^|(?<=[.!?…。．)\]”\"’»*]))\s*(?:"
    + "|".join((
        rf"(?:{_SIGN}[\s,:]*)+(?:by )?(?:[A-Z][\w&.,' -]{{0,80}}?)?{_WHOSE}{_NOTICE}",
        rf"(?:{_SIGN}|Published by )(?=.{{0,200}}(?:{_OWNER})){_NOTICE}",
        r"(?:(?:[A-Z][\w&-]* ){1,4}(?:Ltd|Inc|LLC|B\.?V|GmbH|AG|Co)\.\s*)?(?i:(?:all )?rights reserved)[.)]*",
        rf"{_LICENCE}[^.]{{0,200}}(?:licen[cs]e|terms|Creative Commons|CC BY|public domain).{{0,300}}",
        r"\(PsycINFO Database Record[^()]{0,20}(?:\(c\)[^()]{0,100})?\)\.?(?: \(journal abstract\))?",
        r"[(\[](?i:abstract truncated)[^()\[\]]{0,40}[)\]]\.?",
        rf"{_KEYWORDS}(?!{_NINE_WORDS}){_LISTED}",
        rf"{_CODES}(?=[^,;]{{0,12}}[0-9])(?!{_NINE_WORDS}){_LISTED}",
        # The Physical Review's: "[Phys. Rev. Lett. 134, 010401] Published Tue Jan 07, 2025"
        r"\[[A-Z][\w. ]{2,60} [0-9]+, [\w()-]+\] Published [A-Z]\w+,? [A-Z]\w+\.? [0-9]{1,2}, [0-9]{4}",
    ))
    + r")|(?:^|\s)The post (?:(?!The post ).){1,300} appeared first on [^.!?]{1,100}(?:\.\w+)*\.?)\s*$"
)  # fmt: skip

# In place of an abstract -----------------------------------------------------------------------------------

_LONGEST_NOTHING = 400
_AROUND = " \t\n.,;:!…—–-_*'\"“”()[]{}<>|/。．：（）【】［］"
_WORD = re.compile(r"[^\W\d_]{2}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_A = r"(?:abstract|summary|description|preview)"
_HAD = r"(?:available|provided|given|found|supplied|present|listed|included|required|recorded)"
_HERE = r"(?: (?:for|in|of) (?:this|the) \w+| at (?:this|the present) time| yet| here| online)?"
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|spring|summer|autumn|fall|winter)"
)
_PLACE = (
    r"(?:(?:volume|vol\.?|issue|number|no\.?|part|pages?|pp?\.?|article(?: (?:number|id|no\.?))?)"
    r"\s?[a-z]?[0-9][\w.]*(?:\s?[-–—]\s?\w?[0-9]+)?"
    r"|early ?view|ahead[ -]of[ -]print|online first|accepted (?:article|manuscript)|just accepted|in press)"
)
_WHEN = (
    r"(?:(?:(?:publication date|available online|published(?: online)?|first published):? )?"
    rf"(?:[0-9]{{1,2}} )?{_MONTH}\b\.?(?: [0-9]{{1,2}}\b,?)?(?: [0-9]{{4}})?|(?:19|20)[0-9]{{2}})"
)
_PLACEHOLDERS = (
    r"n/?a|n\.a|nan|none|null|nil|undefined|unknown|unavailable|tb[ad]|to be (?:announced|added)|coming soon",
    rf"{_A}|(?:there is |sorry, )?no {_A}s?(?: text)?(?:(?: is| was)?(?: currently)? {_HAD})?{_HERE}",
    rf"(?:th(?:e|is) |an? )?{_A}(?: text)?(?: (?:of|for) th(?:e|is) \w+)?(?: is| was| has)?(?: currently)?"
    rf"(?: been)? (?:un{_HAD}|not (?:yet )?(?:been )?{_HAD}|missing|pending|withheld|to follow|n/a){_HERE}",
    rf"(?:not|un) ?{_HAD}{_HERE}|this \w+ (?:has no|does not have an?) {_A}(?: {_HAD})?",
    r"keine? (?:abstract|zusammenfassung|kurzfassung)(?: (?:verfügbar|vorhanden))?",
    r"(?:abstract|zusammenfassung|kurzfassung)(?: ist)? nicht (?:verfügbar|vorhanden)",
    r"(?:aucun|pas de|sans) (?:résumé|abstract)(?: (?:n['’]est )?(?:disponible|fourni))?",
    r"(?:résumé|abstract) (?:in|non[ -])disponible",
    r"(?:sin|no hay|ningún) resumen(?: disponible)?|resumen no disponible",
    r"sem resumo(?: disponível)?|resumo (?:não |in)dispon[íi]vel",
    r"nessun (?:abstract|riassunto)(?: disponibile)?|(?:abstract|riassunto) non disponibile",
    r"geen (?:abstract|samenvatting)(?: beschikbaar)?",
    r"(?:нет|без) (?:аннотации|реферата|резюме)|(?:аннотация|реферат|резюме) (?:отсутствует|недоступн[аоы]?)",
    r"(?:暂|暫|尚|本文)?[无無没沒]有?(?:中文|英文|可用的?)?(?:摘要|简介|簡介|内容|內容)(?:信息|資訊)?",
    r"[暂暫]?[无無]|摘要(?:[暂暫]?[无無]|缺失)?",
    r"(?:抄録|要旨|概要|要約)は?(?:なし|無し|無|ありません|がありません)",
    r"(?:초록|요약)(?:이|은)? ?(?:없음|없습니다)",
    r"(?:(?:https?://|www\.|doi:\s?10\.)\S++\s*)++",
    rf"(?>(?:[^.:;!?]{{1,80}}, )?{_PLACE}|{_WHEN})(?:[\s,;.:()]++(?>{_PLACE}|{_WHEN}))*+",
)
_NOTHING = re.compile(
    rf"(?i:{'|'.join(_PLACEHOLDERS)})"
    # ScienceDirect's: "Publication date: March 2025 Source: Peat, Volume 12 Author(s): A. Field"
    rf"|(?:(?i:publication date): .{{3,40}}? )?(?:Source: .{{3,200}}? )?{_BYLINE}"
)

# Damage ----------------------------------------------------------------------------------------------------

_SHORTENED = r"etc \bal \bcf \bvs Inc Ltd \bCo Corp Fig Vol Suppl \bed \beds \bsp spp \b[A-Z] \.[a-z]"
_STRAY = re.compile(
    rf";(?<=[^.]\.;){''.join(rf'(?<!{word}.;)' for word in _SHORTENED.split())}(?:\s;)*(?=\s*$| [A-Z0-9(\[])"
)
