"""Readable descriptions of levels 3 and 4.

In a description that names others, one name is replaced by a description of its bearer; the other
names stay (GANDALF, section 3.2: a reference to at least one other character).

    the aunt of {A}                    the aunt of the cook who lies
    the aunt of {A} and {B}            the aunt of A and the cook who lies
    the one whom {A} robs at night     the one whom a certain person robs at night, that person
                                       being the cook who lies

The replacement of a name at the end of a description ends the composition, so that nothing after
its relative clause could be read as part of it. A name in the middle is replaced by "a certain
person", and the description follows at the end. Compositions that are still long or have many
clauses are dropped, not shortened.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from scholar_indexes.characters.descriptions.bank import DescribedCharacter, Description

MAX_WORDS = 32
"""The most words of a composed description. The mean of GANDALF's is 28 (Table 1)."""

MAX_RELATIVE_CLAUSES = 2
"""The most relative clauses of a composed description: one of the outer description, and one of
the inner one."""

MAX_COMMAS = 2
"""The most commas of a composed description: a reader can skip one aside, but not two."""

_RELATIVE = re.compile(r"\b(?:who|whom|whose|which|wherein|whereby)\b", re.IGNORECASE)

_NOUN_PHRASE = re.compile(r"(?:the|an?) (?!.*, \{[^{}]+\}\.?$)", re.IGNORECASE)
"""The beginning of a description that can replace a name. A description cannot if it ends in a
name alone after a comma: "the one who saves, at the last moment, {A}"."""

_PERSON = re.compile(r"\bperson\b", re.IGNORECASE)

_OPENS_NOUN_PHRASE = re.compile(
    r"\b(?:the|an?|his|her|their|its|my|our|your|this|that|such|old|young|little|poor|dear|late|"
    r"good|great|mr|mrs|miss|ms|dr|sir|lady|lord|captain|uncle|aunt|cousin)\.? *$",
    re.IGNORECASE,
)
"""Words that may precede a name but not a noun phrase."""

Bank = Mapping[str, DescribedCharacter]
"""The characters of a bank by their names."""


def compose_readable(
    characters: Sequence[DescribedCharacter], level: int
) -> Iterator[tuple[DescribedCharacter, Description]]:
    """Yield the most readable composition at level 3 or 4 of each level 2 description that has
    any."""
    by_name = {character.name: character for character in characters}
    for character in characters:
        for outer in character.descriptions:
            if compositions := readable_compositions(character, outer, by_name, level):
                yield character, compositions[0]


def readable_compositions(
    character: DescribedCharacter, outer: Description, bank: Bank, level: int
) -> list[Description]:
    """Return the compositions of a character's level 2 description at level 3 or 4, best first:
    those in which the replaced name ended the description, and shorter ones.

    None names the character. Their evidence is the evidence of both parts.
    """
    compositions = []
    for name in dict.fromkeys(outer.names):
        for inner in bank[name].descriptions:
            if inner.level != level - 2 or character.name in inner.names:
                continue
            for is_moved, arrange in enumerate((_put_at_end, _move_to_end)):
                text = arrange(outer.text, bank[name], inner.text)
                if text is None:
                    continue
                composed = Description(level, text, (*outer.evidence, *inner.evidence))
                if is_short(composed.plain):
                    order = (is_moved, len(composed.plain.split()), text)
                    compositions.append((order, composed))
    return [composed for _, composed in sorted(compositions, key=lambda pair: pair[0])]


def is_short(text: str) -> bool:
    """Return True if a composed description has at most MAX_WORDS words."""
    return len(text.split()) <= MAX_WORDS


def _put_at_end(outer: str, other: DescribedCharacter, inner: str) -> str | None:
    """Return a description with the name at its end replaced by a description; None if the result
    would be hard to read."""
    parts = _around(outer, other, inner)
    if parts is None or parts[1].strip(" ."):
        return None
    text = parts[0] + inner
    return text if _is_simple(text) else None


def _move_to_end(outer: str, other: DescribedCharacter, inner: str) -> str | None:
    """Return a description with a name replaced by "a certain person" and described at the end;
    None if the result would be hard to read, or unclear about who is meant."""
    parts = _around(outer, other, inner)
    if parts is None or not parts[1].strip(" .") or _PERSON.search(f"{outer} {inner}"):
        return None
    before, after = parts[0], parts[1].rstrip(" .")
    text = f"{before}a certain person{after}, that person being {inner}"
    return text if _is_simple(text) else None


def _around(outer: str, other: DescribedCharacter, inner: str) -> tuple[str, str] | None:
    """Return the text before and after the only occurrence of a name in a description; None if a
    noun phrase cannot replace it."""
    before, *rest = outer.split(f"{{{other.name}}}")
    if len(rest) != 1 or _OPENS_NOUN_PHRASE.search(before) or not _NOUN_PHRASE.match(inner):
        return None
    return before, rest[0]


def _is_simple(text: str) -> bool:
    """Return True if a description has few enough relative clauses and commas."""
    return text.count(",") <= MAX_COMMAS and len(_RELATIVE.findall(text)) <= MAX_RELATIVE_CLAUSES
