"""The folder of a stored book: its text, its chapters and the spans of its sentences.

    text.txt         the stored text, UTF-8, never altered
    chapters.json    title, part, kind and spans of each chapter, and its scene breaks that are
                     not in the text; a book stored by an older version has none
    sentences.npy    int32 (n, 4): chapter, paragraph, start, end of each sentence
    imprint.json     translators, editors and year of the edition
    book.json        the catalogue's record of the book, and the hash of each of these files

A folder is written atomically, so it is complete or absent. Every file is compared with its hash
when it is read; a folder written before hashes were introduced has no book.json.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_indexes.errors import Damaged
from scholar_indexes.guarded import parse_json, read_bytes
from scholar_indexes.locks import explain_read_errors
from scholar_indexes.storage import sealed_json
from scholar_indexes.storage.atomic import atomic_folder, write_bytes, write_files
from scholar_indexes.types import (
    NO_IMPRINT,
    Book,
    Chapter,
    ChapterKind,
    Imprint,
    SceneBreak,
    Sentence,
    Span,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TEXT = "text.txt"
CHAPTERS = "chapters.json"
SENTENCES = "sentences.npy"
IMPRINT = "imprint.json"
MANIFEST = "book.json"

MAX_FILE_BYTES = 1 << 30
"""The largest file of a book that is read; a source has at most 64 MiB."""

_TEMPORARY_PREFIX = ".adding-"
_NAME = re.compile(r"(?P<id>.+)\.(?P<edition>[0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class BookManifest:
    """The record of a folder: its book as in the catalogue, and the SHA-256 of each file."""

    book: Book
    hashes: dict[str, str]


@dataclass(frozen=True, slots=True)
class FolderName:
    """The parts of the name of a book's folder: the id and the edition number."""

    book_id: str
    edition: int


def parse_name(name: str) -> FolderName | None:
    """Return the parts of the name of a book's folder, None for another name."""
    match = _NAME.fullmatch(name)
    return FolderName(match["id"], int(match["edition"])) if match else None


def names(books: Path) -> list[str]:
    """Return the names of the folders that contain the text of a book, sorted; raises ScholarError
    if the folder of books cannot be read."""
    if not books.is_dir():
        return []
    with explain_read_errors(books):
        return sorted(
            folder.name
            for folder in books.iterdir()
            if parse_name(folder.name) and (folder / TEXT).is_file()
        )


def highest_edition(books: Path) -> int:
    """Return the highest edition number of a book's folder, 0 if there are none."""
    parsed = map(parse_name, (path.name for path in books.glob("*.*")))
    return max((name.edition for name in parsed if name), default=0)


def save(
    folder: Path,
    book: Book,
    text: str,
    chapters: Sequence[Chapter],
    sentences: Sequence[Sentence],
    imprint: Imprint = NO_IMPRINT,
) -> None:
    """Write the folder of a book, replacing an existing one."""
    with atomic_folder(folder, _TEMPORARY_PREFIX) as temporary:
        (temporary / TEXT).write_bytes(text.encode("utf-8"))
        (temporary / IMPRINT).write_text(json.dumps(asdict(imprint), ensure_ascii=False), "utf-8")
        for name, content in _parts(chapters, sentences).items():
            (temporary / name).write_bytes(content)
        add_manifest(temporary, book)


def replace_parts(
    folder: Path, book: Book, chapters: Sequence[Chapter], sentences: Sequence[Sentence]
) -> None:
    """Rewrite the chapters and sentences of a stored text, and then the hashes of all files; the
    caller has checked the other files."""
    contents = _parts(chapters, sentences)
    write_files({folder / name: content for name, content in contents.items()})
    add_manifest(folder, book)


def _parts(chapters: Sequence[Chapter], sentences: Sequence[Sentence]) -> dict[str, bytes]:
    """Return the contents of the files of chapters and sentences by name."""
    import numpy as np

    records = [
        {
            "number": chapter.number,
            "title": chapter.title,
            "part": chapter.part,
            "kind": chapter.kind,
            "span": [chapter.span.start, chapter.span.end],
            "body": [chapter.body.start, chapter.body.end],
            "breaks": [[one.span.start, one.ornament] for one in chapter.breaks],
        }
        for chapter in chapters
    ]
    rows = [
        (sentence.chapter, sentence.paragraph, sentence.span.start, sentence.span.end)
        for sentence in sentences
    ]
    array = BytesIO()
    np.save(array, np.array(rows, np.int32).reshape(-1, 4))
    return {
        CHAPTERS: json.dumps(records, ensure_ascii=False).encode("utf-8"),
        SENTENCES: array.getvalue(),
    }


def add_manifest(folder: Path, book: Book) -> None:
    """Write the record of a book, and the current hashes of its files, into its folder."""
    hashes = {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest()
        for name in (TEXT, CHAPTERS, SENTENCES, IMPRINT)
        if (folder / name).is_file()
    }
    write_bytes(folder / MANIFEST, sealed_json.dump({"book": asdict(book), "files": hashes}))


def content(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder by name, including files derived from the text."""
    with explain_read_errors(folder):
        return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def manifest(folder: Path) -> BookManifest | None:
    """Return the manifest of a folder, None for an old folder without one; raises Damaged."""
    try:
        with explain_read_errors(folder):
            record = sealed_json.load(read_bytes(folder / MANIFEST))
        book = Book(*(str(record["book"][name]) for name in Book.__slots__))
        name = parse_name(folder.name)
        if name and name.book_id != book.id:
            raise ValueError("it belongs to another book")
        hashes = {str(file): str(sha256) for file, sha256 in record["files"].items()}
        return BookManifest(book, hashes)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise _damaged(folder, MANIFEST, error) from error


def imprint(folder: Path) -> Imprint | None:
    """Return the imprint of a book's source; None for a book that was stored without one.

    Raises Damaged if it was changed.
    """
    if not (folder / IMPRINT).exists():
        written = manifest(folder)
        if written is None or IMPRINT not in written.hashes:
            return None
    stored = _read(folder, IMPRINT)
    try:
        record = parse_json(stored)
        year = record["year"]
        return Imprint(
            tuple(map(str, record["translators"])),
            tuple(map(str, record["editors"])),
            None if year is None else int(year),
        )
    except (ValueError, KeyError, TypeError):
        return None


def text(folder: Path, sha256: str | None = None) -> str:
    """Return the stored text; raises Damaged if it is missing or has another hash."""
    stored = _read(folder, TEXT, sha256)
    try:
        return stored.decode("utf-8")
    except ValueError as error:
        raise _damaged(folder, TEXT, error) from error


def check_text(folder: Path, sha256: str) -> None:
    """Compare the text and the chapters with their hashes; raises Damaged."""
    written = manifest(folder)
    _read(folder, TEXT, sha256, written)
    if written is None:
        chapters(folder)
    else:
        _read(folder, CHAPTERS, None, written)


def has_text(folder: Path, sha256: str) -> bool:
    """Return True if the stored text has this hash, whatever the manifest says."""
    try:
        return hashlib.sha256((folder / TEXT).read_bytes()).hexdigest() == sha256
    except OSError:
        return False


def modified(folder: Path) -> int:
    """Return the modification time of the chapters in nanoseconds; raises Damaged if they are
    missing."""
    try:
        with explain_read_errors(folder / CHAPTERS):
            return (folder / CHAPTERS).stat().st_mtime_ns
    except OSError as error:
        raise _damaged(folder, CHAPTERS, error) from error


State = tuple[tuple[int, int, int], ...]
"""The time, size and inode of each file of a book."""


def state(folder: Path) -> State:
    """Return a value that differs after a change to a file of the text, the chapters or the
    sentences; missing files are ignored."""
    stamps = []
    for name in (TEXT, CHAPTERS, SENTENCES, MANIFEST):
        with suppress(OSError):
            status = (folder / name).stat()
            stamps.append((status.st_mtime_ns, status.st_size, status.st_ino))
    return tuple(stamps)


def chapters(folder: Path) -> list[Chapter]:
    """Return the chapters of the book, front matter first."""
    stored = _read(folder, CHAPTERS)
    try:
        return [
            Chapter(
                record["number"],
                record["title"],
                tuple(record["part"]),
                ChapterKind(record["kind"]),
                Span(*record["span"]),
                Span(*record["body"]),
                breaks=tuple(
                    SceneBreak(Span(int(at), int(at)), str(ornament))
                    for at, ornament in record.get("breaks", ())
                ),
            )
            for record in parse_json(stored)
        ]
    except (ValueError, KeyError, TypeError) as error:
        raise _damaged(folder, CHAPTERS, error) from error


def sentences(folder: Path) -> NDArray[np.int32]:
    """Return the sentences as rows (n, 4) of chapter, paragraph, start and end."""
    import numpy as np

    stored = BytesIO(_read(folder, SENTENCES))
    try:
        # A pickled array could run code.
        rows: NDArray[np.int32] = np.lib.format.read_array(stored, allow_pickle=False)
        if rows.ndim != 2 or rows.shape[1] != 4 or rows.dtype != np.int32:
            raise ValueError("sentences of another shape")
    except Exception as error:  # numpy evaluates the header, which can raise errors of any class
        raise _damaged(folder, SENTENCES, error) from error
    rows.flags.writeable = False
    return rows


def delete(folder: Path) -> None:
    """Delete the folder of a book, or what an earlier attempt left of it; raises OSError."""
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)


def clear_temporary(books: Path) -> None:
    """Delete the temporary folders of killed processes, as far as possible.

    Other folders that are not in the catalogue are kept: after a damaged catalogue is set aside,
    they are what is left of the books.
    """
    for folder in books.glob(f"{_TEMPORARY_PREFIX}*"):
        shutil.rmtree(folder, ignore_errors=True)


def _read(
    folder: Path, name: str, sha256: str | None = None, written: BookManifest | None = None
) -> bytes:
    """Return the content of a file of a book, compared with its hash in the manifest, if any, and
    with `sha256`.

    Raises Damaged, and ScholarError if there is no permission to read the file.
    """
    try:
        with explain_read_errors(folder / name):
            stored = read_bytes(folder / name, MAX_FILE_BYTES)
    except (OSError, ValueError) as error:
        raise _damaged(folder, name, error) from error
    written, digest = written or manifest(folder), hashlib.sha256(stored).hexdigest()
    expected = {digest if sha256 is None else sha256}
    expected.add(digest if written is None else written.hashes.get(name, ""))
    if expected != {digest}:
        raise _damaged(folder, name, ValueError("it does not match its hash"))
    return stored


def _damaged(folder: Path, file_name: str, error: Exception) -> Damaged:
    missing = isinstance(error, FileNotFoundError)
    how = f"its {file_name} " + ("is missing" if missing else "was changed")
    return damage(folder, how, follows_from_text=file_name not in (TEXT, IMPRINT))


def damage(folder: Path, how: str, *, follows_from_text: bool = False) -> Damaged:
    """Return the error for a damaged book folder, which says how to repair it;
    `follows_from_text` means that its text is enough for that."""
    name = parse_name(folder.name)
    book = name.book_id if name else folder.name
    number = re.fullmatch(r"pg([0-9]+)", book)
    add = f"scholar add {number[1]} --refresh" if number else "scholar add FILE --refresh"
    source = "" if number else " with its original file"
    again = ", or, if its text is intact: scholar doctor --repair" if follows_from_text else ""
    return Damaged(f"the stored text of {book} is damaged ({how}); run{source}: {add}{again}")
