"""Signs of notes, which are no words of a quotation."""

from __future__ import annotations

from pathlib import Path

import pytest

from essay_files import found, make_docx
from scholar_indexes.quotations.essays import reading
from scholar_indexes.results import EssayFormat

RAISED_RUN = '<w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>{}</w:t></w:r>'


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("essay.txt", "“We beat,² boats²”²"),
        ("essay.txt", "    We beat, boats.¹²\n\nSo."),
        ("essay.md", "“We beat,^1^ boats^12^”^3^"),
        ("essay.md", "“We beat,<sup>4</sup> boats<sup>[5](#n5)</sup>”"),
        ("essay.md", "“We beat,[^4] *boats.*[^b]”\n\n[^4]: Ibid.\n[^b]: x"),
        ("essay.md", "> We beat, boats.[^4]\n\n[^4]: x"),
        ("essay.html", "“We beat,<sup>4</sup> boats<sup><a href='#n'>[5]</a></sup>”"),
        ("essay.html", "<blockquote>We beat, boats.<sup id=a>4</sup></blockquote>"),
        ("essay.tex", "``We beat,\\textsuperscript{4} boats''"),
    ],
)
def test_signs_of_notes_are_no_words_of_a_quotation(tmp_path: Path, name: str, source: str) -> None:
    [(text, _, _)] = found(tmp_path, name, source)
    assert text.replace(".", "") == "We beat, boats"


@pytest.mark.parametrize(
    ("name", "source", "quote"),
    [
        ("essay.txt", "“a square of 10² or x²”", "a square of 10² or x²"),
        ("essay.md", "“in 10^2^ ways, [2] or ^so^”", "in 10² ways, [2] or ^so^"),
        ("essay.md", "“the 4<sup>th</sup> of 4 boats 5”", "the 4th of 4 boats 5"),
        ("essay.html", "“the 4<sup>th</sup> of 4 boats”", "the 4th of 4 boats"),
        ("essay.html", "<p><sup>“one</p><p>“the 4 boats”</p>", "the 4 boats"),
    ],
)
def test_a_number_or_superscript_that_is_no_sign_of_a_note_is_compared(
    tmp_path: Path, name: str, source: str, quote: str
) -> None:
    assert found(tmp_path, name, source)[-1][0] == quote


@pytest.mark.parametrize("style", ["", '<w:pPr><w:pStyle w:val="Quote"/></w:pPr>'])
def test_superscript_digits_of_word_are_signs_of_notes(tmp_path: Path, style: str) -> None:
    runs = "<w:r><w:t>{}</w:t></w:r>"
    data = make_docx(
        f"<w:p>{style}{runs.format('“We beat,')}{RAISED_RUN.format('4')}"
        f"{runs.format(' the 4')}{RAISED_RUN.format('th')}{runs.format(' of 4 boats.”')}"
        f"{RAISED_RUN.format('12')}</w:p>"
    )
    (tmp_path / "essay.docx").write_bytes(data)
    [quotation] = reading.quotations(str(tmp_path / "essay.docx"))
    assert quotation.text.strip("“”") == "We beat, the 4th of 4 boats."


@pytest.mark.parametrize(
    "sign",
    [
        "<sup>2</sup>",
        "<sup><a href='#n'>2</a></sup>",
        "<a class='footnote-ref' href='#n' role='doc-noteref'>2</a>",
        "<a class=fnanchor href='#n'>[2]</a>",
        "<a epub:type='noteref' href='#n'><sup>2</sup></a>",
    ],
)
def test_a_reference_to_a_note_in_a_page_is_no_word(sign: str) -> None:
    page = f"<p>He says “the moths came back{sign} to the lamp” there.</p>"
    [quotation] = reading.quotations_of_text(page, EssayFormat.HTML)
    assert quotation.text == "the moths came back to the lamp"
