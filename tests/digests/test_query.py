"""Tests of the query language: text to Query, errors with a place, and back to canonical text."""

import re

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from digests.errors import QueryError
from digests.query import (
    FIELDS,
    MAX_LEAVES,
    MAX_QUERY,
    And,
    Has,
    Not,
    Or,
    Prefix,
    Query,
    Term,
    all_of,
    any_of,
    describe,
    leaves,
    likes,
    negated,
    parse,
)


def parsed(text: str) -> Query | None:
    """The query, None where it is refused with a place in the text."""
    try:
        return parse(text)
    except QueryError as error:
        if not 0 <= error.at <= len(text):
            raise
        return None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("diffusion restoration", And((Term("diffusion"), Term("restoration")))),
        ("diffusion AND restoration", And((Term("diffusion"), Term("restoration")))),
        ('"chain of thought"', Term("chain of thought")),
        ("chain-of-thought", Term("chain-of-thought")),
        ("quantiz*", Prefix("quantiz")),
        ('lora OR "low-rank adaptation"', Or((Term("lora"), Term("low-rank adaptation")))),
        ("lora | dora", Or((Term("lora"), Term("dora")))),
        ("lora or dora", Or((Term("lora"), Term("dora")))),
        ("reasoning -survey", And((Term("reasoning"), Not(Term("survey"))))),
        ("reasoning NOT survey", And((Term("reasoning"), Not(Term("survey"))))),
        (
            "reasoning -(survey OR review)",
            And((Term("reasoning"), Not(Or((Term("survey"), Term("review")))))),
        ),
        ("(rag OR retrieval) evaluation", And((Or((Term("rag"), Term("retrieval"))), Term("evaluation")))),
        ("a b OR c", Or((And((Term("a"), Term("b"))), Term("c")))),
        ("title:benchmark", Term("benchmark", field="title")),
        ("title: benchmark", Term("benchmark", field="title")),
        ('abstract:"user study"', Term("user study", field="abstract")),
        ("title:(a OR bc*)", Or((Term("a", field="title"), Prefix("bc", "title")))),
        ("-title:a b", And((Not(Term("a", field="title")), Term("b")))),
        ('author:"Yann LeCun"', Has("author", "Yann LeCun")),
        ("category:cs.CL", Has("category", "cs.CL")),
        ("venue:ICLR", Has("venue", "ICLR")),
        ("feed:arxiv-cs", Has("feed", "arxiv-cs")),
        ("like:2510.13201", Has("like", "2510.13201")),
        ("like:https://arxiv.org/abs/2510.13201v2", Has("like", "https://arxiv.org/abs/2510.13201v2")),
        ("like:arXiv:2510.13201", Has("like", "arXiv:2510.13201")),
        ("like:10.1016/S0140-6736(05)66-X x", And((Has("like", "10.1016/S0140-6736(05)66-X"), Term("x")))),
        ('"transformers"!', Term("transformers", literal=True)),
        ('"low rank adapt*"', Prefix("low rank adapt")),
        ('"or"', Term("or")),
        ("C++", Term("C++")),
        ("GPT-4", Term("GPT-4")),
        ("R&D", Term("R&D")),
        ("http://example.org/x", Term("http://example.org/x")),
        ("强化学习", Term("强化学习")),
        ("-(-a)", Term("a")),
        ("a a (a)", Term("a")),
    ],
)
def test_parse(text: str, expected: Query) -> None:
    """Each construct of the language gives its tree."""
    assert parse(text) == expected


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        ("“chain of thought”", '"chain of thought"'),
        ("„chain of thought“ «x y»", '"chain of thought" "x y"'),
        ("‘chain of thought’ models", '"chain of thought" models'),
        ("（rag ｜ retrieval） title：x", "(rag OR retrieval) title:x"),
        ("reasoning －survey", "reasoning -survey"),
        ("reasoning — survey", "reasoning survey"),
        ("reasoning —survey", "reasoning survey"),
        ("vision, language; speech", "vision language speech"),
        ("\ufeffvision\u200b \u200elanguage", "vision language"),
        ("DiffAdapt: adaptive reasoning", "DiffAdapt adaptive reasoning"),
        ("q & a", "q a"),
        ("vision\tlanguage\nspeech", "vision language speech"),
        ("au:LeCun ti:x cat:cs.CL", "author:LeCun title:x category:cs.CL"),
    ],
)
def test_what_phones_and_people_type(typed: str, plain: str) -> None:
    """Typographic quotes, full-width signs, dashes, commas and other names of fields are understood."""
    assert str(parse(typed)) == plain


@pytest.mark.parametrize(
    ("text", "at", "what"),
    [
        ("", 0, "empty"),
        ("  \n", 0, "empty"),
        ("… — !", 5, "no word"),
        ('reasoning "chain of', 10, "never closed"),
        ('x ""', 2, "no word between"),
        ("(rag OR retrieval", 0, "never closed"),
        ("rag) retrieval", 3, "never opened"),
        ("a ()", 2, "nothing in this group"),
        ("OR lora", 0, "nothing before"),
        ("lora OR", 5, "nothing after"),
        ("lora OR | dora", 5, "nothing after"),
        ("lora AND", 5, "nothing after"),
        ("(AND lora)", 1, "nothing before"),
        ("lora NOT", 5, "nothing after"),
        ("-survey", 0, "only excludes"),
        ("-(survey review)", 0, "only excludes"),
        ("lora OR -survey", 8, "only excludes"),
        ("x foo:bar", 2, "not a field"),
        ("title:", 0, "nothing after"),
        ("x title:(a author:b)", 11, "inside"),
        ("qu*tum", 2, "star"),
        ("*", 0, "star"),
        ("a*", 1, "two letters"),
        ("nul\0byte", 3, "control"),
        ("x" * (MAX_QUERY + 1), MAX_QUERY, "characters"),
        (" ".join(map(str, range(MAX_LEAVES + 1))), 290, "words"),
    ],
)
def test_errors_point_at_the_place(text: str, at: int, what: str) -> None:
    """A query that cannot be understood is refused with what is wrong, where, and what would work."""
    with pytest.raises(QueryError) as caught:
        parse(text)
    assert (caught.value.at, what in caught.value.what) == (at, True), caught.value
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("autor:LeCun", "did you mean author:LeCun?"),
        ("foo:bar", ", ".join(FIELDS)),
        ("arxiv:2510.13201", "like:2510.13201"),
        ("-survey", "reasoning -survey"),
    ],
)
def test_hints_name_what_would_work(text: str, hint: str) -> None:
    """A near name, the known names, or a query that works is named."""
    with pytest.raises(QueryError, match=re.escape(hint)):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "(" * 10_000,
        ")" * 10_000,
        '"' * 1_999,
        "(a) " * 1_000,
        "(a)" * 600,
        "-" * 2_000,
        "NOT " * 500,
        "a OR " * 400,
        "(" * 900 + "a" + ")" * 900,
        "-(" * 60 + "a" + ")" * 60,
        "title:" * 300,
        "*" * 2_000,
        "\0" * 100,
        "\ud800",
        "a\u202e" * 900,
        "title:(" + "a b|" * 300 + "c)",
    ],
)
def test_hostile_queries_are_refused_or_answered(text: str) -> None:
    """Depth, length and nonsense end in a query or a QueryError, never in another error."""
    query = parsed(text)
    assert query is None or parse(str(query)) == query


texts = st.text(alphabet="ab1CO*-:()|\"'!&,. +#/NTRné强x“”—\u200b\n", max_size=40)


@given(st.one_of(st.text(max_size=60), texts))
def test_what_parses_prints_back(text: str) -> None:
    """The canonical text of any query that a person types parses to the same query."""
    query = parsed(text)
    if query is not None:
        assert parse(str(query)) == query
        assert str(parse(str(query))) == str(query)


words = st.sampled_from(
    ["graph", "Nets", "not", "OR", "and", "C++", "GPT-4", "naïve", "强化", "title:x", "a(b", "x*y"]
)
phrases = st.lists(words, min_size=1, max_size=3).map(" ".join)
text_fields = st.sampled_from(["", "title", "abstract"])
terms_ = st.one_of(
    st.builds(Term, phrases, st.booleans(), text_fields),
    st.builds(Prefix, st.sampled_from(["quantiz", "low rank ad", "强"]), text_fields),
    st.builds(
        Has,
        st.sampled_from(["author", "category", "venue", "feed", "like"]),
        st.sampled_from(["Yann LeCun", "cs.CL", "cs.*", "ICLR 2026", "arxiv-cs", "10.1/x(y)z"]),
    ),
)


def _compound(parts: st.SearchStrategy[Query]) -> st.SearchStrategy[Query]:
    several = st.lists(parts, min_size=1, max_size=4)
    return st.one_of(several.map(all_of), several.map(any_of), parts.map(negated))


queries: st.SearchStrategy[Query] = st.recursive(terms_, _compound, max_leaves=12)


@given(queries)
def test_printing_and_parsing_is_the_identity(query: Query) -> None:
    """Any tree in normal form, printed and parsed, is itself."""
    try:
        found = parse(str(query))
    except QueryError as error:
        assume("only excludes" not in error.what)
        raise
    assert found == query


@given(queries)
def test_every_query_can_be_described(query: Query) -> None:
    """The description names each word that is asked for."""
    told = describe(query)
    assert told == told.strip(", ")
    for leaf in leaves(query):
        assert (leaf.value if isinstance(leaf, Has) else leaf.text) in told  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '"large language models" reasoning -survey',
            "large language models (phrase) and reasoning, without survey",
        ),
        ("(rag OR retrieval) title:evaluation", "(rag or retrieval) and evaluation in the title"),
        ('quantiz* author:"Yann LeCun"', "words that start with quantiz and by Yann LeCun"),
        ('"transformers"! | like:2510.13201', 'exactly "transformers" or near 2510.13201'),
    ],
)
def test_describe(text: str, told: str) -> None:
    """A query is told in plain words."""
    assert describe(parse(text)) == told


def test_leaves_and_likes() -> None:
    """What a match can owe itself to, what excludes, and which papers are compared with."""
    query = parse("a -(b -c) (d OR like:1706.03762)")
    assert [str(leaf) for leaf in leaves(query)] == ["a", "c", "d", "like:1706.03762"]
    assert [str(leaf) for leaf in leaves(query, excluded=True)] == ["b"]
    assert likes(query) == ("1706.03762",)


def test_a_value_may_begin_with_a_dash_behind_its_kind() -> None:
    """OpenReview gives such ids; canonical text reads back."""
    wanted = Has("like", "openreview:-4IA4WgNAy4Wx")
    assert parse("like:openreview:-4IA4WgNAy4Wx") == wanted
    assert parse(str(wanted)) == wanted
    with pytest.raises(QueryError, match="write like: once"):
        parse("like:like:2510.13201")
