"""The terminal as a platform: what a digest looks like in letters and colours."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from pydantic import TypeAdapter
from rich.console import Group, RenderableType
from rich.text import Text

from bot.terminal import Terminal
from digests.channel import Layout
from digests.digest import Digest, Item, Publication, Span, fine_print, foot, new_items, published_in
from digests.errors import DeliveryError
from digests.outbox import Delivery, Receipt
from digests.text import clip

if TYPE_CHECKING:
    from datetime import datetime

    from bot.desk import Desk
    from bot.platforms import Finding
    from bot.settings import Settings
    from digests.channel import ChannelId

WIDEST = 100
LONGEST_SUMMARY = 1_500
"""A sentence of a thousand words is none; Slack and Discord have limits of their own."""

_DOCUMENT = TypeAdapter(Digest)


@asynccontextmanager
async def connect(_settings: Settings, _clock: Callable[[], datetime]) -> AsyncIterator[ConsolePlatform]:
    """The terminal, which is always there."""
    yield ConsolePlatform(ConsoleMessenger())


@dataclass(frozen=True, slots=True)
class ConsolePlatform:
    """`platforms.Platform` for a terminal: it posts, and takes no commands."""

    messenger: ConsoleMessenger

    async def serve(self, desk: Desk) -> None:
        """There is nothing to take."""

    async def check(self, channels: Iterable[ChannelId]) -> tuple[Finding, ...]:  # noqa: ARG002
        """There is nothing that could be wrong."""
        return ()

    async def tell(self, person: str, text: str) -> None:
        """Print it."""
        print(f"{person}: {text}")


class ConsoleMessenger:
    """Prints digests; a message is the digest's document, since how it looks depends on the terminal."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream

    def render(self, digest: Digest) -> tuple[str, ...]:
        """One message: the document as JSON."""
        return (_DOCUMENT.dump_json(digest).decode(),)

    async def send(self, delivery: Delivery) -> Receipt:
        """Print it; only a stream that cannot be written to refuses."""
        try:
            show(_DOCUMENT.validate_json(delivery.payload), self._stream)
        except OSError as error:
            raise DeliveryError(f"the terminal took no output: {error.strerror}", unclear=True) from error
        return Receipt(f"printed {delivery.key}")

    async def find_sent(self, delivery: Delivery) -> Receipt | None:  # noqa: ARG002
        """Never found: a terminal keeps nothing that could be looked up, so an unclear print is repeated."""
        return None


def show(digest: Digest, stream: TextIO | None = None) -> None:
    """Print a digest: with colours and links on a terminal, else plain, with the addresses spelt out."""
    console = Terminal(file=stream or sys.stdout)
    width = min(console.width, WIDEST)
    console.print(laid_out(digest, width, addresses=not console.is_terminal), width=width)


def laid_out(digest: Digest, width: int, *, addresses: bool) -> Group:
    """A digest's lines for a terminal of that width; `addresses` spells links out, else titles are links."""
    return Group(*_lines(digest, width, addresses=addresses))


def _lines(digest: Digest, width: int, *, addresses: bool) -> Iterator[RenderableType]:
    yield Text(digest.title, style="bold")
    for section in digest.sections:
        yield _rule(f"{section.name} · {new_items(digest, section)}", width)
        for item in section.items:
            yield from _item(digest, item, addresses=addresses)
            yield Text()
    if not digest.sections:
        yield Text(f"{digest.say.quiet_day}\n")
    if digest.published:
        yield _rule(digest.say.published, width)
        for publication in digest.published:
            yield from _publication(digest, publication, addresses=addresses)
        yield Text()
    yield Text(" · ".join(foot(digest)), style="dim")


def _rule(words: str, width: int) -> Text:
    title = Text(f"── {words} ", style="cyan")
    title.truncate(width - 3, overflow="ellipsis")
    title.append("─" * (width - title.cell_len))
    return title


def _item(digest: Digest, item: Item, *, addresses: bool) -> Iterator[Text]:
    above, below = fine_print(digest, item)
    yield _linked(item.heading or digest.say.untitled, item.link, "bold", addresses=addresses)
    if above:
        yield Text(above, style="dim")
    if addresses and item.link:
        yield Text(item.link, style="dim", overflow="fold")
    yield _marked(clip(item.summary, LONGEST_SUMMARY) or digest.say.no_abstract, item.marks)
    if item.snippet:
        snippet = _marked(item.snippet, item.snippet_marks, "dim italic")
        yield Text.assemble(("“", "dim"), snippet, ("”", "dim"))
    if below:
        yield Text(below, style="green" if digest.layout is Layout.FULL else "dim")


def _publication(digest: Digest, publication: Publication, *, addresses: bool) -> Iterator[Text]:
    heading = publication.heading or digest.say.untitled
    title = _linked(heading, publication.link, "bold", addresses=addresses)
    yield Text.assemble(title, (f" · {published_in(digest, publication)}", "dim"))
    if addresses and publication.link:
        yield Text(publication.link, style="dim", overflow="fold")


def _linked(words: str, link: str, style: str, *, addresses: bool) -> Text:
    return Text(words, style=f"{style} link {link}" if link and not addresses else style)


def _marked(words: str, marks: Iterable[Span], style: str = "") -> Text:
    text = Text(words, style=style)
    for start, end in marks:
        text.stylize("not dim bold yellow", start, end)
    return text
