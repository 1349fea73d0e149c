"""Adjectives: lasting traits, epithets, and words that say nothing before a noun, folded."""

from __future__ import annotations

from scholar_indexes.lexicon.word_lists import words_of

TRAITS = words_of("trait")
"""Adjectives for what somebody is for long."""

WEAK_TRAITS = words_of("weak_trait")
"""Those that are said of a moment too, or of nearly everybody."""

EPITHETS = words_of("epithet")
"""Adjectives that may stand before a name: "poor Jane"."""

PETTY = words_of("bland_epithet")
"""Adjectives that make no noun telling: "the poor man"."""

UNFIT = words_of("uninformative")
"""Words in a noun phrase that mean nothing outside their sentence, or deny it."""

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
    """Return True if a word that ends a phrase is rather an adjective with a noun to come."""
    return word in TRAITS or word in EPITHETS or word.endswith(_ENDS)
