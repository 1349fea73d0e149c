"""Add another character's description, negated, to every description (GANDALF, section 7.1)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from scholar_indexes.characters.descriptions.bank import DescribedCharacter, Description
from scholar_indexes.types import Gender


def negate_descriptions(
    bank: Sequence[DescribedCharacter], random: Random
) -> Iterator[tuple[DescribedCharacter, Description]]:
    """Yield every description with another character's description negated.

    The negated description is of level 1 and, if there is one, of a character of the same gender,
    so that it does not give the gender away; the level and the evidence stay.
    """
    by_gender = defaultdict[Gender, list[tuple[str, str]]](list)
    for character in bank:
        for description in character.descriptions:
            if description.level == 1:
                by_gender[character.gender].append((character.name, description.text))
    everybody = [denial for denials in by_gender.values() for denial in denials]
    for character in bank:
        same_gender = _of_others(by_gender[character.gender], character.name)
        denials = same_gender or _of_others(everybody, character.name)
        if denials:
            for description in character.descriptions:
                text = f"{description.text}, and not {random.choice(denials)}"
                yield character, replace(description, text=text)


def _of_others(denials: Sequence[tuple[str, str]], name: str) -> list[str]:
    return [text for other, text in denials if other != name]
