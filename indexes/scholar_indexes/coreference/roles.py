"""The roles of the people of a book: the nouns for them, and their relations to each other.

    "the curate"                              -> called
    "her cousin", "Emma's father", "my aunt"  -> owned

Every noun phrase that means a character is a vote, and so is one next to a name: "the rector, Mr.
Hatfield". The resolver often assigns "her husband" to the wrong man, so votes are one of several
features of a candidate, alongside surnames and the names near mentions of someone's brother.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import Floats1d, Floats2d, Ints1d
from scholar_indexes.coreference.mentions import name_words
from scholar_indexes.coreference.people import BookPeople
from scholar_indexes.coreference.role_votes import NounPhrase, RoleMentions, RoleVote
from scholar_indexes.lexicon import closed_classes, roles, titles
from scholar_indexes.types import Character, Gender

FEATURES_OWNED = (
    "beside a name",
    "votes",
    "votes for a like noun",
    "votes of the family",
    "a couple by title",
    "same surname",
    "other surname",
    "named where mentioned",
    "together",
    "size",
    "unknown gender",
)
"""The features of a candidate for a phrase with an owner."""

FEATURES = (
    "alias",
    "beside a name",
    "votes",
    "votes for a like noun",
    "votes with the modifiers",
    "together",
    "size",
    "unknown gender",
)
"""The features of a candidate for any other phrase; "together" is with those named in the claim."""

RECENT_BOOKS = 4
"""The number of books whose roles stay in memory, some 20 megabytes each."""

NEAR = 200
"""The maximum number of characters between a phrase and a name near it."""

_OCCUPATIONS = {"dr": "doctor", "doctor": "doctor", "rev": "clergyman", "reverend": "clergyman"}
_WIFE = "mrs"
_NO_NAMES = titles.BEFORE_NAMES | titles.KINDRED


class BookRoles:
    """The characters that the noun phrases of a book may mean."""

    def __init__(self, text: str, people: BookPeople) -> None:
        self._text = text
        self.cast = people.cast
        self._mentions = RoleMentions(text, people)
        self._surnames = list(map(_surnames, people.cast))
        self._sizes = np.bincount(people.mentions.characters, minlength=len(people.cast))
        self._called: dict[str, Floats1d] = defaultdict(self._nobody)
        self._beside: dict[str, Floats1d] = defaultdict(self._nobody)
        self._described: dict[NounPhrase, Floats1d] = defaultdict(self._nobody)
        self._owned: dict[tuple[int, str], Floats1d] = defaultdict(self._nobody)
        self._owned_beside: dict[tuple[int, str], Floats1d] = defaultdict(self._nobody)
        for vote in self._mentions.votes():
            self._count(vote)
        self._count_aliases()

    def _nobody(self) -> Floats1d:
        return np.zeros(len(self.cast), np.float32)

    def _count(self, vote: RoleVote) -> None:
        noun = vote.phrase.noun
        if vote.owner is None:
            (self._beside if vote.is_beside_name else self._called)[noun][vote.character] += 1
            for word in vote.phrase.modifiers:
                self._described[NounPhrase((word,), noun)][vote.character] += 1
        elif vote.owner != vote.character:
            table = self._owned_beside if vote.is_beside_name else self._owned
            table[vote.owner, noun][vote.character] += 1

    def _count_aliases(self) -> None:
        """Count the narrator's relatives by their aliases: "my aunt"."""
        narrators = [at for at, character in enumerate(self.cast) if character.narrator]
        for number, character in enumerate(self.cast):
            for words in map(name_words, character.aliases):
                if len(words) == 2 and words[0] == "my" and words[1] in roles.NOUNS:
                    for narrator in narrators:
                        self._owned_beside[narrator, words[1]][number] += 5

    def features(self, phrase: NounPhrase, named: Sequence[int] = ()) -> Floats2d:
        """Return the FEATURES (c, f) of the cast for a phrase without an owner; `named` are the
        characters named in the claim."""
        nouns = self._alike(phrase.noun)
        beside = sum((self._beside[noun] for noun in nouns), self._nobody())
        others = sum((self._called[noun] for noun in nouns - {phrase.noun}), self._nobody())
        modified = sum(
            (
                self._described[NounPhrase((word,), noun)]
                for noun in nouns
                for word in phrase.modifiers
            ),
            self._nobody(),
        )
        of_anybody = sum(
            (votes for (_, noun), votes in self._owned.items() if noun in nouns), self._nobody()
        )
        columns = (
            self._has_alias(phrase.noun),
            np.log1p(beside),
            np.log1p(self._called[phrase.noun]),
            np.log1p(others + of_anybody),
            np.log1p(modified),
            np.mean([self._together(other) for other in named], axis=0)
            if named
            else self._nobody(),
            np.log1p(self._sizes),
            self._is_unsure(phrase.noun),
        )
        return np.column_stack(columns).astype(np.float32)

    def features_owned(self, owner: int, noun: str) -> Floats2d:
        """Return the FEATURES_OWNED (c, f) of the cast for a noun with an owner: "her cousin"."""
        nouns = self._alike(noun)
        role = roles.role_of(noun)
        inverse = roles.inverse_of(role)
        beside = sum((self._owned_beside[owner, alike] for alike in nouns), self._nobody())
        like = sum((self._owned[owner, alike] for alike in nouns - {noun}), self._nobody())
        for (other, owned), votes in self._owned.items():
            if inverse and roles.role_of(owned) == inverse:
                like[other] += votes[owner]
        for (other, owned), votes in self._owned_beside.items():
            if inverse and roles.role_of(owned) == inverse:
                beside[other] += votes[owner]
        couple, same, other_name = self._compare_surnames(owner, role)
        is_family = float(role in roles.FAMILY)
        columns = (
            np.log1p(beside),
            np.log1p(self._owned[owner, noun]),
            np.log1p(like),
            np.log1p(self._votes_of_family(owner, nouns, same)),
            couple,
            is_family * same,
            is_family * other_name,
            self._named_near(owner, nouns),
            self._together(owner),
            np.log1p(self._sizes),
            self._is_unsure(noun),
        )
        return np.column_stack(columns).astype(np.float32)

    def _votes_of_family(self, owner: int, nouns: set[str], same: Floats1d) -> Floats1d:
        """Return the votes (c,) for nouns owned by others who share the owner's surname."""
        votes = self._nobody()
        for table in (self._owned, self._owned_beside):
            for (other, noun), counts in table.items():
                if noun in nouns and other != owner and same[other]:
                    votes += counts
        return votes

    def share_told(self, character: int) -> float:
        """Return the share of the text that a character narrates."""
        who = self.cast[character]
        if who.narrator and not who.narrates:
            return 1.0
        return sum(stretch.end - stretch.start for stretch in who.narrates) / len(self._text)

    def may_be(self, noun: str, owner: int | None = None) -> NDArray[np.bool_]:
        """Return True for each character (c,) who is not the owner and whose gender fits the noun
        or is unknown."""
        gender = roles.gender_of(noun)
        fits = [
            number != owner and not _differ(character.gender, gender)
            for number, character in enumerate(self.cast)
        ]
        return np.array(fits, np.bool_)

    def _alike(self, noun: str) -> set[str]:
        """Return a noun and the nouns of its role that do not differ in gender."""
        role, gender = roles.role_of(noun), roles.gender_of(noun)
        return {noun} | {
            alike for alike in roles.nouns_of(role) if not _differ(roles.gender_of(alike), gender)
        }

    def _has_alias(self, noun: str) -> Floats1d:
        """Return 1 for each character (c,) with an alias that ends in the noun, or with the title
        of that occupation."""
        has = self._nobody()
        role = roles.role_of(noun)
        for number, character in enumerate(self.cast):
            for words in map(name_words, character.aliases):
                if len(words) < 2:
                    continue
                is_called = words[0] in closed_classes.ARTICLES and words[-1] == noun
                if is_called or _OCCUPATIONS.get(words[0]) == role:
                    has[number] = 1
        return has

    def _is_unsure(self, noun: str) -> Floats1d:
        tells = roles.gender_of(noun) is not Gender.UNKNOWN
        unsure = [tells and character.gender is Gender.UNKNOWN for character in self.cast]
        return np.array(unsure, np.float32)

    def _compare_surnames(self, owner: int, role: str) -> tuple[Floats1d, Floats1d, Floats1d]:
        """Return three arrays (c,): 1 if a title supports the role and -1 if it excludes it, 1 for
        the same surname, and 1 for a different surname."""
        couple, same, other = self._nobody(), self._nobody(), self._nobody()
        own = self._surnames[owner]
        for number, names in enumerate(self._surnames):
            shared = own.keys() & names.keys()
            couple[number] = sum(
                _tell_couple(role, own[surname], names[surname]) for surname in shared
            )
            same[number] = bool(shared)
            other[number] = bool(own) and bool(names) and not shared
        return couple, same, other

    def _named_near(self, owner: int, nouns: set[str]) -> Floats1d:
        """Return how many times likelier each character is named near the owner's relative than
        near the owner, as logarithms (c,)."""
        places = [place for noun in nouns for place in self._places.get((owner, noun), ())]
        at = np.sort(np.array(places, np.int64))
        of_owner = self._mentions.starts_of(owner)
        near = self._nobody()
        for number in range(len(self.cast)):
            names = self._mentions.names_of(number)
            count = _count_near(at, names)
            expected = len(at) * _count_near(of_owner, names) / max(1, len(of_owner))
            near[number] = np.log((count + 1) / (expected + 1))
        return near

    def _together(self, owner: int) -> Floats1d:
        """Return the logarithms (c,) of the shares of each character's mentions near the
        owner's."""
        of_owner = self._mentions.starts_of(owner)
        together = self._nobody()
        for number in range(len(self.cast)):
            own = self._mentions.starts_of(number)
            together[number] = np.log((_count_near(own, of_owner) + 0.5) / (len(own) + 5))
        return together

    @cached_property
    def _places(self) -> Mapping[tuple[int, str], list[int]]:
        """The positions of nouns with an owner, by owner and noun."""
        return self._mentions.owned_places()


@lru_cache(maxsize=RECENT_BOOKS)
def recall_roles(text: str, people: BookPeople) -> BookRoles:
    """Return the roles of a book, from memory for recently used books."""
    return BookRoles(text, people)


def _count_near(places: Ints1d, others: Ints1d) -> int:
    """Return how many `places` have one of the `others` near; both (n,) are ascending."""
    first = np.searchsorted(others, places - NEAR, "left")
    end = np.searchsorted(others, places + NEAR, "right")
    return int((end > first).sum())


def _surnames(character: Character) -> Mapping[str, set[str]]:
    """Return the surnames of a character with the titles before them."""
    surnames: dict[str, set[str]] = defaultdict(set)
    for words in map(name_words, character.aliases):
        if len(words) > 1 and words[0] not in closed_classes.SMALL and words[-1] not in _NO_NAMES:
            surnames[words[-1]].add(words[0] if words[0] in titles.BEFORE_NAMES else "")
    return surnames


def _tell_couple(role: str, of_owner: set[str], titles_of: set[str]) -> float:
    """Return 1 if the titles before a surname shared with the owner support a role, -1 if they
    exclude it, else 0."""
    is_married, owner_is_married = _WIFE in titles_of, _WIFE in of_owner
    if role == roles.SPOUSE:
        if (is_married or owner_is_married) and is_married != owner_is_married:
            return 1.0
        return -1.0 if (titles_of | of_owner) & titles.MAIDEN else 0.0
    if role == roles.PARENT:
        return float(is_married and not owner_is_married)
    if role == roles.CHILD:
        return -float(is_married and not owner_is_married)
    return 0.0


def _differ(one: Gender, other: Gender) -> bool:
    return Gender.UNKNOWN not in (one, other) and one is not other
