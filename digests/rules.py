"""What a reader holds for and against a sentence as a summary, beside what the model makes of it.

All numbers are on the scale of the model's scores, where good sentences lie about half a point apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from digests import cues
from digests.salience import Reading
from digests.sentences import roots
from digests.sentences import words as split_words

BEGINS: Final = 0.3
"""For the sentence that first says what "we" do."""
OTHERS: Final = 0.3
"""Against one in which the paper does not speak of itself, or only of what may come."""
BACKGROUND: Final = 0.4
"""Against what stands before the paper speaks of itself."""
INTENDS: Final = 0.4
"""Against what "we study", where a later sentence says what "we" did."""
UNCLEAR: Final = 1.0
"""Against a sentence that is cut off, or whose point lies in another."""
FURTHER: Final = 0.3
"""Against what is told besides."""
POINTS: Final = 0.4
"""Against a sentence that names a thing of another: "these limitations"."""
REPEATS: Final = 0.5
"""Against one that tells what "we" do and hardly a word that the title has not."""
PRAISES: Final = 1.0
"""Against a sentence that only says that the work is good."""
CONCLUDES: Final = 1.5
"""For a conclusion."""
FINDS: Final = 0.5
"""In the report of a study: for a finding."""
AIMS: Final = 1.5
"""In the report of a study: against its aim and its method, where a finding follows."""
LATE: Final = 1.0
"""In the report of a study: for a finding at its end, for others in proportion to their place."""
NEVER: Final = 1_000.0
"""Against a question and a note about the publication; for a notice that the paper was taken back."""


def rules(reading: Reading) -> list[float]:
    """For each sentence what is to be added to its score."""
    parts = [_usual(reading), _outweighing(reading)]
    if reading.is_study:
        parts.append(_of_study(reading))
    return [sum(each) for each in zip(*parts, strict=True)]


def adds(texts: Sequence[str], first: int, second: int) -> bool:
    """Whether the second place has a sentence with a point of its own that can be read behind the first."""
    low = texts[second].lower()
    if cues.is_aside(texts[second]) or cues.is_later_part(low) or cues.is_only_outlook(low):
        return False
    if cues.is_intent(low, roots(low)) or cues.is_aim(low) or (second != first + 1 and cues.leans(low)):
        return False
    content = _content(split_words(low))
    return len(content - _content(split_words(texts[first].lower()))) > len(content) / 2


def _content(words: Sequence[str]) -> frozenset[str]:
    """Its longer words: they tell what it is about."""
    return frozenset(word for word in words if len(word) > 3)


def _outweighing(reading: Reading) -> list[float]:
    """What decides whatever else counts."""
    return [
        NEVER * (cues.is_notice(low, seen) - (cues.is_question(text) or cues.is_note(low, seen)))
        for text, low, seen in zip(reading.texts, reading.lows, reading.telling, strict=True)
    ]


def _usual(reading: Reading) -> list[float]:
    """What counts in every abstract: where the paper first says what it does, whether it speaks at all."""
    own = [cues.is_own(low, seen) for low, seen in zip(reading.lows, reading.telling, strict=True)]
    cued = [cue and is_own for cue, is_own in zip(reading.cues, own, strict=True)]
    starts = cued if True in cued else own
    told = _first(starts)
    last = _last(starts)
    said = cues.EMPTY_ROOTS.union(reading.title) if reading.title else frozenset[str]()
    found = []
    for i, (low, seen) in enumerate(zip(reading.lows, reading.telling, strict=True)):
        is_other = not own[i] or (i > told and cues.is_outlook(low, seen))
        rule = -OTHERS * is_other - BACKGROUND * (not own[i] and i < told)
        rule += BEGINS * (i == told and cued[i])
        rule += CONCLUDES * (reading.concludes[i] and not cues.is_only_outlook(low))
        rule -= INTENDS * (i < last and cues.is_intent(low, seen))
        rule -= PRAISES * cues.is_praise(low, seen)
        rule -= FURTHER * cues.is_further(low, seen) + POINTS * reading.points[i]
        rule -= REPEATS * (reading.cues[i] and _repeats(reading.distinct[i], said))
        rule -= UNCLEAR * (reading.vague[i] + cues.is_cut_off(reading.texts[i]))
        found.append(rule)
    return found


def _repeats(roots: Mapping[str, None], said: frozenset[str]) -> bool:
    """Whether it has at most one longer word that says anything and is not in the title."""
    return bool(said) and sum([len(root) > 3 for root in roots.keys() - said]) < 2


def _of_study(reading: Reading) -> list[float]:
    """What counts in the report of a study besides: what was found more than what was asked and done."""
    finds = [cues.finds(low) or end for low, end in zip(reading.lows, reading.concludes, strict=True)]
    aims = [cues.is_aim(low) for low in reading.lows]
    begun = _first([either or other for either, other in zip(finds, aims, strict=True)])
    last = _last(finds)
    return [
        found * (FINDS + LATE * i / len(finds)) - AIMS * (i < last and aim) - BACKGROUND * (i < begun)
        for i, (found, aim) in enumerate(zip(finds, aims, strict=True))
    ]


def _first(flags: Sequence[bool]) -> int:
    """The place of the first that is set, 0 where none is."""
    return flags.index(True) if True in flags else 0


def _last(flags: Sequence[bool]) -> int:
    """The place of the last that is set, 0 where none is."""
    return len(flags) - 1 - flags[::-1].index(True) if True in flags else 0
