"""The table of result formats, from which commands and screens take their choices.

To add a format, write a function with the signature of its kind in a module of this package, and
give it a row in Format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from pathlib import Path

    from scholar_indexes.characters.book_cast import BookCast
    from scholar_indexes.results import AttributedQuote, CheckedQuotation
    from scholar_indexes.serialize.character_sheet import CharacterSheet
    from scholar_indexes.serialize.exports import Export
    from scholar_indexes.serialize.quiz import QuizExport
    from scholar_indexes.serialize.references import Item
    from scholar_indexes.serialize.rows import Record
    from scholar_indexes.serialize.worksheets import Worksheet, WorksheetPart
    from scholar_indexes.types import Book, Chapter

Writer = TypeVar("Writer", bound=Callable[..., object])


@dataclass(frozen=True, slots=True)
class Kind(Generic[Writer]):
    """A kind of result, and the signature of the functions that write it."""

    name: str


RECORDS: Kind[Callable[[Sequence[Record]], str]] = Kind("records")
"""Any list, with all fields of its records."""

COLUMNS: Kind[Callable[[Sequence[Record], Sequence[str], bool], str]] = Kind("columns")
"""Any list, in columns; the names of the columns come first if the last argument is True."""

PASSAGES: Kind[Callable[[Export], str | bytes]] = Kind("passages")
REFERENCES: Kind[Callable[[Iterable[Item]], str]] = Kind("references")
PAPERS: Kind[Callable[[Iterable[Item]], str]] = Kind("papers")
CHECKED_ESSAY: Kind[Callable[[str, Sequence[CheckedQuotation]], str]] = Kind("checked essay")
CHARACTER_SHEET: Kind[Callable[[CharacterSheet], str]] = Kind("character sheet")
CONVERSATIONS: Kind[Callable[[BookCast], bytes]] = Kind("conversations")
COMPANY: Kind[Callable[[BookCast], bytes]] = Kind("company")

SPEAKERS: Kind[Callable[[Book, str, Sequence[Chapter], Sequence[AttributedQuote]], bytes]] = Kind(
    "speakers"
)
"""The text and the chapters of one book with its quotations."""

QUOTATION_FILE: Kind[Callable[[Path, Iterable[Sequence[AttributedQuote]]], int]] = Kind(
    "quotation file"
)
"""The quotations of several books, written to a file book by book; returns their number."""

QUIZ: Kind[Callable[[QuizExport], str | bytes]] = Kind("quiz")
LISTING: Kind[Callable[[str], str]] = Kind("listing")
"""The content of a screen, as Markdown."""

WORKSHEET: Kind[Callable[[Worksheet, WorksheetPart], str | bytes]] = Kind("worksheet")


class Format(StrEnum):
    """The formats of results. A row has the name, what it is in words, the suffix of its files,
    and the function that writes each kind of result, as "module:function" of this package; binary
    formats are marked."""

    label: str
    suffix: str
    writers: Mapping[Kind[Any], str]
    is_binary: bool

    def __new__(
        cls,
        name: str,
        label: str,
        suffix: str,
        writers: Mapping[Kind[Any], str] | None = None,
        is_binary: bool = False,
    ) -> Format:
        member = str.__new__(cls, name)
        member._value_ = name
        member.label, member.suffix = label, suffix
        member.writers, member.is_binary = writers or {}, is_binary
        return member

    TABLE = "table", "a table", ".txt"  # drawn by scholar_cli.render for the terminal
    PLAIN = "plain", "plain text", ".txt", {COLUMNS: "rows:to_plain"}
    JSON = (
        "json",
        "JSON",
        ".json",
        {
            RECORDS: "rows:to_json",
            PASSAGES: "exports:to_json",
            QUIZ: "quiz:to_json",
        },
    )
    JSONL = "jsonl", "JSON lines", ".jsonl", {RECORDS: "rows:to_jsonl"}
    CSV = (
        "csv",
        "CSV",
        ".csv",
        {COLUMNS: "rows:to_csv", PASSAGES: "exports:to_csv", QUIZ: "quiz:to_csv"},
    )
    MD = (
        "md",
        "Markdown",
        ".md",
        {
            COLUMNS: "rows:to_markdown",
            PASSAGES: "exports:to_markdown",
            CHARACTER_SHEET: "character_sheet:sheet_to_markdown",
            WORKSHEET: "worksheets:worksheet_to_markdown",
            LISTING: "listings:to_markdown",
        },
    )
    OBSIDIAN = "obsidian", "an Obsidian note", ".md", {PASSAGES: "exports:to_obsidian"}
    W3C = "w3c", "W3C annotations", ".jsonld", {PASSAGES: "web_annotations:to_w3c"}
    HTML = (
        "html",
        "HTML",
        ".html",
        {
            PASSAGES: "exports:to_html",
            CHARACTER_SHEET: "character_sheet:sheet_to_html",
            WORKSHEET: "worksheets:worksheet_to_html",
        },
    )
    DOCX = (
        "docx",
        "Word",
        ".docx",
        {PASSAGES: "exports:to_docx", WORKSHEET: "worksheets:worksheet_to_docx"},
        True,
    )
    APKG = "apkg", "Anki's apkg", ".apkg", {QUIZ: "quiz:to_apkg"}, True
    BIBTEX = (
        "bibtex",
        "BibTeX",
        ".bib",
        {
            REFERENCES: "references:format_bibtex",
            PAPERS: "references:format_bibtex",
        },
    )
    CSL_JSON = "csl-json", "CSL-JSON", ".json", {REFERENCES: "references:format_csl"}
    CSL = "csl", "CSL-JSON", ".json", {PAPERS: "references:format_csl"}
    RIS = (
        "ris",
        "RIS",
        ".ris",
        {REFERENCES: "references:format_ris", PAPERS: "references:format_ris"},
    )
    TEI = "tei", "TEI", ".xml", {SPEAKERS: "tei:to_tei"}
    GRAPHML = (
        "graphml",
        "GraphML",
        ".graphml",
        {
            CONVERSATIONS: "conversations:to_graphml",
            COMPANY: "conversations:company_to_graphml",
        },
    )
    SVG = (
        "svg",
        "SVG",
        ".svg",
        {
            CONVERSATIONS: "network_picture:conversations_to_svg",
            COMPANY: "network_picture:company_to_svg",
        },
    )
    SARIF = "sarif", "SARIF", ".sarif", {CHECKED_ESSAY: "quotations:check_to_sarif"}
    PARQUET = (
        "parquet",
        "Parquet",
        ".parquet",
        {QUOTATION_FILE: "quotation_table:write_quotations"},
        True,
    )

    def writes(self, kind: Kind[Any]) -> bool:
        """Return True if results of this kind can be written."""
        return kind in self.writers

    def writer(self, kind: Kind[Writer]) -> Writer:
        """Return the function that writes results of this kind, which imports its module; raises
        KeyError if there is none."""
        function: Writer = resolve_name(f"{__package__}.{self.writers[kind]}")
        return function


def formats(*kinds: Kind[Any]) -> list[Format]:
    """Return the formats that write one of the kinds, in the order of the table."""
    return [format for format in Format if any(map(format.writes, kinds))]


def in_words(*kinds: Kind[Any]) -> str:
    """Return the formats that write one of the kinds, as a list in words.

    >>> in_words(CHARACTER_SHEET)
    'Markdown or HTML'
    """
    return _listed([format.label for format in formats(*kinds)])


def names(*kinds: Kind[Any]) -> str:
    """Return the names of the formats that write one of the kinds, as users type them.

    >>> names(CHARACTER_SHEET)
    'md or html'
    """
    return _listed(formats(*kinds))


def _listed(names: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def encoded(content: str | bytes) -> bytes:
    """Return what a writer made as the bytes of a file."""
    return content if isinstance(content, bytes) else content.encode("utf-8")
