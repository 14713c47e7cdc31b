"""Tests of composing: what a channel gets, when, once, and what the foot of its digest says."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

import pytest

from digests.channel import ChannelId, EmptyDay, Layout, accepted, refused
from digests.compose import MAX_PUBLISHED, SUMMARY, Fault, compose, compose_now, due_day, preview, trial
from digests.digest import Digest, Progress, Publication, Silent
from digests.errors import InputError
from digests.feed import Feed
from digests.outbox import Edition, Receipt, sent
from digests.paper import Identifier, Paper
from digests.ports import Store
from digests.query import parse
from digests.schedule import WEEKDAYS, parse_days
from digests.subscription import Subscription
from storage.store import open_store
from tests.fakes import LAB, NOON, FakeMessenger, channel, paper

TODAY = date(2026, 12, 1)
WORDS = "amber birch cedar delta ember frost grove heath inlet jetty knoll larch marsh north ocean".split()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A database with the channel `LAB`."""
    opened = open_store(tmp_path / "p.db")
    opened.channels.add(channel())
    yield opened
    opened.close()


def papers(count: int, words: str) -> list[Paper]:
    """Papers that match `words`, each otherwise in words of its own."""
    return [
        paper(
            f"{WORDS[n % len(WORDS)]} number {n}",
            f"We introduce a {words} of {' '.join(f'{word}{n}' for word in WORDS)}. It passes {n} tests.",
        )
        for n in range(count)
    ]


def add_feed(
    store: Store, given: list[Paper], name: str = "arxiv", at: datetime = NOON, **fields: object
) -> None:
    """A feed that was read at a time and gave these papers."""
    state = {"last_check": at, "last_good": at, "last_count": len(given), **fields}
    store.feeds.add(Feed(name, f"https://{name}.example/rss", added=at, **state), given, at)  # type: ignore[arg-type]


def subscribe(store: Store, query: str, name: str = "Topic", **fields: object) -> Subscription:
    """A subscription of `LAB`, added at noon of the first of December."""
    wanted = {"added": NOON, **fields}
    return store.subscriptions.add(Subscription(LAB, name, parse(query), **wanted))  # type: ignore[arg-type]


def composed(store: Store, now: datetime) -> tuple[Edition, ...]:
    """Compose what is due, and let it be delivered before the next time."""
    made = tuple(compose(store, {"console": FakeMessenger()}, now))
    for delivery in store.outbox.claim(now, 100, ["console"]):
        store.outbox.settle(sent(delivery, Receipt(delivery.key), now))
    return tuple(edition for edition in made if isinstance(edition, Edition))


def headings(digest: Digest) -> list[str]:
    return [item.heading for section in digest.sections for item in section.items]


def test_digest_shows_what_matches(store: Store) -> None:
    """A paper that matches is shown with its summary, its words and its place; another is not."""
    add_feed(store, [*papers(1, "lattice"), paper("Frogs", "Frogs sing at night. We count them.")])
    subscribe(store, "lattice")
    (section,) = preview(store, channel(), NOON).sections
    (item,) = section.items
    assert (section.name, item.heading, item.source) == ("Topic", "amber number 0", "arxiv")
    assert item.summary.startswith("We introduce a lattice of")
    assert [item.summary[start:end] for start, end in item.marks] == ["lattice"]
    assert item.matched == ("lattice",)


def test_each_reader_is_shown_the_match_and_the_kept_summary_is_the_models(store: Store) -> None:
    """Two queries find one paper by different sentences; what is remembered of it depends on neither."""
    text = "We propose a lattice that sums numbers. It needs no glue. Its cost is a slowdown on long chains."
    add_feed(store, [paper("Sums", text)])
    other = ChannelId("console", "lab", "other")
    store.channels.add(channel(id=other))
    subscribe(store, "lattice")
    store.subscriptions.add(Subscription(other, "Cost", parse("slowdown"), added=NOON))
    one, two = (edition.digest.sections[0].items[0] for edition in composed(store, NOON))
    assert (one.summary, one.snippet) == ("We propose a lattice that sums numbers.", "")
    assert (two.summary, two.snippet) == (one.summary, "Its cost is a slowdown on long chains.")
    assert [two.snippet[start:end] for start, end in two.snippet_marks] == ["slowdown"]
    kept = store.papers.summaries([one.paper], SUMMARY)
    assert kept == {one.paper: (one.summary,)}


FIRST = "We introduce the lattice, which learns models that are interpretable and need few samples."
SECOND = (
    "Moreover, we propose a simple yet efficient iterative optimization procedure, which needs no tuning and "
    "converges to a globally optimal solution."
)
BOTH = f"Bees are many. {FIRST} Nobody knows why bees count. {SECOND}"


def test_full_items_have_a_second_sentence_where_it_adds_something(store: Store) -> None:
    """It stands behind the first; a compact item has the best sentence alone."""
    add_feed(store, [paper("Sums", BOTH)])
    subscribe(store, "lattice")
    (full,) = preview(store, channel(), NOON).items
    (compact,) = preview(store, channel(layout=Layout.COMPACT), NOON).items
    second = SECOND.replace("Moreover, we", "We")
    assert (full.summary, compact.summary) == (f"{FIRST} {second}", FIRST)


def test_an_item_quotes_two_sentences_at_most(store: Store) -> None:
    """Where neither of the best shows why the paper matched, the one that does stands below the best."""
    add_feed(store, [paper("Sums", BOTH)])
    subscribe(store, '"why bees count"')
    (full,) = preview(store, channel(), NOON).items
    (compact,) = preview(store, channel(layout=Layout.COMPACT), NOON).items
    assert full.summary == compact.summary == FIRST
    assert (full.snippet, compact.snippet) == ("Nobody knows why bees count.", "")


def test_a_digest_has_its_channels_settings(store: Store) -> None:
    """How it is laid out, in which language, and where it goes on is fixed when it is made."""
    subscribe(store, "lattice")
    chosen = channel(layout=Layout.COMPACT, language="zh", thread=False)
    digest = preview(store, chosen, NOON)
    assert (digest.layout, digest.language, digest.thread) == (Layout.COMPACT, "zh", False)


def preprint(number: int) -> Paper:
    """A paper about lattices that is on arXiv."""
    found = papers(number + 1, "lattice")[number]
    return replace(found, identifiers=(Identifier("arxiv", f"2501.{number:05}"),))


def comes_out(store: Store, *numbers: int, at: datetime = NOON) -> None:
    """A journal's feed shows those preprints with their place."""
    printed = [replace(preprint(number), venue=f"Annals {number}") for number in numbers]
    store.feeds.add(Feed("journal", "https://journal.example/", last_check=at), printed, at)


def told(*editions: Edition) -> list[tuple[str, str]]:
    """The papers of which these editions tell that they came out, and where."""
    return [(news.heading, news.place) for edition in editions for news in edition.digest.published]


def test_a_paper_that_came_out_is_told_of_once(store: Store) -> None:
    """With the next digest, in a line of its own, never as a paper."""
    add_feed(store, [preprint(0)])
    subscribe(store, "lattice")
    composed(store, NOON)
    comes_out(store, 0, at=NOON + timedelta(hours=1))
    days = [composed(store, NOON + timedelta(days=n)) for n in (1, 2)]
    assert [told(*editions) for editions in days] == [[("amber number 0", "Annals 0")], []]
    assert [edition.digest.papers for editions in days for edition in editions] == [(), ()]


def test_what_was_shown_as_published_is_not_told_again(store: Store) -> None:
    """It stood in the byline already."""
    add_feed(store, [preprint(0)])
    comes_out(store, 0)
    subscribe(store, "lattice")
    (edition,) = composed(store, NOON)
    assert [item.source for item in edition.digest.items] == ["Annals 0"]
    assert told(*composed(store, NOON + timedelta(days=1))) == []


@pytest.mark.parametrize("policy", [EmptyDay.SILENT, EmptyDay.WEEKLY])
def test_news_alone_breaks_no_silence(store: Store, policy: EmptyDay) -> None:
    """A channel that wants quiet days hears of it with the next digest that has something to show."""
    store.channels.save(channel(empty_day=policy))
    add_feed(store, [preprint(0)])
    subscribe(store, "lattice")
    composed(store, NOON)
    comes_out(store, 0)
    (quiet,) = composed(store, NOON + timedelta(days=1))
    add_feed(store, [preprint(1)], "later", NOON + timedelta(days=2))
    (loud,) = composed(store, NOON + timedelta(days=2))
    assert (quiet.payloads, told(quiet)) == ((), [])
    assert told(loud) == [("amber number 0", "Annals 0")]


def test_much_news_is_told_over_several_days(store: Store) -> None:
    """Only so much at once, and nothing is lost."""
    numbers = range(MAX_PUBLISHED + 2)
    add_feed(store, [preprint(number) for number in numbers])
    subscribe(store, "lattice")
    composed(store, NOON)
    comes_out(store, *numbers)
    days = [told(*composed(store, NOON + timedelta(days=n))) for n in (1, 2, 3)]
    assert [len(day) for day in days] == [MAX_PUBLISHED, 2, 0]
    assert {place for day in days for _, place in day} == {f"Annals {number}" for number in numbers}


def test_a_query_on_trial_brings_no_news(store: Store) -> None:
    """The channel's own preview has it; what a query would bring are its papers."""
    add_feed(store, [preprint(0)])
    subscribe(store, "lattice")
    composed(store, NOON)
    comes_out(store, 0)
    (news,) = preview(store, channel(), NOON).published
    assert news == Publication(news.paper, "amber number 0", "Annals 0", "https://arxiv.org/abs/2501.00000")
    assert preview(store, channel(), NOON, parse("frogs")).published == ()


def test_what_was_shown_never_comes_again(store: Store) -> None:
    """A paper is shown to a channel once; what had no room comes the next day."""
    add_feed(store, papers(5, "lattice"))
    subscribe(store, "lattice", limit=3)
    days = [composed(store, NOON + timedelta(days=n))[0].digest for n in range(3)]
    assert [len(day.papers) for day in days] == [3, 2, 0]
    assert len({shown for day in days for shown in day.papers}) == 5
    assert days[0].foot.waiting == 2


def test_preview_keeps_nothing(store: Store) -> None:
    """Looking changes nothing."""
    add_feed(store, papers(2, "lattice"))
    subscribe(store, "lattice")
    assert preview(store, channel(), NOON) == preview(store, channel(), NOON)
    assert not store.outbox.shown(LAB)


def test_paper_waits_two_weeks_at_most(store: Store) -> None:
    """What was first seen fifteen days ago has had its time, unless it stands in a list."""
    add_feed(store, papers(1, "lattice"), "old", NOON)
    add_feed(store, papers(3, "lattice")[1:], "iclr", NOON, is_list=True)
    subscribe(store, "lattice")
    assert headings(preview(store, channel(), NOON + timedelta(days=15))) == [
        "birch number 1",
        "cedar number 2",
    ]


def test_new_subscription_begins_with_a_day_not_with_the_archive(store: Store) -> None:
    """What was there two days before somebody subscribed is the archive's."""
    add_feed(store, papers(1, "lattice"), "before", NOON - timedelta(days=2))
    add_feed(store, papers(2, "lattice")[1:], "lately", NOON - timedelta(hours=23))
    subscribe(store, "lattice")
    assert headings(preview(store, channel(), NOON)) == ["birch number 1"]


def test_subscription_reads_only_its_feeds(store: Store) -> None:
    """A subscription that names feeds shows papers of those feeds alone."""
    add_feed(store, papers(1, "lattice"), "one")
    add_feed(store, papers(2, "lattice")[1:], "two")
    subscribe(store, "lattice", feeds=("two",))
    assert headings(preview(store, channel(), NOON)) == ["birch number 1"]


def test_list_says_how_far_it_is(store: Store) -> None:
    """A list drips its best papers and counts them off."""
    add_feed(store, papers(5, "lattice"), "iclr", is_list=True, title="ICLR 2026")
    subscribe(store, "lattice", limit=2)
    steps = [composed(store, NOON + timedelta(days=n))[0].digest.foot.progress for n in range(4)]
    assert steps == [(Progress("ICLR 2026", shown, 5),) for shown in (2, 4, 5)] + [()]


def test_foot_tells_quiet_and_broken_feeds(store: Store) -> None:
    """What was checked, and what gave nothing, stands at the foot even of an empty digest."""
    week = NOON - timedelta(days=7)
    add_feed(store, papers(1, "lattice"), "fine")
    add_feed(store, papers(2, "lattice")[1:], "quiet", week, last_check=NOON)
    add_feed(store, [], "broken", NOON, last_good=week, failures=3, last_error="HTTP 500")
    add_feed(store, [], "paused", NOON, paused=True)
    subscribe(store, "nothing")
    foot = preview(store, channel(), NOON).foot
    assert (foot.checked, foot.checked_at) == (3, NOON)
    assert foot.silent == (Silent("broken", "broken", week), Silent("quiet", "silent", week))


def test_foot_names_feeds_that_nobody_read(store: Store) -> None:
    """When the service was down for days, the foot says so instead of praising an old check."""
    add_feed(store, papers(1, "lattice"), "fresh", NOON + timedelta(days=3))
    add_feed(store, papers(2, "lattice")[1:], "old", NOON)
    subscribe(store, "nothing")
    foot = preview(store, channel(), NOON + timedelta(days=3)).foot
    assert foot.silent == (Silent("old", "not read", NOON),)
    assert foot.checked_at == NOON + timedelta(days=3)


def test_foot_names_removed_feeds_that_are_still_asked_for(store: Store) -> None:
    """A subscription that reads only what the admin has removed is not just quiet."""
    add_feed(store, papers(1, "lattice"), "here")
    subscribe(store, "lattice", feeds=("here", "gone"))
    foot = preview(store, channel(), NOON).foot
    assert foot.silent == (Silent("gone", "removed"),)


def test_edition_is_made_once_for_a_date(store: Store) -> None:
    """The timed run and a manual one of the same date make one edition."""
    add_feed(store, papers(1, "lattice"))
    subscribe(store, "lattice")
    messengers = {"console": FakeMessenger()}
    assert compose_now(store, channel(), messengers, NOON, "cli:dana").is_new
    assert not compose_now(store, channel(), messengers, NOON + timedelta(hours=1), "cli:dana").is_new
    assert composed(store, NOON + timedelta(hours=2)) == ()


def test_downtime_ends_in_one_edition(store: Store) -> None:
    """After ten days without the service there is one digest, as long as any other."""
    add_feed(store, papers(30, "lattice"))
    subscribe(store, "lattice", limit=50)
    composed(store, NOON)
    later = [composed(store, NOON + timedelta(days=10, minutes=n)) for n in range(3)]
    assert [len(editions) for editions in later] == [1, 0, 0]
    assert later[0][0].day == date(2026, 12, 11)
    assert len(later[0][0].digest.papers) == 10


def test_channel_without_subscriptions_gets_nothing(store: Store) -> None:
    """Nothing is posted where nobody asked for anything, and `send` says what to do."""
    assert composed(store, NOON) == ()
    with pytest.raises(InputError, match="has no subscription"):
        compose_now(store, channel(), {"console": FakeMessenger()}, NOON, "cli:dana")


def test_platform_that_is_not_served_is_left_alone(store: Store) -> None:
    """A process without a Slack token makes no Slack editions."""
    subscribe(store, "lattice")
    assert tuple(compose(store, {"slack": FakeMessenger()}, NOON)) == ()


@pytest.mark.parametrize(
    ("policy", "days"),
    [
        (EmptyDay.SILENT, []),
        (EmptyDay.LINE, ["Tue", "Wed", "Thu", "Fri", "Sat", "Sun", "Mon"]),
        (EmptyDay.WEEKLY, ["Mon"]),
    ],
)
def test_empty_day_follows_the_channels_policy(store: Store, policy: EmptyDay, days: list[str]) -> None:
    """Silence, a line each day, or a line at the beginning of the week."""
    store.channels.save(channel(empty_day=policy))
    subscribe(store, "nothing")
    editions = [composed(store, NOON + timedelta(days=n)) for n in range(7)]
    assert all(len(made) == 1 for made in editions)
    assert [f"{made[0].day:%a}" for made in editions if made[0].payloads] == days


def test_cadence_keeps_its_days(store: Store) -> None:
    """A Monday subscription takes part on Mondays, and its papers wait for it."""
    add_feed(store, papers(1, "lattice"))
    subscribe(store, "lattice", cadence=parse_days("mon"))
    editions = [composed(store, NOON + timedelta(days=n))[0] for n in range(7)]
    assert [f"{edition.day:%a}" for edition in editions if edition.digest.papers] == ["Mon"]


@pytest.mark.parametrize(
    ("settings", "due"),
    [
        ({}, TODAY),
        ({"at": time(13)}, date(2026, 11, 30)),
        ({"zone": "Pacific/Auckland"}, date(2026, 12, 1)),
        ({"paused": True}, None),
        ({"paused_until": date(2026, 12, 5)}, None),
        ({"paused_until": TODAY}, TODAY),
        ({"since": NOON}, None),
    ],
)
def test_due_date(settings: dict[str, object], due: date | None) -> None:
    """The latest date whose time has passed on the channel's clock, and not before the channel's time."""
    assert due_day(channel(**settings), None, NOON) == due  # type: ignore[arg-type]


def test_weekend_is_not_due_on_weekdays() -> None:
    """On Sunday the last edition that a weekday channel is owed is Friday's."""
    sunday = datetime(2026, 12, 6, 12, tzinfo=UTC)
    assert due_day(channel(days=WEEKDAYS), date(2026, 12, 4), sunday) is None


def test_trial_says_that_the_paper_of_a_likeness_is_not_stored(store: Store) -> None:
    """Whoever asks for papers near one that nobody has stored, or mistypes it, learns so at once."""
    add_feed(store, papers(3, "lattice"))
    asked = subscribe(store, "lattice")

    def said(text: str) -> str:
        return str(trial(store, replace(asked, query=parse(text)), NOON))

    assert said("like:2501.99999").startswith("No paper '2501.99999' is stored")
    assert said("lattice like:zzz").startswith("No paper 'zzz' is stored")
    assert said("lattice OR like:zzz").startswith("It would have brought 3")


def test_trial_says_what_a_query_would_have_brought(store: Store) -> None:
    """Before a channel subscribes it learns how many papers there were, and sees the best."""
    add_feed(store, [*papers(8, "lattice"), paper("Frogs", "Frogs sing.")], at=NOON - timedelta(days=4))
    found = trial(store, replace(subscribe(store, "lattice"), feeds=()), NOON)
    assert (found.stored, found.count, found.days, len(found.best)) == (9, 8, 5, 3)


def test_the_best_of_a_trial_have_the_word_in_their_titles(store: Store) -> None:
    """A word that nearly all hits have is rare all the same where most papers lack it, as in the digest."""
    others = [paper(f"Frogs {n}", f"Frogs sing{n} at night{n} in ponds{n}.") for n in range(60)]
    hits = [paper(f"Lattice of {word}", f"A lattice has {word}.") for word in WORDS[:5]]
    aside = paper("Toads", "Toads croak all night long, and we saw some in a swamp.")
    add_feed(store, [*hits, aside, *others])
    subscription = subscribe(store, "lattice OR swamp")
    found = trial(store, subscription, NOON)
    assert found.count == 6
    assert [best.title.split()[0] for best in found.best] == ["Lattice"] * 3
    assert headings(preview(store, channel(), NOON))[0] in {hit.title for hit in hits}


def test_like_finds_the_neighbours_of_a_stored_paper(store: Store) -> None:
    """A subscription to papers like one that is stored is composed with it."""
    text = papers(1, "lattice")[0].abstract
    seed = paper("Melting of thin films", text, guid="arXiv:2501.00001v1")
    near = paper("Freezing of thin films", text.replace("works", "holds"))
    others = [paper(f"Frogs {n}", f"Frogs sing{n} at night{n} in ponds{n}.") for n in range(20)]
    add_feed(store, [seed, near, *others])
    subscribe(store, "like:2501.00001")
    assert headings(preview(store, channel(), NOON)) == ["Freezing of thin films"]


def failing_render(label: str) -> type[FakeMessenger]:
    """A platform that cannot render the digest of one channel."""

    class Failing(FakeMessenger):
        def render(self, digest: Digest) -> tuple[str, ...]:
            if digest.label == label:
                raise RuntimeError("no")
            return super().render(digest)

    return Failing


def test_channel_that_cannot_be_composed_costs_no_other(store: Store) -> None:
    """Its fault is told, nothing of it is kept, and it may be left out the next time."""
    for name in ("other", "third"):
        store.channels.add(channel(id=ChannelId("console", "lab", name)))
        store.subscriptions.add(Subscription(ChannelId("console", "lab", name), "Topic", parse("lattice")))
    subscribe(store, "lattice")
    messengers = {"console": failing_render("#other")()}
    made = tuple(compose(store, messengers, NOON))
    assert [edition.channel.channel for edition in made if isinstance(edition, Edition)] == ["ml", "third"]
    (fault,) = [fault for fault in made if isinstance(fault, Fault)]
    assert (fault.channel.channel, fault.day) == ("other", TODAY)
    assert store.outbox.edition(fault.channel, TODAY) is None
    assert tuple(compose(store, messengers, NOON, leave_out=[fault.channel])) == ()
    (mended,) = compose(store, {"console": FakeMessenger()}, NOON)
    assert isinstance(mended, Edition)


def test_after_an_outage_of_the_platform_a_channel_gets_one_edition(store: Store) -> None:
    """What could not be posted for days is withdrawn: its papers come, merged, with the latest date's."""
    add_feed(store, papers(4, "lattice"))
    subscribe(store, "lattice", limit=2)
    for day in range(3):
        tuple(compose(store, {"console": FakeMessenger()}, NOON + timedelta(days=day)))
    waiting = store.outbox.claim(NOON + timedelta(days=3), 100, ["console"])
    assert [delivery.day for delivery in waiting] == [TODAY + timedelta(days=2)]
    assert set(store.outbox.shown(LAB).values()) == {TODAY + timedelta(days=2)}
    assert len(store.outbox.shown(LAB)) == 2


def test_channel_waits_while_an_edition_is_on_its_way(store: Store) -> None:
    """An edition that may have been posted is settled before the next is made."""
    subscribe(store, "lattice")
    messengers = {"console": FakeMessenger()}
    tuple(compose(store, messengers, NOON))
    (claimed,) = store.outbox.claim(NOON, 1, ["console"])
    tomorrow = NOON + timedelta(days=1)
    assert tuple(compose(store, messengers, tomorrow)) == ()
    store.outbox.settle(sent(claimed, Receipt("1"), tomorrow))
    assert len(tuple(compose(store, messengers, tomorrow))) == 1


def test_waiting_channels_cost_no_matching(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as all that are due wait for their editions on the way, no paper is read."""
    subscribe(store, "lattice")
    messengers = {"console": FakeMessenger()}
    tuple(compose(store, messengers, NOON))
    store.outbox.claim(NOON, 1, ["console"])
    monkeypatch.setattr(store.papers, "candidates", pytest.fail)
    assert tuple(compose(store, messengers, NOON + timedelta(days=1))) == ()


def test_refusing_channel_is_left_alone_until_its_time(store: Store) -> None:
    """It keeps its settings, gets one edition when it is tried again, and a wrong clock cannot silence it."""
    refusing = refused(channel(), "gone", "invite the bot", NOON)
    assert refusing.refusal
    assert due_day(refusing, None, NOON) is None
    assert due_day(refusing, None, refusing.refusal.retry_at) == TODAY
    assert due_day(refusing, None, NOON - timedelta(days=10)) == TODAY - timedelta(days=10)
    assert accepted(refusing) == channel()


def test_turn_taken_while_the_clock_was_wrong_does_not_silence_a_subscription(store: Store) -> None:
    """A last turn that is yet to come counts for nothing."""
    add_feed(store, papers(1, "lattice"))
    subscribe(store, "lattice", last_turn=TODAY + timedelta(days=300))
    (edition,) = composed(store, NOON)
    assert len(edition.digest.papers) == 1
