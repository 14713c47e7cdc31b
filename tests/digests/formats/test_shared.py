"""Formats against real documents of real services, and small ones made after public fault reports."""

import csv
import re
from pathlib import Path

import pytest

from digests import formats
from digests.errors import ParseError
from digests.paper import Entry, Paper, from_entry
from digests.text import plain

NOT_YET = frozenset({"opml/hier-4-mixed.xml"})
"""Documents of kinds that are not read yet; it must shrink."""

DISAGREED = {
    # The description ends after "description 1"; the manifest runs on into the guid and the link.
    ("general-feeds/feed-utf16le.xml", "abstract"),
    # The manifest's 60 characters end inside a Markdown link, which text cleaning makes plain.
    ("jsonfeed/rogue_scholar_json_feed.json", "abstract"),
    # The manifest cuts the heading of the abstract's first section; labels of structured abstracts stay.
    ("constructed/europepmc_core.json", "abstract"),
    # The work says 2010; what the manifest gives is the day on which the repository changed its record.
    ("oai-pmh/ListRecords.xml", "date"),
    # The manifest counts eight people; the ninth author is a group, as in faults/17.
    ("pubmed/pubmed7.xml", "authors"),
    # The manifest names two of the three authors.
    ("crossref/crossref-works.single.json", "authors"),
}
"""What the manifest says and we do not, with the reason."""


def rows(shared: Path) -> list[tuple[Path, dict[str, str]]]:
    """The two tables' rows with the documents that they speak of."""
    found = []
    for folder, table in (("feeds", "MANIFEST.tsv"), ("faults", "expected.tsv")):
        with (shared / "data" / folder / table).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                for name in row["file"].split("+"):
                    found.append((shared / "data" / folder / name, {**row, "file": name}))
    return found


def differences(row: dict[str, str], papers: list[Paper], entries: list[Entry]) -> list[str]:
    """The fields in which the first paper is not what the row says; what it leaves empty is not compared."""
    if len(papers) != int(row["n_papers"]):
        return [f"{len(papers)} papers, not {row['n_papers']}"]
    if not papers:
        return []
    paper = papers[0]
    # The tables give text as it stood in the document: both sides are compared cleaned.
    begins = plain(row.get("abstract_first_60") or row.get("abstract_begins") or "")
    names = {str(name) for name in paper.identifiers} | {
        *entries[0].identifiers,
        *entries[0].links,
        paper.guid,
    }
    wrong = {
        "title": bool(row["first_title"]) and paper.title != plain(row["first_title"]),
        "abstract": not paper.abstract.startswith(begins[:45]),
        "authors": not _same_people(row["first_authors"], paper.authors),
        "date": bool(row["first_date"]) and paper.published != row["first_date"],
        "id": bool(row["first_id"]) and not _is_among(row["first_id"], names),
    }
    return [field for field, is_wrong in wrong.items() if is_wrong and (row["file"], field) not in DISAGREED]


def _same_people(said: str, authors: tuple[str, ...]) -> bool:
    """The table names the first few, some by the family name only, and how many more there are."""
    more = re.search(r"\(\+(\d*)[^)]*\)", said)
    names = [name for name in re.split(r"\s*;\s*", re.sub(r"\s*\(\+.*", "", said)) if name]
    if more and more[1] and "or more" not in said and len(authors) != len(names) + int(more[1]):
        return False
    if names and not more and len(authors) != len(names):
        return False
    return all(_words(name) <= _words(author) for name, author in zip(names, authors, strict=False))


def _words(name: str) -> set[str]:
    return set(re.findall(r"\w+", name.casefold()))


def _is_among(name: str, names: set[str]) -> bool:
    return any(re.sub(r"\?utm_\w+=\w+$", "", found).casefold() == name.casefold() for found in names)


def test_every_shared_document_gives_what_its_table_says(shared: Path) -> None:
    """Count, title, authors, identifier, date and abstract of each document are as a person read them."""
    wrong = {}
    for path, row in rows(shared):
        if row["file"] in NOT_YET:
            continue
        try:
            entries = [part for part in formats.read(path.read_bytes(), path.name) if isinstance(part, Entry)]
        except ParseError as error:
            if row["n_papers"] != "0":
                wrong[row["file"]] = [str(error)]
            continue
        if found := differences(row, [from_entry(entry) for entry in entries], entries):
            wrong[row["file"]] = found
    assert wrong == {}


def test_what_is_not_read_yet_is_truly_not_read(shared: Path) -> None:
    """A document that is read by now has no place in NOT_YET."""
    by_file = {row["file"]: (path, row) for path, row in rows(shared)}
    for file in NOT_YET:
        path, row = by_file[file]
        try:
            entries = [part for part in formats.read(path.read_bytes(), path.name) if isinstance(part, Entry)]
        except ParseError:
            continue
        assert differences(row, [from_entry(entry) for entry in entries], entries), file


def test_the_users_own_list_has_its_heading_and_19_abstracts(shared: Path) -> None:
    """The seed list comes in whole."""
    path = shared / "data" / "feeds" / "plain-text" / "000_c39bef2cca73db67.txt"
    first, *parts = formats.read(path.read_bytes(), path.name)
    assert getattr(first, "title", "") == "ICLR 2026 论文列表"
    assert [type(part) for part in parts] == [Entry] * 19


@pytest.mark.parametrize(
    ("file", "says"),
    [
        ("feeds/journal-rss/notfeed_e379dc5d.xml", "a web page instead of a feed (bot protection?)"),
        ("faults/35-challenge.html", "a web page instead of a feed (bot protection?)"),
        ("feeds/arxiv-atom-api/id_abc_s0_m100_b79c8dcf6bc3.xml", "incorrect id format for abc"),
    ],
)
def test_a_shared_document_that_is_no_feed_says_what_it_is(shared: Path, file: str, says: str) -> None:
    """A challenge page and a report of an error are told apart from a feed."""
    with pytest.raises(ParseError, match=re.escape(says)):
        list(formats.read((shared / "data" / file).read_bytes(), file))
