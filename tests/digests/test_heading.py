"""What headings promise: the paper's own name, else how it says what was done."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digests.heading import heading
from digests.topics import LONGEST
from tests.digests.test_summary import TIDES, WORDS


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


def test_heads_a_nameless_paper_with_what_it_is_about() -> None:
    """Without a name the heading is the topic, without "we measure", up to where a part can be left out."""
    abstract = (
        "Cliffs crumble. In this paper, we propose a way to tell how fast the chalk cliffs of islands fall,"
        " which shows that gulls are not to blame, contrary to what every guidebook has said since the war."
    )
    assert heading(abstract) == "A way to tell how fast the chalk cliffs of islands fall"


@pytest.mark.parametrize(
    ("abstract", "expected"),
    [
        (
            "OBJECTIVE: To assess the effects of warm milk with honey on the sleep of lighthouse keepers.",
            "The effects of warm milk with honey on the sleep of lighthouse keepers",
        ),
        (
            "This study assessed the feasibility of teaching adults to swim in cold rivers.",
            "The feasibility of teaching adults to swim in cold rivers",
        ),
        (
            "The aim of this study was to describe the songs of whales near harbours.",
            "The songs of whales near harbours",
        ),
        (
            "To address above problem we develop a filter for noisy weather radars.",
            "A filter for noisy weather radars",
        ),
        (
            "In this paper, a novel hinge for heavy barn doors is presented.",
            "A novel hinge for heavy barn doors",
        ),
        (
            "Our results suggest that old bells ring lower than new ones.",
            "Old bells ring lower than new ones",
        ),
        (
            "We present Simultaneous Localization and Mapping relying on street lamps.",
            "Simultaneous Localization and Mapping relying on street lamps",
        ),
        (
            "We study snow. We propose a sled for steep hills and show that it is fast on ice.",
            "A sled for steep hills",
        ),
    ],
)
def test_a_topic_is_quoted_without_what_leads_to_it(abstract: str, expected: str) -> None:
    """Labels, openers, "we propose" and "the aim was to" tell nothing about the topic."""
    assert heading(abstract) == expected


@pytest.mark.parametrize(
    ("abstract", "expected"),
    [
        ("推理成本高。我们提出一种名为LongCut的动态剪枝方法。", "LongCut"),
        ("データ拡張を用いたTransMixを提案する。提案手法はBLEUを1.2向上させた。", "TransMix"),
        ("본 논문에서는 한국어 추론 벤치마크인 KoReason을 제안한다.", "KoReason"),
        ("우리는 KoReason이라는 새로운 벤치마크를 소개한다.", "KoReason"),
        ("Мы предлагаем метод QuantRu для квантования больших моделей.", "QuantRu"),
        ("В работе предложен новый метод квантования QuantRu, который прост.", "QuantRu"),
        ("提案手法はBLEUを2.1ポイント改善した。", "提案手法はBLEUを2.1ポイント改善した。"),
    ],
)
def test_finds_names_in_other_languages(abstract: str, expected: str) -> None:
    """The verb may come last, and no space need stand before or after a name."""
    assert heading(abstract) == expected


@pytest.mark.parametrize(
    "abstract",
    [
        "We use nonlinear model predictive control (NMPC) and propose model predictive control (MPC) for it.",
        "The resulting solver compares favorably with GOBNILP, a state-of-the-art solver, on large maps.",
        "In a previous work, we presented KiteNet, an online method. In this paper we test kites in rain.",
        "We propose a framework for taming kites. Additionally, we propose KiteLoss, a loss for wet strings.",
        "We propose a kite detector. We design a Feature Squeeze Module (FSM) for it.",
    ],
)
def test_what_is_not_the_papers_own_main_thing_is_no_heading(abstract: str) -> None:
    """A term of the field, a competitor, earlier work, an extra and a part are not the paper."""
    assert not {"NMPC", "MPC", "GOBNILP", "KiteNet", "KiteLoss", "FSM"} & {heading(abstract)}
    assert " " in heading(abstract)


@given(st.lists(WORDS, min_size=1, max_size=80).map(" ".join))
def test_a_heading_is_part_of_the_abstract(abstract: str) -> None:
    """Its words stand in the abstract in their order; it is never empty, never too long."""
    found = heading(abstract)
    left = iter(abstract.lower())
    assert 0 < len(found) <= LONGEST
    assert all(character in left for character in found.removesuffix("…").lower())


@pytest.mark.parametrize(
    "filler", ["the effects of wool on ", "deep, ", "and finally ", "（", "x", "to show that we "]
)
def test_a_cut_heading_ends_on_a_word_that_tells_something(filler: str) -> None:
    """Where a topic without end is cut, "…" does not follow "of" or "and", and the cut is soon made."""
    start = time.thread_time()
    found = heading("We propose to assess " + filler * 2_000 + "sheep.")
    assert time.thread_time() - start < 1
    assert len(found) <= LONGEST
    assert not found.endswith((" of…", " on…", " the…", " and…", " to…", " that…"))


def test_a_short_best_sentence_is_the_heading_whole() -> None:
    """What fits is not cut."""
    assert heading("We count the bricks of a lighthouse.") == "We count the bricks of a lighthouse."
