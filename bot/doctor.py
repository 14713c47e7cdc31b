"""The doctor: what is right and wrong with this installation, and how to mend each thing that is wrong."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path

from bot import platforms
from bot.platforms import Connecting, Finding
from bot.settings import Settings, unknown_variables
from digests.channel import Channel
from digests.digest import counted
from digests.errors import PaperroundError
from digests.feed import Feed
from digests.health import TROUBLED, health
from digests.ports import Store

LEAST_ROOM = 500_000_000
"""Bytes that should be free: for the database's growth, and for a backup beside it."""

CLOCKS_DIFFER = timedelta(minutes=5)
OVERDUE = timedelta(minutes=30)
"""A running service reads a feed within seconds of its time."""


def look_over(settings: Settings, store: Store, clock: Callable[[], datetime]) -> Iterator[Finding]:
    """Everything that can be seen from here without asking anybody."""
    now = clock()
    feeds, channels = store.feeds.all(), store.channels.all()
    yield from _variables()
    yield _disk(settings.db)
    yield _time(feeds, channels, now)
    yield from _feeds(feeds, now)
    yield from _channels(channels, platforms.chosen(settings), settings)


def glance(settings: Settings, store: Store, clock: Callable[[], datetime]) -> Iterator[Finding]:
    """What keeps a service from its work, seen in a moment: its disk, its clock, and that none is at work."""
    yield _disk(settings.db)
    yield _time(store.feeds.all(), store.channels.all(), clock())
    yield from overdue(store, clock())


def overdue(store: Store, now: datetime) -> Iterator[Finding]:
    """Whether a service is at work here."""
    late = [feed for feed in store.feeds.due(now - OVERDUE) if feed.due and not feed.is_held(now)]
    if late:
        what = f"feed {late[0].name!r} was to be read {late[0].due:%a %d %b %H:%M} UTC, and nobody did"
        yield Finding("service", False, what, "start it with: paperround run")


def damage(faults: Iterable[str]) -> Finding:
    """The database, from what its own check found."""
    found = list(faults)
    if found:
        return Finding("database", False, "; ".join(found[:3]), "paperround db restore BACKUP")
    return Finding("database", True, "sound")


async def of_platforms(
    connects: Mapping[str, Connecting], channels: Iterable[Channel]
) -> tuple[Finding, ...]:
    """What each platform says of the token, its rights and the channels."""
    found: list[Finding] = []
    for name, connect in connects.items():
        places = [channel.id for channel in channels if channel.id.platform == name]
        try:
            async with connect() as platform:
                found.append(Finding(name, True, "connected"))
                found += await platform.check(places)
        except PaperroundError as error:
            found.append(Finding(name, False, error.what, error.hint))
        except Exception as error:
            what = f"cannot be asked: {type(error).__name__}"
            found.append(Finding(name, False, what, "check this machine's network, then try again"))
    return tuple(found)


def _variables() -> Iterator[Finding]:
    for name in unknown_variables():
        hint = "see deploy/env.example for all that there are; perhaps it is misspelt"
        yield Finding(f"variable {name}", False, "means nothing to this version", hint)


def _disk(db: Path) -> Finding:
    folder = db.absolute().parent
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        return Finding(
            "disk", False, f"{folder} cannot be looked at: {error.strerror}", "PAPERROUND_DB names the file"
        )
    what = f"{free / 1e9:.1f} GB free in {folder}"
    return Finding("disk", free >= LEAST_ROOM, what, "make room; see what is large with: du -sh *")


def _time(feeds: Iterable[Feed], channels: Iterable[Channel], now: datetime) -> Finding:
    """A clock that is behind what the database has seen is wrong, or was."""
    seen = [feed.last_check for feed in feeds if feed.last_check]
    seen += [channel.since for channel in channels if channel.since]
    latest = max(seen, default=now)
    if latest > now + CLOCKS_DIFFER:
        what = f"it is {now:%Y-%m-%d %H:%M} UTC here, but the database was written at {latest:%Y-%m-%d %H:%M}"
        return Finding("clock", False, what, "set the clock, best by NTP: timedatectl set-ntp true")
    return Finding("clock", True, f"{now:%Y-%m-%d %H:%M} UTC")


def _feeds(feeds: tuple[Feed, ...], now: datetime) -> Iterator[Finding]:
    if not feeds:
        add = "paperround feeds add https://rss.arxiv.org/rss/cs.CL"
        yield Finding("feeds", False, "none yet", add, is_to_come=True)
        return
    troubled = [(feed, seen) for feed in feeds if (seen := health(feed, now)).state in TROUBLED]
    for feed, seen in troubled:
        what = f"is {seen.state}: {seen.why}"
        yield Finding(f"feed {feed.name}", False, what, f"paperround feeds check {feed.name}")
    yield Finding("feeds", True, f"{len(feeds) - len(troubled)} of {len(feeds)} in order")


def _channels(
    channels: tuple[Channel, ...], served: tuple[str, ...], settings: Settings
) -> Iterator[Finding]:
    for channel in channels:
        if channel.refusal:
            refusal = channel.refusal
            what = f"has refused posts since {refusal.since:%a %d %b %H:%M} UTC: {refusal.what}"
            hint = refusal.hint or f"paperround digest send {channel.id}"
            yield Finding(f"channel {channel.id}", False, what, hint)
    for name in sorted({channel.id.platform for channel in channels} - {platforms.FALLBACK, *served}):
        count = sum(channel.id.platform == name for channel in channels)
        hint = f"set {settings.missing_token(name) or 'its token'}, or remove them"
        yield Finding(name, False, f"its token is not set, and it has {counted(count, 'channel')}", hint)
    fine = sum(channel.refusal is None for channel in channels)
    yield Finding("channels", True, f"{fine} of {len(channels)} take posts")
