"""Commands that subscribe channels to queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from bot.cli import show
from bot.cli.audit import register
from digests.channel import MAX_SIZE
from digests.digest import counted
from digests.schedule import parse_days
from digests.subscription import DEFAULT_LIMIT, Subscription, named

if TYPE_CHECKING:
    from digests.compose import Trial

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Subscribe channels to queries.")

_Channel = typer.Argument(
    metavar="CHANNEL", help="platform:workspace/channel, as in slack:T1/C1 or console:lab/ml."
)
_Which = typer.Argument(metavar="N|NAME", help="Its number or name, as `subscriptions list` shows it.")
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
    from bot.app import opened
    from bot.documents import paper_json, subscription_json
    from digests.compose import trial
    from digests.query import parse

    parsed = parse(query)
    with opened() as paperround:
        book = register(paperround, channel)
        wanted = Subscription(
            book.channel.id,
            named(name or query),
            parsed,
            cadence=parse_days(every),
            limit=limit,
            feeds=_feeds(feeds),
            added=book.now,
        )
        saved, _ = book.subscribe(wanted)
        tried = trial(paperround.store, saved, book.now)
        found, last = book.channel, book.last
    if json:
        document = subscription_json(saved) | {"matches": tried.count, "days": tried.days}
        show.print_json(document | {"best": [paper_json(paper) for paper in tried.best]})
        return
    most = counted(saved.limit, "paper")
    show.say(f"Saved {saved.name!r} for {channel}, {saved.cadence}, at most {most} a digest.")
    _say_trial(saved, tried)
    moment = found.next_turn(saved.cadence, book.now, last)
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
        subscriptions = register(paperround, channel).subscriptions
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
def edit(
    channel: str = _Channel,
    which: str = _Which,
    query: str | None = typer.Option(None, help="What to look for from now on."),
    name: str | None = typer.Option(None, help="The heading of its section."),
    every: str | None = typer.Option(None, help="daily, weekdays, weekly, or days: mon,thu."),
    limit: int | None = typer.Option(None, min=1, max=MAX_SIZE, help="Most papers of one digest."),
    feeds: str | None = typer.Option(None, help='Only these feeds: arxiv-cl,iclr-2026; "" for all.'),
) -> None:
    """Change a subscription; what is not named stays.

    Example: paperround subscriptions edit console:lab/ml 1 --limit 5 --every weekdays
    """
    from bot.app import opened
    from digests.commands import Edit
    from digests.handlers import edited
    from digests.query import parse

    wanted = Edit(
        which,
        query=None if query is None else parse(query),
        name=None if name is None else named(name),
        every=None if every is None else parse_days(every),
        limit=limit,
        feeds=None if feeds is None else _feeds(feeds),
    )
    with opened() as paperround:
        number, old, new = register(paperround, channel).edit(which, lambda old: edited(old, wanted))
    if new == old:
        show.say(f"{number}. {new.name!r} is as it was.")
        return
    most = counted(new.limit, "paper")
    show.say(f"Saved {new.name!r} for {channel}, {new.cadence}, at most {most} a digest: {new.query}")


@app.command()
def remove(channel: str = _Channel, which: str = _Which) -> None:
    """Remove a subscription.

    Example: paperround subscriptions remove console:lab/ml 2
    """
    from bot.app import opened

    with opened() as paperround:
        removed, _ = register(paperround, channel).unsubscribe(which)
    show.say(f"Removed {removed.name!r}: {removed.query}")


def _feeds(names: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, names.replace(",", " ").split())))


def _say_trial(subscription: Subscription, tried: Trial) -> None:
    """How the query is understood, how much it would have brought, and the best of it."""
    from digests.heading import heading
    from digests.query import describe

    show.say(f"Understood as: {describe(subscription.query)}")
    show.say(str(tried))
    if not tried.stored:
        show.say("Add a source with: paperround feeds add FILE|URL")
    for paper in tried.best:
        show.say(f"  • {paper.title or heading(paper.abstract)}")
