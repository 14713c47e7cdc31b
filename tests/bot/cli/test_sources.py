"""Tests of the short names of the great sources, against a server that plays the services."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from bot import turns
from tests.bot.cli.conftest import Run
from tests.servers.sources import Sources, serve_sources


@pytest.fixture
def services(shared: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sources]:
    """The services, which may be asked at once and although they are on this machine."""
    monkeypatch.setenv("PAPERROUND_ALLOW", "127.0.0.1")
    defaults = (timedelta(0), *(turns.Turns.__init__.__defaults__ or ())[1:])
    monkeypatch.setattr(turns.Turns.__init__, "__defaults__", defaults)
    with serve_sources(shared) as played:
        yield played


SHORT = [
    ("arxiv:cs.AI+cs.CL", "arxiv-rss", 7, "/rss.arxiv.org/rss/cs.AI+cs.CL"),
    ("openreview:EMNLP/2024/Conference", "openreview", 5, "content.venueid=EMNLP/2024/Conference"),
    (
        "openreview:EMNLP/2024/Conference?all",
        "openreview",
        5,
        "invitation=EMNLP/2024/Conference/-/Submission",
    ),
    ("biorxiv:Cell Biology", "biorxiv", 3, "?category=cell_biology"),
    ("medrxiv:all", "biorxiv", 3, "/details/medrxiv/"),
    ("europepmc:heart failure", "europe-pmc", 5, "query=(heart%20failure)%20AND%20(FIRST_IDATE:%5B2"),
    ("pubmed:heart", "europe-pmc", 5, "SRC:MED"),
    ("crossref:1476-4687", "crossref", 20, "/journals/1476-4687/works?filter=from-created-date:2"),
    ("doaj:open science", "doaj", 5, "/search/articles/open%20science?page=1"),
    (
        "oai:https://repo.example/oai?set=math",
        "oai-pmh",
        3,
        "set=math&verb=ListRecords&metadataPrefix=oai_dc",
    ),
]


@pytest.mark.parametrize(("short", "format", "papers", "asks"), SHORT)
def test_a_short_name_is_read_to_its_last_page(
    run: Run, services: Sources, short: str, format: str, papers: int, asks: str
) -> None:
    """Each short name asks its service for the right thing, and every page of the answer is stored."""
    added = run("feeds", "add", short, "--name", "it", "--mirror", services.url)
    assert (added.code, added.err) == (0, "")
    assert asks in services.asked[0]
    (feed,) = run("feeds", "list", "--json").json
    assert (feed["format"], feed["state"]) == (format, "healthy")
    assert f"{papers} new papers" in added.out


PAGED = [
    ("api.datacite.org/dois?query=x&page[cursor]=1", "datacite", 5, 3),
    ("blog.example/feed.json", "json-feed", 9, 5),
    ("api.semanticscholar.org/graph/v1/paper/search?query=transformer&limit=2", "semantic-scholar", 5, 3),
    ("api.semanticscholar.org/graph/v1/paper/search/bulk?query=transformer", "semantic-scholar", 5, 3),
]


@pytest.mark.parametrize(("place", "format", "papers", "pages"), PAGED)
def test_an_address_is_read_to_its_last_page(
    run: Run, services: Sources, place: str, format: str, papers: int, pages: int
) -> None:
    """By the links, offsets and tokens of services that have no short name; a second reading stops early."""
    added = run("feeds", "add", f"{services.url}/{place}", "--name", "it")
    assert (added.code, added.err) == (0, "")
    assert f"{papers} new papers" in added.out
    assert (len(services.asked), run("feeds", "show", "it", "--json").json["format"]) == (pages, format)
    run("feeds", "refresh", "it")
    is_newest_first = format == "json-feed"
    assert len(services.asked) == pages + (1 if is_newest_first else pages)


@pytest.mark.parametrize(
    "short", ["arxiv:2301.00001", "openreview:ICLR", "crossref:nature", "europepmc:", "biorxiv:1"]
)
def test_a_short_name_that_names_nothing_is_answered_with_one_that_works(run: Run, short: str) -> None:
    """The error shows how the name of that source is written."""
    refused = run("feeds", "add", short)
    assert refused.code == 2
    assert f"write it like {short.partition(':')[0]}:" in refused.err.replace("\n", " ")


def test_an_empty_arxiv_feed_is_filled_from_the_api(run: Run, services: Sources) -> None:
    """Who registers a category at the weekend gets the last days at once, over a page that came empty."""
    services.weekend, services.gaps = True, 1
    added = run("feeds", "add", "arxiv:cs.AI", "--mirror", services.url)
    assert added.code == 0
    assert "10 new papers" in added.out
    assert "search_query=(cat:cs.AI)+AND+submittedDate:" in services.asked[1]


def test_a_venue_of_the_other_api_is_found_there(run: Run, services: Sources) -> None:
    """A venue that version 2 answers with nothing is asked of version 1, and from then on only of that."""
    services.only_version = 1
    run("feeds", "add", "openreview:ICLR.cc/2013/conference?all", "--name", "it", "--mirror", services.url)
    feed = run("feeds", "show", "it", "--json").json
    assert "/api.openreview.net/notes?invitation=ICLR.cc/2013/conference/-/Blind_Submission" in feed["url"]
    assert feed["papers"] == 4


def test_check_says_what_was_asked_and_what_came(run: Run, services: Sources) -> None:
    """Status, size, type, encoding, pages and address stand in the answer, beside what was understood."""
    run("feeds", "add", "crossref:1476-4687", "--name", "it", "--mirror", services.url)
    checked = run("feeds", "check", "it", "--json").json
    came = checked["came"]
    assert (came["status"], came["type"], came["encoding"], came["pages"]) == (
        200,
        "application/json; charset=utf-8",
        "utf-8",
        2,
    )
    assert (checked["state"], checked["count"], checked["notes"]) == ("healthy", 220, [])
    said = run("feeds", "check", "it").out
    assert "asked: " in said
    assert "2 pages, status 200" in said


def test_check_names_a_document_that_is_none(run: Run, shared: Path) -> None:
    """A challenge page is broken, and said to be one."""
    page = shared / "data" / "feeds" / "journal-rss" / "notfeed_e379dc5d.xml"
    checked = run("feeds", "check", page, "--json")
    assert checked.code == 1
    assert (checked.json["state"], checked.json["count"]) == ("broken", 0)
    assert "bot protection" in checked.json["notes"][0]
