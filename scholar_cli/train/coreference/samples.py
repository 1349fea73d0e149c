"""Annotated books as the coreference model reads them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from scholar_cli.bench.litbank.data import TokenizedBook
from scholar_cli.bench.litbank.plain_text import join_tokens
from scholar_indexes.attribution.quotes.detection import find_quotations
from scholar_indexes.coreference.resolver.mention_table import ENTITY_CLASSES
from scholar_indexes.coreference.resolver.resolution import ReadText, read_text
from scholar_indexes.coreference.resolver.words import WordSequence
from scholar_indexes.types import Span


@dataclass(frozen=True)
class AnnotatedText:
    """A text and its mentions: by first and last word the class and the chain of each.

    Mentions that no words of the text have, or that cross its sentences, are left out: 3 of
    LitBank's first 14,619.
    """

    name: str
    text: ReadText
    mentions: Mapping[tuple[int, int], tuple[int, str]]

    @property
    def words(self) -> WordSequence:
        return self.text.words


def annotate(book: TokenizedBook) -> AnnotatedText:
    """Return a book with its mentions as spans of words; it has to be annotated."""
    assert book.mentions is not None
    plain = join_tokens(book.sentences)
    first_tokens = [0]
    for sentence in book.sentences:
        first_tokens.append(first_tokens[-1] + len(sentence))
    text = read_text(plain.text, find_quotations(plain.text))
    words = text.words
    mentions: dict[tuple[int, int], tuple[int, str]] = {}
    for mention in book.mentions:
        offset = first_tokens[mention.span.sentence]
        span = Span(
            plain.starts[offset + mention.span.start], plain.ends[offset + mention.span.end - 1]
        )
        located = words.locate(span)
        if located is None or words.sentences[located[0]] != words.sentences[located[1]]:
            continue
        mentions[located] = ENTITY_CLASSES.index(mention.entity_class), mention.chain
    return AnnotatedText(book.name, text, mentions)


FOLD_SEED = 7


def split_folds(names: Sequence[str], folds: int) -> list[list[str]]:
    """Return the names of books in folds of nearly the same size, the same on every run."""
    order = list(names)
    random.Random(FOLD_SEED).shuffle(order)
    return [order[fold::folds] for fold in range(folds)]


Stretch = tuple[AnnotatedText, int, int]
"""A text and the words of it, [first, end), that make one step of training."""


def draw_stretches(
    texts: Sequence[AnnotatedText], rng: random.Random, *, whole: float, parts: int
) -> list[Stretch]:
    """Return an epoch: each text whole with a probability, or in parts that end with sentences."""
    stretches: list[Stretch] = []
    for text in texts:
        if rng.random() < whole:
            stretches.append((text, 0, len(text.words)))
        else:
            stretches += [(text, first, end) for first, end in _cut(text.words, parts, rng)]
    rng.shuffle(stretches)
    return stretches


def _cut(words: WordSequence, parts: int, rng: random.Random) -> Iterator[tuple[int, int]]:
    """Yield a text in parts of about the same length, cut at the ends of sentences."""
    cuts = {0, len(words)}
    for part in range(1, parts):
        share = (part + rng.uniform(-0.4, 0.4)) / parts
        cuts.add(int(words.sentence_ends[min(len(words) - 1, int(share * len(words)))]))
    ordered = sorted(cuts)
    yield from pairwise(ordered)
