"""The register: what people change of a channel, by one set of rules for chat and command line.

Each change leaves an audit row in its own transaction.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime

from digests import changes
from digests.changes import Change, Facts
from digests.channel import Channel
from digests.errors import ConflictError, InputError, UnknownError
from digests.ports import Store
from digests.schedule import latest_believable
from digests.subscription import Subscription
from digests.text import clip

MAX_SUBSCRIPTIONS = 50


@dataclass(frozen=True, slots=True)
class Hints:
    """How the next step is written where a person is: each a whole command, "{n}" for a number."""

    subscribe: str
    list: str
    edit: str
    remove: str
    feeds: str
    name: str


@dataclass(frozen=True, slots=True)
class Register:
    """A channel as somebody changes it at a time; `channel` comes to be stored with its first change."""

    store: Store
    channel: Channel
    who: str
    now: datetime
    hints: Hints

    @property
    def subscriptions(self) -> tuple[Subscription, ...]:
        """The channel's subscriptions, in the order of their numbers."""
        return self.store.subscriptions.of([self.channel.id]).get(self.channel.id, ())

    @property
    def last(self) -> date | None:
        """The local date of the channel's latest edition."""
        days = self.store.outbox.last_days([self.channel.id], latest_believable(self.now))
        return days.get(self.channel.id)

    def pick(self, which: str) -> tuple[int, Subscription]:
        """The subscription that a number, "#" and an id, else a name mean, with its number; UnknownError."""
        found = self.subscriptions
        numbered = tuple(enumerate(found, 1))
        meant = [(n, each) for n, each in numbered if which in (str(n), f"#{each.id}")]
        meant += [(n, each) for n, each in numbered if which.casefold() == each.name.casefold()]
        if meant:
            return meant[0]
        there = f"see them with: {self.hints.list}" if found else f"add one: {self.hints.subscribe}"
        raise UnknownError(f"this channel has no subscription {clip(which, 60)!r}", there)

    def subscribe(self, wanted: Subscription) -> tuple[Subscription, Change]:
        """Add a subscription; InputError where the channel has it, has no room, or a feed is not there."""
        with self.store.together():
            self._stored()
            self._refuse_unfit(wanted)
            saved = self.store.subscriptions.add(wanted)
            return saved, self._note("subscribe", after=changes.whole(saved))

    def edit(
        self, which: str, change: Callable[[Subscription], Subscription]
    ) -> tuple[int, Subscription, Subscription]:
        """Change a subscription; gives its number, and it before and after: the same if nothing changed."""
        with self.store.together():
            number, old = self.pick(which)
            new = change(old)
            if new != old:
                self._refuse_unfit(new)
                self.store.subscriptions.save(new)
                before, after = changes.differing(changes.terms(old), changes.terms(new))
                self._note("edit", (*before, ("number", str(number))), (*after, ("number", str(number))))
        return number, old, new

    def unsubscribe(self, which: str) -> tuple[Subscription, Change]:
        """Remove a subscription; UnknownError."""
        with self.store.together():
            _, found = self.pick(which)
            self.store.subscriptions.remove(found.id)
            return found, self._note("unsubscribe", before=changes.whole(found))

    def undo(self, number: int) -> tuple[Subscription, bool]:
        """Take back a change; gives the subscription, and whether it is there again or gone."""
        with self.store.together():
            change = self._undoable(number)
            if change.what == "subscribe":
                return self._take_back(change), False
            again = changes.restored(self.channel.id, change.before)
            self._refuse_unfit(again)
            saved = self.store.subscriptions.add(again)
            self._note("undo", after=changes.whole(saved))
            return saved, True

    def change(self, what: str, change: Callable[[Channel], Channel]) -> tuple[Channel, Channel]:
        """Change the channel as it is stored now; gives it before and after."""
        with self.store.together():
            before = self._stored()
            after = change(before)
            self.store.channels.save(after)
            self._note(what, *changes.differing(changes.settings(before), changes.settings(after)))
        return before, after

    def _stored(self) -> Channel:
        """The channel as it is stored, which it comes to be if it was not."""
        try:
            return self.store.channels.get(self.channel.id)
        except UnknownError:
            self.store.channels.add(self.channel)
            return self.channel

    def _note(self, what: str, before: Facts = (), after: Facts = ()) -> Change:
        return self.store.audit.add(Change(self.channel.id, self.who, what, self.now, before, after))

    def _refuse_unfit(self, wanted: Subscription) -> None:
        """InputError for one that the channel has already or has no room for, or whose feeds do not exist."""
        others = [(n, other) for n, other in enumerate(self.subscriptions, 1) if other.id != wanted.id]
        for number, other in others:
            if (other.query, other.feeds) == (wanted.query, wanted.feeds):
                raise ConflictError(
                    f"this channel has that query already: number {number}, {clip(other.name, 60)!r}",
                    f"change it with: {_with(self.hints.edit, number)}",
                )
            if other.name.casefold() == wanted.name.casefold():
                raise ConflictError(
                    f"this channel has a subscription called {clip(other.name, 60)!r} already",
                    f"give this one another name, as in: {self.hints.name}",
                )
        if len(others) >= MAX_SUBSCRIPTIONS:
            raise InputError(
                f"this channel has {MAX_SUBSCRIPTIONS} subscriptions, and more is too much for a digest",
                f"remove one first: {_with(self.hints.remove, 1)}",
            )
        known = {feed.name for feed in self.store.feeds.all()} if wanted.feeds else set()
        for feed in wanted.feeds:
            if feed not in known:
                raise UnknownError(
                    f"there is no feed {clip(feed, 60)!r}", f"see them with: {self.hints.feeds}"
                )

    def _undoable(self, number: int) -> Change:
        """The change of that number, if it is one of this channel that can be taken back; UnknownError."""
        with suppress(UnknownError):
            change = self.store.audit.get(number)
            if change.channel == self.channel.id and change.what in ("subscribe", "unsubscribe"):
                return change
        raise UnknownError(f"there is no change {number} of this channel to undo", f"see {self.hints.list}")

    def _take_back(self, change: Change) -> Subscription:
        made = dict(change.after)["id"]
        found = next((each for each in self.subscriptions if str(each.id) == made), None)
        if found is None:
            raise UnknownError("that subscription is gone already", f"see {self.hints.list}")
        self.store.subscriptions.remove(found.id)
        self._note("undo", before=changes.whole(found))
        return found


def _with(hint: str, number: int) -> str:
    return hint.replace("{n}", str(number))
