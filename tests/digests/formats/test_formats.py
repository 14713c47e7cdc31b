"""Every format: its sample gives what is written beside it, and no other format takes it."""

import gzip
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from digests import formats
from digests.errors import InputError, ParseError
from digests.feed import Refused, Remark, Titled
from digests.paper import Entry
from tests.digests.formats.samples import DOCUMENTS, expected, format_of, written

URL = "https://feeds.example.org/feed"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_a_sample_gives_the_parts_that_are_written_beside_it(document: Path) -> None:
    """Titles, entries, refusals and remarks come in the document's order with exactly these fields."""
    parts = list(formats.read(document.read_bytes(), URL))
    assert [written(part) for part in parts] == expected(document)


@pytest.mark.parametrize("name", ["feed", "paper.csv", "x.xml", "x.json", "x.txt", "x.bib"])
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_a_sample_is_recognised_by_its_content_whatever_its_name(document: Path, name: str) -> None:
    """Only the document decides which format reads it."""
    assert formats.choose("", f"https://example.org/{name}", document.read_bytes()).name == format_of(
        document
    )


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_encoding_makes_no_difference(document: Path, encoding: str) -> None:
    """A document in UTF-16, with or without BOM, gives the same parts."""
    body = document.read_bytes().decode("utf-8-sig").encode(encoding)
    assert [written(part) for part in formats.read(body, URL)] == expected(document)


def test_every_format_has_a_sample() -> None:
    """The folder of samples and the folder of formats tell of the same formats."""
    assert {format_of(document) for document in DOCUMENTS} == set(formats.formats())


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "empty"),
        (b" \n\xef\xbb\xbf\n", "empty"),
        (b"%PDF-1.7 ...", "a PDF"),
        (b"PK\x03\x04....", "a ZIP archive"),
        (gzip.compress(b"<rss/>", mtime=0), "a gzip archive"),
        (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
        (b"SQLite format 3\x00....", "an SQLite database"),
        (bytes(range(256)) * 20, "binary data"),
        (
            b"<!DOCTYPE html><html><head><title>Just a moment...</title>",
            "a web page instead of a feed (bot protection?)",
        ),
        (b"\n<html><body><p>Welcome to our journal.</p></body></html>", "a web page instead of a feed"),
        (b'{"error": "not found"}', "no known format"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "no known format"),
        (b"short", "no known format"),
    ],
)
def test_what_is_no_document_is_told_by_its_kind(body: bytes, says: str) -> None:
    """The error names what came instead of a feed."""
    with pytest.raises(ParseError) as caught:
        list(formats.read(body, URL))
    assert says in caught.value.what


def test_a_page_that_links_to_its_feed_is_told_with_the_link() -> None:
    """The next step after giving a home page is its feed's address."""
    page = b'<!doctype html><html><link rel="alternate" type="application/rss+xml" href="/feed.xml"></html>'
    with pytest.raises(ParseError, match=r"'/feed\.xml'"):
        formats.read(page, URL)


def test_an_unknown_format_is_answered_with_the_known_ones() -> None:
    """The names that would have worked stand in the message."""
    with pytest.raises(InputError, match=r"unknown format 'rsss'; known formats: .*rss"):
        formats.read(b"x", URL, "rsss")


@pytest.mark.parametrize(
    "prolog",
    [
        '<!DOCTYPE rss [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>',
        '<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/hostname">]>',
        '<!DOCTYPE rss [<!ENTITY % p SYSTEM "http://localhost:1/x.dtd"> %p;]>',
        '<!doctype rss [<!entity q "z">]>',
    ],
)
def test_a_document_that_defines_entities_is_refused(prolog: str) -> None:
    """A bomb or a reference to a file is never expanded, whatever the case of its letters."""
    item = "<item><title>&b;&x;</title></item>"
    body = f'<?xml version="1.0"?>{prolog}<rss version="2.0"><channel>{item}</channel></rss>'
    with pytest.raises(ParseError, match="defines entities"):
        list(formats.read(body.encode(), URL))


def test_entities_hidden_behind_a_comment_are_not_expanded() -> None:
    """A definition that the prolog's check does not see stays a name."""
    body = (
        b'<!-- <a> --><!DOCTYPE rss [<!ENTITY b "boom">]>'
        b'<rss version="2.0"><channel><item><title>x &b;</title></item></channel></rss>'
    )
    entries = [part for part in formats.read(body, URL) if isinstance(part, Entry)]
    assert all("boom" not in entry.title for entry in entries)


def test_a_feed_that_breaks_off_gives_what_stands_before_the_break() -> None:
    """A truncated document costs the item in which it breaks, which is named."""
    whole = "".join(f"<item><title>Paper {n}</title></item>" for n in range(50))
    body = f'<rss version="2.0"><channel><title>T</title>{whole}<item><title>Pap'.encode()
    parts = list(formats.read(body, URL))
    assert [part.title for part in parts if isinstance(part, Entry)] == [f"Paper {n}" for n in range(50)]
    assert Refused("the last item", "the document breaks off inside it") in parts


def test_a_heading_that_names_no_paper_column_is_told_with_the_known_ones() -> None:
    """A table without a title or an abstract says which columns it has and which are looked for."""
    with pytest.raises(ParseError, match=r"the columns are 'city', 'people'; call one 'title' or 'abstract'"):
        list(formats.read(b"city,people\nParis,2000000\nBerlin,3000000\n", "https://lab.example/cities.csv"))
    with pytest.raises(ParseError, match=r"the columns are 'a', 'b'"):
        list(formats.read(b"a,b\n1,2\n", "https://lab.example/cities.csv"))


def test_two_lines_with_a_comma_each_are_no_table() -> None:
    """A table is known by its name or by a column that papers have."""
    with pytest.raises(ParseError, match="of no known format"):
        formats.read(b"A first line, short\n\nA second one, short\n", URL)
    assert formats.choose("", URL, b"year,doi\n2024,10.1/x\n").name == "csv"


def test_text_that_holds_the_delimiter_loses_nothing() -> None:
    """What is left over goes to the last column if that is text; else the row is refused."""
    body = b'title,abstract\nT,One, two, 1,000.\nU,"One, 2",and three.\nV,Four.,,\n'
    parts = [part for part in formats.read(body, URL) if isinstance(part, Entry)]
    assert [part.abstract for part in parts] == ["One, two, 1,000.", "One, 2, and three.", "Four."]
    said = "has 3 cells where the header has 2; quote the text that holds the delimiter"
    assert list(formats.read(b"title,year\nFirst, second,2024\n", URL)) == [Refused("line 2", said)]


def test_a_lone_quote_in_a_table_costs_its_row_only() -> None:
    """Rows behind a quote that is never closed are read all the same."""
    rows = "".join(f"{n},Paper {n},Text {n}.\n" for n in range(200))
    body = f'id,title,abstract\n7,"lone,Text\n{rows}'.encode()
    parts = list(formats.read(body, URL))
    assert [type(part) for part in parts] == [Refused, *[Entry] * 200]


def test_a_huge_field_is_read() -> None:
    """A field of more than csv's usual limit of 131,072 characters does not end the table."""
    body = f'title,abstract\nBig,"{"word " * 60_000}"\nSmall,Text.\n'.encode()
    assert [part.title for part in formats.read(body, URL) if isinstance(part, Entry)] == ["Big", "Small"]


def test_a_deep_object_costs_its_line_only() -> None:
    """A line that nests 100,000 lists is refused, the next comes in."""
    body = b'{"title": "A"}\n' + b'{"title": ' + b"[" * 100_000 + b'\n{"title": "B"}\n'
    parts = list(formats.read(body, URL))
    assert [type(part) for part in parts] == [Entry, Refused, Entry]


def test_half_a_surrogate_pair_does_not_reach_an_entry() -> None:
    """What no encoding can write is left out of text."""
    (entry,) = formats.read(b'{"title": "a\\ud800b\\u0000c"}\n{"x": 1}'.splitlines()[0], URL)
    assert isinstance(entry, Entry)
    assert entry.title == "abc"


def test_arxivs_report_of_an_error_is_no_paper() -> None:
    """The entry titled "Error" becomes an error with arXiv's reason."""
    body = (
        b'<feed xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/">'
        b"<entry><id>https://arxiv.org/api/errors#x</id><title>Error</title><summary>bad id</summary></entry>"
        b"</feed>"
    )
    with pytest.raises(ParseError, match="arXiv answered with an error: bad id"):
        list(formats.read(body, URL))


def test_a_list_that_begins_with_a_title_is_told_from_one_with_a_heading() -> None:
    """One short line above the first abstract names the list; one above every abstract names the paper."""
    abstract = "This is an abstract of some length. It has two sentences and no title of its own."
    headed = f"My list\n\n{abstract}\n\n{abstract}\n".encode()
    assert [type(part) for part in formats.read(headed, URL)] == [Titled, Entry, Entry]
    with_both = f"My list\n\nFirst Paper\n\n{abstract}\n\nSecond Paper\n\n{abstract}\n".encode()
    parts = list(formats.read(with_both, URL))
    assert parts[0] == Titled("My list")
    assert [part.title for part in parts if isinstance(part, Entry)] == ["First Paper", "Second Paper"]


def test_labels_and_titles_go_together() -> None:
    """Title and labelled abstract may stand in blocks of their own; a title may be a question."""
    abstract = "This is an abstract of some length. It has two sentences and no title of its own."
    blocks = [
        "Title: One",
        f"Abstract: {abstract}",
        "Does It Matter?",
        f"Abstract: {abstract}",
        "Title: Two",
        abstract,
    ]
    entries = [part for part in formats.read("\n\n".join(blocks).encode(), URL) if isinstance(part, Entry)]
    assert [(entry.title, entry.abstract) for entry in entries] == [
        ("One", abstract),
        ("Does It Matter?", abstract),
        ("Two", abstract),
    ]


def test_a_section_heading_in_a_list_is_no_title() -> None:
    """A short line above few of the abstracts is remarked on and names no paper."""
    abstract = "This is an abstract of some length. It has two sentences and no title of its own."
    body = "\n\n".join(["My list", abstract, abstract, "Session 2", abstract, abstract, abstract]).encode()
    parts = list(formats.read(body, URL))
    assert [part.title for part in parts if isinstance(part, Entry)] == [""] * 5
    assert any(isinstance(part, Remark) and "Session 2" in part.text for part in parts)


PIECES = [
    *(
        "<!--",
        "<!-- -->",
        "<![CDATA[",
        "<!DOCTYPE ",
        "<item>",
        "<entry><title>",
        "<id> ",
        "<guid>",
        "&",
        "<",
        " ",
        "(",
    ),
    *(
        "\n",
        '{"title":',
        '[{"title":"a"},',
        '{"a":"},',
        '"',
        ",",
        "@a{b,c={",
        "TY  - \n",
        "AB  - x\ny\n",
        "Title: a\n",
    ),
    *("PMID- 1\n", "<p>Abstract:", "...", ";</br>", "(arXiv:", "a, ", " and ", "<h4> "),
]


@pytest.mark.parametrize("size", [5_000, pytest.param(200_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("piece", PIECES)
def test_a_piece_repeated_without_end_is_answered(piece: str, size: int) -> None:
    """No pattern of any format hangs on a hostile document."""
    for start in ("", "<rss version='2.0'><channel><item><title>", '[{"title": "'):
        body = (start + piece * (size // len(piece))).encode()
        for known in formats.formats().values():
            with suppress(ParseError):
                list(known.parse(body, URL))


@given(st.binary(max_size=400) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
@settings(max_examples=300, deadline=None)
def test_no_bytes_raise_anything_but_parse_error(body: bytes) -> None:
    """Whatever the document, each format reads it or says why not."""
    for known in formats.formats().values():
        with suppress(ParseError):
            list(known.parse(body, URL))


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_no_damage_to_a_sample_raises_anything_but_parse_error(data: st.DataObject) -> None:
    """A sample with bytes cut out, put in or changed is read, or refused with a reason."""
    document = data.draw(st.sampled_from(DOCUMENTS))
    body = document.read_bytes()
    at = data.draw(st.integers(0, len(body)))
    end = data.draw(st.integers(at, min(len(body), at + 200)))
    puts = [b"", b"<", b"&", b"]]>", b'"', b"\x00", b"\xff", b"</item>", b"<!--", b"{", b"\n\n"]
    put = data.draw(st.sampled_from(puts))
    with suppress(ParseError):
        list(formats.read(body[:at] + put + body[end:], URL))
