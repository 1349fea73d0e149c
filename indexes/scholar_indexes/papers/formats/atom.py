"""Atom as arXiv's API gives it (info.arxiv.org/help/api/user-manual.html)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from typing import TYPE_CHECKING

from scholar_indexes.errors import NoPapers
from scholar_indexes.papers.entry import Broken, Entry
from scholar_indexes.papers.formats import records
from scholar_indexes.untrusted import one_line

if TYPE_CHECKING:
    from lxml import etree

_ERRORS = "arxiv.org/api/errors"


def read(data: bytes, name: str) -> Iterator[Entry | Broken]:
    """The entries of an Atom feed, or the one entry that the file is.

    An entry in which the XML is damaged is Broken, those around it are read. Raises NoPapers
    when this is no Atom.
    """
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False, recover=True,
        remove_comments=True, remove_pis=True,
    )  # fmt: skip
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
    starts = [int(each.sourceline or 0) for each in entries]
    for n, element in enumerate(entries):
        after = starts[n + 1] if n + 1 < len(starts) else None
        hit = bisect_left(damage, starts[n])
        if hit < len(damage) and (after is None or damage[hit] < after):
            yield Broken(starts[n], f"the XML of this entry is damaged in line {damage[hit]}")
        else:
            yield _entry(element, starts[n])


def _damaged_lines(parser: etree.XMLParser, data: bytes) -> list[int]:
    """Where the XML is not well formed, in order."""
    from lxml import etree

    found = sorted(e.line for e in parser.error_log if e.level >= etree.ErrorLevels.FATAL)
    stripped = data.rstrip()
    last = stripped.count(b"\n") + 1
    if stripped.endswith((b"feed>", b"entry>")) and found and found[0] < last:
        # what the parser misses at the end is the trace of what it met further up
        found = [line for line in found if line < last]
    return found


def _entry(element: etree._Element, line: int) -> Entry | Broken:
    address = _said(element, "id")
    if _ERRORS in address:
        return Broken(line, f"arXiv says: {one_line(_said(element, 'summary'), 200)}")
    item = {
        "type": "article",
        "title": _said(element, "title"),
        "author": [_said(each, "name") for each in element.findall("{*}author")],
        "issued": {"raw": _said(element, "published")},
        "publisher": "arXiv" if "arxiv.org/" in address else "",
        "DOI": _said(element, "doi"),
        "URL": address,
        "note": _said(element, "journal_ref"),
    }
    return records.make(item, [address], _said(element, "summary", lines=True), line)


def _said(element: etree._Element, name: str, *, lines: bool = False) -> str:
    found = element.find(f"{{*}}{name}")
    if found is None:
        return ""
    words = "".join(found.itertext())[: records.MAX_ABSTRACT_CHARS]
    return words if lines else one_line(words)
