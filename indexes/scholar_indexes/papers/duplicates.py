"""Recognize duplicate records of a paper, and merge them.

A DOI or a service's own number identifies one paper. Several papers may share a citation key or a
title, so their years and authors must not conflict either.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

from scholar_indexes.folding import fold_text
from scholar_indexes.papers.formats.csl import item_authors, item_tags, item_year
from scholar_indexes.papers.ids import title_key
from scholar_indexes.types import Facet

Item = Mapping[str, Any]
Sentences = tuple[tuple[str, Facet | None], ...]

WEAK_SCHEMES = ("key:", "title:")
"""Schemes of identifiers that different papers may share."""

MAX_YEARS_APART = 1
"""The most years between a preprint and its publication."""

_PREPRINT_TYPES = ("article", "manuscript", "posted-content")
_PEOPLE = ("author", "editor")
_NOTED = ("edited", "tags")
"""The fields of "custom" that the catalogue writes: the edited fields, and the tags by origin."""

_WHOLE = ("issued", "accessed")  # a date is never merged from two


def records_agree(one: Item, other: Item) -> bool:
    """Return True if two records may describe one paper: if both have years, these differ by at
    most MAX_YEARS_APART, and if both have authors, these share a name."""
    years = item_year(one), item_year(other)
    if None not in years and abs((years[0] or 0) - (years[1] or 0)) > MAX_YEARS_APART:
        return False
    names = _names(one), _names(other)
    return not all(names) or bool(names[0] & names[1])


def titles_match(one: str, other: str) -> bool:
    """Return True if two titles are equal, or one is the other without its subtitle."""
    first, second = _folded(one), _folded(other)
    return first == second or (
        bool(first and second)
        and (first.startswith(second + " ") or second.startswith(first + " "))
    )


def merge_items(
    old: Item, new: Item, *, replaces: bool = False, origin: str = ""
) -> dict[str, Any]:
    """Return two CSL-JSON items merged: the fuller record, its gaps filled from the other.

    With `replaces`, new is the current version of old in its source: it takes precedence, and old
    fills its gaps. `origin` names that source: the tags of new replace its earlier ones.

    A record that names where the paper was published is fuller than a preprint's; the longer of
    two lists of authors is kept, so are the tags of both, and fields that the user edited do not
    change. Merging either record again changes nothing.
    """
    edited = {*edited_fields(old), *edited_fields(new)}
    is_fuller = _fullness(new, edited) > _fullness(old, edited)
    first, second = (new, old) if replaces or is_fuller else (old, new)
    item = {**_filled(second), **_filled(first)}
    for name, value in _filled(second).items():
        if isinstance(value, Mapping) and isinstance(item[name], Mapping) and name not in _WHOLE:
            item[name] = {**value, **item[name]}
    for role in _PEOPLE:
        if role in item and not (replaces and new.get(role)):
            item[role] = max((first.get(role), second.get(role)), key=_length)
    return _with_edits(_with_tags(item, _merge_tags(old, new, origin)), old, new)


def merge_abstracts(
    old_item: Item, old: Sentences, new_item: Item, new: Sentences, *, replaces: bool = False
) -> Sentences:
    """Return the edited one of two abstracts, else the longer one, else the one with more labels;
    old if they tie. With `replaces`, as in merge_items, new is preferred if it is not empty."""
    for item, sentences in ((old_item, old), (new_item, new)):
        if "abstract" in edited_fields(item):
            return sentences
    if replaces and new:
        return new
    return max((old, new), key=lambda abstract: (_characters(abstract), _labels(abstract)))


def edited_fields(item: Item) -> tuple[str, ...]:
    """Return the fields of a stored item that the user edited; "abstract" may be one of them."""
    custom = item.get("custom")
    return tuple(custom.get("edited", ())) if isinstance(custom, Mapping) else ()


def _with_edits(item: dict[str, Any], old: Item, new: Item) -> dict[str, Any]:
    """Return a merged item with the edited fields of both records; old takes precedence."""
    edited = sorted({*edited_fields(old), *edited_fields(new)})
    for name in edited:
        source = old if name in edited_fields(old) else new
        item.pop(name, None)
        item |= {name: source[name]} if name in source else {}
    if edited:
        item["custom"] = {**item.get("custom", {}), "edited": edited}
    return item


def said_by_sources(item: Item) -> dict[str, Any]:
    """Return a stored item without the fields that the catalogue added to it."""
    custom = item.get("custom")
    if not isinstance(custom, Mapping):
        return dict(item)
    said = {name: value for name, value in custom.items() if name not in _NOTED}
    rest = {name: value for name, value in item.items() if name != "custom"}
    return {**rest, "custom": said} if said else rest


def _tags_by_origin(item: Item) -> dict[str, tuple[str, ...]]:
    """Return the tags of a stored item by origin; tags of unknown origin are under ""."""
    custom = item.get("custom")
    noted = custom.get("tags") if isinstance(custom, Mapping) else None
    if not isinstance(noted, Mapping):
        return {"": item_tags(item)}
    return {origin: tuple(tags) for origin, tags in noted.items()}


def _merge_tags(old: Item, new: Item, origin: str) -> dict[str, tuple[str, ...]]:
    """Return the tags of two records by origin, old ones first. The tags of new replace all
    earlier tags of `origin`."""
    if origin:
        return {**_tags_by_origin(old), origin: item_tags(new)}
    tags = _tags_by_origin(old)
    for name, given in _tags_by_origin(new).items():
        tags[name] = (*tags.get(name, ()), *given)
    return tags


def _with_tags(item: dict[str, Any], tags: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return an item with the tags of all origins, and with their origins if any is known."""
    by_origin = {origin: kept for origin, given in tags.items() if (kept := _distinct(given))}
    custom = {name: value for name, value in item.pop("custom", {}).items() if name != "tags"}
    if any(by_origin):
        custom["tags"] = by_origin
    keyword = ", ".join(_distinct(tag for given in by_origin.values() for tag in given))
    return _filled({**item, "keyword": keyword, "custom": custom})


def _distinct(tags: Iterable[str]) -> list[str]:
    """Return tags in order, without duplicates, ignoring case."""
    by_folded: dict[str, str] = {}
    for tag in tags:
        by_folded.setdefault(tag.casefold(), tag)
    return list(by_folded.values())


def _fullness(item: Item, edited: Container[str]) -> tuple[bool, int]:
    """Return True if a record names where its paper was published, and the number of its fields.

    Edited fields do not count, since the user may have emptied them.
    """
    published = bool(item.get("container-title")) and item.get("type") not in _PREPRINT_TYPES
    return published, sum(name not in edited for name in _filled(said_by_sources(item)))


def _filled(item: Item) -> dict[str, Any]:
    return {name: value for name, value in item.items() if value not in (None, "", [], {})}


def _length(value: Any) -> int:
    return len(json.dumps(value)) if value else 0


def _characters(sentences: Sentences) -> int:
    return sum(len(text) for text, _ in sentences)


def _labels(sentences: Sequence[tuple[str, Facet | None]]) -> int:
    return sum(facet is not None for _, facet in sentences)


def _names(item: Item) -> set[str]:
    """Return the words of the authors' names without initials; names of one character, as in
    Chinese, count."""
    words = re.findall(r"[^\W\d_]+", " ".join(map(fold_text, item_authors(item))))
    return {word for word in words if len(word) > 1 or word > "\u2e7f"}


def _folded(title: str) -> str:
    return title_key(title) or " ".join(fold_text(title).split())
