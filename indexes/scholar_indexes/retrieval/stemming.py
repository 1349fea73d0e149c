"""Stemmers: cut the endings of English words, so that their forms match.

    light_stem   inflection only (plurals, -ed, -ing), and a final -ly, -y or -e; the longest
                 ending that leaves three letters
    heavy_stem   derivation too (-ness, -ment, -er, -est, -ingly); the first ending of a list that
                 leaves three letters, and then one of two equal last letters

Neither has a list of exceptions, and neither gives words of the language: "ponies" becomes "pon"
in both, "happiness" stays "happiness" in the light one and becomes "happi" in the heavy one,
"running" becomes "runn" and "run".

light_stem finds the words that a claim and a passage share, to be shown. heavy_stem is in the
term statistics of characters.solver, so that changing it means counting up the CACHE_VERSION of
solver.book_index and fitting solver/weights.json again.
"""

from __future__ import annotations

import re

_LIGHT_ENDING = re.compile(r"(?<=\w{3})(?:ies|ied|ing|ed|es|s|ly|y|e)$")

_HEAVY_ENDINGS = (
    "ingly",
    "edly",
    "ness",
    "ment",
    "ings",
    "ing",
    "ies",
    "ied",
    "ers",
    "est",
    "ed",
    "er",
    "es",
    "ly",
    "s",
    "e",
    "y",
)

MIN_STEM_LETTERS = 3


def light_stem(word: str) -> str:
    """Return a word without its inflectional ending."""
    return _LIGHT_ENDING.sub("", word)


def heavy_stem(word: str) -> str:
    """Return a word without its inflectional or derivational ending."""
    for ending in _HEAVY_ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= MIN_STEM_LETTERS:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > MIN_STEM_LETTERS and word[-1] == word[-2] else word
