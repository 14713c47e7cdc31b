"""What headings promise: the paper's own name, else how it says what was done."""

import pytest

from digests.heading import heading
from tests.digests.test_summary import TIDES


@pytest.mark.parametrize(
    ("abstract", "expected"),
    [
        (TIDES, "BuoyNet"),
        ("Rain is wet. We present Plover, a bird-shaped drone that maps puddles.", "Plover"),
        ("We present a Drift-Aware River Transport (DART) method for canoes.", "DART"),
        ("We propose a toolkit for Large Language Models (LLMs) that runs on bicycles.", None),
        ("Bees vote. We tackle this with HiveMind, a protocol that counts their dances.", "HiveMind"),
        ("Oaks age. In this paper, we introduce UAK: Untangled Acorn Kernels, a way to date trees.", "UAK"),
        ("CLIP is popular. We build on CLIP and propose a model called FernCLIP for ferns.", "FernCLIP"),
        ("Prior work uses ImageNet. We then train ResNet on it and find that it forgets cats.", None),
        ("Trams squeak. Our method, RailHush, learns where to put oil.", "RailHush"),
        ("This paper presents LI-DO, a 3D lidar odometer, and compares it with LOAM.", "LI-DO"),
        ("We propose the Anchored Kite (A-Kite) model, which flies without wind.", "A-Kite"),
        ("推理成本高。我们提出FastGate，一种轻量框架。", "FastGate"),
        ("A new solver, named TurtleSAT, is proposed. It is slow.", "TurtleSAT"),
        ("Echoes fade. We propose Echo State Gardens (ESG), a family of reservoirs, and EchoBench.", "ESG"),
    ],
)
def test_heads_an_untitled_paper_with_the_name_it_introduces(abstract: str, expected: str | None) -> None:
    """The heading is the paper's own system, its short form where it gives one, and nobody else's."""
    found = heading(abstract)
    assert found == expected if expected else " " in found


def test_heads_a_nameless_paper_with_how_its_best_sentence_begins() -> None:
    """Without a name the heading quotes the summary, without opener and cut at a word."""
    abstract = (
        "Cliffs crumble. In this paper, we measure how fast the chalk cliffs of eleven islands crumble and"
        " show that gulls are not to blame, contrary to what every guidebook has said since the war."
    )
    found = heading(abstract)
    assert found.startswith("We measure how fast the chalk cliffs")
    assert found.endswith("…")
    assert len(found) <= 80
    assert found[1:-1] in abstract


def test_a_short_best_sentence_is_the_heading_whole() -> None:
    """What fits is not cut."""
    assert heading("We count the bricks of a lighthouse.") == "We count the bricks of a lighthouse."
