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
def test_corrections_without_a_full_name_of_the_bank_change_nothing(correction: Correction) -> None:
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


@pytest.mark.parametrize(
    ("names", "name"),
    [
        pytest.param(("Dora", "Ben"), "Dora", id="whom the bank lacks"),
        pytest.param(("Mrs. Lamb", "Dora", "Miss Marsh"), "Mrs. Lamb", id="with the bank's last"),
        pytest.param(("Miss Marsh", "Ann Marsh"), "Ann Marsh", id="a title for the given name"),
        pytest.param(("Mr. Marsh", "Ann Marsh"), "Ann Marsh", id="a last name alone"),
        pytest.param(("Nan Marsh", "Ann Marsh"), "Ann Marsh", id="short for the given name"),
        pytest.param(("A. Marsh", "Ann Marsh"), "Ann Marsh", id="an initial"),
        pytest.param(("Ann", "Miss Marsh"), "Ann Marsh", id="a given name"),
        pytest.param(("Ben", "Miss Quill"), "Ben Lamb", id="the only name that the bank has"),
        pytest.param(("Annabel Marsh", "Ann Marsh"), "Annabel Marsh", id="a fuller name"),
        pytest.param(("the captain", "Ben"), "Ben Lamb", id="titles alone"),
        pytest.param(("Captain Cleo", "Cleo"), "Captain Cleo", id="with a title"),
    ],
)
def test_a_merged_character_has_the_first_name_unless_the_bank_has_it_fuller(
    names: tuple[str, ...], name: str
) -> None:
    bank = correct(BANK, [Merge(names)])
    (character,) = (one for one in bank if names[1] in (one.name, *one.aliases))
    assert character.name == name
    assert {name, *names} <= {name, *character.aliases}


def test_a_name_of_the_bank_that_the_book_had_apart_is_the_name_when_it_is_first() -> None:
    married = described("Ann Marsh", "the one who rows", aliases=("Ann", "Mrs. Quill"))
    (ann,) = correct([married], [Merge(("Mrs. Quill", "Ann"))])
    assert (ann.name, ann.aliases) == ("Mrs. Quill", ("Ann Marsh", "Ann"))
    (ann,) = correct([married], [Merge(("Mrs. Quill", "Dora"))])
    assert ann.name == "Ann Marsh"


def test_the_new_name_is_in_the_descriptions_of_others() -> None:
    bank = correct(BANK, [Merge(("Dora", "Ben"))])
    assert texts(bank, "Ann Marsh") == ["the one who rows", "the niece of {Dora}"]
    assert bank[1].aliases == ("Ben Lamb", "Ben")


def test_a_merge_gives_nobody_a_name_that_another_has() -> None:
    namesakes = [described("Ann", "x", aliases=("Miss",)), described("Eve", "y", aliases=("Miss",))]
    assert [character.name for character in correct(namesakes, [Merge(("Miss", "Eve"))])] == [
        "Ann",
        "Eve",
    ]


@pytest.mark.parametrize("renamed", ["Ben", "Dora"])
def test_a_renamed_character_keeps_the_new_name_in_a_merge(renamed: str) -> None:
    corrections = [Rename(renamed, "Captain Quill"), Merge(("Dora", "Ben"))]
    assert [character.name for character in correct(BANK, corrections)] == [
        "Ann Marsh",
        "Captain Quill",
        "Cleo",
    ]


def test_merges_of_merges_are_followed() -> None:
    bank = correct(BANK, [Merge(("Ben", "Ann Marsh")), Merge(("Cleo", "Ben"))])
    assert [character.name for character in bank] == ["Cleo"]
    assert texts(bank, "Cleo") == ["the one who limps", "the one who rows"]


def test_a_removed_character_takes_along_the_descriptions_with_its_name() -> None:
    bank = correct(BANK, [NotAPerson("Ben Lamb")])
    assert [character.name for character in bank] == ["Ann Marsh", "Cleo"]
    assert texts(bank, "Ann Marsh") == ["the one who rows"]
    assert texts(bank, "Cleo") == []


def test_a_name_is_moved_and_a_gender_is_set() -> None:
    bank = correct(BANK, [Split("Miss Marsh", "Cleo"), GenderOf("Cleo", "female")])
    assert (bank[0].aliases, bank[2].aliases) == ((), ("Miss Marsh",))
    assert bank[2].gender is Gender.FEMALE
