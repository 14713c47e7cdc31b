"""HTML, JATS and MathML taken off a text; what they raise, lower or divide stays readable."""

import re

from digests.scripts import UP, scripted

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


def without_tags(text: str) -> str:
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
    return f"/{content}" if role == "/" else scripted(content, role) or content


def _script_in_prose(content: str, sign: str, before: str) -> str:
    """CO<sub>2</sub> is CO2, as people type and search it; 5<sup>th</sup> is 5th; a power stays a power."""
    if sign == "_" and content.isdecimal() and (before in ")]" or (before.isascii() and before.isalpha())):
        return content
    if sign == "^" and (content in ("st", "nd", "rd", "th") or not any(map(str.isalnum, content))):
        return UP.get(content, content)
    return scripted(content, sign) or (
        f"{sign}({content})" if " " in content else sign + content if content else ""
    )
