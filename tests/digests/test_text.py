"""Tests of text cleaning: what each mark becomes, nothing lost, and twice cleaned is once cleaned."""

import gzip
import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from digests.text import clip, plain

LATEX = [
    (r"\textbf{DiffAdapt}", "DiffAdapt"),
    (r"22--25\%", "22–25%"),
    (r"$\times 550$ vs. RegMix", "×550 vs. RegMix"),
    (r"from $10^0$ to $10^7$, up to 10~MHz", "from 10⁰ to 10⁷, up to 10 MHz"),
    (r"images ($\geq$2K)", "images (≥2K)"),
    (r"(256$\times$256)", "(256×256)"),
    ("a general $K$-Lipschitz bound", "a general K-Lipschitz bound"),
    (r"$\textbf{U}$npaired $\textbf{M}$ultimodal", "Unpaired Multimodal"),
    (r"K\"{a}hler, Erd\H{o}s--R\'enyi, {\o}re, \v{s}, \c c, \'{\i}", "Kähler, Erdős–Rényi, øre, š, ç, í"),
    (r"J. G\"odel and S. \O stby", "J. Gödel and S. Østby"),
    ("``quoted''", "“quoted”"),
    ("a `Guesser' and a `code`", "a ‘Guesser’ and a code"),
    (r"as in \cite{a,b}, (see \citep[p. 3]{c}) and (\citet{d}).", "as in, (see) and."),
    (r"We count\footnote{Up to {ten}.} stones.", "We count stones."),
    (r"\url{https://a.org/b_c~d} \href{https://x.org}{here}", "https://a.org/b_c~d here"),
    (r"\ours beats \tilde{O}(n) and $\tilde{O}(n)$", r"\ours beats Õ(n) and Õ(n)"),
    (r"\textcolor{red}{hot} \foo{arg} {\em slow} \emph{\textit{deep}}", "hot arg slow deep"),
    (r"{BERT} and \{0,1\}^n and {Hsu et al, 2019}", "BERT and {0,1}^n and {Hsu et al, 2019}"),
    (r"the set \{X\}, \lbrace Y \rbrace, \textbf{\{NP\}} of {NP}", "the set { X }, { Y }, { NP } of NP"),
    (r"\begin{itemize}\item one \item two\end{itemize}", "• one • two"),
    (r"5\% of R\&D \#1 a\_b 50% off % no comment", "5% of R&D #1 a_b 50% off % no comment"),
    (r"path C:\new\table.", r"path C:\new\table."),
    (r"\emphsparse and \mathrmNP", "sparse and NP"),
    (r"R^{d}, \mathcal{R}^{d} and \mathbf{0.55}^{\circ}", "Rᵈ, ℛᵈ and 0.55°"),
    (r"\\textbf{Twice} escaped", "Twice escaped"),
    ("1--300~GeV of PSZ2~G181 in Fig.~2", "1–300 GeV of PSZ2 G181 in Fig. 2"),
    ("males--37.9% --- X -- Y --flag 82 --> 83", "males–37.9% — X – Y --flag 82 --> 83"),
    ("~800 km/s, 3.72%~6.68%, z~N(0,1)", "~800 km/s, 3.72%~6.68%, z~N(0,1)"),
    ("unbalanced {brace and } brace, 5'' and f''(x)", "unbalanced {brace and } brace, 5'' and f''(x)"),
]
MATHS = [
    (r"$x \in \mathbb{R}^d$ and $x\in\mathbb{R}^d$", "x ∈ ℝᵈ and x∈ℝᵈ"),
    (r"$n\log n$, $\log_2 n$, $O(\log(T))$", "n log n, log₂ n, O(log(T))"),
    (r"$z\approx 1$, $\alpha \leq \kappa$, $\sim 38.8$", "z ≈ 1, α ≤ κ, ∼38.8"),
    (r"$d_{eff}$, $\ell_\infty$, $f_{\rm obs}$, $a_i^2$", "d_eff, ℓ_∞, f_obs, aᵢ²"),
    (r"$(4.8\pm1.3)\times10^{-5}$", "(4.8±1.3)×10⁻⁵"),
    (r"$\hat x$, $\bar{w}\to 0$, $\{0,1\}^n$", "x̂, w̄ → 0, {0,1}ⁿ"),
    (r"$\{X_t\}$, $\{\alpha\}$ and $S=\{x\mid x>0\}$", "{ Xₜ }, { α } and S={x∣ x>0}"),
    (r"\(x^2\), \[y\] and $$z$$", "x², y and z"),
    (r"$x_{i,j}$ and $y_{i,j}^2$ in $\mathbb{R}^{m\times n}$", "x_(i,j) and y_(i,j)² in ℝ^(m × n)"),
    (r"$O(T^{1/3})$, $p(x_{1:T})$, $w^{(i,j)}$", "O(T^(1/3)), p(x_(1:T)), w^(i,j)"),
    (r"$d_\mathrm{VC}$, $T_\text{ann}$, $\hat\mathbf{x}$", "d_VC, T_ann, x̂"),
    (r"from _a $b_{1,2}$, $_{i,j}$ and $c_{3,4}$", r"from _a b_(1,2), $_{i,j}$ and c_(3,4)"),
    (r"$ \alpha $ is spaced", "α is spaced"),
    (r"$L^2$ vanishing", "L² vanishing"),
    (r"Rates of $\mathcal{O}(1/\sqrt{n})$", r"Rates of $\mathcal{O}(1/\sqrt{n})$"),
    (r"We get $\|x\|_2<\epsilon$ and \|x\|_2", r"We get $\|x\|_2<\epsilon$ and \|x\|_2"),
    (
        r"$\OPT + \e$, $\frac{1}{2}$ and \[ \frac{1}{2} \]",
        r"$\OPT + \e$, $\frac{1}{2}$ and \[ \frac{1}{2} \]",
    ),
    ("$5 and $6", "$5 and $6"),
    ("US$5,000 vs. $6, ($1,234) or 5$ or 6$.", "US$5,000 vs. $6, ($1,234) or 5$ or 6$."),
    (r"costs \$5--\$6 for $\alpha$", "costs $5–$6 for α"),
]
MARKDOWN = [
    ("**x**, *x* and `x`", "x, x and x"),
    ("**Can we *really* ask?** Yes", "Can we really ask? Yes"),
    ("*i.e.*, _so_ **Re**adable", "i.e., so Readable"),
    ("2*3*4, a_b_c, snake_case, __init__", "2*3*4, a_b_c, snake_case, __init__"),
    ("RRT* and FMT*; *p < 0.05, **p < 0.01; DALL*E", "RRT* and FMT*; *p < 0.05, **p < 0.01; DALL*E"),
    ("[t](https://u.org/w_(x)), [0,1](x) and [5]", "t, [0,1](x) and [5]"),
    ("# Title\nwords\n- a\n- b", "Title words - a - b"),
    ("# of parameters", "# of parameters"),
    ("_a x_(i,j) and y_(k)", "_a x_(i,j) and y_(k)"),
    ("([t](https://u.org/w_(x))) and [![t](https://u.org/x.png)](https://u.org)", "(t) and t"),
    ('[t](https://u.org){target="_blank" .wide rel="a \\"b\\""} []{#more-5} x', "t x"),
    (
        "::: {#fig-1 .wide}\nA bog\n:::\n# Moor {#moor}\nIt {.5} {x.y} [0]{a} burns",
        "A bog Moor It {.5} {x.y} [0]{a} burns",
    ),
    ("a ::: b of {.net} in f(x){.5}", "a ::: b of {.net} in f(x){.5}"),
    ("see https://a.org/learning_filter_basis_.", "see https://a.org/learning_filter_basis_."),
]
HTML = [
    ("k<n and then x>y, a<b>c, (p < .05) <0.001", "k<n and then x>y, a<b>c, (p < .05) <0.001"),
    ("<b>x</b>, <i class='y'>z</i><br/>w <unknown> </br>", "x, z w <unknown>"),
    ("recolor <object> to <color>", "recolor <object> to <color>"),
    ("<p>One.</p><p>Two.</p><!-- three --><script>four()</script>", "One. Two."),
    ("<jats:title>Abstract</jats:title><jats:p>We <jats:italic>see</jats:italic>.</jats:p>", "We see."),
    ("vitamin D<sub>3</sub>, CO<jats:sub>2</jats:sub>, σ<SUB>0</SUB>", "vitamin D3, CO2, σ₀"),
    ("10<sup>5</sup>, DELTA<sup>9</sup>-THC, 5<sup>th</sup>, Fe<sup>2+</sup>", "10⁵, DELTA⁹-THC, 5th, Fe²⁺"),
    ("x<sub>max</sub>, 10<sup>1.5</sup>, e<sup>a b</sup>", "x_max, 10^1.5, e^(a b)"),
    (
        "<mml:math><mml:msup><mml:mi>s</mml:mi><mml:mrow><mml:mo>-</mml:mo><mml:mn>1</mml:mn></mml:mrow></mml:msup>"
        "</mml:math> <math><msub><mi>Ω</mi><mi>m</mi></msub></math>",
        "s⁻¹ Ωₘ",
    ),
    ("a &amp;lt; b &amp;amp;lt; c &lt;i&gt;d&lt;/i&gt;", "a < b < c d"),
    (
        "AT&T, R&D, &notin; &notit &nosuch; &#1114112; &#150; &#x27;",
        "AT&T, R&D, ∉ &notit &nosuch; &#1114112; – '",
    ),
]
HEADINGS = [
    ("Abstract: We see.", "We see."),
    ("ABSTRACT\nWe see.", "We see."),
    ("Abstract—We see.", "We see."),
    ("AbstractIn this paper", "In this paper"),
    ("Abstract We see.", "We see."),
    ("Abstract reasoning is hard.", "Abstract reasoning is hard."),
    ("Abstract Meaning Representation", "Abstract Meaning Representation"),
    ("Abstractive summaries", "Abstractive summaries"),
    ("Abstract", "Abstract"),
    ("BACKGROUND: a. METHODS: b.", "BACKGROUND: a. METHODS: b."),
]
CHARACTERS = [
    (" a\u00a0b\n\n c\t", "a b c"),
    ("so\u00adft ze\u200bro \u202eevil\u202c \ufeffBOM be\x07ll a\u200db", "soft zero evil BOM bell ab"),
    ("lone \ud800 surrogate, \ufdd0 noncharacter", "lone surrogate, noncharacter"),
    ("e\u0301 \ufb01n \U0001d4aa", "é \ufb01n \U0001d4aa"),
    ("می\u200cخواهم \U0001f469\u200d\U0001f52c", "می\u200cخواهم \U0001f469\u200d\U0001f52c"),
    ("vehicleâ\x80\x99s 269Â°/s itâ€™s", "vehicle’s 269°/s it’s"),
    ("«Spaß», CAFÉ©, an \x93old\x94 quote", "«Spaß», CAFÉ©, an “old” quote"),
]
HOSTILE = [
    *"{}$<\\*_`~^&[# \u200b",
    *"\\a{ \\emph{".split(),
    *r"$a $a$ <a <b> <sub>a <msub> <!-- `` '' \c {a ^{ [a](# **a `a &amp; <a\ b= \frac{ 1~".split(),
    *("*a ", "\\cite{a} ", "Abstract: ", "Â\x80"),
]
NASTY = st.text(st.sampled_from("\\{}$&<>;#%*_~^\u200b `'\"()[]-/.:aB1\n"), max_size=40)
PIECES = (
    r"\textbf{ \emph } { $ &amp; &lt; &gt; & <sub> </sub> <b> </b> ** * _ ` `` '' ~ ^ \ \' -- \cite{a} "
    r"\sqrt{ x 1 A [ ](#a) http://a.b Abstract: We \% \$ <!-- --> <mi> </mi> \alpha \foo {} \( \) ^{ _{ "
    r"\c \\ Â lt; amp; ; $x_{i,j}$ $y^{1/3}$ ( )"
).split()
MARKS = st.lists(st.sampled_from([*PIECES, " ", "\n", "a b", "\u0301", "\u1fef", "\x80"]), max_size=24).map(
    "".join
)


@pytest.mark.parametrize(
    ("raw", "shown"), [*LATEX, *MATHS, *MARKDOWN, *HTML, *HEADINGS, *CHARACTERS], ids=lambda text: text[:30]
)
def test_marks_become_readable_text(raw: str, shown: str) -> None:
    """LaTeX, maths, Markdown, HTML, JATS, MathML, entities, headings and unseen characters, each as shown."""
    assert plain(raw) == shown


@pytest.mark.parametrize(("raw", "shown"), [*LATEX, *MATHS, *MARKDOWN, *HTML, *HEADINGS, *CHARACTERS])
def test_what_is_shown_is_clean_already(raw: str, shown: str) -> None:
    """Cleaning the readable text changes nothing."""
    assert plain(shown) == shown


@given(NASTY | MARKS | st.text(st.characters(exclude_categories=()), max_size=40))
@example("&amp;lt;b&amp;gt;x&lt;/b&gt;")
@example("****x****")
@example("\\\\\\\\textbf{\\textbf{{{A}}}}")
def test_cleaning_twice_is_cleaning_once(raw: str) -> None:
    """Whatever comes in, it never raises, and what comes out is NFC, on one line, printable and stable."""
    shown = plain(raw)

    assert plain(shown) == shown
    assert unicodedata.is_normalized("NFC", shown)
    assert shown == " ".join(shown.split())
    assert not set(shown) & set("\x00\x07\x7f\x85\u00ad\u200b\u200e\u202e\u2060\u2066\ufeff\ud800\ufdd0")


def test_real_abstracts_are_stable_and_keep_their_words(shared: Path) -> None:
    """20,000 abstracts: clean after one cleaning, and those without mark-up come out as they were."""
    with gzip.open(shared / "data/abstracts-20k.jsonl.gz", "rt", encoding="utf-8") as lines:
        raws = [json.loads(line)["abstract"] or "" for line in lines]

    for raw in raws:
        shown = plain(raw)
        assert plain(shown) == shown
        if raw.isascii() and raw.isprintable() and not set(raw) & set("\\$&<*_`~^{}[#") and "--" not in raw:
            assert " ".join(raw.split()).endswith(shown)


def test_no_mark_up_is_left_in_the_real_list(shared: Path) -> None:
    """The 19 abstracts of the ICLR list come out without a single sign of LaTeX or Markdown."""
    document = shared / "data/feeds/plain-text/000_c39bef2cca73db67.txt"

    shown = plain(document.read_text(encoding="utf-8"))

    assert not set(shown) & set("\\$*`{}~^_")


@pytest.mark.parametrize("unit", HOSTILE)
def test_a_long_hostile_text_is_answered(unit: str) -> None:
    """A quarter of a megabyte of one mark is cleaned, stably, in one go."""
    shown = plain(unit * (250_000 // len(unit)))

    assert plain(shown) == shown


def test_deep_nesting_is_answered() -> None:
    """Ten thousand brackets inside each other come off without recursion."""
    deep = 10_000

    assert plain("\\emph{" * deep + "x" + "}" * deep) == "x"
    assert plain("<sub>a" * deep + "</sub>" * deep).count("a") == deep


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("short", 5, "short"),
        ("two words", 8, "two…"),
        ("two words", 4, "two…"),
        ("words, more", 8, "words…"),
        ("indivisible", 6, "indiv…"),
        ("泥炭会燃烧", 4, "泥炭会…"),
        ("ae\u0301\u0323b", 3, "a…"),
        ("a\U0001f469\u200d\U0001f52cb", 4, "a…"),
        ("\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7", 3, "\U0001f1e9\U0001f1ea…"),
        ("\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7!", 4, "\U0001f1e9\U0001f1ea…"),
        ("any", 1, "…"),
        ("any", 0, ""),
    ],
)
def test_clipping_cuts_at_a_word_and_never_inside_a_character(text: str, width: int, shown: str) -> None:
    """The beginning with … in the width given; marks, flags and joined emoji stay with their bases."""
    assert clip(text, width) == shown


@given(st.text(max_size=60), st.integers(min_value=-1, max_value=70))
def test_clipping_keeps_the_width_and_the_beginning(text: str, width: int) -> None:
    """At most the width, and a beginning of the text."""
    shown = clip(text, width)

    assert len(shown) <= max(width, 0)
    assert shown == text or text.startswith(shown.removesuffix("…"))
