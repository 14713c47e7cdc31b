"""Measures the headings of papers without titles, on papers whose title is hidden.

A heading is a name ("MARC") or a phrase ("The bricks of a lighthouse").
A title that begins with "NAME:" says which name is right, be it in its short form.
A phrase is faithful where its words stand in the abstract in a row, or in order where an aside was cut.
Data: SciTLDR (train and dev) and the documents of the keywords set; `--show` prints what looks wrong.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from digests.feed import Fetched
from digests.heading import heading
from digests.names import introduced
from digests.reading import read
from digests.sentences import sentences
from digests.text import plain
from digests.topics import LONGEST
from tests.benchmarks.figures import report, shared_data
from tests.digests.seeds import SEEDS

_NAMED_TITLE = re.compile(r"([^:]{2,40}):\s")
_COMMON = frozenset(
    "a an and are as at by for from how in into is it its of on or our that the their this to towards via we "
    "what when which with".split()
)


@dataclass(frozen=True, slots=True)
class Case:
    """One paper: what it says, its hidden title, and its heading without that title."""

    title: str
    abstract: str
    heading: str
    is_named: bool
    """Whether the heading is a name and no phrase."""

    @property
    def title_name(self) -> str:
        """The name that the title begins with and the abstract says; "" if there is none."""
        found = _NAMED_TITLE.match(self.title)
        name = found[1].strip("\"“”'‘’ ") if found and not self.title.isupper() else ""
        is_name = len(name.split()) <= 3 and any(map(_is_marked, name.split()))
        return name if is_name and _letters(name) in _letters(self.abstract) else ""

    @property
    def is_in_row(self) -> bool:
        """Whether the heading's words follow each other in the abstract."""
        return f" {' '.join(_words(self.heading))} " in f" {' '.join(_words(self.abstract))} "

    @property
    def is_in_order(self) -> bool:
        """Whether the heading's words stand in the abstract in their order."""
        rest = iter(_words(self.abstract))
        return all(word in rest for word in _words(self.heading))

    @property
    def title_overlap(self) -> float:
        """How much of the title's words the heading has."""
        wanted = set(_words(self.title)) - _COMMON
        return len(wanted & set(_words(self.heading))) / len(wanted) if wanted else 0.0


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).lower()


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.removesuffix("…").lower())


def _last_word(text: str) -> str:
    return _words(text)[-1] if _words(text) else ""


def _is_marked(word: str) -> bool:
    return any(character.isupper() or character.isdigit() for character in word[1:])


def _same(name: str, other: str) -> bool:
    """Whether two forms of a name are one: "BERTs" and "BERT", "Uni CoT" and "Uni-CoT", or the short one."""
    one, two = _letters(name).removesuffix("s"), _letters(other).removesuffix("s")
    rest = iter(two)
    return one == two or (" " in other and one[:1] == two[:1] and all(letter in rest for letter in one))


def scitldr() -> Iterator[Case]:
    """The papers of SciTLDR: its abstracts come as sentences."""
    for part in ("train", "dev"):
        for line in (shared_data() / f"scitldr/{part}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            yield _case(row.get("title", ""), " ".join(row["source"]))


def keywords() -> Iterator[Case]:
    """The documents of the keywords set."""
    with gzip.open(shared_data() / "keywords/docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield _case(row["title"] or "", row["abstract"] or "")


def _case(title: str, abstract: str) -> Case:
    said = plain(abstract)
    return Case(plain(title), said, heading(said), bool(introduced(sentences(said))))


def measure(name: str, cases: Sequence[Case], show: bool) -> None:
    """Print the figures of one set of papers."""
    named = [case for case in cases if case.is_named]
    phrases = [case for case in cases if not case.is_named]
    titled = [case for case in cases if case.title_name]
    answered = [case for case in titled if case.is_named]
    wrong = [case for case in answered if not _same(case.heading, case.title_name)]
    agreed = [case for case in named if _letters(case.heading) in _letters(case.title)]
    share = _Shares(name)
    share("named", len(named), len(cases))
    share("title_has_name", len(titled), len(cases))
    share("named_where_title_is", len(answered), len(titled))
    share("precision", len(answered) - len(wrong), len(answered))
    share("recall", len(answered) - len(wrong), len(titled))
    share("name_is_in_title", len(agreed), len(named))
    share("phrase_in_a_row", sum(case.is_in_row for case in phrases), len(phrases))
    share("phrase_in_order", sum(case.is_in_order for case in phrases), len(phrases))
    share("phrase_fits", sum(len(case.heading) <= LONGEST for case in phrases), len(phrases))
    cut = [case.heading for case in phrases if case.heading.endswith("…")]
    share("phrase_is_cut", len(cut), len(phrases))
    share("cut_on_function_word", sum(_last_word(text) in _COMMON for text in cut), len(cut))
    share("phrase_has_title_words", sum(case.title_overlap for case in phrases), len(phrases))
    if show:
        for case in wrong:
            print(f"{case.heading!r} for {case.title!r}")


@dataclass(frozen=True, slots=True)
class _Shares:
    name: str

    def __call__(self, what: str, some: float, all_: int) -> None:
        report(f"headings.{self.name}.{what}", some / max(all_, 1), "share", n=all_)


def measure_seeds() -> None:
    """Print how many of the 19 real abstracts get the heading that a person chose."""
    (file,) = (shared_data() / "feeds/plain-text").glob("000_*.txt")
    papers = read(Fetched(file.as_uri(), file.read_bytes())).papers
    found = [_case("", paper.abstract) for paper in papers]
    right = sum(
        case.heading == seed.heading if seed.heading else (not case.is_named and case.is_in_order)
        for case, seed in zip(found, SEEDS, strict=True)
    )
    report("headings.seeds.right", right, "abstracts", n=len(SEEDS))


def main(arguments: Sequence[str]) -> None:
    """Print the figures of every set that is at hand."""
    if not shared_data().is_dir():
        print("the headings are not measured: there is no shared folder", file=sys.stderr)
        return
    show = "--show" in arguments
    measure_seeds()
    measure("scitldr", list(scitldr()), show)
    measure("keywords", list(keywords()), show)


if __name__ == "__main__":
    main(sys.argv[1:])
