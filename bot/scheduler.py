"""The scheduler: a handful of stateless jobs that APScheduler starts again and again.

What is due, the database says; a tick that is missed or comes twice changes nothing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import structlog
from apscheduler.schedulers.asyncio import AsyncIOScheduler

log = structlog.get_logger()

WATCH_EVERY = 5.0
"""Seconds between two looks at the clock."""

JUMP = 2.0
"""Seconds by which the wall clock may part from the steady one without being called wrong."""


@dataclass(frozen=True, slots=True)
class Job:
    """Something to do again and again, from the start on; it never runs twice at the same time."""

    name: str
    every: timedelta
    work: Callable[[], Awaitable[object]]


class Scheduler:
    """Runs jobs on the loop that it is started on; a job that raises is logged, and runs again."""

    def __init__(self, jobs: Iterable[Job], wall: Callable[[], float] = time.time) -> None:
        self._jobs = tuple(jobs)
        self._wall = wall
        self._running: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()
        self._scheduler = AsyncIOScheduler(
            timezone=UTC, job_defaults={"coalesce": True, "max_instances": 1, "misfire_grace_time": None}
        )

    def start(self) -> None:
        """Run every job now, and then at its interval."""
        for job in self._jobs:
            self._scheduler.add_job(
                self._tick,
                "interval",
                args=(job,),
                id=job.name,
                seconds=job.every.total_seconds(),
                next_run_time=datetime.now(UTC),
            )
        self._scheduler.start()
        self._watch = asyncio.create_task(self._watch_clock())

    def wake(self, name: str) -> None:
        """Run a job as soon as may be; if it runs already, once more after that."""
        if name in self._running:
            self._again.add(name)
        elif self._scheduler.running and self._scheduler.get_job(name):
            self._scheduler.modify_job(name, next_run_time=datetime.now(UTC))

    async def stop(self, patience: float) -> None:
        """Start nothing more; let what runs end within so many seconds, then cancel it."""
        self._watch.cancel()
        self._scheduler.pause()
        if self._running:
            _, late = await asyncio.wait(self._running.values(), timeout=patience)
            for task in late:
                task.cancel()
        self._scheduler.shutdown(wait=False)

    async def _tick(self, job: Job) -> None:
        """Begin the job and come back: APScheduler complains of each tick that meets a job still running."""
        if job.name not in self._running:
            task = asyncio.create_task(self._run(job), name=job.name)
            self._running[job.name] = task
            task.add_done_callback(lambda _: self._ended(job.name))

    def _ended(self, name: str) -> None:
        self._running.pop(name, None)
        if name in self._again:
            self._again.discard(name)
            self.wake(name)

    async def _run(self, job: Job) -> None:
        try:
            await job.work()
        except Exception:
            log.exception("job failed", job=job.name, again_in=f"{job.every.total_seconds():.0f} s")

    async def _watch_clock(self) -> None:
        """Run every job when the clock has been set: set back, it would let APScheduler sleep until then."""
        while True:
            apart = self._wall() - time.monotonic()
            await asyncio.sleep(WATCH_EVERY)
            jump = self._wall() - time.monotonic() - apart
            if abs(jump) > JUMP:
                log.warning("clock was set", by=f"{jump:+.0f} s")
                for job in self._jobs:
                    self.wake(job.name)
