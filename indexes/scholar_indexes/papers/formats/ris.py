"""RIS, the tagged format of reference managers, read by rispy one record at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from scholar_indexes.books.decoding import decode, plain
from scholar_indexes.papers import ids
from scholar_indexes.papers.entry import Broken, Entry
from scholar_indexes.papers.formats import csl
from scholar_indexes.untrusted import one_line

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
"""The CSL type of each type of reference; the others are documents."""

FIELDS = {
    "title": ("title", "primary_title"),
    "title-short": ("short_title",),
    "container-title": (
        "secondary_title", "journal_name", "alternate_title3", "alternate_title2",
    ),
    "container-title-short": ("alternate_title1",),
    "collection-title": ("tertiary_title",),
    "publisher": ("publisher",),
    "publisher-place": ("place_published",),
    "volume": ("volume",),
    "issue": ("number",),
    "edition": ("edition",),
    "language": ("language",),
    "ISSN": ("issn",),
    "DOI": ("doi",),
    "genre": ("type_of_work",),
}  # fmt: skip
"""Each CSL variable and rispy's names of the tags that say it."""

CSL_TYPE = "csl:"
"""Begins a type of work (M3) that holds the item's CSL type, where TY cannot say it."""

_TAG = re.compile(r"([A-Z][A-Z0-9]) {1,2}- ?")
_BREAK = "\x1f"  # between the lines of one value: decoding.plain has left none in the text


def read(data: bytes, name: str) -> Iterator[Entry | Broken]:
    """The records of a RIS file in order, each from its TY to its ER or the next TY."""
    record: list[str] = []
    begun = size = 0
    for number, line in enumerate(plain(decode(data)[0]).split("\n"), 1):
        found = _TAG.match(line)
        tag = found[1] if found else ""
        if tag == "TY":
            if record:
                yield _entry(record, begun, size)
            record, begun, size = [f"TY  - {line[found.end() :]}" if found else ""], number, 0
        elif not record:
            if tag and tag != "ER":
                yield Broken(number, f"the tag {tag} stands before any TY")
        elif tag == "ER":
            yield _entry(record, begun, size)
            record = []
        elif found:
            record.append(f"{tag}  - {line[found.end() :]}")
        elif line.strip() and size <= MAX_RECORD_CHARS:
            record.append(_BREAK + line)
        size += len(line)
    if record:
        yield _entry(record, begun, size)


def _entry(record: list[str], line: int, size: int) -> Entry | Broken:
    import rispy

    if size > MAX_RECORD_CHARS:
        return Broken(line, f"the record has more than {MAX_RECORD_CHARS:,} characters")
    # rispy joins the lines of one value in a time that grows with their square
    text = "\n".join(record).replace(f"\n{_BREAK}", _BREAK) + "\nER  - \n"
    try:
        fields = next(iter(rispy.loads(text, delimiter_tags_mapping={})), None)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        return Broken(line, one_line(f"it is not RIS: {error}", 200))
    if fields is None:
        return Broken(line, "it is not RIS")
    abstract = fields.get("abstract") or fields.get("notes_abstract") or ""
    item = to_csl(fields)
    references = [*_urls(fields), *_accession(fields)]
    key = _first(fields, "id") or _first(fields, "label")
    return csl.entry(
        item,
        _text(abstract).replace(_BREAK, "\n"),
        key=key,
        references=references,
        line=line,
    )


def to_csl(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The raw CSL-JSON item of a record as rispy reads it."""
    item: dict[str, Any] = {"type": TYPES.get(_first(fields, "type_of_reference").upper())}
    for variable, names in FIELDS.items():
        value = next((text for each in names if (text := _first(fields, each))), "")
        if value:
            item[variable] = value
    genre = item.get("genre", "")
    if genre.startswith(CSL_TYPE):
        item["type"], _, item["genre"] = genre.removeprefix(CSL_TYPE).partition(" ")
    start, end = _first(fields, "start_page"), _first(fields, "end_page")
    item["page"] = f"{start}-{end}" if start and end and end != start else start
    item["issued"] = _first(fields, "year") or _first(fields, "publication_year")
    date = _first(fields, "date")
    if date[:4].isdecimal():  # the fuller form, where it is of the same year
        year = item["issued"][:4]
        item["issued"] = date if not year or date.startswith(year) else item["issued"]
    people = _all(fields, "authors") or _all(fields, "first_authors")
    item["author"] = [_name(each) for each in people]
    item["editor"] = [_name(each) for each in _all(fields, "secondary_authors")]
    item["keyword"] = ", ".join(_all(fields, "keywords"))
    item["note"] = "; ".join(_all(fields, "notes"))
    item["URL"] = next((each for each in _urls(fields) if not ids.canonical(each)), "")
    return item


def _name(text: str) -> dict[str, str]:
    """A CSL name of "Family, Given, Suffix"; a comma with nothing behind it marks a body."""
    family, comma, rest = (each.strip() for each in text.partition(","))
    given, _, suffix = (each.strip() for each in rest.partition(","))
    if family and rest:
        return {"family": family, "given": given, "suffix": suffix}
    return {"literal": family} if comma else csl.name(text)


def _urls(fields: Mapping[str, Any]) -> list[str]:
    return _all(fields, "urls")


def _accession(fields: Mapping[str, Any]) -> list[str]:
    """The identifier in AN, of which PubMed's is a bare number."""
    number = _first(fields, "accession_number")
    pubmed = "pubmed" in _first(fields, "name_of_database").lower()
    return [f"pmid:{number}" if pubmed and number.isdecimal() else number] if number else []


def _first(fields: Mapping[str, Any], name: str) -> str:
    return next(iter(_all(fields, name)), "")


def _all(fields: Mapping[str, Any], name: str) -> list[str]:
    value = fields.get(name)
    values = value if isinstance(value, list) else [value]
    texts = (_text(each).replace(_BREAK, " ").strip() for each in values)
    return [text for text in texts if text]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
