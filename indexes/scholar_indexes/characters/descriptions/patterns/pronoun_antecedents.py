"""The pronouns of a sentence, with their antecedents from coreference resolution.

"He" is resolved only as the subject of a clause, and any pronoun only if its antecedent is named
earlier in its paragraph, so that a passage can show whom it means.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from scholar_indexes.characters.descriptions.patterns.tokenized_sentences import TokenizedSentence
from scholar_indexes.characters.descriptions.patterns.tokens import UNRESOLVED, Token
from scholar_indexes.lexicon import closed_classes
from scholar_indexes.types import Gender


def resolve_pronouns(sentence: TokenizedSentence, paragraph: int) -> tuple[TokenizedSentence, int]:
    """Return a sentence with the subject pronouns of its clauses resolved, and the position where
    a passage must begin to name their antecedents.

    paragraph is the position where the paragraph of the sentence begins.
    """
    tokens, start = list(sentence.tokens), sentence.start
    for index, token in enumerate(tokens):
        if token.word not in closed_classes.PRONOUNS or not _begins_clause(tokens, index):
            continue
        character = find_antecedent(sentence, token, closed_classes.PRONOUNS[token.word])
        named = _last_named(sentence, character, paragraph, token.start)
        if named is not None:
            tokens[index] = token._replace(character=character)
            start = min(start, named)
    return TokenizedSentence(sentence.novel, tokens, sentence.is_question), start


def find_possessor(sentence: TokenizedSentence, index: int, described: int) -> int | None:
    """Return the character that "his", "her" or "my" at an index refers to in a description of
    the character `described`; None if unknown, or if it is that character."""
    token = sentence.tokens[index]
    if token.word == "my":
        return sentence.speaker if sentence.quoted else sentence.narrator
    possessor = find_antecedent(sentence, token, closed_classes.OWNED[token.word])
    if possessor in (UNRESOLVED, described):
        return None
    if sentence.quoted and all(other.character != possessor for other in sentence.tokens[:index]):
        return None  # in speech, the referent is clear only if the sentence names it
    return possessor


def find_antecedent(sentence: TokenizedSentence, pronoun: Token, gender: Gender) -> int:
    """Return the character that a pronoun of a gender refers to, or UNRESOLVED."""
    character = sentence.novel.antecedents.get(pronoun.start, UNRESOLVED)
    if character == UNRESOLVED or sentence.novel.cast[character].gender is not gender:
        return UNRESOLVED
    return character


def _last_named(
    sentence: TokenizedSentence, character: int, first: int, position: int
) -> int | None:
    """Return the position of the last mention of a character between two positions, or None."""
    novel = sentence.novel
    begin, end = (
        bisect_left(novel.mention_starts, first),
        bisect_left(novel.mention_starts, position),
    )
    return next(
        (
            mention.span.start
            for mention in reversed(novel.mentions[begin:end])
            if mention.character == character
        ),
        None,
    )


def _begins_clause(tokens: Sequence[Token], index: int) -> bool:
    """Return True if a clause begins at an index: at the start, or after a semicolon, a colon or
    ", and"."""
    if index == 0 or tokens[index - 1].word in (";", ":"):
        return True
    return (
        index > 1
        and tokens[index - 1].word in ("and", "but")
        and tokens[index - 2].word in (",", ";")
    )
