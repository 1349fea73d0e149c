"""The text of papers: names, markup, sentences and sections."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scholar_indexes.papers import clean, ids, latex
from scholar_indexes.papers.abstracts import (
    MAX_SENTENCE_CHARS,
    MAX_SENTENCES,
    split_abstract,
    split_sentences,
)
from scholar_indexes.types import Facet

B, M, R, OTHER = Facet.BACKGROUND, Facet.METHOD, Facet.RESULT, Facet.OTHER
HASH = "df2b0e26d0599ce3e70df8a9da02e51594e0e992"

MARKED = st.text(
    st.sampled_from("aB1 .,\n\\{}$^_~%&#;<>/'\"`-=!?()[]:é\u0301ﬁ。@\x00\ud800") | st.characters(),
    max_size=200,
)
PIECES = st.lists(
    st.sampled_from(
        [
            "\\frac",
            "\\'",
            "\\alpha",
            "\\textbf{",
            "{",
            "}",
            "$",
            "^",
            "_",
            "<sub>",
            "</sub>",
            "x",
            "<p>",
            "&lt;",
            "&amp;",
            "2",
            " ",
            "\\",
            "<script>",
            "<!--",
            "-->",
            "\\sqrt[",
            "]",
            "ı",
        ]
    ),
    max_size=40,
).map("".join)


@pytest.mark.parametrize(
    "reference",
    [
        "",
        "   ",
        "paper.pdf",
        "Attention is all you need",
        "10.1000",
        "doi:",
        "doi:nonsense",
        "arxiv:18",
        "arXiv:1810.048",
        "s2:123",
        "s2:" + "g" * 40,
        "openalex:123",
        "W1",
        "pmid:x",
        "1",
        "12345678",
        "https://example.org/10.1000",
        "https://arxiv.org/list/cs.CL/recent",
        "unknown:1",
        "key:",
        "key:///",
        "title:xyz",
        "doi:10.1000/a b",
        "10.1000/\ud800",
        "x" * 5_000,
        "https://doi.org/",
        "https://openalex.org/A123",
        "::::",
    ],
)
def test_an_invalid_reference_to_a_paper_is_refused(reference: str) -> None:
    assert ids.canonical_id(reference) is None


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("10.1/x", "doi:10.1/x"),
        ("https://doi.org/10.1/X", "doi:10.1/x"),
        ("doi:10.18653/V1/N19-1423", "doi:10.18653/v1/n19-1423"),
        ("DOI: 10.1000/ABC.", "doi:10.1000/abc"),
        ("doi: https://doi.org/10.1000/X", "doi:10.1000/x"),
        ("http://dx.doi.org/10.1000/a%28b%29?utm=1", "doi:10.1000/a(b)"),
        ("doi.org/10.1000/x", "doi:10.1000/x"),
        ("10.1000/a_(b)_c", "doi:10.1000/a_(b)_c"),
        ("10.1000/x).", "doi:10.1000/x"),
        ("arXiv:1810.04805v2", "arxiv:1810.04805"),
        ("1810.04805", "arxiv:1810.04805"),
        ("arXiv:1810.04805 [cs.CL]", "arxiv:1810.04805"),
        ("arxiv: cs.CL/0501001v3", "arxiv:cs/0501001"),
        ("https://arxiv.org/abs/math.GT/0309136", "arxiv:math/0309136"),
        ("https://arxiv.org/pdf/1810.04805v2.pdf", "arxiv:1810.04805"),
        ("http://export.arxiv.org/abs/1810.04805v1", "arxiv:1810.04805"),
        ("10.48550/arXiv.1810.04805", "arxiv:1810.04805"),
        (f"s2:{HASH.upper()}", f"s2:{HASH}"),
        (HASH, f"s2:{HASH}"),
        (f"https://www.semanticscholar.org/paper/A-Title/{HASH}", f"s2:{HASH}"),
        ("CorpusID:0052967399", "s2:CorpusID:52967399"),
        ("s2:CorpusId: 52967399", "s2:CorpusID:52967399"),
        ("https://api.semanticscholar.org/CorpusID:52967399", "s2:CorpusID:52967399"),
        ("openalex:w123", "openalex:W123"),
        ("https://openalex.org/W2963341956", "openalex:W2963341956"),
        ("https://api.openalex.org/works/W2963341956", "openalex:W2963341956"),
        ("PMID: 00123", "pmid:123"),
        ("https://pubmed.ncbi.nlm.nih.gov/123/", "pmid:123"),
        ("https://www.ncbi.nlm.nih.gov/pubmed/77", "pmid:77"),
        ("key:Devlin et al.", "key:Devlin-et-al."),
        ("title:0123456789abcdef", "title:0123456789abcdef"),
        ("  <doi:10.1000/x>  ", "doi:10.1000/x"),
    ],
)
def test_a_paper_has_one_written_name_however_it_is_cited(reference: str, expected: str) -> None:
    assert ids.canonical_id(reference) == expected


@given(MARKED | st.from_regex(r"(doi:|https://doi.org/)?10\.1000/\S{1,20}", fullmatch=True))
@example("key:" + "a-" * 300)
def test_a_canonical_name_is_its_own_canonical_name(reference: str) -> None:
    canonical = ids.canonical_id(reference)
    assert canonical is None or (ids.canonical_id(canonical) == canonical and canonical.encode())


def test_names_are_ordered_by_scheme_and_each_is_kept_once() -> None:
    given_names = ["key:k", "pmid:1", "arXiv:1810.04805v1", "10.1000/X", "1810.04805", "nothing"]
    assert ids.sort_ids(given_names) == ("doi:10.1000/x", "arxiv:1810.04805", "pmid:1", "key:k")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Über die Ähnlichkeit von Texten", "Uber die Ahnlichkeit von Texten"),
        ("BERT: Pre-training of Transformers", "Bert - pretraining of transformers."),
        ("A  Study\nof Similar Papers", "A study of similar papers"),
        ("Full\uff57idth Letters in a Title", "fullwidth letters in a title"),
    ],
)
def test_titles_that_differ_in_dress_only_are_one(one: str, other: str) -> None:
    assert ids.title_key(one) == ids.title_key(other) != ""


@pytest.mark.parametrize("title", ["", "Introduction", "Deep learning", "Editorial.", "…", "---"])
def test_a_title_too_short_to_identify_a_paper_has_no_key(title: str) -> None:
    assert ids.title_key(title) == ""
    assert ids.canonical_id(ids.title_id(title)) == ids.title_id(title)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        pytest.param("", "", id="nothing"),
        pytest.param("p < 0.05 and q > 3", "p < 0.05 and q > 3", id="angles that are no tags"),
        pytest.param("if a <b and c> d", "if a <b and c> d", id="angles that look like a tag"),
        pytest.param("a 5% gain for $5 or $7", "a 5% gain for $5 or $7", id="prices, percent"),
        pytest.param("about ~10 in {a, b}", "about ~10 in {a, b}", id="no LaTeX at all"),
        pytest.param("AT&T; Q&A", "AT&T; Q&A", id="ampersands that begin no entity"),
        pytest.param("<jats:p>H<jats:sub>2</jats:sub>O</jats:p>", "H₂O", id="jats subscript"),
        pytest.param("10<sup>-3</sup>, the 5<sup>th</sup>", "10⁻³, the 5th", id="superscripts"),
        pytest.param("&lt;i&gt;p&lt;/i&gt; &amp;lt; 5&#160;%", "p < 5 %", id="escaped twice"),
        pytest.param("a<script>alert(1)</script>b<!-- c -->", "ab", id="scripts and comments"),
        pytest.param("<script>never closed", "never closed", id="a script that is not closed"),
        pytest.param("<mml:math><mml:mi>x</mml:mi></mml:math>", "x", id="mathml"),
        pytest.param(
            "<alternatives><tex-math>\\documentclass[12pt]{minimal} \\begin{document}$$x^2$$"
            "\\end{document}</tex-math><mml:math><mml:mi>x</mml:mi></mml:math></alternatives>",
            "x²",
            id="a formula said twice",
        ),
        pytest.param("soft\u00adhyphen \ud800\x00\u200bx", "softhyphen x", id="unseen characters"),
        pytest.param("e\u0301", "é", id="composed"),
        pytest.param("We get $O(n^2 \\log n)$.", "We get O(n² log n).", id="maths"),
    ],
)
def test_markup_becomes_what_a_reader_sees(raw: str, expected: str) -> None:
    assert clean.to_text(raw) == expected


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        pytest.param(
            r"G{\"o}del, Erd\H os, \'{\i}, \c{c}{\aa}\L{}", "Gödel, Erdős, í, çåŁ", id="accents"
        ),
        pytest.param(r"Stra\ss e \& 5\% \$3 \#1 a\_b", "Straße & 5% $3 #1 a_b", id="signs"),
        pytest.param("{BERT}: ``Deep'' -- a `b'---c~d", "BERT: “Deep” – a ‘b'—c d", id="ligatures"),
        pytest.param(r"$\alpha_{ij} \leq \frac{1}{n+1}$", "α_ij ≤ 1/(n+1)", id="maths"),
        pytest.param(r"CO$_2$ $x^{n-1}$ $\sqrt{ab}$ $\hat{y}$", "CO₂ x^(n-1) √ab ŷ", id="scripts"),
        pytest.param(r"\emph{very \textbf{bold}} {\em x}", "very bold x", id="formatting"),
        pytest.param(r"as shown~\cite[p.~3]{smith} here", "as shown here", id="citations go"),
        pytest.param(r"\BERT is \unknown{good}", "BERT is good", id="unknown commands"),
        pytest.param(r"\input{/etc/passwd}\write18{rm}x", "18rmx", id="no command is obeyed"),
        pytest.param(r"\def\a{\a\a}\a", "aaa", id="no definition is made"),
        pytest.param("} unbalanced { $ x", "unbalanced $ x", id="unbalanced"),
        pytest.param("\\", "\\", id="a lone backslash"),
        pytest.param(r"\frac", "", id="a command without its arguments"),
    ],
)
def test_latex_becomes_what_a_reader_sees(raw: str, expected: str) -> None:
    assert clean.to_text(raw, tex=True) == expected


@pytest.mark.parametrize(
    "raw",
    ["{" * 50_000 + "x" + "}" * 50_000, "\\textbf{" * 20_000 + "x"],
    ids=["closed", "never closed"],
)
def test_braces_of_any_depth_are_read(raw: str) -> None:
    assert clean.to_text(raw, tex=True) == "x"


def test_a_number_that_is_no_character_stays() -> None:
    assert clean.to_text("&#" + "1" * 5_000 + ";").startswith("&#111")


def test_a_text_longer_than_any_abstract_is_cut() -> None:
    assert len(clean.to_text("a" * (clean.MAX_CHARS + 5))) == clean.MAX_CHARS


def test_a_tower_of_accents_is_levelled() -> None:
    assert len(clean.to_text("a" + "\u0301\u0323" * 50_000)) < 10


@given(MARKED | PIECES, st.sampled_from([None, True, False]))
def test_cleaning_any_text_gives_one_plain_line(raw: str, tex: bool | None) -> None:
    text = clean.to_text(raw, tex)
    assert text == " ".join(text.split())
    assert text.isprintable() or not text.isascii()
    assert " ".join(clean.to_lines(raw, tex)).split() == text.split()
    assert text.encode("utf-8").decode("utf-8") == text


@given(st.text(st.characters(categories=["L", "N"]), max_size=80))
def test_text_without_markup_is_kept(text: str) -> None:
    import unicodedata

    assert clean.to_text(text, tex=False) == unicodedata.normalize("NFC", text)


@given(st.integers(-999, 999))
def test_digits_are_raised_and_lowered(number: int) -> None:
    assert not any(
        c.isascii() for c in latex.superscript(str(number)) + latex.subscript(str(number))
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "We follow Adams et al. (2019) and Brown et al. in this.",
        "It helps, e.g. with noise, i.e. with errors, cf. Section 2.",
        "As Fig. 2 and Eq. (3) show, p < 0.05 vs. 0.5 for No. 7.",
        "Models such as Node.js, ASP.NET and www.example.com are used.",
        "The work of J. R. Miller and Dr. Jones in the U.S. is known.",
        "The value is 3.14 and approx. 2.71.",
        "Wir messen z.B. Öl.",
        "It is easy ... and fast.",
        "We ask “Why? how?” at once.",
    ],
)
def test_a_full_stop_inside_a_sentence_does_not_end_it(sentence: str) -> None:
    assert list(split_sentences(f"{sentence} We stop.")) == [sentence, "We stop."]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param(
            "We go. It works! Why? So.", ["We go.", "It works!", "Why?", "So."], id="plain"
        ),
        pytest.param("It is known.We go.", ["It is known.", "We go."], id="glued"),
        pytest.param("Good (2019).The rest.", ["Good (2019).", "The rest."], id="glued bracket"),
        pytest.param("Use Adams et al. We go.", ["Use Adams et al.", "We go."], id="et al. ends"),
        pytest.param(
            "Take vitamin C. It helps.", ["Take vitamin C.", "It helps."], id="letter ends"
        ),
        pytest.param("It fails. k-means is ok.", ["It fails.", "k-means is ok."], id="lower-case"),
        pytest.param(
            "(We go.) “It works.” Yes.", ["(We go.)", "“It works.”", "Yes."], id="closers"
        ),
        pytest.param("文一。文二！", ["文一。", "文二！"], id="chinese"),
        pytest.param("Это так. Да.", ["Это так.", "Да."], id="russian"),
        pytest.param("The answer is no. 5 remain.", ["The answer is no. 5 remain."], id="no. 5"),
    ],
)
def test_sentences_end_where_a_reader_says(text: str, expected: list[str]) -> None:
    assert list(split_sentences(text)) == expected


def test_three_hundred_sentences_are_three_hundred() -> None:
    text = " ".join(f"Step {n} follows the one before it." for n in range(300))
    assert len(split_abstract(text)) == 300


def test_an_endless_abstract_is_cut_and_an_endless_sentence_broken() -> None:
    assert len(split_abstract("We go. " * 5_000)) == MAX_SENTENCES
    assert all(len(sentence) <= MAX_SENTENCE_CHARS for sentence in split_sentences("word " * 1_000))


@pytest.mark.parametrize("text", ["", "   ", "Abstract", "ABSTRACT:", "...", "<p></p>"])
def test_an_empty_abstract_has_no_sentences(text: str) -> None:
    assert split_abstract(text) == ()


def test_another_language_is_kept_as_it_is() -> None:
    text = "Wir untersuchen die Ähnlichkeit von Aufsätzen. Das Verfahren ist einfach."
    assert [sentence for sentence, _ in split_abstract(text)] == [
        "Wir untersuchen die Ähnlichkeit von Aufsätzen.",
        "Das Verfahren ist einfach.",
    ]


@pytest.mark.parametrize(
    ("abstract", "expected"),
    [
        pytest.param(
            "Background: Trees die. Often. Methods: We count. Results: Few. Conclusion: Sad.",
            [("Trees die.", B), ("Often.", B), ("We count.", M), ("Few.", R), ("Sad.", R)],
            id="colons",
        ),
        pytest.param(
            "OBJECTIVE To count. MATERIALS AND METHODS We walk. RESULTS AND DISCUSSION 5 of 6.",
            [("To count.", B), ("We walk.", M), ("5 of 6.", R)],
            id="capitals",
        ),
        pytest.param(
            "Purpose – To see. Design/methodology/approach – We look. Findings – It is so. "
            "Originality/value – None.",
            [("To see.", B), ("We look.", M), ("It is so.", R), ("None.", OTHER)],
            id="dashes",
        ),
        pytest.param(
            "<jats:title>Abstract</jats:title><jats:sec><jats:title>Aims</jats:title><jats:p>To "
            "see.</jats:p></jats:sec><jats:sec><jats:title>Results</jats:title><jats:p>So."
            "</jats:p></jats:sec>",
            [("To see.", B), ("So.", R)],
            id="jats sections",
        ),
        pytest.param(
            "Background\nTrees die\nin methods\nunknown.\nMethods\nWe count.",
            [("Trees die in methods unknown.", B), ("We count.", M)],
            id="headings on their own lines",
        ),
        pytest.param(
            "Motivation: None.Results: It works.Availability: On request.",
            [("None.", B), ("It works.", R), ("On request.", OTHER)],
            id="glued",
        ),
        pytest.param(
            "Background. Trees die.\nMethods and results. We count five.",
            [("Trees die.", B), ("We count five.", None)],
            id="a label of two facets says nothing",
        ),
        pytest.param(
            "We begin. Methods: We count. Results: Few.",
            [("We begin.", None), ("We count.", M), ("Few.", R)],
            id="nothing is known before the first label",
        ),
        pytest.param(
            "We begin. Methods: We count. They are few.",
            [("We begin.", None), ("We count.", M), ("They are few.", None)],
            id="a single label is believed of its own sentence",
        ),
        pytest.param(
            "We begin. Results: Few. They are small.",
            [("We begin.", None), ("Few.", R), ("They are small.", R)],
            id="a single label of results is believed to the end",
        ),
        pytest.param(
            "We count trees.\nRESULTS\nThey are few. They are small.",
            [("We count trees.", None), ("They are few.", R), ("They are small.", R)],
            id="a single heading on a line of its own",
        ),
        pytest.param(
            "We count trees. RESULTS They are few.",
            [("We count trees.", None), ("They are few.", R)],
            id="a single heading in capitals",
        ),
        pytest.param(
            "Background -- Trees die. Often. Methods -- We count. Results -- Few.",
            [("Trees die.", B), ("Often.", B), ("We count.", M), ("Few.", R)],
            id="typewriter dashes",
        ),
        pytest.param(
            "Background—Trees die. Methods—We count. Results—Few.",
            [("Trees die.", B), ("We count.", M), ("Few.", R)],
            id="dashes without spaces",
        ),
        pytest.param(
            "(1) Background: Trees die; (2) Methods: We count; we walk. (3) Results: Few.",
            [("Trees die.", B), ("We count; we walk.", M), ("Few.", R)],
            id="numbered",
        ),
        pytest.param(
            "**Methods** We count **all** trees. **Results:** Few.\n__Conclusion__\nSad.",
            [("We count **all** trees.", M), ("Few.", R), ("Sad.", R)],
            id="markdown",
        ),
    ],
)
def test_a_structured_abstract_labels_its_own_sentences(
    abstract: str, expected: list[tuple[str, Facet | None]]
) -> None:
    assert split_abstract(abstract) == tuple(expected)


@pytest.mark.parametrize(
    "abstract",
    [
        "Results: only one label.",
        "Methods that work are rare. Results matter. Background noise does not.",
        "The method: we count. The results: few.",
        "RESULTS are few and METHODS many. DNA: a molecule. RNA: another.",
        "We count results--mostly. Trees (1) and shrubs (2) matter: **often**.",
    ],
)
def test_words_that_are_no_labels_stay(abstract: str) -> None:
    sentences = split_abstract(abstract)
    assert {facet for _, facet in sentences} == {None}
    assert " ".join(sentence for sentence, _ in sentences) == abstract


@given(MARKED)
def test_sentences_hold_the_whole_text_in_order(raw: str) -> None:
    text = clean.to_text(raw, tex=False)
    sentences = list(split_sentences(text))
    assert "".join("".join(sentences).split()) == "".join(text.split())
    assert all(any(c.isalnum() for c in sentence) for sentence in sentences[:-1])


@given(
    st.lists(st.sampled_from(["Methods:", "RESULTS", "Aims", "We go.", "\n", ".", "<p>", "a/b"]))
)
def test_any_pile_of_labels_is_read(pieces: list[str]) -> None:
    assert all(text and text == text.strip() for text, _ in split_abstract(" ".join(pieces)))
