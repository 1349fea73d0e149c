"""The archive of a library: a gzipped tar file that begins with a manifest.

    manifest.json      schema version, program, time, counts, and the size and SHA-256 of each file
    catalog.sqlite     the files, in the order of the manifest
    books/…

An archive may be untrusted. It is read as a stream: only regular files are accepted, in the order
of the manifest, and no more bytes are read than the manifest and the size of the archive allow.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import re
import tarfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, Self

from scholar_indexes.backup import names
from scholar_indexes.errors import Damaged, NotThere, ScholarError
from scholar_indexes.guarded import MAX_BYTES as MAX_MANIFEST_BYTES
from scholar_indexes.guarded import NotAFile, open_file
from scholar_indexes.locks import explain_read_errors
from scholar_indexes.sanitize import one_line
from scholar_indexes.storage import sealed_json
from scholar_indexes.storage.atomic import atomic_file
from scholar_indexes.types import Progress

SCHEMA_VERSION = 1

MANIFEST = "manifest.json"

MAX_FILES = 1_000_000

MAX_EXPANSION = 200
"""The largest ratio of the size of the files to the size of their archive; it is usually 3."""

FREE_BYTES = 64 << 20
"""Up to this total size of the files, any ratio is accepted."""

COMPRESSION = 1
"""The level of gzip. Level 6 takes nearly twice as long and saves one per cent: most of a library
is vectors, which hardly shrink."""

_ENDINGS = (".tar.gz",)
"""File name suffixes with more than one part."""

_CHUNK_BYTES = 1 << 20
_USTAR_BYTES = 8 << 30
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class ArchivedFile:
    """A file of an archive: its name, size in bytes and SHA-256."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class ArchiveManifest:
    """The contents of an archive: the version of the program that made it, the time (UTC), the
    schema versions of its databases, counts of their contents, and its files in order."""

    program: str
    made: str
    schemas: Mapping[str, int]
    counts: Mapping[str, int]
    files: tuple[ArchivedFile, ...]

    @property
    def size_bytes(self) -> int:
        """The size of all files together."""
        return sum(file.size for file in self.files)


def write(
    path: Path, manifest: ArchiveManifest, files: Mapping[str, Path], progress: Progress
) -> Path | None:
    """Write an archive of the files of a manifest; `files` has their paths by name.

    An existing archive is kept in the same folder under another name; return its new path, or None.

    Raises ScholarError for a file that no longer matches the manifest.
    """
    record = {"schema_version": SCHEMA_VERSION, **asdict(manifest)}
    head = sealed_json.dump(record)
    whole, done = manifest.size_bytes, 0
    with atomic_file(path) as temporary:
        with (
            temporary.open("wb") as plain,
            gzip.GzipFile("", "wb", COMPRESSION, plain) as packed,
            tarfile.open(fileobj=packed, mode="w|") as tar,
        ):
            tar.addfile(_member(tar, MANIFEST, len(head)), io.BytesIO(head))
            for file in manifest.files:
                progress(f"writing {path.name}", done, whole)
                _add_file(tar, file, files[file.name])
                done += file.size
        progress(f"writing {path.name}", whole, whole)
        return _keep(path)


def _add_file(tar: tarfile.TarFile, file: ArchivedFile, path: Path) -> None:
    with _open_to_read(file.name, path) as content:
        hashing = _HashingReader(content, file.name)
        tar.addfile(_member(tar, file.name, file.size), hashing)
        if hashing.hexdigest() != file.sha256 or hashing.read(1):
            raise ScholarError(
                f"{path} was changed by another program meanwhile; run the same command again"
            )


def _keep(path: Path) -> Path | None:
    """Rename an existing archive, such as library.tar.gz to library.1.tar.gz; return its new path,
    or None if there is no archive."""
    if not path.exists():
        return None
    ending = next((known for known in _ENDINGS if path.name.endswith(known)), path.suffix)
    stem = path.name.removesuffix(ending)
    numbered = re.compile(rf"{re.escape(stem)}\.([0-9]{{1,9}}){re.escape(ending)}")
    names = map(numbered.fullmatch, (entry.name for entry in path.parent.iterdir()))
    number = max((int(name[1]) for name in names if name), default=0) + 1
    kept = path.with_name(f"{stem}.{number}{ending}")
    try:
        os.link(path, kept)  # so that there is a backup under the old name at any moment
    except OSError:
        path.rename(kept)  # the file system has no links
    return kept


def measure(name: str, path: Path) -> ArchivedFile:
    """Return a file with its size and its hash; raises Damaged if the disk cannot read it."""
    with _explain_unreadable(name), path.open("rb") as content:
        digest = hashlib.file_digest(content, "sha256").hexdigest()
        return ArchivedFile(name, content.tell(), digest)


def check_names(names_: Iterable[str], tops: Mapping[str, bool]) -> None:
    """Raise ScholarError for names that are not allowed in an archive."""
    listed = list(names_)
    try:
        names.check(listed, tops)
        for name in listed:
            tarfile.TarInfo(name).tobuf(tarfile.USTAR_FORMAT)
    except ValueError as error:
        raise ScholarError(
            f"the library cannot be backed up ({one_line(str(error), 200)}); rename that file, or "
            "move it out of the library"
        ) from error


def is_archive(path: Path) -> bool:
    """Return True if a file begins like an archive, complete or not, of this version or a newer
    one."""
    try:
        with _members(path) as members:
            return next(members)[0].name == MANIFEST
    except (ScholarError, StopIteration):
        return False


class Archive:
    """An archive that is read once, from beginning to end."""

    def __init__(self, path: Path, manifest: ArchiveManifest, members: _Members) -> None:
        self.path = path
        self.manifest = manifest
        self._members = members

    @classmethod
    @contextmanager
    def open(cls, path: Path, tops: Mapping[str, bool]) -> Iterator[Self]:
        """Yield an archive whose manifest was read and whose names match `tops`; see names.check.

        Raises NotThere without the file, Damaged if it is not an archive, and ScholarError for one
        of a newer version.
        """
        with _members(path) as members:
            with _explain_damage(path):
                manifest = _read_manifest(path, members, tops)
            yield cls(path, manifest, members)

    def files(self) -> Iterator[tuple[ArchivedFile, Iterator[bytes]]]:
        """Yield each file in order with its content in pieces.

        Raises Damaged if something does not match the manifest; for a file, as soon as its last
        piece was read.
        """
        with _explain_damage(self.path):
            for file in self.manifest.files:
                info, content = next(self._members, (None, None))
                if info is None or content is None:
                    raise ValueError(f"it ends before {file.name}")
                if (info.name, info.size) != (file.name, file.size):
                    raise ValueError(f"it has {info.name} in place of {file.name}")
                pieces = self._pieces(file, content)
                yield file, pieces
                for _ in pieces:
                    pass  # pieces that the caller did not read
            if next(self._members, None) is not None:
                raise ValueError("it has more files than it lists")

    def _pieces(self, file: ArchivedFile, content: IO[bytes]) -> Iterator[bytes]:
        digest = hashlib.sha256()
        with _explain_damage(self.path):
            while piece := content.read(_CHUNK_BYTES):
                digest.update(piece)
                yield piece
            if digest.hexdigest() != file.sha256:
                raise ValueError(f"{file.name} does not match its hash")


_Members = Iterator[tuple[tarfile.TarInfo, IO[bytes]]]


@contextmanager
def _members(path: Path) -> Iterator[_Members]:
    """Yield the regular files of a gzipped tar file one after another, with their content; nothing
    may follow the last one."""
    try:
        with explain_read_errors(path):
            file = open_file(path)
    except FileNotFoundError:
        raise NotThere(f"there is no file {path}; check its name") from None
    except OSError as failure:
        raise ScholarError(f"{path} cannot be read ({failure.strerror}); name a file") from failure
    with file:
        most = max(FREE_BYTES, MAX_EXPANSION * path.stat().st_size)
        stream = _BoundedStream(gzip.GzipFile(fileobj=file), most)
        yield _plain_files(path, stream)


def _plain_files(path: Path, stream: _BoundedStream) -> _Members:
    with (
        _explain_damage(path),
        tarfile.open(fileobj=stream, mode="r|", tarinfo=_PlainMember) as tar,
    ):
        for info in tar:
            content = tar.extractfile(info)
            assert content is not None
            yield info, content
        while rest := stream.read(_CHUNK_BYTES):
            if rest.strip(b"\0"):
                raise ValueError("data follows its end")


def _read_manifest(path: Path, members: _Members, tops: Mapping[str, bool]) -> ArchiveManifest:
    record = _load_first(members)
    # Before any other field is read: a newer schema may have other fields.
    if int(record["schema_version"]) > SCHEMA_VERSION:
        raise ScholarError(
            f"{path} was made by a newer scholar; upgrade with: pip install -U scholar-cli"
        )
    files = _parse_files(record["files"])
    names.check((file.name for file in files), tops)
    manifest = ArchiveManifest(
        one_line(str(record["program"]), 40),
        one_line(str(record["made"]), 40),
        {str(name): int(version) for name, version in record["schemas"].items()},
        {str(name): int(count) for name, count in record["counts"].items()},
        files,
    )
    if manifest.size_bytes > max(FREE_BYTES, MAX_EXPANSION * path.stat().st_size):
        raise ValueError("its files would be far larger than it is")
    return manifest


def _load_first(members: _Members) -> Any:
    """Return the record in the first file, which is the manifest."""
    info, content = next(members, (None, None))
    if info is None or content is None or info.name != MANIFEST:
        raise ValueError(f"it does not begin with {MANIFEST}")
    if info.size > MAX_MANIFEST_BYTES:
        raise ValueError(f"its {MANIFEST} is too large")
    return sealed_json.load(content.read())


def _parse_files(listed: Any) -> tuple[ArchivedFile, ...]:
    if len(listed) > MAX_FILES:
        raise ValueError("it lists too many files")
    files = tuple(
        ArchivedFile(str(file["name"]), int(file["size"]), str(file["sha256"])) for file in listed
    )
    if not all(file.size >= 0 and _SHA256.fullmatch(file.sha256) for file in files):
        raise ValueError(f"its {MANIFEST} is invalid")
    return files


@contextmanager
def _explain_damage(path: Path) -> Iterator[None]:
    try:
        yield
    except NotAFile as error:
        raise ScholarError(f"{path} cannot be read ({error}); name a file") from error
    except (
        gzip.BadGzipFile,
        zlib.error,
        EOFError,
        tarfile.TarError,
        ArithmeticError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        why = one_line(str(error), 200) or "it ends too early"
        raise Damaged(
            f"{path} is not a complete backup of a library ({why}); "
            "use another copy of it, or make a new one with: scholar backup FILE"
        ) from error


def _open_to_read(name: str, path: Path) -> IO[bytes]:
    with _explain_unreadable(name):
        return path.open("rb")


@contextmanager
def _explain_unreadable(name: str) -> Iterator[None]:
    """Raise Damaged for a file of the library that the disk cannot read."""
    try:
        with explain_read_errors(Path(name)):
            yield
    except OSError as failure:
        raise Damaged(
            f"{name} of the library cannot be read ({failure.strerror or failure}); check that the "
            "disk is sound, and list the damage with: scholar doctor"
        ) from failure


class _PlainMember(tarfile.TarInfo):
    """A member that is a regular file. Links, devices, folders, sparse files and extended headers,
    which would be read into memory, are refused when the header is read."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        member = super().frombuf(buf, encoding, errors)
        if member.type != tarfile.REGTYPE:
            raise ValueError(f"{one_line(member.name, 80)!r} in it is not a regular file")
        return member


class _BoundedStream(io.BufferedIOBase):
    """A compressed stream with a limit on the bytes that can be read."""

    def __init__(self, packed: gzip.GzipFile, most: int) -> None:
        self._packed, self._left = packed, most

    def read(self, size: int | None = -1, /) -> bytes:
        """Return the next bytes; raises ValueError after more than the limit in all."""
        data = self._packed.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise ValueError("it expands to far more than it should")
        return data


class _HashingReader(io.BufferedIOBase):
    """A file of the library whose bytes are hashed as they are read."""

    def __init__(self, file: IO[bytes], name: str) -> None:
        self._file, self._name, self._digest = file, name, hashlib.sha256()

    def read(self, size: int | None = -1, /) -> bytes:
        with _explain_unreadable(self._name):
            data = self._file.read(-1 if size is None else size)
        self._digest.update(data)
        return data

    def hexdigest(self) -> str:
        return self._digest.hexdigest()


def _member(tar: Any, name: str, size: int) -> tarfile.TarInfo:
    """Return the header of a file, without details of this machine."""
    # A USTAR header has eleven octal digits for the size, so less than 8 GiB.
    tar.format = tarfile.GNU_FORMAT if size >= _USTAR_BYTES else tarfile.USTAR_FORMAT
    member = tarfile.TarInfo(name)
    member.size = size
    member.mode = 0o644
    return member
