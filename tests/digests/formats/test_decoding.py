"""Bytes become text whatever their encoding is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digests.formats._decoding import decode, lines, utf8


@pytest.mark.parametrize(
    ("codec", "text"),
    [
        ("cp1252", "Müller über Größen — “quoted” café naïve, à côté; "),
        ("cp1251", "Мы исследуем влияние больших языковых моделей на обучение; "),
        ("koi8_r", "Мы исследуем влияние больших языковых моделей на обучение; "),
        ("gb18030", "我们研究大型语言模型的推理能力，并提出一种新方法。"),
        ("cp932", "本論文では、大規模言語モデルの推論能力について調べる。"),
        ("cp949", "우리는 대규모 언어 모델의 추론 능력을 연구한다. "),
        ("utf-16-le", "We study walls and what is behind them. "),
        ("utf-32", "We study walls. "),
    ],
)
def test_an_undeclared_encoding_is_detected(codec: str, text: str) -> None:
    """A page of text in its encoding comes out as it was written."""
    assert decode((text * 30).encode(codec)) == text * 30


def test_one_accent_in_a_long_text_is_western() -> None:
    """A single byte beyond ASCII, far from the start, is no Chinese character."""
    assert decode(("We study things. " * 5000 + "Schrödinger did.").encode("latin-1")).endswith(
        "Schrödinger did."
    )


@pytest.mark.parametrize(
    ("declared", "real"), [("iso-8859-1", "utf-8"), ("utf-8", "cp1252"), ("windows-1251", "cp1251")]
)
def test_a_declaration_counts_only_where_the_bytes_agree(declared: str, real: str) -> None:
    """UTF-8 declared as Latin-1 and Latin-1 declared as UTF-8 both come out right."""
    text = f'<?xml version="1.0" encoding="{declared}"?><a>{"Größe" if real != "cp1251" else "Мир"}</a>'
    assert decode(text.encode(real)) == text


def test_the_servers_charset_is_used_where_the_document_declares_none() -> None:
    """The HTTP header decides between encodings that the bytes allow alike."""
    assert decode("Łódź".encode("iso-8859-2"), "iso-8859-2") == "Łódź"


def test_a_cut_character_does_not_change_the_encoding() -> None:
    """UTF-8 that breaks off inside a character is UTF-8."""
    assert decode("Größe und Äther".encode() * 9 + b"\xe2\x82").startswith("Größe und Äther")


def test_controls_go_and_space_like_ones_become_spaces() -> None:
    """NUL, bell and delete go; vertical tab and form feed divide words."""
    assert decode(b"a\x00\x07\x7fb\x0bc\x0cd\te\n") == "ab c d\te\n"


@given(
    st.binary(max_size=300),
    st.sampled_from(["", "utf-8", "latin-1", "x-unknown", "utf-7", "unicode_escape", "hex"]),
)
def test_decoding_never_fails_and_is_stable(body: bytes, charset: str) -> None:
    """Any bytes give clean UTF-8, which decodes to itself."""
    clean = utf8(body, charset)
    assert clean.decode("utf-8").encode() == clean
    assert b"\x00" not in clean


def test_lines_are_counted_with_the_empty_ones() -> None:
    """Line numbers in errors fit an editor's; a line separator inside a line divides nothing."""
    assert list(lines("a\n\nb\u2028c\r\n".encode())) == ["a\n", "", "b\u2028c\r\n"]
