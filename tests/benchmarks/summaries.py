"""How near one sentence comes to a human summary: `python -m tests.benchmarks.summaries FILE [--no-titles]`.

Reads any JSON Lines of SciTLDR's form and prints one JSON line per figure.
ROUGE is F1 with stemming × 100, per abstract of the reference with the best ROUGE-1.
Sentences are used as given; only the speed starts from the raw string (ours: clean, split, rank, trim), ours
and LexRank's taken in turn.
sumy's own tokenizer wants nltk's `punkt_tab` (see `NLTK_DATA`); else LexRank runs on ours, a faster one.
Without FILE it reads the development part in the shared folder, where that is at hand.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from rouge_score import tokenizers
from rouge_score.rouge_scorer import RougeScorer

from digests import sentences as splitting
from digests import summary
from digests.text import plain

RESAMPLES = 1000
Chooser = Callable[["Abstract"], str]
Scores = tuple[float, float, float]


@dataclass(frozen=True, slots=True)
class Abstract:
    """One abstract of the test set: its sentences, its title or "", and what people wrote about it."""

    sentences: tuple[str, ...]
    title: str
    references: tuple[str, ...]


class StemmedOnce:
    """rouge-score's own stemming tokenizer, remembering its answers: most sentences are scored many times."""

    def __init__(self) -> None:
        self.tokenize = cache(tokenizers.DefaultTokenizer(use_stemmer=True).tokenize)


class OurTokenizer:
    """Our splitting in the shape that sumy's parsers want: their own needs data that nltk downloads."""

    def to_sentences(self, text: str) -> tuple[str, ...]:
        return splitting.sentences(text)

    def to_words(self, text: str) -> tuple[str, ...]:
        return splitting.words(text)


@cache
def _scorer() -> RougeScorer:
    return RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True, tokenizer=StemmedOnce())


def read(path: Path, titles: bool = True) -> list[Abstract]:
    """The abstracts of a SciTLDR file, without their titles if so asked."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return [
        Abstract(tuple(row["source"]), row.get("title", "") if titles else "", tuple(row["target"]))
        for row in rows
    ]


def rouge(text: str, references: Sequence[str]) -> Scores:
    """ROUGE 1, 2 and L against the reference that is nearest by ROUGE-1."""
    scores = [_scorer().score(reference, text) for reference in references]
    best = max(scores, key=lambda score: score["rouge1"].fmeasure)
    return (best["rouge1"].fmeasure, best["rouge2"].fmeasure, best["rougeL"].fmeasure)


def chosen(item: Abstract) -> str:
    """What the product prints: a sentence without openers, citations, asides and tails."""
    return summary.choose(item.sentences, item.title)[0]


def verbatim(item: Abstract) -> str:
    """The same sentence, whole."""
    return summary.choose(item.sentences, item.title, whole=True)[0]


def lead(item: Abstract) -> str:
    """The first sentence."""
    return item.sentences[0]


def oracle(item: Abstract) -> str:
    """The sentence that scores best: no chooser of one sentence can do better."""
    return max(item.sentences, key=lambda text: rouge(text, item.references))


def lexrank(item: Abstract) -> str:
    """sumy's LexRank on our words."""
    from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence

    tokenizer = OurTokenizer()
    document = ObjectDocumentModel([Paragraph([Sentence(text, tokenizer) for text in item.sentences])])
    return _first(_lexrank()(document, 1), item)


@cache
def _lexrank() -> Any:
    from sumy.nlp.stemmers import Stemmer
    from sumy.summarizers.lex_rank import LexRankSummarizer

    return LexRankSummarizer(Stemmer("english"))


def edmundson(item: Abstract) -> str:
    """sumy's Edmundson with cue words and, where there is one, the title as a heading."""
    from sumy.models.dom import ObjectDocumentModel, Paragraph, Sentence
    from sumy.summarizers.edmundson import EdmundsonSummarizer

    tokenizer = OurTokenizer()
    heading = [Sentence(item.title, tokenizer, is_heading=True)] if item.title else []
    document = ObjectDocumentModel(
        [Paragraph([*heading, *(Sentence(text, tokenizer) for text in item.sentences)])]
    )
    summarizer = EdmundsonSummarizer(cue_weight=1, key_weight=0, title_weight=1, location_weight=0)
    summarizer.bonus_words = (
        "we propose introduce present show novel new paper method approach framework".split()
    )
    summarizer.stigma_words = "however recent recently existing previous often although despite".split()
    summarizer.null_words = "the of and a an in to for is with on that by as are from be".split()
    return _first(summarizer(document, 1), item)


def _first(found: Sequence[Any], item: Abstract) -> str:
    return str(found[0]) if found else item.sentences[0]


def quality(name: str, choose: Chooser, abstracts: Sequence[Abstract]) -> Iterator[dict[str, Any]]:
    """One figure each for ROUGE 1, 2 and L."""
    scores = 100 * np.array([rouge(choose(item), item.references) for item in abstracts])
    draws = np.random.default_rng(7).integers(0, len(scores), (RESAMPLES, len(scores)))
    low, high = np.percentile(scores[draws].mean(axis=1), [2.5, 97.5], axis=0)
    for column, measure in enumerate(("r1", "r2", "rl")):
        yield {
            "name": f"{name}.{measure}",
            "value": round(float(scores[:, column].mean()), 2),
            "unit": "F1 x 100",
            "against": f"95 % interval {low[column]:.1f} to {high[column]:.1f}",
            "ratio": None,
            "n": len(abstracts),
        }


def speed(abstracts: Sequence[Abstract]) -> Iterator[dict[str, Any]]:
    """Abstracts per second of processor time from the raw string, ours and LexRank's in turn.

    Processor time, as on a shared machine the clock measures who else runs.
    In turn for each abstract, so that after a LexRank the processor's cache has nothing of ours; then twenty
    at a time, as when digests are composed.
    """
    texts = [(" ".join(item.sentences), item.title) for item in abstracts]
    against, tokenizer = _tokenizer()
    n = len(texts)
    for name, size in (("summaries", 1), ("summaries.by_twenty", 20)):
        splitting._ROOTS.clear()
        ours, theirs = _in_turn(texts, size, tokenizer)
        ratio = round(sum(theirs) / sum(ours), 2)
        yield _figure(f"{name}.per_second", n / sum(ours), "abstracts/s", against, ratio, n)
        if size == 1:
            yield _figure("lexrank.per_second", n / sum(theirs), "abstracts/s", against, None, n)
            yield _figure("summaries.p95", 1000 * float(np.percentile(ours, 95)), "ms", "", None, n)


def _in_turn(texts: Sequence[tuple[str, str]], size: int, tokenizer: Any) -> tuple[list[float], list[float]]:
    """The seconds that so many abstracts at a time took us and LexRank."""
    from sumy.parsers.plaintext import PlaintextParser

    summary.summarise(*texts[0])
    ours, theirs = [], []
    for at in range(0, len(texts), size):
        some = texts[at : at + size]
        start = time.thread_time()
        for text, title in some:
            summary.summarise(plain(text), title)
        between = time.thread_time()
        for text, _ in some:
            _lexrank()(PlaintextParser.from_string(text, tokenizer).document, 1)
        ours.append(between - start)
        theirs.append(time.thread_time() - between)
    return ours, theirs


def _tokenizer() -> tuple[str, Any]:
    """sumy's own tokenizer where nltk's data for it is at hand, else ours, which is much faster."""
    from sumy.nlp.tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer("english")
    except LookupError:
        return "LexRank on our tokenizer, in turn", OurTokenizer()
    return "LexRank on sumy's tokenizer, in turn", tokenizer


def _figure(name: str, value: float, unit: str, against: str, ratio: float | None, n: int) -> dict[str, Any]:
    return {"name": name, "value": round(value, 2), "unit": unit, "against": against, "ratio": ratio, "n": n}


def figures(abstracts: Sequence[Abstract]) -> Iterator[dict[str, Any]]:
    """All figures: the summary as printed and verbatim, then what it stands against."""
    choosers: tuple[tuple[str, Chooser], ...] = (
        ("summaries", chosen),
        ("summaries.verbatim", verbatim),
        ("lexrank", lexrank),
        ("edmundson", edmundson),
        ("lead", lead),
        ("oracle", oracle),
    )
    for name, choose in choosers:
        yield from quality(name, choose, abstracts)
    yield from speed(abstracts)


def _shared() -> Path:
    root = Path(__file__).resolve().parents[2]
    return Path(os.environ.get("PAPERROUND_SHARED") or root.parent / "shared") / "data/scitldr/dev.jsonl"


def main(arguments: Sequence[str]) -> int:
    paths = [Path(text) for text in arguments if not text.startswith("-")]
    path = paths[0] if paths else _shared()
    if not path.is_file():
        print(f"no abstracts at {path}; name a file of SciTLDR's form", file=sys.stderr)
        return 0 if not paths else 2
    for figure in figures(read(path, titles="--no-titles" not in arguments)):
        print(json.dumps(figure, ensure_ascii=False), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
