"""The English stemmer (Snowball's Porter2), which lets the forms of a word match.

A stem need not be a word: "ponies" becomes "poni" and "candle" becomes "candl".
"""

from __future__ import annotations

import threading

import Stemmer


class _OfThread(threading.local):
    """A stemmer for each thread, because a stemmer has the current word as its state."""

    def __init__(self) -> None:
        self.stemmer = Stemmer.Stemmer("english")


_of_thread = _OfThread()


def stem(word: str) -> str:
    """Return the stem of a word in lower case."""
    stemmed: str = _of_thread.stemmer.stemWord(word)
    return stemmed
