"""The contract of the channels' and the subscriptions' repositories."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from digests.channel import EmptyDay, Layout
from digests.errors import ConflictError, UnknownError
from digests.query import parse
from digests.schedule import WEEKLY, Calendar, Days
from digests.subscription import SubscriptionId
from storage.store import DatabaseStore
from tests.storage.examples import (
    BIO,
    DAY,
    ML,
    NOW,
    a_channel,
    a_paper,
    a_subscription,
    an_edition,
    with_papers,
)


@pytest.mark.parametrize(
    "calendar",
    [
        Calendar(time(0, 5), Days((0, 3)), ZoneInfo("America/Argentina/Buenos_Aires")),
        Calendar(time(23, 59), WEEKLY, ZoneInfo("UTC"), frozenset({date(2026, 12, 25), date(2026, 12, 26)})),
    ],
)
def test_a_channel_comes_back_as_it_was_saved(store: DatabaseStore, calendar: Calendar) -> None:
    """Every setting of a channel is stored."""
    store.channels.add(a_channel())
    channel = a_channel(
        calendar=calendar,
        name="",
        size=3,
        layout=Layout.COMPACT,
        empty_day=EmptyDay.WEEKLY,
        language="zh",
        paused=True,
        paused_until=DAY,
        added=NOW,
        since=NOW + timedelta(days=1),
    )
    store.channels.save(channel)
    assert store.channels.get(ML) == channel


def test_a_channel_is_registered_once(store: DatabaseStore) -> None:
    """A second registration is refused and changes no setting."""
    store.channels.add(a_channel())
    with pytest.raises(ConflictError, match="channels set slack:T1/C1"):
        store.channels.add(a_channel(name="other"))
    assert store.channels.all() == (a_channel(),)


def test_unknown_channels_are_refused_everywhere(store: DatabaseStore) -> None:
    """Each refusal says how to add the channel."""
    for act in (
        lambda: store.channels.get(ML),
        lambda: store.channels.save(a_channel()),
        lambda: store.channels.remove(ML),
        lambda: store.subscriptions.add(a_subscription()),
        lambda: store.outbox.put(an_edition(), ()),
    ):
        with pytest.raises(UnknownError, match="channels add slack:T1/C1"):
            act()


def test_a_removed_channel_takes_everything_with_it(store: DatabaseStore) -> None:
    """Subscriptions, editions, messages and what was shown go; a channel of the same address starts anew."""
    papers = with_papers(store, a_paper(1))
    store.channels.add(a_channel())
    store.subscriptions.add(a_subscription())
    store.outbox.put(an_edition(*papers), ())
    store.channels.remove(ML)
    store.channels.add(a_channel())
    assert store.subscriptions.of([ML]) == {ML: ()}
    assert (store.outbox.edition(ML, DAY), store.outbox.shown(ML), store.outbox.deliveries()) == (
        None,
        {},
        (),
    )


def test_a_subscription_comes_back_as_it_was_saved(store: DatabaseStore) -> None:
    """Every field of a subscription is stored."""
    store.channels.add(a_channel())
    added = store.subscriptions.add(a_subscription())
    changed = replace(
        added,
        name="Benchmarks",
        query=parse('title:benchmark -medical (author:"Yann LeCun" OR quantiz*)'),
        cadence=Days((0, 3)),
        limit=3,
        feeds=("arxiv-cs",),
        last_turn=DAY,
    )
    store.subscriptions.save(changed)
    assert store.subscriptions.of([ML]) == {ML: (changed,)}


def test_subscriptions_come_by_channel_in_the_order_of_their_making(store: DatabaseStore) -> None:
    """Each channel that was asked for is answered, one without subscriptions with none."""
    store.channels.add(a_channel())
    store.channels.add(a_channel(BIO))
    names = ["z", "a", "m"]
    for name in names:
        store.subscriptions.add(a_subscription(name))
    found = store.subscriptions.of([ML, BIO])
    assert ([subscription.name for subscription in found[ML]], found[BIO]) == (names, ())


def test_a_channel_names_its_subscriptions_apart(store: DatabaseStore) -> None:
    """Neither adding nor saving doubles a name; another channel may use it."""
    store.channels.add(a_channel())
    store.channels.add(a_channel(BIO))
    store.subscriptions.add(a_subscription("one"))
    two = store.subscriptions.add(a_subscription("two"))
    store.subscriptions.add(a_subscription("one", channel=BIO))
    with pytest.raises(ConflictError, match="'one'"):
        store.subscriptions.add(a_subscription("one"))
    with pytest.raises(ConflictError, match="'one'"):
        store.subscriptions.save(replace(two, name="one"))


def test_unknown_subscriptions_are_refused(store: DatabaseStore) -> None:
    """One that was removed can be neither saved nor removed."""
    store.channels.add(a_channel())
    added = store.subscriptions.add(a_subscription())
    store.subscriptions.remove(added.id)
    with pytest.raises(UnknownError):
        store.subscriptions.save(added)
    with pytest.raises(UnknownError):
        store.subscriptions.remove(SubscriptionId(77))
