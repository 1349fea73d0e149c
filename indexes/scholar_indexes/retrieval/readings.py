"""The reading of a claim by a book whose people are known: the people it names, and the rest.

A name occurs in few of the sentences that its bearer is in, and in many that prove nothing; so the
names of a claim are resolved to the cast of a book, and matched as people. In the words and the
vector of the claim they are replaced by a pronoun, as in most of the book. The words of a noun
phrase that means a character stay: "her father" (see phrases).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from scholar_indexes.coreference.mentions import Name, name_words
from scholar_indexes.coreference.people import RECENT_BOOKS, SentencePeople
from scholar_indexes.lexicon import closed_classes, given_names, titles
from scholar_indexes.lexicon.stemming import stem
from scholar_indexes.lexicon.word_frequencies import rarity
from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.retrieval.phrases import MeantPhrase, PhraseResolver, assign_phrases
from scholar_indexes.types import Gender, Span

LONGEST_NAME = 6
"""The most words of a name in a claim."""

SHORTEST_WORD = 3
"""The fewest letters of a single word that can mean a character."""

_SUBJECT = {Gender.MALE: "he", Gender.FEMALE: "she", Gender.UNKNOWN: "someone"}
_OBJECT = {Gender.MALE: "him", Gender.FEMALE: "her", Gender.UNKNOWN: "someone"}
_OWNER = {Gender.MALE: "his", Gender.FEMALE: "her", Gender.UNKNOWN: "someone's"}

_BEFORE_SUBJECTS = frozenset(
    ("that", "how", "why", "when", "where", "because", "as", "if", "whether", "while", "what")
) | words_of("auxiliary")
"""Words of a claim after which a name is the subject of a clause."""

FEW_SENTENCES = 2
"""The most sentences with a character whom a single word does not mean."""

RARE_SHARE = 0.02
"""Such a character is also in less than this share of the sentences of the most frequent one."""

_COMMON = words_of("stop_word", "trait", "common_verb", "generic_word") | closed_classes.ARTICLES
"""Words that mean nobody in lower case."""

_ELDER = frozenset({("old",), ("elder",)})
_ELDERS_TITLES = frozenset({"mr", "mrs", "sir", "lady", "lord"})
"""The titles of the elder of a family: "old Osborne" is Mr. Osborne, not George."""

_NEVER_NAMES = words_of("never_name")
"""Words that mean nobody by themselves, even with a capital: Nobody."""

RARE_WORD = 5.0
"""The minimum rarity of a word that means somebody in lower case, unless it is a given name."""

_NO_NAMES = titles.BEFORE_NAMES | words_of("name_particle")
"""Words of a name that do not mean its bearer by themselves."""

_WORD = re.compile(r"[^\W_]+")
_NAME_GOES_ON = re.compile(r"\s+[A-Z]")
_TITLES = "|".join(map(re.escape, sorted(titles.ABBREVIATED)))
_WITHIN_SENTENCE = re.compile(rf"(?:[a-z,;]|\b(?i:{_TITLES})\.)\s+\Z")
_LONGEST_GAP = 12
"""The most characters that are read before a name: a title or a letter, and an indent."""

_POSSESSIVE = re.compile(r"['’]s\b|(?<=s)['’](?=\s|$)")

_ClaimWord = tuple[re.Match[str], Name]
"""A word of a claim where it was found, and its parts, folded as in names."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A claim as one book reads it: `people` are indices in its cast, `text` is the claim with
    pronouns in place of their names, and `words` is the claim without them; `meant` are the
    resolved phrases, with the character of each."""

    people: tuple[int, ...]
    text: str
    words: str
    meant: tuple[tuple[str, int], ...] = ()


class NameIndex:
    """The names of a cast, and the character that each means in a claim: one with exactly this name
    before one with a longer name, and of several the one in most sentences."""

    def __init__(self, people: SentencePeople) -> None:
        self._people = people
        self._cast = people.cast
        self._counts = np.bincount(people.characters, minlength=len(people.cast))
        whole: dict[Name, set[int]] = defaultdict(set)
        parts: dict[Name, set[int]] = defaultdict(set)
        for number, character in enumerate(people.cast):
            for alias in {character.name, *character.aliases}:
                name = name_words(alias.partition(" - ")[0])
                whole[name].add(number)
                for part in _parts(name):
                    parts[part].add(number)
        self._owners: Mapping[Name, int] = {
            name: owner
            for name in whole.keys() | parts.keys()
            if name and (owner := self._choose(name, whole[name], parts[name])) is not None
        }
        self._elders: Mapping[Name, int] = {
            name[1:]: self._owners[name]
            for name in whole
            if len(name) == 2 and name[0] in _ELDERS_TITLES
        }

    def _choose(self, name: Name, called: set[int], sharing: set[int]) -> int | None:
        """Return the character that a name means: of the characters `called` so, otherwise of the
        ones with a name that it is a part of, the one in most sentences. A single word does not
        mean a character who is hardly in the book."""
        fewest = RARE_SHARE * self._counts.max(initial=0)
        for bearers in (called, sharing):
            present = [
                number
                for number in bearers
                if len(name) > 1
                or self._counts[number] > FEW_SENTENCES
                or self._counts[number] >= fewest
            ]
            if present:
                return max(present, key=lambda number: (self._counts[number], -number))
        return None

    def read(
        self,
        claim: str,
        resolver: Callable[[bool], PhraseResolver | None] = lambda names_somebody: None,
        about: Sequence[int] = (),
    ) -> Reading | None:
        """Return the reading of a claim; None if it means nobody of the cast.

        Its phrases are for the people of `about`, or otherwise resolved; `resolver` is called with
        True if the claim names a character.
        """
        named = self.places(claim)
        names = list(named.items())
        if about:
            phrases = assign_phrases(claim, named, about, self._cast)
        else:
            finder = resolver(bool(names))
            phrases = finder.resolve(claim, named) if finder else []
        places = sorted([*names, *((phrase.whole, phrase.character) for phrase in phrases)])
        only_owners = self._only_owners(named, phrases)
        people = tuple(
            number
            for number in dict.fromkeys([*(number for _, number in places), *about])
            if number not in only_owners
        )
        if not people:
            return None
        words = _replace(claim, [(span, " ") for span, _ in names])
        if not _WORD.search(words):
            # A claim of names alone keeps them: a vector of "he" and "she" is near everything.
            return Reading(people, claim, "")
        pronouns = [(span, self._pronoun(claim, span, number)) for span, number in names]
        meant = tuple((phrase.span.of(claim), phrase.character) for phrase in phrases)
        return Reading(people, _replace(claim, pronouns), words, meant)

    def _only_owners(self, named: Mapping[Span, int], phrases: Sequence[MeantPhrase]) -> set[int]:
        """Return the characters whom a claim names only as the owner of a phrase, and who are in
        nearly every passage: they would make every passage match."""
        owners = {
            place
            for place in named
            for phrase in phrases
            if phrase.span.start <= place.start and place.end <= phrase.whole.start
        }
        others = {number for place, number in named.items() if place not in owners}
        numbers = {named[place] for place in owners} - others
        return {number for number in numbers if self._people.is_everywhere(number)}

    def _pronoun(self, claim: str, span: Span, character: int) -> str:
        """Return the pronoun for a character whose name is at a span of a claim."""
        gender = self._cast[character].gender
        if _POSSESSIVE.search(span.of(claim)):
            return _OWNER[gender]
        before = _WORD.findall(claim[: span.start].lower())
        is_subject = not before or before[-1] in _BEFORE_SUBJECTS
        return (_SUBJECT if is_subject else _OBJECT)[gender]

    def places(self, claim: str) -> dict[Span, int]:
        """Return the spans of the names in a claim, in order and without overlap, each including
        the "'s" after it, and the character that it means."""
        words = [(match, name_words(match.group())) for match in _WORD.finditer(claim)]
        places: dict[Span, int] = {}
        at = 0
        while at < len(words):
            size = self._name_size(claim, words[at : at + LONGEST_NAME])
            if size:
                end = words[at + size - 1][0].end()
                possessive = _POSSESSIVE.match(claim, end)
                span = Span(words[at][0].start(), possessive.end() if possessive else end)
                places[span] = self._bearer(
                    _join(words[at : at + size]), words[at - 1][1] if at else ()
                )
            at += size or 1
        return places

    def _name_size(self, claim: str, words: Sequence[_ClaimWord]) -> int:
        """Return the number of words of the longest name at the beginning of words, 0 for none."""
        # The longest first, so that "Mary" is not found within "Mary Bennet".
        for size in range(len(words), 0, -1):
            name = _join(words[:size])
            if name in self._owners and _may_be_name(name, words[0][0].group()):
                # A capital follows: this is part of a name that nobody in this book has.
                is_part = size == 1 and _NAME_GOES_ON.match(claim, words[0][0].end())
                return 0 if is_part else size
        return 0

    def _bearer(self, name: Name, before: Name) -> int:
        """Return the character that a name means after a word."""
        owner = self._owners[name]
        return self._elders.get(name, owner) if before in _ELDER else owner


@lru_cache(maxsize=RECENT_BOOKS)
def name_index(people: SentencePeople) -> NameIndex:
    """Return the names of the cast of a book, cached for the most recent books."""
    return NameIndex(people)


def possible_names(claim: str) -> list[str]:
    """Return the capitalised words of a claim that may be names."""
    words = [match.group() for match in _WORD.finditer(claim)]
    return [word for word in words if word[0].isupper() and word.lower() not in _COMMON]


def may_name(claim: str) -> bool:
    """Return True if a claim has a capitalised word that may be a name."""
    return bool(possible_names(claim))


def names_within(text: str, names: Sequence[str]) -> bool:
    """Return True if a text contains one of the names, not only at the start of a sentence."""
    # A pattern that begins with the text before a name takes ten times as long, or more.
    return any(
        _WITHIN_SENTENCE.search(text[max(0, match.start() - _LONGEST_GAP) : match.start()])
        for name in names
        for match in re.finditer(rf"{re.escape(name)}\b", text)
    )


def _join(words: Sequence[_ClaimWord]) -> Name:
    return tuple(part for _, parts in words for part in parts)


def _parts(name: Name) -> set[Name]:
    """Return a name and its first and last word, if these can mean its bearer."""
    if not name or name[0] in closed_classes.ARTICLES:
        return {name} - {()}
    return {name} | {
        (word,)
        for word in (name[0], name[-1])
        if len(word) >= SHORTEST_WORD and word not in _NO_NAMES
    }


def _may_be_name(name: Name, written: str) -> bool:
    """Return False for a single word that is short, or is a common one in lower case."""
    if len(name) > 1:
        return True
    if name[0] in _NEVER_NAMES:
        return False
    if len(name[0]) < SHORTEST_WORD:
        return False
    return written[0].isupper() or not (name[0] in _COMMON or _is_frequent(name[0]))


def _is_frequent(word: str) -> bool:
    """Return True for a word of many sentences that is no given name: the eyes of Owl Eyes."""
    return rarity(stem(word)) < RARE_WORD and word not in given_names.ALL


def _replace(text: str, replacements: Sequence[tuple[Span, str]]) -> str:
    """Return a text with replacements at spans, which ascend."""
    parts, at = [], 0
    for span, replacement in replacements:
        parts += [text[at : span.start], replacement]
        at = span.end
    return "".join((*parts, text[at:]))
