"""The presence of every candidate in every sentence of a book."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scholar_indexes.arrays import Floats, Ints
from scholar_indexes.characters.solver.character_candidates import Candidate
from scholar_indexes.characters.solver.sentence_vectors import SentenceIndex
from scholar_indexes.coreference import mentions
from scholar_indexes.types import Character, Span

if TYPE_CHECKING:
    from scholar_indexes.attribution.dialogue import Dialogue
    from scholar_indexes.coreference.people import People

NEAR = 2
"""The distance in sentences at which a mentioned or speaking candidate is still near."""

PRONOUN_WEIGHT = 0.6
"""The presence of a candidate that a pronoun or a noun phrase refers to."""

SPEAKER_WEIGHT = 0.7
"""The presence near a sentence of the candidate who says all of it."""


@dataclass(frozen=True, slots=True)
class PresenceMatrix:
    """The presence of c candidates in m sentences, (c, m) in [0, 1]: named in the sentence;
    mentioned by name, noun phrase or pronoun; speaking in it; near it in any of these ways."""

    named: Floats
    mentioned: Floats
    speaking: Floats
    near: Floats


def find_presence(
    sentences: SentenceIndex,
    candidates: Sequence[Candidate],
    dialogue: Dialogue | None,
    people: People | None = None,
) -> PresenceMatrix:
    """Return the presence of candidates in a book.

    Without a dialogue nobody speaks, and without its people only names mention a candidate.
    """
    starts = np.array([span.start for span in sentences.spans], np.int64)
    named = _find_named(sentences, candidates, starts)
    speaking = np.zeros_like(named)
    if dialogue is not None:
        for span, row in _quotation_spans(candidates, dialogue):
            _add_quotation(sentences.spans, starts, span, row, speaking)
    mentioned = named
    if dialogue is not None and people is not None and len(sentences):
        mentioned = _find_mentioned(sentences, candidates, dialogue, people, named, starts)
    present = np.maximum(mentioned, SPEAKER_WEIGHT * speaking)
    near = _spread(present, sentences.chapters)
    return PresenceMatrix(named, mentioned, speaking, near)


def _find_named(sentences: SentenceIndex, candidates: Sequence[Candidate], starts: Ints) -> Floats:
    cast = [candidate.to_character(str(row)) for row, candidate in enumerate(candidates)]
    named = np.zeros((len(candidates), len(sentences)), np.float32)
    for mention in mentions.find_mentions(sentences.text, cast):
        if _is_in_compound(sentences.text, mention.span):
            continue
        column = int(np.searchsorted(starts, mention.span.start, "right")) - 1
        if column >= 0 and mention.span.start < sentences.spans[column].end:
            named[mention.character, column] = 1
    return named


def _is_in_compound(text: str, name: Span) -> bool:
    """Return True if a name is the beginning of another word: "the jack-towel" is not Jack."""
    return text[name.end : name.end + 1] == "-" and text[name.end + 1 : name.end + 2].isalpha()


def _quotation_spans(candidates: Sequence[Candidate], dialogue: Dialogue) -> list[tuple[Span, int]]:
    """Return the spans of the candidates' quotations, with the row of the candidate."""
    rows = _rows_of_cast(candidates, dialogue.cast)
    pairs = zip(dialogue.quotations, dialogue.attributions, strict=True)
    return [
        (piece, rows[attribution.speaker.id])
        for quotation, attribution in pairs
        if attribution.speaker and attribution.speaker.id in rows
        for piece in quotation.pieces
    ]


def _rows_of_cast(candidates: Sequence[Candidate], cast: Sequence[Character]) -> Mapping[str, int]:
    """Return the row of the candidate that each character of the cast matches, by its id."""
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
    speaker: int,
    speaking: Floats,
) -> None:
    """Add the share of each sentence that a quotation covers to speaking (c, m)."""
    first = max(int(np.searchsorted(starts, quotation.start, "right")) - 1, 0)
    end = int(np.searchsorted(starts, quotation.end, "left"))
    for column in range(first, end):
        span = spans[column]
        overlap = min(span.end, quotation.end) - max(span.start, quotation.start)
        share = overlap / max(span.end - span.start, 1)
        if share > 0:
            speaking[speaker, column] = min(1, speaking[speaker, column] + share)


def _find_mentioned(
    sentences: SentenceIndex,
    candidates: Sequence[Candidate],
    dialogue: Dialogue,
    people: People,
    named: Floats,
    starts: Ints,
) -> Floats:
    """Return the mentions by name, and the resolved mentions by pronoun or noun phrase."""
    rows = _rows_of_cast(candidates, dialogue.cast)
    row_of = np.array([rows.get(character.id, -1) for character in dialogue.cast], np.int64)
    columns = np.searchsorted(starts, people.starts, "right") - 1
    candidate_rows = row_of[people.characters]
    ends = np.array([span.end for span in sentences.spans], np.int64)
    inside = (candidate_rows >= 0) & (columns >= 0) & (people.starts < ends[columns])
    mentioned = named.copy()
    places = candidate_rows[inside], columns[inside]
    mentioned[places] = np.maximum(mentioned[places], PRONOUN_WEIGHT)
    return mentioned


def _spread(present: Floats, chapters: Ints) -> Floats:
    """Return presence (c, m) spread, decaying, over NEAR sentences of the chapter on both sides."""
    near = present.copy()
    for step in range(1, NEAR + 1):
        same_chapter = chapters[step:] == chapters[:-step]
        share = np.float32(1 - step / (NEAR + 2)) * same_chapter
        near[:, step:] = np.maximum(near[:, step:], present[:, :-step] * share)
        near[:, :-step] = np.maximum(near[:, :-step], present[:, step:] * share)
    return near
