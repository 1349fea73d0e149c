"""Papers to the files of reference managers: BibTeX, RIS and CSL-JSON.

All take CSL-JSON items, with "abstract" where one is wanted, and what they write reads back
(scholar_indexes.papers.formats) as the same items, as far as the format can say it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scholar_indexes.papers import ids
from scholar_indexes.papers.formats import bibtex as bibtex_format
from scholar_indexes.papers.formats import csl as csl_format
from scholar_indexes.papers.formats import ris as ris_format

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
_RIS_TAGS = {
    "title": "TI",
    "title-short": "ST",
    "container-title": "T2",
    "container-title-short": "J2",
    "collection-title": "T3",
    "publisher": "PB",
    "publisher-place": "CY",
    "volume": "VL",
    "issue": "IS",
    "edition": "ET",
    "language": "LA",
    "ISSN": "SN",
    "DOI": "DO",
    "note": "N1",
    "genre": "M3",
}
_ADDRESSES = {
    "arxiv": "https://arxiv.org/abs/",
    "s2": "https://www.semanticscholar.org/paper/",
    "openalex": "https://openalex.org/",
    "pmid": "https://pubmed.ncbi.nlm.nih.gov/",
}
"""Where a paper is found by an identifier; RIS has no tags for these."""

_CORPUS_ADDRESS = "https://api.semanticscholar.org/"
_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}",
    "$": r"\$", "%": r"\%", "&": r"\&", "#": r"\#", "_": r"\_", "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}", "`": r"\textasciigrave{}",
}  # fmt: skip
_SIGN = re.compile(r"[\\{}$%&#_^~`]")
_LIGATURE = re.compile(r"-(?=-)|'(?=')")
_ADDRESS_SIGN = re.compile(r"[{}\\\s]")
_KEY_SIGN = re.compile(r"[^A-Za-z0-9_:./+-]+")
_FIRST_WORD = re.compile(r"[^\W\d_]{4,}")
_RANGE = re.compile(r"([^-]+)-([^-]+)")


def bibtex(items: Iterable[Mapping[str, Any]]) -> str:
    """Items as a .bib file in UTF-8, entries parted by blank lines.

    Each is found under its citation key: its "id" where that can be one, else one made of
    author, year and title; a second "smith2019" is "smith2019-2". What BibTeX has no type
    for says it in "entrysubtype".
    """
    used: set[str] = set()
    return "\n".join(_bibtex(item, used) for item in items)


def ris(items: Iterable[Mapping[str, Any]]) -> str:
    """Items as a RIS file, each from TY to ER."""
    return "\n".join("\n".join(_ris(item)) + "\n" for item in items)


def csl(items: Iterable[Mapping[str, Any]]) -> str:
    """Items as a CSL-JSON file: an array, in the normal form."""
    found = []
    for item in items:
        csl_item = csl_format.normal(item, tex=False)
        abstract = _abstract(item)
        found.append(csl_item | ({"abstract": abstract} if abstract else {}))
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


def _abstract(item: Mapping[str, Any]) -> str:
    abstract = item.get("abstract")
    return " ".join(abstract.split()) if isinstance(abstract, str) else ""


def _bibtex(raw: Mapping[str, Any], used: set[str]) -> str:
    item = csl_format.normal(raw, tex=False)
    kind = _BIBTEX_TYPES.get(item["type"], "misc")
    fields = dict(_bibtex_fields(item, _abstract(raw)))
    if bibtex_format.csl_type(kind, fields) != item["type"]:
        fields["entrysubtype"] = item["type"]
    lines = [f"  {field} = {{{value}}}," for field, value in fields.items()]
    return "\n".join([f"@{kind}{{{_key(item, used)},", *lines, "}"]) + "\n"


def _bibtex_fields(item: Mapping[str, Any], abstract: str) -> Iterator[tuple[str, str]]:
    periodical = item["type"] in bibtex_format.PERIODICALS
    numbered = "issue" if periodical else "number"  # what the field "number" says
    if item["type"] == "paper-conference":
        numbered = ""
    for variable, field in bibtex_format.NAMES.items():
        if item.get(variable):
            yield field, " and ".join(_bibtex_name(each) for each in item[variable])
    for variable, fields in bibtex_format.FIELDS.items():
        value = _escaped(item.get(variable, ""))
        if not value:
            continue
        field = fields[0]
        if variable == "title":
            value = f"{{{value}}}"  # keeps its capitals
        elif variable == "container-title" and not periodical:
            field = "booktitle"
        elif variable == "publisher":
            field = {"thesis": "school", "report": "institution"}.get(item["type"], field)
        elif variable == "page":
            page = _RANGE.fullmatch(value)
            value = f"{page[1]}--{page[2]}" if page else value
        elif variable == numbered:
            field = "number"
        yield field, value
    yield from zip(("year", "month", "day"), _date(item), strict=False)
    if "DOI" in item:
        yield "doi", item["DOI"]
    if item.get("archive") == "arXiv":
        yield "eprint", item["archive_location"]
        yield "archiveprefix", "arXiv"
    for scheme, value in item.get("custom", {}).items():
        yield scheme, value
    if "URL" in item:
        yield "url", _ADDRESS_SIGN.sub(lambda sign: f"%{ord(sign[0]):02X}", item["URL"])
    if abstract:
        yield "abstract", _escaped(abstract)


def _bibtex_name(person: Mapping[str, str]) -> str:
    """A name as "von Family, Suffix, Given"; what would be parted wrongly is in braces."""
    if "literal" in person:
        return f"{{{_escaped(person['literal'])}}}"
    family = _guarded(person["family"])
    particle = " ".join(
        person[part] for part in ("dropping-particle", "non-dropping-particle") if part in person
    )
    if particle:
        family = f"{_escaped(particle)} {family}"
    parts = [family, *(_guarded(person[part]) for part in ("suffix", "given") if part in person)]
    if "suffix" in person and "given" not in person:
        parts.append("{}")
    return ", ".join(parts)


def _guarded(part: str) -> str:
    """A part of a name that stays whole: no comma, "and" or lower-case word can part it."""
    words = part.split()
    safe = all(word[0].isupper() and word.lower() != "and" for word in words) and "," not in part
    return _escaped(part) if safe else f"{{{_escaped(part)}}}"


def _escaped(text: str) -> str:
    return _LIGATURE.sub(lambda sign: f"{sign[0]}{{}}",
                         _SIGN.sub(lambda sign: _ESCAPES[sign[0]], text))  # fmt: skip


def _date(item: Mapping[str, Any]) -> list[str]:
    """Year, month and day of an item, as many as it has."""
    issued = item.get("issued")
    return [str(part) for part in issued["date-parts"][0]] if issued else []


def _key(item: Mapping[str, Any], used: set[str]) -> str:
    """A citation key that no other entry has."""
    wanted = _KEY_SIGN.sub("-", item.get("id", "")).strip("-")[: ids.MAX_KEY_CHARS]
    if not wanted:
        author: Mapping[str, str] = next(iter(item.get("author", [])), {})
        name = author.get("family") or author.get("literal", "")
        word = _FIRST_WORD.search(item.get("title", ""))
        parts = (name, *_date(item)[:1], word[0] if word else "")
        wanted = "".join(ids.plain_letters(part) for part in parts)[:60] or "paper"
    key, number = wanted, 1
    while key in used:
        number += 1
        key = f"{wanted}-{number}"
    used.add(key)
    return key


def _ris(raw: Mapping[str, Any]) -> Iterator[str]:
    item = csl_format.normal(raw, tex=False)
    kind = _RIS_TYPES.get(item["type"])
    yield f"TY  - {kind or 'GEN'}"
    if kind is None and item["type"] != "document":
        item["genre"] = f"{ris_format.CSL_TYPE}{item['type']} {item.get('genre', '')}".strip()
    if "id" in item:
        yield f"ID  - {item['id']}"
    for variable, tag in (("author", "AU"), ("editor", "A2")):
        for person in item.get(variable, []):
            yield f"{tag}  - {_ris_name(person)}"
    for variable, tag in _RIS_TAGS.items():
        if variable in item:
            yield f"{tag}  - {item[variable]}"
    page = _RANGE.fullmatch(item.get("page", ""))
    if page:
        yield f"SP  - {page[1]}"
        yield f"EP  - {page[2]}"
    elif "page" in item:
        yield f"SP  - {item['page']}"
    date = _date(item)
    if date:
        yield f"PY  - {date[0]}"
    if len(date) > 1:
        yield f"DA  - {'/'.join(part.zfill(2) for part in date)}"
    if "keyword" in item:
        yield from (f"KW  - {each}" for each in item["keyword"].split(", "))
    if "URL" in item:
        yield f"UR  - {item['URL']}"
    for known in csl_format.item_ids(item):
        scheme, _, value = known.partition(":")
        if scheme in _ADDRESSES:
            corpus = value.startswith("CorpusID:")
            yield f"UR  - {_CORPUS_ADDRESS if corpus else _ADDRESSES[scheme]}{value}"
    if abstract := _abstract(raw):
        yield f"AB  - {abstract}"
    yield "ER  - "


def _ris_name(person: Mapping[str, str]) -> str:
    if "literal" in person:
        return f"{person['literal']},"  # so marked by EndNote
    particles = ("dropping-particle", "non-dropping-particle", "family")
    family = " ".join(person[part] for part in particles if part in person)
    parts = [family, person.get("given", "")]
    if "suffix" in person:
        parts.append(person["suffix"])
    return ", ".join(parts)
