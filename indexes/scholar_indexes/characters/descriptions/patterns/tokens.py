"""Tokens of a sentence, and tests of what part of speech they may be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scholar_indexes.lexicon import closed_classes, titles, verbs

UNRESOLVED = -1
"""The character of a token that refers to none, or not clearly to one."""

_NOT_NOMINAL = (
    closed_classes.PREPOSITIONS
    | closed_classes.BOUNDS
    | closed_classes.DETERMINERS
    | closed_classes.AUXILIARIES
    | closed_classes.UNRESOLVED
    | closed_classes.ADVERBS
)
_NOT_BARE_NOUN = (
    closed_classes.DETERMINERS
    | closed_classes.PREPOSITIONS
    | closed_classes.BOUNDS
    | closed_classes.UNRESOLVED
    | {"himself", "herself", "me", "my", "been"}
)


class Token(NamedTuple):
    """A word, a name or a punctuation mark.

    `kind` is "word", "name", "poss" (an 's) or "mark"; `word` is case-folded; `character` is the
    cast index of the referent of a name or a resolved pronoun, else UNRESOLVED.
    """

    kind: str
    word: str
    start: int
    end: int
    character: int
    capital: bool


def word_at(tokens: Sequence[Token], index: int) -> str:
    """Return the word at an index; past the last token, a full stop."""
    return tokens[index].word if index < len(tokens) else "."


def is_possessive(tokens: Sequence[Token], index: int) -> bool:
    """Return True if there is a possessive ending at an index."""
    return index < len(tokens) and tokens[index].kind == "poss"


def is_adverbial(token: Token) -> bool:
    """Return True if a token may occur between a subject and its verb: "then", "gladly"."""
    return token.kind == "word" and (
        token.word in closed_classes.ADVERBS
        or (token.word.endswith("ly") and token.word not in ("family", "only", "early"))
    )


def is_verbal(token: Token) -> bool:
    """Return True if a token may be a verb, or an adverb before one."""
    return token.kind == "word" and (
        token.word in closed_classes.AUXILIARIES
        or verbs.is_past(token.word)
        or token.word.endswith("ly")
        or token.word in closed_classes.ADVERBS
    )


def is_nominal(tokens: Sequence[Token], index: int) -> bool:
    """Return True if there is a token at an index that may continue a noun phrase."""
    return (
        index < len(tokens)
        and tokens[index].kind == "word"
        and tokens[index].word not in _NOT_NOMINAL
        and not tokens[index].word.endswith("ly")
    )


def is_bare_noun(tokens: Sequence[Token], index: int) -> bool:
    """Return True if there is a token at an index that may be a noun without an article:
    "feathers" in "and faded feathers", where "faded" is not a verb."""
    return (
        index < len(tokens)
        and tokens[index].kind == "word"
        and tokens[index].word not in _NOT_BARE_NOUN
        and not is_adverbial(tokens[index])
    )


def is_title(token: Token) -> bool:
    """Return True if a token is a title before a name."""
    return token.capital and token.word in titles.BEFORE_NAMES
