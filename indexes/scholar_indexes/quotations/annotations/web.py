"""Annotations in JSON: of the W3C (JSON-LD), which scholar exports, and of Hypothes.is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any
from urllib.parse import unquote

from scholar_indexes.books.collections.note_tags import tags_of
from scholar_indexes.errors import UsageError
from scholar_indexes.guarded import parse_json
from scholar_indexes.quotations.annotations.found_notes import FoundNote
from scholar_indexes.sanitize import one_line

LISTS = ("first", "items", "rows", "annotations")
"""The members of an object that contain its annotations: of a collection and a page of the W3C, of
an answer and an export of Hypothes.is."""

LONGEST_TAG = 80

_GUTENBERG = re.compile(r"gutenberg\.org/(?:ebooks|files|cache/epub|etext)/(\d{1,7})\b")
_OWN = re.compile(r"urn:scholar:(.+)")


def read(text: str) -> list[FoundNote]:
    """Return the annotations of a JSON text; raises UsageError for a text of another kind."""
    try:
        value = parse_json(text, lenient=True)
    except ValueError as error:
        raise UsageError(f"it is not complete JSON ({error})") from None
    records = list(_records(value))
    if not records:
        raise UsageError(
            "it is JSON without annotations (to add what scholar printed: "
            "scholar collection add NAME -)"
        )
    return [_note(record, f"annotation {number}") for number, record in enumerate(records, 1)]


def _records(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the annotations of a list, a page, a collection, or one alone."""
    if isinstance(value, list):
        yield from chain.from_iterable(map(_records, value))
    elif isinstance(value, dict):
        within = next((value[name] for name in LISTS if name in value), None)
        if within is not None:
            yield from _records(within)
        elif "target" in value:
            yield value


def _note(record: Mapping[str, Any], label: str) -> FoundNote:
    target = next((part for part in _listed(record["target"]) if isinstance(part, dict)), {})
    selectors = [part for part in _listed(target.get("selector")) if isinstance(part, dict)]
    quoted = _of_type(selectors, "TextQuoteSelector")
    start = _of_type(selectors, "TextPositionSelector").get("start")
    bodies = [part for part in _listed(record.get("body")) if isinstance(part, dict)]
    source = target.get("source")
    address = _address(source) or _text(record.get("uri"))
    return FoundNote(
        label,
        _text(quoted.get("exact")),
        _comment(record, bodies),
        next(iter(_values(bodies, "classifying")), ""),
        _text(target.get("styleClass")),
        _text(quoted.get("prefix")),
        _text(quoted.get("suffix")),
        _text(_of_type(selectors, "FragmentSelector").get("value")),
        _book_id(address),
        start if type(start) is int else None,
        _title(source) or _title(record.get("document")),
    )


def _comment(record: Mapping[str, Any], bodies: list[dict[str, Any]]) -> str:
    """Return the note of an annotation with its tags, as the W3C or Hypothes.is have them."""
    comments = [body for body in bodies if body.get("purpose", "commenting") == "commenting"]
    texts = [record.get("text"), record.get("bodyValue"), *(body.get("value") for body in comments)]
    tags = [*map(_text, _listed(record.get("tags"))), *_values(bodies, "tagging")]
    return _with_tags(_joined(list(map(_text, texts))), tags)


def _of_type(selectors: list[dict[str, Any]], type_name: str) -> Mapping[str, Any]:
    return next((part for part in selectors if part.get("type") == type_name), {})


def _values(bodies: list[dict[str, Any]], purpose: str) -> list[str]:
    return [_text(body.get("value")) for body in bodies if body.get("purpose") == purpose]


def _address(source: Any) -> str:
    return _text(source.get("id")) if isinstance(source, dict) else _text(source)


def _title(document: Any) -> str:
    """Return the title of a source of the W3C, or of a document of Hypothes.is."""
    if not isinstance(document, dict):
        return ""
    titles = _listed(document.get("dc:title")) + _listed(document.get("title"))
    return next(filter(None, map(_text, titles)), "")


def _book_id(address: str) -> str:
    """Return the id that the book at an address would have in a library, empty if unknown."""
    if gutenberg := _GUTENBERG.search(address):
        return f"pg{int(gutenberg[1])}"
    own = _OWN.fullmatch(address)
    return unquote(own[1]) if own else ""


def _with_tags(note: str, tags: list[str]) -> str:
    """Return a note with the tags that it does not contain yet, each as a word after a #."""
    words = (re.sub(r"[^\w/-]+", "-", one_line(tag, LONGEST_TAG)).strip("-") for tag in tags)
    known = tags_of(note)
    new = [f"#{tag}" for tag in dict.fromkeys(words) if tag and tag.casefold() not in known]
    return _joined([note, " ".join(new)])


def _joined(texts: list[str]) -> str:
    return "\n\n".join(filter(None, map(str.strip, texts)))


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
