"""Read BibTeX and BibLaTeX, split into entries by bibtexparser.

A file cannot open another file or run a command, and its @string definitions can make it at most
EXPANSION times as long.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scholar_indexes.decoding import decode, plain
from scholar_indexes.papers import clean, ids
from scholar_indexes.papers.entry import Entry, UnreadableEntry
from scholar_indexes.papers.formats import bibtex_inheritance as inheritance
from scholar_indexes.papers.formats import csl, csl_dates, csl_names
from scholar_indexes.papers.formats.bibtex_inheritance import Record
from scholar_indexes.sanitize import one_line

if TYPE_CHECKING:
    from bibtexparser.model import Block
    from bibtexparser.model import Entry as EntryBlock

EXPANSION = 4
_SPARE_CHARS = 1_000_000
_MAX_NAMES_CHARS = 500_000

TYPES = {
    "article": "article-journal",
    "inproceedings": "paper-conference",
    "conference": "paper-conference",
    "book": "book",
    "proceedings": "book",
    "incollection": "chapter",
    "inbook": "chapter",
    "phdthesis": "thesis",
    "mastersthesis": "thesis",
    "thesis": "thesis",
    "techreport": "report",
    "report": "report",
    "online": "webpage",
    "electronic": "webpage",
    "www": "webpage",
    "dataset": "dataset",
    "software": "software",
    "patent": "patent",
    "unpublished": "manuscript",
    "booklet": "pamphlet",
    "manual": "book",
    "newspaper": "article-newspaper",
    "newsarticle": "article-newspaper",
    "letter": "personal_communication",
    "suppperiodical": "article-journal",
    "inreference": "entry",
    "review": "review",
    "periodical": "periodical",
    "performance": "performance",
    "movie": "motion_picture",
    "video": "motion_picture",
    "music": "song",
    "audio": "song",
    "artwork": "graphic",
    "image": "graphic",
    "legislation": "legislation",
    "jurisdiction": "legal_case",
    "standard": "standard",
    "talk": "speech",
    "presentation": "speech",
    "preprint": "article",
    "bachelorthesis": "thesis",
    **dict.fromkeys(("collection", "mvbook", "mvcollection", "reference", "mvreference"), "book"),
    **dict.fromkeys(("mvproceedings", "bookinbook"), "book"),
    **dict.fromkeys(("suppbook", "suppcollection"), "chapter"),
}
"""The CSL type of each type of entry; other types are documents."""

FIELDS = {
    "title": ("title",),
    "title-short": ("shorttitle",),
    "container-title": ("journal", "journaltitle", "booktitle"),
    "container-title-short": ("shortjournal", "journal-iso", "abbrev_source_title"),
    "collection-title": ("series",),
    "chapter-number": ("chapter",),
    "event-title": ("eventtitle",),
    "event-place": ("venue",),
    "publisher": ("publisher", "school", "institution", "organization"),
    "publisher-place": ("address", "location"),
    "genre": ("type",),
    "volume": ("volume",),
    "issue": ("issue",),
    "number": ("eid", "article-number", "articleno", "art_number"),
    "number-of-pages": ("pagetotal", "numpages", "page_count"),
    "page": ("pages", "page"),
    "edition": ("edition",),
    "version": ("version",),
    "language": ("language", "langid"),
    "keyword": ("keywords", "keyword", "author_keywords", "keywords-plus"),
    "note": ("note", "annote", "annotation"),
    "status": ("pubstate",),
    "PMID": ("pmid",),
    "PMCID": ("pmcid",),
    "ISBN": ("isbn",),
    "ISSN": ("issn", "eissn"),
}
"""Each CSL variable and the fields it is read from."""

PERIODICALS = frozenset(["article-journal", "article-magazine", "article-newspaper"])
_WITH_ISSUES = PERIODICALS | {"paper-conference"}
"""Types whose field "number" is the number of an issue."""

NAME_FIELDS = ("author", "editor", "translator")
"""The fields of names, which have the same names in CSL."""

_FURTHER_NAMES = {"container-author": "bookauthor"}
_FURTHER_DATES = {"original-date": "origdate", "event-date": "eventdate"}
_SUBTITLES = {
    "title": "subtitle",
    "booktitle": "booksubtitle",
    "journaltitle": "journalsubtitle",
}
_COLLECTED = {"keyword": ", ", "note": "; "}
"""Variables that take the values of all their fields, with the text between these."""

_MARK = re.compile(r"\\.|[{}\"#]", re.DOTALL)
"""A mark that divides a value into parts, or an escaped character, which divides nothing."""
_CLOSING = {"{": "}", '"': '"'}
_NESTING = {"{": 1, "}": -1}
_BARE = re.compile(r"[^\s{}\"#,=]+")
_VERBATIM = re.compile(r"\\url\s*|\\([_%&#~^$])(?:\{\})?|[{}]")
_STRAY = re.compile(r"(?m)^[ \t]*@[ \t]*(?!comment|preamble|string)[A-Za-z]+")
_OPENING = re.compile(r"@\w*[ \t]*[{(]\s*([^\s,={}()\"]*)")
_NOT_CLOSED = re.compile(r"^Unexpected|found (?:a )?`?@")
"""bibtexparser's reasons for a block that runs up to the next one or to the end."""
_NEXT_FIELD = re.compile(r"[\s;]*([A-Za-z][\w-]*)\s*=")
"""A field that begins in the value of another, since there is no comma between them."""
_BARE_THEN_FIELD = re.compile(rf"[^\s=]+(?<!;)(?=[\s;]){_NEXT_FIELD.pattern}")
_ARXIV = re.compile(
    r"(?i)arxiv(?:\.org/(?:abs|pdf)/|\s*(?:preprint)?\s*[:,]?\s*(?:arxiv:)?\s*)"
    r"([a-z-]{2,20}(?:\.[a-z]{2})?/[0-9]{7}|[0-9]{4}\.[0-9]{4,5})"
)
_NUMERIC_YEAR = re.compile(r"-?[0-9]{1,4}")
_STATUS = re.compile(r"(?:in\s)?[^\W\d]{4,}(?:\s[^\W\d]+){0,3}")
"""A year that is none: "forthcoming", "in press"."""

_BRACED = re.compile(r"\{[^{}]*\}")
_NAMED_PART = re.compile(r'([a-z]+)\s*=\s*("[^"]*"|\{[^{}]*\}|[^,]*)\s*(?:,\s*|$)')
_MACRO_AFTER_AND = re.compile(r"(?i)(?<=\sand)(\s+)(?=\\)")
"""The space before a name such as "\\'Eluard", of which bibtexparser would drop the macro."""

_EXTENDED_NAME = re.compile(rf"(?>{_NAMED_PART.pattern})++")

_REPEATABLE = {
    "keywords": ", ",
    "author": " and ",
    "editor": " and ",
    **dict.fromkeys(("note", "annote", "annotation"), " "),
}
"""Fields that some programs write more than once, with the text between their values."""


class _TooLong(Exception):
    """The @string definitions of a file make it too long."""


def read(data: bytes, name: str) -> Iterator[Entry | UnreadableEntry]:
    """Yield the entries of a .bib file in order.

    An entry that cannot be read is an UnreadableEntry; reading continues at the next line that
    begins with @.
    """
    from bibtexparser.entrypoint import parse_string

    # it also logs every broken entry
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL + 1)
    text = plain(decode(data)[0])
    strings = _Strings(EXPANSION * len(text) + _SPARE_CHARS)
    records = [
        record
        for block in parse_string(text, parse_stack=[]).blocks
        for record in _block(block, strings)
    ]
    parents = inheritance.index_parents(records)
    for record in records:
        if isinstance(record, UnreadableEntry):
            yield record
        elif not inheritance.is_container(record):
            yield _inheriting_entry(record, parents, strings)


def _inheriting_entry(
    record: Record, parents: Mapping[str, Record], strings: _Strings
) -> Entry | UnreadableEntry:
    try:
        inherited = inheritance.inherit(record, parents)
        strings.spend(sum(len(value) for value in inherited.values()))
    except _TooLong:
        return UnreadableEntry(record.line, "its crossref and xdata make the file too long")
    return _entry(replace(record, fields={**record.fields, **inherited}))


def _block(block: Block, strings: _Strings) -> Iterator[Record | UnreadableEntry]:
    from bibtexparser import model

    line = (block.start_line or 0) + 1
    if isinstance(block, model.DuplicateBlockKeyBlock | model.DuplicateFieldKeyBlock):
        ignored = block.ignore_error_block
        if ignored is not None:
            block = ignored
    try:
        if isinstance(block, model.ParsingFailedBlock):
            yield UnreadableEntry(line, _reason(block))
        elif isinstance(block, model.String):
            strings.define(block.key, block.value)
        elif isinstance(block, model.Entry):
            yield _missing_comma(block, line) or Record(
                line, block.entry_type.lower(), block.key, _fields(block, strings)
            )
        elif isinstance(block, model.ImplicitComment) and (stray := _STRAY.search(block.comment)):
            line += block.comment.count("\n", 0, stray.end())
            yield UnreadableEntry(line, f"no brace follows {one_line(stray[0], 60)}")
    except _TooLong:
        yield UnreadableEntry(line, "the @string definitions make the file too long")


def _reason(block: Any) -> str:
    """Return the reason why a block cannot be read, with its key if it has one."""
    opening = _OPENING.match(block.raw)
    key = one_line(opening[1], 60) if opening else ""
    reason = getattr(block.error, "abort_reason", "") or str(block.error)
    if _NOT_CLOSED.search(reason):
        return f"{key or 'it'} is not closed: a brace or a quotation mark is missing"
    return one_line(f"{key or 'it'} is not BibTeX: {reason}", 200)


def _missing_comma(block: EntryBlock, line: int) -> UnreadableEntry | None:
    """Return the error of an entry of which a field is not followed by a comma, if there is one."""
    for field in block.fields:
        end = _find_missing_comma(field.value)
        if end is not None:
            at = (field.start_line or 0) + 1 + field.value.count("\n", 0, end)
            key, name = one_line(block.key, 60), one_line(field.key, 60)
            return UnreadableEntry(line, f"{key} has no comma after {name}; add one in line {at}")
    return None


def _find_missing_comma(value: str) -> int | None:
    """Return the position in a value after which a comma is missing: another field begins there."""
    position, start = 0, True
    for part, is_text in _split_value(value):
        begin = value.find(part, position)
        if not is_text:
            match = (_BARE_THEN_FIELD if start else _NEXT_FIELD).match(part)
            if match:
                return begin + len(part[: match.start(1)].rstrip(" \t\r\n;"))
        start, position = start and not part.strip(), begin + len(part)
    return None


def _fields(block: EntryBlock, strings: _Strings) -> dict[str, str]:
    """Return the fields of an entry by their names; keywords and notes may be repeated."""
    fields: dict[str, str] = {}
    for field in block.fields:
        name, value = field.key.lower(), strings.resolve(field.value)
        if name in _REPEATABLE and fields.get(name):
            fields[name] += f"{_REPEATABLE[name]}{value}"
        else:
            fields.setdefault(name, value)
    return fields


def _entry(record: Record) -> Entry | UnreadableEntry:
    key_id = ids.canonical_id(record.key) or ""
    own_doi = {"doi": record.key} if key_id.startswith("doi:") else {}  # as in JSTOR
    return csl.build_entry(
        to_csl(record.kind, own_doi | dict(record.fields)),
        record.fields.get("abstract"),
        key=clean.to_text(record.key[: ids.MAX_KEY_CHARS], tex=False),
        references=_references(record.fields),
        line=record.line,
        tex=True,
    )


def to_csl(kind: str, fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the raw CSL-JSON item of an entry's type and its fields (in lower case)."""
    item: dict[str, Any] = {"type": csl_type(kind, fields), **_texts(fields)}
    if fields.get("number"):
        item.setdefault("issue" if item["type"] in _WITH_ISSUES else "number", fields["number"])
    if "keyword" in item:  # a tag with a comma is in braces
        item["keyword"] = _BRACED.sub(lambda tag: tag[0].replace(",", " "), item["keyword"])
    roles = {role: role for role in NAME_FIELDS} | _FURTHER_NAMES
    item |= {role: _parse_names(fields[name]) for role, name in roles.items() if fields.get(name)}
    item |= {date: {"raw": fields.get(name, "")} for date, name in _FURTHER_DATES.items()}
    item["issued"] = _issued(fields)
    if _STATUS.fullmatch(fields.get("year", "")) and "status" not in item:
        item["status"] = fields["year"]
    item["DOI"] = _verbatim(fields.get("doi", ""))
    item["URL"] = _url(fields)
    return item


def _texts(fields: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of FIELDS that the fields have."""
    texts: dict[str, str] = {}
    for variable, names in FIELDS.items():
        values = dict.fromkeys(_with_subtitle(name, fields) for name in names if fields.get(name))
        if values:
            between = _COLLECTED.get(variable)
            texts[variable] = between.join(values) if between else next(iter(values))
    return texts


def _with_subtitle(name: str, fields: Mapping[str, str]) -> str:
    subtitle = fields.get(_SUBTITLES.get(name, ""), "")
    return f"{fields[name]}: {subtitle}" if subtitle else fields[name]


def _url(fields: Mapping[str, str]) -> str:
    """Return the URL of a work; "howpublished" may contain it in older styles."""
    url = _verbatim(fields.get("url", "") or fields.get("howpublished", ""))
    return url if url.startswith(("http:", "https:", "ftp:")) else ""


def csl_type(kind: str, fields: Mapping[str, str]) -> str:
    """Return the CSL type of an entry: its entrysubtype if that is one, else from its kind."""
    subtype = fields.get("entrysubtype", "").strip("{} ").lower()
    if subtype in csl.TYPES:
        return subtype
    kind = kind.lower()
    has_container = any(fields.get(name) for name in FIELDS["container-title"])
    if kind == "misc" or (kind == "article" and not has_container):
        return "article" if fields.get("eprint") else TYPES.get(kind, "document")
    return TYPES.get(kind, "document")


def _references(fields: Mapping[str, str]) -> list[str]:
    """Return the identifiers in fields that are not variables of CSL."""
    references = [
        f"{scheme}:{_verbatim(fields[name])}"
        for scheme, name in (("s2", "s2"), ("s2", "s2id"), ("openalex", "openalex"))
        if fields.get(name)
    ]
    if fields.get("corpusid"):
        references.append(f"CorpusID:{_verbatim(fields['corpusid'])}")
    eprint = _verbatim(fields.get("eprint", ""))
    archive = (fields.get("archiveprefix") or fields.get("eprinttype") or "arxiv").lower()
    if eprint and "arxiv" in archive:
        references += [eprint, f"arxiv:{eprint}"]
    volume = fields.get("volume", "")
    if volume.startswith("abs/"):  # as in DBLP
        references.append(f"arxiv:{volume[4:]}")
    for name in ("journal", "howpublished", "note"):  # as in Google Scholar
        if arxiv_id := _ARXIV.search(fields.get(name, "")[:1_000]):
            references.append(f"arxiv:{arxiv_id[1]}")
    return references


def _issued(fields: Mapping[str, str]) -> object:
    if fields.get("date"):
        return {"raw": fields["date"]}
    month = _month_number(fields.get("month", "").replace("~", " ").strip("{} ").lower())
    day = fields.get("day", "").strip("{} ")
    year = fields.get("year", "").strip("{} ")
    if (month and not month.isdecimal()) or not _NUMERIC_YEAR.fullmatch(year):
        return {"raw": clean.to_text(f"{month} {day} {year}", tex=True)}
    return {"date-parts": [[year, month, day]]}


def _month_number(name: str) -> str:
    """Return the number of a month; anything else, such as "mar-apr", is returned unchanged."""
    is_month = name.isalpha() and name[:3] in csl_dates.MONTHS
    return str(csl_dates.MONTHS.index(name[:3]) + 1) if is_month else name


def _parse_names(value: str) -> list[dict[str, str]]:
    """Return the CSL names of a field; a name in braces is an institution."""
    from bibtexparser.middlewares.names import (
        parse_single_name_into_parts,
        split_multiple_persons_names,
    )

    people: list[dict[str, str]] = []
    value = _MACRO_AFTER_AND.sub(r"\1{}", value[:_MAX_NAMES_CHARS])
    written = split_multiple_persons_names(value)
    names = [person for name in written for person in csl_names.divide(name)]
    for name in names[: csl_names.MAX_NAMES]:
        name = name[: csl_names.MAX_NAME_CHARS].strip()
        extended = name.strip("{}")
        if _EXTENDED_NAME.fullmatch(extended):
            people.append(_parse_extended_name(extended))
        elif _BRACED.fullmatch(name) or csl_names.is_institution(name):
            people.append({"literal": name})
        elif name.lower() == csl_names.OTHERS:
            people.append({"literal": csl_names.OTHERS})
        else:
            inverted = csl_names.with_comma(name)
            parts = parse_single_name_into_parts(inverted, strict=False)
            given, suffix = " ".join(parts.first), " ".join(parts.jr)
            if csl_names.SUFFIX.fullmatch(given):  # "King, Martin, Jr."
                given, suffix = suffix, given
            people.append(
                {
                    "family": " ".join(parts.last),
                    "given": given,
                    "non-dropping-particle": " ".join(parts.von),
                    "suffix": suffix,
                }
            )
    return people


def _parse_extended_name(name: str) -> dict[str, str]:
    """Return the CSL name of "family=Gogh, given=Vincent, prefix=van, useprefix=true", the
    form of BibLaTeX and Better BibTeX for names of more than two parts."""
    parts = {part: value.strip(' "{}') for part, value in _NAMED_PART.findall(name)}
    is_kept = parts.pop("useprefix", "") == "true"
    particle = "non-dropping-particle" if is_kept else "dropping-particle"
    person = {part: parts.get(part, "") for part in ("family", "given", "suffix")}
    return {**person, particle: parts.get("prefix", "")}


def _verbatim(value: str) -> str:
    """Return a DOI or URL without braces and TeX escapes."""
    return _VERBATIM.sub(lambda match: match[1] or "", value).strip()


class _Strings:
    """The @string definitions of a file so far, and the characters they may still expand to."""

    def __init__(self, budget: int) -> None:
        self._values = {month: month for month in csl_dates.MONTHS}
        self._budget = budget

    def define(self, key: str, value: str) -> None:
        self._values[key.lower()] = self.resolve(value)

    def resolve(self, value: str) -> str:
        """Return the text of a value: in braces, in quotation marks, a name, or parts joined by #.

        Raises _TooLong if the names expand to too much text.
        """
        parts = _split_value(value.strip())
        return "".join(part if is_text else self._expand(part) for part, is_text in parts)

    def _expand(self, name: str) -> str:
        """Return the string of a name; a number or an unknown name is returned unchanged."""
        word = _BARE.search(name)
        if not word:
            return ""
        value = self._values.get(word[0].lower(), name.strip())
        self.spend(len(value))
        return value

    def spend(self, chars: int) -> None:
        """Count characters that the file does not have. Raises _TooLong if they are too many."""
        if chars > self._budget:
            raise _TooLong
        self._budget -= chars


def _split_value(value: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a value, with True for text in braces or quotation marks and False for
    a possible name."""
    marks = (match for match in _MARK.finditer(value) if not match[0].startswith("\\"))
    start = 0
    for mark in marks:
        if mark[0] == "#":
            yield value[start : mark.start()], False
            start = mark.end()
        elif mark[0] in _CLOSING:
            if value[start : mark.start()].strip():
                yield value[start : mark.start()], False
            closing = _find_closing(mark[0], marks)
            end = closing.start() if closing else len(value)
            yield value[mark.end() : end], True
            start = end + 1
    yield value[start:], False


def _find_closing(opening: str, marks: Iterator[re.Match[str]]) -> re.Match[str] | None:
    """Return the mark that closes a brace or quotation mark, the first of `marks` where braces
    balance; None if the value ends before it."""
    depth = 1 if opening == "{" else 0
    for mark in marks:
        depth = max(0, depth + _NESTING.get(mark[0], 0))
        if depth == 0 and mark[0] == _CLOSING[opening]:
            return mark
    return None
