"""Which incoming papers are new, revised, or the same work seen elsewhere.

Sightings are compared with sightings, never with what was merged from them: so it does not matter in which
order they come.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from digests.author import same_author
from digests.paper import UNSTORED, Identifier, Paper, PaperId, contradict, is_venue, letters
from digests.terms import words

SAME_TEXT = 0.7
"""So alike are two abstracts of one work: under one title whatever its identifiers say; by one author, under
two titles that share half their words, if no identifier disagrees."""

RETITLED = 0.95
"""So alike are they by one author under any two titles; two grippers of one author are described at 0.92."""

ALIKE = 0.3
"""So alike are they under one title; no pair of 50,000 by chance is beyond 0.18."""

REWRITTEN = 0.1
"""So alike are they at least where title and first author are the same: conference versions fall to 0.25."""


@dataclass(frozen=True, slots=True)
class Look:
    """What one sighting shows of its work: title, first author, year, and the beginning of its abstract.

    "" and 0 stand for what was not shown.
    """

    title: str
    author: str
    year: int
    beginning: str


@dataclass(frozen=True, slots=True)
class Known:
    """A stored paper that an incoming one shares a key with.

    `looks` are those of its looks that share a title or the beginning of an abstract, `linked` those that
    share a link.
    """

    paper: Paper
    looks: tuple[Look, ...] = ()
    linked: tuple[Look, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be stored after a sighting.

    `paper` has the id `UNSTORED` when the work is new; `absorbed` are stored papers that turned out to be
    the same work: what points to them is to point to `paper`. `revised` says that title or abstract
    changed, `changed` that anything did, `published` that a known preprint has now come out (see
    `Paper.published_in`).
    """

    paper: Paper
    absorbed: tuple[PaperId, ...] = ()
    revised: bool = False
    changed: bool = False
    published: bool = False


def sort_out(incoming: Paper, shown: Look, known: Sequence[Known]) -> Verdict:
    """Decide what a sighting is, given all stored papers that share any of its keys; `shown` is its look.

    The oldest stored paper keeps its id; the others are absorbed.
    """
    same = sorted(_same(incoming, shown, known), key=lambda each: each.paper.id)
    if not same:
        return Verdict(replace(incoming, id=UNSTORED), changed=True)
    oldest = merged = same[0].paper
    for other in same[1:]:
        merged = _merge(merged, other.paper)
    merged = _merge(merged, incoming, rewritten=any(_rewrites(shown, each) for each in same))
    return Verdict(
        merged,
        tuple(each.paper.id for each in same[1:]),
        revised=(merged.title, merged.abstract) != (oldest.title, oldest.abstract),
        changed=merged != oldest,
        published=bool(oldest.is_preprint and not oldest.published_in and merged.published_in),
    )


def _same(incoming: Paper, shown: Look, known: Sequence[Known]) -> list[Known]:
    """Those that are the incoming work: by identifier, by text, and where no identifier speaks against it."""
    names = set(incoming.identifiers)
    same = [each for each in known if not names.isdisjoint(each.paper.identifiers)]
    same += [each for each in known if each not in same and _one_text(shown, each)]
    for each in same:
        names |= set(each.paper.identifiers)
    for each in sorted(known, key=lambda each: each.paper.id):
        if each not in same and _one_work(incoming, shown, each, names):
            same.append(each)
            names |= set(each.paper.identifiers)
    return same


def _one_text(shown: Look, stored: Known) -> bool:
    return any(says_the_same(shown, look) for look in (*stored.looks, *stored.linked))


def _one_work(incoming: Paper, shown: Look, stored: Known, names: Iterable[Identifier]) -> bool:
    if contradict(names, stored.paper.identifiers):
        return False
    if shown in stored.looks and (_is_bare(incoming) or _is_bare(stored.paper)):
        return True
    is_linked = any(share_a_page(shown, look) for look in stored.linked)
    return is_linked or any(look_alike(shown, look) for look in stored.looks)


def _is_bare(paper: Paper) -> bool:
    return not paper.identifiers and not paper.links


def _rewrites(shown: Look, stored: Known) -> bool:
    """Whether a page that has no versions says something else than it ever did, and no less."""
    is_new = shown not in stored.linked and shown not in stored.looks
    return bool(stored.linked) and is_new and not stored.paper.version


def _merge(stored: Paper, seen: Paper, rewritten: bool = False) -> Paper:
    """`stored` with what `seen` adds; its text changes only for a later one or where it was wanting."""
    later = seen.version > stored.version
    retold = later or (rewritten and 5 * len(seen.abstract) >= 4 * len(stored.abstract))
    title = seen.title if seen.title and (retold or not stored.title) else stored.title
    abstract = seen.abstract if seen.abstract and (retold or _is_cut(stored, seen)) else stored.abstract
    return replace(
        stored,
        title=title,
        abstract=abstract,
        authors=seen.authors if seen.authors and (later or not stored.authors) else stored.authors,
        identifiers=tuple(dict.fromkeys(stored.identifiers + seen.identifiers)),
        links=tuple(dict.fromkeys(stored.links + seen.links)),
        published=stored.published or seen.published,
        venue=seen.venue if seen.venue and not is_venue(stored.venue) else stored.venue,
        categories=tuple(dict.fromkeys(stored.categories + seen.categories)),
        version=max(stored.version, seen.version),
        guid=stored.guid or seen.guid,
    )


def _is_cut(stored: Paper, seen: Paper) -> bool:
    """Whether the stored abstract is missing, or is the beginning of the one that was seen now."""
    beginning = stored.abstract.rstrip(" .…")
    return len(seen.abstract) > len(stored.abstract) and seen.abstract.startswith(beginning)


# ---- what a sighting looks like


def look(paper: Paper) -> Look:
    """What a sighting shows of its work."""
    year = paper.published[:4]
    return Look(
        paper.title,
        paper.authors[0] if paper.authors else "",
        int(year) if year.isdecimal() else 0,
        paper.abstract[:SHOWN],
    )


SHOWN = 400
"""So many letters of an abstract are compared: they tell as much as all, and are all that some feeds show."""

_FEWEST_WORDS = 6
_MANY_WORDS = 24
_SPACED = bytes(c if chr(c).isalnum() and c < 128 else 32 for c in range(256)).lower()


@lru_cache(maxsize=4096)
def _telling(text: str) -> frozenset[bytes]:
    """The longer words of a text, or pairs of its letters where it is written without such."""
    found = text.encode("ascii", "replace").translate(_SPACED).split()
    long = frozenset(word for word in found if len(word) > 5)
    if len(long) >= _FEWEST_WORDS:
        return long
    said = letters(text).decode()
    return (
        frozenset()
        if said.isascii()
        else frozenset(said[at : at + 2].encode() for at in range(len(said) - 1))
    )


# ---- whether two sightings show one work


def says_the_same(one: Look, other: Look) -> bool:
    """Whether the text alone proves one work: the abstracts are nearly equal, and the titles fit."""
    text = _likeness(one, other)
    if text is None or text < SAME_TEXT or _are_parts(one.title, other.title):
        return False
    titles, authors = _titles(one, other), _authors(one, other)
    if titles is None or titles == 1:
        return titles == 1 or authors is not False
    is_whole = min(len(_telling(each.beginning)) for each in (one, other)) >= _MANY_WORDS
    return authors is True and is_whole and text >= RETITLED


def look_alike(one: Look, other: Look) -> bool:
    """Whether two sightings that share a title or a beginning may be one work, if no identifier disagrees."""
    text = _likeness(one, other)
    if (text is not None and text < REWRITTEN) or _are_parts(one.title, other.title):
        return False
    titles, authors = _titles(one, other), _authors(one, other)
    if authors is False:
        return False
    if titles is None:
        return text is not None and text >= ALIKE
    if titles < 1:
        return authors is True and titles >= 0.5 and text is not None and text >= SAME_TEXT
    is_near, length = _years_apart(one, other) <= 2, _length(one, other)
    if text is not None:
        return text >= (REWRITTEN if authors and is_near and length >= 3 else ALIKE)
    return is_near and length >= (4 if authors else 6)


def share_a_page(one: Look, other: Look) -> bool:
    """Whether two sightings with one link may be one work: a feed may link all its items to one page."""
    text = _likeness(one, other)
    if (text is not None and text < REWRITTEN) or _are_parts(one.title, other.title):
        return False
    titles = _titles(one, other)
    if text is None:
        return titles is not None and titles >= 0.5
    return text >= ALIKE or (text >= REWRITTEN and titles == 1 and _length(one, other) >= 3)


def _length(one: Look, other: Look) -> int:
    return min(len(words(each.title)) for each in (one, other))


def _titles(one: Look, other: Look) -> float | None:
    """Which part of the titles' words is the same; None if there is no title to compare."""
    if not one.title or not other.title:
        return None
    if letters(one.title) == letters(other.title):
        return 1.0
    mine, theirs = ({stem for _, stem in words(each.title)} for each in (one, other))
    return len(mine & theirs) / max(1, len(mine | theirs))


def _authors(one: Look, other: Look) -> bool | None:
    if not one.author or not other.author:
        return None
    return same_author(one.author, other.author) or same_author(other.author, one.author)


def _years_apart(one: Look, other: Look) -> int:
    return abs(one.year - other.year) if one.year and other.year else 0


def _likeness(one: Look, other: Look) -> float | None:
    """Which part of the abstracts' longer words is the same; None without two abstracts."""
    mine, theirs = _telling(one.beginning), _telling(other.beginning)
    return len(mine & theirs) / len(mine | theirs) if mine and theirs else None


def _are_parts(one: str, other: str) -> bool:
    """Whether the titles count what they name, or one speaks about the other: parts, editions, errata."""
    return bool(one and other) and letters(one) != letters(other) and _marks(one) != _marks(other)


_ROMAN = {
    numeral: str(number)
    for number, numeral in enumerate("i ii iii iv v vi vii viii ix x xi xii".split(), start=1)
}
_COUNTED = frozenset("part volume vol chapter section episode paper study phase supplement".split())
_NUMBERS = {
    word: str(number)
    for number, word in enumerate("one two three four five six seven eight nine ten".split(), start=1)
} | {letter: str(number) for number, letter in enumerate("abcdefgh", start=1)}
_ABOUT_ANOTHER = frozenset(
    "erratum errata corrigendum corrigenda correction corrections addendum retraction retracted withdrawn"
    " reply response comment comments commentary rejoinder discussion concern supplement"
    " supplementary".split()
)


@lru_cache(maxsize=4096)
def _marks(title: str) -> tuple[str, ...]:
    """The numbers in a title, and the words at its ends that say it is about another work."""
    said = [form for form, _ in words(title)]
    ends = {*said[:2], *said[-2:]}
    return tuple(sorted((*_numbers(said), *(_ABOUT_ANOTHER & ends))))


def _numbers(said: Sequence[str]) -> Iterator[str]:
    for at, word in enumerate(said):
        is_counted = at > 0 and said[at - 1] in _COUNTED
        if word.isdecimal():
            yield word.lstrip("0") or "0"
        elif word in _ROMAN and (len(word) > 1 or is_counted or at == len(said) - 1):
            yield _ROMAN[word]
        elif is_counted and word in _NUMBERS:
            yield _NUMBERS[word]
