"""Detect the format of a file of papers, and read it.

bytes -> bibtex | ris | tagged | csl | zotero_json | tables | atom | openalex | semantic_scholar
         | crossref | pdf
      -> Entry | UnreadableEntry
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from scholar_indexes.decoding import decode
from scholar_indexes.errors import NoPapers
from scholar_indexes.guarded import parse_json_at
from scholar_indexes.papers.entry import Entry, UnreadableEntry
from scholar_indexes.sanitize import one_line

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
    "tagged",
    "zotero_json",
)
"""The modules of this package that have read(data, name) -> Iterator[Entry | UnreadableEntry]."""

_HEAD_BYTES = 1 << 17
_PDF_WITHIN = 1_024  # junk may precede a PDF's header (ISO 32000-1, annex H)
_BIBTEX = re.compile(r"@[ \t]*[A-Za-z]+[ \t]*[{(]")
_RIS = re.compile(r"(?m)^TY[ \t]{1,2}[-–—] ?|^[ \t]{0,8}(?i:TY)(?:  |\t)[-–—] ")
_ATOM = re.compile(r"<(?:\w+:)?(?:feed|entry)[\s>]")
_BY_SUFFIX = {
    ".bib": "bibtex",
    ".bibtex": "bibtex",
    ".ris": "ris",
    ".nbib": "tagged",
    ".enw": "tagged",
    ".csv": "tables",
    ".tsv": "tables",
    ".jsonl": "tables",
    ".ndjson": "tables",
    ".json": "csl",
    ".pdf": "pdf",
    ".atom": "atom",
}
_NOT_JSON = re.compile(r'\{(?!\s*")|\[(?!\s*[{\]])')
"""A brace or bracket that begins no JSON object or array; a BibTeX comment may begin with one."""

_JSON_KEYS = (
    (re.compile(r'"itemType"\s*:|"BetterBibTeX JSON"'), "zotero_json"),
    (re.compile(r'"abstract_inverted_index"|https://openalex\.org/W'), "openalex"),
    (re.compile(r'"message-type"|"is-referenced-by-count"'), "crossref"),
    (re.compile(r'"paperId"|"externalIds"'), "semantic_scholar"),
    (re.compile(r'\A(?:\[|\{\s*"items"\s*:\s*\[)'), "csl"),
    (re.compile(r""), "tables"),
)
"""The format by keys of its records, if the first record is invalid or longer than the head."""

KNOWN = (
    "BibTeX, RIS, PubMed, Web of Science, EndNote, RefWorks, CSL-JSON, JSON lines, CSV, Atom, "
    "OpenAlex, Semantic Scholar, Crossref or PDF"
)
"""The formats in words."""

_BIBTEX_ENTRY = re.compile(r"(?m)^[ \t]*@(?:[A-Za-z]+[ \t]*\{[ \t]*[^\s,{}]+,|comment\{)")
_FIRST_LINES = 5
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml|xml>|rdf:)", re.IGNORECASE)
"""The beginning of EndNote's XML, Zotero's RDF, MODS and the like."""


def read(data: bytes, name: str) -> Iterator[Entry | UnreadableEntry]:
    """Yield the papers of a source in any of the FORMATS.

    name is the name of the file, and decides only if the content does not. A record that cannot
    be read is an UnreadableEntry, and the others are still read. Raises NoPapers (immediately) if
    the source is in none of the FORMATS.
    """
    format_name = detect_format(data, name)
    shown = one_line(name, 200)
    if not data.strip():
        raise NoPapers(f"{shown} is empty; give a file of {KNOWN}")
    if format_name is None and _XML.match(data):
        raise NoPapers(f"{shown} is XML; export its papers as BibTeX, RIS or CSL-JSON")
    if format_name is None:
        raise NoPapers(f"{shown} is not a file of papers; give {KNOWN}")
    reader = import_module(f"{__name__}.{format_name}")
    entries: Iterator[Entry | UnreadableEntry] = reader.read(data, name)
    return entries


def detect_format(data: bytes, name: str) -> str | None:
    """Return the format of a source, one of FORMATS, by its content and then by its name."""
    if b"%PDF-" in data[:_PDF_WITHIN]:
        return "pdf"
    head = decode(data[:_HEAD_BYTES])[0].lstrip("\ufeff \t\r\n")
    if not head:
        return None
    if head[0] == "<":
        return "atom" if _ATOM.search(head) else None
    return _text_format(head) or _format_by_name(head, name.lower())


def is_bibliography(head: str) -> bool:
    """Return True if a text certainly begins with papers, whatever the name of its file is."""
    from scholar_indexes.papers.formats.tables import looks_like_papers

    first = "\n".join(head.lstrip("\ufeff \t\r\n").split("\n")[:_FIRST_LINES])
    if looks_like_papers(first) or _BIBTEX_ENTRY.search(first):
        return True
    return first[:1] not in ("", "<", "{", "[") and _text_format(first) in ("ris", "tagged")


def _text_format(head: str) -> str | None:
    """Return the format of JSON, RIS, BibTeX or CSV by its first characters."""
    from scholar_indexes.papers.formats.tables import looks_like_csv
    from scholar_indexes.papers.formats.tagged import looks_tagged

    if head[0] in "{[" and (json_format := _json_format(head)):
        return json_format
    if _RIS.search(head):
        return "ris"
    if looks_tagged(head):
        return "tagged"
    if _BIBTEX.search(head):
        return "bibtex"
    return "tables" if looks_like_csv(head) else None


def _format_by_name(head: str, name: str) -> str | None:
    by_suffix = next((kind for suffix, kind in _BY_SUFFIX.items() if name.endswith(suffix)), None)
    if by_suffix == "tables" and head[0] != "{" and not name.endswith("l"):
        return None  # a CSV without a column of titles
    return by_suffix if by_suffix != "pdf" else None


def _json_format(head: str) -> str | None:
    """Return the format of JSON by its first record, however it is wrapped."""
    first, is_whole = _first_value(head)
    if isinstance(first, dict):
        return _record_format(first, is_whole) or ("tables" if head[0] == "{" else "csl")
    if _NOT_JSON.match(head):
        return None
    return next(kind for pattern, kind in _JSON_KEYS if pattern.search(head))


def _first_value(head: str) -> tuple[Any, bool]:
    """Return the first object of a JSON text, and True if it is alone and not in an array."""
    wrapper = re.match(r"\[\s*", head)
    try:
        value, end = parse_json_at(head, wrapper.end() if wrapper else 0)
    except ValueError:
        return None, False
    return value, wrapper is None and not head[end:].strip()


def _record_format(record: Mapping[str, Any], is_whole: bool) -> str | None:
    """Return the format of a file by its first record; is_whole as in _first_value."""
    return _format_by_keys(record) or _format_by_work(record, is_whole)


def _format_by_keys(record: Mapping[str, Any]) -> str | None:
    """Return the format that alone has such keys in a record, or around all records."""
    has_items = isinstance(record.get("items"), list)
    rules = (
        ("tables", "paper_id" in record),
        ("zotero_json", "itemType" in record or ("config" in record and has_items)),
        ("crossref", isinstance(record.get("message"), dict)),
        ("csl", has_items and "message" not in record),
    )
    return next((kind for kind, matches in rules if matches), None)


def _format_by_work(record: Mapping[str, Any], is_whole: bool) -> str | None:
    """Return the format of a work, which a service may have wrapped in its answer."""
    from scholar_indexes.papers.formats import crossref, openalex, semantic_scholar

    work, empty_format = _unwrap(record)
    if not isinstance(work, dict):
        return empty_format
    rules = (
        ("openalex", openalex.is_work(work)),
        ("semantic_scholar", semantic_scholar.is_paper(work)),
        ("crossref", crossref.is_work(work) or crossref.is_work(record)),
        # A single item on several lines
        ("csl", is_whole and "type" in record and "title" in record),
    )
    return next((kind for kind, matches in rules if matches), None)


def _unwrap(record: Mapping[str, Any]) -> tuple[Any, str | None]:
    """Return the first record of an answer, or None and the format if it has no records."""
    for wrapper, kind in (("results", "openalex"), ("data", "semantic_scholar")):
        values = record.get(wrapper)
        if isinstance(values, dict):
            return values, None
        if isinstance(values, list):
            first = next(iter(values), None)
            return first, kind if first is None else None
    return record, None
