"""Read tagged exports other than RIS: PubMed (.nbib), Web of Science, EndNote (.enw) and RefWorks.

Each tag is a column of papers.formats.tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from scholar_indexes.decoding import decode, plain
from scholar_indexes.papers.entry import Entry, UnreadableEntry
from scholar_indexes.papers.formats import tables
from scholar_indexes.papers.formats.ris import MAX_RECORD_CHARS, standard_numbers

Record = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class _Dialect:
    """A tagged format: how a file of it is recognized, the pattern of a line with a tag and a
    value, the tag of a record's first line, and the tags of each variable, the best first.

    Tags of which every line is a value are in `listed`."""

    file: re.Pattern[str]
    line: re.Pattern[str]
    start: str
    variables: Mapping[str, Sequence[str]]
    listed: frozenset[str] = frozenset()


_PUBMED = _Dialect(
    re.compile(r"(?m)^PMID ?- ?[0-9]"),
    re.compile(r"([A-Z]{2,4}) {0,2}- ?(.*)"),
    "PMID",
    {
        "pmid": ["PMID"],
        "title": ["TI", "BTI"],
        "abstract": ["AB", "OAB"],
        "author": ["FAU", "AU"],
        "group": ["CN"],
        "editor": ["FED", "ED"],
        "issued": ["DP", "DEP"],
        "container-title": ["JT", "BTI", "TA"],
        "container-title-short": ["TA"],
        "collection-title": ["CTI"],
        "volume": ["VI"],
        "issue": ["IP"],
        "page": ["PG"],
        "publisher": ["PB"],
        "publisher-place": ["PL"],
        "edition": ["EN"],
        "type": ["PT"],
        "language": ["LA"],
        "keyword": ["OT", "MH"],
        "numbers": ["IS", "ISBN"],
        "DOI": ["LID", "AID"],
        "PMCID": ["PMC"],
        "note": ["GN", "CIN"],
    },
)
_WEB_OF_SCIENCE = _Dialect(
    re.compile(r"(?m)\AFN .*|^PT [A-Z]\s*$"),
    re.compile(r"([A-Z][A-Z0-9])(?: (.*))?$"),
    "PT",
    {
        "title": ["TI"],
        "abstract": ["AB"],
        "author": ["AF", "AU", "BF", "BA"],
        "group": ["CA", "GP"],
        "editor": ["BE", "ED"],
        "issued": ["PD", "PY", "EA", "EY"],
        "container-title": ["SO"],
        "container-title-short": ["JI", "J9"],
        "collection-title": ["SE"],
        "event-title": ["CT"],
        "event-place": ["CL"],
        "volume": ["VL"],
        "issue": ["IS"],
        "number": ["AR"],
        "first-page": ["BP"],
        "last-page": ["EP"],
        "publisher": ["PU"],
        "publisher-place": ["PI"],
        "type": ["DT"],
        "language": ["LA"],
        "keyword": ["DE", "ID"],
        "numbers": ["SN", "EI", "BN"],
        "DOI": ["DI"],
        "pmid": ["PM"],
        "key": ["UT"],
    },
    frozenset("AU AF BA BF CA GP BE ED".split()),
)
_ENDNOTE = _Dialect(
    re.compile(r"(?m)^%0 [A-Z]"),
    re.compile(r"%(\S) (.*)"),
    "0",
    {
        "type": ["0"],
        "title": ["T"],
        "title-short": ["!"],
        "abstract": ["X"],
        "author": ["A"],
        "editor": ["E"],
        "translator": ["?"],
        "issued": ["8", "D"],
        "container-title": ["J", "B"],
        "container-title-short": ["O"],
        "collection-title": ["S"],
        "volume": ["V"],
        "issue": ["N"],
        "page": ["P"],
        "publisher": ["I"],
        "publisher-place": ["C"],
        "edition": ["7"],
        "language": ["G"],
        "keyword": ["K"],
        "note": ["Z"],
        "numbers": ["@"],
        "DOI": ["R"],
        "URL": ["U"],
        "key": ["F"],
    },
    frozenset("AEK"),
)
_REFWORKS = _Dialect(
    re.compile(r"(?m)^RT [A-Z]"),
    re.compile(r"([A-Z][A-Z0-9]) (.*)"),
    "RT",
    {
        "type": ["RT"],
        "title": ["T1"],
        "abstract": ["AB"],
        "author": ["A1"],
        "editor": ["A2"],
        "translator": ["A4"],
        "issued": ["FD", "YR"],
        "container-title": ["JF", "T2", "JO"],
        "container-title-short": ["JO"],
        "collection-title": ["T3"],
        "volume": ["VO"],
        "issue": ["IS"],
        "first-page": ["SP"],
        "last-page": ["OP"],
        "publisher": ["PB"],
        "publisher-place": ["PP"],
        "edition": ["ED"],
        "language": ["LA"],
        "keyword": ["K1"],
        "note": ["NO"],
        "numbers": ["SN"],
        "DOI": ["DO"],
        "URL": ["UL", "LK"],
        "key": ["ID"],
    },
)
_DIALECTS = (_PUBMED, _WEB_OF_SCIENCE, _ENDNOTE, _REFWORKS)

_PEOPLE = frozenset(["author", "editor", "translator", "group"])
_MARKED = re.compile(r"\s*\[(doi|pii|book accession)\]$")
_STOP = re.compile(r"(?<=[^\W_]{2})\.\s*$")
"""The full stop that PubMed adds to titles."""
_AFTER_AN_ISSN = re.compile(r"\s*\([^()]*\)")


def looks_tagged(head: str) -> bool:
    """Return True if a text is in one of the tagged formats."""
    return any(dialect.file.search(head) for dialect in _DIALECTS)


def read(data: bytes, name: str) -> Iterator[Entry | UnreadableEntry]:
    """Yield the records of a file in order; a record ends where the next one begins."""
    text = plain(decode(data)[0]).lstrip("\ufeff")
    dialect = next((dialect for dialect in _DIALECTS if dialect.file.search(text)), _PUBMED)
    record: dict[str, list[str]] = {}
    first_line = size = 0
    tag = ""
    for number, line in enumerate(text.split("\n"), 1):
        match = dialect.line.match(line)
        if match:
            tag = match[1]
        if tag == dialect.start and match:
            if record:
                yield _entry(record, dialect, first_line, size)
            record, first_line, size = {}, number, 0
        size += len(line)
        if first_line and size <= MAX_RECORD_CHARS and line.strip():
            _add_line(record, tag, match[2] or "" if match else line, dialect, is_first=bool(match))
    if record:
        yield _entry(record, dialect, first_line, size)


def _add_line(
    record: dict[str, list[str]], tag: str, value: str, dialect: _Dialect, *, is_first: bool
) -> None:
    """Add a line to the values of its tag: as a value, or as more of the last one."""
    values = record.setdefault(tag, [])
    if is_first or not values or tag in dialect.listed:
        values.append(value.strip())
    else:
        values.append(f"\n{value.strip()}")


def _entry(record: Record, dialect: _Dialect, line: int, size: int) -> Entry | UnreadableEntry:
    if size > MAX_RECORD_CHARS:
        return UnreadableEntry(line, f"the record has more than {MAX_RECORD_CHARS:,} characters")
    cells: dict[str, list[str]] = {}
    for variable, tags in dialect.variables.items():
        joint = "; " if variable in _PEOPLE else "\n"
        values = [(_values(record.get(tag, []))) for tag in tags]
        if variable in _PEOPLE:
            cells[variable] = [joint.join(people) for people in values]
        else:
            cells[variable] = [value for found in values for value in found]
    cells["DOI"] = [value for value in cells["DOI"] if not value.endswith("]")] + [
        _MARKED.sub("", value) for value in cells["DOI"] if value.endswith("[doi]")
    ]
    numbers = [_AFTER_AN_ISSN.sub("", value) for value in cells.pop("numbers")]
    cells |= {name: [number] for name, number in standard_numbers(numbers, False).items()}
    cells["title"] = [_STOP.sub("", title) for title in cells["title"]]
    return tables.build_row(cells, line)


def _values(lines: Sequence[str]) -> list[str]:
    """Return the values of a tag, each with its lines."""
    values: list[list[str]] = []
    for line in lines:
        if line.startswith("\n") and values:
            values[-1].append(line)
        else:
            values.append([line])
    return ["".join(value) for value in values]
