"""The folder of a stored book: its text, its chapters and the spans of its sentences.

    text.txt         the stored text, UTF-8, never altered
    chapters.json    title, part, kind and spans of each chapter
    sentences.npy    int32 (n, 4): chapter, paragraph, start, end of each sentence
    imprint.json     translators, editors and year of the edition

A folder is written atomically, so it is complete or absent.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_indexes.errors import Damaged
from scholar_indexes.storage.atomic import atomic_folder
from scholar_indexes.types import NO_IMPRINT, Chapter, ChapterKind, Imprint, Sentence, Span

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

IMPRINT = "imprint.json"

_TEMPORARY_PREFIX = ".adding-"


def save(
    folder: Path,
    text: str,
    chapters: Sequence[Chapter],
    sentences: Sequence[Sentence],
    imprint: Imprint = NO_IMPRINT,
) -> None:
    """Write the folder of a book, replacing one that is there already."""
    import numpy as np

    with atomic_folder(folder, _TEMPORARY_PREFIX) as temporary:
        (temporary / "text.txt").write_bytes(text.encode("utf-8"))
        records = [
            {
                "number": chapter.number,
                "title": chapter.title,
                "part": chapter.part,
                "kind": chapter.kind,
                "span": [chapter.span.start, chapter.span.end],
                "body": [chapter.body.start, chapter.body.end],
            }
            for chapter in chapters
        ]
        (temporary / "chapters.json").write_text(json.dumps(records, ensure_ascii=False), "utf-8")
        (temporary / IMPRINT).write_text(json.dumps(asdict(imprint), ensure_ascii=False), "utf-8")
        rows = [
            (sentence.chapter, sentence.paragraph, sentence.span.start, sentence.span.end)
            for sentence in sentences
        ]
        np.save(temporary / "sentences.npy", np.array(rows, np.int32).reshape(-1, 4))


def imprint(folder: Path) -> Imprint | None:
    """Return what the source says of its edition; None for a book that was stored without it, or
    where that cannot be read."""
    try:
        record = json.loads((folder / IMPRINT).read_text("utf-8"))
        year = record["year"]
        return Imprint(
            tuple(map(str, record["translators"])),
            tuple(map(str, record["editors"])),
            None if year is None else int(year),
        )
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def text(folder: Path, sha256: str | None = None) -> str:
    """Return the stored text; raises Damaged if it is missing or has another hash."""
    try:
        stored = (folder / "text.txt").read_bytes()
        if sha256 is not None and hashlib.sha256(stored).hexdigest() != sha256:
            raise _damaged(folder, ValueError())
        return stored.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise _damaged(folder, error) from error


def modified(folder: Path) -> int:
    """Return the time at which the chapters were written, in nanoseconds; raises Damaged without
    them."""
    try:
        return (folder / "chapters.json").stat().st_mtime_ns
    except OSError as error:
        raise _damaged(folder, error) from error


def chapters(folder: Path) -> list[Chapter]:
    """Return the chapters of the book, front matter first."""
    try:
        return [
            Chapter(
                record["number"],
                record["title"],
                tuple(record["part"]),
                ChapterKind(record["kind"]),
                Span(*record["span"]),
                Span(*record["body"]),
            )
            for record in json.loads((folder / "chapters.json").read_text("utf-8"))
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _damaged(folder, error) from error


def sentences(folder: Path) -> NDArray[np.int32]:
    """Return the sentences as rows (n, 4) of chapter, paragraph, start and end.

    The file is mapped into memory, not read.
    """
    import numpy as np

    try:
        rows: NDArray[np.int32] = np.lib.format.open_memmap(folder / "sentences.npy", mode="r")
        if rows.ndim != 2 or rows.shape[1] != 4 or rows.dtype != np.int32:
            raise ValueError("sentences of another form")
        return rows
    except (OSError, ValueError) as error:
        raise _damaged(folder, error) from error


def clear(books: Path, leftovers: Iterable[str]) -> None:
    """Delete the folders named in `leftovers` and the temporary folders of killed processes.

    Other folders that the catalogue does not know stay: when a damaged catalogue is moved away,
    they are what is left of the books.
    """
    for folder in (*books.glob(f"{_TEMPORARY_PREFIX}*"), *(books / name for name in leftovers)):
        shutil.rmtree(folder, ignore_errors=True)


def _damaged(folder: Path, error: Exception) -> Damaged:
    book = folder.name.rpartition(".")[0]
    return Damaged(
        f"the stored text of {book} is damaged ({type(error).__name__}); "
        f"run: scholar books remove {book}, then add it again"
    )
