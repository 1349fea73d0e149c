"""Worksheets of quiz questions: every format, and text that is not markup."""

from __future__ import annotations

import io
import re
from dataclasses import replace

import docx
import pytest
from lxml import html

from quiz_answers import question
from scholar_indexes.characters.descriptions.bank import DescriptionEvidence
from scholar_indexes.serialize.worksheets import (
    Worksheet,
    WorksheetPart,
    choice_letter,
    worksheet_to_docx,
    worksheet_to_html,
    worksheet_to_markdown,
)

HOSTILE = "<script>alert(1)</script> **x** [y](z)\x1b[31m\uffff"

PROVED = replace(question(), evidence=(DescriptionEvidence("own-harbour:1.1:0-9", "the “lamp”"),))
SHEET = Worksheet("The Harbour", "A. Writer", 7, (PROVED, question(kind="name2desc")))
HOSTILE_SHEET = Worksheet(
    HOSTILE,
    HOSTILE,
    7,
    (
        replace(
            question(),
            text=HOSTILE,
            choices=(HOSTILE, "a & b"),
            evidence=(DescriptionEvidence(HOSTILE, HOSTILE),),
        ),
    ),
)


def text_of_docx(data: bytes) -> str:
    return "\n".join(paragraph.text for paragraph in docx.Document(io.BytesIO(data)).paragraphs)


def test_text_from_books_is_no_html() -> None:
    page = html.document_fromstring(worksheet_to_html(HOSTILE_SHEET))
    assert not page.xpath("//script")
    assert "a & b" in page.text_content()
    assert "\x1b" not in page.text_content()


def test_text_from_books_is_no_markdown() -> None:
    text = worksheet_to_markdown(HOSTILE_SHEET)
    assert not re.search(r"(?<!\\)<script", text)
    assert "[y](z)" not in text
    assert "\x1b" not in text


def test_text_from_books_is_only_text_in_a_docx() -> None:
    text = text_of_docx(worksheet_to_docx(HOSTILE_SHEET))
    assert "A. <script>alert(1)</script> **x**" in text
    assert "\uffff" not in text


@pytest.mark.parametrize("write", [worksheet_to_markdown, worksheet_to_html])
def test_the_key_is_behind_the_questions_and_can_be_left_out(write: object) -> None:
    assert callable(write)
    whole = write(SHEET)
    assert whole.index("the one who keeps the lamp") < whole.index("Answers. Who is who?")
    assert "own-harbour:1.1:0-9" in whole.partition("Answers.")[2]
    assert "--seed 7" in whole
    sheet, key = write(SHEET, WorksheetPart.QUESTIONS), write(SHEET, WorksheetPart.ANSWERS)
    assert "own-harbour:1.1" not in sheet
    assert "--seed" not in sheet
    assert "Bess Carr" in sheet
    assert "Bess Carr" not in key


def test_a_docx_has_lettered_choices_and_the_key_on_another_page() -> None:
    text = text_of_docx(worksheet_to_docx(SHEET))
    questions, _, key = text.partition("Answers. ")
    assert "1. Who is the one who keeps the lamp?\nA. Ada Finch\nB. Bess Carr" in questions
    assert "1. A. Ada Finch\n“the “lamp”” [own-harbour:1.1:0-9]" in key


def test_passages_have_the_italics_of_the_format() -> None:
    proof = DescriptionEvidence("own-harbour:1.1:0-9", "the _lamp_")
    sheet = replace(SHEET, questions=(replace(question(), evidence=(proof,)),))
    assert "> “the *lamp*” \\[own-harbour" in worksheet_to_markdown(sheet)
    assert "“the <em>lamp</em>” [own-harbour" in worksheet_to_html(sheet)
    paragraphs = docx.Document(io.BytesIO(worksheet_to_docx(sheet))).paragraphs
    assert [run.text for part in paragraphs for run in part.runs if run.italic] == ["lamp"]


def test_automatic_descriptions_are_labelled() -> None:
    automatic = replace(SHEET, questions=(replace(question(), automatic=True),))
    assert "may be wrong" in worksheet_to_markdown(automatic, WorksheetPart.ANSWERS)
    assert "may be wrong" not in worksheet_to_markdown(SHEET)


def test_letters_go_on_after_z() -> None:
    assert [choice_letter(index) for index in (0, 9, 25, 26, 99)] == ["A", "J", "Z", "AA", "CV"]
