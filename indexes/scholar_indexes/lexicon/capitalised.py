"""Words that are written with a capital and name nobody, or only a part of somebody, folded."""

from __future__ import annotations

from scholar_indexes.lexicon.word_lists import words_of

NEVER_NAMES = words_of("never_name")
"""Words that are never a name alone: openings of sentences, oaths, printed furniture."""

DOUBTFUL_NAMES = words_of("doubtful_name")
"""Days, gods, peoples and places: a person's name only where the book insists."""

PLACE_BEGINNINGS = words_of("place_beginning")
"""First words of names that are not a person's: Mount, New."""

PLACE_ENDINGS = words_of("place_ending")
"""Last words of names that are not a person's: Street, Hall."""

SURNAME_PARTICLES = words_of("surname_particle")
"""Words within a surname: de, van, St."""
