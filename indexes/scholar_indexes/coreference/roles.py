"""What a book says its people are: the nouns for them, and what they are to each other.

    "the curate"                              -> called
    "her cousin", "Emma's father", "my aunt"  -> owned

Every noun phrase that means a character is a vote, and so is one beside a name: "the rector, Mr.
Hatfield". The resolver takes many a "her husband" for the wrong one, so votes are one of several
features of a candidate, with surnames and who is named where somebody's brother is mentioned.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import Floats1d, Floats2d, Ints1d
from scholar_indexes.coreference.mentions import Name, name_words
from scholar_indexes.coreference.people import BookPeople
from scholar_indexes.coreference.resolver.mention_table import PRONOUNS
from scholar_indexes.folding import fold_text
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
"""The features of a candidate for a phrase that says whose."""

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
"""The features of a candidate for any other phrase; "together" is with those whom the claim
names."""

RECENT_BOOKS = 4
"""Books whose roles stay in memory, some 20 megabytes each."""

NEAR = 200
"""Characters between a phrase and a name that stands near it, at most."""

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
_OCCUPATIONS = {"dr": "doctor", "doctor": "doctor", "rev": "clergyman", "reverend": "clergyman"}
_NOT_NAMES = closed_classes.SMALL.union(*PRONOUNS)
_WIFE = "mrs"
_NO_NAMES = titles.BEFORE_NAMES | titles.KINDRED


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """The words before the noun of a phrase, and the noun, folded."""

    modifiers: Name
    noun: str


@dataclass(frozen=True, slots=True)
class _Vote:
    """What a place of a book says: whose somebody is, by which phrase, if beside a name."""

    owner: int | None
    phrase: NounPhrase
    character: int
    is_beside_name: bool


class BookRoles:
    """Whom the noun phrases of a book mean."""

    def __init__(self, text: str, people: BookPeople) -> None:
        self._text = text
        self.cast = people.cast
        self._mentions = _Mentions(text, people)
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

    def _count(self, vote: _Vote) -> None:
        noun = vote.phrase.noun
        if vote.owner is None:
            (self._beside if vote.is_beside_name else self._called)[noun][vote.character] += 1
            for word in vote.phrase.modifiers:
                self._described[NounPhrase((word,), noun)][vote.character] += 1
        elif vote.owner != vote.character:
            table = self._owned_beside if vote.is_beside_name else self._owned
            table[vote.owner, noun][vote.character] += 1

    def _count_aliases(self) -> None:
        """Count the kin of a narrator by their aliases: "my aunt"."""
        narrators = [at for at, character in enumerate(self.cast) if character.narrator]
        for number, character in enumerate(self.cast):
            for words in map(name_words, character.aliases):
                if len(words) == 2 and words[0] == "my" and words[1] in roles.NOUNS:
                    for narrator in narrators:
                        self._owned_beside[narrator, words[1]][number] += 5

    def features(self, phrase: NounPhrase, named: Sequence[int] = ()) -> Floats2d:
        """Return FEATURES of the cast for a phrase that does not say whose, in a claim that names
        some others, (c, f)."""
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
            np.mean([self._together(other) for other in named], axis=0) if named else self._nobody(),
            np.log1p(self._sizes),
            self._is_unsure(phrase.noun),
        )
        return np.column_stack(columns).astype(np.float32)

    def features_owned(self, owner: int, noun: str) -> Floats2d:
        """Return FEATURES_OWNED of the cast for a noun of somebody, "her cousin", (c, f)."""
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
        """Return the votes for whom some nouns mean of those with the surname of somebody, (c,)."""
        votes = self._nobody()
        for table in (self._owned, self._owned_beside):
            for (other, noun), counts in table.items():
                if noun in nouns and other != owner and same[other]:
                    votes += counts
        return votes

    def share_told(self, character: int) -> float:
        """Return the share of the text that a character tells."""
        who = self.cast[character]
        if who.narrator and not who.narrates:
            return 1.0
        return sum(stretch.end - stretch.start for stretch in who.narrates) / len(self._text)

    def may_be(self, noun: str, owner: int | None = None) -> NDArray[np.bool_]:
        """Return who has the gender that a noun tells, or an unknown one, and is not the owner,
        (c,)."""
        gender = roles.gender_of(noun)
        fits = [
            number != owner and not _differ(character.gender, gender)
            for number, character in enumerate(self.cast)
        ]
        return np.array(fits, np.bool_)

    def _alike(self, noun: str) -> set[str]:
        """Return the nouns of the role of a noun, of no other gender."""
        role, gender = roles.role_of(noun), roles.gender_of(noun)
        return {noun} | {
            alike
            for alike in roles.nouns_of(role)
            if not _differ(roles.gender_of(alike), gender)
        }

    def _has_alias(self, noun: str) -> Floats1d:
        """Return 1 for whoever is called by a noun, or has the title of an occupation, (c,)."""
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
        """Return who is a spouse or a parent by title (-1 for who is none by title), 1 for who has
        the same surname, and 1 for who has another, each (c,)."""
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
        """Return how much likelier each character is named near a mention of some relative than
        near the owner, as a logarithm, (c,)."""
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
        """Return the logarithm of the share of the places of each character that are near a place
        of the owner, (c,)."""
        of_owner = self._mentions.starts_of(owner)
        together = self._nobody()
        for number in range(len(self.cast)):
            own = self._mentions.starts_of(number)
            together[number] = np.log((_count_near(own, of_owner) + 0.5) / (len(own) + 5))
        return together

    @cached_property
    def _places(self) -> Mapping[tuple[int, str], list[int]]:
        """Where a noun stands with its owner, by both."""
        return self._mentions.owned_places()


@lru_cache(maxsize=RECENT_BOOKS)
def recall_roles(text: str, people: BookPeople) -> BookRoles:
    """Return the roles of a book, from memory for those that were asked for last."""
    return BookRoles(text, people)


class _Mentions:
    """The places of a book that mean its characters, and the noun phrases there."""

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
        """Return where the mentions of a character begin, ascending."""
        return self._of_all.get(character, np.zeros(0, np.int64))

    def names_of(self, character: int) -> Ints1d:
        """Return where a character is named, ascending."""
        return self._of_names.get(character, np.zeros(0, np.int64))

    def owned_places(self) -> Mapping[tuple[int, str], list[int]]:
        """Return the places of nouns with an owner, by owner and noun."""
        places: dict[tuple[int, str], list[int]] = defaultdict(list)
        for match in _OWNED.finditer(self._text):
            if match[1]:
                owner = self._beginning.get(match.start(), {}).get(match.end(1))
            else:
                owner = self._ending.get(match.start())
            if owner is not None:
                places[owner, fold_text(match[2])].append(match.start())
        return places

    def votes(self) -> Iterator[_Vote]:
        """Yield what every noun phrase of the book says."""
        for start, end, character in self._rows:
            if self._is_name(start, end):
                yield from self._read_beside_name(start, end, character)
            if end - start > 3:
                yield from self._read_phrase(start, end, character)

    def _is_name(self, start: int, end: int) -> bool:
        first = _WORD.match(self._text, start, end)
        is_word = first is None or fold_text(first.group()) in _NOT_NAMES
        return self._text[start].isupper() and not is_word

    def _read_phrase(self, start: int, end: int, character: int) -> Iterator[_Vote]:
        is_owned, owner, rest = self._owner_at(start, end)
        phrase = find_noun(self._text[rest:end])
        if phrase and not (is_owned and owner is None):
            yield _Vote(owner, phrase, character, is_beside_name=False)

    def _owner_at(self, start: int, end: int) -> tuple[bool, int | None, int]:
        """Return if the phrase at a place says whose, whose it is, and where the rest begins."""
        if pronoun := _OWNER_PRONOUN.match(self._text, start, end):
            owner = self._beginning[start].get(pronoun.end())
            return True, owner, min(end, pronoun.end() + 1)
        for inner, character in self._beginning[start].items():
            mark = _POSSESSIVE.match(self._text, inner, end)
            if mark and mark.end() < end:
                return True, character, mark.end()
        return False, None, start

    def _read_beside_name(self, start: int, end: int, character: int) -> Iterator[_Vote]:
        """Yield what stands beside a name: "the rector, Mr. Hatfield", "Tom, her brother,"."""
        first = max(0, start - _CHARS_BEFORE)
        before = _BEFORE_NAME.search(self._text[first:start])
        if before and (not before[4] or _CLOSED.match(self._text, end)):
            phrase = find_noun(f"{before[2]}{before[3]}")
            at = first + before.start()
            if phrase and before[1] is None:
                if (owner := self._ending.get(at)) is not None:
                    yield _Vote(owner, phrase, character, is_beside_name=True)
            elif phrase:
                yield from self._owned_or_not(before[1], at, phrase, character)
        stop = end + _CHARS_AFTER
        after = _AFTER_NAME.match(self._text, end, stop)
        if after and (phrase := find_noun(f"{after[2]}{after[3]}")):
            yield from self._owned_or_not(after[1], after.start(1), phrase, character)

    def _owned_or_not(
        self, determiner: str, at: int, phrase: NounPhrase, character: int
    ) -> Iterator[_Vote]:
        if not _OWNER_PRONOUN.match(determiner):
            yield _Vote(None, phrase, character, is_beside_name=True)
            return
        owner = self._beginning.get(at, {}).get(at + len(determiner))
        if owner is not None:
            yield _Vote(owner, phrase, character, is_beside_name=True)


def find_noun(text: str) -> NounPhrase | None:
    """Return the noun of a phrase that means a person, and the words before it; None without one.

    What follows a name, a preposition or a relative pronoun is not read.
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


def _count_near(places: Ints1d, others: Ints1d) -> int:
    """Return how many places, ascending, have another one near; both (n,)."""
    first = np.searchsorted(others, places - NEAR, "left")
    end = np.searchsorted(others, places + NEAR, "right")
    return int((end > first).sum())


def _surnames(character: Character) -> Mapping[str, set[str]]:
    """Return the surnames of a character with the titles that stand before them."""
    surnames: dict[str, set[str]] = defaultdict(set)
    for words in map(name_words, character.aliases):
        if len(words) > 1 and words[0] not in closed_classes.SMALL and words[-1] not in _NO_NAMES:
            surnames[words[-1]].add(words[0] if words[0] in titles.BEFORE_NAMES else "")
    return surnames


def _tell_couple(role: str, of_owner: set[str], titles_of: set[str]) -> float:
    """Return 1 if somebody has a role by the titles before a surname shared with the owner, -1 if
    not, 0 where they do not tell."""
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
