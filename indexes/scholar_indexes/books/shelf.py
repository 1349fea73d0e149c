"""A book's own folder: its text, its divisions and where its sentences stand.

    text.txt         the stored text, UTF-8, never altered
    chapters.json    title, part, kind and spans of each division
    sentences.npy    int32 (n, 4): chapter, paragraph, start, end of each sentence

A folder is written beside its place and moved there whole, so it is complete or absent.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_indexes.errors import Damaged
from scholar_indexes.types import Chapter, Kind, Sentence, Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def save(
    folder: Path, text: str, chapters: Sequence[Chapter], sentences: Sequence[Sentence]
) -> None:
    """Write a book's folder whole; one that stands there already is replaced."""
    import numpy as np

    folder.parent.mkdir(parents=True, exist_ok=True)
    working = Path(tempfile.mkdtemp(prefix=".adding-", dir=folder.parent))
    try:
        working.chmod(0o755)
        (working / "text.txt").write_bytes(text.encode("utf-8"))
        listed = [
            {"number": each.number, "title": each.title, "part": each.part, "kind": each.kind,
             "span": [each.span.start, each.span.end], "body": [each.body.start, each.body.end]}
            for each in chapters
        ]  # fmt: skip
        (working / "chapters.json").write_text(json.dumps(listed, ensure_ascii=False), "utf-8")
        rows = [
            (each.chapter, each.paragraph, each.span.start, each.span.end) for each in sentences
        ]
        np.save(working / "sentences.npy", np.array(rows, np.int32).reshape(-1, 4))
        if folder.exists():
            shutil.rmtree(folder)
        working.rename(folder)
    except BaseException:
        shutil.rmtree(working, ignore_errors=True)
        raise


def text(folder: Path, sha256: str | None = None) -> str:
    """The stored text; raises Damaged when it is not there, or not of this hash."""
    try:
        stored = (folder / "text.txt").read_bytes()
        if sha256 is not None and hashlib.sha256(stored).hexdigest() != sha256:
            raise _damaged(folder, ValueError())
        return stored.decode("utf-8")
    except (OSError, UnicodeDecodeError) as broken:
        raise _damaged(folder, broken) from broken


def chapters(folder: Path) -> list[Chapter]:
    """The divisions of the book, front matter first."""
    try:
        return [
            Chapter(each["number"], each["title"], tuple(each["part"]), Kind(each["kind"]),
                    Span(*each["span"]), Span(*each["body"]))
            for each in json.loads((folder / "chapters.json").read_text("utf-8"))
        ]  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError) as broken:
        raise _damaged(folder, broken) from broken


def sentences(folder: Path) -> NDArray[np.int32]:
    """Where the sentences stand, (n, 4): chapter, paragraph, start, end; mapped, not read."""
    import numpy as np

    try:
        rows: NDArray[np.int32] = np.lib.format.open_memmap(folder / "sentences.npy", mode="r")
        if rows.ndim != 2 or rows.shape[1] != 4 or rows.dtype != np.int32:
            raise ValueError("sentences of another form")
        return rows
    except (OSError, ValueError) as broken:
        raise _damaged(folder, broken) from broken


def clear(books: Path, leftovers: Iterable[str]) -> None:
    """Delete the folders of some editions, and those that were never moved to their place.

    Folders nobody knows stay: when a damaged list of books is moved away, they are what
    is left of the books.
    """
    for folder in (*books.glob(".adding-*"), *(books / name for name in leftovers)):
        shutil.rmtree(folder, ignore_errors=True)


def _damaged(folder: Path, broken: Exception) -> Damaged:
    book = folder.name.rpartition(".")[0]
    return Damaged(
        f"the stored text of {book} is damaged ({type(broken).__name__}); "
        f"run: scholar books remove {book}, then add it again"
    )
