"""Damaged, hostile and oversized documents: what can be read is read, the rest is named, nothing explodes.

Most cases were found by `make fuzz`, where they were larger: feedparser read something that was lost here.
"""

from __future__ import annotations

import gc
import tracemalloc

import pytest

from digests import formats
from digests.errors import ParseError
from digests.feed import Fetched, Part, Refused, Remark
from digests.paper import Entry
from digests.reading import read
from tests.benchmarks.hostile import growth
from tests.digests.formats.shapes import SHAPES

URL = "https://feeds.example.org/feed"
RSS = b'<rss version="2.0"><channel><title>Feed</title>'


def parts(body: bytes) -> list[Part]:
    return list(formats.read(body, URL))


def entries(body: bytes) -> list[Entry]:
    return [part for part in parts(body) if isinstance(part, Entry)]


def titles(body: bytes) -> list[str]:
    return [" ".join(entry.title.split()) for entry in entries(body)]


ONE = b"<item><title>One</title></item>"


@pytest.mark.parametrize(
    "body",
    [
        RSS + b"<item\n<title>One</title></item></channel></rss>",
        RSS + b"<item <?g><title>One</title></item></channel></rss>",
        RSS + b'<item "<title>One</title></item></channel></rss>',
        RSS + b"<item></<title>One</title></item></channel></rss>",
        RSS + b"<item></b><title>One</title></item></channel></rss>",
        RSS + b"<item><a><title>One</title></item></channel></rss>",
        RSS + b"<item><a b='<title>One</title></item></channel></rss>",
        RSS + b"<item><title>One</TITLE></item></channel></rss>",
        RSS + b"<item><title>One</title<link>x</link></item></channel></rss>",
        RSS + b"<item><![CDATA[<title>One</title></item></channel></rss>",
        RSS + b"<item><!--<title>One</title></item></channel></rss>",
        RSS + b"<item>" + b"<b>" * 500 + b"<title>One</title></item></channel></rss>",
        RSS + b"<item>" + b"<b>" * 500 + b"<title>One</title>" + b"</b>" * 500 + b"</item></channel></rss>",
        RSS + b"<item/><item<title>One</title></item><item/>",
        RSS + ONE,
        ONE,
        b"id>x</id>" + ONE + b"</channel></rss>",
        b"<?xml version\n" + ONE,
        b"<unknown>" + ONE + b"</unknown>",
        b"<html><body>" + ONE,
        b"<entry\n<title>One</title></entry>",
        b"\0" * 40
        + RSS
        + b"\0\0\0\0".join([b"", *[bytes([byte]) for byte in ONE], b""])
        + b"</channel></rss>",
        b"\xff\xfe" + RSS + ONE + b"</channel></rss>",
        b'<?xml version="1.0" encoding="utf-16"?>' + RSS + b"\0" + ONE + b"</channel></rss>",
    ],
    ids=range(24),
)
def test_damage_around_an_item_costs_nothing(body: bytes) -> None:
    """Tags without an end or a beginning, other unclosed mark-up, a lost root, NULs, a false BOM."""
    assert titles(body) == ["One"]


@pytest.mark.parametrize("field", ["media:description", "itunes:summary", "abstract", "body", "content"])
def test_what_an_item_says_in_an_unusual_field_is_read(field: str) -> None:
    """Where no usual field says anything, the others do."""
    spaces = 'xmlns:media="http://search.yahoo.com/mrss/" xmlns:itunes="http://www.itunes.com/dtds/podcast-1.0.dtd"'
    body = f"<rss {spaces}><channel><item><{field}>We look at walls.</{field}></item></channel></rss>"
    assert [entry.abstract for entry in entries(body.encode())] == ["We look at walls."]


def test_a_last_item_that_breaks_off_gives_its_whole_fields() -> None:
    """The field in which it breaks is left out, and a remark says so; half a title is no paper."""
    body = RSS + ONE + b"<item><title>Two</title><link>https://a.example/2</link><description>It brea"
    assert [(entry.title, entry.links, entry.abstract) for entry in entries(body)] == [
        ("One", (), ""),
        ("Two", ("https://a.example/2",), ""),
    ]
    assert any(
        isinstance(part, Remark) and "breaks off inside its last item" in part.text for part in parts(body)
    )
    assert parts(RSS + ONE + b"<item><title>Tw")[-1] == Refused(
        "the last item", "the document breaks off inside it"
    )


@pytest.mark.parametrize("line", ["TY  - JOUR", "PMID- 12", "@article{a,"])
def test_a_feed_that_quotes_a_reference_is_still_a_feed(line: str) -> None:
    """What begins as XML is no list of references, whatever stands in it at the beginning of a line."""
    body = RSS + f"<item><title>How to cite</title><description>\n{line}\n</description></item>".encode()
    assert formats.choose("", URL, body + b"</channel></rss>").name == "rss"


def test_bibtex_that_begins_with_many_macros_is_known() -> None:
    """The names of journals alone may be longer than what is looked at to recognise a document."""
    body = b'@string{j = "Journal of Walls"}\n' * 3_000 + b"@article{k, title = {Sand}, journal = j}"
    assert [(entry.title, entry.venue) for entry in entries(body)] == [("Sand", "Journal of Walls")]


def test_an_outer_dtd_is_left_alone() -> None:
    """It is not fetched, and an entity that only it could define stays a name."""
    body = b'<!DOCTYPE rss SYSTEM "http://localhost:1/x.dtd">' + RSS + b"<item><title>a &x; b</title></item>"
    assert titles(body + b"</channel></rss>") == ["a &x; b"]


# ---- bombs

LAUGHS = b'<!ENTITY a "ha">' + b"".join(
    b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(12)
)
QUADRATIC = b'<!ENTITY a "%s">' % (b"x" * 20_000)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("bomb", [LAUGHS, QUADRATIC], ids=["laughs", "quadratic"])
def test_entities_that_multiply_are_refused_in_any_encoding(bomb: bytes, encoding: str) -> None:
    """Billion laughs and the quadratic blow-up are named and never expanded."""
    body = b"<?xml version='1.0'?><!DOCTYPE rss [" + bomb + b"]>" + RSS + b"<item><title>" + b"&a;" * 5_000
    with pytest.raises(ParseError, match="defines entities"):
        parts((body + b"</title></item></channel></rss>").decode().encode(encoding))


@pytest.mark.parametrize("bomb", [LAUGHS, QUADRATIC], ids=["laughs", "quadratic"])
def test_entities_behind_a_comment_stay_small(bomb: bytes) -> None:
    """A definition that the look at the prolog misses is not used, so it costs no memory."""
    body = b"<!-- <a> --><!DOCTYPE rss [" + bomb + b"]>" + RSS + b"<item><title>x" + b"&l;&a;" * 5_000
    assert _peak(body + b"</title></item></channel></rss>") < 5_000_000


def test_macros_that_multiply_are_cut() -> None:
    """BibTeX's macros can double each other like entities: a value that they make too long is refused."""
    doubling = b"".join(b"@string{a%d = a%d # a%d}\n" % (n + 1, n, n) for n in range(60))
    body = b'@string{a0 = "ten signs."}\n' + doubling + b"@article{k, title = a60}\n"
    repeated = b'@string{a = "' + b"x" * 900 + b'"}\n@article{k, title = ' + b"a # " * 5_000 + b'"T"}\n'
    assert _peak(body) < 5_000_000
    why = "has a value that macros make too long"
    assert parts(repeated + b"@article{l, title = {Next}}") == [Refused("line 2", why), Entry(title="Next")]


@pytest.mark.parametrize("name", ["CDATA sections", "comments"])
def test_a_title_of_many_pieces_takes_a_few_times_its_size(name: str) -> None:
    """With 20 MB of them a reading process stays below 150 MB; while its pieces were held it took 480."""
    body = SHAPES[name](60_000)
    assert _peak(body) < 11 * len(body)


def test_of_an_endless_item_its_first_fields_are_read() -> None:
    """No paper has millions of characters: what comes so late is left out, and that is said."""
    endless = b"<description>" + b"x & y " * 400_000 + b"<b></i></description></item>"
    found = parts(RSS + b"<item><title>One</title>" + endless + ONE.replace(b"One", b"Two & more") + endless)
    assert [part.title for part in found if isinstance(part, Entry)] == ["One", "Two & more"]
    assert Remark("of item 1 the fields within 2,000,000 characters were read") in found
    refused = Refused("item 1", "has no field that ends within 2,000,000 characters")
    assert refused in parts(RSS + b"<item>" + endless + ONE)


def _peak(body: bytes) -> int:
    """The bytes of memory that reading a document takes at most."""
    gc.collect()
    tracemalloc.start()
    try:
        read(Fetched(URL, body))
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "body",
    [
        b"<feed xmlns='http://www.w3.org/2005/Atom' xmlns:opensearch='arxiv.org/'><entry><id>/api/errors</id>"
        b"<summary>no\n such\n" + b" query" * 900 + b"</summary></entry></feed>",
        b"<OAI-PMH><error code='badArgument'>no\n such\n" + b" set" * 900 + b"</error></OAI-PMH>",
        b"<rss><channel><title>Feed error for query: x\n" + b" y" * 900 + b"</title></channel></rss>",
        b"city,people," + b"n" * 9_000 + b"\n1,2,3\n",
    ],
    ids=["arxiv-api", "oai-pmh", "arxiv-rss", "csv"],
)
def test_what_a_source_says_of_an_error_is_a_line(body: bytes) -> None:
    """Its words come into our message, but no more than a line of them."""
    with pytest.raises(ParseError) as caught:
        list(formats.read(body, "https://feeds.example.org/feed.csv"))
    assert len(str(caught.value)) < 600
    assert "\n" not in str(caught.value)


# ---- sizes


@pytest.mark.parametrize(
    "body",
    [
        RSS + ONE * 50 + b"</channel></rss>",
        RSS + b"<item/>" * 50 + b"</channel></rss>",
        b'{"title": "One"}\n' * 50,
        b"title,abstract\n" + b"One,Two.\n" * 50,
        b"TY  - JOUR\nTI  - One\nER  - \n" * 50,
        b"We look at walls and at what is behind them. It is more.\n\n" + b"A heading\n\n" * 50,
    ],
    ids=["rss", "rss-empty", "json-lines", "csv", "ris", "plain-text"],
)
def test_a_document_of_endless_items_is_read_to_a_limit(body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """What follows the first so many items is left unread, and a note says so."""
    monkeypatch.setattr("digests.reading.MOST_ITEMS", 20)
    reading = read(Fetched(URL, body))
    assert len(reading.papers) + len(reading.refused) + len(reading.notes) == 20 + 1
    assert reading.notes[-1] == "only the first 20 items were read; divide the document to have all"


def test_a_gap_of_endless_lines_is_passed_at_once() -> None:
    """Millions of blank lines in a table take no time."""
    assert titles(b"title,abstract\nOne,A.\n" + b"\n" * 3_000_000 + b"Two,B.\n") == ["One", "Two"]


def test_a_text_of_endless_paragraphs_is_read_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paragraphs make fewer papers than there are of them; those behind the limit are told as well."""
    monkeypatch.setattr("digests.formats.plain_text.MOST_ITEMS", 4)
    paragraph = b"We look at walls and at what is behind them. It is more than we thought."
    found = parts((b"A Title\n\n" + paragraph + b"\n\n") * 3)
    assert len([part for part in found if isinstance(part, Entry)]) == 2
    assert found[-1] == Remark("only the first 4 paragraphs were read; divide the document to have all")


def test_a_row_of_a_thousand_lines_is_a_quote_that_was_not_closed() -> None:
    """Such a row is refused and costs no other, at whatever length the table goes on."""
    found = parts(b'title,abstract\nA,"lone\n' + b"B,Text.\n" * 5_000)
    assert found[0] == Refused("line 2", "a quote is not closed")
    assert len(found) == 1 + 5_000


@pytest.mark.parametrize("start", [b"title,abstract\nA,B\n", b"TY  - JOUR\nTI  - x\nER  - \n"])
def test_short_lines_take_little_memory(start: bytes) -> None:
    """A table and a list of references are read without a list of all their lines, thirty times as large."""
    _peak(start)
    body = start + b",\n" * 20_000
    assert _peak(body) < 12 * len(body)


@pytest.mark.long
@pytest.mark.parametrize("name", SHAPES)
def test_twice_the_document_takes_about_twice_the_time(name: str) -> None:
    """In whatever way a document grows; a busy machine may try three times."""
    ratios = []
    for _ in range(3):
        once, twice = growth(SHAPES[name], 4_000)
        ratios.append(twice / max(once, 0.01))
        if ratios[-1] < 3:
            return
    assert min(ratios) < 3


def test_twenty_thousand_authors_are_read_at_once() -> None:
    """Large collaborations, and jokes, come in whole; the same name twice is one."""
    authors = b"".join(b"<author><name>Ann Author%d</name></author>" % (n // 2) for n in range(20_000))
    body = b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>T</title>' + authors + b"</entry></feed>"
    assert [len(entry.authors) for entry in entries(body)] == [10_000]
