"""Tests of the scheduler: jobs run from the start on, again and again, never twice at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import pytest

from bot import scheduler
from bot.scheduler import Job, Scheduler

SOON = timedelta(seconds=0.05)
NEVER = timedelta(days=1)


class Counted:
    """Work that counts how often it began and how many of it ran at the same time."""

    def __init__(self, work: Callable[[], Awaitable[None]] | None = None) -> None:
        self.begun = self.running = self.most = 0
        self._began = asyncio.Condition()
        self._work = work

    async def __call__(self) -> None:
        self.begun += 1
        self.running += 1
        self.most = max(self.most, self.running)
        async with self._began:
            self._began.notify_all()
        try:
            if self._work:
                await self._work()
        finally:
            self.running -= 1

    async def until(self, times: int) -> None:
        """Wait until it has begun so often; the test's own time-out ends a vain wait."""
        async with asyncio.timeout(20), self._began:
            await self._began.wait_for(lambda: self.begun >= times)


async def fail() -> None:
    raise RuntimeError("no")


async def test_every_job_runs_at_the_start() -> None:
    """What fell due while the service was down is not left until the first interval is over."""
    work = [Counted(), Counted()]
    running = Scheduler([Job("a", NEVER, work[0]), Job("b", NEVER, work[1])])
    running.start()
    for each in work:
        await each.until(1)
    await running.stop(1)


async def test_a_job_that_raises_runs_again_and_costs_no_other() -> None:
    """An error is logged; the next tick comes."""
    bad, good = Counted(fail), Counted()
    running = Scheduler([Job("bad", SOON, bad), Job("good", SOON, good)])
    running.start()
    await bad.until(3)
    await good.until(3)
    await running.stop(1)


async def test_a_job_never_runs_beside_itself() -> None:
    """Ticks that meet a long run pass by; a wake during it means one more run after it."""
    gate = asyncio.Event()
    slow, other = Counted(lambda: _wait(gate)), Counted()
    running = Scheduler([Job("slow", SOON, slow), Job("other", SOON, other)])
    running.start()
    await other.until(4)
    running.wake("slow")
    assert (slow.begun, slow.most) == (1, 1)
    gate.set()
    await slow.until(2)
    assert slow.most == 1
    await running.stop(1)


async def _wait(gate: asyncio.Event) -> None:
    await gate.wait()


async def test_stop_waits_for_what_runs_and_then_cancels() -> None:
    """Nothing is begun after it; what does not end in time is cut off."""
    quick, endless = Counted(), Counted(lambda: asyncio.sleep(3600))
    running = Scheduler([Job("quick", SOON, quick), Job("endless", SOON, endless)])
    running.start()
    await endless.until(1)
    await running.stop(0.1)
    begun = quick.begun
    await asyncio.sleep(0.2)
    assert (endless.running, quick.begun) == (0, begun)


async def test_a_clock_that_is_set_back_stops_no_job(monkeypatch: pytest.MonkeyPatch) -> None:
    """APScheduler would wait until the old time comes again; a jump of the wall clock runs every job."""
    monkeypatch.setattr(scheduler, "WATCH_EVERY", 0.05)
    wall = [0.0]
    work = Counted()
    running = Scheduler([Job("work", NEVER, work)], wall=lambda: asyncio.get_running_loop().time() + wall[0])
    running.start()
    await work.until(1)
    running._scheduler.modify_job("work", next_run_time=datetime.now(UTC) + NEVER)
    wall[0] = -86_400.0
    await work.until(2)
    await running.stop(1)
