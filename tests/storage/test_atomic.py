"""Atomic writes: complete at their path, or the previous content."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

from scholar_indexes.errors import ScholarError
from scholar_indexes.locks import explain_write_errors
from scholar_indexes.storage.atomic import (
    atomic_file,
    atomic_folder,
    discard_leftovers,
    move_file,
    write_bytes,
    write_files,
    write_text,
)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_text_is_written_as_utf_8_with_its_line_ends(tmp_path: Path) -> None:
    write_text(tmp_path / "file", "é\r\nb\n")
    assert (tmp_path / "file").read_bytes() == "é\r\nb\n".encode()
    assert names(tmp_path) == ["file"]


def test_a_file_that_is_there_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("before", "utf-8")
    write_bytes(tmp_path / "file", b"after")
    assert (tmp_path / "file").read_bytes() == b"after"


def test_a_written_file_has_the_permissions_of_any_other(tmp_path: Path) -> None:
    (tmp_path / "other").touch()
    write_bytes(tmp_path / "file", b"")
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("file", "other")}
    assert len(modes) == 1


@pytest.mark.parametrize("failure", [ValueError("broken"), KeyboardInterrupt()], ids=repr)
def test_an_interrupted_write_leaves_what_was_there(tmp_path: Path, failure: BaseException) -> None:
    (tmp_path / "file").write_text("before", "utf-8")

    def write() -> None:
        with atomic_file(tmp_path / "file") as temporary:
            temporary.write_text("half", "utf-8")
            raise failure

    with pytest.raises(type(failure)):
        write()
    assert names(tmp_path) == ["file"]
    assert (tmp_path / "file").read_text("utf-8") == "before"


def test_no_file_is_written_if_one_of_several_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_files({tmp_path / "first": b"1", tmp_path / "missing" / "second": b"2"})
    assert names(tmp_path) == []


def test_an_error_names_the_file_that_was_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(source: Path, path: Path) -> None:
        raise PermissionError(errno.EACCES, "refused", str(source), None, str(path))

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(PermissionError) as refusal:
        write_text(tmp_path / "file", "text")
    assert str(refusal.value) == f"[Errno {errno.EACCES}] refused: '{tmp_path / 'file'}'"
    message = f"no permission to write {tmp_path / 'file'};"
    with pytest.raises(ScholarError, match=message), explain_write_errors(tmp_path):
        write_text(tmp_path / "file", "text")


def test_a_name_of_the_greatest_length_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("é" * 127)
    write_text(path, "text")
    assert path.read_text("utf-8") == "text"


def test_a_finished_file_is_moved(tmp_path: Path) -> None:
    (tmp_path / "partial").write_bytes(b"whole")
    (tmp_path / "file").write_bytes(b"before")
    move_file(tmp_path / "partial", tmp_path / "file")
    assert names(tmp_path) == ["file"]
    assert (tmp_path / "file").read_bytes() == b"whole"


def test_a_folder_is_replaced_as_a_whole(tmp_path: Path) -> None:
    folder = tmp_path / "books" / "folder"
    for name in ("first", "second"):
        with atomic_folder(folder, ".adding-") as temporary:
            (temporary / name).touch()
    assert names(folder) == ["second"]
    assert names(folder.parent) == ["folder"]


def test_an_interrupted_folder_leaves_what_was_there(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "before").touch()

    def write() -> None:
        with atomic_folder(folder, ".adding-") as temporary:
            (temporary / "after").touch()
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        write()
    assert names(tmp_path) == ["folder"]
    assert names(folder) == ["before"]


def test_old_files_of_killed_processes_are_deleted(tmp_path: Path) -> None:
    for name in (".file.old.part", ".file.new.part", "own.part", ".hidden"):
        (tmp_path / name).touch()
        if "new" not in name:
            os.utime(tmp_path / name, (0, 0))
    discard_leftovers(tmp_path)
    assert names(tmp_path) == [".file.new.part", ".hidden", "own.part"]
    discard_leftovers(tmp_path / "that is not there")
