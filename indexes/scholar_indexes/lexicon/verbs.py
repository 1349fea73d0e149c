"""Verbs, folded: verbs of speech, of deeds and states, common verbs, and past forms."""

from __future__ import annotations

from collections.abc import Iterator

from scholar_indexes.lexicon import word_lists
from scholar_indexes.lexicon.word_lists import words_of


def _inflected(lemma: str, doubling: bool) -> Iterator[str]:
    """Yield the forms of a regular verb; `doubling` doubles its last letter: begged."""
    yield lemma
    stem = lemma + lemma[-1] if doubling else lemma
    if lemma.endswith("e"):
        yield from (lemma + "s", lemma + "d", (lemma if lemma[-2] in "eo" else lemma[:-1]) + "ing")
    elif lemma.endswith("y") and lemma[-2] not in "aeiou":
        yield from (lemma[:-1] + "ies", lemma[:-1] + "ied", lemma + "ing")
    else:
        es = "es" if lemma.endswith(("s", "sh", "ch", "x", "z", "o")) else "s"
        yield from (lemma + es, stem + "ed", stem + "ing")


def _speech_forms(name: str) -> frozenset[str]:
    """Return all forms of the verbs of speech of a class."""
    forms: set[str] = set()
    for lemma, irregular in _SPEECH_FORMS.items():
        if lemma not in words_of(name):
            continue
        if irregular or lemma in words_of("one_form"):
            forms.update((lemma, *irregular.split()))
        else:
            forms.update(_inflected(lemma, lemma in words_of("doubling")))
    return frozenset(forms)


_SPEECH_FORMS = {row["word"]: row["forms"] for row in word_lists.rows("speech_verbs")}
SPEECH = _speech_forms("speech")
"""Forms of verbs that mean speaking wherever they are next to a quotation."""

SPEECH_LEMMAS = words_of("speech") - words_of("one_form") - {"forbid"}
WEAK_SPEECH = _speech_forms("weak_speech")
"""Forms of verbs that mean speaking only if the punctuation confirms it."""

SPEECH_GOING_ON = _speech_forms("speech_going_on")
"""Forms of verbs that mean beginning, continuing or ending a speech."""

PARTICLES_OF_SPEECH = {
    verb: frozenset(particles.split())
    for verb, particles in word_lists.column("verbs", "particles").items()
}
"""Forms of verbs that mean speaking if followed by one of these words: burst out."""

STATES = words_of("state_participle")
"""Participles that, with "was", state what became of a person."""

WANTING = words_of("state_with_complement")
"""States that say nothing without their complement."""

TELLING = words_of("deed")
"""Verbs for an event of a life or a way of life: married, lived."""

ALONE = words_of("deed_alone")
"""Deeds that need no further words."""

DULL = words_of("common_verb")
"""Verbs for things that everybody does; a few are informative if a person is named next to them."""

WITH_OTHERS = words_of("common_verb_with_object")
"""The verbs of DULL that are informative if done to a named person."""

SPEAKING = SPEECH - TELLING
"""Verbs that mean only speaking."""

SUFFERED = words_of("participial")
"""Verbs that before a preposition are more likely participles: "Hands propped against"."""

REPORTS = words_of("reporting_verb")
"""Verbs after which "he" may be the person spoken of."""

KNOWING = words_of("knowing_verb")
"""Infinitives after which the object of knowledge follows in another clause."""

TELLING_SOMEBODY = words_of("telling_somebody")
"""Verbs after which a noun and a name may be two people: "told his sister Jane was ill"."""

IRREGULAR = words_of("irregular_past")
"""Irregular past forms."""

PARTICIPLES = words_of("participle")
"""Participles that are not past forms."""

NOT_VERBS = words_of("past_lookalike")
"""Words that only look like past forms."""


def is_past(word: str) -> bool:
    """Return True if a folded word may be a past form."""
    return word in IRREGULAR or (
        word.endswith("ed")
        and len(word) > 3
        and "-" not in word
        and word not in NOT_VERBS
        and not word.endswith("eed")
    )


def is_participle(word: str) -> bool:
    """Return True if a folded word may be a past participle."""
    return word in PARTICIPLES or is_past(word)
