"""Main characters of whole novels, detected from the raw text and compared with annotated lists.

The mentions of an annotated character are those by names that denote nobody else in the book. The
character is matched to the detected one with most of these mentions. Completeness is the share of
them that the match has; purity is their share of the match's mentions, counting only mentions of
main characters. Unlike in B-cubed (bench pdnc), every character has equal weight.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scholar_cli.laboratory import gutenberg_texts, metrics
from scholar_cli.laboratory.casts import casts_data
from scholar_cli.laboratory.casts.casts_data import AnnotatedCast
from scholar_cli.laboratory.pdnc import pdnc_data
from scholar_cli.laboratory.report import Report, Value, commit
from scholar_indexes.attribution.pipeline import divide_book
from scholar_indexes.attribution.quotes.quote_detection import find_quotations
from scholar_indexes.coreference.cast import detect_cast
from scholar_indexes.coreference.mentions import find_mentions, match_names
from scholar_indexes.coreference.sections import Section
from scholar_indexes.types import Character, Gender, Progress, Span, silent

WHOLE = 0.95
"""The minimum completeness of a whole character, and the minimum purity of an unmerged one."""

_UNDETECTED = -1


@dataclass(frozen=True, slots=True)
class CharacterScore:
    """The score of the detection of a main character.

    `detected` is the name of the matching character, empty if there is none; `elsewhere` counts
    the mentions given to other detected characters, by name, `missed` those given to nobody, and
    `others` the mentions of other main characters given to `detected`.
    """

    book: str
    name: str
    places: int
    completeness: float
    purity: float
    detected: str
    is_gender_right: bool
    elsewhere: Mapping[str, int]
    missed: int
    others: Mapping[str, int]

    @property
    def is_whole_and_alone(self) -> bool:
        """True if almost all mentions are right."""
        return self.completeness >= WHOLE and self.purity >= WHOLE

    @property
    def is_split(self) -> bool:
        """True if other detected characters have more than a few of the mentions."""
        return sum(self.elsewhere.values()) > (1 - WHOLE) * self.places

    @property
    def is_merged(self) -> bool:
        """True if the detected character has more than a few mentions of other main characters."""
        return bool(self.detected) and self.purity < WHOLE

    def row(self) -> dict[str, Value]:
        """Return the figures and the errors as a row of a table."""
        return {
            "book": self.book,
            "name": self.name,
            "places": self.places,
            "completeness": round(self.completeness, 3),
            "purity": round(self.purity, 3),
            "detected": self.detected,
            "gender": "right" if self.is_gender_right else "wrong",
            "split": _list_counts(self.elsewhere),
            "missed": self.missed,
            "merged": _list_counts(self.others),
        }


@dataclass(frozen=True, slots=True)
class NovelScore:
    """The scores of the main characters of a novel, and the time of detection in seconds."""

    part: str
    characters: tuple[CharacterScore, ...]
    seconds: float


def score_novels(
    texts: Path | None,
    casts: Sequence[AnnotatedCast],
    pdnc: Path | None = None,
    *,
    progress: Progress = silent,
) -> list[NovelScore]:
    """Return the scores of novels in a folder of Gutenberg texts, and of novels in PDNC's format.

    Raises the errors of gutenberg_texts.open_annotated and pdnc.data.read.
    """
    novels = pdnc_data.read(pdnc) if pdnc else []
    number_of_novels = len(casts) * (texts is not None) + len(novels)
    scores: list[NovelScore] = []
    for cast in casts if texts else ():
        assert texts is not None
        progress(cast.title, len(scores), number_of_novels)
        draft = gutenberg_texts.open_annotated(texts, cast)
        text, bodies, sections = divide_book(draft.text, draft.chapters)
        scores.append(_score_novel(text, bodies, sections, cast))
    for novel in novels:
        progress(novel.name, len(scores), number_of_novels)
        scores.append(_score_novel(novel.text, (), None, casts_data.from_pdnc(novel)))
    return scores


def to_reports(scores: Sequence[NovelScore]) -> list[Report]:
    """Return a report for each part."""
    return [
        Report(
            bench="casts",
            split=part,
            system="rules",
            metrics=summarize(novels),
            n=sum(len(novel.characters) for novel in novels),
            seconds=sum(novel.seconds for novel in novels),
            model="",
            data_sha256=casts_data.sha256(),
            commit=commit(),
            queries=query_columns(novels),
        )
        for part, novels in _by_part(scores)
    ]


def summarize(novels: Sequence[NovelScore]) -> dict[str, float]:
    """Return means over main characters, with 95 % intervals over novels, and counts of errors."""
    whole = [[one.is_whole_and_alone for one in novel.characters] for novel in novels]
    completeness = [[one.completeness for one in novel.characters] for novel in novels]
    purity = [[one.purity for one in novel.characters] for novel in novels]
    characters = [one for novel in novels for one in novel.characters]
    return {
        **metrics.bootstrap_groups(whole).figures("whole_and_alone"),
        **metrics.bootstrap_groups(completeness).figures("completeness"),
        **metrics.bootstrap_groups(purity).figures("purity"),
        "characters_split": sum(one.is_split for one in characters),
        "characters_merged": sum(one.is_merged for one in characters),
        "gender": metrics.mean([float(one.is_gender_right) for one in characters]),
        "novels": len(novels),
    }


def query_columns(novels: Sequence[NovelScore]) -> dict[str, list[float]]:
    """Return the novel number and the averaged figures of each main character."""
    numbered = [(number, one) for number, novel in enumerate(novels) for one in novel.characters]
    return {
        "group": [number for number, _ in numbered],
        "whole_and_alone": [float(one.is_whole_and_alone) for _, one in numbered],
        "completeness": [one.completeness for _, one in numbered],
        "purity": [one.purity for _, one in numbered],
        "gender": [float(one.is_gender_right) for _, one in numbered],
    }


def score_cast(
    text: str, annotated: AnnotatedCast, cast: Sequence[Character]
) -> list[CharacterScore]:
    """Return the score of each main character of a novel that its text names."""
    detected = {mention.span.end: mention.character for mention in find_mentions(text, cast)}
    counts = [Counter[int]() for _ in annotated.characters]
    for mention in match_names(text, annotated.names()):
        if mention.character != casts_data.SHARED:
            counts[mention.character][detected.get(mention.span.end, _UNDETECTED)] += 1
    return [
        _score_character(annotated, index, counts, cast) for index, own in enumerate(counts) if own
    ]


def _score_novel(
    text: str,
    bodies: Sequence[Span],
    sections: Sequence[Section] | None,
    annotated: AnnotatedCast,
) -> NovelScore:
    start = time.perf_counter()
    cast = detect_cast(text, find_quotations(text, bodies), sections)
    seconds = time.perf_counter() - start
    return NovelScore(annotated.part, tuple(score_cast(text, annotated, cast)), seconds)


def _find_others(
    annotated: AnnotatedCast, index: int, counts: Sequence[Counter[int]], detected: int
) -> dict[str, int]:
    """Return the number of mentions of each other annotated character that a detected one has."""
    if detected == _UNDETECTED:
        return {}
    return {
        annotated.characters[other].name: count[detected]
        for other, count in enumerate(counts)
        if other != index and count[detected]
    }


def _score_character(
    annotated: AnnotatedCast,
    index: int,
    counts: Sequence[Counter[int]],
    cast: Sequence[Character],
) -> CharacterScore:
    character, own = annotated.characters[index], counts[index]
    places, missed = own.total(), own[_UNDETECTED]
    ranked = [(one, count) for one, count in own.most_common() if one != _UNDETECTED]
    best, most = ranked[0] if ranked else (_UNDETECTED, 0)
    others = _find_others(annotated, index, counts, best)
    gender = cast[best].gender if ranked else Gender.UNKNOWN
    return CharacterScore(
        book=annotated.book,
        name=character.name,
        places=places,
        completeness=most / places,
        purity=most / (most + sum(others.values())) if most else 0.0,
        detected=cast[best].name if ranked else "",
        is_gender_right=gender is character.gender or character.gender is Gender.UNKNOWN,
        elsewhere={cast[one].name: count for one, count in ranked[1:]},
        missed=missed,
        others=others,
    )


def _by_part(scores: Sequence[NovelScore]) -> Iterator[tuple[str, list[NovelScore]]]:
    for part in dict.fromkeys(score.part for score in scores):
        yield part, [score for score in scores if score.part == part]


def _list_counts(counts: Mapping[str, int]) -> str:
    """Return names with their counts, the most frequent first."""
    ranked = sorted(counts.items(), key=lambda item: -item[1])
    return ", ".join(f"{name} {count}" for name, count in ranked)
