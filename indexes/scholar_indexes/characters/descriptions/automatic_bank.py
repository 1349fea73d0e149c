"""The automatic descriptions of a book as a bank for quizzes.

Only descriptions that are true of one character, as far as the text shows, are fit for a question;
`rivals` keep the other characters that may fit them out of its choices.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from scholar_indexes.characters.descriptions.automatic import AutomaticDescription
from scholar_indexes.characters.descriptions.bank import (
    SLOT,
    DescribedCharacter,
    Description,
    DescriptionEvidence,
)
from scholar_indexes.characters.descriptions.book_descriptions import BookDescriptions
from scholar_indexes.characters.descriptions.patterns.drafts import (
    CALLING,
    DEED,
    MOTIF,
    MOTIF_START,
    RELATION,
)
from scholar_indexes.characters.folded_words import name_terms, tokenize
from scholar_indexes.characters.identity import has_name
from scholar_indexes.lexicon import adjectives, closed_classes, person_nouns, verbs
from scholar_indexes.types import Span

if TYPE_CHECKING:
    from scholar_indexes.results import CitedPassage

MAX_DESCRIPTIONS = 8
"""The most descriptions of one character."""

MIN_SCORE = 1.5
"""The lowest score of a description: a commonplace deed makes no question."""

MIN_FACTS = 2
"""The fewest passages that describe a character who is asked about: a single one may be wrong, or
be the only thing known about the character."""

MIN_DETAILS = 2
"""The fewest names, and words that do not fit anybody, of a trait or a deed: others died too."""

MAX_FREQUENT = 40
"""The number of the most frequent characters, which are choices even without a description."""

MIN_WRONG_CHOICES = 3
"""The fewest frequent characters that a description does not fit."""

MAX_FROM_SUBJECT = 4
"""The number of words before a description among which there must be no pronoun."""

_PRONOUNS = closed_classes.PRONOUNS.keys()
_OF_ANYBODY = (
    adjectives.EPITHETS
    | adjectives.PETTY
    | person_nouns.EVERYDAY
    | person_nouns.KIN
    | person_nouns.PEOPLE
)
_FEELINGS = {"despised", "hated", "loved", "mourned", "worshipped"}
"""Deeds that several people may share."""

_QUOTATION_MARK = re.compile('[“"]')
_SENTENCE_END = re.compile(r"(?<!\b[A-Z])(?<!\bMr)(?<!\bMrs)(?<!\bDr)[.!?]\s")
_START = re.compile(r"the (?:one who )?")
_SLOT_WITH_S = re.compile(SLOT.pattern + "(?:['’]s)?")

Cite = Callable[[Span], "CitedPassage | None"]


def to_bank(book: BookDescriptions, cite: Cite) -> list[DescribedCharacter]:
    """Return the best automatic descriptions as a bank: of level 2 if they name others, else of
    level 1.

    The bank contains the most frequent characters and those described. They have a name, since a
    person who is only called "the guardian" may be another character. A character with fewer than
    MIN_FACTS has no descriptions, but is still a choice.
    """
    selection = _Selection(book, cite)
    chosen = [selection.of_character(row) for row in range(len(book.characters))]
    mentioned = {name for descriptions in chosen for entry in descriptions for name in entry.names}
    return [
        DescribedCharacter(
            character.name,
            character.aliases,
            character.gender,
            tuple(descriptions) if _count_facts(descriptions) >= MIN_FACTS else (),
        )
        for row, (character, descriptions) in enumerate(zip(book.characters, chosen, strict=True))
        if row in selection.frequent or descriptions or character.name in mentioned
    ]


def _count_facts(descriptions: Sequence[Description]) -> int:
    """Return the number of different passages of descriptions."""
    return len({proof.locator for entry in descriptions for proof in entry.evidence})


class _Selection:
    """Selects the descriptions of a book that are fit for a question."""

    def __init__(self, book: BookDescriptions, cite: Cite) -> None:
        self._book, self._cite = book, cite
        self._named = {
            row for row, member in enumerate(book.characters) if has_name(member.aliases)
        }
        self.frequent = self._named.intersection(range(MAX_FREQUENT))
        self._rows = {member.name: row for row, member in enumerate(book.characters)}
        self._terms = [name_terms([member.name, *member.aliases]) for member in book.characters]
        self._bearers = Counter(term for terms in self._terms for term in terms)
        self._by_character: dict[int, list[AutomaticDescription]] = defaultdict(list)
        for description in book.descriptions:
            self._by_character[description.character].append(description)

    def of_character(self, row: int) -> list[Description]:
        """Return the first MAX_DESCRIPTIONS of a character; none if it has no name."""
        if row not in self._named:
            return []
        fit = (
            self._to_description(description)
            for description in self._by_character[row]
            if self._is_fit(description)
        )
        return list(islice(filter(None, fit), MAX_DESCRIPTIONS))

    def _is_fit(self, description: AutomaticDescription) -> bool:
        """Return True if a description is distinctive, and is about characters with names."""
        people = self._people(description)
        wrong = self.frequent.difference(people, description.rivals)
        return (
            description.score >= MIN_SCORE
            and _singles_out(description)
            and self._named.issuperset(people)
            and len(wrong) >= MIN_WRONG_CHOICES
        )

    def _people(self, description: AutomaticDescription) -> list[int]:
        """Return the described character and the characters that the description names."""
        names = SLOT.findall(description.text)
        return [description.character, *(self._rows[name] for name in names)]

    def _to_description(self, description: AutomaticDescription) -> Description | None:
        """Return a description with its evidence, the first passage or one for each motif; None if
        the evidence does not support it."""
        spans = description.passages if description.kind == MOTIF else description.passages[:1]
        evidence = tuple(
            DescriptionEvidence(passage.locator, " ".join(passage.text.split()))
            for span in spans
            if (passage := self._cite(span))
        )
        text = " ".join(proof.quote for proof in evidence)
        if not (self._supports(text, description) and self._is_stated_by_name(text, description)):
            return None
        rivals = (self._book.characters[rival].name for rival in description.rivals)
        level = 2 if SLOT.search(description.text) else 1
        return Description(level, description.text, evidence, frozenset(rivals))

    def _supports(self, text: str, description: AutomaticDescription) -> bool:
        """Return True if a passage names everybody in a description, except a narrator, and
        contains the words of the description but function words."""
        words = set(tokenize(text))
        return _content_words(description) <= words and all(
            self._book.characters[row].narrator or not words.isdisjoint(self._terms[row])
            for row in self._people(description)
        )

    def _is_stated_by_name(self, text: str, description: AutomaticDescription) -> bool:
        """Return True if the sentence with a description names its character, and has no "he" or
        "she" shortly before the description, which may mean another."""
        if description.kind == MOTIF:
            return True
        if description.kind == RELATION:
            return self._states_relation(text, description)
        phrase = _START.sub("", description.text).partition("{")[0].strip()
        place = text.casefold().find(phrase.casefold())
        first = max((match.end() for match in _SENTENCE_END.finditer(text, 0, place)), default=0)
        end = _SENTENCE_END.search(text, place)
        if place < 0 or not _PRONOUNS.isdisjoint(tokenize(text[first:place])[-MAX_FROM_SUBJECT:]):
            return False
        sentence = text[first : end.start() if end else len(text)]
        return not self._terms[description.character].isdisjoint(tokenize(sentence))

    def _states_relation(self, text: str, description: AutomaticDescription) -> bool:
        """Return True if a passage names the relative of somebody: "Jane's aunt", "the aunt of
        Jane". "Her aunt" may be another woman's; so may "my aunt" in speech, and
        "Marsh's aunt" in a family."""
        noun = "|".join(_content_words(description) & person_nouns.KIN)
        people = [self._book.characters[row] for row in self._people(description)]
        owner = "|".join(
            re.escape(alias)
            for person in people
            for alias in person.aliases
            if self._bearers[alias.casefold()] < 2
        )
        if not owner:
            return False
        owned = rf"(?:{owner})(?:['’]s|['’])"
        if any(person.narrator for person in people) and not _QUOTATION_MARK.search(text):
            owned += "|my"
        return bool(
            re.search(
                rf"\b(?:{owned})\s+(?:[\w-]+,?\s+){{0,3}}?(?:{noun})\b"
                rf"|\b(?:{noun})\s+(?:of|to)\s+(?:{owner})\b",
                text,
                re.IGNORECASE,
            )
        )


def _singles_out(description: AutomaticDescription) -> bool:
    """Return True if a description can be true of one character only: a relative or a calling, not
    a friend; an event of a life, or a trait, with details."""
    words = _content_words(description)
    if description.kind == MOTIF:
        return True
    if description.kind == RELATION:
        return not words.isdisjoint(person_nouns.KIN)
    if description.kind == CALLING:
        return words.isdisjoint(person_nouns.TIES)
    events = (verbs.TELLING | verbs.STATES) - _FEELINGS
    if description.kind == DEED and words.isdisjoint(events):
        return False
    details = words - _OF_ANYBODY
    return len(details) + len(SLOT.findall(description.text)) >= MIN_DETAILS


def _content_words(description: AutomaticDescription) -> set[str]:
    """Return the words of a description but function words and names."""
    phrase = description.text.removeprefix(MOTIF_START)
    return set(tokenize(_SLOT_WITH_S.sub(" ", phrase))) - closed_classes.SMALL
