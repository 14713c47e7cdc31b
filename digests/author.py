"""An author's name: its words, and whether two ways of writing it may be one person."""

from __future__ import annotations

from functools import lru_cache

from digests import terms

_PARTICLES = frozenset("van von der den de del della di da dos du la le el al bin ibn ter ten zu".split())


@lru_cache(maxsize=20_000)
def author_name(name: str) -> tuple[str, ...]:
    """The words of a name, folded, the family name last: "LeCun, Yann", "LeCun Y" → yann lecun, y lecun."""
    family, comma, given = name.partition(",")
    found = terms.tokens(f"{given} {family}" if comma else name)
    source = f"{given} {family}" if comma else name
    written = [(token.form, source[token.start : token.end]) for token in found]
    glued = [len(form) == 1 or (len(form) <= 3 and raw.isupper() and raw.isascii()) for form, raw in written]
    if all(glued):
        glued = [len(form) == 1 for form, _ in written]
    kept = [
        (form, initials)
        for place, ((form, _), initials) in enumerate(zip(written, glued, strict=True), 1)
        if form not in _PARTICLES or place == len(written)
    ]
    if not comma and len(kept) > 1 and kept[-1][1] and not kept[0][1]:
        kept = _turned(kept)
    givens = [letter for form, initials in kept[:-1] for letter in (form if initials else [form])]
    return (*givens, *(form for form, _ in kept[-1:]))


def same_author(asked: str, name: str) -> bool:
    """Whether a paper's author may be the asked one.

    Given names may be initials or missing in the middle, the family name may stand first; a lone word is any
    word of the name: "Yann LeCun" is "Y. LeCun", "LeCun, Yann A." and "LeCun Y", not "Yves LeCun".
    """
    wanted, has = author_name(asked), author_name(name)
    if not wanted or not has:
        return False
    if len(wanted) == 1:
        return wanted[0] in has
    if wanted == has[-len(wanted) :] or sorted(wanted) == sorted(has):
        return True
    return wanted[-1] == has[-1] and _same_givens(wanted[:-1], has[:-1])


def _turned(kept: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """ "LeCun Y A" → "Y A LeCun"."""
    first = next(place for place, (_, initials) in enumerate(kept) if initials)
    return kept[first:] + kept[:first]


def _same_givens(wanted: tuple[str, ...], has: tuple[str, ...]) -> bool:
    if not wanted or not has:
        return False
    if "".join(wanted) == "".join(has):
        return True
    fewer, more = sorted((wanted, has), key=len)
    if not _same_given(fewer[0], more[0]):
        return False
    rest = iter(more[1:])
    return all(any(_same_given(given, other) for other in rest) for given in fewer[1:])


def _same_given(one: str, other: str) -> bool:
    return one == other or (1 in (len(one), len(other)) and one[0] == other[0])
