"""The folders and files that scholar keeps.

Books, indexes, bookmarks and quiz history are user data; downloads and pulled models are
cache and may be deleted. SCHOLAR_HOME puts everything into one folder.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from scholar_indexes.errors import ConfigError


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
        """The name of the library among those whose indexes are in one object store."""
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

    @property
    def write_lock(self) -> Path:
        """The lock of what is written about books: catalogue, texts and index."""
        return self.data / "write.lock"

    @property
    def corrections_lock(self) -> Path:
        """The lock of the files of corrections, which is held only while one is written."""
        return self.data / "corrections.lock"

    @property
    def papers_lock(self) -> Path:
        """The lock of the papers and their index, apart from that of books."""
        return self.data / "papers.lock"

    @property
    def backup_lock(self) -> Path:
        """The lock of who makes a backup of the library, or restores one."""
        return self.data / "backup.lock"

    @property
    def staged(self) -> Path:
        """The folder of links to what a backup is made of, while it is made."""
        return self.data / ".backup"

    @property
    def restored(self) -> Path:
        """The folder of a restored library before it is put in its place."""
        return self.data / ".restore-new"

    @property
    def replaced(self) -> Path:
        """The folder of the library that a restored one replaces, until it is done."""
        return self.data / ".restore-old"

    @property
    def restore_journal(self) -> Path:
        """A file that is there while a restored library is put in its place."""
        return self.data / ".restore.json"

    @property
    def sample_marker(self) -> Path:
        """An empty file that is there once the bundled sample has been added automatically."""
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


def user_paths(environment: Mapping[str, str] | None = None) -> Paths:
    """Return the folders of this user, without creating any.

    Raises ConfigError when SCHOLAR_HOME names something that is not a folder.
    """
    environment = os.environ if environment is None else environment
    home = environment.get("SCHOLAR_HOME")
    if home:
        root = Path(os.path.expanduser(home))  # leaves the home of an unknown user as it is
        nearest = next((folder for folder in (root, *root.parents) if folder.exists()), root)
        if nearest.exists() and not nearest.is_dir():
            raise ConfigError(f"SCHOLAR_HOME is {root}, which is not a folder; name a folder")
        return Paths(root / "data", root / "cache", root / "config.toml")

    from platformdirs import PlatformDirs

    dirs = PlatformDirs("scholar", appauthor=False)
    return Paths(
        Path(dirs.user_data_dir),
        Path(dirs.user_cache_dir),
        Path(dirs.user_config_dir, "config.toml"),
    )
