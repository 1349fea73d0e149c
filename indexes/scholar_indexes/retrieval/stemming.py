"""The English stemmer (Snowball's Porter2), which makes the forms of a word match.

A stem is no word of the language: "ponies" becomes "poni" and "candle" becomes "candl".
"""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """Return the stem of a word in lower case."""
    import snowballstemmer  # loads all its languages, which takes 30 ms

    # A stemmer keeps the word in itself while it cuts it, so that threads cannot share one.
    stemmed: str = snowballstemmer.stemmer("english").stemWord(word)
    return stemmed
