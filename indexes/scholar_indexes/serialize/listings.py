"""A list on a screen as a file, in every format that the table of formats has for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from scholar_indexes.results import CitationStyle
from scholar_indexes.sanitize import safe
from scholar_indexes.serialize.result_formats import PASSAGES, Format, Kind, formats

Content = Callable[[CitationStyle, int | None], tuple[Any, ...]]
"""Returns the arguments of the writers of a kind, for a citation style and at most a number of
entries; it may open books, and runs in a thread."""


@dataclass(frozen=True, slots=True)
class ExportListing:
    """Something to export: a heading that says what it is, a name for its file, the number of its
    entries, and its content for each kind of result that it can be written as, the preferred kind
    first."""

    heading: str
    name: str
    entries: int
    contents: Mapping[Kind[Any], Content]

    @property
    def formats(self) -> list[Format]:
        """The formats in which it can be written, Markdown first."""
        return sorted(formats(*self.contents), key=lambda format: format is not Format.MD)

    def has_citations(self, format: Format) -> bool:
        """Return True if a format cites the passages in a style."""
        return self._kind(format) is PASSAGES

    def write(
        self,
        format: Format,
        style: CitationStyle = CitationStyle.MLA,
        limit: int | None = None,
    ) -> str | bytes:
        """Return the content of a file, with at most a number of entries if possible; text is
        sanitized."""
        kind = self._kind(format)
        written = format.writer(kind)(*self.contents[kind](style, limit))
        if format.is_binary:
            return bytes(written)
        return safe(written.decode("utf-8") if isinstance(written, bytes) else written)

    def _kind(self, format: Format) -> Kind[Any]:
        return next(kind for kind in self.contents if format.writes(kind))


def to_markdown(markdown: str) -> str:
    """Return a listing that is Markdown already."""
    return markdown
