"""Verbs of speech, and the certainty with which a token is one."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from scholar_indexes.attribution.cues.tokens import CueToken
from scholar_indexes.attribution.cues.vocabulary import (
    DETERMINERS,
    NEGATION_CANCELLERS,
    NEGATIONS,
    REFLEXIVES,
)
from scholar_indexes.lexicon import verbs


class VerbStrength(IntEnum):
    """The certainty with which a verb says that someone speaks."""

    NONE = 0  # not a verb of speech, or a negated one
    WEAK = 1  # only with the support of punctuation
    STRONG = 2  # anywhere next to a quotation


def rate_verb(tokens: Sequence[CueToken], index: int) -> VerbStrength:
    """Return the certainty that a token is a verb of speech."""
    token = tokens[index]
    if not token.is_word or _is_negated(tokens, index) or _is_noun(tokens, index):
        return VerbStrength.NONE
    if token.word in verbs.SPEECH or _word_at(tokens, index + 1) in verbs.PARTICLES_OF_SPEECH.get(
        token.word, ()
    ):
        return VerbStrength.STRONG
    return VerbStrength.WEAK if token.word in verbs.WEAK_SPEECH else VerbStrength.NONE


def stands_alone(tokens: Sequence[CueToken], verb: int) -> bool:
    """Return True if a verb of speaking is alone or followed by "to himself"."""
    if tokens[verb].word not in verbs.SPEECH_GOING_ON:
        return False
    following = [token.word for token in tokens[verb + 1 : verb + 3]]
    return not following or not following[0][0].isalnum() or following[-1] in REFLEXIVES


def _is_negated(tokens: Sequence[CueToken], index: int) -> bool:
    """Return True for "did not say" and "said nothing", not for "could not help saying"."""
    if _word_at(tokens, index + 1) in NEGATIONS:
        return True
    preceding = [token.word for token in tokens[max(0, index - 3) : index]]
    return not NEGATIONS.isdisjoint(preceding[-2:]) and NEGATION_CANCELLERS.isdisjoint(preceding)


def _is_noun(tokens: Sequence[CueToken], index: int) -> bool:
    """Return True for the form of a verb that is a noun: "an answer", "the remark"."""
    before = _word_at(tokens, index - 1) if index else ""
    return before in DETERMINERS or before == "of"


def _word_at(tokens: Sequence[CueToken], index: int) -> str:
    return tokens[index].word if index < len(tokens) else ""
