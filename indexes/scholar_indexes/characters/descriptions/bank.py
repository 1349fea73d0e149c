"""Description banks: written descriptions of the characters of a novel.

A bank is JSON lines, one character each (docs/characters.md). Descriptions are noun phrases
that could replace the name, of a level of referential complexity (GANDALF, section 3.2): at
level 1 they name nobody else, at level 2 they name another character of the bank, in braces.
Levels 3 and 4 are composed: the name is replaced by a level 1 or a level 2 description of its
bearer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib import resources
from pathlib import Path
from random import Random
from typing import Any

from scholar_indexes.errors import Damaged, NotThere
from scholar_indexes.guarded import TooLarge, decode, parse_json, read_bytes
from scholar_indexes.sanitize import one_line
from scholar_indexes.storage import checked_files
from scholar_indexes.types import Gender

SLOT = re.compile(r"\{([^{}]+)\}")
"""Another character's name in a description."""

MAX_BYTES = 16 * 1024**2


@dataclass(frozen=True, slots=True)
class DescriptionEvidence:
    """A passage that supports a description: its locator and its text."""

    locator: str
    quote: str


@dataclass(frozen=True, slots=True)
class Description:
    """A description of a character; names of others are in braces, and `rivals` are the names of
    characters that it may fit as well."""

    level: int
    text: str
    evidence: tuple[DescriptionEvidence, ...] = ()
    rivals: frozenset[str] = frozenset()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of other characters in it."""
        return tuple(SLOT.findall(self.text))

    @property
    def plain(self) -> str:
        """The text without braces."""
        return SLOT.sub(r"\1", self.text)


@dataclass(frozen=True, slots=True)
class DescribedCharacter:
    """A character of a bank, with its other names and its descriptions."""

    name: str
    aliases: tuple[str, ...]
    gender: Gender
    descriptions: tuple[Description, ...]


@cache
def packaged_ids() -> tuple[str, ...]:
    """Return the ids of the books with a packaged bank, sorted."""
    folder = resources.files(__package__) / "bank"
    names = (file.name for file in folder.iterdir())
    return tuple(sorted(name.removesuffix(".jsonl") for name in names if name.endswith(".jsonl")))


def packaged_titles() -> dict[str, tuple[str, str]]:
    """Return the title and the author of each book that has a packaged bank, by its id."""
    file = resources.files(__package__) / "bank" / "titles.json"
    works: dict[str, list[str]] = json.loads(file.read_text("utf-8"))
    return {book_id: (title, author) for book_id, (title, author) in works.items()}


def load_packaged(book_id: str) -> list[DescribedCharacter]:
    """Return the packaged bank of a book; raises NotThere if there is none."""
    if book_id not in packaged_ids():
        raise NotThere(
            f"there are no written descriptions of {book_id}; choose one of: "
            + ", ".join(packaged_ids())
        )
    return list(_parse_packaged(book_id))


@cache
def _parse_packaged(book_id: str) -> tuple[DescribedCharacter, ...]:
    """Return a packaged bank; cached, since it never changes and the quiz screen lists all."""
    file = resources.files(__package__) / "bank" / f"{book_id}.jsonl"
    return tuple(parse(file.read_text("utf-8"), book_id))


def load_file(path: Path) -> list[DescribedCharacter]:
    """Return a user's own bank; raises NotThere without the file, Damaged with the first line
    that is not a described character, or for a file that is lost or not what was written."""
    try:
        content = read_bytes(path, MAX_BYTES)
        text = decode(content)
    except FileNotFoundError:
        if checked_files.is_lost(path):
            raise Damaged(
                f"the descriptions in {path} are missing; restore them from a backup, or, to "
                "continue without them, run: scholar doctor --repair"
            ) from None
        raise NotThere(f"there is no file {path}; check its name") from None
    except TooLarge:
        raise Damaged(f"{path} is larger than {MAX_BYTES >> 20} MiB; split it by book") from None
    except (OSError, ValueError) as broken:
        raise Damaged(f"{path} cannot be read ({broken}); save it as UTF-8 text") from broken
    described = list(parse(text, str(path)))
    if not checked_files.is_as_written(path, content):
        raise Damaged(
            f"{path} is not what was written (the disk is damaged, or another program changed it); "
            "check it, and to accept it as it is, run: "
            f"scholar quiz import {path} {path.stem} --replace"
        )
    return described


def parse(text: str, name: str) -> Iterator[DescribedCharacter]:
    """Yield the characters of a bank's text, in its order; errors call the bank `name`.

    Raises Damaged for a line that is not a character, for a character listed twice, and for a
    name in a description that is not another character of this bank.
    """
    characters: dict[str, DescribedCharacter] = {}
    lines: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        character = _parse_line(line, name, number)
        if character.name in characters:
            raise Damaged(f"{name}, line {number}: {character.name} appears twice; merge the two")
        characters[character.name], lines[character.name] = character, number
    for character in characters.values():
        _check_names(character, characters, f"{name}, line {lines[character.name]}")
    yield from characters.values()


def compose(
    bank: Sequence[DescribedCharacter], level: int, random: Random
) -> Iterator[tuple[DescribedCharacter, Description]]:
    """Yield the descriptions of level 3 or 4 composed from a bank: one for each of level 2 whose
    names can be replaced by descriptions, drawn with `random` (GANDALF, section 4.5).

    None names the character that it describes. Their evidence is the evidence of all their parts.
    """
    by_name = {character.name: character for character in bank}
    for character in bank:
        for description in character.descriptions:
            if description.level == 2 and (
                composed := _replace_names(character, description, by_name, level, random)
            ):
                yield character, composed


def names_hash(bank: Sequence[DescribedCharacter]) -> str:
    """Return the start of a SHA-256 of the names, aliases and genders of a bank, for cache keys."""
    names = json.dumps(
        [[character.name, character.aliases, character.gender] for character in bank]
    )
    return sha256(names.encode("utf-8", "replace")).hexdigest()[:16]


def _replace_names(
    character: DescribedCharacter,
    description: Description,
    by_name: Mapping[str, DescribedCharacter],
    level: int,
    random: Random,
) -> Description | None:
    """Return a description with its names replaced by descriptions; None if a name has none."""
    text, evidence = description.text, list(description.evidence)
    for name in dict.fromkeys(description.names):
        candidates = [
            other
            for other in by_name[name].descriptions
            if other.level == level - 2 and character.name not in other.names
        ]
        if not candidates:
            return None
        chosen = random.choice(candidates)
        text = text.replace(f"{{{name}}}", chosen.text)
        evidence += chosen.evidence
    return Description(level, text, tuple(evidence))


def _parse_line(line: str, name: str, number: int) -> DescribedCharacter:
    try:
        return _parse_character(parse_json(line))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        message = f"{name}, line {number}: {_explain(error)}; fix that line"
        raise Damaged(message) from error


def _check_names(
    character: DescribedCharacter, characters: Mapping[str, DescribedCharacter], place: str
) -> None:
    """Raise Damaged for a name in a description that is not another character of the bank."""
    for description in character.descriptions:
        for name in description.names:
            if name not in characters or name == character.name:
                raise Damaged(
                    f"{place}: {name!r} is not another character of "
                    "this bank; write names in braces as they are listed"
                )


def _parse_character(record: Any) -> DescribedCharacter:
    name = _text(record["name"])
    descriptions = tuple(map(_parse_description, record["descriptions"]))
    if not descriptions:
        raise ValueError(f"{name} has no descriptions")
    for description in descriptions:
        if bool(description.names) != (description.level == 2):
            raise ValueError(
                f"a description of level {description.level} with {len(description.names)} names"
            )
    aliases = tuple(map(_text, record.get("aliases", ())))
    return DescribedCharacter(name, aliases, Gender(record.get("gender", "unknown")), descriptions)


def _parse_description(record: Any) -> Description:
    level, text = _level(record["level"]), _text(record["text"])
    evidence = tuple(
        DescriptionEvidence(_text(passage["locator"]), _text(passage["quote"]))
        for passage in record.get("evidence", ())
    )
    return Description(level, text, evidence)


def _text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"expected text, got {str(value)[:40]!r}")
    return " ".join(value.split())


def _level(value: Any) -> int:
    if value not in (1, 2):
        raise ValueError(f"level {str(value)[:20]!r}; write 1 or 2, the others are composed")
    return int(value)


def _explain(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"{error.args[0]!r} is missing"
    return one_line(str(error), 200)
