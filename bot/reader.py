"""The reader: documents are read in processes of their own, within limits of time and memory.

A document that hangs, crashes or fills its process costs only itself, and the event loop never waits for one.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from math import ceil
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from digests.errors import InputError, PaperroundError, ParseError
from digests.feed import Fetched
from digests.pages import Page, page
from digests.paper import Paper
from digests.reading import Reading

if TYPE_CHECKING:
    from pydantic import TypeAdapter

AT_ONCE = 2
"""So many documents are read at the same time."""

BATCH = 100
"""So many papers come back at once: each batch keeps the event loop for about a millisecond."""

LARGE = 2_000_000
"""After a document of more bytes its process ends, and gives its memory back."""

IDLE = 60.0
"""Seconds after which a process without work ends; starting one costs 0.2 s."""

LAST_BREATH = 5.0
"""Seconds between the end of what a process says and its own."""

_PIECE = 1 << 18
_OUT_OF_TIME = getattr(signal, "SIGXCPU", 0)
_PASSED_ON = ("PATH", "LANG", "LC_ALL", "TZ", "SYSTEMROOT")


@dataclass(frozen=True, slots=True)
class Limits:
    """What the reading of one document may cost: seconds of work, and bytes of address space of its process.

    Until it has had its seconds on a busy machine, it is given three times as long.
    """

    seconds: float = 60
    memory: int = 500_000_000


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked of a process, before the `size` bytes of the body."""

    url: str
    content_type: str
    format: str
    size: int


@dataclass(frozen=True, slots=True)
class _Fault:
    """An error of the core, taken apart."""

    of: str
    what: str
    hint: str
    format: str
    where: str


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of an answer: papers, until the last one has the rest of the page, or a fault."""

    papers: tuple[Paper, ...] = ()
    rest: Reading | None = None
    following: str | None = None
    fault: _Fault | None = None


@cache
def _parts() -> TypeAdapter[_Part]:
    """Parts as JSON: what a process says that a document may have taken over is checked and never run."""
    from pydantic import TypeAdapter

    return TypeAdapter(_Part)


# ---- on this side


class Reader:
    """Reads pages, as `digests.refresh.Read` promises; an async context manager, for many tasks at once."""

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._places = asyncio.Semaphore(AT_ONCE)
        self._idle: dict[Process, asyncio.TimerHandle] = {}

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(_parts)  # a tenth of a second's work
        return self

    async def __aexit__(self, *_: object) -> None:
        for process in tuple(self._idle):
            self._take(process)
            await _end(process)

    async def __call__(self, fetched: Fetched, format: str = "") -> Page:
        """The page; ParseError also where reading it took too long or too much memory."""
        async with self._places:
            process = self._waiting() or await self._start()
            try:
                async with asyncio.timeout(3 * self._limits.seconds):
                    answer = await _ask(process, fetched, format, self._limits.memory)
            except (TimeoutError, asyncio.IncompleteReadError, ConnectionError, ValueError) as error:
                await _end(process)
                if isinstance(error, TimeoutError) or process.returncode == -_OUT_OF_TIME:
                    raise _refused(f"could not be read within {self._limits.seconds:g} s") from None
                raise _refused(f"made its reader crash (code {process.returncode})") from None
            except BaseException:
                await _end(process)
                raise
            if len(fetched.body) > LARGE:
                await _end(process)
            else:
                self._put(process)
        if isinstance(answer, PaperroundError):
            raise answer
        return answer

    async def _start(self) -> Process:
        """A new process; it gets no setting of ours, least of all a token."""
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", "bot.reader", json.dumps(asdict(self._limits))),
            stdin=PIPE,
            stdout=PIPE,
            stderr=DEVNULL,
            limit=1 << 20,
            env={name: os.environ[name] for name in _PASSED_ON if name in os.environ}
            | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,  # Ctrl-C is for us: the process ends when its input does
        )

    def _waiting(self) -> Process | None:
        alive = (process for process in tuple(self._idle) if self._take(process).returncode is None)
        return next(alive, None)

    def _take(self, process: Process) -> Process:
        self._idle.pop(process).cancel()
        return process

    def _put(self, process: Process) -> None:
        ending = asyncio.get_running_loop().call_later(IDLE, self._let_go, process)
        self._idle[process] = ending

    def _let_go(self, process: Process) -> None:
        """It ends by itself when nothing more can come."""
        assert process.stdin
        self._idle.pop(process)
        process.stdin.close()


async def _ask(process: Process, fetched: Fetched, format: str, most: int) -> Page | PaperroundError:
    """What a process says; ParseError where it goes on for more than `most` bytes."""
    assert process.stdin
    assert process.stdout
    asked = _Asked(fetched.url, fetched.content_type, format, len(fetched.body))
    process.stdin.write(json.dumps(asdict(asked)).encode() + b"\n")
    for start in range(0, asked.size, _PIECE):
        process.stdin.write(fetched.body[start : start + _PIECE])
        await process.stdin.drain()
    papers: list[Paper] = []
    room = most
    while True:
        size = int.from_bytes(await process.stdout.readexactly(4))
        room -= size + 4
        if room < 0:
            raise _refused(f"gives more than {most:,} bytes of papers")
        part = _parts().validate_json(await process.stdout.readexactly(size))
        papers += part.papers
        if part.fault:
            return _error(part.fault)
        if part.rest:
            return replace(part.rest, papers=tuple(papers)), part.following


async def _end(process: Process) -> None:
    assert process.stdin
    assert process.stdout
    # `kill` would take the code of one that has ended from who waits for it
    if process.stdout.at_eof() or process.stdin.is_closing():
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), LAST_BREATH)
    if process.returncode is None:
        with suppress(ProcessLookupError):
            process.kill()
    await process.wait()


def _refused(what: str) -> ParseError:
    return ParseError(f"the document {what}", format="", hint="ask its source for fewer papers, or split it")


def _error(fault: _Fault) -> PaperroundError:
    if fault.of == "InputError":
        return InputError(fault.what, fault.hint)
    return ParseError(fault.what, format=fault.format, where=fault.where, hint=fault.hint)


# ---- on the other side


def main() -> None:
    """Read documents from the input, answer each on the output, until there are no more."""
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    limits = Limits(**json.loads(sys.argv[1]))
    _limit_memory(limits.memory)
    while line := source.readline():
        asked = _Asked(**json.loads(line))
        _limit_time(limits.seconds)
        fetched = Fetched(asked.url, source.read(asked.size), content_type=asked.content_type)
        for part in _answer(fetched, asked.format, limits):
            _send(sink, part)


def _answer(fetched: Fetched, format: str, limits: Limits) -> Iterator[_Part]:
    """The papers in batches, then the rest of the page; or what went wrong."""
    try:
        reading, following = page(fetched, format)
    except MemoryError:
        yield _told(_refused(f"needs more than {limits.memory:,} bytes of memory to be read"))
    except Exception as error:
        yield _told(error)
    else:
        papers = reading.papers
        yield from (_Part(papers[start : start + BATCH]) for start in range(0, len(papers), BATCH))
        yield _Part(rest=replace(reading, papers=()), following=following)


def _told(error: Exception) -> _Part:
    from digests.refresh import own_fault

    known = error if isinstance(error, PaperroundError) else own_fault(error)
    of = "InputError" if isinstance(known, InputError) else "ParseError"
    format, where = getattr(known, "format", ""), getattr(known, "where", "")
    return _Part(fault=_Fault(of, known.what, known.hint, format, where))


def _send(sink: BinaryIO, part: _Part) -> None:
    packed = json.dumps(part, default=_fields).encode()
    sink.write(len(packed).to_bytes(4) + packed)
    sink.flush()


def _fields(value: Any) -> dict[str, Any]:
    """A dataclass as an object; loading pydantic here takes longer than reading most documents."""
    return {each.name: getattr(value, each.name) for each in fields(value)}


def _limit_memory(size: int) -> None:
    with suppress(ImportError, ValueError, OSError):  # Windows has no limits, macOS not this one
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (size, size))


def _limit_time(seconds: float) -> None:
    with suppress(ImportError, ValueError, OSError):
        import resource

        spent = resource.getrusage(resource.RUSAGE_SELF)
        until = int(spent.ru_utime + spent.ru_stime) + 1 + ceil(seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (until, resource.RLIM_INFINITY))


if __name__ == "__main__":
    main()
