"""Tests of papers: identifiers in every spelling, links that are safe, and the keys of one work."""

from typing import Any

import pytest

from digests.errors import InputError
from digests.paper import (
    Entry,
    Identifier,
    PaperId,
    canonical_link,
    contradict,
    from_entry,
    identify,
    is_weak,
    keys,
    landing,
    read_id,
    safe_link,
    shown_link,
    version_of,
    written_id,
)

SPELLINGS = [
    ("2202.12139", "arxiv:2202.12139"),
    ("2202.12139v3", "arxiv:2202.12139"),
    ("arXiv:2202.12139v1", "arxiv:2202.12139"),
    ("oai:arXiv.org:2508.13426v1", "arxiv:2508.13426"),
    ("http://arxiv.org/abs/2202.12139v1", "arxiv:2202.12139"),
    ("https://arxiv.org/pdf/2202.12139v2.pdf", "arxiv:2202.12139"),
    ("https://www.arxiv.org/abs/astro-ph/0601001", "arxiv:astro-ph/0601001"),
    ("arXiv:math.AG/0211159v1", "arxiv:math.ag/0211159"),
    ("10.48550/arXiv.2202.12139", "arxiv:2202.12139"),
    ("https://doi.org/10.48550/arxiv.2202.12139v2", "arxiv:2202.12139"),
    ("10.1101/001891", "doi:10.1101/001891"),
    ("doi:10.1101/001891", "doi:10.1101/001891"),
    ("DOI: 10.1101/001891.", "doi:10.1101/001891"),
    ("https://dx.doi.org/10.1103/PhysRevD.66.010001", "doi:10.1103/physrevd.66.010001"),
    ("https://onlinelibrary.wiley.com/doi/10.1002/tax.12603?af=R", "doi:10.1002/tax.12603"),
    ("https://www.biorxiv.org/content/10.1101/2020.01.30.927871v1.full", "doi:10.1101/2020.01.30.927871"),
    ("https://doi.org/10.1002/(SICI)1097-461X(1998)66:4%3C261::AID-QUA1%3E3.0.CO;2-S",
     "doi:10.1002/(sici)1097-461x(1998)66:4<261::aid-qua1>3.0.co;2-s"),
    ("https://openreview.net/forum?id=0UK8c2kg7c", "openreview:0UK8c2kg7c"),
    ("https://openreview.net/forum?noteId=x&id=-JwmfQC6IRt", "openreview:-JwmfQC6IRt"),
    ("openreview:B1xSperKvH", "openreview:B1xSperKvH"),
    ("https://pubmed.ncbi.nlm.nih.gov/29963580/", "pmid:29963580"),
    ("PMID: 29963580", "pmid:29963580"),
    ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC7654321/", "pmcid:PMC7654321"),
    ("https://aclanthology.org/2023.acl-long.12/", "acl:2023.acl-long.12"),
    ("https://www.aclanthology.org/P19-1001.pdf", "acl:P19-1001"),
    ("https://proceedings.mlr.press/v13/kaelin10a.html", "pmlr:v13/kaelin10a"),
    ("https://www.alphaxiv.org/abs/2202.12139v2", "arxiv:2202.12139"),
    ("https://ar5iv.labs.arxiv.org/html/2202.12139", "arxiv:2202.12139"),
    ("https://huggingface.co/papers/2202.12139", "arxiv:2202.12139"),
    ("arXiv:2202.12139v1 [cs.CL]", "arxiv:2202.12139"),
    ("https://www.frontiersin.org/articles/10.3389/fpsyg.2020.00001/full", "doi:10.3389/fpsyg.2020.00001"),
    ("https://iopscience.iop.org/article/10.1088/1742-6596/1/2/3/meta", "doi:10.1088/1742-6596/1/2/3"),
    ("https://onlinelibrary.wiley.com/doi/epdf/10.1002/tax.12603", "doi:10.1002/tax.12603"),
    ("https://europepmc.org/article/MED/29963580", "pmid:29963580"),
    ("dblp:journals/cacm/Szalay08", "dblp:journals/cacm/Szalay08"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "identifier"), SPELLINGS)
def test_identifier_has_one_normal_form(text: str, identifier: str) -> None:
    """However a source spells an identifier, it is the same one."""
    assert str(identify(text)) == identifier


@pytest.mark.parametrize(
    "text",
    ["", "hello", "https://example.org/2202", "12345", "3.14159", "https://arxiv.org/list/cs.CL/new", "PMC"],
)
def test_no_identifier_is_guessed(text: str) -> None:
    """A number or an address that names no work is no identifier."""
    assert identify(text) is None


def test_version_is_read_where_it_stands() -> None:
    """arXiv's version is no part of the identity, and is not lost."""
    assert [version_of(text) for text in ("arXiv:2202.12139v3", "2202.12139", "x")] == [3, 0, 0]


@pytest.mark.parametrize(
    ("text", "doi", "version"),
    [
        (
            "https://www.biorxiv.org/content/10.1101/2020.01.30.927871v2.full.pdf",
            "10.1101/2020.01.30.927871",
            2,
        ),
        ("https://www.medrxiv.org/content/10.64898/2026.01.30.26345678v1", "10.64898/2026.01.30.26345678", 1),
        ("https://doi.org/10.21203/rs.3.rs-123456/v3", "10.21203/rs.3.rs-123456", 3),
        ("10.20944/preprints202401.0001.v2", "10.20944/preprints202401.0001", 2),
        ("10.26434/chemrxiv-2024-x1y2z-v4", "10.26434/chemrxiv-2024-x1y2z", 4),
        ("10.31234/osf.io/ab3de_v2", "10.31234/osf.io/ab3de", 2),
        ("10.1101/gr.123456.110", "10.1101/gr.123456.110", 0),
    ],
)
def test_versions_of_a_preprint_are_one_work(text: str, doi: str, version: int) -> None:
    """Preprint servers write the version into the DOI; a journal's DOI keeps all its letters."""
    assert (str(identify(text)), version_of(text)) == (f"doi:{doi}", version)


@pytest.mark.parametrize(
    ("link", "safe"),
    [
        ("https://example.org/a?b=c#d", "https://example.org/a?b=c#d"),
        ("HTTP://Example.ORG/a b", "http://example.org/a%20b"),
        ("https://example.org/<script>", "https://example.org/%3Cscript%3E"),
        ("https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"),
        ("javascript:alert(1)", ""),
        ("data:text/html,x", ""),
        ("ftp://example.org/a", ""),
        ("//example.org/a", ""),
        ("https://", ""),
        ("https://user:secret@example.org/", ""),
        ("https://[::1", ""),
        ("https://exa mple.org/", ""),
        ("https://example.org:99999/", ""),
        ("https://example.org:8080/a;b?c=%20", "https://example.org:8080/a;b?c=%20"),
        ("https://example.org/?#", "https://example.org/"),
        (f"https://{'a' * 64}.org/", ""),
        ("https://example..org/", ""),
        (f"https://example.org/{'a' * 2_000}", ""),
    ],
)
def test_link_is_http_and_harmless_or_nothing(link: str, safe: str) -> None:
    """Only http addresses with a host come through, odd characters encoded."""
    assert safe_link(link) == safe


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://feeds.example.org/p/13?utm_source=rss", "http://www.feeds.example.org/p/13/"),
        ("https://a.example/x?id=2#top", "https://a.example/x?id=2"),
    ],
)
def test_tracking_does_not_change_a_page(one: str, other: str) -> None:
    """Scheme, www, fragment and tracking parameters do not make another page."""
    assert canonical_link(one) == canonical_link(other)


@pytest.mark.parametrize(
    ("link", "shown"),
    [
        ("https://a.example/x?id=2&utm_source=rss&utm_medium=feed#top", "https://a.example/x?id=2#top"),
        (
            "https://openreview.net/forum?id=abcd&referrer=%5Bx%5D",
            "https://openreview.net/forum?id=abcd&referrer=%5Bx%5D",
        ),
        ("https://a.example/x;jsessionid=A1?af=R", "https://a.example/x"),
        ("https://a.example/find?q=a+b%20c&source=rss", "https://a.example/find?q=a+b%20c"),
        ("javascript:alert(1)?utm_source=x", ""),
    ],
)
def test_readers_links_lose_what_follows_them(link: str, shown: str) -> None:
    """Tracking parameters go, all others stay as they were written."""
    assert shown_link(link) == shown


def test_meaningful_parameters_are_kept() -> None:
    """A page that its query string names stays apart from its neighbours."""
    assert canonical_link("https://a.example/x?id=2") != canonical_link("https://a.example/x?id=3")


def test_entry_becomes_a_clean_paper() -> None:
    """Mark-up goes, identifiers are found wherever they stand, the version is kept apart."""
    paper = from_entry(
        Entry(
            title=r"\textbf{DiffAdapt}: 22--25\%",
            abstract="<p>We show $10^0$.</p>",
            authors=(r"K\"{a}hler, A.", " ", "Ann Author*†", ")*"),
            links=("javascript:x", "https://arxiv.org/abs/2202.12139v2"),
            guid="oai:arXiv.org:2202.12139v2",
        )
    )
    assert (paper.title, paper.abstract, paper.authors) == (
        "DiffAdapt: 22–25%",
        "We show 10⁰.",
        ("Kähler, A.", "Ann Author"),
    )
    assert paper.links == ("https://arxiv.org/abs/2202.12139v2",)
    assert (paper.identifiers, paper.version) == ((Identifier("arxiv", "2202.12139"),), 2)


def test_entry_that_says_nothing_is_refused() -> None:
    """An item without title and abstract is no paper."""
    with pytest.raises(InputError, match="neither a title nor an abstract"):
        from_entry(Entry(title=" <br> ", links=("https://example.org",)))


def test_keys_join_the_sightings_of_one_work() -> None:
    """arXiv's feed, its DOI and its PDF share a key; another work shares none."""
    feed = from_entry(Entry(title="A", guid="oai:arXiv.org:2202.12139v1"))
    doi = from_entry(Entry(title="A (preprint)", identifiers=("10.48550/arXiv.2202.12139",)))
    other = from_entry(Entry(title="B", links=("https://arxiv.org/abs/2202.12140",)))
    assert set(keys(feed)) & set(keys(doi))
    assert not set(keys(feed)) & set(keys(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"title": "Low-rank maps & Kähler forms."}, {"title": "Low rank maps and Kahler forms"}),
        ({"abstract": "BACKGROUND: " + "Films melt. " * 20}, {"abstract": "Films melt. " * 9 + "…"}),
    ],
)
def test_keys_bring_together_what_says_the_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Punctuation, accents, labels and a cut end do not hide a title or the beginning of an abstract."""
    mine, theirs = (set(keys(from_entry(Entry(**said)))) for said in (one, other))
    shared = mine & theirs
    assert shared
    assert all(map(is_weak, shared))


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"identifiers": ("arXiv:2501.00001",)}, ""),
        ({"identifiers": ("arXiv:2501.00001",), "venue": "Submitted to Nature"}, ""),
        (
            {"identifiers": ("arXiv:2501.00001",), "venue": "Phys. Rev. D 66, 010001"},
            "Phys. Rev. D 66, 010001",
        ),
        ({"identifiers": ("10.1101/2020.01.30.927871", "10.1000/x"), "venue": "bioRxiv"}, "doi:10.1000/x"),
        ({"identifiers": ("10.1000/x",), "venue": "Nature"}, ""),
    ],
)
def test_a_preprint_knows_where_it_was_published(fields: dict[str, Any], place: str) -> None:
    """A venue or a DOI that is no preprint server's says that a preprint has come out."""
    assert from_entry(Entry(title="A", **fields)).published_in == place


def test_landing_page_is_made_from_an_identifier_where_no_link_is() -> None:
    """A paper without a link leads to the page of its identifier."""
    assert landing(from_entry(Entry(title="A", identifiers=("doi:10.1101/a(1)<2>",)))) == (
        "https://doi.org/10.1101/a(1)%3C2%3E"
    )


def test_contradiction_needs_two_of_a_kind() -> None:
    """Two arXiv ids are two works; an arXiv id and a DOI may be one."""
    a, b, c = Identifier("arxiv", "1"), Identifier("arxiv", "2"), Identifier("doi", "10.1/x")
    assert contradict([a], [b])
    assert not contradict([a], [a, b])
    assert not contradict([a], [c])
    preprint, other = Identifier("doi", "10.21203/rs.3.rs-1"), Identifier("doi", "10.2139/ssrn.1")
    assert not contradict([preprint], [c, other])
    assert not contradict([Identifier("openreview", "abcd")], [Identifier("openreview", "efgh")])


def test_ids_are_written_and_read_back() -> None:
    """People write a stored paper's id with a p."""
    assert [written_id(PaperId(12)), read_id("P12"), read_id("12"), read_id("p"), read_id("p1x")] == [
        "p12",
        12,
        None,
        None,
        None,
    ]
