"""A disk that is really full: a small in-memory file system in its own namespace."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

LIBRARY = """
import json
from scholar_indexes.errors import ScholarError
from scholar_indexes.library import Library

def error_of(work):
    try:
        work()
    except ScholarError as error:
        return str(error)
    return ""

def answers():
    return [hit.item.locator for hit in Library.of_user().find("the widow asked", n=3)]

library = Library.of_user()
before, paths = answers(), library.places
answer = {"rebuilt": error_of(lambda: library.index.rebuild(afresh=True))}
answer["tables"] = sorted(path.name for path in paths.index.iterdir())
library.passages.table._table.drop_index("key_idx")  # so that there is something to write
with (paths.index / "fill").open("wb", buffering=0) as file:
    try:
        while True:
            file.write(bytes(4096))
    except OSError:
        pass
answer["optimized"] = error_of(library.index.optimize)
print(json.dumps({**answer, "same": before == answers(), "hits": len(before)}))
"""

MOUNT = """
mount -t tmpfs -o size=$1k tmpfs "$2" && cp -r "$3"/. "$2" && exec "$4" -c "$5"
"""


def kilobytes(folder: Path) -> int:
    """Return the disk usage of the files of a folder in kilobytes, in whole blocks."""
    sizes = [path.stat().st_size for path in folder.rglob("*")]
    return sum(-(-size // 4096) * 4 for size in sizes)


def test_an_index_for_which_there_is_no_room_leaves_the_old_one_to_answer(
    two_books: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    namespace = ["unshare", "--user", "--map-root-user", "--mount"]
    tried = ["mount", "-t", "tmpfs", "tmpfs", str(tmp_path)]
    if not shutil.which("unshare") or subprocess.run([*namespace, *tried], check=False).returncode:
        pytest.skip("this system does not allow a namespace with its own file system")
    small = tmp_path / "small"
    small.mkdir()
    monkeypatch.setenv("SCHOLAR_HOME", str(small))
    room = str(kilobytes(two_books) + 200)
    arguments = [room, str(small), str(two_books), sys.executable, LIBRARY]
    child = subprocess.run(
        [*namespace, "sh", "-c", MOUNT, "sh", *arguments],
        capture_output=True,
        check=True,
        text=True,
    )
    answer = json.loads(child.stdout)
    for message in (answer["rebuilt"], answer["optimized"]):
        assert message.startswith(f"the disk that holds {small}")
        assert "is full; nothing was added. Free some space" in message
    assert len(answer["tables"]) == 1
    assert answer["same"]
    assert answer["hits"] == 3
