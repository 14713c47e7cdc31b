"""The contract of the outbox's repository."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest
import sqlite_utils

from digests.digest import Publication, Section
from digests.errors import DeliveryError
from digests.outbox import LEASE, Delivery, Edition, Receipt, Stage, failed, sent
from digests.paper import PaperId
from storage.migrations import migrations
from storage.rows import channel_row, digest_text, message_row, paper_row, stamp
from storage.store import DatabaseStore, open_store
from tests.storage.examples import (
    BIO,
    DAY,
    ML,
    NOW,
    a_channel,
    a_feed,
    a_paper,
    a_subscription,
    an_edition,
    with_papers,
)

BOTH = ("slack", "discord")
TOMORROW = DAY + timedelta(days=1)
SOON = NOW + timedelta(seconds=5)


@pytest.fixture
def outbox_store(store: DatabaseStore) -> DatabaseStore:
    """A store with two channels and a paper."""
    store.channels.add(a_channel())
    store.channels.add(a_channel(BIO))
    with_papers(store, a_paper(1), a_paper(2))
    return store


def claimed(store: DatabaseStore, **changed: object) -> list[tuple[str, date, int]]:
    """What a claim gives, by channel, day and part."""
    given: dict[str, object] = {"now": NOW, "limit": 10, "platforms": BOTH} | changed
    found = store.outbox.claim(**given)  # type: ignore[arg-type]
    return [(delivery.channel.platform, delivery.day, delivery.part) for delivery in found]


def claim_one(store: DatabaseStore, **changed: object) -> Delivery:
    """The only message that can be claimed."""
    given: dict[str, object] = {"now": NOW, "limit": 10, "platforms": BOTH} | changed
    (delivery,) = store.outbox.claim(**given)  # type: ignore[arg-type]
    return delivery


def test_an_edition_comes_back_as_it_was_put(outbox_store: DatabaseStore) -> None:
    """The document, every field of it, and its messages in order."""
    edition = an_edition(PaperId(1), PaperId(2), payloads=('{"text": "é"}', "two", "three"))
    assert outbox_store.outbox.put(edition, ())
    assert outbox_store.outbox.edition(ML, DAY) == edition
    assert outbox_store.outbox.edition(ML, TOMORROW) is None


def test_putting_marks_what_is_shown_and_whose_turn_it_was(outbox_store: DatabaseStore) -> None:
    """Shown papers and turns are written with the edition."""
    store = outbox_store
    one, other = (store.subscriptions.add(a_subscription(name)) for name in ("one", "other"))
    store.outbox.put(an_edition(PaperId(2)), [one.id])
    assert store.outbox.shown(ML) == {PaperId(2): DAY}
    assert store.outbox.shown(BIO) == {}
    turns = {subscription.id: subscription.last_turn for subscription in store.subscriptions.of([ML])[ML]}
    assert turns == {one.id: DAY, other.id: None}


def test_a_second_edition_of_a_date_is_refused_whole(outbox_store: DatabaseStore) -> None:
    """It changes no message, marks no paper and no turn."""
    store = outbox_store
    one = store.subscriptions.add(a_subscription())
    first = an_edition(PaperId(1))
    assert store.outbox.put(first, ())
    assert not store.outbox.put(an_edition(PaperId(2), payloads=("x", "y", "z")), [one.id])
    assert store.outbox.edition(ML, DAY) == first
    assert store.outbox.shown(ML) == {PaperId(1): DAY}
    assert store.subscriptions.of([ML])[ML][0].last_turn is None


def test_a_paper_stays_shown_on_its_first_date(outbox_store: DatabaseStore) -> None:
    """A later edition that shows it again does not move the date."""
    outbox_store.outbox.put(an_edition(PaperId(1)), ())
    outbox_store.outbox.put(an_edition(PaperId(1), day=TOMORROW), ())
    assert outbox_store.outbox.shown(ML) == {PaperId(1): DAY}


def test_a_silent_edition_has_no_messages_and_counts_as_the_last_day(outbox_store: DatabaseStore) -> None:
    """Silence is an edition too: the date is done."""
    outbox_store.outbox.put(an_edition(payloads=()), ())
    outbox_store.outbox.put(an_edition(payloads=(), day=TOMORROW), ())
    assert outbox_store.outbox.last_days([ML, BIO], TOMORROW) == {ML: TOMORROW}
    assert outbox_store.outbox.last_days([ML, BIO], DAY) == {ML: DAY}
    assert outbox_store.outbox.last_days([ML, BIO], DAY - timedelta(days=1)) == {}
    assert claimed(outbox_store) == []


def test_parts_go_one_after_another(outbox_store: DatabaseStore) -> None:
    """The second part can be claimed when the first is sent, not before."""
    store = outbox_store
    store.outbox.put(an_edition(), ())
    first = claim_one(store)
    assert (first.part, first.parts, first.payload, first.attempts, first.sending_since) == (
        1,
        2,
        "one",
        1,
        None,
    )
    assert first.stage is Stage.SENDING
    assert claimed(store) == []
    store.outbox.settle(sent(first, Receipt("ts1"), SOON))
    second = claim_one(store)
    store.outbox.settle(sent(second, Receipt("ts2"), SOON))
    assert [(d.part, d.stage, d.receipt, d.sent_at) for d in store.outbox.deliveries()] == [
        (1, Stage.SENT, "ts1", SOON),
        (2, Stage.SENT, "ts2", SOON),
    ]
    assert claimed(store) == []


def test_editions_of_a_channel_go_one_after_another(outbox_store: DatabaseStore) -> None:
    """A later edition waits until the earlier is settled; other channels do not wait."""
    store = outbox_store
    store.outbox.put(an_edition(payloads=("old",)), ())
    store.outbox.put(an_edition(payloads=("new",), day=TOMORROW), ())
    store.outbox.put(an_edition(payloads=("bio",), day=TOMORROW, channel=BIO, made=SOON), ())
    assert claimed(store) == [("slack", DAY, 1), ("discord", TOMORROW, 1)]
    assert claimed(store, channel=ML) == []
    store.outbox.settle(replace(store.outbox.deliveries(DAY)[0], stage=Stage.SENT))
    assert claimed(store, channel=ML) == [("slack", TOMORROW, 1)]


def test_claims_keep_to_limit_platforms_and_channel(outbox_store: DatabaseStore) -> None:
    """Oldest editions first; what is not asked for stays."""
    store = outbox_store
    store.outbox.put(an_edition(made=SOON), ())
    store.outbox.put(an_edition(channel=BIO), ())
    assert claimed(store, platforms=()) == []
    assert claimed(store, platforms=("discord",), channel=ML) == []
    assert claimed(store, limit=1) == [("discord", DAY, 1)]
    assert claimed(store, platforms=("slack",), channel=ML) == [("slack", DAY, 1)]


def test_a_lease_that_ran_out_hands_the_message_on_as_unclear(outbox_store: DatabaseStore) -> None:
    """The next holder learns since when the message may have been posted, and so does the one after."""
    store = outbox_store
    store.outbox.put(an_edition(), ())
    claim_one(store)
    assert claimed(store, now=NOW + LEASE - timedelta(seconds=1)) == []
    second = claim_one(store, now=NOW + LEASE)
    assert (second.attempts, second.sending_since) == (2, NOW)
    third = claim_one(store, now=NOW + 2 * LEASE)
    assert (third.attempts, third.sending_since) == (3, NOW)


def test_a_refused_message_waits_and_is_clear(outbox_store: DatabaseStore) -> None:
    """After a clear no it comes back at its time, without a look-up."""
    store = outbox_store
    store.outbox.put(an_edition(), ())
    error = DeliveryError("slow down", retry_after=timedelta(minutes=5))
    store.outbox.settle(failed(claim_one(store), error, NOW, SOON))
    assert claimed(store, now=SOON + timedelta(minutes=4)) == []
    again = claim_one(store, now=SOON + timedelta(minutes=5))
    assert (again.attempts, again.sending_since, again.error) == (2, None, "slow down")


def test_an_unclear_message_comes_back_with_its_first_sending_time(outbox_store: DatabaseStore) -> None:
    """After an unclear answer the next try begins with a look-up."""
    store = outbox_store
    store.outbox.put(an_edition(), ())
    error = DeliveryError("timed out", unclear=True, retry_after=timedelta(seconds=1))
    store.outbox.settle(failed(claim_one(store), error, NOW, SOON))
    assert claim_one(store, now=NOW + LEASE).sending_since == NOW


def test_giving_up_a_part_ends_its_edition_and_no_other(outbox_store: DatabaseStore) -> None:
    """Later parts are given up with it; the next edition goes out."""
    store = outbox_store
    store.outbox.put(an_edition(payloads=("one", "two", "three")), ())
    store.outbox.put(an_edition(payloads=("new",), day=TOMORROW), ())
    store.outbox.settle(sent(claim_one(store), Receipt("ts1"), SOON))
    store.outbox.settle(failed(claim_one(store), DeliveryError("gone", permanent=True), NOW, SOON))
    stages = [(delivery.part, delivery.stage, delivery.error) for delivery in store.outbox.deliveries(DAY)]
    assert stages == [(1, Stage.SENT, ""), (2, Stage.GIVEN_UP, "gone"), (3, Stage.GIVEN_UP, "gone")]
    assert claimed(store) == [("slack", TOMORROW, 1)]


def test_a_late_failure_does_not_disturb_the_next_holder(outbox_store: DatabaseStore) -> None:
    """Who lost the lease can still tell that it was sent, and nothing else."""
    store = outbox_store
    store.outbox.put(an_edition(), ())
    first = claim_one(store)
    second = claim_one(store, now=NOW + LEASE)
    store.outbox.settle(failed(first, DeliveryError("gone", permanent=True), NOW, SOON))
    assert store.outbox.deliveries()[0].stage is Stage.SENDING
    store.outbox.settle(sent(first, Receipt("ts1"), SOON))
    store.outbox.settle(failed(second, DeliveryError("timed out", unclear=True), NOW, SOON))
    delivery = store.outbox.deliveries()[0]
    assert (delivery.stage, delivery.receipt) == (Stage.SENT, "ts1")


def test_settling_for_a_removed_channel_does_nothing(outbox_store: DatabaseStore) -> None:
    """The answer may come when nobody wants to know."""
    store = outbox_store
    store.outbox.put(an_edition(), ())
    delivery = claim_one(store)
    store.channels.remove(ML)
    store.outbox.settle(sent(delivery, Receipt("ts1"), SOON))
    assert store.outbox.deliveries() == ()


def test_a_channel_that_comes_back_has_had_its_dates(outbox_store: DatabaseStore) -> None:
    """What may have been posted in a channel that was removed is not posted for that date again."""
    store = outbox_store
    store.outbox.put(an_edition(), ())
    claim_one(store)
    store.channels.remove(ML)
    store.channels.add(a_channel())
    assert not store.outbox.put(an_edition(), ())
    assert store.outbox.last_days([ML, BIO], TOMORROW) == {ML: DAY}
    assert store.outbox.put(replace(an_edition(), day=TOMORROW), ())


def test_a_channel_that_comes_back_is_owed_what_nobody_tried_to_post(outbox_store: DatabaseStore) -> None:
    """An edition that still waited when its channel was removed takes no date."""
    store = outbox_store
    store.outbox.put(an_edition(), ())
    store.channels.remove(ML)
    store.channels.add(a_channel())
    assert store.outbox.last_days([ML], TOMORROW) == {}
    assert store.outbox.put(an_edition(), ())


def test_deliveries_are_of_a_date_or_of_the_last_fourteen_days(outbox_store: DatabaseStore) -> None:
    """The latest date first, parts in order."""
    store = outbox_store
    days = [DAY, DAY + timedelta(days=13), DAY + timedelta(days=14)]
    for day in days:
        store.outbox.put(an_edition(day=day), ())
    found = [(delivery.day, delivery.part) for delivery in store.outbox.deliveries()]
    assert found == [(days[2], 1), (days[2], 2), (days[1], 1), (days[1], 2)]
    assert [delivery.part for delivery in store.outbox.deliveries(DAY)] == [1, 2]


def test_an_edition_that_was_refused_unposted_does_not_count(outbox_store: DatabaseStore) -> None:
    """Its papers and turns are owed again, and another edition may take its date."""
    store = outbox_store
    one = store.subscriptions.add(a_subscription())
    store.outbox.put(an_edition(PaperId(1)), [one.id])
    assert store.outbox.settle(failed(claim_one(store), DeliveryError("gone", permanent=True), NOW, SOON))
    assert (store.outbox.edition(ML, DAY), store.outbox.last_days([ML], DAY)) == (None, {})
    assert store.outbox.shown(ML) == {}
    assert store.subscriptions.of([ML])[ML][0].last_turn == DAY - timedelta(days=7)
    assert [delivery.stage for delivery in store.outbox.deliveries(DAY)] == [Stage.GIVEN_UP] * 2
    again = an_edition(PaperId(2), payloads=("new",))
    assert store.outbox.put(again, [one.id])
    assert store.outbox.edition(ML, DAY) == again
    assert [delivery.parts for delivery in store.outbox.deliveries(DAY)] == [1]


def test_an_edition_that_may_have_been_posted_counts(outbox_store: DatabaseStore) -> None:
    """Given up or not: its date is taken, its papers are shown."""
    store = outbox_store
    store.outbox.put(an_edition(PaperId(1)), ())
    claim_one(store)
    second = claim_one(store, now=NOW + LEASE)
    store.outbox.settle(failed(second, DeliveryError("gone", permanent=True), NOW, SOON))
    assert store.outbox.last_days([ML], DAY) == {ML: DAY}
    assert store.outbox.shown(ML) == {PaperId(1): DAY}
    assert not store.outbox.put(an_edition(PaperId(2)), ())


def test_what_surely_was_not_posted_can_be_withdrawn(outbox_store: DatabaseStore) -> None:
    """Waiting editions of earlier dates go, with their reason; one that is on its way or half sent stays."""
    store, after = outbox_store, TOMORROW + timedelta(days=1)
    assert store.outbox.withdraw(ML, after, "overtaken")
    store.outbox.put(an_edition(PaperId(1)), ())
    assert store.outbox.withdraw(ML, DAY, "overtaken")
    assert store.outbox.shown(ML) == {PaperId(1): DAY}
    assert store.outbox.withdraw(ML, after, "overtaken")
    assert {(d.stage, d.error) for d in store.outbox.deliveries(DAY)} == {(Stage.GIVEN_UP, "overtaken")}
    assert store.outbox.shown(ML) == {}
    store.outbox.put(an_edition(PaperId(1), day=TOMORROW), ())
    first = claim_one(store)
    assert not store.outbox.withdraw(ML, after, "overtaken")
    store.outbox.settle(sent(first, Receipt("ts1"), SOON))
    assert not store.outbox.withdraw(ML, after, "overtaken")
    store.outbox.settle(sent(claim_one(store), Receipt("ts2"), SOON))
    assert store.outbox.withdraw(ML, after, "overtaken")
    assert store.outbox.shown(ML) == {PaperId(1): TOMORROW}


def test_later_parts_know_the_first_ones_receipt(outbox_store: DatabaseStore) -> None:
    """They go under it; the first has nothing above it."""
    store = outbox_store
    store.outbox.put(an_edition(), ())
    first = claim_one(store)
    store.outbox.settle(sent(first, Receipt("ts1"), SOON))
    assert (first.thread, claim_one(store).thread) == ("", "ts1")


def test_without_a_thread_later_parts_follow_in_the_channel(outbox_store: DatabaseStore) -> None:
    """As it was set when the edition was made: a look-up after it must look where the message went."""
    store = outbox_store
    edition = an_edition()
    store.outbox.put(replace(edition, digest=replace(edition.digest, thread=False)), ())
    first = claim_one(store)
    store.outbox.settle(sent(first, Receipt("ts1"), SOON))
    store.channels.save(replace(store.channels.get(ML), thread=True))
    assert claim_one(store).thread == ""


def comes_out(store: DatabaseStore, number: int = 1, at: datetime = SOON, place: str = "TMLR") -> None:
    """A feed shows that a preprint was published."""
    feed = f"journal-{number}"
    store.feeds.add(a_feed(feed), [a_paper(number, venue=place)], at)


def telling(*papers: PaperId, day: date = TOMORROW, place: str = "TMLR") -> Edition:
    """An edition without new papers that tells where those were published."""
    edition = an_edition(day=day)
    published = tuple(Publication(paper, f"Paper {paper}", place) for paper in papers)
    return replace(edition, digest=replace(edition.digest, published=published))


def test_what_was_shown_and_came_out_since_is_told_once(outbox_store: DatabaseStore) -> None:
    """Known from when it is learnt, until an edition tells it; never to a channel that was not shown it."""
    store = outbox_store
    store.outbox.put(an_edition(PaperId(1)), ())
    assert store.outbox.published(ML) == {}
    comes_out(store)
    comes_out(store, 2)
    assert (store.outbox.published(ML), store.outbox.published(BIO)) == ({PaperId(1): "TMLR"}, {})
    store.outbox.put(telling(PaperId(1)), ())
    assert store.outbox.published(ML) == {}


def test_what_a_channel_was_shown_as_published_is_no_news(outbox_store: DatabaseStore) -> None:
    """Its item said where; the same paper in another channel, shown before, is."""
    store = outbox_store
    store.outbox.put(an_edition(PaperId(1), channel=BIO), ())
    comes_out(store)
    edition = an_edition(PaperId(1))
    item = replace(edition.digest.items[0], is_published=True)
    sections = (Section("Reasoning", (item,)),)
    store.outbox.put(replace(edition, digest=replace(edition.digest, sections=sections)), ())
    assert (store.outbox.published(ML), store.outbox.published(BIO)) == ({}, {PaperId(1): "TMLR"})


def test_news_learnt_while_an_edition_was_made_waits_for_the_next(outbox_store: DatabaseStore) -> None:
    """Whatever the clocks say: what the edition did not tell is told by another."""
    store = outbox_store
    comes_out(store, at=NOW - timedelta(minutes=5))
    store.outbox.put(an_edition(PaperId(1)), ())
    assert store.outbox.published(ML) == {PaperId(1): "TMLR"}


def test_news_comes_in_the_order_in_which_it_was_learnt(outbox_store: DatabaseStore) -> None:
    """The oldest first: where not all can be told at once, none waits for ever."""
    store = outbox_store
    store.outbox.put(an_edition(PaperId(1), PaperId(2)), ())
    comes_out(store, 2, SOON)
    comes_out(store, 1, SOON + timedelta(days=1))
    assert list(store.outbox.published(ML)) == [2, 1]


@pytest.mark.parametrize("ends", ["given up", "withdrawn"])
def test_news_of_an_edition_that_nobody_saw_is_owed_again(outbox_store: DatabaseStore, ends: str) -> None:
    """Like its papers and its turns."""
    store = outbox_store
    store.outbox.put(an_edition(PaperId(1), payloads=()), ())
    comes_out(store)
    store.outbox.put(telling(PaperId(1)), ())
    if ends == "withdrawn":
        store.outbox.withdraw(ML, TOMORROW + timedelta(days=1), "overtaken")
    else:
        store.outbox.settle(failed(claim_one(store), DeliveryError("gone", permanent=True), NOW, SOON))
    assert store.outbox.published(ML) == {PaperId(1): "TMLR"}
    store.outbox.put(telling(PaperId(1)), ())
    assert store.outbox.published(ML) == {}


def test_what_was_told_of_a_paper_is_told_of_its_heir(outbox_store: DatabaseStore) -> None:
    """Two papers turn out to be one: what a channel was told of either, it was told."""
    store = outbox_store
    preprint, copy = (a_paper(n, title="On films", abstract=f"We study film {n}. It works.") for n in (7, 8))
    older, gone = (*with_papers(store, preprint, feed="b"), *with_papers(store, copy, feed="c"))
    store.outbox.put(an_edition(older, gone), ())
    store.feeds.add(a_feed("journal"), [replace(copy, venue="TMLR")], SOON)
    store.outbox.put(telling(gone), ())
    both = replace(preprint, identifiers=(*preprint.identifiers, *copy.identifiers))
    store.feeds.add(a_feed("index"), [both], SOON)
    assert store.papers.get(gone).id == older
    assert store.outbox.published(ML) == {}


def test_an_older_database_goes_on_without_old_news(tmp_path: Path) -> None:
    """What has come out by then counts as told; editions of that time go on in their threads."""
    path = tmp_path / "paperround.db"
    old = sqlite_utils.Database(path)
    migrations.apply(old, stop_before="publications_told_and_threads")
    before, after = (stamp(NOW + timedelta(hours=hours)) for hours in (-1, 1))
    paper = paper_row(a_paper()) | {"first_seen": before}
    old.table("papers").insert_all([{"id": 1, **paper}, {"id": 2, **paper}])
    old.table("channels").insert(channel_row(a_channel()))
    digest = digest_text(an_edition().digest)
    old.table("editions").insert({"channel": str(ML), "day": str(DAY), "digest": digest, "made": stamp(NOW)})
    old.table("messages").insert_all(
        message_row(Delivery(ML, DAY, part, 2, "x", stage, receipt=receipt))
        for part, stage, receipt in ((1, Stage.SENT, "ts1"), (2, Stage.WAITING, ""))
    )
    old.table("shown").insert_all({"channel": str(ML), "paper": n, "day": str(DAY)} for n in (1, 2))
    old.table("publications").insert_all(
        {"paper": n, "place": "TMLR", "at": at} for n, at in ((1, before), (2, after))
    )
    old.conn.commit()
    old.close()
    store = open_store(path)
    try:
        assert store.outbox.published(ML) == {}
        assert claim_one(store).thread == "ts1"
    finally:
        store.close()


def test_times_of_a_wrong_clock_hold_no_message_up(outbox_store: DatabaseStore) -> None:
    """A lease or a wait until a time far ahead was written before the clock was set back."""
    store = outbox_store
    store.outbox.put(an_edition(), ())
    later = NOW + timedelta(hours=15)
    leased = claim_one(store, now=later)
    assert claim_one(store).sending_since == later
    store.outbox.settle(failed(replace(leased, attempts=2), DeliveryError("no"), later, later))
    assert claimed(store) == [("slack", DAY, 1)]
