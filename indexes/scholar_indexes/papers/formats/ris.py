"""Read RIS, the tagged format of reference managers, with rispy one record at a time."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from scholar_indexes.decoding import decode, plain
from scholar_indexes.papers import ids
from scholar_indexes.papers.entry import Entry, UnreadableEntry
from scholar_indexes.papers.formats import csl, csl_names
from scholar_indexes.sanitize import one_line

MAX_RECORD_CHARS = 2_000_000

TYPES = {
    "JOUR": "article-journal",
    "EJOUR": "article-journal",
    "MGZN": "article-magazine",
    "NEWS": "article-newspaper",
    "CPAPER": "paper-conference",
    "CONF": "paper-conference",
    "BOOK": "book",
    "EBOOK": "book",
    "EDBOOK": "book",
    "CHAP": "chapter",
    "ECHAP": "chapter",
    "THES": "thesis",
    "RPRT": "report",
    "ELEC": "webpage",
    "BLOG": "post-weblog",
    "DATA": "dataset",
    "COMP": "software",
    "PAT": "patent",
    "UNPB": "manuscript",
    "INPR": "article",
    "PREPRINT": "article",
    "STAND": "standard",
}
"""The CSL type of each type of reference; other types are documents."""

FIELDS = {
    "title": ("title", "primary_title"),
    "title-short": ("short_title",),
    "container-title": (
        "secondary_title",
        "alternate_title3",
        "BT",
        "journal_name",
        "alternate_title1",
        "alternate_title2",
    ),
    "container-title-short": ("alternate_title1", "alternate_title2", "journal_name"),
    "collection-title": ("tertiary_title",),
    "publisher": ("publisher",),
    "publisher-place": ("place_published",),
    "volume": ("volume",),
    "issue": ("number", "CP"),
    "number": ("custom7", "note"),
    "edition": ("edition",),
    "language": ("language",),
    "DOI": ("doi",),
    "source": ("name_of_database",),
    "genre": ("type_of_work",),
}
"""Each CSL variable and rispy's names for the tags it is read from, or tags that it does not know.

The full title of a journal (T2, JF) comes before its abbreviations (JO, J2, JA).
"""

NAMES = {
    "author": ("authors", "first_authors"),
    "editor": ("secondary_authors", "ED"),
    "collection-editor": ("tertiary_authors",),
    "translator": ("subsidiary_authors",),
}
"""Each CSL variable of names and the tags that it takes together."""

_BOOKS = frozenset(["book", "chapter"])
_ISBN = re.compile(r"(?:97[89])?[0-9]{9}[0-9Xx]")
_HEADING = re.compile(r"(?i)<p>abstract:?</p>")
"""The heading of the abstract, which Project MUSE writes as a note."""
_NOT_DIGITS = re.compile(r"[^0-9Xx]")

CSL_TYPE = "csl:"
"""The prefix of a CSL type without a RIS type (TY), which is in the type of work (M3)."""

_TAG = re.compile(
    r"(?P<tag>(?!EU|U[KNS])[A-Z][A-Z0-9])(?: {1,2}| {6})[-–—] ?"
    r"| {0,8}(?P<loose>(?i:[A-Z][A-Z0-9]))  [-–—](?: |$)"
)
"""A tag, also one with other spaces (six are a tab) or dashes; if it is indented or has small
letters, its spaces are those of RIS. A line of an abstract may begin with "US – China"."""
_END = re.compile(r"(?m)^ {0,8}[Ee][Rr](?: {1,2}| {6})[-–—]")
_TITLES = frozenset(("TI", "T1"))
_BREAK = "\x1f"  # between the lines of one value: decoding.plain removes it from the text


@dataclass(slots=True)
class _Record:
    """The lines of a record so far, those before its TY, its first line, and its size in
    characters."""

    line: int
    size: int = 0
    early: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    def add(self, tag: str, value: str) -> None:
        """Add a tag with its value; without a tag, the value continues the last one."""
        lines = self.lines if self.lines or tag == "TY" else self.early
        if tag:
            lines.append(f"{tag}  - {value}")
        elif value.strip() and self.size <= MAX_RECORD_CHARS:
            lines.append(_BREAK + value)
        self.size += len(value)

    def ends_before(self, tag: str) -> bool:
        """Return True for an ER, and for the TY of the next record."""
        return tag == "ER" or (tag == "TY" and bool(self.lines))

    def entries(self) -> Iterator[Entry | UnreadableEntry]:
        """Yield the record; tags before its TY are part of it if it has no title of its own."""
        tags = {line[:2] for line in self.lines}
        if self.early and (not self.lines or tags & _TITLES):
            tag = self.early[0][:2]
            yield UnreadableEntry(self.line, f"the tag {tag} comes before any TY")
            self.early = []
        if self.lines:
            record = [self.lines[0], *self.early, *self.lines[1:]]
            yield _entry(record, self.line, self.size)


def read(data: bytes, name: str) -> Iterator[Entry | UnreadableEntry]:
    """Yield the records of a RIS file in order, each to its ER or the next TY.

    Some programs write no ER; in a file with others, a missing one is reported.
    """
    record: _Record | None = None
    text = plain(decode(data)[0])
    missing = ("TY",) if _END.search(text) else ()
    for number, line in enumerate(text.split("\n"), 1):
        tag, value = _split_tag(line)
        if record and record.ends_before(tag):
            yield from record.entries()
            if tag in missing:
                yield _without_end(record, number)
            record = None
        if tag != "ER" and (record or tag):
            record = record or _Record(number)
            record.add(tag, value)
    if record:
        yield from record.entries()


def _without_end(record: _Record, line: int) -> UnreadableEntry:
    """Return the fault of a record without an ER before a line."""
    reason = f"the record of line {record.line} has no ER; add one before this line"
    return UnreadableEntry(line, reason, is_lost=False)


def _split_tag(line: str) -> tuple[str, str]:
    """Return the tag and the value of a line; a line without a tag has the tag ""."""
    match = _TAG.match(line)
    if match is None:
        return "", line
    return (match["tag"] or match["loose"].upper()), line[match.end() :]


def _entry(record: list[str], line: int, size: int) -> Entry | UnreadableEntry:
    import rispy

    if size > MAX_RECORD_CHARS:
        return UnreadableEntry(line, f"the record has more than {MAX_RECORD_CHARS:,} characters")
    # rispy takes quadratic time to join the lines of one value
    text = "\n".join(record).replace(f"\n{_BREAK}", _BREAK) + "\nER  - \n"
    try:
        reader = rispy.RisParser(list_tags=list(rispy.TAG_KEY_MAPPING), delimiter_tags_mapping={})
        fields = next(iter(reader.parse(text)), None)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        return UnreadableEntry(line, one_line(f"it is not RIS: {error}", 200))
    if fields is None:
        return UnreadableEntry(line, "it is not RIS")
    fields |= fields.get("unknown_tag", {})
    abstract = _BREAK.join(_all_lines(fields, "abstract") or _all_lines(fields, "notes_abstract"))
    item = to_csl(fields)
    references = [*_urls(fields), *_accession(fields)]
    key = "" if _dois(fields, "id") else _first(fields, "id")
    key = key or _first(fields, "label")
    return csl.build_entry(
        item,
        abstract.replace(_BREAK, "\n"),
        key=key,
        references=references,
        line=line,
    )


def to_csl(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the raw CSL-JSON item of a record as rispy reads it."""
    item: dict[str, Any] = {"type": TYPES.get(_first(fields, "type_of_reference").upper())}
    item |= {variable: _first_of(fields, tags) for variable, tags in FIELDS.items()}
    item |= _type_of_work(item["genre"])
    if item["container-title-short"] == item["container-title"]:
        del item["container-title-short"]
    item["page"] = _pages(fields)
    item["issued"] = _date(fields)
    item |= {role: _people(fields, tags) for role, tags in NAMES.items()}
    item |= standard_numbers(_all(fields, "issn"), item["type"] in _BOOKS)
    if item["type"] in _BOOKS:
        item["chapter-number"] = _first(fields, "section")
    item["keyword"] = ", ".join(
        tag for line in _all_lines(fields, "keywords") for tag in _tags(line)
    )
    remarks = [*_all(fields, "notes"), *_all(fields, "research_notes")]
    item["note"] = "; ".join(remark for remark in remarks if not _HEADING.fullmatch(remark))
    item["URL"] = next((url for url in _urls(fields) if not ids.canonical_id(url)), "")
    return item


def _type_of_work(text: str) -> dict[str, str]:
    """Return the genre in the type of work (M3), with the CSL type that may precede it."""
    if text.startswith(CSL_TYPE):
        kind, _, genre = text.removeprefix(CSL_TYPE).partition(" ")
        return {"type": kind, "genre": genre}
    return {"genre": "" if ids.canonical_id(text) else text}  # an identifier, as in EBSCO


def _people(fields: Mapping[str, Any], tags: Iterable[str]) -> list[dict[str, str]]:
    """Return the CSL names in all of the tags, each once."""
    written = (name for tag in tags for name in _all(fields, tag))
    names = dict.fromkeys(name for text in written for name in _divide(text))
    return [_name(name) for name in names]


def _divide(text: str) -> list[str]:
    """Return the names in a tag for one; a final comma marks an institution."""
    text = csl_names.without_dates(text)
    names = (
        text.split(" and ") if " and " in text and not csl_names.is_institution(text) else [text]
    )
    if len(names) > 1 and not all("," in name for name in names):
        names = [text]
    divided = [person for name in names for person in csl_names.divide(name)]
    return divided if len(divided) > 1 else [text]


def standard_numbers(numbers: Iterable[str], is_book: bool) -> dict[str, str]:
    """Return the first ISSN and the first ISBN among numbers, which one tag has."""
    by_variable: dict[str, str] = {}
    for number in numbers:
        digits = _NOT_DIGITS.sub("", number)
        variable = "ISBN" if _ISBN.fullmatch(digits) or (is_book and len(digits) != 8) else "ISSN"
        by_variable.setdefault(variable, number.partition("(")[0].strip() if digits else number)
    return by_variable


def _tags(line: str) -> list[str]:
    """Return the keywords of a KW tag; some programs write each on a line of its own."""
    return [tag for part in line.split(_BREAK) if (tag := part.strip(" ,;*"))]


def _pages(fields: Mapping[str, Any]) -> str:
    start, end = _first(fields, "start_page"), _first(fields, "end_page")
    return f"{start}-{end}" if start and end and end != start else start


def _date(fields: Mapping[str, Any]) -> str:
    """Return the year, or the full date if it is of the same year."""
    year = _first(fields, "year") or _first(fields, "publication_year")
    date = _first(fields, "date")
    if not date[:4].isdecimal():
        return year or date
    return date if not year[:4] or date.startswith(year[:4]) else year


def _name(text: str) -> dict[str, str]:
    """Return the CSL name of "Family, Given, Suffix"; a final comma marks an institution."""
    if csl_names.is_institution(text):
        return {"literal": text.strip(", ")}
    family, comma, rest = (part.strip() for part in text.partition(","))
    given, _, suffix = (part.strip() for part in rest.partition(","))
    if family and rest:
        return {"family": family, "given": given, "suffix": suffix}
    return {"literal": family} if comma else csl_names.parse_name(text)


def _urls(fields: Mapping[str, Any]) -> list[str]:
    return _all(fields, "urls")


def _accession(fields: Mapping[str, Any]) -> list[str]:
    """Return the identifiers that databases put into other tags; PubMed's is a bare number."""
    database = _first(fields, "name_of_database").lower()
    numbers = _all(fields, "accession_number")
    is_pubmed = any(name in database for name in ("pubmed", "medline"))
    references = [
        f"pmid:{number}" if is_pubmed and number.isdecimal() else number for number in numbers
    ]
    if "scopus" in database:
        references += [f"pmid:{number}" for number in _all(fields, "custom2") if number.isdecimal()]
    return references + [number for tag in ("type_of_work", "id") for number in _dois(fields, tag)]


def _dois(fields: Mapping[str, Any], tag: str) -> list[str]:
    """Return the DOIs in a tag that is meant for something else: "10.1000/x [doi]" in Ovid's ID."""
    values = (value.partition(" [")[0] for value in _all(fields, tag))
    return [value for value in values if value.lower().startswith(("10.", "doi:"))]


def _first_of(fields: Mapping[str, Any], tags: Iterable[str]) -> str:
    """Return the first text in the first of the tags that has one."""
    return next(filter(None, (_first(fields, tag) for tag in tags)), "")


def _first(fields: Mapping[str, Any], name: str) -> str:
    return next(iter(_all(fields, name)), "")


def _all(fields: Mapping[str, Any], name: str) -> list[str]:
    texts = (value.replace(_BREAK, " ").strip() for value in _all_lines(fields, name))
    return [text for text in texts if text]


def _all_lines(fields: Mapping[str, Any], name: str) -> list[str]:
    """Return the values of a tag with _BREAK between their lines."""
    value = fields.get(name)
    values = value if isinstance(value, list) else [value]
    return [value for value in values if isinstance(value, str) and value.strip()]
