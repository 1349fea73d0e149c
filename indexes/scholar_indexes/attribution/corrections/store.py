"""The corrections of the user, one file per book.

<book id>.toml            the corrections in force
<book id>.before.toml     the corrections before the last change
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scholar_indexes.attribution.corrections import toml_form
from scholar_indexes.attribution.corrections.kinds import Correction
from scholar_indexes.errors import Damaged, UsageError
from scholar_indexes.guarded import decode, read_bytes
from scholar_indexes.locks import explain_write_errors
from scholar_indexes.storage import checked_files
from scholar_indexes.types import Book

MAX_BYTES = 4 * toml_form.MAX_CHARS
"""The size of the largest file that is read."""


class CorrectionStore:
    """The files of corrections in a folder of the user's data."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def book_ids(self) -> list[str]:
        """Return the ids of the books with corrections, including lost ones, sorted."""
        paths = (*self._folder.glob("*.toml"), *self.lost())
        names = {path.name.removesuffix(".toml") for path in paths}
        return sorted(name for name in names if not name.endswith(".before"))

    def lost(self) -> list[Path]:
        """Return the files of corrections that no longer exist."""
        return checked_files.lost(self._folder)

    def forget_lost(self) -> list[Path]:
        """Treat the lost files as never written, and return them."""
        with explain_write_errors(self._folder):
            return checked_files.forget_lost(self._folder)

    def load(self, book_id: str) -> tuple[Correction, ...]:
        """Return the corrections of a book, none if it has no file; raises Damaged."""
        path = self._path(book_id)
        try:
            content = read_bytes(path, MAX_BYTES)
            corrections = toml_form.loads(decode(content), book_id)
        except FileNotFoundError:
            if checked_files.is_lost(path):
                raise Damaged(
                    f"the corrections in {path} are missing; restore them from a backup, or, to "
                    "continue without them, run: scholar doctor --repair"
                ) from None
            return ()
        except (OSError, ValueError, UsageError) as error:
            raise Damaged(
                f"the corrections in {path} cannot be read ({error}); correct the file, or "
                f"replace it: scholar characters {book_id} --import FILE"
            ) from None
        if not checked_files.is_as_written(path, content):
            raise Damaged(
                f"the corrections in {path} differ from what was written (the disk is damaged, or "
                "another program changed them); check them, and to use them as they are, run: "
                f"scholar characters {book_id} --import {path}"
            )
        return corrections

    def save(self, book: Book, corrections: Sequence[Correction]) -> Path | None:
        """Write the corrections of a book; return the file of the earlier ones, if any."""
        path, before = self._path(book.id), self._folder / f"{book.id}.before.toml"
        files = {path: toml_form.dumps(book, corrections).encode("utf-8")}
        with explain_write_errors(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            if path.exists():
                files[before] = read_bytes(path, MAX_BYTES)
            checked_files.write(files)
        return before if before in files else None

    def _path(self, book_id: str) -> Path:
        return self._folder / f"{book_id}.toml"
