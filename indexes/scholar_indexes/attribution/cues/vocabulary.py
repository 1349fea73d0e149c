"""Word classes of the narration next to a quotation; the words come from the lexicon."""

from __future__ import annotations

from scholar_indexes.lexicon import titles
from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.types import Gender

SPEECH_NOUNS = words_of("speech_noun")
"""Nouns of speech: "was his answer", "Emma's voice"."""

FEMALE = words_of("speaker_gendered", gender=Gender.FEMALE) | {"she"}
MALE = words_of("speaker_gendered", gender=Gender.MALE) | {"he"}
PERSONS = FEMALE | MALE | words_of("speaker")
"""Nouns of people who may speak."""

COPULAS = words_of("inverting_verb")
"""Verbs whose subject may follow them: "was his answer", "came Emma's voice"."""

NOMINATIVE = {
    "he": Gender.MALE,
    "she": Gender.FEMALE,
    "i": Gender.UNKNOWN,
    "they": Gender.UNKNOWN,
    "we": Gender.UNKNOWN,
}
"""Pronouns that are subjects, with their genders."""

DETERMINERS = words_of("owner") | words_of("cue_determiner")
"""Words that begin a description."""

EPITHETS = titles.ABBREVIATED | words_of("subject_epithet")
"""Words that may come between a verb and the name that is its subject."""

PREPOSITIONS = words_of("cue_preposition")
SUBORDINATORS = words_of("subordinator")

CLAUSE_CUTS = words_of("cue_boundary")
"""Words after which a verb of speech no longer belongs to the preceding quotation."""

OPENERS = words_of("opener")
"""Words before a subject at the beginning of its clause."""

SKIPPED = words_of("before_verb")
"""Words that may come between a subject and its verb."""

POSTVERBAL = frozenset(("out", "in", "on", "up", "again", "back", "forth", "then"))
"""Words that may come between a verb and the subject after it: "cried out Emma"."""

FUNCTION_WORDS = PREPOSITIONS | SUBORDINATORS | SKIPPED

NEGATIONS = words_of("cue_negation")
NEGATION_CANCELLERS = words_of("negation_reversal")
"""Words that reverse a negation: "could not help saying"."""

INDIRECT_SPEECH = words_of("reported_speech")
"""Words after a verb of speech that introduce reported speech."""

REFLEXIVES = words_of("reflexive")
