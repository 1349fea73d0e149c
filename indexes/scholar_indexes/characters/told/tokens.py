"""A word, a name or a mark of a sentence, and what part of speech it may be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scholar_indexes.characters.lexicon import closed, nouns, verbs
from scholar_indexes.speakers.mentions import TITLES

_NOT_NOMINAL = (
    closed.PREPOSITIONS | closed.BOUNDS | closed.DETERMINERS | closed.AUXILIARIES
    | closed.UNRESOLVED | closed.ADVERBS
)  # fmt: skip
_NOT_BARE = (
    closed.DETERMINERS | closed.PREPOSITIONS | closed.BOUNDS | closed.UNRESOLVED
    | frozenset("himself herself me my been".split())
)  # fmt: skip


class Token(NamedTuple):
    """kind is word, name, poss (an 's) or mark; word is folded; who is a place in the cast, of
    a name or of a pronoun that is clear, and -1 of others."""

    kind: str
    word: str
    start: int
    end: int
    who: int
    capital: bool


def word_at(tokens: Sequence[Token], at: int) -> str:
    """The word at a place; behind the last one, a full stop."""
    return tokens[at].word if at < len(tokens) else "."


def is_adverbial(token: Token) -> bool:
    """Whether a token may stand between a subject and its verb: "then", "gladly"."""
    return token.kind == "word" and (
        token.word in closed.ADVERBS
        or (token.word.endswith("ly") and token.word not in ("family", "only", "early"))
    )


def is_verbal(token: Token) -> bool:
    """Whether a token may be the verb of the name before it, or stand before that verb."""
    return token.kind == "word" and (
        token.word in closed.AUXILIARIES
        or verbs.is_past(token.word)
        or token.word.endswith("ly")
        or token.word in closed.ADVERBS
    )


def is_nominal(tokens: Sequence[Token], at: int) -> bool:
    """Whether the token at a place, if there is one, may go on a noun phrase."""
    return (
        at < len(tokens)
        and tokens[at].kind == "word"
        and tokens[at].word not in _NOT_NOMINAL
        and not tokens[at].word.endswith("ly")
    )


def is_bare_noun(tokens: Sequence[Token], at: int) -> bool:
    """Whether the token at a place, if there is one, may be a noun without an article: in "and
    faded feathers" nothing was done."""
    return (
        at < len(tokens)
        and tokens[at].kind == "word"
        and tokens[at].word not in _NOT_BARE
        and not is_adverbial(tokens[at])
    )


def is_person(token: Token) -> bool:
    """Whether a word means somebody who is not named: "the widow", "Mr."."""
    return token.word in nouns.PERSONS or (token.capital and token.word in TITLES)
