"""Find the unambiguous terms in the names of a book's characters (GANDALF, appendix B)."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from scholar_indexes.lexicon import given_names, titles
from scholar_indexes.lexicon.capitalised import DOUBTFUL_NAMES, NEVER_NAMES, SURNAME_PARTICLES
from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.types import Gender

MAX_LOWERCASE_SHARE = 0.1
"""The most lower-case occurrences per capitalised one; a term with more is a common word of its
book. In their novels Temple, Ham, Flask, March and Silver have 0.01 to 0.04, Merry 0.09, Bill
0.11, Rose 0.23, Grace 0.29 and Will 1.6."""

MIN_RATIO = 3
"""The factor by which one use must outnumber the other if a term is both a first name and a last
name."""

MOSTLY_SURNAME = 0.5
"""The share of uses like "Mr. X" above which a term that looks like a first name is a last name:
Colonel Fitzwilliam, in spite of Fitzwilliam Darcy."""

SOMETIMES_SURNAME = 0.05
"""The same share for a term about which nothing else is known: Starbuck, sometimes Mr. Starbuck."""

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SUFFIXES = frozenset("s ll d ve re m".split())
"""Suffixes after an apostrophe that are not part of a name, in lower case."""

_BEFORE_SURNAMES = words_of("surname_title")
_BEFORE_FIRST_NAMES = words_of("given_name_title")
_BEFORE_HUSBANDS = words_of("husband_title")
"""Titles after which the first of two names is the husband's: Mrs. John Knightley."""

_OFFICES = words_of("office")
_BEFORE_NAMES = titles.PERSONAL | _OFFICES | _BEFORE_SURNAMES
_NOT_TERMS = (
    titles.PERSONAL | titles.BEFORE_NAMES | SURNAME_PARTICLES | _OFFICES | words_of("suffix")
)
"""Words next to names that are not part of them, in lower case."""

_NAME_END = frozenset("of at from in with".split())
"""Words that end a name: the Duke of Wellington."""

NEVER_TERMS = _NOT_TERMS | NEVER_NAMES | DOUBTFUL_NAMES
"""Words that are capitalised whether or not they are names, in lower case."""


class Named(Protocol):
    """A character with names, from a bank or a cast."""

    @property
    def name(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...
    @property
    def gender(self) -> Gender: ...


class NamePart(StrEnum):
    """A part of a name."""

    FIRST = "first"
    LAST = "last"


@dataclass(frozen=True, slots=True)
class Term:
    """A word that is only a name in its book.

    gender is the gender of the characters with this first name, UNKNOWN for a last name.
    """

    text: str
    part: NamePart
    gender: Gender = Gender.UNKNOWN


@dataclass(frozen=True, slots=True)
class TermUses:
    """The uses of terms in the names of characters: how often each is a first and a last name, and
    the genders of the characters with that first name."""

    votes: Mapping[str, Counter[NamePart]]
    genders: Mapping[str, set[Gender]]


def find_terms(characters: Iterable[Named], text: str) -> tuple[list[Term], dict[str, str]]:
    """Return the unambiguous name terms of a book's characters, the most frequent in the text
    first, and the excluded ones with the reason.

    Terms are the capitalised words of names and aliases without titles, particles and initials.
    Excluded are words that are always capitalised (forms of address, months, peoples), common
    words of the text (MAX_LOWERCASE_SHARE), and ambiguous words: first names of both women and
    men, and words that are both a first and a last name, unless the text clearly prefers one.
    Several characters may share a term, as families do.
    """
    return select_terms(list(characters), split_words(text))


def split_words(text: str) -> list[str]:
    """Return the words of a text in order, without apostrophes and suffixes."""
    return [split_suffix(word)[0] for word in WORD.findall(text)]


def split_suffix(word: str) -> tuple[str, str]:
    """Return a word and its suffix with the apostrophe: Gatsby, 's."""
    apostrophe = max(word.rfind("'"), word.rfind("’"))
    if apostrophe > 0 and word[apostrophe + 1 :].lower() in _SUFFIXES:
        return word[:apostrophe], word[apostrophe:]
    return word, ""


def select_terms(cast: Sequence[Named], words: Sequence[str]) -> tuple[list[Term], dict[str, str]]:
    """Return what find_terms does, given the words of the text."""
    uses = _find_uses(cast)
    counts = Counter(words)
    excluded = {word: reason for word in uses.votes if (reason := _exclusion_reason(word, counts))}
    candidates = [word for word in uses.votes if word not in excluded]
    candidates.sort(key=lambda word: (-_count_capitalized(word, counts), word))
    parts = _choose_parts({word: uses.votes[word] for word in candidates}, words, counts)
    terms = list[Term]()
    for word in candidates:
        part = parts[word]
        if part is None:
            excluded[word] = "the first name of one and the last name of another"
            continue
        gender = Gender.UNKNOWN
        if part is NamePart.FIRST:
            known = _choose_gender(word, uses.genders[word])
            if known is None:
                excluded[word] = "the first name of a woman and of a man"
                continue
            gender = known
        terms.append(Term(word, part, gender))
    return terms, excluded


def _exclusion_reason(word: str, counts: Mapping[str, int]) -> str:
    """Return the reason to exclude a word; empty if it may be a term."""
    if word.lower() in NEVER_TERMS:
        return "a word that is capitalised anyway"
    if is_common_word(word, counts):
        capitalized, lower = _count_capitalized(word, counts), counts[word.lower()]
        return f"a word of the book: {lower} times in lower case, {capitalized} as a name"
    return ""


def _choose_gender(word: str, genders: set[Gender]) -> Gender | None:
    """Return the gender of a first name, from its bearers or else from the list of given names;
    None if women and men have it and the list does not decide."""
    known = genders - {Gender.UNKNOWN}
    if len(known) == 1:
        return next(iter(known))
    listed = _listed_gender(word)
    return None if known and listed is Gender.UNKNOWN else listed


def _find_uses(cast: Sequence[Named]) -> TermUses:
    """Return the uses of terms in names.

    If a term occurs in a longer name, its uses after titles do not count: Hareton Earnshaw is not
    a Mr. Hareton.
    """
    by_place = defaultdict[str, Counter[NamePart]](Counter)
    by_title = dict[str, Counter[NamePart]]()
    genders = defaultdict[str, set[Gender]](set)
    for character in cast:
        for name in dict.fromkeys([character.name, *character.aliases]):
            title, words = _split_name(name)
            for index, word in enumerate(words):
                is_last = index == len(words) - 1
                votes = by_title.setdefault(word, Counter())
                if len(words) > 1:
                    by_place[word][NamePart.LAST if is_last else NamePart.FIRST] += 1
                elif part := _part_after_title(word, title):
                    votes[part] += 1
                if len(words) == 1 or not (is_last or title in _BEFORE_HUSBANDS):
                    genders[word].add(character.gender)
    votes_of = {word: by_place.get(word, votes) for word, votes in by_title.items()}
    return TermUses(votes_of, genders)


def _split_name(name: str) -> tuple[str, list[str]]:
    """Return the title before a name, in lower case, and the words that may be its terms."""
    title, words = "", list[str]()
    for match in WORD.findall(name):
        word = split_suffix(match)[0]
        folded = word.lower()
        if word in _NAME_END:
            break
        if not words and folded in _BEFORE_NAMES:
            title = folded
        elif len(word) > 1 and word[0].isupper() and folded not in _NOT_TERMS:
            words.append(word)
    return title, words


def _part_after_title(word: str, title: str) -> NamePart | None:
    """Return the part of a name that a single word after a title is; None if the title does not
    decide."""
    is_given = _listed_gender(word) is not Gender.UNKNOWN
    if title in _BEFORE_FIRST_NAMES or (title and is_given and title not in _BEFORE_SURNAMES):
        return NamePart.FIRST
    return NamePart.LAST if title and not is_given else None


def is_common_word(word: str, counts: Mapping[str, int]) -> bool:
    """Return True if a word is often in lower case in its book."""
    lower = counts[word.lower()] if word.lower() != word else 0
    return lower > MAX_LOWERCASE_SHARE * _count_capitalized(word, counts)


def _count_capitalized(word: str, counts: Mapping[str, int]) -> int:
    return counts[word] + (counts[word.upper()] if word.upper() != word else 0)


def _listed_gender(name: str) -> Gender:
    """Return the gender of a first name according to the list of given names."""
    female, male = name.lower() in given_names.FEMALE, name.lower() in given_names.MALE
    if female == male:
        return Gender.UNKNOWN
    return Gender.FEMALE if female else Gender.MALE


def _choose_parts(
    votes: Mapping[str, Counter[NamePart]], words: Sequence[str], counts: Mapping[str, int]
) -> dict[str, NamePart | None]:
    """Return the part of a name that each word is: as in the names, unless the text differs;
    None for a word that is both if the text does not clearly prefer one."""
    listed = {word: next(iter(parts)) for word, parts in votes.items() if len(parts) == 1}
    first, last = _count_uses(votes, listed, words)
    parts = dict[str, NamePart | None]()
    for word, word_votes in votes.items():
        if len(word_votes) == 2:
            parts[word] = _prefer(first[word], last[word])
        else:
            share = last[word] / max(1, _count_capitalized(word, counts))
            parts[word] = _confirm(word, listed.get(word), share)
    return parts


def _count_uses(
    votes: Mapping[str, Counter[NamePart]],
    listed: Mapping[str, NamePart],
    words: Sequence[str],
) -> tuple[Counter[str], Counter[str]]:
    """Return how often each word is a first and a last name in the text, given its neighbours."""
    first, last = Counter[str](), Counter[str]()
    for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False):
        if word not in votes:
            continue
        if listed.get(after) is NamePart.LAST:
            first[word] += 1  # Linton Heathcliff, Mr. Frank Churchill
        elif before.lower() in _BEFORE_SURNAMES or listed.get(before) is NamePart.FIRST:
            last[word] += 1
    return first, last


def _prefer(first: int, last: int) -> NamePart | None:
    """Return the part that a text uses more than MIN_RATIO times as often as the other, if any."""
    if max(first, last) <= MIN_RATIO * min(first, last):
        return None
    return NamePart.LAST if last > first else NamePart.FIRST


def _confirm(word: str, listed: NamePart | None, surname_share: float) -> NamePart:
    """Return the part of a name for a word that the names use as one part or none."""
    if listed is NamePart.LAST:
        return NamePart.LAST
    is_first = listed is NamePart.FIRST or _listed_gender(word) is not Gender.UNKNOWN
    least = MOSTLY_SURNAME if is_first else SOMETIMES_SURNAME
    return NamePart.LAST if surname_share > least else NamePart.FIRST
