"""The automatic descriptions of a book, cached in the book's folder.

    described.json      the characters, and their descriptions by descriptions.automatic

A file for another cache version, dialogue or description bank is stale and is rebuilt, as is a
damaged one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scholar_indexes.characters.descriptions import automatic
from scholar_indexes.characters.descriptions.automatic import AutomaticDescription
from scholar_indexes.characters.descriptions.bank import (
    SLOT,
    DescribedCharacter,
    Description,
    DescriptionEvidence,
    names_hash,
)
from scholar_indexes.characters.folded_words import name_terms, tokenize
from scholar_indexes.lexicon import closed_classes
from scholar_indexes.storage.derived import DerivedFile, character_record, parse_character
from scholar_indexes.types import Chapter, ChapterKind, Character, Span

if TYPE_CHECKING:
    from scholar_indexes.attribution.dialogue import Dialogue
    from scholar_indexes.coreference.people import People
    from scholar_indexes.results import CitedPassage

SCHEMA_VERSION = 2

CACHE_VERSION = 4
"""Increase this when automatic descriptions change: caches of an older version are then stale."""

FILE_NAME = "described.json"

MIN_SPEAKER_CONFIDENCE = 0.9
"""The lowest confidence of an attribution at which "my aunt" is the speaker's."""

MAX_QUIZ_DESCRIPTIONS = 8
"""The most automatic descriptions of one character in a quiz."""

MIN_QUIZ_SCORE = 1.5
"""The lowest score of these descriptions: a commonplace deed makes no question."""


_PRONOUNS = closed_classes.PRONOUNS.keys() | closed_classes.OWNED.keys()

_SLOT_WITH_S = re.compile(SLOT.pattern + "(?:['’]s)?")

MIN_QUIZ_FACTS = 2
"""The fewest passages that describe a character who is asked about: a single one may be wrong, or
be the only thing known about the character."""


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


def to_bank(
    book: BookDescriptions, cite: Callable[[Span], CitedPassage | None]
) -> list[DescribedCharacter]:
    """Return the best automatic descriptions as a bank: of level 2 if they name others, else of
    level 1.

    A character with fewer than MIN_QUIZ_FACTS has no descriptions, but is still a choice;
    characters neither described nor named in a description are omitted.
    """
    descriptions = _select_descriptions(book, cite)
    named = {name for chosen in descriptions for entry in chosen for name in entry.names}
    return [
        DescribedCharacter(
            character.name,
            character.aliases,
            character.gender,
            tuple(chosen) if _count_facts(chosen) >= MIN_QUIZ_FACTS else (),
        )
        for character, chosen in zip(book.characters, descriptions, strict=True)
        if chosen or character.name in named
    ]


def _select_descriptions(
    book: BookDescriptions, cite: Callable[[Span], CitedPassage | None]
) -> list[list[Description]]:
    """Return the first MAX_QUIZ_DESCRIPTIONS of each character that are fit for a bank."""
    own_terms = [name_terms([character.name, *character.aliases]) for character in book.characters]
    chosen: list[list[Description]] = [[] for _ in book.characters]
    for automatic_description in book.descriptions:
        entries = chosen[automatic_description.character]
        terms = own_terms[automatic_description.character]
        if len(entries) < MAX_QUIZ_DESCRIPTIONS and (
            description := _bank_description(automatic_description, terms, cite)
        ):
            entries.append(description)
    return chosen


def _count_facts(entries: Sequence[Description]) -> int:
    """Return the number of different passages of the descriptions."""
    return len({proof.locator for entry in entries for proof in entry.evidence})


def _bank_description(
    description: AutomaticDescription,
    own_terms: frozenset[str],
    cite: Callable[[Span], CitedPassage | None],
) -> Description | None:
    """Return a description with its first passage as evidence, if it is distinctive and the
    passage supports it."""
    if description.score < MIN_QUIZ_SCORE:
        return None
    passage = cite(description.passages[0])
    if passage is None or not _bears_out(passage.text, description.text, own_terms):
        return None
    evidence = DescriptionEvidence(passage.locator, " ".join(passage.text.split()))
    level = 2 if SLOT.search(description.text) else 1
    return Description(level, description.text, (evidence,))


def _bears_out(passage: str, description: str, own_terms: frozenset[str]) -> bool:
    """Return True if a passage names the character and has every word of the description but
    function words and names."""
    words = set(tokenize(passage))
    described = set(tokenize(_SLOT_WITH_S.sub(" ", description))) - closed_classes.SMALL
    return not own_terms.isdisjoint(words) and described <= words


def _parse_description(
    row: Sequence[Any], character_count: int, text_length: int
) -> AutomaticDescription:
    character, kind, text, passages, score = row
    if kind not in automatic.KINDS or not 0 <= int(character) < character_count or not passages:
        raise ValueError("not a description of a character")
    spans = tuple(Span(int(start), int(end)) for start, end in passages)
    if not all(0 <= span.start < span.end <= text_length for span in spans):
        raise ValueError("a span outside the text")
    return AutomaticDescription(int(character), str(kind), str(text), spans, float(score))
