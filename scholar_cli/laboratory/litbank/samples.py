"""Annotated texts in the form that the coreference model reads.

Books in LitBank's format have all mentions and chains. Novels in PDNC's format have some: mentions
in quotations, "I" and "me" there, which denote the speaker, the pronoun or noun of a cue ("said
she"), and the names of characters everywhere.
"""

from __future__ import annotations

import random
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from scholar_cli.laboratory.litbank.litbank_data import TokenizedBook
from scholar_cli.laboratory.litbank.plain_text import join_tokens
from scholar_cli.laboratory.pdnc.pdnc_data import AnnotatedNovel
from scholar_indexes.attribution.cues.cue_detection import find_cues
from scholar_indexes.attribution.quotes.quote_detection import find_quotations
from scholar_indexes.coreference import mentions as name_mentions
from scholar_indexes.coreference.resolver.mention_table import (
    ENTITY_CLASSES,
    FIRST_SINGULAR,
    PERSON,
    PRONOUNS,
)
from scholar_indexes.coreference.resolver.resolution import ReadText, read_text
from scholar_indexes.types import QuoteKind, Span

FOLD_SEED = 7

MAX_NOVEL_WORDS = 700
"""The maximum number of words of a novel in one training step."""

MIN_NOVEL_MENTIONS = 12
"""The minimum number of annotated mentions in them."""


@dataclass(frozen=True, slots=True, order=True)
class LabelledSpan:
    """A mention: its first and last word, inclusive, its class and its chain."""

    first: int
    last: int
    entity_class: int
    chain: str


@dataclass(frozen=True)
class AnnotatedText:
    """A text and its mentions in order; all of them if it is `complete`, else some.

    Mentions that do not match words of the text, or that cross sentences, are omitted: 3 of
    LitBank's first 14,619.
    """

    name: str
    text: ReadText
    mentions: Sequence[LabelledSpan]
    complete: bool = True

    def __len__(self) -> int:
        return len(self.text.words)

    def part(self, first: int, end: int) -> AnnotatedText:
        """Return the words [first, end), with the mentions in them."""
        start = bisect_left(self.mentions, first, key=lambda mention: mention.first)
        stop = bisect_left(self.mentions, end, key=lambda mention: mention.first)
        inside = [
            LabelledSpan(
                mention.first - first, mention.last - first, mention.entity_class, mention.chain
            )
            for mention in self.mentions[start:stop]
            if mention.last < end
        ]
        return AnnotatedText(self.name, self.text.part(first, end), inside, self.complete)


def annotate_book(book: TokenizedBook) -> AnnotatedText:
    """Return the annotated text of a book in LitBank's format, which must have mentions."""
    assert book.mentions is not None
    plain = join_tokens(book.sentences)
    first_tokens = [0]
    for sentence in book.sentences:
        first_tokens.append(first_tokens[-1] + len(sentence))
    labels: dict[Span, tuple[int, str]] = {}
    for mention in book.mentions:
        offset = first_tokens[mention.span.sentence]
        span = Span(
            plain.starts[offset + mention.span.start], plain.ends[offset + mention.span.end - 1]
        )
        labels[span] = ENTITY_CLASSES.index(mention.entity_class), mention.chain
    text = read_text(plain.text, find_quotations(plain.text))
    return AnnotatedText(book.name, text, sorted(_locate(text, labels)))


def annotate_novel(novel: AnnotatedNovel) -> AnnotatedText:
    """Return the annotated text of a novel in PDNC's format; its cast is detected in the text."""
    text = read_text(novel.text, novel.quotations)
    names = name_mentions.find_mentions(novel.text, novel.cast)
    labels = {name.span: name.character for name in names}
    cues = find_cues(novel.text, novel.quotations, novel.cast, names)
    for cue, kind, speaker in zip(cues, novel.kinds, novel.speakers, strict=True):
        is_anaphoric = cue.kind is QuoteKind.ANAPHORIC and kind == "Anaphoric"
        if is_anaphoric and cue.subject is not None and speaker >= 0:
            labels[cue.subject] = speaker
    for span, speaker in _first_persons(novel, text):
        labels[span] = speaker
    labels |= dict(novel.mentions)
    located = _locate(text, {span: (PERSON, str(character)) for span, character in labels.items()})
    return AnnotatedText(novel.name, text, sorted(located), complete=False)


def _first_persons(novel: AnnotatedNovel, text: ReadText) -> Iterator[tuple[Span, int]]:
    """Yield each "I" and "me" in a quotation with the quotation's speaker."""
    words = text.words
    for word, quotation in enumerate(words.quotations.tolist()):
        if quotation >= 0 and words.lower[word] in PRONOUNS[FIRST_SINGULAR]:
            speaker = novel.speakers[quotation]
            if speaker >= 0:
                yield words.span(word, word), speaker


def _locate(text: ReadText, labels: dict[Span, tuple[int, str]]) -> Iterator[LabelledSpan]:
    """Yield the labels whose spans are whole words of one sentence."""
    words = text.words
    for span, (entity_class, chain) in labels.items():
        located = words.locate(span)
        if located is not None and words.sentences[located[0]] == words.sentences[located[1]]:
            yield LabelledSpan(*located, entity_class, chain)


def split_folds(names: Sequence[str], folds: int) -> list[list[str]]:
    """Return the names of books in folds of nearly equal size, the same on every run."""
    order = list(names)
    random.Random(FOLD_SEED).shuffle(order)
    return [order[fold::folds] for fold in range(folds)]


def draw_parts(
    texts: Sequence[AnnotatedText], rng: random.Random, *, whole: float, parts: int
) -> list[AnnotatedText]:
    """Return an epoch: each text whole with probability `whole`, else cut at ends of sentences."""
    drawn: list[AnnotatedText] = []
    for text in texts:
        if rng.random() < whole:
            drawn.append(text)
        else:
            drawn += [text.part(first, end) for first, end in _cut(text, parts, rng)]
    return drawn


def draw_novel_parts(
    novels: Sequence[AnnotatedText], rng: random.Random, count: int
) -> list[AnnotatedText]:
    """Return `count` random parts of novels, without parts that have too few mentions."""
    drawn: list[AnnotatedText] = []
    for _ in range(count if novels else 0):
        novel = rng.choice(novels)
        ends = novel.text.words.sentence_ends
        first = int(ends[rng.randrange(len(novel))])
        end = min(len(novel), first + MAX_NOVEL_WORDS)
        part = novel.part(first, end)
        if len(part.mentions) >= MIN_NOVEL_MENTIONS:
            drawn.append(part)
    return drawn


def _cut(text: AnnotatedText, parts: int, rng: random.Random) -> Iterator[tuple[int, int]]:
    """Yield the word ranges of parts of similar length, cut at the ends of sentences."""
    cuts = {0, len(text)}
    for part in range(1, parts):
        share = (part + rng.uniform(-0.4, 0.4)) / parts
        cuts.add(int(text.text.words.sentence_ends[min(len(text) - 1, int(share * len(text)))]))
    yield from pairwise(sorted(cuts))
