"""The content words of a text, as the solver counts them."""

from __future__ import annotations

import re

from scholar_indexes.lexicon.stemming import stem
from scholar_indexes.lexicon.word_lists import words_of

_WORD = re.compile(r"[^\W\d_]+")
_STOP_WORDS = words_of("generic_word")


def content_words(text: str) -> list[str]:
    """Return the words of a text in lower case, without stop words and words of 1 or 2 letters."""
    words = (word.lower() for word in _WORD.findall(text))
    return [word for word in words if word not in _STOP_WORDS and len(word) > 2]


def content_stems(text: str) -> list[str]:
    """Return the stems of the content words of a text."""
    return [stem(word) for word in content_words(text)]
