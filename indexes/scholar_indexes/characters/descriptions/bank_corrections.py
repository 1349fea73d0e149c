"""Apply a user's corrections to a description bank: its characters are merged, renamed, removed and
given names and genders, like the characters of the book."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scholar_indexes.attribution.corrections.kinds import (
    Correction,
    GenderOf,
    Merge,
    NotAPerson,
    Rename,
    Split,
)
from scholar_indexes.characters.descriptions.bank import SLOT, DescribedCharacter, Description
from scholar_indexes.characters.identity import strip_titles
from scholar_indexes.coreference.mentions import name_words
from scholar_indexes.lexicon import given_names
from scholar_indexes.types import Gender


def correct(
    bank: Sequence[DescribedCharacter], corrections: Sequence[Correction]
) -> list[DescribedCharacter]:
    """Return a bank with the corrections applied to each character that has exactly the corrected
    name.

    A description is dropped if it names a removed character or if, after a merge, it names the
    character that it describes, or one character twice.
    """
    draft = _BankDraft(bank)
    steps: Sequence[tuple[type[Correction], Callable[[Any], None]]] = (
        (Split, draft.split),
        (Rename, draft.rename),
        (Merge, draft.merge),
        (NotAPerson, draft.remove),
        (GenderOf, draft.set_gender),
    )
    for kind, method in steps:
        for correction in corrections:
            if isinstance(correction, kind):
                method(correction)
    return draft.finished()


class _BankDraft:
    """The characters of a bank while they are corrected, by their names in the bank."""

    def __init__(self, bank: Sequence[DescribedCharacter]) -> None:
        self._characters = {character.name: character for character in bank}
        self._keys: Mapping[str, str] = {}
        """The names in the bank of characters that were merged into others, mapped to the names
        in the bank of the others."""
        self._renames: list[Rename] = []

    def finished(self) -> list[DescribedCharacter]:
        """Return the corrected bank."""
        names = {
            name: self._characters[self._keys.get(name, name)].name
            for name in (*self._characters, *self._keys)
            if self._keys.get(name, name) in self._characters
        }
        return [
            replace(character, descriptions=tuple(_rename_slots(character, names)))
            for character in self._characters.values()
        ]

    def split(self, split: Split) -> None:
        owner, words = self._find(split.name), name_words(split.name)
        if owner is None or name_words(self._characters[owner].name) == words:
            return
        character = self._characters[owner]
        moved = tuple(alias for alias in character.aliases if name_words(alias) == words)
        rest = tuple(alias for alias in character.aliases if alias not in moved)
        self._characters[owner] = replace(character, aliases=rest)
        if (target := self._find(split.to)) is not None:
            self._add_names(target, moved)

    def rename(self, rename: Rename) -> None:
        self._renames.append(rename)
        key = self._find(rename.name)
        if key is not None and self._is_free(rename.to, key):
            self._set_name(key, rename.to)

    def merge(self, merge: Merge) -> None:
        """Merge characters under the name of the merged character of the book, unless that is a
        shorter form of the bank's name."""
        keys_of = {name: self._find(name) for name in merge.names}
        keys = list(dict.fromkeys(key for key in keys_of.values() if key is not None))
        if not keys:
            return
        first, *others = keys
        for other in others:
            gone = self._characters.pop(other)
            target = self._characters[first]
            gender = gone.gender if target.gender is Gender.UNKNOWN else target.gender
            descriptions = (*target.descriptions, *gone.descriptions)
            self._characters[first] = replace(target, gender=gender, descriptions=descriptions)
            self._add_names(first, (gone.name, *gone.aliases))
            moved = {key: first for key, place in self._keys.items() if place == other}
            self._keys = {**self._keys, **moved, other: first}
        self._add_names(first, merge.names)
        own_names = [name for name, key in keys_of.items() if key == first]
        name = self._merged_name(self._characters[first], merge, own_names)
        if self._is_free(name, first):
            self._set_name(first, name)

    def _merged_name(
        self, character: DescribedCharacter, merge: Merge, own_names: Sequence[str]
    ) -> str:
        """Return the name of a character after a merge, of whose names it had `own_names` before.

        That is the new name of a merged character that was renamed, else the first name of the
        merge. The bank's name is kept if the first name is a shorter form of it, or is the only
        name of the merge that the character had: nobody else in the book had one of its names.
        """
        names = set(map(name_words, (character.name, *character.aliases)))
        for rename in self._renames:
            if name_words(rename.name) in names or name_words(rename.to) in names:
                return rename.to
        first = merge.names[0]
        is_kept = own_names == [first] or _is_short_form(first, character.name)
        return character.name if is_kept else first

    def remove(self, removal: NotAPerson) -> None:
        if (key := self._find(removal.name)) is not None:
            del self._characters[key]

    def set_gender(self, correction: GenderOf) -> None:
        if (key := self._find(correction.name)) is not None:
            gender = Gender(correction.gender)
            self._characters[key] = replace(self._characters[key], gender=gender)

    def _find(self, name: str) -> str | None:
        """Return the key of the only character with exactly this name; None for none or several."""
        words = name_words(name)
        keys = [
            key
            for key, character in self._characters.items()
            if any(name_words(own) == words for own in (character.name, *character.aliases))
        ]
        return keys[0] if words and len(keys) == 1 else None

    def _is_free(self, name: str, key: str) -> bool:
        """Return True if no character except the one with this key has the name."""
        words = name_words(name)
        return all(
            name_words(own) != words
            for other, character in self._characters.items()
            if other != key
            for own in (character.name, *character.aliases)
        )

    def _set_name(self, key: str, name: str) -> None:
        """Give a character a name; the old one stays an alias."""
        former = self._characters[key]
        aliases = _without((former.name, *former.aliases), [name])
        self._characters[key] = replace(former, name=name, aliases=aliases)

    def _add_names(self, key: str, names: Iterable[str]) -> None:
        character = self._characters[key]
        added = _without(names, (character.name, *character.aliases))
        self._characters[key] = replace(character, aliases=(*character.aliases, *added))


def _is_short_form(name: str, full: str) -> bool:
    """Return True if a name is a shorter form of another: Jane, Miss Bennet, Jenny or J. Bennet of
    Jane Bennet, but not Miss Bennet of Mrs. Bennet."""
    words, full_words = strip_titles(name), strip_titles(full)
    if words == full_words:
        return len(name_words(name)) < len(name_words(full))
    return len(words) <= len(full_words) and all(
        any(_shortens(word, full_word) for full_word in full_words) for word in words
    )


def _shortens(word: str, full_word: str) -> bool:
    return full_word.startswith(word) or full_word in given_names.FORMAL.get(word, ())


def _without(names: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    """Return the names, once each, that are not among others."""
    known = set(map(name_words, others))
    return tuple(name for name in dict.fromkeys(names) if name_words(name) not in known)


def _rename_slots(character: DescribedCharacter, names: Mapping[str, str]) -> Iterable[Description]:
    """Yield the descriptions of a character with the current names of the others in them."""
    for description in character.descriptions:
        former = set(description.names)
        present = {names.get(name) for name in former}
        if present.isdisjoint((None, character.name)) and len(present) == len(former):
            text = SLOT.sub(lambda slot: f"{{{names[slot[1]]}}}", description.text)
            yield replace(description, text=text)
