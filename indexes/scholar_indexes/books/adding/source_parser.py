"""Parse the line with which the user adds books, and complete paths in it.

A line is a number, an address, a file or search words, and may end with the options of
`scholar add`, so that the user can follow the advice in an error: ~/nana.txt --language fr
"""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from scholar_indexes import file_formats
from scholar_indexes.books.formats import sources
from scholar_indexes.books.gutenberg.mirrors import gutenberg_id
from scholar_indexes.errors import UsageError
from scholar_indexes.requests import AddRequest

MOST_COMPLETIONS = 200

_TEXTS = ("title", "author", "language", "encoding", "mirror")
"""The options with a text as their value; the only other one is --refresh."""

_OPTIONS = re.compile(rf"(?:^|\s)(--(?:{'|'.join(_TEXTS)}|refresh)\b.*)$", re.DOTALL)
_NUMBERS = re.compile(r"[\s,;]+")


class SourceKind(StrEnum):
    NOTHING = "nothing"
    GUTENBERG = "gutenberg"  # numbers or addresses
    FILE = "file"
    WORDS = "words"


@dataclass(frozen=True, slots=True)
class AddLine:
    """A line that was read: its sources, and the request for each without its source."""

    kind: SourceKind
    sources: tuple[str, ...]
    request: AddRequest

    @property
    def requests(self) -> list[AddRequest]:
        """The request for each source, as Library.add accepts it."""
        return [replace(self.request, source=source) for source in self.sources]


def read(line: str) -> AddLine:
    """Return the requests in a line; raises UsageError for invalid options."""
    match = _OPTIONS.search(line)
    request = AddRequest(**_options(match[1])) if match else AddRequest()
    text = (line[: match.start()] if match else line).strip()
    if not text:
        return AddLine(SourceKind.NOTHING, (), request)
    parts = tuple(filter(None, _NUMBERS.split(text)))
    if all(gutenberg_id(part) for part in parts):
        return AddLine(SourceKind.GUTENBERG, parts, request)
    if "://" in text and not text.startswith("file://"):
        return AddLine(SourceKind.GUTENBERG, (text,), request)
    path = _path(text)
    if _is_path(text) or (file_formats.of_name(sources.FORMATS, path) and os.path.isfile(path)):
        return AddLine(SourceKind.FILE, (path,), request)
    return AddLine(SourceKind.WORDS, (text,), request)


def line(request: AddRequest) -> str:
    """Return the line that makes a request."""
    given = [
        f"--{name} {shlex.quote(value)}" for name in _TEXTS if (value := getattr(request, name))
    ]
    return " ".join([request.source, *given, *(["--refresh"] if request.refresh else [])])


def completions(line: str) -> list[str]:
    """Return completions of a path: folders, ending in a slash, then files that may be books.

    After a slash, files come first. The text already typed is unchanged; hidden files are
    offered once their dot is typed.
    """
    if not _is_path(line):
        return []
    begun, name = os.path.split(line)
    start = name.casefold()
    folders, files = [], []
    try:
        with os.scandir(os.path.expanduser(begun or ".")) as entries:
            for entry in entries:
                if not entry.name.casefold().startswith(start):
                    continue
                if entry.name.startswith(".") and not name.startswith("."):
                    continue
                if entry.is_dir():
                    folders.append(os.path.join(begun, entry.name, ""))
                elif file_formats.of_name(sources.FORMATS, entry.name):
                    files.append(os.path.join(begun, entry.name))
    except (OSError, ValueError):
        return []
    paths = sorted(folders) + sorted(files) if name else sorted(files) + sorted(folders)
    return paths[:MOST_COMPLETIONS]


def _is_path(text: str) -> bool:
    return text.startswith(("/", "~", "./", "../", "file://", "'/", '"/'))


def _path(text: str) -> str:
    """Return the path that was typed, or inserted by a terminal when a file was dropped on it.

    A text that cannot be a path is returned unchanged.
    """
    try:
        return _expand(text)
    except ValueError:  # a broken address, or a zero byte
        return text


def _expand(text: str) -> str:
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        text = text[1:-1]
    elif "\\ " in text and not os.path.exists(os.path.expanduser(text)):
        text = text.replace("\\ ", " ")
    if text.startswith("file://"):
        from urllib.parse import unquote, urlsplit

        text = unquote(urlsplit(text).path)
    return os.path.expanduser(text)


def _options(text: str) -> dict[str, Any]:
    try:
        words = shlex.split(text)
    except ValueError as broken:
        raise UsageError(f"{text!r} cannot be understood ({broken}); close the quotes") from None
    options: dict[str, Any] = {}
    rest = iter(words)
    for word in rest:
        name, equals, value = word.removeprefix("--").partition("=")
        if name == "refresh" and not equals:
            options[name] = True
        elif name in _TEXTS and word.startswith("--"):
            given = value if equals else next(rest, "")
            if not given or given.startswith("--"):
                raise UsageError(f"--{name} needs a value, such as --{name} X")
            options[name] = given
        else:
            raise UsageError(
                f"{word!r} does not belong to an option; put values of several words in quotes"
            )
    return options
