"""Bytes become text whatever their encoding is."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digests.decoding import charset, decode, lines, utf8
from digests.feed import Fetched
from digests.reading import read


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


EUROPEAN = [
    (
        "cp1250",
        "Zkoumáme vliv jazykových modelů na výuku. Žáci používající nástroje dosáhli lepších výsledků.",
    ),
    ("iso8859_2", "Zkoumáme vliv jazykových modelů na výuku. Žáci používající nástroje dosáhli výsledků."),
    ("cp1250", "Badamy wpływ dużych modeli na nauczanie. Średnia ocena wzrosła, choć różnice były małe."),
    ("iso8859_2", "Badamy wpływ dużych modeli na nauczanie. Średnia ocena wzrosła, choć różnice były małe."),
    (
        "cp1250",
        "A nagy nyelvi modellek hatását vizsgáljuk. A tanulók gyorsabban fejlődtek, és többet értettek.",
    ),
    (
        "cp1254",
        "Büyük dil modellerinin öğretim üzerindeki etkisini inceliyoruz. Öğrencilerin başarısı arttı.",
    ),
    ("cp1257", "Mes tiriame didelių kalbos modelių įtaką mokymui. Mokinių rezultatai pagerėjo greičiau."),
    (
        "cp1252",
        "Wir untersuchen den Einfluss großer Modelle. Müller schrieb über Größen „und Maße“ – früher.",
    ),
    (
        "cp1252",
        "Nous étudions l’effet des modèles de langue. Les élèves ont progressé, à côté de la théorie.",
    ),
    ("cp1252", "Estudiamos el efecto de los modelos en la enseñanza. Los niños aprendieron más rápido."),
    ("cp1252", "Estudamos a influência dos modelos na educação. As crianças aprenderam, em comparação."),
    ("cp1252", "Vi studerar effekten av stora språkmodeller på undervisningen, även på många områden."),
    ("cp1252", "Vi undersøger virkningen af store sprogmodeller på læring; også små børn lærte mere."),
    (
        "cp1252",
        "Hélène Jørgensen, Michèle Højgaard, Renée Bøe and José Muñoz study walls of many kinds in depth.",
    ),
]


@pytest.mark.parametrize(("codec", "text"), EUROPEAN)
def test_undeclared_european_languages_are_told_apart(codec: str, text: str) -> None:
    """By the letters that a language has, be it a line or a page; names in an English text are western."""
    assert decode(text.encode(codec)) == text
    assert decode(f"{text} ".encode(codec) * 50) == f"{text} " * 50


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


# ---- what the server says

RUSSIAN = "Мы исследуем стены и двери"
JAPANESE = "壁の研究①について述べる"
CHINESE = "我们研究墙壁的模型"
FRENCH = "Étude du système à côté"


def feed(title: str, codec: str, declared: str = "", bom: bytes = b"") -> bytes:
    """An RSS document in an encoding, with or without a declaration."""
    head = f'<?xml version="1.0"{f" encoding={declared!r}" if declared else ""}?>'
    return bom + f"{head}<rss><channel><item><title>{title}</title></item></channel></rss>".encode(codec)


def title(body: bytes, content_type: str) -> str:
    """The title of the only paper that a document gives."""
    (paper,) = read(Fetched("https://a.example/", body, content_type=content_type)).papers
    return paper.title


@pytest.mark.parametrize(
    ("text", "codec", "named", "declared"),
    [
        (RUSSIAN, "cp1251", "windows-1251", ""),
        (RUSSIAN, "cp1251", "windows-1251", "iso-8859-1"),
        (RUSSIAN, "koi8-r", "KOI8-R", ""),
        (RUSSIAN, "cp1251", "utf-8", "windows-1251"),
        (RUSSIAN, "cp1251", "nonsense", "windows-1251"),
        (RUSSIAN, "utf-8", "windows-1251", "koi8-r"),
        (RUSSIAN, "utf-16-le", "utf-16", ""),
        (RUSSIAN, "utf-16-be", "utf-16", ""),
        (RUSSIAN, "utf-16-be", "utf-16be", "utf-16"),
        (RUSSIAN, "utf-8", "utf-16", "utf-16"),
        (JAPANESE, "cp932", "Shift_JIS", ""),
        (JAPANESE, "cp932", "x-sjis", "utf-8"),
        (JAPANESE.replace("①", ""), "iso2022_jp", "iso-2022-jp", "iso-2022-jp"),
        (JAPANESE.replace("①", ""), "euc_jp", "EUC-JP", ""),
        (CHINESE, "gb18030", "gb18030", ""),
        (CHINESE, "gb18030", "GB2312", "gb2312"),
        (FRENCH, "latin-1", "iso-8859-1", ""),
        (FRENCH, "cp1252", "ISO-8859-1", "utf-8"),
        (FRENCH, "latin-1", "", ""),
        (FRENCH, "iso8859-15", "iso-8859-15", ""),
    ],
)
def test_a_document_is_read_as_the_server_names_it(text: str, codec: str, named: str, declared: str) -> None:
    """The header goes before the declaration, and bytes that are UTF-8 before both."""
    assert title(feed(text, codec, declared), f'text/xml; charset="{named}"' if named else "text/xml") == text


@pytest.mark.parametrize(
    "bom", [("utf-8", b"\xef\xbb\xbf"), ("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff")]
)
def test_a_byte_order_mark_goes_before_everything_that_is_said(bom: tuple[str, bytes]) -> None:
    """Header and declaration were written by others than the bytes."""
    assert title(feed(RUSSIAN, bom[0], "koi8-r", bom[1]), "text/xml; charset=windows-1251") == RUSSIAN


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_without_mark_that_nobody_names_is_known_by_its_first_tag(codec: str) -> None:
    """Also where hardly any character of its beginning is ASCII."""
    body = f"<rss><channel><item><title>{RUSSIAN * 10}</title></item></channel></rss>".encode(codec)
    assert title(body, "") == RUSSIAN * 10


@pytest.mark.parametrize(
    "make",
    [
        lambda text: f"{text}\n\n{text} of walls, in many words that follow each other.\n",
        lambda text: f'title,abstract\n"{text}","{text} of walls"\n',
        lambda text: (
            f'{{"title": "{text}", "abstract": "{text} of walls"}}\n{{"title": "B", "abstract": "C"}}\n'
        ),
        lambda text: f'[{{"title": "{text}", "abstract": "{text} of walls"}}]',
        lambda text: f"@article{{a, title={{{text}}}, abstract={{{text} of walls}}}}",
        lambda text: f"TY  - JOUR\nTI  - {text}\nAB  - {text} of walls\nER  - \n",
    ],
    ids=["plain", "csv", "json lines", "json", "bibtex", "ris"],
)
@pytest.mark.parametrize("codec", ["cp1251", "utf-16-le"])
def test_every_format_hears_of_what_the_server_names(make: Callable[[str], str], codec: str) -> None:
    """Not only XML has no other way to say it."""
    reading = read(
        Fetched("https://a.example/", make(RUSSIAN).encode(codec), content_type=f"x/y; charset={codec}")
    )
    assert RUSSIAN in (reading.papers[0].title or reading.papers[0].abstract)


@pytest.mark.parametrize(
    ("content_type", "named"),
    [
        ("text/xml; charset=koi8-r", "koi8-r"),
        ("text/xml;CHARSET = 'UTF-8' ; x=y", "UTF-8"),
        ("text/xml", ""),
        ("charset=koi8-r", ""),
        ("text/xml; charset=", ""),
    ],
)
def test_charset_is_a_parameter_of_the_type(content_type: str, named: str) -> None:
    """However it is spelt."""
    assert charset(content_type) == named
