"""The service layer of quizzes: the books to ask about, their questions, and the history.

repository -> generate_questions, or history.due -> repeat_questions -> [QuizQuestion]
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_indexes.books.gutenberg.mirrors import gutenberg_id
from scholar_indexes.books.reading.chapter_ranges import find_last_section, parse_range
from scholar_indexes.characters.descriptions.bank import DescribedCharacter
from scholar_indexes.characters.quiz import bank_import
from scholar_indexes.characters.quiz.history import History
from scholar_indexes.characters.quiz.questions import (
    LEVELS,
    QuizQuestion,
    generate_questions,
    repeat_questions,
)
from scholar_indexes.errors import Damaged, NoMatch, NotThere, UsageError
from scholar_indexes.locks import explain_write_errors
from scholar_indexes.paths import Paths
from scholar_indexes.sanitize import one_line
from scholar_indexes.storage import checked_files

if TYPE_CHECKING:
    from scholar_indexes.books.reading.open_book import OpenBook
    from scholar_indexes.characters.descriptions.repository import DescriptionRepository

SAMPLE_BOOKS = ("pg64317", "pg1342", "pg84")
"""The books of the bundled sample, used if no book of the library has a bank."""

MAX_LISTED = 15
"""The most books listed in an error."""

OWN_PREFIX = "own-"
"""The prefix of the ids of books that are not from Project Gutenberg."""

REMOVED = ".removed"
"""The suffix added to the name of a removed file of descriptions."""


@dataclass(frozen=True, slots=True)
class QuizBook:
    """A book with descriptions; the numbers are None for automatic ones, which are not extracted
    yet. own is True for the user's own bank."""

    book_id: str
    title: str
    author: str
    characters: int | None
    descriptions: int | None
    own: bool
    automatic: bool = False


class Quiz:
    """Quizzes about the books of a description repository; open_book returns a book by its id, and
    raises NotThere for one that is not in the library."""

    def __init__(
        self,
        paths: Paths,
        repository: DescriptionRepository,
        open_book: Callable[[str], OpenBook],
        announce: Callable[[str], None],
    ) -> None:
        self._paths = paths
        self._repository = repository
        self._open_book = open_book
        self._announce = announce

    @cached_property
    def history(self) -> History:
        """The answers given so far."""
        return History(self._paths.quiz_history, self._announce)

    def forget_lost(self) -> list[Path]:
        """Forget the missing files of descriptions, and return them."""
        with explain_write_errors(self._paths.descriptions):
            return checked_files.forget_lost(self._paths.descriptions)

    def check(self) -> None:
        """Read the user's own descriptions; raises Damaged for a broken file, or a missing one."""
        for book_id in self._repository.user_banks():
            self._repository.written(book_id)

    def books(self) -> list[QuizBook]:
        """Return the books with a bank, and the other books of the library, whose descriptions
        would be automatic, by title. A damaged bank is announced and skipped."""
        return sorted([*self._written_books(), *self._automatic_books()], key=_title)

    def _written_books(self) -> Iterator[QuizBook]:
        own, titles = self._repository.user_banks(), self._repository.titles()
        for book_id in self._repository.written_ids():
            try:
                characters = self._repository.descriptions(book_id)
            except Damaged as damage:
                self._announce(f"{damage}; continuing without it")
                continue
            title, author = titles.get(book_id, (book_id, ""))
            descriptions = sum(len(character.descriptions) for character in characters)
            yield QuizBook(book_id, title, author, len(characters), descriptions, book_id in own)

    def _automatic_books(self) -> Iterator[QuizBook]:
        for book_id, (title, author) in self._repository.library_titles().items():
            if not self._repository.has_written(book_id):
                yield QuizBook(book_id, title, author, None, None, False, automatic=True)

    def book_id(self, reference: str) -> str:
        """Return the id of the book with descriptions that is given by an id, a number or a part
        of its title; raises NotThere and UsageError as BookService.get does."""
        titles = self._known_titles()
        for own in self._repository.user_banks():
            if not self._is_readable(own):
                titles.pop(own)
        book_id = _find_id(reference, titles)
        if book_id is None:
            raise NotThere(
                f"there are no descriptions of {one_line(reference, 80)!r}; choose one of: "
                f"{_list_titles(sorted(titles), titles)}"
            )
        return book_id

    def _is_readable(self, book_id: str) -> bool:
        """Return True if the bank of a book can be read; a damaged one is announced."""
        try:
            self._repository.written(book_id)
        except Damaged as damage:
            self._announce(f"{damage}; continuing without it")
            return False
        return True

    def questions(
        self,
        books: Sequence[str] = (),
        *,
        n: int = 10,
        seed: int = 0,
        kind: str = "mixed",
        levels: Collection[int] = LEVELS,
        upto: str | None = None,
        anonymize: bool = False,
        due: datetime | None = None,
    ) -> list[QuizQuestion]:
        """Return n questions about the given books (default: the books of the library with a bank,
        or else the sample); with due, only about cards that are due by then.

        upto is the last chapter that may be revealed, in the syntax of chapter_ranges; anonymize
        gives the characters other names. Bad questions are excluded. Raises NotThere for a book
        without descriptions, and the errors of generate_questions.
        """
        chosen = list(dict.fromkeys(map(self.book_id, books))) or self._default_books()
        if upto is not None and len(chosen) > 1:
            raise UsageError("--upto is a chapter of one book; choose the book with -b BOOK")
        last_section = None if upto is None else self._find_section(chosen[0], upto)
        if due is not None:
            return self._due(due, chosen if books else None, n, seed, kind, last_section)
        questions: list[QuizQuestion] = []
        bad = self.history.bad_ids()
        for index, book_id in enumerate(chosen):
            share = n // len(chosen) + (index < n % len(chosen))
            if share == 0:
                continue
            self._announce_automatic(book_id)
            generated = generate_questions(
                self._described(book_id),
                book_id,
                share,
                seed,
                kind,
                levels,
                upto=last_section,
                bad=bad,
                readable=True,
                tell=self._announce,
            )
            generated = self._mark_automatic(generated, book_id)
            questions += self._anonymize(generated, book_id, seed) if anonymize else generated
        return questions

    def _find_section(self, book_id: str, chapter: str) -> int:
        """Return the section of a chapter.

        Raises NotThere for a printed number of a book that is not in the library, and the errors
        of find_last_section.
        """
        counted = parse_range(chapter)
        try:
            book = self._open_book(book_id)
        except NotThere:
            if counted.counts_sections and counted.last:
                return counted.last.path[0]
            raise NotThere(
                f"{self.titles.get(book_id, book_id)} is not in your library, so its chapter "
                f"numbers are not known; add it: scholar add {book_id.removeprefix('pg')}, or "
                f"give the section as in locators: section {counted.last or 12}"
            ) from None
        return find_last_section(book.chapters, chapter, book.book.title)

    def _described(self, book_id: str) -> list[DescribedCharacter]:
        """Return the descriptions of a book; raises NoMatch if there are none to ask about."""
        described = self._repository.descriptions(book_id)
        if not any(character.descriptions for character in described):
            raise NoMatch(
                f"{self.titles.get(book_id, book_id)} says too little about its characters for "
                f"automatic questions; write descriptions: scholar quiz import FILE {book_id}"
            )
        return described

    def import_banks(
        self, path: Path, book: str | None, replace: bool
    ) -> list[bank_import.ImportReport]:
        """Import the user's own descriptions from a file; see bank_import.import_banks.

        A book is given by an id or a part of a title, as in book_id. One that is neither in the
        library nor described is given by a new id, own-NAME, or its Project Gutenberg number;
        raises NotThere for any other reference to such a book.
        """
        return bank_import.import_banks(
            path, self._paths.descriptions, book, replace=replace, find_book=self._find_or_name
        )

    def _find_or_name(self, reference: str) -> str:
        """Return the id of a known book, or a reference that is a new id."""
        book_id = _find_id(reference, self._known_titles())
        if book_id is not None:
            return book_id
        if number := gutenberg_id(reference):
            return f"pg{number}"
        if reference.startswith(OWN_PREFIX):
            return reference
        raise NotThere(
            f"no book is called {one_line(reference, 80)!r}; see: scholar books list; to describe "
            f"a book that you do not have, begin its id with {OWN_PREFIX}: own-diary"
        )

    def remove_bank(self, reference: str) -> tuple[str, Path]:
        """Set aside the user's own descriptions of a book, given by its id or a part of its title;
        return the book's id and the new path of the file.

        Raises NotThere if there are none, and UsageError for the title of several books.
        """
        known, titles = self._repository.user_banks(), self.titles
        own = {book_id: path for book_id, path in known.items() if path.exists()}
        own_titles = {book_id: titles.get(book_id, book_id) for book_id in own}
        book_id = _find_id(reference, own_titles)
        if book_id is None:
            listed = _list_titles(sorted(own), own_titles)
            there_are = f"you have some for: {listed}" if own else "you have none for any book"
            raise NotThere(
                f"you have no descriptions of your own for {one_line(reference, 80)!r}; {there_are}"
            )
        with explain_write_errors(self._paths.descriptions):
            return book_id, checked_files.set_aside(own[book_id], REMOVED)

    def banks(self, books: Sequence[str] = ()) -> dict[str, list[DescribedCharacter]]:
        """Return the descriptions of the given books (default: all books with a bank)."""
        chosen = [*map(self.book_id, books)] or [
            book.book_id for book in self.books() if not book.automatic
        ]
        for book_id in chosen:
            self._announce_automatic(book_id)
        return {book_id: self._repository.descriptions(book_id) for book_id in chosen}

    @property
    def titles(self) -> dict[str, str]:
        """The titles of all known books by id."""
        return {book_id: title for book_id, (title, _) in self._repository.titles().items()}

    def _known_titles(self) -> dict[str, str]:
        """Return the titles of all books with descriptions, by title; a book id without one."""
        own = {book_id: book_id for book_id in self._repository.user_banks()}
        return dict(sorted({**own, **self.titles}.items(), key=itemgetter(1)))

    def title_and_author(self, book_id: str) -> tuple[str, str]:
        """Return the title and the author of a book; its id if they are unknown."""
        return self._repository.titles().get(book_id, (book_id, ""))

    def _announce_automatic(self, book_id: str) -> None:
        """Tell the user if the descriptions of a book are automatic."""
        if not self._repository.has_written(book_id):
            self._announce(
                f"there are no written descriptions of {self.titles.get(book_id, book_id)}; these "
                "descriptions were extracted by a program and may be wrong"
            )

    def _mark_automatic(self, questions: list[QuizQuestion], book_id: str) -> list[QuizQuestion]:
        if self._repository.has_written(book_id):
            return questions
        return [replace(question, automatic=True) for question in questions]

    def _default_books(self) -> list[str]:
        written = set(self._repository.written_ids())
        in_library = [
            book_id for book_id in self._repository.library_titles() if book_id in written
        ]
        return in_library or list(SAMPLE_BOOKS)

    def _due(
        self,
        now: datetime,
        books: Collection[str] | None,
        n: int,
        seed: int,
        kind: str,
        upto: int | None,
    ) -> list[QuizQuestion]:
        described = {*self._repository.written_ids(), *self._repository.library_titles()}
        cards = [card for card in self.history.due_cards(now, books) if card.book_id in described][
            :n
        ]
        questions: list[QuizQuestion] = []
        bad = self.history.bad_ids()
        for book_id in dict.fromkeys(card.book_id for card in cards):
            repeated = repeat_questions(
                self._repository.descriptions(book_id),
                book_id,
                [
                    (card.character, card.description, card.level)
                    for card in cards
                    if card.book_id == book_id
                ],
                seed,
                kind,
                upto=upto,
                bad=bad,
                readable=True,
                tell=self._announce,
            )
            self._announce_automatic(book_id)
            questions += self._mark_automatic(repeated, book_id)
        return questions

    def _anonymize(
        self, questions: Sequence[QuizQuestion], book_id: str, seed: int
    ) -> list[QuizQuestion]:
        """Return questions with other names shown; the history keeps the true ones."""
        from scholar_indexes.characters.anonymization.pseudonyms import map_names

        mapping = map_names(
            self._repository.descriptions(book_id), self._open_book(book_id).text, seed
        )
        return [
            replace(
                question,
                text=mapping.apply(question.text),
                choices=tuple(map(mapping.apply, question.choices)),
                names=question.names or question.choices,
                bank_text=question.description,
            )
            for question in questions
        ]


def _title(book: QuizBook) -> str:
    return book.title


def _find_id(reference: str, titles: Mapping[str, str]) -> str | None:
    """Return the id of the book given by an id, a number, a locator or a part of its title; None
    if there is none; raises UsageError for several."""
    wanted = reference.strip().casefold().partition(":")[0]
    ids = {book_id.casefold(): book_id for book_id in titles}
    for exact in (wanted, f"pg{wanted}"):
        if exact in ids:
            return ids[exact]
    matches = [
        book_id for book_id, title in titles.items() if wanted and wanted in title.casefold()
    ]
    if len(matches) > 1:
        listed = _list_titles(matches, titles)
        raise UsageError(
            f"{one_line(reference, 80)!r} could be several books; give an id: {listed}"
        )
    return matches[0] if matches else None


def _list_titles(book_ids: Sequence[str], titles: Mapping[str, str]) -> str:
    return "; ".join(f"{book_id} {titles[book_id]}" for book_id in book_ids[:MAX_LISTED])
