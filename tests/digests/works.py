"""Works that are made up, and the sightings of them that feeds give: for tests that know which is which."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from digests.paper import Entry, Paper, from_entry

VOCABULARY = [
    "".join(random.Random(number).choice("bdfgklmnprstvz") + random.Random(number + 7919 * k).choice("aeiou")
            for k in range(4))
    for number in range(3000)
]  # fmt: skip
FAMILIES = ["Kähler", "Łukasz", "Okafor", "Lindqvist", "Moreau", "Tanaka", "Silva", "Petrov"]
GIVEN = ["Ada", "Boris", "Chen", "Dana"]


@dataclass(frozen=True, slots=True)
class Work:
    """One work: all its names, and its texts from version to version."""

    number: int
    title: str
    authors: tuple[str, str]
    abstracts: tuple[str, ...]
    year: int

    @property
    def revised(self) -> str:
        """The first abstract with the end of the second."""
        return " ".join(self.abstracts[0].split()[:40] + self.abstracts[1].split()[40:])

    @property
    def identifiers(self) -> tuple[str, ...]:
        number = self.number
        return (
            f"arXiv:2501.{number:05}",
            f"10.1000/x{number}",
            f"openreview:forum{number:05}",
            f"pmid:{number + 9}",
        )


def work(number: int, title: str = "", family: str = "") -> Work:
    """The work of that number, the same each time."""
    chance = random.Random(number)
    said = title or " ".join(chance.sample(VOCABULARY, 8)).capitalize()
    author = f"{chance.choice(GIVEN)} {family or FAMILIES[number % len(FAMILIES)]}"
    sentences = [" ".join(chance.sample(VOCABULARY, 14)).capitalize() + "." for _ in range(8)]
    revised = [" ".join(chance.sample(VOCABULARY, 14)).capitalize() + "." for _ in range(6)] + sentences[-2:]
    return Work(
        number, said, (author, "Eve Second"), (" ".join(sentences), " ".join(revised)), 2015 + number % 8
    )


def world(number: int) -> tuple[Work, ...]:
    """A work, its second part, a comment on it, another under a short title, and a namesake of that."""
    first = work(10 * number)
    family = first.authors[0].split()[-1]
    return (
        first,
        work(10 * number + 1, f"{first.title}. Part II", family),
        work(10 * number + 2, f"Comment on: {first.title}", "Contrarian"),
        work(10 * number + 3, "Notes on the field", "Adeyemi"),
        work(10 * number + 4, "Notes on the field", "Bergström"),
        work(10 * number + 5),
    )


@st.composite
def sightings(draw: st.DrawFn, works: Sequence[Work]) -> tuple[int, Paper]:
    """The number of a work, and how some feed shows it."""
    shown = draw(st.sampled_from(works))
    version = draw(st.integers(1, len(shown.abstracts)))
    names = draw(st.sets(st.sampled_from(shown.identifiers), max_size=2))
    identifiers = tuple(f"{name}v{version}" if name.startswith("arXiv") else name for name in sorted(names))
    abstract = draw(st.sampled_from(("whole", "cut", "none")))
    text = shown.abstracts[version - 1]
    link = f"https://journal.example/{shown.number}?utm_source={version}"
    return shown.number, from_entry(
        Entry(
            title=draw(st.sampled_from(_titles(shown, version, abstract))),
            abstract={"whole": text, "cut": text[:300] + "…", "none": ""}[abstract],
            authors=draw(st.sampled_from(_written(shown.authors))),
            links=(link,) if draw(st.booleans()) else (),
            identifiers=identifiers,
            published=draw(st.sampled_from(("", str(shown.year), f"{shown.year + 1}-03"))),
        )
    )


def _titles(shown: Work, version: int, abstract: str) -> tuple[str, ...]:
    """The title as it stands, in other letters, none where there is a text; a second version has its own."""
    title = shown.title if version == 1 else f"{shown.title}: a second look at {shown.authors[0]}"
    return title, title.upper(), title.title() + ".", "" if abstract == "whole" else title


def _written(authors: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The authors as they stand, family name first, with initials, and not at all."""
    turned = tuple(", ".join(reversed(author.split())) for author in authors)
    return authors, turned, tuple(f"{author[0]}. {author.split()[-1]}" for author in authors), ()
