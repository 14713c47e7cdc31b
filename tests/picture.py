"""Draws README's picture of a digest: what `paperround demo` prints on a terminal, as SVG.

python -m tests.picture
"""

from __future__ import annotations

import io
from datetime import UTC, datetime

from rich.console import Console
from rich.terminal_theme import MONOKAI

from bot.app import opened_for_demo
from bot.cli.demo import set_up
from bot.platforms.console import laid_out
from digests.compose import preview
from digests.digest import Digest
from tests.conftest import ROOT

PICTURE = ROOT / "docs" / "digest.svg"
WIDTH = 92
MORNING = datetime(2026, 12, 1, 9, tzinfo=UTC)

# rich's own frame loads a font from the web; this one takes what the reader has.
FRAME = """<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{
  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
  font-size: {char_height}px; line-height: {line_height}px;
}}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/></clipPath>{lines}</defs>
<rect fill="#0c0c0c" width="{width}" height="{height}" rx="8"/>
<g transform="translate(9, 20)" clip-path="url(#{unique_id}-clip-terminal)">{backgrounds}
<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""


def demo_digest() -> Digest:
    """The demo's digest, as of a day that does not change."""
    with opened_for_demo() as paperround:
        return preview(paperround.store, set_up(paperround, MORNING), MORNING)


def draw(digest: Digest) -> str:
    """The digest as SVG."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, markup=False)
    console.print(laid_out(digest, WIDTH, addresses=False))
    return console.export_svg(theme=MONOKAI, code_format=FRAME, unique_id="digest")


if __name__ == "__main__":
    PICTURE.write_text(draw(demo_digest()), "utf-8")
