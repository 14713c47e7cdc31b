"""The names that a paper gives to things of its own: "we introduce BuoyNet" → BuoyNet."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from digests.cues import MOST_CHARACTERS, VERBS, WE


def introduced(texts: Sequence[str]) -> str:
    """The first thing that the paper says is its own: not what it builds on, nor what it compares with."""
    seen = ""
    minor = ""
    for text in texts:
        text = text[:MOST_CHARACTERS]
        for name, after in _own_names(text):
            if name in seen:
                continue
            if not _PART.match(after):
                return name
            minor = minor or name
        seen += " " + text
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
        for pattern in (_WITH, _OURS):
            found = pattern.search(text)
            if found and _is_name(found["name"]):
                yield _short_form(found), ""
    passive = _PASSIVE.search(text) if _OWN_OR_NEW.search(text) else None
    if passive and _is_name(passive["name"]):
        yield passive["name"], ""


def _names_after(text: str) -> Iterator[tuple[str, str]]:
    """The names in what follows "we introduce": MARC in "a Memory-Augmented … (MARC) method for …"."""
    bracket = _BRACKET.search(text[:200])
    if bracket and (name := _meant(bracket["name"], text[: bracket.start()])):
        yield name, text[bracket.end() :]
    first = _FIRST_NAME.match(text)
    after = first["next"].strip() if first else ""
    if first and _is_name(first["name"]) and not after[:1].isalnum():
        yield _short_form(first), ""
    told = _EXAMPLES.split(text, maxsplit=1)[0][:200]
    call = _CALL.search(told)
    if call:
        yield from _names_after(told[call.end() :])
    for pattern in (_KIND_NAMED, _APPOSED):
        found = pattern.search(told)
        if found and _is_name(found["name"]) and _is_marked(found["name"]):
            yield _short_form(found), told[found.end("name") :]
    if first and _is_name(first["name"]) and _is_marked(first["name"]) and after in _KINDS:
        yield _short_form(first), text[first.end("name") :]


def _short_form(found: re.Match[str]) -> str:
    """The name found, or the short form that stands in brackets right after it."""
    short = _BRACKET.match(_KIND.sub("", found.string[found.end("name") :].lstrip("\"”’'» "), count=1))
    if short and " " in found["name"] and short["name"].lower() not in _GENERAL:
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
    described = lows[: starts[-1]]
    if any(word.rstrip(",;:") in _LINKS or word.endswith((",", ";", ":")) for word in described):
        return ""
    return words[-1] if starts[-1] == len(words) - 1 and _is_marked(words[-1]) else short


def _spells(letters: Sequence[str], text: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)


def _is_name(name: str) -> bool:
    general = name.lower() in _GENERAL or name.endswith(("-based", "-like", "-style", "-constrained"))
    return not general and len(name) > 2 and any(character.isalpha() for character in name)


def _is_marked(name: str) -> bool:
    """Whether it looks like a name wherever it stands: capitals or figures after its first letter."""
    return any(character.isupper() or character.isdigit() for character in name[1:])


_NAME: Final = (
    r"[\"“‘'«]?(?P<name>(?:[\w+]*[A-Z0-9α-ωΑ-Ω][\w+]*(?:[-.∞/^*]\w+)*[*+]*|\w+[A-Z][\w+-]*)"
    r"(?:[ -][A-Z0-9][\w+-]*){0,6})(?![\w-])[\"”’'»]?"
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
_FIRST_NAME: Final = re.compile(
    rf"\s*{_DETERMINERS}{_NAME}(?P<next>\s*[,:;(.—–，：；（。、]|\s+[-—–]|\s+\w+|\s*$)"
)
_CALL: Final = re.compile(
    r"\b(?:called|named|dubbed|termed|coined|entitled|namely|denoted(?: as| by)?"
    r"|(?:refer(?:red)? to|known|abbreviated) as|we (?:call|name|term|dub)(?: it| (?:this|our)(?: \w+)?)?"
    r"|genannt|nommée?|appelée?|dénommée?)(?: as)?,?\s"
)
_APPOSED: Final = re.compile(
    rf"(?:[,:—–]|\s-)\s*{_NAME}(?=\s*[,.(:;—–]|\s*$|\s+(?:that|which|for|to|and|where|in|with|based|by|as)\b)"
)
_WITH: Final = re.compile(rf"\b(?:with|through|via|using|by|is)\s+{_NAME}(?=\s*[,:—–(]\s*(?:an?|the|our)\s)")
_KIND_NAMED: Final = re.compile(
    rf"^\s*(?:(?!(?:{'|'.join(_LINK_WORDS.split())})\b)[\w/-]+\s+){{0,7}}(?:{_ANY_KIND})\s+{_NAME}(?=[\s,.;:(]|$)"
)
_OURS: Final = re.compile(
    rf"\b(?:[Oo]ur (?:[\w-]+ ){{0,4}}(?:{_ANY_KIND}),? (?:called )?|(?:[Oo]ur|[Tt]he) (?:proposed|resulting) "
    rf"(?:(?:[\w-]+ ){{0,4}}(?:{_ANY_KIND}),? )?){_MARKED}(?=,| \w)"
)
_PASSIVE: Final = re.compile(rf"{_MARKED}\)?,? (?:is|are) (?:proposed|presented|introduced|developed)\b")
_OWN_OR_NEW: Final = re.compile(r"\b(?:new|novel|this|here)\b", re.IGNORECASE)
_PART: Final = re.compile(
    r"\)?,?\s*(?:-?based\s+)?(?:\w+\s+)?(?:modules?|blocks?|loss(?:es)?|layers?|strateg\w+|decoders?"
    r"|encoders?|operators?|terms?|tasks?|mechanisms?|baselines?)\b"
)
_BRACKET: Final = re.compile(
    r"\(\s*(?:or |i\.e\.,? |the )?[\"“‘']?(?P<name>[\w+^*.α-ω∞-]{2,24})[\"”’']?\s*\)"
)
_ACTS: Final = re.compile(
    rf"(?:{WE}{VERBS}|\bby (?:introducing|proposing|presenting|developing|designing|contributing))\b"
    r"(?:\s+and (?:introduce|propose|present|develop|release|study|analyze|evaluate)s?\b)?,?"
    r"|\band (?:(?:then|further|also|thus) )?(?:introduce|propose|present|design|develop|contribute)s?\b"
    r"|(?:提出|介绍|引入|推出|発表|開発|提案)(?:了|する|した)?(?:一种|一種|一个|一個)?",
    re.IGNORECASE,
)
_MEETS: Final = re.compile(
    rf"{WE}(?:address|tackle|solve|fill|bridge|achieve|approach|call|name|term|dub|explore|do|try|tries)"
    r"|\bour\b|\bthe (?:proposed|resulting|presented|complete)\b|我们|我們|本文",
    re.IGNORECASE,
)
_EXAMPLES: Final = re.compile(
    r"\be\.g\.|\b(?:such as|like|including|based on|using|compared|outperform|for example)\b"
)
_GAP: Final = re.compile(r"[\s—–]+")
_LINKS: Final = frozenset(_LINK_WORDS.split())
_GENERAL: Final = frozenset(
    "a i ai ml dl rl hrl irl nlp cv llm llms vlm vlms mllm mllms cnn cnns rnn rnns gan gans vae vaes ae"
    " lstm lstms gru mlp mlps gnn gnns gcn gcns dnn dnns snn snns sgd svd pca adam bert gpt gpu gpus cpu cpus"
    " api 2d 3d 4d iid kl mdp mdps pomdp bayesian gaussian markov fourier riemannian euclidean hilbert"
    " wasserstein lipschitz hessian nash pac monte-carlo metropolis-hastings q-learning english"
    " chinese german french python pytorch imagenet cifar-10 cifar10 mnist resnet densenet transformer"
    " transformers alphazero one two three four five first this these it our we in on the an to for".split()
) | {"monte carlo", "deep neural network", "convolutional neural network", "generative adversarial network"}
