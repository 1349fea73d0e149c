"""The result of reading a source: the text of a book, and its metadata in the source."""

from __future__ import annotations

from dataclasses import dataclass

from scholar_indexes.types import NO_IMPRINT, Imprint, SceneBreak, SourcePage, Span


@dataclass(frozen=True, slots=True)
class Heading:
    """A span that the source marks as a heading; level 1 is the outermost."""

    span: Span
    level: int


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A book as read: its canonical text and the metadata in its source.

    text has one line per prose paragraph and one blank line between paragraphs; verse,
    addresses and tables keep their lines. author is "First Last" and language an ISO 639-1
    code, both empty if the source does not state them; headings are spans of text, in order,
    and empty for plain text; breaks are the ornaments between paragraphs that were removed
    from the text; pages are the pages of an EPUB, in order, with the ones that could not be read.
    """

    text: str
    title: str
    author: str
    language: str
    gutenberg_id: int | None
    encoding: str
    headings: tuple[Heading, ...] = ()
    imprint: Imprint = NO_IMPRINT
    breaks: tuple[SceneBreak, ...] = ()
    pages: tuple[SourcePage, ...] = ()
