"""The corrections of the user, one file per book.

<book id>.toml            the corrections in force
<book id>.before.toml     those before the last change
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scholar_indexes.attribution.corrections import toml_form
from scholar_indexes.attribution.corrections.kinds import Correction
from scholar_indexes.errors import Damaged, UsageError
from scholar_indexes.guarded import read_text
from scholar_indexes.locks import explain_write_errors
from scholar_indexes.storage import atomic
from scholar_indexes.types import Book

MAX_BYTES = 4 * toml_form.MAX_CHARS
"""The largest file that is read."""


class CorrectionStore:
    """The files of corrections in a folder of the user's data."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def load(self, book_id: str) -> tuple[Correction, ...]:
        """Return the corrections of a book, none where it has no file; raises Damaged."""
        path = self._path(book_id)
        try:
            return toml_form.loads(read_text(path, MAX_BYTES), book_id)
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, UsageError) as error:
            raise Damaged(
                f"the corrections in {path} cannot be read ({error}); correct the file, or "
                f"replace it: scholar characters {book_id} --import FILE"
            ) from None

    def save(self, book: Book, corrections: Sequence[Correction]) -> Path | None:
        """Write the corrections of a book; return the file that has what was there before."""
        path, before = self._path(book.id), self._folder / f"{book.id}.before.toml"
        files = {path: toml_form.dumps(book, corrections).encode("utf-8")}
        with explain_write_errors(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            if path.exists():
                files[before] = path.read_bytes()
            atomic.write_files(files)
        return before if before in files else None

    def _path(self, book_id: str) -> Path:
        return self._folder / f"{book_id}.toml"
