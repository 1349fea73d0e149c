"""Fuzz targets: the readers of corrections, backups and question banks from other people."""

from __future__ import annotations

import gzip
import io
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path

from scholar_indexes.sanitize import one_line
from test_bad_files import Reader


def of_file(reader: Reader) -> Callable[[bytes], object]:
    def read(data: bytes) -> object:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / reader.name
            path.write_bytes(data)
            return reader.read(path)

    return read


def read_corrections(text: str) -> None:
    from scholar_indexes.attribution.corrections import toml_form
    from scholar_indexes.types import Book

    corrections = toml_form.loads(text, "pg1")
    book = Book("pg1", "A Book", "Ann Example", "en", "", "")
    assert toml_form.loads(toml_form.dumps(book, corrections), "pg1") == corrections


def read_backup(data: bytes) -> None:
    """Read an archive as a restore does, without writing its files."""
    from scholar_indexes.backup import carried
    from scholar_indexes.backup.archive import Archive, is_archive
    from scholar_indexes.paths import Paths

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "library.tar.gz"
        path.write_bytes(data)
        is_archive(path)
        tops = carried.top_names(Paths(*3 * [Path(folder) / "home"]))
        with Archive.open(path, tops) as archive:
            for file, pieces in archive.files():
                assert ".." not in Path(file.name).parts
                assert sum(map(len, pieces)) == file.size


def read_backup_tar(data: bytes) -> None:
    """Read an archive whose damage is inside a gzip stream with a valid checksum."""
    read_backup(gzip.compress(data, 0))


def read_backup_manifest(data: bytes) -> None:
    """Read an archive whose manifest, a JSON text, has been given a correct hash."""
    from scholar_indexes.guarded import parse_json
    from scholar_indexes.storage import sealed_json

    try:
        record = parse_json(data)
    except ValueError:
        return
    if not isinstance(record, dict) or not record or "sha256" in record:
        return
    try:
        head = sealed_json.dump(record)
    except UnicodeEncodeError:  # a lone surrogate cannot occur in a file
        return
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        member = tarfile.TarInfo("manifest.json")
        member.size = len(head)
        tar.addfile(member, io.BytesIO(head))
    read_backup_tar(packed.getvalue())


def read_bank_table(data: bytes) -> None:
    from scholar_indexes.characters.quiz.bank_import import read_banks

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bank.csv"
        path.write_bytes(data)
        for characters in read_banks(path, "pg1").values():
            assert all(character.name == one_line(character.name) for character in characters)
