"""Block quotations: without their citations, and with every other word."""

from __future__ import annotations

from pathlib import Path

import pytest

from essay_files import found, quoted


@pytest.mark.parametrize("space", [" ", "\n"])
@pytest.mark.parametrize(
    "citation",
    [
        "(Fitzgerald 48)",
        "(ch. 3).",
        "(The Great Gatsby, chapter three)",
        "(Fitzgerald, The Great Gatsby)",
        "(Brontë).",
        "(Fitzgerald, ch. IX)",
        "(Fitzgerald, vol. I, ch. ix; emphasis added)",
        "(emphasis mine)",
        "(Fitzgerald 48) (my italics).",
        "(ibid.)",
        "",
    ],
)
def test_a_block_quotation_is_one_without_its_citation(citation: str, space: str) -> None:
    assert quoted(f"He smiled “understandingly”.{space}{citation}", is_block=True) == [
        "He smiled “understandingly”."
    ]


SOURCE_LINES = pytest.mark.parametrize(
    "source",
    [
        "— Nick Carraway",
        "--- F. Scott Fitzgerald, The Great Gatsby, chapter 9",
        "-- Fitzgerald",
        "- Fitzgerald",
        "~ F. Scott Fitzgerald, The Great Gatsby, 180",
        "Source: Fitzgerald",
        "Fitzgerald, *The Great Gatsby*, 180",
        "_The Great Gatsby_, chapter 9",
        "F. Scott Fitzgerald, The Great Gatsby, ch. 9",
        "Austen, “Pride and Prejudice”, vol. 1, ch. IX.",
        "Shakespeare, Hamlet, 3.1.55–60",
        "Charlotte Brontë, Jane Eyre (1847)",
    ],
)


@SOURCE_LINES
def test_a_line_that_names_the_source_is_no_part_of_a_block_quotation(source: str) -> None:
    assert quoted(f"He smiled understandingly,\nI thought.\n{source}", is_block=True) == [
        "He smiled understandingly,\nI thought."
    ]


@SOURCE_LINES
@pytest.mark.parametrize("indent", ["    ", "\t", "        "])
def test_a_source_line_is_indented_with_its_block_quotation(
    tmp_path: Path, source: str, indent: str
) -> None:
    essay = (
        f"She writes:\n\n    He smiled understandingly,\n    I thought.\n{indent}{source}\n\nSo."
    )
    [(text, _, _)] = found(tmp_path, "essay.txt", essay)
    assert text == "He smiled understandingly,\n    I thought."


@SOURCE_LINES
def test_a_paragraph_that_names_the_source_is_no_quotation(source: str) -> None:
    assert quoted(source, is_block=True) == [""]


@pytest.mark.parametrize(
    "text",
    [
        "He smiled at his friend (Mr. Bingley)",
        "He smiled at his friends (Jane, and so forth)",
        "He smiled. (He did so again.)",
        "He smiled at them all (poor things, every one of them).",
        "He smiled in 7 ways,\nand wept in chapter 9",
        "He smiled,\nMr. Bingley was then aged 23",
        "He smiled at the emphasis of mine",
        "He smiled at his friend,\n- Mr. Bingley was his friend",
        "He smiled.\n- Yes.",
        "He smiled,\nfrom Mr. Darcy.",
    ],
)
def test_numbers_and_names_at_the_end_of_a_block_quotation_are_compared(text: str) -> None:
    assert quoted(text, is_block=True) == [text]


@pytest.mark.parametrize(
    "citation", ["(Fitzgerald, The Great Gatsby)", "(Fitzgerald 48).", "(italics added)", "(ch. I)"]
)
def test_a_citation_within_the_last_sentence_is_no_part_of_a_block_quotation(citation: str) -> None:
    assert quoted(f"He smiled at Tom and Daisy {citation}", is_block=True) == [
        "He smiled at Tom and Daisy"
    ]


@pytest.mark.parametrize("ending", ["(A" * 99, "A, " * 66, "(A, " * 50, "(p. i; " * 28, "()" * 99])
def test_an_ending_like_many_citations_is_read_at_once(ending: str) -> None:
    assert len(quoted(f"He smiled. {ending}!", is_block=True)) == 1


@pytest.mark.parametrize("source", ["— Nick Carraway", "--Fitzgerald, The Great Gatsby, 180."])
def test_a_source_behind_a_dash_is_no_part_of_a_block_quotation(source: str) -> None:
    assert quoted(f"He smiled understandingly. {source}", is_block=True) == [
        "He smiled understandingly."
    ]


def test_a_dash_within_a_block_quotation_is_no_citation() -> None:
    for text in ("He said nothing to her—And then he left.", "Il partit. — Jamais."):
        assert quoted(text, is_block=True) == [text]
