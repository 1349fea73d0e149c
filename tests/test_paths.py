"""The folders of a user: one that cannot hold a library is refused with correct advice."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from command_line import Scholar, error_line, succeeded
from scholar_indexes.paths import MAX_HOME_BYTES, MAX_NAME_BYTES


def long_path(folder: Path, size: int) -> Path:
    """Return a path in a folder of exactly `size` bytes, in names of at most 100."""
    path = str(folder)
    while (left := size - len(path)) > 102:
        path += "/" + "d" * 100
    return Path(path + "/" + "e" * (left - 1))


HOMES = {
    "a line break": "new\nline",
    "a carriage return": "new\rline",
    "a tab": "a\ttab",
    "an escape sequence": "\x1b[31mred",
    "a delete": "de\x7flete",
    "a byte that is no UTF-8": os.fsdecode(b"caf\xe9"),
    "a name that is too long": "n" * (MAX_NAME_BYTES + 1),
    "a path that is too long": "/".join(["d" * 100] * 10),
    "a path longer than of any file": "/".join(["d" * 200] * 25),
}


@pytest.mark.parametrize("variable", ["SCHOLAR_HOME", "XDG_DATA_HOME"])
@pytest.mark.parametrize("name", HOMES.values(), ids=HOMES)
def test_a_folder_in_which_no_library_can_be_kept_asks_for_another(
    name: str, variable: str, tmp_path: Path, scholar: Scholar, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SCHOLAR_HOME")
    monkeypatch.setenv(variable, str(tmp_path / name))
    line = error_line(scholar("books", "list"), 2)
    assert line.isprintable()
    assert "set SCHOLAR_HOME to a folder with" in line
    assert len(line) < 400
    assert not list(tmp_path.iterdir())


def test_a_library_can_be_kept_in_the_longest_path_that_is_taken(
    small_library: Path,
    tmp_path: Path,
    source: Path,
    scholar: Scholar,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    home = long_path(tmp_path, MAX_HOME_BYTES)
    assert len(os.fsencode(home)) == MAX_HOME_BYTES
    shutil.copytree(small_library, home)
    monkeypatch.setenv("SCHOLAR_HOME", str(home))
    succeeded(scholar("add", str(source)))
    assert "ferryman" in succeeded(scholar("find", "ferryman", "-n", "1")).stdout
    succeeded(scholar("collection", "new", "hope"))
    backup = tmp_path / "library.tar.gz"
    succeeded(scholar("backup", str(backup)))
    succeeded(scholar("restore", str(backup), "--replace"))
    monkeypatch.setenv("SCHOLAR_HOME", str(long_path(tmp_path, MAX_HOME_BYTES + 1)))
    assert "shorter path" in error_line(scholar("books", "list"), 2)
