"""Folded words that are capitalised but are not a person's name, or only a part of one."""

from __future__ import annotations

from scholar_indexes.lexicon.word_lists import words_of

NEVER_NAMES = words_of("never_name")
"""Words that are never a name alone: sentence openers, oaths, words from headings."""

DOUBTFUL_NAMES = words_of("doubtful_name")
"""Days, gods, peoples and places: a person's name only if the evidence in the book is strong."""

PLACE_BEGINNINGS = words_of("place_beginning")
"""First words of names that are not a person's: Mount, New."""

PLACE_ENDINGS = words_of("place_ending")
"""Last words of names that are not a person's: Street, Hall."""

SURNAME_PARTICLES = words_of("surname_particle")
"""Words within a surname: de, van, St."""
