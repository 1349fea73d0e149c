"""Passages with their notes as annotations in JSON-LD (W3C, Web Annotation Data Model, 2017)."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

from scholar_indexes.books.collections.collection_service import PlacedQuotation
from scholar_indexes.books.collections.note_tags import tags_of
from scholar_indexes.sanitize import sanitize_values
from scholar_indexes.serialize.exports import Export
from scholar_indexes.serialize.passages import SELECTOR_CHARS
from scholar_indexes.storage.bookmarks import COLOURS
from scholar_indexes.types import Book

CONTEXT = "http://www.w3.org/ns/anno.jsonld"

_STYLE = "".join(f".{colour} {{ background: {colour} }}\n" for colour in COLOURS)


def to_w3c(export: Export) -> str:
    """Return passages as an annotation collection of one page, in their order. Positions count the
    code points of the stored text."""
    items = [_annotation(placed) for placed in export.quotations]
    page = {"type": "AnnotationPage", "startIndex": 0, "items": items}
    collection = {
        "@context": CONTEXT,
        "id": _identifier(export.title),
        "type": "AnnotationCollection",
        "label": export.title,
        "total": len(items),
        "first": page,
    }
    return json.dumps(sanitize_values(collection), ensure_ascii=False, indent=2) + "\n"


def _annotation(placed: PlacedQuotation) -> dict[str, Any]:
    saved = placed.saved
    body = [{"type": "TextualBody", "purpose": "commenting", "value": saved.note}]
    body += [
        {"type": "TextualBody", "purpose": "tagging", "value": tag} for tag in tags_of(saved.note)
    ]
    claim = {"type": "TextualBody", "purpose": "classifying", "value": saved.claim}
    target = {
        "source": _source(placed.place.book),
        "styleClass": saved.colour,
        "selector": _selectors(placed),
    }
    record = {
        "id": _identifier(saved.collection, saved.locator),
        "type": "Annotation",
        "motivation": "commenting" if saved.note else "highlighting",
        "created": saved.kept,
        "body": [*(body if saved.note else []), *([claim] if saved.claim else [])],
        "stylesheet": {"type": "CssStylesheet", "value": _STYLE} if saved.colour else None,
        "target": _present(target),
    }
    return _present(record)


def _present(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members that have a value."""
    return {name: value for name, value in record.items() if value}


def _identifier(*parts: str) -> str:
    """Return an address that is the same in every export."""
    return f"urn:uuid:{uuid5(NAMESPACE_URL, '/'.join(('scholar', *parts)))}"


def _source(book: Book) -> dict[str, str]:
    gutenberg = re.fullmatch(r"pg(\d+)", book.id)
    return {
        "id": f"https://www.gutenberg.org/ebooks/{gutenberg[1]}"
        if gutenberg
        else f"urn:scholar:{quote(book.id)}",
        "type": "Text",
        "dc:title": book.title,
        "dc:creator": book.author,
    }


def _selectors(placed: PlacedQuotation) -> list[dict[str, Any]]:
    """Return the locator, the words with those around them, and the position if it is known."""
    selectors: list[dict[str, Any]] = [
        {"type": "FragmentSelector", "value": placed.saved.locator},
        {
            "type": "TextQuoteSelector",
            "exact": placed.saved.quote,
            "prefix": placed.before[-SELECTOR_CHARS:],
            "suffix": placed.after[:SELECTOR_CHARS],
        },
    ]
    if placed.span and not placed.is_changed:
        start, end = placed.span.start, placed.span.end
        selectors.append({"type": "TextPositionSelector", "start": start, "end": end})
    return selectors
