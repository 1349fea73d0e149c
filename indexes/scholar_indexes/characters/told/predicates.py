"""What a verb and what follows it say of its subject: what somebody is, has or did.

    was a clergyman          was born in Dublin        was very tall        was about fifteen
    had a wooden leg         married Charlotte         had eloped with Lydia

Anything that is denied, or that everybody does, is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scholar_indexes.characters.lexicon import adjectives, closed, nouns, verbs
from scholar_indexes.characters.told import complements, phrases, subjects
from scholar_indexes.characters.told.said import DEED, TRAIT, Said, shown
from scholar_indexes.characters.told.sentences import Sentence
from scholar_indexes.characters.told.tokens import Token, is_adverbial, word_at

IDENTITY, FATE, AGE, POSSESSION = 0.9, 1.0, 1.0, 0.9
QUALITY, WEAK_QUALITY = 0.8, 0.5
TELLING_DEED, OTHER_DEED, WITH_SOMEBODY, EVERYBODYS = 1.0, 0.3, 0.6, -0.3
"""Weights of what is said within its kind; the last two are added to those of deeds."""

DENIED = 16
"""Words behind a verb among which one may deny it."""

_CLAUSE_ENDS = frozenset({";", ":", "but", "—", "--"})
_ROUNDLY = frozenset("about only just".split())
_AGES = closed.NUMBERS | _ROUNDLY | frozenset("years of age old and".split())
_NO_LAST_OF_AGE = _ROUNDLY | {"and", "of"}
_BEGINS_AGE = closed.NUMBERS | _ROUNDLY
_BEFORE_STATE = closed.ADVERBS - {"too"}
_OWNS = frozenset("a an two three four five".split())


def of_clause(sentence: Sentence, who: int, verb: int) -> Iterator[Said]:
    """What a clause says of somebody whose first verb is at a place."""
    for at in (verb, *subjects.coordinated(sentence.tokens, verb)):
        yield from _of_verb(sentence, who, at)


def _of_verb(sentence: Sentence, who: int, verb: int) -> Iterator[Said]:
    """What the verb at a place says, unless that is denied."""
    tokens = sentence.tokens
    if _is_denied(tokens, verb):
        return
    word, following = tokens[verb].word, word_at(tokens, verb + 1)
    if word in ("was", "is"):
        yield from _being(sentence, who, verb, verb + 1)
    elif word == "had" and following == "been":
        yield from _being(sentence, who, verb, verb + 2)
    elif word == "had":
        past = verb + 1
        while past < len(tokens) and is_adverbial(tokens[past]):
            past += 1
        if verbs.is_participle(word_at(tokens, past)) and tokens[past].word != "had":
            yield from _deed(sentence, who, verb, past)
        elif following in _OWNS:
            yield from _having(sentence, who, verb)
    elif verbs.is_past(word):
        yield from _deed(sentence, who, verb, verb)


def _is_denied(tokens: Sequence[Token], verb: int) -> bool:
    """Whether a verb is nearly denied by a word beside it, or denied by one behind it."""
    if any(each.word in closed.DOUBTS for each in tokens[max(0, verb - 1) : verb + 3]):
        return True
    for each in tokens[verb : verb + DENIED]:
        if each.word in _CLAUSE_ENDS:
            return False
        if each.word in closed.NEGATIONS or each.word.endswith(("n't", "n’t")):
            return True
    return False


# -- being ----------------------------------------------------------------------------------


def _being(sentence: Sentence, who: int, verb: int, at: int) -> Iterator[Said]:
    """What "was" says that goes on at a place."""
    tokens = sentence.tokens
    while word_at(tokens, at) in _BEFORE_STATE:
        at += 1
    if at >= len(tokens):
        return
    token = tokens[at]
    if token.word in closed.DETERMINERS or token.kind == "name":
        yield from _identity(sentence, who, at)
    elif token.word in verbs.STATES:
        yield from _fate(sentence, who, verb, at)
    elif token.word in _BEGINS_AGE:
        yield from _age(sentence, who, verb, at)
    else:
        while word_at(tokens, at) in closed.DEGREES:
            at += 1
        if word_at(tokens, at) in adjectives.TRAITS:
            yield from _quality(sentence, who, verb, at)


def _identity(sentence: Sentence, who: int, at: int) -> Iterator[Said]:
    """ "was a stout girl of fifteen", "was the eldest son of Mr. Hale" """
    called = phrases.from_here(sentence, at, who, predicate=True)
    if called is None:
        return
    if word_at(sentence.tokens, called.end) not in ("as", "than", "when", "if", "to"):
        yield Said(who, called.kind, called.text, IDENTITY)
        yield from called.inverse


def _fate(sentence: Sentence, who: int, verb: int, at: int) -> Iterator[Said]:
    """ "was born in Dublin" """
    end = complements.end_of(sentence, at + 1, who)
    if end is None or (end == at + 1 and sentence.tokens[at].word in verbs.WANTING):
        return
    yield from _the_one_who(sentence, who, DEED, verb, end, FATE)


def _age(sentence: Sentence, who: int, verb: int, at: int) -> Iterator[Said]:
    """ "was about fifteen years old" """
    tokens = sentence.tokens
    end = at
    while end < min(len(tokens), at + 7) and (
        tokens[end].kind == "word" and (tokens[end].word in _AGES or _is_number(tokens[end]))
    ):
        end += 1
    while end > at and tokens[end - 1].word in _NO_LAST_OF_AGE:
        end -= 1
    if not any(_is_number(each) for each in tokens[at:end]):
        return
    if end == len(tokens) or tokens[end].kind == "mark" or tokens[end].word in closed.BOUNDS:
        yield from _the_one_who(sentence, who, TRAIT, verb, end, AGE)


def _is_number(token: Token) -> bool:
    return token.word.partition("-")[0] in closed.NUMBERS


def _quality(sentence: Sentence, who: int, verb: int, at: int) -> Iterator[Said]:
    """ "was very tall", "was short, stout and talkative" """
    tokens = sentence.tokens
    end = _traits_end(tokens, at)
    if end < len(tokens) and not (
        tokens[end].kind == "mark" or tokens[end].word in ("and", "with")
    ):
        return
    weak = all(
        each.word in adjectives.WEAK_TRAITS or each.word in (",", "and") for each in tokens[at:end]
    )
    if weak and end == at + 1:
        return
    weight = WEAK_QUALITY if weak else QUALITY
    yield from _the_one_who(sentence, who, TRAIT, verb, end, weight)


def _traits_end(tokens: Sequence[Token], at: int) -> int:
    """Where the traits end of which the first is at a place: "tall, dark, and handsome"."""
    end = at + 1
    while word_at(tokens, end) in (",", "and") and word_at(tokens, end + 1) in adjectives.TRAITS:
        end += 2
    if (
        word_at(tokens, end) == ","
        and word_at(tokens, end + 1) == "and"
        and word_at(tokens, end + 2) in adjectives.TRAITS
    ):
        end += 3
    return end


# -- having and doing -----------------------------------------------------------------------


def _having(sentence: Sentence, who: int, verb: int) -> Iterator[Said]:
    """ "had a wooden leg", "had two daughters" """
    tokens = sentence.tokens
    end = complements.end_of(sentence, verb + 1, who)
    if end is None or end < verb + (3 if tokens[end - 1].word in nouns.FAMILY else 4):
        return
    if any(each.word in nouns.HAD for each in tokens[verb + 2 : end]):
        yield from _the_one_who(sentence, who, TRAIT, verb, end, POSSESSION)


def _deed(sentence: Sentence, who: int, verb: int, past: int) -> Iterator[Said]:
    """ "married Charlotte", "had eloped with Lydia"; past is where the verb itself is."""
    deed = sentence.tokens[past].word
    if deed in verbs.SPEAKING or (deed in verbs.DULL and deed not in verbs.WITH_OTHERS):
        return
    if _is_suffered(sentence.tokens, verb, past):
        return
    end = complements.end_of(sentence, past + 1, who)
    if end is None:
        return
    others = _is_with_others(sentence, who, past + 1, end)
    if not others and (deed in verbs.DULL or _is_everyday(sentence.tokens, past, end)):
        return
    weight = TELLING_DEED if deed in verbs.TELLING else OTHER_DEED
    weight += WITH_SOMEBODY if others else 0.0
    weight += EVERYBODYS if deed in verbs.DULL else 0.0
    yield from _the_one_who(sentence, who, DEED, verb, end, weight)


def _is_suffered(tokens: Sequence[Token], verb: int, past: int) -> bool:
    """Whether what looks like a deed was done to the subject, or belongs to the words before:
    "engrossed by her feelings, followed them", "on her advice Lady Elliot relied"."""
    deed, after = tokens[past].word, word_at(tokens, past + 1)
    if deed in ("relied", "depended"):
        return after not in ("on", "upon")
    return past == verb and (
        after == "by"
        or (deed in verbs.SUFFERED and (after in closed.PREPOSITIONS or after in (",", ".")))
    )


def _is_with_others(sentence: Sentence, who: int, start: int, end: int) -> bool:
    """Whether somebody else is named between two places, or is the "me" of the book."""
    return any(
        (each.kind == "name" and each.who != who)
        or (each.word in ("me", "my") and sentence.novel.narrator is not None)
        for each in sentence.tokens[start:end]
    )


def _is_everyday(tokens: Sequence[Token], past: int, end: int) -> bool:
    """Whether everybody might have done it: "shook his head"."""
    return tokens[past].word not in verbs.ALONE and all(
        each.word in nouns.EVERYDAY
        for each in tokens[past + 1 : end]
        if each.kind == "word" and each.word not in closed.SMALL and not each.word.endswith("ly")
    )


def _the_one_who(
    sentence: Sentence, who: int, kind: str, verb: int, end: int, weight: float
) -> Iterator[Said]:
    """What stands between two places, as a phrase that can stand for a name."""
    text = shown(sentence, verb, end, who)
    if text:
        yield Said(who, kind, f"the one who {text}", weight)
