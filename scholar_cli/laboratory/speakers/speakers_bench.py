"""Attribution from the raw text of novels, measured on manually annotated chapters.

A system is given the whole novel and finds quotations, characters and speakers by itself. An
annotated quotation is matched to the detected one that shares most of its text. A detected
character is matched to the annotated one with which it shares most names in the novel; an unnamed
person is matched to the character who gets most of the person's quotations in the chapter and is
not matched otherwise. Quotations that a system classifies as a thought, a letter or another
unspoken form have no speaker.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.pdnc import casts, spans
from scholar_cli.laboratory.report import Report, commit
from scholar_cli.laboratory.speakers import speakers_data
from scholar_cli.laboratory.speakers.speakers_data import AnnotatedChapter, AnnotatedCharacter
from scholar_indexes.attribution.dialogue import Dialogue
from scholar_indexes.books.adding.ingest import BookDraft
from scholar_indexes.coreference.mentions import find_mentions
from scholar_indexes.types import Attribution, Character, Progress, QuoteKind, silent

System = Callable[[BookDraft], Dialogue]
"""A function from a novel to its quotations, characters and speakers."""

NAMED, UNNAMED = "named", "unnamed"

SPLITS = ("all", NAMED, UNNAMED, *QuoteKind)
"""All spoken quotations; the quotations of characters with a name, and of the others; and the
answers by kind of cue."""

SURE = 0.9
"""The confidence from which an answer counts as sure."""


@dataclass(frozen=True, slots=True)
class ScoredQuotation:
    """A spoken quotation: whether its speaker is right and has a name; the kind of cue, None if the
    quotation was not detected; and the confidence of the answer."""

    is_right: bool
    is_named: bool
    kind: QuoteKind | None
    confidence: float

    @property
    def is_detected(self) -> bool:
        """Return True if the quotation was detected."""
        return self.kind is not None


@dataclass(frozen=True, slots=True)
class ChapterScore:
    """The spoken quotations, the number of the others, and how many of the others got a speaker."""

    spoken: tuple[ScoredQuotation, ...]
    non_speech: int
    attributed: int

    def select(self, split: str) -> list[ScoredQuotation]:
        """Return the quotations of one of SPLITS."""
        return [
            quotation
            for quotation in self.spoken
            if split in ("all", NAMED if quotation.is_named else UNNAMED, quotation.kind)
        ]


def run(
    texts: Path,
    chapters: Sequence[AnnotatedChapter],
    system: System,
    name: str,
    *,
    progress: Progress = silent,
) -> list[Report]:
    """Return a report of a system for each of SPLITS.

    texts contains primary/<number>.txt. Raises the errors of data.open_books.
    """
    number_of_books = len({chapter.book for chapter in chapters})
    scores: list[ChapterScore] = []
    seconds = 0.0
    for done, (draft, annotated) in enumerate(speakers_data.open_books(texts, chapters)):
        progress(draft.book.title, done, number_of_books)
        start = time.perf_counter()
        dialogue = system(draft)
        seconds += time.perf_counter() - start
        scores += score_book(draft.text, dialogue, annotated)
    parts = "+".join(sorted({chapter.part for chapter in chapters}))
    return [
        Report(
            bench=f"speakers ({parts})",
            split=kind,
            system=name,
            metrics=summarize(scores, kind),
            n=sum(len(score.select(kind)) for score in scores),
            seconds=seconds,
            model="",
            data_sha256=speakers_data.sha256(),
            commit=commit(),
            queries=query_columns(scores, kind),
        )
        for kind in SPLITS
    ]


def summarize(scores: Sequence[ChapterScore], split: str) -> dict[str, float]:
    """Return the share of right quotations of a split with its 95 % interval over chapters, the
    share of detected ones, the share of sure ones and of these the right ones, and the share of
    unspoken quotations that got a speaker."""
    chapters = [score.select(split) for score in scores]
    right = [[quotation.is_right for quotation in chapter] for chapter in chapters]
    detected = [quotation.is_detected for chapter in chapters for quotation in chapter]
    sure = [
        quotation.is_right
        for chapter in chapters
        for quotation in chapter
        if quotation.confidence >= SURE
    ]
    non_speech = sum(score.non_speech for score in scores)
    return {
        **metrics.bootstrap_groups(right).figures("right"),
        "detected": sum(detected) / max(1, len(detected)),
        "sure": len(sure) / max(1, len(detected)),
        "sure_right": sum(sure) / max(1, len(sure)),
        "attributed_non_speech": sum(score.attributed for score in scores) / max(1, non_speech),
    }


def query_columns(scores: Sequence[ChapterScore], split: str) -> dict[str, list[float]]:
    """Return each quotation's chapter number, and whether it is right and detected."""
    numbered = [
        (number, quotation)
        for number, score in enumerate(scores)
        for quotation in score.select(split)
    ]
    return {
        "group": [number for number, _ in numbered],
        "right": [float(quotation.is_right) for _, quotation in numbered],
        "detected": [float(quotation.is_detected) for _, quotation in numbered],
    }


def score_book(
    text: str, dialogue: Dialogue, chapters: Sequence[AnnotatedChapter]
) -> list[ChapterScore]:
    """Return the score of each annotated chapter of a novel."""
    places = {mention.span.end: mention.character for mention in find_mentions(text, dialogue.cast)}
    numbers = {id(character): index for index, character in enumerate(dialogue.cast)}
    speakers = [
        numbers.get(id(attribution.speaker), -1) if attribution.is_speech else -1
        for attribution in dialogue.attributions
    ]
    return [_score_chapter(text, dialogue, chapter, places, speakers) for chapter in chapters]


def match_named(
    text: str,
    characters: Sequence[AnnotatedCharacter],
    cast: Sequence[Character],
    places: dict[int, int],
) -> dict[str, int]:
    """Return the detected character that matches each annotated one with a name.

    places has the detected character of each mention by its end in the text.
    """
    named = [character for character in characters if character.names]
    annotated = [
        Character(character.id, character.names[0], character.names, character.gender)
        for character in named
    ]
    shared = Counter(
        (mention.character, places[mention.span.end])
        for mention in find_mentions(text, annotated)
        if mention.span.end in places
    )
    match = {named[index].id: one for index, one in casts.match_greedily(shared).items()}
    return _match_narrator(named, cast, match) | match


def _match_narrator(
    named: Sequence[AnnotatedCharacter], cast: Sequence[Character], match: Mapping[str, int]
) -> dict[str, int]:
    """Return the detected narrator for the annotated one, unless it is matched by name."""
    narrator = next((index for index, one in enumerate(cast) if one.narrator), None)
    if narrator is None or narrator in match.values():
        return {}
    return {character.id: narrator for character in named if character.narrator}


def _score_chapter(
    text: str,
    dialogue: Dialogue,
    chapter: AnnotatedChapter,
    places: dict[int, int],
    speakers: Sequence[int],
) -> ChapterScore:
    matching = list(
        spans.match_quotations(
            [annotated.quotation for annotated in chapter.quotations], dialogue.quotations
        )
    )
    answers = [-1 if own is None else speakers[own] for own in matching]
    match = match_named(text, chapter.characters, dialogue.cast, places)
    match |= _match_unnamed(chapter, answers, set(match.values()))
    named = {character.id for character in chapter.characters if character.names}
    spoken = tuple(
        _score_quotation(
            answer,
            None if own is None else dialogue.attributions[own],
            is_right=0 <= answer == match.get(annotated.speaker, -1),
            is_named=annotated.speaker in named,
        )
        for annotated, own, answer in zip(chapter.quotations, matching, answers, strict=True)
        if annotated.speaker is not None
    )
    attributed = [
        answer >= 0
        for annotated, answer in zip(chapter.quotations, answers, strict=True)
        if annotated.speaker is None
    ]
    return ChapterScore(spoken, len(attributed), sum(attributed))


def _score_quotation(
    answer: int, attribution: Attribution | None, *, is_right: bool, is_named: bool
) -> ScoredQuotation:
    if attribution is None:
        return ScoredQuotation(is_right, is_named, None, 0.0)
    confidence = attribution.confidence if answer >= 0 else 0.0
    return ScoredQuotation(is_right, is_named, attribution.kind, confidence)


def _match_unnamed(
    chapter: AnnotatedChapter, answers: Sequence[int], taken: set[int]
) -> dict[str, int]:
    """Return the detected character that matches each annotated one without a name."""
    unnamed = [character.id for character in chapter.characters if not character.names]
    shared = Counter(
        (unnamed.index(annotated.speaker), answer)
        for annotated, answer in zip(chapter.quotations, answers, strict=True)
        if annotated.speaker in unnamed and answer >= 0 and answer not in taken
    )
    return {unnamed[index]: one for index, one in casts.match_greedily(shared).items()}
