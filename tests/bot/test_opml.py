"""Tests of OPML: what other readers export comes in, what we export comes in again, bombs stay out."""

import csv
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from bot.opml import Outline, read_opml, write_opml
from digests.errors import ParseError
from digests.feed import DEFAULT_EVERY, Feed
from digests.sources import address, asked
from tests.fakes import NOON

BOMB = """<?xml version="1.0"?>
<!DOCTYPE opml [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
<opml version="2.0"><body><outline text="&b;" xmlUrl="https://a.example/"/></body></opml>"""


def opml(outlines: str) -> str:
    """A list with these outlines."""
    return f'<?xml version="1.0"?>\n<opml version="2.0"><head/><body>{outlines}</body></opml>'


def read(outlines: str) -> tuple[Outline, ...]:
    """What a list with these outlines gives."""
    return read_opml(opml(outlines).encode())


def test_feeds_in_folders_come_in_order() -> None:
    """Outlines are found at any depth, in the order of the document; folders themselves are no feeds."""
    found = read(
        '<outline text="Physics"><outline text="Optics"><outline text="A" xmlUrl="https://a.example/1"/></outline>'
        '<outline text="B" xmlUrl="http://b.example/"/></outline><outline text="C" xmlUrl="https://c.example/"/>'
    )
    assert found == (
        Outline("https://a.example/1", "A"),
        Outline("http://b.example/", "B"),
        Outline("https://c.example/", "C"),
    )


def test_a_feed_that_holds_feeds_comes_in_with_them() -> None:
    """An outline with an address and children gives itself first, then its children."""
    found = read('<outline xmlUrl="https://a.example/"><outline xmlUrl="https://b.example/"/></outline>')
    assert [outline.url for outline in found] == ["https://a.example/", "https://b.example/"]


@pytest.mark.parametrize("name", ["xmlUrl", "xmlurl", "xmlURL", "XMLURL"])
def test_the_address_is_found_however_it_is_spelt(name: str) -> None:
    """Readers write xmlUrl in several ways."""
    assert read(f'<outline text="A" {name}="https://a.example/"/>') == (Outline("https://a.example/", "A"),)


def test_a_list_in_a_namespace_or_in_capitals_is_read() -> None:
    """Prefixes, a default namespace and capital tags are no obstacle."""
    namespaced = b'<opml xmlns="urn:x"><body><outline xmlUrl="https://a.example/"/></body></opml>'
    capital = b'<OPML><BODY><OUTLINE XMLURL="https://a.example/"/></BODY></OPML>'
    assert read_opml(namespaced) == read_opml(capital) == (Outline("https://a.example/", ""),)


def test_title_goes_before_text_and_is_on_one_line() -> None:
    """The title is the attribute title, else text, else empty, with single spaces."""
    found = read(
        '<outline title="T" text="X" xmlUrl="https://a.example/"/>'
        '<outline title=" " text=" New\n  papers " xmlUrl=" https://b.example/ "/>'
        '<outline xmlUrl="https://c.example/"/>'
    )
    assert [outline.title for outline in found] == ["T", "New papers", ""]
    assert found[1].url == "https://b.example/"


def test_an_address_comes_once() -> None:
    """A feed that stands in two folders comes in once, under its first title."""
    found = read(
        '<outline title="First" xmlUrl="https://a.example/"/>'
        '<outline text="Folder"><outline title="Second" xmlUrl="https://a.example/"/></outline>'
    )
    assert found == (Outline("https://a.example/", "First"),)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "file:///etc/passwd",
        "feed://a.example/",
        "javascript:alert(1)",
        "/feed.xml",
        "https://",
        "http://[::1",
    ],
)
def test_only_web_addresses_come_in(url: str) -> None:
    """Files, scripts, other schemes and broken addresses are left out; the good ones around them come in."""
    found = read(f'<outline text="A" xmlUrl="{url}"/><outline text="B" xmlUrl="HTTPS://b.example/"/>')
    assert found == (Outline("HTTPS://b.example/", "B"),)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_any_unicode_encoding_is_read(encoding: str) -> None:
    """UTF-8 and UTF-16 come in with and without a byte order mark, whatever the declaration says."""
    body = opml('<outline text="Größe 论文" xmlUrl="https://a.example/"/>').encode(encoding)
    assert read_opml(body) == (Outline("https://a.example/", "Größe 论文"),)


def test_a_declared_encoding_is_read() -> None:
    """A list in Latin-1 that says so comes in right."""
    outlines = '<outline text="Größe" xmlUrl="https://a.example/"/>'
    latin = opml(outlines).replace("?>", ' encoding="ISO-8859-1"?>', 1).encode("latin-1")
    assert read_opml(latin) == (Outline("https://a.example/", "Größe"),)


def test_bare_ampersands_and_html_entities_are_mended() -> None:
    """Addresses with a bare & and titles with an entity of HTML come in whole: many readers write them."""
    found = read('<outline text="Caf&eacute; R&amp;D" xmlUrl="https://a.example/?a=1&copy=2&amp;c=3&d"/>')
    assert found == (Outline("https://a.example/?a=1&copy=2&c=3&d", "Café R&D"),)


def test_a_list_without_feeds_is_empty() -> None:
    """A list that holds nothing is no error."""
    assert read("") == ()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "not well-formed"),
        (b"\x00\x01\x02\xff", "not well-formed"),
        (b"just words", "not well-formed"),
        (opml('<outline text="A" xmlUrl="https://a.example/">').encode(), "not well-formed"),
        (opml("<outline/>").encode()[:-20], "not well-formed"),
        (opml("<outline>" * 2_000 + "</outline>" * 2_000).encode(), "not well-formed"),
        (b"<html><body><p>Sign in</p></body></html>", "begins with <html>"),
        (b'<rss version="2.0"><channel/></rss>', "begins with <rss>"),
        (BOMB.encode(), "defines entities"),
        (BOMB.encode("utf-16"), "defines entities"),
        (BOMB.replace("ENTITY", "EntiTY % ", 1).encode(), "defines entities"),
    ],
)
def test_what_is_not_a_list_is_refused(body: bytes, said: str) -> None:
    """Ill-formed or too deep documents, other formats and bombs give one line with the next step."""
    with pytest.raises(ParseError) as caught:
        read_opml(body)
    assert said in caught.value.what
    assert caught.value.format == "opml"
    assert caught.value.hint
    assert "\n" not in str(caught.value)


def test_the_place_of_the_fault_is_told() -> None:
    """An ill-formed list names the line."""
    with pytest.raises(ParseError) as caught:
        read_opml(opml("\n\n<outline text=A/>").encode())
    assert caught.value.where == "line 4"


def test_outside_files_are_not_read(tmp_path: Path) -> None:
    """A DOCTYPE that points to a file or an address is not followed."""
    secret = tmp_path / "secret.dtd"
    secret.write_text('<!ATTLIST outline text CDATA "stolen">')
    body = f'<!DOCTYPE opml SYSTEM "{secret.as_uri()}"><opml><outline xmlUrl="https://a.example/"/></opml>'
    assert read_opml(body.encode()) == (Outline("https://a.example/", ""),)


def test_only_feeds_that_others_can_fetch_are_written() -> None:
    """A feed read from a file is not exported; an address is, with the feed's name."""
    feeds = [Feed("iclr", "/home/me/iclr.txt"), Feed("arxiv-cs", "https://rss.example/cs?a=1&b=2")]
    written = write_opml(feeds, NOON)
    assert shown(read_opml(written.encode())) == [("https://rss.example/cs?a=1&b=2", "arxiv-cs")]
    assert "iclr" not in written


def test_what_is_written_is_opml_as_other_readers_expect_it() -> None:
    """Version 2.0, a head with a title, and outlines of type rss whose text and title are the name."""
    root = etree.fromstring(write_opml([Feed("a", "https://a.example/")], NOON).encode())
    outline = root.find("body/outline")
    assert (root.tag, root.get("version"), root.findtext("head/title")) == ("opml", "2.0", "Paperround feeds")
    assert outline is not None
    assert [outline.get(name) for name in ("type", "text", "title")] == ["rss", "a", "a"]
    assert outline.get("xmlUrl") == "https://a.example/"


NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn", "Z"]), min_size=1, max_size=20)
URLS = st.builds("https://a.example/{}".format, st.text(st.sampled_from("abz09?&=#%<>\"';/é论"), max_size=20))


@given(st.lists(st.builds(Feed, NAMES, URLS), max_size=5, unique_by=lambda feed: feed.url))
def test_what_is_written_comes_in_again(feeds: list[Feed]) -> None:
    """Any names and addresses survive an export and an import."""
    again = read_opml(write_opml(feeds, NOON).encode())
    assert shown(again) == [(feed.url, feed.name) for feed in feeds]


def shown(outlines: tuple[Outline, ...]) -> list[tuple[str, str]]:
    """What any reader sees of a list."""
    return [(outline.url, outline.title) for outline in outlines]


CROSSREF = address("crossref:1476-4687")


def test_what_only_we_know_of_a_feed_comes_in_again() -> None:
    """A window, an interval, a fixed list and a pause are no other reader's business, and not lost."""
    feeds = [
        Feed("nature", CROSSREF, "crossref", every=timedelta(hours=6)),
        Feed("iclr", "https://api2.openreview.net/notes", "openreview", is_list=True),
        Feed("old", "https://a.example/", paused=True, every=timedelta(minutes=90)),
    ]
    again = read_opml(write_opml(feeds, NOON).encode())
    assert [(o.name, o.url, o.format, o.every, o.is_list, o.paused) for o in again] == [
        (feed.name, feed.url, feed.format, feed.every, feed.is_list, feed.paused) for feed in feeds
    ]


def test_other_readers_get_an_address_that_can_be_asked() -> None:
    """A window has dates for them, and what is ours stands in a namespace of its own."""
    root = etree.fromstring(write_opml([Feed("nature", CROSSREF)], NOON).encode())
    outline = root.find("body/outline")
    assert outline is not None
    assert outline.get("xmlUrl") == asked(CROSSREF, None, NOON)
    assert "{" not in str(outline.get("xmlUrl"))
    plain = {name for name in map(str, outline.keys()) if not name.startswith("{urn:paperround:opml}")}
    assert plain == {"type", "text", "title", "xmlUrl"}


def test_an_interval_that_is_none_is_the_usual_one() -> None:
    """Somebody may have edited the list."""
    written = write_opml([Feed("a", "https://a.example/")], NOON).replace('every="1h"', 'every="often"')
    assert read_opml(written.encode())[0].every == DEFAULT_EVERY


def test_control_characters_do_not_break_the_export() -> None:
    """A name with a control character is written without it."""
    assert read_opml(write_opml([Feed("a\x01b", "https://a.example/")], NOON).encode())[0].title == "ab"


def test_real_lists_come_in(shared: Path) -> None:
    """Each OPML document of the collection gives as many feeds as a person counted, and the same first."""
    folder = shared / "data" / "feeds"
    with (folder / "MANIFEST.tsv").open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines, delimiter="\t") if row["kind"] == "opml"]
    assert rows
    for row in rows:
        found = read_opml((folder / row["file"]).read_bytes())
        assert len(found) == int(row["n_papers"])
        assert found[0] == Outline(row["first_id"], row["first_title"])
