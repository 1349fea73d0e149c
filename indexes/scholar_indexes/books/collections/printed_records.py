"""Quotations from the records that scholar prints, so that its output can be saved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scholar_indexes.books.citation import locators
from scholar_indexes.books.citation.chapter_names import full_section_name
from scholar_indexes.books.collections.collection_service import MAX_CLAIM_CHARS, NO_PASSAGE
from scholar_indexes.errors import UsageError
from scholar_indexes.sanitize import one_line
from scholar_indexes.storage.bookmarks import SavedQuotation


def quotations_of(record: Mapping[str, Any], claim: str = "") -> Iterator[SavedQuotation]:
    """Yield the quotations of a record printed by scholar.

    The record is a hit, a located or saved quotation, a speech, or a claim with its hits. The
    text of a record without a quotation is the text at its locator. Raises UsageError for a
    record without the locator of a passage.
    """
    claim = _text(record.get("claim")) or claim
    if isinstance(hits := record.get("hits"), list):
        for hit in hits:
            if isinstance(hit, Mapping):
                yield from quotations_of(hit, claim)
        return
    locator = _text(record.get("locator"))
    place = locators.parse(locator)
    if place.paragraph is None:
        raise UsageError(NO_PASSAGE.format(place))
    book = record.get("book")
    named = book if isinstance(book, Mapping) else {}
    yield SavedQuotation(
        str(place),
        _quote(record) or _text(record.get("keyword")),
        place.book_id,
        _text(named.get("author")),
        _text(named.get("title")),
        _chapter_name(record.get("chapter"), place.chapter or 0, _text(named.get("title"))),
        one_line(claim, MAX_CLAIM_CHARS),
        _text(record.get("note")),
        colour=_text(record.get("colour")),
    )


def _quote(record: Mapping[str, Any]) -> str:
    """Return the exact words of a record, empty if it has none."""
    pieces = record.get("pieces")
    if isinstance(pieces, list) and len(pieces) > 1:
        return ""  # the pieces of a speech; its locator includes the text between them
    selector = record.get("selector")
    exact = selector.get("exact") if isinstance(selector, Mapping) else None
    return _text(exact) or _text(record.get("exact")) or _text(record.get("quote"))


def _chapter_name(chapter: object, number: int, book_title: str) -> str:
    """Return the name of a chapter, which a record gives as an object or as a name."""
    if not isinstance(chapter, Mapping):
        return one_line(_text(chapter))
    part = chapter.get("part")
    headings = part if isinstance(part, list) else []
    return full_section_name(map(_text, headings), _text(chapter.get("title")), number, book_title)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
