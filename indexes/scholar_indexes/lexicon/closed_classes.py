"""Function words: determiners, prepositions, conjunctions, pronouns, auxiliaries, adverbs."""

from __future__ import annotations

from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.types import Gender

ARTICLES = words_of("article")
POSSESSIVE = words_of("possessive_pronoun")
DETERMINERS = words_of("determiner")
PREPOSITIONS = words_of("preposition")
BOUNDS = words_of("clause_boundary")
"""Words with which another clause or member begins."""

HEDGES = words_of("hedge")
"""Words behind which what is told may not be so."""

NEGATIONS = words_of("negation")
DOUBTS = words_of("near_negation")
"""Words that nearly deny a verb beside them."""

UNRESOLVED = words_of("context_dependent")
"""Words that mean what only the sentence around them tells."""

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
"""Words that tell nobody apart."""
