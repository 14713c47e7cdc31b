"""Tests of ranking: orders matches, shares the day's few fairly, leaves near-twins out."""

from datetime import UTC, datetime, timedelta
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from digests.matching import Match
from digests.paper import Paper, PaperId
from digests.ranking import Selection, Wanted, likeness, select, stems

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


def paper(number: int, text: str = "", seen: datetime = NOON) -> Paper:
    """A paper with words of its own."""
    own = text or " ".join(f"word{number}x{n}" for n in range(6))
    return Paper(f"Paper {number}", own, id=PaperId(number), first_seen=seen)


def match(number: int, relevance: float = 0.5, text: str = "", seen: datetime = NOON) -> Match:
    """A match of such a paper."""
    return Match(paper(number, text, seen), relevance, ())


def numbers(selection: Selection) -> list[list[int]]:
    """The ids of the chosen papers, share by share."""
    return [[chosen.match.paper.id for chosen in share.chosen] for share in selection.shares]


def test_the_most_relevant_comes_first() -> None:
    """Within a share papers stand by relevance."""
    wanted = Wanted("a", 10, [match(1, 0.2), match(2, 0.9), match(3, 0.5)])
    assert numbers(select([wanted], 10)) == [[2, 3, 1]]


def test_of_about_equals_the_newer_comes_first() -> None:
    """A little relevance does not outweigh a week, much of it does."""
    old = NOON - timedelta(days=7)
    wanted = Wanted("a", 10, [match(1, 0.52, seen=old), match(2, 0.5), match(3, 0.9, seen=old)])
    assert numbers(select([wanted], 10)) == [[3, 2, 1]]


def test_a_paper_stands_once_under_its_best_and_names_the_others() -> None:
    """A paper that matches two subscriptions is shown where it is more relevant."""
    one = Wanted("one", 10, [match(1, 0.3)])
    other = Wanted("other", 10, [match(1, 0.8)])
    selection = select([one, other], 10)
    assert numbers(selection) == [[], [1]]
    assert selection.shares[1].chosen[0].also_for == ("one",)
    assert selection.shares[0].waiting == selection.waiting == 0


def test_a_full_subscription_gives_its_paper_to_the_next_best() -> None:
    """Where the best subscription has no room, the paper stands under another."""
    one = Wanted("one", 1, [match(1, 0.9), match(2, 0.8)])
    other = Wanted("other", 5, [match(2, 0.3)])
    assert numbers(select([one, other], 10)) == [[1], [2]]


def test_few_places_are_shared() -> None:
    """A subscription with many matches leaves room for one with weaker matches."""
    many = Wanted("many", 10, [match(n, 0.9) for n in range(1, 20)])
    few = Wanted("few", 10, [match(n, 0.1) for n in range(20, 25)])
    none = Wanted("none", 10, [])
    selection = select([many, few, none], 4)
    assert [len(share) for share in numbers(selection)] == [2, 2, 0]
    assert [share.waiting for share in selection.shares] == [17, 3, 0]
    assert selection.waiting == 20


def test_what_one_leaves_goes_to_the_others() -> None:
    """A subscription with one match gives its further turns away."""
    many = Wanted("many", 10, [match(n) for n in range(1, 20)])
    few = Wanted("few", 10, [match(20)])
    assert [len(share) for share in numbers(select([many, few], 8))] == [7, 1]


def test_a_near_twin_waits() -> None:
    """Of two papers in nearly the same words the better is shown and the other waits."""
    text = "we study routing of tokens in mixtures of experts on long documents with sparse attention"
    wanted = Wanted("a", 10, [match(1, 0.9, text), match(2, 0.8, f"{text} anew"), match(3, 0.1)])
    selection = select([wanted], 10)
    assert numbers(selection) == [[1, 3]]
    assert selection.waiting == 1


def test_a_twin_in_another_section_waits_too() -> None:
    """Near-twins are left out across subscriptions."""
    text = "we study routing of tokens in mixtures of experts on long documents with sparse attention"
    wanted = [Wanted("a", 10, [match(1, 0.9, text)]), Wanted("b", 10, [match(2, 0.8, text)])]
    assert numbers(select(wanted, 10)) == [[1], []]


def test_likeness_counts_shared_words() -> None:
    """Papers with the same words are wholly alike, papers without common words not at all."""
    one, other = paper(1, "graph networks"), paper(1, "a graph network")
    assert likeness(stems(one), stems(one)) == 1
    assert 0 < likeness(stems(one), stems(other)) < 1
    assert likeness(frozenset({"a"}), frozenset({"b"})) == likeness(frozenset(), frozenset()) == 0


@st.composite
def wishes(draw: st.DrawFn) -> list[Wanted]:
    """Up to five subscriptions over up to thirty papers."""
    relevances = st.integers(0, 4).map(lambda n: n / 4)
    papers = st.dictionaries(st.integers(1, 30), relevances, max_size=20)
    ages = draw(st.lists(st.integers(0, 9), min_size=31, max_size=31))
    return [
        Wanted(
            f"s{place}",
            draw(st.integers(0, 12)),
            [match(n, score, seen=NOON - timedelta(days=ages[n])) for n, score in draw(papers).items()],
        )
        for place in range(draw(st.integers(0, 5)))
    ]


@given(wishes(), st.integers(0, 20))
def test_limits_hold_and_nothing_is_shown_twice(wanted: list[Wanted], size: int) -> None:
    """Never more than the size, nor than a limit; no paper twice; what is not shown waits."""
    selection = select(wanted, size)
    shown = [number for share in numbers(selection) for number in share]
    assert len(shown) == len(set(shown)) <= size
    for each, share in zip(wanted, selection.shares, strict=True):
        assert len(share.chosen) <= each.limit
        assert {chosen.match.paper.id for chosen in share.chosen} <= {m.paper.id for m in each.matches}
    assert selection.waiting == len({m.paper.id for each in wanted for m in each.matches}) - len(shown)


@given(wishes(), st.integers(0, 20))
def test_no_place_stays_empty_while_something_could_fill_it(wanted: list[Wanted], size: int) -> None:
    """A day with room left has shown everything, except under subscriptions that are full."""
    selection = select(wanted, size)
    shown = {number for share in numbers(selection) for number in share}
    if len(shown) < size:
        for each, share in zip(wanted, selection.shares, strict=True):
            full = len(share.chosen) == each.limit
            assert full or {m.paper.id for m in each.matches} <= shown


@given(wishes(), st.integers(0, 20), st.randoms())
def test_order_of_input_does_not_matter(wanted: list[Wanted], size: int, chance: Random) -> None:
    """Shuffled subscriptions and matches give the same papers in the same shares."""
    shuffled = [Wanted(w.name, w.limit, chance.sample(w.matches, len(w.matches))) for w in wanted]
    chance.shuffle(shuffled)
    one, other = select(wanted, size), select(shuffled, size)
    shown = {share.name: share.chosen for share in other.shares}
    for share in one.shares:
        mine = [chosen.match for chosen in share.chosen]
        assert mine == [chosen.match for chosen in shown[share.name]]
    assert one.waiting == other.waiting


@given(st.lists(st.integers(0, 15), min_size=1, max_size=6), st.integers(1, 30))
def test_shares_are_fair(counts: list[int], size: int) -> None:
    """No subscription with enough papers of its own gets less than its part of the day."""
    wanted = [
        Wanted(f"s{place}", 50, [match(100 * place + n + 1, n / 20) for n in range(count)])
        for place, count in enumerate(counts)
    ]
    for count, share in zip(counts, numbers(select(wanted, size)), strict=True):
        assert len(share) >= min(count, size // len(counts))
