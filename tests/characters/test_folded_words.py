"""Case-folded words of texts and names."""

from __future__ import annotations

from scholar_indexes.characters.folded_words import name_terms, tokenize


def test_words_are_folded_and_lose_possessive_endings() -> None:
    assert tokenize("Dr. Livesey’s BOAT, 3 o'clock") == ["dr", "livesey", "boat", "o'clock"]


def test_stop_words_and_initials_of_names_are_no_terms() -> None:
    assert name_terms(["Mrs. J. de Winter", "The Squire"]) == {"winter", "squire"}
