"""User-typed descriptions of characters of well-known novels (docs/characters.md).

descriptions.jsonl has one per line of JSON:

    {"book": "pg174", "title", "description", "names": [...], "called", "level": "main"}

names are the person's names in the book. They are empty for a person without a name; "called" has
the expression that the book uses instead.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scholar_cli.laboratory import json_lines
from scholar_indexes.coreference.mentions import Name, name_words
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.guarded import read_bytes
from scholar_indexes.lexicon import closed_classes
from scholar_indexes.types import Character

FILE = Path(__file__).with_name("descriptions.jsonl")

MAIN, MINOR = LEVELS = ("main", "minor")
"""Characters that carry the plot, and the others."""

_BEFORE_NAMES = closed_classes.ARTICLES | closed_classes.POSSESSIVE


@dataclass(frozen=True, slots=True)
class TypedDescription:
    """A description, the book to search, and the person it means; if the book never names the
    person, names are empty, and `called` has another expression."""

    book: str
    title: str
    text: str
    names: tuple[str, ...]
    called: str
    level: str

    def means(self, character: Character) -> bool:
        """Return True if a character of the book has one of the person's names."""
        wanted = set(map(_core, self.names or (self.called,)))
        return not wanted.isdisjoint(map(_core, (character.name, *character.aliases)))


def read(path: Path = FILE) -> list[TypedDescription]:
    """Return the descriptions of a file, in its order.

    Raises NotThere if the file is missing, and UsageError with the position of a broken line.
    """
    try:
        content = read_bytes(path)
    except FileNotFoundError:
        raise NotThere(f"there is no {path}; give a file of descriptions") from None
    except (OSError, ValueError) as refusal:
        raise json_lines.unreadable(path, refusal) from refusal
    text = json_lines.decode(path, content)
    descriptions = [_to_description(where, line) for where, line in json_lines.parse(path, text)]
    if not descriptions:
        raise UsageError(f"{path} has no descriptions; write at least one")
    return descriptions


def sha256(path: Path = FILE) -> str:
    """Return the hash of a file of descriptions."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def select(
    descriptions: Sequence[TypedDescription], books: Sequence[str]
) -> list[TypedDescription]:
    """Return the descriptions of the given books (default: all).

    Raises UsageError for a book without descriptions.
    """
    known = {description.book for description in descriptions}
    for name in books:
        if name not in known:
            raise UsageError(
                f"nobody in {name!r} is described; choose from {', '.join(sorted(known))}"
            )
    return [description for description in descriptions if not books or description.book in books]


def group_by_book(
    descriptions: Sequence[TypedDescription],
) -> dict[str, list[TypedDescription]]:
    """Return the descriptions of each book, the books in order of first appearance."""
    by_book: dict[str, list[TypedDescription]] = {}
    for description in descriptions:
        by_book.setdefault(description.book, []).append(description)
    return by_book


def _core(name: str) -> Name:
    """Return the words of a name without an article or "my" before them."""
    words = name_words(name)
    return words[1:] if words[:1] and words[0] in _BEFORE_NAMES else words


def _to_description(where: str, line: Mapping[str, Any]) -> TypedDescription:
    level = _read_text(where, line, "level")
    if level not in LEVELS:
        raise UsageError(f"{where}: {level[:60]!r} is not a level; write main or minor")
    names = _read_names(where, line)
    called = line.get("called", "")
    if not isinstance(called, str) or bool(names) == bool(_core(called)):
        raise UsageError(
            f'{where}: give the person either "names" or, without a name, an expression "called"'
        )
    return TypedDescription(
        book=_read_text(where, line, "book"),
        title=_read_text(where, line, "title"),
        text=_read_text(where, line, "description"),
        names=names,
        called=called,
        level=level,
    )


def _read_text(where: str, line: Mapping[str, Any], key: str) -> str:
    value = line.get(key)
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f'{where}: there is no "{key}"; set it to a string')
    return value


def _read_names(where: str, line: Mapping[str, Any]) -> tuple[str, ...]:
    names = line.get("names")
    if not isinstance(names, list) or not all(
        isinstance(name, str) and _core(name) for name in names
    ):
        raise UsageError(f'{where}: "names" is not a list of names; write ["Ann Lee", "Miss Lee"]')
    return tuple(names)
