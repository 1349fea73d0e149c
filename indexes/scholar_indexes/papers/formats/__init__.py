"""Sources of papers: which format a file is in, and its reader.

bytes -> bibtex | ris | csl | tables | atom | openalex | semantic_scholar | crossref | pdf
      -> Entry | Broken
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from scholar_indexes.books.decoding import decode
from scholar_indexes.errors import NoPapers
from scholar_indexes.papers.entry import Broken, Entry
from scholar_indexes.untrusted import one_line

FORMATS = (
    "atom",
    "bibtex",
    "crossref",
    "csl",
    "openalex",
    "pdf",
    "ris",
    "semantic_scholar",
    "tables",
)
"""The modules here that have read(data, name) -> Iterator[Entry | Broken]."""

_HEAD_BYTES = 1 << 17
_PDF_WITHIN = 1_024  # junk may stand before a PDF's mark (ISO 32000-1, annex H)
_BIBTEX = re.compile(r"@[ \t]*[A-Za-z]+[ \t]*[{(]")
_RIS = re.compile(r"(?m)^TY {1,2}- ?")
_ATOM = re.compile(r"<(?:\w+:)?(?:feed|entry)[\s>]")
_OF_NAME = {
    ".bib": "bibtex",
    ".bibtex": "bibtex",
    ".ris": "ris",
    ".csv": "tables",
    ".tsv": "tables",
    ".jsonl": "tables",
    ".ndjson": "tables",
    ".json": "csl",
    ".pdf": "pdf",
    ".atom": "atom",
}
_KNOWN = "BibTeX, RIS, CSL-JSON, JSON lines, CSV, Atom, OpenAlex, Semantic Scholar, Crossref or PDF"


def read(data: bytes, name: str) -> Iterator[Entry | Broken]:
    """The papers of a source, whatever its format, one at a time.

    name is the file's and decides only where the content does not. A record that
    cannot be read is Broken and the rest follow. Raises NoPapers (at once) when the
    source is in none of the FORMATS.
    """
    found = recognise(data, name)
    shown = one_line(name, 200)
    if not data.strip():
        raise NoPapers(f"{shown} is empty; give a file of {_KNOWN}")
    if found is None:
        raise NoPapers(f"{shown} is no file of papers; give {_KNOWN}")
    reader = import_module(f"{__name__}.{found}")
    entries: Iterator[Entry | Broken] = reader.read(data, name)
    return entries


def recognise(data: bytes, name: str) -> str | None:
    """Which of the FORMATS a source is in, by its content and then by its name."""
    if b"%PDF-" in data[:_PDF_WITHIN]:
        return "pdf"
    head = decode(data[:_HEAD_BYTES])[0].lstrip("\ufeff \t\r\n")
    if not head:
        return None
    if head[0] == "<":
        return "atom" if _ATOM.search(head) else None
    if head[0] in "{[":
        found = _json_format(head)
        if found:
            return found
    if _RIS.search(head):
        return "ris"
    if _BIBTEX.search(head):
        return "bibtex"
    from scholar_indexes.papers.formats.tables import looks_like_csv

    if looks_like_csv(head):
        return "tables"
    by_name = next((kind for end, kind in _OF_NAME.items() if name.lower().endswith(end)), None)
    if by_name == "tables" and head[0] != "{" and not name.lower().endswith("l"):
        return None  # a CSV without a column of titles
    return by_name if by_name != "pdf" else None


def _json_format(head: str) -> str | None:
    """The format of JSON by its first record, however it is wrapped."""
    first, whole = _first_value(head)
    if isinstance(first, dict):
        return _of_record(first, whole) or ("tables" if head[0] == "{" else "csl")
    if head[0] == "{" and not re.match(r'\{\s*"', head):
        return None  # a BibTeX comment may begin with a brace
    if head[0] == "[" and not re.match(r"\[\s*(?:\{|\])", head):
        return None
    # the first record is broken or longer than the head: its words must do
    if '"abstract_inverted_index"' in head or "https://openalex.org/W" in head:
        return "openalex"
    if '"message-type"' in head or '"is-referenced-by-count"' in head:
        return "crossref"
    if '"paperId"' in head or '"externalIds"' in head:
        return "semantic_scholar"
    if head[0] == "[" or re.match(r'\{\s*"items"\s*:\s*\[', head):
        return "csl"
    return "tables"


def _first_value(head: str) -> tuple[Any, bool]:
    """The first object of a JSON text, and whether it stands in no array and alone."""
    wrapper = re.match(r"\[\s*", head)
    try:
        value, end = json.JSONDecoder().raw_decode(head, wrapper.end() if wrapper else 0)
    except (ValueError, RecursionError):
        return None, False
    return value, wrapper is None and not head[end:].strip()


def _of_record(record: Mapping[str, Any], whole: bool) -> str | None:
    from scholar_indexes.papers.formats import crossref, openalex, semantic_scholar

    if "paper_id" in record:
        return "tables"
    if isinstance(record.get("items"), list) and "message" not in record:
        return "csl"
    inner: Any = record
    if isinstance(record.get("message"), dict):
        return "crossref"
    for wrapper in ("results", "data"):
        values = record.get(wrapper)
        if isinstance(values, list | dict):
            inner = values if isinstance(values, dict) else next(iter(values), None)
            if inner is None:  # an answer without a record
                return "openalex" if wrapper == "results" else "semantic_scholar"
            break
    if not isinstance(inner, dict):
        return None
    if openalex.is_work(inner):
        return "openalex"
    if semantic_scholar.is_paper(inner):
        return "semantic_scholar"
    if crossref.is_work(inner) or crossref.is_work(record):
        return "crossref"
    if whole and "type" in record and "title" in record:
        return "csl"  # a single item on several lines
    return None
