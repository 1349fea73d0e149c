"""Appositions to a name: "Mr. Collins, the clergyman," and "her aunt, Mrs. Gardiner,"."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from scholar_indexes.characters.descriptions.patterns import noun_phrases
from scholar_indexes.characters.descriptions.patterns.drafts import DraftDescription
from scholar_indexes.characters.descriptions.patterns.noun_phrases import NounPhraseReading
from scholar_indexes.characters.descriptions.patterns.tokenized_sentences import TokenizedSentence
from scholar_indexes.characters.descriptions.patterns.tokens import Token, is_verbal, word_at
from scholar_indexes.lexicon import adjectives, closed_classes, person_nouns, verbs

WEIGHT = 1.0

MAX_DISTANCE = 6
"""The most words from the determiner of a phrase to its head noun before a name."""

_CLOSING_MARKS = frozenset({",", ";", ":", "—", "--", ")"})
_CLOSING_WORDS = _CLOSING_MARKS | {".", "who", "whose"}
_POSSESSIVE_ENDINGS = frozenset({"'s", "’s", "'", "’"})
_NOT_IN_PHRASE = (
    adjectives.UNFIT
    | closed_classes.BOUNDS
    | closed_classes.PREPOSITIONS
    | closed_classes.UNRESOLVED
    | {"a", "an"}
)
_NOT_BEFORE = frozenset({"and", "or", "as", "not", "no", "like"})
_NOT_BEFORE_COMMA = _NOT_BEFORE | {"", ",", "for"}
_NOT_BEFORE_NAME = _NOT_BEFORE | verbs.TELLING_SOMEBODY
"""Words before a phrase that is not an apposition, with a comma before the name and without: there
is none in "To her aunt, Jane was", in lists, or at the beginning of a sentence ("")."""
_DEFINITE = (closed_classes.ARTICLES | closed_classes.POSSESSIVE) - {"a", "an"}


class AppositionPattern(NamedTuple):
    """A pattern of appositions to a name; `description` is extracted from `example`."""

    name: str
    parse: Callable[[TokenizedSentence, int], NounPhraseReading | None]
    example: str
    description: str


def find_appositions(sentence: TokenizedSentence, name: int) -> Iterator[DraftDescription]:
    """Yield the descriptions in the phrases after and before the name at an index."""
    character = sentence.tokens[name].character
    for pattern in PATTERNS:
        reading = pattern.parse(sentence, name)
        if reading:
            yield DraftDescription(character, reading.kind, reading.text, WEIGHT)
            yield from reading.inverse


def find_phrase_before(tokens: Sequence[Token], name: int) -> tuple[int, int] | None:
    """Return the indices of the determiner and the head noun of a phrase in apposition to the name
    after it: "her aunt, Mrs. Gardiner," and "his sister Georgiana"."""
    has_comma = name > 0 and tokens[name - 1].word == ","
    head = name - 2 if has_comma else name - 1
    if head < 1 or not _is_person_noun(tokens[head]) or not _may_end(tokens, name, has_comma):
        return None
    first = _find_determiner(tokens, head)
    if first is None:
        return None
    before = tokens[first - 1].word if first else ""
    if before in (_NOT_BEFORE_COMMA if has_comma else _NOT_BEFORE_NAME):
        return None
    if not has_comma and not _modifies_name(tokens, first, head, name):
        return None
    return first, head


def _parse_behind(sentence: TokenizedSentence, name: int) -> NounPhraseReading | None:
    tokens = sentence.tokens
    if name + 2 >= len(tokens) or tokens[name + 1].word != "," or _is_enumerated(tokens, name):
        return None
    reading = noun_phrases.parse_from(sentence, name + 2, tokens[name].character)
    if reading is None:
        return None
    if reading.end < len(tokens) and tokens[reading.end].word not in _CLOSING_MARKS:
        return None
    return None if _goes_on_enumerating(tokens, reading.end) else reading


def _parse_before(sentence: TokenizedSentence, name: int) -> NounPhraseReading | None:
    phrase = find_phrase_before(sentence.tokens, name)
    if phrase is None:
        return None
    return noun_phrases.parse_between(sentence, *phrase, sentence.tokens[name].character)


PATTERNS = (
    AppositionPattern(
        "phrase behind the name",
        _parse_behind,
        "Mr. Hale, the clergyman, came in.",
        "the clergyman",
    ),
    AppositionPattern(
        "phrase before the name",
        _parse_before,
        "Jane came with her aunt, Mrs. Gale.",
        "the aunt of {Jane Marsh}",
    ),
)


def _is_person_noun(token: Token) -> bool:
    return token.kind == "word" and token.word in person_nouns.PERSONS and not token.capital


def _may_end(tokens: Sequence[Token], name: int, has_comma: bool) -> bool:
    """Return True if an apposition may end with the name at an index."""
    after = word_at(tokens, name + 1)
    if after in _POSSESSIVE_ENDINGS or after in ("and", "or", "&"):
        return False
    return not has_comma or (after in _CLOSING_WORDS and not _goes_on_enumerating(tokens, name + 1))


def _is_enumerated(tokens: Sequence[Token], name: int) -> bool:
    """Return True if the name at an index is part of a list: "Jane, Mary, a maid"."""
    before = tokens[name - 1].word if name else ""
    if before == ",":
        return tokens[max(0, name - 2)].kind == "name"
    return before in ("and", "or")


def _goes_on_enumerating(tokens: Sequence[Token], comma: int) -> bool:
    """Return True if more people or "and" follow: "Jane, the maid, and Robert"."""
    if word_at(tokens, comma) != ",":
        return False
    following = word_at(tokens, comma + 1)
    if following in ("and", "or"):
        return True
    if (
        following in closed_classes.DETERMINERS
        and word_at(tokens, comma + 2) in person_nouns.PERSONS
    ):
        return True
    return any(token.kind == "name" for token in tokens[comma + 1 : comma + 3])


def _find_determiner(tokens: Sequence[Token], head: int) -> int | None:
    """Return the index where the phrase of a head noun begins, with the name of a possessor; None
    if its determiner is not definite."""
    for first in range(head - 1, max(-1, head - MAX_DISTANCE), -1):
        token = tokens[first]
        if token.kind == "poss":
            return first - 1 if first and tokens[first - 1].kind == "name" else None
        if token.word in _DEFINITE:
            return first
        if token.kind != "word" or token.word in _NOT_IN_PHRASE:
            return None
    return None


def _modifies_name(tokens: Sequence[Token], first: int, head: int, name: int) -> bool:
    """Return True if a phrase without a comma belongs to the name: in "the girl Jane loved" it
    does not."""
    if tokens[first].word != "the":
        return True
    if tokens[head].word not in person_nouns.CALLINGS | person_nouns.KIN:
        return False
    return name + 1 >= len(tokens) or not is_verbal(tokens[name + 1])
