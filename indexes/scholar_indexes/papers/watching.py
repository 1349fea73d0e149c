"""Watch a file, a folder or Zotero's library for papers that are added or changed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scholar_indexes.errors import NotThere, ScholarError, UsageError
from scholar_indexes.papers import folder as folders
from scholar_indexes.papers import zotero
from scholar_indexes.papers.source import STANDARD_INPUT
from scholar_indexes.sanitize import one_line
from scholar_indexes.storage.sqlite_copy import SIDE_FILES

QUIET_MS = 500
"""Changes are reported after this time without a change, since files are written in pieces."""

LONGEST_MS = 10_000
"""Changes are reported after this time even if they do not stop."""

_CHECK_MS = 1_000


@dataclass(frozen=True, slots=True)
class WatchedSource:
    """A folder to watch, and the names of the files in it that count; without names, all files
    with papers in it and in its subfolders count."""

    root: Path
    names: frozenset[str]

    @classmethod
    def of(cls, source: str) -> WatchedSource:
        """Return the folder and the files to watch for a source. Raises UsageError if it cannot be
        watched, NotThere if it does not exist."""
        if source == STANDARD_INPUT:
            raise UsageError("standard input cannot be watched; name a file or a folder")
        if library := zotero.find_library(source):
            names = [library.name, *(library.name + suffix for suffix in SIDE_FILES)]
            return cls(library.resolve().parent, frozenset(names))
        path = Path(source).expanduser()
        if path.is_dir():
            return cls(path.resolve(), frozenset())
        if path.is_file():
            return cls(path.resolve().parent, frozenset([path.resolve().name]))
        raise NotThere(f"there is no file {one_line(source)}; check its name")

    def select(self, paths: list[Path]) -> list[Path]:
        """Return the files among changed paths that count; without names, only existing files."""
        if self.names:
            return [path for path in paths if path.parent == self.root and path.name in self.names]
        files: list[Path] = []
        for path in paths:
            if any(part.startswith(".") for part in path.relative_to(self.root).parts):
                continue
            if path.is_dir():  # a folder that was moved here with its files
                files += folders.find_files(path)
            elif folders.is_paper_file(path):
                files.append(path)
        return sorted(set(files))


def changes(watched: WatchedSource) -> Iterator[list[Path]]:
    """Yield the files that were added or changed, once they are written, until Ctrl-C.

    The first list is empty: watching has begun, and earlier changes are not known. Raises
    ScholarError if the system cannot watch the folder.
    """
    import logging

    from watchfiles import watch

    logging.getLogger("watchfiles").setLevel(logging.ERROR)  # it reports Ctrl-C as a warning
    has_begun = False
    try:
        for changed in watch(
            watched.root,
            watch_filter=None,
            debounce=LONGEST_MS,
            step=QUIET_MS,
            rust_timeout=_CHECK_MS,
            yield_on_timeout=True,
            raise_interrupt=False,
            recursive=not watched.names,
        ):
            if not has_begun:
                has_begun = True
                yield []
            if files := watched.select([Path(path) for _, path in changed]):
                yield files
    except (OSError, RuntimeError) as refusal:
        raise ScholarError(
            f"{watched.root} cannot be watched ({one_line(str(refusal), 100)}); add it again when "
            "it has changed, or watch a smaller folder"
        ) from refusal
