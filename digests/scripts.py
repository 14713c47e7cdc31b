"""Raised and lowered characters: what stands in a script as Unicode has it, or as one types it."""

import re

UP = dict(
    zip(
        "0123456789+-−=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWβγδθφχ∘*′⊤†‡",
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᶿᵠᵡ°*′ᵀ†‡",
        strict=True,
    )
)
_DOWN = dict(
    zip(
        "0123456789+-−=()aehijklmnoprstuvxβγρφχ",
        "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ",
        strict=True,
    )
)
_SIMPLE = re.compile(r"[^\W_]+(?:\.[0-9]+)?|[^\w\s{}\\$]", re.ASCII)
_WORD = re.compile(r"[^\W\d_]{3}")


def scripted(content: str, sign: str) -> str | None:
    """`2` raised is ², `eff` lowered is _eff, as one types it; None if neither is readable."""
    forms = UP if sign == "^" else _DOWN
    if content and not _WORD.search(content) and all(character in forms for character in content):
        return "".join(forms[character] for character in content)
    if _SIMPLE.fullmatch(content) or (len(content) == 1 and not content.isspace()):
        return sign + content
    return None
