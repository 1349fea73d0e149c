"""From the chapters of a novel to its sentences, with what is said aloud apart.

A sentence ends at a full stop, a question mark, an exclamation mark or where quotation begins or
ends; a full stop after "Mr" or an initial is none. Names are one token, however many words.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from scholar_indexes.books.passages import paragraphs
from scholar_indexes.characters.told.tokens import Token
from scholar_indexes.speakers import mentions
from scholar_indexes.speakers.mentions import ABBREVIATED, Mention
from scholar_indexes.types import Character, Quotation, Span

MAX_TOKENS = 400
"""A longer sentence is read in parts, for the time it takes."""

_TOKEN = re.compile(
    r"(?P<poss>['’]s?(?![^\W_]))|(?P<word>[^\W_]+(?:['’-][^\W_]+)*)|(?P<mark>-{2,}|[.,;:!?…—–()\[\]{}<>|*=])"
)
_SMALL_LETTERS = re.compile(r"(?<![^\W_])[a-zà-þ][^\W_]*")
_STOPS = frozenset(".!?…")


@dataclass(frozen=True, slots=True)
class Novel:
    """A text and its cast; starts are the mentions' and small counts the words that are
    written without a capital. narrator is a place in the cast, where the narrator has a name."""

    text: str
    cast: Sequence[Character]
    mentions: Sequence[Mention]
    starts: Sequence[int]
    small: Counter[str]
    narrator: int | None


@dataclass(frozen=True, slots=True)
class Sentence:
    """At least one token. Of what is quoted, speaker is a place in the cast, where known."""

    novel: Novel
    tokens: Sequence[Token]
    asks: bool = False
    quoted: bool = False
    speaker: int | None = None

    @property
    def start(self) -> int:
        return self.tokens[0].start

    @property
    def end(self) -> int:
        return self.tokens[-1].end

    def passage(self, start: int) -> Span:
        """From a place up to the end of the sentence, with the marks that end it."""
        end, text = self.end, self.novel.text
        while end < len(text) and text[end] in ".!…":
            end += 1
        return Span(start, end)


def novel(text: str, cast: Sequence[Character]) -> Novel:
    """A text with the places where its cast is named."""
    named = mentions.find(text, cast)
    narrator = next(
        (at for at, each in enumerate(cast) if each.narrator and each.name[:1].isupper()), None
    )
    small = Counter(_SMALL_LETTERS.findall(text))
    return Novel(text, cast, named, [each.span.start for each in named], small, narrator)


def by_paragraph(
    of: Novel,
    bodies: Sequence[Span],
    quotations: Sequence[Quotation],
    speakers: Sequence[int | None],
) -> Iterator[Iterator[Sentence]]:
    """The sentences of each paragraph in which somebody is named, in text order."""
    said_by = {
        piece: who
        for each, who in zip(quotations, speakers, strict=False)
        if who is not None
        for piece in each.pieces
    }
    pieces = sorted(piece for each in quotations for piece in each.pieces)
    starts, ends = [each.start for each in pieces], [each.end for each in pieces]
    for body in bodies:
        for paragraph in paragraphs(of.text, body):
            named = bisect_left(of.starts, paragraph.start)
            if named < len(of.starts) and of.starts[named] < paragraph.end:
                first = bisect_right(ends, paragraph.start)
                last = bisect_left(starts, paragraph.end)
                yield _sentences(of, paragraph, pieces[first:last], said_by)


def _sentences(
    of: Novel, paragraph: Span, pieces: Sequence[Span], said_by: Mapping[Span, int]
) -> Iterator[Sentence]:
    """The sentences of a paragraph, with those of each piece of dialogue as quoted."""
    at = paragraph.start
    for piece in pieces:
        start = max(at, min(paragraph.end, piece.start))
        end = max(at, min(paragraph.end, piece.end))
        yield from _split(of, Span(at, start))
        for each in _split(of, Span(max(piece.start, paragraph.start), end)):
            yield Sentence(of, each.tokens, each.asks, True, said_by.get(piece))
        at = end
    yield from _split(of, Span(at, max(at, paragraph.end)))


def _split(of: Novel, within: Span) -> Iterator[Sentence]:
    """The sentences of a stretch that is all narration or all dialogue."""
    current: list[Token] = []
    for token in _tokens(of, within):
        if len(current) == MAX_TOKENS:
            yield Sentence(of, current)
            current = []
        ends = token.kind == "mark" and token.word in _STOPS
        if not ends or (token.word == "." and _is_abbreviation(current)):
            current.append(token)
            continue
        if current:
            yield Sentence(of, current, asks=token.word == "?")
        current = []
    if current:
        yield Sentence(of, current)


def _is_abbreviation(before: Sequence[Token]) -> bool:
    """Whether a full stop behind some tokens belongs to the last of them."""
    if not before or before[-1].word == "i":
        return False
    last = before[-1]
    return last.word in ABBREVIATED or (len(last.word) == 1 and last.capital)


def _tokens(of: Novel, within: Span) -> Iterator[Token]:
    """The tokens of a stretch; a name that goes on behind its end is read as words."""
    at = within.start
    following = bisect_left(of.starts, within.start)
    while True:
        mention = of.mentions[following] if following < len(of.mentions) else None
        if mention is None or mention.span.end > within.end:
            yield from _between(of.text, at, within.end)
            return
        start, end = mention.span.start, mention.span.end
        yield from _between(of.text, at, start)
        raw = of.text[start:end]
        yield Token("name", raw.casefold(), start, end, mention.who, raw[0].isupper())
        at, following = end, following + 1


def _between(text: str, start: int, end: int) -> Iterator[Token]:
    """The tokens between two names."""
    for found in _TOKEN.finditer(text, start, end):
        raw = found.group()
        kind = found.lastgroup or "mark"
        yield Token(kind, raw.casefold(), found.start(), found.end(), -1, raw[0].isupper())
