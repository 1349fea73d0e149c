"""Read Word documents (docx): their paragraphs and notes; paragraphs with a quotation style are
block quotations."""

from __future__ import annotations

import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Iterator
from itertools import accumulate

from lxml import etree

from scholar_indexes.errors import UsageError
from scholar_indexes.quotations.essays.stretches import Stretch, raised

MAX_BYTES = 64 * 1024 * 1024
MAX_RATIO = 200
SMALL = 1024 * 1024
"""The maximum bytes of an unpacked part, its maximum ratio to the packed size, and the size in
bytes up to which the ratio is ignored."""

PARTS = ("word/document.xml", "word/footnotes.xml", "word/endnotes.xml")

_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    etree.LxmlError,
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
)
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
QUOTE_STYLE = re.compile(r"quot|zitat|citat|block\s?text|extract", re.IGNORECASE)
_TEXTS = {f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}noBreakHyphen": "-", f"{_W}cr": "\n"}


def read(data: bytes, label: str) -> tuple[list[Stretch], list[int]]:
    """Return the paragraphs of a document, which are counted as lines, and the offset of each.

    Raises UsageError, with `label` as its name, if it is broken or too large when unpacked.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = [name for name in PARTS if name in archive.namelist()]
            if PARTS[0] not in names:
                raise UsageError(f"{label} is not a Word document; save it as docx")
            parts = [_part(archive, name, label) for name in names]
            paragraphs = [paragraph for part in parts for paragraph in _paragraphs(part)]
    except _DAMAGE as error:
        raise UsageError(f"{label} is a damaged Word document; save it again") from error
    starts = [0, *accumulate(len(text) + 1 for text, _ in paragraphs)]
    stretches = [
        Stretch(text, range(start, start + len(text)), is_block)
        for (text, is_block), start in zip(paragraphs, starts, strict=False)
    ]
    return stretches, starts


def _part(archive: zipfile.ZipFile, name: str, label: str) -> bytes:
    info = archive.getinfo(name)
    limit = min(MAX_BYTES, max(SMALL, MAX_RATIO * info.compress_size))
    with archive.open(info) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise UsageError(f"{label} is unreasonably large when unpacked; save it again")
    return data


def _paragraphs(part: bytes) -> Iterator[tuple[str, bool]]:
    """Yield the text of each paragraph, and whether it is a block quotation."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    for paragraph in etree.fromstring(part, parser).iter(f"{_W}p"):
        style = paragraph.find(f"{_W}pPr/{_W}pStyle")
        name = "" if style is None else style.get(f"{_W}val", "")
        text = "".join(map(_text, paragraph.iter()))
        yield text, bool(QUOTE_STYLE.search(name))


def _text(node: etree._Element) -> str:
    """Return the text of the node itself, "" for most nodes."""
    if node.tag != f"{_W}t":
        return _TEXTS.get(node.tag, "")
    alignment = node.find(f"../{_W}rPr/{_W}vertAlign")
    is_raised = alignment is not None and alignment.get(f"{_W}val") == "superscript"
    return raised(node.text or "") if is_raised else node.text or ""
