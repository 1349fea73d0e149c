"""BibTeX and BibLaTeX, split by bibtexparser.

Only what a file says is taken: nothing in it names a file to open or a command to run. Its
@string definitions may make it longer, but by no more than EXPANSION times.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from scholar_indexes.books.decoding import decode, plain
from scholar_indexes.papers import clean, ids
from scholar_indexes.papers.entry import Broken, Entry
from scholar_indexes.papers.formats import csl
from scholar_indexes.untrusted import one_line

if TYPE_CHECKING:
    from bibtexparser.model import Block
    from bibtexparser.model import Entry as Record

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
}
"""The CSL type of each type of entry; the others are documents."""

FIELDS = {
    "title": ("title",),
    "title-short": ("shorttitle",),
    "container-title": ("journal", "journaltitle", "booktitle"),
    "container-title-short": ("shortjournal",),
    "collection-title": ("series",),
    "event-title": ("eventtitle",),
    "event-place": ("venue",),
    "publisher": ("publisher", "school", "institution", "organization"),
    "publisher-place": ("address", "location"),
    "genre": ("type",),
    "volume": ("volume",),
    "issue": ("issue",),
    "number": ("eid",),
    "number-of-pages": ("pagetotal",),
    "page": ("pages", "page"),
    "edition": ("edition",),
    "version": ("version",),
    "language": ("language", "langid"),
    "keyword": ("keywords",),
    "note": ("note", "annote"),
    "status": ("pubstate",),
    "PMID": ("pmid",),
    "PMCID": ("pmcid",),
    "ISBN": ("isbn",),
    "ISSN": ("issn",),
}
"""Each CSL variable and the fields that say it; "number" is an issue in periodicals."""

PERIODICALS = frozenset(["article-journal", "article-magazine", "article-newspaper"])
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
NAMES = {"author": "author", "editor": "editor", "translator": "translator"}

_PART = re.compile(r"\\.|[{}\"#]", re.DOTALL)
_BARE = re.compile(r"[^\s{}\"#,=]+")
_VERBATIM = re.compile(r"\\url\s*|\\([_%&#~^$])(?:\{\})?|[{}]")
_STRAY = re.compile(r"(?m)^[ \t]*@[ \t]*(?!comment|preamble|string)[A-Za-z]+")
_ARXIV = re.compile(
    r"(?i)arxiv(?:\.org/(?:abs|pdf)/|\s*(?:preprint)?\s*[:,]?\s*(?:arxiv:)?\s*)"
    r"([a-z-]{2,20}(?:\.[a-z]{2})?/[0-9]{7}|[0-9]{4}\.[0-9]{4,5})"
)
_BRACED_NAME = re.compile(r"\{[^{}]*\}")


class _TooLong(Exception):
    """The strings of a file have made it longer than they may."""


def read(data: bytes, name: str) -> Iterator[Entry | Broken]:
    """The entries of a .bib file in order.

    One that cannot be read is Broken; what follows it is found again at the next line
    that begins with @.
    """
    from bibtexparser.entrypoint import parse_string

    # it reports every broken entry to the log as well
    logging.getLogger("bibtexparser").setLevel(logging.CRITICAL + 1)
    text = plain(decode(data)[0])
    strings = _Strings(EXPANSION * len(text) + _SPARE_CHARS)
    for block in parse_string(text, parse_stack=[]).blocks:
        yield from _block(block, strings)


def _block(block: Block, strings: _Strings) -> Iterator[Entry | Broken]:
    from bibtexparser import model

    line = (block.start_line or 0) + 1
    if isinstance(block, model.DuplicateBlockKeyBlock | model.DuplicateFieldKeyBlock):
        ignored = block.ignore_error_block
        if ignored is not None:
            block = ignored
    try:
        if isinstance(block, model.ParsingFailedBlock):
            yield Broken(line, _reason(block))
        elif isinstance(block, model.String):
            strings.define(block.key, block.value)
        elif isinstance(block, model.Entry):
            yield _entry(block, strings, line)
        elif isinstance(block, model.ImplicitComment) and (stray := _STRAY.search(block.comment)):
            line += block.comment.count("\n", 0, stray.end())
            yield Broken(line, f"no brace follows {one_line(stray[0], 60)}")
    except _TooLong:
        yield Broken(line, "the @string definitions make the file too long")


def _reason(block: Any) -> str:
    reason = getattr(block.error, "abort_reason", "") or str(block.error)
    return one_line(f"it is not BibTeX: {reason}", 200)


def _entry(record: Record, strings: _Strings, line: int) -> Entry | Broken:
    fields: dict[str, str] = {}
    for each in record.fields:
        fields.setdefault(each.key.lower(), strings.resolve(each.value))
    item = to_csl(record.entry_type, fields)
    key = clean.text(record.key[: ids.MAX_KEY_CHARS], tex=False)
    return csl.entry(
        item,
        fields.get("abstract"),
        key=key,
        references=_references(fields),
        line=line,
        tex=True,
    )


def to_csl(kind: str, fields: Mapping[str, str]) -> dict[str, Any]:
    """The raw CSL-JSON item of an entry's type and its fields (in lower case)."""
    item: dict[str, Any] = {"type": csl_type(kind, fields)}
    for variable, names in FIELDS.items():
        value = next((fields[each] for each in names if fields.get(each)), "")
        if value:
            item[variable] = value
    if fields.get("subtitle") and "title" in item:
        item["title"] += f": {fields['subtitle']}"
    if fields.get("number"):
        periodical = item["type"] in PERIODICALS or item["type"] == "paper-conference"
        item.setdefault("issue" if periodical else "number", fields["number"])
    for variable, each in NAMES.items():
        if fields.get(each):
            item[variable] = _people(fields[each])
    item["issued"] = _issued(fields)
    item["DOI"] = _verbatim(fields.get("doi", ""))
    url = _verbatim(fields.get("url", "") or fields.get("howpublished", ""))
    item["URL"] = url if url.startswith(("http:", "https:", "ftp:")) else ""
    return item


def csl_type(kind: str, fields: Mapping[str, str]) -> str:
    """The CSL type of an entry; entrysubtype has the last word where it is one."""
    subtype = fields.get("entrysubtype", "").strip("{} ").lower()
    if subtype in csl.TYPES:
        return subtype
    kind = kind.lower()
    placed = any(fields.get(each) for each in FIELDS["container-title"])
    if kind == "misc" or (kind == "article" and not placed):
        return "article" if fields.get("eprint") else TYPES.get(kind, "document")
    return TYPES.get(kind, "document")


def _references(fields: Mapping[str, str]) -> list[str]:
    """What identifiers an entry has in fields that are no variable of CSL."""
    found = [
        f"{scheme}:{_verbatim(fields[each])}"
        for scheme, each in (("s2", "s2"), ("s2", "s2id"), ("openalex", "openalex"))
        if fields.get(each)
    ]
    if fields.get("corpusid"):
        found.append(f"CorpusID:{_verbatim(fields['corpusid'])}")
    eprint = _verbatim(fields.get("eprint", ""))
    archive = (fields.get("archiveprefix") or fields.get("eprinttype") or "arxiv").lower()
    if eprint and "arxiv" in archive:
        found += [eprint, f"arxiv:{eprint}"]
    volume = fields.get("volume", "")
    if volume.startswith("abs/"):  # the way of DBLP
        found.append(f"arxiv:{volume[4:]}")
    for each in ("journal", "howpublished", "note"):  # the way of Google Scholar
        named = _ARXIV.search(fields.get(each, "")[:1_000])
        if named:
            found.append(f"arxiv:{named[1]}")
    return found


def _issued(fields: Mapping[str, str]) -> object:
    if fields.get("date"):
        return {"raw": fields["date"]}
    month = fields.get("month", "").strip("{} ").lower()
    number = month if month.isdecimal() else str(_month(month))
    day = fields.get("day", "").strip("{} ")
    year = fields.get("year", "").strip("{} ")
    if not re.fullmatch(r"-?[0-9]{1,4}", year):
        return {"raw": clean.text(year, tex=True)}
    return {"date-parts": [[year, number, day]]}


def _month(name: str) -> int:
    return MONTHS.index(name[:3]) + 1 if name[:3] in MONTHS else 0


def _people(value: str) -> list[dict[str, str]]:
    """CSL names of a field of names; one wholly in braces is that of a body."""
    from bibtexparser.middlewares.names import (
        parse_single_name_into_parts,
        split_multiple_persons_names,
    )

    people: list[dict[str, str]] = []
    for each in split_multiple_persons_names(value[:_MAX_NAMES_CHARS])[: csl.MAX_NAMES]:
        each = each[: csl.MAX_NAME_CHARS].strip()
        if _BRACED_NAME.fullmatch(each):
            people.append({"literal": each})
        elif each.lower() != "others":
            parts = parse_single_name_into_parts(each, strict=False)
            people.append(
                {
                    "family": " ".join(parts.last),
                    "given": " ".join(parts.first),
                    "non-dropping-particle": " ".join(parts.von),
                    "suffix": " ".join(parts.jr),
                }
            )
    return people


def _verbatim(value: str) -> str:
    """A DOI or an address, in which TeX's signs are their own."""
    return _VERBATIM.sub(lambda found: found[1] or "", value).strip()


class _Strings:
    """The @string definitions of a file so far, and how much they may still write."""

    def __init__(self, budget: int) -> None:
        self._values = {month: month for month in MONTHS}
        self._budget = budget

    def define(self, key: str, value: str) -> None:
        self._values[key.lower()] = self.resolve(value)

    def resolve(self, value: str) -> str:
        """The text of a value: in braces, in quotation marks, a name, or parts joined by #.

        Raises _TooLong when the names stand for more text than there may be.
        """
        value = value.strip()
        pieces: list[str] = []
        depth, start, quoted = 0, 0, False
        for found in _PART.finditer(value):
            mark = found[0]
            if mark == "{":
                depth += 1
                if depth == 1 and not quoted:
                    start = found.end()
            elif mark == "}" and depth:
                depth -= 1
                if depth == 0 and not quoted:
                    pieces.append(value[start : found.start()])
                    start = found.end()
            elif mark == '"' and depth == 0:
                quoted = not quoted
                if not quoted:
                    pieces.append(value[start : found.start()])
                start = found.end()
            elif mark == "#" and depth == 0 and not quoted:
                pieces.append(self._named(value[start : found.start()]))
                start = found.end()
        pieces.append(value[start:] if quoted or depth else self._named(value[start:]))
        return "".join(pieces)

    def _named(self, name: str) -> str:
        """What a bare word stands for: a number or an unknown name for itself."""
        word = _BARE.search(name)
        if not word:
            return ""
        value = self._values.get(word[0].lower(), name.strip())
        self._budget -= len(value)
        if self._budget < 0:
            raise _TooLong
        return value
