"""Quiz questions as a worksheet with an answer key, in Markdown, HTML and Word's docx."""

from __future__ import annotations

import html
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Flag, auto
from string import ascii_uppercase
from typing import Any

from scholar_indexes.characters.quiz.questions import QuizQuestion
from scholar_indexes.emphasis import Run, styled_line
from scholar_indexes.sanitize import one_line, xml_text
from scholar_indexes.serialize import quiz_text
from scholar_indexes.serialize.docx_text import add_runs
from scholar_indexes.serialize.html_page import html_line, html_page
from scholar_indexes.serialize.markdown import escape_markdown, markdown_line

NAME_LINE = "Name: ____________________ Date: ____________"

MAX_PROOFS = 2
"""The most passages shown with an answer."""


_STYLE = """
body { font: 11pt/1.4 Georgia, "Times New Roman", serif; max-width: 42em; margin: 2em auto;
       padding: 0 1em; }
h1 { font-size: 1.4em; }
ol > li { margin: 0 0 1em; break-inside: avoid; page-break-inside: avoid; }
ol ol { list-style: upper-alpha; }
ol ol > li { margin: 0; }
blockquote { margin: .2em 0 .2em 1em; font-size: .9em; }
.sheet + .key { break-before: page; page-break-before: always; }
@media print { body { margin: 0; max-width: none; } }
"""


class WorksheetPart(Flag):
    """The parts of a worksheet."""

    QUESTIONS = auto()
    ANSWERS = auto()
    BOTH = QUESTIONS | ANSWERS


@dataclass(frozen=True, slots=True)
class Worksheet:
    """Questions about a book for a class; the same seed draws them again."""

    title: str
    author: str
    seed: int
    questions: tuple[QuizQuestion, ...]

    @property
    def heading(self) -> str:
        """The heading of the questions."""
        book = ", ".join(filter(None, map(one_line, (self.author, self.title))))
        return f"Who is who? {book}"

    @property
    def key_heading(self) -> str:
        """The heading of the answers."""
        return f"Answers. {self.heading}"

    @property
    def seed_note(self) -> str:
        """Return the option that draws these questions again, and a warning if one is automatic."""
        automatic = any(question.automatic for question in self.questions)
        warning = " Descriptions were read from the book by a program and may be wrong."
        return f"Drawn with --seed {self.seed}.{warning if automatic else ''}"


def worksheet_to_markdown(sheet: Worksheet, parts: WorksheetPart = WorksheetPart.BOTH) -> str:
    """Return parts of a worksheet as Markdown."""
    lines: list[str] = []
    if WorksheetPart.QUESTIONS in parts:
        lines += [f"# {_markdown(sheet.heading)}", "", NAME_LINE, ""]
        for number, question in enumerate(sheet.questions, 1):
            lines += [f"{number}. {_markdown(quiz_text.question_sentence(question))}", ""]
            lines += [f"    - {letter}. {_markdown(text)}" for letter, text in _choices(question)]
            lines.append("")
    if WorksheetPart.ANSWERS in parts:
        lines += [f"# {_markdown(sheet.key_heading)}", ""]
        for number, question in enumerate(sheet.questions, 1):
            lines += [f"{number}. {_markdown(_answer(question))}", ""]
            lines += [f"    > {markdown_line(proof)}\n" for proof in _proofs(question)]
        lines += [_markdown(sheet.seed_note), ""]
    return "\n".join(lines)


def worksheet_to_html(sheet: Worksheet, parts: WorksheetPart = WorksheetPart.BOTH) -> str:
    """Return parts of a worksheet as one HTML page, with the answers on a sheet of their own."""
    heading = sheet.heading if WorksheetPart.QUESTIONS in parts else sheet.key_heading
    body: list[str] = []
    if WorksheetPart.QUESTIONS in parts:
        body += ['<section class="sheet">', f"<h1>{html.escape(sheet.heading)}</h1>"]
        body += [f"<p>{html.escape(NAME_LINE)}</p>", "<ol>"]
        body += map(_question_to_html, sheet.questions)
        body += ["</ol>", "</section>"]
    if WorksheetPart.ANSWERS in parts:
        body += ['<section class="key">', f"<h1>{html.escape(sheet.key_heading)}</h1>", "<ol>"]
        body += map(_answer_to_html, sheet.questions)
        body += ["</ol>", f"<p>{html.escape(sheet.seed_note)}</p>", "</section>"]
    return html_page(heading, _STYLE, "\n".join(body))


def worksheet_to_docx(sheet: Worksheet, parts: WorksheetPart = WorksheetPart.BOTH) -> bytes:
    """Return parts of a worksheet as a docx file."""
    import docx

    document = docx.Document()
    document.core_properties.title = _xml(sheet.heading)
    document.core_properties.author = ""
    if WorksheetPart.QUESTIONS in parts:
        document.add_heading(_xml(sheet.heading), 1)
        document.add_paragraph(NAME_LINE)
        for number, question in enumerate(sheet.questions, 1):
            sentence = f"{number}. {quiz_text.question_sentence(question)}"
            choices = (f"{letter}. {text}" for letter, text in _choices(question))
            _add_lines(document, map(_plain, (sentence, *choices)))
    if parts == WorksheetPart.BOTH:
        document.add_page_break()
    if WorksheetPart.ANSWERS in parts:
        document.add_heading(_xml(sheet.key_heading), 1)
        for number, question in enumerate(sheet.questions, 1):
            _add_lines(document, [_plain(f"{number}. {_answer(question)}"), *_proofs(question)])
        document.add_paragraph(sheet.seed_note)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _choices(question: QuizQuestion) -> Iterator[tuple[str, str]]:
    """Yield the letter and the text of each choice."""
    for index, choice in enumerate(question.choices):
        yield choice_letter(index), one_line(choice)


def choice_letter(index: int) -> str:
    """Return the letter of a choice: A to Z, then AA, AB and so on."""
    before, last = divmod(index, len(ascii_uppercase))
    return (choice_letter(before - 1) if before else "") + ascii_uppercase[last]


def _answer(question: QuizQuestion) -> str:
    return f"{choice_letter(question.answer)}. {one_line(question.choices[question.answer])}"


def _proofs(question: QuizQuestion) -> Iterator[list[Run]]:
    """Yield the passages of an answer with their locators, each as the runs of a line."""
    for proof in question.evidence[:MAX_PROOFS]:
        place = Run(f"” [{one_line(proof.locator)}]", 0)
        yield [Run("“", 0), *styled_line(proof.quote), place]


def _plain(line: str) -> list[Run]:
    return [Run(one_line(line), 0)]


def _markdown(text: str) -> str:
    return escape_markdown(one_line(text))


def _question_to_html(question: QuizQuestion) -> str:
    choices = "".join(f"<li>{html.escape(text)}</li>" for _, text in _choices(question))
    sentence = html.escape(quiz_text.question_sentence(question))
    return f"<li>{sentence}\n<ol>{choices}</ol></li>"


def _answer_to_html(question: QuizQuestion) -> str:
    proofs = "".join(f"<blockquote>{html_line(proof)}</blockquote>" for proof in _proofs(question))
    return f"<li>{html.escape(_answer(question))}{proofs}</li>"


def _add_lines(document: Any, lines: Iterable[list[Run]]) -> None:
    """Add a paragraph of lines that is not split between pages."""
    paragraph = document.add_paragraph()
    paragraph.paragraph_format.keep_together = True
    for number, line in enumerate(lines):
        if number:
            paragraph.add_run().add_break()
        add_runs(paragraph, line)


def _xml(text: str) -> str:
    """Return a text as one line that is valid in XML."""
    return xml_text(one_line(text))
