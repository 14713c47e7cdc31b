"""How a reader splits: texts with the traps of scientific prose, and the 19 abstracts of the ICLR list."""

from dataclasses import dataclass
from pathlib import Path

_TRAPS = Path(__file__).parent.parent / "data" / "sentences.txt"


@dataclass(frozen=True, slots=True)
class Trap:
    """One text, and its sentences as a reader tells them apart."""

    text: str
    sentences: tuple[str, ...]
    is_english: bool


def traps() -> list[Trap]:
    """Every text of `tests/data/sentences.txt`."""
    english, other = _TRAPS.read_text(encoding="utf-8").split("# Other languages\n")
    return [*_traps_in(english, True), *_traps_in(other, False)]


def _traps_in(part: str, is_english: bool) -> list[Trap]:
    lines = [line.rstrip() for line in part.splitlines() if not line.startswith("# ")]
    blocks = [block.splitlines() for block in "\n".join(lines).strip().split("\n\n")]
    return [
        Trap(
            "".join(line[1:] if line.startswith("+") else f" {line}" for line in block).strip(),
            tuple(line.removeprefix("+") for line in block),
            is_english,
        )
        for block in blocks
    ]


# The first three words of each sentence of the 19.
SEEDS: tuple[tuple[str, ...], ...] = (
    (
        "Recent reasoning Large",
        "We conduct a",
        "The 22–25% entropy",
        "Building on these",
        "DiffAdapt requires no",
        "Across five models",
    ),
    (
        "Training large models",
        "Infrequent communication strategies",
        "We trace this",
        "To address this,",
        "Empirically, for language-model",
        "At the 720M",
        "MT-DAO enables effective",
    ),
    (
        "Puzzlehunts are a",
        "In contrast to",
        "Despite progress in",
        "We introduce PuzzleWorld,",
        "Each puzzle is",
        "Most state-of-the-art models",
        "On PuzzleWorld, the",
        "To demonstrate the",
        "Our detailed error",
        "We will publicly",
    ),
    (
        "Chain-of-Thought (CoT) reasoning",
        "However, extending CoT",
        "Existing approaches often",
        "To overcome this",
        "To mitigate the",
        "This hierarchical design",
        "Additionally, Uni-CoT incorporates",
        "Experiments on reasoning-driven",
    ),
    (
        "Time series foundation",
        "Rather than developing",
        "Using a mix",
        "We illustrate in",
    ),
    (
        "Recent advances in",
        "However, these methods",
        "In this paper,",
        "Our approach first",
        "We then distill",
        "Specifically, we force",
        "This alignment ensures",
        "Through extensive experiments",
        "Code and pre-trained",
    ),
    (
        "The rapid progress",
        "Nevertheless, visual language",
        "When video data",
        "This severely hinders",
        "Token compression for",
        "Most existing compression",
        "Although these methods",
        "To address these",
        "Our proposed MARC",
        "The Visual Memory",
        "The C-GRPO distills",
        "Extensive experiments on",
        "Moreover, our approach",
        "These results demonstrate",
    ),
    (
        "While large and",
        "We address this",
        "Instead of relying",
        "At the core",
        "Under this reformulation,",
        "This embeds the",
        "To solve the",
        "Across pre- and",
    ),
    (
        "Based on the",
        "To investigate the",
        "However, these provable",
        "This naturally gives",
        "To this end,",
        "The derived theoretical",
        "Based on a",
        "Building upon these",
        "Extensive experimental results",
    ),
    (
        "The scientific reasoning",
        "Time series, as",
        "Such approaches may",
        "Existing unified time",
        "To address these",
        "We benchmark 17",
        "We then introduce",
        "This work fills",
    ),
    (
        "While table understanding",
        "Additionally, existing visual",
        "We introduce TABLET,",
        "To evaluate whether",
        "Fine-tuning vision-language models",
        "By preserving original",
    ),
    (
        "Diagnostic accuracy of",
        "Such challenges increase",
        "However, the unique",
        "To address the",
        "ARL incorporates an",
        "The A-ViT is",
        "Through extensive experiments",
        "The experiments demonstrate",
    ),
    (
        "Camera-centric understanding and",
        "We present Puffin,",
        "Puffin integrates language",
        "To bridge the",
        "This guides the",
        "Puffin is trained",
        "We incorporate both",
        "Experiments demonstrate Puffin’s",
        "With instruction tuning,",
        "We will release",
    ),
    (
        "This paper presents",
        "Unlike traditional evaluations",
        "To this end,",
        "We design a",
        "Experiments show that",
    ),
    (
        "Multi-modal large reasoning",
        "Existing privacy protection",
        "We introduce ReasonBreak,",
        "Our approach is",
        "ReasonBreak strategically targets",
        "To facilitate this",
        "Extensive evaluation across",
        "This work establishes",
    ),
    (
        "Large language models",
        "In single-cell biology,",
        "We present SC-ARENA,",
        "SC-ARENA formalizes a",
        "Within this paradigm,",
        "To overcome the",
        "Experiments and analysis",
        "SC-ARENA thus provides",
    ),
    (
        "Traditional multimodal learners",
        "However, an overlooked",
        "We introduce UML:",
        "This design exploits",
        "Theoretically, under linear",
        "Empirically, we show",
    ),
    (
        "As widely used",
        "However, recent studies",
        "To bridge this",
        "At the single-neuron",
        "At the network",
        "These theoretical findings",
        "Extensive experiments across",
        "This work provides",
    ),
    (
        "We uncover the",
        "Our framework unifies",
        "This geometry enables",
        "Experiments on WordNet",
    ),
)
