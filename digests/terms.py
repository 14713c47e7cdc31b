"""Words as queries compare them: folded, split at hyphens, stemmed, CJK as single characters in a row.

Every word has two faces: its form (case, accents, ligatures and font variants gone: "Ｄｉffusion" →
"diffusion") and its stem ("restoring", "restoration" → "restor").
A hyphen, a dash, a slash and a space are alike, so "chain-of-thought" is three words; "C++" and "C#" are one.
Each Chinese or Japanese character and each Korean syllable is a word of its own: what is written without
spaces is searched as such words in a row, which finds any part of it.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

import Stemmer

_MARK_BLOCKS = ((0x300, 0x2000), (0x20D0, 0x2100), (0x302A, 0x309B), (0xA66F, 0xAC00), (0xFE20, 0xFE30))
_MARKS = "".join(
    chr(code)
    for first, last in _MARK_BLOCKS
    for code in range(first, last)
    if unicodedata.category(chr(code)).startswith("M")
)
_INVISIBLE = "\u00ad\u200b-\u200d\u2060\ufe00-\ufe0f\ufeff"
_APOSTROPHES = "'’ʼ＇"
_ACCENT = re.compile(f"[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f{_INVISIBLE}]")
_CJK = (
    "\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u303b\u3040-\u3096\u309d-\u30fa"
    "\u30fc-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\uff66-\uff9d\uffa0-\uffdc\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_LETTER = f"(?:[^\\W_{_CJK}ʼ]|[{_MARKS}{_INVISIBLE}])"

_ASCII_WORD = re.compile(
    r"[A-Za-z](?:\+\+|\#)(?![A-Za-z0-9+#])"
    r"|(?:[cdjlmnstCDJLMNST]|[Qq]u)(?='[A-Za-z]{2})"
    r"|[A-Za-z0-9]+(?:'[A-Za-z0-9]+)*"
)
_WORD = re.compile(
    rf"[{_CJK}][{_MARKS}\uff9e\uff9f]*"
    r"|[A-Za-z](?:\+\+|\#)(?![^\W_]|[+#])"
    rf"|(?:[cdjlmnstCDJLMNST]|[Qq]u)(?=[{_APOSTROPHES}][^\W\d_]{{2}})"
    rf"|[^\W_{_CJK}ʼ]{_LETTER}*(?:[{_APOSTROPHES}]{_LETTER}+)*"
)

# Most texts need no pattern: what is no letter becomes a space, four times as fast
_SPACED = str.maketrans({chr(code): " " for code in range(128) if not chr(code).isalnum()})

# Bytes of UTF-8 in small letters, with spaces where no word goes on; what lies beyond ASCII stays
_PIECES = bytes(c if c > 127 or chr(c).isalnum() or chr(c) in "'#+_" else 32 for c in range(256)).lower()

_LETTERS = str.maketrans(
    {
        "’": "'", "ʼ": "'", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe",
        "þ": "th", "ŋ": "n", "ŧ": "t",
    }
)  # fmt: skip
_IRREGULAR = {
    "analyses": "analyze", "analysis": "analyze", "corpora": "corpus", "criteria": "criterion",
    "hypotheses": "hypothesis", "indices": "index", "lms": "lm", "matrices": "matrix", "mice": "mouse",
    "phenomena": "phenomenon", "spectra": "spectrum", "syntheses": "synthesis", "theses": "thesis",
    "vertices": "vertex",
}  # fmt: skip
_ACRONYMS = re.compile("^([b-df-hj-np-tv-xz]{3,})s$")
_BRITISH_IS = re.compile(r"(?<=[a-z]{3})(i|y)s(?=(?:e[drs]?|ers|ing|ations?|able)$)")
_BRITISH_OUR = re.compile(r"^(neighb|behavi|flav|fav|col|tum|vap|lab)our")
# Plurals by endings that no word of 20,000 English abstracts has, so that the language need not be known
_FRENCH_X = re.compile("(?<=[a-z]{2}eau)x$")
_FRENCH_AUX = re.compile("(?<=[a-z]{3})aux$")
_GERMAN_EN = re.compile("(ung|ion|heit|keit|schaft|tat|werk|netz)en$")
_UNSAFE = re.compile("[^a-z0-9α-ωа-я\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fa5\uac00-\ud7a3]")

_stemmer = Stemmer.Stemmer("english", 0)  # its own cache is not safe between threads
_russian = Stemmer.Stemmer("russian", 0)
_SHORT_I = re.compile("(?<=[еиоы])и$")  # where folding took the breve from an ending
_MAX_CACHE = 500_000
_cache: dict[str, tuple[str, str]] = {}


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a text: its form, its stem and where it stands there: `text[start:end]`."""

    form: str
    stem: str
    start: int
    end: int


def fold(word: str) -> str:
    """The word without case, accents, ligatures and font variants: "Kähler" → "kahler", "𝐑𝟐" → "r2"."""
    if word.isascii():
        return word.lower()
    folded = unicodedata.normalize("NFKC", word).casefold()
    bare = _ACCENT.sub("", unicodedata.normalize("NFKD", folded)).translate(_LETTERS)
    return unicodedata.normalize("NFC", bare)


def stem(form: str) -> str:
    """What the inflected forms of an English or Russian word share; British and American spellings too.

    Of German and French only plurals that no English word looks like: "Netzwerken", "réseaux".
    """
    if "а" <= form[:1] <= "я":
        return str(_russian.stemWord(_SHORT_I.sub("й", form)))
    regular = _IRREGULAR.get(form) or form
    if "is" in regular or "ys" in regular:
        regular = _BRITISH_IS.sub(r"\1z", regular)
    if "our" in regular:
        regular = _BRITISH_OUR.sub(r"\1or", regular)
    if regular.endswith("s"):
        regular = _ACRONYMS.sub(r"\1", regular)
    elif regular.endswith("aux"):
        regular = _FRENCH_AUX.sub("al", _FRENCH_X.sub("", regular))
    elif regular.endswith("en"):
        regular = _GERMAN_EN.sub(r"\1", regular)
    return str(_stemmer.stemWord(regular))


def words(text: str) -> list[tuple[str, str]]:
    """The (form, stem) of each word of a text, in order; 200 words take 20 to 100 microseconds."""
    if not text.isascii() or "'" in text or "#" in text or "++" in text:
        return [word for chunk in text.split() for word in _CHUNKS[chunk]]
    found = text.translate(_SPACED).split()
    try:
        return [_cache[word] for word in found]
    except KeyError:
        return [_cache.get(word) or _learn(word) for word in found]


def places(text: str) -> list[tuple[int, int]]:
    """Where each of `words(text)` begins and ends in the text."""
    return [found.span() for found in (_ASCII_WORD if text.isascii() else _WORD).finditer(text)]


def tokens(text: str) -> tuple[Token, ...]:
    """The words of a text with their places in it."""
    return tuple(Token(*word, *place) for word, place in zip(words(text), places(text), strict=True))


def index_text(text: str) -> str:
    """What a full-text table holds of a text so that `query.prefilter` misses nothing.

    The stem of each word, and its form unless that is the stem with an ordinary ending (see `beginnings`).
    """
    pieces = text.encode("utf-8", "surrogatepass").translate(_PIECES).decode("utf-8", "surrogatepass")
    return " ".join(map(_INDEXED.__getitem__, dict.fromkeys(pieces.split())))


def beginnings(prefix: str) -> tuple[str, ...]:
    """What an index text has where a form starts with `prefix`: one of these words, or a word like the last.

    "trainin" → train, trainin: a form "training" is there as its stem alone; "trainini" would be as itself.
    """
    cuts = range(max(_SHORTEST_STEM, len(prefix) - 3), len(prefix))
    stems = [prefix[:cut] for cut in cuts if any(end.startswith(prefix[cut:]) for end in _INFLECTIONS)]
    return (*stems, prefix)


class _Chunks(dict[str, tuple[tuple[str, str], ...]]):
    """What stands between two spaces → its words."""

    def __missing__(self, chunk: str) -> tuple[tuple[str, str], ...]:
        found = (_ASCII_WORD if chunk.isascii() else _WORD).findall(chunk)
        pairs = tuple(_cache.get(word) or _learn(word) for word in found)
        if len(chunk) <= _LONGEST_CHUNK:
            if len(self) >= _MAX_CHUNKS:
                self.clear()
            self[chunk] = pairs
        return pairs


_CHUNKS = _Chunks()
_MAX_CHUNKS, _LONGEST_CHUNK = 100_000, 40


class _Indexed(dict[str, str]):
    """Piece of a text without a space in it → what a full-text table holds of it."""

    def __missing__(self, piece: str) -> str:
        if len(self) >= _MAX_CACHE:
            self.clear()
        is_word = piece.isascii() and piece.isalnum()
        pairs = [_cache.get(piece) or _learn(piece)] if is_word else words(piece)
        held = self[piece] = " ".join([spell(word) for pair in pairs for word in _held(*pair)])
        return held


_INDEXED = _Indexed()
_INFLECTIONS = ("s", "e", "es", "ed", "ing")
_SHORTEST_STEM = 4  # else "overs*" and "these*" would have to ask for "over" and "the"


def _held(form: str, stem: str) -> tuple[str, ...]:
    inflected = form.startswith(stem) and form[len(stem) :] in _INFLECTIONS
    return (stem,) if form == stem or (inflected and len(stem) >= _SHORTEST_STEM) else (stem, form)


def spell(word: str) -> str:
    """A form or stem in letters that every full-text tokenizer keeps together; prefixes stay prefixes."""
    if word.isascii() and word.isalnum() and word.islower():
        return word
    return _UNSAFE.sub(lambda found: f"q{ord(found[0]):06x}", word)


def _learn(word: str) -> tuple[str, str]:
    if len(_cache) >= _MAX_CACHE:
        _cache.clear()
    form = fold(word)
    if "'" in form:
        form = form.removesuffix("'s").replace("'", "")
    pair = _cache[word] = (form, stem(form))
    return pair
