"""All mentions of the characters of a novel.

dialogue -> referents of "I" and of "she" in "she said" -> chains of mentions -> people

Speakers are found first, since turn-taking says more about "she" in "she said" than the narration
does; the learned resolver takes them as given and finds the rest.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from scholar_indexes.attribution.cues.cue_detection import find_cues
from scholar_indexes.attribution.dialogue import Dialogue
from scholar_indexes.coreference.mentions import find_mentions_and_titles
from scholar_indexes.coreference.narrator import Narrators
from scholar_indexes.coreference.people import BookPeople, People
from scholar_indexes.coreference.resolver.mention_table import (
    FIRST_SINGULAR,
    NOBODY,
    PRONOUNS,
    SECOND,
)
from scholar_indexes.coreference.resolver.model import CoreferenceModel
from scholar_indexes.coreference.resolver.resolution import read_text, resolve
from scholar_indexes.coreference.resolver.words import TokenizedText
from scholar_indexes.types import Character, Progress, Span, silent

CACHE_VERSION = 3
"""Increased when the rules that find people change."""

LEAST_CONFIDENCE = 0.5
"""The minimum confidence of an attribution that resolves the subject of its cue."""


def find_people(
    text: str, dialogue: Dialogue, model: CoreferenceModel, progress: Progress = silent
) -> BookPeople:
    """Return the mentions and the speeches of each character of a novel, in time linear in the
    novel."""
    quotations = dialogue.quotations
    novel = read_text(text, quotations, dialogue.cast)
    speakers = _SpeakersByPlace(dialogue)
    known = _find_subjects(text, dialogue)
    known |= _find_first_persons(novel.words, speakers, Narrators(dialogue.cast))
    barred = _find_second_persons(novel.words, speakers)
    resolution = resolve(novel, model, known, barred, progress)
    rows = np.flatnonzero(resolution.characters != NOBODY)
    table, words = resolution.table, novel.words
    mentions = People(
        words.starts[table.first[rows]].astype(np.int64),
        words.ends[table.last[rows]].astype(np.int64),
        resolution.characters[rows],
    )
    return BookPeople(dialogue.cast, mentions, speakers.speeches())


def _numbers(cast: Sequence[Character]) -> Mapping[str, int]:
    return {character.id: number for number, character in enumerate(cast)}


def _find_subjects(text: str, dialogue: Dialogue) -> dict[Span, int]:
    """Return the characters that the subjects of cues mean, such as "she" in "she said"."""
    names = find_mentions_and_titles(text, dialogue.cast)
    cues = find_cues(text, dialogue.quotations, dialogue.cast, names)
    numbers = _numbers(dialogue.cast)
    return {
        cue.subject: numbers[attribution.speaker.id]
        for cue, attribution in zip(cues, dialogue.attributions, strict=True)
        if cue.subject is not None
        and attribution.speaker is not None
        and attribution.confidence >= LEAST_CONFIDENCE
    }


def _find_first_persons(
    words: TokenizedText, speakers: _SpeakersByPlace, narrators: Narrators
) -> dict[Span, int]:
    """Return the referents of "I", "me" and "my": the speaker of the quotation, or the narrator."""
    known = {}
    for span in _find_words(words, PRONOUNS[FIRST_SINGULAR]):
        is_quoted, speaker = speakers.at(span.start)
        character = speaker if is_quoted else narrators.at(span.start)
        if character is not None:
            known[span] = character
    return known


def _find_second_persons(words: TokenizedText, speakers: _SpeakersByPlace) -> dict[Span, int]:
    """Return the characters that "you" and "your" in quotations cannot mean: the speakers."""
    spoken = ((span, speakers.at(span.start)[1]) for span in _find_words(words, PRONOUNS[SECOND]))
    return {span: speaker for span, speaker in spoken if speaker is not None}


def _find_words(words: TokenizedText, wanted: Collection[str]) -> Iterator[Span]:
    return (words.span(at, at) for at, word in enumerate(words.lower) if word in wanted)


class _SpeakersByPlace:
    """The speakers of a dialogue by the positions of their quotations."""

    def __init__(self, dialogue: Dialogue) -> None:
        numbers = _numbers(dialogue.cast)
        self._pieces = sorted(
            (piece.start, piece.end, numbers[attribution.speaker.id] if attribution.speaker else -1)
            for quotation, attribution in zip(
                dialogue.quotations, dialogue.attributions, strict=True
            )
            for piece in quotation.pieces
        )
        self._starts = [start for start, _, _ in self._pieces]

    def speeches(self) -> People:
        """Return the pieces of the quotations whose speakers are known."""
        known = np.array([piece for piece in self._pieces if piece[2] >= 0], np.int64)
        return People(*known.reshape(-1, 3).T)

    def at(self, position: int) -> tuple[bool, int | None]:
        """Return whether a position is in a quotation, and its speaker as an index in the cast."""
        index = bisect_right(self._starts, position) - 1
        if index < 0 or position >= self._pieces[index][1]:
            return False, None
        speaker = self._pieces[index][2]
        return True, None if speaker < 0 else speaker
