"""Read RIS, the tagged format of reference managers, with rispy one record at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from scholar_indexes.decoding import decode, plain
from scholar_indexes.papers import ids
from scholar_indexes.papers.entry import Entry, UnreadableEntry
from scholar_indexes.papers.formats import csl
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
        "journal_name",
        "alternate_title3",
        "alternate_title2",
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
}
"""Each CSL variable and rispy's names for the tags it is read from."""

CSL_TYPE = "csl:"
"""The prefix of a CSL type without a RIS type (TY), which is in the type of work (M3)."""

_TAG = re.compile(r"([A-Z][A-Z0-9]) {1,2}- ?")
_BREAK = "\x1f"  # between the lines of one value: decoding.plain removes it from the text


def read(data: bytes, name: str) -> Iterator[Entry | UnreadableEntry]:
    """Yield the records of a RIS file in order, each from its TY to its ER or the next TY."""
    record: list[str] = []
    first_line = size = 0
    for number, line in enumerate(plain(decode(data)[0]).split("\n"), 1):
        tag, value = _split_tag(line)
        # Some records have no ER, so the next TY ends them too.
        if tag in ("TY", "ER") and record:
            yield _entry(record, first_line, size)
            record = []
        if tag == "TY":
            record, first_line, size = [f"TY  - {value}"], number, 0
        elif not record:
            if tag and tag != "ER":
                yield UnreadableEntry(number, f"the tag {tag} comes before any TY")
        elif tag:
            record.append(f"{tag}  - {value}")
        elif line.strip() and size <= MAX_RECORD_CHARS:
            record.append(_BREAK + line)
        size += len(line)
    if record:
        yield _entry(record, first_line, size)


def _split_tag(line: str) -> tuple[str, str]:
    """Return the tag and the value of a line; a line without a tag has the tag ""."""
    match = _TAG.match(line)
    return (match[1], line[match.end() :]) if match else ("", line)


def _entry(record: list[str], line: int, size: int) -> Entry | UnreadableEntry:
    import rispy

    if size > MAX_RECORD_CHARS:
        return UnreadableEntry(line, f"the record has more than {MAX_RECORD_CHARS:,} characters")
    # rispy takes quadratic time to join the lines of one value
    text = "\n".join(record).replace(f"\n{_BREAK}", _BREAK) + "\nER  - \n"
    try:
        fields = next(iter(rispy.loads(text, delimiter_tags_mapping={})), None)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        return UnreadableEntry(line, one_line(f"it is not RIS: {error}", 200))
    if fields is None:
        return UnreadableEntry(line, "it is not RIS")
    abstract = fields.get("abstract") or fields.get("notes_abstract") or ""
    item = to_csl(fields)
    references = [*_urls(fields), *_accession(fields)]
    key = _first(fields, "id") or _first(fields, "label")
    return csl.build_entry(
        item,
        _text(abstract).replace(_BREAK, "\n"),
        key=key,
        references=references,
        line=line,
    )


def to_csl(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the raw CSL-JSON item of a record as rispy reads it."""
    item: dict[str, Any] = {"type": TYPES.get(_first(fields, "type_of_reference").upper())}
    for variable, names in FIELDS.items():
        value = next((text for name in names if (text := _first(fields, name))), "")
        if value:
            item[variable] = value
    genre = item.get("genre", "")
    if genre.startswith(CSL_TYPE):
        item["type"], _, item["genre"] = genre.removeprefix(CSL_TYPE).partition(" ")
    item["page"] = _pages(fields)
    item["issued"] = _date(fields)
    authors = _all(fields, "authors") or _all(fields, "first_authors")
    item["author"] = [_name(author) for author in authors]
    item["editor"] = [_name(editor) for editor in _all(fields, "secondary_authors")]
    item["translator"] = [_name(name) for name in _all(fields, "subsidiary_authors")]
    item["keyword"] = ", ".join(_all(fields, "keywords"))
    item["note"] = "; ".join(_all(fields, "notes"))
    item["URL"] = next((url for url in _urls(fields) if not ids.canonical_id(url)), "")
    return item


def _pages(fields: Mapping[str, Any]) -> str:
    start, end = _first(fields, "start_page"), _first(fields, "end_page")
    return f"{start}-{end}" if start and end and end != start else start


def _date(fields: Mapping[str, Any]) -> str:
    """Return the year, or the full date if it is of the same year."""
    year = _first(fields, "year") or _first(fields, "publication_year")
    date = _first(fields, "date")
    if not date[:4].isdecimal():
        return year
    return date if not year[:4] or date.startswith(year[:4]) else year


def _name(text: str) -> dict[str, str]:
    """Return the CSL name of "Family, Given, Suffix"; a final comma marks an institution."""
    family, comma, rest = (part.strip() for part in text.partition(","))
    given, _, suffix = (part.strip() for part in rest.partition(","))
    if family and rest:
        return {"family": family, "given": given, "suffix": suffix}
    return {"literal": family} if comma else csl.parse_name(text)


def _urls(fields: Mapping[str, Any]) -> list[str]:
    return _all(fields, "urls")


def _accession(fields: Mapping[str, Any]) -> list[str]:
    """Return the identifier in AN; for PubMed it is a bare number."""
    number = _first(fields, "accession_number")
    pubmed = "pubmed" in _first(fields, "name_of_database").lower()
    return [f"pmid:{number}" if pubmed and number.isdecimal() else number] if number else []


def _first(fields: Mapping[str, Any], name: str) -> str:
    return next(iter(_all(fields, name)), "")


def _all(fields: Mapping[str, Any], name: str) -> list[str]:
    value = fields.get(name)
    values = value if isinstance(value, list) else [value]
    texts = (_text(value).replace(_BREAK, " ").strip() for value in values)
    return [text for text in texts if text]


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
