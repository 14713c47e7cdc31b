"""A property of the news that papers came out: told to each channel once, whatever happens in between."""

from collections import Counter
from contextlib import ExitStack
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from digests.channel import EmptyDay
from digests.compose import compose
from digests.errors import DeliveryError
from digests.feed import Feed
from digests.outbox import Edition, Receipt, failed, sent
from digests.paper import Identifier, Paper
from digests.ports import Store
from storage.store import open_store
from tests.digests.lab import about, read, subscribe
from tests.fakes import LAB, NOON, FakeMessenger, channel

COUNT = 4
HAPPENS = ("a paper comes", "one comes out", "a day", "a day", "a day that is refused", "a day that waits")


BEGINNING = (("a paper comes", 0), ("a day", 0), ("one comes out", 0))
events = st.tuples(st.sampled_from(HAPPENS), st.integers(0, COUNT))


def preprint(number: int) -> Paper:
    """A paper about lattices that is on arXiv."""
    (found,) = about("lattice", first=number)
    return replace(found, identifiers=(Identifier("arxiv", f"2501.{number:05}"),))


class World:
    """A channel that two processes serve in turn, and the dates on which it had an edition."""

    def __init__(self, stores: list[Store], policy: EmptyDay) -> None:
        self.stores = stores
        self.now = NOON
        self.came = 0
        self.came_out: set[int] = set()
        self.days: list[date] = []
        stores[0].channels.add(channel(empty_day=policy))
        subscribe(stores[0], "lattice", limit=2)

    def happens(self, event: str, which: int) -> None:
        self.stores.reverse()
        self.now += timedelta(minutes=1)
        if event == "a paper comes" and self.came < COUNT:
            read(self.stores[0], preprint(self.came), feed=f"arxiv-{self.came}", at=self.now)
            self.came += 1
        elif event == "one comes out" and self.came and which % self.came not in self.came_out:
            number = which % self.came
            self.came_out.add(number)
            feed = Feed(f"journal-{number}", f"https://journal-{number}.example/", last_check=self.now)
            self.stores[0].feeds.add(feed, [replace(preprint(number), venue="Annals")], self.now)
        elif event.startswith("a day"):
            self.day(event)

    def day(self, event: str) -> None:
        self.now += timedelta(days=1)
        for store in self.stores:
            for made in compose(store, {"console": FakeMessenger()}, self.now):
                assert isinstance(made, Edition)
                assert made.day not in self.days
                self.days.append(made.day)
        if event == "a day that waits":
            return  # it is withdrawn when the next one comes
        outbox = self.stores[0].outbox
        for delivery in outbox.claim(self.now, 10, ["console"]):
            if event == "a day that is refused":
                gone = DeliveryError("gone", permanent=True)
                outbox.settle(failed(delivery, gone, self.now, self.now))
            else:
                outbox.settle(sent(delivery, Receipt(delivery.key), self.now))

    def standing(self) -> dict[date, Edition]:
        """The editions that people have seen."""
        found = {day: self.stores[0].outbox.edition(LAB, day) for day in self.days}
        return {day: edition for day, edition in found.items() if edition and edition.payloads}


@settings(max_examples=30, deadline=None)
@given(st.lists(events, max_size=12), st.sampled_from(EmptyDay))
def test_what_comes_out_is_told_exactly_once(story: list[tuple[str, int]], policy: EmptyDay) -> None:
    """Over refused and withdrawn days, silence and two processes: never lost, twice or too early."""
    with TemporaryDirectory() as folder, ExitStack() as stack:
        stores: list[Store] = [open_store(Path(folder) / "p.db") for _ in range(2)]
        for store in stores:
            stack.callback(store.close)
        world = World(stores, policy)
        for event, which in (*BEGINNING, *story):
            world.happens(event, which)
        for number in range(COUNT + 2):  # papers wait for their turn, and news for a day that speaks
            read(stores[0], *about("lattice", first=100 + number), feed=f"more-{number}", at=world.now)
            world.day("a day")
        editions = world.standing()
        shown = Counter(paper for edition in editions.values() for paper in edition.digest.papers)
        told = Counter(paper for edition in editions.values() for paper in edition.digest.told)
        keys = [f"arxiv:2501.{number:05}" for number in world.came_out]
        out = set(stores[0].papers.by_keys(keys).values())
        assert set(shown.values()) <= {1}
        assert told == Counter(out & shown.keys())
        assert len(out) == len(world.came_out)
        days = {paper: day for day, edition in editions.items() for paper in edition.digest.papers}
        assert all(
            days[news.paper] < day for day, edition in editions.items() for news in edition.digest.published
        )
