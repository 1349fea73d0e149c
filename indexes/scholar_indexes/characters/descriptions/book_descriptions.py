"""The automatic descriptions of a book, cached in the book's folder.

    described.json      the characters, and their descriptions by descriptions.automatic

A file for another cache version, dialogue or description bank is stale and is rebuilt, as is a
damaged one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scholar_indexes.characters.descriptions import automatic
from scholar_indexes.characters.descriptions.automatic import AutomaticDescription
from scholar_indexes.characters.descriptions.bank import DescribedCharacter, names_hash
from scholar_indexes.lexicon import closed_classes
from scholar_indexes.storage.derived import DerivedFile, character_record, parse_character
from scholar_indexes.types import Chapter, ChapterKind, Character, Span

if TYPE_CHECKING:
    from scholar_indexes.attribution.dialogue import Dialogue
    from scholar_indexes.coreference.people import People

SCHEMA_VERSION = 3

CACHE_VERSION = 6
"""Increase this when automatic descriptions change: caches of an older version are then stale."""

FILE_NAME = "described.json"

MIN_SPEAKER_CONFIDENCE = 0.9
"""The lowest confidence of an attribution at which "my aunt" is the speaker's."""

_PRONOUNS = closed_classes.PRONOUNS.keys() | closed_classes.OWNED.keys()


@dataclass(frozen=True, slots=True)
class BookDescriptions:
    """The characters of a book and their automatic descriptions, which refer to them by index."""

    characters: tuple[Character, ...]
    descriptions: tuple[AutomaticDescription, ...]


def cache_key(dialogue_key: str, bank: Sequence[DescribedCharacter]) -> str:
    """Return one line with everything that descriptions depend on besides the text: the cache
    version, the key of the dialogue, and the names of a bank."""
    return f"{CACHE_VERSION} {names_hash(bank)} {dialogue_key}"


def extract_descriptions(
    text: str,
    chapters: Sequence[Chapter],
    dialogue: Dialogue,
    people: People,
    bank: Sequence[DescribedCharacter],
) -> BookDescriptions:
    """Return the characters of a book and their descriptions, which takes a second or two.

    `people` belong to the dialogue.
    """
    characters = list_characters(text, dialogue, bank)
    index_of = {
        alias: index for index, character in enumerate(characters) for alias in character.aliases
    }
    speakers = [
        index_of.get(attribution.speaker.name)
        if attribution.speaker and attribution.confidence >= MIN_SPEAKER_CONFIDENCE
        else None
        for attribution in dialogue.attributions
    ]
    antecedents = _find_antecedents(text, dialogue, people, index_of)
    bodies = [chapter.body for chapter in chapters if chapter.kind is ChapterKind.CHAPTER]
    descriptions = automatic.find_descriptions(
        text, bodies, dialogue.quotations, characters, speakers, antecedents
    )
    return BookDescriptions(characters, tuple(descriptions))


def _find_antecedents(
    text: str, dialogue: Dialogue, people: People, index_of: Mapping[str, int]
) -> dict[int, int]:
    """Return the characters that "he", "she", "his" and "her" refer to, by pronoun position."""
    characters = [index_of.get(character.name) for character in dialogue.cast]
    antecedents = {}
    for start, end, number in zip(
        people.starts.tolist(), people.ends.tolist(), people.characters.tolist(), strict=True
    ):
        character = characters[number]
        if character is not None and text[start:end].casefold() in _PRONOUNS:
            antecedents[start] = character
    return antecedents


def list_characters(
    text: str, dialogue: Dialogue, bank: Sequence[DescribedCharacter]
) -> tuple[Character, ...]:
    """Return the characters of a book: the characters of its bank with all their names, then the
    rest of the cast, however rarely they are named."""
    from scholar_indexes.characters.solver.book_characters import select_characters

    characters = select_characters(text, dialogue, bank)
    names = {alias for character in characters for alias in (character.name, *character.aliases)}
    ids = {character.id for character in characters}
    rest = [
        character
        for character in dialogue.cast
        if character.id not in ids and names.isdisjoint((character.name, *character.aliases))
    ]
    return (*characters, *rest)


def save(folder: Path, key: str, book: BookDescriptions) -> None:
    """Write the cache file of a book's folder."""
    record = {
        "people": [character_record(character) for character in book.characters],
        "told": [
            [
                description.character,
                description.kind,
                description.text,
                [[span.start, span.end] for span in description.passages],
                description.score,
                list(description.rivals),
            ]
            for description in book.descriptions
        ],
    }
    DerivedFile(folder / FILE_NAME, SCHEMA_VERSION, key).save_record(record)


def load(folder: Path, key: str, text_length: int) -> BookDescriptions | None:
    """Return the cached descriptions of a book's folder; None if there are none for this key, or
    if the file is damaged, for example with spans outside the text."""

    def parse(record: Mapping[str, Any]) -> BookDescriptions:
        characters = tuple(map(parse_character, record["people"]))
        descriptions = tuple(
            _parse_description(row, len(characters), text_length) for row in record["told"]
        )
        return BookDescriptions(characters, descriptions)

    return DerivedFile(folder / FILE_NAME, SCHEMA_VERSION, key).load_record(parse)


def _parse_description(
    row: Sequence[Any], character_count: int, text_length: int
) -> AutomaticDescription:
    character, kind, text, passages, score, rivals = row
    if kind not in automatic.KINDS or not 0 <= int(character) < character_count or not passages:
        raise ValueError("not a description of a character")
    spans = tuple(Span(int(start), int(end)) for start, end in passages)
    if not all(0 <= span.start < span.end <= text_length for span in spans):
        raise ValueError("a span outside the text")
    if not all(0 <= int(rival) < character_count for rival in rivals):
        raise ValueError("an unknown rival")
    return AutomaticDescription(
        int(character), str(kind), str(text), spans, float(score), tuple(map(int, rivals))
    )
