"""Files for the tests of the network client to download."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TEXT = b"It is a truth universally acknowledged. " * 5000
PATH = "/1/3/4/1342/1342-0.txt"
MEGABYTE = 1_000_000


def kept_files(cache: Path) -> list[str]:
    """Return the files in the cache, except locks and the pauses of hosts."""
    files = (path for path in cache.rglob("*") if path.is_file())
    return sorted(
        path.relative_to(cache).parts[0]
        for path in files
        if path.relative_to(cache).parts[0] not in ("locks", "hosts")
    )


CHILD = """
import sys
from pathlib import Path
from scholar_indexes.net.client import Fetcher
fetcher = Fetcher(Path(sys.argv[1]), pause_s=float(sys.argv[2]))
for url in sys.argv[3:]:
    fetcher.get(url, max_bytes=10**6, announce=lambda line: None)
"""


def child(cache: Path, pause_s: float, *urls: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", CHILD, str(cache), str(pause_s), *urls])
