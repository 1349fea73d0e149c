"""The candidates that a description may mean, by their names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scholar_indexes.characters.gender import name_gender
from scholar_indexes.characters.identity import strip_titles
from scholar_indexes.coreference import mentions
from scholar_indexes.lexicon import given_names
from scholar_indexes.types import Character, Gender, Span


@dataclass(frozen=True, slots=True)
class Candidate:
    """A character that a description may mean, with all known name variants."""

    name: str
    aliases: tuple[str, ...] = ()
    gender: Gender = Gender.UNKNOWN
    narrator: bool = False
    narrates: tuple[Span, ...] = ()

    @classmethod
    def from_character(cls, character: Character) -> Candidate:
        """Return a character of a book as a candidate."""
        return cls(
            character.name,
            character.aliases,
            character.gender,
            character.narrator,
            character.narrates,
        )

    def to_character(self, identifier: str) -> Character:
        """Return the candidate as a character that has its name among its aliases."""
        aliases = tuple(dict.fromkeys((self.name, *self.aliases)))
        return Character(identifier, self.name, aliases, self.gender, self.narrator, self.narrates)


def candidates_from_names(names: Sequence[str], cast: Sequence[Character]) -> list[Candidate]:
    """Return a candidate for each name, with the aliases, gender and role of the characters of
    the cast that it matches.

    A character of the cast belongs to the name that it matches best (see name_match), unless
    there is a tie.
    """
    matches: dict[int, list[Character]] = {}
    for character in cast:
        scores = [name_match(name, character) for name in names]
        best = max(scores, default=0)
        if best and scores.count(best) == 1:
            matches.setdefault(scores.index(best), []).append(character)
    return [_join(name, matches.get(row, [])) for row, name in enumerate(names)]


def _join(name: str, characters: Sequence[Character]) -> Candidate:
    gender = name_gender(name)
    if gender is Gender.UNKNOWN:
        genders = (character.gender for character in characters)
        gender = next((known for known in genders if known is not Gender.UNKNOWN), gender)
    aliases = [alias for character in characters for alias in (character.name, *character.aliases)]
    return Candidate(
        name,
        tuple(dict.fromkeys((name, *aliases))),
        gender,
        any(character.narrator for character in characters),
        tuple(sorted(stretch for character in characters for stretch in character.narrates)),
    )


def name_match(name: str, character: Character) -> int:
    """Return how well a name matches the name variants of a character: 6 for the same words, 5
    for the same without titles, 4 for the same first and last name, 3 for the same first name
    or its short form, 2 for the same last name, 0 for none of these or another gender."""
    genders = {name_gender(name), character.gender} - {Gender.UNKNOWN}
    if len(genders) > 1:
        return 0
    variants = (character.name, *character.aliases)
    if any(mentions.name_words(variant) == mentions.name_words(name) for variant in variants):
        return 6
    bare = strip_titles(name)
    return max(_match_words(bare, strip_titles(variant)) for variant in variants)


def _match_words(words: Sequence[str], other: Sequence[str]) -> int:
    """Return the score of name_match for names without titles."""
    if not words or not other:
        return 0
    if words == other:
        return 5
    same_last = words[-1] == other[-1]
    if len(words) > 1 and len(other) > 1:
        return 4 if words[0] == other[0] and same_last else 0
    if words[0] == other[0] or given_names.alike(words[0], other[0]):
        return 3
    return 2 if same_last else 0
