"""Split a book into paragraphs and sentences, as spans of its text.

Sentences follow RELiC (Thai et al. 2022, section 2): an ordinary segmenter that also
breaks at ellipses, colons and semicolons, because critics often quote only part of
a grammatical sentence. spaCy's English tokenizer distinguishes abbreviations ("Mr.",
"St.") from punctuation.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from threading import get_ident
from typing import TYPE_CHECKING

from scholar_indexes.types import Chapter, ChapterKind, Sentence, Span

if TYPE_CHECKING:
    from spacy.tokenizer import Tokenizer
    from spacy.tokens import Doc

SEARCHED = frozenset({ChapterKind.PREFACE, ChapterKind.CHAPTER})
"""The kinds of division whose sentences are searched."""

MAX_SENTENCE_CHARS = 2_000
"""A longer stretch without a full stop (a table, a list of names) is split at a space."""

MAX_WORD_CHARS = 200
"""A longer stretch without a space is split: tokenizing takes quadratic time."""

_MAX_TOKENIZED_CHARS = 50 * MAX_SENTENCE_CHARS  # of one piece of a paragraph

_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\n]+)*")
_LONG_WORD = re.compile(rf"\S{{{MAX_WORD_CHARS}}}")
_WORD = re.compile(r"[^\W_]")
_HARD_BREAK = re.compile(r"[:;…]|\.{2,}")
_SOFT_BREAK = re.compile(r"[.!?]+")
_CLOSERS = "\"'”’»)]}_*"
_SEPARATE_CLOSERS = frozenset("”)]}")
_JOINERS = frozenset("-—,")
_TITLES = (
    "Capt.",
    "Cmdr.",
    "Col.",
    "Hon.",
    "Lieut.",
    "Lt.",
    "Maj.",
    "Mdlle.",
    "Mlle.",
    "Mme.",
    "Mons.",
    "Sergt.",
    "Sgt.",
    "Supt.",
)
"""Abbreviations before a name that spaCy does not know."""


def paragraph_spans(text: str, within: Span) -> Iterator[Span]:
    """Yield the paragraphs (separated by blank lines) in a span, without outer white space."""
    for paragraph in _PARAGRAPH.finditer(text, within.start, within.end):
        end = paragraph.end()
        while text[end - 1].isspace():
            end -= 1
        yield Span(paragraph.start(), end)


def chapter_sentences(text: str, chapters: Sequence[Chapter]) -> Iterator[Sentence]:
    """Yield every sentence of the searched divisions, in reading order.

    Sentences never cross paragraphs; together they cover all of a paragraph except the
    white space between them. Paragraphs are numbered from 1 in each chapter.
    """
    for chapter in chapters:
        if chapter.kind not in SEARCHED:
            continue
        for number, paragraph in enumerate(paragraph_spans(text, chapter.body), 1):
            for span in sentence_spans(text, paragraph):
                yield Sentence(chapter.number, number, span)


def sentence_spans(text: str, paragraph: Span) -> Iterator[Span]:
    """Yield the sentences of one paragraph."""
    for piece in _split_for_tokenizer(text, paragraph):
        starts = (piece.start + start for start in _sentence_starts(_tokenizer()(piece.of(text))))
        start, has_word = piece.start, False
        for first, last in pairwise((piece.start, *starts, piece.end)):
            if _WORD.search(text, first, last):
                if has_word:  # a stretch without words stays with its neighbour
                    yield from _trim(text, start, first)
                    start = first
                has_word = True
        yield from _trim(text, start, piece.end)


def _split_for_tokenizer(text: str, paragraph: Span) -> Iterator[Span]:
    """Yield a paragraph in pieces that a tokenizer handles in bounded time and memory."""
    start = paragraph.start
    for word in _LONG_WORD.finditer(text, start, paragraph.end):
        yield from _chop(text, start, word.end(), _MAX_TOKENIZED_CHARS)
        start = word.end()
    yield from _chop(text, start, paragraph.end, _MAX_TOKENIZED_CHARS)


def _trim(text: str, start: int, end: int) -> Iterator[Span]:
    """Yield the text of a range without outer white space, split if it is too long."""
    for part in _chop(text, start, end, MAX_SENTENCE_CHARS):
        inner = part.of(text)
        first = part.start + len(inner) - len(inner.lstrip())
        last = part.end - len(inner) + len(inner.rstrip())
        if first < last:
            yield Span(first, last)


def _chop(text: str, start: int, end: int, limit: int) -> Iterator[Span]:
    """Yield a range in parts of at most limit characters, cut at a space if possible."""
    while end - start > limit:
        space = max(text.rfind(blank, start + 1, start + limit) for blank in " \n")
        cut = space if space > 0 else start + limit
        yield Span(start, cut)
        start = cut
    yield Span(start, end)


@dataclass(slots=True)
class _Break:
    """The punctuation read since the last word: a possible end of a sentence.

    A full stop is soft: a lower-case letter after it continues the sentence. A colon, a
    semicolon or an ellipsis is hard. closed is True after a closing quotation mark or bracket.
    """

    soft: bool = False
    hard: bool = False
    closed: bool = False

    def add(self, token: str) -> bool:
        """Record a token if it is punctuation that ends sentences; return True if it is."""
        if _HARD_BREAK.fullmatch(token):
            self.hard = True
            return True
        if _SOFT_BREAK.fullmatch(token):
            self.hard = self.hard or self.soft  # ". . ." is an ellipsis too
            self.soft = True
            return True
        return False

    @property
    def is_open(self) -> bool:
        return self.soft or self.hard

    def word_after(self, token: str, spaced: bool) -> str:
        """Return the word in a token after any closing marks of a sentence, or "".

        The tokenizer leaves a closing mark attached to the next word: "Yes.”—the".
        """
        word = token if spaced else token.lstrip(_CLOSERS)
        is_closer = spaced and _SEPARATE_CLOSERS.issuperset(token)
        self.closed = self.closed or is_closer or word != token
        return "" if is_closer else word

    def ends_before(self, word: str, spaced: bool) -> bool:
        """Return True if a new sentence begins with a word; spaced if white space precedes it."""
        continues_speech = word[0].islower() and (self.closed or not self.hard)
        return not continues_speech and (spaced or word[0] not in _JOINERS)


def _sentence_starts(doc: Doc) -> Iterator[int]:
    """Yield the offsets in a paragraph at which a new sentence begins."""
    pending = _Break()
    spaced = True
    for token in doc:
        is_space = token.text.isspace()
        if not pending.add(token.text) and pending.is_open and not is_space:
            word = pending.word_after(token.text, spaced)
            if word:
                if pending.ends_before(word, spaced):
                    yield token.idx + len(token.text) - len(word)
                pending = _Break()
        spaced = bool(token.whitespace_) or is_space


@contextmanager
def _without_torch() -> Iterator[None]:
    """Make `import torch` fail in this thread while the context lasts.

    If torch is installed, spaCy imports it, which takes seconds, blocks all other threads
    for up to a second, and is useless to a tokenizer.
    """

    class TorchBlocker:
        def find_spec(self, name: str, path: object = None, target: object = None) -> None:
            if name == "torch" and get_ident() == thread:
                raise ModuleNotFoundError("torch is not needed here", name=name)

    thread, finder = get_ident(), TorchBlocker()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


@cache
def _tokenizer() -> Tokenizer:
    with _without_torch():
        from spacy.lang.en import English

    tokenizer = English().tokenizer
    for title in _TITLES:
        tokenizer.add_special_case(title, [{"ORTH": title}])
    return tokenizer
