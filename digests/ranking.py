"""Orders matches, shares the day's few fairly, leaves near-twins out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache

from digests import terms
from digests.matching import Match
from digests.paper import Paper, PaperId

# What a paper seen just now is worth in relevance over an old one; half of it after two days
_FRESH = 0.05
_HALF_LIFE = timedelta(days=2)

# The share of their words that near-twins have in common; of 107,461 pairs on one topic none reached 0.40
TWIN = 0.5

Key = tuple[PaperId, str, str]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a subscription would show, of which at most `limit` today; names are unique."""

    name: str
    limit: int
    matches: Sequence[Match]


@dataclass(frozen=True, slots=True)
class Chosen:
    """A match that is shown, and the names of the other subscriptions that its paper matches."""

    match: Match
    also_for: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Share:
    """What a subscription gets today, best first, and how many of its matches wait.

    `ranked` are all its matches in the order in which their turns come.
    """

    name: str
    chosen: tuple[Chosen, ...]
    waiting: int
    ranked: Sequence[Match] = ()


@dataclass(frozen=True, slots=True)
class Selection:
    """A day's choice: a share for each subscription, in their order, and how many papers wait in all.

    `twins` are those left for another day, each with the chosen paper that it resembles.
    """

    shares: tuple[Share, ...]
    waiting: int
    twins: Mapping[PaperId, PaperId]


def select(wanted: Sequence[Wanted], size: int) -> Selection:
    """Choose at most `size` papers, and for no subscription more than its limit.

    Subscriptions take turns, the one with the best next paper first; one that has nothing more leaves its
    turns to the others.
    A paper stands under the subscription for which it is most relevant, of those that have room; a near-twin
    of a chosen paper waits for another day.
    The order of the matches does not matter, nor that of the subscriptions but for the order of the shares.
    """
    newest = _newest(match for each in wanted for match in each.matches)
    draw = _Draw([_Queue(each, newest) for each in wanted], size)
    while draw.turn():
        pass
    return draw.selection()


def likeness(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of all words of two papers that both have, from 0 to 1."""
    return len(one & other) / (len(one | other) or 1)


@lru_cache(maxsize=4_096)
def stems(paper: Paper) -> frozenset[str]:
    """The words that `likeness` compares; kept, since many channels choose among the same papers."""
    return frozenset(stem for _, stem in terms.words(f"{paper.title}\n{paper.abstract}"))


class _Queue:
    """The matches of one subscription, best first; `line` holds those that wait for its turns, best last."""

    def __init__(self, wanted: Wanted, newest: datetime | None) -> None:
        self.name = wanted.name
        self.limit = wanted.limit
        self.worth = {_key(match.paper): _worth(match, newest) for match in wanted.matches}
        self.matches = sorted(wanted.matches, key=lambda match: self._place(match.paper))
        self.line: list[Match] = []
        self.chosen: list[Match] = []

    @property
    def has_room(self) -> bool:
        return len(self.chosen) < self.limit

    def _place(self, paper: Paper) -> tuple[float, Key]:
        return -self.worth[_key(paper)], _key(paper)


class _Draw:
    """The turns of the subscriptions, until the day is full or nothing is left."""

    def __init__(self, queues: list[_Queue], size: int) -> None:
        self._queues = queues
        self._room = size
        self._taken: dict[Key, frozenset[str]] = {}
        self._twins: dict[Key, Key] = {}
        self._deal()

    def turn(self) -> bool:
        """Let each subscription take one paper; whether any could."""
        room = self._room
        for queue in sorted(self._queues, key=self._promise):
            # looked up again: what an earlier one of this turn took may be a twin
            match = self._next(queue)
            if match is not None and self._room > 0:
                self._take(match, queue)
        return self._room < room

    def selection(self) -> Selection:
        papers = {key for queue in self._queues for key in queue.worth}
        shares = tuple(self._share(queue) for queue in self._queues)
        twins = {twin[0]: chosen[0] for twin, chosen in self._twins.items()}
        return Selection(shares, len(papers) - len(self._taken), twins)

    def _deal(self) -> None:
        """Put each paper into the line of the subscription for which it is worth most."""
        roomy = sorted((queue for queue in self._queues if queue.has_room), key=lambda queue: queue.name)
        best: dict[Key, _Queue] = {}
        for queue in roomy:
            for key, worth in queue.worth.items():
                if key not in best or worth > best[key].worth[key]:
                    best[key] = queue
        for queue in self._queues:
            queue.line = [match for match in reversed(queue.matches) if best.get(_key(match.paper)) is queue]

    def _promise(self, queue: _Queue) -> tuple[float, str]:
        match = self._next(queue)
        return (-queue.worth[_key(match.paper)] if match else 0.0), queue.name

    def _next(self, queue: _Queue) -> Match | None:
        while queue.line:
            match = queue.line[-1]
            key = _key(match.paper)
            if key not in self._taken and key not in self._twins and not self._is_twin(match.paper):
                return match
            queue.line.pop()
        return None

    def _is_twin(self, paper: Paper) -> bool:
        mine = stems(paper) if self._taken else frozenset()
        for key, other in self._taken.items():
            if likeness(mine, other) >= TWIN:
                self._twins[_key(paper)] = key
                return True
        return False

    def _take(self, match: Match, queue: _Queue) -> None:
        queue.chosen.append(match)
        self._taken[_key(match.paper)] = stems(match.paper)
        self._room -= 1
        if not queue.has_room:
            self._deal()

    def _share(self, queue: _Queue) -> Share:
        chosen = tuple(Chosen(match, self._also_for(match, queue)) for match in queue.chosen)
        waiting = sum(key not in self._taken for key in queue.worth)
        return Share(queue.name, chosen, waiting, queue.matches)

    def _also_for(self, match: Match, queue: _Queue) -> tuple[str, ...]:
        key = _key(match.paper)
        return tuple(other.name for other in self._queues if other is not queue and key in other.worth)


def _newest(matches: Iterable[Match]) -> datetime | None:
    return max((match.paper.first_seen for match in matches if match.paper.first_seen), default=None)


def _worth(match: Match, newest: datetime | None) -> float:
    seen = match.paper.first_seen
    age = (newest - seen) / _HALF_LIFE if newest and seen else 0.0
    return match.relevance + _FRESH * math.pow(0.5, age)


def _key(paper: Paper) -> Key:
    return paper.id, paper.title, paper.abstract
