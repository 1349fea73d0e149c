"""Noun phrases for persons: "her aunt", "the clergyman of the parish", "wife of".

A phrase has a determiner (an article, or a possessive), a head noun for a person and complements
with "of" or "with". It gives a description of its referent and, if the referent is a relative of
somebody whom it names, an inverse description of that other character.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scholar_indexes.characters.descriptions.patterns import complements
from scholar_indexes.characters.descriptions.patterns.drafts import (
    CALLING,
    RELATION,
    TRAIT,
    DraftDescription,
    render,
)
from scholar_indexes.characters.descriptions.patterns.pronoun_antecedents import find_possessor
from scholar_indexes.characters.descriptions.patterns.tokenized_sentences import (
    NovelText,
    TokenizedSentence,
)
from scholar_indexes.characters.descriptions.patterns.tokens import (
    Token,
    is_possessive,
    word_at,
)
from scholar_indexes.lexicon import adjectives, closed_classes, person_nouns
from scholar_indexes.types import Gender

MAX_DISTANCE = 8
"""The most words from the determiner of a phrase to its head noun."""

INVERSE_WEIGHT = 0.6
"""The weight of "the one whose aunt is", which describes the relative of the referent."""

_BEFORE_HEAD = frozenset({"and", "very", "most", "rather"})
_NOT_IN_PHRASE = (
    closed_classes.DETERMINERS
    | closed_classes.PREPOSITIONS
    | closed_classes.BOUNDS
    | closed_classes.AUXILIARIES
    | closed_classes.UNRESOLVED
    | closed_classes.NEGATIONS
) - _BEFORE_HEAD
_COMPLEMENT_PREPOSITIONS = frozenset({"of", "with", "from", "in", "without", "at", "by", "to"})
_RELATIVE_PRONOUNS = frozenset({"who", "whom", "whose", "that", "which"})
_RELATED = person_nouns.KIN | person_nouns.TIES
_PLAIN_MODIFIERS = adjectives.PETTY | {"and", ",", "very"}


class NounPhraseReading(NamedTuple):
    """The description in a phrase: a text of a kind, the index after the phrase, and
    descriptions of other characters."""

    text: str
    kind: str
    end: int
    inverse: tuple[DraftDescription, ...]


class _NounPhrase(NamedTuple):
    """Indices of the first word after the determiner, of the head noun and of the end, and the
    possessor, if there is one."""

    inner: int
    head: int
    end: int
    possessor: int | None


def parse_from(
    sentence: TokenizedSentence, start: int, referent: int, *, predicative: bool = False
) -> NounPhraseReading | None:
    """Return the reading of the phrase that begins at an index; None if there is none.

    `predicative` means that it is after a verb, where prepositions may follow it.
    """
    determiner = _parse_determiner(sentence, start, referent)
    if determiner is None:
        return None
    inner, possessor = determiner
    head = _find_head(sentence.tokens, inner, len(sentence.tokens))
    if head is None or not agrees(sentence.novel, sentence.tokens[head].word, referent):
        return None
    end = _find_complement_end(sentence, head + 1, referent, only_of=not predicative)
    if end is None or _continues(sentence.tokens, start, end, predicative):
        return None
    return _read(sentence, _NounPhrase(inner, head, end, possessor), referent)


def parse_between(
    sentence: TokenizedSentence, start: int, head: int, referent: int
) -> NounPhraseReading | None:
    """Return the reading of the phrase from an index up to its head; None if there is none."""
    determiner = _parse_determiner(sentence, start, referent)
    if determiner is None:
        return None
    inner, possessor = determiner
    if _find_head(sentence.tokens, inner, head + 1) != head:
        return None
    if not agrees(sentence.novel, sentence.tokens[head].word, referent):
        return None
    return _read(sentence, _NounPhrase(inner, head, head + 1, possessor), referent)


def agrees(novel: NovelText, noun: str, character: int) -> bool:
    """Return True if the gender of a noun does not contradict the gender of a character."""
    genders = {novel.cast[character].gender, person_nouns.gender(noun)}
    return len(genders - {Gender.UNKNOWN}) < 2


def _parse_determiner(
    sentence: TokenizedSentence, start: int, referent: int
) -> tuple[int, int | None] | None:
    """Return the index after the determiner of a phrase, and the possessor, if it has one."""
    tokens = sentence.tokens
    if start >= len(tokens):
        return None
    first = tokens[start]
    if first.kind == "name":
        return _parse_possessive_name(tokens, start, referent)
    if first.word in closed_classes.POSSESSIVE:
        return _parse_possessive_pronoun(sentence, start, referent)
    if first.word in closed_classes.ARTICLES:
        return start + 1, None
    if first.word in _RELATED and word_at(tokens, start + 1) in ("of", "to"):
        return start, None  # "wife of"
    return None


def _parse_possessive_name(
    tokens: Sequence[Token], start: int, referent: int
) -> tuple[int, int] | None:
    if not is_possessive(tokens, start + 1) or tokens[start].character == referent:
        return None
    return start + 2, tokens[start].character


def _parse_possessive_pronoun(
    sentence: TokenizedSentence, start: int, referent: int
) -> tuple[int, int] | None:
    if sentence.tokens[start].word == "my" and sentence.quoted:
        return None  # it may be read from a letter
    possessor = find_possessor(sentence, start, referent)
    return None if possessor is None or possessor == referent else (start + 1, possessor)


def _find_head(tokens: Sequence[Token], start: int, stop: int) -> int | None:
    """Return the head of the noun phrase that continues at an index, if it means a person."""
    head = None
    for index in range(start, min(stop, start + MAX_DISTANCE)):
        token = tokens[index]
        if token.kind == "poss":
            if head != index - 1:
                return None
            head = None  # it was the head of the possessor only
        elif token.kind == "name" or token.word in adjectives.UNFIT:
            return None
        elif token.word in person_nouns.PERSONS and not token.capital:
            head = index
        elif head is not None:
            break
        elif not _may_precede_head(token, is_first=index == start):
            return None
    return None if head is None or is_possessive(tokens, head + 1) else head


def _may_precede_head(token: Token, *, is_first: bool) -> bool:
    """Return True for a word, or a comma between adjectives, that may precede a head noun."""
    if token.kind == "mark":
        return token.word == "," and not is_first
    return token.word not in _NOT_IN_PHRASE


def _find_complement_end(
    sentence: TokenizedSentence, start: int, referent: int, only_of: bool
) -> int | None:
    """Return the end of the complements of a noun; None if they cannot be interpreted."""
    tokens = sentence.tokens
    if word_at(tokens, start) not in _COMPLEMENT_PREPOSITIONS:
        return start
    is_of = tokens[start].word == "of"
    if only_of and not is_of:
        return None
    end = complements.find_end(sentence, start, referent)
    # "the child of his old age" is another character's
    if end is None or any(token.word in closed_classes.POSSESSIVE for token in tokens[start:end]):
        return None if is_of else start
    return end if end > start + 1 else None


def _continues(tokens: Sequence[Token], start: int, end: int, predicative: bool) -> bool:
    """Return True if a phrase seems to continue after the end that was found."""
    if end >= len(tokens):
        return False
    after = tokens[end]
    if after.kind in ("name", "poss"):
        return True
    if tokens[start].word == "the" and _begins_relative_clause(tokens, end):
        return True
    return after.kind == "word" and not (
        after.word in closed_classes.BOUNDS
        or (predicative and after.word in closed_classes.PREPOSITIONS)
    )


def _begins_relative_clause(tokens: Sequence[Token], index: int) -> bool:
    """Return True for "by whom he sat", which says which "happy woman" is meant."""
    word = tokens[index].word
    return word in _RELATIVE_PRONOUNS or (
        word in closed_classes.PREPOSITIONS
        and word_at(tokens, index + 1) in ("whom", "which", "whose")
    )


def _read(
    sentence: TokenizedSentence, phrase: _NounPhrase, referent: int
) -> NounPhraseReading | None:
    """Return what a parsed phrase says about its referent; None if that is uninformative."""
    if phrase.possessor is None and _is_uninformative(sentence.tokens, phrase):
        return None
    text = render(sentence, phrase.inner, phrase.end, referent)
    if not text:
        return None
    if phrase.possessor is None:
        return _read_determined(sentence, phrase, referent, text)
    return _read_possessed(sentence, phrase, phrase.possessor, referent, text)


def _is_uninformative(tokens: Sequence[Token], phrase: _NounPhrase) -> bool:
    """Return True if a phrase could describe anybody: "the man", "a mother"."""
    if phrase.end > phrase.head + 1:
        return False
    noun = tokens[phrase.head].word
    modifiers = {token.word for token in tokens[phrase.inner : phrase.head]}
    if noun in person_nouns.PEOPLE | person_nouns.TIES and modifiers <= _PLAIN_MODIFIERS:
        return True
    return noun in person_nouns.KIN and not modifiers


def _read_determined(
    sentence: TokenizedSentence, phrase: _NounPhrase, referent: int, text: str
) -> NounPhraseReading:
    """Return the reading of "the clergyman" and "a sister of Jane"."""
    inverse: tuple[DraftDescription, ...] = ()
    relative = _find_relative(sentence.tokens, phrase)
    if relative is not None:
        inverse = _read_inverse(sentence, phrase, relative, referent)
    return NounPhraseReading(f"the {text}", _kind(sentence.tokens, phrase), phrase.end, inverse)


def _kind(tokens: Sequence[Token], phrase: _NounPhrase) -> str:
    """Return the kind of description that a phrase without a possessor gives."""
    noun = tokens[phrase.head].word
    names_other = any(token.kind in ("name", "poss") for token in tokens[phrase.inner : phrase.end])
    if noun in _RELATED and (names_other or phrase.end > phrase.head + 1):
        return RELATION
    return CALLING if noun in person_nouns.CALLINGS | person_nouns.TIES else TRAIT


def _find_relative(tokens: Sequence[Token], phrase: _NounPhrase) -> int | None:
    """Return the first character named in a phrase that ends in "of" and a name."""
    names = [token.character for token in tokens[phrase.inner : phrase.end] if token.kind == "name"]
    ends_in_name = (
        phrase.head + 3 == phrase.end
        and tokens[phrase.head + 1].word == "of"
        and tokens[phrase.head + 2].kind == "name"
    )
    return names[0] if ends_in_name else None


def _read_possessed(
    sentence: TokenizedSentence, phrase: _NounPhrase, possessor: int, referent: int, text: str
) -> NounPhraseReading | None:
    """Return the reading of "Jane's aunt" and "her aunt"."""
    inside = sentence.tokens[phrase.inner : phrase.head]
    if sentence.tokens[phrase.head].word not in _RELATED or any(
        token.kind == "poss" or token.word.endswith(("'s", "’s")) for token in inside
    ):
        return None
    name = f"{{{sentence.novel.cast[possessor].name}}}"
    if phrase.end == phrase.head + 1:
        text = f"the {text} of {name}"
    elif sentence.tokens[phrase.head + 1].word == "of":
        return None
    else:
        text = f"{name}’s {text}"
    inverse = _read_inverse(sentence, phrase, possessor, referent)
    return NounPhraseReading(text, RELATION, phrase.end, inverse)


def _read_inverse(
    sentence: TokenizedSentence, phrase: _NounPhrase, relative: int, referent: int
) -> tuple[DraftDescription, ...]:
    """Return what a phrase says about the character whose relative the referent is."""
    modifiers = sentence.tokens[phrase.inner : phrase.head]
    if sentence.tokens[phrase.head].word not in person_nouns.KIN:
        return ()
    text = render(sentence, phrase.inner, phrase.head + 1, relative)
    if not text or any(token.word == "," for token in modifiers):
        return ()
    inverse = f"the one whose {text} is {{{sentence.novel.cast[referent].name}}}"
    return (DraftDescription(relative, RELATION, inverse, INVERSE_WEIGHT),)
