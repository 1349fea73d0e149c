"""Noun phrases that say who somebody is: "her aunt", "the clergyman of the parish", "wife of".

A phrase has an opening (an article, or whose it is), a head (a noun for a person) and a tail (its
"of" and "with"). It is read as what it calls somebody, and as what it says of another by that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scholar_indexes.characters.lexicon import adjectives, closed, nouns
from scholar_indexes.characters.told import complements
from scholar_indexes.characters.told.pronouns import owner
from scholar_indexes.characters.told.said import CALLING, RELATION, TRAIT, Said, shown
from scholar_indexes.characters.told.sentences import Novel, Sentence
from scholar_indexes.characters.told.tokens import Token, word_at
from scholar_indexes.types import Gender

FARTHEST = 8
"""Words from the opening of a phrase to its head."""

INVERSE_WEIGHT = 0.6
"""Of "the one whose aunt is", said of the one whose aunt somebody is."""

_BEFORE_HEAD = frozenset("and very most rather".split())
_NO_PHRASE = (
    closed.DETERMINERS | closed.PREPOSITIONS | closed.BOUNDS | closed.AUXILIARIES
    | closed.UNRESOLVED | closed.NEGATIONS
) - _BEFORE_HEAD  # fmt: skip
_TAILS = frozenset("of with from in without at by to".split())
_RELATIVES = frozenset("who whom whose that which".split())
_RELATED = nouns.KIN | nouns.TIES


class Called(NamedTuple):
    """What a phrase calls somebody: a text of a kind, where the phrase ends, and what it says
    of another."""

    text: str
    kind: str
    end: int
    inverse: tuple[Said, ...]


class _Phrase(NamedTuple):
    inner: int  # the first place behind the opening
    head: int
    end: int
    owner: int | None


def from_here(sentence: Sentence, at: int, who: int, *, predicate: bool = False) -> Called | None:
    """What the phrase that begins at a place calls somebody; predicate says that it stands
    behind a verb, where more may follow it."""
    opening = _opening(sentence, at, who)
    if opening is None:
        return None
    inner, owned_by = opening
    head = _head(sentence.tokens, inner, len(sentence.tokens))
    if head is None or not fits(sentence.novel, sentence.tokens[head].word, who):
        return None
    end = _tail(sentence, head + 1, who, only_of=not predicate)
    if end is None or _goes_on(sentence.tokens, at, end, predicate):
        return None
    return _called(sentence, _Phrase(inner, head, end, owned_by), who)


def up_to(sentence: Sentence, at: int, head: int, who: int) -> Called | None:
    """What the phrase from a place up to its head calls somebody."""
    opening = _opening(sentence, at, who)
    if opening is None:
        return None
    inner, owned_by = opening
    if _head(sentence.tokens, inner, head + 1) != head:
        return None
    if not fits(sentence.novel, sentence.tokens[head].word, who):
        return None
    return _called(sentence, _Phrase(inner, head, head + 1, owned_by), who)


def fits(of: Novel, noun: str, who: int) -> bool:
    """Whether a noun may be said of somebody of that gender."""
    return len({of.cast[who].gender, nouns.gender(noun)} - {Gender.UNKNOWN}) < 2


def _opening(sentence: Sentence, at: int, who: int) -> tuple[int, int | None] | None:
    """Where a phrase goes on behind what opens it, and whose it says somebody is."""
    tokens = sentence.tokens
    if at >= len(tokens):
        return None
    first = tokens[at]
    if first.kind == "name":
        owned = at + 1 < len(tokens) and tokens[at + 1].kind == "poss"
        return (at + 2, first.who) if owned and first.who != who else None
    if first.word in closed.POSSESSIVE:
        if first.word == "my" and sentence.quoted:
            return None  # perhaps read from a letter
        whose = owner(sentence, at, who)
        return None if whose is None or whose == who else (at + 1, whose)
    if first.word in closed.ARTICLES:
        return at + 1, None
    if first.word in _RELATED and word_at(tokens, at + 1) in ("of", "to"):
        return at, None  # "wife of"
    return None


def _head(tokens: Sequence[Token], at: int, stop: int) -> int | None:
    """The noun of the noun phrase that goes on at a place, if it means a person."""
    head = None
    for each in range(at, min(stop, at + FARTHEST)):
        token = tokens[each]
        if token.kind == "poss":
            if head != each - 1:
                return None
            head = None
        elif token.kind == "mark":
            if token.word != "," or head is not None or each == at:
                break
        elif token.kind == "name" or token.word in adjectives.UNFIT:
            return None
        elif token.word in nouns.PERSONS and not token.capital:
            head = each
        elif head is not None:
            break
        elif token.word in _NO_PHRASE:
            return None
    if head is None or (head + 1 < len(tokens) and tokens[head + 1].kind == "poss"):
        return None
    return head


def _tail(sentence: Sentence, at: int, who: int, only_of: bool) -> int | None:
    """Where the "of" and "with" behind a noun end; None where they cannot be read."""
    tokens = sentence.tokens
    if word_at(tokens, at) not in _TAILS:
        return at
    is_of = tokens[at].word == "of"
    if only_of and not is_of:
        return None
    end = complements.end_of(sentence, at, who)
    if end is None or any(each.word in closed.POSSESSIVE for each in tokens[at:end]):
        return None if is_of else at  # "the child of his old age" is somebody else's
    return end if end > at + 1 else None


def _goes_on(tokens: Sequence[Token], at: int, end: int, predicate: bool) -> bool:
    """Whether a phrase from a place seems not to be over where it was read to."""
    if end >= len(tokens):
        return False
    after = tokens[end]
    if after.kind in ("name", "poss"):
        return True
    # "the happy woman by whom he sat": it takes the rest to be one
    if tokens[at].word == "the" and (
        after.word in _RELATIVES
        or (
            after.word in closed.PREPOSITIONS
            and word_at(tokens, end + 1) in ("whom", "which", "whose")
        )
    ):
        return True
    return after.kind == "word" and not (
        after.word in closed.BOUNDS or (predicate and after.word in closed.PREPOSITIONS)
    )


def _called(sentence: Sentence, phrase: _Phrase, who: int) -> Called | None:
    """What a phrase that was read to its end calls somebody; None where that tells nothing."""
    if phrase.owner is None and _is_plain(sentence.tokens, phrase):
        return None
    text = shown(sentence, phrase.inner, phrase.end, who)
    if not text:
        return None
    if phrase.owner is None:
        return _unowned(sentence, phrase, who, text)
    return _owned(sentence, phrase, phrase.owner, who, text)


def _is_plain(tokens: Sequence[Token], phrase: _Phrase) -> bool:
    """Whether a phrase could be said of anybody: "the man", "a mother"."""
    if phrase.end > phrase.head + 1:
        return False
    noun = tokens[phrase.head].word
    before = {each.word for each in tokens[phrase.inner : phrase.head]}
    if noun in nouns.PEOPLE | nouns.TIES and before <= adjectives.PETTY | {"and", ",", "very"}:
        return True
    return noun in nouns.KIN and not before


def _unowned(sentence: Sentence, phrase: _Phrase, who: int, text: str) -> Called:
    """What "the clergyman" and "a sister of Jane" call somebody."""
    inner, head, end, _ = phrase
    tokens = sentence.tokens
    noun = tokens[head].word
    others = [each.who for each in tokens[inner:end] if each.kind == "name"]
    owned = any(each.kind == "poss" for each in tokens[inner:end])
    if noun in _RELATED and (others or owned or end > head + 1):
        kind = RELATION
    else:
        kind = CALLING if noun in nouns.CALLINGS | nouns.TIES else TRAIT
    inverse: tuple[Said, ...] = ()
    if (
        others
        and tokens[head + 1].word == "of"
        and tokens[head + 2].kind == "name"
        and (head + 3 == end)
    ):
        inverse = _inverse(sentence, phrase, others[0], who)
    return Called(f"the {text}", kind, end, inverse)


def _owned(sentence: Sentence, phrase: _Phrase, whose: int, who: int, text: str) -> Called | None:
    """What "Jane's aunt" and "her aunt" call somebody."""
    _, head, end, _ = phrase
    if sentence.tokens[head].word not in _RELATED:
        return None
    name = f"{{{sentence.novel.cast[whose].name}}}"
    if end == head + 1:
        text = f"the {text} of {name}"
    elif sentence.tokens[head + 1].word == "of":
        return None
    else:
        text = f"{name}’s {text}"
    return Called(text, RELATION, end, _inverse(sentence, phrase, whose, who))


def _inverse(sentence: Sentence, phrase: _Phrase, whose: int, who: int) -> tuple[Said, ...]:
    """What is said of one whose relative somebody is."""
    inner, head, _, _ = phrase
    tokens = sentence.tokens
    if tokens[head].word not in nouns.KIN or any(each.word == "," for each in tokens[inner:head]):
        return ()
    text = shown(sentence, inner, head + 1, whose)
    if not text:
        return ()
    named = f"the one whose {text} is {{{sentence.novel.cast[who].name}}}"
    return (Said(whose, RELATION, named, INVERSE_WEIGHT),)
