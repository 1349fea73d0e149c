"""The names of a claim that no searched book has, and how the books spell them.

Translations spell a name in several ways: Myshkin is Muishkin in one of them. A name that no book
has is replaced by a frequent name of the books with nearly the same letters. A claim with any other
unknown name is supported by no passage; authors and titles of the books are known.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from scholar_indexes.coreference.mentions import name_words
from scholar_indexes.lexicon import closed_classes, given_names, titles
from scholar_indexes.lexicon.word_frequencies import is_listed
from scholar_indexes.storage.passages import PassageFilter, PassageTable
from scholar_indexes.types import Book

SHORTEST = 5
"""The fewest letters of a name that is respelled; shorter ones are like too many others."""

LONG = 6
"""The fewest letters of a name of which two may differ."""

SEEN = 20
"""The sentences in which another spelling is looked for."""

USUAL = 10
"""The minimum number of these sentences with the same other spelling."""

ALIKE = 0.74
"""The minimum share of equal letters of two spellings (Levenshtein)."""

_WORD = re.compile(r"[^\W\d_]{3,}")
_TITLES = "|".join(sorted(titles.BEFORE_NAMES))
_TITLED = re.compile(rf"\b(?:{_TITLES})\.?\s+\Z", re.IGNORECASE)
_WITHIN_SENTENCE = re.compile(r"\b[a-z][\w’'-]*,?\s+[\"“‘(]?\Z")
_BEFORE_VERB = re.compile(
    rf"['’]s?\b|\s+(?:and|[A-Z]\w+|{'|'.join(sorted(closed_classes.AUXILIARIES))})\b"
)
_NO_NAME = re.compile(
    r"(?:[ts]ion|ism|ist|ness|ity|ment|ing|ics?|al|ship|[ae]nce|ly|ive|ous|[aei]an|ese|y?logy|"
    r"[ai]ble|ful|less|hood|esque)s?\Z"
)
"""The endings of terms and of adjectives of peoples: Dehumanization, Marxist, Victorian."""


@dataclass(frozen=True, slots=True)
class ClaimWords:
    """A claim in the spelling of the books searched, the spelling that they have for each name that
    it replaced, and the words that they do not have."""

    claim: str
    respelled: Mapping[str, str]
    absent: tuple[str, ...]


def look_up(
    claim: str, table: PassageTable, scope: PassageFilter, books: Iterable[Book]
) -> ClaimWords:
    """Return the words of a claim that are in no sentence in scope, and their other spellings;
    `books` are the books in scope. Takes a query of the index for each name."""
    unmatched = [name for name in _names(claim) if not len(table.matching(name, 1, scope)[0])]
    respelled: dict[str, str] = {}
    absent = []
    for name in _without_credits(unmatched, books):
        if spelling := _find_spelling(name, table, scope):
            respelled[name] = spelling
            claim = re.sub(rf"\b{name}\b", spelling, claim)
        else:
            absent.append(name)
    return ClaimWords(claim, respelled, tuple(absent))


def _without_credits(names: Iterable[str], books: Iterable[Book]) -> list[str]:
    """Return each name once that is in no author or title of the books."""
    unique = dict.fromkeys(names)
    if not unique:
        return []
    credited = {word for book in books for word in name_words(f"{book.author} {book.title}")}
    return [name for name in unique if credited.isdisjoint(name_words(name))]


def _names(claim: str) -> Iterator[str]:
    """Yield the words of a claim that are names: given names, and other capitalised words after a
    title or a word in lower case, or before a verb at the start; but no terms or adjectives."""
    for match in _WORD.finditer(claim):
        word = match.group()
        is_name = word.lower() in given_names.ALL
        if not word[0].isupper() or word.isupper() or word.lower() in titles.BEFORE_NAMES:
            continue
        before, after = claim[: match.start()], claim[match.end() :]
        if _TITLED.search(before) or _WITHIN_SENTENCE.search(before):
            is_name |= not _NO_NAME.search(word)
        elif _BEFORE_VERB.match(after):
            is_name |= not (_NO_NAME.search(word) or is_listed(word.lower()))
        if is_name:
            yield word


def _find_spelling(name: str, table: PassageTable, scope: PassageFilter) -> str | None:
    """Return the frequent name in scope that differs from another in one or two letters, but not in
    the first; None without one."""
    if len(name) < SHORTEST:
        return None
    from rapidfuzz.distance import Levenshtein

    for edits in (1, 2) if len(name) >= LONG else (1,):
        counts = Counter[str](
            word
            for text in table.like_word(name, edits, SEEN, scope)
            for word in {*_WORD.findall(text)}
            if word[0] == name[0] and Levenshtein.normalized_similarity(word, name) >= ALIKE
        )
        [(spelling, count)] = counts.most_common(1) or [("", 0)]
        if count >= USUAL:
            return spelling
    return None
