"""Commands that search, show, import and export the stored papers."""

from __future__ import annotations

import json as json_text
from itertools import islice
from typing import TYPE_CHECKING

import typer

from bot.cli import show
from digests.digest import counted
from digests.paper import written_id

if TYPE_CHECKING:
    from digests.paper import Paper

app = typer.Typer(
    no_args_is_help=True, add_completion=False, help="Search, show, import and export the stored papers."
)

IMPORTED = "imported"
"""The feed under which `papers import` files what it takes in; it is never read by itself."""

_Paper = typer.Argument(metavar="PAPER", help="Its id (p12), an identifier, a link, or words of its title.")
_Json = typer.Option(False, "--json", help="Print JSON for scripts.")


@app.command(context_settings={"ignore_unknown_options": True})
def search(
    query: str = typer.Argument(help="What to look for, in the language of subscriptions."),
    limit: int = typer.Option(20, min=1, max=100_000, help="Most papers shown, newest first."),
    skip: int = typer.Option(0, min=0, max=100_000_000, help="Leave out so many of the newest."),
    json: bool = _Json,
) -> None:
    """Search all stored papers, newest first, in the language of subscriptions.

    Example: paperround papers search 'title:diffusion OR "flow matching" -survey'
    """
    from bot.app import opened
    from bot.documents import paper_json
    from digests.query import parse
    from digests.search import search as find_all

    wanted = parse(query)
    with opened() as paperround:
        found = list(islice(find_all(paperround.store, wanted), skip, skip + limit + 1))
    if json:
        show.print_json([paper_json(paper) for paper in found[:limit]])
    else:
        for paper in found[:limit]:
            _show_short(paper)
        if not found:
            show.say(f"No stored paper matches {wanted}")
    if len(found) > limit:
        show.warn(f"there are more; see them with: --skip {skip + limit}")


@app.command("show")
def show_(paper: str = _Paper, json: bool = _Json) -> None:
    """Show one paper: its text, its summary, and everything that names it.

    Example: paperround papers show arXiv:2202.12139
    """
    from bot.app import opened
    from bot.documents import paper_json
    from digests.search import find

    with opened() as paperround:
        document = paper_json(find(paperround.store, paper))
    if json:
        show.print_json(document)
        return
    show.say(document["heading"], "bold")
    show.pairs({name: value for name, value in document.items() if name not in ("heading", "title")})


@app.command()
def why(
    paper: str = _Paper,
    channel: str = typer.Argument(metavar="CHANNEL", help="The channel, as in console:lab/ml."),
    json: bool = _Json,
) -> None:
    """Say why a paper is, was, or is not in a channel's digest: each step of its way.

    Example: paperround papers why p12 console:lab/ml
    """
    from bot.app import now, opened
    from digests.channel import ChannelId
    from digests.schedule import long_date
    from digests.search import find
    from digests.why import why as steps_of

    with opened() as paperround:
        found = find(paperround.store, paper)
        place = paperround.store.channels.get(ChannelId.parse(channel))
        steps = steps_of(paperround.store, found, place, now())
        shown = paperround.store.outbox.shown(place.id).get(found.id)
    if json:
        document = [{"step": step.name, "passed": step.passed, "because": step.because} for step in steps]
        show.print_json({"paper": written_id(found.id), "channel": channel, "steps": document})
        return
    show.say(f"{written_id(found.id)}  {_heading(found)}", "bold")
    if shown:
        show.say(f"shown on {long_date(shown)}")
    marks = {True: ("✓", "green"), False: ("✗", "red"), None: ("·", "dim")}
    for step in steps:
        mark, style = marks[step.passed]
        show.say(f"{mark} {step.name}: {step.because}", style)


@app.command("import")
def import_(
    file: str = typer.Argument(help="A file of papers in any format that feeds may have."),
    format: str = typer.Option("", help="The file's format; by default recognised from its content."),
) -> None:
    """Store the papers of a file, once; to let a conference's list drip, use feeds add --list.

    Example: paperround papers import reading-group.jsonl
    """
    from bot.app import now, opened
    from bot.cli.feeds import EMPTY, address, asked_once, say_faults
    from digests.errors import UnknownError
    from digests.feed import Feed
    from digests.health import State
    from digests.refresh import after_document

    with opened() as paperround, asked_once():
        fetched, reading = paperround.read(address(file), format)
        papers = show.tracked(reading.papers, "storing")
        try:
            feed = paperround.store.feeds.get(IMPORTED)
            intake = paperround.store.feeds.take_in(feed, papers, now())
        except UnknownError:
            feed = Feed(IMPORTED, "import:", paused=True, added=now())
            seen = after_document(feed, fetched, reading, now())
            intake = paperround.store.feeds.add(seen, papers, now())
    if reading.state is State.QUIET:
        show.say(EMPTY)
    say_faults(reading, most_refused=10)
    show.say(
        f"{counted(len(intake.new), 'new paper')}, {len(intake.revised):,} revised, "
        f"{intake.same:,} known before."
    )


@app.command()
def export(
    query: str = typer.Argument("", help="Only the papers that match; by default all."),
) -> None:
    """Print papers as JSON Lines, which `papers import` and `feeds add` read.

    Example: paperround papers export 'benchmark -medical' > benchmarks.jsonl
    """
    from bot.app import opened
    from bot.documents import paper_json
    from digests.query import parse
    from digests.search import search as find_all

    with opened() as paperround:
        for paper in find_all(paperround.store, parse(query) if query else None):
            print(json_text.dumps(paper_json(paper), ensure_ascii=False))


def _heading(paper: Paper) -> str:
    from digests.heading import heading

    return paper.title or heading(paper.abstract)


def _show_short(paper: Paper) -> None:
    """A paper in three lines."""
    from digests.paper import landing
    from digests.summary import summarise

    show.say(f"{written_id(paper.id)}  {_heading(paper)}", "bold")
    if line := " · ".join(filter(None, (paper.published, landing(paper), ", ".join(paper.feeds)))):
        show.say(f"     {line}", "dim")
    show.say(f"     {' '.join(summarise(paper.abstract, paper.title)) or 'no abstract'}")
