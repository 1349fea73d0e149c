"""Titles in sentence case, as in APA style: the text of the book shows which words are names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from scholar_indexes.lexicon import capitalised

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_BEGINS = re.compile(r"[:.?!]\s*[\"“‘'(]*$")
_POSSESSIVE = re.compile(r"['’]s$")
_KEPT = re.compile(r"[^A-Z].*|[B-Z]|[IVXLC]+")
"""Words that keep their case: words with a lower-case letter, initials, "I", and numerals."""

_BEGINS_TITLE = re.compile(r"\b(?:The|An?) $|[^a-z,; ] ?$")
"""The text before a word whose capital may be due to a title or a sentence."""

FEWEST_NAMES = 2
"""The minimum number of uses of two words as a name; a single one may be the book's title."""

_CAPITAL_FOLLOWS = re.compile(r" [A-Z]")


def sentence_case(title: str, text: str) -> str:
    """Return a title in sentence case.

    Capitals remain on its first word, the first word of a subtitle, and words that are names
    in the text, alone or with the next word: "Bleak House".
    """
    words = list(_WORD.finditer(title))
    names = _find_names(title, words, text)
    parts, end = [], 0
    for at, word in enumerate(words):
        begins = at == 0 or bool(_BEGINS.search(title[: word.start()]))
        keeps = begins or at in names
        parts += [title[end : word.start()], word[0] if keeps else word[0].lower()]
        end = word.end()
    return "".join((*parts, title[end:]))


def _find_names(title: str, words: Sequence[re.Match[str]], text: str) -> set[int]:
    """Return the numbers of the words of a title that are names in the text."""
    names = {at for at, word in enumerate(words) if is_name(word[0], text)}
    for at, (word, following) in enumerate(pairwise(words)):
        if title[word.end() : following.start()] != " " or {at, at + 1} <= names:
            continue
        is_after_name = at in names and word[0].istitle()
        if is_after_name and following[0].lower() in capitalised.PLACE_ENDINGS:
            names.add(at + 1)
        elif _is_name_of_two(word[0], following[0], text, is_after_name):
            names |= {at, at + 1}
    return names


def is_name(word: str, text: str) -> bool:
    """Return True if a text always capitalizes a word or, within sentences, more often than not."""
    if _KEPT.fullmatch(word):
        return True
    bare = _POSSESSIVE.sub("", word)
    small = sum(1 for _ in _occurrences(bare.lower(), text))
    alone = (
        at
        for at in _occurrences(bare, text)
        if _is_within_sentence(at, text) and not _CAPITAL_FOLLOWS.match(text, at + len(bare))
    )
    return not small or small < sum(1 for _ in alone)


def _is_name_of_two(first: str, second: str, text: str, is_after_name: bool) -> bool:
    """Return True if a text has two words together more often capitalized than in lower case.

    `is_after_name` is True if the first is a name by itself.
    """
    if first.islower() or second.islower():
        return False
    second = _POSSESSIVE.sub("", second)
    named = list(_occurrences(f"{first} {second}", text))
    if is_after_name:
        return len(named) > sum(1 for _ in _occurrences(f"{first} {second.lower()}", text))
    within = sum(1 for at in named if _is_within_sentence(at, text))
    small = sum(1 for _ in _occurrences(f"{first} {second}".lower(), text))
    return within >= FEWEST_NAMES and within > small


def _occurrences(words: str, text: str) -> Iterator[int]:
    """Yield the offsets of whole-word occurrences in a text."""
    at = text.find(words)
    while at >= 0:
        end = at + len(words)
        if not text[at - 1 : at].isalpha() and not text[end : end + 1].isalpha():
            yield at
        at = text.find(words, end)


def _is_within_sentence(at: int, text: str) -> bool:
    """Return True if a word at an offset would have a capital only as a name."""
    return _BEGINS_TITLE.search(text[max(0, at - 5) : at]) is None
