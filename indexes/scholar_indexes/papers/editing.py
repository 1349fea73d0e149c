"""Edits of a stored paper by the user: of its title, year, abstract, note and tags.

The names of the edited fields are stored, and adding the source again does not change the fields.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from scholar_indexes.errors import UsageError
from scholar_indexes.papers import clean
from scholar_indexes.papers.abstracts import split_abstract
from scholar_indexes.papers.duplicates import Sentences, edited_fields
from scholar_indexes.papers.formats.csl import item_tags
from scholar_indexes.sanitize import one_line

MAX_TAG_CHARS = 100
MAX_NOTE_CHARS = 10_000


@dataclass(frozen=True, slots=True)
class PaperEdit:
    """Changes to a paper; None leaves a field unchanged, and an empty text clears it."""

    title: str | None = None
    year: int | None = None
    abstract: str | None = None
    note: str | None = None
    add_tags: tuple[str, ...] = ()
    remove_tags: tuple[str, ...] = ()


def note_of(item: Mapping[str, Any]) -> str:
    """Return the note of a CSL-JSON item, empty without one."""
    note = item.get("note")
    return note if isinstance(note, str) else ""


def apply_edit(
    item: Mapping[str, Any], sentences: Sentences, edit: PaperEdit
) -> tuple[dict[str, Any], Sentences]:
    """Return the CSL-JSON item and the abstract of a paper after an edit.

    Raises UsageError for an edit without changes, an empty title, an invalid new tag, and a tag to
    remove that the paper does not have.
    """
    if edit == PaperEdit():
        raise UsageError(
            "nothing to change; give --abstract FILE, --note TEXT, --tag TAG, "
            "--title TEXT or --year YEAR"
        )
    edited = dict(item)
    changed = set(edited_fields(item))
    if edit.title is not None:
        edited["title"] = _check_title(edit.title)
        changed.add("title")
    if edit.year is not None:
        edited["issued"] = {"date-parts": [[edit.year]]}
        changed.add("issued")
    if edit.note is not None:
        edited["note"] = clean.to_text(edit.note[:MAX_NOTE_CHARS], tex=False)
        changed.add("note")
    if edit.add_tags or edit.remove_tags:
        edited["keyword"] = ", ".join(_change_tags(item_tags(item), edit))
        changed.add("keyword")
    if edit.abstract is not None:
        sentences = split_abstract(edit.abstract) if edit.abstract.strip() else ()
        changed.add("abstract")
    custom = item.get("custom")
    edited["custom"] = {
        **(custom if isinstance(custom, Mapping) else {}),
        "edited": sorted(changed),
    }
    return {name: value for name, value in edited.items() if value != ""}, sentences


def _check_title(title: str) -> str:
    line = one_line(title)
    if not line.strip():
        raise UsageError("the title is empty; give one")
    return line


def _change_tags(tags: Iterable[str], edit: PaperEdit) -> list[str]:
    added = [one_line(tag.strip()) for tag in edit.add_tags]
    for tag in added:
        if not tag or len(tag) > MAX_TAG_CHARS or re.search("[,;]", tag):
            raise UsageError(
                f"{tag[:MAX_TAG_CHARS]!r} is not a tag: a tag has 1 to {MAX_TAG_CHARS} characters, "
                "no comma and no semicolon; give --tag once for each"
            )
    present = list(dict.fromkeys([*tags, *added]))
    removed = {tag.strip().casefold() for tag in edit.remove_tags}
    if unknown := removed - {tag.casefold() for tag in present}:
        has = f"it has {', '.join(present)}" if present else "it has no tags"
        raise UsageError(f"the paper has no tag {min(unknown)!r}; {has}")
    return [tag for tag in present if tag.casefold() not in removed]
