"""Find the texts of Gutenberg novels in a folder."""

from __future__ import annotations

from pathlib import Path

from scholar_indexes.errors import NotThere


def find_text(texts: Path, book: str, title: str) -> Path:
    """Return the file of a book such as "pg242", texts/primary/<number>.txt.

    Raises NotThere without it.
    """
    path = texts / "primary" / f"{book.removeprefix('pg')}.txt"
    if not path.is_file():
        raise NotThere(f"{title} is not there; put Gutenberg's text into {path}")
    return path
