"""Commands that register channels and change their settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

import typer

from bot.cli import show
from bot.cli.audit import record, register
from digests import changes
from digests.channel import (
    DEFAULT_SIZE,
    MAX_SIZE,
    Channel,
    ChannelId,
    EmptyDay,
    Layout,
    moved,
    paused,
    resumed,
)
from digests.errors import InputError
from digests.phrases import LANGUAGES
from digests.schedule import (
    Calendar,
    latest_believable,
    parse_date,
    parse_days,
    parse_holidays,
    parse_time,
    parse_zone,
)

if TYPE_CHECKING:
    from bot.app import App

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    help="Register the channels that get digests, and their settings.",
)

_Channel = typer.Argument(
    metavar="CHANNEL", help="platform:workspace/channel, as in slack:T1/C1 or console:lab/ml."
)
_Json = typer.Option(False, "--json", help="Print JSON for scripts.")
_Size = typer.Option(None, min=1, max=MAX_SIZE, help=f"Most papers of one digest; {DEFAULT_SIZE} at first.")
_Holidays = typer.Option(None, help='Dates without digest: 2026-12-24..2027-01-01,2027-05-01; "" for none.')


@app.command()
def add(
    channel: str = _Channel,
    zone: str = typer.Option("UTC", help="The IANA zone of its clock: Europe/Berlin."),
    time: str = typer.Option("09:00", help="When its digest comes, on that clock."),
    days: str = typer.Option("daily", help="daily, weekdays, weekly, or days: mon,thu."),
    name: str = typer.Option("", help="What people call it; by default the last part of its address."),
    size: int | None = _Size,
    holidays: str | None = _Holidays,
) -> None:
    """Register a channel; its first digest comes at the next of its times.

    Example: paperround channels add console:lab/ml --zone Europe/Berlin --time 09:00 --days weekdays
    """
    from bot.app import now, opened

    calendar = Calendar(parse_time(time), parse_days(days), parse_zone(zone), parse_holidays(holidays or ""))
    made = now()
    new = Channel(
        ChannelId.parse(channel), calendar, name=name, size=size or DEFAULT_SIZE, added=made, since=made
    )
    _known_platform(new.id)
    with opened() as paperround, paperround.store.together():
        paperround.store.channels.add(new)
        record(paperround, new.id, "channels add", after=changes.settings(new))
        variable = paperround.settings.missing_token(new.id.platform)
    show.say(f"Saved {new.id}.")
    if variable:
        show.warn(f"no token for {new.id.platform} is set here; its digests can be posted once {variable} is")
    _say_next(new, made)


@app.command("list")
def list_(json: bool = _Json) -> None:
    """List the channels and when their next digest comes.

    Example: paperround channels list
    """
    from bot.app import now, opened
    from bot.documents import channel_json

    with opened() as paperround:
        channels = paperround.store.channels.all()
        last = _last_days(paperround, channels)
        counts = paperround.store.subscriptions.of([channel.id for channel in channels])
    documents = [channel_json(channel, now(), last.get(channel.id)) for channel in channels]
    if json:
        show.print_json(documents)
        return
    rows = [
        (
            str(c.id),
            str(len(counts.get(c.id, ()))),
            str(c.calendar),
            _next(c, now(), last.get(c.id)),
            str(last.get(c.id) or "none"),
        )
        for c in channels
    ]
    show.table(
        ("channel", "subscriptions#", "schedule", "next", "last digest"),
        rows,
        "No channels yet; add one with: paperround channels add console:lab/ml --zone Europe/Berlin",
    )


@app.command("show")
def show_(channel: str = _Channel, json: bool = _Json) -> None:
    """Show a channel's settings and its subscriptions.

    Example: paperround channels show console:lab/ml
    """
    from bot.app import now, opened
    from bot.documents import channel_json, subscription_json

    with opened() as paperround:
        found = _get(paperround, channel)
        last = _last_days(paperround, [found]).get(found.id)
        subscriptions = paperround.store.subscriptions.of([found.id]).get(found.id, ())
    document = channel_json(found, now(), last)
    if json:
        show.print_json(document | {"subscriptions": [subscription_json(s) for s in subscriptions]})
        return
    coming = [found.clock(moment) for moment in found.coming(now(), 3, last)]
    show.pairs(document | {"next": coming})
    show.say("")
    rows = [(s.name, str(s.query), str(s.cadence), str(s.limit)) for s in subscriptions]
    show.table(("subscription", "query", "every", "limit#"), rows, "No subscriptions yet.")


_LANGUAGES = ", ".join(LANGUAGES)


@app.command("set")
def set_(
    context: typer.Context,
    channel: str = _Channel,
    zone: str | None = typer.Option(None, help="The IANA zone of its clock: Europe/Berlin."),
    time: str | None = typer.Option(None, help="When its digest comes, on that clock."),
    days: str | None = typer.Option(None, help="daily, weekdays, weekly, or days: mon,thu."),
    name: str | None = typer.Option(None, help="What people call it."),
    size: int | None = _Size,
    layout: Layout | None = typer.Option(None, help="How much is said of a paper."),
    empty_day: EmptyDay | None = typer.Option(None, help="What a day without papers brings."),
    holidays: str | None = _Holidays,
    language: str | None = typer.Option(None, help=f"That of the digest's own words: {_LANGUAGES}."),
    thread: bool | None = typer.Option(None, help="Whether what is too long goes into the post's thread."),
    managers: str | None = typer.Option(
        None, help='Ids of the people and groups who may change it: U024BE7LH,S0614TZR7; "" for everybody.'
    ),
    pause: bool | None = typer.Option(None, "--pause/--resume", help="Stop or resume its digests."),
    pause_until: str | None = typer.Option(None, help="Stop until this date: 2027-01-07."),
) -> None:
    """Change a channel's settings; what is not named stays.

    Example: paperround channels set console:lab/ml --time 08:30 --days weekdays
    """
    from bot.app import opened

    if all(value is None for name, value in context.params.items() if name != "channel"):
        raise InputError(
            "there is nothing to change", f"name it: paperround channels set {channel} --time 08:30"
        )
    with opened() as paperround:
        book = register(paperround, channel)
        named: dict[str, Any] = {
            "name": name,
            "size": size,
            "layout": layout,
            "empty_day": empty_day,
            "language": None if language is None else _as_in_chat("language", language),
            "thread": thread,
            "managers": None if managers is None else _as_in_chat("managers", managers.strip() or "all"),
        }
        changed = {field: value for field, value in named.items() if value is not None}

        def change(old: Channel) -> Channel:
            calendar = Calendar(
                parse_time(time) if time is not None else old.calendar.time,
                parse_days(days) if days is not None else old.calendar.days,
                parse_zone(zone) if zone is not None else old.calendar.zone,
                parse_holidays(holidays) if holidays is not None else old.calendar.holidays,
            )
            new = moved(replace(old, **changed), calendar, book.now, book.last)
            return _pausing(new, pause, pause_until, book.now)

        _, new = book.change("channels set", change)
        last = book.last
    show.say(f"Saved {new.id}.")
    _say_next(new, book.now, last)


@app.command()
def remove(channel: str = _Channel) -> None:
    """Forget a channel with its subscriptions and all that it was shown.

    Example: paperround channels remove console:lab/ml
    """
    from bot.app import opened

    with opened() as paperround, paperround.store.together():
        found = _get(paperround, channel)
        paperround.store.channels.remove(found.id)
        record(paperround, found.id, "channels remove", before=changes.settings(found))
    show.say(f"{channel} is forgotten.")


def _known_platform(channel: ChannelId) -> None:
    """InputError where there is no such platform."""
    from bot.platforms import names

    if channel.platform not in names():
        raise InputError(
            f"there is no platform {channel.platform!r}",
            f"the platforms are {', '.join(names())}; write slack:T1/C1 or console:lab/ml",
        )


def _get(paperround: App, channel: str) -> Channel:
    return paperround.store.channels.get(ChannelId.parse(channel))


def _last_days(paperround: App, channels: Iterable[Channel]) -> Mapping[ChannelId, date]:
    from bot.app import now

    return paperround.store.outbox.last_days([channel.id for channel in channels], latest_believable(now()))


def _as_in_chat(option: str, text: str) -> object:
    """What an option of `/digest settings` means by this text."""
    from digests.verbs import VERB

    found = VERB["settings"].option(option)
    assert found
    return found.read(text)


def _pausing(channel: Channel, pause: bool | None, until: str | None, now: datetime) -> Channel:
    """The channel in or out of a pause: --pause-until has an end, --pause none, --resume ends both."""
    if until is not None:
        return paused(channel, now, parse_date(until))
    if pause is None:
        return channel
    return paused(channel, now) if pause else resumed(channel, now)


def _next(channel: Channel, now: datetime, last: date | None) -> str:
    if channel.paused:
        return "paused"
    moments = channel.coming(now, 1, last)
    return f"{moments[0].astimezone(channel.calendar.zone):%a %d %b %H:%M}" if moments else "never"


def _say_next(channel: Channel, now: datetime, last: date | None = None) -> None:
    """The next three digests on the channel's own clock: a wrong zone is seen at once."""
    if channel.paused:
        show.say("Paused; resume with: paperround channels set " + f"{channel.id} --resume")
        return
    moments = [moment.astimezone(channel.calendar.zone) for moment in channel.coming(now, 3, last)]
    coming = ", ".join(f"{moment:%a %d %b %H:%M}" for moment in moments) or "none: every day is left out"
    show.say(f"Next digests ({channel.calendar.zone}): {coming}")
