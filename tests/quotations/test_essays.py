"""Essays of any format: which are read, and which are refused."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from essay_files import found, make_docx
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.quotations.essays import html, latex, markdown, plain, reading
from scholar_indexes.results import EssayFormat


def make_archive(name: str, content: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(name, content)
    return file.getvalue()


ODT = "application/vnd.oasis.opendocument.text"


def test_a_text_of_windows_is_read(tmp_path: Path) -> None:
    path = tmp_path / "essay.txt"
    path.write_bytes("“Her voice is full of money,” he said.\n".encode("cp1252"))
    [quotation] = reading.quotations(str(path))
    assert quotation.text == "Her voice is full of money,"


READERS = pytest.mark.parametrize("read", [plain.read, markdown.read, latex.read, html.read])
SOURCES = st.text(alphabet="ab 1²^!\n\\{}$%`'“”\"*_[]()>#-&~\t|<", max_size=120)


@READERS
@given(text=SOURCES)
def test_every_character_has_a_place_in_the_source(read, text: str) -> None:  # type: ignore[no-untyped-def]
    for stretch in read(text):
        assert len(stretch.text) == len(stretch.offsets)
        assert all(0 <= offset <= len(text) for offset in stretch.offsets)


@pytest.mark.parametrize(
    ("name", "data", "format_name"),
    [
        ("essay.rtf", b"{\\rtf1 He says \\ldblquote we beat on\\rdblquote .}", "an RTF document"),
        ("essay.txt", b"{\\rtf1 He says \\ldblquote we beat on\\rdblquote .}", "an RTF document"),
        ("essay.docx", b"{\\rtf1 He says \\ldblquote we beat on\\rdblquote .}", "an RTF document"),
        ("essay.pdf", b"%PDF-1.4\n1 0 obj << >> endobj\n(we beat on) Tj", "a PDF"),
        ("essay.doc", b"\xd0\xcf\x11\xe0 we beat on", "an old Word document"),
        ("essay.fodt", b"<?xml version='1.0'?><office:document/>", "XML"),
        ("essay.odt", make_archive("mimetype", ODT), "an OpenDocument file"),
        ("essay.docx", make_archive("mimetype", ODT), "an OpenDocument file"),
        ("essay.pages", make_archive("Index/Document.iwa", "we beat on"), "a Pages document"),
    ],
    # An archive contains its creation time, so its bytes cannot name a test.
    ids=[
        "RTF",
        "RTF named text",
        "RTF named Word",
        "PDF",
        "old Word",
        "flat XML",
        "OpenDocument",
        "OpenDocument named Word",
        "Pages",
    ],
)
def test_a_format_that_is_not_read_is_named_and_refused(
    tmp_path: Path, name: str, data: bytes, format_name: str
) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(UsageError, match=f"is {format_name}; save it as docx, HTML or plain text"):
        reading.quotations(str(path))


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("my essay.org", "Org mode; convert it first: pandoc '{}' -o essay.docx"),
        ("essay.rst", "reStructuredText; convert it first: pandoc {} -o essay.docx"),
        ("essay.ipynb", "a Jupyter notebook; convert it first: pandoc {} -o essay.docx"),
        ("essay.wiki", "wikitext; convert it first: pandoc -f mediawiki {} -o essay.docx"),
        ("essay.lyx", "LyX; convert it first: lyx -e latex {}"),
        ("essay.adoc", "AsciiDoc; convert it first: asciidoctor {} -o essay.html"),
    ],
)
def test_other_markup_is_refused_with_the_command_that_converts_it(
    tmp_path: Path, name: str, reason: str
) -> None:
    path = tmp_path / name
    path.write_text("He “beat on”:\n\n#+begin_quote\nSo we\n#+end_quote\n", "utf-8")
    with pytest.raises(UsageError) as refusal:
        reading.quotations(str(path))
    assert str(refusal.value) == f"{path} is {reason.format(path)}"
    assert [quotation.text for quotation in reading.quotations(str(path), EssayFormat.PLAIN)] == [
        "beat on"
    ]


def test_binary_and_too_large_essays_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NotThere, match="name an essay"):
        reading.quotations(str(tmp_path / "none.md"))
    path = tmp_path / "essay.md"
    path.write_bytes(b"PK\0\0")
    with pytest.raises(UsageError, match="is not text"):
        reading.quotations(str(path))
    path.write_bytes(b"a" * (reading.MAX_BYTES + 1))
    with pytest.raises(UsageError, match="larger than 16 MiB; check it in parts"):
        reading.quotations(str(path))
    with pytest.raises(UsageError, match="cannot be read"):
        reading.quotations(str(tmp_path))


@pytest.mark.parametrize("name", ["essay.md", "essay.txt", "essay.tex", "essay.html", "essay.docx"])
def test_an_empty_essay_has_no_quotations(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(make_docx("") if name.endswith("docx") else b"")
    assert reading.quotations(str(tmp_path / name)) == []


@pytest.mark.parametrize("name", ["essay.md", "essay.txt", "essay.html", "essay.tex"])
def test_letters_are_read_as_typed(tmp_path: Path, name: str) -> None:
    text = "x “the \ufb01ne\u00adst \ufb02ow\u200bers” and “so”"
    assert found(tmp_path, name, text) == [("the finest flowers", 1, 4), ("so", 1, 29)]


@pytest.mark.parametrize("name", ["essay.md", "essay.txt", "essay.html", "essay.tex"])
def test_marks_of_windows_that_became_control_characters_are_read(
    tmp_path: Path, name: str
) -> None:
    text = "x \u0093so it\u0092s\u0094 and \u0091on\u0092"
    assert found(tmp_path, name, text) == [("so it’s", 1, 4), ("on", 1, 18)]


@pytest.mark.parametrize("name", ["essay.md", "essay.txt", "essay.html"])
def test_marks_that_are_written_as_numbers_are_read(tmp_path: Path, name: str) -> None:
    text = "&#147;so it&#148; &#8220;we&#8221; &#8216;on&rsquo;"
    assert [quoted for quoted, _, _ in found(tmp_path, name, text)] == ["so it", "we", "on"]


def test_a_format_may_be_named(tmp_path: Path) -> None:
    path = tmp_path / "essay"
    path.write_text("::: quote\nA block quotation\n:::", "utf-8")
    assert reading.quotations(str(path)) == []
    [quotation] = reading.quotations(str(path), EssayFormat.MARKDOWN)
    assert quotation.is_block
