"""The chat platforms, one module each; the folder is the registry.

Each offers `connect(settings, clock)`, a platform as long as the context lasts: a package in its module
`platform`, a plain module itself.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from bot.desk import Desk
    from bot.settings import Settings
    from digests.channel import ChannelId
    from digests.ports import Messenger

FALLBACK = "console"
"""It needs no token, and is served where no other is."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found: of what, whether it is as it should be, what was seen, and how to mend it.

    `is_to_come` says of what is not that it need not be yet: the next step of setting up brings it.
    """

    of: str
    ok: bool
    what: str
    hint: str = ""
    is_to_come: bool = False

    @property
    def is_wrong(self) -> bool:
        """Whether something has to be mended."""
        return not (self.ok or self.is_to_come)


class Platform(Protocol):
    """A chat platform that is connected; leaving the context of `connect` closes it."""

    @property
    def messenger(self) -> Messenger:
        """What posts digests there."""
        ...

    async def serve(self, desk: Desk) -> None:
        """Take commands and hand them in at the desk, until cancelled; an error means: connect anew."""
        ...

    async def check(self, channels: Iterable[ChannelId]) -> tuple[Finding, ...]:
        """What is right and wrong with the token, its rights, and the channels of this platform."""
        ...

    async def tell(self, person: str, text: str) -> None:
        """Write to one person; DeliveryError if that cannot be."""
        ...


Connecting = Callable[[], AbstractAsyncContextManager[Platform]]
"""Connects one platform anew at each call."""

_Connect = Callable[["Settings", Callable[[], datetime]], AbstractAsyncContextManager[Platform]]


def names() -> tuple[str, ...]:
    """Every platform that there is."""
    return tuple(module.name for module in pkgutil.iter_modules(__path__))


def chosen(settings: Settings) -> tuple[str, ...]:
    """The platforms whose token is set; the terminal where there is none."""
    return tuple(name for name in names() if settings.serves(name)) or (FALLBACK,)


def connect(
    name: str, settings: Settings, clock: Callable[[], datetime]
) -> AbstractAsyncContextManager[Platform]:
    """A platform by its name; DeliveryError on entering if it cannot be reached or takes no token."""
    return cast(_Connect, imported(name).connect)(settings, clock)


def imported(name: str) -> ModuleType:
    """The module of a platform that offers `connect`, with all that it needs."""
    is_package = next(module.ispkg for module in pkgutil.iter_modules(__path__) if module.name == name)
    return import_module(f"{__name__}.{name}.platform" if is_package else f"{__name__}.{name}")
