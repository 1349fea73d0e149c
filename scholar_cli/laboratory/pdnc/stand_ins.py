"""Stand-in names for the characters of a novel, and replacement of names in passages."""

from __future__ import annotations

import random
from collections.abc import Sequence

from scholar_indexes.coreference import mentions
from scholar_indexes.lexicon import titles
from scholar_indexes.llm.untrusted_text import neutralize
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Character, Gender, Span

GIVEN = {Gender.FEMALE: ("Emma", "Elizabeth"), Gender.MALE: ("Henry", "Joseph")}
"""The names of the paper; if a novel uses both, MORE_GIVEN is used."""

FAMILY = ("Stone", "Walker", "Smith")
MORE_GIVEN = {Gender.FEMALE: ("Harriet", "Rosalind"), Gender.MALE: ("Walter", "Leonard")}
MORE_FAMILY = ("Fielding", "Marlow", "Thornton")
FAMOUS = frozenset({("Emma", "Stone")})

_BEFORE_FAMILY = frozenset("mr mrs ms messrs dr doctor captain capt colonel col".split())
_BEFORE_NAMES = titles.BEFORE_NAMES | {"my", "our", "dearest", "ms"}


def choose_stand_in(
    character: Character, used: frozenset[str], draw: random.Random
) -> tuple[str, str] | None:
    """Return an unused given and family name of the character's gender."""
    gender = character.gender
    if gender is Gender.UNKNOWN:
        gender = draw.choice((Gender.FEMALE, Gender.MALE))
    for given, family in ((GIVEN, FAMILY), (MORE_GIVEN, FAMILY), (MORE_GIVEN, MORE_FAMILY)):
        free = [
            (first, last)
            for first in given[gender]
            for last in family
            if not used.intersection((first, last)) and (first, last) not in FAMOUS
        ]
        if free:
            return draw.choice(free)
    return None


def find_family_names(cast: Sequence[Character]) -> frozenset[str]:
    """Return the family names among a cast's names, folded.

    They end a name of two or more words, or follow Mr., or follow Miss and never occur alone.
    """
    alone = {mentions.name_words(alias) for character in cast for alias in character.aliases}
    family_names: set[str] = set()
    for character in cast:
        for alias in character.aliases:
            honorifics, bare = _split_name(alias)
            if len(bare) > 1:
                family_names.update(mentions.name_words(bare[-1])[-1:])
            elif honorifics and bare:
                title, word = mentions.name_words(honorifics[-1]), mentions.name_words(bare[0])
                if _BEFORE_FAMILY.intersection(title) or ("miss" in title and word not in alone):
                    family_names.update(word[-1:])
    return frozenset(family_names)


def rename(name: str, given: str, family: str, known: frozenset[str]) -> str | None:
    """Return a name with the words replaced and honorifics kept; None if it is not a proper name.

    known has folded family names: "Miss Bates" becomes "Miss Smith" if it contains "bates", and
    "Miss Emma" otherwise.
    """
    honorifics, bare = _split_name(name)
    if not bare or not any(word[0].isupper() for word in bare):
        return None
    if len(bare) > 1:
        new = [given, family]
    else:
        new = [family if known.intersection(mentions.name_words(bare[0])) else given]
    return " ".join([*honorifics, *new])


def _split_name(name: str) -> tuple[list[str], list[str]]:
    """Return the honorifics and articles a name begins with, and the rest of its words."""
    parts = name.split()
    count = 0
    while count < len(parts) and _BEFORE_NAMES.intersection(mentions.name_words(parts[count])):
        count += 1
    return parts[:count], [part for part in parts[count:] if any(map(str.isalpha, part))]


def proper_names(character: Character) -> list[str]:
    """Return the names of a character that contain a proper name, not only a description."""
    names = dict.fromkeys(one_line(alias.partition(" - ")[0], 80) for alias in character.aliases)
    return [name for name in names if rename(name, "A", "B", frozenset())]


def replace_names(text: str, within: Span, changes: Sequence[tuple[Span, str]]) -> str:
    """Return a span of text, neutralized, with the changed spans replaced; changes are in order."""
    parts = []
    end = within.start
    for span, new in changes:
        if end <= span.start and span.end <= within.end:
            parts += [neutralize(text[end : span.start]), new]
            end = span.end
    return "".join([*parts, neutralize(text[end : within.end])]).strip()
