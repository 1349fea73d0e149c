"""Helpers of the fuzz targets: conversions of bytes to inputs, and checks of results."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterable, Sequence

from scholar_indexes.sanitize import safe
from scholar_indexes.types import Span

MAX_LINE_CHARS = 1_000

BETWEEN_FILES = b"\n%%\n"
"""The separator of the files of an archive in the input of a target that packs them."""


def of_text(read: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: read(data.decode("utf-8", "replace"))


def pack(names: Iterable[str], contents: Iterable[bytes]) -> bytes:
    """Return a zip archive of the files; names without contents are dropped."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in zip(names, contents, strict=False):
            archive.writestr(name, content)
    return packed.getvalue()


def check_line(text: str) -> None:
    """Check that a message or a name is one line of limited length that is safe to show."""
    assert text == safe(text), "it is not safe to show"
    assert not set(text) & set("\t\n"), "it is more than one line"
    assert len(text) <= MAX_LINE_CHARS, "it is too long"


def check_spans(spans: Sequence[Span], size: int) -> None:
    """Check that spans are in order, without overlap, within a text of the given size."""
    end = 0
    for span in spans:
        assert end <= span.start <= span.end <= size, f"{span} after {end} of {size}"
        end = span.end
