"""Tables of papers: JSON lines and CSV.

A JSON line is our own form {"paper_id", "title", "year", "abstract": text | [sentence] |
[{"facet", "text"}]} with whatever else is known, or a CSL-JSON item. A CSV file has a line of
headings, in the words of the common exports (Zotero, Scopus, PubMed, Web of Science).
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scholar_indexes.books.decoding import decode
from scholar_indexes.papers import clean
from scholar_indexes.papers.entry import Broken, Entry
from scholar_indexes.papers.formats import csl
from scholar_indexes.untrusted import one_line

MAX_LINE_CHARS = 5_000_000
MAX_FIELD_CHARS = 1_000_000
MAX_COLUMNS = 1_000

COLUMNS = {
    "title": ("title", "articletitle", "documenttitle", "papertitle", "ti"),
    "abstract": ("abstract", "abstractnote", "summary", "ab", "abstracttext"),
    "author": ("authors", "author", "authornames", "authorfullnames", "au"),
    "issued": ("year", "publicationyear", "pubyear", "date", "publicationdate", "published", "py"),
    "container-title": (
        "sourcetitle", "publicationtitle", "journal", "journalbook", "venue", "containertitle",
        "journaltitle", "booktitle", "source", "so",
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
}  # fmt: skip
"""What each column is, by its heading without blanks and signs, the best first."""

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


def read(data: bytes, name: str) -> Iterator[Entry | Broken]:
    """The papers of a file of JSON lines, or else of CSV.

    A line that cannot be read is Broken and the others are read.
    """
    text = decode(data)[0]
    return json_lines(text) if text.lstrip()[:1] == "{" else rows(text)


def json_lines(text: str) -> Iterator[Entry | Broken]:
    """The papers of JSON lines, one object on each line that is not empty."""
    for number, line in _lines(text):
        if not line.strip():
            continue
        if len(line) > MAX_LINE_CHARS:
            yield Broken(number, f"the line has more than {MAX_LINE_CHARS:,} characters")
            continue
        try:
            value = json.loads(line, parse_constant=lambda _: None)
        except json.JSONDecodeError as error:
            yield Broken(number, f"it is not JSON: {error.msg} at character {error.colno}")
        except ValueError:
            yield Broken(number, "it has a number that is too long")
        except RecursionError:
            yield Broken(number, "it is nested too deeply")
        else:
            if isinstance(value, dict):
                yield record(value, number)
            else:
                yield Broken(number, "it is not a record but a mere value")


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their numbers, without a list of them all."""
    start, number = 0, 1
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield number, text[start:end]
        start, number = end + 1, number + 1


def record(value: Mapping[str, Any], line: int = 0) -> Entry | Broken:
    """The paper of one JSON object, in our own form or as a CSL-JSON item.

    A name that both have ("title", "DOI") means the same in both.
    """
    item = {variable: each for variable, each in value.items() if isinstance(variable, str)}
    by_name = {_LETTERS.sub("", variable.lower()): each for variable, each in item.items()}
    for variable, names in COLUMNS.items():
        if variable not in item:
            found = next((by_name[each] for each in names if by_name.get(each)), None)
            if found is not None:
                item[variable] = found
    key = item.get("paper_id")
    if key is None and "id" not in item:
        item["id"] = item.get("key")
    references = [each for each in _many(value.get("ids")) if isinstance(each, str)]
    references += [f"{scheme}:{_scalar(item.get(scheme))}" for scheme in _SCHEMES]
    if isinstance(item.get("type"), str):
        item["type"] = _kind(item["type"])
    return csl.entry(item, item.get("abstract"), key=_scalar(key), references=references, line=line)


def rows(text: str) -> Iterator[Entry | Broken]:
    """The papers of a CSV file with a line of headings."""
    headings: dict[str, list[int]] | None = None
    width = 0
    for line, row in _records(text):
        if isinstance(row, str):
            yield Broken(line, row)
        elif headings is None:
            headings, width = columns(row), len(row)
        elif any(cell.strip() for cell in row):
            yield _row(row, headings, width, line)


def columns(headings: Sequence[str]) -> dict[str, list[int]]:
    """Which columns may hold what, the best first."""
    names = [_LETTERS.sub("", heading.lower()) for heading in headings[:MAX_COLUMNS]]
    return {
        variable: [names.index(each) for each in wanted if each in names]
        for variable, wanted in COLUMNS.items()
        if any(each in names for each in wanted)
    }


def looks_like_csv(head: str) -> bool:
    """Whether a text begins with headings among which is a title."""
    first = head.lstrip("\ufeff \r\n").partition("\n")[0][:10_000]
    delimiter = _delimiter(first)
    try:
        headings = next(csv.reader([first], delimiter=delimiter), [])
    except csv.Error:
        return False
    return len(headings) > 1 and "title" in columns(headings)


def _delimiter(first: str) -> str:
    return max(_DELIMITERS, key=first.count)


def _records(text: str) -> Iterator[tuple[int, list[str] | str]]:
    """The records of a CSV file with the line each begins in; a string says what is wrong.

    A quotation mark that is never closed swallows what follows: reading goes on one line
    below it.
    """
    csv.field_size_limit(max(csv.field_size_limit(), MAX_FIELD_CHARS))
    text = text.removeprefix("\ufeff")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    delimiter = _delimiter(next((line for line in lines if line.strip()), ""))
    position = 0
    while position < len(lines):
        begun = position
        reader = csv.reader(
            (f"{line}\n" for line in lines[begun : begun + 1]), delimiter=delimiter, strict=True
        )
        taken, row, problem = 1, None, ""
        try:
            row = next(reader, None)
        except csv.Error as error:
            problem = str(error)
            if lines[begun].count('"') % 2:  # a value of several lines
                taken, row, problem = _several(lines, begun, delimiter)
        if row is None and problem:
            yield begun + 1, one_line(f"it is not CSV: {problem}", 200)
            taken = 1
        elif row is not None:
            yield begun + 1, row
        position = begun + taken


def _several(lines: Sequence[str], begun: int, delimiter: str) -> tuple[int, list[str] | None, str]:
    """How many lines a record takes, the record or None, and what is wrong with it."""
    size, inside = 0, False
    for taken in range(1, len(lines) - begun + 1):
        line = lines[begun + taken - 1]
        size += len(line)
        if size > MAX_FIELD_CHARS:
            break
        inside ^= line.count('"') % 2 == 1
        if not inside:
            whole = (f"{each}\n" for each in lines[begun : begun + taken])
            try:
                return taken, next(csv.reader(whole, delimiter=delimiter, strict=True)), ""
            except csv.Error as error:
                return taken, None, str(error)
    return 1, None, "a quotation mark is not closed"


def _row(
    row: Sequence[str], headings: Mapping[str, Sequence[int]], width: int, line: int
) -> Entry | Broken:
    if len(row) > width:
        return Broken(line, f"it has {len(row)} columns where the headings are {width}")
    item: dict[str, Any] = {}
    for variable, places in headings.items():
        found = (row[at].strip() for at in places if at < len(row))
        value = next((each for each in found if each), "")
        if value:
            item[variable] = value
    if "author" in item:
        item["author"] = [csl.name(each) for each in authors(item["author"])]
    if "type" in item:
        item["type"] = _kind(item["type"])
    references = [f"{scheme}:{item[scheme]}" for scheme in _SCHEMES if scheme in item]
    return csl.entry(
        item,
        item.get("abstract"),
        key=clean.text(item.get("key", "")),
        references=references,
        line=line,
    )


def authors(text: str) -> list[str]:
    """The names in a cell: parted by semicolons, by "and", or by commas where those part.

    >>> authors("Lovelace, Ada; Babbage, Charles")
    ['Lovelace, Ada', 'Babbage, Charles']
    >>> authors("Lovelace A, Babbage C, Menabrea L")
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
    return [name.strip(" ,.") + ("." if name.rstrip().endswith(".") else "")
            for name in names if name.strip(" ,.")]  # fmt: skip


def _kind(text: str) -> str:
    return _TYPES.get(_LETTERS.sub("", text.lower()), text)


def _scalar(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    if isinstance(value, int) and abs(value) > 10**18:
        return ""
    return clean.text(str(value), tex=False)


def _many(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else []
