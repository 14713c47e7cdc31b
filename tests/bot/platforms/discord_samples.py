"""Digests for the tests of the Discord platform, all of it invented, and the golden files made of them.

`python -m tests.bot.platforms.discord_samples` writes the golden files anew: look at what changed.
`python -m tests.bot.platforms.discord_samples FOLDER` draws them as PNG files, with simcord in Chromium.
"""

from __future__ import annotations

import asyncio
import json
import sys
from datetime import UTC, date, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import discord
import simcord
from discord.http import Route

from bot.platforms.discord.render import render
from digests.digest import Digest, Foot, Progress, Publication, Section, Silent
from digests.paper import PaperId
from tests.bot.platforms.samples import item
from tests.bot.platforms.variants import variants
from tests.conftest import ROOT

GOLDEN = ROOT / "tests/data/golden/discord"
CHROMIUM = "/usr/bin/chromium"
DAY = date(2026, 12, 1)
CHECKED = datetime(2026, 12, 1, 7, 55, tzinfo=UTC)
NEXT = datetime(2026, 12, 2, 8, 0, tzinfo=UTC)


REASONING = Section(
    "Reasoning efficiency",
    (
        item(
            1,
            "Stopping Rules for Chains of Thought",
            "A probe of 2,000 parameters reads one hidden state and ends the reasoning once the answer no "
            "longer changes. It saves 41% of the tokens at equal accuracy on five data sets.",
            "reasoning, tokens",
            "Mara Lindqvist, Tomás Oliveira, Wei Zhang, Ayşe Demir, Jonas Krüger",
            source="ICLR 2026",
            also_in=("arXiv",),
            also_for=("Benchmarks",),
        ),
        item(
            2,
            "Overthinking Is a Calibration Problem",
            "Long chains hurt most where the model is already sure: overthinking explains 63% of the errors "
            "on easy problems.",
            "overthinking, problems",
            "Inês Duarte, Kofi Mensah",
        ),
        item(
            3,
            "[Re] A* Search as a Teacher: does `think_less` hold for |S| > 10⁶?",
            "We repeat the main experiment with three seeds per search depth. Two of the four claims hold; "
            "the speed-up of ×3.5 shrinks to ×1.2 once the cache is warm.",
            "overthinking",
            "Haruto Sato, Elif Kaya, Ngozi Eze, Liam Byrne",
            link="https://openreview.net/forum?id=a_b(1)&noteId=*x*",
            snippet="…report that `think_less` ends overthinking on problems of every size, a claim that "
            "rests on one seed and on |S| < 10³…",
            source="MLRC 2026",
        ),
    ),
)
BENCHMARKS = Section(
    "Benchmarks",
    (
        item(
            4,
            "大规模语言模型的长文本评测基准",
            "我们提出了一个包含一千二百篇文档的评测集。",
            "评测",
            "王伟, 李娜",
        ),
        item(
            5,
            "Who Tests the Tests? 🧪 Leakage in Nine Leaderboards",
            "Leakage lifts the median model of nine leaderboards by 4.1 points. Ranks change in seven of "
            "them. A held-out rewrite of 300 questions is released.",
            "leaderboards, leakage",
            "Anna Weiss, Diego Ruiz",
            also_in=("bioRxiv", "OpenReview"),
        ),
        item(6, "MT-RUN", "", "benchmark", "Olga Petrova", source="MLSys 2026"),
    ),
)
SILENT = tuple(
    Silent(f"journal-{number}", "silent", datetime(2026, 11, 30, tzinfo=UTC)) for number in range(300)
)

PUBLISHED = (
    Publication(
        PaperId(90),
        "[Re] Early Exits for Long Proofs: *two* seeds later",
        "Transactions on Machine Learning Research",
        "https://arxiv.org/abs/2508.00090",
    ),
    Publication(PaperId(91), "MT-WALK", "doi:10.1000/j.walk.2026.11", "https://arxiv.org/abs/2507.00091"),
)

ORDINARY = Digest(
    "discord:10/100", "#ml-papers", DAY, "Europe/Berlin", (REASONING, BENCHMARKS),
    Foot(12, CHECKED, SILENT[:1], (Progress("ICLR 2026", 40, 112),), 11, NEXT),
)  # fmt: skip
QUIET = Digest(
    "discord:10/100", "#ml-papers", DAY, "Europe/Berlin", (), Foot(12, CHECKED, SILENT[:1], next_at=NEXT)
)
LONG = Digest(
    "discord:10/100", "#ml-papers", DAY, "Europe/Berlin",
    (Section(REASONING.name, REASONING.items * 4), Section(BENCHMARKS.name, BENCHMARKS.items * 2)),
    Foot(312, CHECKED, SILENT, (), 204, NEXT),
)  # fmt: skip


SAMPLES = variants(ORDINARY, QUIET, LONG, PUBLISHED)


def golden(digest: Digest) -> str:
    """The messages of a digest as a golden file holds them."""
    return (
        json.dumps([json.loads(message) for message in render(digest)], ensure_ascii=False, indent=1) + "\n"
    )


async def draw(folder: Path) -> None:
    """Draw each message of each sample, as wide as a window and as a phone."""
    # Playwright is no dependency: it comes with `simcord[screenshot]`, for whoever wants to draw.
    browser: Any = import_module("playwright.async_api").BrowserType
    launch = browser.launch

    def launch_chromium(self: Any, **options: Any) -> Any:
        return launch(self, executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"], **options)

    browser.launch = launch_chromium
    client = discord.Client(intents=discord.Intents(guilds=True))
    async with simcord.run(client) as env:
        guild = env.create_guild()
        reader = guild.add_member(env.create_user("reader"))
        channel = guild.create_text_channel("ml-papers")
        for name, digest in SAMPLES.items():
            for part, message in enumerate(render(digest), start=1):
                route = Route("POST", "/channels/{channel_id}/messages", channel_id=channel.id)
                posted = await client.http.request(route, json=json.loads(message))
                async with env.preview(channel, viewers=[reader], layout="message") as preview:
                    for width in (760, 390):
                        path = folder / f"discord-{name}-{part}-{width}.png"
                        size = (width, 2000)
                        await preview.screenshot(
                            path, target=int(posted["id"]), viewport=size, allow_incomplete=True
                        )


if __name__ == "__main__":
    if len(sys.argv) > 1:
        asyncio.run(draw(Path(sys.argv[1])))
    for name, digest in SAMPLES.items():
        (GOLDEN / f"{name}.json").write_text(golden(digest), "utf-8")
