"""Resolve the noun phrases, names and pronouns of a text to the people and things they mean.

text, quotations -> words, cast -> mentions -> chains
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np

from scholar_indexes.arrays import Ints1d
from scholar_indexes.books.segmentation.sentences import paragraph_spans, sentence_spans
from scholar_indexes.coreference.cast import detect_cast
from scholar_indexes.coreference.mentions import Mention, find_mentions
from scholar_indexes.coreference.resolver.chains import form_chains
from scholar_indexes.coreference.resolver.mention_table import NOBODY, MentionTable, build_table
from scholar_indexes.coreference.resolver.model import CoreferenceModel
from scholar_indexes.coreference.resolver.words import TokenizedText, split_words
from scholar_indexes.progress import divide_progress
from scholar_indexes.types import Character, Progress, Quotation, Span, silent


@dataclass(frozen=True)
class ReadText:
    """A text as the resolver reads it: its words, its cast, and the names of the cast in it."""

    words: TokenizedText
    cast: Sequence[Character]
    names: Sequence[Mention]

    def part(self, first: int, end: int) -> ReadText:
        """Return the words [first, end), with the names in them."""
        words = self.words.part(first, end)
        if not len(words):
            return ReadText(words, self.cast, ())
        start = bisect_left(self.names, words.starts[0], key=lambda name: name.span.start)
        stop = bisect_left(self.names, words.ends[-1], key=lambda name: name.span.start)
        return ReadText(words, self.cast, self.names[start:stop])


@dataclass(frozen=True)
class Resolution:
    """The mentions of a text, one row of `table` each, with the chain number of each, and the
    character that the chain means, or NOBODY."""

    text: ReadText
    table: MentionTable
    chains: Ints1d
    characters: Ints1d

    def __len__(self) -> int:
        return len(self.table)

    def span(self, mention: int) -> Span:
        """Return the span of a mention in the text."""
        return self.text.words.span(int(self.table.first[mention]), int(self.table.last[mention]))


def read_text(
    text: str,
    quotations: Sequence[Quotation],
    cast: Sequence[Character] | None = None,
    sentences: Sequence[Span] | None = None,
) -> ReadText:
    """Return the words and names of a text; cast and sentences are found if none are given."""
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


def resolve(
    text: ReadText,
    model: CoreferenceModel,
    known: Mapping[Span, int] = MappingProxyType({}),
    barred: Mapping[Span, int] = MappingProxyType({}),
    progress: Progress = silent,
) -> Resolution:
    """Return the mentions of a text and their chains, in time linear in the text.

    `known` maps spans to the characters that they are known to mean, such as "I", and `barred` maps
    spans to characters that they cannot mean, such as the "you" of a speaker.
    """
    finding, joining = divide_progress(progress, (3, 1))
    mentions = model.find_mentions(text.words, finding)
    table = build_table(
        text.words, mentions.spans, mentions.classes.tolist(), text.cast, text.names
    )
    known_rows = _locate(text, table, known)
    characters = table.character.copy()
    characters[list(known_rows)] = list(known_rows.values())
    table = replace(table, character=characters)
    barred_rows = _locate(text, table, barred) | _find_owned(table, known_rows)
    chains = form_chains(model, table, mentions, joining, barred_rows)
    return Resolution(text, table, chains, _characters_of(chains, table.character))


def _locate(text: ReadText, table: MentionTable, values: Mapping[Span, int]) -> dict[int, int]:
    """Return the values by the row of the mention at each span; other spans are dropped."""
    places = zip(table.first.tolist(), table.last.tolist(), strict=True)
    rows = {place: row for row, place in enumerate(places)}
    located = {text.words.locate(span): value for span, value in values.items()}
    return {rows[place]: value for place, value in located.items() if place in rows}


def _find_owned(table: MentionTable, known: Mapping[int, int]) -> dict[int, int]:
    """Return the known characters that other mentions begin with and so cannot mean, by the rows of
    these mentions: "my" in "my mother"."""
    owned = {}
    for row, character in known.items():
        before = row - 1
        while before >= 0 and table.first[before] == table.first[row]:
            owned[before] = character
            before -= 1
    return owned


def _characters_of(chains: Ints1d, characters: Ints1d) -> Ints1d:
    """Return the character of each mention's chain; a chain never names two characters."""
    of_chain = np.full(len(chains), NOBODY, np.int64)
    np.maximum.at(of_chain, chains, characters)
    return of_chain[chains]
