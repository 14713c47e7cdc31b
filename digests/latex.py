"""LaTeX to plain Unicode: macros in prose, and formulas that one line of characters can say.

`keep` puts a piece aside that must stay as it was written, and gives what stands in its place.
"""

import re
import unicodedata
from collections import deque
from collections.abc import Callable
from itertools import pairwise

from digests.scripts import scripted

# LaTeX's names ---------------------------------------------------------------------------------------------


def _pairs(table: str) -> dict[str, str]:
    names = table.split()
    return dict(zip(names[::2], names[1::2], strict=True))


_OPERATORS = _pairs(
    r"""times × div ÷ pm ± mp ∓ cdot · leq ≤ le ≤ leqslant ≤ geq ≥ ge ≥ geqslant ≥ neq ≠ ne ≠ approx ≈ sim ∼
    simeq ≃ cong ≅ equiv ≡ propto ∝ ll ≪ gg ≫ lesssim ≲ gtrsim ≳ lt < gt > in ∈ notin ∉ ni ∋ subset ⊂
    subseteq ⊆ supset ⊃ supseteq ⊇ cup ∪ cap ∩ setminus ∖ to → rightarrow → longrightarrow → leftarrow ←
    gets ← leftrightarrow ↔ Rightarrow ⇒ implies ⇒ Leftarrow ⇐ Leftrightarrow ⇔ iff ⇔ mapsto ↦ uparrow ↑
    downarrow ↓ otimes ⊗ oplus ⊕ odot ⊙ wedge ∧ land ∧ vee ∨ lor ∨ perp ⊥ parallel ∥ mid ∣ models ⊨
    vdash ⊢ prec ≺ succ ≻ preceq ⪯ succeq ⪰ asymp ≍ triangleq ≜ coloneqq ≔ ast ∗ star ⋆ bullet • circ ∘"""
)
_LETTERLIKE = _pairs(
    r"""alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ
    lambda λ mu μ nu ν xi ξ pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi
    φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega
    Ω ell ℓ hbar ℏ Re ℜ Im ℑ aleph ℵ infty ∞ partial ∂ nabla ∇ forall ∀ exists ∃ emptyset ∅ varnothing ∅
    sum ∑ prod ∏ int ∫ oint ∮ angle ∠ degree ° prime ′ dagger † ddagger ‡ top ⊤ bot ⊥ neg ¬ lnot ¬ ldots
    … dots … dotsc … cdots ⋯ langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lbrace { rbrace } lvert
    | rvert | vert | lbrack [ rbrack ] checkmark ✓ square □ triangle △ Box □ diamond ⋄ clubsuit ♣
    heartsuit ♥ spadesuit ♠ diamondsuit ♦ sun ☉ backslash ∖"""
)
_FUNCTIONS = {
    name: name
    for name in "arccos arcsin arctan arg cos cosh cot deg det dim exp gcd hom inf ker lg lim liminf limsup "
    "ln log max min mod Pr sin sinh sup tan tanh argmax argmin poly polylog".split()
}
_LETTERS = _pairs(
    "ss ß o ø O Ø l ł L Ł ae æ AE Æ oe œ OE Œ aa å AA Å i ı j ȷ dh ð DH Ð th þ TH Þ dj đ DJ Đ ng ŋ NG Ŋ"
)
_PHRASES = _pairs(
    r"""LaTeX LaTeX TeX TeX BibTeX BibTeX ie i.e. eg e.g. etal et~al. cf cf. etc etc. wrt w.r.t. textdegree
    ° textmu µ dag † ddag ‡ S § P ¶ pounds £ euro € texteuro € copyright © textregistered ®
    texttrademark ™ textendash – textemdash — textellipsis … textquoteright ’ textquoteleft ‘
    textquotedblleft “ textquotedblright ” textbar | textless < textgreater > textasciitilde ~
    textunderscore _ textbullet • textpm ± texttimes × quad ~ qquad ~ newline ~ par ~ linebreak ~
    noindent ~ item ~•~ slash / textasciicircum ^ space ~ and ~ AND ~ lq ‘ rq ’"""
)
_OPENED, _CLOSED = "\ufdd3", "\ufdd4"
"""They stand for braces that a reader is to see while the others are looked at."""
_PROSE_NAMES = _OPERATORS | _LETTERLIKE | _FUNCTIONS | _PHRASES | {"lbrace": _OPENED, "rbrace": _CLOSED}
_MARKS = {
    **dict(zip("\"'`^~=.", "\u0308\u0301\u0300\u0302\u0303\u0304\u0307", strict=True)),
    **dict(zip("cvuHkrbdt", "\u0327\u030c\u0306\u030b\u0328\u030a\u0331\u0323\u0361", strict=True)),
}
_HATS = {
    **dict.fromkeys(("tilde", "widetilde", "Tilde"), "\u0303"),
    **dict.fromkeys(("hat", "widehat", "Hat"), "\u0302"),
    **dict.fromkeys(("bar", "overline"), "\u0304"),
    "dot": "\u0307",
    "ddot": "\u0308",
    "vec": "\u20d7",
    "check": "\u030c",
    "breve": "\u0306",
    "acute": "\u0301",
    "grave": "\u0300",
    "mathring": "\u030a",
}
_SWITCHES = frozenset(
    "em bf it rm sl sf tt sc bfseries itshape normalfont small large footnotesize centering".split()
)
_FONTS = frozenset(
    "emph underline text textbf textit textrm textsf texttt textsc textsl textup textmd textnormal mbox "
    "hbox mathrm mathbf mathit mathsf mathtt boldsymbol bm pmb mathbfit ensuremath displaystyle "
    "textstyle scriptstyle left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr limits nolimits "
    "operatorname mathop mathrel mathbin mathord".split()
)
_STYLES = frozenset(
    name for name in _FONTS if name.startswith(("text", "math", "bold", "bm", "operatorname"))
)
_SCRIPT = "𝒜ℬ𝒞𝒟ℰℱ𝒢ℋℐ𝒥𝒦ℒℳ𝒩𝒪𝒫𝒬ℛ𝒮𝒯𝒰𝒱𝒲𝒳𝒴𝒵"
_DOUBLE = "𝔸𝔹ℂ𝔻𝔼𝔽𝔾ℍ𝕀𝕁𝕂𝕃𝕄ℕ𝕆ℙℚℝ𝕊𝕋𝕌𝕍𝕎𝕏𝕐ℤ"
_CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_SCRIPTS = dict(zip(_CAPITALS, _SCRIPT, strict=True))
_DOUBLES = {**dict(zip(_CAPITALS, _DOUBLE, strict=True)), "1": "𝟙", "k": "𝕜"}
_ALPHABETS = {
    "mathcal": _SCRIPTS,
    "mathscr": _SCRIPTS,
    "cal": _SCRIPTS,
    "mathbb": _DOUBLES,
    "mathds": _DOUBLES,
}
_DRAWN = frozenset("sqrt frac tfrac dfrac cfrac binom overline overbrace underbrace stackrel".split())
_DRAWN |= frozenset("overset underset mathfrak substack xrightarrow prescript".split())
_CUT = re.compile(
    r"\\(?:[Cc]ite[a-zA-Z]*|footnote(?:mark|text)?|thanks|label|(?:auto|eq|page|name|[cC])?ref|index|nocite|vspace"
    r"|hspace|color|begin|end|includegraphics|phantom|footcite|parencite|textcite)\*?(?![A-Za-z])"
)
_CUT_FIRST = frozenset(("textcolor", "href", "colorbox", "scalebox", "fontsize"))

# Maths -----------------------------------------------------------------------------------------------------

# Patterns for whole texts begin with a set of signs and look back from there: that is many times as fast.
_MATH_SIGN = re.compile(r"[\\$](?:(?<=\\).|(?<=\$)\$?)", re.DOTALL)
_MATH_CLOSING = {"$": "$", "$$": "$$", "\\(": "\\)", "\\[": "\\]"}
_LONGEST_MATHS = 600
_NESTED_GROUPS = 20
_LONGEST_SCRIPT = 24
_MATH_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)
_NUMBER = re.compile(r"[+-]?[0-9]+")
_OPERATOR_SIGNS = "".join(sorted(set(_OPERATORS.values()) - set("·•⋆∗∘∣"))) + "=+"
_SPACED = re.compile(rf"(\s*+)([{re.escape(_OPERATOR_SIGNS)}])(\s*+)")
_LOOSE = re.compile(r"\s+(?=[)\]},;.]|$)|(?<=[(\[{])\s+|(?<=[a-z]) (?=\()")
_PROSE_WORD = re.compile(r"(?:^|\s)[A-Za-z]{2,}[,.;:]?(?=\s)|\s[A-Za-z]{3,}[,.;:]?$")
_MACRO_OR_GROUP = re.compile(r"\\[A-Za-z]+|\{[^{}]*\}")


def maths_in(text: str, keep: Callable[[str], str]) -> str:
    """Each formula as characters, or whole as it was; `$5 and $6` is money."""
    signs = [
        sign
        for sign in _MATH_SIGN.finditer(text)
        if sign[0] in "$$" or sign[0] in ("\\(", "\\)", "\\[", "\\]")
    ]
    parts, at = [], 0
    for opening, closing in pairwise(signs):
        if opening.start() < at or not _is_formula(text, opening, closing):
            continue
        source = text[opening.end() : closing.start()]
        shown = _formula(source)
        if shown is None and (_PROSE_WORD.search(_MACRO_OR_GROUP.sub("", source)) or source[:1].isspace()):
            continue
        parts += [
            text[at : opening.start()],
            keep(text[opening.start() : closing.end()]) if shown is None else shown,
        ]
        at = closing.end()
    return "".join([*parts, text[at:]])


def _is_formula(text: str, opening: re.Match[str], closing: re.Match[str]) -> bool:
    if (
        closing[0] != _MATH_CLOSING.get(opening[0])
        or not 0 < closing.start() - opening.end() <= _LONGEST_MATHS
    ):
        return False
    if opening[0] != "$":
        return True
    begins_loose, ends_loose = text[opening.end()].isspace(), text[closing.start() - 1].isspace()
    money = (
        text[closing.end() : closing.end() + 1].isdigit()
        and "\\" not in text[opening.end() : closing.start()]
    )
    return begins_loose == ends_loose and not money


def _formula(source: str) -> str | None:
    try:
        return _Formula(source).shown()
    except (LookupError, RecursionError):
        return None


class _Formula:
    """One formula read from left to right; a LookupError says that it has no plain form."""

    def __init__(self, source: str) -> None:
        self._tokens = deque(_MATH_TOKEN.findall(source))
        self._source = source

    def shown(self) -> str:
        if self._source.count("{") > _NESTED_GROUPS or _PROSE_WORD.search(
            _MACRO_OR_GROUP.sub("", self._source)
        ):
            raise LookupError(self._source)
        line = " ".join(self._row("").split())
        line = _SPACED.sub(_operator, line)
        line = _PROTECTED.sub(_apart, _LOOSE.sub("", line).strip())
        return unicodedata.normalize("NFC", line)

    def _row(self, until: str) -> str:
        parts: list[str] = []
        while until or self._tokens:
            part = self._tokens.popleft()
            if part == until:
                break
            if part in ("^", "_"):
                parts.append(self._scripted(part, parts.pop().rstrip() if parts else ""))
            else:
                parts.append(self._atom(part))
        return "".join(parts)

    def _scripted(self, sign: str, base: str) -> str:
        content = self._script_argument().strip()
        script = scripted(content, sign) or _in_brackets(content, sign, base)
        if script is None:
            raise LookupError(sign)
        return f"{base}{script} " if base in _FUNCTIONS else base + script

    def _script_argument(self) -> str:
        self._skip_spaces()
        if self._tokens[0] in "+-0123456789":
            rest = "".join(self._tokens)
            if number := _NUMBER.match(rest):
                for _ in number[0]:
                    self._tokens.popleft()
                return number[0]
        return self._argument()

    def _argument(self) -> str:
        self._skip_spaces()
        part = self._tokens.popleft()
        return self._argument() if part[1:] in _STYLES else self._atom(part)

    def _skip_spaces(self) -> None:
        while self._tokens[0].isspace():
            self._tokens.popleft()

    def _atom(self, part: str) -> str:
        if part == "{":
            return self._row("}")
        if part.startswith("\\"):
            return self._macro(part[1:])
        if part in "}^_&#\ufdd0\ufdd1":
            raise LookupError(part)
        return {"'": "′", "~": " ", "*": "*"}.get(part, " " if part.isspace() else part)

    def _macro(self, name: str) -> str:
        if not name.isalpha():
            return {"%": "%", "&": "&", "#": "#", "_": "_", "{": "{", "}": "}", "!": "", "/": "", **_THIN}[
                name
            ]
        if name in _OPERATORS:
            return _OPERATORS[name]
        if name in _FUNCTIONS:
            return f" {name} "
        if self._tokens and self._tokens[0].isspace():
            self._tokens.popleft()
        if name in _LETTERLIKE:
            return _LETTERLIKE[name]
        if name in _SWITCHES or name in ("quad", "qquad"):
            return "" if name in _SWITCHES else " "
        if name in _FONTS:
            return self._delimiter() if name.lower().startswith(("left", "right", "big")) else ""
        if name in _ALPHABETS:
            return "".join(_ALPHABETS[name][letter] for letter in self._argument().strip())
        return _marked(self._argument().strip(), _HATS[name])

    def _delimiter(self) -> str:
        if self._tokens and self._tokens[0] == ".":
            self._tokens.popleft()
        return ""


def _in_brackets(content: str, sign: str, base: str) -> str | None:
    """`i,j` below x is x_(i,j), as one types it; None where that is long, or would look like emphasis."""
    if not 0 < len(content) <= _LONGEST_SCRIPT or not (base[-1:].isalnum() or base[-1:] in (")", "]")):
        return None
    bracketed = content.startswith("(") and content.find(")") == len(content) - 1
    return sign + (content if bracketed else f"({content})")


_THIN = dict.fromkeys(",;:> ", " ")


def _marked(letter: str, mark: str) -> str:
    if len(letter) != 1 or letter.isspace():
        raise LookupError(letter)
    return unicodedata.normalize("NFC", {"ı": "i", "ȷ": "j"}.get(letter, letter) + mark)


def _operator(found: re.Match[str]) -> str:
    """As close or as loose as it was typed, but alike on both sides; a leading sign clings: ×550."""
    before = found.string[max(0, found.start() - 1) : found.start()]
    if not before or before in "([{,":
        return found[1] + found[2] if before == "," else found[2]
    return f" {found[2]} " if found[1] or found[3] else found[2]


# LaTeX in prose --------------------------------------------------------------------------------------------

_TEX = re.compile(
    r"[\\_^{}](?:(?<=\\)(?:(?<!\\\\)\\*+(?=[A-Za-z])([A-Za-z]+)\*?|(.))|(?<=[_^])\{|(?<=[{}]))", re.DOTALL
)
_BRACE = re.compile(r"[\\{}](?:(?<=\\).)?+", re.DOTALL)
# BibTeX's way to keep a capital, or an accented letter together.
_PROTECTED = re.compile(r"\{(?:[^{}\s,;:]*[A-Z][^{}\s,;:]*|(?![ -~])[^\W\d_])\}")
_SHOWN_BRACES = re.compile(f"{_OPENED}([^{{}}{_OPENED}{_CLOSED}]*){_CLOSED}")
_ACCENTED = re.compile(r"\s*\{\s*(\\[ij]|[^\W\d_])\s*\}|(\\[ij](?![A-Za-z])|[^\W\d_])")
_SPACE_THEN_LETTER = re.compile(r"\s+([^\W\d_])")
_OPTION = re.compile(r"\s*\[[^\[\]]{0,200}\]")
# Some archives strip braces: `\emphsparse`, `\mathrmNP`.
_GLUED = re.compile(r"^\\(?:emph|text(?:it|bf|tt)|math(?:rm|bf))(?=[A-Za-z])")
_SHORT_GROUP = re.compile(r"\{([^{}\\]{1,30})\}")
_EMPTY_GROUP = re.compile(r"\{\}")
_HOLES = re.compile(r"\ufdd2(?:[\s,;]*\ufdd2)+")
_HOLE = re.compile(
    r"\s{0,3}\(\s{0,3}\ufdd2[\s,;]{0,3}\)|(?<=\()\ufdd2[\s,;]{0,3}|[\s~]{0,3}[,;]?[\s~]{0,3}\ufdd2\s{0,3}(?=[)\]])"
    r"|[\s~]{0,3}\ufdd2(?=[.,;:])|\ufdd2"
)


def without_latex(text: str, keep: Callable[[str], str]) -> str:
    shown = _Prose(text, keep).shown()
    if _OPENED in shown:
        shown = _SHOWN_BRACES.sub(lambda found: _PROTECTED.sub(_apart, f"{{{found[1]}}}"), shown)
    shown = shown.replace(_OPENED, "{").replace(_CLOSED, "}")
    return _HOLE.sub("", _HOLES.sub("\ufdd2", shown)) if "\ufdd2" in shown else shown


def _apart(braces: re.Match[str]) -> str:
    """`{ X }` of braces that a reader is to see: `{X}` would be taken for BibTeX's, now or the next time."""
    return f"{{ {braces[0][1:-1]} }}"


def _closing_braces(text: str) -> dict[int, int]:
    closing, opened = {}, []
    for brace in _BRACE.finditer(text):
        if brace[0] == "{":
            opened.append(brace.start())
        elif brace[0] == "}" and opened:
            closing[opened.pop()] = brace.start()
    return closing


class _Prose:
    """Prose with LaTeX in it, read once from left to right; `_at` is where the reading goes on."""

    def __init__(self, text: str, keep: Callable[[str], str]) -> None:
        self._text = text
        self._keep = keep
        self._closing = _closing_braces(text)
        self._braces_off: dict[int, str] = {}
        self._at = 0

    def shown(self) -> str:
        parts = []
        for token in _TEX.finditer(self._text):
            if token.start() < self._at:
                continue
            parts.append(self._text[self._at : token.start()])
            self._at = token.end()
            parts.append(self._piece(token))
        return "".join([*parts, self._text[self._at :]])

    def _piece(self, token: re.Match[str]) -> str:
        if token[1]:
            return self._macro(token[1], token.start())
        if token[2]:
            return self._escape(token[2])
        if token.start() in self._braces_off:
            return self._braces_off[token.start()]
        return self._brace(token[0], token.start())

    def _brace(self, sign: str, start: int) -> str:
        if sign in ("^{", "_{"):
            group = _SHORT_GROUP.match(self._text, start + 1)
            if group and (script := scripted(group[1], sign[0])):
                self._at = group.end()
                return script
            return sign
        if (
            sign == "{"
            and start in self._closing
            and (self._text[start + 1 : start + 2] == "\\" or _PROTECTED.match(self._text, start))
        ):
            self._braces_off[self._closing[start]] = ""
            return ""
        return sign

    def _escape(self, sign: str) -> str:
        if sign in "{}":
            return _OPENED if sign == "{" else _CLOSED
        if sign in "%&#_$":
            return sign
        if sign in _THIN or sign == "\\" or sign.isspace():
            return " "
        if sign in _MARKS and (letter := _ACCENTED.match(self._text, self._at)):
            self._at = letter.end()
            return _marked((letter[1] or letter[2]).lstrip("\\"), _MARKS[sign])
        return "" if sign in "!/@-" else f"\\{sign}"

    def _macro(self, name: str, start: int) -> str:
        if cut := _CUT.fullmatch(f"\\{name}"):
            return self._cut(cut[0])
        if name in _LETTERS or name in _SWITCHES:
            self._skip_space()
            return _LETTERS.get(name, "")
        if name in _PROSE_NAMES:
            self._skip(_EMPTY_GROUP)
            return _PROSE_NAMES[name].replace("~", " ")
        if name in _MARKS or name in _HATS:
            return self._accented(name, start)
        if name in _ALPHABETS:
            return self._styled(name, start)
        if name in _DRAWN:
            return self._as_it_was(start)
        return self._argument_of(name, start)

    def _cut(self, macro: str) -> str:
        while self._skip(_OPTION):
            pass
        while self._text[self._at : self._at + 1] == "{" and self._at in self._closing:
            self._at = self._closing[self._at] + 1
        return " " if macro in ("\\begin", "\\end") else "\ufdd2"

    def _accented(self, name: str, start: int) -> str:
        letter = _ACCENTED.match(self._text, self._at) or _SPACE_THEN_LETTER.match(self._text, self._at)
        if letter is None:
            return self._as_it_was(start)
        self._at = letter.end()
        return _marked(next(filter(None, letter.groups())).lstrip("\\"), _MARKS.get(name) or _HATS[name])

    def _styled(self, name: str, start: int) -> str:
        group = _SHORT_GROUP.match(self._text, self._at)
        if group is None or not all(letter in _ALPHABETS[name] for letter in group[1]):
            return self._as_it_was(start)
        self._at = group.end()
        return "".join(_ALPHABETS[name][letter] for letter in group[1])

    def _as_it_was(self, start: int) -> str:
        self._skip(_OPTION)
        while self._text[self._at : self._at + 1] == "{" and self._at in self._closing:
            self._at = self._closing[self._at] + 1
        return self._keep(self._text[start : self._at])

    def _argument_of(self, name: str, start: int) -> str:
        """An unknown macro gives its arguments; one without arguments is a name and stays."""
        macro = self._text[start : self._at]
        if self._skip(_EMPTY_GROUP):
            return f"{macro} "
        option = _OPTION.match(self._text, self._at)
        group = option.end() if option else self._at
        if self._text[group : group + 1] != "{" or group not in self._closing:
            return "" if name in _FONTS else _GLUED.sub("", macro)
        if name in _CUT_FIRST and self._text[self._closing[group] + 1 : self._closing[group] + 2] == "{":
            group = self._closing[group] + 1
        self._at = group + 1
        while group in self._closing:
            end = self._closing[group]
            group = end + 1
            more = group in self._closing
            self._braces_off[end] = " " if more else ""
            if more:
                self._braces_off[group] = ""
        return ""

    def _skip_space(self) -> None:
        if not self._skip(_EMPTY_GROUP):
            while self._text[self._at : self._at + 1].isspace():
                self._at += 1

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        found = pattern.match(self._text, self._at)
        if found:
            self._at = found.end()
        return found is not None
