"""What the core needs done: fetch, send, remember; each contract stands in its docstring.

Repositories are synchronous, network ports asynchronous.
All times are aware UTC; `now` is always given, never read.
Each method of a repository is one transaction, unless it stands inside `Store.together`: it happens whole or
not at all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date, datetime
from typing import Protocol

from digests.changes import Change
from digests.channel import Channel, ChannelId
from digests.digest import Digest
from digests.feed import Feed, Fetched
from digests.outbox import Delivery, Edition, Receipt
from digests.paper import Paper, PaperId
from digests.subscription import Subscription, SubscriptionId


class Fetcher(Protocol):
    """Brings documents; FetchError for everything that is not a document."""

    async def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> Fetched:
        """The document at `url`, or `not_modified` where it is still the one that `etag` names."""
        ...


class Messenger(Protocol):
    """A chat platform, as far as digests are concerned."""

    def render(self, digest: Digest) -> tuple[str, ...]:
        """The messages of a digest in order, each as this platform takes it; pure."""
        ...

    async def send(self, delivery: Delivery) -> Receipt:
        """Post one message once; DeliveryError says whether another try can help or may double it."""
        ...

    async def find_sent(self, delivery: Delivery) -> Receipt | None:
        """The receipt of a message that an earlier, unclear try did post, None if it did not."""
        ...


@dataclass(frozen=True, slots=True)
class Intake:
    """What became of the papers of one document: `new` and `revised` ids, `same` counts known ones."""

    new: tuple[PaperId, ...] = ()
    revised: tuple[PaperId, ...] = ()
    same: int = 0


class Feeds(Protocol):
    """The registered feeds, by name."""

    def add(self, feed: Feed, papers: Iterable[Paper], now: datetime) -> Intake:
        """Register a feed with its first papers; ConflictError when the name or the address is taken."""
        ...

    def get(self, name: str) -> Feed:
        """The feed of that name; UnknownError names the nearest."""
        ...

    def all(self) -> tuple[Feed, ...]:
        """Every feed, by name."""
        ...

    def due(self, now: datetime) -> tuple[Feed, ...]:
        """The feeds to be read now: not paused, not held, not fixed lists, and `due` is past or unset."""
        ...

    def save(self, feed: Feed) -> None:
        """Write a feed's state; UnknownError if it is not registered."""
        ...

    def take_in(self, feed: Feed, papers: Iterable[Paper], now: datetime) -> Intake:
        """Store what a document gave, and the feed's new state, in one transaction.

        `papers` is consumed lazily and once; `digests.dedupe` decides, inside the transaction, what is new.
        The feed's `last_new` becomes `now` if anything was.
        """
        ...

    def rename(self, old: str, new: str) -> None:
        """Give a feed another name; subscriptions that read it follow. UnknownError, ConflictError."""
        ...

    def remove(self, name: str) -> int:
        """Forget a feed but none of its papers; gives how many papers it had shown. UnknownError."""
        ...


class Papers(Protocol):
    """The stored papers."""

    def get(self, paper: PaperId) -> Paper:
        """The paper of that id; UnknownError."""
        ...

    def get_many(self, papers: Collection[PaperId]) -> Mapping[PaperId, Paper]:
        """The papers of those ids; unknown ids are left out."""
        ...

    def by_keys(self, keys: Collection[str]) -> Mapping[str, PaperId]:
        """For each identity key (`paper.keys`) that is known, the paper that has it."""
        ...

    def candidates(self, since: datetime) -> Iterator[Paper]:
        """Papers first seen at or after `since`, and all papers of lists, oldest id first, each once."""
        ...

    def search(self, prefilter: str | None) -> Iterator[Paper]:
        """Papers that a full-text expression of `query.prefilter` finds (None: all), newest first."""
        ...

    def mark(self) -> int:
        """A number that is another after each change, by any process, of what `candidates` gives."""
        ...

    def count(self, since: datetime | None = None) -> int:
        """How many papers are stored, or were first seen at or after `since`."""
        ...

    def summaries(self, papers: Collection[PaperId], method: str) -> Mapping[PaperId, tuple[str, ...]]:
        """The summaries already made by that method."""
        ...

    def keep_summaries(self, made: Mapping[PaperId, tuple[str, ...]], method: str) -> None:
        """Remember summaries; one that is there is replaced."""
        ...


class Channels(Protocol):
    """The channels and their settings."""

    def add(self, channel: Channel) -> None:
        """Register a channel; ConflictError if it is there."""
        ...

    def get(self, channel: ChannelId) -> Channel:
        """The channel of that address; UnknownError."""
        ...

    def all(self) -> tuple[Channel, ...]:
        """Every channel, by address."""
        ...

    def save(self, channel: Channel) -> None:
        """Write a channel's settings; UnknownError if it is not registered."""
        ...

    def remove(self, channel: ChannelId) -> None:
        """Forget a channel, its subscriptions, editions and what it was shown; UnknownError.

        Only the dates of its editions are kept, lest it get another for one of them when it is added again.
        """
        ...


class Subscriptions(Protocol):
    """The standing queries."""

    def add(self, subscription: Subscription) -> Subscription:
        """Store one and give it its id; ConflictError when the channel has that name; UnknownError."""
        ...

    def of(self, channels: Collection[ChannelId]) -> Mapping[ChannelId, tuple[Subscription, ...]]:
        """The subscriptions of those channels, each channel's in the order in which they were added."""
        ...

    def save(self, subscription: Subscription) -> None:
        """Write a changed subscription; UnknownError, ConflictError."""
        ...

    def remove(self, subscription: SubscriptionId) -> None:
        """Remove one; UnknownError."""
        ...


class Outbox(Protocol):
    """Editions and their messages: the seam between the core and the platforms."""

    def put(self, edition: Edition, turns: Sequence[SubscriptionId]) -> bool:
        """Store an edition with its messages, mark what it shows and what it tells, note whose turn it was.

        False, and nothing is written, if the channel has an edition for that local date already, or had one
        before it was removed.
        An edition that was given up before anything of it was posted does not count, here and below: its
        papers are no longer marked as shown, its turns and news are owed again, another may take its date.
        """
        ...

    def edition(self, channel: ChannelId, day: date) -> Edition | None:
        """The channel's edition for a local date."""
        ...

    def last_days(self, channels: Collection[ChannelId], until: date) -> Mapping[ChannelId, date]:
        """The date of each channel's latest edition up to `until`; channels without one are left out."""
        ...

    def withdraw(self, channel: ChannelId, before: date, why: str) -> bool:
        """Give up the channel's editions of earlier dates than `before` of which surely nothing was posted.

        `why` stands as their error. False if such an edition is left with a message that waits or is sent.
        """
        ...

    def shown(self, channel: ChannelId) -> Mapping[PaperId, date]:
        """What the channel was shown, and in the edition of which date."""
        ...

    def published(self, channel: ChannelId) -> Mapping[PaperId, str]:
        """The papers that the channel was shown as preprints and that have come out since: where.

        What was learnt first comes first; a paper that is `told` of by an edition is left out from then on.
        """
        ...

    def claim(
        self, now: datetime, limit: int, platforms: Collection[str], channel: ChannelId | None = None
    ) -> tuple[Delivery, ...]:
        """Take messages of these platforms that may be sent now, oldest first, for a lease of `outbox.LEASE`.

        Only the first unsent part of an edition is given, and only when the channel's earlier editions are
        settled. A claimed message has `attempts` raised and `sending_since` as it was before this claim
        (None on a first try); `now` is written as its new `sending_since`. Two callers never hold the same
        message within its lease.
        """
        ...

    def settle(self, delivery: Delivery) -> bool:
        """Write what became of a claimed message, and end its lease; False if that was known better already.

        Another holder, after the lease had run out, may have settled it, or its channel is gone.
        """
        ...

    def deliveries(self, day: date | None = None, channel: ChannelId | None = None) -> tuple[Delivery, ...]:
        """Every message, or those of one channel, of that local date (None: of the last fourteen days).

        The latest date comes first. What they say is left out: `payload` is "".
        """
        ...


class Audit(Protocol):
    """Every change that a person made, for ever; a row outlives its channel."""

    def add(self, change: Change) -> Change:
        """Store one and give it its id."""
        ...

    def get(self, change: int) -> Change:
        """The change of that id; UnknownError."""
        ...

    def latest(self, channel: ChannelId | None = None, limit: int = 100) -> tuple[Change, ...]:
        """The latest changes of a channel, or of all, latest first."""
        ...


class Store(Protocol):
    """All repositories of one database."""

    @property
    def feeds(self) -> Feeds: ...
    @property
    def papers(self) -> Papers: ...
    @property
    def channels(self) -> Channels: ...
    @property
    def subscriptions(self) -> Subscriptions: ...
    @property
    def outbox(self) -> Outbox: ...
    @property
    def audit(self) -> Audit: ...

    def together(self) -> AbstractContextManager[object]:
        """One transaction around several methods, on this thread: an exception undoes them all."""
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...
