"""Papers as files for reference managers: BibTeX, RIS and CSL-JSON.

The functions take CSL-JSON items, with "abstract" if it is to be written. Files are read back
(scholar_indexes.papers.formats) as the same items, as far as the format can express them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from scholar_indexes.papers import ids
from scholar_indexes.papers.formats import bibtex as bibtex_format
from scholar_indexes.papers.formats import csl as csl_format
from scholar_indexes.papers.formats import csl_dates, csl_names
from scholar_indexes.papers.formats import ris as ris_format

Item = Mapping[str, Any]
Fields = Iterator[tuple[str, str]]

_BIBTEX_TYPES = {
    "article-journal": "article",
    "article-magazine": "article",
    "article-newspaper": "article",
    "paper-conference": "inproceedings",
    "book": "book",
    "chapter": "incollection",
    "thesis": "phdthesis",
    "report": "techreport",
    "webpage": "online",
    "dataset": "dataset",
    "software": "software",
    "patent": "patent",
    "manuscript": "unpublished",
    "pamphlet": "booklet",
}
_RIS_TYPES = {kind: tag for tag, kind in reversed(ris_format.TYPES.items()) if tag != "PREPRINT"}
_ADDRESSES = {
    "arxiv": "https://arxiv.org/abs/",
    "s2": "https://www.semanticscholar.org/paper/",
    "openalex": "https://openalex.org/",
    "pmid": "https://pubmed.ncbi.nlm.nih.gov/",
}
"""Web addresses of papers by their identifiers, for which RIS has no tags."""

_CORPUS_ADDRESS = "https://api.semanticscholar.org/"
_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "$": r"\$",
    "%": r"\%",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "`": r"\textasciigrave{}",
}
_SIGN = re.compile(r"[\\{}$%&#_^~`]")
_LIGATURE = re.compile(r"-(?=-)|'(?=')")
_ADDRESS_SIGN = re.compile(r"[{}\\\s]")
_KEY_SIGN = re.compile(r"[^A-Za-z0-9_:./+-]+")
_FIRST_WORD = re.compile(r"[^\W\d_]{4,}")
_RANGE = re.compile(r"([^-]+)-([^-]+)")


def format_bibtex(items: Iterable[Item]) -> str:
    """Return items as a .bib file in UTF-8, with an empty line between entries.

    An entry's citation key is the item's "id" if that is a valid key, otherwise author, year and
    first long word of the title; a second "smith2019" is "smith2019-2". Types that BibTeX lacks
    are written as "entrysubtype".
    """
    used_keys: set[str] = set()
    return "\n".join(_bibtex_entry(item, used_keys) for item in items)


def format_ris(items: Iterable[Item]) -> str:
    """Return items as a RIS file, each from TY to ER."""
    return "\n".join("\n".join(_ris_lines(item)) + "\n" for item in items)


def format_csl(items: Iterable[Item]) -> str:
    """Return items as a CSL-JSON file: an array of items in normal form."""
    csl_items = []
    for item in items:
        abstract = _abstract(item)
        normalized = csl_format.normalize(item, tex=False)
        csl_items.append(normalized | ({"abstract": abstract} if abstract else {}))
    return json.dumps(csl_items, ensure_ascii=False, indent=1) + "\n"


def _abstract(item: Item) -> str:
    abstract = item.get("abstract")
    return " ".join(abstract.split()) if isinstance(abstract, str) else ""


def _bibtex_entry(raw: Item, used_keys: set[str]) -> str:
    item = csl_format.normalize(raw, tex=False)
    kind = _BIBTEX_TYPES.get(item["type"], "misc")
    fields = dict(field for write in _BIBTEX_WRITERS for field in write(item))
    if abstract := _abstract(raw):
        fields["abstract"] = _escape(abstract)
    if bibtex_format.csl_type(kind, fields) != item["type"]:
        fields["entrysubtype"] = item["type"]
    lines = [f"  {field} = {{{value}}}," for field, value in fields.items()]
    return "\n".join([f"@{kind}{{{_citation_key(item, used_keys)},", *lines, "}"]) + "\n"


def _bibtex_people(item: Item) -> Fields:
    for role in bibtex_format.NAME_FIELDS:
        if item.get(role):
            yield role, " and ".join(map(_bibtex_name, item[role]))


def _bibtex_texts(item: Item) -> Fields:
    for variable in bibtex_format.FIELDS:
        if value := _escape(item.get(variable, "")):
            format_value = _BIBTEX_VALUES.get(variable, str)
            yield _bibtex_field(variable, item["type"]), format_value(value)


def _bibtex_field(variable: str, item_type: str) -> str:
    """Return the field of a CSL variable in an entry of a type."""
    is_periodical = item_type in bibtex_format.PERIODICALS
    if variable == "container-title" and not is_periodical:
        return "booktitle"
    if variable == "publisher" and item_type in _BIBTEX_PUBLISHERS:
        return _BIBTEX_PUBLISHERS[item_type]
    if variable == ("issue" if is_periodical else "number") and item_type != "paper-conference":
        return "number"
    return bibtex_format.FIELDS[variable][0]


def _bibtex_pages(pages: str) -> str:
    page_range = _RANGE.fullmatch(pages)
    return f"{page_range[1]}--{page_range[2]}" if page_range else pages


def _bibtex_date(item: Item) -> Fields:
    yield from zip(("year", "month", "day"), _date_parts(item), strict=False)
    if _has_more(item):
        yield "date", _edtf(item)


def _bibtex_ids(item: Item) -> Fields:
    if "DOI" in item:
        yield "doi", item["DOI"]
    if item.get("archive") == "arXiv":
        yield "eprint", item["archive_location"]
        yield "archiveprefix", "arXiv"
    yield from item.get("custom", {}).items()


def _bibtex_url(item: Item) -> Fields:
    if "URL" in item:
        yield "url", _ADDRESS_SIGN.sub(lambda sign: f"%{ord(sign[0]):02X}", item["URL"])


_BIBTEX_WRITERS = (_bibtex_people, _bibtex_texts, _bibtex_date, _bibtex_ids, _bibtex_url)
"""The writers of an entry's fields, in the order of the fields."""

_BIBTEX_PUBLISHERS = {"thesis": "school", "report": "institution"}
_BIBTEX_VALUES: dict[str, Callable[[str], str]] = {
    "title": "{{{}}}".format,  # braces keep the capitals
    "page": _bibtex_pages,
}


def _bibtex_name(person: Mapping[str, str]) -> str:
    """Return a name as "von Family, Suffix, Given", with parts in braces that could be split."""
    if csl_names.is_others(person):
        return csl_names.OTHERS
    if "literal" in person:
        return f"{{{_escape(person['literal'])}}}"
    family = _protect(person["family"])
    particle = " ".join(
        person[part] for part in ("dropping-particle", "non-dropping-particle") if part in person
    )
    if particle:
        family = f"{_escape(particle)} {family}"
    parts = [family, *(_protect(person[part]) for part in ("suffix", "given") if part in person)]
    if "suffix" in person and "given" not in person:
        parts.append("{}")
    return ", ".join(parts)


def _protect(part: str) -> str:
    """Return a part of a name, in braces if a comma, "and" or lower-case word would split it."""
    words = part.split()
    is_safe = all(word[0].isupper() and word.lower() != "and" for word in words)
    return _escape(part) if is_safe and "," not in part else f"{{{_escape(part)}}}"


def _escape(text: str) -> str:
    return _LIGATURE.sub(
        lambda sign: f"{sign[0]}{{}}", _SIGN.sub(lambda sign: _ESCAPES[sign[0]], text)
    )


def _date_parts(item: Item) -> list[str]:
    """Return year, month and day of an item, as many as it has."""
    issued = item.get("issued")
    return [str(part) for part in issued["date-parts"][0]] if issued else []


def _has_more(item: Item) -> bool:
    """Return True if an item was issued in a season, or from one date to another."""
    issued = item.get("issued", {})
    return "season" in issued or len(issued.get("date-parts", ())) > 1


def _edtf(item: Item) -> str:
    """Return the date of an item as in BibLaTeX: "2001/2003", "2001-06/2001-08", "1999-21"."""
    dates = item["issued"]["date-parts"]
    ends = ["-".join([f"{date[0]:04}", *(f"{part:02}" for part in date[1:])]) for date in dates]
    season = item["issued"].get("season")
    return f"{ends[0]}-2{season}" if season else "/".join(ends)


def _citation_key(item: Item, used_keys: set[str]) -> str:
    """Return a citation key that no other entry has, and add it to the used ones."""
    base = _KEY_SIGN.sub("-", item.get("id", "")).strip("-")[: ids.MAX_KEY_CHARS]
    if not base:
        author: Mapping[str, str] = next(iter(item.get("author", [])), {})
        name = author.get("family") or author.get("literal", "")
        word = _FIRST_WORD.search(item.get("title", ""))
        parts = (name, *_date_parts(item)[:1], word[0] if word else "")
        base = "".join(ids.plain_letters(part) for part in parts)[:60] or "paper"
    key, number = base, 1
    while key in used_keys:
        number += 1
        key = f"{base}-{number}"
    used_keys.add(key)
    return key


def _ris_lines(raw: Item) -> Iterator[str]:
    item = csl_format.normalize(raw, tex=False)
    kind = _RIS_TYPES.get(item["type"])
    if kind is None and item["type"] != "document":
        item["genre"] = f"{ris_format.CSL_TYPE}{item['type']} {item.get('genre', '')}".strip()
    yield f"TY  - {kind or 'GEN'}"
    for tag, values in _RIS_ROWS:
        for value in values(item):
            yield f"{tag}  - {value}"
    if abstract := _abstract(raw):
        yield f"AB  - {abstract}"
    yield "ER  - "


def _text_of(variable: str) -> Callable[[Item], Iterable[str]]:
    return lambda item: [item[variable]] if variable in item else []


def _people_of(variable: str) -> Callable[[Item], Iterable[str]]:
    return lambda item: map(_ris_name, item.get(variable, []))


def _page_of(index: int) -> Callable[[Item], Iterable[str]]:
    return lambda item: _split_pages(item)[index : index + 1]


def _split_pages(item: Item) -> list[str]:
    """Return the first and the last page; one item for pages that are not a range, or none."""
    page_range = _RANGE.fullmatch(item.get("page", ""))
    if page_range:
        return list(page_range.groups())
    return [item["page"]] if "page" in item else []


def _ris_date(item: Item) -> Iterable[str]:
    """Return year, month and day, and behind them the season or both ends."""
    date = _date_parts(item)
    if _has_more(item):
        season = item["issued"].get("season")
        remark = csl_dates.SEASONS[season - 1].title() if season else _edtf(item)
        return ["/".join([*(part.zfill(2) for part in date), *[""] * (3 - len(date)), remark])]
    return ["/".join(part.zfill(2) for part in date)] if len(date) > 1 else []


def _ris_keywords(item: Item) -> Iterable[str]:
    return item["keyword"].split(", ") if "keyword" in item else []


def _id_addresses(item: Item) -> Iterable[str]:
    for identifier in csl_format.item_ids(item):
        scheme, _, value = identifier.partition(":")
        if scheme in _ADDRESSES:
            is_corpus_id = value.startswith("CorpusID:")
            yield f"{_CORPUS_ADDRESS if is_corpus_id else _ADDRESSES[scheme]}{value}"


def _ris_name(person: Mapping[str, str]) -> str:
    if csl_names.is_others(person):
        return "et al."
    if "literal" in person:
        return f"{person['literal']},"  # EndNote marks an organisation by the comma
    particles = ("dropping-particle", "non-dropping-particle", "family")
    family = " ".join(person[part] for part in particles if part in person)
    parts = [family, person.get("given", "")]
    if "suffix" in person:
        parts.append(person["suffix"])
    return ", ".join(parts)


_RIS_ROWS: tuple[tuple[str, Callable[[Item], Iterable[str]]], ...] = (
    ("ID", _text_of("id")),
    ("AU", _people_of("author")),
    ("A2", _people_of("editor")),
    ("A4", _people_of("translator")),
    ("TI", _text_of("title")),
    ("ST", _text_of("title-short")),
    ("T2", _text_of("container-title")),
    ("J2", _text_of("container-title-short")),
    ("T3", _text_of("collection-title")),
    ("PB", _text_of("publisher")),
    ("CY", _text_of("publisher-place")),
    ("VL", _text_of("volume")),
    ("SE", _text_of("chapter-number")),
    ("IS", _text_of("issue")),
    ("ET", _text_of("edition")),
    ("LA", _text_of("language")),
    ("SN", _text_of("ISSN")),
    ("DO", _text_of("DOI")),
    ("N1", _text_of("note")),
    ("M3", _text_of("genre")),
    ("SP", _page_of(0)),
    ("EP", _page_of(1)),
    ("PY", lambda item: _date_parts(item)[:1]),
    ("DA", _ris_date),
    ("KW", _ris_keywords),
    ("UR", _text_of("URL")),
    ("UR", _id_addresses),
)
"""The tags of a RIS record in order, each with a function for its values in an item."""
