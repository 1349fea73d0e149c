"""Every command that reads a file that the user names, given something that is not a file."""

from __future__ import annotations

import io
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from command_line import Scholar, error_line, succeeded
from no_files import NO_FILES
from scholar_cli.commands.lines import MAX_LINE_BYTES, read_lines
from scholar_indexes import guarded
from scholar_indexes.errors import UsageError

CLAIM = "the lamplighter counted the coins"
COMMANDS: dict[str, Callable[[str], tuple[str, ...]]] = {
    "add": lambda file: ("add", file),
    "add --dry-run": lambda file: ("add", file, "--dry-run"),
    "check": lambda file: ("check", file),
    "check of a Word file": lambda file: ("check", file, "--from", "docx"),
    "find --claims": lambda file: ("find", "--claims", file),
    "export": lambda file: ("export", file, "--to", "md"),
    "characters --import": lambda file: ("characters", "lamplighter", "--import", file),
    "quiz import": lambda file: ("quiz", "import", file),
    "quiz grade": lambda file: ("quiz", "grade", file, file),
    "papers add": lambda file: ("papers", "add", file),
    "restore": lambda file: ("restore", file),
    "backup --check": lambda file: ("backup", file, "--check"),
    "find --model": lambda file: ("find", CLAIM, "--model", file),
    "speakers --model": lambda file: ("speakers", "lamplighter", "--model", file),
}
FOLDERS: dict[str, tuple[str, Callable[[str], tuple[str, ...]]]] = {
    "find --model": ("tokenizer.json", lambda folder: ("find", CLAIM, "--model", folder)),
    "find --model, weights": (
        "model.safetensors",
        lambda folder: ("find", CLAIM, "--model", folder),
    ),
    "speakers --llm": (
        "model.safetensors",
        lambda folder: ("speakers", "lamplighter", "--method", "llm", "--llm", folder),
    ),
}
"""For commands that read a folder: the name in it that is not a file, and the arguments."""


@pytest.mark.parametrize("kind", NO_FILES)
def test_other_paths_than_files_are_one_error_line_in_every_command(
    kind: str,
    two_books: Path,
    scholar: Scholar,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(guarded, "MAX_SILENCE_S", 0.01)
    for command, arguments in COMMANDS.items():
        path = tmp_path / "given.bib"
        with NO_FILES[kind](path):
            result = scholar(*arguments(str(path)))
        if not (kind == "a folder" and command == "papers add"):
            assert result.exit_code in (1, 2, 4), (command, result)
            assert "should not happen" not in result.stderr, (command, result)
            assert error_line(result, result.exit_code, after_progress=True), command
        shutil.rmtree(path) if path.is_dir() else path.unlink()


@pytest.mark.parametrize("kind", [kind for kind in NO_FILES if kind != "a folder"])
@pytest.mark.parametrize(("name", "arguments"), FOLDERS.values(), ids=FOLDERS)
def test_other_paths_than_files_in_the_folder_of_a_model_are_one_error_line(
    name: str,
    arguments: Callable[[str], tuple[str, ...]],
    kind: str,
    two_books: Path,
    scholar: Scholar,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "config.json").write_text('{"hidden_size": 8}')
    monkeypatch.chdir(folder)
    with NO_FILES[kind](folder / name):
        line = error_line(scholar(*arguments(str(folder))), 2, after_progress=True)
    assert f"{name} in it is a device, a socket or a pipe" in line


@pytest.mark.parametrize("kind", NO_FILES)
def test_settings_that_are_no_file_are_one_line(
    kind: str,
    home: Path,
    scholar: Scholar,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(guarded, "MAX_SILENCE_S", 0.01)
    home.mkdir()
    with NO_FILES[kind](home / "config.toml"):
        assert "fix or remove it" in error_line(scholar("config", "show"), 2)


def test_a_pipe_is_read_like_a_file(two_books: Path, source: Path, scholar: Scholar) -> None:
    reading, writing = os.pipe()

    def write() -> None:
        with os.fdopen(writing, "wb") as pipe:
            for line in source.read_bytes().splitlines(keepends=True):
                pipe.write(line)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        added = scholar("add", f"/dev/fd/{reading}", "--title", "The Ferryman", "--json")
    finally:
        writer.join()
        os.close(reading)
    assert succeeded(added).json[0]["sentences"] == 120


class EndlessLine(io.RawIOBase):
    """A line without an end, with a count of the bytes read."""

    taken = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        self.taken += len(buffer)
        buffer[:] = b"x" * len(buffer)
        return len(buffer)


def test_a_line_without_an_end_is_read_no_further_than_the_largest_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("scholar_cli.commands.lines.MAX_BYTES", 1 << 20)
    line = EndlessLine()
    with pytest.raises(UsageError, match="a line is longer than 1 MiB"):
        list(read_lines(io.BufferedReader(line)))  # type: ignore[arg-type]
    assert line.taken < 2 * (1 << 20) + 2 * MAX_LINE_BYTES


def test_a_pipe_without_an_end_is_read_no_further_than_the_largest_size() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb"), os.fdopen(writing, "wb") as pipe:
        pipe.write(b"x" * 2_000)
        pipe.flush()
        with pytest.raises(guarded.TooLarge):
            guarded.read_bytes(Path(f"/dev/fd/{reading}"), 1_000)
