"""What a person makes of the nineteen abstracts of the real list, by hand, in the order of the list."""

from __future__ import annotations

from typing import NamedTuple


class Seed(NamedTuple):
    """One abstract: heading ("": the leading words of its summary), queries, the summary's beginning."""

    heading: str
    hits: tuple[str, str, str]
    misses: tuple[str, str]
    summary: str


SEEDS = (
    Seed(
        "DiffAdapt",
        ("overthinking", 'reasoning "token usage"', "efficient reasoning llm"),
        ("diffusion restoration", '"spiking neural networks"'),
        "Building on these insights, we introduce DiffAdapt, a lightweight",
    ),
    Seed(
        "MT-DAO",
        ('"local sgd"', "distributed training optimizer", "momentum communication"),
        ("video compression", "benchmark multimodal"),
        "To address this, we propose MT-DAO, a family of optimizers",
    ),
    Seed(
        "PuzzleWorld",
        ("multimodal reasoning benchmark", "puzzle*", '"step by step" visual'),
        ("optimizer convergence", "ultrasound"),
        "We introduce PuzzleWorld, a comprehensive benchmark of 667",
    ),
    Seed(
        "Uni-CoT",
        ('"chain of thought" multimodal', "uni-cot", '"visual transitions"'),
        ('"time series"', "privacy"),
        "To overcome this limitation, we introduce Uni-CoT, a Unified",
    ),
    Seed(
        "",
        ('"time series" "foundation models"', '"inductive bias" forecasting', 'outlier "patch size"'),
        ('"image restoration"', "tables"),
        "Using a mix of theory and controlled empirical evaluation, we identify",
    ),
    Seed(
        "OFTSR",
        ("super-resolution flow", "diffusion restoration", "distill* one-step"),
        ("language models", '"reinforcement learning"'),
        "In this paper, we introduce OFTSR, a novel flow-based framework",
    ),
    Seed(
        "MARC",
        ('"video understanding"', "token compression", '"reinforcement learning" distillation video'),
        ('"time series"', "ultrasound"),
        "To address these challenges, we propose a Memory-Augmented Reinforcement Learning-based Token",
    ),
    Seed(
        "FastMix",
        ('"data mixture"', "bilevel optimization", '"pre-training" "proxy model"'),
        ("video", "benchmark"),
        "We address this challenge with FastMix, a novel framework",
    ),
    Seed(
        "",
        ('"multimodal representation learning"', '"generalization error" fusion', '"late fusion"'),
        ('"large language models"', "diffusion"),
        "Building upon these theoretical insights, we establish a novel IF-based MML method",
    ),
    Seed(
        "SciTS",
        ('"time series" benchmark', '"scientific reasoning"', '"multimodal llms" scientific'),
        ("spiking", '"super-resolution"'),
        "To address these gaps, we introduce SciTS, a benchmark spanning 12",
    ),
    Seed(
        "TABLET",
        ('"table understanding"', "dataset visual tables", '"qwen2.5-vl" OR tablet'),
        ("privacy", '"reinforcement learning"'),
        "We introduce TABLET, a large-scale VTU dataset",
    ),
    Seed(
        "ARL",
        ("ultrasound", "self-supervised medical", '"vision transformer" anatomy'),
        ('"language models"', "benchmark"),
        "To address the challenges, we propose Anatomy-aware Representation Learning (ARL)",
    ),
    Seed(
        "Puffin",
        ("camera generation", '"spatial intelligence"', '"vision language" camera'),
        ('"time series"', "ultrasound"),
        "We present Puffin, a unified camera-centric multimodal model",
    ),
    Seed(
        "",
        ("legal", '"inference patterns" llm', "faithfulness explanation"),
        ("video", "optimizer"),
        "This paper presents a method to analyze the inference patterns",
    ),
    Seed(
        "ReasonBreak",
        ("privacy adversarial", "geolocation OR geographic", "multi-modal reasoning privacy"),
        ('"time series"', '"super-resolution"'),
        "We introduce ReasonBreak, a novel adversarial framework",
    ),
    Seed(
        "SC-ARENA",
        ('"single-cell"', "evaluation biology llm*", '"perturbation prediction"'),
        ('"reinforcement learning"', "camera"),
        "We present SC-ARENA, a natural language evaluation framework",
    ),
    Seed(
        "UML",
        ("unpaired multimodal", '"representation learning" audio', '"visual question answering"'),
        ("legal", "benchmark"),
        "We introduce UML: Unpaired Multimodal Learner, a modality-agnostic",
    ),
    Seed(
        "DLIF",
        ("spiking", '"leaky integrate-and-fire"', "neuromorphic dendritic"),
        ('"language models"', "privacy"),
        "To bridge this gap, we propose the Dendritic LIF (DLIF) model",
    ),
    Seed(
        "",
        ('"formal concept analysis"', 'geometry "language models"', '"linear representation hypothesis"'),
        ("video", '"reinforcement learning"'),
        "We uncover the hidden lattice geometry of large language models",
    ),
)
