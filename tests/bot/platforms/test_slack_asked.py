"""Tests of bot/platforms/slack/asked.py: what people typed, out of what Slack sends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.platforms.slack.asked import as_typed
from bot.platforms.slack.blocks import escaped


@given(st.text())
def test_text_arrives_as_it_was_typed(text: str) -> None:
    """Slack writes &, < and > as entities, and nothing else of it."""
    assert as_typed(escaped(text)) == text


@pytest.mark.parametrize(
    ("sent", "typed"),
    [
        ("why <https://arxiv.org/abs/2611.00001>", "why https://arxiv.org/abs/2611.00001"),
        ("why <http://arxiv.org|arxiv.org>", "why arxiv.org"),
        (
            "why <https://x.example/?a=1&amp;b=2|https://x.example/?a=1&amp;b=2>",
            "why https://x.example/?a=1&b=2",
        ),
        ("search <#C1|general> <#C2>", "search #general #C2"),
        ("search <mailto:a@b.example|a@b.example>", "search a@b.example"),
        (
            "settings managers:<@U1|dana>,<!subteam^S1|@lab>",
            "settings managers:<@U1|dana>,<!subteam^S1|@lab>",
        ),
        ("search a &lt; b &amp;&amp; c", "search a < b && c"),
        ("search &amp;lt;", "search &lt;"),
        ("search < > <> <|x>", "search < > <> <|x>"),
    ],
)
def test_slacks_marks_become_what_was_typed(sent: str, typed: str) -> None:
    """Links and channels as text; people and groups as mentions, which `managers` reads."""
    assert as_typed(sent) == typed
