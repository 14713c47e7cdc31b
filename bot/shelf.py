"""The shelf: the papers that may be shown, indexed once and kept until they change, whoever stores them."""

from __future__ import annotations

import threading
from datetime import datetime

from digests.compose import oldest, waiting
from digests.matching import Index
from digests.ports import Store


class Shelf:
    """`compose.Waiting` of a store, for any thread.

    Making the index takes seconds at 20,000 papers, and it holds about 7 kB a paper.
    What it was made of is told by the store's mark, asked before the papers are read: one that is stored
    meanwhile makes it out of date at once.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._made_of: tuple[int, datetime] | None = None
        self._index = Index(())
        self._is_used = False

    def __call__(self, now: datetime) -> Index:
        """The papers that may be shown at `now`, as they are stored at this moment."""
        with self._lock:
            self._is_used = True
            return self._fresh(now)

    def keep_up(self, now: datetime) -> None:
        """Look after changes before somebody has to wait for them; does nothing while nobody asks."""
        with self._lock:
            if self._made_of:
                self._fresh(now)

    def rest(self) -> None:
        """Forget the papers if nobody asked since the last time: an idle service holds none."""
        with self._lock:
            if not self._is_used:
                self._made_of, self._index = None, Index(())
            self._is_used = False

    def _fresh(self, now: datetime) -> Index:
        made_of = (self._store.papers.mark(), oldest(now))
        if made_of != self._made_of:
            self._made_of, self._index = None, Index(())  # two of them are never held
            self._index = waiting(self._store, now)
            self._index.anew({})  # what the papers alone tell is found out now, not by the first who asks
            self._made_of = made_of
        return self._index
