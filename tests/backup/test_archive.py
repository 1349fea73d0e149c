"""Archives of a library that are damaged or malicious."""

from __future__ import annotations

import gzip
import hashlib
import sqlite3
import tarfile
import unicodedata
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hostile_archives import TEXT, listed, member, write_archive
from scholar_indexes.backup import archive
from scholar_indexes.errors import Damaged, NotThere, ScholarError, UsageError
from scholar_indexes.library import Library
from scholar_indexes.types import silent

ONE = [("books/own-x.1/text.txt", TEXT)]

UNREADABLE = Path("/proc/self/mem")
"""A Linux file whose first byte cannot be read: an input/output error."""


@pytest.fixture
def library(home: Path) -> Library:
    """Return a library with a collection, so that it is not empty."""
    library = Library.of_user()
    library.bookmarks.make_collection("mine")
    return library


def everything_in(folder: Path) -> dict[str, bytes]:
    """Return the content of every file in a folder except the locks."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix != ".lock"
    }


def refuse(library: Library, path: Path, error: type[ScholarError] = Damaged) -> str:
    """Assert that verifying and restoring an archive fail and change nothing; return the error."""
    around = path.parent
    before = everything_in(around)
    messages = []
    for do in (
        lambda: library.backups.check(path),
        lambda: library.backups.restore(path, replace=True),
    ):
        with pytest.raises(error) as refusal:
            do()
        messages.append(str(refusal.value))
    assert everything_in(around) == before
    assert not list(library.places.data.glob(".restore*"))
    return messages[-1]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("../evil", id="above the folder"),
        pytest.param("books/../../evil", id="above by way of a folder"),
        pytest.param("/tmp/evil", id="absolute"),
        pytest.param("C:/evil", id="a drive"),
        pytest.param("books\\..\\evil", id="backslashes"),
        pytest.param("books//evil", id="an empty part"),
        pytest.param("books/./evil", id="a dot"),
        pytest.param("books/evil.", id="a dot that Windows drops"),
        pytest.param("books/aux.txt", id="a device of Windows"),
        pytest.param("books/evil:stream", id="a stream of Windows"),
        pytest.param("books/e\nvil", id="a line break"),
        pytest.param("books/e\u202evil", id="a direction override"),
        pytest.param("books/" + "x" * 300, id="too long"),
        pytest.param("books/" + "x/" * 40 + "x", id="too deep"),
        pytest.param("write.lock", id="no file of a library"),
        pytest.param("config.toml", id="settings"),
        pytest.param("books", id="a file in the place of a folder"),
        pytest.param("catalog.sqlite/x", id="a folder in the place of a file"),
        pytest.param("", id="nothing"),
    ],
)
def test_an_unsafe_name_is_refused(library: Library, tmp_path: Path, name: str) -> None:
    path = write_archive(tmp_path / "b.tar.gz", [(name, TEXT)], members=[member("x", TEXT)])
    assert "scholar backup FILE" in refuse(library, path)


@pytest.mark.parametrize(
    "names",
    [
        pytest.param(["books/a", "books/a"], id="twice"),
        pytest.param(["books/a", "books/A"], id="but for case"),
        pytest.param(["books/straße", "books/STRASSE"], id="but for a sharp s"),
        pytest.param(
            [f"books/{unicodedata.normalize(form, 'é')}" for form in ("NFC", "NFD")],
            id="but for composition",
        ),
        pytest.param(["books/a", "books/a/b"], id="a file and a folder"),
        pytest.param(["books/a/b", "books/A"], id="a folder and a file but for case"),
    ],
)
def test_names_that_collide_are_refused(library: Library, tmp_path: Path, names: list[str]) -> None:
    path = write_archive(tmp_path / "b.tar.gz", [(name, TEXT) for name in names])
    refuse(library, path)


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"}, id="symbolic link"),
        pytest.param({"type": tarfile.LNKTYPE, "linkname": "manifest.json"}, id="hard link"),
        pytest.param({"type": tarfile.CHRTYPE, "devmajor": 1, "devminor": 3}, id="device"),
        pytest.param({"type": tarfile.FIFOTYPE}, id="named pipe"),
        pytest.param({"type": tarfile.DIRTYPE}, id="folder"),
        pytest.param({"type": tarfile.CONTTYPE}, id="contiguous file"),
        pytest.param({"type": b"x"}, id="extended header"),
        pytest.param({"type": tarfile.GNUTYPE_LONGNAME}, id="long name"),
        pytest.param({"type": tarfile.GNUTYPE_SPARSE}, id="sparse file"),
    ],
)
def test_members_other_than_regular_files_are_refused(
    library: Library, tmp_path: Path, fields: dict[str, Any]
) -> None:
    path = write_archive(tmp_path / "b.tar.gz", ONE, members=[member(ONE[0][0], TEXT, **fields)])
    assert "not a regular file" in refuse(library, path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"members": []}, "ends before", id="a file is missing"),
        pytest.param(
            {"members": [member(*ONE[0]), member("books/more", TEXT)]},
            "more files",
            id="a file is not listed",
        ),
        pytest.param({"members": [member("books/other", TEXT)]}, "in place of", id="another file"),
        pytest.param({"members": [member(ONE[0][0], TEXT * 2)]}, "place", id="a longer file"),
        pytest.param(
            {"members": [member(ONE[0][0], TEXT[::-1])]}, "not match its hash", id="other bytes"
        ),
        pytest.param({"after": b"more"}, "follows its end", id="something follows"),
        pytest.param({"manifest": b"[]"}, "no hash", id="a manifest without a hash"),
        pytest.param({"manifest": b'{"a": ' * 9_999}, "no hash", id="a manifest that is no JSON"),
        pytest.param({"files": "none"}, "", id="a list of files that is none"),
        pytest.param({"files": [{"name": "books/a"}]}, "size", id="a file without a size"),
        pytest.param({"counts": []}, "", id="counts that are none"),
        pytest.param({"counts": {"books": 1e999}}, "Infinity", id="an endless count"),
        pytest.param(
            {"files": [{**listed(ONE)[0], "size": -1}]}, "is invalid", id="a size below zero"
        ),
        pytest.param(
            {"files": [{**listed(ONE)[0], "size": 10**13}]}, "far larger", id="terabytes promised"
        ),
        pytest.param(
            {"files": [{**listed(ONE)[0], "sha256": "../x"}]}, "invalid", id="a hash that is none"
        ),
        pytest.param(
            {"tar_format": tarfile.PAX_FORMAT, "members": [member("books/" + "é" * 200, TEXT)]},
            "not a regular file",
            id="names in extended headers",
        ),
    ],
)
def test_an_archive_that_is_not_what_its_manifest_says_is_refused(
    library: Library, tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    assert message in refuse(library, write_archive(tmp_path / "b.tar.gz", ONE, **change))


def test_zeros_without_end_are_not_unpacked(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "FREE_BYTES", 4 << 20)
    zeros = bytes(archive.FREE_BYTES + 2**20)
    listing = [{"name": ONE[0][0], "size": 100, "sha256": hashlib.sha256(zeros).hexdigest()}]
    bomb = write_archive(
        tmp_path / "bomb.tar.gz", [], members=[member(ONE[0][0], zeros)], files=listing
    )
    assert "in place of" in refuse(library, bomb)
    after = write_archive(tmp_path / "after.tar.gz", ONE, after=zeros)
    assert "expands to far more" in refuse(library, after)
    listing = [{**listing[0], "size": len(zeros)}]
    bomb = write_archive(
        tmp_path / "bomb.tar.gz", [], members=[member(ONE[0][0], zeros)], files=listing
    )
    assert "far larger than it is" in refuse(library, bomb)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"Call me Ishmael.\n" * 99, id="a text"),
        pytest.param(gzip.compress(b"Call me Ishmael.\n" * 99), id="another gzip file"),
        pytest.param(gzip.compress(bytes(10_240)), id="a tar file of nothing"),
    ],
)
def test_a_file_that_is_no_archive_is_refused(
    library: Library, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "b.tar.gz"
    path.write_bytes(content)
    refuse(library, path)
    assert not archive.is_archive(path)
    with pytest.raises(UsageError, match="not a backup"):
        library.backups.write(path)
    assert path.read_bytes() == content


def test_a_file_that_is_not_there_is_named(library: Library, tmp_path: Path) -> None:
    assert "check its name" in refuse(library, tmp_path / "none.tar.gz", NotThere)
    refuse(library, tmp_path, ScholarError)


@pytest.fixture
def backup(library: Library, tmp_path: Path) -> Path:
    path = tmp_path / "whole.tar.gz"
    library.backups.write(path)
    library.bookmarks.make_collection("later")
    return path


def test_a_truncated_backup_is_refused_wherever_it_ends(
    library: Library, backup: Path, tmp_path: Path
) -> None:
    whole = backup.read_bytes()
    for size in range(1, len(whole), len(whole) // 12):
        backup.write_bytes(whole[:size])
        refuse(library, backup)


def test_a_backup_with_a_changed_byte_is_refused(library: Library, backup: Path) -> None:
    whole = backup.read_bytes()
    content = gzip.decompress(whole)
    refused = 0
    for at in range(10, len(whole), len(whole) // 40):  # the gzip header has no checksum
        changed = whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :]
        if _decompressed(changed) != content:  # some bits do not affect the content
            backup.write_bytes(changed)
            refuse(library, backup)
            refused += 1
    assert refused > 10


def _decompressed(packed: bytes) -> bytes | None:
    try:
        return gzip.decompress(packed)
    except (OSError, EOFError, zlib.error):
        return None


def newer(change: Callable[[sqlite3.Connection], object]) -> bytes:
    """Return the bytes of a bookmarks database after a change."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE quotations (note TEXT, collection TEXT)")
    change(database)
    database.commit()
    return database.serialize()


def test_a_newer_archive_says_to_upgrade(library: Library, tmp_path: Path) -> None:
    path = write_archive(tmp_path / "b.tar.gz", ONE, schema_version=2, files="as it will be")
    assert "pip install -U" in refuse(library, path, ScholarError)
    path = write_archive(tmp_path / "b.tar.gz", ONE, schemas={"desk.sqlite": 99})
    assert "pip install -U" in refuse(library, path, ScholarError)


@pytest.mark.parametrize(
    ("content", "counts", "message"),
    [
        pytest.param(
            newer(lambda db: db.execute("PRAGMA user_version = 99")),
            {"quotations": 0, "notes": 0},
            "pip install -U",
            id="newer than the manifest says",
        ),
        pytest.param(
            newer(lambda db: db.execute("CREATE VIEW endless AS SELECT 1")),
            {},
            "views",
            id="with a view",
        ),
        pytest.param(
            newer(lambda db: db.execute("DROP TABLE quotations")), {}, "no such", id="of others"
        ),
        pytest.param(
            newer(lambda db: None), {"quotations": 7, "notes": 0}, "another number", id="miscounted"
        ),
        pytest.param(b"no database" * 99, {}, "is unchanged", id="no database"),
    ],
)
def test_a_database_that_cannot_be_is_not_restored(
    library: Library, tmp_path: Path, content: bytes, counts: dict[str, int], message: str
) -> None:
    path = write_archive(tmp_path / "b.tar.gz", [("desk.sqlite", content)], counts=counts)
    before = everything_in(library.places.data)
    with pytest.raises(ScholarError, match=message):
        library.backups.restore(path, replace=True)
    assert everything_in(library.places.data) == before


@pytest.mark.skipif(not UNREADABLE.exists(), reason="no unreadable file is available")
def test_a_file_that_the_disk_cannot_read_is_named_and_not_taken_for_the_backup(
    tmp_path: Path,
) -> None:
    name = "books/own-x.1/text.txt"
    with pytest.raises(Damaged, match=f"{name} of the library cannot be read .*scholar doctor"):
        archive.measure(name, UNREADABLE)
    file = archive.ArchivedFile(name, 5, hashlib.sha256(b"12345").hexdigest())
    manifest = archive.ArchiveManifest("0", "2026-01-01T00:00:00Z", {}, {}, (file,))
    for unreadable in (UNREADABLE, Path("/proc/self")):
        with pytest.raises(Damaged, match=f"{name} of the library cannot be read"):
            archive.write(tmp_path / "b.tar.gz", manifest, {name: unreadable}, silent)
    assert list(tmp_path.iterdir()) == []
