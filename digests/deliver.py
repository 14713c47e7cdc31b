"""Job: sends the messages that wait in the outbox, each exactly once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime

from digests.channel import ChannelId
from digests.errors import DeliveryError
from digests.outbox import Delivery, failed, sent
from digests.ports import Messenger, Store

AT_ONCE = 64
"""So many messages are claimed and on their way at the same time, never two of one channel."""


async def deliver(
    store: Store,
    messengers: Mapping[str, Messenger],
    clock: Callable[[], datetime],
    channel: ChannelId | None = None,
) -> tuple[Delivery, ...]:
    """Send what may be sent now, until nothing is left; gives what became of each message.

    `messengers` is keyed by platform; a message of a platform that is not served here is left alone.
    """
    settled: list[Delivery] = []
    while claimed := await asyncio.to_thread(
        store.outbox.claim, clock(), AT_ONCE, tuple(messengers), channel
    ):
        settled += await asyncio.gather(
            *(_send(delivery, messengers[delivery.channel.platform], store, clock) for delivery in claimed)
        )
    return tuple(settled)


async def _send(
    delivery: Delivery, messenger: Messenger, store: Store, clock: Callable[[], datetime]
) -> Delivery:
    """Look an unclear message up, send it if it is not there, and write what became of it."""
    started = clock()
    try:
        receipt = await messenger.find_sent(delivery) if delivery.sending_since else None
        done = sent(delivery, receipt or await messenger.send(delivery), clock())
    except DeliveryError as error:
        done = failed(delivery, error, started, clock())
    await asyncio.to_thread(store.outbox.settle, done)
    return done
