"""Split the chapters of a novel into tokenized sentences, with quoted speech separate.

A sentence ends at a full stop, a question mark, an exclamation mark or where a quotation begins or
ends, but not at a full stop after "Mr" or an initial. A name of any number of words is one token.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from scholar_indexes.books.segmentation.sentences import paragraph_spans
from scholar_indexes.characters.descriptions.patterns.tokens import UNRESOLVED, Token
from scholar_indexes.coreference import mentions
from scholar_indexes.coreference.mentions import Mention
from scholar_indexes.coreference.narrator import Narrators
from scholar_indexes.lexicon.titles import ABBREVIATED
from scholar_indexes.types import Character, Quotation, Span

MAX_TOKENS = 400
"""A longer sentence is split, which bounds the time that it takes."""

_TOKEN = re.compile(
    r"(?P<poss>['’]s?(?![^\W_]))|(?P<word>[^\W_]+(?:['’-][^\W_]+)*)|(?P<mark>-{2,}|[.,;:!?…—–()\[\]{}<>|*=])"
)
_LOWERCASE_WORD = re.compile(r"(?<![^\W_])[a-zà-þ][^\W_]*")
_SENTENCE_ENDS = frozenset(".!?…")


@dataclass(frozen=True, slots=True)
class NovelText:
    """A text with its cast and their mentions, in text order.

    `mention_starts` are the positions of the mentions; `lowercase_counts` counts the words
    written without a capital; `antecedents` are the cast indices of the characters that pronouns
    refer to, by the position of the pronoun.
    """

    text: str
    cast: Sequence[Character]
    mentions: Sequence[Mention]
    mention_starts: Sequence[int]
    lowercase_counts: Counter[str]
    narrators: Narrators
    antecedents: Mapping[int, int]

    def narrator_at(self, position: int) -> int | None:
        """Return the cast index of the narrator at a position, None without a named narrator."""
        narrator = self.narrators.at(position)
        if narrator is None or not self.cast[narrator].name[:1].isupper():
            return None
        return narrator


@dataclass(frozen=True, slots=True)
class TokenizedSentence:
    """A sentence of at least one token; `speaker` is the cast index of the speaker of a quoted
    one, if known."""

    novel: NovelText
    tokens: Sequence[Token]
    is_question: bool = False
    quoted: bool = False
    speaker: int | None = None

    @property
    def start(self) -> int:
        return self.tokens[0].start

    @property
    def end(self) -> int:
        return self.tokens[-1].end

    @property
    def narrator(self) -> int | None:
        """The cast index of the narrator of the sentence, None without a named narrator."""
        return self.novel.narrator_at(self.start)

    def passage(self, start: int) -> Span:
        """Return the span from a position to the end of the sentence with its final marks."""
        end, text = self.end, self.novel.text
        while end < len(text) and text[end] in ".!…":
            end += 1
        return Span(start, end)


def read_novel(text: str, cast: Sequence[Character], antecedents: Mapping[int, int]) -> NovelText:
    """Return a text with the mentions of its cast, given the antecedents of its pronouns."""
    cast_mentions = mentions.find_mentions(text, cast)
    return NovelText(
        text,
        cast,
        cast_mentions,
        [mention.span.start for mention in cast_mentions],
        Counter(_LOWERCASE_WORD.findall(text)),
        Narrators(cast),
        antecedents,
    )


def split_paragraphs(
    novel: NovelText,
    bodies: Sequence[Span],
    quotations: Sequence[Quotation],
    speakers: Sequence[int | None],
) -> Iterator[tuple[int, Iterator[TokenizedSentence]]]:
    """Yield the start and the sentences of each paragraph that names a character."""
    speaker_of = {
        piece: speaker
        for quotation, speaker in zip(quotations, speakers, strict=False)
        if speaker is not None
        for piece in quotation.pieces
    }
    pieces = sorted(piece for quotation in quotations for piece in quotation.pieces)
    starts, ends = [piece.start for piece in pieces], [piece.end for piece in pieces]
    for paragraph in _naming_paragraphs(novel, bodies):
        first = bisect_right(ends, paragraph.start)
        last = bisect_left(starts, paragraph.end)
        yield paragraph.start, _split_paragraph(novel, paragraph, pieces[first:last], speaker_of)


def _naming_paragraphs(novel: NovelText, bodies: Sequence[Span]) -> Iterator[Span]:
    """Yield the paragraphs in which a mention begins."""
    for body in bodies:
        for paragraph in paragraph_spans(novel.text, body):
            index = bisect_left(novel.mention_starts, paragraph.start)
            starts = novel.mention_starts[index : index + 1]
            if starts and starts[0] < paragraph.end:
                yield paragraph


def _split_paragraph(
    novel: NovelText, paragraph: Span, pieces: Sequence[Span], speaker_of: Mapping[Span, int]
) -> Iterator[TokenizedSentence]:
    """Yield the sentences of a paragraph, marked as quoted in each piece of dialogue."""
    position = paragraph.start
    for piece in pieces:
        start = max(position, min(paragraph.end, piece.start))
        end = max(position, min(paragraph.end, piece.end))
        yield from _split_sentences(novel, Span(position, start))
        for sentence in _split_sentences(novel, Span(max(piece.start, paragraph.start), end)):
            yield TokenizedSentence(
                novel, sentence.tokens, sentence.is_question, True, speaker_of.get(piece)
            )
        position = end
    yield from _split_sentences(novel, Span(position, max(position, paragraph.end)))


def _split_sentences(novel: NovelText, within: Span) -> Iterator[TokenizedSentence]:
    """Yield the sentences of a span that is all narration or all dialogue."""
    current: list[Token] = []
    for token in _tokenize(novel, within):
        if len(current) == MAX_TOKENS:
            yield TokenizedSentence(novel, current)
            current = []
        if not _ends_sentence(token, current):
            current.append(token)
            continue
        if current:
            yield TokenizedSentence(novel, current, is_question=token.word == "?")
        current = []
    if current:
        yield TokenizedSentence(novel, current)


def _ends_sentence(token: Token, before: Sequence[Token]) -> bool:
    """Return True if a token is a mark that ends the sentence of the tokens before it."""
    if token.kind != "mark" or token.word not in _SENTENCE_ENDS:
        return False
    return token.word != "." or not _is_abbreviated(before)


def _is_abbreviated(before: Sequence[Token]) -> bool:
    """Return True if a full stop after the tokens belongs to the last of them."""
    if not before or before[-1].word == "i":
        return False
    last = before[-1]
    return last.word in ABBREVIATED or (len(last.word) == 1 and last.capital)


def _tokenize(novel: NovelText, within: Span) -> Iterator[Token]:
    """Yield the tokens of a span; a name that continues after its end is split into words."""
    position = within.start
    index = bisect_left(novel.mention_starts, within.start)
    while True:
        mention = novel.mentions[index] if index < len(novel.mentions) else None
        if mention is None or mention.span.end > within.end:
            yield from _tokenize_words(novel.text, position, within.end)
            return
        start, end = mention.span.start, mention.span.end
        yield from _tokenize_words(novel.text, position, start)
        name = novel.text[start:end]
        yield Token("name", name.casefold(), start, end, mention.character, name[0].isupper())
        position, index = end, index + 1


def _tokenize_words(text: str, start: int, end: int) -> Iterator[Token]:
    """Yield the tokens between two names."""
    for match in _TOKEN.finditer(text, start, end):
        word = match.group()
        kind = match.lastgroup or "mark"
        yield Token(
            kind, word.casefold(), match.start(), match.end(), UNRESOLVED, word[0].isupper()
        )
