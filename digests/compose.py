"""Job: composes the digests of channels that are due, and puts them into the outbox."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice

from digests import summary
from digests.changes import Change
from digests.channel import LAST_TRY_AGAIN, Channel, ChannelId, EmptyDay, Layout
from digests.digest import Ailment, Digest, Foot, Item, Progress, Publication, Section, Silent, counted
from digests.errors import InputError
from digests.feed import Feed
from digests.heading import heading
from digests.health import State, state
from digests.matching import Index, Match
from digests.outbox import Edition
from digests.paper import Paper, PaperId, identify, landing, read_id
from digests.ports import Messenger, Store
from digests.query import Query, likes, prefilter
from digests.quote import Quote, quote
from digests.ranking import Chosen, Selection, Wanted, select
from digests.schedule import latest_believable
from digests.subscription import Subscription, named
from digests.text import clip

WINDOW = timedelta(days=14)
"""A paper that was not shown waits so long for its turn; one of a list waits until the list is done."""

FIRST_LOOK = timedelta(hours=24)
"""So far back a new subscription looks, lists apart."""

MOST_UNREAD = timedelta(hours=26)
"""A feed that nobody has read for longer is named in the foot."""

TRIAL = timedelta(days=30)
TRIAL_MOST = 2_000
"""So many papers at most are tried, the newest: an answer is waited for."""
TRIAL_BESIDE = 1_000
"""At least so many are compared, hits or not: they tell which words are rare, and so which hits are best."""

MAX_PUBLISHED = 5
"""So many papers that came out are told of at once; the others wait for the next digest."""

SENTENCES = 2
SUMMARY = f"{summary.METHOD} {SENTENCES}"
"""What names the summaries that are kept: the best sentence, and perhaps one that adds to it."""

MAX_MATCHED = 4
"""So many matched words are named under an item."""
MAX_PLACE = 60
"""arXiv's journal references can be longer than the summary."""

_PLACES = {
    "arxiv": "arXiv",
    "openreview": "OpenReview",
    "pmid": "PubMed",
    "acl": "ACL Anthology",
    "pmlr": "PMLR",
}


Waiting = Callable[[datetime], Index]
"""Gives the papers that may be shown at a time: `waiting` of a store, or what remembers it."""


class _Matches(dict[Query, Sequence[Match]]):
    """Each query's matches, found when they are first asked for: one that fails costs its channels only."""

    def __init__(self, index: Index) -> None:
        super().__init__()
        self._index = index

    def __missing__(self, query: Query) -> Sequence[Match]:
        return self.setdefault(query, self._index.match(query))


@dataclass(frozen=True, slots=True)
class Round:
    """What all channels of one round share: their subscriptions, each distinct query's matches, the feeds.

    `index` holds the papers that may be shown.
    """

    now: datetime
    subscriptions: Mapping[ChannelId, tuple[Subscription, ...]]
    index: Index
    matches: Mapping[Query, Sequence[Match]]
    feeds: Mapping[str, Feed]

    def is_open_to(self, paper: Paper, subscription: Subscription) -> bool:
        """Whether a subscription may show a paper: one of its feeds gave it, and not before its time."""
        feeds = [self.feeds[name] for name in paper.feeds if name in self.feeds]
        if subscription.feeds:
            feeds = [feed for feed in feeds if feed.name in subscription.feeds]
            if not feeds:
                return False
        if any(feed.is_list for feed in feeds):
            return True
        begin = max(self.now - WINDOW, (subscription.added or self.now) - FIRST_LOOK)
        return paper.first_seen is not None and paper.first_seen >= begin


@dataclass(frozen=True, slots=True)
class Plan:
    """What a channel gets on a local date: whose turn it is, what was chosen, what it was shown before.

    `published` are papers that it was shown before, and that have come out since.
    """

    channel: Channel
    day: date
    turns: tuple[Subscription, ...]
    selection: Selection
    shown: Mapping[PaperId, date]
    published: tuple[Publication, ...] = ()


@dataclass(frozen=True, slots=True)
class Fault:
    """An edition that could not be made, and why; nothing of it was written."""

    channel: ChannelId
    day: date
    error: Exception


@dataclass(frozen=True, slots=True)
class Composed:
    """The local date of a channel's edition, and whether it was made now."""

    day: date
    is_new: bool


@dataclass(frozen=True, slots=True)
class Trial:
    """What a query would have brought: `count` of the `stored` papers of the last `days` days; the best.

    `is_least` says that only the newest `TRIAL_MOST` papers with its words were tried; `unknown` are the
    papers that `like:` names and nobody has stored.
    """

    stored: int
    count: int
    days: int
    best: tuple[Paper, ...]
    is_least: bool = False
    unknown: tuple[str, ...] = ()

    def __str__(self) -> str:
        """It in a sentence: "It would have brought 14 of the 29 papers of the last day."."""
        if not self.stored:
            return "No papers are stored yet, so there is nothing to try it on."
        days = f"the last {self.days} days" if self.days > 1 else "the last day"
        papers = f"{counted(self.stored, 'paper')} of {days}"
        if not self.count and self.unknown:
            return (
                f"No paper {clip(self.unknown[0], 60)!r} is stored, so none is near it yet; like: takes an"
                " arXiv id, a DOI, an OpenReview id, or p12 as why and searches write it."
            )
        if not self.count:
            return f"Of the {papers} it matches none: are its words too special?"
        least = "at least " if self.is_least else ""
        a_day = f", {self.count / self.days:.1f} a day" if self.days > 1 else ""
        return f"It would have brought {least}{self.count:,} of the {papers}{a_day}."


def compose(
    store: Store,
    messengers: Mapping[str, Messenger],
    now: datetime,
    leave_out: Collection[ChannelId] = (),
    papers: Waiting | None = None,
) -> Iterator[Edition | Fault]:
    """Compose the edition of every channel that is due and whose platform is served here, one by one.

    `papers` gives the store's papers where somebody remembers them; here and below they are read without it.
    A channel whose edition cannot be made costs no other. One that still has an edition on its way waits:
    what surely was not posted yet is withdrawn, so that after an outage a channel gets one edition.
    """
    served = [channel for channel in store.channels.all() if channel.id.platform in messengers]
    channels = [channel for channel in served if channel.id not in leave_out]
    last = store.outbox.last_days([channel.id for channel in channels], latest_believable(now))
    due = [(channel, day) for channel in channels if (day := due_day(channel, last.get(channel.id), now))]
    subscriptions = store.subscriptions.of([channel.id for channel, _ in due])
    shared: Round | None = None  # made for the first that waits for nothing: one may wait for hours
    for channel, day in due:
        try:
            if not _is_free(store, channel, day, subscriptions):
                continue
            shared = shared or _matched(store, subscriptions, now, papers)
            made = _make(store, shared, channel, day, messengers)
        except Exception as error:
            yield Fault(channel.id, day, error)
        else:
            if made:
                yield made


def _is_free(
    store: Store, channel: Channel, day: date, subscriptions: Mapping[ChannelId, Collection[Subscription]]
) -> bool:
    """Whether a channel can have an edition now; what of earlier ones surely was not posted is withdrawn."""
    why = f"not posted before the edition of {day} was due"
    return bool(subscriptions.get(channel.id)) and store.outbox.withdraw(channel.id, day, why)


def _make(
    store: Store, shared: Round, channel: Channel, day: date, messengers: Mapping[str, Messenger]
) -> Edition | None:
    planned = plan(store, shared, channel, day)
    return _put(store, planned, shared, summarised(store, [planned], keep=True), messengers)


def compose_now(
    store: Store,
    channel: Channel,
    messengers: Mapping[str, Messenger],
    now: datetime,
    who: str,
    papers: Waiting | None = None,
) -> Composed:
    """Compose today's edition of one channel, whatever the time, and note in the same transaction who asked.

    One of today or, after the clock was set back or the zone changed, of a later date, counts as made.
    InputError if the channel has no subscription.
    """
    day = channel.calendar.local_date(now)
    if last := _had(store, channel, day, now):
        return Composed(last, is_new=False)
    shared = gather(store, [channel.id], now, papers)
    if not shared.subscriptions.get(channel.id):
        raise InputError(
            f"{channel.id} has no subscription",
            f"add one with: paperround subscriptions add {channel.id} 'large language models'",
        )
    with store.together():
        store.outbox.withdraw(channel.id, day, f"not posted before the edition of {day} was asked for")
        if edition := _make(store, shared, channel, day, messengers):
            store.audit.add(Change(channel.id, who, "now", now, after=(("day", str(day)),)))
    return Composed(day, is_new=edition is not None)


def _had(store: Store, channel: Channel, day: date, now: datetime) -> date | None:
    """The date of the edition that the channel has for a local date or a later one."""
    last = store.outbox.last_days([channel.id], latest_believable(now)).get(channel.id)
    return last if last and last >= day else None


def preview(
    store: Store,
    channel: Channel,
    now: datetime,
    query: Query | None = None,
    papers: Waiting | None = None,
) -> Digest:
    """Today's digest of a channel as it would be now, every subscription's turn or not; nothing is kept.

    With a query, what a subscription to it would bring if it had been there all the time.
    """
    if query is None:
        shared = gather(store, [channel.id], now, papers)
    else:
        begun = now - WINDOW + FIRST_LOOK
        asked = Subscription(channel.id, named(str(query)), query, limit=channel.size, added=begun)
        shared = _matched(store, {channel.id: (asked,)}, now, papers)
    planned = plan(store, shared, channel, channel.calendar.local_date(now), whoever=True)
    return _digest(planned, shared, summarised(store, [planned]))


def trial(store: Store, subscription: Subscription, now: datetime) -> Trial:
    """What a subscription would have brought over the last days, of the papers that are stored."""
    query, since = subscription.query, now - TRIAL
    tried = tuple(islice(store.papers.search(prefilter(query)), TRIAL_MOST))
    feeds = store.feeds.all()
    lists = {feed.name for feed in feeds if feed.is_list}
    recent = [
        paper
        for paper in tried
        if (paper.first_seen and paper.first_seen >= since) or not lists.isdisjoint(paper.feeds)
        if not subscription.feeds or not set(paper.feeds).isdisjoint(subscription.feeds)
    ]
    models = liked(store, [query])
    others = beside(store, tried, TRIAL_BESIDE - len(recent))
    ids = {paper.id for paper in recent}
    found = [match for match in Index([*recent, *others], models).match(query) if match.paper.id in ids]
    begun = min((feed.added for feed in feeds if feed.added and not feed.is_list), default=now)
    days = min(max((now - begun).days + 1, 1), TRIAL.days)
    best = tuple(match.paper for match in found[:3])
    unknown = tuple(value for value in likes(query) if value not in models)
    return Trial(store.papers.count(since), len(found), days, best, len(tried) == TRIAL_MOST, unknown)


def beside(store: Store, papers: Collection[Paper], most: int) -> Iterator[Paper]:
    """The newest of the other papers: a few alone do not tell which words are rare."""
    there = {paper.id for paper in papers}
    others = (paper for paper in store.papers.search(None) if paper.id not in there)
    return islice(others, max(most, 0))


def due_day(channel: Channel, last: date | None, now: datetime) -> date | None:
    """The local date whose edition the channel is owed; None if none is, while it pauses or refuses posts.

    Times too far ahead were written while the clock was wrong, and hold nothing up.
    """
    if channel.paused:
        return None
    if channel.refusal and now < channel.refusal.retry_at <= now + LAST_TRY_AGAIN:
        return None
    since = channel.since if channel.since and channel.since <= now else None
    if channel.paused_until:
        ends = channel.calendar.begins(channel.paused_until)
        since = max(since, ends) if since else ends
    return channel.calendar.due(now, last, since)


def gather(
    store: Store, channels: Collection[ChannelId], now: datetime, papers: Waiting | None = None
) -> Round:
    """Match each distinct query of these channels once against the papers that may be shown."""
    return _matched(store, store.subscriptions.of(channels), now, papers)


def _matched(
    store: Store,
    subscriptions: Mapping[ChannelId, tuple[Subscription, ...]],
    now: datetime,
    papers: Waiting | None,
) -> Round:
    queries = {subscription.query for each in subscriptions.values() for subscription in each}
    found = (papers(now) if papers else waiting(store, now)) if queries else Index(())
    index = found.anew(liked(store, queries))
    matches = _Matches(index)
    return Round(now, subscriptions, index, matches, {feed.name: feed for feed in store.feeds.all()})


def waiting(store: Store, now: datetime) -> Index:
    """The papers that may be shown, ready to be asked."""
    return Index(store.papers.candidates(oldest(now)))


def oldest(now: datetime) -> datetime:
    """Since when papers wait: the same for a whole day, so that they need not be read anew each moment.

    `Round.is_open_to` tells more exactly which of them a subscription may show.
    """
    return datetime.combine((now - WINDOW).astimezone(UTC).date(), time(), UTC)


def plan(store: Store, shared: Round, channel: Channel, day: date, *, whoever: bool = False) -> Plan:
    """Choose what a channel gets on a local date; `whoever` takes in subscriptions whose turn it is not."""
    turns = tuple(
        subscription
        for subscription in shared.subscriptions.get(channel.id, ())
        if whoever or channel.calendar.takes_part(subscription.cadence, day, subscription.last_turn)
    )
    shown = store.outbox.shown(channel.id)
    wanted = [
        Wanted(subscription.name, subscription.limit, tuple(_fresh(subscription, shared, shown)))
        for subscription in turns
    ]
    published = tuple(_published(store, channel, shared))
    return Plan(channel, day, turns, select(wanted, channel.size), shown, published)


def summarised(store: Store, plans: Iterable[Plan], *, keep: bool = False) -> dict[PaperId, tuple[str, ...]]:
    """The summaries of all chosen papers; those made now are remembered if `keep`."""
    papers = {chosen.match.paper.id: chosen.match.paper for each in plans for chosen in _chosen(each)}
    known = dict(store.papers.summaries(tuple(papers), SUMMARY))
    made = {
        paper.id: summary.summarise(paper.abstract, paper.title, SENTENCES)
        for paper in papers.values()
        if paper.id not in known
    }
    if made and keep:
        store.papers.keep_summaries(made, SUMMARY)
    return known | made


def liked(store: Store, queries: Iterable[Query]) -> dict[str, Paper]:
    """The papers that `like:` names, as far as they are stored."""
    values = {value for query in queries for value in likes(query)}
    keys = {value: str(found) for value in values if (found := identify(value))}
    ids = store.papers.by_keys(tuple(keys.values())) if keys else {}
    named = {value: ids[key] for value, key in keys.items() if key in ids}
    named |= {value: paper for value in values if (paper := read_id(value))}
    papers = store.papers.get_many(tuple(named.values())) if named else {}
    return {value: papers[paper] for value, paper in named.items() if paper in papers}


def _fresh(subscription: Subscription, shared: Round, shown: Collection[PaperId]) -> Iterator[Match]:
    for match in shared.matches[subscription.query]:
        if match.paper.id not in shown and shared.is_open_to(match.paper, subscription):
            yield match


def _published(store: Store, channel: Channel, shared: Round) -> Iterator[Publication]:
    """What came out since, oldest news first; a query that is only tried out brings none."""
    if not any(subscription.id for subscription in shared.subscriptions.get(channel.id, ())):
        return
    places = tuple(store.outbox.published(channel.id).items())[:MAX_PUBLISHED]
    papers = store.papers.get_many(tuple(paper for paper, _ in places))
    for found, place in places:
        if paper := papers.get(found):
            yield Publication(found, _heading(paper), clip(place, MAX_PLACE), landing(paper))


def _chosen(planned: Plan) -> Iterator[Chosen]:
    for section in planned.selection.shares:
        yield from section.chosen


def _put(
    store: Store,
    planned: Plan,
    shared: Round,
    summaries: Mapping[PaperId, tuple[str, ...]],
    messengers: Mapping[str, Messenger],
) -> Edition | None:
    """Put a channel's edition into the outbox; None if it had one for that date already."""
    digest = _digest(planned, shared, summaries)
    speaks = bool(digest.sections) or _speaks_when_empty(planned.channel, planned.day)
    if not speaks:
        digest = replace(digest, published=())  # nobody is told: it waits for a digest that is posted
    payloads = messengers[planned.channel.id.platform].render(digest) if speaks else ()
    edition = Edition(planned.channel.id, planned.day, digest, payloads, shared.now)
    turns = [subscription.id for subscription in planned.turns]
    return edition if store.outbox.put(edition, turns) else None


def _speaks_when_empty(channel: Channel, day: date) -> bool:
    """Whether a day without papers brings a line: never, always, or on the first sending day of a week."""
    if channel.empty_day is EmptyDay.WEEKLY:
        earlier = (day - timedelta(days=n) for n in range(1, day.weekday() + 1))
        return not any(channel.calendar.sends_on(other) for other in earlier)
    return channel.empty_day is EmptyDay.LINE


def _digest(planned: Plan, shared: Round, summaries: Mapping[PaperId, tuple[str, ...]]) -> Digest:
    turns = {subscription.name: subscription for subscription in planned.turns}
    sections = tuple(
        Section(
            section.name,
            tuple(
                _item(chosen, _quoted(chosen, turns[section.name].query, planned.channel, summaries), shared)
                for chosen in section.chosen
            ),
            turns[section.name].id,
        )
        for section in planned.selection.shares
        if section.chosen
    )
    channel = planned.channel
    return Digest(
        channel=str(channel.id),
        label=channel.label,
        day=planned.day,
        zone=str(channel.calendar.zone),
        sections=sections,
        foot=_foot(planned, shared),
        published=planned.published,
        layout=channel.layout,
        language=channel.language,
        thread=channel.thread,
    )


def _quoted(
    chosen: Chosen, query: Query, channel: Channel, summaries: Mapping[PaperId, tuple[str, ...]]
) -> Quote:
    """What is quoted of a paper: two sentences at most, of which one shows why it matched if any does.

    A compact digest has one sentence.
    """
    paper = chosen.match.paper
    sentences = summaries[paper.id]
    if channel.layout is Layout.COMPACT:
        return replace(quote(query, paper, sentences[:1]), snippet="", snippet_marks=())
    quoted = quote(query, paper, sentences)
    return quoted if quoted.marks else quote(query, paper, sentences[:1])


def _heading(paper: Paper) -> str:
    return paper.title or heading(paper.abstract)


def _item(chosen: Chosen, quoted: Quote, shared: Round) -> Item:
    paper = chosen.match.paper
    source, *others = _places(paper, shared) or [""]
    return Item(
        paper=paper.id,
        heading=_heading(paper),
        link=landing(paper),
        authors=paper.authors,
        source=source,
        also_in=tuple(others),
        summary=quoted.summary,
        marks=quoted.marks,
        matched=chosen.match.evidence.words[:MAX_MATCHED],
        also_for=chosen.also_for,
        snippet=quoted.snippet,
        snippet_marks=quoted.snippet_marks,
        is_published=bool(paper.published_in),
    )


def _places(paper: Paper, shared: Round) -> list[str]:
    """Where the paper appeared, the most telling first: venue or list, archives; else its feed."""
    feeds = [shared.feeds[name] for name in paper.feeds if name in shared.feeds]
    lists = [clip(feed.title or feed.name, MAX_PLACE) for feed in feeds if feed.is_list]
    archives = [_PLACES[identifier.kind] for identifier in paper.identifiers if identifier.kind in _PLACES]
    named = [clip(paper.venue, MAX_PLACE) or next(iter(lists), ""), *archives]
    places = list(dict.fromkeys(filter(None, named)))
    return places or [clip(feed.title or feed.name, MAX_PLACE) for feed in feeds[:1]]


def _foot(planned: Plan, shared: Round) -> Foot:
    now = shared.now
    feeds = [feed for feed in shared.feeds.values() if feed.last_check and not feed.paused]
    polled = [feed for feed in feeds if not feed.is_list and not _is_unread(feed, now)]
    checks = [feed.last_check for feed in polled or feeds if feed.last_check]
    coming = planned.channel.calendar.upcoming(now, 1, planned.day)
    return Foot(
        checked=len(feeds),
        checked_at=min(checks, default=None),
        silent=(*_gone(planned, shared), *filter(None, (_silent(feed, now) for feed in feeds))),
        progress=tuple(_progress(planned, shared)),
        waiting=planned.selection.waiting,
        next_at=coming[0] if coming else None,
    )


def _gone(planned: Plan, shared: Round) -> Iterator[Silent]:
    """The feeds that a subscription names still, though the admin has removed them."""
    named = (name for subscription in planned.turns for name in subscription.feeds)
    return (Silent(name, "removed") for name in dict.fromkeys(named) if name not in shared.feeds)


_WORDS: dict[State, Ailment] = {State.QUIET: "silent", State.STALE: "stale", State.BROKEN: "broken"}


def _silent(feed: Feed, now: datetime) -> Silent | None:
    """What the foot says of a feed that is not as it should be."""
    condition = state(feed, now)
    if condition is not State.BROKEN and _is_unread(feed, now):
        return Silent(feed.name, "not read", feed.last_check)
    if condition not in _WORDS:
        return None
    return Silent(
        feed.name, _WORDS[condition], feed.last_good if condition is State.BROKEN else feed.last_new
    )


def _is_unread(feed: Feed, now: datetime) -> bool:
    """Whether nobody has looked at a feed for much longer than it asks for: the service did not run."""
    return not feed.is_list and now - (feed.last_check or now) > max(2 * feed.every, MOST_UNREAD)


def _progress(planned: Plan, shared: Round) -> Iterator[Progress]:
    """How far each list has dripped that this channel has matches in."""
    today = {chosen.match.paper.id for chosen in _chosen(planned)}
    for feed in shared.feeds.values():
        if not feed.is_list:
            continue
        matching = {
            match.paper.id
            for subscription in planned.turns
            if not subscription.feeds or feed.name in subscription.feeds
            for match in shared.matches[subscription.query]
            if feed.name in match.paper.feeds
        }
        shown = len(matching & (today | planned.shown.keys()))
        if shown < len(matching) or matching & today:
            yield Progress(feed.title or feed.name, shown, len(matching))
