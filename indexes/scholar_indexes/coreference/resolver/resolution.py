"""Resolve a text: who or what each noun phrase, name and pronoun means.

text, quotations -> words, cast -> mentions -> chains
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from scholar_indexes.arrays import Ints1d
from scholar_indexes.books.segmentation.sentences import paragraph_spans, sentence_spans
from scholar_indexes.coreference.cast import detect_cast
from scholar_indexes.coreference.mentions import Mention, find_mentions
from scholar_indexes.coreference.resolver.chains import form_chains
from scholar_indexes.coreference.resolver.mention_table import MentionTable, build_table
from scholar_indexes.coreference.resolver.model import CoreferenceModel
from scholar_indexes.coreference.resolver.words import TokenizedText, split_words
from scholar_indexes.types import Character, Progress, Quotation, Span, silent


@dataclass(frozen=True)
class ReadText:
    """A text as the resolver reads it: its words, its cast, and where it names them."""

    words: TokenizedText
    cast: Sequence[Character]
    names: Sequence[Mention]

    def part(self, first: int, end: int) -> ReadText:
        """Return the words from the first to before the end, with the names in them."""
        words = self.words.part(first, end)
        if not len(words):
            return ReadText(words, self.cast, ())
        start = bisect_left(self.names, words.starts[0], key=lambda name: name.span.start)
        stop = bisect_left(self.names, words.ends[-1], key=lambda name: name.span.start)
        return ReadText(words, self.cast, self.names[start:stop])


@dataclass(frozen=True)
class Resolution:
    """The mentions of a text, one row of `table` each, and the number of the chain of each."""

    text: ReadText
    table: MentionTable
    chains: Ints1d

    def __len__(self) -> int:
        return len(self.table)

    def span(self, mention: int) -> Span:
        """Return what a mention covers of the text."""
        return self.text.words.span(int(self.table.first[mention]), int(self.table.last[mention]))


def read_text(
    text: str,
    quotations: Sequence[Quotation],
    cast: Sequence[Character] | None = None,
    sentences: Sequence[Span] | None = None,
) -> ReadText:
    """Return the words and names of a text; cast and sentences are found where none are given."""
    if sentences is None:
        sentences = [
            sentence
            for paragraph in paragraph_spans(text, Span(0, len(text)))
            for sentence in sentence_spans(text, paragraph)
        ]
    if cast is None:
        cast = detect_cast(text, quotations)
    words = split_words(text, sentences, quotations)
    return ReadText(words, cast, find_mentions(text, cast))


def resolve(text: ReadText, model: CoreferenceModel, progress: Progress = silent) -> Resolution:
    """Return the mentions of a text and their chains, in a time linear in the text."""
    mentions = model.find_mentions(text.words, progress)
    table = build_table(
        text.words, mentions.spans, mentions.classes.tolist(), text.cast, text.names
    )
    return Resolution(text, table, form_chains(model, table, mentions, progress))
