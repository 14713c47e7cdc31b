"""Measures sentence splitting beside nltk's punkt, pysbd and syntok: wrong breaks, and the speed.

The gold texts are those of `tests/data/sentences.txt`, made of traps, and the 19 abstracts of the real list.
A break is right where a reader ends a sentence; a reader's end without a break is missed, any other is false.
The others are told the language, where the text is English; nobody tells it for an abstract from a feed.
punkt needs nltk's data `punkt_tab` (see `NLTK_DATA`); without it its lines are left out.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Any

from digests.sentences import sentences
from digests.text import plain
from tests.benchmarks.figures import abstracts, report, shared_data
from tests.digests.sentences_gold import SEEDS, traps

Splitter = Callable[[str], Iterable[str]]
REAL = 300
ROUNDS = 3


def splitters() -> dict[str, Splitter]:
    """Ours first, then each of the others that is at hand."""
    found: dict[str, Splitter] = {"ours": sentences}
    for name, make in (("punkt", _punkt), ("pysbd", _pysbd), ("syntok", _syntok)):
        try:
            found[name] = make()
        except (ImportError, LookupError) as error:
            print(f"{name} is left out: {str(error).strip().splitlines()[0]}", file=sys.stderr)
    return found


def _punkt() -> Splitter:
    from nltk.tokenize import PunktTokenizer

    try:
        split: Splitter = PunktTokenizer("english").tokenize
    except LookupError as error:
        raise LookupError("nltk finds no punkt_tab; name its folder in NLTK_DATA") from error
    return split


def _pysbd() -> Splitter:
    from pysbd import Segmenter

    split: Splitter = Segmenter(language="en", clean=False).segment
    return split


def _syntok() -> Splitter:
    from syntok import segmenter

    def split(text: str) -> list[str]:
        found: list[list[Any]] = [tokens for paragraph in segmenter.analyze(text) for tokens in paragraph]
        return [text[tokens[0].offset : tokens[-1].offset + len(tokens[-1].value)] for tokens in found]

    return split


def breaks(pieces: Iterable[str]) -> set[int]:
    """After how many characters that are no space a text is broken; its end is no break."""
    return set(list(accumulate(len("".join(piece.split())) for piece in pieces))[:-1])


def errors(split: Splitter, gold: Sequence[tuple[str, Sequence[str]]]) -> tuple[int, int]:
    """How many breaks are missed, and how many are false."""
    missed = false = 0
    for text, right in gold:
        wanted, found = breaks(right), breaks(split(text))
        missed, false = missed + len(wanted - found), false + len(found - wanted)
    return missed, false


def whole_seeds(split: Splitter) -> int:
    """How many of the 19 real abstracts are split as a reader splits them."""
    document = shared_data() / "feeds/plain-text/000_c39bef2cca73db67.txt"
    texts = map(plain, document.read_text(encoding="utf-8").split("\n\n")[1:])
    found = (tuple(" ".join(piece.split()[:3]) for piece in split(text) if piece.strip()) for text in texts)
    return sum(one == gold for one, gold in zip(found, SEEDS, strict=True))


def seconds(split: Splitter, texts: Sequence[str]) -> float:
    """Processor time for all the texts."""
    began = time.process_time()
    for text in texts:
        list(split(text))
    return time.process_time() - began


def _report_errors(found: dict[str, Splitter]) -> None:
    of = {True: "english", False: "other languages"}
    for is_english, language in of.items():
        gold = [(trap.text, trap.sentences) for trap in traps() if trap.is_english is is_english]
        count = sum(len(right) for _, right in gold)
        for name, split in found.items():
            missed, false = errors(split, gold)
            report(f"sentences.{name}.missed", missed, f"breaks, {language}", n=count)
            report(f"sentences.{name}.false", false, f"breaks, {language}", n=count)


def _report_speed(found: dict[str, Splitter], kind: str, texts: Sequence[str]) -> None:
    """The sides take turns; the best round of each counts."""
    best = {
        name: min(took)
        for name, took in zip(
            found,
            zip(*[[seconds(split, texts) for split in found.values()] for _ in range(ROUNDS)], strict=True),
            strict=True,
        )
    }
    for name, took in best.items():
        against = None if name == "ours" else len(texts) / took
        value = len(texts) / best["ours"]
        label = "sentences.ours.per_second" if name == "ours" else f"sentences.ours_to_{name}.per_second"
        report(label, value, f"{kind}/s", against=against, n=len(texts))


def main() -> None:
    """Print the errors on the gold texts, the seeds, and the speed on both kinds of texts."""
    found = splitters()
    _report_errors(found)
    gold = [trap.text for trap in traps()]
    random.Random(7).shuffle(gold)
    _report_speed(found, "gold texts", gold)
    if not shared_data().is_dir():
        print("the seeds and the real abstracts are left out: there is no shared folder", file=sys.stderr)
        return
    for name, split in found.items():
        report(f"sentences.{name}.seeds", whole_seeds(split), "abstracts right", n=len(SEEDS))
    _report_speed(found, "abstracts", [plain(row["abstract"]) for row in abstracts([], REAL)])


if __name__ == "__main__":
    main()
