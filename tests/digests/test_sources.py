"""Tests of the great sources: their addresses, their pages, the windows, README's table."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digests import formats, pages, sources
from digests.errors import InputError
from tests.conftest import ROOT

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)


def test_every_short_name_has_its_format() -> None:
    """What a short name brings is read by a format that exists, and the examples work."""
    for source in sources.SOURCES.values():
        assert source.format in formats.formats()
        if "…" not in source.example:
            assert sources.address(source.example).startswith("https://")


def test_a_mirror_is_asked_for_everything() -> None:
    """Every service stands under the mirror by its host."""
    assert (
        sources.address("arxiv:cs.CL, cs.LG", "http://127.0.0.1:80/")
        == "http://127.0.0.1:80/rss.arxiv.org/rss/cs.CL+cs.LG"
    )


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_refused(text: str) -> None:
    """A short name gives an address or an error, whatever it says."""
    for name in sources.SOURCES:
        with suppress(InputError):
            assert sources.address(f"{name}:{text}").lower().startswith(("http://", "https://"))


def test_a_window_overlaps_the_last_one() -> None:
    """The first time it is as long as the source says, later it begins three days before the last reading."""
    url = sources.address("crossref:1476-4687")
    assert "from-created-date:2026-09-02" in sources.asked(url, None, NOON)
    assert "from-created-date:2026-11-27" in sources.asked(url, NOON - timedelta(days=1), NOON)
    assert sources.asked("https://a.example/rss", None, NOON) == "https://a.example/rss"


def test_what_arxivs_feeds_missed_is_asked_of_its_api() -> None:
    """The window reaches a week behind the last reading: moderated papers carry old dates."""
    url = sources.catch_up("https://rss.arxiv.org/rss/cs+quant-ph", NOON - timedelta(days=2), NOON)
    assert url.startswith("https://export.arxiv.org/api/query?search_query=(cat:cs.*+OR+cat:quant-ph)+AND+")
    assert "submittedDate:%5B202611220000+TO+202612012359%5D" in url
    assert sources.catch_up("https://journal.example/rss/cs", NOON, NOON) == ""


def atom(total: int, start: int, entries: int) -> bytes:
    head = f"<feed><opensearch:totalResults>{total}</opensearch:totalResults>"
    return (head + f"<opensearch:startIndex>{start}</opensearch:startIndex>" + "<entry>" * entries).encode()


API = "https://export.arxiv.org/api/query?search_query=all:x&start=0&max_results=100"
NOTES = "https://api2.openreview.net/notes?content.venueid=V&limit=2&offset=0"
DETAILS = "https://api.biorxiv.org/details/biorxiv/2026-11-26/2026-12-01"
EPMC = "https://www.ebi.ac.uk/europepmc/webservices/rest/search?query=x&cursorMark=*"
WORKS = "https://api.crossref.org/journals/1476-4687/works?rows=1&cursor=*"
OAI = "https://a.example/oai?verb=ListRecords&metadataPrefix=oai_dc"


DOIS = "https://api.datacite.org/dois?query=x&page[cursor]=1"
LIST = "https://a.example/f.json"
BULK = "https://api.semanticscholar.org/graph/v1/paper/search/bulk?query=x"
RANKED = "https://api.semanticscholar.org/graph/v1/paper/search?query=x&offset=0&limit=2"


def dois(following: str, total: int = 9) -> bytes:
    return json.dumps({"data": [{}] * 2, "meta": {"total": total}, "links": {"next": following}}).encode()


def ranked(total: int, **said: object) -> bytes:
    return json.dumps({"total": total, "data": [{}] * 2, **said}).encode()


def epmc(mark: str, asked: str = "*", hits: int = 9, found: int = 1) -> bytes:
    answer = {
        "hitCount": hits,
        "nextCursorMark": mark,
        "request": {"cursorMark": asked},
        "resultList": {"result": [{}] * found},
    }
    return json.dumps(answer).encode()


def details(cursor: int, total: str, posts: int) -> bytes:
    said = {"status": "ok", "cursor": cursor, "count": posts, "total": total}
    return json.dumps({"messages": [said], "collection": [{}] * posts}).encode()


@pytest.mark.parametrize(
    ("format", "url", "body", "following"),
    [
        ("arxiv-api", API, atom(250, 0, 100), API.replace("start=0", "start=100")),
        ("arxiv-api", API, atom(250, 200, 50), None),
        ("arxiv-api", API, atom(250, 100, 0), None),
        ("arxiv-api", API, atom(80_000, 0, 100), None),  # never read to its end, so not begun
        ("arxiv-api", f"{API}&sortBy=submittedDate&sortOrder=descending", atom(80_000, 0, 100), "start=100"),
        ("openreview", NOTES, b'{"notes": [{}, {}], "count": 3}', NOTES.replace("offset=0", "offset=2")),
        ("openreview", NOTES, b'{"notes": [{}, {}]}', NOTES.replace("offset=0", "offset=2")),
        ("openreview", NOTES, b'{"notes": [{}], "count": 1}', None),
        ("openreview", NOTES, b'{"notes": [], "count": 3}', None),
        ("biorxiv", f"{DETAILS}/0/json?category=x", details(0, "130", 100), f"{DETAILS}/100/json?category=x"),
        ("biorxiv", DETAILS, details(0, "130", 30), f"{DETAILS}/30/json"),
        ("biorxiv", f"{DETAILS}/100/json", details(100, "130", 30), None),
        ("biorxiv", DETAILS, b'{"messages": [{"status": "no posts found"}], "collection": []}', None),
        ("europe-pmc", EPMC, epmc("A/+="), EPMC.replace("*", "A%2F%2B%3D")),
        ("europe-pmc", EPMC, epmc("*"), None),
        ("europe-pmc", EPMC, epmc("B", found=0), None),
        ("europe-pmc", EPMC, epmc("B", hits=31_000), None),
        ("crossref", WORKS, b'{"message": {"next-cursor": "D+", "items": [{}]}}', WORKS.replace("*", "D%2B")),
        ("crossref", WORKS, b'{"message": {"next-cursor": "D+", "items": []}}', None),
        (
            "doaj",
            "https://doaj.org/api/search/articles/x?page=1",
            b'{"total": 3, "page": 1, "pageSize": 2, "results": [{}, {}]}',
            "https://doaj.org/api/search/articles/x?page=2",
        ),
        (
            "oai-pmh",
            OAI,
            b'<OAI-PMH><resumptionToken cursor="0">a&amp;b|2</resumptionToken></OAI-PMH>',
            "https://a.example/oai?verb=ListRecords&resumptionToken=a%26b%7C2",
        ),
        ("oai-pmh", OAI, b"<OAI-PMH><resumptionToken/></OAI-PMH>", None),
        ("datacite", DOIS, dois("https://o.example/?page%5Bcursor%5D=MT"), f"{DOIS[:30]}page%5Bcursor%5D=MT"),
        ("datacite", DOIS, dois(""), None),
        ("datacite", DOIS, dois("/?page%5Bcursor%5D=MT", 1_000), None),
        ("datacite", f"{DOIS}&sort=-created", dois("/?page%5Bcursor%5D=MT", 1_000), "page%5Bcursor%5D=MT"),
        ("datacite", DOIS.replace("=1", "=MT"), dois("/?page%5Bcursor%5D=MU", 1_000), "page%5Bcursor%5D=MU"),
        ("json-feed", LIST, b'{"next_url": "/f.json?page=2"}', f"{LIST}?page=2"),
        ("json-feed", LIST, b'{"next_url": "https://a.example/f.json"}', None),
        ("json-feed", LIST, b'{"next_url": "file:///etc/passwd"}', None),
        ("json-feed", LIST, b'{"next_url": "http://[::1"}', None),
        ("json-feed", LIST, b'{"next_url": 7, "items": []}', "https://a.example/7"),
        ("json-feed", LIST, b'{"items": []}', None),
        ("semantic-scholar", BULK, ranked(9, token="P+/="), BULK + "&token=P%2B%2F%3D"),
        ("semantic-scholar", BULK + "&token=P", ranked(9, token="Q"), BULK + "&token=Q"),
        ("semantic-scholar", BULK + "&token=P", ranked(9, token=None), None),
        ("semantic-scholar", BULK, ranked(10_000_000, token="P"), None),
        ("semantic-scholar", RANKED, ranked(5, offset=0, next=2), RANKED.replace("offset=0", "offset=2")),
        ("semantic-scholar", RANKED, ranked(5, offset=4), None),
        ("semantic-scholar", RANKED, ranked(360_715, offset=998, next=1_000), None),
        ("oai-pmh", "file:/a.xml", b"<OAI-PMH><resumptionToken>a</resumptionToken></OAI-PMH>", None),
        ("rss", "https://a.example/rss", b"<rss/>", None),
    ],
)  # fmt: skip
def test_the_page_after_a_page(format: str, url: str, body: bytes, following: str | None) -> None:
    """Each service's way of paging, and its end."""
    found = pages.next_page(format, url, body)
    assert found == following or (found and following and f"&{following}" in found.replace("?", "&"))


def test_an_empty_page_of_arxiv_before_the_end_is_a_gap(shared: Path) -> None:
    """It is not the end: the page is asked for again."""
    assert pages.is_gap("arxiv-api", (shared / "data/faults/05-arxiv-empty-page.xml").read_bytes())
    assert not pages.is_gap("arxiv-api", atom(250, 0, 100))


def test_both_versions_of_openreview_lead_to_each_other() -> None:
    """A venue's address is turned into the other version's, and back."""
    for short in ("openreview:ICLR.cc/2021/Conference", "openreview:ICLR.cc/2021/Conference?all"):
        url = sources.address(short)
        other = sources.other_version(url)
        assert "/api.openreview.net/" in other
        assert sources.other_version(other) == url


def test_readme_has_the_table_of_the_sources() -> None:
    """README's table is what the formats and the short names say."""
    readme = (ROOT / "README.md").read_text("utf-8")
    found = re.search(r"<!-- sources -->\n(.*?)\n<!-- /sources -->", readme, re.DOTALL)
    assert found
    assert found[1].strip() == sources.table()
