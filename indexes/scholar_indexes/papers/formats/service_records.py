"""Parse the JSON of web services into records, and a record into an Entry.

No value of a record is trusted to have its documented type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from scholar_indexes.errors import NoPapers
from scholar_indexes.guarded import parse_json
from scholar_indexes.papers import ids
from scholar_indexes.papers.entry import Entry, UnreadableEntry
from scholar_indexes.papers.formats import csl
from scholar_indexes.sanitize import one_line

MAX_ABSTRACT_CHARS = 200_000
MAX_DOCUMENT_BYTES = 1 << 30


def parse_documents(data: bytes, name: str) -> Iterator[tuple[int, Any] | UnreadableEntry]:
    """Yield the JSON values of a file with their lines: one document, or one per line.

    The line of a document that is the whole file is 0. A line that is not JSON is an
    UnreadableEntry. Raises NoPapers if nothing in the file is JSON.
    """
    data = data.removeprefix(b"\xef\xbb\xbf")
    whole = _value(data)
    if whole is not None:
        yield 0, whole
        return
    lines = [(n, line) for n, line in enumerate(data.splitlines(), 1) if line.strip()]
    values = [(n, _value(line)) for n, line in lines]
    if not any(isinstance(value, (dict, list)) for _, value in values):
        raise NoPapers(f"{one_line(name, 200)} is not readable JSON; export or download it again")
    for n, value in values:
        yield (n, value) if value is not None else UnreadableEntry(n, "this line is not JSON")


def read_entries(
    data: bytes,
    name: str,
    records: Callable[[Any], Iterable[Any] | None],
    entry: Callable[[Mapping[str, Any], int], Entry | UnreadableEntry],
) -> Iterator[Entry | UnreadableEntry]:
    """Yield the entries of a JSON file.

    records returns the records of a document, or None if it is from another service; entry
    parses a record. Raises NoPapers.
    """
    for document in parse_documents(data, name):
        if isinstance(document, UnreadableEntry):
            yield document
            continue
        line, value = document
        document_records = records(value)
        if document_records is None and line == 0:
            raise NoPapers(f"{one_line(name, 200)} contains no papers in a known format")
        for record in [None] if document_records is None else document_records:
            if isinstance(record, dict):
                yield entry(record, line)
            else:
                yield UnreadableEntry(line, "expected a paper, but this is not a record")


def build_entry(
    item: Mapping[str, Any], known: Iterable[str], abstract: str, line: int
) -> Entry | UnreadableEntry:
    """Return the Entry of a raw CSL-JSON item, an abstract with markup, and identifiers."""
    references = ids.sort_ids(known)
    entry = csl.build_entry(item, abstract, references=references, line=line)
    if isinstance(entry, UnreadableEntry):
        suffix = f" ({references[0]})" if references else ""
        return replace(entry, reason=f"{entry.reason}{suffix}")
    # An item has one identifier of each service; a paper may have several.
    strong = [paper_id for paper_id in entry.ids if not paper_id.startswith("title:")]
    return replace(entry, ids=ids.sort_ids([*strong, *references]) or entry.ids)


def text_at(record: Any, *path: str | int) -> str:
    """Return the text at a path of keys and positions as one line, empty if it is not text."""
    return one_line(prose_at(record, *path))


def prose_at(record: Any, *path: str | int) -> str:
    """Return the text at a path with its line breaks, up to MAX_ABSTRACT_CHARS."""
    value = value_at(record, *path)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
        return str(value)
    return value[:MAX_ABSTRACT_CHARS] if isinstance(value, str) else ""


def value_at(record: Any, *path: str | int) -> Any:
    """Return the value at a path of keys and positions, None if there is none."""
    for step in path:
        if isinstance(step, int):
            record = record[step] if isinstance(record, list) and len(record) > step else None
        else:
            record = record.get(step) if isinstance(record, dict) else None
    return record


def list_at(record: Any, *path: str | int) -> list[Any]:
    """Return the list at a path, empty if there is none."""
    value = value_at(record, *path)
    return value if isinstance(value, list) else []


def _value(data: bytes) -> Any:
    """Return a JSON value, None if it cannot be parsed."""
    try:
        return parse_json(data, MAX_DOCUMENT_BYTES, lenient=True)
    except ValueError:
        return None
