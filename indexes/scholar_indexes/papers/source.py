"""Read papers from a file or from standard input."""

from __future__ import annotations

import re
import sys
from itertools import islice
from pathlib import Path

from scholar_indexes.decoding import decode
from scholar_indexes.errors import NoPapers, NotThere, ScholarError, UsageError
from scholar_indexes.guarded import TooLarge, read_bytes, remedy
from scholar_indexes.papers.entry import Entry
from scholar_indexes.sanitize import one_line

MAX_SOURCE_BYTES = 1024**3
"""Larger sources are refused; this is about 500,000 papers."""

STANDARD_INPUT = "-"

_FILE_NAME = re.compile(r"[^\s、。，]*(?:[/\\][^\s、。，]*|\.\w+)")
"""A word with a slash or a suffix, but no Chinese or Japanese punctuation: sentences in these
languages have no spaces."""


def is_source(reference: str) -> bool:
    """Return True if a reference is standard input or an existing file."""
    if reference == STANDARD_INPUT:
        return True
    try:
        return Path(reference).expanduser().is_file()
    except (OSError, RuntimeError, ValueError):  # too long for a name, or no such home folder
        return False


def read_source(source: str) -> tuple[bytes, str]:
    """Return the bytes of a file or of standard input, and its name for messages."""
    if source == STANDARD_INPUT:
        return sys.stdin.buffer.read(MAX_SOURCE_BYTES), "standard input"
    path = Path(source).expanduser()
    try:
        if path.is_dir():
            raise UsageError(f"{path} is a folder; name a file in it")
        return read_bytes(path, MAX_SOURCE_BYTES), path.name
    except FileNotFoundError:
        raise NotThere(f"there is no file {one_line(source)}; check its name") from None
    except TooLarge:
        raise NoPapers(
            f"{path} is larger than {MAX_SOURCE_BYTES >> 20} MiB; split it first"
        ) from None
    except OSError as error:
        raise ScholarError(f"{path} cannot be read ({error.strerror}); {remedy(error)}") from error


def read_abstract_text(source: str) -> str:
    """Return the text of an abstract: the content of a file or standard input (-), else `source`.

    Raises NotThere if `source` looks like the name of a file and none exists.
    """
    if not is_source(source):
        if _FILE_NAME.fullmatch(source.strip()):
            raise NotThere(
                f"there is no file {one_line(source)}; check its name: "
                "an abstract is a text of several words, a file, or -"
            )
        return source
    data, name = read_source(source)
    if b"\0" in data:
        raise UsageError(f"{one_line(name)} is not text; give the abstract as plain text")
    return decode(data)[0]


def read_single_entry(source: str) -> Entry:
    """Return the only entry of a source, or its text as an abstract, with the title above it if
    there is one. Raises NoPapers if there is no entry, UsageError if there are several."""
    from scholar_indexes.papers import formats
    from scholar_indexes.papers.formats import plain

    data, name = read_source(source)
    if formats.detect_format(data, name) is None and (entry := plain.read_abstract(data)):
        return entry
    records = islice(formats.read(data, name), 2)
    entries = [record for record in records if isinstance(record, Entry)]
    if not entries:
        raise NoPapers(f"{one_line(name)} has no paper that can be read; choose another file")
    if len(entries) > 1:
        raise UsageError(
            f"{one_line(name)} has several papers; add them (scholar papers add) and name one"
        )
    return entries[0]
