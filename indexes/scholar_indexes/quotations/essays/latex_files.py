r"""Find the files that a LaTeX document includes: \input, \include, \subfile, \import.

Only files in the folder of the document and below it are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from scholar_indexes.decoding import decode, is_text
from scholar_indexes.guarded import TooLarge, read_bytes
from scholar_indexes.quotations.essays.latex_source import printed
from scholar_indexes.stopping import checked

MOST_FILES = 200
MAX_BYTES = 16 * 1024 * 1024
"""The maximum size of all included files together."""

_INCLUSION = re.compile(
    r"\\[\\%]|%[^\n]*"
    r"|\\(?:(?P<import>(?:sub)?import)\s?\*?\{(?P<folder>[^{}\n]{0,200})\}"
    r"|input(?![a-zA-Z])|include(?![a-zA-Z])|subfile(?![a-zA-Z]))"
    r"\s?(?:\{(?P<braced>[^{}\n]{1,200})\}|(?P<bare>[\w./-]{1,200}))"
)


class IncludedFile(NamedTuple):
    """A file that a document includes: its path from the folder of the document, and its text, or
    the reason why it is not read."""

    name: str
    text: str = ""
    refusal: str = ""


def included(essay: Path, text: str) -> Iterator[IncludedFile]:
    """Yield the files that a document includes and the files that these include, each once.

    They are in order. At most MOST_FILES files of MAX_BYTES in total are read.
    """
    folder = essay.expanduser().resolve().parent
    seen = {essay.expanduser().resolve()}
    left = MAX_BYTES
    waiting = list(_names(text, ""))[::-1]
    while waiting:
        name = waiting.pop()
        try:
            path = _path(folder, name)
        except (OSError, ValueError, RuntimeError):
            yield IncludedFile(name, refusal="it is no name of a file")
            continue
        if path in seen:
            continue
        if len(seen) > MOST_FILES:
            yield IncludedFile(name, refusal=f"it has more than {MOST_FILES} included files")
            return
        seen.add(path)
        file = _read(folder, path, name, left)
        left -= len(file.text)
        yield file
        waiting += list(_names(file.text, str(Path(name).parent)))[::-1]


def _names(text: str, folder: str) -> Iterator[str]:
    """Yield the names of files that a text includes; `folder` is the folder of the text, for
    commands with names relative to it."""
    for match in checked(_INCLUSION.finditer(printed(text))):
        name = (match["braced"] or match["bare"] or "").strip(' "')
        if match["import"]:
            name = f"{match['folder']}/{name}"
            name = f"{folder}/{name}" if match["import"] == "subimport" else name
        if name:
            yield name


def _path(folder: Path, name: str) -> Path:
    """Return the path of a file, whose ending may be left out."""
    path = (folder / name).resolve()
    return path if path.is_file() else path.with_name(f"{path.name}.tex")


def _read(folder: Path, path: Path, name: str, limit: int) -> IncludedFile:
    if not path.is_relative_to(folder):
        return IncludedFile(name, refusal="it is not in the folder of the essay")
    shown = str(path.relative_to(folder))
    try:
        data = read_bytes(path, limit)
    except FileNotFoundError:
        return IncludedFile(name, refusal="it does not exist")
    except TooLarge:
        return IncludedFile(shown, refusal="the included files are too large")
    except (OSError, ValueError):
        return IncludedFile(shown, refusal="it cannot be read")
    if not is_text(data[:4096]):
        return IncludedFile(shown, refusal="it is not text")
    return IncludedFile(shown, decode(data)[0])
