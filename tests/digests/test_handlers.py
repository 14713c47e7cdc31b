"""Tests of the handlers: what each command answers and changes, to whom it is refused, and its audit row."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from digests import changes, handlers
from digests.changes import Change
from digests.channel import Channel, ChannelId, EmptyDay, Layout, refused
from digests.commands import Caller, Place
from digests.compose import compose, compose_now
from digests.errors import StorageError
from digests.handlers import Office, answer, answer_typed, refusal, suggest
from digests.outbox import Edition
from digests.ports import Store
from digests.query import parse
from digests.register import MAX_SUBSCRIPTIONS
from digests.reply import MAX_BUTTON, Line, Reply, Table
from digests.schedule import parse_days
from digests.subscription import Subscription
from digests.verbs import VERBS, Offer, Verb, Who
from storage.store import open_store
from tests.digests.lab import about, read, subscribe
from tests.fakes import LAB, NOON, FakeMessenger, channel, paper

PLACE = Place(LAB, "ml", "Europe/Berlin")
MEMBER = Caller("console", "lab", "dana")
MANAGER = replace(MEMBER, can_manage=True)
WHO = "console:dana"

Ask = Callable[..., Reply]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty database."""
    opened = open_store(tmp_path / "p.db")
    yield opened
    opened.close()


@pytest.fixture
def ask(store: Store) -> Ask:
    """Gives a line of text as the channel's manager at noon of the first of December, or as told."""

    def asked(text: str, caller: Caller = MANAGER, place: Place = PLACE, now: datetime = NOON) -> Reply:
        return answer(text, caller, place, Office(store, {"console": FakeMessenger()}), now)

    return asked


def of(store: Store) -> tuple[Subscription, ...]:
    return store.subscriptions.of([LAB])[LAB]


def made(store: Store, now: datetime) -> list[date]:
    """The dates of the editions that a timed run makes."""
    return [
        made.day for made in compose(store, {"console": FakeMessenger()}, now) if isinstance(made, Edition)
    ]


# Who may do what.

MANAGERS = ("dana", "S0614TZR7")
CALLERS = {
    "guest": replace(MEMBER, is_guest=True, members_manage=True),
    "guest who is named": replace(MEMBER, is_guest=True),
    "plain member": MEMBER,
    "plain member where all manage": replace(MEMBER, members_manage=True),
    "manager by the platform": MANAGER,
    "manager by name": MEMBER,
    "manager by group": replace(MEMBER, user="eve", groups=frozenset({"S0614TZR7"})),
    "member while others are named": replace(MEMBER, user="eve", members_manage=True),
    "bot": replace(MANAGER, is_bot=True),
    "bot who is named": replace(MEMBER, is_bot=True),
    "stranger of another workspace": replace(MANAGER, workspace="other"),
    "stranger of another platform": replace(MANAGER, platform="slack"),
}
NAMED = {
    "guest who is named",
    "manager by name",
    "manager by group",
    "member while others are named",
    "bot who is named",
}
READ_ONLY = {"guest", "guest who is named", "plain member", "member while others are named"}
NOTHING = {name for name in CALLERS if name.startswith(("bot", "stranger"))}


@pytest.mark.parametrize("name", CALLERS)
@pytest.mark.parametrize("verb", VERBS, ids=lambda verb: verb.name)
def test_rights(store: Store, ask: Ask, verb: Verb, name: str) -> None:
    """Each verb is done for those whom it is for; the others get one sentence, and nothing changes."""
    store.channels.add(channel(managers=MANAGERS if name in NAMED else ()))
    subscribe(store, "lattice")
    gone = changes.whole(Subscription(LAB, "Gone", parse("gone")))
    store.audit.add(Change(LAB, "console:eve", "unsubscribe", NOON, before=gone))
    before = (store.channels.get(LAB), of(store), store.audit.latest())
    allowed = name not in NOTHING and (verb.who is Who.MEMBER or name not in READ_ONLY)
    reply = ask(verb.works, CALLERS[name])
    sentences = ("Bots", "Only people", "Guests", "Only this channel's managers")
    assert reply.title.startswith(sentences) is not allowed
    if not allowed:
        assert reply.is_refusal
        assert not reply.body
        assert reply.title.count(".") == 1
        assert (store.channels.get(LAB), of(store), store.audit.latest()) == before


def test_help_lists_what_the_asker_may_do(ask: Ask) -> None:
    """A member is not offered what only managers may."""
    assert "subscribe: Add" in ask("help").text
    assert "subscribe: Add" not in ask("help", MEMBER).text
    assert "undo" not in ask("help").text


# Subscriptions.


def test_subscribe_registers_the_channel_and_tells_everything(store: Store, ask: Ask) -> None:
    """The first subscription makes the channel; the answer has the query, the trial, the best, the time."""
    read(store, *about("lattice", 8), paper("Frogs", "Frogs sing."), at=NOON - timedelta(days=4))
    reply = ask('subscribe lattice -frogs name:"Lattices at work" limit:3')
    made = store.channels.get(LAB)
    assert str(made.calendar) == "09:00 daily Europe/Berlin"
    assert (made.name, made.size) == ("ml", 10)
    (saved,) = of(store)
    assert (saved.name, saved.limit, saved.added) == ("Lattices at work", 3, NOON)
    assert reply.title == "Subscribed to Lattices at work."
    assert "Understood as: lattice, without frogs" in reply.text
    assert "It would have brought 8 of the 9 papers of the last 5 days, 1.6 a day." in reply.text
    assert reply.text.count("• ") == 3
    assert "Next digest: Wed 2 Dec 2026 09:00 (Europe/Berlin)." in reply.text


def test_subscribe_can_be_undone_once(store: Store, ask: Ask) -> None:
    """The button takes the subscription away; a second press finds it gone."""
    (undo,) = ask("subscribe lattice").buttons
    assert undo.label == "Undo"
    assert ask(undo.command).title == "Undone: lattice is removed."
    assert not of(store)
    assert ask(undo.command).is_refusal


def test_unknown_zone_is_utc(store: Store, ask: Ask) -> None:
    """A platform that does not know the zone, or knows it wrongly, makes a channel on UTC."""
    ask("subscribe lattice", place=replace(PLACE, zone="Mars/Olympus"))
    assert str(store.channels.get(LAB).calendar.zone) == "UTC"


def test_subscribe_saves_nothing_where_it_cannot_post(store: Store, ask: Ask) -> None:
    """One sentence with the fix, no channel, no subscription, no audit row."""
    why_not = "I am not in this channel: invite me with /invite @Paperround."
    reply = ask("subscribe lattice", place=replace(PLACE, cannot_post=why_not))
    assert (reply.title, reply.body, reply.is_refusal) == (why_not, (), True)
    assert store.channels.all() == ()
    assert store.audit.latest() == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("subscribe lattice name:Other", "This channel has that query already: number 1, 'lattice'"),
        ("subscribe frogs name:LATTICE", "This channel has a subscription called 'lattice' already"),
        ("subscribe frogs feeds:arxive", "There is no feed 'arxive'"),
        ("edit 7 limit:5", "This channel has no subscription '7'"),
        ("unsubscribe Frogs", "This channel has no subscription 'Frogs'"),
        ("undo 99", "There is no change 99"),
        ("schedule 25:00", "'25:00' is not a time of day"),
        ("pause until 2026-12-01", "2026-12-01 is not to come"),
        ("why the moon", "No stored paper is 'the moon'"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(
    store: Store, ask: Ask, text: str, says: str
) -> None:
    """A refusal names what is wrong and the next step, and leaves everything as it was."""
    ask("subscribe lattice")
    before = (store.channels.get(LAB), of(store), store.audit.latest())
    reply = ask(text)
    assert reply.is_refusal
    assert reply.title.startswith(says)
    assert reply.body
    assert (store.channels.get(LAB), of(store), store.audit.latest()) == before


def test_channel_has_room_for_so_many_subscriptions(store: Store, ask: Ask) -> None:
    """One more than the most is refused."""
    store.channels.add(channel())
    for n in range(MAX_SUBSCRIPTIONS):
        subscribe(store, f"word{n}", f"Name {n}")
    assert "50 subscriptions" in ask("subscribe lattice").title
    assert len(of(store)) == MAX_SUBSCRIPTIONS


def test_list_numbers_and_counts(store: Store, ask: Ask) -> None:
    """Each subscription with its query, cadence, limit and last count; buttons only for who may use them."""
    read(store, *about("lattice", 2))
    store.channels.add(channel())
    subscribe(store, "lattice", "Lattices")
    subscribe(store, "frogs", "Frogs", cadence=parse_days("weekly"), limit=4, feeds=("arxiv",))
    compose_now(store, channel(), {"console": FakeMessenger()}, NOON, WHO)
    reply = ask("list")
    assert [line.text for line in reply.body if isinstance(line, Line)] == [
        "1. Lattices",
        "lattice",
        "daily, at most 10 papers a digest; 2 papers on Tue 1 Dec",
        "2. Frogs",
        "frogs",
        "weekly, at most 4 papers a digest, from arxiv; no digest yet",
    ]
    first = reply.body[0]
    assert isinstance(first, Line)
    assert [button.label for button in first.buttons] == ["Edit", "Remove"]
    assert not any(line.buttons for line in ask("list", MEMBER).body if isinstance(line, Line))


def test_list_names_feeds_that_are_gone(store: Store, ask: Ask) -> None:
    """A subscription to a source that the admin removed says so, with a command that mends it."""
    store.channels.add(channel())
    subscribe(store, "frogs", feeds=("gone",))
    assert "gone: removed by the admin; mend it: /digest edit 1 feeds:all" in ask("list").text
    ask("edit 1 feeds:all")
    assert "removed" not in ask("list").text


def test_list_counts_what_came_under_an_earlier_name(store: Store, ask: Ask) -> None:
    """A subscription that was renamed after its last digest still has its papers."""
    read(store, *about("lattice", 2))
    store.channels.add(channel())
    subscribe(store, "lattice", "Lattices")
    compose_now(store, channel(), {"console": FakeMessenger()}, NOON, WHO)
    ask("edit 1 name:Crystals")
    assert "2 papers on Tue 1 Dec" in ask("list").text


def test_buttons_of_a_list_mean_the_same_later(store: Store, ask: Ask) -> None:
    """Remove on an old list removes what it stood beside, though the numbers have moved."""
    for query in ("lattice", "frogs", "rivers"):
        ask(f"subscribe {query}")
    second = ask("list").body[3]
    assert isinstance(second, Line)
    ask("unsubscribe 1")
    assert ask(second.buttons[1].command).title == "Removed frogs."
    assert [each.name for each in of(store)] == ["rivers"]
    assert ask(second.buttons[1].command).is_refusal


def test_a_number_means_a_place_in_the_list_whatever_others_are_called(store: Store, ask: Ask) -> None:
    """A subscription that is called "2" is not the second one; its name counts where no number does."""
    ask("subscribe lattice name:2")
    ask("subscribe frogs")
    assert ask("unsubscribe 2").title == "Removed frogs."
    assert ask("unsubscribe 2").title == "Removed 2."
    assert not of(store)


def test_edit_changes_what_is_named(store: Store, ask: Ask) -> None:
    """What is not named stays; a name that was made from the query follows it."""
    ask("subscribe lattice limit:3 every:mon,thu")
    reply = ask("edit 1 frogs OR toads limit:7")
    (changed,) = of(store)
    assert (changed.name, str(changed.query), changed.limit) == ("frogs OR toads", "frogs OR toads", 7)
    assert str(changed.cadence) == "mon,thu"
    assert "limit: 3 → 7" in reply.text
    assert "Understood as: frogs or toads" in reply.text


def test_edit_without_changes_says_how(store: Store, ask: Ask) -> None:
    """The Edit button's command alone answers with the subscription and a command that works."""
    ask("subscribe lattice")
    reply = ask(f"edit #{of(store)[0].id}")
    assert "1. lattice is as it was." in reply.text
    assert "/digest edit 1 limit:5" in reply.text


def test_removed_subscription_comes_back_whole(store: Store, ask: Ask) -> None:
    """Undo restores query, name, cadence, limit, feeds, and where it stood in time."""
    read(store, feed="arxiv")
    store.channels.add(channel())
    subscribe(store, '"lattice" -frogs', "L", cadence=parse_days("mon"), limit=4, feeds=("arxiv",),
              last_turn=date(2026, 11, 30))  # fmt: skip
    before = of(store)
    (undo,) = ask("unsubscribe l").buttons
    assert not of(store)
    assert ask(undo.command).title == "L is back."
    assert [replace(each, id=before[0].id) for each in of(store)] == list(before)
    assert ask(undo.command).is_refusal


def test_nobody_undoes_in_another_channel(store: Store, ask: Ask) -> None:
    """The number of another channel's change is no number here."""
    (undo,) = ask("subscribe lattice").buttons
    other = replace(PLACE, id=replace(LAB, channel="bio"))
    assert ask(undo.command, place=other).is_refusal
    assert len(of(store)) == 1


# The digest and its calendar.


def test_preview_shows_and_keeps_nothing(store: Store, ask: Ask) -> None:
    """Today's digest, or what a query would bring; nothing is marked as shown."""
    read(store, *about("lattice", 2), *about("frogs", 1, 2))
    ask("subscribe lattice")
    shown, tried = ask("preview", MEMBER), ask("preview frogs")
    assert shown.digest
    assert tried.digest
    assert len(shown.digest.papers) == 2
    assert len(tried.digest.papers) == 1
    assert [button.command for button in tried.buttons] == ["subscribe frogs"]
    assert not store.outbox.shown(LAB)


def test_preview_and_now_without_subscriptions_say_how_to_begin(store: Store, ask: Ask) -> None:
    """A channel that asked for nothing is told how to ask."""
    for text in ("preview", "now", "list"):
        assert "/digest subscribe" in ask(text).text
    assert store.channels.all() == ()


def test_now_makes_todays_edition_once(store: Store, ask: Ask) -> None:
    """The second time it was made already, and the timed run finds it done."""
    read(store, *about("lattice", 2))
    ask("subscribe lattice")
    assert ask("now").title == "Today's digest is on its way, with 2 papers."
    assert ask("now").title == "The digest of Tue 1 Dec 2026 was made already."
    assert not made(store, NOON + timedelta(hours=1))
    assert [change.what for change in store.audit.latest()] == ["now", "subscribe"]


def test_now_and_its_audit_row_are_one(store: Store, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the row cannot be written there is no edition either, and asking again makes it."""
    read(store, *about("lattice", 2))
    ask("subscribe lattice")

    def full(_: Change) -> Change:
        raise StorageError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(store.audit, "add", full)
        with pytest.raises(StorageError):
            ask("now")
    assert store.outbox.edition(LAB, date(2026, 12, 1)) is None
    assert ask("now").title == "Today's digest is on its way, with 2 papers."


def test_now_after_the_clock_was_set_back_is_that_of_the_later_date(store: Store, ask: Ask) -> None:
    """Yesterday's date is not posted after today's, as in the timed run."""
    read(store, *about("lattice", 2))
    ask("subscribe lattice")
    ask("now")
    back = ask("now", now=NOON - timedelta(days=1))
    assert back.title == "The digest of Tue 1 Dec 2026 was made already."
    assert store.outbox.edition(LAB, date(2026, 11, 30)) is None


def test_now_where_nothing_is_sent_from(store: Store) -> None:
    """A process that does not serve the platform makes no edition for it."""
    answer("subscribe lattice", MANAGER, PLACE, Office(store, {}), NOON)
    assert answer("now", MANAGER, PLACE, Office(store, {}), NOON).is_refusal
    assert store.outbox.edition(LAB, date(2026, 12, 1)) is None


def test_schedule_answers_with_the_next_three_times(store: Store, ask: Ask) -> None:
    """On the channel's own clock, over the night on which it changes."""
    reply = ask(
        "schedule 09:00 weekdays America/New_York", now=datetime(2026, 10, 30, 18, tzinfo=NOON.tzinfo)
    )
    assert reply.title == "Digests come at 09:00 weekdays America/New_York."
    assert reply.text.endswith(
        "Next digests (America/New_York): Mon 2 Nov 2026 09:00, Tue 3 Nov 2026 09:00, Wed 4 Nov 2026 09:00"
    )
    assert store.channels.get(LAB).calendar.time == time(9)


def test_digest_that_was_owed_today_comes_at_once(store: Store, ask: Ask) -> None:
    """A digest that was to come at 15:00 and is moved to 9:00 at noon comes now, and that is said."""
    ask("subscribe lattice")
    assert "comes in a few minutes" not in ask("schedule 15:00 daily UTC").text
    assert "Today's digest comes in a few minutes." in ask("schedule 09:00").text
    assert made(store, NOON + timedelta(minutes=1)) == [date(2026, 12, 1)]


def test_earlier_time_posts_nothing_that_was_not_owed(store: Store, ask: Ask) -> None:
    """A channel whose time has passed today, and moves to another that has passed, waits for tomorrow."""
    ask("subscribe lattice")
    assert "comes in a few minutes" not in ask("schedule 08:00").text
    assert not made(store, NOON + timedelta(minutes=1))


def test_settings_are_shown_and_changed(store: Store, ask: Ask) -> None:
    """Without options a table; with options what changed, before and after, and a row in the audit."""
    ask("subscribe lattice")
    table = ask("settings").body[0]
    assert isinstance(table, Table)
    assert ("papers", "10") in table.rows
    reply = ask("settings papers:5 layout:compact thread:off empty:silent language:zh holidays:2026-12-25")
    changed = store.channels.get(LAB)
    assert (changed.size, changed.layout, changed.thread) == (5, Layout.COMPACT, False)
    assert (changed.empty_day, changed.language) == (EmptyDay.SILENT, "zh")
    assert changed.calendar.holidays == {date(2026, 12, 25)}
    assert "papers: 10 → 5" in reply.text
    change = store.audit.latest()[0]
    assert (change.who, change.what, change.at) == ("console:dana", "settings", NOON)
    assert (dict(change.before)["papers"], dict(change.after)["papers"]) == ("10", "5")


def test_settings_as_they_were_leave_no_row(store: Store, ask: Ask) -> None:
    """What changes nothing is not a change."""
    ask("subscribe lattice")
    ask("settings papers:10")
    assert [change.what for change in store.audit.latest()] == ["subscribe"]


def test_a_change_keeps_what_was_changed_meanwhile(
    store: Store, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A setting that is changed between the question and the writing stays, as does a refusal."""
    store.channels.add(channel())
    get = store.channels.get

    def read_and_overtaken(place: ChannelId) -> Channel:
        found = get(place)
        monkeypatch.undo()
        store.channels.save(replace(refused(found, "archived", "", NOON), thread=False))
        return found

    monkeypatch.setattr(store.channels, "get", read_and_overtaken)
    reply = ask("settings papers:5")
    saved = get(LAB)
    assert (saved.size, saved.thread, saved.refusal is not None) == (5, False, True)
    assert reply.body == (Line("papers: 10 → 5"),)


def test_who_locks_themselves_out_is_told(ask: Ask) -> None:
    """Naming managers without oneself works, and is said."""
    member = replace(MEMBER, members_manage=True)
    reply = ask("settings managers:<@U024BE7LH>", member)
    assert "You are not among the managers yourself" in reply.text
    assert ask("settings managers:all", member).is_refusal


def test_pause_and_resume(store: Store, ask: Ask) -> None:
    """In a pause nothing is due; afterwards today's digest is, and none of the days between."""
    read(store, *about("lattice", 2))
    ask("subscribe lattice")
    assert ask("pause").title == "Paused. The digests go on with: /digest resume"
    later = NOON + timedelta(days=3)
    assert not made(store, later)
    ask("resume", now=later)
    assert made(store, later) == [date(2026, 12, 4)]


def test_resume_on_a_free_day_brings_nothing_old(store: Store, ask: Ask) -> None:
    """A weekday channel that resumes on Saturday waits for Monday, though Friday passed in the pause."""
    ask("subscribe lattice")
    ask("schedule 09:00 weekdays")
    ask("pause")
    saturday = datetime(2026, 12, 5, 12, tzinfo=NOON.tzinfo)
    assert "Mon 7 Dec 2026 09:00" in ask("resume", now=saturday).text
    assert not made(store, saturday + timedelta(hours=1))


def test_pause_until_a_date_says_what_comes_then(ask: Ask) -> None:
    """The next times are those after the pause, for a new subscription too."""
    ask("subscribe lattice")
    reply = ask("pause until 2026-12-24")
    assert reply.title == "Paused until Thu 24 Dec 2026."
    assert "Thu 24 Dec 2026 09:00, Fri 25 Dec 2026 09:00" in reply.text
    assert "Next digest: Thu 24 Dec 2026 09:00" in ask("subscribe frogs").text


# Looking.


def test_search_is_paged(store: Store, ask: Ask) -> None:
    """Five a page, newest first, with a button for the next page until there is none."""
    read(store, *about("lattice", 12))
    first = ask("search lattice", MEMBER)
    assert first.title == "Papers 1 to 5: lattice"
    (more,) = first.buttons
    second = ask(more.command)
    third = ask(second.buttons[0].command)
    assert third.title == "Papers 11 to 12: lattice"
    assert not third.buttons
    lines = [
        line
        for page in (first, second, third)
        for line in page.body
        if isinstance(line, Line) and line.buttons
    ]
    assert [line.buttons[0].command for line in lines] == [f"why p{n}" for n in range(12, 0, -1)]
    assert ask("search lattice page:9").title == "No more papers: lattice"


def test_search_is_bounded(store: Store, ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no word narrows the search, only the newest are looked at, and that is said."""
    monkeypatch.setattr(handlers, "MAX_LOOKED_AT", 3)
    read(store, replace(paper("Old", "Lattices."), categories=("cs.CL",)), *about("lattice", 4, 1))
    assert (
        ask("search category:cs.CL").title == "No paper found among the newest 3 looked at: in category cs.CL"
    )


def test_why_walks(store: Store, ask: Ask) -> None:
    """A paper's way in lines, marked as passed or not."""
    read(store, *about("lattice", 1))
    ask("subscribe lattice")
    ask("subscribe frogs")
    reply = ask("why amber number 0", MEMBER)
    assert reply.title == "amber number 0"
    assert "✓ asked for by lattice: matched: lattice" in reply.text
    assert "✗ asked for by frogs: it lacks: frogs" in reply.text


def test_feeds_tells_how_they_fare(store: Store, ask: Ask) -> None:
    """Each source with its state and its last new paper, on the channel's clock."""
    read(store, *about("lattice", 1))
    read(store, feed="broken", failures=3)
    reply = ask("feeds", MEMBER)
    assert reply.title == "2 sources: 1 healthy, 1 broken"
    table = reply.body[0]
    assert isinstance(table, Table)
    assert table.rows == (("arxiv", "healthy", "Tue 1 Dec 2026 13:00"), ("broken", "broken", "never"))


def test_status_tells_the_last_digests(store: Store, ask: Ask) -> None:
    """When, how many, from which sources, delivered or not."""
    read(store, *about("lattice", 3))
    ask("subscribe lattice")
    assert "No digest of #ml" in ask("status").title
    ask("now")
    table = ask("status", MEMBER).body[0]
    assert isinstance(table, Table)
    assert table.rows == (("Tue 1 Dec 2026", "3", "arxiv 3", "0 of 1 messages, the rest waits"),)


def test_status_tells_that_a_channel_takes_no_posts(store: Store, ask: Ask) -> None:
    """Since when, why, when it is tried again, and what mends it."""
    store.channels.add(refused(channel(), "the bot is not in the channel", "invite it", NOON))
    said = ask("status", MEMBER).text
    assert "It takes no posts since Tue 1 Dec 2026 12:00: the bot is not in the channel;" in said
    assert "next try Tue 1 Dec 2026 12:15.\nInvite it" in said


def test_help_of_one_verb(ask: Ask) -> None:
    """Its options and an example."""
    reply = ask("help subscribe")
    assert "limit (may be left out): Most papers of one digest" in reply.text
    assert reply.text.endswith('/digest subscribe "large language models" reasoning -survey limit:5')


# What platforms rely on.


def test_typed_options_are_answered_alike(store: Store) -> None:
    """A platform with typed options gets the same replies, refusals included."""
    common = (MANAGER, PLACE, Office(store, {"console": FakeMessenger()}), NOON)
    assert answer_typed("subscribe", {"query": "lattice"}, *common).title == "Subscribed to lattice."
    assert answer_typed("subscribe", {"query": "(lattice"}, *common).is_refusal


def test_wrong_input_is_answered_with_a_caret_and_a_command(ask: Ask) -> None:
    """What is wrong, where, what was understood, and what would work."""
    assert ask('subscribe limit:5 "chain of').text == (
        "This quote is never closed\n"
        '"chain of\n'
        "^\n"
        'Close it: "chain of thought"\n'
        "Understood: subscribe · limit: 5\n"
        'This works: /digest subscribe "large language models" reasoning -survey limit:5'
    )


def test_fault_of_ours_tells_no_secrets() -> None:
    """A broken database is no business of the channel: no path, no statement."""
    reply = refusal(StorageError("the database '/secret/p.db' is damaged"))
    assert "secret" not in reply.text
    assert reply.is_refusal


def test_suggestions(store: Store, ask: Ask) -> None:
    """Subscriptions by their ids, feeds after a comma, zones by their city, verbs; nothing for strangers."""
    read(store, feed="arxiv")
    read(store, feed="iclr")
    ask("subscribe lattice")
    number = f"#{of(store)[0].id}"
    assert suggest(Offer.SUBSCRIPTIONS, "lat", MEMBER, PLACE, store) == (("1. lattice", number),)
    assert suggest(Offer.FEEDS, "iclr,ar", MEMBER, PLACE, store) == (("arxiv", "iclr,arxiv"),)
    assert suggest(Offer.ZONES, "berl", MEMBER, PLACE, store)[0] == ("Europe/Berlin", "Europe/Berlin")
    assert suggest(Offer.VERBS, "sub", MEMBER, PLACE, store) == (
        ("subscribe", "subscribe"),
        ("unsubscribe", "unsubscribe"),
    )
    assert not suggest(Offer.FEEDS, "", CALLERS["stranger of another workspace"], PLACE, store)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    st.sampled_from([verb.name for verb in VERBS]),
    st.text(max_size=60),
    st.text("ab\"'<@>:*()-, \n", max_size=30),
)
def test_nothing_typed_breaks_a_handler(ask: Ask, verb: str, text: str, marks: str) -> None:
    """Whatever stands behind a verb is answered, and every button can be carried by any platform."""
    reply = ask(f"{verb} {text} {marks}")
    assert reply.title
    lines = [line for line in reply.body if isinstance(line, Line)]
    buttons = [*reply.buttons, *(button for line in lines for button in line.buttons)]
    assert all(len(button.command) <= MAX_BUTTON for button in buttons)
    assert all(len(line.text) <= 600 for line in lines)


def test_query_survives_the_audit(store: Store, ask: Ask) -> None:
    """What a removed subscription asked can be asked again from its row."""
    ask('subscribe "lattice"! (author:"Yann LeCun" OR 图像) -frogs')
    ask("unsubscribe 1")
    query = dict(store.audit.latest()[0].before)["query"]
    assert parse(query) == parse('"lattice"! (author:"Yann LeCun" OR 图像) -frogs')
