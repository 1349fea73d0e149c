"""Read Atom feeds of arXiv's API (info.arxiv.org/help/api/user-manual.html)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING

from scholar_indexes.errors import NoPapers
from scholar_indexes.papers.entry import Entry, UnreadableEntry
from scholar_indexes.papers.formats import service_records
from scholar_indexes.sanitize import one_line

if TYPE_CHECKING:
    from lxml import etree

_ERRORS = "arxiv.org/api/errors"


def read(data: bytes, name: str) -> Iterator[Entry | UnreadableEntry]:
    """Yield the entries of an Atom feed, or of a file that is one entry.

    An entry whose XML is damaged is an UnreadableEntry; the others are read. Raises NoPapers if
    the file is not Atom.
    """
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        huge_tree=False,
        load_dtd=False,
        recover=True,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.LxmlError, ValueError):
        root = None
    kind = str(root.tag).rpartition("}")[2] if root is not None else ""
    if kind not in ("feed", "entry"):
        raise NoPapers(
            f"{one_line(name, 200)} is not an Atom feed; save the answer of arXiv's API again"
        )
    entries = [root] if kind == "entry" else list(root.iter("{*}entry"))
    damage = _damaged_lines(parser, data)
    starts = [int(entry.sourceline or 0) for entry in entries]
    for n, element in enumerate(entries):
        after = starts[n + 1] if n + 1 < len(starts) else None
        hit = bisect_left(damage, starts[n])
        if hit < len(damage) and (after is None or damage[hit] < after):
            yield UnreadableEntry(
                starts[n], f"the XML of this entry is damaged in line {damage[hit]}"
            )
        else:
            yield _entry(element, starts[n])


def _damaged_lines(parser: etree.XMLParser, data: bytes) -> list[int]:
    """Return the lines where the XML is not well formed, in order."""
    from lxml import etree

    lines = sorted(
        error.line for error in parser.error_log if error.level >= etree.ErrorLevels.FATAL
    )
    stripped = data.rstrip()
    last = stripped.count(b"\n") + 1
    if stripped.endswith((b"feed>", b"entry>")) and lines and lines[0] < last:
        # An error at the end of a complete file follows from an earlier one.
        lines = [line for line in lines if line < last]
    return lines


def _entry(element: etree._Element, line: int) -> Entry | UnreadableEntry:
    address = _text_of(element, "id")
    if _ERRORS in address:
        return UnreadableEntry(line, f"arXiv error: {one_line(_text_of(element, 'summary'), 200)}")
    item = {
        "type": "article",
        "title": _text_of(element, "title"),
        "author": [_text_of(author, "name") for author in element.findall("{*}author")],
        "issued": {"raw": _text_of(element, "published")},
        "publisher": "arXiv" if "arxiv.org/" in address else "",
        "DOI": _text_of(element, "doi"),
        "URL": address,
        "note": _text_of(element, "journal_ref"),
    }
    return service_records.build_entry(
        item, [address], _text_of(element, "summary", lines=True), line
    )


def _text_of(element: etree._Element, name: str, *, lines: bool = False) -> str:
    child = element.find(f"{{*}}{name}")
    if child is None:
        return ""
    text = "".join(child.itertext())[: service_records.MAX_ABSTRACT_CHARS]
    return text if lines else one_line(text)
