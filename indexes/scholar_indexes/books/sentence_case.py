"""Titles in sentence case, as APA has them: the book itself says which words are names."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_BEGINS = re.compile(r"[:.?!]\s*$")


def sentence_case(title: str, text: str) -> str:
    """Return a title with small letters but for its first word, that of a subtitle, and the words
    that a text has as often with a capital as without."""
    parts, at = [], 0
    for match in _WORD.finditer(title):
        before = title[: match.start()]
        begins = not _WORD.search(before) or _BEGINS.search(before)
        word = match[0]
        keeps = begins or is_name(word, text)
        parts += [title[at : match.start()], word if keeps else word.lower()]
        at = match.end()
    return "".join((*parts, title[at:]))


def is_name(word: str, text: str) -> bool:
    """Return True for a word with a capital that a text has as often with it as without."""
    if not word[0].isupper() or word == "I":
        return True
    small = len(re.findall(rf"\b{re.escape(word.lower())}\b", text))
    return small <= len(re.findall(rf"\b{re.escape(word)}\b", text))
