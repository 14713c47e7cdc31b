"""The names that a paper gives to things of its own: "we introduce BuoyNet" → BuoyNet."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from digests.cues import MOST_CHARACTERS, VERBS, WE

MOST_AFTER: Final = 200
"""A name is looked for within so many characters after the verb that introduces it."""


def introduced(texts: Sequence[str]) -> str:
    """The first thing that the paper says is its own: not what it builds on, nor what it compares with.

    What it made earlier, a part of a nameless thing, or what "we also" made is not what the paper is about.
    """
    seen = ""
    minor = ""
    has_acted = False
    for text in texts:
        text = _SCRIPTS_MEET.sub(" ", text[:MOST_CHARACTERS])
        for name, after in () if _EARLIER.search(text) else _own_names(text):
            if name in seen:
                continue
            before = text[: text.index(name)]
            added = _ADDED.search(before)
            if has_acted and (added or _PART_BEFORE.search(before)):
                continue
            if not (added or _PART.match(after) or (_PART_BEFORE.search(before) and _BRACKET.search(after))):
                return name
            minor = minor or name
        seen += " " + text
        has_acted = has_acted or _ACTS.search(text) is not None
    return minor


def _own_names(text: str) -> Iterator[tuple[str, str]]:
    """Each name that the sentence introduces, with what follows it."""
    if not _SIGN_OF_NAME.search(text, 1):
        return
    for act in _ACTS.finditer(text):
        yield from _names_after(text[act.end() :])
    if _MEETS.search(text):
        call = _CALL.search(text)
        if call:
            yield from _names_after(text[call.end() :])
        for own in _OWN_THING.finditer(text):
            if name := _meant(own["name"], own["thing"]):
                yield name, text[own.end() :]
        for pattern in (_WITH, _OURS, _TO_MAKE):
            found = pattern.search(text)
            if found and _is_name(found["name"]) and not _COMPARED.search(text[: found.start("name")]):
                yield _short_form(found), ""
    for pattern in () if text.isascii() else (_VERB_LAST, _RUSSIAN):
        yield from ((found["name"], "") for found in pattern.finditer(text) if _is_name(found["name"]))
    passive = _PASSIVE.search(text) if _OWN_OR_NEW.search(text) else None
    if passive and _is_name(passive["name"]):
        yield passive["name"], ""


def _names_after(text: str) -> Iterator[tuple[str, str]]:
    """The names in what follows "we introduce": MARC in "a Memory-Augmented … (MARC) method for …"."""
    bracket = _BRACKET.search(text[:MOST_AFTER])
    if bracket and (name := _meant(bracket["name"], text[: bracket.start()])):
        yield name, text[bracket.end() :]
    first = _FIRST_NAME.match(text)
    after = first["next"].strip() if first else ""
    if first and _is_name(first["name"]) and not after[:1].isalnum():
        yield _short_form(first), ""
    told = _EXAMPLES.split(text, maxsplit=1)[0][:MOST_AFTER]
    call = _CALL.search(told)
    if call:
        yield from _names_after(told[call.end() :])
    for pattern in (_KIND_NAMED, _APPOSED):
        found = pattern.search(told)
        if found and _is_name(found["name"]) and _is_marked(found["name"]):
            yield _short_form(found), told[found.end("name") :]
    if first and _is_name(first["name"]) and _is_marked(first["name"]) and _goes_on(first["name"], after):
        yield _short_form(first), text[first.end("name") :]


def _goes_on(name: str, after: str) -> bool:
    """Whether the word after the name shows that the name is whole: X and Y may be one name of two words."""
    return not after.isascii() or (after in _KINDS and not (after == "and" and " " in name))


def _short_form(found: re.Match[str]) -> str:
    """The name found, or the short form that stands in brackets right after it."""
    short = _BRACKET.match(_KIND.sub("", found.string[found.end("name") :].lstrip("\"”’'» "), count=1))
    if short and " " in found["name"] and not _is_general(short["name"]):
        return short["name"]
    return found["name"]


def _meant(short: str, before: str) -> str:
    """The short form, if it abbreviates the very thing named before it and not a part of its description."""
    letters = [character.lower() for character in short if character.isalnum()]
    if (
        len(letters) < 3
        or short.lower() in _GENERAL
        or short[1:].islower()
        or short.islower()
        or short.isdigit()
    ):
        return ""
    words = [word.strip("\"“‘'(*") for word in _GAP.split(before.strip())]
    lows = [word.lower() for word in words]
    starts = [
        i for i, low in enumerate(lows) if low[:1] == letters[0] and _spells(letters, "".join(lows[i:]))
    ]
    if not starts or starts[-1] > 8:
        return ""
    if _among(short.lower(), _SHORT_FORMS) and _among(lows[-1], _GENERAL_WORDS | _KINDS):
        return ""
    described = lows[: starts[-1]]
    if any(word.rstrip(",;:") in _LINKS or word.endswith((",", ";", ":")) for word in described):
        return ""
    return words[-1] if starts[-1] == len(words) - 1 and _is_marked(words[-1]) else short


def _spells(letters: Sequence[str], text: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)


def _is_name(name: str) -> bool:
    return not _is_general(name) and len(name) > 2 and any(character.isalpha() for character in name)


def _is_general(name: str) -> bool:
    """Whether it is a term of the field and nobody's own."""
    low = name.lower()
    return (
        low in _GENERAL
        or _among(low, _SHORT_FORMS)
        or (" " in low and all(_among(word, _GENERAL_WORDS) for word in low.split()))
        or low.endswith(("-based", "-like", "-style", "-constrained"))
    )


def _among(word: str, words: frozenset[str]) -> bool:
    """Whether it is one of the words, or its plural."""
    return word in words or word.removesuffix("s") in words


def _is_marked(name: str) -> bool:
    """Whether it looks like a name wherever it stands: capitals or figures after its first letter."""
    return any(character.isupper() or character.isdigit() for character in name[1:])


_NAME: Final = (
    r"[\"“‘'«]?(?P<name>(?:[\w+]*[A-Z0-9α-ωΑ-Ω][\w+]*(?:[-.∞/^*]\w+)*[*+]*"
    r"|\w+[A-Z][\w+-]*)(?:[ -][A-Z0-9][\w+-]*){0,6})(?![\w-])[\"”’'»]{0,2}"
)
_SIGN_OF_NAME: Final = re.compile(r"[A-Z0-9]|[^\x00-\x7f]")
_MARKED: Final = r"(?P<name>\b(?:[A-Z][\w+]*[A-Z0-9][\w+-]*|[a-z]+[A-Z][\w+-]*|[A-Z]\w*-[A-Z0-9][\w+-]*))"
_DETERMINERS: Final = r"(?:(?:an?|the|our|two|three|novel|new|le|la|un|une|ein|eine|einen|den|die|das)\s+)*"
_LINK_WORDS: Final = (
    "for of in on with to that which by from using via and as between under through where is are called named"
)
_KIND_WORDS: Final = (
    "method methods model models framework frameworks algorithm algorithms dataset datasets benchmark"
    " benchmarks architecture architectures network networks system systems approach approaches technique"
    " library toolkit suite corpus environment paradigm pipeline platform package loss optimizer estimator"
    " agent module layer layers tool toolbox challenge task procedure scheme strategy mechanism"
)
_ANY_KIND: Final = "|".join(_KIND_WORDS.split())
_KIND: Final = re.compile(rf"^(?:{_ANY_KIND}) ")
_KINDS: Final = frozenset(
    [*_KIND_WORDS.split(), *"a an that which to for as where in with and by based".split()]
)
_EMOJI: Final = r"(?:[\u2600-\u27bf\U0001f300-\U0001faff]\ufe0f?\s*)?"
_FIRST_NAME: Final = re.compile(
    rf"\s*{_DETERMINERS}{_EMOJI}{_NAME}(?P<next>\s*[,:;().—–，：；（。、]|\s+[-—–]|\s+\w+|\s*$)"
)
_CALL: Final = re.compile(
    r"\b(?:called|named|dubbed|termed|coined|entitled|namely|denoted(?: as| by)?|(?:refer(?:red)? to|known"
    r"|abbreviated) as|[Ww]e (?:call|name|term|dub|coin)(?: it| (?:this|our)(?: \w+)?)?|genannt|nommée?"
    r"|appelée?|dénommée?)(?: as)?,?\s|(?:名为|称为|命名为|稱為|名為|叫做)\s*"
)
_APPOSED: Final = re.compile(
    rf"(?:[,:—–]|\s-)\s*{_NAME}(?=\s*[,.(:;—–]|\s*$|\s+(?:that|which|for|to|and|where|in|with|based|by|as)\b)"
)
_WITH: Final = re.compile(rf"\b(?:with|through|via|using|by|is)\s+{_NAME}(?=\s*[,:—–(]\s*(?:an?|the|our)\s)")
_KIND_NAMED: Final = re.compile(
    rf"^\s*(?:(?!(?:{'|'.join(_LINK_WORDS.split())})\b)[\w/-]+\s+){{0,7}}(?:{_ANY_KIND})\s+{_NAME}(?=[\s,.;:(]|$)"
)
_OURS: Final = re.compile(
    rf"\b(?:[Oo]ur (?:[\w-]+ ){{0,4}}(?:{_ANY_KIND}),? (?:called )?|(?:[Oo]ur|[Tt]he) (?:proposed"
    rf"|resulting) (?:(?:[\w-]+ ){{0,4}}(?:{_ANY_KIND}),? )?){_MARKED}(?=,| \w)"
)
_OWN_THING: Final = re.compile(
    r"\b(?:[Oo]ur|[Tt]he proposed) (?P<thing>(?:(?!(?:uses?|using|utiliz|incorporat|outperform|achiev|builds?"
    r"|based|proposes?|introduc|devis|than"
    r"|over)\w*)[\w-]+,? ){1,10}?)\([\"“‘']?(?P<name>[\w+^*.-]{2,24})[\"”’']?\)"
)
_TO_MAKE: Final = re.compile(
    rf"\bto (?:build|create|develop|construct|produce|train) {_NAME}(?=, (?:an?|which|the)\s)"
)
_PASSIVE: Final = re.compile(rf"{_MARKED}\)?,? (?:is|are) (?:proposed|presented|introduced|developed)\b")
_OWN_OR_NEW: Final = re.compile(r"\b(?:new|novel|this|here)\b", re.IGNORECASE)
_PART: Final = re.compile(
    r"\)?,?\s*(?:-?based\s+)?(?:\w+\s+)?(?:modules?|blocks?|loss(?:es)?|layers?|strateg\w+|decoders?"
    r"|encoders?|operators?|terms?|tasks?|mechanisms?|baselines?)\b"
)
_PART_BEFORE: Final = re.compile(
    r"\b(?:modules?|blocks?|loss(?:es)?|layers?|strateg\w+|decoders?|encoders?|operators?|terms?"
    r"|mechanisms?)\s*\([^()]*$",
    re.IGNORECASE,
)
_BRACKET: Final = re.compile(
    r"\(\s*(?:or |i\.e\.,? |the )?[\"“‘']?(?P<name>[\w+^*.α-ω∞-]{2,24})[\"”’']?\s*\)"
)
_ACTS: Final = re.compile(
    rf"(?:{WE}(?:{VERBS}|devised|created|constructed|built|formulated)|\bby (?:introducing|proposing"
    rf"|presenting|developing|designing|contributing))\b"
    r"(?:\s+and (?:introduce|propose|present|develop|release|study|analyze|evaluate)s?\b)?,?"
    r"|\band (?:(?:then|further|also|thus) )?(?:introduce|propose|present|design|develop|contribute)s?\b"
    r"|(?:提出|介绍|引入|推出)(?:了)?(?:一种|一種|一个|一個)?|(?:発表|開発|提案)(?:する|した)",
    re.IGNORECASE,
)
# In Japanese and Korean the verb comes last; in Russian a kind may stand between: "предложен метод X".
_LATIN_NAME: Final = r"(?P<name>[A-Za-z][A-Za-z0-9+]*(?:[-. ][A-Za-z0-9+]+){0,4})"
_VERB_LAST: Final = re.compile(
    rf"{_LATIN_NAME}[」』\"”]?\s?(?:\([^()]{{1,60}}\)|（[^（）]{{1,60}}）)?\s?"
    r"(?:(?:という|と呼ぶ|と名付けた|と名づけた)[^。、]{1,40}?を|を"
    r"|(?:이라는|라는|이라고 하는)[^.,]{1,40}?[을를]|[을를])\s?(?:新たに|新しく|새롭게|새로"
    r"|본 논문에서)?\s?(?:提案|開発|発表|導入|紹介|構築|公開|제안|소개|개발|제시|도입|공개|구축)"
)
_RUSSIAN: Final = re.compile(
    r"\b(?:предлага|предложен|представля|представлен|разработа|разрабатыва|ввод|введ|описыва|созда)[а-яё]*\s+"
    rf"(?:[а-яё-]+,?\s+){{0,6}}[«\"“]?{_LATIN_NAME}",
    re.IGNORECASE,
)
_SCRIPTS_MEET: Final = re.compile(
    "(?<=[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3])"
)
_EARLIER: Final = re.compile(
    r"\b(?:in|from|of) (?:an?|our|some|the) (?:previous|prior|earlier|recent) [\w-]+,? (?:we|i"
    r"|the authors?)\b|\bwe (?:have |had )?(?:previously|earlier|recently) \w+ed\b|^\W*(?:previously"
    r"|earlier),? we\b",
    re.IGNORECASE,
)
_ADDED: Final = re.compile(
    r"^\W*(?:additionally|furthermore|further|moreover|in addition|besides|finally|lastly|second|secondly"
    r"|third"
    r"|thirdly|also)\b|(?<!\bto )\b(?:also|further|additionally) " + VERBS + r"\b",
    re.IGNORECASE,
)
_COMPARED: Final = re.compile(
    r"\b(?:compar\w+|competiti\w+|contrast\w*|outperform\w*|favou?rabl\w+|combin\w+)\b[^,;:]{0,40}$",
    re.IGNORECASE,
)
_MEETS: Final = re.compile(
    rf"{WE}(?:address|tackle|solve|fill|bridge|achieve|approach|call|name|term|dub|coin|explore|do|try|tries)"
    r"|\bour\b|\bthe (?:proposed|resulting|presented|complete)\b|我们|我們|本文",
    re.IGNORECASE,
)
_EXAMPLES: Final = re.compile(
    r"\be\.g\.|\b(?:such as|like|including|based on|using|compared|outperform|for example)\b"
)
_GAP: Final = re.compile(r"[\s—–]+")
_LINKS: Final = frozenset(_LINK_WORDS.split())
_GENERAL_WORDS: Final = frozenset(
    "2d 3d 4d a-posteriori active actor-critic acyclic adversarial agent answering art augmented"
    " bandit bayesian carlo chain chip classification cloud conditional continual contrastive control"
    " convolution convolutional decision deep descent detection estimation estimator expectation"
    " expectation-maximization federated few-shot field filter forest freedom gaussian generative"
    " gradient graph hashing hidden imitation inverse kalman kernel knowledge language large learning"
    " likelihood linear localization machine map mapping markov maximization maximum-a-posteriori"
    " memory meta-learning mixture model monte multi-agent multi-task multiplier network neural"
    " optimal optimisation optimization planning posteriori predictive process processes program"
    " programming propagation question reality reasoning recognition recurrent regression"
    " reinforcement search segmentation self-supervised semantic short-term simultaneous space"
    " state-of-the-art stochastic supervised support transfer translation tree unsupervised"
    " variational vector vehicle vision".split()
)
_SHORT_FORMS: Final = frozenset(
    "admm ann ar asr auc auv bo cbf clf clip cot crf ct ctr cusum dag ddpg dit dof dpo dqn drl dro"
    " ebm eeg ehr ekf elbo em erm fl fmri ftrl gmm gnss gp grpo hci hmm hri icp ilp imu its kd knn"
    " lidar lora lp lqr lsh mab map marl mbrl mcmc milp mle mlm mot mpc mri nas ner nerf nlg nlu nmpc"
    " nmt ntk ocr ode ood pde pet pid ppo qa qp rag rbm rkhs rlhf roc sac sar sde sdp sft slam smc"
    " smt soc som sota ssl svm svr trpo tts uav ucb ugv ukf vit vqa vr".split()
)
"""Of general things, where the long form before them ends in a general word."""
_GENERAL: Final = frozenset(
    "a i ai ml dl rl hrl irl nlp cv llm llms vlm vlms mllm mllms cnn cnns rnn rnns gan gans vae vaes"
    " ae lstm lstms gru mlp mlps gnn gnns gcn gcns dnn dnns snn snns sgd svd pca adam bert gpt gpu"
    " gpus cpu cpus api 2d 3d 4d iid kl mdp mdps pomdp bayesian gaussian markov fourier riemannian"
    " euclidean hilbert wasserstein lipschitz hessian nash pac monte-carlo metropolis-hastings"
    " q-learning english chinese german french python pytorch imagenet cifar-10 cifar10 mnist resnet"
    " densenet transformer transformers alphazero two three four five first this these it our we in"
    " on the an to for".split()
) | {
    "expectation-maximization",
    "monte carlo",
    "deep neural network",
    "convolutional neural network",
    "generative adversarial network",
}
