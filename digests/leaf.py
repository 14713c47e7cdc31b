"""What a leaf of a query asks of a paper: words in a row, or an author, a category, a venue, a feed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from digests import terms
from digests.author import same_author
from digests.paper import Paper
from digests.query import Has, Prefix, Term


@dataclass(frozen=True, slots=True)
class Feature:
    """Words in a row, as a leaf asks for them; a score counts one or two of them at a time."""

    forms: tuple[str, ...]
    stems: tuple[str, ...]
    literal: bool = False
    prefix: bool = False
    field: str = ""

    def __str__(self) -> str:
        where = f" in the {self.field}" if self.field else ""
        return " ".join(self.forms) + "*" * self.prefix + where


@lru_cache(maxsize=16_384)
def feature_of(leaf: Term | Prefix) -> Feature:
    """The feature that stands exactly where the leaf matches."""
    pairs = terms.words(leaf.text)
    literal, prefix = isinstance(leaf, Term) and leaf.literal, isinstance(leaf, Prefix)
    forms, stems = tuple(form for form, _ in pairs), tuple(stem for _, stem in pairs)
    return Feature(forms, stems, literal, prefix, leaf.field)


def fits(leaf: Has) -> Callable[[str], bool]:
    """The test of one value of the leaf's field; of any but `like`, which compares whole papers."""
    return _TESTS[leaf.field](leaf.value)


def _author_test(asked: str) -> Callable[[str], bool]:
    return lambda value: same_author(asked, value)


def _category_test(asked: str) -> Callable[[str], bool]:
    """ "cs.CL" is that category, "cs" and "cs.*" all of cs."""
    wanted = folded(asked).removesuffix("*").removesuffix(".")
    return lambda value: folded(value) == wanted or folded(value).startswith(f"{wanted}.")


def _venue_test(asked: str) -> Callable[[str], bool]:
    """ "ICLR" is a word of "ICLR 2026 Poster"."""
    wanted = f" {' '.join(form for form, _ in terms.words(asked))} "
    return lambda value: wanted in f" {' '.join(form for form, _ in terms.words(value))} "


def _feed_test(asked: str) -> Callable[[str], bool]:
    wanted = folded(asked)
    if wanted.endswith("*"):
        return lambda value: folded(value).startswith(wanted[:-1])
    return lambda value: folded(value) == wanted


_TESTS: dict[str, Callable[[str], Callable[[str], bool]]] = {
    "author": _author_test,
    "category": _category_test,
    "venue": _venue_test,
    "feed": _feed_test,
}


def folded(value: str) -> str:
    """A value as it is compared: without case and accents, spaces single."""
    return " ".join(terms.fold(value).split())


def values_of(paper: Paper, field: str) -> tuple[str, ...]:
    """What a paper has in a field: its authors, categories, venue or feeds."""
    match field:
        case "author":
            return paper.authors
        case "category":
            return paper.categories
        case "venue":
            return (paper.venue,) if paper.venue else ()
        case _:
            return paper.feeds
