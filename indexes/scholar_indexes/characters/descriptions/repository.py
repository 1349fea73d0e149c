"""The descriptions of the library's books: written ones from banks, automatic ones from the text.

A bank of the user, a file in the descriptions folder named after its book, takes precedence over
the packaged bank of the book; automatic descriptions are extracted from a book's text once, and
cached in its folder.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_indexes.books.reading.open_book import OpenBook
from scholar_indexes.characters.descriptions import (
    automatic_bank,
    bank,
    bank_corrections,
    book_descriptions,
    presentation,
)
from scholar_indexes.characters.descriptions.bank import DescribedCharacter
from scholar_indexes.characters.descriptions.book_descriptions import BookDescriptions
from scholar_indexes.errors import Damaged, NotThere
from scholar_indexes.paths import Paths
from scholar_indexes.progress import divide_progress
from scholar_indexes.storage import checked_files
from scholar_indexes.storage.catalog import StoredBook
from scholar_indexes.types import Character, Progress, Span, silent

if TYPE_CHECKING:
    from scholar_indexes.attribution.attribution_service import AttributionService
    from scholar_indexes.results import DescriptionResult

WRITTEN = "description"
"""The kind of a description from a bank; automatic ones have one of automatic.KINDS."""


class DescriptionRepository:
    """Banks of descriptions by book id, and the automatic descriptions of books of the library."""

    def __init__(
        self,
        paths: Paths,
        library_books: Callable[[], Sequence[StoredBook]],
        attribution: AttributionService,
        announce: Callable[[str], None],
    ) -> None:
        self._paths = paths
        self._library_books = library_books
        self._attribution = attribution
        self._announce = announce

    def library_titles(self) -> dict[str, tuple[str, str]]:
        """Return the title and the author of each book of the library, by its id."""
        books = (stored.book for stored in self._library_books())
        return {book.id: (book.title, book.author) for book in books}

    def titles(self) -> dict[str, tuple[str, str]]:
        """Return the title and the author of each book of the library or with a packaged bank."""
        return {**bank.packaged_titles(), **self.library_titles()}

    def user_banks(self) -> dict[str, Path]:
        """Return the files of the user's own banks, by the id of their book, including lost ones,
        which raise Damaged when they are read."""
        folder = self._paths.descriptions
        lost = (path for path in checked_files.lost(folder) if path.suffix == ".jsonl")
        return {path.stem: path for path in sorted({*folder.glob("*.jsonl"), *lost})}

    def written_ids(self) -> list[str]:
        """Return the ids of the books with a bank, packaged or the user's own, sorted."""
        return sorted({*bank.packaged_ids(), *self.user_banks()})

    def has_written(self, book_id: str) -> bool:
        """Return True if a book has a bank, packaged or the user's own."""
        return book_id in self.user_banks() or book_id in bank.packaged_ids()

    def written(self, book_id: str) -> list[DescribedCharacter]:
        """Return the bank of a book with the user's corrections: the user's own bank, else the
        packaged one; empty without one.

        Raises Damaged for a broken file of the user.
        """
        path = self.user_banks().get(book_id)
        if path:
            described = bank.load_file(path)
        else:
            described = bank.load_packaged(book_id) if book_id in bank.packaged_ids() else []
        corrections = self._attribution.readable_corrections(book_id) if described else ()
        return bank_corrections.correct(described, corrections) if corrections else described

    def readable(self, book_id: str) -> list[DescribedCharacter]:
        """Return what `written` does; a broken file is announced and skipped."""
        try:
            return self.written(book_id)
        except NotThere:
            return []
        except Damaged as damage:
            self._announce(f"{damage}; continuing without it")
            return []

    def descriptions(self, book_id: str) -> list[DescribedCharacter]:
        """Return the bank of a book, or its automatic descriptions as a bank.

        Raises NotThere for a book with neither a bank nor a text in the library, Damaged for a
        broken bank, and NoMatch for a text in which nobody speaks.
        """
        if self.has_written(book_id):
            return self.written(book_id) or bank.load_packaged(book_id)
        listed = {stored.book.id: stored for stored in self._library_books()}
        stored = listed.get(book_id)
        if stored is None:
            return bank.load_packaged(book_id)
        book = OpenBook(stored, self._paths.books / stored.folder)
        return automatic_bank.to_bank(self.automatic(book), book.cite)

    def automatic(self, book: OpenBook, progress: Progress = silent) -> BookDescriptions:
        """Return the characters and automatic descriptions of a book, cached or newly extracted.

        Raises NoMatch for a book in which nobody speaks.
        """
        written = self.readable(book.book.id)
        key = book_descriptions.cache_key(self._attribution.cache_key(book), written)
        cached = book_descriptions.load(book.folder, key, book.stored.characters)
        if cached is not None:
            return cached
        speaking, meaning, reading = divide_progress(progress, (4, 10, 1))
        dialogue = self._attribution.dialogue(book, progress=speaking)
        people = self._attribution.people(book, meaning).mentions
        reading("extracting descriptions of characters", 0, 0)
        described = book_descriptions.extract_descriptions(
            book.text, book.chapters, dialogue, people, written
        )
        book_descriptions.save(book.folder, key, described)
        return described

    def describe(
        self, book: OpenBook, described: BookDescriptions, characters: Iterable[Character]
    ) -> list[DescriptionResult]:
        """Return the descriptions of the given characters of a book with their passages: for each,
        descriptions from a bank, then automatic ones, best first."""
        from scholar_indexes.results import DescriptionResult

        return [
            DescriptionResult(
                book.book,
                character,
                kind,
                text,
                kind != WRITTEN,
                tuple(passage for span in spans if (passage := book.cite(span))),
            )
            for character, kind, text, spans in self._described(book, described, characters)
        ]

    def _described(
        self, book: OpenBook, described: BookDescriptions, characters: Iterable[Character]
    ) -> Iterator[tuple[Character, str, str, list[Span]]]:
        """Yield character, kind, text and passages of each description of the characters."""
        written = {entry.name: entry.descriptions for entry in self.readable(book.book.id)}
        index_of = {character.id: index for index, character in enumerate(described.characters)}
        for character in characters:
            for entry in written.get(character.name, ()):
                located = (
                    presentation.locate_evidence(evidence, book.text, book.chapters)
                    for evidence in entry.evidence
                )
                yield character, WRITTEN, entry.plain, [span for span in located if span]
            for description in described.descriptions:
                if description.character == index_of.get(character.id):
                    shown = presentation.display_text(
                        description.text, character, described.characters
                    )
                    yield character, description.kind, shown, list(description.passages)
