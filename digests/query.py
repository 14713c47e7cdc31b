"""The query language: text to Query, errors with a place, and back to canonical text.

A query is a tree of And, Or and Not over three kinds of leaves: Term (one word, or several in a row), Prefix,
and Has (an author, a category, a venue, a feed, or a paper to be near to).
`str(query)` is canonical: `parse(str(query)) == query`.
AND binds tighter than OR; `and` and `or` may be written small, NOT only in capitals.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from digests import terms
from digests.author import author_name
from digests.errors import QueryError

MAX_QUERY = 2_000
MAX_LEAVES = 100
MAX_DEPTH = 20

TEXT_FIELDS = ("title", "abstract")
VALUE_FIELDS = ("author", "category", "venue", "feed", "like")
FIELDS = TEXT_FIELDS + VALUE_FIELDS
_ALIASES = {"ti": "title", "abs": "abstract", "au": "author", "authors": "author", "cat": "category"}


class Query:
    """A node of a parsed query; values, equal when they ask the same in the same words."""

    __slots__ = ()

    def __str__(self) -> str:
        """The canonical text."""
        return _printed(self)


@dataclass(frozen=True, slots=True)
class Term(Query):
    """Words in a row, in any inflected form; in exactly this form if `literal`.

    `field` is "title", "abstract" or "" for either.
    """

    text: str
    literal: bool = False
    field: str = ""

    __str__ = Query.__str__


@dataclass(frozen=True, slots=True)
class Prefix(Query):
    """Words in a row, of which the last goes on in any way: `quantiz*`."""

    text: str
    field: str = ""

    __str__ = Query.__str__


@dataclass(frozen=True, slots=True)
class Has(Query):
    """The paper has this author, category, venue or feed, or is like this paper."""

    field: str
    value: str

    __str__ = Query.__str__


@dataclass(frozen=True, slots=True)
class Not(Query):
    part: Query

    __str__ = Query.__str__


@dataclass(frozen=True, slots=True)
class And(Query):
    parts: tuple[Query, ...]

    __str__ = Query.__str__


@dataclass(frozen=True, slots=True)
class Or(Query):
    parts: tuple[Query, ...]

    __str__ = Query.__str__


def parse(text: str) -> Query:
    """The query that a person typed; QueryError says what is not understood, where, and what would work."""
    return _Parser(text).query()


def all_of(parts: Iterable[Query]) -> Query:
    """The parts joined by AND in normal form: nested Ands opened, repeated parts once, a lone part itself."""
    flat = _opened(parts, And)
    return flat[0] if len(flat) == 1 else And(flat)


def any_of(parts: Iterable[Query]) -> Query:
    """The parts joined by OR in normal form, as `all_of` does it."""
    flat = _opened(parts, Or)
    return flat[0] if len(flat) == 1 else Or(flat)


def negated(part: Query) -> Query:
    """The part excluded; excluded twice is asked for."""
    return part.part if isinstance(part, Not) else Not(part)


def leaves(query: Query, *, excluded: bool = False) -> Iterator[Query]:
    """The Terms, Prefixes and Has that a match can owe itself to, in order; or those that are `excluded`."""
    match query:
        case And(parts) | Or(parts):
            for part in parts:
                yield from leaves(part, excluded=excluded)
        case Not(part):
            yield from leaves(part, excluded=not excluded)
        case _ if not excluded:
            yield query


def likes(query: Query) -> tuple[str, ...]:
    """The papers (identifiers or links, as typed) that the query compares with."""
    found = [*leaves(query), *leaves(query, excluded=True)]
    return tuple(leaf.value for leaf in found if isinstance(leaf, Has) and leaf.field == "like")


def describe(query: Query) -> str:
    """What the query was understood as: `large language models (phrase) and reasoning, without survey`."""
    match query:
        case And(parts):
            wanted = [_described_part(part) for part in parts if not isinstance(part, Not)]
            unwanted = [_described_part(part.part) for part in parts if isinstance(part, Not)]
            without = f", without {' and without '.join(unwanted)}" if unwanted else ""
            return (" and ".join(wanted) + without).removeprefix(", ")
        case Or(parts):
            return " or ".join(_described_part(part) for part in parts)
        case Not(part):
            return f"without {_described_part(part)}"
        case _:
            return _described_leaf(query)


def prefilter(query: Query) -> str | None:
    """An FTS5 expression that every match satisfies, over `terms.index_text` of title, abstract and authors.

    None where the full-text table can say nothing: then every paper is a candidate.
    """
    match query:
        case Term(text, _, field):
            return _with_all(field, (stem for _, stem in terms.words(text)))
        case Prefix(text, field):
            *before, (last, _) = terms.words(text)
            *stems, start = map(terms.spell, terms.beginnings(last))
            ways = " OR ".join([*(f'"{stem}"' for stem in stems), f'"{start}" *'])
            rest = [_with_all(field, (stem for _, stem in before))] if before else []
            return " AND ".join([*rest, f"{_columns(field)} : ({ways})"])
        case Has("author", value):
            family = author_name(value)[-1:]
            return _with_all("authors", map(terms.stem, family)) if family else None
        case And(parts):
            known = [found for part in parts if (found := prefilter(part)) is not None]
            return " AND ".join(f"({found})" for found in known) or None
        case Or(parts):
            either = [prefilter(part) for part in parts]
            return None if None in either else " OR ".join(f"({found})" for found in either)
        case _:
            return None


def _opened(parts: Iterable[Query], kind: type[And] | type[Or]) -> tuple[Query, ...]:
    flat: list[Query] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, kind) else [part])
    return tuple(dict.fromkeys(flat))


_BARE_TEXT = re.compile(r"\w(?:[\w'./+#-]*[\w+#])?")
_BARE_VALUE = re.compile(r"[^\W_](?:[\w'./:?=&%#+~@-]*[\w/*])?")


def _printed(query: Query) -> str:
    match query:
        case Term(text, literal, field):
            bare = not literal and _is_bare(text)
            return _prefixed(field, text if bare else f'"{text}"' + "!" * literal)
        case Prefix(text, field):
            return _prefixed(field, f"{text}*" if _is_bare(text) else f'"{text}*"')
        case Has(field, value):
            return f"{field}:{value}" if _BARE_VALUE.fullmatch(value) else f'{field}:"{value}"'
        case Not(part):
            return f"-{_grouped(part)}"
        case And(parts):
            return " ".join(_grouped(part) for part in parts)
        case Or(parts):
            return " OR ".join(_grouped(part) for part in parts)
    raise TypeError(f"{query!r} is not a node of the query language")


def _grouped(part: Query) -> str:
    return f"({_printed(part)})" if isinstance(part, And | Or) else _printed(part)


def _prefixed(field: str, text: str) -> str:
    return f"{field}:{text}" if field else text


def _is_bare(text: str) -> bool:
    return bool(_BARE_TEXT.fullmatch(text)) and text != "NOT" and text.lower() not in ("and", "or")


def _described_part(part: Query) -> str:
    return f"({describe(part)})" if isinstance(part, And | Or) else describe(part)


_HAS = {
    "author": "by {}", "category": "in category {}", "venue": "at {}", "feed": "from feed {}",
    "like": "near {}",
}  # fmt: skip


def _described_leaf(leaf: Query) -> str:
    match leaf:
        case Term(text, literal, field):
            several = " (phrase)" if len(terms.words(text)) > 1 else ""
            where = f" in the {field}" if field else ""
            return (f'exactly "{text}"' if literal else f"{text}{several}") + where
        case Prefix(text, field):
            return f"words that start with {text}" + (f" in the {field}" if field else "")
        case Has(field, value):
            return _HAS[field].format(value)
    raise TypeError(f"{leaf!r} is not a leaf of the query language")


def _columns(field: str) -> str:
    return f"{{{field or 'title abstract'}}}"


def _with_all(field: str, found: Iterable[str]) -> str:
    """Words that the field has, in a row or not: a table that knows where they stand costs twice as much."""
    words = [f'"{terms.spell(word)}"' for word in dict.fromkeys(found) if word] or ['""']
    return f"{_columns(field)} : ({' AND '.join(words)})"


def _bounded(query: Query, *, excluded: bool = False) -> bool:
    """Whether the query (or its contrary) asks for something, rather than only excludes."""
    match query:
        case Not(part):
            return _bounded(part, excluded=not excluded)
        case And(parts):
            return (all if excluded else any)(_bounded(part, excluded=excluded) for part in parts)
        case Or(parts):
            return (any if excluded else all)(_bounded(part, excluded=excluded) for part in parts)
        case _:
            return not excluded


def _depth(query: Query) -> int:
    match query:
        case And(parts) | Or(parts):
            return 1 + max(map(_depth, parts))
        case Not(part):
            return 1 + _depth(part)
        case _:
            return 0


_LOOK_ALIKES = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»＂「」『』〝〞", '"'),
        **dict.fromkeys("’ʼ＇", "'"),
        **dict.fromkeys("−‐‑－", "-"),
        "（": "(", "）": ")", "：": ":", "｜": "|", "＊": "*", "！": "!", "，": " ", "、": " ", "；": " ",
    }
)  # fmt: skip

_PIECE = re.compile(
    r"""
      (?P<space>    [\s;]+ | ,(?!\d) | [–—―]+ )
    | (?P<open>     \( )
    | (?P<close>    \) )
    | (?P<or>       \|+ | [oO][rR](?![^\s()|",;]) )
    | (?P<and>      &+(?=\s|$) | [aA][nN][dD](?![^\s()|",;]) )
    | (?P<not>      NOT(?![^\s()|",;]) | -+(?=[\w("'‘]) )
    | (?P<quoted>   "[^"]*"!? | [‘'](?=\w)[^"‘]*?['’](?!\w) )
    | (?P<lone>     " )
    | (?P<field>    [^\W\d_]+:(?!//) )
    | (?P<word>     [^\s()|",;]*\b10\.\d{4,9}/(?:[^\s()|",;]|\([^\s()|"]*\))+
                  | [^\s()|",;]+(?:,\d[^\s()|",;]*)* )
    """,
    re.VERBOSE,
)


class _Piece(NamedTuple):
    kind: str
    text: str
    at: int


_EXAMPLE = 'for example: diffusion OR "score matching" -survey'


class _Parser:
    """Recursive descent over the pieces of one query; `at` of a piece is its place in the text as typed."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.pieces: list[_Piece] = []
        self.next = 0
        self.depth = 0
        self.leaves = 0

    def query(self) -> Query:
        self.pieces = self._split()
        found = self._either("")
        if found is None:
            raise self._error("the query has no word to search for", self._place(), _EXAMPLE)
        if self._peek() == "close":
            raise self._error("this parenthesis was never opened", self._place(), "take it out or add a (")
        self._check(found)
        return found

    def _check(self, found: Query) -> None:
        if _depth(found) > MAX_DEPTH:
            raise self._error(
                "groups stand too deep in one another", 0, "split it into several subscriptions"
            )
        if not _bounded(found):
            what = "the query only excludes" if isinstance(found, Not | And) else "a side of OR only excludes"
            raise self._error(what, self._first_not(), "say also what to look for: reasoning -survey")
        if len(str(found)) > MAX_QUERY:
            raise self._too_long()

    def _split(self) -> list[_Piece]:
        if not self.text.strip():
            raise self._error("the query is empty", 0, _EXAMPLE)
        if len(self.text) > MAX_QUERY:
            raise self._too_long()
        clean, places = self._cleaned()
        found = [
            _Piece(piece.lastgroup or "", piece[0], places[piece.start()]) for piece in _PIECE.finditer(clean)
        ]
        return [piece for piece in found if piece.kind != "space"]

    def _cleaned(self) -> tuple[str, list[int]]:
        """The text without invisible characters, look-alikes replaced, and where each character stood."""
        kept, places = [], []
        for at, char in enumerate(self.text):
            category = unicodedata.category(char)
            if category in ("Cc", "Cs") and not char.isspace():
                raise self._error("a control character stands here", at, "type the query by hand")
            if category != "Cf":
                kept.append(char)
                places.append(at)
        return "".join(kept).translate(_LOOK_ALIKES), places

    def _either(self, field: str) -> Query | None:
        parts = [self._both(field)]
        while self._peek() == "or":
            at = self._take().at
            if parts[-1] is None:
                raise self._error(
                    "OR has nothing before it", at, 'like this: lora OR adapters; the word is "or"'
                )
            parts.append(self._both(field))
            if parts[-1] is None:
                raise self._error(
                    "OR has nothing after it", at, 'like this: lora OR adapters; the word is "or"'
                )
        return any_of(part for part in parts if part is not None) if parts[0] is not None else None

    def _both(self, field: str) -> Query | None:
        parts: list[Query] = []
        waiting: _Piece | None = None
        while self._peek() not in ("", "or", "close"):
            if self._peek() == "and":
                piece = self._take()
                if waiting or not parts:
                    raise self._error("AND has nothing before it", piece.at, "like this: graph AND molecules")
                waiting = piece
            elif (part := self._unary(field)) is not None:
                parts.append(part)
                waiting = None
        if waiting:
            raise self._error("AND has nothing after it", waiting.at, "like this: graph AND molecules")
        return all_of(parts) if parts else None

    def _unary(self, field: str) -> Query | None:
        excluded = False
        at = self._place()
        while self._peek() == "not":
            self._take()
            excluded = not excluded
        if self._peek() in ("", "or", "and", "close"):
            raise self._error("NOT has nothing after it", at, "like this: reasoning NOT survey")
        part = self._atom(field)
        return negated(part) if excluded and part is not None else part

    def _atom(self, field: str) -> Query | None:
        piece = self._take()
        match piece.kind:
            case "open":
                return self._group(piece, field)
            case "field":
                return self._fielded(piece, field)
            case "quoted":
                return self._quoted(piece, field)
            case "lone":
                raise self._error("this quote is never closed", piece.at, 'close it: "chain of thought"')
            case _:
                return self._word(piece, field)

    def _group(self, opening: _Piece, field: str) -> Query:
        self.depth += 1
        if self.depth > 2 * MAX_DEPTH:
            raise self._error("groups stand too deep in one another", opening.at, "take some parentheses out")
        found = self._either(field)
        if self._peek() != "close":
            raise self._error(
                "this parenthesis is never closed", opening.at, "like this: (rag OR retrieval) evaluation"
            )
        self._take()
        self.depth -= 1
        if found is None:
            raise self._error(
                "there is nothing in this group", opening.at, "like this: (rag OR retrieval) evaluation"
            )
        return found

    def _fielded(self, piece: _Piece, outer: str) -> Query | None:
        typed = piece.text[:-1]
        name = _ALIASES.get(typed.lower(), typed.lower())
        follower = self.pieces[self.next] if self.next < len(self.pieces) else None
        if name not in FIELDS:
            if follower is None or follower.at > piece.at + len(piece.text):
                return self._word(piece, outer)
            if outer in VALUE_FIELDS and (value := self._rest_of_value()):
                return self._word(_Piece("word", piece.text + value, piece.at), outer)
            raise self._unknown_field(piece, follower)
        if outer:
            once = f"write {name}: once, like this: {_FIELD_EXAMPLE[name]}"
            hint = once if name == outer else "one field at a time: title:lora author:Hu"
            raise self._error(f"{name}: stands inside {outer}:", piece.at, hint)
        if follower is None or follower.kind in ("or", "and", "close"):
            raise self._error(f"{name}: has nothing after it", piece.at, f"like this: {_FIELD_EXAMPLE[name]}")
        found = self._unary(name)
        if found is None:
            raise self._error(f"{name}: has no word after it", piece.at, f"like this: {_FIELD_EXAMPLE[name]}")
        return found

    def _rest_of_value(self) -> str:
        """The word that goes on here, taken; OpenReview's may begin with a dash."""
        rest = self.pieces[self.next : self.next + 2]
        size = 2 if rest[0].kind == "not" and len(rest) > 1 else 1
        dash, word = rest[0], rest[size - 1]
        if word.kind != "word" or (size == 2 and word.at != dash.at + len(dash.text)):
            return ""
        return "".join(self._take().text for _ in range(size))

    def _unknown_field(self, piece: _Piece, follower: _Piece) -> QueryError:
        typed = piece.text[:-1]
        near = difflib.get_close_matches(typed.lower(), FIELDS, n=1, cutoff=0.7)
        value = follower.text if follower.kind in ("word", "quoted") else ""
        if near:
            hint = f"did you mean {near[0]}:{value}?"
        elif typed.lower() in ("arxiv", "doi", "pmid", "id", "openreview"):
            hint = f"for papers near that one: like:{value}"
        else:
            hint = f'fields are {", ".join(FIELDS)}; as words: "{typed} {value.strip(chr(34))}"'
        return self._error(f"{typed}: is not a field", piece.at, hint)

    def _quoted(self, piece: _Piece, field: str) -> Query:
        literal = piece.text.endswith("!")
        inner = piece.text.removesuffix("!")[1:-1].strip()
        if not terms.words(inner):
            raise self._error(
                "there is no word between these quotes", piece.at, 'like this: "chain of thought"'
            )
        if field in VALUE_FIELDS:
            return self._leaf(piece, Has(field, " ".join(inner.split())))
        if inner.endswith("*") and not literal and _long_enough(inner[:-1]):
            return self._leaf(piece, Prefix(_trimmed(inner), field))
        return self._leaf(piece, Term(_trimmed(inner), literal, field))

    def _word(self, piece: _Piece, field: str) -> Query | None:
        if field in VALUE_FIELDS:
            value = piece.text.rstrip(".!")
            return self._leaf(piece, Has(field, value)) if terms.words(value) else None
        star = piece.text.find("*")
        if star < 0:
            return (
                self._leaf(piece, Term(_trimmed(piece.text), False, field))
                if terms.words(piece.text)
                else None
            )
        return self._starred(piece, star, field)

    def _starred(self, piece: _Piece, star: int, field: str) -> Query:
        before = piece.text[:star]
        if piece.text[star:].strip("*.!?:") or not terms.words(before):
            what = "a star can only end a word"
            raise self._error(what, piece.at + star, "like this: quantiz*")
        if not _long_enough(before):
            what = "a word before a star needs at least two letters"
            raise self._error(
                what, piece.at + star, f'like this: quantiz*; the word itself: "{_trimmed(before)}"'
            )
        return self._leaf(piece, Prefix(_trimmed(before), field))

    def _leaf(self, piece: _Piece, leaf: Query) -> Query:
        self.leaves += 1
        if self.leaves > MAX_LEAVES:
            what = f"the query has more than {MAX_LEAVES} words"
            raise self._error(what, piece.at, "split it into several subscriptions")
        return leaf

    def _peek(self) -> str:
        return self.pieces[self.next].kind if self.next < len(self.pieces) else ""

    def _place(self) -> int:
        return self.pieces[self.next].at if self.next < len(self.pieces) else len(self.text)

    def _take(self) -> _Piece:
        self.next += 1
        return self.pieces[self.next - 1]

    def _first_not(self) -> int:
        return next((piece.at for piece in self.pieces if piece.kind == "not"), 0)

    def _too_long(self) -> QueryError:
        what = f"the query has more than {MAX_QUERY:,} characters"
        return self._error(what, MAX_QUERY, "split it into several subscriptions")

    def _error(self, what: str, at: int, hint: str) -> QueryError:
        return QueryError(what, self.text, at, hint)


_FIELD_EXAMPLE: dict[str, str] = {
    "title": "title:benchmark",
    "abstract": 'abstract:"user study"',
    "author": 'author:"Yann LeCun"',
    "category": "category:cs.CL",
    "venue": "venue:ICLR",
    "feed": "feed:arxiv-cs",
    "like": "like:2510.13201",
}


def _trimmed(text: str) -> str:
    """The text from its first word to its last, spaces single."""
    found = terms.tokens(text)
    return " ".join(text[found[0].start : found[-1].end].split())


def _long_enough(text: str) -> bool:
    found = terms.tokens(text)
    return (
        bool(found)
        and found[-1].end == len(text)
        and (len(found[-1].form) > 1 or not found[-1].form.isascii())
    )
