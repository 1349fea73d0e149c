"""A book's folder: saved content reads back unchanged, and damage is reported."""

from __future__ import annotations

import errno
import io
import os
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.errors import Damaged, ScholarError
from scholar_indexes.storage import book_folder
from scholar_indexes.types import Book, Chapter, ChapterKind, Sentence, Span

BOOK = Book("pg84", "A Title", "Ann Example", "en", "a file", "0" * 64)
TEXT = "CHAPTER I\n\nIt rained. “Why?”\r\n\tÉ🌧\x85 end"
CHAPTERS = [
    Chapter(0, "", (), ChapterKind.FRONT, Span(0, 0), Span(0, 0)),
    Chapter(1, "Chapter “I”", ("Volume I",), ChapterKind.CHAPTER, Span(0, 30), Span(11, 30)),
]
SENTENCES = [Sentence(1, 1, Span(11, 21)), Sentence(1, 1, Span(22, 28))]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    book_folder.save(tmp_path / "books" / "pg84.7", BOOK, TEXT, CHAPTERS, SENTENCES)
    return tmp_path / "books" / "pg84.7"


def other_array(array: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


@pytest.mark.parametrize(
    ("file", "content"),
    [
        pytest.param("text.txt", None, id="no text"),
        pytest.param("text.txt", b"\xff\xfe", id="text that is not UTF-8"),
        pytest.param("chapters.json", None, id="no chapters"),
        pytest.param("chapters.json", b"", id="empty chapters"),
        pytest.param("chapters.json", b"[{}]", id="chapters without fields"),
        pytest.param("chapters.json", b'{"a": 1}', id="chapters that are no list"),
        pytest.param("chapters.json", b"[1, 2]", id="chapters that are numbers"),
        pytest.param("sentences.npy", None, id="no sentences"),
        pytest.param("sentences.npy", b"", id="empty sentences"),
        pytest.param("sentences.npy", b"\x93NUMPY", id="cut sentences"),
        pytest.param("sentences.npy", b"PK\x03\x04", id="an archive"),
        pytest.param("sentences.npy", other_array(np.zeros((3, 2), np.int32)), id="two columns"),
        pytest.param("sentences.npy", other_array(np.zeros((3, 4))), id="other numbers"),
        pytest.param(
            "sentences.npy", other_array(np.array([["x"] * 4], dtype=object)), id="pickled"
        ),
    ],
)
def test_a_damaged_folder_names_its_book_and_what_to_run(
    folder: Path, file: str, content: bytes | None
) -> None:
    (folder / file).unlink()
    if content is not None:
        (folder / file).write_bytes(content)
    read = {"t": book_folder.text, "c": book_folder.chapters, "s": book_folder.sentences}[file[0]]
    repair = "" if file == "text.txt" else ", or, if its text is intact: scholar doctor --repair"
    with pytest.raises(Damaged, match=f"run: scholar add 84 --refresh{repair}$"):
        read(folder)


def flip(path: Path, byte: int) -> None:
    content = bytearray(path.read_bytes())
    content[byte] ^= 1
    path.write_bytes(content)


def read_all(folder: Path) -> None:
    book_folder.text(folder)
    book_folder.chapters(folder)
    book_folder.sentences(folder)
    book_folder.imprint(folder)


@pytest.mark.parametrize(
    "name", ["text.txt", "chapters.json", "sentences.npy", "imprint.json", "book.json"]
)
def test_a_flipped_bit_anywhere_is_noticed(folder: Path, name: str) -> None:
    size = (folder / name).stat().st_size
    for byte in range(size):
        flip(folder / name, byte)
        with pytest.raises(Damaged, match="scholar add 84 --refresh"):
            read_all(folder)
        flip(folder / name, byte)
    read_all(folder)


def test_a_file_that_is_gone_is_noticed_if_it_was_written(folder: Path) -> None:
    (folder / "imprint.json").unlink()
    with pytest.raises(Damaged, match=r"imprint\.json is missing"):
        book_folder.imprint(folder)


def test_a_changed_header_of_sentences_without_a_hash_is_damage(folder: Path) -> None:
    (folder / "book.json").unlink()
    whole = (folder / "sentences.npy").read_bytes()
    for byte in range(whole.index(b"\n")):
        flip(folder / "sentences.npy", byte)
        with suppress(Damaged):
            book_folder.sentences(folder)
        (folder / "sentences.npy").write_bytes(whole)


@pytest.mark.parametrize("refused", [errno.EACCES, errno.EPERM])
def test_a_file_that_may_not_be_read_is_not_called_damaged(
    folder: Path, refused: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, *_: object) -> None:
        raise OSError(refused, os.strerror(refused), str(path))

    monkeypatch.setattr(os, "open", refuse)
    for read in (book_folder.text, book_folder.chapters, book_folder.sentences):
        with pytest.raises(
            ScholarError, match=r"no permission to read .*change its perm"
        ) as raised:
            read(folder)
        assert not isinstance(raised.value, Damaged)


def test_a_folder_has_the_permissions_that_the_umask_allows(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        book_folder.save(tmp_path / "pg84.1", BOOK, TEXT, CHAPTERS, SENTENCES)
    finally:
        os.umask(before)
    modes = {path.stat().st_mode & 0o777 for path in (tmp_path / "pg84.1").iterdir()}
    assert ((tmp_path / "pg84.1").stat().st_mode & 0o777, modes) == (0o750, {0o640})


@pytest.mark.parametrize("failing", ["text", "sentences"])
def test_a_save_that_fails_leaves_nothing(tmp_path: Path, failing: str) -> None:
    text = "\ud800" if failing == "text" else TEXT
    sentences = [Sentence(1, 1, Span(0, 2**40))] if failing == "sentences" else SENTENCES
    with pytest.raises((UnicodeEncodeError, OverflowError)):
        book_folder.save(tmp_path / "books" / "pg84.1", BOOK, text, CHAPTERS, sentences)
    assert list((tmp_path / "books").iterdir()) == []


def test_a_saved_book_is_read_back(folder: Path) -> None:
    assert book_folder.text(folder) == TEXT
    assert book_folder.chapters(folder) == CHAPTERS
    rows = book_folder.sentences(folder)
    assert rows.tolist() == [[1, 1, 11, 21], [1, 1, 22, 28]]
    assert [path.name for path in folder.parent.iterdir()] == ["pg84.7"]
    written = book_folder.manifest(folder)
    assert written is not None
    assert written.book == BOOK


@given(st.text(st.characters(codec="utf-8")))
def test_any_text_is_read_as_it_was_saved(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    folder = tmp_path_factory.mktemp("books") / "pg84.1"
    book_folder.save(folder, BOOK, text, CHAPTERS, SENTENCES)
    assert book_folder.text(folder) == text


def test_a_book_without_sentences_can_be_saved_and_read(tmp_path: Path) -> None:
    book_folder.save(tmp_path / "pg84.1", BOOK, TEXT, CHAPTERS, [])
    assert book_folder.sentences(tmp_path / "pg84.1").shape == (0, 4)


def test_saving_again_replaces_the_folder(folder: Path) -> None:
    book_folder.save(folder, BOOK, "Other.", CHAPTERS[:1], [])
    assert book_folder.text(folder) == "Other."
    assert len(book_folder.chapters(folder)) == 1


def test_clearing_takes_what_killed_processes_left_and_keeps_folders_nobody_knows(
    folder: Path,
) -> None:
    (folder.parent / ".adding-x1").mkdir()
    (folder.parent / "pg2.1").mkdir()
    book_folder.clear_temporary(folder.parent)
    assert sorted(path.name for path in folder.parent.iterdir()) == ["pg2.1", "pg84.7"]


def test_clearing_a_folder_of_books_that_is_not_there_does_nothing(tmp_path: Path) -> None:
    book_folder.clear_temporary(tmp_path / "books")
    assert not (tmp_path / "books").exists()


def test_deleting_a_folder_that_is_gone_does_nothing(folder: Path) -> None:
    book_folder.delete(folder)
    book_folder.delete(folder)
    assert not folder.exists()
