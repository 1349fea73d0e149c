"""The noun phrases of a book that refer to its characters, each a vote for a role.

"the curate", "her cousin", "Emma's father", "the rector, Mr. Hatfield"
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from scholar_indexes.arrays import Ints1d
from scholar_indexes.coreference.mentions import Name
from scholar_indexes.coreference.people import BookPeople
from scholar_indexes.coreference.resolver.mention_table import PRONOUNS
from scholar_indexes.folding import fold_text
from scholar_indexes.lexicon import closed_classes, roles

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s?\s+")
_OWNER_PRONOUN = re.compile(r"(?i:my|thy|your|his|her|our|their)\b")
_PHRASE = r"((?:[^\W\d_][\w-]*\s+){0,3}?)([^\W\d_][\w-]*)"
_BEFORE_NAME = re.compile(
    rf"(?:\b(the|my|your|his|her|our)|(?<=\w)['’]s)\s+{_PHRASE}(,?)\s+\Z", re.IGNORECASE
)
_PHRASE_END = r"(?=[,.;:)!?—]|\s+(?:of|to|at|in)\b)"
_AFTER_NAME = re.compile(
    rf"(?:,|\s+(?:is|was|became))\s+(the|an?|my|your|his|her|our)\s+{_PHRASE}{_PHRASE_END}"
)
_CLOSED = re.compile(r"\s*[,.;:!?)—]")
_OWNED = re.compile(
    r"(?:\b(my|thy|your|his|her|our|their)|['’]s|(?<=s)['’])\s+(?:[a-z-]+\s+){0,2}?("
    + "|".join(sorted(roles.NOUNS, key=lambda noun: (-len(noun), noun)))
    + r")\b",
    re.IGNORECASE,
)
_CHARS_BEFORE, _CHARS_AFTER = 60, 80
_LONGEST_PHRASE = 8
_PHRASE_ENDS = closed_classes.PREPOSITIONS | {"who", "whom", "whose", "which", "that", "and", "or"}
_NO_MODIFIERS = closed_classes.DETERMINERS | closed_classes.POSSESSIVE | {"s"}
_NOT_NAMES = closed_classes.SMALL.union(*PRONOUNS)


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """The folded words before the noun of a phrase, and the folded noun."""

    modifiers: Name
    noun: str


@dataclass(frozen=True, slots=True)
class RoleVote:
    """A vote from one passage: owner, noun phrase, character, and whether a name is next to it."""

    owner: int | None
    phrase: NounPhrase
    character: int
    is_beside_name: bool


class RoleMentions:
    """The mentions of a book's characters, and the noun phrases in and next to them."""

    def __init__(self, text: str, people: BookPeople) -> None:
        self._text = text
        mentions = people.mentions
        self._rows = list(
            zip(
                mentions.starts.tolist(),
                mentions.ends.tolist(),
                mentions.characters.tolist(),
                strict=True,
            )
        )
        self._beginning: dict[int, dict[int, int]] = defaultdict(dict)
        self._ending: dict[int, int] = {}
        of_names: dict[int, list[int]] = defaultdict(list)
        of_all: dict[int, list[int]] = defaultdict(list)
        for start, end, character in self._rows:
            self._beginning[start][end] = character
            self._ending[end] = character
            of_all[character].append(start)
            if self._is_name(start, end):
                of_names[character].append(start)
        self._of_names = {who: np.array(sorted(starts)) for who, starts in of_names.items()}
        self._of_all = {who: np.array(sorted(starts)) for who, starts in of_all.items()}

    def starts_of(self, character: int) -> Ints1d:
        """Return the positions at which the mentions of a character begin, ascending."""
        return self._of_all.get(character, np.zeros(0, np.int64))

    def names_of(self, character: int) -> Ints1d:
        """Return the positions at which a character is named, ascending."""
        return self._of_names.get(character, np.zeros(0, np.int64))

    def owned_places(self) -> Mapping[tuple[int, str], list[int]]:
        """Return the positions of nouns with an owner, by owner and noun."""
        places: dict[tuple[int, str], list[int]] = defaultdict(list)
        for match in _OWNED.finditer(self._text):
            if match[1]:
                owner = self._beginning.get(match.start(), {}).get(match.end(1))
            else:
                owner = self._ending.get(match.start())
            if owner is not None:
                places[owner, fold_text(match[2])].append(match.start())
        return places

    def votes(self) -> Iterator[RoleVote]:
        """Yield the votes of all noun phrases of the book."""
        for start, end, character in self._rows:
            if self._is_name(start, end):
                yield from self._read_beside_name(start, end, character)
            if end - start > 3:
                yield from self._read_phrase(start, end, character)

    def _is_name(self, start: int, end: int) -> bool:
        if not self._text[start].isupper():
            return False
        first = _WORD.match(self._text, start, end)
        return first is not None and fold_text(first.group()) not in _NOT_NAMES

    def _read_phrase(self, start: int, end: int, character: int) -> Iterator[RoleVote]:
        is_owned, owner, rest = self._owner_at(start, end)
        phrase = find_noun(self._text[rest:end])
        if phrase and not (is_owned and owner is None):
            yield RoleVote(owner, phrase, character, is_beside_name=False)

    def _owner_at(self, start: int, end: int) -> tuple[bool, int | None, int]:
        """Return whether a phrase has an owner, the owner if known, and where the rest begins."""
        if pronoun := _OWNER_PRONOUN.match(self._text, start, end):
            owner = self._beginning[start].get(pronoun.end())
            return True, owner, min(end, pronoun.end() + 1)
        for inner, character in self._beginning[start].items():
            mark = _POSSESSIVE.match(self._text, inner, end)
            if mark and mark.end() < end:
                return True, character, mark.end()
        return False, None, start

    def _read_beside_name(self, start: int, end: int, character: int) -> Iterator[RoleVote]:
        """Yield the votes of phrases next to a name: "the rector, Mr. Hatfield", "Tom, her
        brother,"."""
        first = max(0, start - _CHARS_BEFORE)
        before = _BEFORE_NAME.search(self._text[first:start])
        if before and (not before[4] or _CLOSED.match(self._text, end)):
            phrase = find_noun(f"{before[2]}{before[3]}")
            at = first + before.start()
            if phrase and before[1] is None:
                if (owner := self._ending.get(at)) is not None:
                    yield RoleVote(owner, phrase, character, is_beside_name=True)
            elif phrase:
                yield from self._owned_or_not(before[1], at, phrase, character)
        stop = end + _CHARS_AFTER
        after = _AFTER_NAME.match(self._text, end, stop)
        if after and (phrase := find_noun(f"{after[2]}{after[3]}")):
            yield from self._owned_or_not(after[1], after.start(1), phrase, character)

    def _owned_or_not(
        self, determiner: str, at: int, phrase: NounPhrase, character: int
    ) -> Iterator[RoleVote]:
        if not _OWNER_PRONOUN.match(determiner):
            yield RoleVote(None, phrase, character, is_beside_name=True)
            return
        owner = self._beginning.get(at, {}).get(at + len(determiner))
        if owner is not None:
            yield RoleVote(owner, phrase, character, is_beside_name=True)


def find_noun(text: str) -> NounPhrase | None:
    """Return the noun for a person in a phrase, with the words before it, or None.

    Reading stops at a name, preposition, relative pronoun, conjunction or punctuation mark.
    """
    words: list[str] = []
    for match in _WORD.finditer(text):
        word = fold_text(match.group())
        if word in _PHRASE_ENDS or len(words) == _LONGEST_PHRASE:
            break
        if words and match.group()[0].isupper():
            break
        words.append(word)
        follows = text[match.end() : match.end() + 1]
        if follows and not follows.isspace():
            break
    if not words or words[-1] not in roles.NOUNS:
        return None
    return NounPhrase(tuple(word for word in words[:-1] if word not in _NO_MODIFIERS), words[-1])
