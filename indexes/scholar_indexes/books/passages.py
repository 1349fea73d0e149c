"""Paragraphs and sentences of a book, and where they stand.

Sentences follow RELiC (Thai et al. 2022, section 2): an ordinary segmenter that also
breaks at ellipses, colons and semicolons, because critics often quote only part of
what grammar calls a sentence. spaCy's English tokenizer decides what is an
abbreviation ("Mr.", "St.") and what is punctuation.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from threading import get_ident
from typing import TYPE_CHECKING

from scholar_indexes.types import Chapter, Kind, Sentence, Span

if TYPE_CHECKING:
    from spacy.tokenizer import Tokenizer
    from spacy.tokens import Doc

SEARCHED = frozenset({Kind.PREFACE, Kind.CHAPTER})
"""The kinds of division whose sentences are found by a search."""

MAX_SENTENCE_CHARS = 2_000
"""A longer stretch without a full stop (a table, a list of names) is broken at a space."""

MAX_WORD_CHARS = 200
"""A longer stretch without a space is broken: a tokenizer takes its square in time."""

_PARAGRAPH = re.compile(r"\S[^\n]*(?:\n[^\n]+)*")
_LONG_WORD = re.compile(rf"\S{{{MAX_WORD_CHARS}}}")
_WORD = re.compile(r"[^\W_]")
_HARD = re.compile(r"[:;…]|\.{2,}")
_SOFT = re.compile(r"[.!?]+")
_CLOSERS = "\"'”’»)]}_*"
_CLOSERS_APART = frozenset("”)]}")
_JOINERS = frozenset("-—,")
_TITLES = (
    "Capt.", "Cmdr.", "Col.", "Hon.", "Lieut.", "Lt.", "Maj.", "Mdlle.", "Mlle.", "Mme.",
    "Mons.", "Sergt.", "Sgt.", "Supt.",
)  # fmt: skip
"""Abbreviations before a name that spaCy does not know."""


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
        cuts = (piece.start + cut for cut in _cuts(_tokenizer()(piece.of(text))))
        start, worded = piece.start, False
        for first, last in pairwise((piece.start, *cuts, piece.end)):
            if _WORD.search(text, first, last):
                if worded:  # what has no word in it stays with its neighbour
                    yield from _trimmed(text, start, first)
                    start = first
                worded = True
        yield from _trimmed(text, start, piece.end)


def _pieces(text: str, paragraph: Span) -> Iterator[Span]:
    """A paragraph in stretches that a tokenizer handles in bounded time and memory."""
    start = paragraph.start
    for word in _LONG_WORD.finditer(text, start, paragraph.end):
        yield from _chopped(text, start, word.end(), 50 * MAX_SENTENCE_CHARS)
        start = word.end()
    yield from _chopped(text, start, paragraph.end, 50 * MAX_SENTENCE_CHARS)


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    """The text in a range without outer white space, chopped where it is too long."""
    for part in _chopped(text, start, end, MAX_SENTENCE_CHARS):
        inner = part.of(text)
        first = part.start + len(inner) - len(inner.lstrip())
        last = part.end - len(inner) + len(inner.rstrip())
        if first < last:
            yield Span(first, last)


def _chopped(text: str, start: int, end: int, limit: int) -> Iterator[Span]:
    """A range in parts of at most limit characters, parted at a space where there is one."""
    while end - start > limit:
        space = max(text.rfind(blank, start + 1, start + limit) for blank in " \n")
        cut = space if space > 0 else start + limit
        yield Span(start, cut)
        start = cut
    yield Span(start, end)


def _cuts(doc: Doc) -> Iterator[int]:
    """Offsets in a paragraph at which a new sentence begins."""
    soft = hard = closed = False
    spaced = True
    for token in doc:
        word = token.text
        if _HARD.fullmatch(word):
            hard = True
        elif _SOFT.fullmatch(word):
            soft, hard = True, hard or soft  # ". . ." is an ellipsis too
        elif (soft or hard) and not word.isspace():
            # The tokenizer leaves a closing mark on what follows it: "Yes.”—the".
            rest = word if spaced else word.lstrip(_CLOSERS)
            closed = closed or rest != word
            if spaced and _CLOSERS_APART.issuperset(word):
                closed = True
            elif rest:
                speech_goes_on = rest[0].islower() and (closed or not hard)
                if not speech_goes_on and (spaced or rest[0] not in _JOINERS):
                    yield token.idx + len(word) - len(rest)
                soft = hard = closed = False
        spaced = bool(token.whitespace_) or word.isspace()


@contextmanager
def _without_torch() -> Iterator[None]:
    """spaCy imports torch where there is one, which takes seconds, holds up every other thread
    of the process for up to one of them, and is of no use to a tokenizer."""

    class Unneeded:
        def find_spec(self, name: str, path: object = None, target: object = None) -> None:
            if name == "torch" and get_ident() == here:
                raise ModuleNotFoundError("torch is not needed here", name=name)

    here, finder = get_ident(), Unneeded()
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
