"""Main characters of novels with their names in the book (docs/speakers.md).

novels.jsonl has one novel per line. The texts are read from a folder of Gutenberg files, or from a
folder of novels in PDNC's format.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scholar_cli.laboratory import gutenberg_texts, json_lines
from scholar_cli.laboratory.pdnc.pdnc_data import AnnotatedNovel
from scholar_indexes.coreference.mentions import Name, index_names, name_words
from scholar_indexes.errors import Damaged, UsageError
from scholar_indexes.guarded import read_text
from scholar_indexes.types import Gender

FILE = Path(__file__).with_name("novels.jsonl")

MOST_CHARACTERS = 10
"""The maximum number of main characters of a novel."""

SHARED = -1
"""The index of unscored names, which denote several people or someone else."""

_GENDERS = {"f": Gender.FEMALE, "m": Gender.MALE}


@dataclass(frozen=True, slots=True)
class MainCharacter:
    """A main character, and the names that denote no other character in the book."""

    name: str
    gender: Gender
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnnotatedCast:
    """The main characters of a novel.

    `shared` are names that denote several people, or another person though they contain the name
    of a main character; their mentions are not scored.
    """

    book: str
    title: str
    part: str
    text_sha256: str
    characters: tuple[MainCharacter, ...]
    shared: tuple[str, ...]

    def names(self) -> dict[Name, int]:
        """Return the index of the character, or SHARED, by the folded words of each name."""
        by_character = [
            (name, index)
            for index, character in enumerate(self.characters)
            for name in character.names
        ]
        shared = [(name, SHARED) for name in self.shared]
        return {name_words(name): index for name, index in [*by_character, *shared]}


def read(path: Path = FILE) -> list[AnnotatedCast]:
    """Return the casts of a file, in its order; raise Damaged for a broken file."""
    try:
        lines = json_lines.parse(path, read_text(path))
        return [_to_cast(record) for _, record in lines]
    except (OSError, ValueError, KeyError, TypeError, UsageError) as failure:
        raise Damaged(f"{path} cannot be read ({failure!r}); install scholar again") from failure


def sha256(path: Path = FILE) -> str:
    """Return the hash of a file of casts."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def select(
    casts: Sequence[AnnotatedCast], parts: Sequence[str], books: Sequence[str]
) -> list[AnnotatedCast]:
    """Return the casts of the given parts and books (default: all).

    Raises UsageError for an unknown name.
    """
    return gutenberg_texts.select(casts, parts, books, "cast")


def from_pdnc(novel: AnnotatedNovel) -> AnnotatedCast:
    """Return the most frequent speakers of a novel in PDNC's format as its main characters.

    Their names are their aliases, with the given names and surnames that denote nobody else; the
    names of all others are shared.
    """
    quotations = Counter(speaker for speaker in novel.speakers if speaker in novel.often)
    main = [index for index, _ in quotations.most_common(MOST_CHARACTERS)]
    names: dict[int, list[str]] = {index: [] for index in main}
    shared: list[str] = []
    for name, index in index_names(novel.cast).items():
        owners = [character for character in novel.cast if _is_alias(name, character.aliases)]
        target = names[index] if index in names and len(owners) < 2 else shared
        target.append(" ".join(name))
    return AnnotatedCast(
        book=novel.name,
        title=novel.name,
        part="pdnc",
        text_sha256="",
        characters=tuple(
            MainCharacter(novel.cast[index].name, novel.cast[index].gender, tuple(names[index]))
            for index in main
            if names[index]
        ),
        shared=tuple(shared),
    )


def _is_alias(name: Name, aliases: Sequence[str]) -> bool:
    return any(name_words(alias) == name for alias in aliases)


def _to_cast(record: Mapping[str, Any]) -> AnnotatedCast:
    return AnnotatedCast(
        book=record["book"],
        title=record["title"],
        part=record["part"],
        text_sha256=record["text_sha256"],
        characters=tuple(
            MainCharacter(
                character["name"], _GENDERS[character["gender"]], tuple(character["names"])
            )
            for character in record["characters"]
        ),
        shared=tuple(record["shared"]),
    )
