"""Of whom a clause is told for a fact, and where its verbs are.

A name is a subject where a sentence or a clause begins with it; what stands under "if" or
"perhaps", and what is said of two together, is of nobody.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scholar_indexes.characters.lexicon import adjectives, closed, verbs
from scholar_indexes.characters.told.sentences import Sentence
from scholar_indexes.characters.told.tokens import (
    Token,
    is_adverbial,
    is_bare_noun,
    is_verbal,
    word_at,
)

HEDGED = 25
"""Words before a subject among which one may cast doubt on it."""

ASIDE = 12
"""Words between the commas of "Lydia, with perfect indifference, took"."""

COORDINATED = 30
"""Words from a verb to the last one that has the same subject."""

_NO_ASIDE = frozenset({";", ":", "—", "--", "or", "who", "whom", "whose", "which"})
_CLAUSE_MARKS = frozenset({";", ":", "—", "--", "–"})
_CONJUNCTIONS = frozenset(
    "but when where because then though since until till so now while".split()
)
_OTHER_CLAUSE = (
    frozenset({";", ":", "—", "--", "but"}) | closed.SUBJECTS
    | (closed.BOUNDS - {"and", "or", "nor"})
)  # fmt: skip


def is_word(sentence: Sentence, at: int) -> bool:
    """Whether a name may just be a word that begins a sentence: "Rose early"."""
    token = sentence.tokens[at]
    if at and sentence.tokens[at - 1].word not in (".", ":"):
        return False
    return " " not in token.word and sentence.novel.small[token.word] > 1


def is_subject(sentence: Sentence, at: int) -> bool:
    """Whether a name or a clear pronoun is the whole subject of a clause that is told for a
    fact."""
    tokens = sentence.tokens
    if tokens[at].kind == "name" and is_word(sentence, at):
        return False
    first = at
    while first and tokens[first - 1].word in adjectives.EPITHETS:
        first -= 1
    if any(each.word in closed.HEDGES for each in tokens[max(0, first - HEDGED) : first]):
        return False
    return _begins_clause(tokens, first)


def main_verb(tokens: Sequence[Token], at: int) -> int | None:
    """Where the verb may be of the subject at a place, past an aside and adverbs."""
    verb = at + 1
    if word_at(tokens, verb) == ",":
        past = _past_aside(tokens, verb)
        return None if past is None else first_verb(tokens, past)
    return first_verb(tokens, verb)


def relative_verb(tokens: Sequence[Token], at: int) -> int | None:
    """Where the verb is of "who" behind the name at a place: "Wickham, who had eloped"."""
    if at + 3 >= len(tokens) or tokens[at + 1].word != "," or tokens[at + 2].word != "who":
        return None
    before = tokens[at - 1] if at else None
    if before and (before.kind == "poss" or before.word in ("and", "or", "of", "to", "with")):
        return None
    return first_verb(tokens, at + 3)


def first_verb(tokens: Sequence[Token], at: int) -> int | None:
    """Where the verb may be that a clause goes on with at a place, past adverbs."""
    while at < len(tokens) and is_adverbial(tokens[at]):
        at += 1
    if at >= len(tokens) or tokens[at].kind != "word" or tokens[at].capital:
        return None
    return at


def coordinated(tokens: Sequence[Token], verb: int) -> Iterator[int]:
    """Where further verbs of the same subject are: "took her hat, and eloped"."""
    for at in range(verb + 1, min(len(tokens) - 2, verb + COORDINATED)):
        if _is_other_clause(tokens, at):
            return
        if tokens[at].word == "and":
            more = at + 1
            while more < len(tokens) - 1 and is_adverbial(tokens[more]):
                more += 1
            if _is_coordinated(tokens, at, more):
                yield more


def _begins_clause(tokens: Sequence[Token], first: int) -> bool:
    """Whether what begins at a place is no object of anything, and no second subject."""
    if not first:
        return True
    before = tokens[first - 1]
    if before.kind == "mark":
        return before.word in _CLAUSE_MARKS or (before.word == "," and _is_alone(tokens, first))
    if before.word in _CONJUNCTIONS:
        return first == 1 or tokens[first - 2].kind != "name"
    return before.word == "and" and (first == 1 or tokens[first - 2].kind == "mark")


def _is_alone(tokens: Sequence[Token], first: int) -> bool:
    """Whether what begins behind a comma is not one of several: "Jane, Robert and", "of Jane,
    Robert"."""
    if first < 3:
        return first == 2 and tokens[0].kind != "name"
    return not any(
        each.kind == "name" or each.word in ("of", "between")
        for each in tokens[max(0, first - 4) : first - 1]
    )


def _past_aside(tokens: Sequence[Token], comma: int) -> int | None:
    """Where the verb is after "Lydia, with perfect indifference,"."""
    for at in range(comma + 1, min(len(tokens) - 1, comma + ASIDE)):
        token = tokens[at]
        listing = token.word == "and" and tokens[at - 1].word == ","
        if token.kind in ("name", "poss") or token.word in _NO_ASIDE or listing:
            return None
        if token.word == ",":
            return at + 1 if is_verbal(tokens[at + 1]) else None
    return None


def _is_other_clause(tokens: Sequence[Token], at: int) -> bool:
    """Whether a clause with a subject of its own begins at a place."""
    token = tokens[at]
    return (
        token.word in _OTHER_CLAUSE
        or (token.kind == "name" and is_verbal(tokens[at + 1]))
        or (token.word in closed.AUXILIARIES and tokens[at - 1].word != "and")
    )


def _is_coordinated(tokens: Sequence[Token], conjunction: int, at: int) -> bool:
    """Whether the word at a place is a verb behind "and", and no participle."""
    token = tokens[at]
    return (
        token.kind == "word"
        and (token.word in ("was", "had") or verbs.is_past(token.word))
        and not verbs.is_past(tokens[conjunction - 1].word)
        and not is_bare_noun(tokens, at + 1)
    )
