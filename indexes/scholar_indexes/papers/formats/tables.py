"""Read tables of papers: JSON lines and CSV.

A JSON line is our own format {"paper_id", "title", "year", "abstract": text | [sentence] |
[{"facet", "text"}]} with any other known fields, or a CSL-JSON item. A CSV file has a line of
headings, named as in common exports (Zotero, Scopus, PubMed, Web of Science).
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scholar_indexes.decoding import decode
from scholar_indexes.guarded import parse_json
from scholar_indexes.papers import clean
from scholar_indexes.papers.entry import Entry, UnreadableEntry
from scholar_indexes.papers.formats import csl
from scholar_indexes.sanitize import one_line

MAX_LINE_CHARS = 5_000_000
MAX_FIELD_CHARS = 1_000_000
MAX_COLUMNS = 1_000

COLUMNS = {
    "title": ("title", "articletitle", "documenttitle", "papertitle", "ti"),
    "abstract": ("abstract", "abstractnote", "summary", "ab", "abstracttext"),
    "author": ("authors", "author", "authornames", "authorfullnames", "au"),
    "issued": ("year", "publicationyear", "pubyear", "date", "publicationdate", "published", "py"),
    "container-title": (
        "sourcetitle",
        "publicationtitle",
        "journal",
        "journalbook",
        "venue",
        "containertitle",
        "journaltitle",
        "booktitle",
        "source",
        "so",
    ),
    "DOI": ("doi", "di"),
    "URL": ("url", "link", "urls"),
    "volume": ("volume", "vl"),
    "issue": ("issue", "is"),
    "page": ("pages", "page"),
    "publisher": ("publisher",),
    "type": ("type", "itemtype", "documenttype"),
    "language": ("language",),
    "ISSN": ("issn",),
    "key": ("paperid", "id", "key", "citationkey", "bibtexkey"),
    "pmid": ("pmid", "pubmedid"),
    "arxiv": ("arxiv", "arxivid", "eprint"),
    "s2": ("s2", "s2id", "semanticscholarid", "corpusid"),
    "openalex": ("openalex", "openalexid"),
}
"""The headings of each column without spaces and punctuation, the best first."""

_TYPES = {
    "journalarticle": "article-journal",
    "article": "article-journal",
    "review": "article-journal",
    "conferencepaper": "paper-conference",
    "proceedingspaper": "paper-conference",
    "preprint": "article",
    "booksection": "chapter",
    "bookchapter": "chapter",
}
_SCHEMES = ("pmid", "arxiv", "s2", "openalex")
_LETTERS = re.compile(r"[^a-z0-9]+")
_DELIMITERS = (",", "\t", ";", "|")


def read(data: bytes, name: str) -> Iterator[Entry | UnreadableEntry]:
    """Yield the papers of a file of JSON lines, or else of CSV.

    A line that cannot be read is an UnreadableEntry, and the others are still read.
    """
    text = decode(data)[0]
    return read_json_lines(text) if text.lstrip()[:1] == "{" else read_csv(text)


def read_json_lines(text: str) -> Iterator[Entry | UnreadableEntry]:
    """Yield the papers of JSON lines, one object on each line that is not empty."""
    for number, line in _lines(text):
        if not line.strip():
            continue
        if len(line) > MAX_LINE_CHARS:
            yield UnreadableEntry(number, f"the line has more than {MAX_LINE_CHARS:,} characters")
            continue
        try:
            value = parse_json(line, lenient=True)
        except json.JSONDecodeError as error:
            yield UnreadableEntry(number, f"it is not JSON: {error.msg} at character {error.colno}")
        except ValueError as error:
            yield UnreadableEntry(number, str(error))
        else:
            if isinstance(value, dict):
                yield parse_record(value, number)
            else:
                yield UnreadableEntry(number, "it is a plain value, not a record")


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers, without building a list of them."""
    start, number = 0, 1
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield number, text[start:end]
        start, number = end + 1, number + 1


def parse_record(value: Mapping[str, Any], line: int = 0) -> Entry | UnreadableEntry:
    """Return the paper of a JSON object, in our own format or as a CSL-JSON item.

    A name that both formats have ("title", "DOI") means the same in both.
    """
    item = _fill_columns({name: field for name, field in value.items() if isinstance(name, str)})
    key = item.get("paper_id")
    if key is None and "id" not in item:
        item["id"] = item.get("key")
    listed = value.get("ids")
    listed = listed if isinstance(listed, list) else []
    references = [reference for reference in listed if isinstance(reference, str)]
    references += [f"{scheme}:{_scalar(item.get(scheme))}" for scheme in _SCHEMES]
    if isinstance(item.get("type"), str):
        item["type"] = _kind(item["type"])
    return csl.build_entry(
        item, item.get("abstract"), key=_scalar(key), references=references, line=line
    )


def _fill_columns(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item with the variables of COLUMNS that it has under other headings."""
    by_heading = {_LETTERS.sub("", name.lower()): field for name, field in item.items()}
    filled = dict(item)
    for variable, headings in COLUMNS.items():
        if variable not in filled:
            heading = next((name for name in headings if by_heading.get(name)), None)
            if heading is not None:
                filled[variable] = by_heading[heading]
    return filled


def read_csv(text: str) -> Iterator[Entry | UnreadableEntry]:
    """Yield the papers of a CSV file with a line of headings."""
    headings: dict[str, list[int]] | None = None
    width = 0
    for line, row in _records(text):
        if isinstance(row, str):
            yield UnreadableEntry(line, row)
        elif headings is None:
            headings, width = map_columns(row), len(row)
        elif any(cell.strip() for cell in row):
            yield _row(row, headings, width, line)


def map_columns(headings: Sequence[str]) -> dict[str, list[int]]:
    """Return the columns that may contain each variable, the best first."""
    names = [_LETTERS.sub("", heading.lower()) for heading in headings[:MAX_COLUMNS]]
    return {
        variable: [names.index(name) for name in known if name in names]
        for variable, known in COLUMNS.items()
        if any(name in names for name in known)
    }


def looks_like_csv(head: str) -> bool:
    """Return True if a text begins with headings that include a title."""
    first = head.lstrip("\ufeff \r\n").partition("\n")[0][:10_000]
    delimiter = _delimiter(first)
    try:
        headings = next(csv.reader([first], delimiter=delimiter), [])
    except csv.Error:
        return False
    return len(headings) > 1 and "title" in map_columns(headings)


def _delimiter(first: str) -> str:
    return max(_DELIMITERS, key=first.count)


def _records(text: str) -> Iterator[tuple[int, list[str] | str]]:
    """Yield the records of a CSV file with the line where each begins; a string is an error.

    After a quotation mark that is never closed, reading continues on the next line.
    """
    csv.field_size_limit(max(csv.field_size_limit(), MAX_FIELD_CHARS))
    text = text.removeprefix("\ufeff")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    delimiter = _delimiter(next((line for line in lines if line.strip()), ""))
    position = 0
    while position < len(lines):
        first = position
        reader = csv.reader(
            (f"{line}\n" for line in lines[first : first + 1]), delimiter=delimiter, strict=True
        )
        taken, row, problem = 1, None, ""
        try:
            row = next(reader, None)
        except csv.Error as error:
            problem = str(error)
            if lines[first].count('"') % 2:  # a value of several lines
                taken, row, problem = _read_lines(lines, first, delimiter)
        if row is None and problem:
            yield first + 1, one_line(f"it is not CSV: {problem}", 200)
            taken = 1
        elif row is not None:
            yield first + 1, row
        position = first + taken


def _read_lines(
    lines: Sequence[str], first: int, delimiter: str
) -> tuple[int, list[str] | None, str]:
    """Return the number of lines of a record, the record or None, and its error."""
    size, inside = 0, False
    for taken in range(1, len(lines) - first + 1):
        line = lines[first + taken - 1]
        size += len(line)
        if size > MAX_FIELD_CHARS:
            break
        inside ^= line.count('"') % 2 == 1
        if not inside:
            record = (f"{line}\n" for line in lines[first : first + taken])
            try:
                return taken, next(csv.reader(record, delimiter=delimiter, strict=True)), ""
            except csv.Error as error:
                return taken, None, str(error)
    return 1, None, "a quotation mark is not closed"


def _row(
    row: Sequence[str], headings: Mapping[str, Sequence[int]], width: int, line: int
) -> Entry | UnreadableEntry:
    if len(row) > width:
        return UnreadableEntry(line, f"it has {len(row)} columns, but there are {width} headings")
    item: dict[str, Any] = {}
    for variable, columns in headings.items():
        cells = (row[column].strip() for column in columns if column < len(row))
        if value := next(filter(None, cells), ""):
            item[variable] = value
    if "author" in item:
        item["author"] = [csl.parse_name(author) for author in split_authors(item["author"])]
    if "type" in item:
        item["type"] = _kind(item["type"])
    references = [f"{scheme}:{item[scheme]}" for scheme in _SCHEMES if scheme in item]
    return csl.build_entry(
        item,
        item.get("abstract"),
        key=clean.to_text(item.get("key", "")),
        references=references,
        line=line,
    )


def split_authors(text: str) -> list[str]:
    """Return the names in a cell, separated by semicolons, by "and", or by commas.

    >>> split_authors("Lovelace, Ada; Babbage, Charles")
    ['Lovelace, Ada', 'Babbage, Charles']
    >>> split_authors("Lovelace A, Babbage C, Menabrea L")
    ['Lovelace A', 'Babbage C', 'Menabrea L']
    """
    text = " ".join(text[:MAX_FIELD_CHARS].split())
    for mark in (";", "|", " and "):
        if mark in text:
            names = text.split(mark)
            break
    else:
        parts = text.split(",")
        single = len(parts) == 2 and " " not in parts[0].strip()  # "Lovelace, Ada"
        names = [text] if single else parts
    return [
        name.strip(" ,.") + ("." if name.rstrip().endswith(".") else "")
        for name in names
        if name.strip(" ,.")
    ]


def _kind(text: str) -> str:
    return _TYPES.get(_LETTERS.sub("", text.lower()), text)


def _scalar(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    if isinstance(value, int) and abs(value) > 10**18:
        return ""
    return clean.to_text(str(value), tex=False)
