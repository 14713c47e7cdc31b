"""Which incoming papers are new, revised, or the same work seen elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from digests.paper import UNSTORED, Paper, PaperId, contradict, fingerprint


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to be stored after a sighting.

    `paper` has the id `UNSTORED` when the work is new; `absorbed` are stored papers that turned out to be
    the same work: what points to them is to point to `paper`. `revised` says that title or abstract
    changed, `changed` that anything did.
    """

    paper: Paper
    absorbed: tuple[PaperId, ...] = ()
    revised: bool = False
    changed: bool = False


def sort_out(incoming: Paper, known: Sequence[Paper]) -> Verdict:
    """Decide what a sighting is, given the stored papers that share any of its keys.

    The oldest stored paper keeps its id; the others are absorbed.
    """
    same = sorted((paper for paper in known if _same(incoming, paper)), key=lambda paper: paper.id)
    if not same:
        return Verdict(replace(incoming, id=UNSTORED), changed=True)
    oldest = same[0]
    merged = oldest
    for other in (*same[1:], incoming):
        merged = _merge(merged, other)
    revised = (merged.title, merged.abstract) != (oldest.title, oldest.abstract)
    return Verdict(merged, tuple(paper.id for paper in same[1:]), revised, merged != oldest)


def _same(incoming: Paper, stored: Paper) -> bool:
    """Whether two papers that share a key are one work."""
    if set(incoming.identifiers) & set(stored.identifiers):
        return True
    if incoming.abstract and fingerprint(incoming) == fingerprint(stored):
        return True  # a preprint and its journal version: other DOIs, the same words
    return not contradict(incoming.identifiers, stored.identifiers) and _alike(incoming, stored)


def _alike(one: Paper, other: Paper) -> bool:
    """Whether half the words are the same: a feed may link all its items to one page."""
    field = "title" if one.title and other.title else "abstract"
    mine, theirs = (set(getattr(paper, field).casefold().split()) for paper in (one, other))
    return 2 * len(mine & theirs) >= len(mine | theirs)


def _merge(stored: Paper, seen: Paper) -> Paper:
    """`stored` with what `seen` adds; its text changes only for a later version or where it was wanting."""
    later = seen.version > stored.version
    title = seen.title if seen.title and (later or not stored.title) else stored.title
    abstract = seen.abstract if seen.abstract and (later or _is_cut(stored, seen)) else stored.abstract
    return replace(
        stored,
        title=title,
        abstract=abstract,
        authors=seen.authors if seen.authors and (later or not stored.authors) else stored.authors,
        identifiers=tuple(dict.fromkeys(stored.identifiers + seen.identifiers)),
        links=tuple(dict.fromkeys(stored.links + seen.links)),
        published=stored.published or seen.published,
        venue=stored.venue or seen.venue,
        categories=tuple(dict.fromkeys(stored.categories + seen.categories)),
        version=max(stored.version, seen.version),
        guid=stored.guid or seen.guid,
    )


def _is_cut(stored: Paper, seen: Paper) -> bool:
    """Whether the stored abstract is missing, or is the beginning of the one that was seen now."""
    beginning = stored.abstract.rstrip(" .…")
    return len(seen.abstract) > len(stored.abstract) and seen.abstract.startswith(beginning)
