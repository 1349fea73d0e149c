"""Files of the user's own texts: a corrupted byte is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from scholar_indexes.storage import atomic, checked_files


@pytest.fixture
def path(tmp_path: Path) -> Path:
    checked_files.write({tmp_path / "own.toml": b"first"})
    return tmp_path / "own.toml"


@pytest.mark.parametrize("content", [b"", b"firs", b"girst"], ids=["empty", "cut", "flipped"])
def test_another_content_is_not_what_was_written(path: Path, content: bytes) -> None:
    assert not checked_files.is_as_written(path, content)


def test_written_files_match_their_checksums(path: Path) -> None:
    assert checked_files.is_as_written(path, path.read_bytes())
    checked_files.write({path: b"second"})
    assert checked_files.is_as_written(path, path.read_bytes())


def test_a_file_that_was_written_and_is_gone_is_lost_until_it_is_forgotten(path: Path) -> None:
    assert checked_files.lost(path.parent) == []
    path.unlink()
    assert checked_files.lost(path.parent) == [path]
    assert checked_files.forget_lost(path.parent) == [path]
    assert checked_files.lost(path.parent) == []


def test_a_file_that_was_set_aside_is_not_lost(path: Path) -> None:
    checked_files.set_aside(path, ".removed")
    assert checked_files.lost(path.parent) == []


def test_a_file_that_a_killed_process_did_not_begin_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "new.toml"

    def stop(files: dict[Path, bytes]) -> None:
        if path in files:
            raise KeyboardInterrupt
        atomic.write_files(files)

    monkeypatch.setattr(checked_files, "write_files", stop)
    with pytest.raises(KeyboardInterrupt):
        checked_files.write({path: b"first"})
    assert checked_files.lost(tmp_path) == []


def test_a_file_that_was_put_there_by_hand_is_taken_as_it_is(tmp_path: Path) -> None:
    assert checked_files.is_as_written(tmp_path / "by_hand.toml", b"anything")


def test_a_process_that_is_killed_before_the_file_is_there_leaves_the_one_before_valid(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(files: object) -> None:
        monkeypatch.setattr(checked_files, "write_files", stop_at_once)
        atomic.write_files(files)  # type: ignore[arg-type]

    def stop_at_once(files: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(checked_files, "write_files", stop)
    with pytest.raises(KeyboardInterrupt):
        checked_files.write({path: b"second"})
    assert checked_files.is_as_written(path, b"first")
    assert checked_files.is_as_written(path, b"second")
