"""Make, verify and restore backups of a library."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from scholar_indexes.backup import archive, carried, own_files, restoring, snapshot
from scholar_indexes.backup.archive import Archive, ArchiveManifest
from scholar_indexes.backup.carried import BackupScope
from scholar_indexes.errors import Damaged, NotThere, ScholarError, UsageError
from scholar_indexes.paths import Paths
from scholar_indexes.progress import divide_progress
from scholar_indexes.results import BackupSummary
from scholar_indexes.settings import Settings
from scholar_indexes.storage import book_folder, library_id, sqlite_backup
from scholar_indexes.storage.atomic import clear_leftovers
from scholar_indexes.storage.write_lock import WriteLock
from scholar_indexes.types import Progress, silent

EVERYTHING = BackupScope()


class BackupService:
    """Makes backups of the library in the folders of `paths`, and restores them there."""

    def __init__(self, paths: Paths, settings: Settings, announce: Callable[[str], None]) -> None:
        self._paths = paths
        self._wait_s = settings.lock_wait_s
        self._index_address = settings.index
        self._announce = announce

    def write(
        self, path: Path, scope: BackupScope = EVERYTHING, progress: Progress = silent
    ) -> BackupSummary:
        """Write a backup of the library to a file. An existing backup is kept next to it under
        another name.

        Other programs may read meanwhile, and wait only for a moment to write. Raises UsageError
        for an existing file that is not a backup, NotThere for an empty library, and Damaged if a
        database is damaged or lost.
        """
        self._check_target(path)
        carried.check_not_lost(self._paths)
        older = self._counts_of(path)
        if carried.is_empty(self._paths):
            raise NotThere("the library is empty, so there is nothing to back up; see: scholar add")
        if scope.with_index and self._index_address:
            self._announce(
                f"the passages of books are in {self._index_address} and are not included; the "
                "restored library has an index of its own, filled by: scholar index rebuild"
            )
        linking, measuring, writing = divide_progress(progress, (1, 20, 79))
        with self._held(self._paths.backup_lock, progress=progress):
            try:
                with self._writers_held(progress):
                    linking("listing the library", 0, 1)
                    files = snapshot.take(self._paths, scope, self._paths.staged)
                archive.check_names(files, carried.top_names(self._paths))
                own, damaged_own = own_files.inspect(self._paths)
                manifest = self._describe(files, own, measuring)
                damaged = (*_damaged_books(manifest, files), *damaged_own)
                with _explain_target_errors(path):
                    clear_leftovers(path)
                    kept = archive.write(path, manifest, files, writing)
            finally:
                snapshot.discard(self._paths.staged)
        fewer = {
            name: (older[name], count)
            for name, count in manifest.counts.items()
            if count < older.get(name, 0)
        }
        for line in damaged:
            self._announce(f"included as it is: {line}")
        self._announce_kept(path, kept, fewer)
        return replace(
            _summary(path, manifest),
            kept=None if kept is None else str(kept),
            fewer=fewer,
            damaged=damaged,
        )

    def _counts_of(self, path: Path) -> Mapping[str, int]:
        """Return the counts of a backup, none if it is missing or cannot be read."""
        try:
            with Archive.open(path, carried.top_names(self._paths)) as older:
                return older.manifest.counts
        except ScholarError:
            return {}

    def _announce_kept(
        self, path: Path, kept: Path | None, fewer: Mapping[str, tuple[int, int]]
    ) -> None:
        """Announce where the previous backup is, and what the new one has less of."""
        if kept is None:
            return
        less = "; ".join(
            f"{now} {carried.COUNTED[name]} instead of {before}"
            for name, (before, now) in fewer.items()
        )
        self._announce(f"the previous backup is kept as {kept}")
        if less:
            self._announce(f"{path.name} has less than {kept.name}: {less}")

    def check(self, path: Path, progress: Progress = silent) -> BackupSummary:
        """Read a backup and compare all files with their hashes; raises the errors of Archive, and
        ScholarError for a backup by a newer scholar."""
        with self._open(path) as opened:
            whole, done = opened.manifest.size_bytes, 0
            for _, pieces in opened.files():
                for piece in pieces:
                    done += len(piece)
                    progress(f"reading {path.name}", done, whole)
            return _summary(path, opened.manifest)

    def restore(
        self, path: Path, *, replace: bool = False, progress: Progress = silent
    ) -> BackupSummary:
        """Replace this library, which must be empty unless `replace`, with the library in a backup;
        nothing changes before the new one is complete and verified.

        Raises UsageError for a library that is not empty, and the errors of check.
        """
        with self._held(self._paths.backup_lock, progress=progress), self._open(path) as opened:
            self._check_may_replace(replace)
            new = self._paths.restored
            try:
                restoring.extract(opened, new, progress)
                restoring.check(self._paths, opened.manifest, new)
                restoring.add_models(self._paths, new)
                with self._writers_held(progress):
                    self._check_may_replace(replace)
                    self._announce_left_passages()
                    restoring.put_in_place(self._paths, new)
            finally:
                if not self._paths.restore_journal.exists():
                    snapshot.discard(new)
            return _summary(path, opened.manifest)

    def finish_restoring(self, progress: Progress) -> None:
        """Finish a restore that was killed after it had begun to replace the library."""
        with self._writers_held(progress):
            if self._paths.restore_journal.exists():
                restoring.finish(self._paths)
                self._announce("finished an interrupted restore of the library")

    @contextmanager
    def _open(self, path: Path) -> Iterator[Archive]:
        with Archive.open(path, carried.top_names(self._paths)) as opened:
            for database in carried.databases(self._paths):
                name = database.path.name
                written = opened.manifest.schemas.get(name, 0)
                restoring.check_version(name, written, database.schema_version)
            yield opened

    def _check_may_replace(self, replace: bool) -> None:
        if not replace and not carried.is_empty(self._paths):
            raise UsageError(
                f"there is already a library in {self._paths.data}; to replace it with the backup, "
                "add: --replace (make a backup of it first with: scholar backup FILE)"
            )

    def _announce_left_passages(self) -> None:
        """Announce where the passages of the replaced library stay, if in an object store."""
        if self._index_address and self._paths.library_id.exists():
            name = library_id.read_or_create(self._paths.library_id)
            self._announce(
                f"the passages of the replaced library stay in {self._index_address}/{name}; "
                "if no copy of that library uses them, remove them there"
            )

    def _check_target(self, path: Path) -> None:
        if path.is_dir():
            raise UsageError(f"{path} is a folder; name a file in it, such as library.tar.gz")
        if not path.parent.is_dir():
            raise NotThere(f"there is no folder {path.parent}; create it, or choose another")
        if path.exists() and not archive.is_archive(path):
            raise UsageError(f"{path} exists and is not a backup; choose another name")

    def _describe(
        self, files: dict[str, Path], own: Mapping[str, int], progress: Progress
    ) -> ArchiveManifest:
        """Return the manifest of the files of a snapshot; `own` are counts of items outside the
        databases."""
        listed = []
        for done, (name, path) in enumerate(files.items()):
            progress("reading the library", done, len(files))
            listed.append(archive.measure(name, path))
        schemas, counts = {}, {**dict.fromkeys(carried.COUNTED, 0), **own}
        for database in carried.databases(self._paths):
            name = database.path.name
            if name in files:
                inspection = sqlite_backup.inspect(files[name], database.counts)
                schemas[name] = inspection.version
                counts |= inspection.counts
        return ArchiveManifest(
            version("scholar-cli"),
            datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            schemas,
            counts,
            tuple(listed),
        )

    @contextmanager
    def _writers_held(self, progress: Progress) -> Iterator[None]:
        """Hold the locks of all writers of books, papers and corrections."""
        locks = self._paths.write_lock, self._paths.papers_lock, self._paths.corrections_lock
        with self._held(*locks, progress=progress):
            yield

    @contextmanager
    def _held(self, *locks: Path, progress: Progress) -> Iterator[None]:
        with ExitStack() as stack:
            for path in locks:
                stack.enter_context(WriteLock(path, self._wait_s, self._announce).held(progress))
            yield


def _damaged_books(manifest: ArchiveManifest, files: Mapping[str, Path]) -> Iterator[str]:
    """Yield one line for each damaged file of a book."""
    hashes = {file.name: file.sha256 for file in manifest.files}
    for name, path in files.items():
        if path.name != book_folder.MANIFEST or name.count("/") != 2:
            continue
        folder = name.removesuffix(book_folder.MANIFEST)
        try:
            written = book_folder.manifest(path.parent)
        except Damaged as refusal:
            yield str(refusal)
            continue
        for file, sha256 in written.hashes.items() if written else ():
            if hashes.get(folder + file) != sha256:
                yield str(book_folder.damage(path.parent, f"its {file} does not match its hash"))


@contextmanager
def _explain_target_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as failure:
        raise ScholarError(
            f"{path} cannot be written ({failure.strerror or failure}); choose a folder with free "
            "space that you may write to"
        ) from failure


def _summary(path: Path, manifest: ArchiveManifest) -> BackupSummary:
    counts: dict[str, Any] = {name: manifest.counts.get(name, 0) for name in carried.COUNTED}
    return BackupSummary(
        str(path),
        manifest.made,
        manifest.program,
        **counts,
        files=len(manifest.files),
        size_bytes=manifest.size_bytes,
        archive_bytes=path.stat().st_size,
    )
