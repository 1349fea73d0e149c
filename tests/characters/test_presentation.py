"""Descriptions as a user sees them: the character meant, the names shown, the passages located."""

from __future__ import annotations

import pytest

from scholar_indexes.characters.descriptions.bank import DescriptionEvidence
from scholar_indexes.characters.descriptions.presentation import (
    display_text,
    find_character,
    locate_evidence,
)
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.types import Chapter, ChapterKind, Character, Span

TEXT = "Mr. Hale married Jane.\n\nRobert was born in Dublin."
CHAPTER = Chapter(1, "", (), ChapterKind.CHAPTER, Span(0, len(TEXT)), Span(0, len(TEXT)))
JANE = Character("jane-marsh", "Jane Marsh", ("Jane Marsh", "Jane"))
ANN = Character("ann-marsh", "Ann Marsh", ("Ann Marsh", "Ann"))
MR_MARSH = Character("mr.-marsh", "Mr. Marsh", ("Mr. Marsh",))
MRS_GALE = Character("mrs.-gale", "Mrs. Gale", ("Mrs. Gale",))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("the sister of {Ann Marsh}", "the sister of Ann", id="another name"),
        pytest.param("the child of {Mr. Marsh}", "the child of Mr. Marsh", id="no other name"),
        pytest.param("the niece of {Mrs. Gale}", "the niece of Mrs. Gale", id="distinct name"),
    ],
)
def test_others_are_shown_by_names_without_words_of_the_described(text: str, shown: str) -> None:
    assert display_text(text, JANE, (JANE, ANN, MR_MARSH, MRS_GALE)) == shown


@pytest.mark.parametrize(
    ("name", "error", "message"),
    [
        pytest.param("Janet", NotThere, "perhaps Jane", id="similar name"),
        pytest.param("Zebedee", NotThere, "the first are Jane Marsh, Mrs. Gale", id="unknown name"),
        pytest.param("", NotThere, "the first are Jane Marsh", id="no name"),
        pytest.param("Marsh", UsageError, "Jane Marsh; Ann Marsh", id="ambiguous name"),
    ],
)
def test_unknown_and_ambiguous_names_are_refused(
    name: str, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        find_character((JANE, MRS_GALE, ANN), name, "own-x")


@pytest.mark.parametrize(
    ("locator", "quote", "span"),
    [
        pytest.param(
            "own-x:1.2:0-26", "Robert was born in Dublin.", Span(24, 50), id="at its locator"
        ),
        pytest.param(
            "own-x:7.9:0-26", "Robert was born in Dublin.", Span(24, 50), id="in another edition"
        ),
        pytest.param("nonsense", "Robert was born in Dublin.", Span(24, 50), id="invalid locator"),
        pytest.param("own-x:1.2:0-26", "Robert was born in Cork.", None, id="not in the text"),
        pytest.param("own-x:1.2:0-26", "", None, id="empty"),
    ],
)
def test_evidence_is_located_in_the_text(locator: str, quote: str, span: Span | None) -> None:
    assert locate_evidence(DescriptionEvidence(locator, quote), TEXT, [CHAPTER]) == span
