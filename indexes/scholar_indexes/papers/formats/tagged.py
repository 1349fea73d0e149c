"""Read tagged exports other than RIS: PubMed (.nbib), Web of Science, EndNote (.enw) and RefWorks.

Each tag is a column of papers.formats.tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from scholar_indexes.decoding import decode, plain
from scholar_indexes.papers.entry import Entry, UnreadableEntry
from scholar_indexes.papers.formats import tables
from scholar_indexes.papers.formats.ris import MAX_RECORD_CHARS, standard_numbers

Record = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class _Dialect:
    """A tagged format: the patterns of its files and of a line with a tag and a value, the tag of
    a record's first line, and the tags of each variable, the best first.

    Tags of which every line is a value are in `listed`.
    """

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
    text = plain(decode(data)[0])
    dialect = next((dialect for dialect in _DIALECTS if dialect.file.search(text)), _PUBMED)
    for first_line, lines in _records(text.split("\n"), dialect):
        if sum(map(len, lines)) > MAX_RECORD_CHARS:
            reason = f"the record has more than {MAX_RECORD_CHARS:,} characters"
            yield UnreadableEntry(first_line, reason)
        else:
            yield _entry(_values_by_tag(lines, dialect), dialect, first_line)


def _records(lines: Iterable[str], dialect: _Dialect) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines of each record, with the number of the first."""
    first_line = 0
    record: list[str] = []
    for number, line in enumerate(lines, 1):
        match = dialect.line.match(line)
        if match and match[1] == dialect.start:
            if record:
                yield first_line, record
            first_line, record = number, []
        if first_line:
            record.append(line)
    if record:
        yield first_line, record


def _values_by_tag(lines: Iterable[str], dialect: _Dialect) -> dict[str, list[str]]:
    """Return the values of each tag of a record; a line without a tag continues the last value."""
    values: dict[str, list[list[str]]] = {}
    tag = dialect.start
    for line in filter(str.strip, lines):
        match = dialect.line.match(line)
        tag = match[1] if match else tag
        text = (match[2] or "" if match else line).strip()
        if match or tag in dialect.listed:
            values.setdefault(tag, []).append([text])
        else:
            values[tag][-1].append(text)
    return {tag: ["\n".join(parts) for parts in listed] for tag, listed in values.items()}


def _entry(record: Record, dialect: _Dialect, line: int) -> Entry | UnreadableEntry:
    cells = {
        variable: _cells(record, variable, tags) for variable, tags in dialect.variables.items()
    }
    cells["DOI"] = _dois(cells["DOI"])
    cells["title"] = [_STOP.sub("", title) for title in cells["title"]]
    numbers = [_AFTER_AN_ISSN.sub("", value) for value in cells.pop("numbers")]
    cells |= {name: [number] for name, number in standard_numbers(numbers, False).items()}
    return tables.build_row(cells, line)


def _cells(record: Record, variable: str, tags: Sequence[str]) -> list[str]:
    """Return the values of a variable, the best first; a tag with people is one value."""
    by_tag = [record.get(tag, ()) for tag in tags]
    if variable in _PEOPLE:
        return ["; ".join(people) for people in by_tag]
    return [value for values in by_tag for value in values]


def _dois(values: Sequence[str]) -> list[str]:
    """Return the DOIs; PubMed marks each of its identifiers, as in "10.1000/x [doi]"."""
    unmarked = [value for value in values if not value.endswith("]")]
    return unmarked + [_MARKED.sub("", value) for value in values if value.endswith("[doi]")]
