"""The summariser: a sumy summarizer that chooses sentences of an abstract.

A summary is a quotation: sentences of the abstract, in their order, nothing added and nothing changed.
What tells a reader nothing, as "In this paper,", labels and citations, is left out (`trimming`).
`salience` says how near each sentence comes to what a person would write; a reader's `rules` are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Any, Final

from digests.cues import is_question
from digests.names import introduced
from digests.rules import adds, rules
from digests.salience import Verdict, known_roots, ranked, read, weights
from digests.sentences import sentences as split
from digests.trimming import trim

MOST_SENTENCES: Final = 60
"""Of a longer abstract only so many are considered: what a paper is about is said by then."""
WORST_SECOND: Final = 1.0
"""A second sentence may score so much less than the first."""


def summarise(abstract: str, title: str = "", count: int = 1) -> tuple[str, ...]:
    """The sentence that best says what the paper did or found, in a tuple; () for no abstract.

    With `count` 2 a second one comes too, where it adds something; both stand in the order of the text.
    Labels, openers, citations, asides and tails that nobody would miss are left out.
    """
    return choose(split(abstract), title, count)


def choose(
    sentences: Sequence[str], title: str = "", count: int = 1, *, whole: bool = False
) -> tuple[str, ...]:
    """As `summarise`, for an abstract that has been split already; `whole` leaves nothing out."""
    found: tuple[str, ...] = _summarizer()(_Document(sentences), count, title, whole)
    return found


@dataclass(frozen=True, slots=True)
class _Document:
    """What a summarizer reads of sumy's documents; sumy's own wraps each sentence, which takes a while."""

    sentences: Sequence[str]


@cache
def _summarizer() -> Any:
    """The summarizer, made at its first use: sumy loads all of nltk, which takes a third of a second."""
    from sumy.summarizers import AbstractSummarizer

    class LearntSummarizer(AbstractSummarizer):  # type: ignore[misc]
        """A sumy summarizer that rates the sentences of a document by our model."""

        def __call__(
            self, document: Any, sentences_count: int, title: str = "", whole: bool = False
        ) -> tuple[Any, ...]:
            """What is left of the texts of the document's best sentences or, `whole`, these sentences."""
            texts = [str(sentence) for sentence in document.sentences[:MOST_SENTENCES]]
            verdict = _verdict(texts, title)
            places = _places(texts, verdict.scores, sentences_count)
            best: tuple[int, ...] = self._get_best_sentences(
                places, sentences_count, verdict.scores.__getitem__
            )
            if whole:
                return tuple([document.sentences[i] for i in best])
            return tuple([verdict.shortest.get(i) or trim(texts[i]) for i in best])

    return LearntSummarizer()


def rate(sentences: Sequence[str], title: str = "") -> list[float]:
    """For each sentence how well it alone would stand for the whole abstract: the higher, the better."""
    return _verdict(sentences, title).scores


def _verdict(texts: Sequence[str], title: str = "") -> Verdict:
    """The ranking with a reader's rules. Of several introduced things a reader takes the first."""
    if not texts:
        return Verdict([], {})
    reading = read(texts, title, known_roots())
    model = ranked(reading)
    scores = [score + rule for score, rule in zip(model.scores, rules(reading), strict=True)]
    best = scores.index(max(scores))
    earlier = [i for i in range(best) if reading.proposes[i] and not is_question(texts[i])]
    if earlier and reading.proposes[best] and introduced([texts[best]]):
        first = next((i for i in earlier if introduced([texts[i]])), best)
        scores[first] = scores[best] + (first != best)
    return Verdict(scores, model.shortest)


def _places(texts: Sequence[str], scores: Sequence[float], count: int) -> list[int]:
    """Where the best sentence stands and, for a count above 1, later ones that add something to it."""
    if not texts:
        return []
    best = scores.index(max(scores))
    if count == 1:
        return [best]
    least = scores[best] - WORST_SECOND
    later = range(best + 1, len(texts))
    return [best, *(i for i in later if scores[i] > least and adds(texts, best, i))]


METHOD: Final = "learnt-8-" + sha256(weights()).hexdigest()[:12]
"""Names the rules and the weights: a summary stored under another name is out of date."""
