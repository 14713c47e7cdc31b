"""Markdown, and what people type as in LaTeX, to plain Unicode: emphasis, links, quotes, ties, dashes."""

import re

_LETTER = r"[^\W\d_]"
# These patterns begin with what they look for, and look back from there: that is many times as fast.
_TIE = re.compile(
    rf"~(?:(?:(?<=[0-9⁰¹²³⁴-⁹.,;:)\]%}}]~)|(?<={_LETTER}{{2}}~))(?={_LETTER}|[(\ufdd0])"
    rf"|(?:(?<={_LETTER}{{2}}~)|(?<=\.~))(?=\d))"
)
_DASH = re.compile(r"--(?<![-<!]--)(?:(?<=\S--)(-?+)(?=[^\s>-])|(?<=\s--)(-?+)(?=\s))")
_DOUBLE_QUOTE = re.compile("``|''")
_SINGLE_QUOTED = re.compile(r"(?<![\w`])`(?=[^`\s])([^`]{1,100}?)'(?![\w'])")
_CODE = re.compile(r"(?<!`)`([^`]{1,200})`(?!`)")
_LINK = re.compile(r"!?\[([^\[\]]{1,300})\]\(((?:\ufdd0[0-9]+\ufdd1|[#/]|www\.|mailto:)[^()\s]{0,500})\)")
_AUTOLINK = re.compile("<(\ufdd0[0-9]+\ufdd1)>")
_TITLE_LINE = re.compile(r"(?m)^[ \t]{0,3}#{1,6}[ \t]+(?=\S[^\n]*\n)")
_RUN = re.compile(r"[*_](?<![*_].)(?:(?<=\*)\*{0,2}|(?<=_))(?![*_])", re.DOTALL)
_BEFORE_EMPHASIS = frozenset(" \t\n([{\"'“‘«—–-/,.;:!?>|\ufdd1")
_LONGEST_EMPHASIS = 300
_LONGEST_PART = 60


def dashes(text: str) -> str:
    return _DASH.sub(lambda dash: "—" if dash[1] or dash[2] else "–", text)


def tildes_and_quotes(text: str) -> str:
    if "~" in text:
        text = _TIE.sub(" ", text)
    if "`" in text:
        text = _curled(text)
        text = _CODE.sub(r"\1", _SINGLE_QUOTED.sub(r"‘\1’", text))
    return text


def _curled(text: str) -> str:
    """``…'' becomes “…”; a '' that nothing opened is inches, seconds or a second derivative."""
    parts, at, opened = [], 0, False
    for quote in _DOUBLE_QUOTE.finditer(text):
        if quote[0] == "''" and not opened:
            continue
        parts += [text[at : quote.start()], "”" if opened else "“"]
        at, opened = quote.end(), not opened
    return "".join([*parts, text[at:]])


def without_markdown(text: str) -> str:
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if "<" in text:
        text = _AUTOLINK.sub(r"\1", text)
    if "#" in text:
        text = _TITLE_LINE.sub("", text)
    return _without_emphasis(text) if "*" in text or "_" in text else text


def _without_emphasis(text: str) -> str:
    """Signs come off in pairs only, and only around words: `2*3*4` and `snake_case` have none."""
    opened: dict[str, int] = {}
    off: list[tuple[int, int]] = []
    for run in _RUN.finditer(text):
        sign, start, end = run[0], run.start(), run.end()
        before, after = text[start - 1 : start] or " ", text[end : end + 1] or " "
        opening = opened.get(sign)
        if opening is not None and not before.isspace() and _is_emphasis(text, opening, run):
            off += [(opening, opening + len(sign)), (start, end)]
            opened.clear()
        elif before in _BEFORE_EMPHASIS and not after.isspace():
            opened[sign] = start
    parts, at = [], 0
    for start, end in sorted(off):
        parts.append(text[at:start])
        at = end
    return "".join([*parts, text[at:]])


def _is_emphasis(text: str, opening: int, closing: re.Match[str]) -> bool:
    """A part of a word can be emphasised, as in **U**npaired, but no words up to the middle of another."""
    start, sign, after = closing.start(), closing[0], text[closing.end() : closing.end() + 1]
    if after.isalnum() or (sign == "_" and after == "("):  # x_(i,j) is a formula
        return sign != "_" and start - opening < _LONGEST_PART and " " not in text[opening:start]
    return len(sign) > 1 or start - opening <= _LONGEST_EMPHASIS
