"""Commands that subscribe channels to queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from bot.cli import show
from bot.cli.audit import record
from digests import changes
from digests.channel import MAX_SIZE, ChannelId
from digests.digest import counted
from digests.errors import UnknownError
from digests.schedule import parse_days
from digests.subscription import DEFAULT_LIMIT, Subscription, named

if TYPE_CHECKING:
    from bot.app import App
    from digests.compose import Trial

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Subscribe channels to queries.")

_Channel = typer.Argument(
    metavar="CHANNEL", help="platform:workspace/channel, as in slack:T1/C1 or console:lab/ml."
)
_Json = typer.Option(False, "--json", help="Print JSON for scripts.")


@app.command(context_settings={"ignore_unknown_options": True})
def add(
    channel: str = _Channel,
    query: str = typer.Argument(help="What to look for: '\"large language models\" reasoning -survey'."),
    name: str = typer.Option("", help="The heading of its section; by default the query."),
    every: str = typer.Option("daily", help="daily, weekdays, weekly, or days: mon,thu."),
    limit: int = typer.Option(DEFAULT_LIMIT, min=1, max=MAX_SIZE, help="Most papers of one digest."),
    feeds: str = typer.Option("", help="Only these feeds: arxiv-cl,iclr-2026; by default all."),
    json: bool = _Json,
) -> None:
    """Subscribe a channel to a query; shows how it is understood and what it would have brought.

    Example: paperround subscriptions add console:lab/ml '"large language models" reasoning' --name Reasoning
    Example: paperround subscriptions add console:lab/ml 'benchmark -medical' --every mon,thu --limit 5
    """
    from bot.app import now, opened
    from bot.documents import paper_json, subscription_json
    from digests.compose import trial
    from digests.query import parse

    parsed = parse(query)
    with opened() as paperround:
        found = paperround.store.channels.get(ChannelId.parse(channel))
        wanted = Subscription(
            found.id,
            named(name or query),
            parsed,
            cadence=parse_days(every),
            limit=limit,
            feeds=_known_feeds(paperround, feeds),
            added=now(),
        )
        with paperround.store.together():
            saved = paperround.store.subscriptions.add(wanted)
            record(paperround, found.id, "subscriptions add", after=changes.whole(saved))
        tried = trial(paperround.store, saved, now())
    if json:
        document = subscription_json(saved) | {"matches": tried.count, "days": tried.days}
        show.print_json(document | {"best": [paper_json(paper) for paper in tried.best]})
        return
    most = counted(saved.limit, "paper")
    show.say(f"Saved {saved.name!r} for {channel}, {saved.cadence}, at most {most} a digest.")
    _say_trial(saved, tried)
    moment = found.next_turn(saved.cadence, now())
    if moment:
        show.say(
            f"Next digest: {moment.astimezone(found.calendar.zone):%a %d %b %H:%M} ({found.calendar.zone})"
        )


@app.command("list")
def list_(channel: str = _Channel, json: bool = _Json) -> None:
    """List a channel's subscriptions.

    Example: paperround subscriptions list console:lab/ml
    """
    from bot.app import opened
    from bot.documents import subscription_json

    with opened() as paperround:
        subscriptions = _of(paperround, channel)
    if json:
        show.print_json([subscription_json(subscription) for subscription in subscriptions])
        return
    rows = [
        (str(n), s.name, str(s.query), str(s.cadence), str(s.limit), ", ".join(s.feeds) or "all")
        for n, s in enumerate(subscriptions, 1)
    ]
    show.table(
        ("#", "name", "query", "every", "limit#", "feeds"),
        rows,
        f"No subscriptions yet; add one with: paperround subscriptions add {channel} 'large language models'",
    )


@app.command()
def remove(
    channel: str = _Channel,
    which: str = typer.Argument(
        metavar="N|NAME", help="Its number or name, as `subscriptions list` shows it."
    ),
) -> None:
    """Remove a subscription.

    Example: paperround subscriptions remove console:lab/ml 2
    """
    from bot.app import opened

    with opened() as paperround:
        subscription = _pick(_of(paperround, channel), which, channel)
        with paperround.store.together():
            paperround.store.subscriptions.remove(subscription.id)
            record(
                paperround, subscription.channel, "subscriptions remove", before=changes.whole(subscription)
            )
    show.say(f"Removed {subscription.name!r}: {subscription.query}")


def _of(paperround: App, channel: str) -> tuple[Subscription, ...]:
    found = paperround.store.channels.get(ChannelId.parse(channel))
    return paperround.store.subscriptions.of([found.id]).get(found.id, ())


def _pick(subscriptions: tuple[Subscription, ...], which: str, channel: str) -> Subscription:
    if which.isdecimal() and 0 < int(which) <= len(subscriptions):
        return subscriptions[int(which) - 1]
    for subscription in subscriptions:
        if subscription.name.casefold() == which.casefold():
            return subscription
    raise UnknownError(
        f"{channel} has no subscription {which!r}", f"see them with: paperround subscriptions list {channel}"
    )


def _known_feeds(paperround: App, names: str) -> tuple[str, ...]:
    wanted = tuple(dict.fromkeys(filter(None, names.replace(",", " ").split())))
    return tuple(paperround.store.feeds.get(name).name for name in wanted)


def _say_trial(subscription: Subscription, tried: Trial) -> None:
    """How the query is understood, how much it would have brought, and the best of it."""
    from digests.query import describe
    from digests.summary import heading

    show.say(f"Understood as: {describe(subscription.query)}")
    show.say(str(tried))
    if not tried.stored:
        show.say("Add a source with: paperround feeds add FILE|URL")
    for paper in tried.best:
        show.say(f"  • {paper.title or heading(paper.abstract)}")
