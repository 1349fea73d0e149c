"""Corrections to the characters of books: listing, exporting, adding, replacing and undoing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_indexes.attribution.corrections import toml_form
from scholar_indexes.attribution.corrections.application import add_first_words, apply, fingerprint
from scholar_indexes.attribution.corrections.kinds import Correction, SpeakerOf, kind_of
from scholar_indexes.errors import Damaged, UsageError
from scholar_indexes.results import CorrectionStatus
from scholar_indexes.types import Character, Progress, silent

if TYPE_CHECKING:
    from scholar_indexes.attribution.attribution_service import AttributionService
    from scholar_indexes.attribution.dialogue import Dialogue
    from scholar_indexes.books.book_service import BookService
    from scholar_indexes.books.reading.open_book import OpenBook
    from scholar_indexes.storage.write_lock import WriteLock


@dataclass(frozen=True, slots=True)
class CorrectionChange:
    """The number of a book's corrections after and before a change, and the earlier ones' file."""

    count: int
    count_before: int
    before: Path | None


class CorrectionService:
    """The corrections of books; methods take an id, a number or a part of a title and raise
    NoMatch for a book in which nobody speaks, and Damaged for a broken file of corrections."""

    def __init__(self, books: BookService, attribution: AttributionService, lock: WriteLock):
        self._books = books
        self._attribution = attribution
        self._store = attribution.corrections
        self._lock = lock

    def list(self, reference: str, progress: Progress = silent) -> list[CorrectionStatus]:
        """Return the corrections of a book, numbered from 1, with their problems, if any."""
        book = self._open(reference)
        corrections = self._store.load(book.book.id)
        problems = self._problems(book, corrections, progress)
        return [
            CorrectionStatus(
                number,
                kind_of(correction),
                str(correction),
                correction.note,
                problems.get(correction, ""),
            )
            for number, correction in enumerate(corrections, 1)
        ]

    def check(self) -> int:
        """Read all corrections and return their number; raises Damaged for a broken or missing
        file."""
        count = sum(len(self._store.load(book_id)) for book_id in self._store.book_ids())
        if lost := self._store.lost():
            raise Damaged(
                f"the earlier corrections in {lost[0]} are missing; restore them from a backup, "
                "or, to continue without them, run: scholar doctor --repair"
            )
        return count

    def forget_lost(self, progress: Progress = silent) -> Sequence[Path]:
        """Forget the missing files of corrections, and return them."""
        with self._lock.held(progress):
            return self._store.forget_lost()

    def fingerprint(self, reference: str) -> str:
        """Return a string that differs for corrections with another effect; empty if there are
        none that can be read."""
        try:
            return fingerprint(self._store.load(self._books.get(reference).book.id))
        except Damaged:
            return ""

    def cast(self, reference: str, progress: Progress = silent) -> tuple[Character, ...]:
        """Return the characters of a book that a correction may name."""
        book = self._open(reference)
        return self._attribution.dialogue(book, progress=progress, attribute_again=False).cast

    def export(self, reference: str, progress: Progress = silent) -> str:
        """Return the corrections of a book as TOML, with its characters in comments."""
        book = self._open(reference)
        corrections = self._store.load(book.book.id)
        dialogue = self._attribution.dialogue(book, progress=progress, attribute_again=False)
        return toml_form.dumps(book.book, corrections, dialogue.cast)

    def add(
        self, reference: str, corrections: Sequence[Correction], progress: Progress = silent
    ) -> CorrectionChange:
        """Add corrections to a book; see `replace` for the errors."""
        book = self._open(reference)
        detected = self._attribution.detected(book, progress=progress)  # not locked: may be slow
        with self._lock.held(progress):
            earlier = self._store.load(book.book.id)
            together = tuple(dict.fromkeys((*earlier, *corrections)))
            return self._put_in_force(book, detected, together, earlier)

    def replace(
        self,
        reference: str,
        text: str,
        progress: Progress = silent,
        *,
        edited_from: str | None = None,
    ) -> CorrectionChange:
        """Replace all corrections of a book by those in a TOML text.

        Raises UsageError and changes nothing if one is invalid, clashes with another or does not
        fit the book; one that did not fit before may stay. Raises it too if the corrections are
        no longer those in `edited_from`, the text before it was edited.
        """
        book = self._open(reference)
        corrections = toml_form.loads(text, book.book.id)
        detected = self._attribution.detected(book, progress=progress) if corrections else None
        with self._lock.held(progress):
            try:
                earlier = self._store.load(book.book.id)
            except Damaged:
                earlier = ()
            if edited_from is not None and earlier != toml_form.loads(edited_from, book.book.id):
                raise UsageError(
                    f"the corrections of {book.book.id} were changed while you edited them (see "
                    f"them with: scholar characters {book.book.id} --corrections)"
                )
            return self._put_in_force(book, detected, corrections, earlier)

    def undo(
        self, reference: str, number: int, progress: Progress = silent, *, text: str = ""
    ) -> CorrectionChange:
        """Remove the correction with a number or, if its text is not `text`, the first that has
        that text; raises UsageError if there is none."""
        book = self._open(reference)
        with self._lock.held(progress):
            corrections = self._store.load(book.book.id)
            number = _number_of(corrections, number, text) if text else number
            if not 1 <= number <= len(corrections):
                raise UsageError(
                    f"correction {text or number} does not exist, the book has {len(corrections)}; "
                    f"see: scholar characters {book.book.id} --corrections"
                )
            remaining = (*corrections[: number - 1], *corrections[number:])
            before = self._store.save(book.book, remaining)
        return CorrectionChange(len(remaining), len(corrections), before)

    def _open(self, reference: str) -> OpenBook:
        return self._books.open(self._books.get(reference))

    def _put_in_force(
        self,
        book: OpenBook,
        detected: Dialogue | None,
        corrections: Sequence[Correction],
        earlier: Sequence[Correction],
    ) -> CorrectionChange:
        """Save corrections in place of earlier ones; raises UsageError for a new problem.

        `detected` is the dialogue without corrections; None will do if there are none to save.
        """
        if detected is not None:
            known = apply(book, detected, earlier).problems
            for correction, problem in apply(book, detected, corrections).problems.items():
                if correction not in known:
                    raise UsageError(f"{correction}: {problem}; nothing was changed")
            if any(isinstance(correction, SpeakerOf) for correction in corrections):
                corrections = add_first_words(book, detected, corrections)
        if corrections == earlier:
            return CorrectionChange(len(earlier), len(earlier), None)
        before = self._store.save(book.book, corrections)
        return CorrectionChange(len(corrections), len(earlier), before)

    def _problems(
        self, book: OpenBook, corrections: Sequence[Correction], progress: Progress
    ) -> dict[Correction, str]:
        """Return the problems of the corrections that do not fit the detected dialogue."""
        if not corrections:
            return {}
        detected = self._attribution.detected(book, progress=progress)
        return dict(apply(book, detected, corrections).problems)


def _number_of(corrections: Sequence[Correction], number: int, text: str) -> int:
    """Return the number of a correction with this text, preferably the given number; 0 if there is
    none."""
    numbers = [row for row, correction in enumerate(corrections, 1) if str(correction) == text]
    if number in numbers:
        return number
    return numbers[0] if numbers else 0
