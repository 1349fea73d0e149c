"""Fuzz targets: the readers of papers, bibliographies and PDFs."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from checks import check_line


def read_papers(format_name: str) -> Callable[[bytes], object]:
    def read(data: bytes) -> None:
        reader = import_module(f"scholar_indexes.papers.formats.{format_name}")
        check_entries(reader.read(data, "papers"))

    return read


def read_any_papers(data: bytes) -> None:
    """Read papers whose format must be detected; the first line is the file name."""
    from scholar_indexes.papers import formats

    name, _, content = data.partition(b"\n")
    if formats.detect_format(content, "") != "pdf":  # each PDF would start a process
        check_entries(formats.read(content, name[:100].decode("utf-8", "replace")))


def check_entries(entries: Iterable[Any]) -> None:
    from scholar_indexes.papers import ids
    from scholar_indexes.papers.entry import UnreadableEntry

    for entry in entries:
        if isinstance(entry, UnreadableEntry):
            check_line(entry.reason)
            continue
        assert entry.ids
        assert all(ids.canonical_id(name) == name for name in entry.ids if ":" in name)
        title = entry.csl.get("title", "")
        assert title == " ".join(title.split())
        assert title or entry.sentences
        json.dumps([entry.csl, entry.sentences], ensure_ascii=False, allow_nan=False).encode()


def read_pdf_pages(data: bytes) -> None:
    """Read the pages of a PDF in this process; a user's PDF is read in another."""
    import pypdfium2

    from scholar_indexes.papers.formats import pdf_lines

    try:
        with pypdfium2.PdfDocument(data) as document:
            lines = list(pdf_lines._lines(document))
            find_parts(lines, pdf_lines._claimed_title(document))
    except pypdfium2.PdfiumError:
        return


def read_pdf_layout(text: str) -> None:
    """Find the parts of a paper; the first characters of each line give its layout."""
    from scholar_indexes.papers.formats.pdf_lines import PdfLine

    lines = []
    for row, line in enumerate(text.split("\n")[:200]):
        height, left = (ord(line[n : n + 1] or "\0") % 16 for n in (0, 1))
        if line[2:]:
            x, y = 36.0 * left, 780.0 - 12 * (row % 60)
            right = x + 4 * len(line)
            lines.append(PdfLine(1 + row // 60, line[2:], 4.0 + height, x, right, y, y + height))
    find_parts(lines, text[:40])


def find_parts(lines: Sequence[Any], claimed: str) -> None:
    from scholar_indexes.papers.formats import pdf

    pdf.find_title(lines, claimed).encode()
    pdf.find_abstract(lines).encode()
    pdf.find_ids(lines)


def read_latex(text: str) -> None:
    from scholar_indexes.papers import clean, latex

    latex.to_text(text)
    for tex in (True, False, None):
        cleaned = clean.to_text(text, tex)
        assert cleaned == " ".join(cleaned.split())
        clean.to_lines(text, tex)


def read_abstract(data: bytes) -> None:
    from scholar_indexes.papers.abstracts import split_abstract
    from scholar_indexes.papers.formats import plain

    plain.read_abstract(data)
    for sentence, _ in split_abstract(data.decode("utf-8", "replace")):
        assert sentence.strip() == sentence != ""


def read_paper_id(text: str) -> None:
    from scholar_indexes.papers import ids

    name = ids.canonical_id(text)
    assert name is None or ids.canonical_id(name) == name
    ids.title_id(text)


def read_zotero(data: bytes) -> None:
    from scholar_indexes.papers import zotero

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / zotero.FILE_NAME
        path.write_bytes(data)
        check_entries(zotero.read(path).records)
