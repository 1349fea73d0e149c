"""Noun phrases that mean a speaker: names, pronouns and descriptions such as "the old man"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from scholar_indexes.attribution.cues.tokens import CueToken, NarrationReader
from scholar_indexes.attribution.cues.vocabulary import (
    DETERMINERS,
    EPITHETS,
    FEMALE,
    FUNCTION_WORDS,
    MALE,
    NOMINATIVE,
    PERSONS,
    SPEECH_NOUNS,
)
from scholar_indexes.lexicon import titles, verbs
from scholar_indexes.types import Gender, Span

_LONGEST_DESCRIPTION = 7
_OWNER_GENDERS = {"his": Gender.MALE, "her": Gender.FEMALE}


class Subject(NamedTuple):
    """A phrase that may name a speaker.

    `character` is an index in the cast, None if the phrase does not identify one. `is_named` is
    True for a proper name, `is_person` if the phrase certainly means a person.
    """

    start: int
    end: int
    character: int | None
    gender: Gender
    is_named: bool
    is_person: bool = True

    @property
    def span(self) -> Span:
        """The words of the phrase."""
        return Span(self.start, self.end)

    def cover(self, verb: CueToken) -> Span:
        """Return the words from the subject to its verb, in either order."""
        return Span(min(self.start, verb.start), max(self.end, verb.end))


def name_subject(token: CueToken) -> Subject:
    """Return the subject of a name; one in lower case ("the old man") is a description."""
    return Subject(token.start, token.end, token.character, Gender.UNKNOWN, token.is_capitalized)


def pronoun_subject(reader: NarrationReader, token: CueToken, nominative: str) -> Subject:
    """Return the subject of a pronoun, given its nominative; "I" means the narrator."""
    character = reader.narrators.at(token.start) if nominative == "i" else None
    gender = NOMINATIVE[nominative] if character is None else reader.cast[character].gender
    return Subject(token.start, token.end, character, gender, False)


def shared_name_subject(reader: NarrationReader, token: CueToken) -> Subject | None:
    """Return the subject of a single name that several characters have."""
    if not token.is_word or not token.is_capitalized:
        return None
    character = reader.resolve_name(token.word, Gender.UNKNOWN)
    if character is None:
        return None
    return Subject(token.start, token.end, character, Gender.UNKNOWN, True)


def find_noun_gender(word: str) -> Gender:
    """Return the gender of a noun such as "aunt" or "policeman"."""
    if word in FEMALE or word.endswith("woman"):
        return Gender.FEMALE
    if word in MALE or (word.endswith("man") and word not in ("human", "roman", "german")):
        return Gender.MALE
    return Gender.UNKNOWN


def parse_noun_phrase(
    reader: NarrationReader, tokens: Sequence[CueToken], index: int, *, behind_verb: bool = False
) -> Subject | None:
    """Return the name, pronoun or description that begins at a token.

    After a verb of speech any capitalized word is a name, in the cast or not.
    """
    if index >= len(tokens):
        return None
    first = tokens[index]
    if first.is_name:
        return _parse_name(tokens, index, index)
    if not first.is_word:
        return None
    if first.word in NOMINATIVE:
        return pronoun_subject(reader, first, first.word)
    if first.word in DETERMINERS:
        return parse_description(tokens, index)
    name = _skip_epithets(tokens, index)
    if name is not None:
        return _parse_name(tokens, index, name) if name < len(tokens) else None
    if behind_verb and first.is_capitalized:
        return _parse_unknown_name(reader, tokens, index)
    return None


def _parse_name(tokens: Sequence[CueToken], start: int, name: int) -> Subject:
    return parse_possessed(tokens, start, name) or name_subject(tokens[name])


def _skip_epithets(tokens: Sequence[CueToken], index: int) -> int | None:
    """Return the index of the name after titles and epithets, None if there is none.

    Returns the number of tokens if they end in an abbreviated title.
    """
    while index < len(tokens) - 1 and tokens[index].word in EPITHETS:
        index += 1
        if tokens[index].word == ".":
            index += 1
            if index == len(tokens):
                return index
        if tokens[index].is_name:
            return index
    return None


def _parse_unknown_name(reader: NarrationReader, tokens: Sequence[CueToken], index: int) -> Subject:
    """Return the run of capitalized words that begins at a token, as a name."""
    end = index
    while end + 1 < len(tokens) and _continues_name(tokens[end], tokens[end + 1]):
        end += 1
    first = tokens[index]
    gender = find_noun_gender(first.word)
    character = reader.resolve_name(tokens[end].word, gender)
    return Subject(first.start, tokens[end].end, character, gender, True)


def _continues_name(token: CueToken, following: CueToken) -> bool:
    if following.is_word and following.is_capitalized:
        return True
    return following.word == "." and token.word in titles.ABBREVIATED


class DescriptionEnd(NamedTuple):
    """A reason why a description ends before a token, given whether it already has a person."""

    name: str
    applies: Callable[[CueToken, bool], bool]


DESCRIPTION_ENDS = (
    DescriptionEnd("mark", lambda token, has_person: token.is_mark),
    DescriptionEnd("function word", lambda token, has_person: token.word in FUNCTION_WORDS),
    DescriptionEnd("verb of speech", lambda token, has_person: token.word in verbs.SPEECH),
    DescriptionEnd(
        "weak verb", lambda token, has_person: has_person and token.word in verbs.WEAK_SPEECH
    ),
    DescriptionEnd("pronoun", lambda token, has_person: token.word in NOMINATIVE),
    DescriptionEnd(
        "verb or adverb by its ending",
        lambda token, has_person: (
            has_person and token.word not in PERSONS and token.word.endswith(("ly", "ed", "ing"))
        ),
    ),
)


def _ends_description(token: CueToken, has_person: bool) -> bool:
    return any(rule.applies(token, has_person) for rule in DESCRIPTION_ENDS)


def parse_description(tokens: Sequence[CueToken], index: int) -> Subject | None:
    """Return a description with its determiner: "the old man", "her father's butler".

    A name in apposition counts as the name: "his sister Jane".
    """
    gender, end, has_person = Gender.UNKNOWN, index, False
    for position in range(index + 1, min(len(tokens), index + _LONGEST_DESCRIPTION)):
        token = tokens[position]
        if token.is_name:
            if has_person and not tokens[position - 1].is_word:
                break
            return _parse_name(tokens, index, position)
        # In "her father's butler" the gender of the owner says nothing about the butler.
        if token.is_possessive:
            gender, has_person = Gender.UNKNOWN, False
            continue
        if _ends_description(token, has_person):
            break
        end = position
        noun_gender = find_noun_gender(token.word)
        if noun_gender is not Gender.UNKNOWN or token.word in PERSONS:
            gender, has_person = noun_gender, True
    if end == index:
        return None
    owner = _OWNER_GENDERS.get(tokens[index].word)
    # "her voice" stands for her.
    if owner is not None and tokens[end].word in SPEECH_NOUNS:
        gender = owner
    return Subject(tokens[index].start, tokens[end].end, None, gender, False, has_person)


def parse_possessed(tokens: Sequence[CueToken], start: int, name: int) -> Subject | None:
    """Return the person that a phrase with a possessive name means, None without a possessive.

    "Emma's father" is another person; "Emma's voice" is Emma.
    """
    if name + 2 >= len(tokens) or not tokens[name + 1].is_possessive:
        return None
    for token in tokens[name + 2 : name + 5]:
        if token.word in SPEECH_NOUNS:
            return name_subject(tokens[name])
        if token.is_name:
            return name_subject(token)
        if token.word in PERSONS:
            gender = find_noun_gender(token.word)
            return Subject(tokens[start].start, token.end, None, gender, False)
    return Subject(tokens[start].start, tokens[name + 2].end, None, Gender.UNKNOWN, False, False)
