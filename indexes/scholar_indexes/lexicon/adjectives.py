"""Folded adjectives: lasting traits, epithets, and words that add nothing to a noun."""

from __future__ import annotations

from scholar_indexes.lexicon.word_lists import words_of

TRAITS = words_of("trait")
"""Adjectives for lasting traits of a person."""

WEAK_TRAITS = words_of("weak_trait")
"""Traits that also describe a moment, or nearly everybody."""

EPITHETS = words_of("epithet")
"""Adjectives that may precede a name: "poor Jane"."""

PETTY = words_of("bland_epithet")
"""Adjectives that do not make a noun informative: "the poor man"."""

UNFIT = words_of("uninformative")
"""Words in a noun phrase that mean nothing outside their sentence, or negate it."""

NOUNS_LIKE = words_of("like_adjective")
"""Nouns that look like adjectives."""

_ENDS = (
    "ful",
    "ous",
    "ive",
    "able",
    "ible",
    "ish",
    "less",
    "ic",
    "ant",
    "ent",
    "ary",
    "al",
    "ly",
    "ing",
    "ed",
    "est",
)


def may_describe(word: str) -> bool:
    """Return True if the last word of a phrase is probably an adjective before a noun."""
    return word in TRAITS or word in EPITHETS or word.endswith(_ENDS)
