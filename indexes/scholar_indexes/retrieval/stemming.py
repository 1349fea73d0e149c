"""The English stemmer (Snowball's Porter2), which makes the forms of a word match.

A stem is no word of the language: "ponies" becomes "poni" and "candle" becomes "candl".
"""

from __future__ import annotations

import threading

import Stemmer


class _OfThread(threading.local):
    """A stemmer for each thread: it keeps the word in itself while it cuts it."""

    def __init__(self) -> None:
        self.stemmer = Stemmer.Stemmer("english")


_of_thread = _OfThread()


def stem(word: str) -> str:
    """Return the stem of a word in lower case."""
    stemmed: str = _of_thread.stemmer.stemWord(word)
    return stemmed
