"""A lab's store for tests: feeds that gave papers, and the subscriptions of the channel `LAB`."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from digests.feed import Feed
from digests.paper import Paper, PaperId
from digests.ports import Store
from digests.query import parse
from digests.subscription import Subscription
from tests.fakes import LAB, NOON, paper

_WORDS = "amber birch cedar delta ember frost grove heath inlet jetty knoll larch marsh north ocean".split()


def about(words: str, count: int = 1, first: int = 0) -> list[Paper]:
    """Papers about `words`, each otherwise in words of its own."""
    return [
        paper(
            f"{_WORDS[n % len(_WORDS)]} number {n}",
            f"We introduce a {words} of {' '.join(f'{word}{n}' for word in _WORDS)}. It works in {n} tests.",
        )
        for n in range(first, first + count)
    ]


def read(
    store: Store, *papers: Paper, feed: str = "arxiv", at: datetime = NOON, **fields: Any
) -> tuple[PaperId, ...]:
    """A feed that was read at a time and gave these papers; gives their ids."""
    state = {"last_check": at, "last_good": at, "last_count": len(papers), **fields}
    return store.feeds.add(Feed(feed, f"https://{feed}.example/rss", added=at, **state), papers, at).new


def subscribe(store: Store, query: str, name: str = "Topic", **fields: Any) -> Subscription:
    """A subscription of `LAB`, added at noon of the first of December."""
    return store.subscriptions.add(Subscription(LAB, name, parse(query), **{"added": NOON, **fields}))
