"""Read tables of papers: JSON lines and CSV.

A JSON line is our own format {"paper_id", "title", "year", "abstract": text | [sentence] |
[{"facet", "text"}]} with any other known fields, or a CSL-JSON item. A CSV file has a line of
headings, named as in common exports (Zotero, Scopus, PubMed, Web of Science).
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scholar_indexes.decoding import decode
from scholar_indexes.guarded import parse_json
from scholar_indexes.papers import clean
from scholar_indexes.papers.entry import Entry, UnreadableEntry
from scholar_indexes.papers.formats import csl, csl_names
from scholar_indexes.sanitize import one_line

MAX_LINE_CHARS = 5_000_000
MAX_FIELD_CHARS = 1_000_000
MAX_COLUMNS = 1_000

_HEADINGS = {
    "title": "title articletitle documenttitle papertitle itemtitle ti",
    "title-short": "shorttitle",
    "abstract": "abstract abstractnote summary ab abstracttext",
    "author": (
        "authorfullnames bookauthorfullnames af bf authors author authornames au ba bookauthors "
        "creator creators authorshipsauthordisplayname"
    ),
    "group": "groupauthors ca bookgroupauthors gp",
    "editor": "editor editors bookeditors be",
    "translator": "translator translators",
    "issued": (
        "publicationdate datepublished pubdate pd date year publicationyear pubyear py "
        "dateissued published"
    ),
    "container-title": (
        "sourcetitle publicationtitle journal journaltitle fulljournalname venue containertitle "
        "booktitle pubtitle publication anthologytitle so source journalbook "
        "ispartof primarylocationsourcedisplayname hostvenuedisplayname"
    ),
    "container-title-short": (
        "abbreviatedsourcetitle journalabbreviation journalisoabbreviation ji j9"
    ),
    "collection-title": "bookseriestitle seriestitle series se",
    "event-title": "conferencename conferencetitle meetingname ct",
    "event-place": "conferencelocation cl",
    "DOI": "doi di articledoi itemdoi",
    "URL": "url link urls pdflink permalink plink documenturl",
    "volume": "volume journalvolume vl vol volumenumber bibliovolume",
    "issue": "issue issuenumber journalissue is biblioissue",
    "number": "artno articlenumber ar reportnumber",
    "page": "pages page pagination",
    "first-page": "pagestart startpage beginningpage bp firstpage bibliofirstpage",
    "last-page": "pageend endpage endingpage ep lastpage bibliolastpage",
    "number-of-pages": "numpages pagecount",
    "publisher": "publisher pu",
    "publisher-place": "place publishercity pi placeofpublication",
    "edition": "edition",
    "type": "itemtype documenttype dt publicationtype articletype doctype type contenttype",
    "language": "language languageoforiginaldocument la",
    "keyword": (
        "authorkeywords de keywords keyword manualtags tags subjects subjectterms indexkeywords "
        "keywordsplus automatictags meshterms keyphrase"
    ),
    "note": "notes note",
    "ISSN": "issn sn issns eissn ei printissn",
    "ISBN": "isbn bn isbns",
    "key": "paperid id key citationkey bibtexkey",
    "pmid": "pmid pubmedid pm",
    "arxiv": "arxiv arxivid eprint",
    "s2": "s2 s2id semanticscholarid corpusid",
    "openalex": "openalex openalexid",
    "PMCID": "pmcid",
    "citation": "citation",
}
COLUMNS = {variable: tuple(headings.split()) for variable, headings in _HEADINGS.items()}
"""The headings of each column without spaces and punctuation, the best first."""

_WOS_ONLY = {"id": "keywordsplus", "pt": "publicationform", "c1": "affiliation"}
"""Headings of Web of Science that mean something else in other tables."""

_CITATION = re.compile(
    r"[.;]\s*(?P<issued>[0-9]{4}[^;.]{0,20});(?P<volume>[^:;(.]{0,20})(?:\((?P<issue>[^()]{1,20})\))?"
    r":(?P<page>[\w-]{1,30})"
)
"""Date, volume, issue and pages in a citation of a PubMed table: "Trees. 2019 Jun;5(3):1-9."."""

_OF_PAPERS = frozenset(["abstract", "DOI", "ISSN", "pmid", "arxiv", "s2", "openalex"])
_OF_ARTICLES = frozenset(["author", "container-title", "issued"])
"""The columns by which a table of papers is recognized: one of the first, or all of the second."""

_COLLECTED = frozenset(["keyword", "note", "group"])
"""Variables that take the values of all their columns."""

_PEOPLE = ("author", "editor", "translator")

_TYPES = {
    "journalarticle": "article-journal",
    "article": "article-journal",
    "review": "article-journal",
    "conferencepaper": "paper-conference",
    "proceedingspaper": "paper-conference",
    "inproceedings": "paper-conference",
    "conference": "paper-conference",
    "conferenceproceedings": "paper-conference",
    "conferences": "paper-conference",
    "electronicarticle": "article-journal",
    "wholebook": "book",
    "webpage": "webpage",
    "articleproceedingspaper": "paper-conference",
    "articles": "article-journal",
    "earlyaccessarticle": "article-journal",
    "academicjournal": "article-journal",
    "journal": "article-journal",
    "editorialmaterial": "article-journal",
    "editorial": "article-journal",
    "letter": "article-journal",
    "note": "article-journal",
    "shortsurvey": "article-journal",
    "bookreview": "review-book",
    "magazinearticle": "article-magazine",
    "newspaperarticle": "article-newspaper",
    "dissertation": "thesis",
    "dissertationthesis": "thesis",
    "chapter": "chapter",
    "preprint": "article",
    "booksection": "chapter",
    "bookchapter": "chapter",
}
_NUMBERED = re.compile(r"\s*\([0-9]{1,15}\)")
"""A number after a name: Scopus identifies its authors by them."""

_MAX_ET_AL_CHARS = 30
_ET_AL = re.compile(r"(?i)[\s,;]+(?:et al\.?|and others|…|\.\.\.)\s*$")
_SCHEMES = ("pmid", "arxiv", "s2", "openalex")
_YEAR = re.compile(r"(?<![0-9])[0-9]{4}(?![0-9])|^[0-9]{8}$")
_LETTERS = re.compile(r"[^a-z0-9]+")
_DELIMITERS = (",", "\t", ";", "|")


def read(data: bytes, name: str) -> Iterator[Entry | UnreadableEntry]:
    """Yield the papers of a file of JSON lines, or else of CSV.

    A line that cannot be read is an UnreadableEntry, and the others are still read.
    """
    text = decode(data)[0]
    return read_json_lines(text) if text.lstrip()[:1] == "{" else read_csv(text)


def read_json_lines(text: str) -> Iterator[Entry | UnreadableEntry]:
    """Yield the papers of JSON lines, one object on each line that is not empty."""
    for number, line in _lines(text):
        if not line.strip():
            continue
        if len(line) > MAX_LINE_CHARS:
            yield UnreadableEntry(number, f"the line has more than {MAX_LINE_CHARS:,} characters")
            continue
        try:
            value = parse_json(line, lenient=True)
        except json.JSONDecodeError as error:
            yield UnreadableEntry(number, f"it is not JSON: {error.msg} at character {error.colno}")
        except ValueError as error:
            yield UnreadableEntry(number, str(error))
        else:
            if isinstance(value, dict):
                yield parse_record(value, number)
            else:
                yield UnreadableEntry(number, "it is a plain value, not a record")


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers, without building a list of them."""
    start, number = 0, 1
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield number, text[start:end]
        start, number = end + 1, number + 1


def parse_record(value: Mapping[str, Any], line: int = 0) -> Entry | UnreadableEntry:
    """Return the paper of a JSON object, in our own format or as a CSL-JSON item.

    A name that both formats have ("title", "DOI") means the same in both.
    """
    item = _fill_columns({name: field for name, field in value.items() if isinstance(name, str)})
    key = item.get("paper_id")
    if key is None and "id" not in item:
        item["id"] = item.get("key")
    listed = value.get("ids")
    listed = listed if isinstance(listed, list) else []
    references = [reference for reference in listed if isinstance(reference, str)]
    references += [f"{scheme}:{_scalar(item.get(scheme))}" for scheme in _SCHEMES]
    if isinstance(item.get("type"), str):
        item["type"] = _kind(item["type"])
    return csl.build_entry(
        item, item.get("abstract"), key=_scalar(key), references=references, line=line
    )


def _fill_columns(item: Mapping[str, Any]) -> dict[str, Any]:
    """Return an item with the variables of COLUMNS that it has under other headings."""
    by_heading = {_LETTERS.sub("", name.lower()): field for name, field in item.items()}
    filled = dict(item)
    for variable, headings in COLUMNS.items():
        if variable not in filled:
            heading = next((name for name in headings if by_heading.get(name)), None)
            if heading is not None:
                filled[variable] = by_heading[heading]
    return filled


def read_csv(text: str) -> Iterator[Entry | UnreadableEntry]:
    """Yield the papers of a CSV file with a line of headings."""
    headings: dict[str, list[int]] | None = None
    width, has_preamble = 0, False
    for line, row in _records(text):
        if isinstance(row, str):
            yield UnreadableEntry(line, row)
        elif not any(cell.strip() for cell in row):
            continue
        elif headings is not None:
            yield _row(row, headings, width, line)
        elif has_preamble or _are_headings(row):
            headings, width = map_columns(row), len(row)
        else:
            has_preamble = True


def map_columns(headings: Sequence[str]) -> dict[str, list[int]]:
    """Return the columns that may contain each variable, the best first."""
    names = [_LETTERS.sub("", heading.lower()) for heading in headings[:MAX_COLUMNS]]
    if {"pt", "ut"} <= set(names):
        names = [_WOS_ONLY.get(name, name) for name in names]
    columns = {
        variable: [names.index(name) for name in known if name in names]
        for variable, known in COLUMNS.items()
        if any(name in names for name in known)
    }
    if "number" in names:  # as in Google Scholar; in JSON it may be the number of a report
        columns.setdefault("issue", [names.index("number")])
    return columns


def looks_like_csv(head: str) -> bool:
    """Return True if a text begins with headings that include a title."""
    return any(map(_are_headings, _first_rows(head)))


def looks_like_papers(head: str) -> bool:
    """Return True if a text has the headings of a bibliography: a table of other things
    may have titles and authors too."""
    return any(
        "title" in columns
        and (not _OF_PAPERS.isdisjoint(columns) or columns.keys() >= _OF_ARTICLES)
        for columns in map(map_columns, _first_rows(head))
    )


def _first_rows(head: str) -> Iterator[list[str]]:
    """Yield the first two rows of a text; Dimensions has a line about the export before the
    headings."""
    for line in re.split(r"[\r\n]+", head.lstrip("\ufeff \r\n"), maxsplit=2)[:2]:
        yield _cells(line[:10_000])


def _are_headings(cells: Sequence[str]) -> bool:
    return len(cells) > 1 and "title" in map_columns(cells)


def _cells(line: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=_delimiter(line)), [])
    except csv.Error:
        return []


def _delimiter(first: str) -> str:
    return max(_DELIMITERS, key=first.count)


def _records(text: str) -> Iterator[tuple[int, list[str] | str]]:
    """Yield the records of a CSV file with the line where each begins; a string is an error.

    After a quotation mark that is never closed, reading continues on the next line.
    """
    csv.field_size_limit(max(csv.field_size_limit(), MAX_FIELD_CHARS))
    text = text.removeprefix("\ufeff")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    delimiter = _delimiter(next((line for line in lines if line.strip()), ""))
    position = 0
    while position < len(lines):
        first = position
        reader = csv.reader(
            (f"{line}\n" for line in lines[first : first + 1]), delimiter=delimiter, strict=True
        )
        taken, row, problem = 1, None, ""
        try:
            row = next(reader, None)
        except csv.Error as error:
            problem = str(error)
            if lines[first].count('"') % 2:  # a value of several lines
                taken, row, problem = _read_lines(lines, first, delimiter)
        if row is None and problem:
            yield first + 1, one_line(f"it is not CSV: {problem}", 200)
            taken = 1
        elif row is not None:
            yield first + 1, row
        position = first + taken


def _read_lines(
    lines: Sequence[str], first: int, delimiter: str
) -> tuple[int, list[str] | None, str]:
    """Return the number of lines of a record, the record or None, and its error."""
    size, inside = 0, False
    for taken in range(1, len(lines) - first + 1):
        line = lines[first + taken - 1]
        size += len(line)
        if size > MAX_FIELD_CHARS:
            break
        inside ^= line.count('"') % 2 == 1
        if not inside:
            record = (f"{line}\n" for line in lines[first : first + taken])
            try:
                return taken, next(csv.reader(record, delimiter=delimiter, strict=True)), ""
            except csv.Error as error:
                return taken, None, str(error)
    return 1, None, "a quotation mark is not closed"


def _row(
    row: Sequence[str], headings: Mapping[str, Sequence[int]], width: int, line: int
) -> Entry | UnreadableEntry:
    if len(row) > width:
        return UnreadableEntry(line, f"it has {len(row)} columns, but there are {width} headings")
    cells = {
        variable: [row[column] for column in columns if column < len(row)]
        for variable, columns in headings.items()
    }
    return build_row(cells, line)


def build_row(cells: Mapping[str, Sequence[str]], line: int) -> Entry | UnreadableEntry:
    """Return the paper of a row: the values of each variable of COLUMNS, the best first."""
    texts = _join_values(cells)
    texts = _parse_citation(texts.get("citation", "")) | texts
    dates = [*cells.get("issued", ()), texts.get("issued", "")]
    pages = _range(texts.get("first-page", ""), texts.get("last-page", ""))
    item = {
        **texts,
        **_people(texts),
        "issued": {"raw": _best_date(dates)},
        "keyword": _join_tags(texts.get("keyword", "")),
        "page": texts.get("page", pages),
        "type": _csl_type(cells.get("type", ()), texts),
    }
    return csl.build_entry(
        item,
        texts.get("abstract"),
        key=clean.to_text(texts.get("key", "")),
        references=[f"{scheme}:{texts[scheme]}" for scheme in _SCHEMES if scheme in texts],
        line=line,
    )


def _join_values(cells: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the text of each variable that has one: its best value, or all if _COLLECTED."""
    texts: dict[str, str] = {}
    for variable, values in cells.items():
        stripped = list(dict.fromkeys(filter(None, (value.strip() for value in values))))
        if stripped:
            texts[variable] = "; ".join(stripped) if variable in _COLLECTED else stripped[0]
    return texts


def _parse_citation(text: str) -> dict[str, str]:
    match = _CITATION.search(text[:2_000])
    parts = match.groupdict() if match else {}
    return {variable: value.strip() for variable, value in parts.items() if value}


def _people(texts: Mapping[str, str]) -> dict[str, list[dict[str, str]]]:
    """Return the CSL names of each role; groups come after the authors."""
    people = {
        role: [csl_names.parse_name(name) for name in split_authors(texts.get(role, ""))]
        for role in _PEOPLE
    }
    people["author"] += [{"literal": group} for group in split_authors(texts.get("group", ""))]
    return people


def _csl_type(values: Sequence[str], texts: Mapping[str, str]) -> str:
    """Return the first value that is a CSL type; without values, what the volume suggests."""
    is_in_volume = "container-title" in texts and ("volume" in texts or "issue" in texts)
    likely = texts.get("type", "article-journal" if is_in_volume else "")
    return next((kind for kind in map(_kind, values) if kind in csl.TYPES), likely)


def _join_tags(text: str) -> str:
    """Return keywords separated by commas; in a list with semicolons, a comma is part of one."""
    tags = re.split(r"[;|\n]", text)
    tags = [tag.replace(",", " ") for tag in tags] if len(tags) > 1 else tags
    return ", ".join(tag for tag in (" ".join(tag.split()).strip("* ") for tag in tags) if tag)


def _range(first: str, last: str) -> str:
    return f"{first}-{last}" if first and last and first != last else first


def _best_date(values: Sequence[str]) -> str:
    """Return the first value with a year, before it one without: "JUN 2" and "2019"."""
    partial = ""
    for value in values:
        if _YEAR.search(value):
            return f"{partial} {value}".strip()
        partial = partial or value.strip()
    return partial


def split_authors(text: str) -> list[str]:
    """Return the names in a cell, separated by semicolons, by "and", or by commas.

    >>> split_authors("Lovelace, Ada; Babbage, Charles")
    ['Lovelace, Ada', 'Babbage, Charles']
    >>> split_authors("Lovelace A, Babbage C, Menabrea L")
    ['Lovelace A', 'Babbage C', 'Menabrea L']
    """
    text = _NUMBERED.sub("", " ".join(text[:MAX_FIELD_CHARS].split()))
    text = csl_names.without_dates(text)
    others = _ET_AL.search(text, max(0, len(text) - _MAX_ET_AL_CHARS))
    if others and others.start():
        return [*_split_names(text[: others.start()]), csl_names.OTHERS]
    return _split_names(text)


def _split_names(text: str) -> list[str]:
    for mark in (";", "|", " and "):
        if mark in text:
            names = text.split(mark)
            break
    else:
        parts = text.split(",")
        single = len(parts) == 2 and " " not in parts[0].strip()  # "Lovelace, Ada"
        names = [text] if single else parts
    return [
        name.strip(" ,.") + ("." if name.rstrip().endswith(".") else "")
        for name in names
        if name.strip(" ,.")
    ]


def _kind(text: str) -> str:
    return _TYPES.get(_LETTERS.sub("", text.lower()), text.strip().lower())


def _scalar(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    if isinstance(value, int) and abs(value) > 10**18:
        return ""
    return clean.to_text(str(value), tex=False)
