"""Commands that register, check and read the sources of papers."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import typer

from bot.cli import audit, show
from digests.digest import counted
from digests.errors import ConflictError, FetchError, InputError, PaperroundError, UnknownError
from digests.feed import DEFAULT_EVERY, Feed, Fetched
from digests.health import Health, State, health, with_news
from digests.schedule import format_interval, parse_interval
from digests.text import clip

if TYPE_CHECKING:
    from bot.app import App
    from bot.opml import Outline
    from digests.changes import Facts
    from digests.paper import Paper
    from digests.ports import Fetcher
    from digests.reading import Reading
    from digests.refresh import Collected, Refreshed
    from digests.subscription import Subscription

BACK_FOR = timedelta(days=3)
"""So long a feed's recovery is worth a line."""

PATIENCE = 5.0
"""After so many seconds a person is told what the command waits for."""

EMPTY = "the document is well-formed, and empty just now"

MOST_SHOWN = 500
"""So many characters of a heading or a summary are shown of each paper that a source gives."""

app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="Register, check and read the sources of papers."
)

_RESERVED = frozenset({"all"})
"""No feed's name: `feeds:all` of a subscription means every feed."""

_Name = typer.Argument(help="The feed's name, as `paperround feeds list` shows it.")
_Json = typer.Option(False, "--json", help="Print JSON for scripts.")
_Mirror = typer.Option(
    "", help="Ask a mirror for what a short name means: MIRROR/host/path instead of https://host/path."
)


@app.command()
def add(
    source: str = typer.Argument(
        help="An address (https://…), a file, or a short name: arxiv:cs.CL+cs.LG, biorxiv:neuroscience."
    ),
    name: str = typer.Option("", help="What people will call it; by default made from the source."),
    format: str = typer.Option("", help="The document's format; by default recognised from its content."),
    every: str = typer.Option(format_interval(DEFAULT_EVERY), help="How often it is read: 30m, 6h, 1d."),
    list: bool = typer.Option(
        False, "--list", help="A fixed list (a conference): its best papers drip out daily."
    ),
    mirror: str = _Mirror,
) -> None:
    """Register a source of papers: reads it first and shows what it gives.

    Example: paperround feeds add arxiv:cs.CL+cs.LG
    Example: paperround feeds add https://rss.arxiv.org/rss/cs.CL --name arxiv-cl
    Example: paperround feeds add openreview:ICLR.cc/2026/Conference --list
    Example: paperround feeds add accepted-papers.txt --name iclr-2026 --list
    """
    from bot.app import now, opened
    from digests.refresh import after_collected

    interval = parse_interval(every)
    with opened() as paperround, asked_once():
        url = address(source, mirror)
        name = _free_name(paperround, name, source)
        feed = Feed(name, url, is_list=list, every=interval, added=now())
        collected, reading = _collected(paperround, feed, format)
        _show_reading(source, reading)
        if reading.state is State.BROKEN:
            raise InputError(
                f"nothing of {source!r} could be read as {reading.format}, so it was not saved",
                f"see each fault with: paperround feeds check {source}",
            )
        papers = show.tracked(reading.papers, "storing")
        feed = after_collected(feed, collected, now())
        with paperround.store.together():
            intake = paperround.store.feeds.add(feed, papers, now())
            _record(paperround, name, "add", after=_facts_of(feed))
    if collected.fault:
        show.warn(f"{collected.fault}; the rest comes when it is read again")
    known = len(reading.papers) - len(intake.new)
    show.say(
        f"Saved as {name!r}: {counted(len(intake.new), 'new paper')}"
        + (f", {known:,} known before." if known else ".")
    )
    if reading.format == "openreview" and not list:
        show.say(
            "  All of them are candidates for the next digest; with --list they drip out instead.", "dim"
        )


@app.command("list")
def list_(json: bool = _Json) -> None:
    """List the feeds, their health, and when they last gave something new.

    Example: paperround feeds list
    """
    from bot.app import now, opened
    from bot.documents import feed_json

    with opened() as paperround:
        feeds = [(feed, health(feed, now())) for feed in paperround.store.feeds.all()]
    if json:
        show.print_json([feed_json(feed, fares) for feed, fares in feeds])
        return
    rows = [
        (
            feed.name,
            fares.state,
            f"{feed.last_count:,}",
            show.ago(feed.last_new),
            show.ago(feed.last_check),
            _kind(feed),
        )
        for feed, fares in feeds
    ]
    show.table(
        ("name", "state", "papers#", "last new", "checked", "kind"),
        rows,
        "No feeds yet; add one with: paperround feeds add arxiv:cs.CL",
    )
    for feed, fares in feeds:
        if said := _said(feed, fares, now()):
            show.say(f"{feed.name}: {said}", "yellow" if fares.why else "dim")


@app.command("show")
def show_(name: str = _Name, json: bool = _Json) -> None:
    """Show one feed: where it comes from and how it fares.

    Example: paperround feeds show arxiv-cl
    """
    from bot.app import now, opened
    from bot.documents import feed_json

    with opened() as paperround:
        feed = paperround.store.feeds.get(name)
    document = feed_json(feed, health(feed, now()))
    if json:
        show.print_json(document)
        return
    show.pairs(document)


@app.command()
def check(
    source: str = typer.Argument(
        metavar="NAME|FILE|URL", help="A feed's name, a file, an address or a short name."
    ),
    format: str = typer.Option("", help="Read it as this format; by default recognised from its content."),
    json: bool = _Json,
    mirror: str = _Mirror,
) -> None:
    """Say what a source answers, what of it was understood, and what is wrong; nothing is saved.

    Example: paperround feeds check arxiv-cl
    Example: paperround feeds check accepted-papers.csv --json
    """
    from bot.app import now, opened
    from bot.documents import reading_json

    with opened() as paperround:
        feed = _registered(paperround, source) or Feed("", address(source, mirror))
        try:
            collected, reading = _collected(paperround, replace(feed, etag="", last_modified=""), format)
        except PaperroundError as error:
            if json:
                show.print_json(_broken_json(error, format, feed.url))
            raise
        fares = _fares(paperround, feed, collected, reading, now())
    came = _came(collected)
    faults = (fares.why, collected.fault.what if collected.fault else "")
    wrong = [fault for fault in dict.fromkeys(faults) if fault and fault not in reading.notes]
    if json:
        noted = replace(reading, notes=(*reading.notes, *wrong), papers=())
        document = reading_json(noted, fares.state) | {"count": len(reading.papers), "came": came}
        _print_reading(document, reading.papers)
    else:
        show.say(f"asked: {feed.url}", "dim")
        show.say(f"came: {', '.join(_facts(came))}", "dim")
        _show_reading(source, reading, most_refused=20)
        for fault in wrong:
            show.say(f"  wrong: {fault}", "red")
    if fares.state is State.BROKEN:
        raise typer.Exit(show.FAILED)


@app.command()
def refresh(
    names: list[str] = typer.Argument(None, help="The feeds to read now; by default those that are due."),
) -> None:
    """Read feeds now and store what is new.

    Example: paperround feeds refresh arxiv-cl
    """
    from bot.app import now, opened

    with opened() as paperround:
        feeds = paperround.store.feeds
        wanted = [feeds.get(name) for name in names] if names else feeds.due(now())
        left = {feed.name for feed in wanted}
        with _waiting(
            lambda: f"{len(wanted) - len(left):,} of {len(wanted):,} are read; {_some(left)} not yet"
        ):
            outcomes = paperround.refresh(wanted, lambda outcome: left.discard(outcome.feed.name))
        none = "" if wanted else _none_due(feeds.all(), now())
    show.table(("feed", "new#", "revised#", "what came"), map(_outcome, outcomes), none)
    if left:
        show.warn(f"another process is reading {_some(left)} just now; try again in a moment")
    if any(outcome.error for outcome in outcomes):
        raise typer.Exit(show.FAILED)


@app.command()
def pause(name: str = _Name) -> None:
    """Stop reading a feed until it is resumed; its papers stay.

    Example: paperround feeds pause arxiv-cl
    """
    _set_paused(name, paused=True)
    show.say(f"{name!r} is paused; resume it with: paperround feeds resume {name}")


@app.command()
def resume(name: str = _Name) -> None:
    """Read a paused feed again.

    Example: paperround feeds resume arxiv-cl
    """
    _set_paused(name, paused=False)
    show.say(f"{name!r} is read again from now on.")


@app.command()
def remove(name: str = _Name, json: bool = _Json) -> None:
    """Forget a feed; its papers stay, can still be searched, and still go into digests.

    Example: paperround feeds remove arxiv-cl
    """
    from bot.app import opened

    with opened() as paperround, paperround.store.together():
        feed = paperround.store.feeds.get(name)
        papers = paperround.store.feeds.remove(name)
        _record(paperround, name, "remove", before=_facts_of(feed))
        emptied = _reading_nothing(paperround, name)
    if json:
        named = [{"channel": str(one.channel), "number": n, "name": one.name} for n, one in emptied]
        show.print_json({"name": name, "papers": papers, "emptied": named})
        return
    kept = f"{counted(papers, 'paper')} that it showed {'is' if papers == 1 else 'are'} kept"
    show.say(f"{name!r} is forgotten; {kept}, and may still come in digests.")
    for number, one in emptied:
        edit = f"paperround subscriptions edit {one.channel} {number} --feeds ''"
        show.warn(f"{one.name!r} of {one.channel} reads no feed any more; to let it read all: {edit}")


def _reading_nothing(paperround: App, name: str) -> tuple[tuple[int, Subscription], ...]:
    """The subscriptions, with their numbers, that read this feed and have none left that is registered."""
    store = paperround.store
    known = {feed.name for feed in store.feeds.all()}
    every = store.subscriptions.of([channel.id for channel in store.channels.all()])
    return tuple(
        (number, one)
        for of_channel in every.values()
        for number, one in enumerate(of_channel, start=1)
        if name in one.feeds and known.isdisjoint(one.feeds)
    )


@app.command()
def rename(old: str = _Name, new: str = typer.Argument(help="Its new name.")) -> None:
    """Give a feed another name; subscriptions that read it follow.

    Example: paperround feeds rename arxiv-cl arxiv-language
    """
    from bot.app import opened

    with opened() as paperround, paperround.store.together():
        paperround.store.feeds.rename(old, _valid_name(new))
        _record(paperround, new, "rename", before=(("name", old),), after=(("name", new),))
    show.say(f"{old!r} is now {new!r}.")


@app.command("import")
def import_(file: Path = typer.Argument(help="An OPML file, as other readers export it.")) -> None:
    """Register every feed of an OPML file; one that does not answer is named and costs no other.

    Example: paperround feeds import subscriptions.opml
    """
    from bot.app import now, opened
    from bot.files import FILE_CAP, read_file
    from bot.opml import read_opml

    faults = 0
    with opened() as paperround:
        taken = {feed.url for feed in paperround.store.feeds.all()}
        for outline in read_opml(read_file(str(file), FILE_CAP)):
            if outline.url in taken:
                show.say(f"{outline.url} is registered already.")
                continue
            try:
                feed = _feed_of(paperround, outline)
                with paperround.store.together():
                    paperround.store.feeds.add(feed, (), now())
                    _record(paperround, feed.name, "import", after=_facts_of(feed))
            except PaperroundError as error:
                faults += 1
                show.warn(f"{outline.url}: {error}")
                continue
            taken.add(outline.url)
            show.say(f"Saved {outline.url} as {feed.name!r}.")
    show.say("Read them now with: paperround feeds refresh")
    if faults:
        raise typer.Exit(show.FAILED)


def _feed_of(paperround: App, outline: Outline) -> Feed:
    """The feed of an outline: as Paperround exported it, or by its title."""
    from bot.app import now
    from digests.formats import formats

    try:
        name = _free_name(paperround, outline.name, outline.title or outline.url)
    except InputError:  # it is taken here
        name = _free_name(paperround, "", outline.name)
    return Feed(
        name,
        outline.url,
        outline.format if outline.format in formats() else "",
        is_list=outline.is_list,
        every=outline.every,
        paused=outline.paused,
        added=now(),
    )


@app.command()
def export() -> None:
    """Print all feeds as OPML, for another reader or another Paperround.

    Example: paperround feeds export > feeds.opml
    """
    from bot.app import now, opened
    from bot.opml import write_opml

    with opened() as paperround:
        feeds = paperround.store.feeds.all()
    print(write_opml(feeds, now()))
    if left_out := sum(feed.url.lower().startswith("file:") for feed in feeds):
        show.warn(f"left out {counted(left_out, 'feed')} of files: only this machine can read them")


@contextmanager
def asked_once() -> Iterator[None]:
    """What is not registered yet is not tried again, as the errors of a feed otherwise promise."""
    try:
        yield
    except FetchError as error:
        error.hint = error.hint.replace(
            "it is tried again later", "nothing was saved; give the same command again later"
        )
        raise


def address(source: str, mirror: str = "") -> str:
    """The address that a person means: http as it is, of a path its file: address, or a short name's."""
    from digests import sources

    if re.match(r"(?i)(https?|file):", source):
        return source
    if sources.is_short(source):
        return sources.address(source, mirror)
    if "://" in source:
        raise InputError(
            f"{source!r} is neither an http address nor a file", "write https://…, or a file's path"
        )
    path = Path(source).expanduser()
    if not path.exists():
        raise InputError(
            f"{source!r} is neither a file here nor an address",
            "write an address with https:// in front, the path of a file that exists, or arxiv:cs.CL",
        )
    return path.resolve().as_uri()


def _registered(paperround: App, source: str) -> Feed | None:
    """The feed of that name, None if `source` is something else."""
    try:
        return paperround.store.feeds.get(source)
    except UnknownError:
        if re.fullmatch(r"[\w-]+", source) and not Path(source).exists():
            raise
        return None


def _collected(paperround: App, feed: Feed, format: str) -> tuple[Collected, Reading]:
    """A feed's document, read now to its last page."""
    from bot.app import now
    from bot.faults import redacted
    from bot.reader import Reader
    from digests.refresh import collect

    asked = [redacted(feed.url)]

    async def one() -> Collected:
        async with paperround.fetcher() as fetcher, Reader() as read:
            return await collect(feed, _Noting(fetcher, asked), now(), format, read=read)

    with _waiting(lambda: f"{asked[-1]!r} has not been read to its end yet"):
        collected = asyncio.run(one())
    assert collected.reading  # it was asked for without conditions
    return collected, collected.reading


@dataclass(frozen=True, slots=True)
class _Noting:
    """A fetcher that notes what it is asked for."""

    fetcher: Fetcher
    asked: list[str]

    async def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> Fetched:
        from bot.faults import redacted

        self.asked.append(redacted(url))
        return await self.fetcher.fetch(url, etag=etag, last_modified=last_modified)


@contextmanager
def _waiting(for_what: Callable[[], str]) -> Iterator[None]:
    """Tell a person who waits what for: after `PATIENCE`, and then ever more rarely."""
    over = Event()

    def tell() -> None:
        pause = PATIENCE
        while not over.wait(pause):
            show.warn(f"please wait: {for_what()}")
            pause *= 2

    telling = Thread(target=tell, daemon=True)
    telling.start()
    try:
        yield
    finally:
        over.set()
        telling.join()


def _some(names: Collection[str]) -> str:
    """ "a, b, c and 7 more" """
    shown = ", ".join(sorted(names)[:3])
    return f"{shown} and {len(names) - 3:,} more" if len(names) > 3 else shown


def _fares(paperround: App, feed: Feed, collected: Collected, reading: Reading, at: datetime) -> Health:
    """How the feed would fare if this had been its check."""
    from digests.paper import keys
    from digests.refresh import after_collected

    if not feed.name or reading.state is State.BROKEN:
        return Health(reading.state)
    names = [keys(paper) for paper in reading.papers]
    known = paperround.store.papers.by_keys({key for of_paper in names for key in of_paper})
    new = sum(not any(key in known for key in of_paper) for of_paper in names)
    return health(with_news(after_collected(feed, collected, at), new, at), at)


def _none_due(feeds: Sequence[Feed], at: datetime) -> str:
    """Which feed is due next, where none is now."""
    if not feeds:
        return "No feeds yet; add one with: paperround feeds add arxiv:cs.CL"
    waiting = [(feed.due, feed.name) for feed in feeds if feed.due and not (feed.paused or feed.is_list)]
    if not waiting:
        return "No feed is ever due: all are paused or fixed lists; name one to read it now."
    if held := [feed.name for feed in feeds if feed.is_held(at)]:
        return f"No other feed is due; another process is reading {_some(held)} just now."
    due, name = min(waiting)
    return (
        f"No feed is due; the next is {name}, at {due:%Y-%m-%d %H:%M}Z ({show.ago(due, at)}). "
        f"To read it now: paperround feeds refresh {name}"
    )


def _came(collected: Collected) -> dict[str, object]:
    """What a source answered, before anything of it was understood."""
    fetched = collected.fetched
    return {
        "url": fetched.url,
        "moved_to": fetched.moved_to,
        "status": fetched.status,
        "type": fetched.content_type,
        "encoding": _encoding(fetched),
        "bytes": collected.size or len(fetched.body),
        "pages": collected.pages,
    }


def _facts(came: dict[str, object]) -> Iterator[str]:
    yield (
        f"{came['bytes']:,} bytes in {came['pages']} pages"
        if came["pages"] != 1
        else f"{came['bytes']:,} bytes"
    )
    if not str(came["url"]).startswith("file:"):
        yield f"status {came['status']}"
    yield str(came["type"] or "no type")
    yield f"encoding {came['encoding']}" if came["encoding"] else "no encoding declared"
    yield f"from {came['url']}"
    if came["moved_to"]:
        yield "where it has moved for good"


def _encoding(fetched: Fetched) -> str:
    """The encoding that a document declares, in its header or in itself."""
    said = re.search(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", fetched.content_type, re.IGNORECASE)
    declared = re.match(rb"\s*<\?xml[^>]{0,100}encoding\s*=\s*[\"']([\w.:-]{1,40})", fetched.body[:300])
    if fetched.body.startswith(b"\xef\xbb\xbf"):
        return "utf-8"
    return (said[1] if said else declared[1].decode("ascii") if declared else "").lower()


def _said(feed: Feed, fares: Health, at: datetime) -> str:
    """What an admin should know about a feed, "" if there is nothing."""
    if fares.why:
        when = f" ({show.ago(feed.error_at, at)})" if feed.failures and feed.error_at else ""
        return fares.why + when
    is_back = feed.back_at and at - feed.back_at < BACK_FOR
    return f"back since {show.ago(feed.back_at, at)}" if is_back else ""


def _free_name(paperround: App, name: str, source: str) -> str:
    """A name that no feed has: the wanted one, or one made from the source."""
    taken = {feed.name for feed in paperround.store.feeds.all()} | _RESERVED
    if name:
        if _valid_name(name) in taken:
            raise ConflictError(
                f"a feed {name!r} exists", f"choose another --name, or see: paperround feeds show {name}"
            )
        return name
    base = re.sub(r"[^a-z0-9]+", "-", _words(source).casefold()).strip("-")[:40] or "feed"
    return next(n for i in range(1, 10_000) if (n := base if i == 1 else f"{base}-{i}") not in taken)


def _words(source: str) -> str:
    """What a source's name is made of: host and page of an address, a short name as it is, a file's name."""
    from digests import sources

    if sources.is_short(source):
        return source
    parts = urlsplit(source)
    return unquote(f"{parts.hostname or ''} {Path(parts.path).stem}" if parts.scheme else Path(source).stem)


def _valid_name(name: str) -> str:
    if not re.fullmatch(r"[^\W_][\w.-]{0,59}", name) or name.casefold() in _RESERVED:
        raise InputError(
            f"{name!r} cannot be a feed's name",
            "use up to 60 letters, digits, dots, dashes: arxiv-cl, iclr-2026",
        )
    return name


def _set_paused(name: str, *, paused: bool) -> None:
    from bot.app import opened
    from digests.changes import differing

    with opened() as paperround, paperround.store.together():  # the service may be reading it
        feed = paperround.store.feeds.get(name)
        changed = replace(feed, paused=paused)
        paperround.store.feeds.save(changed)
        before, after = differing(_facts_of(feed), _facts_of(changed))
        _record(paperround, name, "pause" if paused else "resume", before, after)


def _record(paperround: App, feed: str, what: str, before: Facts = (), after: Facts = ()) -> None:
    """Note a change of a feed; in the audit `paperround:feeds/NAME` stands where a channel does else."""
    from digests.channel import ChannelId

    audit.record(paperround, ChannelId("paperround", "feeds", feed), f"feeds {what}", before, after)


def _facts_of(feed: Feed) -> Facts:
    """What an admin can set of a feed, as people read it."""
    from bot.faults import redacted

    return (
        ("address", redacted(feed.url)),
        ("every", format_interval(feed.every)),
        ("list", "yes" if feed.is_list else "no"),
        ("paused", "yes" if feed.paused else "no"),
    )


def _print_reading(document: dict[str, Any], papers: Iterable[Paper]) -> None:
    """A reading as JSON, its papers made and printed one by one: 20,000 at once took 400 MB."""
    from json import dumps

    from bot.documents import paper_json

    before, mark, after = dumps(document, ensure_ascii=False, indent=2).partition('"papers": [')
    print(before + mark, end="")
    between = "\n"
    for paper in papers:
        text = dumps(paper_json(paper), ensure_ascii=False, indent=2)
        print(between + "\n".join(f"    {line}" for line in text.split("\n")), end="")
        between = ",\n"
    print(after if between == "\n" else f"\n  {after}")


def _show_reading(source: str, reading: Reading, most_refused: int = 3) -> None:
    """How many papers, three of them, and what is missing or could not be read."""
    from bot.documents import paper_json

    title = f" “{reading.title}”" if reading.title else ""
    show.say(f"{source}: {reading.format}{title}, {counted(len(reading.papers), 'paper')}", "bold")
    for paper in reading.papers[:3]:
        document = paper_json(paper)
        show.say(f"  • {clip(document['heading'], MOST_SHOWN)}")
        show.say(f"    {clip(document['summary'], MOST_SHOWN) or 'no abstract'}", "dim")
    if len(reading.papers) > 3:
        show.say(f"  and {len(reading.papers) - 3:,} more")
    if reading.state is State.QUIET:
        show.say(f"  {EMPTY}")
    say_faults(reading, most_refused)


def say_faults(reading: Reading, most_refused: int) -> None:
    """What is missing in a document, what is worth a note, and what of it could not be read."""
    if reading.missing:
        missing = ", ".join(_without(what, count) for what, count in reading.missing)
        show.say(f"  missing: {missing}", "yellow")
    for note in reading.notes:
        show.say(f"  note: {note}", "yellow")
    for refused in reading.refused[:most_refused]:
        show.say(f"  refused: {refused.where}: {refused.why}", "red")
    if len(reading.refused) > most_refused:
        show.say(f"  refused: {len(reading.refused) - most_refused:,} more", "red")


def _without(what: str, count: int) -> str:
    """ "3 without titles", "1 without a title" """
    if count > 1:
        return f"{count:,} without {what}"
    return f"1 without {'an' if what[0] in 'aeiou' else 'a'} {what.removesuffix('s')}"


def _broken_json(error: PaperroundError, format: str, url: str) -> dict[str, object]:
    status = error.status if isinstance(error, FetchError) else None
    notes = [str(error)]
    empty: dict[str, object] = {
        "state": State.BROKEN,
        "format": format,
        "title": "",
        "count": 0,
        "papers": [],
    }
    return empty | {"refused": [], "notes": notes, "missing": {}, "came": {"url": url, "status": status}}


def _outcome(outcome: Refreshed) -> tuple[str, str, str, str]:
    came = ["not changed"]
    if outcome.reading:
        came = [counted(len(outcome.reading.papers), "paper")]
        if outcome.reading.refused:
            came.append(f"{len(outcome.reading.refused):,} refused")
    if outcome.error:
        came = [*came, str(outcome.error)] if outcome.reading else [str(outcome.error)]
    return (
        outcome.feed.name,
        f"{len(outcome.intake.new):,}",
        f"{len(outcome.intake.revised):,}",
        ", ".join(came),
    )


def _kind(feed: Feed) -> str:
    return f"{feed.format} list" if feed.is_list else feed.format
