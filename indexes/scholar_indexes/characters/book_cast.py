"""The cast of a book: profiles of its characters, what they say, and who speaks with whom."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from scholar_indexes.books.references import matches_of_first_rule
from scholar_indexes.characters import conversations
from scholar_indexes.characters.conversations import Exchange
from scholar_indexes.characters.network import Tie
from scholar_indexes.folding import fold_text
from scholar_indexes.sanitize import one_line

if TYPE_CHECKING:
    from scholar_indexes.books.reading.open_book import OpenBook
    from scholar_indexes.results import AttributedQuote, CharacterProfile, DescriptionResult
    from scholar_indexes.storage.catalog import StoredBook
    from scholar_indexes.types import Chapter, Character

DescriptionsById = Mapping[str, Sequence["DescriptionResult"]]
"""The descriptions of characters, by the ids of their profiles."""

_WORD = re.compile(r"\w+")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class BookCast:
    """The characters of a book.

    `profiles` are sorted by quotations, most first; `chapters` exclude the front matter; `quotes`
    are in reading order; `exchanges` record who answers whom, `company` who is together.
    """

    stored: StoredBook
    chapters: tuple[Chapter, ...]
    profiles: tuple[CharacterProfile, ...]
    quotes: tuple[AttributedQuote, ...]
    exchanges: tuple[Exchange, ...]
    company: tuple[Tie, ...] = ()

    def profile(self, character_id: str) -> CharacterProfile | None:
        """Return the profile of a character, or None if no profile has that id."""
        return next(
            (profile for profile in self.profiles if profile.character.id == character_id), None
        )

    def find_profile(self, character: Character) -> CharacterProfile | None:
        """Return the profile of a character, which may have another name in a description bank:
        the first match by id, else by name, else by any shared name."""
        names = {character.name, *character.aliases}
        rules: tuple[Callable[[CharacterProfile], bool], ...] = (
            lambda profile: profile.character.id == character.id,
            lambda profile: profile.character.name == character.name,
            lambda profile: (
                not names.isdisjoint((profile.character.name, *profile.character.aliases))
            ),
        )
        return next(iter(matches_of_first_rule(self.profiles, rules)), None)

    def with_characters(self, book: OpenBook, characters: Iterable[Character]) -> BookCast:
        """Return the cast with the given characters that it does not have yet; they have no
        quotations. `book` is the book of the cast."""
        from scholar_indexes.attribution.dialogue import Dialogue
        from scholar_indexes.characters.profiles import character_profiles

        by_id = {character.id: character for character in characters}
        new = tuple(
            character for character in by_id.values() if self.find_profile(character) is None
        )
        if not new:
            return self
        dialogue = Dialogue((*(profile.character for profile in self.profiles), *new), (), ())
        profiles = character_profiles(book, dialogue)
        added = tuple(profile for profile in profiles if profile.character in new)
        return replace(self, profiles=(*self.profiles, *added))

    def quotes_by(self, character_id: str) -> list[AttributedQuote]:
        """Return everything that a character says or thinks."""
        return [
            quote
            for quote in self.quotes
            if quote.attribution.speaker and quote.attribution.speaker.id == character_id
        ]

    def partners(self, character_id: str) -> list[tuple[CharacterProfile, Exchange]]:
        """Return the characters that a character speaks with, most turns first."""
        profiles = {profile.character.id: profile for profile in self.profiles}
        exchanges = conversations.exchanges_of(character_id, self.exchanges)
        return [(profiles[exchange.partner(character_id)], exchange) for exchange in exchanges]

    def ties(self, *, together: bool = False) -> list[Tie]:
        """Return the ties of conversation, weighted by turns, or of company if `together`; the
        strongest first."""
        if together:
            return list(self.company)
        return [Tie(exchange.between, exchange.turns) for exchange in self.exchanges]

    def counts_by_chapter(self, profile: CharacterProfile, *, spoken: bool = False) -> list[int]:
        """Return the mentions of a character in each chapter, or its quotations if `spoken`."""
        counts = {
            presence.chapter: presence.quotations if spoken else presence.mentions
            for presence in profile.presences
        }
        return [counts.get(chapter.number, 0) for chapter in self.chapters]

    def group_descriptions(
        self, descriptions: Iterable[DescriptionResult]
    ) -> dict[str, list[DescriptionResult]]:
        """Return descriptions by profile id; characters without a profile are omitted."""
        groups: dict[str, list[DescriptionResult]] = {}
        profile_ids: dict[str, str | None] = {}
        for description in descriptions:
            character = description.character
            if character.id not in profile_ids:
                profile = self.find_profile(character)
                profile_ids[character.id] = profile.character.id if profile else None
            if (profile_id := profile_ids[character.id]) is not None:
                groups.setdefault(profile_id, []).append(description)
        return groups


_SORT_KEYS: Mapping[str, Callable[[CharacterProfile], Any]] = {
    "says": lambda profile: (-profile.quotations, -profile.mentions),
    "named": lambda profile: (-profile.mentions, -profile.quotations),
    "name": lambda profile: fold_text(profile.character.name),
    "first": lambda profile: (not profile.first, *_numbers_of(profile.first)),
}

SORT_ORDERS = ("says", "named", "name", "first")
"""By quotations, by mentions, by name, or by first mention."""


def sort_profiles(profiles: Iterable[CharacterProfile], order: str) -> list[CharacterProfile]:
    """Return profiles sorted in one of SORT_ORDERS."""
    return sorted(profiles, key=_SORT_KEYS[order])


def filter_profiles(profiles: Iterable[CharacterProfile], query: str) -> list[CharacterProfile]:
    """Return the profiles with every word of a query somewhere in one of their names, regardless
    of case and accents.

    A query word that is a complete word of any of the names, and is not the last, must match a
    whole word: "mr ben" does not match Mrs. Bennet.
    """
    words = fold_text(query).split()
    listed = list(profiles)
    names = {
        profile.character: [
            fold_text(name) for name in (profile.character.name, *profile.character.aliases)
        ]
        for profile in listed
    }
    known = {word for folded in names.values() for name in folded for word in _WORD.findall(name)}
    whole = {word.strip(".") for word in words[:-1]} & known

    def has_all(name: str) -> bool:
        return all(word in name for word in words) and whole <= set(_WORD.findall(name))

    return [profile for profile in listed if any(map(has_all, names[profile.character]))]


def other_names(character: Character) -> list[str]:
    """Return the other names of a character, each as one line that is safe to print."""
    names = dict.fromkeys(one_line(alias) for alias in character.aliases)
    names.pop(one_line(character.name), None)
    return list(names)


def _numbers_of(locator: str) -> Iterable[int]:
    return map(int, _DIGITS.findall(locator.partition(":")[2]))
