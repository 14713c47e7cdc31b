"""The desk: where the platforms hand in commands and get replies, with the event loop left free."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from digests import handlers
from digests.commands import Caller, Place
from digests.handlers import Office
from digests.reply import Reply
from digests.verbs import Offer


@dataclass(frozen=True, slots=True)
class Desk:
    """What a platform needs to answer people; `wake` is called after each command, for it may have posted.

    What a person got wrong is answered; any other fault is raised.
    """

    office: Office
    clock: Callable[[], datetime]
    wake: Callable[[], None]

    async def answer(self, text: str, caller: Caller, place: Place) -> Reply:
        """The reply to a line of text, or to a button's command."""
        reply = await asyncio.to_thread(handlers.answer, text, caller, place, self.office, self.clock())
        self.wake()
        return reply

    async def answer_typed(
        self, verb: str, options: Mapping[str, str], caller: Caller, place: Place
    ) -> Reply:
        """The reply to a verb with typed options, each as text."""
        reply = await asyncio.to_thread(
            handlers.answer_typed, verb, options, caller, place, self.office, self.clock()
        )
        self.wake()
        return reply

    async def suggest(
        self, offer: Offer, typed: str, caller: Caller, place: Place
    ) -> tuple[tuple[str, str], ...]:
        """What a person who has typed so much may mean: pairs of a label and a value."""
        return await asyncio.to_thread(handlers.suggest, offer, typed, caller, place, self.office.store)
