"""Digests for the tests of the Slack platform, all of it invented, and the golden files made of them.

`python -m tests.bot.platforms.slack_samples` writes the golden files anew: look at what changed.
"""

from __future__ import annotations

import json
from datetime import UTC, date, datetime

from bot.platforms.slack.render import render
from digests.digest import Digest, Foot, Progress, Publication, Section, Silent
from digests.paper import PaperId
from tests.bot.platforms.samples import item
from tests.bot.platforms.variants import variants
from tests.conftest import ROOT

GOLDEN = ROOT / "tests/data/golden/slack"
DAY = date(2026, 12, 1)
CHECKED = datetime(2026, 12, 1, 7, 55, tzinfo=UTC)
NEXT = datetime(2026, 12, 2, 8, 0, tzinfo=UTC)

NASTY = (
    "@everyone <!channel> <!here> <@U012AB3CD> <!subteam^S1>",
    "[x](javascript:alert(1)) <https://evil.example|arXiv> https://evil.example",
    "`code` ```block``` *bold* _italic_ ~gone~ :smile: > quote",
    '"\\"' * 400,
    "x" * 10_000,
    "𝕏" * 3_000,
    "e\u0301\u0323\u0327" * 500,
    "\u200b\u200d\ufeff",
    "\u202eworran\u202c \u2067אבג\u2069 مرحبا",
    "推理效率的研究" * 300,
    "👩‍👩‍👧‍👦🏳️‍🌈🇩🇪" * 100,
    "\x00\x07\x1b[31m\ud800\u2028",
    "",
    " ",
    "&lt;!channel&gt; &amp;amp;",
    "word " * 2_000,
)
"""Texts that somebody may try to break out with."""


REASONING = Section(
    "Reasoning efficiency",
    (
        item(
            1,
            "Stop When You Know: Letting Language Models Decide How Long to Think",
            "We introduce Halt, a probe of 2,000 parameters that reads one hidden state and ends the "
            "reasoning trace once the answer no longer changes, which saves 41% of the tokens at "
            "equal accuracy.",
            "reasoning, tokens",
            "Mara Lindqvist, Tomás Oliveira, Wei Zhang, Ayşe Demir, Jonas Krüger, Priya Nair",
            source="ICLR 2026",
            also_in=("arXiv",),
            also_for=("Benchmarks",),
        ),
        item(
            2,
            "Overthinking Is a Calibration Problem",
            "Long chains hurt most where the model is already sure: overthinking explains 63% of the errors "
            "on easy problems, and one temperature per difficulty level removes two thirds of them.",
            "overthinking, problems",
            "Ines Duarte, Kofi Mensah",
        ),
        item(
            3,
            "MT-RUN",
            "MT-RUN schedules short and long reasoning steps on one accelerator (×3.5 throughput) without "
            "changing a single output.",
            "overthinking",
            "Haruto Sato",
            snippet="…half of an accelerator's time goes to overthinking: steps that are drawn although the "
            "answer has long settled, and that no other request may use…",
            source="MLSys 2026",
        ),
    ),
)
RESTORATION = Section(
    "Diffusion restoration",
    (
        item(
            4,
            "One Step Is Enough: Distilling Restoration Flows without a Teacher",
            "The flow is straightened by its own residual, so that a single step restores 4K images in 38 ms "
            "at the fidelity of fifty steps.",
            "restores, flow",
            "Elif Kaya, Noah Becker, Lin Qiu, Sam Osei",
            also_in=("openreview.net", "CVPR 2026"),
        ),
        item(
            5,
            "Rain, Snow & Haze: <One> Model for All Weather",
            "A bank of 64 prompts learnt per degradation lets one diffusion model remove rain, snow and "
            "haze; on unseen mixtures it gains 1.9 dB.",
            "diffusion, degradation",
            "Olga Petrova, Ravi Menon, Chen Li",
        ),
    ),
)
BENCHMARKS = Section(
    "Benchmarks",
    (
        item(
            6,
            "PuzzleBox: 1,200 Puzzles That No Search Engine Has Seen",
            "The best of 22 models solves 18% of the puzzles; people solve 71%.",
            "contamination",
            "Anna Weiss, Diego Ruiz, Mei Tanaka, Luca Conti",
            snippet="Contamination lifts every public score.",
            link="https://openreview.net/forum?id=abc(1)_%22x%22",
            source="ICLR 2026",
        ),
        item(7, "Leaderboards Drift", "", "leaderboards", "", source="bioRxiv"),
    ),
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
    "slack:T1/C1",
    "#ml-papers",
    DAY,
    "Europe/Berlin",
    (REASONING, RESTORATION, BENCHMARKS),
    Foot(
        12,
        CHECKED,
        (Silent("journal-of-vision", "silent", datetime(2026, 11, 30, 7, tzinfo=UTC)),),
        (Progress("ICLR 2026", 40, 112),),
        11,
        NEXT,
    ),
)
QUIET = Digest("slack:T1/C1", "#ml-papers", DAY, "Europe/Berlin", (), Foot(12, CHECKED, next_at=NEXT))


def _again(section: Section, times: int) -> Section:
    items = [part for _ in range(times) for part in section.items]
    return Section(section.name, tuple(items))


LONG = Digest(
    "slack:T1/C1",
    "#ml-papers",
    DAY,
    "Europe/Berlin",
    (_again(REASONING, 5), _again(RESTORATION, 5), _again(BENCHMARKS, 5)),
    Foot(
        300,
        CHECKED,
        tuple(Silent(f"feed-{number}", "broken", CHECKED) for number in range(300)),
        waiting=204,
        next_at=NEXT,
    ),
)


SAMPLES = variants(ORDINARY, QUIET, LONG, PUBLISHED)


def golden(digest: Digest) -> str:
    """The messages of a digest as a golden file holds them."""
    messages = [json.loads(message) for message in render(digest)]
    return json.dumps(messages, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    for name, digest in SAMPLES.items():
        (GOLDEN / f"{name}.json").write_text(golden(digest), "utf-8")
