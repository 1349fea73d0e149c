"""The questions of the memorisation probes: corrupted speakers and name cloze."""

from __future__ import annotations

import random
import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING

from scholar_cli.laboratory.pdnc.pdnc_data import KINDS, AnnotatedNovel
from scholar_cli.laboratory.pdnc.stand_ins import (
    choose_stand_in,
    find_family_names,
    proper_names,
    rename,
    replace_names,
)
from scholar_indexes.books.segmentation.sentences import paragraph_spans, sentence_spans
from scholar_indexes.coreference import mentions
from scholar_indexes.coreference.mentions import Mention
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Quotation, Span

if TYPE_CHECKING:
    from spacy.language import Language

SENTENCES = 10
MOST = 100
CLOZE_WORDS = (40, 60)

_WORD = re.compile(r"[^\W\d_]+")
_REACH_CHARS = 8_000
_CLOZE_MARK = "[MASK]"


class Meant(StrEnum):
    """The character that an answer names."""

    TRUE = "true"  # the character of the novel
    STAND_IN = "stand-in"  # the character as renamed in the passage
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ClozeItem:
    """A question about a passage, and what each possible answer means."""

    question: str
    names: Mapping[str, Meant]


def make_corrupted_items(
    novel: AnnotatedNovel, *, title: str, author: str, seed: int = 0, most: int = MOST
) -> dict[str, list[ClozeItem]]:
    """Return the questions of corrupted-speaker guessing by kind of quotation, drawn by the seed.

    A quotation is skipped if its passage, apart from the masked name, does not name its speaker.
    """
    names = NovelNames(novel)
    items_by_kind = {}
    for kind in KINDS:
        draw = random.Random(f"{seed} {novel.name} {kind}")
        order = [
            index
            for index, quotation_kind in enumerate(novel.kinds)
            if quotation_kind == kind and novel.speakers[index] >= 0
        ]
        draw.shuffle(order)
        items: list[ClozeItem] = []
        for index in order:
            if len(items) == most:
                break
            item = names.corrupted_item(index, kind == "Explicit", draw, title, author)
            if item is not None:
                items.append(item)
        items_by_kind[kind] = items
    return items_by_kind


class NovelNames:
    """The mentions of the characters of a novel by name, and the names it uses."""

    def __init__(self, novel: AnnotatedNovel) -> None:
        self.novel = novel
        self.mentions = mentions.find_mentions(novel.text, novel.cast)
        self._starts = [mention.span.start for mention in self.mentions]
        used = set(_WORD.findall(novel.text))
        for character in novel.cast:
            used.update(*map(_WORD.findall, character.aliases))
        self.used = frozenset(used)
        self._family_names = find_family_names(novel.cast)
        self._pieces = sorted(piece for quotation in novel.quotations for piece in quotation.pieces)

    def corrupted_item(
        self, index: int, masked: bool, draw: random.Random, title: str, author: str
    ) -> ClozeItem | None:
        """Return the question about a quotation; None if its passage is not suitable."""
        novel, speaker = self.novel, self.novel.speakers[index]
        quotation = novel.quotations[index]
        stand_in = choose_stand_in(novel.cast[speaker], self.used, draw)
        passage = expand_to_sentences(novel.text, quotation.span)
        tag = self._find_tag(quotation, speaker) if masked else None
        if stand_in is None or (masked and tag is None):
            return None
        in_passage = self.within(passage)
        changes = self._changes(in_passage, speaker, tag, stand_in)
        new_names = {new for _, new in changes if new != _CLOZE_MARK}
        if not new_names:
            return None
        others = {mention.character for mention in in_passage} | novel.often
        names = self._meanings(speaker, stand_in, new_names, others - {speaker})
        question = _corrupted_question(novel, passage, quotation, changes, masked, title, author)
        return ClozeItem(question, names)

    def within(self, passage: Span) -> list[Mention]:
        """Return the mentions that lie entirely in a passage."""
        first = bisect_left(self._starts, passage.start)
        last = bisect_left(self._starts, passage.end)
        return [mention for mention in self.mentions[first:last] if mention.span.end <= passage.end]

    def _changes(
        self,
        in_passage: Sequence[Mention],
        speaker: int,
        tag: Mention | None,
        stand_in: tuple[str, str],
    ) -> list[tuple[Span, str]]:
        """Return the span and the new text of each mention of the speaker that changes."""
        changes: list[tuple[Span, str]] = []
        for mention in in_passage:
            if mention == tag:
                changes.append((mention.span, _CLOZE_MARK))
            elif mention.character == speaker:
                new = self._rename(mention.span.of(self.novel.text), *stand_in)
                if new is not None:
                    changes.append((mention.span, new))
        return changes

    def _meanings(
        self,
        speaker: int,
        stand_in: tuple[str, str],
        new_names: Collection[str],
        others: Collection[int],
    ) -> dict[str, Meant]:
        """Return the meaning of each possible answer, by name."""
        true_names = proper_names(self.novel.cast[speaker])
        renamed = filter(None, (self._rename(name, *stand_in) for name in true_names))
        names = dict.fromkeys(true_names, Meant.TRUE)
        for name in {" ".join(stand_in), *new_names, *renamed}:
            names.setdefault(name, Meant.STAND_IN)
        for other in sorted(others):
            for name in proper_names(self.novel.cast[other]):
                names.setdefault(name, Meant.OTHER)
        return dict(sorted(names.items()))

    def _find_tag(self, quotation: Quotation, speaker: int) -> Mention | None:
        """Return the speaker's name nearest to the quotation, in narration of its paragraph."""
        text = self.novel.text
        start = text.rfind("\n\n", 0, quotation.span.start) + 1
        end = text.find("\n\n", quotation.span.end)
        candidates = [
            mention
            for mention in self.within(Span(start, len(text) if end < 0 else end))
            if mention.character == speaker
            and not self._is_in_quotation(mention.span.start)
            and self._rename(mention.span.of(text), "A", "B")
        ]

        def distance(mention: Mention) -> int:
            return min(
                max(piece.start - mention.span.end, mention.span.start - piece.end)
                for piece in quotation.pieces
            )

        return min(candidates, key=distance, default=None)

    def _is_in_quotation(self, position: int) -> bool:
        before = bisect_right(self._pieces, position, key=lambda piece: piece.start) - 1
        return before >= 0 and position < self._pieces[before].end

    def _rename(self, name: str, given: str, family: str) -> str | None:
        return rename(name, given, family, self._family_names)


def _corrupted_question(
    novel: AnnotatedNovel,
    passage: Span,
    quotation: Quotation,
    changes: Sequence[tuple[Span, str]],
    masked: bool,
    title: str,
    author: str,
) -> str:
    text = replace_names(novel.text, passage, changes)
    speech = one_line(
        " ".join(replace_names(novel.text, piece, changes) for piece in quotation.pieces)
    )
    question = (
        f"One name in it is hidden behind {_CLOZE_MARK}. Whose name is it?"
        if masked
        else f"Who speaks these words in it: {speech}"
    )
    return (
        f"This passage is from {title} by {author}.\n\n<text>\n{text}\n</text>\n\n{question}\n\n"
        'Answer with one JSON object and nothing else: {"1": "the name of that character"}.'
    )


def make_cloze_items(novel: AnnotatedNovel, *, seed: int = 0, most: int = MOST) -> list[ClozeItem]:
    """Return passages of 40 to 60 words that name one character once, masked, drawn by the seed.

    A passage consists of consecutive sentences of one paragraph. Names of people who are not in
    the cast are ignored.
    """
    novel_names = NovelNames(novel)
    names: dict[str, int] = {}
    for character in sorted({mention.character for mention in novel_names.mentions}):
        for name in proper_names(novel.cast[character]):
            names.setdefault(name, character)
    masked = []
    for passage in _find_cloze_passages(novel.text):
        in_passage = novel_names.within(passage)
        if len(in_passage) == 1 and in_passage[0].character in names.values():
            masked.append((passage, in_passage[0]))
    random.Random(f"{seed} {novel.name} cloze").shuffle(masked)
    return [
        ClozeItem(
            "In this passage of a novel one name is hidden behind [MASK].\n\n<text>\n"
            f"{replace_names(novel.text, passage, [(mention.span, _CLOZE_MARK)])}\n</text>\n\n"
            "Which name is it? You may have to guess. "
            'Answer with one JSON object and nothing else: {"1": "the name"}.',
            {
                name: Meant.TRUE if character == mention.character else Meant.OTHER
                for name, character in sorted(names.items())
            },
        )
        for passage, mention in masked[:most]
    ]


def _find_cloze_passages(text: str) -> list[Span]:
    """Return runs of sentences of one paragraph with a number of words within CLOZE_WORDS."""
    fewest, most = CLOZE_WORDS
    passages = []
    for paragraph in paragraph_spans(text, Span(0, len(text))):
        start, words = paragraph.start, 0
        for sentence in sentence_spans(text, paragraph):
            if not words:
                start = sentence.start
            words += len(sentence.of(text).split())
            if words >= fewest:
                if words <= most:
                    passages.append(Span(start, sentence.end))
                words = 0
    return passages


def expand_to_sentences(text: str, span: Span, count: int = SENTENCES) -> Span:
    """Return a span extended by `count` sentences of spaCy on each side."""
    start = max(0, span.start - _REACH_CHARS)
    before = [sent.start_char for sent in _sentencizer()(text[start : span.start]).sents]
    after = [
        sent.end_char for sent in _sentencizer()(text[span.end : span.end + _REACH_CHARS]).sents
    ]
    return Span(
        start + before[-count:][0] if before else span.start,
        span.end + after[:count][-1] if after else span.end,
    )


@cache
def _sentencizer() -> Language:
    from spacy.lang.en import English

    english = English()
    english.add_pipe("sentencizer")
    return english
