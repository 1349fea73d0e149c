"""The noun phrases of a claim that mean a person whom it does not name.

    "Emma's father", "his wife", "the mother of Pearl", "the young clerk", "the narrator"

They are found without a book. The person is decided by the votes of a book (see
coreference.roles), and only if one candidate has most of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import Floats1d, Floats2d
from scholar_indexes.coreference.people import SentencePeople
from scholar_indexes.coreference.role_votes import NounPhrase
from scholar_indexes.coreference.roles import FEATURES, FEATURES_OWNED, BookRoles
from scholar_indexes.folding import fold_text
from scholar_indexes.lexicon import closed_classes, roles
from scholar_indexes.types import Character, Gender, Span

LEAST_SHARE = 0.5
"""The least probability of a character that a phrase is resolved to (docs/ranking.md)."""

LEAST_PRESENT = 3
"""The fewest sentences with a character that a phrase can mean."""

OWNED, DEFINITE = "owned", "definite"
"""The kinds of phrases: with an owner ("her cousin"), and others."""

MOST_MODIFIERS = 3
NARRATOR = "narrator"

_FITTED = json.loads(
    resources.files(__package__).joinpath("phrase_weights.json").read_text("utf-8")
)
WEIGHTS: Mapping[str, Floats1d] = {
    kind: np.array([_FITTED["weights"][kind][name] for name in names], np.float32)
    for kind, names in ((OWNED, FEATURES_OWNED), (DEFINITE, FEATURES))
}
NOBODY: Mapping[str, float] = _FITTED["nobody"]
"""The scores for meaning nobody of the cast."""

_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_POSSESSIVE = re.compile(r"['’]s\b|(?<=s)['’](?=\s|$)")
_DEFINITE = frozenset({"the", "this", "that"})
_OWNERS = frozenset({"his", "her", "their"})
_NOT_WITHIN = (
    closed_classes.SMALL | closed_classes.POSSESSIVE | closed_classes.PRONOUNS.keys() | {"not"}
)
_COMPARING = frozenset({"as", "like"})
_CLAUSES = frozenset({"who", "whom", "whose", "that", "which"})


@dataclass(frozen=True, slots=True)
class ClaimPhrase:
    """A noun phrase of a claim for a person: its spans without and with the "'s" after it, its
    noun, and its owner: the person whose name or phrase ends at `owner_end` or begins at
    `owner_start`, or whom a `pronoun` means."""

    span: Span
    whole: Span
    phrase: NounPhrase
    owner_end: int | None = None
    owner_start: int | None = None
    pronoun: str = ""

    @property
    def is_owned(self) -> bool:
        """True if it has an owner."""
        return bool(self.pronoun) or self.owner_end is not None or self.owner_start is not None


@dataclass(frozen=True, slots=True)
class _Word:
    span: Span
    whole: Span
    folded: str

    @property
    def owns(self) -> bool:
        return self.whole != self.span


def find_phrases(claim: str, names: Sequence[Span] = ()) -> list[ClaimPhrase]:
    """Return the phrases of a claim that may mean a person, in order.

    `names` are the spans of names: neither "his cousin Tom" nor "Tom, the cousin" is a phrase;
    "her convict brother" is one.
    """
    words = list(_read_words(claim))
    phrases = []
    for at, word in enumerate(words):
        is_named = any(name.start <= word.span.start < name.end for name in names)
        if is_named or _modifies_next(words, at, names):
            continue
        phrase = _read_phrase(claim, words, at)
        if phrase and not _is_apposition(claim, phrase, names):
            phrases.append(phrase)
    return phrases


def _modifies_next(words: Sequence[_Word], at: int, names: Sequence[Span]) -> bool:
    """Return True for a word that a name or another noun for a person follows: "cousin Tom"."""
    if words[at].owns or at + 1 == len(words):
        return False
    follows = words[at + 1]
    is_name = any(follows.span.start == name.start for name in names)
    return is_name or follows.folded in roles.NOUNS


def _is_apposition(claim: str, phrase: ClaimPhrase, names: Sequence[Span]) -> bool:
    """Return True for "the cousin" in "Tom, the cousin", which the name has matched already."""
    before = claim[: phrase.span.start].rstrip()
    return before.endswith(",") and any(len(before) - 1 == name.end for name in names)


def _read_words(claim: str) -> Iterator[_Word]:
    end = 0
    for match in _WORD.finditer(claim):
        if match.start() < end:  # the "s" of the word before
            continue
        owner = _POSSESSIVE.match(claim, match.end())
        span = Span(match.start(), match.end())
        end = owner.end() if owner else match.end()
        yield _Word(span, Span(span.start, end), fold_text(match.group()))


def _read_phrase(claim: str, words: Sequence[_Word], at: int) -> ClaimPhrase | None:
    """Return the phrase whose noun is the word `at`; None if there is none."""
    if not _may_mean_person(words, at):
        return None
    modifiers: list[str] = []
    # Backwards from the noun: only its determiner or owner shows where the phrase begins.
    for first in range(at - 1, max(-1, at - 2 - MOST_MODIFIERS), -1):
        word = words[first]
        if word.owns and word.folded not in _DEFINITE:
            return _phrase(words, first + 1, at, modifiers, owner_end=word.whole.end)
        if word.folded in _DEFINITE | _OWNERS:
            # "like the father" only compares somebody with a father.
            if first and words[first - 1].folded in _COMPARING:
                return None
            pronoun = word.folded if word.folded in _OWNERS else ""
            start = _owner_after(claim, words, at)
            return _phrase(words, first, at, modifiers, owner_start=start, pronoun=pronoun)
        if word.folded in _NOT_WITHIN:
            break
        modifiers.insert(0, word.folded)
    # A claim may begin with "narrator", or "unreliable narrator", without an article.
    if words[at].folded == NARRATOR and at == len(modifiers):
        return _phrase(words, at, at, ())
    return None


def _may_mean_person(words: Sequence[_Word], at: int) -> bool:
    """Return True for a noun for a person, unless a clause says who is meant."""
    noun = words[at].folded
    follows = words[at + 1].folded if at + 1 < len(words) else ""
    # In "the man who sold it" the noun says too little, and the clause is not read.
    if noun in roles.GENERIC and follows in _CLAUSES:
        return False
    return noun == NARRATOR or noun in roles.NOUNS


def _phrase(
    words: Sequence[_Word],
    first: int,
    at: int,
    modifiers: Sequence[str],
    owner_end: int | None = None,
    owner_start: int | None = None,
    pronoun: str = "",
) -> ClaimPhrase:
    start = words[first].span.start
    return ClaimPhrase(
        Span(start, words[at].span.end),
        Span(start, words[at].whole.end),
        NounPhrase(tuple(modifiers), words[at].folded),
        owner_end,
        owner_start,
        pronoun,
    )


def _owner_after(claim: str, words: Sequence[_Word], at: int) -> int | None:
    """Return the start of the owner after "of", if one follows a noun."""
    if at + 2 < len(words) and words[at + 1].folded == "of" and not words[at].owns:
        return words[at + 2].span.start
    return None


@dataclass(frozen=True, slots=True)
class MeantPhrase:
    """A phrase of a claim: its span with its owner's name, its span without that but with its own
    "'s", and the character whom it means, by the number in the cast."""

    span: Span
    whole: Span
    character: int


def assign_phrases(
    claim: str, names: Mapping[Span, int], about: Sequence[int], cast: Sequence[Character]
) -> list[MeantPhrase]:
    """Return the phrases of a claim for the given people whom it does not name, in order: for each
    the first phrase that fits the gender."""
    phrases = find_phrases(claim, list(names))
    meant = []
    for character in about:
        if character in names.values():
            continue
        for phrase in phrases:
            gender = roles.gender_of(phrase.phrase.noun)
            if (
                Gender.UNKNOWN in (gender, cast[character].gender)
                or gender is cast[character].gender
            ):
                meant.append(MeantPhrase(_with_owner(phrase, names), phrase.whole, character))
                phrases.remove(phrase)
                break
    return sorted(meant, key=lambda phrase: phrase.span)


def _with_owner(phrase: ClaimPhrase, names: Mapping[Span, int]) -> Span:
    """Return the span of a phrase, including the name of its owner before it."""
    starts = [place.start for place in names if place.end == phrase.owner_end]
    return Span(min([phrase.span.start, *starts]), phrase.span.end)


class PhraseResolver:
    """Resolves the phrases of claims to the cast of a book."""

    def __init__(self, people: SentencePeople, book_roles: BookRoles) -> None:
        self._people = people
        self._roles = book_roles
        counts = np.bincount(people.characters, minlength=len(people.cast))
        self._is_present = counts >= LEAST_PRESENT

    def resolve(self, claim: str, names: Mapping[Span, int]) -> list[MeantPhrase]:
        """Return the phrases of a claim that clearly mean one character; `names` are the spans of
        its names and the character of each."""
        known = dict(names)
        meant = []
        for phrase in find_phrases(claim, list(names)):
            character = self._character(phrase, known)
            if character is not None:
                known[phrase.whole] = character
                meant.append(MeantPhrase(_with_owner(phrase, names), phrase.whole, character))
        return meant

    def _character(self, phrase: ClaimPhrase, known: Mapping[Span, int]) -> int | None:
        if phrase.phrase.noun == NARRATOR:
            return None if phrase.is_owned else self._narrator()
        candidates = self.candidates(phrase, known)
        if candidates is None:
            return None
        shares = candidates.shares()
        best = int(np.argmax(shares))
        is_clear = shares[best] >= LEAST_SHARE and best not in known.values()
        return best if is_clear else None

    def candidates(self, phrase: ClaimPhrase, known: Mapping[Span, int]) -> PhraseCandidates | None:
        """Return the characters a phrase may mean; None if its owner is not known, or there are
        none. `known` are the spans of names and earlier phrases, and the character of each."""
        noun = phrase.phrase.noun
        owner = self._owner(phrase, known) if phrase.is_owned else None
        if phrase.is_owned and owner is None:
            return None
        possible = self._roles.may_be(noun, owner) & self._is_present
        if not possible.any():
            return None
        if owner is not None:
            return PhraseCandidates(self._roles.features_owned(owner, noun), possible, OWNED)
        named = sorted(set(known.values()))
        return PhraseCandidates(self._roles.features(phrase.phrase, named), possible, DEFINITE)

    def _narrator(self) -> int | None:
        """Return the narrator of most of the book, if there is one."""
        told = [self._roles.share_told(number) for number in range(len(self._people.cast))]
        best = int(np.argmax(told))
        return best if told[best] >= LEAST_SHARE else None

    def _owner(self, phrase: ClaimPhrase, known: Mapping[Span, int]) -> int | None:
        """Return the owner of a phrase, if known."""
        for place, character in known.items():
            if phrase.owner_end == place.end or phrase.owner_start == place.start:
                return character
        if not phrase.pronoun:
            return None
        gender = closed_classes.OWNED.get(phrase.pronoun, Gender.UNKNOWN)
        return self._antecedent(phrase.span.start, gender, known)

    def _antecedent(self, at: int, gender: Gender, known: Mapping[Span, int]) -> int | None:
        """Return the antecedent of a pronoun at a position of a claim: the last character before it
        whom it fits, otherwise the first after it."""
        suiting = {
            place: character
            for place, character in known.items()
            if self._people.cast[character].gender in (gender, Gender.UNKNOWN)
        }
        before = [place for place in suiting if place.end <= at]
        if before:
            return suiting[max(before)]
        return suiting[min(suiting)] if suiting else None


@dataclass(frozen=True, slots=True, eq=False)
class PhraseCandidates:
    """The features of a cast as candidates for a phrase (c, f), a mask of the possible ones (c,),
    and the kind of the phrase, OWNED or DEFINITE."""

    features: Floats2d
    possible: NDArray[np.bool_]
    kind: str

    def shares(
        self,
        weights: Mapping[str, Floats1d] = WEIGHTS,
        nobody_scores: Mapping[str, float] = NOBODY,
    ) -> Floats1d:
        """Return the probability of each candidate, (c,); the rest to 1 is for none of them."""
        scores = np.where(self.possible, self.features @ weights[self.kind], -np.inf)
        nobody = nobody_scores[self.kind]
        best = max(float(scores.max()), nobody)
        odds = np.exp(scores - best)
        shares: Floats1d = odds / (odds.sum() + np.exp(nobody - best))
        return shares
