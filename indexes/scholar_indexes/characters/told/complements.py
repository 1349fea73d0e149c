"""Where what follows a verb or a noun ends: "eloped [with an officer of the regiment] when".

Without a parser that is only known where every word on the way can be read. What needs the rest
of the sentence to be understood, or seems to be cut off in the middle of a phrase, is left.
"""

from __future__ import annotations

from collections.abc import Sequence

from scholar_indexes.characters.lexicon import adjectives, closed, nouns, verbs
from scholar_indexes.characters.told.pronouns import is_rivalled
from scholar_indexes.characters.told.sentences import Sentence
from scholar_indexes.characters.told.tokens import Token, is_bare_noun, is_nominal, word_at
from scholar_indexes.types import Gender

LONGEST = 13
"""Words in a complement."""

_ENDS = frozenset({",", ";", ":", "—", "--", "–"})
_GOES_ON = frozenset({",", "and", "or", "yet", "but"})
_CLAUSES = frozenset("that whether if where who whom which".split())
_UNREADABLE = closed.UNRESOLVED | closed.AUXILIARIES | closed.NEGATIONS
_PARTICLES = frozenset("up down out off in away over by on".split())
_NO_LAST = (
    closed.DETERMINERS | (closed.PREPOSITIONS - _PARTICLES) | adjectives.UNFIT
    | frozenset("very most more as ever my".split())
)  # fmt: skip
"""What no complement ends with."""


def end_of(sentence: Sentence, at: int, who: int) -> int | None:
    """Where the complement ends that begins at a place and is said of somebody; the place
    itself where there is none, and None where it cannot be read to its end."""
    tokens = sentence.tokens
    end = _readable_to(sentence, at, who)
    if end is None or end == at:
        return end
    if _has_loose_end(tokens, at, end) or _is_half_a_phrase(tokens, at, end):
        return None
    return end


def _readable_to(sentence: Sentence, start: int, who: int) -> int | None:
    """Where the first word is that is no more of the complement; None where one on the way
    cannot be read."""
    tokens = sentence.tokens
    named = False  # two names in a row are no phrase
    for at in range(start, len(tokens)):
        token = tokens[at]
        if at - start >= LONGEST:
            return None
        if token.kind == "mark":
            return at if token.word in _ENDS else None
        if token.kind == "name":
            if named or token.who == who:
                return None
            named = True
        elif token.kind == "poss":
            if at == start or not is_nominal(tokens, at + 1):
                return None
            named = False
        elif token.word in closed.BOUNDS:
            if at == start or _depends(tokens, start, at):
                return None
            if not _is_within(tokens, at):
                return at
        elif not _is_readable(sentence, start, at, who):
            return None
        else:
            named = named and token.word in closed.PREPOSITIONS
    return len(tokens)


def _depends(tokens: Sequence[Token], start: int, at: int) -> bool:
    """Whether what stands before a conjunction needs what follows: "so tall that"."""
    word, before = tokens[at].word, tokens[at - 1].word
    if word == "as":
        return word_at(tokens, at + 1) not in closed.ARTICLES
    if word in _CLAUSES:  # "with a fluency that": of which one, is behind it
        return (
            not _has_opened(tokens, start, at)
            or (word == "that" and before in nouns.CLAIMS)
            or tokens[at - 2].word in closed.DETERMINERS
        )
    return word in ("than", "so", "whose")


def _is_within(tokens: Sequence[Token], at: int) -> bool:
    """Whether a conjunction is none: "as a guest", "for a while"."""
    word, before = tokens[at].word, tokens[at - 1].word
    return word == "as" or (word == "while" and before in ("a", "little", "long", "short"))


def _has_opened(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether a noun phrase begins between two places."""
    return any(
        each.kind == "poss" or (each.kind == "word" and each.word in closed.DETERMINERS)
        for each in tokens[start:end]
    )


def _is_readable(sentence: Sentence, start: int, at: int, who: int) -> bool:
    """Whether a word of a complement that began at start means what it says by itself."""
    token, before = sentence.tokens[at], sentence.tokens[at - 1]
    word = token.word
    if word in closed.OWNED:
        return _is_own(sentence, start, at, who)
    if word in ("himself", "herself"):
        told = Gender.MALE if word == "himself" else Gender.FEMALE
        return sentence.novel.cast[who].gender is told
    if word in ("me", "my"):
        said = any(each.word in ("me", "my") for each in sentence.tokens[start:at])
        return sentence.novel.narrator not in (None, who) and not sentence.quoted and not said
    if word in _UNREADABLE:
        return False
    if before.kind == "name" and not (
        word in closed.PREPOSITIONS or word in closed.DETERMINERS or word.endswith("ly")
    ):
        return False
    return not verbs.is_past(word) or (
        before.kind == "poss"
        or before.word in closed.DETERMINERS
        or before.word in adjectives.TRAITS
        or before.word.endswith("ly")
    )


def _is_own(sentence: Sentence, start: int, at: int, who: int) -> bool:
    """Whether "his" or "her" can only mean the one the complement is said of."""
    tokens, cast = sentence.tokens, sentence.novel.cast
    meant = closed.OWNED[tokens[at].word]
    others = {cast[each.who].gender for each in tokens[start:at] if each.kind == "name"}
    return (
        meant is cast[who].gender
        and meant not in others
        and Gender.UNKNOWN not in others
        and not is_rivalled(sentence, start, who)
        and (tokens[at].word == "his" or is_nominal(tokens, at + 1))
    )


def _has_loose_end(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether the last word of a complement asks for more."""
    last, before = tokens[end - 1], tokens[end - 2].word
    if last.kind == "poss" or last.word in _NO_LAST:
        return True
    if last.word.endswith(("'s", "’s", "s'", "s’")):
        return True
    if (
        last.word.endswith("ing")
        and before in closed.PREPOSITIONS
        and (end == len(tokens) or tokens[end].word == ":")
    ):
        return True  # "by saying:"
    if before == "to" and last.word in verbs.KNOWING:
        return True
    if before in verbs.KNOWING and last.word in ("himself", "herself"):
        return True  # "hated to hear himself, the doctor, spoken of"
    within = end - 1 > start and word_at(tokens, end) in closed.BOUNDS
    return within and last.word in closed.PREPOSITIONS


def _is_half_a_phrase(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Whether a noun phrase goes on where a complement ends."""
    last, after = tokens[end - 1], word_at(tokens, end)
    following = word_at(tokens, end + 1)
    if after not in _GOES_ON:
        return False
    if after == "and" and following == last.word:
        return True  # "nearer and nearer"
    if (
        tokens[end - 2].word in ("a", "an")
        and is_bare_noun(tokens, end + 1)
        and not verbs.is_past(following)
    ):
        return True  # "a high and comfortable house"
    if not _has_opened(tokens, start, end):
        return False
    if (
        after == ","
        and adjectives.may_describe(following)
        and not following.endswith(("ing", "ly"))
    ):
        return True  # "her naughty, wicked conduct"
    return (
        last.kind == "word"
        and adjectives.may_describe(last.word)
        and last.word not in adjectives.NOUNS_LIKE
    )  # "a tall, dark" and "a tall and dark"
