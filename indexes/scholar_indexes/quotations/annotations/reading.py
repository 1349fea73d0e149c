"""Files of annotations, each read as its content demands."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from scholar_indexes.decoding import decode
from scholar_indexes.errors import UsageError
from scholar_indexes.quotations.annotations import clippings, markdown, web
from scholar_indexes.quotations.annotations.found_notes import FoundNote
from scholar_indexes.sanitize import one_line


class AnnotationFormat(NamedTuple):
    """A format of annotations: its name, a test of the text of a file, and its reader, which raises
    UsageError with a reason that completes "the file cannot be read"."""

    name: str
    is_format: Callable[[str], bool]
    read: Callable[[str], list[FoundNote]]


FORMATS = (
    AnnotationFormat(
        "annotations in JSON (W3C, Hypothes.is)",
        lambda text: text.lstrip().startswith(("{", "[")),
        web.read,
    ),
    AnnotationFormat(
        "a Kindle's clippings", lambda text: clippings.SEPARATOR in text, clippings.read
    ),
    AnnotationFormat("Markdown that scholar exported", lambda text: True, markdown.read),
)
"""The formats, in the order in which they are tried."""


def read(data: bytes, name: str) -> list[FoundNote]:
    """Return the annotations in the bytes of a file, in their order; raises UsageError, with the
    name of the file, if there are none."""
    text, _ = decode(data)
    format = next(format for format in FORMATS if format.is_format(text))
    try:
        return format.read(text.replace("\r\n", "\n").replace("\r", "\n"))
    except UsageError as error:
        *names, last = (known.name for known in FORMATS)
        raise UsageError(
            f"{one_line(name, 200)} has no annotations to import: {error}; "
            f"give {', '.join(names)} or {last}"
        ) from None
