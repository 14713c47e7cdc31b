"""Answers on Slack: people ask while 1,000 editions of 20,000 papers are made; 10,000 subscriptions stored.

    python -m tests.benchmarks.answers_slack [ABSTRACTS [SECONDS]]

Slack is a process of its own, where people type commands, eight a second, over Socket Mode.
The service is `paperround run`, and keeps to Slack's limits.
Prints, as seen from Slack, the 50th and the 99th percentile of acknowledgements and of full answers, and how
many editions were made and how many messages posted meanwhile; and when the first digest was posted.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from digests.channel import ChannelId
from storage.store import open_store
from tests.benchmarks.answers import CHANNELS, PAPERS, fill, report_answers, side_by_side, waited
from tests.benchmarks.figures import abstracts
from tests.servers.slack import APP_TOKEN, BOT_TOKEN, Slack, room, serve_slack

TYPED = (
    "list", "help", "status", "feeds", "settings", "search diffusion", "why diffusion", "preview restoration",
    'subscribe "{}" limit:3', "schedule 09:00 weekdays Europe/Berlin", "subscribe (", "unsubscribe 1",
)  # fmt: skip


def main(rows: Sequence[dict[str, object]], seconds: int) -> None:
    """Run the service and the people side by side."""
    with TemporaryDirectory() as folder:
        db = Path(folder) / "p.db"
        with closing(open_store(db)) as store:
            fill(store, rows, _address)
        found = asyncio.run(side_by_side(__spec__.name, db, seconds, _settings))
        with closing(open_store(db)) as store:
            report_answers("answers_slack", found, store)


def _address(number: int) -> ChannelId:
    return ChannelId("slack", "T1", f"C{number}")


def _settings(url: str) -> dict[str, str]:
    return {
        "PAPERROUND_SLACK_API_URL": url,
        "PAPERROUND_SLACK_BOT_TOKEN": BOT_TOKEN,
        "PAPERROUND_SLACK_APP_TOKEN": APP_TOKEN,
    }


async def _people(seconds: int) -> None:
    """Slack, and people who type there at even times; prints its address, and at the end what they waited."""
    async with serve_slack(lambda: datetime.now(UTC)) as slack:
        slack.channels |= {f"C{number}": room(f"C{number}", f"lab-{number}") for number in range(CHANNELS)}
        print(slack.url, flush=True)
        await slack.socket()
        found = await waited(
            seconds, lambda number: _ask(slack, number), lambda: sum(map(len, slack.posted.values()))
        )
        print(json.dumps(found), flush=True)
        await asyncio.to_thread(sys.stdin.read)  # Slack stays there until the service has stopped


async def _ask(slack: Slack, number: int) -> tuple[float, float]:
    """Type a command in one of the channels; the seconds until it was acknowledged, and answered."""
    text = TYPED[number % len(TYPED)].format(f"topic {number}")
    payload = slack.command(text, channel=f"C{number * 37 % CHANNELS}")
    begun = time.perf_counter()
    await slack.send("slash_commands", payload, within=60)
    acknowledged = time.perf_counter() - begun
    await slack.answered(payload, within=60)
    return acknowledged, time.perf_counter() - begun


if __name__ == "__main__":
    if sys.argv[1:2] == ["people"]:
        asyncio.run(_people(int(sys.argv[2])))
    else:
        main(abstracts(sys.argv[1:2], PAPERS), int((sys.argv[2:3] or ["60"])[0]))
