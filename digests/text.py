"""LaTeX, Markdown, HTML and entities to plain Unicode; clipping at a word.

`plain` is the one gate for the words of strangers, whatever source they came from.
It reads the text in passes until nothing changes any more, so that mark-up inside mark-up comes off too.
Maths becomes characters where one line of them says the same: `$10^0$` → 10⁰, `$x \\leq y_1$` → x ≤ y₁.
What has to be drawn (roots, fractions, `\\|`, unknown macros) makes its whole formula stay as it was written.
"""

import html
import re
import unicodedata
from collections import deque
from html.entities import html5
from itertools import pairwise

__all__ = ["clip", "plain"]

_PASSES = 5
_SPECIAL = re.compile(r"[\\$&<*_`~^{}#\[]")
_NO_SPECIALS = str.maketrans(dict.fromkeys("\\$&<>*_`~^{}#[]", " "))


def plain(raw: str) -> str:
    """Clean text from any source into readable Unicode (NFC) on one line; `plain(plain(x)) == plain(x)`."""
    if _is_clean(raw):
        return raw
    text = raw
    for _ in range(_PASSES):
        cleaned = _pass(text)
        if cleaned == text or _is_clean(cleaned):
            return cleaned
        text = cleaned
    # Mark-up nested this deep is an attack: its signs go, its words stay, and what is left settles at once.
    return plain(text.translate(_NO_SPECIALS))


def _is_clean(text: str) -> bool:
    """Whether a pass would surely change nothing, as with most names, titles and abstracts."""
    return (
        text.isprintable()
        and not ("--" in text or "  " in text or text[:1] == " " or text[-1:] == " ")
        and not _SPECIAL.search(text)
        and not _HEADING.match(text)
        and (text.isascii() or (not _SUSPECT.search(text) and unicodedata.is_normalized("NFC", text)))
    )


def _pass(text: str) -> str:
    if not (text.isascii() and text.isprintable()):
        text = _legible(text)
    if _SPECIAL.search(text):
        text = _without_markup(text)
    if "--" in text:
        text = _dashes(text)
    return " ".join(_without_heading(text).split())


def _without_markup(text: str) -> str:
    kept = _Kept()
    if "&" in text:
        text = _ENTITY.sub(_character, text)
    if "<" in text:
        text = _without_tags(text)
    if "://" in text:
        text = _URL.sub(lambda url: _kept_url(url[0], kept), text)
    if "$" in text or "\\" in text:
        text = _maths_in(text, kept)
    if "\\" in text or "{" in text:
        text = _without_latex(text, kept)
    return kept.restore(_without_markdown(_tildes_and_quotes(text)))


class _Kept:
    """Pieces that later steps must not touch; a pair of noncharacters stands in the text for each."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def keep(self, piece: str) -> str:
        self._pieces.append(self.restore(piece))
        return f"\ufdd0{len(self._pieces) - 1}\ufdd1"

    def restore(self, text: str) -> str:
        return _PLACE.sub(lambda place: self._pieces[int(place[1])], text)


def _kept_url(url: str, kept: _Kept) -> str:
    end = len(url.rstrip("*_`.,;:!?'"))
    if url[:end].endswith(")") and url.count(")", 0, end) > url.count("(", 0, end):
        end -= 1
    return kept.keep(url[:end]) + url[end:]


_PLACE = re.compile("\ufdd0([0-9]+)\ufdd1")
_URL = re.compile(r"(?:https?|ftp)://[^\s<>{}\\\"$\ufdd0\ufdd1]+")


# Characters ------------------------------------------------------------------------------------------------

_CP1252 = {code: bytes([code]).decode("cp1252", "ignore") for code in range(0x80, 0xA0)}
_CP1252_BYTES = {character: code for code, character in _CP1252.items() if character}
_HIGH = "\u0080-\u00bf" + "".join(_CP1252_BYTES)
# UTF-8 read as Latin-1 or cp1252; only after signs that no word ends with ("ß»" is German, not UTF-8).
_MOJIBAKE = re.compile(f"[ÂÃ][\u0080-\u00bf]|â[\u0080-\u009f{''.join(_CP1252_BYTES)}][{_HIGH}]")
_CONTROL_OF_CP1252 = re.compile("[\u0080-\u0084\u0086-\u009f]")
# ZWJ and ZWNJ are spelling in Persian and Indic scripts and hold emoji together; elsewhere they only hide.
_HIDDEN = (
    "\x00-\x08\x0e-\x1b\x7f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ufdd0-\ufdef\ufeff\uffa0\ufff9-\ufffc\ufffe\uffff\ud800-\udfff"
    "\U000e0000-\U000e0fff"
)
_SUSPECT = re.compile(f"[ÂÃâ\u200c\u200d{_HIDDEN}]")
_INVISIBLE = re.compile(
    f"[{_HIDDEN}]|(?<![\u0590-\u1fff\u2600-\u27bf\ufe0f\U0001f000-\U0001faff])[\u200c\u200d]"
)


def _legible(text: str) -> str:
    if not text.isascii():
        while (mended := _MOJIBAKE.sub(_mended, text)) != text:
            text = mended
        text = _CONTROL_OF_CP1252.sub(lambda control: _CP1252[ord(control[0])], text)
    return unicodedata.normalize("NFC", _INVISIBLE.sub("", text))


def _mended(found: re.Match[str]) -> str:
    try:
        return bytes(_CP1252_BYTES.get(character, ord(character)) for character in found[0]).decode()
    except UnicodeDecodeError:
        return found[0]


_ENTITY = re.compile(
    r"&(?:amp;)*+(?:(amp;)|(#[0-9]{1,7};|#[xX][0-9a-fA-F]{1,6};|[A-Za-z][A-Za-z0-9]{1,31};))?"
)


def _character(entity: re.Match[str]) -> str:
    name = entity[2]
    if name is None:
        return "&"
    if not name.startswith("#"):
        return html5.get(name, f"&{name}")
    character = html.unescape(f"&{name}")
    return f"&{name}" if character in ("", "\ufffd") else character


# HTML, JATS and MathML -------------------------------------------------------------------------------------

_TAG = re.compile(
    r"<(/?)(?:jats:|mml:|m:|xhtml:)?([A-Za-z][A-Za-z0-9-]{0,20})"
    r"(?:\s++[\w:.-]++\s*+=\s*+(?:\"[^\"<>]*+\"|'[^'<>]*+'|[^\s\"'<>=]++))*+\s*+/?>"
)
_BLOCKS = frozenset(
    "abstracttext address article aside blockquote body br caption center col colgroup dd div dl dt "
    "figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html li list list-item main nav ol "
    "p para pre sec section simplesect table tbody td tfoot th thead title tr ul disp-formula".split()
)
_INLINE = frozenset(
    "a abbr acronym alternatives b bdi bdo bi big bold cite code del dfn em emailref emphasis ext-link "
    "font i img inline-formula ins italic kbd mark monospace named-content nobr overline q roman ruby s "
    "sc small span strike strong styled-content tex-math tt u underline uri urlref var wbr xref "
    "annotation math menclose merror mfenced mfrac mi mmultiscripts mn mo mover mpadded mphantom "
    "mprescripts mroot mrow ms mspace msqrt mstyle mtable mtd mtext mtr munder munderover none "
    "semantics".split()
)
_ROLES = {
    "inf": "_",
    "sub": "_",
    "subscript": "_",
    "sup": "^",
    "superscript": "^",
    "msub": " _",
    "msup": " ^",
    "msubsup": " _^",
    "munder": " _",
    "mfrac": " /",
}
_TAGS = _BLOCKS | _INLINE | _ROLES.keys()
_AMBIGUOUS = "abiqsu"
_UNSHOWN = (
    ("<!--", "-->"),
    ("<?xml", "?>"),
    ("<script", "</script>"),
    ("<style", "</style>"),
    ("<annotation", "</annotation>"),
    ("<mml:annotation", "</mml:annotation>"),
)
_NESTED_TAGS = 20


def _without_tags(text: str) -> str:
    """Known tags off, unknown `<x>` kept: in `k<n and then x>y` there is no tag at all."""
    for opening, closing in _UNSHOWN:
        text = _without_between(text, opening, closing)
    if "math>" in text:
        text = _without_between(text, "<tex-math", "</tex-math>")
    if "<![CDATA[" in text:
        text = text.replace("<![CDATA[", " ").replace("]]>", " ")
    lower = text.lower()
    # `a<b>c` is an inequality unless some `</b>` says otherwise.
    untagged = {name for name in _AMBIGUOUS if f"</{name}>" not in lower and f":{name}>" not in lower}
    return _Untagged(_TAGS - untagged).read(text)


def _without_between(text: str, opening: str, closing: str) -> str:
    parts, at = [], 0
    while (start := text.find(opening, at)) >= 0 and (end := text.find(closing, start)) >= 0:
        parts.append(text[at:start])
        at = end + len(closing)
    return " ".join([*parts, text[at:]])


class _Untagged:
    """One reading of tagged text: what is shown so far, and the open elements that change their content."""

    def __init__(self, tags: frozenset[str]) -> None:
        self._tags = tags
        self._shown: list[str] = []
        self._open: list[tuple[str, int]] = []
        self._seen: list[int] = [0]

    def read(self, text: str) -> str:
        at = 0
        for tag in _TAG.finditer(text):
            name = tag[2].lower()
            if name not in self._tags:
                continue
            self._shown.append(text[at : tag.start()])
            at = tag.end()
            if name in _BLOCKS:
                self._shown.append("\n")
            elif name in _ROLES or name.startswith("m"):
                self._close(name) if tag[1] else self._begin(name, tag[0])
            elif name == "tex-math":
                self._shown.append("$" if tag[1] else " $")
        return "".join([*self._shown, text[at:]])

    def _begin(self, name: str, tag: str) -> None:
        if len(self._open) < _NESTED_TAGS and not tag.endswith("/>"):
            self._open.append((name, len(self._shown)))
            self._seen.append(0)

    def _close(self, name: str) -> None:
        if not self._open or self._open[-1][0] != name:
            return
        _, start = self._open.pop()
        self._seen.pop()
        content = "".join(self._shown[start:])
        if name in _ROLES and not name.startswith("m"):
            before = "".join(self._shown[max(0, start - 2) : start])[-1:]
            content = _script_in_prose(content.strip(), _ROLES[name], before)
        elif self._open and (roles := _ROLES.get(self._open[-1][0])) and self._seen[-1] < len(roles):
            content = _as_role(content.strip(), roles[self._seen[-1]])
        self._seen[-1] += 1
        self._shown[start:] = [content]


def _as_role(content: str, role: str) -> str:
    if role == " ":
        return content
    return f"/{content}" if role == "/" else _script(content, role) or content


def _script_in_prose(content: str, sign: str, before: str) -> str:
    """CO<sub>2</sub> is CO2, as people type and search it; 5<sup>th</sup> is 5th; a power stays a power."""
    if sign == "_" and content.isdecimal() and (before in ")]" or (before.isascii() and before.isalpha())):
        return content
    if sign == "^" and (content in ("st", "nd", "rd", "th") or not any(map(str.isalnum, content))):
        return _UP.get(content, content)
    return _script(content, sign) or (
        f"{sign}({content})" if " " in content else sign + content if content else ""
    )


# Raised and lowered characters -----------------------------------------------------------------------------

_UP = dict(
    zip(
        "0123456789+-−=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWβγδθφχ∘*′⊤†‡",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᶿᵠᵡ°*′ᵀ†‡",
        strict=True,
    )
)
_DOWN = dict(
    zip(
        "0123456789+-−=()aehijklmnoprstuvxβγρφχ",
        "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ",
        strict=True,
    )
)
_SIMPLE = re.compile(r"[^\W_]+(?:\.[0-9]+)?|[^\w\s{}\\$]", re.ASCII)
_WORD = re.compile(r"[^\W\d_]{3}")


def _script(content: str, sign: str) -> str | None:
    """`2` raised is ², `eff` lowered is _eff, as one types it; None if neither is readable."""
    forms = _UP if sign == "^" else _DOWN
    if content and not _WORD.search(content) and all(character in forms for character in content):
        return "".join(forms[character] for character in content)
    if _SIMPLE.fullmatch(content) or (len(content) == 1 and not content.isspace()):
        return sign + content
    return None


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
_PROSE_NAMES = _OPERATORS | _LETTERLIKE | _FUNCTIONS | _PHRASES
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

_MATH_SIGN = re.compile(r"\\[()\[\]]|\\.|\$\$?", re.DOTALL)
_MATH_CLOSING = {"$": "$", "$$": "$$", "\\(": "\\)", "\\[": "\\]"}
_LONGEST_MATHS = 600
_MATH_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|\s+|.", re.DOTALL)
_NUMBER = re.compile(r"[+-]?[0-9]+")
_OPERATOR_SIGNS = "".join(sorted(set(_OPERATORS.values()) - set("·•⋆∗∘∣"))) + "=+"
_SPACED = re.compile(rf"(\s*+)([{re.escape(_OPERATOR_SIGNS)}])(\s*+)")
_LOOSE = re.compile(r"\s+(?=[)\]},;.]|$)|(?<=[(\[{])\s+|(?<=[a-z]) (?=\()")
_PROSE_WORD = re.compile(r"(?:^|\s)[A-Za-z]{2,}[,.;:]?(?=\s)|\s[A-Za-z]{3,}[,.;:]?$")
_MACRO_OR_GROUP = re.compile(r"\\[A-Za-z]+|\{[^{}]*\}")


def _maths_in(text: str, kept: _Kept) -> str:
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
            kept.keep(text[opening.start() : closing.end()]) if shown is None else shown,
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
        if self._source.count("{") > _NESTED_TAGS or _PROSE_WORD.search(
            _MACRO_OR_GROUP.sub("", self._source)
        ):
            raise LookupError(self._source)
        line = " ".join(self._row("").split())
        line = _SPACED.sub(_operator, line)
        return unicodedata.normalize("NFC", _LOOSE.sub("", line).strip())

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
        script = _script(self._script_argument().strip(), sign)
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
        return self._atom(self._tokens.popleft())

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

_TEX = re.compile(r"(?<!\\)\\++(?=[A-Za-z])([A-Za-z]+)\*?|\\(.)|[_^]?\{|\}", re.DOTALL)
_PROTECTED = re.compile(r"\{(?:[^{}\s,;:]*[A-Z][^{}\s,;:]*|(?![ -~])[^\W\d_])\}")
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


def _without_latex(text: str, kept: _Kept) -> str:
    shown = _Prose(text, kept).shown()
    return _HOLE.sub("", _HOLES.sub("\ufdd2", shown)) if "\ufdd2" in shown else shown


def _closing_braces(text: str) -> dict[int, int]:
    closing, opened = {}, []
    for brace in re.finditer(r"\\.|[{}]", text, re.DOTALL):
        if brace[0] == "{":
            opened.append(brace.start())
        elif brace[0] == "}" and opened:
            closing[opened.pop()] = brace.start()
    return closing


class _Prose:
    """Prose with LaTeX in it, read once from left to right; `_at` is where the reading goes on."""

    def __init__(self, text: str, kept: _Kept) -> None:
        self._text = text
        self._kept = kept
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
            if group and (script := _script(group[1], sign[0])):
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
        if sign in "%&#_{}$":
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
        return self._kept.keep(self._text[start : self._at])

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


# Typing habits of LaTeX and Markdown -----------------------------------------------------------------------

_LETTER = r"[^\W\d_]"
_TIE = re.compile(
    rf"(?:(?<=[0-9⁰¹²³⁴-⁹.,;:)\]%}}])|(?<={_LETTER}{{2}}))~(?={_LETTER}|[(\ufdd0])|(?:(?<={_LETTER}{{2}})|(?<=\.))~(?=\d)"
)
_DASH = re.compile(r"(?<![-<!])(?:(?<=\S)(--|---)(?=[^\s>-])|(?<=\s)(--|---)(?=\s))")
_DOUBLE_QUOTE = re.compile("``|''")
_SINGLE_QUOTED = re.compile(r"(?<![\w`])`(?=[^`\s])([^`]{1,100}?)'(?![\w'])")
_CODE = re.compile(r"(?<!`)`([^`]{1,200})`(?!`)")
_LINK = re.compile(r"!?\[([^\[\]]{1,300})\]\(((?:\ufdd0[0-9]+\ufdd1|[#/]|www\.|mailto:)[^()\s]{0,500})\)")
_AUTOLINK = re.compile("<(\ufdd0[0-9]+\ufdd1)>")
_TITLE_LINE = re.compile(r"(?m)^[ \t]{0,3}#{1,6}[ \t]+(?=\S[^\n]*\n)")
_RUN = re.compile(r"(?<![*_])(?:\*{1,3}|_)(?![*_])")
_BEFORE_EMPHASIS = frozenset(" \t\n([{\"'“‘«—–-/,.;:!?>|\ufdd1")
_LONGEST_EMPHASIS = 300
_LONGEST_PART = 60


def _dashes(text: str) -> str:
    return _DASH.sub(lambda dash: "—" if (dash[1] or dash[2]) == "---" else "–", text)


def _tildes_and_quotes(text: str) -> str:
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


def _without_markdown(text: str) -> str:
    if "[" in text:
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
    start, sign = closing.start(), closing[0]
    if text[closing.end() : closing.end() + 1].isalnum():
        return sign != "_" and start - opening < _LONGEST_PART and " " not in text[opening:start]
    return len(sign) > 1 or start - opening <= _LONGEST_EMPHASIS


# The heading "Abstract" ------------------------------------------------------------------------------------

_OPENERS = (
    r"(?:A|An|As|At|By|For|From|Here|How|In|It|Many|Most|Our|Recent|The|There|These|This|To|We|What|While"
    r"|Aims?|Background|Introduction|Motivation|Objectives?|Purpose)\b"
)
_HEADING = re.compile(
    rf"\s*(?:(?i:abstract)|摘要)(?:\s*(?:[:：—–]|\.(?![\w.])|-(?=\s)|[ \t]*\n)\s*(?=\S)|\.(?=[A-Z][a-z])"
    rf"|\s*(?={_OPENERS})|(?=[A-Z][a-z]+ [a-z]))"
)


def _without_heading(text: str) -> str:
    at = 0
    while heading := _HEADING.match(text, at):
        at = heading.end()
    return text[at:]


# Clipping --------------------------------------------------------------------------------------------------


def clip(text: str, width: int) -> str:
    """At most `width` characters: the whole text, or its beginning up to a word's end and `…`."""
    if len(text) <= width:
        return text
    if width < 1:
        return ""
    end = width - 1
    while end > 0 and not _can_part(text, end):
        end -= 1
    word_end = text.rfind(" ", 0, end + 1)
    if word_end >= end // 2:
        end = word_end
    return text[:end].rstrip(" ,;:–—-(") + "…"


def _can_part(text: str, at: int) -> bool:
    """Whether what stands before and after `at` are two characters to a reader."""
    before, after = text[at - 1], text[at]
    if (
        unicodedata.category(after)[0] == "M"
        or after in "\u200c\u200d"
        or "\U0001f3fb" <= after <= "\U0001f3ff"
    ):
        return False
    if _is_flag_half(before) and _is_flag_half(after):
        run = at
        while run > 0 and _is_flag_half(text[run - 1]):
            run -= 1
        return (at - run) % 2 == 0
    return before != "\u200d"


def _is_flag_half(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"
