"""Rivals: the other characters that a description may fit as well.

A quiz must not offer them as wrong choices. A rival is mentioned in a sentence with all words and
names of the description, belongs to the family that a relation is about, or may be the described
person under another name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

from scholar_indexes.characters.descriptions.bank import SLOT
from scholar_indexes.characters.descriptions.patterns.drafts import (
    DEED,
    MOTIF,
    MOTIF_START,
    RELATION,
    DraftDescription,
)
from scholar_indexes.characters.descriptions.patterns.mentioning_sentences import (
    MentioningSentence,
)
from scholar_indexes.characters.folded_words import tokenize
from scholar_indexes.characters.identity import may_be_same, names_of
from scholar_indexes.lexicon import adjectives, closed_classes, person_nouns
from scholar_indexes.lexicon.stemming import stem
from scholar_indexes.types import Character

_OF_ANYBODY = adjectives.EPITHETS | adjectives.PETTY | person_nouns.PEOPLE
_NO_CONTENT = closed_classes.SMALL | {*MOTIF_START.split()}


class RivalFinder:
    """Finds the rivals in a cast by the sentences that mention its characters."""

    def __init__(self, sentences: Sequence[MentioningSentence], cast: Sequence[Character]) -> None:
        self._sentences = sentences
        self._names = list(map(names_of, cast))
        self._rows = {character.name: row for row, character in enumerate(cast)}
        self._with_stem: dict[str, set[int]] = defaultdict(set)
        self._together: set[tuple[int, int]] = set()
        for number, sentence in enumerate(sentences):
            for word in sentence.stems:
                self._with_stem[word].add(number)
            self._together.update(combinations(sorted(sentence.named), 2))

    def find(self, draft: DraftDescription) -> tuple[int, ...]:
        """Return the indices of the rivals of the described character, ascending."""
        others = {self._rows[name] for name in SLOT.findall(draft.text) if name in self._rows}
        rivals = self._find_by_text(draft, others) | self._find_by_name(draft.character)
        if draft.kind == RELATION:
            rivals |= self._find_family({draft.character, *others})
        return tuple(sorted(rivals - {draft.character, *others}))

    def _find_by_text(self, draft: DraftDescription, others: set[int]) -> set[int]:
        """Return the characters in sentences with all words of a description; for motifs, those in
        sentences with each of the words; for callings and traits, with any of them."""
        words = dict.fromkeys(tokenize(SLOT.sub(" ", draft.text)))
        stems = [stem(word) for word in words if word not in _NO_CONTENT]
        if draft.kind in (DEED, RELATION):
            return self._mentioned_with(stems, others)
        if draft.kind == MOTIF:
            return set.intersection(*(self._mentioned_with([word], others) for word in stems))
        distinctive = [stem(word) for word in words if word not in _NO_CONTENT | _OF_ANYBODY]
        if not distinctive:
            return set(range(len(self._names)))
        return set.union(*(self._mentioned_with([word], others) for word in distinctive))

    def _mentioned_with(self, stems: Sequence[str], others: set[int]) -> set[int]:
        numbers = set.intersection(*(self._with_stem[word] for word in stems)) if stems else set()
        return {
            character
            for number in numbers
            if others <= self._sentences[number].mentioned
            for character in self._sentences[number].mentioned
        }

    def _find_by_name(self, character: int) -> set[int]:
        """Return the characters that may be the same person."""
        own = self._names[character]
        return {
            other
            for other, names in enumerate(self._names)
            if other != character
            and may_be_same(own, names)
            and tuple(sorted((character, other))) not in self._together
        }

    def _find_family(self, characters: Iterable[int]) -> set[int]:
        """Return the characters who share a surname with one of the given ones."""
        surnames = set[str]().union(*(self._names[row].surnames for row in characters))
        return {
            row for row, names in enumerate(self._names) if not surnames.isdisjoint(names.surnames)
        }
