"""Tests of matching: many queries against many papers, and the evidence shown to readers."""

import gzip
import json
import random
import sqlite3
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from digests import terms
from digests.author import same_author
from digests.evidence import marks
from digests.matching import Index
from digests.paper import Identifier, Paper
from digests.query import (
    And,
    Has,
    Not,
    Or,
    Prefix,
    Query,
    Term,
    all_of,
    any_of,
    leaves,
    negated,
    parse,
    prefilter,
)
from tests.benchmarks.percolation import standing_queries

row = lru_cache(1_000)(terms.tokens)


def satisfies(query: Query, paper: Paper) -> bool:
    """The reference: the query evaluated on one paper, word by word."""
    match query:
        case And(parts):
            return all(satisfies(part, paper) for part in parts)
        case Or(parts):
            return any(satisfies(part, paper) for part in parts)
        case Not(part):
            return not satisfies(part, paper)
        case Has("author", value):
            return any(same_author(value, author) for author in paper.authors)
        case Has("category", value):
            return any(
                f"{category}.".lower().startswith(f"{value}.".lower()) for category in paper.categories
            )
        case Has("venue", value):
            return f" {value} ".lower() in f" {paper.venue} ".lower()
        case Has("feed", value):
            return value.lower() in [feed.lower() for feed in paper.feeds]
        case Term(text, literal, field):
            asked = row(text)
            return any(_stands(asked, each, literal, prefix=False) for each in _rows(paper, field))
        case Prefix(text, field):
            asked = row(text)
            return any(_stands(asked, each, literal=False, prefix=True) for each in _rows(paper, field))
    raise AssertionError(query)


def _rows(paper: Paper, field: str) -> list[Sequence[terms.Token]]:
    texts = {"title": paper.title, "abstract": paper.abstract}
    return [row(text) for name, text in texts.items() if field in ("", name)]


def _stands(asked: Sequence[terms.Token], words: Sequence[terms.Token], literal: bool, prefix: bool) -> bool:
    def fits(wanted: terms.Token, token: terms.Token, last: bool) -> bool:
        if prefix and last:
            return token.form.startswith(wanted.form)
        return wanted.form == token.form if literal else wanted.stem == token.stem

    size = len(asked)
    return any(
        all(fits(asked[at], words[start + at], at == size - 1) for at in range(size))
        for start in range(len(words) - size + 1)
    )


VOCABULARY = [
    "graph", "graphs", "network", "networks", "neural", "low-rank", "low", "rank", "ranking", "C++", "naïve",
    "GPT-4", "restoring", "restoration", "强化学习", "学习", "of", "the", "RAG", "organ", "gan",
]  # fmt: skip
some_words = st.lists(st.sampled_from(VOCABULARY), max_size=9)
papers_ = st.builds(
    Paper,
    some_words.map(" ".join),
    some_words.map(". ".join),
    st.lists(st.sampled_from(["Yann LeCun", "LeCun, Y.", "Yves LeCun", "Wei Zhang"]), max_size=2).map(tuple),
    venue=st.sampled_from(["", "ICLR 2026", "ICML"]),
    categories=st.lists(st.sampled_from(["cs.CL", "cs.LG", "math.ST"]), max_size=2).map(tuple),
    feeds=st.lists(st.sampled_from(["arxiv-cs", "iclr"]), max_size=1).map(tuple),
)
fields = st.sampled_from(["", "", "title", "abstract"])
leaf_queries = st.one_of(
    st.builds(
        Term,
        st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=3).map(" ".join),
        st.booleans(),
        fields,
    ),
    st.builds(Prefix, st.sampled_from(["gra", "rest", "low ra", "net", "强化", "neural net", "zzz"]), fields),
    st.builds(Has, st.just("author"), st.sampled_from(["Yann LeCun", "LeCun", "W. Zhang"])),
    st.builds(Has, st.just("category"), st.sampled_from(["cs", "cs.CL", "c"])),
    st.builds(Has, st.just("venue"), st.sampled_from(["ICLR", "iclr 2026", "2026", "IC"])),
    st.builds(Has, st.just("feed"), st.sampled_from(["ARXIV-cs", "arxiv", "iclr"])),
)


def _compound(parts: st.SearchStrategy[Query]) -> st.SearchStrategy[Query]:
    several = st.lists(parts, min_size=1, max_size=3)
    return st.one_of(several.map(all_of), several.map(any_of), parts.map(negated))


queries: st.SearchStrategy[Query] = st.recursive(leaf_queries, _compound, max_leaves=6)


def found(index: Index, query: Query) -> list[Paper]:
    """The matching papers in the order of the index."""
    matched = {id(match.paper) for match in index.match(query)}
    return [paper for paper in index.papers if id(paper) in matched]


@settings(max_examples=200)
@given(st.lists(papers_, max_size=12), st.lists(queries, min_size=1, max_size=4))
def test_matching_agrees_with_the_reference(papers: list[Paper], asked: list[Query]) -> None:
    """The index finds exactly the papers that satisfy the query, word by word."""
    index = Index(papers)
    for query in asked:
        assert found(index, query) == [paper for paper in papers if satisfies(query, paper)]


def table(papers: Sequence[Paper]) -> sqlite3.Connection:
    """A full-text table of the papers as storage keeps it."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE papers USING fts5(title, abstract, authors, tokenize='unicode61')")
    rows = ((paper.title, paper.abstract, "; ".join(paper.authors)) for paper in papers)
    indexed = [tuple(map(terms.index_text, row)) for row in rows]
    database.executemany("INSERT INTO papers (title, abstract, authors) VALUES (?, ?, ?)", indexed)
    return database


def prefiltered(database: sqlite3.Connection, query: Query) -> set[int] | None:
    """The places of the papers that the prefilter leaves, None for all."""
    expression = prefilter(query)
    if expression is None:
        return None
    rows = database.execute("SELECT rowid - 1 FROM papers WHERE papers MATCH ?", (expression,))
    return {place for (place,) in rows}


@settings(max_examples=200)
@given(st.lists(papers_, max_size=8), queries)
def test_the_prefilter_misses_nothing(papers: list[Paper], query: Query) -> None:
    """Every paper that satisfies the query is among those that the full-text expression finds."""
    left = prefiltered(table(papers), query)
    matching = {place for place, paper in enumerate(papers) if satisfies(query, paper)}
    assert left is None or matching <= left


@pytest.mark.parametrize("query", ["author:Rivers", "modeling*", "modelin*", "model*", '"deep modeling*"'])
def test_the_prefilter_finds_what_is_indexed_by_its_stem_alone(query: str) -> None:
    """Names and beginnings that end as an inflected word does are found."""
    assert prefiltered(table([Paper("Deep modeling", "", ("Joan Rivers",))]), parse(query)) == {0}


@settings(max_examples=200)
@given(papers_, queries)
def test_evidence_lies_where_the_words_are(paper: Paper, query: Query) -> None:
    """Spans ascend, do not overlap, and hold words that alone satisfy a positive leaf of the query."""
    for match in Index([paper]).match(query):
        for field in ("title", "abstract"):
            text, end = getattr(paper, field), 0
            for span in match.evidence.spans(field):
                assert end <= span[0] < span[1] <= len(text)
                end = span[1]
                alone = Paper(**{"title": "", "abstract": "", field: text[slice(*span)]})
                assert any(satisfies(leaf, alone) for leaf in leaves(query) if not isinstance(leaf, Has))


@given(st.lists(papers_, max_size=12), queries)
def test_relevance_orders_and_lies_between_0_and_1(papers: list[Paper], query: Query) -> None:
    """Matches come by falling relevance, each between 0 and 1."""
    relevances = [match.relevance for match in Index(papers).match(query)]
    assert relevances == sorted(relevances, reverse=True)
    assert all(0 <= relevance <= 1 for relevance in relevances)


OURS = Paper(
    "Restoring Images with \N{LATIN SMALL LIGATURE FI}ne Diffusion",
    "Chain-of-thought is a large language model's habit. We restore images; restoration of an image needs "
    "diffusion models — naïve ones. GANs do not organise it. 我们研究强化学习。",
    ("Yann LeCun", "Wei Zhang"),
    venue="ICLR 2026",
    categories=("cs.CV", "cs.LG"),
    feeds=("arxiv-cs",),
)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("diffusion restoration", ["diffusion", "restoration"]),
        ('"chain of thought"', ["Chain-of-thought"]),
        ("gan", ["GANs"]),
        ("restoration", ["restoration"]),
        ('"large language models" models', ["large language model's"]),
        ("diffus* images", ["diffusion", "images"]),
        ("title:fine -survey", ["\N{LATIN SMALL LIGATURE FI}ne"]),
        ("NAIVE (ones OR zeros)", ["naïve", "ones"]),
        ("强化学习", ["强化学习"]),
        ("author:LeCun venue:iclr category:cs.lg", ["Yann LeCun", "ICLR 2026", "cs.LG"]),
        ("feed:arxiv-* restoration", ["restoration", "arxiv-cs"]),
    ],
)
def test_matched_words_stand_as_in_the_paper(query: str, words: list[str]) -> None:
    """The words shown are the paper's own, each once, a phrase as the phrase, and rather in small letters."""
    (match,) = Index([OURS]).match(parse(query))
    assert sorted(match.evidence.words) == sorted(words)


@pytest.mark.parametrize(
    "query",
    ["organ", "title:chain", '"restorations"!', '"thought chain"', "author:Yves", "diffusion -images"],
)
def test_no_match(query: str) -> None:
    """Whole words, the right field, the exact form, the order of a phrase, no excluded word."""
    assert not Index([OURS]).match(parse(query))


def test_the_most_telling_words_come_first() -> None:
    """A word of few papers stands before a word of many."""
    papers = [Paper(f"Learning {word}", "") for word in ("graphs", "robots", "proteins")]
    (match,) = Index(papers).match(parse("learning proteins"))
    assert match.evidence.words == ("proteins", "Learning")


def test_a_matched_phrase_is_shown_without_half_a_bracket() -> None:
    """A bracket that ends within the phrase is no part of it."""
    (match,) = Index([Paper("", "About (offline) reinforcement learning.")]).match(
        parse('"offline reinforcement learning"')
    )
    assert match.evidence.words == ("offline reinforcement learning",)


def test_marks_in_a_sentence() -> None:
    """Words that the query asks for are marked in any text; excluded ones are not."""
    sentence = "We restore images, not videos, in the images' own language."
    spans = marks(parse('"restoring images" OR image -videos'), sentence)
    assert [sentence[start:end] for start, end in spans] == ["restore images", "images"]


def test_exact_forms_and_titles_count_more() -> None:
    """The title before the abstract, the very form before another, words side by side before apart."""
    papers = [
        Paper("A study", "It has a transformer somewhere among the words of its text"),
        Paper("A study", "It has many transformers somewhere among the words of its text"),
        Paper("Transformers", "It has many things somewhere among the words of its text"),
        Paper("Another study", "of no such thing at all here among the words of its text"),
    ]
    index = Index(papers)
    assert [match.paper for match in index.match(parse("transformers"))] == [papers[2], papers[1], papers[0]]
    apart = Paper("", "vision and then, much later, of language")
    beside = Paper("", "of vision language and then, much later,")
    (first, _) = Index([apart, beside, *papers]).match(parse("vision language"))
    assert first.paper is beside


def test_a_word_that_a_hyphen_ties_to_another_counts_less() -> None:
    """For "supervised", self-supervised is another thing; not for who asks for both, in whatever way."""
    tied = Paper("", "about self-supervised learning among the words of this text")
    alone = Paper("", "about a quite supervised learning among the words of this text")
    index = Index([tied, alone, *(Paper(f"Other {n}", "no such thing") for n in range(9))])

    def first(query: str) -> Paper:
        return index.match(parse(query))[0].paper

    assert first("supervised") is first('"supervised learning"') is first("supervis*") is alone
    assert first('"self-supervised" OR supervised') is first("learning OR (self supervised)") is tied
    assert len(index.match(parse("supervised"))) == 2


@given(
    st.lists(st.sampled_from(["self", "RAG", "’s", "C++", "Kähler", "网", "3", "l'", ".", " "]), max_size=9)
)
def test_hyphens_divide_the_same_words_everywhere(parts: list[str]) -> None:
    """A text's words are found in a row whatever stands at its hyphens: what is indexed is what is read."""
    text = "-".join(parts)
    if phrase := " ".join(form for form, _ in terms.words(text)):
        assert found(Index([Paper("", text)]), Term(phrase))


def test_ranking_answers_without_a_match() -> None:
    """`rank` also gives papers that satisfy a part of the query, after those that satisfy it."""
    papers = [Paper("Graph theory", ""), Paper("Deep graph learning", ""), Paper("Cooking", "")]
    assert [match.paper for match in Index(papers).rank(parse("graph learning"))] == [papers[1], papers[0]]


def test_ranking_learns_acronyms_from_the_papers() -> None:
    """Where papers introduce an acronym, asking for the one finds the other."""
    said = [Paper(f"Study {n}", "We use retrieval augmented generation (RAG) well") for n in range(3)]
    short, written_out = Paper("", "Here RAG helps"), Paper("", "Here retrieval augmented generation helps")
    index = Index([*said, short, written_out, *(Paper(f"Other {n}", "no such thing") for n in range(9))])
    assert written_out in [match.paper for match in index.rank(parse("rag"))]
    assert short in [match.paper for match in index.rank(parse('"retrieval-augmented generation"'))]


def test_acronyms_order_the_papers_that_match() -> None:
    """Of papers that have the acronym, one that also has its words in full stands before one that has not."""
    said = [Paper(f"Study {n}", "We use retrieval augmented generation (RAG) well") for n in range(3)]
    short = Paper("", "Here RAG helps us answer such questions as these")
    both = Paper("", "Here RAG helps retrieval augmented generation as well")
    index = Index([*said, short, both, *(Paper(f"Other {n}", "no such thing") for n in range(9))])
    found = [match.paper for match in index.match(parse("rag"))]
    assert found.index(both) < found.index(short)
    assert "retrieval augmented generation (in full)" in dict(index.explain(parse("rag"), both))
    in_words = parse('"retrieval augmented generation"')
    assert "rag (acronym)" in dict(index.explain(in_words, both))


def test_papers_like_the_best_answers_come_before_others() -> None:
    """Of two that have the words of the query alike, the one that is more like the best answers is first."""
    best = [Paper(f"Pruning {n}", "Sparse networks keep their accuracy with few weights") for n in range(3)]
    stray = Paper("Trees", "About pruning of apple trees in late winter, by gardeners with shears")
    near = Paper("Layers", "About pruning of weights in sparse networks, at the same accuracy here")
    index = Index([*best, stray, near, *(Paper(f"Other {n}", f"thing {n}") for n in range(20))])
    found = [match.paper for match in index.match(parse("pruning"))]
    assert set(found[:3]) == set(best)
    assert found[3:] == [near, stray]


def test_a_digest_orders_its_matches_as_the_ranking_does() -> None:
    """What all papers are ranked by is what those that satisfy the query are ordered by."""
    papers = [Paper(f"Graph study {n}", "graph learning " * n + f"and thing{n}") for n in range(1, 9)]
    index, query = Index(papers), parse("graph learning")
    assert list(index.match(query)) == list(index.rank(query))


def test_a_score_is_explained_by_its_parts() -> None:
    """The parts name words, neighbours and the likeness to other matches, and add up to the relevance."""
    papers = [OURS, *(Paper(f"Diffusion {n}", "models of such images") for n in range(3))]
    index = Index(papers + [Paper(f"Other {n}", "no such thing") for n in range(19)])
    query = parse("diffusion models -survey")
    for match in index.match(query):
        parts = dict(index.explain(query, match.paper))
        assert {"diffusion", "models", "likeness to the best matches"} <= parts.keys()
        assert ("diffusion models" in parts) == (match.paper is OURS)
        assert list(parts.values()) == sorted(parts.values(), reverse=True)
        assert sum(parts.values()) == pytest.approx(match.relevance)


def test_an_author_is_as_relevant_as_a_word() -> None:
    """A paper that matches by its author alone has all that words can give, also beside other wishes."""
    papers = [OURS, *(Paper(f"Other {n}", "no such thing") for n in range(9))]
    (by_words,) = Index(papers).match(parse("diffusion"))
    for query in ("author:LeCun", "author:LeCun OR cooking"):
        (match,) = Index(papers).match(parse(query))
        assert match.relevance == pytest.approx(0.4)
        assert match.relevance > by_words.relevance


SENTENCES = {
    "zh": "我们提出了一种基于强化学习的大型语言模型对齐方法,在数学推理任务上取得了显著提升。",
    "ja": "本研究では、拡散モデルを用いた音声合成手法を提案し、ニューラルネットワークの学習を安定化させる。",
    "ko": "본 논문에서는 그래프 신경망을 이용한 단백질 구조 예측 방법을 제안한다.",
    "de": "Wir untersuchen tiefe neuronale Netze für die maschinelle Übersetzung großer Textmengen.",
    "fr": "Nous proposons une méthode d'apprentissage profond pour l'analyse des réseaux sociaux.",
    "ru": "Мы предлагаем метод глубокого обучения с подкреплением для нейронных сетей.",
    "mixed": "我们用 Transformer 模型和 BERT-large 研究 COVID-19 文献检索 (retrieval-augmented generation)。",
}
ASKED = {
    "强化学习": "zh", "大型语言模型": "zh", '"语言模型" 对齐': "zh", "推理*": "zh", "学习强化": "",
    "拡散モデル": "ja", "ﾆｭｰﾗﾙﾈｯﾄﾜｰｸ": "ja", "音声合成 安定化": "ja", "モデル拡散": "",
    "신경망": "ko", '"단백질 구조"': "ko", "망신경": "",
    "neuronale netze": "de", "Übersetzung": "de", "grosser": "de", "übersetz*": "de", "bilder": "",
    "methode": "fr", "apprentissage analyse": "fr", "RÉSEAUX": "fr", "réseau*": "fr", "images": "",
    "réseau": "fr", '"réseau social"': "fr",
    "глубокое обучение": "ru", "нейронная сеть": "ru", "НЕЙРОННЫЙ": "ru", "нейр*": "ru", "методика": "",
    "transformers 模型": "mixed", "bert 文献检索": "mixed", '"retrieval augmented" 检索': "mixed",
}  # fmt: skip


@pytest.mark.parametrize(("query", "language"), ASKED.items())
def test_papers_in_other_languages_are_matched_by_their_words(query: str, language: str) -> None:
    """Parts of what is written without spaces, accents or not, inflected Russian; here and in a search."""
    papers = [Paper("", text) for text in SENTENCES.values()]
    asked = parse(query)
    wanted = [Paper("", SENTENCES[language])] if language else []
    assert found(Index(papers), asked) == wanted
    assert {papers.index(paper) for paper in wanted} <= (prefiltered(table(papers), asked) or set())
    for match in Index(papers).match(asked):
        assert match.evidence.words


def test_like_finds_papers_near_a_paper() -> None:
    """Papers that share the telling words of the named paper match; itself and its versions do not."""
    model = Paper(
        "Sparse mixture routing",
        "Experts are routed by sparse gates.",
        identifiers=(Identifier("arxiv", "1"),),
    )
    near = Paper("Gates for mixtures", "Sparse routing of experts through learnt gates.")
    others = [Paper(f"Protein folding {n}", f"Of chain {n} in water, sparse at best.") for n in range(9)]
    revised = Paper(model.title, "Sparse gates route experts, and more of them.")
    index = Index([model, revised, near, *others], likes={"arXiv:1": model})
    assert [match.paper for match in index.match(parse("like:arXiv:1"))] == [near]
    assert not index.match(parse("like:arXiv:1 -gates"))
    assert not index.match(parse("like:unknown"))


def test_like_finds_what_authors_call_by_the_same_name(shared: Path) -> None:
    """Real papers that are alike share a rarer keyword fifteen times as often as any two, and are few."""
    with gzip.open(shared / "data" / "abstracts-20k.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["keywords"]][:1_500]
    named = [
        {form for keyword in row["keywords"] for form in [" ".join(keyword.lower().split())]} for row in rows
    ]
    common = {word for word, often in Counter(chain(*named)).items() if often >= len(rows) / 50}
    papers = [Paper(row["title"], row["abstract"]) for row in rows]
    models = random.Random(3).sample(range(len(papers)), 150)
    index = Index(papers, {f"p{place}": papers[place] for place in models})
    places = {id(paper): place for place, paper in enumerate(papers)}
    alike = [
        bool(named[model] & named[places[id(match.paper)]] - common)
        for model in models
        for match in index.match(Has("like", f"p{model}"))
    ]
    any_two = [
        bool(named[model] & other - common)
        for model in models
        for place, other in enumerate(named)
        if place != model
    ]
    assert 100 < len(alike) < 600
    assert sum(alike) / len(alike) > 15 * sum(any_two) / len(any_two)


def test_no_papers_no_matches() -> None:
    """An empty day answers every query with nothing."""
    index = Index([])
    for query in ("graph", "gra*", "author:x", "-(a) b", "like:x", '"a b c"'):
        assert len(index.match(parse(query))) == len(index.rank(parse(query))) == 0


def test_matches_are_a_sequence() -> None:
    """Matches can be counted, taken by place and by slice, and gone through."""
    matches = Index([Paper(f"Graph {n}", "") for n in range(5)]).match(parse("graph"))
    assert len(matches) == len(list(matches)) == len(matches[:9]) == 5
    assert matches[-1] == matches[4] == matches[3:][1]
    with pytest.raises(IndexError):
        matches[5]


def test_real_abstracts_and_realistic_queries(shared: Path) -> None:
    """Over real abstracts the index agrees with the reference, and the prefilter misses nothing."""
    with gzip.open(shared / "data" / "abstracts-20k.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = random.Random(3).sample([json.loads(line) for line in islice(lines, 2_000)], 400)
    papers = [Paper(row["title"], row["abstract"], tuple(row["authors"])) for row in rows[:100]]
    index, database = Index(papers), table(papers)
    authors = [parse(f'author:"{author}"') for author in papers[3].authors]
    for query in [*standing_queries(rows, 100), *authors]:
        matching = [place for place, paper in enumerate(papers) if satisfies(query, paper)]
        assert found(index, query) == [papers[place] for place in matching]
        left = prefiltered(database, query)
        assert left is None or set(matching) <= left
