"""The occurrences of a word or pattern in books: concordance lines, collocates and frequencies.

A pattern is a regular expression, or one or more consecutive words, in which "*" matches any
letters and "?" matches one. Case is ignored unless the pattern has a capital.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from scholar_indexes import note_anchors
from scholar_indexes.books.reading.open_book import OpenBook
from scholar_indexes.errors import UsageError
from scholar_indexes.lexicon.word_lists import words_of
from scholar_indexes.results import Collocate, ConcordanceLine, Frequency
from scholar_indexes.types import Chapter, Span

LONGEST_PATTERN = 500
"""The maximum number of characters of a pattern."""

TIMEOUT_S = 5.0
"""The maximum seconds that a regular expression may take for a chapter."""

LEAST_TOGETHER = 2
"""The minimum number of occurrences of a collocate near the pattern."""

WIDEST_WORD, WIDEST_GAP = 24, 100
"""The maximum average length of a word with the space after it, and the longest rule of dashes or
gap between two words, in characters."""

EMPHASIS_REACH = 500
"""Characters on either side of a line that may contain the partners of its emphasis marks."""

_FUNCTION_WORDS = (
    "stop_word",
    "article",
    "auxiliary",
    "context_dependent",
    "determiner",
    "negation",
    "preposition",
    "pronoun",
    "subordinator",
)
"""The classes of words that are no collocates."""

_NOUNS = frozenset(["moment"])
"""Words of these classes that are mostly nouns: "the moment he came"."""

_SHORTENED = frozenset("d ll m re s t ve".split())

_NEGATED = {"won": "will", "ca": "can", "ain": "am"}

_WORD = re.compile(rf"{note_anchors.WORD}(?:['’-][^\W_]+)*")
_PATTERN_WORD = re.compile(r"\*?[^\W_]+(?:[*?]+[^\W_]+)*\*?")
_WILDCARDS = {"*": r"[^\W_]*", "?": r"[^\W_]"}
"""The regular expression of each wildcard: any letters, and one."""

_BETWEEN = rf"(?:[\s_*“”\"'‘’.,;:—–-]|{note_anchors.BETWEEN_WORDS})+"
"""The regular expression of what is allowed between two words of a pattern."""


@dataclass(frozen=True, slots=True)
class SearchPattern:
    """A compiled expression; `is_bounded` if it may be slow and has a time limit."""

    expression: Any
    is_bounded: bool

    def spans(self, text: str, within: Span) -> Iterator[Span]:
        """Yield the matches of the pattern in a part of a text.

        Raises UsageError for an expression that takes too long.
        """
        limits = {"timeout": TIMEOUT_S} if self.is_bounded else {}
        try:
            for match in self.expression.finditer(text, within.start, within.end, **limits):
                if match.end() > match.start():
                    yield Span(*match.span())
        except TimeoutError:
            raise UsageError(
                f"the expression takes more than {TIMEOUT_S:.0f} seconds for a chapter; use fewer "
                "nested repetitions"
            ) from None


def compile_pattern(pattern: str, *, is_regex: bool = False) -> SearchPattern:
    """Return a compiled pattern.

    Raises UsageError if it is empty, too long or not a regular expression.
    """
    if len(pattern) > LONGEST_PATTERN:
        raise UsageError(f"the pattern is longer than {LONGEST_PATTERN} characters; shorten it")
    letters = re.sub(r"\\[pP]\{[^}]*\}|\\.", "", pattern) if is_regex else pattern
    is_case_ignored = letters == letters.lower()
    if is_regex:
        return _compile_regex(pattern, is_case_ignored)
    words = _PATTERN_WORD.findall(pattern)
    if not words:
        raise UsageError("there is no word to look for; write one or more words")
    parts = [
        "".join(_WILDCARDS.get(sign, re.escape(sign)) for sign in re.sub(r"\*+", "*", word))
        for word in words
    ]
    expression = (
        rf"(?<![^\W_]){_BETWEEN.join(parts)}(?![^\W_{note_anchors.RAISED}{note_anchors.SIGNS}])"
    )
    if any(sign in pattern for sign in _WILDCARDS):
        return _compile_regex(expression, is_case_ignored)
    return SearchPattern(re.compile(expression, re.IGNORECASE if is_case_ignored else 0), False)


def _compile_regex(pattern: str, is_case_ignored: bool) -> SearchPattern:
    import regex

    if not pattern:
        raise UsageError("the expression is empty; write one, such as: lov(e|ing)")
    try:
        flags = regex.MULTILINE | (regex.IGNORECASE if is_case_ignored else 0)
        return SearchPattern(regex.compile(pattern, flags), True)
    except (regex.error, ValueError, RecursionError, MemoryError, OverflowError) as refusal:
        raise UsageError(f"{pattern[:80]!r} is not a regular expression: {refusal}") from None


def lines(book: OpenBook, pattern: SearchPattern, window: int) -> Iterator[ConcordanceLine]:
    """Yield the occurrences of a pattern in a book, with `window` words on either side."""
    text, reach = book.text, window * WIDEST_WORD + WIDEST_GAP
    for chapter in _sections(book):
        body = chapter.body
        for span in pattern.spans(text, body):
            _, locator = book.place_of(span)
            near = Span(max(body.start, span.start - reach), min(body.end, span.end + reach))
            words = _words(text, near)
            before, after = _around(words, span, window)
            left = words[before.start].start if len(before) == window > 0 else near.start
            right = words[after.stop - 1].end if after else span.end
            yield ConcordanceLine(
                book.book,
                chapter,
                span,
                _one_line(text[left : span.start]) if window else "",
                span.of(text),
                _one_line(text[span.end : right]),
                str(locator),
                text[max(body.start, left - EMPHASIS_REACH) : left],
                text[right : min(body.end, right + EMPHASIS_REACH)],
            )


def _sections(book: OpenBook) -> list[Chapter]:
    """Return the chapters of a book, and its front matter if there is any."""
    return [chapter for chapter in book.chapters if chapter.number or chapter.body.end]


def _words(text: str, within: Span) -> list[Span]:
    return [Span(*match.span()) for match in _WORD.finditer(text, within.start, within.end)]


def _count_words(text: str, within: Span) -> int:
    return sum(1 for _ in _WORD.finditer(text, within.start, within.end))


def _around(words: Sequence[Span], span: Span, count: int) -> tuple[range, range]:
    """Return the indices of the words before and after a span, at most `count` of each."""
    before = bisect_right(words, span.start, key=lambda word: word.end)
    after = bisect_left(words, span.end, key=lambda word: word.start)
    return range(max(0, before - count), before), range(after, min(len(words), after + count))


def _one_line(text: str) -> str:
    """Return a text on one line; white space, also at its ends, becomes a single space."""
    return re.sub(r"\s+", " ", text)


def collocates(
    books: Iterable[OpenBook],
    pattern: SearchPattern,
    window: int,
) -> list[Collocate]:
    """Return the words that occur within `window` words of a pattern more often than by chance,
    without function words and the words of the pattern itself.

    They are ranked by the log-likelihood ratio (Dunning 1993), the highest first.
    """
    near: Counter[str] = Counter()
    everywhere: Counter[str] = Counter()
    own: set[str] = set()
    for book in books:
        for chapter in _sections(book):
            words = _words(book.text, chapter.body)
            folded = [_fold(word.of(book.text)) for word in words]
            spans = pattern.spans(book.text, chapter.body)
            sides = [_around(words, span, window) for span in spans]
            everywhere.update(folded)
            near.update(folded[place] for place in _places(sides))
            own.update(chain(*(folded[before.stop : after.start] for before, after in sides)))
    skipped = (words_of(*_FUNCTION_WORDS) - _NOUNS) | own
    collocated = _score(near, everywhere, skipped)
    return sorted(collocated, key=lambda collocate: (-collocate.score, collocate.word))


def _score(
    near: Counter[str], everywhere: Counter[str], skipped: frozenset[str]
) -> Iterator[Collocate]:
    """Yield the words that are near more often than by chance, except the skipped ones."""
    total_near, total = near.total(), everywhere.total()
    for word, count in near.items():
        if count >= LEAST_TOGETHER and word not in skipped and not _is_contraction(word, skipped):
            score = _log_likelihood(count, total_near, everywhere[word], total)
            if score > 0:
                yield Collocate(word, count, everywhere[word], score)


def _places(sides: Iterable[tuple[range, range]]) -> set[int]:
    """Return the places of words around matches; one in two overlapping windows counts once."""
    return {place for before, after in sides for place in (*before, *after)}


def _is_contraction(word: str, function_words: frozenset[str]) -> bool:
    """Return True for a function word with a shortened one after it: "they'll", "didn't"."""
    first, apostrophe, rest = word.partition("'")
    stems = {first, first.removesuffix("n"), f"{first.removesuffix('n')}n", _NEGATED.get(first)}
    return bool(apostrophe) and rest in _SHORTENED and not stems.isdisjoint(function_words)


def _fold(word: str) -> str:
    return word.casefold().replace("’", "'")


def _log_likelihood(near: int, total_near: int, everywhere: int, total: int) -> float:
    """Return the log-likelihood ratio of a word near the pattern and away from it.

    It is 0 for a word that occurs near it no more often than by chance.
    """
    away, total_away = max(everywhere - near, 0), max(total - total_near, 1)
    share = (near + away) / (total_near + total_away)
    if near <= share * total_near:
        return 0.0
    parts = ((near, share * total_near), (away, share * total_away))
    return 2 * sum(
        observed * math.log(observed / expected) for observed, expected in parts if observed
    )


def frequencies(
    books: Iterable[OpenBook], pattern: SearchPattern, *, by_chapter: bool
) -> Iterator[Frequency]:
    """Yield the frequency of a pattern in each book, or in each chapter of each."""
    for book in books:
        chapters = _sections(book)
        parts: list[tuple[Chapter | None, list[Chapter]]] = (
            [(chapter, [chapter]) for chapter in chapters] if by_chapter else [(None, chapters)]
        )
        for chapter, members in parts:
            words = sum(_count_words(book.text, member.body) for member in members)
            count = sum(sum(1 for _ in pattern.spans(book.text, member.body)) for member in members)
            yield Frequency(book.book, chapter, count, words)
