"""Features of mentions and of pairs of mentions, without their vectors.

Training and inference both take their features from here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from scholar_indexes.arrays import Ints, Ints1d
from scholar_indexes.coreference.mentions import Mention
from scholar_indexes.coreference.pronouns import GENDERS
from scholar_indexes.coreference.resolver.words import LOWER, TokenizedText
from scholar_indexes.lexicon import given_names, person_nouns, titles
from scholar_indexes.lexicon.closed_classes import ARTICLES, POSSESSIVE, PREPOSITIONS
from scholar_indexes.types import Character, Gender

Booleans: TypeAlias = NDArray[np.bool_]

ENTITY_CLASSES = ("", "PER", "FAC", "GPE", "LOC", "VEH", "ORG")
"""The classes of LitBank's mentions; the first is for spans that are not mentions."""

PERSON = ENTITY_CLASSES.index("PER")

PRONOUNS: Sequence[tuple[str, ...]] = (
    ("i", "me", "my", "mine", "myself"),
    ("we", "us", "our", "ours", "ourselves"),
    (
        *("you", "your", "yours", "yourself", "yourselves", "ye"),
        *("thou", "thee", "thy", "thine", "thyself"),
    ),
    ("he", "him", "his", "himself"),
    ("she", "her", "hers", "herself"),
    ("it", "its", "itself"),
    ("they", "them", "their", "theirs", "themselves", "'em", "’em"),
)
"""The personal pronouns by person, number and gender."""

FIRST_SINGULAR, FIRST_PLURAL, SECOND, MALE, FEMALE, NEUTER, THIRD_PLURAL = range(len(PRONOUNS))
COMMON, NAME = range(len(PRONOUNS), len(PRONOUNS) + 2)
"""The kinds of mentions after PRONOUNS: a common noun phrase, a name."""

KINDS = len(PRONOUNS) + 2

_KIND_OF_PRONOUN: Mapping[str, int] = {
    pronoun: kind for kind, group in enumerate(PRONOUNS) for pronoun in group
}
_HEAD_ENDS = PREPOSITIONS | {*",;:—()", "--", "who", "whom", "whose", "which", "that", "and", "or"}
_NOT_CONTENT = ARTICLES | POSSESSIVE | PREPOSITIONS | titles.ABBREVIATED | {*"'’,-", "'s", "’s"}
_CONTENT_WORDS = 4
_GENDER_NUMBERS = {Gender.UNKNOWN: 0, Gender.FEMALE: 1, Gender.MALE: 2}
NOBODY = -1


@dataclass(frozen=True)
class MentionTable:
    """Mentions sorted by first word, the longer first, one row each.

    `first` and `last` are word indices, inclusive; `entity_class` is an index of ENTITY_CLASSES;
    `kind` is an index of PRONOUNS, COMMON or NAME; `gender` is 0, 1 (female) or 2 (male); `text`,
    `head` and `content` (n, 4) are numbers of folded words, the last padded with -1; `quotation` is
    -1 in the narration, and `turn` counts quotations so that the narration between two of them has
    a number between theirs; `character` is an index in a cast or NOBODY.
    """

    first: Ints1d
    last: Ints1d
    entity_class: Ints1d
    kind: Ints1d
    gender: Ints1d
    text: Ints1d
    head: Ints1d
    content: Ints
    sentence: Ints1d
    quotation: Ints1d
    turn: Ints1d
    character: Ints1d

    def __len__(self) -> int:
        return len(self.first)


def _locate_characters(
    words: TokenizedText, names: Sequence[Mention]
) -> dict[int, tuple[int, int, int]]:
    """Return the first word, last word and character of each name, by its last word."""
    located: dict[int, tuple[int, int, int]] = {}
    for name in names:
        first = int(np.searchsorted(words.ends, name.span.start, "right"))
        last = int(np.searchsorted(words.starts, name.span.end, "left")) - 1
        if first <= last:
            located[last] = first, last, name.character
    return located


def build_table(
    words: TokenizedText,
    spans: Sequence[tuple[int, int]],
    entity_classes: Sequence[int],
    cast: Sequence[Character] = (),
    names: Sequence[Mention] = (),
) -> MentionTable:
    """Return the table of spans of words, which must be sorted by first word and length.

    `names` are the mentions of `cast` by name.
    """
    first, last = (np.array([span[end] for span in spans], np.int64) for end in (0, 1))
    heads = [find_head(words, *span) for span in spans]
    kinds = [_kind(words, *span, head) for span, head in zip(spans, heads, strict=True)]
    located = _locate_characters(words, names)
    characters = [
        _character(located, *span, head) if kind == NAME else NOBODY
        for span, head, kind in zip(spans, heads, kinds, strict=True)
    ]
    genders = [
        _gender(words, span[0], head, character, cast)
        for span, head, character in zip(spans, heads, characters, strict=True)
    ]
    texts, head_words = _Numbers(), _Numbers()
    quotation = words.quotations[first]
    return MentionTable(
        first=first,
        last=last,
        entity_class=np.array(entity_classes, np.int64),
        kind=np.array(kinds, np.int64),
        gender=np.array(genders, np.int64),
        text=_numbered([" ".join(words.lower[start : end + 1]) for start, end in spans], texts),
        head=_numbered([words.lower[head] for head in heads], head_words),
        content=_content(words, spans, head_words),
        sentence=words.sentences[first],
        quotation=quotation,
        # Even numbers are quotations, odd ones the narration after them.
        turn=2 * np.maximum.accumulate(words.quotations)[first] + (quotation < 0),
        character=np.array(characters, np.int64),
    )


def _content(words: TokenizedText, spans: Sequence[tuple[int, int]], numbers: _Numbers) -> Ints:
    """Return the numbers of the first content words of each span, padded with -1."""
    content = np.full((len(spans), _CONTENT_WORDS), -1, np.int64)
    for row, (first, last) in enumerate(spans):
        telling = [word for word in words.lower[first : last + 1] if word not in _NOT_CONTENT]
        chosen = telling[:_CONTENT_WORDS]
        content[row, : len(chosen)] = _numbered(chosen, numbers)
    return content


def find_head(words: TokenizedText, first: int, last: int) -> int:
    """Return the head of a noun phrase: the last word before "of", "who" or a comma."""
    for at in range(first + 1, last + 1):
        if words.lower[at] in _HEAD_ENDS:
            return at - 1
    return last


class _Numbers(dict[str, int]):
    """Numbers of strings, in the order of their first lookup."""

    def __missing__(self, key: str) -> int:
        self[key] = number = len(self)
        return number


def _numbered(strings: Sequence[str], numbers: _Numbers) -> Ints1d:
    return np.array([numbers[string] for string in strings], np.int64)


def _kind(words: TokenizedText, first: int, last: int, head: int) -> int:
    if first == last:
        kind = _KIND_OF_PRONOUN.get(words.lower[first])
        if kind is not None:
            return kind
    return COMMON if words.shapes[head] == LOWER or not words.words[head][0].isalpha() else NAME


def _character(
    located: Mapping[int, tuple[int, int, int]], first: int, last: int, head: int
) -> int:
    """Return the character whose name ends at the head or the last word of a mention."""
    for at in (head, last):
        if at in located and located[at][0] >= first - 1:
            return located[at][2]
    return NOBODY


def _gender(
    words: TokenizedText, first: int, head: int, character: int, cast: Sequence[Character]
) -> int:
    """Return 1 for a woman, 2 for a man, else 0, by the cast, pronoun, title, noun or given
    name."""
    word = words.lower[head]
    title = words.lower[first].removesuffix(".")
    if character != NOBODY and cast[character].gender is not Gender.UNKNOWN:
        return _GENDER_NUMBERS[cast[character].gender]
    gender = GENDERS.get(word, Gender.UNKNOWN) if first == head else Gender.UNKNOWN
    if gender is Gender.UNKNOWN and title in titles.FEMALE:
        gender = Gender.FEMALE
    if gender is Gender.UNKNOWN and title in titles.MALE:
        gender = Gender.MALE
    if gender is Gender.UNKNOWN:
        gender = person_nouns.gender(word)
    if gender is Gender.UNKNOWN and words.shapes[head] != LOWER:
        gender = given_names.gender(words.lower[first])
    return _GENDER_NUMBERS[gender]


_DISTANCES = 12
_TURNS = 8
FEATURE_SIZES: Mapping[str, int] = {
    "distance": _DISTANCES,
    "sentences": _DISTANCES,
    "kinds": KINDS * KINDS,
    "strings": 6,
    "turns": 4 * _TURNS,
    "nesting": 2,
    "classes": len(ENTITY_CLASSES) ** 2,
    "characters": 4,
    "genders": 9,
}
"""The features of a pair and the number of values of each."""

FEATURE_OFFSETS = np.cumsum([0, *FEATURE_SIZES.values()])[:-1]
"""The first row of each feature in one table of all values."""


def pair_features(table: MentionTable, later: Ints1d, earlier: Ints1d) -> Ints:
    """Return the features of pairs of mentions (pairs, features), as rows of the table of
    values."""

    def both(values: Ints1d) -> tuple[Ints1d, Ints1d]:
        return values[later], values[earlier]

    kind, other_kind = both(table.kind)
    entity_class, other_class = both(table.entity_class)
    gender, other_gender = both(table.gender)
    sentence, other_sentence = both(table.sentence)
    features: Ints = FEATURE_OFFSETS + np.stack(
        [
            _bucket(later - earlier),
            _bucket(sentence - other_sentence + 1),
            kind * KINDS + other_kind,
            _strings(table, later, earlier),
            _turns(table, later, earlier),
            _nesting(table, later, earlier).astype(np.int64),
            entity_class * len(ENTITY_CLASSES) + other_class,
            _characters(*both(table.character)),
            gender * 3 + other_gender,
        ],
        axis=1,
    )
    return features


def _bucket(distances: Ints1d) -> Ints1d:
    """Return 0 to 3 for distances up to 4, and one more for every power of two beyond."""
    powers = np.floor(np.log2(np.maximum(distances, 1))).astype(np.int64) + 2
    near, far = np.maximum(distances, 1) - 1, np.minimum(powers, _DISTANCES - 1)
    buckets: Ints1d = np.where(distances < 5, near, far)
    return buckets


def _strings(table: MentionTable, later: Ints1d, earlier: Ints1d) -> Ints1d:
    """Return 0 for no match, 1 for the same text, 2 for the same head, 3 for a shared word, 4 for
    two different pronouns, 5 for the same pronoun."""
    pronoun = table.kind < COMMON
    same = table.text[later] == table.text[earlier]
    head = table.head[later] == table.head[earlier]
    shared = np.zeros(len(later), bool)
    for column in range(_CONTENT_WORDS):
        word = table.content[later, column]
        for other in range(_CONTENT_WORDS):
            shared |= (word >= 0) & (word == table.content[earlier, other])
    nominal = np.where(same, 1, np.where(head, 2, np.where(shared, 3, 0)))
    one, other_one = pronoun[later], pronoun[earlier]
    return np.where(one & other_one, np.where(same, 5, 4), np.where(one | other_one, 0, nominal))


def _turns(table: MentionTable, later: Ints1d, earlier: Ints1d) -> Ints1d:
    """Return a code for which of the two are spoken and how many turns lie between them."""
    spoken = table.quotation >= 0
    apart = np.clip(table.turn[later] - table.turn[earlier], 0, _TURNS - 1)
    turns: Ints1d = (2 * spoken[later] + spoken[earlier]) * _TURNS + apart
    return turns


def _nesting(table: MentionTable, later: Ints1d, earlier: Ints1d) -> Booleans:
    """Return True where the earlier mention contains the later one; the reverse cannot occur."""
    nested: Booleans = table.last[later] <= table.last[earlier]
    return nested


def _characters(character: Ints1d, other: Ints1d) -> Ints1d:
    """Return 0 if neither character is known, 1 if one is, 2 if both are the same, 3 if not."""
    known, other_known = character != NOBODY, other != NOBODY
    return np.where(
        known & other_known, np.where(character == other, 2, 3), (known | other_known).astype(int)
    )
