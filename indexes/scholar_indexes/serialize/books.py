"""Books of the library and of Gutenberg's catalogue as records and Markdown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from scholar_indexes.books.adding import source_pages
from scholar_indexes.sanitize import one_line
from scholar_indexes.serialize.markdown import escape_markdown
from scholar_indexes.serialize.passages import book_reference

if TYPE_CHECKING:
    from scholar_indexes.books.adding.adding_many import CatalogAddition
    from scholar_indexes.books.gutenberg.gutenberg_catalog import CatalogEntry
    from scholar_indexes.results import AddedBook
    from scholar_indexes.storage.catalog import StoredBook
    from scholar_indexes.types import Book, Chapter

BOOK_COLUMNS = ("id", "title", "author", "chapters", "sentences")


def book_record(stored: StoredBook) -> dict[str, Any]:
    """Return a book of the library as a record."""
    return {
        **_book_fields(stored.book),
        "added": stored.added,
        "characters": stored.characters,
        "chapters": stored.chapters,
        "sentences": stored.sentences,
    }


def books_to_markdown(books: Iterable[StoredBook]) -> str:
    """Return a Markdown table of books."""
    lines = ["| Title | Author | Id | Chapters | Sentences |", "|---|---|---|---:|---:|"]
    for stored in books:
        book = stored.book
        title, author = (escape_markdown(one_line(text)) for text in (book.title, book.author))
        lines.append(
            f"| {title} | {author} | `{book.id}` | {stored.chapters:,} | {stored.sentences:,} |"
        )
    return "\n".join(lines) + "\n"


def chapter_records(book: Book, chapters: Iterable[Chapter]) -> list[dict[str, Any]]:
    """Return the chapters of a book as records, without the front matter."""
    return [
        {
            "locator": f"{book.id}:{chapter.number}",
            "part": list(chapter.part),
            "title": chapter.title,
            "printed": chapter.printed,
            "kind": str(chapter.kind),
            "start": chapter.span.start,
            "end": chapter.span.end,
        }
        for chapter in chapters
        if chapter.number
    ]


def added_book_record(added: AddedBook) -> dict[str, Any]:
    """Return the outcome of adding a book as a record, with the pages of an EPUB."""
    record = {
        **_book_fields(added.book),
        "outcome": str(added.outcome),
        "chapters": added.chapters,
        "sentences": added.sentences,
    }
    if added.pages:
        record["pages"] = len(added.pages)
        record["not_read"] = {page.name: page.remark for page in source_pages.lost(added.pages)}
    return record


def catalog_addition_record(addition: CatalogAddition) -> dict[str, Any]:
    """Return the outcome for an entry of Gutenberg's catalogue as a record."""
    entry = catalog_entry_record(addition.entry)
    return {
        "schema_version": 1,
        **entry,
        "id": f"pg{addition.entry.gutenberg_id}",
        "outcome": str(addition.outcome),
        "reason": addition.reason,
    }


def catalog_entry_record(entry: CatalogEntry) -> dict[str, Any]:
    """Return an entry of Gutenberg's catalogue as a record."""
    from scholar_indexes.books.gutenberg.gutenberg_catalog import display_author

    return {
        "id": entry.gutenberg_id,
        "title": entry.title,
        "author": display_author(entry.authors),
        "language": entry.language,
        "issued": entry.issued,
        "subjects": list(entry.subjects),
    }


def _book_fields(book: Book) -> dict[str, Any]:
    return {
        **book_reference(book),
        "language": book.language,
        "source": book.source,
        "sha256": book.sha256,
    }
