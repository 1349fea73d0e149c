"""The characters of a book that a description may refer to."""

from __future__ import annotations

import pytest

from scholar_indexes.attribution.dialogue import Dialogue
from scholar_indexes.characters.descriptions.bank import DescribedCharacter
from scholar_indexes.characters.solver.book_characters import select_characters
from scholar_indexes.types import Character, Gender

FORENAMES = ("Agnes", "Basil", "Clara", "Denis", "Edith", "Frank", "Grace", "Hector")


@pytest.mark.parametrize("forename", FORENAMES)
def test_a_cast_member_with_names_of_two_described_characters_is_the_first(forename: str) -> None:
    nickname = f"{forename}kin"
    bank = [DescribedCharacter(name, (name,), Gender.UNKNOWN, ()) for name in (forename, nickname)]
    member = Character("member", forename, (nickname, forename, "The Stranger"))
    characters = select_characters(f"{forename} saw {nickname}.", Dialogue((member,), (), ()), bank)
    ids = {character.name: character.id for character in characters}
    assert ids[forename] == "member"
    assert ids[nickname] != "member"
