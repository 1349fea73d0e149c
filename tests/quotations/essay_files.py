"""Essays for tests, and the quotations found in them."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from scholar_indexes.quotations.essays import marks, reading

WORD = (
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    "{}</w:body></w:document>"
)


def quoted(text: str, *, is_block: bool = False) -> list[str]:
    return [mark.span.of(text) for mark in marks.find(text, is_block=is_block)]


def found(tmp_path: Path, name: str, text: str) -> list[tuple[str, int, int]]:
    """Return the quotations of a file with their lines and columns."""
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return [
        (quotation.text, quotation.line, quotation.column)
        for quotation in reading.quotations(str(path))
    ]


def make_docx(paragraphs: str, **others: str) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", WORD.format(paragraphs))
        for name, content in others.items():
            archive.writestr(f"word/{name}.xml", content)
    return file.getvalue()
