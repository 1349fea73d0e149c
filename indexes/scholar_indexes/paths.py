"""The folders and files that scholar keeps.

Books, indexes, bookmarks and quiz history are user data; downloads and pulled models are
cache and may be deleted. SCHOLAR_HOME puts everything into one folder.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scholar_indexes.errors import ConfigError
from scholar_indexes.guarded import shown

_UNUSABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")
"""Control characters, and bytes of a path that are not UTF-8 (as Python decodes them)."""

MAX_HOME_BYTES = 400
"""The longest path of a library folder: SQLite opens no path of more than 512 bytes, including the
names of files and folders in it."""

MAX_NAME_BYTES = 255
"""The longest name of a file or folder in any common file system."""


@dataclass(frozen=True, slots=True)
class Paths:
    """The data folder, the cache folder and the configuration file, and the files in them."""

    data: Path
    cache: Path
    config: Path

    @property
    def catalog(self) -> Path:
        return self.data / "catalog.sqlite"

    @property
    def books(self) -> Path:
        return self.data / "books"

    @property
    def index(self) -> Path:
        return self.data / "index.lance"

    @property
    def library_id(self) -> Path:
        """The file with the id of the library, which distinguishes its index in an object store."""
        return self.data / "library-id"

    @property
    def papers(self) -> Path:
        return self.data / "papers.sqlite"

    @property
    def papers_index(self) -> Path:
        return self.data / "papers.lance"

    @property
    def quiz_history(self) -> Path:
        return self.data / "quiz.sqlite"

    @property
    def bookmarks(self) -> Path:
        """Reading positions and saved quotations."""
        return self.data / "desk.sqlite"

    @property
    def descriptions(self) -> Path:
        """The folder of the user's own descriptions of characters, one file per book."""
        return self.data / "descriptions"

    @property
    def corrections(self) -> Path:
        """The folder of the user's corrections to the characters of books, one file per book."""
        return self.data / "corrections"

    def waiting_changes(self, name: str) -> Path:
        """Return the file of a screen's unsaved changes; "*" gives the pattern of all of them."""
        return self.data / f"changes-{name}.json"

    @property
    def write_lock(self) -> Path:
        """The lock for writing books: catalogue, texts and index."""
        return self.data / "write.lock"

    @property
    def corrections_lock(self) -> Path:
        """The lock for the files of corrections, held only while one is written."""
        return self.data / "corrections.lock"

    @property
    def people_lock(self) -> Path:
        """The lock of the one process that finds the people of a book in the background."""
        return self.data / "people.lock"

    @property
    def papers_lock(self) -> Path:
        """The lock for papers and their index, separate from the lock for books."""
        return self.data / "papers.lock"

    @property
    def backup_lock(self) -> Path:
        """The lock for making or restoring a backup of the library."""
        return self.data / "backup.lock"

    @property
    def staged(self) -> Path:
        """The folder of links to the files of a backup, while it is made."""
        return self.data / ".backup"

    @property
    def restored(self) -> Path:
        """The folder of a restored library before it is moved into place."""
        return self.data / ".restore-new"

    @property
    def replaced(self) -> Path:
        """The folder of the library that a restored one replaces, until that is done."""
        return self.data / ".restore-old"

    @property
    def restore_journal(self) -> Path:
        """A file that exists while a restored library is moved into place."""
        return self.data / ".restore.json"

    @property
    def sample_marker(self) -> Path:
        """An empty file that exists once the bundled sample has been added automatically."""
        return self.data / "sample-added"

    @property
    def gutenberg_catalog(self) -> Path:
        return self.data / "gutenberg.sqlite"

    @property
    def downloads(self) -> Path:
        return self.cache / "http"

    @property
    def models(self) -> Path:
        return self.cache / "models"

    @property
    def rankings(self) -> Path:
        """The answers of language models that ranked passages."""
        return self.cache / "rankings.jsonl"

    @property
    def speeds(self) -> Path:
        """The measured speeds of large models on this machine."""
        return self.cache / "speeds.json"


def user_paths(environment: Mapping[str, str] | None = None) -> Paths:
    """Return the folders of this user, without creating any.

    Raises ConfigError if SCHOLAR_HOME is not a folder, and for a folder that cannot contain a
    library.
    """
    environment = os.environ if environment is None else environment
    home = environment.get("SCHOLAR_HOME")
    if home:
        root = Path(os.path.expanduser(home))  # leaves ~ of an unknown user as it is
        _check_path(root, "SCHOLAR_HOME")
        nearest = next((folder for folder in (root, *root.parents) if folder.exists()), root)
        if nearest.exists() and not nearest.is_dir():
            raise ConfigError(f"SCHOLAR_HOME is {root}, which is not a folder; set it to a folder")
        return Paths(root / "data", root / "cache", root / "config.toml")

    from platformdirs import PlatformDirs

    dirs = PlatformDirs("scholar", appauthor=False)
    _check_path(Path(dirs.user_data_dir), "the folder of scholar's data")
    return Paths(
        Path(dirs.user_data_dir),
        Path(dirs.user_cache_dir),
        Path(dirs.user_config_dir, "config.toml"),
    )


def _check_path(folder: Path, what: str) -> None:
    """Raise ConfigError if SQLite or LanceDB can open no file in a folder of this path."""
    name = str(folder)
    if _UNUSABLE.search(name):
        raise ConfigError(
            f"{what} is {shown(name)}, whose name has a line break, another control character or a "
            "byte that is not UTF-8; no index can be kept there: set SCHOLAR_HOME to a folder "
            "with another name"
        )
    size = len(os.path.abspath(name).encode())
    longest = max(len(part.encode()) for part in folder.parts)
    if size > MAX_HOME_BYTES or longest > MAX_NAME_BYTES:
        raise ConfigError(
            f"{what} has a path of {size:,} bytes, {longest:,} in one name; SQLite and the system "
            f"allow {MAX_HOME_BYTES} and {MAX_NAME_BYTES}: set SCHOLAR_HOME to a "
            "folder with a shorter path"
        )
