"""Paragraphs and sentences of a book, and where they stand.

Sentences follow RELiC (Thai et al. 2022, section 2): an ordinary segmenter that also
breaks at ellipses, colons and semicolons, because critics often quote only part of
what grammar calls a sentence. spaCy's English tokenizer decides what is an
abbreviation ("Mr.", "St.") and what is punctuation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from scholar_indexes.types import Chapter, Kind, Sentence, Span

if TYPE_CHECKING:
    from spacy.tokenizer import Tokenizer
    from spacy.tokens import Doc

SEARCHED = frozenset({Kind.PREFACE, Kind.CHAPTER})
"""The kinds of division whose sentences are found by a search."""

MAX_SENTENCE_CHARS = 2_000
"""A longer stretch without a full stop (a table, a list of names) is broken at a space."""

_PARAGRAPH = re.compile(r"\S(?:[^\n]|\n(?!\n))*")
_HARD = re.compile(r"[:;…]|\.{2,}")
_SOFT = re.compile(r"[.!?]+")
_CLOSERS = frozenset("\"'”’»)]}_*")
_JOINERS = frozenset({"--", "—", "-", ","})


def paragraphs(text: str, within: Span) -> Iterator[Span]:
    """The blocks of text between blank lines inside a span, without outer white space."""
    for found in _PARAGRAPH.finditer(text, within.start, within.end):
        end = found.end()
        while text[end - 1].isspace():
            end -= 1
        yield Span(found.start(), end)


def sentences(text: str, chapters: Sequence[Chapter]) -> Iterator[Sentence]:
    """Every sentence of the searched divisions, in reading order.

    Sentences never cross a paragraph; between them they hold every character of it but
    the white space that separates them. Paragraphs count from 1 within their chapter.
    """
    for chapter in chapters:
        if chapter.kind not in SEARCHED:
            continue
        for number, paragraph in enumerate(paragraphs(text, chapter.body), 1):
            for span in split(text, paragraph):
                yield Sentence(chapter.number, number, span)


def split(text: str, paragraph: Span) -> Iterator[Span]:
    """The sentences of one paragraph."""
    for piece in _pieces(text, paragraph):
        start = piece.start
        for cut in _cuts(_tokenizer()(piece.of(text))):
            yield from _trimmed(text, start, piece.start + cut)
            start = piece.start + cut
        yield from _trimmed(text, start, piece.end)


def _pieces(text: str, paragraph: Span) -> Iterator[Span]:
    """A paragraph in stretches that a tokenizer handles in bounded time and memory."""
    start = paragraph.start
    while paragraph.end - start > 50 * MAX_SENTENCE_CHARS:
        space = text.rfind(" ", start + 1, start + 50 * MAX_SENTENCE_CHARS)
        end = space if space > 0 else start + 50 * MAX_SENTENCE_CHARS
        yield Span(start, end)
        start = end
    yield Span(start, paragraph.end)


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    while end - start > MAX_SENTENCE_CHARS:
        space = text.rfind(" ", start + 1, start + MAX_SENTENCE_CHARS)
        cut = space if space > 0 else start + MAX_SENTENCE_CHARS
        yield Span(start, cut)
        start = cut + (space > 0)
    if start < end:
        yield Span(start, end)


def _cuts(doc: Doc) -> Iterator[int]:
    """Offsets in a paragraph at which a new sentence begins."""
    soft = hard = closed = False
    spaced = True
    for token in doc:
        word = token.text
        if _SOFT.fullmatch(word):
            soft, hard = True, hard or soft  # ". . ." is an ellipsis too
        elif _HARD.fullmatch(word):
            hard = True
        elif (soft or hard) and not word.isspace():
            if not spaced and _CLOSERS.issuperset(word):
                closed = True
            else:
                speech_goes_on = word[0].islower() and (closed or not hard)
                if not speech_goes_on and (spaced or word not in _JOINERS):
                    yield token.idx
                soft = hard = closed = False
        spaced = bool(token.whitespace_) or word.isspace()


@cache
def _tokenizer() -> Tokenizer:
    from spacy.lang.en import English

    return English().tokenizer
