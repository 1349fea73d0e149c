"""The service layer of quizzes: which books can be asked about, what is asked, what was answered.

    banks -> questions.make, or history.due -> questions.again -> [Question] -> history.answered

Library hands it out as its attribute quiz.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from importlib import resources
from pathlib import Path

from scholar_indexes.characters import bank, exchange, questions
from scholar_indexes.characters.bank import Described
from scholar_indexes.characters.history import History
from scholar_indexes.characters.questions import LEVELS, Question
from scholar_indexes.errors import Damaged, NotThere, UsageError
from scholar_indexes.places import Places
from scholar_indexes.untrusted import one_line

STARTERS = ("pg64317", "pg1342", "pg84")
"""The books of the bundled sample, asked about where nothing else is said."""


@dataclass(frozen=True, slots=True)
class Quizzed:
    """A book that can be asked about; of one whose descriptions would be automatic it is not
    known how many there are before they are asked for."""

    book_id: str
    title: str
    author: str
    characters: int | None
    descriptions: int | None
    own: bool
    automatic: bool = False


class Quiz:
    """A person's quizzes. text gives a book's text by its id, and raises NotThere for one that
    is not on the shelf; shelved are the ids of those that are, and automatic gives what a program
    reads of their characters."""

    def __init__(
        self,
        places: Places,
        announce: Callable[[str], None],
        text: Callable[[str], str],
        shelved: Callable[[], Mapping[str, tuple[str, str]]],
        automatic: Callable[[str], list[Described]] = bank.of_book,
    ) -> None:
        self._places = places
        self._announce = announce
        self._text = text
        self._shelved = shelved
        self._automatic = automatic

    @cached_property
    def history(self) -> History:
        return History(self._places.quiz_history, self._announce)

    def books(self) -> list[Quizzed]:
        """Every book with descriptions, packaged or a person's own, and every other book of the
        shelf, whose descriptions would be automatic, by title. A damaged file of a person's own
        is announced, and left out with its book."""
        found = []
        for book_id in sorted({*bank.packaged(), *self._own()}):
            try:
                characters = self.bank(book_id)
            except Damaged as damage:
                self._announce(f"{damage}; going on without it")
                continue
            title, author = self._titles.get(book_id, (book_id, ""))
            found.append(
                Quizzed(
                    book_id, title, author, len(characters),
                    sum(len(each.descriptions) for each in characters), book_id in self._own(),
                )
            )  # fmt: skip
        for book_id, (title, author) in self._shelved().items():
            if not self.has_written(book_id):
                found.append(Quizzed(book_id, title, author, None, None, False, automatic=True))
        return sorted(found, key=lambda each: each.title)

    def bank(self, book_id: str) -> list[Described]:
        """The descriptions of a book: a person's own, or the packaged ones, or what a program
        reads from its text. Raises NotThere for a book that is not on the shelf either."""
        if self.has_written(book_id) or book_id not in self._shelved():
            return self.written(book_id) or bank.of_book(book_id)
        return self._automatic(book_id)

    def written(self, book_id: str) -> list[Described]:
        """The descriptions of a book that people wrote, a person's own before packaged ones;
        none where there are none."""
        own = self._own().get(book_id)
        if own:
            return bank.read(own)
        return bank.of_book(book_id) if book_id in bank.packaged() else []

    def has_written(self, book_id: str) -> bool:
        """Whether anybody wrote descriptions of a book."""
        return book_id in self._own() or book_id in bank.packaged()

    def book_id(self, reference: str) -> str:
        """The book meant by an id, a number or a piece of a title that has descriptions.

        Raises NotThere and UsageError as Library.book does.
        """
        wanted = reference.strip().casefold().partition(":")[0]
        there = {each.book_id: each.title for each in self.books()}
        for exact in (wanted, f"pg{wanted}"):
            if exact in there:
                return exact
        found = [each for each, title in there.items() if wanted and wanted in title.casefold()]
        if len(found) == 1:
            return found[0]
        named = "; ".join(f"{each} {there[each]}" for each in (found or sorted(there))[:15])
        if found:
            raise UsageError(f"{reference!r} could be several books; give an id: {named}")
        raise NotThere(
            f"there are no descriptions of {one_line(reference, 80)!r}; there are of: {named}"
        )

    def questions(
        self,
        books: Sequence[str] = (),
        *,
        n: int = 10,
        seed: int = 0,
        kind: str = "mixed",
        levels: Collection[int] = LEVELS,
        upto: int | None = None,
        anonymize: bool = False,
        due: datetime | None = None,
    ) -> list[Question]:
        """n questions about some books, or those of the shelf, or the bundled ones; with due
        the cards that are due by then, and nothing else.

        upto is a chapter, as locators count, behind which nothing is told; anonymize gives the
        characters other names. Raises NotThere for a book without descriptions, and what
        questions.make raises.
        """
        chosen = list(dict.fromkeys(map(self.book_id, books))) or self._usual()
        if upto is not None and len(chosen) > 1:
            raise UsageError("--upto is a chapter of one book; name it: -b BOOK")
        if due is not None:
            return self._due(due, chosen if books else None, n, seed, kind, upto)
        asked: list[Question] = []
        for at, book_id in enumerate(chosen):
            automatic = not self.has_written(book_id)
            share = n // len(chosen) + (at < n % len(chosen))
            if share:
                if automatic:
                    self._say_automatic(book_id)
                made = questions.make(
                    self.bank(book_id), book_id, share, seed, kind, levels,
                    upto=upto, tell=self._announce,
                )  # fmt: skip
                if automatic:
                    made = [replace(each, automatic=True) for each in made]
                asked += self._renamed(made, book_id, seed) if anonymize else made
        return asked

    def bring(self, path: Path, book_id: str | None, replace: bool) -> list[exchange.Brought]:
        """Keep a person's own descriptions of a file; see exchange.bring."""
        return exchange.bring(path, self._places.descriptions, book_id, replace=replace)

    def banks(self, books: Sequence[str] = ()) -> dict[str, list[Described]]:
        """The descriptions of some books, or all that people wrote."""
        chosen = [*map(self.book_id, books)] or [
            each.book_id for each in self.books() if not each.automatic
        ]
        for book_id in chosen:
            if not self.has_written(book_id):
                self._say_automatic(book_id)
        return {book_id: self.bank(book_id) for book_id in chosen}

    @property
    def titles(self) -> dict[str, str]:
        return {book_id: title for book_id, (title, _) in self._titles.items()}

    def _say_automatic(self, book_id: str) -> None:
        title = self.titles.get(book_id, book_id)
        self._announce(
            f"nobody has written descriptions of {title}; these descriptions were read from the "
            "book by a program and may be wrong"
        )

    # -- below -------------------------------------------------------------------------------

    @cached_property
    def _titles(self) -> dict[str, tuple[str, str]]:
        file = resources.files(__package__) / "bank" / "titles.json"
        packaged = {book: (title, author) for book, (title, author) in
                    json.loads(file.read_text("utf-8")).items()}  # fmt: skip
        return {**packaged, **self._shelved()}

    def _own(self) -> dict[str, Path]:
        return {path.stem: path for path in sorted(self._places.descriptions.glob("*.jsonl"))}

    def _usual(self) -> list[str]:
        described = {*bank.packaged(), *self._own()}
        return [each for each in self._shelved() if each in described] or list(STARTERS)

    def _due(
        self,
        now: datetime,
        books: Collection[str] | None,
        n: int,
        seed: int,
        kind: str,
        upto: int | None,
    ) -> list[Question]:
        asked: list[Question] = []
        described = {*bank.packaged(), *self._own(), *self._shelved()}
        cards = [each for each in self.history.due(now, books) if each.book_id in described][:n]
        for book_id in dict.fromkeys(each.book_id for each in cards):
            made = questions.again(
                self.bank(book_id), book_id,
                [(each.character, each.description, each.level)
                 for each in cards if each.book_id == book_id],
                seed, kind, upto=upto, tell=self._announce,
            )  # fmt: skip
            if not self.has_written(book_id):
                self._say_automatic(book_id)
                made = [replace(each, automatic=True) for each in made]
            asked += made
        return asked

    def _renamed(self, asked: Sequence[Question], book_id: str, seed: int) -> list[Question]:
        """Questions with other names; what is kept of the answers keeps the true ones."""
        from scholar_indexes.characters import rename

        table = rename.table(self.bank(book_id), self._text(book_id), seed)
        return [
            replace(
                each,
                text=table.apply(each.text),
                choices=tuple(map(table.apply, each.choices)),
                names=each.names or each.choices,
            )
            for each in asked
        ]
