"""What channels with other settings get of the same digests: the samples of every platform."""

from dataclasses import replace

from digests.channel import Layout
from digests.digest import Digest, Item, Publication
from digests.sentences import sentences


def variants(
    ordinary: Digest, quiet: Digest, long: Digest, published: tuple[Publication, ...]
) -> dict[str, Digest]:
    """The three digests, and what settings and news make of them, by the names of their golden files."""
    return {
        "ordinary": ordinary,
        "quiet": quiet,
        "long": long,
        "compact": _compacted(ordinary),
        "chinese": replace(ordinary, label="#论文", language="zh", published=published),
        "news": replace(quiet, published=published),
        "flat": replace(long, thread=False, published=published),
    }


def _compacted(digest: Digest) -> Digest:
    """It as a channel with the compact layout gets it: one sentence of each paper."""
    sections = (replace(each, items=tuple(map(_compacted_item, each.items))) for each in digest.sections)
    return replace(digest, sections=tuple(sections), layout=Layout.COMPACT)


def _compacted_item(item: Item) -> Item:
    (sentence,) = sentences(item.summary)[:1] or ("",)
    kept = tuple(span for span in item.marks if span[1] <= len(sentence))
    return replace(item, summary=sentence, marks=kept, snippet="", snippet_marks=())
