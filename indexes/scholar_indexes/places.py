"""Where files live.

Books, indexes and quiz history are a person's data; downloads and pulled models are
cache and may be thrown away. SCHOLAR_HOME puts everything into one folder.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_indexes.errors import Busy, ConfigError, ScholarError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from filelock import FileLock


@dataclass(frozen=True, slots=True)
class Places:
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
    def papers(self) -> Path:
        return self.data / "papers.sqlite"

    @property
    def papers_index(self) -> Path:
        return self.data / "papers.lance"

    @property
    def quiz_history(self) -> Path:
        return self.data / "quiz.sqlite"

    @property
    def desk(self) -> Path:
        """Where a person was reading, and what they kept."""
        return self.data / "desk.sqlite"

    @property
    def descriptions(self) -> Path:
        """A person's own descriptions of characters, a file for each book."""
        return self.data / "descriptions"

    @property
    def write_lock(self) -> Path:
        return self.data / "write.lock"

    @property
    def sample_noted(self) -> Path:
        """Present once the bundled sample was added by itself."""
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


def places(environment: Mapping[str, str] | None = None) -> Places:
    """The folders of this user; nothing is created.

    Raises ConfigError when SCHOLAR_HOME names something that is not a folder.
    """
    environment = os.environ if environment is None else environment
    home = environment.get("SCHOLAR_HOME")
    if home:
        root = Path(os.path.expanduser(home))  # leaves the home of an unknown user as it is
        nearest = next((each for each in (root, *root.parents) if each.exists()), root)
        if nearest.exists() and not nearest.is_dir():
            raise ConfigError(f"SCHOLAR_HOME is {root}, which is not a folder; name a folder")
        return Places(root / "data", root / "cache", root / "config.toml")

    from platformdirs import PlatformDirs

    dirs = PlatformDirs("scholar", appauthor=False)
    return Places(
        Path(dirs.user_data_dir),
        Path(dirs.user_cache_dir),
        Path(dirs.user_config_dir, "config.toml"),
    )


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turn the operating system's refusals to write into one line that says what to do."""
    import errno

    try:
        yield
    except OSError as refusal:
        if refusal.errno in (errno.ENOSPC, errno.EDQUOT):
            raise ScholarError(
                f"the disk that holds {folder} is full; nothing was added. Free some space, "
                "or set SCHOLAR_HOME to a folder elsewhere, and run the same command again"
            ) from refusal
        if refusal.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise ScholarError(
                f"no permission to write {refusal.filename or folder}; change its permissions "
                "or set SCHOLAR_HOME to a folder of your own"
            ) from refusal
        if refusal.errno in (errno.ENOTDIR, errno.EEXIST):
            raise ScholarError(
                f"{refusal.filename or folder} is in the way of a folder; move it elsewhere "
                "or set SCHOLAR_HOME to a folder of your own"
            ) from refusal
        raise


@contextmanager
def exclusive(
    lock_file: Path,
    wait_s: float,
    waiting: Callable[[], None],
    still: Callable[[], None] = lambda: None,
) -> Iterator[None]:
    """Hold a lock between processes; the operating system frees that of a killed one.

    waiting is called once when another process holds it, and still again and again from then
    on; what it raises ends the wait. Raises Busy after wait_s.
    """
    from filelock import FileLock, Timeout

    with writing(lock_file.parent):
        lock_file.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(lock_file)
        try:
            lock.acquire(timeout=min(1.0, wait_s))
        except Timeout:
            waiting()
            try:
                _acquire(lock, wait_s, still)
            except Timeout:
                raise Busy(
                    "another scholar has been writing all this time; run the same command again "
                    "when it has finished"
                ) from None
    try:
        yield
    finally:
        lock.release()


def _acquire(lock: FileLock, wait_s: float, still: Callable[[], None]) -> None:
    """Wait for a lock, a quarter of a second at a time."""
    from filelock import Timeout

    until = time.monotonic() + wait_s
    while True:
        still()
        left = until - time.monotonic()
        try:
            lock.acquire(timeout=max(0.0, min(0.25, left)))
        except Timeout:
            if left <= 0.25:
                raise
        else:
            return
