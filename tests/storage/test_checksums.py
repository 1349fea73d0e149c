"""A corrupted byte of a SQLite file is noticed before anything is read from it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from scholar_indexes.errors import Damaged
from scholar_indexes.storage import checksums
from scholar_indexes.storage.bookmarks import Bookmarks
from scholar_indexes.storage.checksums import checksum_path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return the path of a bookmarks file with one claim in its history."""
    Bookmarks(tmp_path / "desk.sqlite").record_claim("the lamp is hope")
    return tmp_path / "desk.sqlite"


def flip_a_bit(path: Path, within: bytes) -> None:
    content = bytearray(path.read_bytes())
    content[content.index(within) + 2] ^= 1
    path.write_bytes(content)


def test_a_flipped_bit_in_a_text_is_an_error_and_no_other_text(path: Path) -> None:
    flip_a_bit(path, b"the lamp is hope")
    for use in (Bookmarks(path).claims, lambda: Bookmarks(path).record_claim("another")):
        with pytest.raises(Damaged, match="does not match its checksum"):
            use()


def test_an_undamaged_file_is_read_and_written(path: Path) -> None:
    Bookmarks(path).record_claim("another")
    assert Bookmarks(path).claims() == ["another", "the lamp is hope"]


def test_a_checksum_that_was_not_written_in_time_is_not_compared(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE claims SET claim = 'changed by another program'")
    assert Bookmarks(path).claims() == ["changed by another program"]
    Bookmarks(path).record_claim("the lamp is hope")
    flip_a_bit(path, b"the lamp is hope")
    with pytest.raises(Damaged):
        Bookmarks(path).claims()


@pytest.mark.parametrize("size", [0, 1, 90, 120])
def test_a_checksum_that_is_cut_hides_nothing(path: Path, size: int) -> None:
    checksum_path(path).write_bytes(checksum_path(path).read_bytes()[:size])
    assert Bookmarks(path).claims() == ["the lamp is hope"]


def test_a_file_that_is_gone_is_not_taken_for_one_that_never_was(path: Path) -> None:
    path.unlink()
    for use in (Bookmarks(path).claims, lambda: Bookmarks(path).record_claim("another")):
        with pytest.raises(Damaged, match="it is missing"):
            use()
    assert not path.exists()
    assert "starting a new one" in Bookmarks(path).replace_if_damaged()
    assert Bookmarks(path).claims() == []
    Bookmarks(path).record_claim("a new beginning")
    assert Bookmarks(path).claims() == ["a new beginning"]


def test_a_file_that_is_too_large_to_be_compared_is_missed_when_it_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checksums, "MAX_BYTES", 1)
    path = tmp_path / "desk.sqlite"
    Bookmarks(path).record_claim("the lamp is hope")
    assert Bookmarks(path).claims() == ["the lamp is hope"]
    path.unlink()
    with pytest.raises(Damaged, match="it is missing"):
        Bookmarks(path).claims()


def test_a_file_that_was_emptied_is_not_taken_for_a_new_one(path: Path) -> None:
    path.write_bytes(b"")
    with pytest.raises(Damaged, match="it is empty"):
        Bookmarks(path).claims()


def test_a_file_that_is_set_aside_leaves_no_checksum(path: Path) -> None:
    flip_a_bit(path, b"the lamp is hope")
    assert f"{path}.damaged-1" in Bookmarks(path).replace_if_damaged()
    assert path.with_name("desk.sqlite.damaged-1").exists()
    assert not checksum_path(path).exists()


def test_a_disk_that_fails_is_not_called_damage_of_the_file(path: Path) -> None:
    failure = sqlite3.OperationalError("disk I/O error")
    refusal = Bookmarks(path)._file.refusal(failure)
    assert not isinstance(refusal, Damaged)
    assert "run the same command again" in str(refusal)
