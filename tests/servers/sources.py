"""A server of this machine that plays the great sources of papers, with answers out of the shared data.

It answers at /host/path for https://host/path, as a mirror of them all would, and cuts the real documents
into pages as the services do.
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aiohttp import web

PAGE = 2
"""So many papers stand on a page, whatever was asked for."""


class Sources:
    """The services: each method answers a request as the service of its name does."""

    def __init__(self, shared: Path) -> None:
        self.feeds = shared / "data" / "feeds"
        self.url = ""
        self.asked: list[str] = []
        self.weekend = False
        self.only_version = 0
        self.gaps = 0
        self.routes: tuple[tuple[str, Callable[[web.Request], bytes]], ...] = (
            (r"/rss\.arxiv\.org/rss/[\w.+-]+", self.arxiv_feed),
            (r"/export\.arxiv\.org/api/query", self.arxiv),
            (r"/api2\.openreview\.net/notes", lambda request: self.openreview(request, 2)),
            (r"/api\.openreview\.net/notes", lambda request: self.openreview(request, 1)),
            (r"/api\.biorxiv\.org/details/\w+/[\d-]+/[\d-]+/\d+/json", self.biorxiv),
            (r"/www\.ebi\.ac\.uk/europepmc/webservices/rest/search", self.europe_pmc),
            (r"/api\.crossref\.org/journals/[\dX-]+/works", self.crossref),
            (r"/doaj\.org/api/search/articles/.+", self.doaj),
            (r"/.+/oai2?", self.oai),
            (r"/api\.datacite\.org/dois", self.datacite),
            (r"/blog\.example/feed\.json", self.json_feed),
            (r"/api\.semanticscholar\.org/graph/v1/paper/search(/bulk)?", self.semantic_scholar),
        )

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(request.path_qs)
        for pattern, answer in self.routes:
            if re.fullmatch(pattern, request.path):
                body = answer(request)
                kind = "application/json" if body[:1] == b"{" else "text/xml"
                return web.Response(body=body, content_type=kind, charset="utf-8")
        return web.Response(status=404)

    def read(self, name: str) -> bytes:
        return (self.feeds / name).read_bytes()

    def load(self, name: str) -> Any:
        return json.loads(self.read(name))

    def arxiv_feed(self, request: web.Request) -> bytes:
        kind = "weekend_empty" if self.weekend else "csAI_2025-08-20"
        return self.read(f"constructed/arxiv_rss20_{kind}.xml")

    def arxiv(self, request: web.Request) -> bytes:
        """The API's answer; so many later pages as `gaps` says come empty."""
        whole = self.read("arxiv-atom-api/q_testing_s0_m10_bc5a6c384fe9.xml")
        start = int(request.query.get("start", "0"))
        parts = re.split(rb"(?=<entry>)|(?=</feed>)", whole)
        head, entries, foot = parts[0], parts[1:-1], parts[-1]
        shown = entries[start : start + PAGE]
        if start and self.gaps:
            self.gaps, shown = self.gaps - 1, []
        head = re.sub(rb"(startIndex>)\d+", rb"\g<1>%d" % start, head)
        head = re.sub(rb"(totalResults>)\d+", rb"\g<1>%d" % len(entries), head)
        return head + b"".join(shown) + foot

    def openreview(self, request: web.Request, version: int) -> bytes:
        if self.only_version and version != self.only_version:
            return b'{"notes": [], "count": 0}'
        notes = self.load(f"constructed/openreview_v{version}_notes.json")["notes"]
        start = int(request.query.get("offset", "0"))
        return json.dumps({"notes": notes[start : start + PAGE], "count": len(notes)}).encode()

    def biorxiv(self, request: web.Request) -> bytes:
        posts = self.load("constructed/biorxiv_details.json")["collection"]
        start = int(request.path.split("/")[-2])
        if not posts[start:]:
            return self.read("constructed/biorxiv_details_none.json")
        shown = posts[start : start + PAGE]
        # The service counts more than it can page: its last page says "no posts found".
        said = {"status": "ok", "cursor": start, "count": len(shown), "total": str(len(posts) + 1)}
        return json.dumps({"messages": [said], "collection": shown}).encode()

    def europe_pmc(self, request: web.Request) -> bytes:
        found = self.load("constructed/europepmc_core.json")["resultList"]["result"]
        mark = request.query.get("cursorMark", "*")
        start = 0 if mark == "*" else int(mark.removeprefix("A+/").removesuffix("="))
        following = f"A+/{start + PAGE}=" if found[start + PAGE :] else mark
        answer = {
            "hitCount": len(found),
            "nextCursorMark": following,
            "request": {"cursorMark": mark},
            "resultList": {"result": found[start : start + PAGE]},
        }
        return json.dumps(answer).encode()

    def crossref(self, request: web.Request) -> bytes:
        works = self.load("crossref/crossref-list.json")["items"]
        rows, mark = int(request.query["rows"]), request.query["cursor"]
        works = works * (rows // len(works) + 1)
        start = 0 if mark == "*" else int(mark.removeprefix("D+/"))
        message = {
            "items": works[start : start + rows],
            "total-results": len(works),
            "next-cursor": f"D+/{start + rows}",
        }
        return json.dumps({"status": "ok", "message-type": "work-list", "message": message}).encode()

    def doaj(self, request: web.Request) -> bytes:
        page = int(request.query["page"])
        articles = [
            {"id": f"{n:032}", "bibjson": {"title": f"Open article {n}", "abstract": f"We open {n}."}}
            for n in range(5)
        ]
        shown = articles[(page - 1) * PAGE : page * PAGE]
        answer = {"total": len(articles), "page": page, "pageSize": PAGE, "query": "q", "results": shown}
        return json.dumps(answer).encode()

    def oai(self, request: web.Request) -> bytes:
        whole = self.read("oai-pmh/arxiv-physics-hep-th.xml")
        head, *records = re.split(rb"(?=<record[ >])", whole)
        records[-1], foot = records[-1].split(b"</ListRecords>")
        start = int(request.query.get("resumptionToken", "part|0").partition("|")[2])
        token = b"<resumptionToken>part|%d</resumptionToken>" % (start + 1) if records[start + 1 :] else b""
        return head + records[start] + token + b"</ListRecords>" + foot

    def datacite(self, request: web.Request) -> bytes:
        """The real work and its like under other DOIs; the link to the next page names the service's host."""
        answer = self.load("datacite-doaj-dblp/datacite_api.json")
        works = [json.loads(json.dumps(answer["data"][0]).replace("00864", f"0086{n}")) for n in range(5)]
        for number, work in enumerate(works):
            work["attributes"]["titles"][0]["title"] += f", part {number}"
        start = int(request.query["page[cursor]"].removeprefix("MT")) - 1
        answer["data"] = works[start : start + PAGE]
        answer["meta"]["total"] = len(works)
        if works[start + PAGE :]:
            following = f"page%5Bcursor%5D=MT{start + PAGE + 1}&page%5Bsize%5D={PAGE}"
            answer["links"]["next"] = f"https://api.datacite.org/dois?{following}"
        return json.dumps(answer).encode()

    def json_feed(self, request: web.Request) -> bytes:
        """A real blog, page by page; the newest items come first."""
        answer = self.load("jsonfeed/feedjira_json_feed.json")
        page = int(request.query.get("page", "1"))
        items = answer["items"][:9]
        answer["items"] = items[(page - 1) * PAGE : page * PAGE]
        if items[page * PAGE :]:
            answer["next_url"] = f"?page={page + 1}"
        return json.dumps(answer).encode()

    def semantic_scholar(self, request: web.Request) -> bytes:
        """A search by relevance, by offset; or in bulk, by token."""
        answer = self.load("semanticscholar/semantic_scholar_transformer.json")
        papers = answer.pop("data")
        is_bulk = request.path.endswith("/bulk")
        start = int(request.query.get("token", "P0")[1:] if is_bulk else request.query.get("offset", "0"))
        more = start + PAGE if papers[start + PAGE :] else None
        said: dict[str, object] = {"total": len(papers), "data": papers[start : start + PAGE]}
        if is_bulk:
            said["token"] = f"P{more}" if more else None
        else:
            said |= {"offset": start} | ({"next": more} if more else {})
        return json.dumps(said).encode()


@contextmanager
def serve_sources(shared: Path) -> Iterator[Sources]:
    """The services on a free port of 127.0.0.1, served by a thread of their own."""
    played = Sources(shared)
    ready, over, loop = threading.Event(), asyncio.Event(), asyncio.new_event_loop()

    async def run() -> None:
        app = web.Application()
        app.router.add_get("/{path:.*}", played.handle)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        played.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        ready.set()
        await over.wait()
        await runner.cleanup()

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),), daemon=True)
    thread.start()
    assert ready.wait(10)
    try:
        yield played
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join(10)
        loop.close()
