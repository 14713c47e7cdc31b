"""What Discord's refusals mean: the library's errors to ours, with how to mend each in plain words."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta

import discord

from digests.errors import DeliveryError

UNKNOWN_CHANNEL, UNKNOWN_MESSAGE = 10003, 10008

_MEANINGS = {
    UNKNOWN_CHANNEL: ("the channel is gone", "subscribe again in the channel that took its place"),
    10004: ("the server is gone, or the bot was removed from it", "invite the bot again"),
    UNKNOWN_MESSAGE: ("the first message of the digest was deleted", "the next digest comes as usual"),
    50001: ("the bot cannot see the channel", "give its role View Channel there, or invite it again"),
    50007: ("this person takes no direct messages", "allow direct messages from members of the server"),
    50008: ("this kind of channel takes no messages", "subscribe in a text channel"),
    50013: ("the bot may not post in the channel", "give its role Send Messages there, and in threads"),
    50024: ("this kind of channel takes no messages", "subscribe in a text channel"),
    50035: (
        "Discord found the message malformed",
        "please report it with the output of: paperround digest status",
    ),
    160005: ("the thread is locked", "the next digest comes as usual"),
}
_BANNED_FOR = timedelta(minutes=15)
_TOO_LATE = frozenset({408, 409, 425})


class RefusalError(DeliveryError):
    """Discord's clear and lasting no; `status` is HTTP's, `code` Discord's own number."""

    def __init__(
        self,
        what: str,
        *,
        status: int,
        code: int = 0,
        hint: str = "",
        everywhere: bool = False,
        unclear: bool = False,
    ) -> None:
        super().__init__(what, permanent=True, everywhere=everywhere, unclear=unclear, hint=hint)
        self.status = status
        self.code = code


def token_refused(*, doubt: bool = False) -> RefusalError:
    """Discord does not know the bot's token, or knows it no longer."""
    return RefusalError(
        "Discord refused the bot's token",
        status=401,
        hint="make a new one in the Developer Portal (Bot), set PAPERROUND_DISCORD_TOKEN, restart",
        everywhere=True,
        unclear=doubt,
    )


def translated(error: Exception, earlier: Collection[int], *, doubt: bool) -> DeliveryError:
    """Our error for the library's.

    `earlier` are the statuses that this request met, `doubt` says that a try before it is open: after a 5xx
    or an open try only a lasting no is clear. Nothing of Discord's wording is passed on.
    """
    doubt = doubt or any(status >= 500 for status in earlier)
    if isinstance(error, discord.RateLimited):
        return _come_back(timedelta(seconds=error.retry_after), doubt)
    if not isinstance(error, discord.HTTPException):
        return DeliveryError(f"Discord's answer did not arrive ({type(error).__name__})", unclear=True)
    if error.status == 401:
        return token_refused(doubt=doubt)
    if error.status == 429:
        return _come_back(_BANNED_FOR, doubt, everywhere=True)
    if error.status >= 500 or error.status in _TOO_LATE:
        return DeliveryError(f"Discord answered {error.status}", unclear=True)
    if not error.code and error.status in (403, 404):  # not Discord's words: something stands before it
        return DeliveryError(f"something before Discord answered {error.status}", unclear=doubt)
    what, hint = _MEANINGS.get(error.code, (f"Discord refused ({error.status}, code {error.code})", ""))
    return RefusalError(what, status=error.status, code=error.code, hint=hint)


def _come_back(wait: timedelta, doubt: bool, *, everywhere: bool = False) -> DeliveryError:
    what = "Discord asked to slow down"
    return DeliveryError(what, unclear=doubt, everywhere=everywhere, retry_after=wait)
