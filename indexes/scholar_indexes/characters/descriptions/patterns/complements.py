"""Complements of verbs and nouns: where "with an officer of the regiment" ends.

Without a parser, the end is known only if every word up to it can be interpreted. A complement
that needs the rest of the sentence, or seems cut off in the middle of a phrase, is rejected.
"""

from __future__ import annotations

from collections.abc import Sequence

from scholar_indexes.characters.descriptions.patterns.pronoun_antecedents import find_antecedent
from scholar_indexes.characters.descriptions.patterns.tokenized_sentences import TokenizedSentence
from scholar_indexes.characters.descriptions.patterns.tokens import (
    Token,
    is_bare_noun,
    is_nominal,
    word_at,
)
from scholar_indexes.lexicon import adjectives, closed_classes, person_nouns, verbs
from scholar_indexes.types import Gender

MAX_LENGTH = 13
"""The most words in a complement."""

_END_MARKS = frozenset({",", ";", ":", "—", "--", "–"})
_CONTINUATIONS = frozenset({",", "and", "or", "yet", "but"})
_CLAUSE_INTRODUCERS = frozenset({"that", "whether", "if", "where", "who", "whom", "which"})
_BETWEEN_NAMES = closed_classes.PREPOSITIONS | closed_classes.BOUNDS
_REFLEXIVES = {"himself": Gender.MALE, "herself": Gender.FEMALE}
_UNREADABLE = closed_classes.UNRESOLVED | closed_classes.AUXILIARIES | closed_classes.NEGATIONS
_PARTICLES = frozenset({"up", "down", "out", "off", "in", "away", "over", "by", "on"})
_NOT_LAST = (
    closed_classes.DETERMINERS
    | (closed_classes.PREPOSITIONS - _PARTICLES)
    | adjectives.UNFIT
    | {"very", "most", "more", "as", "ever", "my"}
)
"""Words that cannot end a complement."""


def find_end(sentence: TokenizedSentence, start: int, described: int) -> int | None:
    """Return the end of the complement that begins at an index, in a description of a character.

    Returns `start` if there is none, and None if it cannot be interpreted to its end.
    """
    tokens = sentence.tokens
    end = _find_readable_end(sentence, start, described)
    if end is None or end == start:
        return end
    if _is_incomplete(tokens, start, end) or _splits_phrase(tokens, start, end):
        return None
    return end


def _find_readable_end(sentence: TokenizedSentence, start: int, described: int) -> int | None:
    """Return the first index after the complement; None if a word of it cannot be interpreted."""
    tokens = sentence.tokens
    for index in range(start, len(tokens)):
        token = tokens[index]
        if index - start >= MAX_LENGTH:
            return None
        if token.kind == "mark":
            return index if token.word in _END_MARKS else None
        if token.kind == "word" and token.word in closed_classes.BOUNDS:
            if index == start or _needs_clause(tokens, start, index):
                return None
            if not _is_no_conjunction(tokens, index):
                return index
            continue
        if not _may_continue(sentence, start, index, described):
            return None
    return len(tokens)


def _may_continue(sentence: TokenizedSentence, start: int, index: int, described: int) -> bool:
    """Return True if a name, a possessive or a word may occur in a complement."""
    token = sentence.tokens[index]
    if token.kind == "name":  # two names in a row are not a phrase
        return token.character != described and not _follows_name(sentence.tokens, start, index)
    if token.kind == "poss":
        return index != start and is_nominal(sentence.tokens, index + 1)
    return _is_readable(sentence, start, index, described)


def _follows_name(tokens: Sequence[Token], start: int, index: int) -> bool:
    """Return True if there are only prepositions and conjunctions between a token and a name
    before it in the complement."""
    before = next(
        (
            token
            for token in reversed(tokens[start:index])
            if token.kind != "word" or token.word not in _BETWEEN_NAMES
        ),
        None,
    )
    return before is not None and before.kind == "name"


def _needs_clause(tokens: Sequence[Token], start: int, index: int) -> bool:
    """Return True if the words before a conjunction need the words after it: "so tall that"."""
    word, before = tokens[index].word, tokens[index - 1].word
    if word == "as":
        return word_at(tokens, index + 1) not in closed_classes.ARTICLES
    if word in _CLAUSE_INTRODUCERS:  # "with a fluency that": the clause says which fluency
        return (
            not _has_determiner(tokens, start, index)
            or (word == "that" and before in person_nouns.CLAIMS)
            or tokens[index - 2].word in closed_classes.DETERMINERS
        )
    return word in ("than", "so", "whose")


def _is_no_conjunction(tokens: Sequence[Token], index: int) -> bool:
    """Return True if a word is not used as a conjunction: "as a guest", "for a while"."""
    word, before = tokens[index].word, tokens[index - 1].word
    return word == "as" or (word == "while" and before in ("a", "little", "long", "short"))


def _has_determiner(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Return True if a noun phrase begins between two indices."""
    return any(
        token.kind == "poss" or (token.kind == "word" and token.word in closed_classes.DETERMINERS)
        for token in tokens[start:end]
    )


def _is_readable(sentence: TokenizedSentence, start: int, index: int, described: int) -> bool:
    """Return True if a word of a complement can be understood without its context."""
    word = sentence.tokens[index].word
    if word in closed_classes.OWNED:
        return _is_own_possessive(sentence, index, described)
    if word in _REFLEXIVES:
        return sentence.novel.cast[described].gender is _REFLEXIVES[word]
    if word in ("me", "my"):
        return _means_narrator(sentence, start, index, described)
    if word in _UNREADABLE:
        return False
    if sentence.tokens[index - 1].kind == "name" and not _may_follow_name(word):
        return False
    return not verbs.is_past(word) or _may_precede_participle(sentence.tokens[index - 1])


def _means_narrator(sentence: TokenizedSentence, start: int, index: int, described: int) -> bool:
    """Return True if "me" or "my" is the first in a complement and means a named narrator."""
    repeated = any(token.word in ("me", "my") for token in sentence.tokens[start:index])
    narrator = sentence.narrator
    return narrator not in (None, described) and not sentence.quoted and not repeated


def _may_follow_name(word: str) -> bool:
    return (
        word in closed_classes.PREPOSITIONS
        or word in closed_classes.DETERMINERS
        or word.endswith("ly")
    )


def _may_precede_participle(before: Token) -> bool:
    """Return True if a past form after a token is a participle before a noun."""
    return (
        before.kind == "poss"
        or before.word in closed_classes.DETERMINERS
        or before.word in adjectives.TRAITS
        or before.word.endswith("ly")
    )


def _is_own_possessive(sentence: TokenizedSentence, index: int, described: int) -> bool:
    """Return True if "his" or "her" refers to the character described."""
    token = sentence.tokens[index]
    return find_antecedent(sentence, token, closed_classes.OWNED[token.word]) == described and (
        token.word == "his" or is_nominal(sentence.tokens, index + 1)
    )


def _is_incomplete(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Return True if the last word of a complement requires more words."""
    last = tokens[end - 1]
    if last.kind == "poss" or last.word in _NOT_LAST:
        return True
    if last.word.endswith(("'s", "’s", "s'", "s’")):
        return True
    if _introduces_speech(tokens, end) or _lacks_object(tokens, end):
        return True
    precedes_clause = end - 1 > start and word_at(tokens, end) in closed_classes.BOUNDS
    return precedes_clause and last.word in closed_classes.PREPOSITIONS


def _introduces_speech(tokens: Sequence[Token], end: int) -> bool:
    """Return True for "by saying:"."""
    return (
        tokens[end - 1].word.endswith("ing")
        and tokens[end - 2].word in closed_classes.PREPOSITIONS
        and (end == len(tokens) or tokens[end].word == ":")
    )


def _lacks_object(tokens: Sequence[Token], end: int) -> bool:
    """Return True for "to know", and for "hated to hear himself" before "spoken of"."""
    last, before = tokens[end - 1].word, tokens[end - 2].word
    if before == "to" and last in verbs.KNOWING:
        return True
    return before in verbs.KNOWING and last in _REFLEXIVES


def _splits_phrase(tokens: Sequence[Token], start: int, end: int) -> bool:
    """Return True if a noun phrase continues where a complement ends."""
    after, following = word_at(tokens, end), word_at(tokens, end + 1)
    if after not in _CONTINUATIONS:
        return False
    if after == "and" and following == tokens[end - 1].word:
        return True  # "nearer and nearer"
    if _lacks_noun(tokens, end):
        return True
    if not _has_determiner(tokens, start, end):
        return False
    return _continues_adjectives(after, following) or _ends_in_adjective(tokens[end - 1])


def _lacks_noun(tokens: Sequence[Token], end: int) -> bool:
    """Return True for "a high" before "and comfortable house"."""
    return (
        tokens[end - 2].word in ("a", "an")
        and is_bare_noun(tokens, end + 1)
        and not verbs.is_past(word_at(tokens, end + 1))
    )


def _continues_adjectives(after: str, following: str) -> bool:
    """Return True for "her naughty" before ", wicked conduct"."""
    return (
        after == ","
        and adjectives.may_describe(following)
        and not following.endswith(("ing", "ly"))
    )


def _ends_in_adjective(last: Token) -> bool:
    """Return True for "a tall" before ", dark" or "and dark"."""
    return (
        last.kind == "word"
        and adjectives.may_describe(last.word)
        and last.word not in adjectives.NOUNS_LIKE
    )
