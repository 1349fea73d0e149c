"""Fields that an entry of a bibliography takes from others: crossref, xdata and sets.

After the defaults of BibLaTeX (section 3.5 and appendix B of its manual), without what describes
the parent alone, such as its abstract and DOI.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

_MAX_PARENTS = 8
"""Parents of an entry, with theirs, that are read; more are an error of the file."""

_CONTAINERS = frozenset(["xdata", "set"])
"""Types of entries that are no works of their own."""

_SHARED = frozenset(
    "address booksubtitle booktitle date day edition editor eventtitle institution isbn issn issue "
    "journal journaltitle langid language location month number organization pages publisher "
    "school series shortjournal translator venue volume year".split()
)
"""Fields that an entry takes from its crossref under their names."""

_WITHIN = {
    "article": "journaltitle",
    "suppperiodical": "journaltitle",
    "book": "series",
    "inbook": "booktitle",
    "incollection": "booktitle",
    "inproceedings": "booktitle",
    "conference": "booktitle",
    "inreference": "booktitle",
    "bookinbook": "booktitle",
    "suppbook": "booktitle",
    "suppcollection": "booktitle",
}
"""The field that takes the title of the crossref, by the type of the entry."""

_SAME_WORK = (frozenset(["journal", "journaltitle"]), frozenset(["date", "year", "month", "day"]))
"""Fields of which an entry that has one takes no other."""


@dataclass(frozen=True, slots=True)
class Record:
    """An entry of a file: its line, its type in lower case, its key, and its fields by name."""

    line: int
    kind: str
    key: str
    fields: Mapping[str, str]


def index_parents(records: Iterable[object]) -> dict[str, Record]:
    """Return the records with a key by it, in lower case; of two with one key, the first."""
    parents: dict[str, Record] = {}
    for record in records:
        if isinstance(record, Record) and record.key:
            parents.setdefault(record.key.lower(), record)
    return parents


def is_container(record: Record) -> bool:
    """Return True for an entry that only gives others its fields or its members."""
    return record.kind in _CONTAINERS and not record.fields.get("title")


def inherit(record: Record, parents: Mapping[str, Record]) -> dict[str, str]:
    """Return the fields that a record takes from its xdata and its crossref.

    Its own fields are not among them. A key that the file does not have gives nothing.
    """
    seen = {record.key.lower()}
    return {
        name: value
        for name, value in _complete(record, parents, seen).items()
        if name not in record.fields
    }


def _complete(record: Record, parents: Mapping[str, Record], seen: set[str]) -> dict[str, str]:
    """Return the fields of a record with the inherited ones; `seen` are keys already read."""
    fields = dict(record.fields)
    for parent in _parents(record, "xdata", parents, seen):
        _take(fields, _complete(parent, parents, seen))
    for parent in _parents(record, "crossref", parents, seen):
        _take(fields, _for_child(record.kind, parent.kind, _complete(parent, parents, seen)))
    return fields


def _parents(
    record: Record, field: str, parents: Mapping[str, Record], seen: set[str]
) -> Iterator[Record]:
    for key in record.fields.get(field, "").lower().split(","):
        parent = parents.get(key.strip())
        if parent is not None and key.strip() not in seen and len(seen) <= _MAX_PARENTS:
            seen.add(key.strip())
            yield parent


def _for_child(child: str, parent: str, fields: Mapping[str, str]) -> dict[str, str]:
    """Return the fields that a crossref gives to an entry of a type."""
    given = {name: value for name, value in fields.items() if name in _SHARED}
    title = fields.get("title", "")
    within = _WITHIN.get(child)
    if title and within and within not in given:
        subtitle = fields.get("subtitle", "")
        given[within] = f"{title}: {subtitle}" if subtitle else title
    if child == "inbook" and parent in ("book", "mvbook") and fields.get("author"):
        given["author"] = fields["author"]
    return given


def _take(fields: dict[str, str], given: Mapping[str, str]) -> None:
    """Add the given fields that a record lacks, no second journal or date."""
    lacking = {
        name: value
        for name, value in given.items()
        if not fields.get(name)
        and not any(name in group and group & fields.keys() for group in _SAME_WORK)
    }
    fields |= lacking
