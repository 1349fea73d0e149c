"""The characters of a book that a description may mean: its cast, joined with the characters of
a description bank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from scholar_indexes.attribution.dialogue import Dialogue
from scholar_indexes.characters.descriptions.bank import DescribedCharacter
from scholar_indexes.characters.identity import strip_titles
from scholar_indexes.characters.solver.character_candidates import (
    Candidate,
    candidates_from_names,
)
from scholar_indexes.coreference import mentions
from scholar_indexes.coreference.character_ids import new_id
from scholar_indexes.lexicon import titles
from scholar_indexes.types import Character, Gender

CACHE_VERSION = 4
"""Increase this when other characters would be returned for the same book: caches of an older
version are then rebuilt."""

MIN_OCCURRENCES = 5
"""The fewest mentions and quotations of a character without a description in the bank; with fewer,
the book says too little about it to rank it."""

MAX_CHARACTERS = 120
"""The most characters that can be ranked while a user waits."""


def select_characters(
    text: str, dialogue: Dialogue | None, bank: Sequence[DescribedCharacter] = ()
) -> tuple[Character, ...]:
    """Return the characters of a book that a description may mean, the most frequent first.

    All characters of the bank are among them. Members of the cast that are the same character of
    the bank are joined, under the id of the one with most quotations and with all their names;
    other names from the bank are added if no other character has them. Unnamed people of a single
    scene are left out.
    """
    named_cast = [character for character in dialogue.cast if character.aliases] if dialogue else []
    quotations = _count_quotations(dialogue)
    described, others = _join_bank(named_cast, bank, quotations)
    characters = [*described, *others]
    named = Counter(mention.character for mention in mentions.find_mentions(text, characters))
    occurrences = [
        named[row] + quotations[character.id] for row, character in enumerate(characters)
    ]
    rows = [
        row
        for row, frequency in enumerate(occurrences)
        if row < len(described) or frequency >= MIN_OCCURRENCES
    ]
    rows.sort(key=lambda row: (-occurrences[row], row))
    return tuple(characters[row] for row in rows[:MAX_CHARACTERS])


def _count_quotations(dialogue: Dialogue | None) -> Counter[str]:
    """Return the number of quotations of each speaker, by id."""
    attributions = dialogue.attributions if dialogue else ()
    return Counter(attribution.speaker.id for attribution in attributions if attribution.speaker)


def _join_bank(
    cast: Sequence[Character], bank: Sequence[DescribedCharacter], quotations: Counter[str]
) -> tuple[list[Character], list[Character]]:
    """Return the characters of the bank with all known names, and the characters of the cast
    that are not in the bank."""
    matches = _match_bank(cast, bank)
    candidates = [
        candidates_from_names([described.name], members)[0]
        for described, members in zip(bank, matches.members, strict=True)
    ]
    bearers = _count_bearers(candidates, matches.unmatched, bank)
    characters = [
        _join_character(candidate, described, members, bearers, cast, quotations)
        for candidate, described, members in zip(candidates, bank, matches.members, strict=True)
    ]
    return characters, matches.unmatched


def _count_bearers(
    candidates: Iterable[Candidate],
    unmatched: Iterable[Character],
    bank: Iterable[DescribedCharacter],
) -> Counter[mentions.Name]:
    """Return the number of characters with each name variant."""
    alias_lists = [
        *(candidate.aliases for candidate in candidates),
        *(character.aliases for character in unmatched),
        *(described.aliases for described in bank),
    ]
    return Counter(mentions.name_words(alias) for aliases in alias_lists for alias in aliases)


def _join_character(
    candidate: Candidate,
    described: DescribedCharacter,
    members: Sequence[Character],
    bearers: Counter[mentions.Name],
    cast: Sequence[Character],
    quotations: Counter[str],
) -> Character:
    known = _name_variants(candidate.aliases)
    added = [
        alias
        for alias in described.aliases
        if mentions.name_words(alias) in known or bearers[mentions.name_words(alias)] == 1
    ]
    speaker = max(members, key=lambda member: quotations[member.id], default=None)
    return Character(
        speaker.id if speaker else new_id(described.name, {member.id for member in cast}),
        described.name,
        tuple(dict.fromkeys((*candidate.aliases, *added))),
        candidate.gender if described.gender is Gender.UNKNOWN else described.gender,
        candidate.narrator,
        candidate.narrates,
    )


@dataclass(frozen=True, slots=True)
class BankMatches:
    """The members of the cast that match each character of a bank, and the unmatched members."""

    members: list[list[Character]]
    unmatched: list[Character] = field(default_factory=list)


def _match_bank(cast: Sequence[Character], bank: Sequence[DescribedCharacter]) -> BankMatches:
    """Match a cast with a bank.

    A name variant that only one character of the bank has decides; without one, the words of
    the names do, as in candidates_from_names. If one member of the cast has exactly the name of a
    character, members with other words in their names are other characters: next to Mrs. Bennet,
    Mary Bennet is another character, and so is Miss Bennet.
    """
    members: list[list[Character]] = [[] for _ in bank]
    rest = _match_exact_names(cast, bank, members)
    unmatched = _match_name_words(rest, bank, members)
    for row, described in enumerate(bank):
        namesakes = _namesakes(described, members[row])
        unmatched += namesakes
        members[row] = [member for member in members[row] if member not in namesakes]
    return BankMatches(members, [member for member in cast if member in unmatched])


def _match_exact_names(
    cast: Iterable[Character],
    bank: Sequence[DescribedCharacter],
    members: Sequence[list[Character]],
) -> list[Character]:
    """Add to members the characters with a name variant that only one character of the bank has;
    return the others.

    If the name variants match several characters of the bank, the one with most of them is
    chosen, and in a tie the first in the bank.
    """
    known = _unambiguous_names(bank)
    rest = []
    for character in cast:
        variants = _name_variants(character.aliases)
        votes = Counter(sorted(known[name] for name in variants if name in known))
        if votes:
            members[votes.most_common(1)[0][0]].append(character)
        else:
            rest.append(character)
    return rest


def _unambiguous_names(bank: Sequence[DescribedCharacter]) -> Mapping[mentions.Name, int]:
    """Return the name variants that only one character of the bank has, and its row."""
    variants = [_name_variants((described.name, *described.aliases)) for described in bank]
    bearers = Counter(name for names in variants for name in names)
    return {name: row for row, names in enumerate(variants) for name in names if bearers[name] == 1}


def _match_name_words(
    cast: Sequence[Character],
    bank: Sequence[DescribedCharacter],
    members: Sequence[list[Character]],
) -> list[Character]:
    """Add to members the characters whose names match in words and titles; return the others."""
    candidates = candidates_from_names([described.name for described in bank], cast)
    rest = []
    for character in cast:
        names = (character.name, *character.aliases)
        rows = (
            row
            for row, candidate in enumerate(candidates)
            if set(candidate.aliases).issuperset(names)
        )
        row = next(rows, None)
        if row is None or _titles_differ(character, bank[row]):
            rest.append(character)
        else:
            members[row].append(character)
    return rest


def _namesakes(described: DescribedCharacter, members: Sequence[Character]) -> list[Character]:
    """Return the members with words in a name that neither the character of the bank nor a
    member with exactly its name has; none if no member has its name."""
    name = _name_variants([described.name])
    same = [member for member in members if _name_variants(member.aliases) & name]
    if not same:
        return []
    words = _name_words([described.name, *described.aliases])
    words.update(*(_name_words(member.aliases) for member in same))
    return [member for member in members if not _name_words(member.aliases) <= words]


def _titles_differ(character: Character, described: DescribedCharacter) -> bool:
    """Return True if both have titles and none in common: Miss Bennet and Mrs. Bennet."""
    own_titles = _titles(character.aliases)
    other_titles = _titles((described.name, *described.aliases))
    return bool(own_titles and other_titles) and not own_titles & other_titles


def _titles(aliases: Iterable[str]) -> set[str]:
    return {word for alias in aliases for word in mentions.name_words(alias)} & titles.PERSONAL


def _name_variants(aliases: Iterable[str]) -> set[mentions.Name]:
    return set(map(mentions.name_words, aliases))


def _name_words(aliases: Iterable[str]) -> set[str]:
    """Return the words of names without the titles before them."""
    return {word for alias in aliases for word in strip_titles(alias)}
