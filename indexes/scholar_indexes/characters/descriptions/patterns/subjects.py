"""Subjects of factual clauses, and their verbs.

A name is a subject if a sentence or a clause begins with it; a clause with "if" or "perhaps", or
with two subjects, is not treated as a fact.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scholar_indexes.characters.descriptions.patterns.tokenized_sentences import TokenizedSentence
from scholar_indexes.characters.descriptions.patterns.tokens import (
    Token,
    is_adverbial,
    is_bare_noun,
    is_verbal,
    word_at,
)
from scholar_indexes.lexicon import adjectives, closed_classes, verbs

HEDGE_WINDOW = 25
"""The number of words before a subject among which a hedge makes its clause doubtful."""

MAX_PARENTHESIS = 12
"""The most words between the commas of "Lydia, with perfect indifference, took"."""

COORDINATION_WINDOW = 30
"""The most words from a verb to the last verb coordinated with it."""

_NOT_IN_PARENTHESIS = frozenset({";", ":", "—", "--", "or", "who", "whom", "whose", "which"})
_CLAUSE_MARKS = frozenset({";", ":", "—", "--", "–"})
_CONJUNCTIONS = frozenset(
    {"but", "when", "where", "because", "then", "though", "since", "until", "till", "so", "now"}
    | {"while"}
)
_CLAUSE_STARTS = (
    frozenset({";", ":", "—", "--", "but"})
    | closed_classes.SUBJECTS
    | (closed_classes.BOUNDS - {"and", "or", "nor"})
)


def may_be_common_word(sentence: TokenizedSentence, index: int) -> bool:
    """Return True if a name may be a common word that begins a sentence: "Rose early"."""
    token = sentence.tokens[index]
    if index and sentence.tokens[index - 1].word not in (".", ":"):
        return False
    return " " not in token.word and sentence.novel.lowercase_counts[token.word] > 1


def is_subject(sentence: TokenizedSentence, index: int) -> bool:
    """Return True if a name or resolved pronoun is the only subject of a factual clause."""
    tokens = sentence.tokens
    if tokens[index].kind == "name" and may_be_common_word(sentence, index):
        return False
    first = index
    while first and tokens[first - 1].word in adjectives.EPITHETS:
        first -= 1
    before = tokens[max(0, first - HEDGE_WINDOW) : first]
    if any(token.word in closed_classes.HEDGES for token in before):
        return False
    return _begins_clause(tokens, first)


def find_main_verb(tokens: Sequence[Token], subject: int) -> int | None:
    """Return the index where the verb of a subject may be, after a parenthesis and adverbs."""
    index = subject + 1
    if word_at(tokens, index) == ",":
        after = _skip_parenthesis(tokens, index)
        return None if after is None else find_verb(tokens, after)
    return find_verb(tokens, index)


def find_relative_verb(tokens: Sequence[Token], name: int) -> int | None:
    """Return the index where the verb of a relative clause after a name may be: "Wickham, who
    had"."""
    if word_at(tokens, name + 1) != "," or word_at(tokens, name + 2) != "who":
        return None
    if name + 3 >= len(tokens):
        return None
    before = tokens[name - 1] if name else None
    if before and (before.kind == "poss" or before.word in ("and", "or", "of", "to", "with")):
        return None
    return find_verb(tokens, name + 3)


def find_verb(tokens: Sequence[Token], index: int) -> int | None:
    """Return the index where the verb of a clause that continues at an index may be, after
    adverbs."""
    index = _skip_adverbs(tokens, index, len(tokens))
    if index >= len(tokens) or tokens[index].kind != "word" or tokens[index].capital:
        return None
    return index


def find_coordinated_verbs(tokens: Sequence[Token], verb: int) -> Iterator[int]:
    """Yield the indices of further verbs of the same subject: "took her hat, and eloped"."""
    for index in range(verb + 1, min(len(tokens) - 2, verb + COORDINATION_WINDOW)):
        if _begins_other_clause(tokens, index):
            return
        if tokens[index].word == "and":
            candidate = _skip_adverbs(tokens, index + 1, len(tokens) - 1)
            if _is_coordinated_verb(tokens, index, candidate):
                yield candidate


def _skip_adverbs(tokens: Sequence[Token], index: int, stop: int) -> int:
    while index < stop and is_adverbial(tokens[index]):
        index += 1
    return index


def _begins_clause(tokens: Sequence[Token], first: int) -> bool:
    """Return True if the phrase that begins at an index is neither an object nor a second
    subject."""
    if not first:
        return True
    before = tokens[first - 1]
    if before.kind == "mark":
        return before.word in _CLAUSE_MARKS or (
            before.word == "," and not _is_enumerated(tokens, first)
        )
    if before.word in _CONJUNCTIONS:
        return first == 1 or tokens[first - 2].kind != "name"
    return before.word == "and" and (first == 1 or tokens[first - 2].kind == "mark")


def _is_enumerated(tokens: Sequence[Token], first: int) -> bool:
    """Return True if the phrase after a comma may be part of a list: "Jane, Robert and"."""
    if first < 3:
        return first != 2 or tokens[0].kind == "name"
    return any(
        token.kind == "name" or token.word in ("of", "between")
        for token in tokens[max(0, first - 4) : first - 1]
    )


def _skip_parenthesis(tokens: Sequence[Token], comma: int) -> int | None:
    """Return the index of the verb after "Lydia, with perfect indifference,"."""
    for index in range(comma + 1, min(len(tokens) - 1, comma + MAX_PARENTHESIS)):
        token = tokens[index]
        enumerates = token.word == "and" and tokens[index - 1].word == ","
        if token.kind in ("name", "poss") or token.word in _NOT_IN_PARENTHESIS or enumerates:
            return None
        if token.word == ",":
            return index + 1 if is_verbal(tokens[index + 1]) else None
    return None


def _begins_other_clause(tokens: Sequence[Token], index: int) -> bool:
    """Return True if a clause with its own subject begins at an index."""
    token = tokens[index]
    return (
        token.word in _CLAUSE_STARTS
        or (token.kind == "name" and is_verbal(tokens[index + 1]))
        or (token.word in closed_classes.AUXILIARIES and tokens[index - 1].word != "and")
    )


def _is_coordinated_verb(tokens: Sequence[Token], conjunction: int, index: int) -> bool:
    """Return True if the word at an index is a verb after "and", and not a participle."""
    token = tokens[index]
    return (
        token.kind == "word"
        and (token.word in ("was", "had") or verbs.is_past(token.word))
        and not verbs.is_past(tokens[conjunction - 1].word)
        and not is_bare_noun(tokens, index + 1)
    )
