"""Small casts and names for the tests of anonymization."""

from __future__ import annotations

from scholar_indexes.characters.anonymization.mapping import NameMapping
from scholar_indexes.characters.anonymization.pseudonyms import (
    Names,
    map_names,
)
from scholar_indexes.types import Character, Gender

F, M, U = Gender.FEMALE, Gender.MALE, Gender.UNKNOWN


def who(name: str, gender: Gender = U, *aliases: str) -> Character:
    return Character(name.lower().replace(" ", "-"), name, (name, *aliases), gender)


FEW = Names("martian", ("Zyla",), ("Krog",), ("Quux", "Vort", "Blish"))


def small(
    text: str = "", *cast: Character, gender: str = "kept", names: Names = FEW
) -> NameMapping:
    return map_names(cast, text, 1, gender, names)


def names_of(table: NameMapping) -> dict[str, str]:
    return {term.text: new for term, new in table.terms.items()}


DARCY = small("", who("Lizzy Darcy", F), who("Jim Marsh", M))
