"""Tests of bot/platforms/slack/pace.py, by a clock that only the sleepers move."""

from __future__ import annotations

import asyncio
import heapq
from datetime import timedelta
from itertools import count, pairwise

import pytest

from bot.platforms.slack.messenger import CHANNEL_PACE, LOOK_UP_WITHIN, SEND_WITHIN, WORKSPACE_PACE
from bot.platforms.slack.pace import LONGEST_WAIT, Pace
from digests.deliver import AT_ONCE
from digests.errors import DeliveryError
from digests.outbox import LEASE


class Time:
    """Time that jumps to the next sleeper's end whenever all sleep."""

    def __init__(self) -> None:
        self.now = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Event]] = []
        self._asleep = count()

    def clock(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        woken = asyncio.Event()
        heapq.heappush(self._sleepers, (self.now + seconds, next(self._asleep), woken))
        await woken.wait()

    async def run(self, *tasks: asyncio.Task[float]) -> list[float]:
        while not all(task.done() for task in tasks):
            await asyncio.sleep(0)
            if self._sleepers and all(not event.is_set() for *_, event in self._sleepers):
                end, _, event = heapq.heappop(self._sleepers)
                self.now = max(self.now, end)
                event.set()
            await asyncio.sleep(0)
        return [task.result() for task in tasks]


async def turns(pace: Pace, time: Time, channels: list[str]) -> list[float]:
    """When each channel's request had its turn; all ask at once."""

    async def one(channel: str) -> float:
        await pace.turn(channel)
        return time.clock()

    return await time.run(*[asyncio.create_task(one(channel)) for channel in channels])


async def test_two_requests_of_a_channel_keep_their_distance() -> None:
    """Four at once in one channel: one after another, a pace apart."""
    time = Time()
    pace = Pace(of_channel=1.0, of_all=0.2, clock=time.clock, sleep=time.sleep)
    assert await turns(pace, time, ["C1"] * 4) == pytest.approx([0.0, 1.0, 2.0, 3.0])


async def test_a_channel_that_waits_holds_up_no_other() -> None:
    """Between two of C1 the others have their turns, as fast as all together may."""
    time = Time()
    pace = Pace(of_channel=1.0, of_all=0.25, clock=time.clock, sleep=time.sleep)
    assert await turns(pace, time, ["C1", "C1", "C2", "C3"]) == pytest.approx([0.0, 1.0, 0.25, 0.5])


async def test_no_turn_is_wasted_and_none_comes_too_soon() -> None:
    """Sixty channels: a turn each 0.2 s, without a gap and without a crowd."""
    time = Time()
    pace = Pace(of_channel=CHANNEL_PACE, of_all=WORKSPACE_PACE, clock=time.clock, sleep=time.sleep)
    when = sorted(await turns(pace, time, [f"C{number}" for number in range(60)]))
    assert [b - a for a, b in pairwise(when)] == pytest.approx([WORKSPACE_PACE] * 59)


@pytest.mark.parametrize("channels", [["C1"] * 20, [f"C{number}" for number in range(20)]])
async def test_a_turn_that_is_far_goes_back_to_the_outbox(channels: list[str]) -> None:
    """A turn a second: sixteen of twenty fit into the longest wait; the others are told to come again."""
    time = Time()
    pace = Pace(of_channel=1.0, of_all=1.0, clock=time.clock, sleep=time.sleep)
    refused = []

    async def one(channel: str) -> float:
        try:
            await pace.turn(channel)
        except DeliveryError as error:
            refused.append(error.retry_after)
        return time.clock()

    ends = await time.run(*[asyncio.create_task(one(channel)) for channel in channels])
    assert refused == [timedelta(seconds=16)] * 4
    assert max(ends) <= LONGEST_WAIT


def test_what_one_claim_may_take_fits_into_its_lease() -> None:
    """A full round of messages waits within the limit, and look-up, turn and post within the lease."""
    assert AT_ONCE * WORKSPACE_PACE <= LONGEST_WAIT
    assert LEASE.total_seconds() > LOOK_UP_WITHIN + 2 * LONGEST_WAIT + SEND_WITHIN


async def test_a_turn_that_comes_late_moves_those_after_it() -> None:
    """A process that was busy for half a second does not make up for it with a burst."""
    time, late = Time(), iter([0.0, 0.5])

    async def sleep(seconds: float) -> None:
        await time.sleep(seconds + next(late, 0.0))

    pace = Pace(of_channel=0, of_all=0.2, clock=time.clock, sleep=sleep)
    when = sorted(await turns(pace, time, [f"C{number}" for number in range(8)]))
    assert min(b - a for a, b in pairwise(when)) >= 0.195
    assert when[-1] < 8 * 0.2 + 0.5
