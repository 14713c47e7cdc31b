"""The service is killed at random moments, and every channel has each message exactly once and in order."""

from __future__ import annotations

import asyncio
import random
import signal
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from digests.channel import ChannelId
from digests.outbox import Stage
from tests.bot.world import World, deliveries, faults, furnished, world

STEPS = (timedelta(days=1), timedelta(days=1), timedelta(minutes=3), timedelta(seconds=20))
"""How long the service is down after a kill; a claimed message is free again after two minutes."""

PAPERS = 900
"""Fifty editions; with more, a process would be killed before it has read them all."""


async def days_of(here: World) -> tuple[Counter[ChannelId], bool]:
    """How many days' messages each channel has by now, and whether any waits or is on its way."""
    found = (await asyncio.to_thread(deliveries, here)).values()
    days = Counter(channel for channel, _ in {(delivery.channel, delivery.day) for delivery in found})
    return days, not {delivery.stage for delivery in found}.isdisjoint((Stage.WAITING, Stage.SENDING))


async def live_and_die(here: World, dice: random.Random) -> None:
    """Start the service, let it come to its work, and kill it at any moment of the next seconds."""
    service = await here.start()
    await service.until("platform connected" if dice.random() < 0.8 else "started")
    await asyncio.sleep(dice.uniform(0, 1.5))
    service.process.kill()
    await service.end()


async def live_and_finish(here: World, channels: tuple[ChannelId, ...]) -> None:
    """Start the service, let it post a new day to every channel, and stop it as an admin does."""
    before, _ = await days_of(here)
    days, is_open = before, True
    service = await here.start()
    while is_open or any(days[channel] == before[channel] for channel in channels):
        await service.until("message sent")
        days, is_open = await days_of(here)
    service.process.send_signal(signal.SIGTERM)
    assert await service.end() == 0


@pytest.mark.parametrize("kills", [40, pytest.param(200, marks=pytest.mark.long)])
async def test_a_killed_service_posts_everything_once_and_in_order(tmp_path: Path, kills: int) -> None:
    """Two processes at a time are killed and started again, at once or a day later; two days may finish."""
    dice = random.Random(11)
    async with world(tmp_path) as here:
        channels = furnished(here, slack=3, discord=5, papers=PAPERS, size=18)
        for _ in range(kills // 2):
            await asyncio.gather(live_and_die(here, dice), live_and_die(here, dice))
            here.clock.offset += dice.choice(STEPS)
        for _ in range(2):
            here.clock.offset += timedelta(days=1)
            await live_and_finish(here, channels)
        assert faults(here, channels) == []
        posted = [len(here.posted(channel, deliveries(here))) for channel in channels]
        assert min(posted) >= 4
        assert sum(posted) >= kills
