"""What the log says of the work: one line for each feed check, each edition, each try to deliver."""

from __future__ import annotations

import structlog

from digests.compose import Fault
from digests.deliver import Outcome
from digests.errors import PaperroundError
from digests.outbox import Edition, Stage
from digests.refresh import Refreshed

log = structlog.get_logger()


def feed_checked(done: Refreshed) -> None:
    """A feed was read, or could not be."""
    feed = done.feed
    if done.error and not done.reading:
        log.warning(
            "feed failed",
            feed=feed.name,
            error=str(done.error),
            failures=feed.failures,
            again=_at(feed.due),
            exc_info=_origin(done.error),
        )
        return
    came = done.intake
    refused = len(done.reading.refused) if done.reading else 0
    log.info(
        "feed checked",
        feed=feed.name,
        new=len(came.new),
        revised=len(came.revised),
        same=came.same,
        refused=refused,
        **({"error": str(done.error)} if done.error else {}),
        again=_at(feed.due),
    )


def edition_made(edition: Edition) -> None:
    """A channel's edition lies in the outbox; one without messages is a silent day."""
    log.info(
        "edition composed",
        channel=str(edition.channel),
        day=str(edition.day),
        papers=len(edition.digest.papers),
        messages=len(edition.payloads),
        waiting=edition.digest.foot.waiting,
    )


def edition_failed(fault: Fault, again_in: float) -> None:
    """A channel's edition could not be made."""
    known = isinstance(fault.error, PaperroundError)
    log.error(
        "edition failed",
        channel=str(fault.channel),
        day=str(fault.day),
        error=str(fault.error) if known else f"{type(fault.error).__name__}: {fault.error}",
        again_in=f"{again_in:.0f} s",
        exc_info=None if known else fault.error,
    )


def delivery_tried(outcome: Outcome) -> None:
    """A message was sent, will be tried again, or was given up."""
    delivery, error = outcome.delivery, outcome.error
    about = {
        "channel": str(delivery.channel),
        "day": str(delivery.day),
        "part": f"{delivery.part}/{delivery.parts}",
        "attempt": delivery.attempts,
    }
    if error is None:
        log.info("message sent", **about, receipt=delivery.receipt)
        return
    fault = _origin(error)
    if delivery.stage is Stage.GIVEN_UP:
        log.error("message given up", **about, error=str(error), exc_info=fault)
    else:
        again = _at(delivery.not_before)
        log.warning("message not sent", **about, error=str(error), again=again, exc_info=fault)


def channel_changed(outcome: Outcome) -> None:
    """A channel takes no posts, said once, or takes them again."""
    channel, refusal = str(outcome.delivery.channel), outcome.refusal
    if outcome.recovered:
        log.info("channel takes posts again", channel=channel)
    elif refusal and refusal.count == 1:
        log.error(
            "channel refuses posts",
            channel=channel,
            error=refusal.what,
            mend=refusal.hint,
            again=_at(refusal.retry_at),
        )
    elif refusal:
        log.info("channel still refuses posts", channel=channel, again=_at(refusal.retry_at))


def _origin(error: PaperroundError) -> BaseException | None:
    """The exception behind a fault of our own, whose traceback belongs into the log."""
    return error.__cause__ if error.what.startswith("a fault of Paperround") else None


def _at(moment: object) -> str | None:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}" if moment else None
