"""Predicates: what a verb and its complement say about the subject.

    was a clergyman          was born in Dublin        was very tall        was about fifteen
    had a wooden leg         married Charlotte         had eloped with Lydia

A verb is parsed as a Predicate of one of three forms; the first of PATTERNS that applies to it
gives the description. Negated verbs, and things that everybody does, give none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum, auto
from typing import NamedTuple

from scholar_indexes.characters.descriptions.patterns import complements, noun_phrases, subjects
from scholar_indexes.characters.descriptions.patterns.drafts import (
    DEED,
    TRAIT,
    DraftDescription,
    render,
)
from scholar_indexes.characters.descriptions.patterns.tokenized_sentences import TokenizedSentence
from scholar_indexes.characters.descriptions.patterns.tokens import Token, is_adverbial, word_at
from scholar_indexes.lexicon import adjectives, closed_classes, person_nouns, verbs

IDENTITY_WEIGHT, FATE_WEIGHT, AGE_WEIGHT, POSSESSION_WEIGHT = 0.9, 1.0, 1.0, 0.9
QUALITY_WEIGHT, WEAK_QUALITY_WEIGHT = 0.8, 0.5
NOTABLE_DEED_WEIGHT, OTHER_DEED_WEIGHT, NAMED_OBJECT_BONUS, COMMON_VERB_BONUS = 1.0, 0.3, 0.6, -0.3
"""Weights within the kind of a description; the bonuses are added to the weights of deeds."""

NEGATION_WINDOW = 16
"""The number of words after a verb among which one may negate it."""

MAX_AGE_WORDS = 7

_CLAUSE_ENDS = frozenset({";", ":", "but", "—", "--"})
_AGE_MODIFIERS = frozenset({"about", "only", "just"})
_AGE_WORDS = closed_classes.NUMBERS | _AGE_MODIFIERS | {"years", "of", "age", "old", "and"}
_NOT_LAST_OF_AGE = _AGE_MODIFIERS | {"and", "of"}
_AGE_STARTS = closed_classes.NUMBERS | _AGE_MODIFIERS
_ADVERBS_OF_STATE = closed_classes.ADVERBS - {"too"}
_AFTER_STATES = {
    "attached": {"to"},
    "brought": {"up"},
    "devoted": {"to"},
    "engaged": {"to"},
    "related": {"to"},
    "transported": {"for", "from", "to"},
}
"""Words after which these participles are lasting states: not "engaged in writing"."""
_POSSESSION_DETERMINERS = frozenset({"a", "an", "two", "three", "four", "five"})


class Form(Enum):
    """The form of the verb of a predicate."""

    COPULA = auto()
    HAVE = auto()
    ACTION = auto()


class Predicate(NamedTuple):
    """A verb of a subject, an index in the cast.

    `verb` is the index of the first verb; `head` is the index of the word that decides: the first
    word of the complement of a copula, the lexical verb of an action.
    """

    sentence: TokenizedSentence
    subject: int
    verb: int
    form: Form
    head: int

    @property
    def tokens(self) -> Sequence[Token]:
        return self.sentence.tokens

    @property
    def head_word(self) -> str:
        return word_at(self.tokens, self.head)


class PredicatePattern(NamedTuple):
    """A pattern of predicates; `description` is extracted from `example`."""

    name: str
    applies: Callable[[Predicate], bool]
    extract: Callable[[Predicate], Iterator[DraftDescription]]
    example: str
    description: str


def extract_from_clause(
    sentence: TokenizedSentence, subject: int, verb: int
) -> Iterator[DraftDescription]:
    """Yield what a clause says about its subject, by its first verb and the verbs coordinated with
    it."""
    for index in (verb, *subjects.find_coordinated_verbs(sentence.tokens, verb)):
        predicate = _parse(sentence, subject, index)
        if predicate is not None:
            yield from _extract(predicate)


def _extract(predicate: Predicate) -> Iterator[DraftDescription]:
    for pattern in PATTERNS:
        if pattern.applies(predicate):
            yield from pattern.extract(predicate)
            return


def _parse(sentence: TokenizedSentence, subject: int, verb: int) -> Predicate | None:
    """Return the predicate of the verb at an index; None if it is negated or not a verb."""
    tokens = sentence.tokens
    if _is_negated(tokens, verb):
        return None
    word = tokens[verb].word
    if word in ("was", "is") or (word == "had" and word_at(tokens, verb + 1) == "been"):
        complement = verb + (2 if word == "had" else 1)
        head = _skip(tokens, complement, _ADVERBS_OF_STATE)
        return Predicate(sentence, subject, verb, Form.COPULA, head)
    if word != "had":
        if not verbs.is_past(word):
            return None
        return Predicate(sentence, subject, verb, Form.ACTION, verb)
    head = verb + 1
    while head < len(tokens) and is_adverbial(tokens[head]):
        head += 1
    if verbs.is_participle(word_at(tokens, head)) and tokens[head].word != "had":
        return Predicate(sentence, subject, verb, Form.ACTION, head)
    return Predicate(sentence, subject, verb, Form.HAVE, verb + 1)


def _is_negated(tokens: Sequence[Token], verb: int) -> bool:
    """Return True if a verb is nearly negated by a word next to it, or negated by a word after
    it."""
    nearby = tokens[max(0, verb - 1) : verb + 3]
    if any(token.word in closed_classes.DOUBTS for token in nearby):
        return True
    for token in tokens[verb : verb + NEGATION_WINDOW]:
        if token.word in _CLAUSE_ENDS:
            return False
        if token.word in closed_classes.NEGATIONS or token.word.endswith(("n't", "n’t")):
            return True
    return False


def _is_identity(predicate: Predicate) -> bool:
    if predicate.form is not Form.COPULA or predicate.head >= len(predicate.tokens):
        return False
    head = predicate.tokens[predicate.head]
    return head.word in closed_classes.DETERMINERS or head.kind == "name"


def _extract_identity(predicate: Predicate) -> Iterator[DraftDescription]:
    reading = noun_phrases.parse_from(
        predicate.sentence, predicate.head, predicate.subject, predicative=True
    )
    if reading is None:
        return
    if word_at(predicate.tokens, reading.end) not in ("as", "than", "when", "if", "to"):
        yield DraftDescription(predicate.subject, reading.kind, reading.text, IDENTITY_WEIGHT)
        yield from reading.inverse


def _is_fate(predicate: Predicate) -> bool:
    return predicate.form is Form.COPULA and predicate.head_word in verbs.STATES


def _extract_fate(predicate: Predicate) -> Iterator[DraftDescription]:
    start = predicate.head + 1
    end = complements.find_end(predicate.sentence, start, predicate.subject)
    if end is None or (end == start and predicate.head_word in verbs.WANTING):
        return
    required = _AFTER_STATES.get(predicate.head_word)
    if required and word_at(predicate.tokens, start) not in required:
        return
    yield from _describe(predicate, DEED, end, FATE_WEIGHT)


def _is_age(predicate: Predicate) -> bool:
    return predicate.form is Form.COPULA and predicate.head_word in _AGE_STARTS


def _extract_age(predicate: Predicate) -> Iterator[DraftDescription]:
    tokens = predicate.tokens
    end = _find_age_end(tokens, predicate.head)
    if any(map(_is_number, tokens[predicate.head : end])) and _is_phrase_end(tokens, end):
        yield from _describe(predicate, TRAIT, end, AGE_WEIGHT)


def _find_age_end(tokens: Sequence[Token], start: int) -> int:
    end = start
    while end < min(len(tokens), start + MAX_AGE_WORDS) and _is_age_word(tokens[end]):
        end += 1
    while end > start and tokens[end - 1].word in _NOT_LAST_OF_AGE:
        end -= 1
    return end


def _is_age_word(token: Token) -> bool:
    return token.kind == "word" and (token.word in _AGE_WORDS or _is_number(token))


def _is_number(token: Token) -> bool:
    return token.word.partition("-")[0] in closed_classes.NUMBERS


def _is_phrase_end(tokens: Sequence[Token], index: int) -> bool:
    return (
        index == len(tokens)
        or tokens[index].kind == "mark"
        or tokens[index].word in closed_classes.BOUNDS
    )


def _is_quality(predicate: Predicate) -> bool:
    if predicate.form is not Form.COPULA or predicate.head >= len(predicate.tokens):
        return False
    first = _skip(predicate.tokens, predicate.head, closed_classes.DEGREES)
    return word_at(predicate.tokens, first) in adjectives.TRAITS


def _extract_quality(predicate: Predicate) -> Iterator[DraftDescription]:
    tokens = predicate.tokens
    first = _skip(tokens, predicate.head, closed_classes.DEGREES)
    end = _find_traits_end(tokens, first)
    if end < len(tokens) and tokens[end].kind != "mark" and tokens[end].word not in ("and", "with"):
        return
    is_weak = all(
        token.word in adjectives.WEAK_TRAITS or token.word in (",", "and")
        for token in tokens[first:end]
    )
    if is_weak and end == first + 1:
        return
    weight = WEAK_QUALITY_WEIGHT if is_weak else QUALITY_WEIGHT
    yield from _describe(predicate, TRAIT, end, weight)


def _find_traits_end(tokens: Sequence[Token], first: int) -> int:
    """Return the end of coordinated traits: "tall, dark, and handsome"."""
    end = first + 1
    while word_at(tokens, end) in (",", "and") and word_at(tokens, end + 1) in adjectives.TRAITS:
        end += 2
    has_last_trait = (
        word_at(tokens, end) == ","
        and word_at(tokens, end + 1) == "and"
        and word_at(tokens, end + 2) in adjectives.TRAITS
    )
    return end + 3 if has_last_trait else end


def _is_possession(predicate: Predicate) -> bool:
    return predicate.form is Form.HAVE and predicate.head_word in _POSSESSION_DETERMINERS


def _extract_possession(predicate: Predicate) -> Iterator[DraftDescription]:
    tokens, start = predicate.tokens, predicate.head
    end = complements.find_end(predicate.sentence, start, predicate.subject)
    if end is None:
        return
    min_words = 2 if tokens[end - 1].word in person_nouns.FAMILY else 3
    if end - start < min_words:
        return
    if any(token.word in person_nouns.HAD for token in tokens[start + 1 : end]):
        yield from _describe(predicate, TRAIT, end, POSSESSION_WEIGHT)


def _is_deed(predicate: Predicate) -> bool:
    if predicate.form is not Form.ACTION or predicate.head_word in verbs.SPEAKING:
        return False
    is_common = predicate.head_word in verbs.DULL and predicate.head_word not in verbs.WITH_OTHERS
    return not is_common and not _is_participial(predicate)


def _extract_deed(predicate: Predicate) -> Iterator[DraftDescription]:
    start = predicate.head + 1
    end = complements.find_end(predicate.sentence, start, predicate.subject)
    if end is None:
        return
    is_common = predicate.head_word in verbs.DULL
    names_other = _names_other(predicate, start, end)
    if not names_other and (is_common or _is_everyday(predicate, end)):
        return
    weight = NOTABLE_DEED_WEIGHT if predicate.head_word in verbs.TELLING else OTHER_DEED_WEIGHT
    weight += NAMED_OBJECT_BONUS if names_other else 0.0
    weight += COMMON_VERB_BONUS if is_common else 0.0
    yield from _describe(predicate, DEED, end, weight)


def _is_participial(predicate: Predicate) -> bool:
    """Return True if a past form is a participle, or belongs to the words before it:
    "engrossed by her feelings, followed them", "on her advice Lady Elliot relied"."""
    verb, after = predicate.head_word, word_at(predicate.tokens, predicate.head + 1)
    if verb in ("relied", "depended"):
        return after not in ("on", "upon")
    if predicate.head != predicate.verb:
        return False
    return after == "by" or (
        verb in verbs.SUFFERED and (after in closed_classes.PREPOSITIONS or after in (",", "."))
    )


def _names_other(predicate: Predicate, start: int, end: int) -> bool:
    """Return True if another character is named between two indices, or the narrator is "me"."""
    has_narrator = predicate.sentence.narrator is not None
    return any(
        (token.kind == "name" and token.character != predicate.subject)
        or (token.word in ("me", "my") and has_narrator)
        for token in predicate.tokens[start:end]
    )


def _is_everyday(predicate: Predicate, end: int) -> bool:
    """Return True if everybody might have done it: "shook his head"."""
    content_words = (
        token.word
        for token in predicate.tokens[predicate.head + 1 : end]
        if token.kind == "word"
        and token.word not in closed_classes.SMALL
        and not token.word.endswith("ly")
    )
    return predicate.head_word not in verbs.ALONE and all(
        word in person_nouns.EVERYDAY for word in content_words
    )


PATTERNS = (
    PredicatePattern(
        "identity",
        _is_identity,
        _extract_identity,
        "Jane was a stout, well-grown girl of fifteen.",
        "the stout, well-grown girl of fifteen",
    ),
    PredicatePattern(
        "fate",
        _is_fate,
        _extract_fate,
        "Robert was born in Dublin.",
        "the one who was born in Dublin",
    ),
    PredicatePattern(
        "age",
        _is_age,
        _extract_age,
        "Robert was about fifteen years old.",
        "the one who was about fifteen years old",
    ),
    PredicatePattern(
        "quality",
        _is_quality,
        _extract_quality,
        "Jane was very tall.",
        "the one who was very tall",
    ),
    PredicatePattern(
        "possession",
        _is_possession,
        _extract_possession,
        "Robert had a wooden leg.",
        "the one who had a wooden leg",
    ),
    PredicatePattern(
        "deed",
        _is_deed,
        _extract_deed,
        "Mr. Hale married Jane.",
        "the one who married {Jane Marsh}",
    ),
)
"""The patterns of predicates, in the order in which they are tried."""


def _skip(tokens: Sequence[Token], index: int, words: frozenset[str]) -> int:
    """Return the first index, at `index` or after it, whose word is not one of `words`."""
    while word_at(tokens, index) in words:
        index += 1
    return index


def _describe(
    predicate: Predicate, kind: str, end: int, weight: float
) -> Iterator[DraftDescription]:
    """Yield the verb with its complement as a phrase that can replace a name."""
    text = render(predicate.sentence, predicate.verb, end, predicate.subject)
    if text:
        yield DraftDescription(predicate.subject, kind, f"the one who {text}", weight)
