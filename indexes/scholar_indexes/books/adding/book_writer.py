"""Writing a book that has been read into the library: the plan, and each step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from scholar_indexes.books.adding import ingest
from scholar_indexes.books.adding.saved_passages import follow_words
from scholar_indexes.books.reading.open_book import OpenBook
from scholar_indexes.errors import ScholarError, UsageError
from scholar_indexes.locks import explain_write_errors
from scholar_indexes.results import AddedBook, AddOutcome
from scholar_indexes.storage import book_folder
from scholar_indexes.storage.bookmarks import Bookmarks

if TYPE_CHECKING:
    from scholar_indexes.books.adding.ingest import BookDraft
    from scholar_indexes.books.adding.passage_index import PassageIndex
    from scholar_indexes.paths import Paths
    from scholar_indexes.storage.catalog import Catalog, StoredBook
    from scholar_indexes.types import SourcePage


@dataclass(frozen=True, slots=True)
class AddPlan:
    """The plan of `add` for a draft: store it, or keep the listed book with the same text."""

    draft: BookDraft
    outcome: AddOutcome
    same_text: StoredBook | None = None

    def result(self, *, dry_run: bool = False) -> AddedBook:
        """Return the result of `add` after the plan is carried out, or of a dry run."""
        if self.same_text:
            kept = self.same_text
            counts = kept.chapters, kept.sentences
            return AddedBook(kept.book, self.outcome, *counts, *draft_source(self.draft))
        outcome = AddOutcome.PLANNED if dry_run else self.outcome
        return AddedBook(
            self.draft.book, outcome, *draft_counts(self.draft), *draft_source(self.draft)
        )


class BookWriter:
    """A writer of drafts of books. The methods expect the caller to hold the write lock."""

    def __init__(
        self,
        paths: Paths,
        catalog: Catalog,
        index: PassageIndex,
        is_damaged: Callable[[StoredBook], bool],
    ) -> None:
        self._paths = paths
        self._catalog = catalog
        self._index = index
        self._is_damaged = is_damaged

    def plan(
        self,
        draft: BookDraft,
        refresh: bool,
        title: str | None = None,
        author: str | None = None,
        language: str | None = None,
    ) -> AddPlan:
        """Return the plan for a draft, of which the user gave title, author or language if not
        None.

        A book with the same text gets what the user gave.

        `refresh` replaces a book with the same text that is damaged or was divided
        differently, and a book with the same id. Raises UsageError without `refresh` if a book
        with another text has the id.
        """
        same_text = self._catalog.with_text(draft.book.sha256)
        if same_text:
            book = same_text.book
            renamed = replace(
                book,
                title=book.title if title is None else draft.book.title,
                author=book.author if author is None else draft.book.author,
                language=book.language if language is None else draft.book.language,
            )
            if renamed == book and not (refresh and self._differs(same_text, draft)):
                return AddPlan(draft, AddOutcome.ALREADY, same_text)
            return AddPlan(replace(draft, book=renamed), AddOutcome.REPLACED)
        same_id = self._catalog.with_id(draft.book.id)
        if same_id and not refresh:
            raise other_text(same_id.book.id, same_id.book.title)
        return AddPlan(draft, AddOutcome.REPLACED if same_id else AddOutcome.ADDED)

    def _differs(self, stored: StoredBook, draft: BookDraft) -> bool:
        """Return True if a stored book is damaged or differs from a draft in its chapters or
        sentences."""
        if self._is_damaged(stored):
            return True
        book = self._open(stored)
        if book_folder.chapters(book.folder) != list(draft.chapters):
            return True
        return book.places != [ingest.place_of(sentence) for sentence in draft.sentences]

    def begin(self, draft: BookDraft) -> StoredBook:
        """Write the folder of a book and return the stored book, which is not listed yet."""
        stored = self._catalog.begin(
            draft.book,
            len(draft.text),
            *draft_counts(draft),
            above=book_folder.highest_edition(self._paths.books),
        )
        with explain_write_errors(self._paths.data):
            book_folder.save(
                self._paths.books / stored.folder,
                draft.book,
                draft.text,
                draft.chapters,
                draft.sentences,
                draft.imprint,
            )
        return stored

    def finish(self, written: Iterable[StoredBook], *, more_follow: bool = False) -> None:
        """List books whose passages are in the index, replacing older editions.

        Saved passages of older editions move with their words; see LanceTable.optimize for
        `more_follow`.
        """
        table = self._index.table
        table.optimize(more_follow=more_follow)
        for stored in written:
            self._catalog.list_edition(stored.edition, table.name)
            with suppress(ScholarError):  # the book is listed even if the bookmarks are damaged
                follow_words(Bookmarks(self._paths.bookmarks), self._open(stored))
        self._index.clear_unfinished()

    def _open(self, stored: StoredBook) -> OpenBook:
        return OpenBook(stored, self._paths.books / stored.folder)


def draft_counts(draft: BookDraft) -> tuple[int, int]:
    """Return the numbers of chapters, without the front matter, and of sentences."""
    return len(draft.chapters) - 1, len(draft.sentences)


def draft_source(draft: BookDraft) -> tuple[tuple[SourcePage, ...], str]:
    """Return the pages and the encoding of the source of a draft."""
    return draft.pages, draft.encoding


def other_text(book_id: str, title: str) -> UsageError:
    """Return the error for a book whose id belongs to another text."""
    # A title is part of the id of a file, but not of a Gutenberg text.
    both = "" if book_id.startswith("pg") else ", to keep both: --title"
    return UsageError(
        f"{book_id} is already {title!r} with another text; to replace it: --refresh{both}"
    )
