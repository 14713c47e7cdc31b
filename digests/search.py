"""Finds stored papers: all that match a query, or the one that a person means."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from digests.compose import beside, liked
from digests.errors import InputError, UnknownError
from digests.matching import Index
from digests.paper import Paper, canonical_link, identify, read_id, safe_link, written_id
from digests.ports import Store
from digests.query import Query, Term, likes, prefilter
from digests.text import clip

PAGE = 500

LIKE_PAGE = 5_000
"""So many papers at once tell how rare a word is, by which `like:` finds what is near."""


def search(store: Store, query: Query | None, most: int | None = None) -> Iterator[Paper]:
    """The stored papers that match, newest first; all of them for None.

    At most `most` are compared: where many have the words, or no word narrows the search, the newest.
    InputError where `like:` names no stored paper.
    """
    found = islice(store.papers.search(prefilter(query) if query else None), most)
    if query is None:
        yield from found
        return
    models = _models(store, query)
    while page := list(islice(found, LIKE_PAGE if models else PAGE)):
        others = beside(store, page, LIKE_PAGE - len(page)) if models else ()
        matched = {match.paper.id for match in Index([*page, *others], models).match(query)}
        yield from (paper for paper in page if paper.id in matched)


def _models(store: Store, query: Query) -> dict[str, Paper]:
    """The papers that `like:` names; InputError where one is not stored."""
    models = liked(store, [query])
    for value in likes(query):
        if value not in models:
            raise InputError(
                f"no stored paper is {value!r}", "name one by its id or identifier: like:p12, like:2510.13201"
            )
    return models


def find(store: Store, text: str) -> Paper:
    """The paper that a person names by its id, an identifier, a link, or words of its title or text.

    UnknownError when there is none, InputError when there are several.
    """
    if paper := read_id(text):
        return store.papers.get(paper)
    if known := store.papers.by_keys(_keys(text)):
        return store.papers.get(next(iter(known.values())))
    for field in ("title", ""):
        found = list(islice(search(store, Term(text, field=field)), 6)) if any(map(str.isalnum, text)) else []
        exact = [paper for paper in found if paper.title.casefold() == text.casefold()]
        if len(exact or found) == 1:
            return (exact or found)[0]
        if found:
            named = ", ".join(f"{written_id(p.id)} ({clip(p.title or p.abstract, 50)})" for p in found[:5])
            raise InputError(f"{text!r} fits several papers: {named}", "name one by its id")
    raise UnknownError(f"no stored paper is {text!r}", "look for it with: paperround papers search WORDS")


def _keys(text: str) -> tuple[str, ...]:
    identifier = identify(text)
    link = safe_link(text)
    return tuple(filter(None, (str(identifier or ""), f"url:{canonical_link(link)}" if link else "")))
