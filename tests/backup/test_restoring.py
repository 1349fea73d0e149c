"""Backing up and restoring while other programs work, and when either is killed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from command_line import Scholar, environment, error_line, succeeded
from scholar_indexes.backup import restoring
from scholar_indexes.backup.carried import BackupScope, Extra
from scholar_indexes.errors import Damaged, ScholarError, UsageError
from scholar_indexes.library import Library
from scholar_indexes.storage import library_id
from scholar_indexes.storage.bookmarks import ReadingPosition
from scholar_indexes.types import silent

DYING = """
import os
from {module} import {owner}
def die(*args, **options):
    os._exit(9)
{owner}.{name} = die
from scholar_cli.main import run
run()
"""


class Killed(BaseException):
    """The end of a process at an arbitrary point."""


def killed(home: Path, target: str, *args: str) -> None:
    """Run a command that exits without cleanup as soon as it calls a function."""
    module, owner, name = target.split(":")
    program = DYING.format(module=module, owner=owner, name=name)
    done = subprocess.run(
        [sys.executable, "-c", program, *args], env=environment(home), check=False, timeout=60
    )
    assert done.returncode == 9


def titles(library: Library) -> list[str]:
    return [stored.book.title for stored in library.books.all()]


def library_in(home: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setenv("SCHOLAR_HOME", str(home))
    return Library.of_user()


@pytest.fixture
def backup(small_library: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a backup of two small books."""
    home = tmp_path / "first"
    shutil.copytree(small_library, home)
    library = library_in(home, monkeypatch)
    path = tmp_path / "library.tar.gz"
    library.backups.write(path)
    return path


@pytest.fixture
def other(spoken: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    """Return a library with another book, and with a reading position."""
    home = tmp_path / "other"
    shutil.copytree(spoken, home)
    library = library_in(home, monkeypatch)
    library.bookmarks.record_position(ReadingPosition("own-the-quay", "own-the-quay:1.1", 0))
    return library


def test_a_library_is_replaced_only_on_request(other: Library, backup: Path) -> None:
    with pytest.raises(UsageError, match="--replace"):
        other.backups.restore(backup)
    assert titles(other) == ["The Quay"]
    other.backups.restore(backup, replace=True)
    assert titles(other) == ["The Lamplighter", "The Clockmaker"]
    assert other.bookmarks.positions() == []
    assert not list(other.places.data.glob(".*"))


def test_a_library_with_nothing_but_a_reading_position_is_not_replaced(
    home: Path, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = library_in(home, monkeypatch)
    library.bookmarks.record_position(ReadingPosition("pg1", "pg1:1.1", 0))
    with pytest.raises(UsageError, match="--replace"):
        library.backups.restore(backup)


@pytest.mark.parametrize("ending", ["-journal", ".sum"])
def test_a_journal_of_the_old_catalogue_is_not_applied_to_the_new_one(
    other: Library, backup: Path, ending: str
) -> None:
    beside = other.places.catalog.with_name(f"catalog.sqlite{ending}")
    beside.write_bytes(b"left by a killed writer")
    other.backups.restore(backup, replace=True)
    assert not beside.exists() or b"left by a killed writer" not in beside.read_bytes()
    assert titles(other) == ["The Lamplighter", "The Clockmaker"]


def test_a_byte_that_changes_after_restoring_is_noticed(other: Library, backup: Path) -> None:
    other.backups.restore(backup, replace=True)
    path = other.places.catalog
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    library = Library(other.places, other.settings)
    with pytest.raises(Damaged, match="does not match its checksum"):
        library.books.all()


def test_a_restored_library_has_another_name_in_an_object_store(
    other: Library, backup: Path
) -> None:
    """Under the name of the replaced library it would read and overwrite passages that a copy of
    that library may still search."""
    before = library_id.read_or_create(other.places.library_id)
    other.backups.restore(backup, replace=True)
    assert not other.places.library_id.exists()
    assert library_id.read_or_create(other.places.library_id) != before


def test_replacing_that_is_stopped_anywhere_goes_on_with_the_next_command(
    other: Library, backup: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = tmp_path / "original"
    shutil.copytree(
        other.places.data.parent, original, ignore=shutil.ignore_patterns("*.lance", "*.lock")
    )
    without_index = BackupScope(with_index=False)
    library_in(tmp_path / "first", monkeypatch).backups.write(backup, without_index, silent)
    replace, remove = os.replace, shutil.rmtree
    for stop_at in range(100):
        home = tmp_path / f"stopped-{stop_at}"
        shutil.copytree(original, home)
        library = library_in(home, monkeypatch)
        left = stop_at

        def counting(do: Callable[..., object]) -> Callable[..., object]:
            def step(*args: object, **options: object) -> object:
                nonlocal left
                if not left:
                    raise Killed
                left -= 1
                return do(*args, **options)

            return step

        with monkeypatch.context() as patch:
            patch.setattr(os, "replace", counting(replace))
            patch.setattr(restoring.shutil, "rmtree", counting(remove))
            try:
                library.backups.restore(backup, replace=True)
            except Killed:
                stopped = True
            else:
                stopped = False
        begun = library.places.restore_journal.exists()
        messages: list[str] = []
        again = Library(library.places, library.settings, messages.append)
        assert bool(messages) is begun
        assert titles(again) in (["The Quay"], ["The Lamplighter", "The Clockmaker"])
        assert not (begun and titles(again) == ["The Quay"])
        again.backups.restore(backup, replace=True)
        assert titles(again) == ["The Lamplighter", "The Clockmaker"]
        assert not list(again.places.data.glob(".*"))
        if not stopped:
            break
    assert stop_at > 5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("target", "line"),
    [
        pytest.param(
            "scholar_indexes.backup:archive:measure", ["backup", "{file}"], id="backup, linked"
        ),
        pytest.param("tarfile:TarFile:close", ["backup", "{file}"], id="backup, half written"),
        pytest.param(
            "scholar_indexes.backup:restoring:_side_files",
            ["restore", "{file}", "--replace"],
            id="restore, about to replace",
        ),
    ],
)
def test_a_killed_command_loses_nothing_and_can_be_repeated(
    scholar: Scholar,
    other: Library,
    backup: Path,
    monkeypatch: pytest.MonkeyPatch,
    target: str,
    line: list[str],
) -> None:
    home = other.places.data.parent
    monkeypatch.setenv("SCHOLAR_HOME", str(home))
    whole = backup.read_bytes()
    line = [part.format(file=backup) for part in line]
    killed(home, target, *line)
    assert backup.read_bytes() == whole
    succeeded(scholar(*line))
    assert not list(other.places.data.glob(".*"))
    assert not list(backup.parent.glob(".*.part"))
    expected = ["The Quay"] if line[0] == "backup" else ["The Lamplighter", "The Clockmaker"]
    assert titles(other) == expected
    assert other.backups.check(backup).books == len(expected)


def test_a_backup_waits_for_a_writer_and_lets_readers_read(
    scholar: Scholar, two_books: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "b.tar.gz"
    monkeypatch.setenv("SCHOLAR_LOCK_WAIT_S", "0.2")
    for lock in ("write.lock", "papers.lock", "corrections.lock"):
        with FileLock(two_books / "data" / lock):
            waiting = scholar("backup", str(path))
        assert "another scholar" in error_line(waiting, 3, after_progress=True)
    assert not path.exists()
    library = Library.of_user()
    looked = []

    def look(label: str, done: int, total: int) -> None:
        looked.append(titles(library))
        if label.startswith("writing"):
            with FileLock(two_books / "data" / "write.lock", timeout=0):
                pass  # writers do not have to wait for the archive

    library.backups.write(path, BackupScope(), look)
    assert all(len(seen) == 2 for seen in looked)
    assert library.backups.check(path).books == 2


def test_later_changes_are_not_in_a_backup(
    two_books: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library.of_user()
    path = tmp_path / "b.tar.gz"

    def remove_one(label: str, done: int, total: int) -> None:
        if label == "reading the library" and len(library.books.all()) == 2:
            library.books.remove("clockmaker")

    library.backups.write(path, BackupScope(), remove_one)
    assert titles(library) == ["The Lamplighter"]
    restored = library_in(tmp_path / "new", monkeypatch)
    restored.backups.restore(path)
    assert titles(restored) == ["The Lamplighter", "The Clockmaker"]
    assert {hit.item.book.title for hit in restored.find("the widow", n=40)} == set(
        titles(restored)
    )


def test_a_damaged_book_is_carried_and_named(two_books: Path, tmp_path: Path) -> None:
    library = Library.of_user()
    (folder,) = library.places.books.glob("own-the-clockmaker.*")
    (folder / "chapters.json").write_text("[]")
    said: list[str] = []
    announcing = Library(library.places, library.settings, said.append)
    announcing.backups.write(tmp_path / "b.tar.gz")
    assert len(said) == 1
    assert "own-the-clockmaker is damaged" in said[0]


@pytest.mark.parametrize(
    "harm",
    [
        pytest.param(lambda content: b"no catalogue" * 999, id="something else"),
        pytest.param(lambda content: content.replace(b"Clock", b"Cloak"), id="a changed letter"),
    ],
)
def test_a_damaged_catalogue_is_not_carried(
    two_books: Path, tmp_path: Path, harm: Callable[[bytes], bytes]
) -> None:
    library = Library.of_user()
    path = library.places.catalog
    path.write_bytes(harm(path.read_bytes()))
    with pytest.raises(Damaged, match="scholar doctor"):
        library.backups.write(tmp_path / "b.tar.gz")
    assert list(tmp_path.glob("b.*")) == []


def test_a_file_with_a_name_that_cannot_be_carried_is_named(
    two_books: Path, tmp_path: Path
) -> None:
    library = Library.of_user()
    library.places.descriptions.mkdir()
    (library.places.descriptions / "what?.jsonl").write_text("")
    with pytest.raises(ScholarError, match="rename that file"):
        library.backups.write(tmp_path / "b.tar.gz")


def test_a_library_on_another_file_system_is_copied(
    two_books: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    library = Library.of_user()
    monkeypatch.setattr(os, "link", refuse)
    library.backups.write(tmp_path / "b.tar.gz")
    assert library.backups.check(tmp_path / "b.tar.gz").books == 2


def test_there_is_no_room_for_a_library(
    home: Path, backup: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = library_in(home, monkeypatch)
    monkeypatch.setattr(restoring, "SPARE_BYTES", 1 << 62)
    with pytest.raises(ScholarError, match="free some space"):
        library.backups.restore(backup)
    assert titles(library) == []


def test_pulled_models_and_gutenbergs_catalogue_are_carried_when_asked_for(
    two_books: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library.of_user()
    model = library.places.models / "somebody--encoder"
    model.mkdir(parents=True)
    (model / "card.json").write_text("{}")
    library.places.gutenberg_catalog.write_bytes(b"a catalogue")
    path = tmp_path / "b.tar.gz"
    for extras in (frozenset[Extra](), frozenset(Extra)):
        library.backups.write(path, BackupScope(extras=extras), silent)
        monkeypatch.setenv("SCHOLAR_HOME", str(tmp_path / f"new{len(extras)}"))
        new = Library.of_user()
        new.backups.restore(path)
        assert (new.places.models / model.name / "card.json").exists() is bool(extras)
        assert new.places.gutenberg_catalog.exists() is bool(extras)
        assert len(new.books.all()) == 2
