"""The log: one line per event with its fields, on stderr, every secret taken out of the finished line."""

from __future__ import annotations

import json
import logging
import re
import sys
import threading
from collections.abc import Iterable
from types import TracebackType
from typing import TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

SHORTEST_SECRET = 6
"""What is shorter stands in every second word, and keeps no secret."""

HIDDEN = "[secret]"

# https://docs.slack.dev/authentication/tokens; a Discord token is its id, a time and a
# signature, in base 64; that of an interaction begins with "interaction", in base 64 too.
_SHAPES = re.compile(
    r"\bx(?:ox[a-z]|app)-[A-Za-z0-9.-]{6,}"
    r"|\b[A-Za-z0-9_-]{23,30}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27,}"
    r"|\baW50ZXJhY3Rpb24[A-Za-z0-9_-]{6,}"
    r"|(?P<before>hooks\.slack\.com/|[?&](?:ticket|token)=)[^&\s\"']+"
)

_QUIET = ("aiohttp", "apscheduler", "asyncio", "discord", "slack_bolt", "slack_sdk")
"""Libraries that tell their inner life at INFO."""

_SHARED: tuple[Processor, ...] = (
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.StackInfoRenderer(),
)


class Redactor:
    """Takes secrets out of text: those it was told of, and whatever has the shape of a token."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = {secret for secret in secrets if len(secret) >= SHORTEST_SECRET}
        spelt = (
            known | {json.dumps(secret)[1:-1] for secret in known} | {repr(secret)[1:-1] for secret in known}
        )
        words = sorted(map(re.escape, spelt), key=len, reverse=True)
        self._known = re.compile("|".join(words)) if words else None

    def __call__(self, text: str) -> str:
        """`text` without them."""
        if self._known:
            text = self._known.sub(HIDDEN, text)
        return _SHAPES.sub(lambda found: (found["before"] or "") + HIDDEN, text)


class _Safe(structlog.stdlib.ProcessorFormatter):
    """Renders a line, then redacts it: whatever came together in it, this is the last to see it."""

    def __init__(self, renderer: Processor, redactor: Redactor) -> None:
        super().__init__(
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
            foreign_pre_chain=[*_SHARED, _library],
        )
        self._redactor = redactor

    def format(self, record: logging.LogRecord) -> str:
        return self._redactor(super().format(record))


def configure(
    secrets: Iterable[str], level: str = "info", form: str = "auto", stream: TextIO | None = None
) -> None:
    """Send every line of this process, the libraries' too, through one handler.

    `level` is debug, info, warning or error; `form` plain, json, or auto for what suits the stream.
    Uncaught exceptions and warnings become lines as well, so that nothing passes by the redaction.
    """
    stream = stream or sys.stderr
    plain = stream.isatty() if form == "auto" else form == "plain"
    handler = logging.StreamHandler(stream)
    handler.addFilter(_told_otherwise)
    handler.setFormatter(_Safe(_plain(colors=stream.isatty()) if plain else _json(), Redactor(secrets)))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for name in _QUIET:
        logging.getLogger(name).setLevel("WARNING" if level == "info" else level.upper())
    logging.captureWarnings(True)
    structlog.configure(
        processors=[*_SHARED, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    sys.excepthook = _log_uncaught
    threading.excepthook = lambda fault: _log_uncaught(fault.exc_type, fault.exc_value, fault.exc_traceback)


_MENDED_BY_ITSELF = ("Attempting a reconnect", "Failed to connect for shard_id")
"""So begin the errors of discord.py, each with a traceback, that are an ordinary day of a connection."""


def _told_otherwise(record: logging.LogRecord) -> bool:
    """Say a lost connection in one line of our own; an error that is not the network's passes as it is."""
    error = record.exc_info[1] if record.exc_info else None
    if not error or not record.name.startswith("discord.") or not _is_of_the_network(error):
        return True
    if not record.getMessage().startswith(_MENDED_BY_ITSELF):
        return True
    what = " ".join(f"{type(error).__name__}: {error}".split())
    structlog.get_logger().warning("discord connection lost", error=what)
    return False


def _is_of_the_network(error: BaseException) -> bool:
    """Loading discord.py to ask for its classes would take longer than most commands."""
    return isinstance(error, OSError) or type(error).__module__.startswith(("aiohttp.", "discord."))


def _plain(*, colors: bool) -> Processor:
    return structlog.dev.ConsoleRenderer(
        colors=colors, exception_formatter=structlog.dev.plain_traceback, pad_event_to=0, pad_level=False
    )


def _json() -> Processor:
    def render(logger: WrappedLogger, name: str, event: EventDict) -> str | bytes:
        event = structlog.processors.format_exc_info(logger, name, event)
        return structlog.processors.JSONRenderer(ensure_ascii=False)(logger, name, event)

    return render


def _library(_logger: WrappedLogger, _name: str, event: EventDict) -> EventDict:
    """Name the library that a line comes from."""
    record = event.get("_record")
    return {**event, "library": record.name} if isinstance(record, logging.LogRecord) else event


def _log_uncaught(
    kind: type[BaseException], error: BaseException | None, trace: TracebackType | None
) -> None:
    if error is None or issubclass(kind, KeyboardInterrupt | SystemExit):
        return
    logging.getLogger("paperround").critical("uncaught error", exc_info=(kind, error, trace))
