"""What stands beside a name: "Mr. Collins, the clergyman," and "her aunt, Mrs. Gardiner,"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scholar_indexes.characters.lexicon import adjectives, closed, nouns, verbs
from scholar_indexes.characters.told import phrases
from scholar_indexes.characters.told.said import Said
from scholar_indexes.characters.told.sentences import Sentence
from scholar_indexes.characters.told.tokens import Token, is_verbal, word_at

WEIGHT = 1.0

FARTHEST = 6
"""Words from the opening of a phrase to the name behind it."""

_CLOSES = frozenset({",", ";", ":", "—", "--", ")"})
_CLOSES_BEFORE = _CLOSES | {".", "who", "whose"}
_POSSESSED = frozenset({"'s", "’s", "'", "’"})
_NO_PHRASE = adjectives.UNFIT | closed.BOUNDS | closed.PREPOSITIONS | closed.UNRESOLVED
_OPENS = closed.ARTICLES | closed.POSSESSIVE


def beside(sentence: Sentence, at: int) -> Iterator[Said]:
    """What the phrases behind and before the name at a place say."""
    who = sentence.tokens[at].who
    for called in (_behind(sentence, at, who), _in_front(sentence, at, who)):
        if called:
            yield Said(who, called.kind, called.text, WEIGHT)
            yield from called.inverse


def before_name(tokens: Sequence[Token], at: int) -> tuple[int, int] | None:
    """Where a phrase opens and where its head is that is in apposition to the name behind it,
    at a place: "her aunt, Mrs. Gardiner," and "his sister Georgiana"."""
    comma = at > 0 and tokens[at - 1].word == ","
    head = at - 2 if comma else at - 1
    if head < 1 or tokens[head].kind != "word" or tokens[head].word not in nouns.PERSONS:
        return None
    after = word_at(tokens, at + 1)
    if tokens[head].capital or after in _POSSESSED or after in ("and", "or", "&"):
        return None
    if comma and after not in _CLOSES_BEFORE:
        return None
    first = _opening(tokens, head)
    if first is None:
        return None
    before = tokens[first - 1].word if first else ""
    if before in ("and", "or", "as", "not", "no", "like") or tokens[first].word in ("a", "an"):
        return None
    if comma:  # "To her aunt, Jane was" and lists are none
        return (first, head) if first and before not in (",", "for") else None
    if before in verbs.TELLING_SOMEBODY or not _may_precede(tokens, first, head, at):
        return None
    return first, head


def _behind(sentence: Sentence, at: int, who: int) -> phrases.Called | None:
    """ "Mr. Collins, the clergyman," """
    tokens = sentence.tokens
    if at + 2 >= len(tokens) or tokens[at + 1].word != "," or _is_listed(tokens, at):
        return None
    called = phrases.from_here(sentence, at + 2, who)
    if called is None or (called.end < len(tokens) and tokens[called.end].word not in _CLOSES):
        return None
    return None if _is_list(tokens, called.end) else called


def _in_front(sentence: Sentence, at: int, who: int) -> phrases.Called | None:
    """ "her aunt, Mrs. Gardiner," and "his sister Georgiana" """
    place = before_name(sentence.tokens, at)
    return phrases.up_to(sentence, *place, who) if place else None


def _is_listed(tokens: Sequence[Token], at: int) -> bool:
    """Whether the name at a place is one of several: "Jane, Mary, a maid"."""
    before = tokens[at - 1].word if at else ""
    if before == ",":
        return tokens[max(0, at - 2)].kind == "name"
    return before in ("and", "or")


def _is_list(tokens: Sequence[Token], comma: int) -> bool:
    """Whether more people or "and" follow at a place: "Jane, the maid, and Robert"."""
    if word_at(tokens, comma) != ",":
        return False
    following = word_at(tokens, comma + 1)
    return (
        following in ("and", "or")
        or (following in closed.DETERMINERS and word_at(tokens, comma + 2) in nouns.PERSONS)
        or any(each.kind == "name" for each in tokens[comma + 1 : comma + 3])
    )


def _opening(tokens: Sequence[Token], head: int) -> int | None:
    """Where the phrase opens whose head is at a place, with the name of whose it is."""
    for first in range(head - 1, max(-1, head - FARTHEST), -1):
        token = tokens[first]
        if token.kind == "poss":
            return first - 1 if first and tokens[first - 1].kind == "name" else None
        if token.word in _OPENS:
            return first
        if token.kind != "word" or token.word in _NO_PHRASE:
            return None
    return None


def _may_precede(tokens: Sequence[Token], first: int, head: int, at: int) -> bool:
    """Whether a phrase without a comma goes with the name: in "the girl Jane loved" it does
    not."""
    if tokens[first].word != "the":
        return True
    if tokens[head].word not in nouns.CALLINGS | nouns.KIN:
        return False
    return at + 1 >= len(tokens) or not is_verbal(tokens[at + 1])
