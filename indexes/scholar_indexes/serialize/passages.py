"""Passages of books as records and Markdown, and the parts that all records share: books,
chapters, citations.

Text is as stored unless a field is one line; the front end sanitizes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from scholar_indexes.books.citation import locators
from scholar_indexes.books.citation.chapter_names import chapter_name
from scholar_indexes.books.citation.cited_titles import main_title
from scholar_indexes.books.citation.contributors import natural_names
from scholar_indexes.emphasis import styled_line, styled_passage
from scholar_indexes.sanitize import one_line, visible, visible_line
from scholar_indexes.serialize.markdown import escape_markdown, markdown_line, markdown_quotation

if TYPE_CHECKING:
    from scholar_indexes.results import Extract, UnreadBook
    from scholar_indexes.storage.bookmarks import SavedQuotation
    from scholar_indexes.types import Book, Chapter

SELECTOR_CHARS = 40
"""The number of characters around a quotation that its W3C selector contains."""


def unread_record(unread: UnreadBook) -> dict[str, Any]:
    """Return a book that could not be read as a record."""
    return {"id": unread.book.id, "title": unread.book.title, "reason": one_line(unread.reason)}


def mark_incomplete(
    records: Iterable[dict[str, Any]], not_searched: Sequence[UnreadBook]
) -> list[dict[str, Any]]:
    """Return the records of an answer; if books could not be read, each record lists them."""
    if not not_searched:
        return list(records)
    books = list(map(unread_record, not_searched))
    return [{**record, "not_searched": books} for record in records]


def extract_record(extract: Extract) -> dict[str, Any]:
    """Return the paragraphs at a locator as a record; exact is the marked text as stored."""
    return {
        "schema_version": 1,
        "locator": extract.locator,
        "book": book_reference(extract.book),
        "chapter": chapter_reference(extract.chapter),
        "start": extract.marked.start,
        "end": extract.marked.end,
        "exact": visible(extract.marked.of(extract.text)).strip(),
        "paragraphs": paragraph_records(extract),
    }


def paragraph_records(extract: Extract) -> list[dict[str, Any]]:
    """Return the paragraphs of an extract as records."""
    return [
        {
            "locator": f"{extract.book.id}:{extract.chapter.number}.{number}",
            "start": span.start,
            "end": span.end,
            "text": visible(span.of(extract.text)),
            "break_before": visible_line(extract.break_before(span)) or None,
        }
        for number, span in extract.paragraphs
    ]


def saved_quotation_record(saved: SavedQuotation) -> dict[str, Any]:
    """Return a saved quotation as a record; its chapter title includes the headings above."""
    return {
        "schema_version": 1,
        "collection": saved.collection,
        "quote": visible_line(saved.quote),
        "book": {"id": saved.book_id, "title": saved.title, "author": saved.author},
        "chapter": {"number": locators.parse(saved.locator).chapter, "title": saved.chapter},
        "locator": saved.locator,
        "claim": saved.claim,
        "note": saved.note,
        "colour": saved.colour,
        "kept": saved.kept,
        "citation": cite_saved_quotation(saved),
    }


def book_reference(book: Book) -> dict[str, Any]:
    """Return id, title and author of a book as a part of a record."""
    return {"id": book.id, "title": book.title, "author": book.author}


def chapter_reference(chapter: Chapter) -> dict[str, Any]:
    """Return the number and the headings of a chapter as a part of a record."""
    return {
        "number": chapter.number,
        "title": chapter.title,
        "part": list(chapter.part),
        "printed": chapter.printed,
    }


def place_columns(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the book and the chapter of a record as columns of CSV: the book's id, and the number
    and the headings of the chapter, which are empty for a record of a whole book."""
    chapter = record.get("chapter") or {}
    return {
        "book": record["book"]["id"],
        "chapter": chapter.get("number"),
        "chapter_title": chapter.get("title"),
        "chapter_printed": chapter.get("printed"),
    }


@lru_cache(maxsize=1024)
def citation(book: Book, chapter: Chapter) -> str:
    """Return author, title and chapter as a note cites them."""
    title = main_title(book.title, book.language)
    parts = (natural_names(book.author), title, *chapter.part, chapter_name(chapter, book.title))
    return ", ".join(one_line(part) for part in parts if part)


def cite_saved_quotation(saved: SavedQuotation) -> str:
    """Return author, title and chapter of a saved quotation as a note cites them."""
    parts = (natural_names(saved.author), main_title(saved.title), saved.chapter)
    return ", ".join(one_line(part) for part in parts if part)


def quotation_to_markdown(
    quote: str,
    source: str,
    locator: str,
    note: str = "",
    *,
    before: str = "",
    after: str = "",
    strong: tuple[int, int] | None = None,
) -> str:
    """Return a quotation with its source as Markdown, followed by the reader's note. `before`,
    `after` and `strong` are passed to emphasis.styled_passage."""
    text = markdown_quotation(styled_passage(quote, before, after, strong))
    cited = markdown_line(styled_line(source))
    lines = f"{text}\n>\n> — {cited} (`{one_line(locator)}`)\n"
    return f"{lines}\n{escape_markdown(note.strip())}\n" if note.strip() else lines
