"""Tests of refreshing: what a document gives, and how a feed fares when it gives none."""

import asyncio
import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from digests import sources
from digests.errors import FetchError, ParseError
from digests.feed import LEASE, Feed, Fetched
from digests.health import State, health, state
from digests.pages import FIRST_PAGES
from digests.ports import Store
from digests.reading import Reading, read
from digests.refresh import Checks, Collected, Refreshed, claim, collect, refresh
from storage.store import open_store
from tests.fakes import NOON, FakeFetcher, paper

HOUR = timedelta(hours=1)
Answer = bytes | Fetched | Exception
Answers = Mapping[str, Answer]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty database."""
    opened = open_store(tmp_path / "p.db")
    yield opened
    opened.close()


def lines(*items: object) -> bytes:
    """A JSON Lines document."""
    return "\n".join(item if isinstance(item, str) else json.dumps(item) for item in items).encode()


def item(number: int, **fields: str) -> dict[str, str]:
    return {"title": f"Paper {number}", "abstract": f"We do thing {number}. It works.", **fields}


def test_bad_item_is_named_and_costs_no_other() -> None:
    """A broken line in the middle is refused by its place; the lines around it come in."""
    reading = read(Fetched("file:a.jsonl", lines(item(1), '{"title": "cut', item(3))))
    assert [paper.title for paper in reading.papers] == ["Paper 1", "Paper 3"]
    assert [refused.where for refused in reading.refused] == ["line 2"]


def test_missing_fields_are_counted() -> None:
    """An admin sees at once that a source has no authors."""
    reading = read(Fetched("file:a.jsonl", lines(item(1, authors="Ann Author"), item(2))))
    assert dict(reading.missing) == {"authors": 1, "links": 2, "dates": 2}


def test_document_that_is_none_is_refused() -> None:
    """A web page is not a feed without news."""
    with pytest.raises(ParseError, match="web page"):
        read(Fetched("https://a.example/", b"<!DOCTYPE html><html><body>Hello</body></html>"))


async def test_refresh_stores_what_is_new(store: Store) -> None:
    """The first reading brings all, the second only what was added."""
    feed = Feed("a", "https://a.example/")
    store.feeds.add(feed, [], NOON)
    (first,) = await refresh([feed], store, FakeFetcher({feed.url: lines(item(1), item(2))}), lambda: NOON)
    (second,) = await refresh(
        [first.feed], store, FakeFetcher({feed.url: lines(item(2), item(3))}), lambda: NOON + HOUR
    )
    assert [len(first.intake.new), len(second.intake.new), second.intake.same] == [2, 1, 1]
    assert store.feeds.get("a").last_new == NOON + HOUR


async def test_unchanged_document_is_asked_for_by_its_etag(store: Store) -> None:
    """What the server calls unchanged is not read again, and the feed is healthy."""
    feed = Feed("a", "https://a.example/", etag='"7"', last_check=NOON, last_new=NOON, last_count=2)
    store.feeds.add(feed, [], NOON)
    fetcher = FakeFetcher({feed.url: Fetched(feed.url, b"", 304, not_modified=True)})
    (outcome,) = await refresh([feed], store, fetcher, lambda: NOON + HOUR)
    assert fetcher.asked == [(feed.url, '"7"')]
    assert state(outcome.feed, NOON + HOUR) is State.HEALTHY


async def test_failures_wait_longer_and_longer_and_recovery_is_noticed(store: Store) -> None:
    """Each failure in a row doubles the wait; one good document ends it."""
    feed = Feed("a", "https://a.example/", every=HOUR)
    store.feeds.add(feed, [], NOON)
    waits = []
    for _ in range(6):
        (outcome,) = await refresh([feed], store, FakeFetcher({}), lambda: NOON)
        feed = outcome.feed
        assert feed.due
        waits.append((feed.due - NOON) // HOUR)
    assert waits == [2, 4, 8, 16, 24, 24]
    assert state(store.feeds.get("a"), NOON) is State.BROKEN
    (outcome,) = await refresh([feed], store, FakeFetcher({feed.url: lines(item(1))}), lambda: NOON)
    well = outcome.feed
    assert (well.failures, well.back_at, state(well, NOON)) == (0, NOON, State.HEALTHY)
    assert (well.last_error, well.error_at) == ("not found", NOON)


async def test_server_that_asks_for_a_pause_gets_it(store: Store) -> None:
    """Retry-After is obeyed, up to a day."""
    feed = Feed("a", "https://a.example/", every=HOUR)
    store.feeds.add(feed, [], NOON)
    error = FetchError("busy", url=feed.url, status=429, retry_after=timedelta(days=30))
    (outcome,) = await refresh([feed], store, FakeFetcher({feed.url: error}), lambda: NOON)
    assert outcome.feed.due == NOON + timedelta(days=1)


async def test_bad_feed_costs_no_other(store: Store) -> None:
    """Of three feeds one is gone and one is a web page; the third is read."""
    feeds = [Feed(name, f"https://{name}.example/") for name in "abc"]
    for feed in feeds:
        store.feeds.add(feed, [], NOON)
    answers = {"https://b.example/": b"<html><body>Hello</body></html>", "https://c.example/": lines(item(1))}
    outcomes = await refresh(feeds, store, FakeFetcher(answers), lambda: NOON)
    assert [bool(outcome.error) for outcome in outcomes] == [True, True, False]
    assert [len(outcome.intake.new) for outcome in outcomes] == [0, 0, 1]


async def test_permanent_move_is_remembered(store: Store) -> None:
    """Where a feed has moved for good it is read there from then on."""
    feed = Feed("a", "https://a.example/")
    store.feeds.add(feed, [], NOON)
    moved = Fetched("https://new.example/", lines(item(1)), moved_to="https://new.example/")
    await refresh([feed], store, FakeFetcher({feed.url: moved}), lambda: NOON)
    assert store.feeds.get("a").url == "https://new.example/"


# ---- pages

OAI = "https://a.example/oai?verb=ListRecords&metadataPrefix=oai_dc"
RECORD = """<record><header><identifier>oai:a:{n}</identifier></header><metadata>
<dc xmlns="http://purl.org/dc/elements/1.1/"><title>Record {n}</title></dc></metadata></record>"""


def harvest(page: int, last: int = 3) -> bytes:
    """A page of a repository with two records on each."""
    token = f"<resumptionToken>{page + 1}</resumptionToken>" if page < last else "<resumptionToken/>"
    records = RECORD.format(n=2 * page) + RECORD.format(n=2 * page + 1)
    return f"<OAI-PMH><ListRecords>{records}{token}</ListRecords></OAI-PMH>".encode()


def oai_page(page: int) -> str:
    return OAI if page == 1 else f"https://a.example/oai?verb=ListRecords&resumptionToken={page}"


async def one(store: Store, feed: Feed, answers: Answers, now: datetime = NOON) -> Refreshed:
    """What becomes of one feed, registered if it is not."""
    if feed.name not in {known.name for known in store.feeds.all()}:
        store.feeds.add(feed, [], now)
    (outcome,) = await refresh([feed], store, FakeFetcher(answers), lambda: now)
    return outcome


async def test_all_pages_are_read(store: Store) -> None:
    """Three pages are one reading; its validators are not kept, for a later page may change alone."""
    first = Fetched(OAI, harvest(1), etag='"1"')
    answers: Answers = {OAI: first, oai_page(2): harvest(2), oai_page(3): harvest(3)}
    outcome = await one(store, Feed("a", OAI), answers)
    assert (len(outcome.intake.new), outcome.error) == (6, None)
    assert (outcome.feed.last_count, outcome.feed.etag) == (6, "")


@pytest.mark.parametrize(
    "fault", [FetchError("answered 500", url="", status=500), b"<html><body>Just a moment</body></html>"]
)
async def test_a_page_that_fails_costs_no_page_before_it(store: Store, fault: Answer) -> None:
    """Of three pages two are kept, and that the third is missing is said."""
    answers: Answers = {OAI: harvest(1), oai_page(2): harvest(2), oai_page(3): fault}
    outcome = await one(store, Feed("a", OAI), answers)
    assert len(outcome.intake.new) == 4
    assert "page 3 is missing" in str(outcome.error)
    fares = health(store.feeds.get("a"), NOON)
    assert fares.state is State.HEALTHY
    assert fares.why.startswith("it was read in part: page 3 is missing")


async def test_pages_that_lead_to_each_other_end(store: Store) -> None:
    """A token that comes again is not followed a second time."""
    circle = harvest(2).replace(b">3<", b">2<")
    outcome = await one(store, Feed("a", OAI), {OAI: harvest(1), oai_page(2): circle})
    assert (len(outcome.intake.new), outcome.error) == (4, None)


async def test_endless_pages_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A repository that never ends costs so many pages and no more."""
    monkeypatch.setattr("digests.refresh.MAX_PAGES", 4)
    fetcher = FakeFetcher({oai_page(page): harvest(page, 99) for page in range(1, 99)})
    collected = await collect(Feed("a", OAI), fetcher, NOON)
    assert (collected.pages, len(fetcher.asked)) == (4, 4)


API = "https://export.arxiv.org/api/query?search_query=all:x&sortBy=submittedDate&sortOrder=descending"


def atom(*numbers: int, start: int = 0, total: int = 6) -> bytes:
    """A page of arXiv's API."""
    entries = "".join(
        f"<entry><id>http://arxiv.org/abs/2611.{n:05}v1</id><title>Study {n}</title>"
        f"<summary>We do thing {n}.</summary><published>2026-11-30T00:00:00Z</published></entry>"
        for n in numbers
    )
    space = 'xmlns="http://www.w3.org/2005/Atom" xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"'
    counts = f"<opensearch:totalResults>{total}</opensearch:totalResults>"
    counts += f"<opensearch:startIndex>{start}</opensearch:startIndex>"
    return f"<feed {space}><id>http://arxiv.org/api/x</id>{counts}{entries}</feed>".encode()


async def test_a_page_of_arxiv_that_comes_empty_is_asked_for_again(store: Store) -> None:
    """Empty twice before the end: what was read is kept, and the rest is said to be missing."""
    answers = {API: atom(1, 2), f"{API}&start=2": atom(start=2)}
    outcome = await one(store, Feed("a", API), answers)
    assert len(outcome.intake.new) == 2
    assert "arXiv has 6 papers for this query, but its page from 2 came empty" in str(outcome.error)


async def test_newest_papers_are_read_until_they_are_known(store: Store) -> None:
    """Of a query with the newest first, no page is read behind one that brings nothing new."""
    answers = {API: atom(6, 5), f"{API}&start=2": atom(4, 3, start=2), f"{API}&start=4": atom(2, 1, start=4)}
    first = await one(store, Feed("a", API), answers)
    fetcher = FakeFetcher(
        answers | {API: atom(8, 7, total=8), f"{API}&start=2": atom(6, 5, start=2, total=8)}
    )
    (second,) = await refresh([first.feed], store, fetcher, lambda: NOON + HOUR)
    assert (len(first.intake.new), len(second.intake.new), len(fetcher.asked)) == (6, 2, 2)


JSON_FEED = "https://a.example/papers.json"


def feed_page(page: int, last: int) -> bytes:
    """A page of a JSON Feed, of one paper."""
    following = {"next_url": f"{JSON_FEED}?page={page + 1}"} if page < last else {}
    papers = [{"id": str(page), "title": f"Paper {page}", "content_text": f"We do thing {page}."}]
    document = {"version": "https://jsonfeed.org/version/1.1", "title": "A", "items": papers, **following}
    return json.dumps(document).encode()


@pytest.mark.parametrize(("is_list", "count"), [(True, 8), (False, FIRST_PAGES)])
async def test_a_fixed_list_is_read_to_its_end(store: Store, is_list: bool, count: int) -> None:
    """Of a feed's past a few pages are enough, of a conference every one counts."""
    answers = {f"{JSON_FEED}?page={page}": feed_page(page, 8) for page in range(2, 9)}
    answers |= {JSON_FEED: feed_page(1, 8)}
    outcome = await one(store, Feed("a", JSON_FEED, is_list=is_list), answers)
    assert len(outcome.intake.new) == count


async def test_what_comes_late_at_the_end_of_a_fixed_list_is_found(store: Store) -> None:
    """Read again, a list is not left at its first page because that is known."""
    feed = Feed("a", JSON_FEED, is_list=True)
    first = await one(store, feed, {JSON_FEED: feed_page(1, 1)})
    again = {JSON_FEED: feed_page(1, 2), f"{JSON_FEED}?page=2": feed_page(2, 2)}
    second = await one(store, first.feed, again, NOON + HOUR)
    assert len(second.intake.new) == 1


# ---- what arXiv's feeds have missed

RSS = "https://rss.arxiv.org/rss/cs.CL"
DAY = timedelta(days=1)


def announced(*numbers: int, built: str = "Tue, 01 Dec 2026 05:00:00 +0000") -> bytes:
    """A day's feed of arXiv's."""
    items = "".join(
        f"<item><title>Study {n}</title><link>https://arxiv.org/abs/2611.{n:05}</link>"
        f"<description>arXiv:2611.{n:05}v1 Announce Type: new\nAbstract: We do thing {n}.</description>"
        f"<guid isPermaLink='false'>oai:arXiv.org:2611.{n:05}v1</guid></item>"
        for n in numbers
    )
    head = f"<title>cs.CL updates on arXiv.org</title><lastBuildDate>{built}</lastBuildDate>"
    return f'<rss version="2.0"><channel>{head}{items}</channel></rss>'.encode()


def api(since: datetime, now: datetime) -> str:
    return sources.catch_up(RSS, since, now)


async def test_missed_days_come_from_the_api(store: Store) -> None:
    """Read on Tuesday and again on Friday: Wednesday and Thursday come through the API, each paper once."""
    first = await one(store, Feed("a", RSS), {RSS: announced(1, 2)})
    friday = NOON + 3 * DAY
    answers = {RSS: announced(7, 8), api(NOON, friday): atom(8, 7, 6, 5, 4, 2, total=6)}
    second = await one(store, first.feed, answers, friday)
    assert (len(first.intake.new), len(second.intake.new)) == (2, 5)
    assert (second.feed.last_count, second.feed.whole, state(second.feed, friday)) == (
        2,
        friday,
        State.HEALTHY,
    )


async def test_missed_days_are_asked_for_until_they_come(store: Store) -> None:
    """When the API is down the feed's own papers are kept, and the next check asks for the days again."""
    first = await one(store, Feed("a", RSS), {RSS: announced(1, 2)})
    friday = NOON + 3 * DAY
    second = await one(store, first.feed, {RSS: announced(7)}, friday)
    assert (len(second.intake.new), str(second.error), second.feed.whole) == (1, "not found", NOON)
    answers = {RSS: announced(7), api(NOON, friday + HOUR): atom(4, 5, total=2)}
    third = await one(store, second.feed, answers, friday + HOUR)
    assert (len(third.intake.new), third.feed.whole) == (2, friday + HOUR)


async def test_yesterdays_batch_is_stale_and_caught_up_on(store: Store) -> None:
    """The same papers under a fresh build date are stale; the day's own come through the API, asked once."""
    first = await one(store, Feed("a", RSS), {RSS: announced(1, 2)})
    again = announced(2, 1, built="Wed, 02 Dec 2026 05:00:00 +0000")
    answers = {RSS: again, api(NOON, NOON + DAY): atom(3, 2, total=2)}
    second = await one(store, first.feed, answers, NOON + DAY)
    assert ([len(second.intake.new)], state(second.feed, NOON + DAY)) == ([1], State.STALE)
    third = await one(store, second.feed, {RSS: again}, NOON + DAY + HOUR)
    assert (third.error, state(third.feed, NOON + DAY + HOUR)) == (None, State.STALE)


async def test_a_feed_that_has_not_changed_since_yesterday_is_stale_too(store: Store) -> None:
    """304 on the next weekday is the same batch again."""
    first = await one(store, Feed("a", RSS), {RSS: Fetched(RSS, announced(1, 2), etag='"1"')})
    same = Fetched(RSS, b"", 304, etag='"1"', not_modified=True)
    second = await one(store, first.feed, {RSS: same, api(NOON, NOON + DAY): atom(3, total=1)}, NOON + DAY)
    assert (len(second.intake.new), state(second.feed, NOON + DAY)) == (1, State.STALE)


async def test_an_empty_weekend_asks_nobody_else(store: Store) -> None:
    """On Saturday and Sunday arXiv's feed is empty, and healthy."""
    friday = NOON + 3 * DAY
    outcome = await one(store, Feed("a", RSS), {RSS: announced(1)}, friday)
    for n in (1, 2):
        outcome = await one(store, outcome.feed, {RSS: announced()}, friday + n * DAY)
        assert (outcome.error, state(outcome.feed, friday + n * DAY)) == (None, State.HEALTHY)


async def test_a_venue_of_the_other_api_is_asked_there_from_then_on(store: Store) -> None:
    """OpenReview's version 2 answers a venue of version 1 with nothing; the other is tried, and said so."""
    url = sources.address("openreview:ICLR.cc/2021/Conference")
    other = sources.other_version(url)
    note = {"id": "abcdefgh1", "forum": "abcdefgh1", "content": {"title": "T", "abstract": "We do."}}
    answers = {url: b'{"notes": [], "count": 0}', other: json.dumps({"notes": [note], "count": 1}).encode()}
    outcome = await one(store, Feed("a", url), answers)
    assert (len(outcome.intake.new), outcome.feed.url) == (1, other)
    assert outcome.reading
    assert "only the other version" in outcome.reading.notes[-1]


# ---- the round goes on


async def test_ten_feeds_with_a_bad_item_each_lose_only_that(store: Store) -> None:
    """Each names its bad item; all the others come in."""
    feeds = [Feed(f"f{n}", f"https://{n}.example/") for n in range(10)]
    for feed in feeds:
        store.feeds.add(feed, [], NOON)
    answers = {
        feed.url: lines(item(10 * n), '{"title": "cut', item(10 * n + 1)) for n, feed in enumerate(feeds)
    }
    outcomes = await refresh(feeds, store, FakeFetcher(answers), lambda: NOON)
    assert [len(outcome.intake.new) for outcome in outcomes] == [2] * 10
    assert [len(outcome.reading.refused) for outcome in outcomes if outcome.reading] == [1] * 10


async def test_a_fault_of_our_own_costs_no_other_feed(store: Store) -> None:
    """Whatever is raised while a feed is read becomes that feed's state."""
    feeds = [Feed(name, f"https://{name}.example/") for name in "ab"]
    for feed in feeds:
        store.feeds.add(feed, [], NOON)
    answers: Answers = {feeds[0].url: RecursionError("too deep"), feeds[1].url: lines(item(1))}
    outcomes = await refresh(feeds, store, FakeFetcher(answers), lambda: NOON)
    assert "a fault of Paperround itself: RecursionError" in health(outcomes[0].feed, NOON).why
    assert len(outcomes[1].intake.new) == 1


async def test_a_feed_that_is_removed_or_paused_meanwhile_stays_so(store: Store) -> None:
    """What an admin does while a feed is read is not undone by its check."""
    feeds = registered(store, "a.example/1", "b.example/1")

    class Meanwhile(FakeFetcher):
        async def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> Fetched:
            if "a.example" in url:
                store.feeds.remove("a.example/1")
            else:
                store.feeds.save(replace(store.feeds.get("b.example/1"), paused=True))
            return await super().fetch(url)

    answers = {feed.url: lines(item(1)) for feed in feeds}
    outcomes = await refresh(feeds, store, Meanwhile(answers), lambda: NOON)
    assert [bool(outcome.error) for outcome in outcomes] == [True, False]
    assert [(feed.name, feed.paused) for feed in store.feeds.all()] == [("b.example/1", True)]


# ---- checks under way


def registered(store: Store, *places: str) -> list[Feed]:
    """Feeds of these hosts and paths, named like them."""
    feeds = [Feed(place, f"https://{place}") for place in places]
    for feed in feeds:
        store.feeds.add(feed, (), NOON)
    return feeds


class SlowFetcher(FakeFetcher):
    """Answers for every address but those of one host, which it lets wait until `go`."""

    def __init__(self, slow: str) -> None:
        super().__init__({})
        self.slow = slow
        self.go = asyncio.Event()

    async def fetch(self, url: str, *, etag: str = "", last_modified: str = "") -> Fetched:
        self.asked.append((url, etag))
        if self.slow in url:
            await self.go.wait()
        return Fetched(url, lines(item(len(url) * 1000 + sum(url.encode()))))


async def test_a_slow_host_holds_up_only_its_own_feeds(store: Store) -> None:
    """The feeds of the others are checked, told and due again while it has not answered yet."""
    feeds = registered(store, "slow.example/1", "slow.example/2", "a.example/1", "a.example/2", "b.example/1")
    fetcher, told = SlowFetcher("slow"), []
    checks = Checks(store, fetcher, lambda: NOON, lambda outcome: told.append(outcome.feed.name))
    begun = checks.begin(store.feeds.due(NOON))
    assert len(begun) == 3
    await asyncio.wait(begun, timeout=5, return_when=asyncio.FIRST_COMPLETED)
    async with asyncio.timeout(5):
        while len(told) < 3:  # noqa: ASYNC110 -- threads write to a database
            await asyncio.sleep(0.01)
    assert sorted(told) == ["a.example/1", "a.example/2", "b.example/1"]
    later = registered(store, "slow.example/3", "c.example/1")
    again = checks.begin(store.feeds.due(NOON))
    assert len(again) == 1  # c.example; of the slow host nothing is begun, and what is due there waits
    await asyncio.wait(again, timeout=5)
    assert told[-1] == later[1].name
    fetcher.go.set()
    await asyncio.wait(begun, timeout=5)
    assert [url for url, _ in fetcher.asked].count("https://slow.example/1") == 1
    assert len(told) == len(feeds) + 1
    assert [feed.name for feed in store.feeds.due(NOON)] == ["slow.example/3"]


async def test_two_processes_check_a_feed_once(store: Store) -> None:
    """What one has taken is not due for the other, also if that had looked it up before."""
    registered(store, *(f"{host}.example/{number}" for host in "abcdef" for number in range(5)))
    due = store.feeds.due(NOON)
    fetcher = SlowFetcher("none")
    one, other = await asyncio.gather(
        refresh(due, store, fetcher, lambda: NOON), refresh(due, store, fetcher, lambda: NOON)
    )
    assert len(fetcher.asked) == len(due) == len({url for url, _ in fetcher.asked})
    assert sorted(done.feed.name for done in (*one, *other)) == sorted(feed.name for feed in due)


async def test_a_feed_that_is_taken_and_never_given_back_is_due_again_soon(store: Store) -> None:
    """The process that took it may have been killed; the next digest is to have its news."""
    (feed,) = registered(store, "a.example/1")
    taken = claim(feed, store, NOON)
    assert taken
    assert not store.feeds.due(NOON + LEASE - timedelta(seconds=1))
    assert not claim(taken, store, NOON + LEASE - timedelta(seconds=1))
    assert not claim(taken, store, NOON - timedelta(seconds=2)), "no two clocks are quite alike"
    assert store.feeds.due(NOON + LEASE) == (taken,)
    assert claim(taken, store, NOON + LEASE)


async def test_a_long_check_keeps_its_feed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long an answer takes, nobody else begins to read the feed meanwhile."""
    monkeypatch.setattr("digests.refresh.RENEW_EVERY", 0.01)
    (feed,) = registered(store, "slow.example/1")
    fetcher, times = SlowFetcher("slow"), [NOON]
    reading = asyncio.create_task(refresh([feed], store, fetcher, lambda: times[-1]))
    for _ in range(4):
        times.append(times[-1] + LEASE / 2)
        async with asyncio.timeout(5):
            while store.feeds.get(feed.name).held_until != times[-1] + LEASE:  # noqa: ASYNC110 -- a database
                await asyncio.sleep(0.01)
        assert not store.feeds.due(times[-1])
        assert await refresh([store.feeds.get(feed.name)], store, fetcher, lambda: times[-1]) == ()
    fetcher.go.set()
    (outcome,) = await reading
    assert (len(outcome.intake.new), len(fetcher.asked)) == (1, 1)
    assert store.feeds.get(feed.name).held_until is None


async def test_a_feed_that_cannot_be_taken_is_told_and_costs_no_other(store: Store, tmp_path: Path) -> None:
    """Its row is damaged; the next one of the same host is read all the same."""
    feeds = registered(store, "a.example/1", "a.example/2")
    with closing(sqlite3.connect(tmp_path / "p.db")) as connection, connection:
        connection.execute("UPDATE feeds SET days = '[' WHERE name = 'a.example/1'")
    outcomes = await refresh(feeds, store, SlowFetcher("none"), lambda: NOON)
    assert "a fault of Paperround itself: JSONDecodeError" in str(outcomes[0].error)
    assert [len(outcome.intake.new) for outcome in outcomes] == [0, 1]


async def test_each_check_reads_the_clock(store: Store) -> None:
    """The last feed of a long queue is not checked at the time at which the first one was."""
    registered(store, "a.example/1", "a.example/2", "a.example/3")
    times = iter(NOON + timedelta(minutes=n) for n in range(10))
    outcomes = await refresh(store.feeds.due(NOON), store, SlowFetcher("none"), lambda: next(times))
    assert [outcome.feed.last_check for outcome in outcomes] == [
        NOON + timedelta(minutes=n) for n in range(3)
    ]


async def test_what_is_under_way_at_a_stop_is_due_again_as_it_was(store: Store) -> None:
    """Nothing half-done is kept, and the next process begins with it."""
    feeds = registered(store, "slow.example/1", "slow.example/2")
    fetcher = SlowFetcher("slow")
    checks = Checks(store, fetcher, lambda: NOON, lambda outcome: None)
    checks.begin(feeds)
    async with asyncio.timeout(5):
        while not fetcher.asked:  # noqa: ASYNC110 -- threads write to a database
            await asyncio.sleep(0.01)
    assert [feed.name for feed in store.feeds.due(NOON)] == ["slow.example/2"]
    await checks.stop(5)
    assert store.feeds.all() == tuple(feeds)
    assert len(fetcher.asked) == 1


def test_what_was_read_has_a_short_repr() -> None:
    """asyncio.run takes the repr of its result: of 20,000 papers and their document it was 400 MB."""
    fetched = Fetched(RSS, b"x" * 100_000)
    collected = Collected(RSS, fetched, Reading("atom", papers=(paper("Graphs"),) * 200))
    assert len(repr((collected, Refreshed(Feed("a", RSS), reading=collected.reading)))) < 5_000
