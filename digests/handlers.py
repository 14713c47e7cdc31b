"""Answers commands: `handle(command, caller, place, …)` gives a Reply, one short function per command.

Who may do what is checked here, for every platform alike, and every change leaves an audit row in its own
transaction.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from itertools import islice
from typing import Any

from digests import changes
from digests.changes import Facts
from digests.channel import Channel, moved, new_channel, paused, resumed
from digests.commands import (
    SLASH,
    Caller,
    Command,
    Edit,
    Feeds,
    Help,
    List,
    Now,
    Pause,
    Place,
    Preview,
    Resume,
    Schedule,
    Search,
    Settings,
    Status,
    Subscribe,
    Undo,
    Unsubscribe,
    Why,
)
from digests.compose import Waiting, compose_now, due_day, preview, trial
from digests.digest import counted, short_authors
from digests.errors import (
    CommandError,
    InputError,
    PaperroundError,
    ScheduleError,
    UnknownError,
)
from digests.heading import heading
from digests.health import state
from digests.outbox import Delivery, Edition, Stage
from digests.paper import Paper, landing, written_id
from digests.ports import Messenger, Store
from digests.query import describe, prefilter
from digests.register import Hints, Register
from digests.reply import MAX_BUTTON, Button, Line, Look, Reply, Table
from digests.rights import may_manage, refused
from digests.schedule import long_date, near_zones, parse_schedule
from digests.search import find, search
from digests.subscription import Subscription, SubscriptionId, named
from digests.text import clip
from digests.verbs import VERB, VERB_OF, VERBS, Offer, Verb, Who, build, parse_command
from digests.why import why

MAX_LOOKED_AT = 3_000
"""So many papers at most are compared for a page of a search, the newest: somebody waits for the answer."""

MAX_ROWS = 40
PAGE = 5
MAX_LINE = 500
MAX_OFFERS = 25
DAYS_BACK = 14


HINTS = Hints(
    subscribe=VERB["subscribe"].works,
    list=f"{SLASH} list",
    edit=f"{SLASH} edit {{n}} limit:5",
    remove=f"{SLASH} unsubscribe {{n}}",
    feeds=f"{SLASH} feeds",
    name='name:"Reasoning 2"',
)

UNKNOWN_BUTTON = Reply(
    "I do not know this button any more.", (Line(f"All commands: {SLASH} help"),), is_refusal=True
)
"""What is said to a button of another version."""


@dataclass(frozen=True, slots=True)
class Office:
    """What commands are answered with: the store, who posts digests, and the papers that may be shown."""

    store: Store
    messengers: Mapping[str, Messenger]
    papers: Waiting | None = None


@dataclass(frozen=True, slots=True)
class _Scene:
    """All that a handler works with besides its command; the channel may not be stored yet."""

    caller: Caller
    place: Place
    office: Office
    register: Register

    @property
    def store(self) -> Store:
        return self.office.store

    @property
    def channel(self) -> Channel:
        return self.register.channel

    @property
    def now(self) -> datetime:
        return self.register.now

    @property
    def subscriptions(self) -> tuple[Subscription, ...]:
        return self.register.subscriptions

    @property
    def last(self) -> date | None:
        return self.register.last

    @property
    def may_manage(self) -> bool:
        return may_manage(self.caller, self.channel.id, self.channel.managers)


def answer(text: str, caller: Caller, place: Place, office: Office, now: datetime) -> Reply:
    """The reply to a line of text, or to a button's command; wrong input is answered, never raised."""
    try:
        return handle(parse_command(text), caller, place, office, now)
    except InputError as error:
        return refusal(error)


def answer_typed(
    verb: str, options: Mapping[str, str], caller: Caller, place: Place, office: Office, now: datetime
) -> Reply:
    """The reply to a verb with typed options, each as text; wrong input is answered, never raised."""
    try:
        return handle(build(verb, options), caller, place, office, now)
    except InputError as error:
        return refusal(error)


def handle(command: Command, caller: Caller, place: Place, office: Office, now: datetime) -> Reply:
    """The reply to a command; what cannot be done is said in it, InputErrors included."""
    try:
        channel = office.store.channels.get(place.id)
    except UnknownError:
        channel = new_channel(place.id, now, place.name, place.zone)
    if sentence := refused(VERB_OF[type(command)].who, caller, channel.id, channel.managers):
        return Reply(sentence, is_refusal=True)
    who = f"{caller.platform}:{caller.user}"
    scene = _Scene(caller, place, office, Register(office.store, channel, who, now, HINTS))
    try:
        return HANDLERS[type(command)](command, scene)
    except InputError as error:
        return refusal(error)


def refusal(error: PaperroundError) -> Reply:
    """What a person is told of an error: what happened, what was understood, what would work."""
    if not isinstance(error, InputError):
        return Reply("That did not work: a fault of mine. Please try again in a minute.", is_refusal=True)
    pointed = understood = works = ""
    if isinstance(error, CommandError):
        pointed, understood, works = error.pointed, error.understood, error.works
    lines = (
        *(Line(line, look=Look.CODE) for line in pointed.split("\n") if line),
        Line(_sentence(error.hint)),
        Line(f"Understood: {understood}" if understood else "", look=Look.QUIET),
        Line(f"This works: {works}" if works else "", look=Look.QUIET),
    )
    return Reply(_sentence(error.what), tuple(line for line in lines if line.text), is_refusal=True)


def suggest(
    offer: Offer, typed: str, caller: Caller, place: Place, store: Store
) -> tuple[tuple[str, str], ...]:
    """What a person who has typed so much may mean: at most 25 pairs of a label and a value, best first."""
    if refused(Who.MEMBER, caller, place.id):
        return ()
    match offer:
        case Offer.ZONES:
            found = [(zone, zone) for zone in near_zones(typed, MAX_OFFERS)]
        case Offer.VERBS:
            names = [verb.name for verb in VERBS if verb.is_listed and typed.strip().casefold() in verb.name]
            found = [(name, name) for name in names]
        case Offer.FEEDS:
            before, comma, word = typed.rpartition(",")
            names = [
                feed.name for feed in store.feeds.all() if word.strip().casefold() in feed.name.casefold()
            ]
            found = [(name, f"{before}{comma}{name}") for name in names]
        case Offer.SUBSCRIPTIONS:
            numbered = enumerate(store.subscriptions.of([place.id]).get(place.id, ()), 1)
            labels = [(f"{n}. {each.name}", f"#{each.id}") for n, each in numbered]
            found = [(label, value) for label, value in labels if typed.casefold() in label.casefold()]
    return tuple((clip(label, 100), value) for label, value in found[:MAX_OFFERS] if len(value) <= 100)


# Subscriptions.


def _subscribe(command: Subscribe, scene: _Scene) -> Reply:
    if scene.place.cannot_post:
        raise InputError(scene.place.cannot_post)
    name = command.name or named(str(command.query))
    wanted = Subscription(
        scene.channel.id, name, command.query, command.every, command.limit, command.feeds, added=scene.now
    )
    saved, change = scene.register.subscribe(wanted)
    body = (*_trial_lines(scene, saved), Line(_next_digest(scene, saved)))
    return Reply(f"Subscribed to {saved.name}.", body, buttons=(Button("Undo", f"undo {change.id}"),))


def _trial_lines(scene: _Scene, subscription: Subscription) -> Iterator[Line]:
    """How the query was understood, how much it would have brought, and the best of it."""
    yield Line(clip(f"Understood as: {describe(subscription.query)}", MAX_LINE))
    yield Line(_terms(subscription), look=Look.QUIET)
    tried = trial(scene.store, subscription, scene.now)
    yield Line(f"{tried} The best:" if tried.best else str(tried))
    for paper in tried.best:
        yield Line(f"• {_heading(paper)}", landing(paper))


def _terms(subscription: Subscription) -> str:
    feeds = f", from {', '.join(subscription.feeds)}" if subscription.feeds else ""
    return clip(f"{subscription.cadence}, at most {subscription.limit} papers a digest{feeds}", MAX_LINE)


def _next_digest(scene: _Scene, subscription: Subscription) -> str:
    """When the next digest with a subscription comes."""
    channel, last = scene.channel, scene.last
    if channel.paused:
        return f"The channel is paused; its digests go on with: {SLASH} resume"
    day = due_day(channel, last, scene.now)
    calendar, cadence = channel.calendar, subscription.cadence
    if day and calendar.takes_part(cadence, day, subscription.last_turn):
        return "Next digest: in a few minutes."
    moment = channel.next_turn(cadence, scene.now, day or last, subscription.last_turn)
    if not moment:
        return f"No date of the schedule brings it a digest; change that with: {VERB['schedule'].works}"
    return f"Next digest: {channel.clock(moment)} ({calendar.zone})."


def _list(_: List, scene: _Scene) -> Reply:
    found = scene.subscriptions
    if not found:
        return Reply("No subscriptions here yet.", (Line(f"Begin with: {VERB['subscribe'].works}"),))
    counts = _last_counts(scene, found)
    feeds = {feed.name for feed in scene.store.feeds.all()}
    lines = []
    for number, each in enumerate(found, 1):
        buttons = (
            Button("Edit", f"edit #{each.id}"),
            Button("Remove", f"unsubscribe #{each.id}", is_danger=True),
        )
        lines.append(
            Line(f"{number}. {each.name}", look=Look.STRONG, buttons=buttons if scene.may_manage else ())
        )
        lines.append(Line(clip(str(each.query), MAX_LINE), look=Look.CODE))
        lines.append(Line(f"{_terms(each)}; {counts[each.id]}", look=Look.QUIET))
        if gone := [name for name in each.feeds if name not in feeds]:
            removed = f"{', '.join(gone)}: removed by the admin; mend it: {SLASH} edit {number} feeds:all"
            lines.append(Line(clip(removed, MAX_LINE), look=Look.QUIET))
    return Reply(f"{counted(len(found), 'subscription')} of {scene.channel.label}", tuple(lines))


def _last_counts(scene: _Scene, found: tuple[Subscription, ...]) -> dict[SubscriptionId, str]:
    """What each subscription brought the last time that it took part."""
    said = {}
    editions: dict[date, Edition | None] = {}
    for each in found:
        turn = each.last_turn
        if turn is None:
            said[each.id] = "no digest yet"
            continue
        if turn not in editions:
            editions[turn] = scene.store.outbox.edition(scene.channel.id, turn)
        edition = editions[turn]
        sections = edition.digest.sections if edition else ()
        count = sum(len(section.items) for section in sections if section.subscription == each.id)
        said[each.id] = f"{counted(count, 'paper')} on {turn:%a} {turn.day} {turn:%b}"
    return said


def _edit(command: Edit, scene: _Scene) -> Reply:
    number, old, new = scene.register.edit(command.number, lambda old: edited(old, command))
    if new == old:
        return _nothing_changed(number, old)
    before, after = changes.differing(changes.terms(old), changes.terms(new))
    tried = _trial_lines(scene, new) if new.query != old.query else (Line(_terms(new), look=Look.QUIET),)
    return Reply(
        f"Changed {new.name}.", (*_change_lines(before, after), *tried, Line(_next_digest(scene, new)))
    )


def edited(old: Subscription, command: Edit) -> Subscription:
    """The subscription with what the command names; one that is called as its query follows that."""
    name = command.name
    if command.query is not None and name is None and old.name == named(str(old.query)):
        name = named(str(command.query))
    return replace(
        old,
        query=old.query if command.query is None else command.query,
        name=old.name if name is None else name,
        cadence=old.cadence if command.every is None else command.every,
        limit=old.limit if command.limit is None else command.limit,
        feeds=old.feeds if command.feeds is None else command.feeds,
    )


def _nothing_changed(number: int, subscription: Subscription) -> Reply:
    said = f'{SLASH} edit {number} limit:5 every:weekdays name:"Another name"'
    body = (
        Line(clip(str(subscription.query), MAX_LINE), look=Look.CODE),
        Line(_terms(subscription), look=Look.QUIET),
        Line(f"Say what to change, as in: {said}"),
    )
    return Reply(f"{number}. {subscription.name} is as it was.", body)


def _change_lines(before: Facts, after: Facts) -> Iterator[Line]:
    old = dict(before)
    for name, value in after:
        yield Line(clip(f"{name}: {old.get(name, '')} → {value}", MAX_LINE))


def _unsubscribe(command: Unsubscribe, scene: _Scene) -> Reply:
    found, change = scene.register.unsubscribe(command.number)
    line = Line(clip(str(found.query), MAX_LINE), look=Look.CODE)
    return Reply(f"Removed {found.name}.", (line,), buttons=(Button("Undo", f"undo {change.id}"),))


def _undo(command: Undo, scene: _Scene) -> Reply:
    found, is_back = scene.register.undo(command.change)
    if not is_back:
        return Reply(f"Undone: {found.name} is removed.")
    return Reply(f"{found.name} is back.", (Line(_next_digest(scene, found)),))


# The digest and its calendar.


def _preview(command: Preview, scene: _Scene) -> Reply:
    if command.query is None and not scene.subscriptions:
        return _list(List(), scene)
    digest = preview(scene.store, scene.channel, scene.now, command.query, scene.office.papers)
    if command.query is None:
        return Reply("Today's digest as it would be now; nothing is posted.", digest=digest)
    note = "Taken from the last 14 days; a new subscription begins with the last 24 hours."
    subscribe = f"subscribe {command.query}"
    button = (Button("Subscribe", subscribe),) if len(subscribe) <= MAX_BUTTON else ()
    understood = Line(clip(f"Understood as: {describe(command.query)}", MAX_LINE))
    return Reply(
        "What it would bring",
        (understood, Line(note, look=Look.QUIET)),
        digest,
        button if scene.may_manage else (),
    )


def _now(_: Now, scene: _Scene) -> Reply:
    if scene.place.cannot_post:
        raise InputError(scene.place.cannot_post)
    if not scene.subscriptions:
        return _list(List(), scene)
    messengers, who = scene.office.messengers, scene.register.who
    if scene.channel.id.platform not in messengers:
        raise InputError("digests are not posted from here", "try it in the channel itself")
    composed = compose_now(scene.store, scene.channel, messengers, scene.now, who, scene.office.papers)
    coming = Line(_coming(scene.channel, scene.now, composed.day))
    if not composed.is_new:
        return Reply(f"The digest of {long_date(composed.day)} was made already.", (coming,))
    edition = scene.store.outbox.edition(scene.channel.id, composed.day)
    count = len(edition.digest.papers) if edition else 0
    if edition and not edition.payloads:
        return Reply("No new papers today, and this channel wants silence then.", (coming,))
    return Reply(f"Today's digest is on its way, with {counted(count, 'paper')}.", (coming,))


def _schedule(command: Schedule, scene: _Scene) -> Reply:
    text, last = " ".join(filter(None, (command.time, command.days, command.zone))), scene.last
    try:
        _, changed = _changed(
            scene,
            "schedule",
            lambda channel: moved(channel, parse_schedule(text, channel.calendar), scene.now, last),
        )
    except ScheduleError as error:
        raise CommandError(error.what, error.hint, works=VERB["schedule"].works) from error
    lines = [Line(_coming(changed, scene.now, last))]
    if due_day(changed, last, scene.now) and scene.subscriptions:
        lines.insert(0, Line("Today's digest comes in a few minutes."))
    return Reply(f"Digests come at {changed.calendar}.", tuple(lines))


def _settings(command: Settings, scene: _Scene) -> Reply:
    if _with_settings(scene.channel, command, scene) == scene.channel:
        rows = changes.settings(scene.channel)
        example = Line(f"Change them as in: {VERB['settings'].works}")
        return Reply(f"Settings of {scene.channel.label}", (Table(("setting", "value"), rows), example))
    before, changed = _changed(scene, "settings", lambda channel: _with_settings(channel, command, scene))
    lines = [*_change_lines(*changes.differing(changes.settings(before), changes.settings(changed)))]
    if not may_manage(scene.caller, changed.id, changed.managers):
        lines.append(Line("You are not among the managers yourself: from now on only they can change this."))
    return Reply("Changed.", tuple(lines))


def _with_settings(channel: Channel, command: Settings, scene: _Scene) -> Channel:
    if command.holidays is not None:
        calendar = replace(channel.calendar, holidays=command.holidays)
        channel = moved(channel, calendar, scene.now, scene.last)
    return replace(
        channel,
        size=channel.size if command.papers is None else command.papers,
        layout=channel.layout if command.layout is None else command.layout,
        thread=channel.thread if command.thread is None else command.thread,
        empty_day=channel.empty_day if command.empty is None else command.empty,
        language=channel.language if command.language is None else command.language,
        managers=channel.managers if command.managers is None else command.managers,
    )


def _pause(command: Pause, scene: _Scene) -> Reply:
    _, changed = _changed(scene, "pause", lambda channel: paused(channel, scene.now, command.until))
    if command.until is None:
        return Reply(f"Paused. The digests go on with: {SLASH} resume")
    return Reply(
        f"Paused until {long_date(command.until)}.", (Line(_coming(changed, scene.now, scene.last)),)
    )


def _resume(_command: Resume, scene: _Scene) -> Reply:
    if not (scene.channel.paused or scene.channel.paused_until):
        return Reply("This channel is not paused.", (Line(_coming(scene.channel, scene.now, scene.last)),))
    _, changed = _changed(scene, "resume", lambda channel: resumed(channel, scene.now))
    return Reply("The digests go on.", (Line(_coming(changed, scene.now, scene.last)),))


def _changed(scene: _Scene, what: str, change: Callable[[Channel], Channel]) -> tuple[Channel, Channel]:
    """Change the channel, which takes the name that the platform has for it; gives it before and after."""
    return scene.register.change(
        what, lambda channel: replace(change(channel), name=scene.place.name or channel.name)
    )


def _coming(channel: Channel, now: datetime, last: date | None) -> str:
    """The next three digests on the channel's own clock: a wrong zone is seen at once."""
    moments = channel.coming(now, 3, last)
    if not moments:
        return "No digest is to come: " + ("it is paused." if channel.paused else "every date is left out.")
    return f"Next digests ({channel.calendar.zone}): {', '.join(map(channel.clock, moments))}"


# Looking.


def _search(command: Search, scene: _Scene) -> Reply:
    start = (command.page - 1) * PAGE
    found = search(scene.store, command.query, MAX_LOOKED_AT)
    papers = list(islice(found, start, start + PAGE + 1))
    understood = clip(describe(command.query), MAX_LINE)
    if not papers:
        is_bounded = prefilter(command.query) is None and scene.store.papers.count() > MAX_LOOKED_AT
        bound = f" among the newest {MAX_LOOKED_AT:,} looked at" if is_bounded else ""
        return Reply(f"No {'more papers' if start else 'paper found'}{bound}: {understood}")
    lines = [line for paper in papers[:PAGE] for line in _paper_lines(paper, scene)]
    more = f"search {command.query} page:{command.page + 1}"
    has_more = len(papers) > PAGE
    buttons = (Button("More", more),) if has_more and len(more) <= MAX_BUTTON else ()
    if has_more and not buttons:
        lines.append(Line(f"More: the same command with page:{command.page + 1}", look=Look.QUIET))
    return Reply(
        f"Papers {start + 1} to {start + len(papers[:PAGE])}: {understood}", tuple(lines), buttons=buttons
    )


def _paper_lines(paper: Paper, scene: _Scene) -> Iterator[Line]:
    yield Line(_heading(paper), landing(paper), buttons=(Button("Why", f"why {written_id(paper.id)}"),))
    seen = scene.channel.clock(paper.first_seen) if paper.first_seen else ""
    said = (written_id(paper.id), short_authors(paper.authors), paper.venue, ", ".join(paper.feeds), seen)
    yield Line(clip(" · ".join(filter(None, said)), MAX_LINE), look=Look.QUIET)


def _why(command: Why, scene: _Scene) -> Reply:
    try:
        paper = find(scene.store, command.paper)
    except UnknownError as error:
        raise UnknownError(
            f"no stored paper is {clip(command.paper, 100)!r}", f"look for it with: {VERB['search'].works}"
        ) from error
    marks = {True: "✓", False: "✗", None: "·"}
    steps = why(scene.store, paper, scene.channel, scene.now, scene.office.papers)
    lines = tuple(Line(clip(f"{marks[step.passed]} {step.name}: {step.because}", MAX_LINE)) for step in steps)
    return Reply(_heading(paper), lines)


def _feeds(_: Feeds, scene: _Scene) -> Reply:
    feeds = scene.store.feeds.all()
    if not feeds:
        return Reply("No sources yet: the admin adds them with: paperround feeds add URL")
    rows = tuple(
        (
            feed.name,
            state(feed, scene.now).value,
            scene.channel.clock(feed.last_new) if feed.last_new else "never",
        )
        for feed in feeds[:MAX_ROWS]
    )
    left = len(feeds) - len(rows)
    rest = (Line(f"and {left} more", look=Look.QUIET),) if left else ()
    fares = Counter(state(feed, scene.now).value for feed in feeds)
    title = f"{counted(len(feeds), 'source')}: {', '.join(f'{n} {word}' for word, n in fares.most_common())}"
    return Reply(title, (Table(("source", "state", "last new paper"), rows), *rest))


def _status(_: Status, scene: _Scene) -> Reply:
    today = scene.channel.calendar.local_date(scene.now)
    days = [today + timedelta(days=1 - n) for n in range(DAYS_BACK)]
    made = (scene.store.outbox.edition(scene.channel.id, day) for day in days)
    editions = list(islice(filter(None, made), 7))
    end = (*_refusal_lines(scene.channel), Line(_coming(scene.channel, scene.now, scene.last)))
    if not editions:
        return Reply(f"No digest of {scene.channel.label} in the last two weeks.", end)
    deliveries = scene.store.outbox.deliveries(channel=scene.channel.id)
    rows = tuple(_status_row(edition, deliveries) for edition in editions)
    table = Table(("day", "papers", "sources", "delivered"), rows)
    return Reply(f"The last digests of {scene.channel.label}", (table, *end))


def _refusal_lines(channel: Channel) -> Iterator[Line]:
    if refusal := channel.refusal:
        again = channel.clock(refusal.retry_at)
        yield Line(
            f"It takes no posts since {channel.clock(refusal.since)}: {refusal.what}; next try {again}."
        )
        if refusal.hint:
            yield Line(_sentence(refusal.hint))


def _status_row(edition: Edition, deliveries: tuple[Delivery, ...]) -> tuple[str, ...]:
    sources = Counter(item.source for section in edition.digest.sections for item in section.items)
    named_sources = ", ".join(f"{source or 'other'} {count}" for source, count in sources.most_common(4))
    parts = [delivery for delivery in deliveries if delivery.day == edition.day]
    papers = str(len(edition.digest.papers))
    return (long_date(edition.day), papers, clip(named_sources, 100) or "none", _delivered(parts))


def _delivered(parts: list[Delivery]) -> str:
    if not parts:
        return "silent day"
    sent = sum(part.stage is Stage.SENT for part in parts)
    if sent == len(parts):
        return "yes"
    trouble = next((part.error for part in parts if part.error), "")
    given_up = any(part.stage is Stage.GIVEN_UP for part in parts)
    said = "no, given up" if given_up else f"{sent} of {len(parts)} messages, the rest waits"
    return clip(f"{said}: {trouble}" if trouble else said, 200)


def _help(command: Help, scene: _Scene) -> Reply:
    if command.verb:
        return _help_with(VERB[command.verb])
    listed = [verb for verb in VERBS if verb.is_listed and (verb.who is Who.MEMBER or scene.may_manage)]
    lines = [line for verb in listed for line in (Line(f"{verb.name}: {verb.about}"), _example(verb))]
    return Reply("A digest of new papers, every day, for this channel", tuple(lines))


def _help_with(verb: Verb) -> Reply:
    options = (
        Line(f"{option.name}{'' if option.required else ' (may be left out)'}: {option.about}")
        for option in verb.options
    )
    return Reply(f"{verb.name}: {verb.about}", (*options, _example(verb)))


def _example(verb: Verb) -> Line:
    return Line(verb.works, look=Look.CODE)


def _heading(paper: Paper) -> str:
    return clip(paper.title or heading(paper.abstract), 300)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


HANDLERS: Mapping[type[Command], Callable[[Any, _Scene], Reply]] = {
    Subscribe: _subscribe,
    List: _list,
    Edit: _edit,
    Unsubscribe: _unsubscribe,
    Preview: _preview,
    Now: _now,
    Schedule: _schedule,
    Settings: _settings,
    Pause: _pause,
    Resume: _resume,
    Search: _search,
    Why: _why,
    Feeds: _feeds,
    Status: _status,
    Help: _help,
    Undo: _undo,
}
