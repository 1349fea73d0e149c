"""What the services' formats have in common: JSON into records, a record into an Entry.

Nothing in a record is trusted to have the type its documentation says.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from scholar_indexes.errors import NoPapers
from scholar_indexes.papers import ids
from scholar_indexes.papers.entry import Broken, Entry
from scholar_indexes.papers.formats import csl
from scholar_indexes.untrusted import one_line

MAX_ABSTRACT_CHARS = 200_000


def documents(data: bytes, name: str) -> Iterator[tuple[int, Any] | Broken]:
    """The JSON values of a file with their lines: one document, or one on each line.

    The line of a document that is the whole file is 0. A line that is no JSON is Broken.
    Raises NoPapers when nothing in the file is JSON.
    """
    data = data.removeprefix(b"\xef\xbb\xbf")
    whole = _value(data)
    if whole is not None:
        yield 0, whole
        return
    lines = [(n, line) for n, line in enumerate(data.splitlines(), 1) if line.strip()]
    values = [(n, _value(line)) for n, line in lines]
    if not any(isinstance(value, (dict, list)) for _, value in values):
        raise NoPapers(
            f"{one_line(name, 200)} is no JSON that can be read; export or download it again"
        )
    for n, value in values:
        yield (n, value) if value is not None else Broken(n, "this line is not JSON")


def read(
    data: bytes,
    name: str,
    records: Callable[[Any], Iterable[Any] | None],
    entry: Callable[[Mapping[str, Any], int], Entry | Broken],
) -> Iterator[Entry | Broken]:
    """The entries of a JSON file.

    records gives those in one document, or None when it is not a document of theirs; entry
    reads one. Raises NoPapers.
    """
    for document in documents(data, name):
        if isinstance(document, Broken):
            yield document
            continue
        line, value = document
        found = records(value)
        if found is None and line == 0:
            raise NoPapers(f"{one_line(name, 200)} holds no papers in a form that is known here")
        for record in found if found is not None else [None]:
            if isinstance(record, dict):
                yield entry(record, line)
            else:
                yield Broken(line, "what should be a paper is not a record")


def make(item: Mapping[str, Any], known: Iterable[str], abstract: str, line: int) -> Entry | Broken:
    """An Entry of a raw CSL-JSON item, an abstract as the source has it, and identifiers."""
    named = ids.best(known)
    found = csl.entry(item, abstract, references=named, line=line)
    if isinstance(found, Broken):
        which = f" ({named[0]})" if named else ""
        return replace(found, reason=f"{found.reason}{which}")
    # an item has room for one identifier of a service; a paper may have two
    own = ids.best([*(each for each in found.ids if not each.startswith("title:")), *named])
    return replace(found, ids=own or found.ids)


def text(record: Any, *path: str | int) -> str:
    """What lies at a path of keys and positions, as one line; empty when no text is there."""
    return one_line(prose(record, *path))


def prose(record: Any, *path: str | int) -> str:
    """The same with its line breaks, and not longer than an abstract may be."""
    value = dig(record, *path)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
        return str(value)
    return value[:MAX_ABSTRACT_CHARS] if isinstance(value, str) else ""


def dig(record: Any, *path: str | int) -> Any:
    """What lies at a path of keys and positions, None when nothing does."""
    for step in path:
        if isinstance(step, int):
            record = record[step] if isinstance(record, list) and len(record) > step else None
        else:
            record = record.get(step) if isinstance(record, dict) else None
    return record


def many(record: Any, *path: str | int) -> list[Any]:
    """The list at a path, empty when none is there."""
    found = dig(record, *path)
    return found if isinstance(found, list) else []


def _value(data: bytes) -> Any:
    """One JSON value, None when it is none that can be read."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
