"""The cast of a dialogue while corrections change it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scholar_indexes.attribution import pipeline
from scholar_indexes.attribution.corrections.kinds import (
    GenderOf,
    Merge,
    NewCharacter,
    NotAPerson,
    Rename,
    Split,
)
from scholar_indexes.attribution.dialogue import Dialogue
from scholar_indexes.coreference.character_ids import new_id
from scholar_indexes.coreference.mentions import Name, find_mentions, name_words
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.types import Character, Gender


class CastDraft:
    """The characters of a dialogue, and the id of the speaker of each quotation.

    Characters keep their detected ids until `finished`. Methods that apply a correction raise
    UsageError or NotThere if it does not fit, and then change nothing.
    """

    def __init__(self, text: str, detected: Dialogue) -> None:
        self._text = text
        self._detected = detected
        self._members = {character.id: character for character in detected.cast}
        self._removed: dict[str, Character] = {}
        self._merged_into: dict[str, str] = {}
        self._splits: dict[Name, tuple[Split, str, str]] = {}
        self._new_names: dict[str, str] = {}
        self._genders: dict[str, str] = {}
        self.speakers: list[str | None] = [
            attribution.speaker.id if attribution.speaker else None
            for attribution in detected.attributions
        ]

    def find(self, name: str) -> Character:
        """Return the character that a correction means by a name."""
        character = pipeline.find_character(
            [*self._members.values(), *self._removed.values()], name
        )
        if character.id in self._removed:
            raise UsageError(
                f"{character.name} is also marked as not a person; remove one of the two"
            )
        return character

    def add(self, new: NewCharacter) -> None:
        """Add a character that was not detected."""
        aliases = {name_words(name): name for name in reversed((new.label, *new.aliases))}
        for words, name in aliases.items():
            if (owner := self._owner(words)) is not None:
                raise UsageError(
                    f"{name!r} is already a name of {owner.name}; remove it, or write a split"
                )
        key = new_id(new.label, self._members.keys())
        names = tuple(reversed(aliases.values()))
        self._members[key] = Character(key, new.label, names, Gender(new.gender))

    def split(self, split: Split) -> None:
        """Move a name, and the quotations whose cue has it, from its character to another."""
        words = name_words(split.name)
        if words in self._splits:
            raise UsageError(f"{split.name!r} is split off twice; remove one of the two")
        owner = self._owner(words) or self._refuse_split(split.name)
        moved = tuple(alias for alias in owner.aliases if name_words(alias) == words)
        rest = tuple(alias for alias in owner.aliases if alias not in moved)
        if not rest:
            raise UsageError(
                f"{owner.name} has no other name than {split.name!r}; "
                "write a merge or a rename instead"
            )
        if split.to:
            target = self.find(split.to)
            if target.id == owner.id:
                raise UsageError(f"{split.name!r} is already a name of {owner.name}; remove it")
        else:
            taken = {*self._members, *self._removed}
            target = Character(new_id(moved[0], taken), moved[0], ())
        name = owner.name if owner.name in rest else rest[0]
        self._move_quotations(owner, moved, rest, target.id)
        self._members[owner.id] = replace(owner, name=name, aliases=rest)
        self._members[target.id] = replace(target, aliases=(*target.aliases, *moved))
        self._splits[words] = (split, owner.id, target.id)

    def rename(self, rename: Rename) -> None:
        """Give a character another name; the old names remain aliases."""
        character, words = self.find(rename.name), name_words(rename.to)
        owner = self._owner(words)
        if owner is not None and owner.id != character.id:
            raise UsageError(
                f"{rename.to!r} is a name of {owner.name}; if they are the same, write a merge"
            )
        if character.id in self._new_names:
            raise UsageError(f"{character.name} is renamed twice; remove one of the two")
        aliases = tuple(alias for alias in character.aliases if name_words(alias) != words)
        self._members[character.id] = replace(character, aliases=(rename.to, *aliases))
        self._new_names[character.id] = rename.to

    def merge(self, merge: Merge) -> None:
        """Merge characters into the first one, at the position of the most often named."""
        characters = [self.find(name) for name in merge.names]
        ids = {character.id for character in characters}
        if len(ids) < len(characters):
            raise UsageError(
                f"{' and '.join(merge.names)} are already one, by detection or another merge; "
                "remove this merge"
            )
        self._check_splits(ids)
        names = {self._new_names[key] for key in ids if key in self._new_names}
        if len(names) > 1:
            raise UsageError(f"one character is renamed {' and '.join(sorted(names))}; remove one")
        first = characters[0].id
        self._put_in_place_of(ids, first, _join(characters))
        self._merged_into.update(dict.fromkeys(ids - {first}, first))
        if names:
            self._new_names[first] = names.pop()

    def _put_in_place_of(self, ids: set[str], first: str, joined: Character) -> None:
        """Put a character, with the id `first`, in place of the first listed of the characters
        `ids`, drop the others, and give it their quotations."""
        members: dict[str, Character] = {}
        for key, member in self._members.items():
            if key not in ids:
                members[key] = member
            elif first not in members:
                members[first] = joined
        self._members = members
        self.speakers = [first if speaker in ids else speaker for speaker in self.speakers]

    def remove(self, removal: NotAPerson) -> None:
        """Remove a character; its quotations have no speaker then."""
        character = self.find(removal.name)
        if character.id in {*self._merged_into.values(), *self._new_names}:
            raise UsageError(f"{character.name} is also merged or renamed; remove one of the two")
        self._removed[character.id] = self._members.pop(character.id)
        self.speakers = [None if key == character.id else key for key in self.speakers]

    def set_gender(self, correction: GenderOf) -> None:
        """Set the gender of a character."""
        character = self.find(correction.name)
        if self._genders.setdefault(character.id, correction.gender) != correction.gender:
            raise UsageError(f"{character.name} is given two genders; remove one of the two")
        gender = Gender(correction.gender)
        self._members[character.id] = replace(character, gender=gender)

    def finished(self) -> dict[str, Character]:
        """Return the characters by their ids in the draft; a renamed one has an id of its name."""
        taken = self._members.keys() - self._new_names.keys()
        characters = {}
        for key, character in self._members.items():
            if name := self._new_names.get(key):
                identifier = new_id(name, taken)
                taken |= {identifier}
                character = replace(character, id=identifier, name=name)
            characters[key] = character
        return characters

    def _owner(self, words: Name) -> Character | None:
        """Return the character with an alias of these words, or None."""
        for character in self._members.values():
            if any(name_words(alias) == words for alias in character.aliases):
                return character
        return None

    def _refuse_split(self, name: str) -> Character:
        """Raise NotThere for a name that is not an alias, with its likely owner's aliases."""
        owner = self.find(name)
        aliases = ", ".join(owner.aliases[:5])
        raise NotThere(f"{name!r} is not a full name of {owner.name}; write one of: {aliases}")

    def _check_splits(self, ids: set[str]) -> None:
        """Raise UsageError if a merge rejoins characters that a split has separated."""
        for split, owner, target in self._splits.values():
            if self._root(owner) in ids and self._root(target) in ids:
                raise UsageError(
                    f"this joins characters that another correction separates ({split}); remove one"
                )

    def _root(self, identifier: str) -> str:
        while identifier in self._merged_into:
            identifier = self._merged_into[identifier]
        return identifier

    def _move_quotations(
        self, owner: Character, moved: Sequence[str], rest: Sequence[str], target: str
    ) -> None:
        """Give the target the quotations of a character whose cue has one of the moved names."""
        parted = (
            replace(owner, name=moved[0], aliases=tuple(moved)),
            replace(owner, aliases=tuple(rest)),
        )
        for index, attribution in enumerate(self._detected.attributions):
            if self.speakers[index] == owner.id and attribution.evidence:
                cue = attribution.evidence.of(self._text)
                if any(mention.character == 0 for mention in find_mentions(cue, parted)):
                    self.speakers[index] = target


def _join(characters: Sequence[Character]) -> Character:
    """Return the first of the characters with the names and narrated stretches of all."""
    genders = (character.gender for character in characters)
    # A narrator without stretches narrates the whole book.
    tells_all = any(character.narrator and not character.narrates for character in characters)
    stretches = (stretch for character in characters for stretch in character.narrates)
    return replace(
        characters[0],
        aliases=tuple(alias for character in characters for alias in character.aliases),
        gender=next((gender for gender in genders if gender != Gender.UNKNOWN), Gender.UNKNOWN),
        narrator=any(character.narrator for character in characters),
        narrates=() if tells_all else tuple(sorted(stretches)),
        described=tuple(sorted(place for one in characters for place in one.described)),
    )
