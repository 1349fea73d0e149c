"""Compare the names of two characters of a cast, which may be one person.

A cast joins names only if the text shows that they belong together. Two characters that it keeps
apart may still be one person: "Mary" and "Mrs. Charles Musgrove", "my guardian" and "Mr. Jaggers".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from scholar_indexes.coreference import mentions
from scholar_indexes.lexicon import closed_classes, given_names, person_nouns, titles
from scholar_indexes.types import Character, Gender

NICKNAME_LETTERS = 2
"""Given names that begin with as many equal letters may belong to one person: Loo and Louisa."""

_BEFORE_PHRASE = closed_classes.DETERMINERS | closed_classes.POSSESSIVE | closed_classes.ARTICLES
_BEFORE_HUSBANDS = titles.WIVES - titles.TERRITORIAL
"""Titles before a husband's name: "Mrs. Charles Hale" is not called Charles."""
_BEFORE_GIVEN_NAMES = titles.WITH_GIVEN_NAME | titles.KINDRED


_TitledName = tuple[mentions.Name, mentions.Name]
"""The folded words of a name, with the titles before it and without."""


@dataclass(frozen=True, slots=True)
class CharacterNames:
    """The folded words of a character's names: possible given names, surnames, and all words but
    titles.

    `is_named` is False for noun phrases alone, and `is_wife` True for a title of a wife.
    """

    given: frozenset[str]
    surnames: frozenset[str]
    words: frozenset[str]
    gender: Gender
    is_named: bool
    is_wife: bool


def has_name(aliases: Iterable[str]) -> bool:
    """Return True if one of the aliases of a character is a name, and not a noun phrase: "the
    director"."""
    return any(map(_is_name, aliases))


def strip_titles(name: str) -> tuple[str, ...]:
    """Return the folded words of a name without the titles before it; none for an article and
    titles alone.

    The last word stays: it is a surname even if it is a title elsewhere (Mary King).
    """
    words = mentions.name_words(name)
    count = next((i for i, word in enumerate(words) if word not in titles.BEFORE_NAMES), len(words))
    if count == len(words) and words[:1] and words[0] in closed_classes.ARTICLES:
        return ()
    return words[min(count, len(words) - 1) :]


def names_of(character: Character) -> CharacterNames:
    """Return the words of a character's names."""
    aliases = (character.name, *character.aliases)
    names = [(mentions.name_words(alias), strip_titles(alias)) for alias in aliases]
    after_titles = {words[1] for words, _ in names if _has_surname(words)}
    return CharacterNames(
        frozenset(_given_names(names, after_titles)),
        frozenset(after_titles.union(bare[-1] for _, bare in names if len(bare) > 1)),
        frozenset(word for _, bare in names for word in bare),
        character.gender,
        has_name(aliases),
        any(not titles.WIVES.isdisjoint(words[:1]) for words, _ in names),
    )


def may_be_same(one: CharacterNames, other: CharacterNames) -> bool:
    """Return True if the names and genders of two characters do not show that they are two."""
    genders = {one.gender, other.gender} - {Gender.UNKNOWN}
    if len(genders) > 1:
        return False
    if not (one.is_named and other.is_named):
        return True
    if one.given and other.given and not _any_similar(one.given, other.given):
        return False
    if one.words & other.words or not (one.surnames and other.surnames):
        return True
    return Gender.MALE not in genders and one.is_wife != other.is_wife


def _given_names(names: Sequence[_TitledName], after_titles: Set[str]) -> set[str]:
    """Return the words that may be given names: the first of several, unless it is a husband's,
    and a single one that is not also a surname after a title."""
    first = {bare[0] for words, bare in names if len(bare) > 1 and words[0] not in _BEFORE_HUSBANDS}
    single = {bare[0] for _, bare in names if len(bare) == 1}
    return first | (single - after_titles)


def _has_surname(words: mentions.Name) -> bool:
    """Return True for a title and a surname: "Mr. Hale", but not "Sir Walter"."""
    return (
        len(words) == 2 and words[0] in titles.BEFORE_NAMES and words[0] not in _BEFORE_GIVEN_NAMES
    )


def _is_name(alias: str) -> bool:
    words, folded = alias.split(), mentions.name_words(alias)
    if folded and folded[0] in _BEFORE_PHRASE:
        words, folded = words[1:], folded[1:]
    return any(
        word[0].isupper()
        and len(name) > 1
        and name not in person_nouns.PERSONS
        and name not in titles.BEFORE_NAMES
        for word, name in zip(words, folded, strict=False)
    )


def _any_similar(names: Iterable[str], others: Iterable[str]) -> bool:
    return any(
        name[:NICKNAME_LETTERS] == other[:NICKNAME_LETTERS] or given_names.alike(name, other)
        for name in names
        for other in others
    )
