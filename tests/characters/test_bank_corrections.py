"""Corrections to the characters of a description bank."""

from __future__ import annotations

import pytest

from scholar_indexes.attribution.corrections.kinds import (
    Correction,
    GenderOf,
    Merge,
    NotAPerson,
    Rename,
    SpeakerOf,
    Split,
)
from scholar_indexes.characters.descriptions.bank import DescribedCharacter, Description
from scholar_indexes.characters.descriptions.bank_corrections import correct
from scholar_indexes.types import Gender


def described(name: str, *texts: str, aliases: tuple[str, ...] = ()) -> DescribedCharacter:
    descriptions = tuple(Description(1 + ("{" in text), text) for text in texts)
    return DescribedCharacter(name, aliases, Gender.UNKNOWN, descriptions)


ANN = described("Ann Marsh", "the one who rows", "the niece of {Ben Lamb}", aliases=("Miss Marsh",))
BEN = described("Ben Lamb", "the uncle of {Ann Marsh}", "the one who limps", aliases=("Ben",))
CLEO = described("Cleo", "the one whom {Ben Lamb} and {Ann Marsh} call")
BANK = [ANN, BEN, CLEO]


def texts(bank: list[DescribedCharacter], name: str) -> list[str]:
    (character,) = (character for character in bank if character.name == name)
    return [description.text for description in character.descriptions]


@pytest.mark.parametrize(
    "correction",
    [
        NotAPerson("Marsh"),
        Rename("Dora", "Dorothy"),
        Rename("Ben", "Cleo"),
        Merge(("Dora", "Mr. Quill")),
        GenderOf("Lamb", "male"),
        Split("Ann Marsh"),
        SpeakerOf("own-marsh:1.2:1-5", "Ben"),
    ],
    ids=str,
)
def test_what_names_nobody_of_the_bank_in_full_changes_nothing(correction: Correction) -> None:
    assert correct(BANK, [correction]) == BANK


def test_a_name_of_two_characters_of_the_bank_is_neither() -> None:
    namesakes = [described("Ann", "x", aliases=("Miss",)), described("Eve", "y", aliases=("Miss",))]
    assert correct(namesakes, [NotAPerson("Miss")]) == namesakes


def test_a_renamed_character_is_renamed_wherever_it_is_named() -> None:
    bank = correct(BANK, [Rename("Ben", "Benjamin")])
    assert [character.name for character in bank] == ["Ann Marsh", "Benjamin", "Cleo"]
    assert bank[1].aliases == ("Ben Lamb", "Ben")
    assert texts(bank, "Ann Marsh") == ["the one who rows", "the niece of {Benjamin}"]


def test_merged_characters_share_names_and_descriptions_but_none_of_each_other() -> None:
    bank = correct(BANK, [Merge(("Ben", "Miss Marsh", "Old Ben"))])
    assert [character.name for character in bank] == ["Ben Lamb", "Cleo"]
    assert bank[0].aliases == ("Ben", "Ann Marsh", "Miss Marsh", "Old Ben")
    assert texts(bank, "Ben Lamb") == ["the one who limps", "the one who rows"]
    assert texts(bank, "Cleo") == []


def test_merges_of_merges_are_followed() -> None:
    bank = correct(BANK, [Merge(("Ben", "Ann Marsh")), Merge(("Cleo", "Ben"))])
    assert [character.name for character in bank] == ["Cleo"]
    assert texts(bank, "Cleo") == ["the one who limps", "the one who rows"]


def test_who_is_no_person_is_removed_with_the_descriptions_that_name_it() -> None:
    bank = correct(BANK, [NotAPerson("Ben Lamb")])
    assert [character.name for character in bank] == ["Ann Marsh", "Cleo"]
    assert texts(bank, "Ann Marsh") == ["the one who rows"]
    assert texts(bank, "Cleo") == []


def test_a_name_is_moved_and_a_gender_is_set() -> None:
    bank = correct(BANK, [Split("Miss Marsh", "Cleo"), GenderOf("Cleo", "female")])
    assert (bank[0].aliases, bank[2].aliases) == ((), ("Miss Marsh",))
    assert bank[2].gender is Gender.FEMALE
