"""Tests of boilerplate: what says nothing comes out empty, notices go, and no word of a paper is lost."""

import gzip
import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digests import formats
from digests.boilerplate import without_boilerplate
from digests.errors import InputError
from digests.paper import Entry, from_entry
from digests.text import plain

NOTHING = [
    *(
        "No abstract available.",
        "Abstract not available",
        "[no abstract]",
        "N/A",
        "nan",
        "None",
        "-",
        ".",
        "…",
    ),
    *(
        "Abstract:",
        "Abstract: N/A",
        "Summary",
        "Abstract Unavailable.",
        "no abstract provided",
        "(null)",
        "TBA",
    ),
    *("There is no abstract available for this article.", "This article has no abstract.", "Unknown."),
    *(
        "The abstract of this paper is not available.",
        "Abstract is not available at this time.",
        "not available",
    ),
    *(
        "暂无摘要",
        "無摘要",
        "摘要：无",
        "要旨なし",
        "초록 없음",
        "Kein Abstract verfügbar",
        "Résumé non disponible.",
    ),
    *(
        "Sin resumen",
        "Resumo não disponível",
        "Nessun riassunto",
        "Аннотация отсутствует.",
        "12 – 34 (5)",
        "★ ☆",
    ),
    "An abstract is not available for this content so a preview has been provided. Please use the Get access "
    "link above for information on how to access this content.",
    "An abstract is not available for this content so a preview has been provided. As you have access to "
    "this content, a full PDF is available via the ‘Save PDF’ action button.",
    *("https://peat.example/p/1", "https://peat.example https://moss.example", "doi: 10.1000/peat.1"),
    *("Page 12-20", "Page 163-175<br/>. <br/>", "pp. 3–9", "Volume 12, Issue 3, Page 12-20, March 2025."),
    *(
        "PEAT, EarlyView.",
        "Peat and Moss, Volume 70, Issue 5, Page 1075-1090, October 2021.",
        "Ahead of Print.",
    ),
    *("Author(s): A. Smith, B. Jones", "Authors: J. van der Brandt, Ada O'Field and K. Östby", "2025"),
    "<p>Publication date: March 2025</p><p>Source: Peat, Volume 12</p><p>Author(s): A. Field, B. Moor</p>",
    *("© 2025 The Author(s)", "Keywords: peat; moss", "(ABSTRACT TRUNCATED AT 250 WORDS)"),
]
AT_THE_BEGINNING = [
    *("Summary: ", "SUMMARY: ", "SUMMARY ", "Summary. ", "Summary — ", "Abstract—", "Abstract: Summary: "),
    *("Highlights: • ", "Highlights • ", "HIGHLIGHTS: ", "Author(s): A. Smith, B. Jones, and C. Doe "),
    *(
        "arXiv:2501.00001v1 Announce Type: new Abstract: ",
        "arXiv:2501.00001v1 Announce Type: replace \nAbstract: ",
    ),
    "Nature, Published online: 01 December 2025; doi:10.1038/s41586-025-1 ",
    '<p>Nature Peat, Published online: 01 December 2025; <a href="https://a.example">doi:10.1038/s1-5-2</a></p>',
    "An abstract is not available for this content so a preview has been provided. ",
]
AT_THE_END = [
    " Copyright © 2020 The Authors. Published by Elsevier Inc. All rights reserved.",
    " All Rights Reserved.",
    *(
        " © 2025 The Author(s)",
        " © 2025 The Author(s).",
        " © 2010",
        " ©MOOR 2013",
        " (copyright) 2011 Elsevier Ltd.",
    ),
    *(
        " Copyright (c) 2011 International Society for Peat Studies.",
        " Copyright 1999 Academic Press.",
        " © 2015, S+B.",
    ),
    " © The Author 2015. Published by Oxford University Press for the Peat Club. All rights reserved.",
    " © 2024, The Author(s), under exclusive licence to Springer Nature Limited.",
    " © 2023 Peat Periodicals LLC. This is an open access article under the CC BY license (https://c.example/by).",
    " © 2020 by the authors. Licensee MDPI, Basel, Switzerland.",
    " (copyright) Published 2013. This article is a U.S. Government work and is in the public domain.",
    *(
        " © Mary Ann Moor, Inc.",
        " © 2013 Hussain et al.; licensee BioMed Central Ltd.",
        " All rights reserved.",
    ),
    *(
        " Published by Elsevier Ltd.",
        " Crown Copyright © 2010. Published by Elsevier Ltd. All rights reserved.",
    ),
    " (PsycINFO Database Record (c) 2012 APA, all rights reserved) (journal abstract)",
    *("(ABSTRACT TRUNCATED AT 250 WORDS)", " [Abstract truncated by the editor]"),
    *(
        " Keywords: peat; moss; E.coli",
        "Keywords: peat, moss.",
        " Key words: peat, moss",
        " KEYWORDS: PEAT, MOSS",
    ),
    *(" Keywords Peat · Moss", " Index Terms—Peat burning, moss.", " CCS Concepts: • Peat → Moss; Bogs."),
    *(
        " PACS: 03.67.-a, 42.50.Dv",
        " PACS numbers: 03.67.-a",
        " MSC: 35Q30, 76D05",
        " JEL Classification: C32, E31",
    ),
    *(" 2020 Mathematics Subject Classification: 35Q30.", " AMS MSC 2010: 35Q30"),
    " [Phys. Rev. Lett. 134, 010401] Published Tue Jan 07, 2025",
    " The post Peat burns! appeared first on Moor.info.",
    " Keywords: peat, moss. © 2024 Moor Ltd. All rights reserved.",
]
OF_THE_PAPER = [
    *(
        "Summary statistics are hard.",
        "SUMMARY OF BACKGROUND DATA: Peat burns.",
        "Highlights of a workshop are given.",
    ),
    *(
        "Author recognition is hard. We try it.",
        "Authors: a study of who they are.",
        "Unknown unknowns are known.",
    ),
    *(
        "N/A is no abstract.",
        "None of the peat burns.",
        "No abstract reasoning is available to models.",
        "Nan is spoken.",
    ),
    *(
        "Volume 12 rendering is fast.",
        "Page 12 is blank, and nobody knows why.",
        "Bogs of Ireland, March 2025",
    ),
    *(
        "https://peat.example has our code.",
        "We share all at https://peat.example",
        "See doi:10.1000/1 for data.",
    ),
    *("The abstract is missing an argument.", "It is not available to most.", "Short.", "泥炭", "Too."),
    *(
        "We read law. Copyright in 1976 was changed.",
        "We date it. Copyright 2012 is the year that peat burned.",
    ),
    *(
        "We ask. (c) 2012 data show a rise in fires.",
        "(a) Peat. (b) Moss. (c) 2020 was dry.",
        "Peat burns (c).",
    ),
    *(
        "We train. PACS: the first benchmark with labels.",
        "We index. MSC. It is good.",
        "Moss. All rights matter.",
    ),
    "We ask. Keywords: we show that a model of the mind of man that reads them all burns.",
    "Keywords: peat, burning moss modelsWe introduce Moss2Moss. It burns peat.",
    "Keywords: peat, moss. We light both.",
    *(
        "We aim: 1. Light peat. 2. Published by us, it burns.",
        "The post office burns.",
        "Peat burned in Moor Ltd.",
    ),
]


@pytest.mark.parametrize("said", NOTHING)
def test_what_stands_for_a_missing_abstract_is_none(said: str) -> None:
    """Placeholders in many languages, mere addresses, places in a journal, and texts without a word."""
    paper = from_entry(Entry(title="On peat", abstract=said))

    assert paper.abstract == ""


def test_a_paper_without_title_whose_abstract_says_nothing_says_nothing_at_all() -> None:
    """It is refused like an empty one."""
    with pytest.raises(InputError, match="neither a title nor an abstract"):
        from_entry(Entry(abstract="No abstract available."))


@pytest.mark.parametrize("before", AT_THE_BEGINNING)
def test_what_stands_before_an_abstract_goes(before: str) -> None:
    """Headings, by-lines, and the prefixes of arXiv's, Nature's and Cambridge's feeds."""
    assert (
        without_boilerplate(plain(f"{before}We light the peat. It burns.")) == "We light the peat. It burns."
    )


@pytest.mark.parametrize("after", AT_THE_END)
def test_what_stands_behind_an_abstract_goes(after: str) -> None:
    """Notices of rights, marks of truncation, keywords, codes, the tails of feeds; also behind brackets."""
    assert (
        without_boilerplate(plain(f"We light the peat. It burns.{after}")) == "We light the peat. It burns."
    )
    assert without_boilerplate(plain(f"It burns (p < 0.05).{after}")) == "It burns (p < 0.05)."


@pytest.mark.parametrize("abstract", OF_THE_PAPER)
def test_what_may_be_of_the_paper_stays(abstract: str) -> None:
    """Sentences that only begin or end like boilerplate."""
    assert without_boilerplate(plain(abstract)) == plain(abstract)


@pytest.mark.parametrize(
    ("abstract", "shown"),
    [
        ("We tested.; Ten died (5%).; 20 lived.;", "We tested. Ten died (5%). 20 lived."),
        ("We tested.; ; Ten died.", "We tested. Ten died."),
        ("Brandt et al.; Okoro et al.; moss etc.; Peat Inc.; A.; B.; o.d.; C", None),
        ("Peat burns...; Moss does not; Ferns do.", None),
    ],
)
def test_a_stray_semicolon_behind_a_stop_goes(abstract: str, shown: str | None) -> None:
    """Databases of reviews join an abstract's parts with it; behind an abbreviation it is punctuation."""
    assert without_boilerplate(abstract) == (shown or abstract)


PIECES = st.sampled_from(
    [
        *AT_THE_BEGINNING,
        *AT_THE_END,
        *NOTHING,
        *OF_THE_PAPER,
        "We light peat. ",
        ".;",
        " ",
        "; ",
        "© ",
        "Keywords: ",
    ]
)


@given(st.lists(PIECES | st.text(max_size=8), max_size=6).map("".join))
def test_once_is_enough(text: str) -> None:
    """What is left is left alone the next time, is stable under cleaning, and adds nothing."""
    cleaned = plain(text)
    shown = without_boilerplate(cleaned)

    assert without_boilerplate(shown) == shown
    assert plain(shown) == shown
    assert "".join(shown.replace(";", "").split()) in "".join(cleaned.replace(";", "").split())


@pytest.mark.parametrize(
    "unit",
    ["© ", "Copyright. ", "Keywords: a ", "Author(s): A ", ".;", "; ", "Page 1, ", "(c) 2012 ", "A. ", "·"],
)
def test_a_long_hostile_text_is_answered(unit: str) -> None:
    """A quarter of a megabyte of one sign is read in one go."""
    shown = without_boilerplate(unit * (250_000 // len(unit)))

    assert without_boilerplate(shown) == shown


@pytest.mark.parametrize("unit", ["PACS 12.20.-m. ", "JEL A1. ", "Key words: A. ", "Rights reserved. "])
def test_a_long_row_of_notices_is_read_in_bounded_time(unit: str) -> None:
    """Nobody needs more than a few of them; of a quarter of a megabyte some may stay."""
    start = time.thread_time()
    assert len(without_boilerplate(unit * (250_000 // len(unit)))) <= 250_000
    assert time.thread_time() - start < 1


@pytest.mark.parametrize(
    "text",
    [
        "Cells were counted. MSC at 2 × 10^6 was better than 10^5.",
        "We compare systems. PACS 3 beat PACS 2.",
        "Two teams played. JEL 5 wins 10.",
    ],
)
def test_a_sentence_about_something_named_like_a_code_stays(text: str) -> None:
    """Stem cells, picture archives and teams have the letters of classifications."""
    assert without_boilerplate(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "www." * 95 + "!x y",
        "may 2020 " * 40 + "peat",
        "Author: " + "A. B, " * 60 + "peat",
        "page 1. " * 45 + "peat",
        "It burns." + "Keywords:" * 30 + "a" * 390 + ". b",
        "It burns. " + "Copyright " * 60 + "peat",
        "It burns. " + "© A 2" * 130 + " peat",
    ],
    ids=lambda text: text[:20],
)
def test_what_is_nearly_boilerplate_is_answered_and_stays(text: str) -> None:
    """Texts that fail at their last word, after many ways to read the rest."""
    assert without_boilerplate(text) == text


def test_of_real_abstracts_only_notices_go(shared: Path) -> None:
    """20,000 abstracts: none is emptied, and all that goes at either end names itself as what it is."""
    with gzip.open(shared / "data/abstracts-20k.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts = [plain(json.loads(line)["abstract"]) for line in lines]

    gone: list[str] = []
    for text in texts:
        core, whole = (re.sub(r"[\s;]", "", part) for part in (without_boilerplate(text), text))
        assert core
        before, _, after = whole.partition(core)
        gone += filter(None, (before, after))

    assert 60 < len(gone) < 90
    assert all(
        re.search(r"©|\(c\)|Copyright|reserved|TRUNCATED|Keywords|(?i:^summary:$)", said) for said in gone
    )


@pytest.mark.parametrize(
    ("file", "none"), [("tandf_snfe.rdf", 86), ("ojs_jott.rdf", 1), ("wiley_taxon.xml", 20)]
)
def test_a_real_feed_without_abstracts_has_none(shared: Path, file: str, none: int) -> None:
    """Where a journal's feed gives only pages, or says N/A, the papers have their titles and no abstract."""
    path = shared / "data/feeds/journal-rss" / file
    parts = formats.read(path.read_bytes(), path.name)
    papers = [from_entry(part) for part in parts if isinstance(part, Entry)]

    assert sum(not paper.abstract for paper in papers) == none
    assert all(len(paper.abstract) > 40 for paper in papers if paper.abstract)
