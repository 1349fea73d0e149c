"""Detection of the quotations of a novel.

The convention of the book is detected first, over its whole text. Then each paragraph gets
the cheapest interpretation of its marks (marks, pieces), and pieces of one quotation are
joined (speech). Spans are half-open ranges of characters. Everything takes time linear in the
text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from scholar_indexes.attribution.quotes.conventions import Convention, detect_convention
from scholar_indexes.attribution.quotes.dashes import find_dashed
from scholar_indexes.attribution.quotes.marks import QuotationMark, find_marks
from scholar_indexes.attribution.quotes.paragraphs import split_paragraphs
from scholar_indexes.attribution.quotes.pieces import Piece, begins_with_opening, find_pieces
from scholar_indexes.attribution.quotes.speech import group_pieces, is_speech
from scholar_indexes.stopping import checked
from scholar_indexes.types import Quotation, Span


def find_quotations(
    text: str, within: Sequence[Span] = (), *, convention: Convention | None = None
) -> list[Quotation]:
    """Return every quotation that a character speaks, in text order and without overlap.

    `within` limits the search to spans in text order, such as the bodies of chapters; the
    convention, unless given, is still detected from the whole text. Paragraphs are separated by
    blank lines. Pieces stay within a paragraph and exclude their marks and outer white space.
    A quotation continues after a short interruption by the narrator, and in a new paragraph that
    begins with an opening mark if the last one was not closed. A quotation inside another is part
    of it. A quotation that is never closed ends with its paragraph.
    """
    if convention is None:
        convention = detect_convention(text)
    if convention is Convention.NONE:
        return []
    quotations: list[Quotation] = []
    for region in within or (Span(0, len(text)),):
        paragraphs = list(split_paragraphs(text, region))
        if convention is Convention.DASH:
            for paragraph in paragraphs:
                quotations += find_dashed(text, paragraph)
        else:
            quotations += _find_marked(text, paragraphs, convention)
    return quotations


def _find_marked(
    text: str, paragraphs: Sequence[Span], convention: Convention
) -> Iterator[Quotation]:
    """Yield the quotations in quotation marks of consecutive paragraphs."""
    marks = [find_marks(text, paragraph, convention) for paragraph in checked(paragraphs)]
    unfinished: list[Span] = []
    for number, paragraph in enumerate(checked(paragraphs)):
        # A speech of several paragraphs has an opening mark in each, and one closing mark.
        continues = number + 1 < len(marks) and begins_with_opening(marks[number + 1])
        groups = _find_groups(text, paragraph, marks[number], continues)
        if unfinished and not (groups and groups[0][0].begins):
            yield Quotation(tuple(unfinished))
            unfinished = []
        for group in groups:
            unfinished += [piece.span for piece in group]
            if not (continues and group is groups[-1] and group[-1].unclosed):
                yield Quotation(tuple(unfinished))
                unfinished = []


def _find_groups(
    text: str, paragraph: Span, marks: Sequence[QuotationMark], continues: bool
) -> list[list[Piece]]:
    """Return the spoken pieces of each quotation of a paragraph."""
    pieces: list[Piece] = []
    for piece in find_pieces(text, paragraph, marks, continues):
        if is_speech(text, paragraph.start, piece, pieces[-1] if pieces else None):
            pieces.append(piece)
    return group_pieces(text, pieces)
