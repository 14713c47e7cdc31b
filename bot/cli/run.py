"""The command that runs the service."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

import typer

THREADS = 32
"""Sixteen feeds may be parsed at the same time: a command must not queue behind them."""

app = typer.Typer(add_completion=False, help="Run the service: scheduler, Slack and Discord in one process.")

SWITCH = 0.0005
"""Seconds that a thread which composes may hold the interpreter; at Python's own 5 ms answers wait."""

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
    from bot.settings import load_settings

    sys.setswitchinterval(SWITCH)
    settings = load_settings()
    configure(settings.secrets, settings.level, settings.form)
    with opened() as paperround:
        asyncio.run(_until_stopped(paperround.serve))


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
