"""The presence of every candidate in every sentence of a book."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scholar_indexes.arrays import Floats, Ints
from scholar_indexes.characters.solver.candidates import Candidate
from scholar_indexes.characters.solver.sentences import SentenceIndex
from scholar_indexes.coreference import mentions, pronouns
from scholar_indexes.coreference.narrator import Narrators
from scholar_indexes.types import Character, Gender, Span

if TYPE_CHECKING:
    from scholar_indexes.attribution.dialogue import Dialogue

NEAR = 2
"""The distance in sentences at which a mentioned or speaking candidate is still near."""

MAX_PRONOUN_DISTANCE = 6
"""The sentences through which a pronoun may refer to the last candidate named."""

PRONOUN_WEIGHT = 0.6
"""The presence of a candidate that a pronoun refers to."""

SPEAKER_WEIGHT = 0.7
"""The presence near a sentence of the candidate that says all of it."""

MAX_SPOKEN = 0.6
"""In sentences with a larger share of quotation, pronouns are those of a speaker."""

_FIRST_PERSON = frozenset("i me my mine myself".split())
_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class PresenceMatrix:
    """The presence of c candidates in m sentences, (c, m) in [0, 1]: named in the sentence;
    mentioned by name or pronoun; speaking in it; near it in any of these ways."""

    named: Floats
    mentioned: Floats
    speaking: Floats
    near: Floats


def find_presence(
    sentences: SentenceIndex, candidates: Sequence[Candidate], dialogue: Dialogue | None
) -> PresenceMatrix:
    """Return the presence of candidates in a book; without a dialogue nobody speaks. A pronoun
    refers to the candidate of its gender that was named last."""
    starts = np.array([span.start for span in sentences.spans], np.int64)
    named = _find_named(sentences, candidates, starts)
    speaking = np.zeros_like(named)
    quoted = np.zeros(len(sentences), np.float32)
    if dialogue is not None:
        for span, row in _quotation_spans(candidates, dialogue):
            _add_quotation(sentences.spans, starts, span, row, speaking, quoted)
    mentioned = _PronounResolver(sentences, candidates, named, quoted).resolve()
    present = np.maximum(mentioned, SPEAKER_WEIGHT * speaking)
    near = _spread(present, sentences.chapters)
    return PresenceMatrix(named, mentioned, speaking, near)


def _find_named(sentences: SentenceIndex, candidates: Sequence[Candidate], starts: Ints) -> Floats:
    cast = [candidate.to_character(str(row)) for row, candidate in enumerate(candidates)]
    named = np.zeros((len(candidates), len(sentences)), np.float32)
    for mention in mentions.find_mentions(sentences.text, cast):
        column = int(np.searchsorted(starts, mention.span.start, "right")) - 1
        if column >= 0 and mention.span.start < sentences.spans[column].end:
            named[mention.character, column] = 1
    return named


def _quotation_spans(
    candidates: Sequence[Candidate], dialogue: Dialogue
) -> list[tuple[Span, int | None]]:
    """Return the spans of all quotations with the row of the candidate that speaks, None where
    it is nobody of them."""
    rows = _rows_of_cast(candidates, dialogue.cast)
    pairs = zip(dialogue.quotations, dialogue.attributions, strict=True)
    return [
        (piece, rows.get(attribution.speaker.id) if attribution.speaker else None)
        for quotation, attribution in pairs
        for piece in quotation.pieces
    ]


def _rows_of_cast(candidates: Sequence[Candidate], cast: Sequence[Character]) -> Mapping[str, int]:
    """Return the row of the candidate that each character of the cast is, by its id."""
    rows = {}
    for row, candidate in enumerate(candidates):
        known = set(candidate.aliases)
        for character in cast:
            if known.issuperset(character.aliases) or candidate.name in character.aliases:
                rows[character.id] = row
    return rows


def _add_quotation(
    spans: Sequence[Span],
    starts: Ints,
    quotation: Span,
    speaker: int | None,
    speaking: Floats,
    quoted: Floats,
) -> None:
    """Add the share of each sentence that a quotation covers to quoted (m,), and to speaking (c,
    m) for its speaker."""
    first = max(int(np.searchsorted(starts, quotation.start, "right")) - 1, 0)
    end = int(np.searchsorted(starts, quotation.end, "left"))
    for column in range(first, end):
        span = spans[column]
        overlap = min(span.end, quotation.end) - max(span.start, quotation.start)
        share = overlap / max(span.end - span.start, 1)
        if share > 0:
            quoted[column] = min(1, quoted[column] + share)
            if speaker is not None:
                speaking[speaker, column] = min(1, speaking[speaker, column] + share)


class _PronounResolver:
    """Adds the mentions by pronoun to those by name, sentence by sentence."""

    def __init__(
        self,
        sentences: SentenceIndex,
        candidates: Sequence[Candidate],
        named: Floats,
        quoted: Floats,
    ) -> None:
        self._sentences, self._named, self._quoted = sentences, named, quoted
        self._genders = [_possible_genders(candidate.gender) for candidate in candidates]
        self._narrators = Narrators(
            [candidate.to_character(str(row)) for row, candidate in enumerate(candidates)]
        )
        self._mentioned = named.copy()
        self._last: dict[Gender, tuple[int, int]] = {}
        """The candidate of each gender mentioned last, and in which sentence."""

    def resolve(self) -> Floats:
        """Return the mentions by name and pronoun, (c, m)."""
        chapters = self._sentences.chapters
        for column, span in enumerate(self._sentences.spans):
            if column and chapters[column] != chapters[column - 1]:
                self._last.clear()
            if self._quoted[column] < MAX_SPOKEN:
                words = _WORD.findall(span.of(self._sentences.text))
                self._add_sentence(column, {word.lower() for word in words})
        return self._mentioned

    def _add_sentence(self, column: int, words: Collection[str]) -> None:
        named_rows = np.flatnonzero(self._named[:, column]).tolist()
        for gender in {pronouns.GENDERS[word] for word in words if word in pronouns.GENDERS}:
            if gender in self._last and column - self._last[gender][1] <= MAX_PRONOUN_DISTANCE:
                row = self._last[gender][0]
                self._mentioned[row, column] = max(self._mentioned[row, column], PRONOUN_WEIGHT)
                if not named_rows:
                    self._last[gender] = (row, column)
        if not _FIRST_PERSON.isdisjoint(words):
            narrator = self._narrators.at(self._sentences.spans[column].start)
            if narrator is not None:
                self._mentioned[narrator, column] = max(
                    self._mentioned[narrator, column], PRONOUN_WEIGHT
                )
        for row in named_rows:
            for gender in self._genders[row]:
                self._last[gender] = (row, column)


def _possible_genders(gender: Gender) -> Sequence[Gender]:
    return (Gender.MALE, Gender.FEMALE) if gender is Gender.UNKNOWN else (gender,)


def _spread(present: Floats, chapters: Ints) -> Floats:
    """Return presence (c, m) spread, decaying, over NEAR sentences of the chapter on both sides."""
    near = present.copy()
    for step in range(1, NEAR + 1):
        same_chapter = chapters[step:] == chapters[:-step]
        share = np.float32(1 - step / (NEAR + 2)) * same_chapter
        near[:, step:] = np.maximum(near[:, step:], present[:, :-step] * share)
        near[:, :-step] = np.maximum(near[:, :-step], present[:, step:] * share)
    return near
