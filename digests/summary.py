"""The summariser: a sumy summarizer that chooses sentences of an abstract, and headings for untitled papers.

A summary is a quotation: whole sentences of the abstract, in their order, nothing added and nothing changed.
A linear model over what can be seen on the surface of a sentence says how much each sentence matters.
From that, small trees foretell for each word how likely a person's summary would have it.
The sentence is best whose words, and pairs of words, would overlap most with such a summary.
`data/summary.md` says from what it was learnt, by which script, and how good it is.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from itertools import chain, pairwise, repeat
from math import exp, log
from operator import mul
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from digests.sentences import sentences as split
from digests.sentences import words as split_words
from digests.text import clip

MOST_SENTENCES: Final = 60
"""Of a longer abstract only so many are considered: what a paper is about is said by then."""
MOST_WORDS: Final = 80
"""Of a longer sentence only so many words are looked at."""
MOST_CHARACTERS: Final = 2_000
"""Of a longer sentence only so many characters are searched for names and cues."""
WORST_SECOND: Final = 1.0
"""A second sentence may score so much less than the first."""
LOOKED_AT: Final = 3
"""Only in so many sentences is each word looked at: those that matter most, and conclusions beside them."""
HOPELESS: Final = 0.5
"""Nor is it where a sentence matters so much less than the first that it was never chosen."""
USUAL_LENGTH: Final = 18
"""So many words has the summary that a person is thought to write."""
MOST_OPENING: Final = 125
"""An opener ends within so many characters."""
LONGEST_HEADING: Final = 80


# Choosing


def summarise(abstract: str, title: str = "", count: int = 1, *, trimmed: bool = False) -> tuple[str, ...]:
    """The sentence that best says what the paper did or found, in a tuple; () for no abstract.

    With `count` 2 a second one comes too, where it adds something; both stand in the order of the text.
    `trimmed` leaves out openers, citations, asides and tails that the model thinks nobody would miss.
    """
    return choose(split(abstract), title, count, trimmed=trimmed)


def choose(
    sentences: Sequence[str], title: str = "", count: int = 1, *, trimmed: bool = False
) -> tuple[str, ...]:
    """As `summarise`, for an abstract that has been split already."""
    found: tuple[str, ...] = _summarizer()(_Document(sentences), count, title, trimmed)
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
            self, document: Any, sentences_count: int, title: str = "", trimmed: bool = False
        ) -> tuple[Any, ...]:
            """Sentences of the document or, `trimmed`, what is left of their texts."""
            texts = [str(sentence) for sentence in document.sentences[:MOST_SENTENCES]]
            verdict = _verdict(texts, title)
            places = _places(texts, verdict.scores, sentences_count)
            best: tuple[int, ...] = self._get_best_sentences(
                places, sentences_count, verdict.scores.__getitem__
            )
            if trimmed:
                return tuple([_shortened(texts[i], i, verdict) for i in best])
            return tuple([document.sentences[i] for i in best])

    return LearntSummarizer()


def rate(sentences: Sequence[str], title: str = "") -> list[float]:
    """For each sentence how well it alone would stand for the whole abstract: the higher, the better."""
    return _verdict(sentences, title).scores


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the model says about an abstract."""

    scores: list[float]
    """How well each sentence would stand for the abstract."""
    chances: Mapping[str, float]
    """For each root of the sentences that were looked at how likely a person's summary would have it."""
    looked: Sequence[int]


def _verdict(texts: Sequence[str], title: str = "") -> Verdict:
    """The ranking with a reader's rules. Of several introduced things a reader takes the first."""
    if not texts:
        return Verdict([], {}, ())
    reading = read(texts, title)
    ranked = _ranked(reading)
    scores = [score + rule for score, rule in zip(ranked.scores, _rules(reading), strict=True)]
    best = scores.index(max(scores))
    earlier = [i for i in range(best) if reading.cues[i] and not is_question(texts[i])]
    if earlier and _introduced([texts[best]]):
        first = next((i for i in earlier if _introduced([texts[i]])), best)
        scores[first] = scores[best] + (first != best)
    return Verdict(scores, ranked.chances, ranked.looked)


def _rules(reading: Reading) -> list[float]:
    """What counts beside the model: where the paper first says what it does, and whether it speaks at all.

    Before it speaks of itself there is background, a question is never taken, and a conclusion gladly.
    What it sets out to do counts less than what it then says that it did.
    """
    own = [
        not _OWNERS.isdisjoint(words) or ("this " in low and _OWN.search(low) is not None)
        for low, words in zip(reading.lows, reading.words, strict=True)
    ]
    starts = reading.cues if True in reading.cues else own
    told = starts.index(True) if True in starts else 0
    last = len(starts) - 1 - starts[::-1].index(True) if True in starts else 0
    rules = []
    for i, text in enumerate(reading.texts):
        rule = 0.0 if own[i] else -_OTHERS - _BACKGROUND * (i < told)
        if own[i] and i > told and _is_outlook(reading.lows[i]):
            rule = -_OTHERS
        rule += _BEGINS * (i == told and reading.cues[i]) + _CONCLUDES * reading.concludes[i]
        rule -= _INTENDS * (i < last and _is_intent(reading.lows[i]))
        rules.append(-_NEVER if is_question(text) else rule)
    return rules


def _is_intent(low: str) -> bool:
    return any(hint in low for hint in _INTENT_HINTS) and _INTENT.search(low) is not None


def _is_outlook(low: str) -> bool:
    return any(hint in low for hint in _OUTLOOK_HINTS) and _OUTLOOK.search(low) is not None


def _places(texts: Sequence[str], scores: Sequence[float], count: int) -> list[int]:
    """Where the best sentence stands and, for a count above 1, later ones that add something to it."""
    if not texts:
        return []
    best = scores.index(max(scores))
    if count == 1:
        return [best]
    least = scores[best] - WORST_SECOND
    said = _content(split_words(texts[best].lower()))
    later = range(best + 1, len(texts))
    return [
        best,
        *(i for i in later if scores[i] > least and not _is_aside(texts[i]) and _adds(texts[i], said)),
    ]


def _adds(text: str, said: frozenset[str]) -> bool:
    content = _content(split_words(text.lower()))
    return len(content - said) > len(content) / 2


def _content(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word for word in words if len(word) > 3)


def is_question(text: str) -> bool:
    """Whether it ends by asking; a question is never a summary."""
    return text.rstrip(_CLOSERS).endswith(("?", "？"))


def _is_aside(text: str) -> bool:
    """Whether it says only where the code is."""
    low = text[:MOST_CHARACTERS].lower()
    return any(hint in low for hint in _ASIDE_HINTS) and _ASIDE.search(low) is not None


# Ranking


def _ranked(reading: Reading) -> Verdict:
    """The ranking by the model alone: the overlap to be expected of the promising sentences, trimmed."""
    model = _model()
    scores = weigh(features(reading), model.sentences)
    looked = promising(reading, scores)
    sights = word_sights(reading, scores, model.words)
    chances = dict(zip(sights, model.trees.chances(table(sights.values())), strict=True))
    known = {i: _SPREAD * _overlap(_bare_roots(reading, i), chances) for i in looked}
    # the others stand below all that were looked at, in their own order
    least = min(known.values()) - max(scores)
    return Verdict([known.get(i, least + score) for i, score in enumerate(scores)], chances, looked)


def promising(reading: Reading, scores: Sequence[float]) -> list[int]:
    """The places of the sentences that are looked at word by word, best first."""
    order = sorted(range(len(scores)), key=scores.__getitem__, reverse=True)
    least = scores[order[0]] - HOPELESS
    return [
        i
        for place, i in enumerate(order)
        if (place < LOOKED_AT and scores[i] >= least) or reading.concludes[i]
    ]


def _bare_roots(reading: Reading, i: int) -> Sequence[str]:
    text = reading.texts[i]
    bare = _bare(text)
    return reading.roots[i] if bare == text else _roots(bare)


def _roots(text: str) -> list[str]:
    return [word[:6] for word in split_words(text.lower())[:MOST_WORDS]]


def _overlap(roots: Sequence[str], chances: Mapping[str, float]) -> float:
    """ROUGE-1 + ROUGE-2 to be expected against the summary that a person would write."""
    likely = [chances.get(root, _UNLIKELY) for root in roots]
    single = sum(dict(zip(roots, likely, strict=True)).values())
    double: float = sum(map(mul, likely, likely[1:]))
    return 2 * (single + double) / (len(roots) + USUAL_LENGTH)


def _shortened(text: str, i: int, verdict: Verdict) -> str:
    """The variant of the sentence at place `i` with most overlap; without word chances the first."""
    options = variants(text)
    if i not in verdict.looked or len(options) == 1:
        return options[0]
    return max(options, key=lambda option: _overlap(_roots(option), verdict.chances))


@dataclass(frozen=True, slots=True)
class Reading:
    """What several steps want to know about an abstract: small letters, words, their roots, cues."""

    texts: Sequence[str]
    lows: Sequence[str]
    words: Sequence[Sequence[str]]
    """In small letters, as all that follows."""
    roots: Sequence[Sequence[str]]
    sets: Sequence[frozenset[str]]
    """The roots of each sentence without order."""
    cues: Sequence[bool]
    told: Sequence[int]
    """For each sentence about how many of its words stand up to the end of its cue; 0 for no cue."""
    concludes: Sequence[bool]
    """Whether it calls itself a conclusion."""
    title: Sequence[str]


def read(sentences: Sequence[str], title: str = "") -> Reading:
    """The abstract as the model sees it."""
    lows = [text[:MOST_CHARACTERS].lower() for text in sentences]
    words = [split_words(low)[:MOST_WORDS] for low in lows]
    roots = [[word[:6] for word in each] for each in words]
    cues = [_cue(low, each) for low, each in zip(lows, words, strict=True)]
    return Reading(
        texts=sentences,
        lows=lows,
        words=words,
        roots=roots,
        sets=[frozenset(each) for each in roots],
        cues=[cue is not None for cue in cues],
        told=[low.count(" ", 0, cue.end()) + 1 if cue else 0 for low, cue in zip(lows, cues, strict=True)],
        concludes=[_CONCLUSION.match(text) is not None for text in sentences],
        title=_roots(title),
    )


def _cue(low: str, words: Sequence[str]) -> re.Match[str] | None:
    # the search is slow, and most sentences have none of these
    if not low.isascii():
        return _CUE.search(low)
    if _SUBJECTS.isdisjoint(words):
        return None
    found = (_CUE.match(low, subject.start()) for subject in _SUBJECT.finditer(low))
    return next(filter(None, found), None)


def weigh(found: Sequence[Sequence[Name]], weights: Mapping[Name, int]) -> list[float]:
    """For each sentence the sum of the weights, in thousandths, of its features."""
    return [sum(map(weights.get, names, repeat(0))) / 1000 for names in found]


# What holds for a word


def word_sights(
    reading: Reading, scores: Sequence[float], known: Mapping[str, Sequence[float]]
) -> dict[str, tuple[float, ...]]:
    """For each root of the promising sentences the numbers from which the trees foretell its chance.

    `scores` say how much each sentence matters, `known` how often a root is taken over and how rare it is.
    """
    looked = promising(reading, scores)
    wanted = frozenset(chain.from_iterable(reading.roots[i] for i in looked))
    shares = _shares(scores)
    first: dict[str, int] = {}
    mass = dict.fromkeys(wanted, 0.0)
    for i, (own, share) in enumerate(zip(reading.sets, shares, strict=True)):
        for root in own & wanted:
            mass[root] += share
            first.setdefault(root, i)
    counts = Counter(chain.from_iterable(reading.roots))
    count, title, length = len(shares), frozenset(reading.title), len(reading.title) or -1
    found: dict[str, tuple[float, ...]] = {}
    for place, i in enumerate(looked):
        roots, told, share = reading.roots[i], reading.told[i], shares[i]
        size = len(roots)
        numbers = [*map(known.get, roots, repeat(_UNKNOWN)), _UNKNOWN]
        for k, root in enumerate(roots):
            if root in found:
                continue
            prior, rarity = numbers[k]
            distance = 99 if not told else k - told if k >= told else 60 + told - k
            found[root] = (
                prior, rarity, counts[root], mass[root], share, place,
                (root in title) if title else -1, distance, numbers[k + 1][0], len(root),
                count, length, first[root] / count, size,
            )  # fmt: skip
    return found


def _shares(scores: Sequence[float]) -> list[float]:
    highest = max(scores)
    raised = [exp(score - highest) for score in scores]
    total = sum(raised)
    return [value / total for value in raised]


Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Trees:
    """Oblivious trees: at each depth of a tree one question for all its branches, so that arrays do."""

    asked: Places
    """Which number each question looks at."""
    limits: Numbers
    """For each question the number above which the answer is yes."""
    order: Places
    """For each depth and tree which question is put; many trees put the same."""
    leaves: Numbers
    """For each tree and combination of answers what it adds to the logit."""
    base: float

    def logits(self, table: Numbers) -> Numbers:
        above = table.T.take(self.asked, 0) > self.limits[:, None]
        answers = above.view(np.uint8)
        # the answers of a tree, read as a binary number, are the place of its leaf
        places = answers.take(self.order[0], 0)
        for questions in self.order[1:]:
            places <<= 1
            places |= answers.take(questions, 0)
        trees, width = self.leaves.shape
        leaves = self.leaves.ravel().take(places + np.arange(0, trees * width, width)[:, None])
        result: Numbers = self.base + leaves.sum(axis=0)
        return result

    def chances(self, table: Numbers) -> list[float]:
        """For each row of the table the chance that a summary has this word."""
        if not table.size:
            return []
        return [1 / (1 + exp(-logit)) for logit in self.logits(table).tolist()]


def grove(asked: Places, limits: Numbers, leaves: Numbers, base: float) -> Trees:
    """The trees from what is asked, and the limit, at each depth of each tree."""
    questions, order = np.unique(np.stack([asked.ravel(), limits.ravel()]), axis=1, return_inverse=True)
    return Trees(questions[0].astype(np.int64), questions[1], order.reshape(asked.shape), leaves, base)


def table(rows: Collection[Sequence[float]]) -> Numbers:
    """The numbers of a collection of rows as an array."""
    flat = np.fromiter(chain.from_iterable(rows), np.float64)
    return flat.reshape(len(rows), -1) if rows else flat


# What holds for a sentence


Name = str | tuple[str, str]
"""A pair of words, a word, or what else may hold for a sentence, after a sign with which no word begins."""


def features(reading: Reading) -> list[list[Name]]:
    """For each sentence the names of what holds for it: the model has a weight for each name."""
    cues, word_lists = reading.cues, reading.words
    first_cue = cues.index(True) if True in cues else len(cues)
    central = _ranks(_centralities(reading.sets))
    result = []
    for i, words in enumerate(word_lists):
        found: list[Name] = [*dict.fromkeys(words), *pairwise(words)]
        found += _place(i, len(word_lists), first_cue)
        found += (
            f"@length {min(len(words) // 3, 20)}",
            f"^{' '.join(words[:1])}",
            f"^{' '.join(words[:2])}",
            f"@central {central[i]}",
        )
        result.append(found)
    if reading.title:
        _add_title(result, reading)
    return result


@lru_cache(maxsize=2048)  # few kinds of places, and each time four names to spell
def _place(i: int, count: int, first_cue: int) -> tuple[str, ...]:
    return (
        f"@at {min(i, 10)}",
        f"@from end {min(count - i, 6)}",
        f"@part {10 * i // count}",
        f"@after cue {max(-5, min(i - first_cue, 5))}" if first_cue < count else f"@no cue {min(i, 5)}",
    )


def _add_title(result: list[list[Name]], reading: Reading) -> None:
    wanted = frozenset(reading.title)
    content = {root for root in wanted if len(root) > 3}
    most = len(reading.title)
    likeness = [
        2 * len(wanted & own) / (most + len(roots))
        for own, roots in zip(reading.sets, reading.roots, strict=True)
    ]
    for found, own, like, place in zip(result, reading.sets, likeness, _ranks(likeness), strict=True):
        share = len(content & own) / (len(content) or 1)
        found += (
            f"@title share {min(int(share * 10), 7)}",
            f"@title likeness {min(int(like * 20), 10)}",
            f"@title place {place}",
        )


def _centralities(sets: Sequence[frozenset[str]]) -> list[float]:
    """For each sentence how much of it the others say too."""
    contents = [[root for root in own if len(root) > 3] for own in sets]
    counts = Counter(chain.from_iterable(contents))
    # whole numbers, so that the order of a set does not matter
    logs = [0, *(round(1000 * log(count)) for count in range(1, len(sets) + 1))]
    return [sum([logs[counts[root]] for root in roots]) / (len(roots) + 5) for roots in contents]


def _ranks(values: Sequence[float]) -> list[int]:
    order = sorted(values, reverse=True)
    return [min(order.index(value), 5) for value in values]


_SPREAD: Final = 4.0
"""Brings the expected overlap to the scale of the rules."""
_UNLIKELY: Final = 0.01
_UNKNOWN: Final = (-1.5, 7.3)
"""What is taken for a root that was not seen in training."""
_NEVER: Final = 1_000.0
_CONCLUDES: Final = 1.5
_BEGINS: Final = 0.3
_OTHERS: Final = 0.3
_BACKGROUND: Final = 0.4
_OWNERS: Final = frozenset(("we", "our", "us", "i"))
_OWN: Final = re.compile(r"\bthis (?:paper|work|study|article|report)\b")
_INTENDS: Final = 0.5
_INTENT_HINTS: Final = (
    " aim", " seek", " goal", "focus", " stud", "investigat", "consider", "attempt", " interest",
)  # fmt: skip
_INTENT: Final = re.compile(
    r"\b(?:we|paper|work|study) (?:aims?|seeks?|attempts?|focus(?:es)?|consider|stud(?:y|ies)|investigates?"
    r"|are interested)\b|\b(?:our|the|this) (?:aim|goal)\b"
)
_OUTLOOK_HINTS: Final = ("the way", " gap", "open", " light", "future", "we hope", "we believe")
_OUTLOOK: Final = re.compile(
    r"\b(?:pav(?:es?|ing) the way|(?:fills?|filling) (?:a|the|this) gap|open(?:s|ing) (?:up )?new"
    r"|shed(?:s|ding)? (?:new )?light|future (?:work|research)|we hope|we believe)\b"
)
_CONCLUSION: Final = re.compile(
    r"\W*(?:(?:authors'? )?conclusions?|interpretation|significance|schlussfolgerung(?:en)?"
    r"|结论|結論|выводы?)\b\W*[:：.—–-]"
    r"|in (?:conclusion|summary)\b|(?:we|the authors) conclude\b",
    re.IGNORECASE,
)
_CLOSERS: Final = " \t\n\"'”’»)]*_"
_VERBS: Final = (
    r"(?:introduc(?:e|es|ed|ing)|propos(?:e|es|ed|ing)|present(?:s|ed|ing)?|develop(?:s|ed)?|design(?:s|ed)?"
    r"|describes?|devises?|contributes?|creates?|constructs?|establish(?:es)?|unveils?|formulates?"
    r"|builds?|defines?|release[sd]?|provides?|curates?|collects?|publish(?:es)?|offers?|open-sources?"
    r"|proposons|présentons|introduisons|präsentieren|entwickeln|предлагаем|представляем)"
)
_WE: Final = (
    r"\b(?:we|i|paper|work|article|study|authors?|nous|wir|мы)\b"
    r"(?:,? (?:\w+ly|then|also|first|here|next|therefore|thus|further|instead|will|are)\b,?){0,2} "
)
_CUE: Final = re.compile(
    rf"{_WE}(?:{_VERBS}|shows?|finds?|demonstrates?|proves?|stud(?:y|ies)|investigates?|analy[sz]es?|explores?"
    r"|address(?:es)?|examines?|derives?|uncovers?|discovers?|identif(?:y|ies)|explains?|revisits?"
    r"|focus(?:es)?|extends?|argues?|tackles?|aims?|reports?|evaluates?|consider|assembles?|links?|compiles?"
    r"|(?:show|demonstrat|investigat|analy[sz]|explor|address|examin|deriv|uncover|discover|identifi|report"
    r"|evaluat|describ|assembl|link|record|measur|determin|characteri[sz]|estimat|quantifi|compil|compar)ed"
    r"|found|studied|(?:randomly )?assigned)\b"
    r"|我们|我們|本文|本論文|本研究|提案|우리는|본 논문|본 연구|\bnous\b|\bwir\b|\bмы\b"
    r"|в (?:этой|данной|настоящей) (?:статье|работе)"
)
_SUBJECTS: Final = frozenset("we i paper work article study author authors nous wir".split())
# where the subjects end; no \b before them, as a pattern that begins with letters is found much sooner
_SUBJECT: Final = re.compile(rf"(?:{'|'.join(sorted(_SUBJECTS))})\b")
_ASIDE_HINTS: Final = ("http", "availab", "releas", "open-sourc", "publish", "shared")
_ASIDE: Final = re.compile(
    r"https?://|\bavailable (?:at|on|here|online|from|in|upon|under)\b|\b(?:publicly|openly|freely) available"
    r"|\bwill (?:be )?(?:publicly |openly |freely )?(?:made )?(?:release|publish|available|open-source|share)"
    r"|\b(?:release|open-source) (?:our|the|all) (?:code|models?|data|source)"
)


# Headings


def heading(abstract: str) -> str:
    """The name that the abstract introduces, else how its best sentence begins; "" for no abstract."""
    texts = [" ".join(text.split()) for text in split(abstract)[:MOST_SENTENCES]]
    name = _introduced(texts)
    if name or not texts:
        return clip(name, LONGEST_HEADING)
    scores = rate(texts)
    return clip(trim(texts[scores.index(max(scores))]), LONGEST_HEADING)


def trim(sentence: str) -> str:
    """The sentence without its discourse opener, citations, "(e.g. …)" and long brackets; the rest stays.

    "In this paper, we study X (Doe et al., 2020)." → "We study X."
    """
    text = sentence
    if "(" in sentence or "[" in sentence:
        text = _ASIDES.sub("", _CITATION.sub("", sentence)).strip()
        if not any(map(str.isalnum, text)):  # all of it is an aside
            text = sentence
    opener = _OPENER.match(text)
    return _capitalised(text[opener.end() :]) if opener else text


def variants(sentence: str) -> tuple[str, ...]:
    """The trimmed sentence, then with less in it, in each way that leaves a sentence; nothing is added."""
    found = [_bare(sentence)]
    if len(sentence) > MOST_CHARACTERS:
        return (found[0],)
    if "," in sentence[:MOST_OPENING]:
        openers = (pattern.match(found[0]) for pattern in (_CLAUSE, _ADVERB))
        found += [_capitalised(found[0][opener.end() :]) for opener in openers if opener]
    return tuple(dict.fromkeys((*found, *(text for whole in found for text in _tailless(whole)))))


def _bare(sentence: str) -> str:
    """As `trim`, but an endless sentence is left alone."""
    return sentence.strip() if len(sentence) > MOST_CHARACTERS else trim(sentence.strip())


def _capitalised(text: str) -> str:
    word = text.partition(" ")[0]
    return text[:1].upper() + text[1:] if word.islower() else text


def _tailless(text: str) -> Iterator[str]:
    """Cut before ", which …", "and show …", "; …" or the like, if "We do …" and enough of it remains."""
    if not _WE_DO.match(text):
        return
    for tail in _TAIL.finditer(text):
        kept, gone = text[: tail.start()], text[tail.start() + 1 :]
        if kept.count(" ") < 6 or gone.count(" ") < 3 or kept.count("(") != kept.count(")"):
            continue
        kind = tail.lastgroup
        if kind in ("which", "beside") and "," in gone:
            continue
        if kind == "act" and ("," in kept or " both " in kept):
            continue
        if kind == "way" and ("," in gone or " that " in kept or kept.endswith("ed")):
            continue
        yield kept.rstrip(" ,") + "." * text.endswith(".")


def _introduced(texts: Sequence[str]) -> str:
    """The first thing that the paper says is its own: not what it builds on, nor what it compares with."""
    seen = ""
    minor = ""
    for text in texts:
        text = text[:MOST_CHARACTERS]
        for name, after in _own_names(text):
            if name in seen:
                continue
            if not _PART.match(after):
                return name
            minor = minor or name
        seen += " " + text
    return minor


def _own_names(text: str) -> Iterator[tuple[str, str]]:
    """Each name that the sentence introduces, with what follows it."""
    if not _SIGN_OF_NAME.search(text, 1):
        return
    for act in _ACTS.finditer(text):
        yield from _names_after(text[act.end() :])
    if _MEETS.search(text):
        call = _CALL.search(text)
        if call:
            yield from _names_after(text[call.end() :])
        for pattern in (_WITH, _OURS):
            found = pattern.search(text)
            if found and _is_name(found["name"]):
                yield _short_form(found), ""
    passive = _PASSIVE.search(text) if _OWN_OR_NEW.search(text) else None
    if passive and _is_name(passive["name"]):
        yield passive["name"], ""


def _names_after(text: str) -> Iterator[tuple[str, str]]:
    """The names in what follows "we introduce": MARC in "a Memory-Augmented … (MARC) method for …"."""
    bracket = _BRACKET.search(text[:200])
    if bracket and (name := _meant(bracket["name"], text[: bracket.start()])):
        yield name, text[bracket.end() :]
    first = _FIRST_NAME.match(text)
    after = first["next"].strip() if first else ""
    if first and _is_name(first["name"]) and not after[:1].isalnum():
        yield _short_form(first), ""
    told = _EXAMPLES.split(text, maxsplit=1)[0][:200]
    call = _CALL.search(told)
    if call:
        yield from _names_after(told[call.end() :])
    for pattern in (_KIND_NAMED, _APPOSED):
        found = pattern.search(told)
        if found and _is_name(found["name"]) and _is_marked(found["name"]):
            yield _short_form(found), told[found.end("name") :]
    if first and _is_name(first["name"]) and _is_marked(first["name"]) and after in _KINDS:
        yield _short_form(first), text[first.end("name") :]


def _short_form(found: re.Match[str]) -> str:
    """The name found, or the short form that stands in brackets right after it."""
    short = _BRACKET.match(_KIND.sub("", found.string[found.end("name") :].lstrip("\"”’'» "), count=1))
    if short and " " in found["name"] and short["name"].lower() not in _GENERAL:
        return short["name"]
    return found["name"]


def _meant(short: str, before: str) -> str:
    """The short form, if it abbreviates the very thing named before it and not a part of its description."""
    letters = [character.lower() for character in short if character.isalnum()]
    if (
        len(letters) < 3
        or short.lower() in _GENERAL
        or short[1:].islower()
        or short.islower()
        or short.isdigit()
    ):
        return ""
    words = [word.strip("\"“‘'(*") for word in _GAP.split(before.strip())]
    lows = [word.lower() for word in words]
    starts = [
        i for i, low in enumerate(lows) if low[:1] == letters[0] and _spells(letters, "".join(lows[i:]))
    ]
    if not starts or starts[-1] > 8:
        return ""
    described = lows[: starts[-1]]
    if any(word.rstrip(",;:") in _LINKS or word.endswith((",", ";", ":")) for word in described):
        return ""
    return words[-1] if starts[-1] == len(words) - 1 and _is_marked(words[-1]) else short


def _spells(letters: Sequence[str], text: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)


def _is_name(name: str) -> bool:
    general = name.lower() in _GENERAL or name.endswith(("-based", "-like", "-style", "-constrained"))
    return not general and len(name) > 2 and any(character.isalpha() for character in name)


def _is_marked(name: str) -> bool:
    """Whether it looks like a name wherever it stands: capitals or figures after its first letter."""
    return any(character.isupper() or character.isdigit() for character in name[1:])


_NAME: Final = (
    r"[\"“‘'«]?(?P<name>(?:[\w+]*[A-Z0-9α-ωΑ-Ω][\w+]*(?:[-.∞/^*]\w+)*[*+]*|\w+[A-Z][\w+-]*)"
    r"(?:[ -][A-Z0-9][\w+-]*){0,6})(?![\w-])[\"”’'»]?"
)
_SIGN_OF_NAME: Final = re.compile(r"[A-Z0-9]|[^\x00-\x7f]")
_MARKED: Final = r"(?P<name>\b(?:[A-Z][\w+]*[A-Z0-9][\w+-]*|[a-z]+[A-Z][\w+-]*|[A-Z]\w*-[A-Z0-9][\w+-]*))"
_DETERMINERS: Final = r"(?:(?:an?|the|our|two|three|novel|new|le|la|un|une|ein|eine|einen|den|die|das)\s+)*"
_LINK_WORDS: Final = (
    "for of in on with to that which by from using via and as between under through where is are called named"
)
_KIND_WORDS: Final = (
    "method methods model models framework frameworks algorithm algorithms dataset datasets benchmark"
    " benchmarks architecture architectures network networks system systems approach approaches technique"
    " library toolkit suite corpus environment paradigm pipeline platform package loss optimizer estimator"
    " agent module layer layers tool toolbox challenge task procedure scheme strategy mechanism"
)
_ANY_KIND: Final = "|".join(_KIND_WORDS.split())
_KIND: Final = re.compile(rf"^(?:{_ANY_KIND}) ")
_KINDS: Final = frozenset(
    [*_KIND_WORDS.split(), *"a an that which to for as where in with and by based".split()]
)
_FIRST_NAME: Final = re.compile(
    rf"\s*{_DETERMINERS}{_NAME}(?P<next>\s*[,:;(.—–，：；（。、]|\s+[-—–]|\s+\w+|\s*$)"
)
_CALL: Final = re.compile(
    r"\b(?:called|named|dubbed|termed|coined|entitled|namely|denoted(?: as| by)?"
    r"|(?:refer(?:red)? to|known|abbreviated) as|we (?:call|name|term|dub)(?: it| (?:this|our)(?: \w+)?)?"
    r"|genannt|nommée?|appelée?|dénommée?)(?: as)?,?\s"
)
_APPOSED: Final = re.compile(
    rf"(?:[,:—–]|\s-)\s*{_NAME}(?=\s*[,.(:;—–]|\s*$|\s+(?:that|which|for|to|and|where|in|with|based|by|as)\b)"
)
_WITH: Final = re.compile(rf"\b(?:with|through|via|using|by|is)\s+{_NAME}(?=\s*[,:—–(]\s*(?:an?|the|our)\s)")
_KIND_NAMED: Final = re.compile(
    rf"^\s*(?:(?!(?:{'|'.join(_LINK_WORDS.split())})\b)[\w/-]+\s+){{0,7}}(?:{_ANY_KIND})\s+{_NAME}(?=[\s,.;:(]|$)"
)
_OURS: Final = re.compile(
    rf"\b(?:[Oo]ur (?:[\w-]+ ){{0,4}}(?:{_ANY_KIND}),? (?:called )?|(?:[Oo]ur|[Tt]he) (?:proposed|resulting) "
    rf"(?:(?:[\w-]+ ){{0,4}}(?:{_ANY_KIND}),? )?){_MARKED}(?=,| \w)"
)
_PASSIVE: Final = re.compile(rf"{_MARKED}\)?,? (?:is|are) (?:proposed|presented|introduced|developed)\b")
_OWN_OR_NEW: Final = re.compile(r"\b(?:new|novel|this|here)\b", re.IGNORECASE)
_PART: Final = re.compile(
    r"\)?,?\s*(?:-?based\s+)?(?:\w+\s+)?(?:modules?|blocks?|loss(?:es)?|layers?|strateg\w+|decoders?"
    r"|encoders?|operators?|terms?|tasks?|mechanisms?|baselines?)\b"
)
_BRACKET: Final = re.compile(
    r"\(\s*(?:or |i\.e\.,? |the )?[\"“‘']?(?P<name>[\w+^*.α-ω∞-]{2,24})[\"”’']?\s*\)"
)
_ACTS: Final = re.compile(
    rf"(?:{_WE}{_VERBS}|\bby (?:introducing|proposing|presenting|developing|designing|contributing))\b"
    r"(?:\s+and (?:introduce|propose|present|develop|release|study|analyze|evaluate)s?\b)?,?"
    r"|\band (?:(?:then|further|also|thus) )?(?:introduce|propose|present|design|develop|contribute)s?\b"
    r"|(?:提出|介绍|引入|推出|発表|開発|提案)(?:了|する|した)?(?:一种|一種|一个|一個)?",
    re.IGNORECASE,
)
_MEETS: Final = re.compile(
    rf"{_WE}(?:address|tackle|solve|fill|bridge|achieve|approach|call|name|term|dub|explore|do|try|tries)"
    r"|\bour\b|\bthe (?:proposed|resulting|presented|complete)\b|我们|我們|本文",
    re.IGNORECASE,
)
_EXAMPLES: Final = re.compile(
    r"\be\.g\.|\b(?:such as|like|including|based on|using|compared|outperform|for example)\b"
)
_GAP: Final = re.compile(r"[\s—–]+")
_LINKS: Final = frozenset(_LINK_WORDS.split())
_GENERAL: Final = frozenset(
    "a i ai ml dl rl hrl irl nlp cv llm llms vlm vlms mllm mllms cnn cnns rnn rnns gan gans vae vaes ae"
    " lstm lstms gru mlp mlps gnn gnns gcn gcns dnn dnns snn snns sgd svd pca adam bert gpt gpu gpus cpu cpus"
    " api 2d 3d 4d iid kl mdp mdps pomdp bayesian gaussian markov fourier riemannian euclidean hilbert"
    " wasserstein lipschitz hessian nash pac monte-carlo metropolis-hastings q-learning english"
    " chinese german french python pytorch imagenet cifar-10 cifar10 mnist resnet densenet transformer"
    " transformers alphazero one two three four five first this these it our we in on the an to for".split()
) | {"monte carlo", "deep neural network", "convolutional neural network", "generative adversarial network"}
_OPENER: Final = re.compile(
    r"(?:(?:in|with|through|throughout|for) (?:this|the present|our)"
    r" (?:paper|work|article|study|report|letter|thesis|manuscript)"
    r"|here|to (?:this|that) end|towards? this end|specifically|in particular|particularly|concretely"
    r"|furthermore|moreover|finally|additionally|in addition|thus|hence|therefore|consequently"
    r"|accordingly|as a result|in response|instead|however|motivated by this|inspired by this"
    r"|(?:to|in order to|for|by|building|based|inspired|motivated|drawing|guided|leveraging|given"
    r"|following)\b[^,;:.?()]{0,50}\b(?:this|these|those|such|the above|the aforementioned|the challenges?)\b"
    r"[^,;:.?()]{0,60})"
    r",?\s+(?=(?:we|i|this paper|this work|this study|our)\b)",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(
    r"(?!(?:if|when|whenever|under|assuming|unless|provided|without|with|only|on|for|at|since|because)\b)"
    r"(?:[^,;:.?()]{2,120}|[^;:.?()]{2,90}),\s+"
    r"(?=(?:we|i|this (?:paper|work|study)|our (?:work|paper|study|approach|method))\b)",
    re.IGNORECASE,
)
_ADVERB: Final = re.compile(
    r"(?:however|moreover|furthermore|additionally|in addition|finally|specifically|in particular|importantly"
    r"|notably|interestingly|surprisingly|remarkably|in (?:this|our) (?:paper|work|article|study)|here|thus"
    r"|hence|therefore|consequently|as a result|in conclusion|in summary|overall|to summarize|in short"
    r"|instead|then|also|first|second|lastly|to this end|crucially|concretely),\s+",
    re.IGNORECASE,
)
_WE_DO: Final = re.compile(r"(?:we|i|this (?:paper|work|study)) \w+", re.IGNORECASE)
_TAIL: Final = re.compile(
    # at most signs the look ahead fails at once, where each kind would be tried in turn
    r"(?=[,;]| and | by )(?:(?P<which>, which )|(?P<next>; )|(?P<way>,? by \w+ing )"
    r"|(?P<act>,? and (?:we |it )?(?:(?:also|then|further|can|\w+ly) )?(?:show|demonstrate|find|prove|propose"
    r"|provide|use|evaluate|present|introduce|apply|report|analy[sz]e|establish|discuss|study|derive|develop"
    r"|investigate|achieve|improve|compare|explore|outperform|allow|enable|require|lead|perform|reduce"
    r"|generali[sz]e|is|are|can|has|have|does)s? )"
    r"|(?P<doing>, (?:thus |thereby |hence |while )?(?:allow|enabl|lead|result|achiev|mak|yield|outperform"
    r"|improv|demonstrat|provid|show|reduc|obtain|giv|surpass|suggest|highlight|ensur|avoid|produc|offer"
    r"|reach|requir|indicat|preserv|exploit|eliminat|help|open|increas|permit|facilitat|alleviat|remov"
    r"|prevent|captur|exhibit)ing )"
    r"|(?P<beside>, (?:where|while|whereas|although|even|such that|so that|in order to|as well as|without"
    r"|but|rather than|instead of|including|such as|especially|particularly) ))"
)
_CITATION: Final = re.compile(
    r"\s*(?:\((?:see |cf\. |e\.g\.,? )?[A-Z][^()]{0,120}?(?:19|20)\d\d[a-z]?(?:[;,][^()]{0,120})?\)"
    r"|\[\d+(?:\s*[,–-]\s*\d+)*\])"
)
_ASIDES: Final = re.compile(
    r"\s*\((?:(?:e\.\s?g\.|for example|for instance|see )[^()]{0,300}|[^()]{30,300})\)"
)


# The model


@dataclass(frozen=True, slots=True)
class _Model:
    sentences: dict[Name, int]
    """The weight of each feature of a sentence, in thousandths."""
    words: dict[str, Sequence[float]]
    """For each root the logit of its chance to be taken over, and how rare it is."""
    trees: Trees


@cache
def _model() -> _Model:
    found = json.loads(_weights())
    trees = found["trees"]
    weights = {_name(written): weight for written, weight in found["sentences"].items()}
    asked, limits, leaves = (np.array(trees[part]) for part in ("asked", "limits", "leaves"))
    # one object for all roots with the same numbers: it stays in the processor's cache
    shared = {numbers: numbers for numbers in map(tuple, found["words"].values())}
    words: dict[str, Sequence[float]] = {
        root: shared[tuple(numbers)] for root, numbers in found["words"].items()
    }
    return _Model(weights, words, grove(asked, limits, leaves, trees["base"]))


def _name(written: str) -> Name:
    first, _, second = written.partition(" ")
    return (first, second) if second and first[0] not in "@^" else written


@cache
def _weights() -> bytes:
    return files("digests").joinpath("data/summary.json").read_bytes()


METHOD: Final = "learnt-5-" + hashlib.sha256(_weights()).hexdigest()[:12]
"""Names the rules and the weights: a summary stored under another name is out of date."""
