"""Function words: determiners, prepositions, conjunctions, pronouns, auxiliaries, adverbs."""

from __future__ import annotations

from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.types import Gender

ARTICLES = words_of("article")
POSSESSIVE = words_of("possessive_pronoun")
DETERMINERS = words_of("determiner")
PREPOSITIONS = words_of("preposition")
BOUNDS = words_of("clause_boundary")
"""Words that begin another clause or conjunct."""

HEDGES = words_of("hedge")
"""Words after which a statement may not be true."""

NEGATIONS = words_of("negation")
DOUBTS = words_of("near_negation")
"""Words that nearly negate a verb next to them."""

UNRESOLVED = words_of("context_dependent")
"""Words whose meaning depends on the sentence around them."""

SUBJECTS = words_of("clause_subject")
"""Words that are the subject of a new clause."""

PRONOUNS = {"he": Gender.MALE, "she": Gender.FEMALE}
OWNED = {"his": Gender.MALE, "her": Gender.FEMALE}
AUXILIARIES = words_of("auxiliary")
ADVERBS = words_of("adverb")
DEGREES = words_of("degree")
NUMBERS = words_of("number")
SMALL = (
    DETERMINERS | PREPOSITIONS | BOUNDS | AUXILIARIES | ADVERBS | DEGREES | {"one", "who", "whose"}
)
"""Words that do not distinguish people."""
