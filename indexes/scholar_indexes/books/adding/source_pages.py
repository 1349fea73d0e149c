"""Reports of the pages of an EPUB: the number of them, and the ones that were not read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scholar_indexes.types import SourcePage

_MOST_NAMED = 10


def lost(pages: Sequence[SourcePage]) -> list[SourcePage]:
    """Return the pages that could not be read."""
    return [page for page in pages if page.is_lost]


def summary(pages: Sequence[SourcePage]) -> str:
    """Return the number of pages, and the names of the ones that could not be read, on one line."""
    unread = lost(pages)
    empty = sum(1 for page in pages if page.remark and not page.is_lost)
    count = f"{len(pages):,} page{'s' if len(pages) != 1 else ''}"
    without = f" ({empty:,} without text)" if empty else ""
    if not unread:
        return f"{count}{without}, all read"
    named = ", ".join(f"{page.name} ({page.remark})" for page in unread[:_MOST_NAMED])
    others = f" and {len(unread) - _MOST_NAMED:,} more" if len(unread) > _MOST_NAMED else ""
    return f"{count}{without}, {len(unread):,} could not be read: {named}{others}"


def lines(pages: Sequence[SourcePage]) -> Iterator[str]:
    """Yield a line for each page: the number of words, or the remark on a page without text."""
    for page in pages:
        refusal = "could not be read: " if page.is_lost else ""
        yield f"{page.name}: {refusal}{page.remark or f'{page.words:,} words'}"
