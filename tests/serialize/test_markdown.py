"""Text of books in Markdown: it renders as the text of the book."""

from __future__ import annotations

import html

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import html as pages
from markdown_it import MarkdownIt

from scholar_indexes.emphasis import Run, plain_line, styled_line
from scholar_indexes.results import Evidence
from scholar_indexes.sanitize import one_line
from scholar_indexes.serialize.evidence import evidence_to_markdown
from scholar_indexes.serialize.html_page import html_line
from scholar_indexes.serialize.markdown import markdown_line
from scholar_indexes.types import Book, Chapter, ChapterKind, Passage, Span

TEXT = st.text(st.sampled_from("___=ab .,“”'(\n—é\x07*&;<#1-+~$|`[!\\"), max_size=40)


def rendered(markdown: str) -> pages.HtmlElement:
    return pages.fromstring(f"<div>{MarkdownIt().render(markdown)}</div>")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I _did_ it.", "I *did* it."),
        ("“_No!_” he said", "“*No!*” he said"),
        ("my_self_", "my*self*"),
        ("=Jane Eyre.= By _her_", "**Jane Eyre.** By *her*"),
        ("it _was _true", "it *was* true"),
        ("_a * b_", r"*a \* b*"),
        ("_Oh!_he said", r"\_Oh!\_he said"),
        ("D_n the blank ____", r"D\_n the blank \_\_\_\_"),
    ],
)
def test_emphasis_is_that_of_markdown(text: str, expected: str) -> None:
    assert markdown_line(styled_line(text)) == expected


@pytest.mark.parametrize(
    ("text", "strong", "expected"),
    [
        ("He _did_ it. Then.", (0, 12), "**He *did* it.** Then."),
        ("No. He _did_", (4, 12), "No. **He *did***"),
        ("_He did._ No", (0, 9), "***He did.*** No"),
        ("_He. Then so._ No", (5, 14), "*He.* ***Then so.*** No"),
        ("=Jane= came. No", (0, 12), "**Jane came.** No"),
    ],
)
def test_a_bold_sentence_keeps_its_italics(
    text: str, strong: tuple[int, int], expected: str
) -> None:
    assert markdown_line(styled_line(text, strong=strong)) == expected


@given(TEXT, st.tuples(st.integers(0, 40), st.integers(0, 40)))
@example("_a_=b=_c_", (0, 0))
@example("_a b_ c", (1, 4))
def test_markdown_reads_as_the_text_and_emphasizes_nothing_else(
    text: str, strong: tuple[int, int]
) -> None:
    line = styled_line(text, strong=strong)
    page = rendered(f"x {markdown_line(line)} x")
    assert one_line(page.text_content()) == one_line(f"x {plain_line(text)} x")
    for tag, has_style in (("em", lambda run: run.italic), ("strong", lambda run: run.bold)):
        words = "".join(element.text_content() for element in page.iter(tag))
        styled = iter("".join(run.text for run in line if has_style(run)))
        assert all(character in styled for character in words)


@pytest.mark.parametrize("text", ["- a", "+ a", "12. a", "1) a", "---", "- - -", "# a", "> a"])
def test_a_line_is_no_block_of_markdown(text: str) -> None:
    (block,) = rendered(markdown_line(styled_line(text)))
    assert (block.tag, block.text_content()) == ("p", text)


@given(TEXT)
def test_html_reads_as_the_text(text: str) -> None:
    page = pages.fromstring(f"<div>{html_line(styled_line(text))}</div>")
    assert page.text_content() == plain_line(text)


def test_html_has_emphasis_and_no_other_elements() -> None:
    runs = [Run("<b>", 0, italic=True), Run("so", 0, italic=True, bold=True), Run(" & on", 0)]
    assert html_line(runs) == (
        f"<em>{html.escape('<b>')}</em><strong><em>so</em></strong> &amp; on"
    )


def test_a_hit_has_the_sentence_that_carries_its_claim_in_bold() -> None:
    text = "It rained. He _did_ go"
    chapter = Chapter(1, "Chapter 1", (), ChapterKind.CHAPTER, Span(0, 99), Span(0, 99))
    passage = Passage("pg1", 1, 1, Span(20, 20 + len(text)), text)
    evidence = Evidence(
        Book("pg1", "Emma", "Jane Austen", "en", "", ""),
        chapter,
        passage,
        "Before _it ",
        " on. _After_ it",
        "pg1:1.1:20-42",
        Span(31, 42),
        (),
        None,
        None,
        None,
    )
    quotation, source = evidence_to_markdown(evidence).split("\n>\n")
    assert quotation == "> It rained. **He *did* go**"
    assert source == "> — Jane Austen, Emma, Chapter 1 (`pg1:1.1:20-42`)\n"
