"""The command that runs the service."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import typer

THREADS = 32
"""Sixteen feeds may be parsed at the same time: a command must not queue behind them."""

app = typer.Typer(add_completion=False, help="Run the service: scheduler, Slack and Discord in one process.")

SWITCH = 0.0005
"""Seconds that a thread which composes may hold the interpreter; at Python's own 5 ms answers wait."""

M_MMAP_THRESHOLD, LARGE = -3, 1_000_000
"""Bytes from which on a piece of memory goes back to the system when it is free, see <malloc.h>.

Left alone, glibc comes to keep pieces of up to 32 MB: after 20,000 papers were indexed, 121 MB for nothing.
"""

STOP_WITHIN = 19.5
"""Seconds after a signal at which the process ends in any case: what it holds is safe at any moment."""


@app.command()
def run() -> None:
    """Run the service until SIGTERM or Ctrl-C: reads feeds, composes digests, posts them, answers commands.

    The platforms whose token is set are served; without a token the digests come on this terminal.

    Example: PAPERROUND_DISCORD_TOKEN=… paperround run
    """
    from bot.app import opened
    from bot.logs import configure
    from bot.platforms import chosen
    from bot.settings import load_settings

    sys.setswitchinterval(SWITCH)
    _give_memory_back()
    settings = load_settings()
    configure(settings.secrets, settings.level, settings.form)
    _set_aside(chosen(settings))
    with opened() as paperround:
        asyncio.run(_until_stopped(paperround.serve))


def _give_memory_back() -> None:
    with suppress(OSError, AttributeError):  # another C library than glibc
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, LARGE)


def _set_aside(platforms: Iterable[str]) -> None:
    """Import what serves, and keep it out of garbage collections, each of which would stop all for 75 ms."""
    import bot.service  # noqa: F401
    from bot.platforms import imported

    for name in platforms:
        imported(name)
    gc.collect()
    gc.freeze()


async def _until_stopped(serve: Callable[[asyncio.Event], Awaitable[None]]) -> None:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(THREADS))

    def ask() -> None:
        stop.set()
        last = threading.Timer(STOP_WITHIN, os._exit, [0])
        last.daemon = True
        last.start()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ask)
    await serve(stop)
