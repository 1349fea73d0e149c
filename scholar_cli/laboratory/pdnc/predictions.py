"""The answers of other programs for PDNC's novels, scored as a system of bench pdnc.

    FILE.jsonl   a line for each quotation: {"novel": "Emma", "quote_id": "Q7", "speaker": "Emma"},
                 as `scholar-lab bench pdnc --run` writes them, or with "start" and "end",
                 characters of novel_text.txt, instead of "quote_id"
    FOLDER       BookNLP's output for each novel (see booknlp): FOLDER/Emma.quotes with
                 Emma.tokens and Emma.entities or Emma.book, or the same files in FOLDER/Emma/

A quotation given by its position counts for the annotated quotations with which it shares text. An
annotated quotation gets the speaker with the largest share of its text, if at least half of it has
an answer; a name that is not in the annotated cast is a wrong answer.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scholar_cli.laboratory import json_lines
from scholar_cli.laboratory.pdnc import booknlp
from scholar_cli.laboratory.pdnc import pdnc_bench as pdnc
from scholar_cli.laboratory.pdnc.cast_names import UNKNOWN, CastNames
from scholar_cli.laboratory.pdnc.pdnc_bench import System
from scholar_cli.laboratory.pdnc.pdnc_data import AnnotatedNovel
from scholar_cli.laboratory.pdnc.spans import SHARE, count_shared, sort_pieces
from scholar_cli.laboratory.report import Report
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.guarded import read_bytes
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import Attribution, Character, Quotation, QuoteKind, Span

SYSTEM = "predictions"
"""The name of the system in reports."""

MAX_BYTES = 256 * 1024**2

Tell = Callable[[str], None]
"""Called with one line for the user."""


@dataclass(frozen=True, slots=True)
class PredictedLine:
    """The spans of the novel's text that a line is about, none if it matches none, and the cast
    index of the speaker: UNKNOWN for a name not in the cast, None for no speaker."""

    places: tuple[Span, ...]
    speaker: int | None


@dataclass(frozen=True, slots=True)
class AlignedPredictions:
    """The answers for a novel's quotations, and counts of the lines that gave them.

    speakers has the cast index for each quotation, UNKNOWN for a name not in the cast and None
    without an answer. unaligned counts the lines that match no annotated quotation or no position
    in the text, unnamed the lines with a name not in the cast.
    """

    speakers: tuple[int | None, ...]
    lines: int
    unaligned: int
    unnamed: int

    def describe(self, novel: str) -> str:
        """Return a summary of the alignment in one line."""
        answered = sum(speaker is not None for speaker in self.speakers)
        text = f"{novel}: {answered} of {len(self.speakers)} quotations answered"
        if self.unaligned:
            text += f"; {self.unaligned} of {self.lines} lines match no annotated quotation"
        if self.unnamed:
            text += f"; {self.unnamed} of {self.lines} lines name nobody in the annotated cast"
        return text


def read(path: Path, novels: Sequence[AnnotatedNovel], tell: Tell) -> dict[str, AlignedPredictions]:
    """Return the answers of a file or a folder for the novels that it covers, by name.

    tell is called with a line for each novel, and one for the novels without answers. Raises
    NotThere if there is no answer for any, and UsageError with the file and the broken line.
    """
    by_name = {novel.name: novel for novel in novels}
    aligned = _read_folder(path, novels) if path.is_dir() else _read_lines(path, by_name, tell)
    if not aligned:
        names = ", ".join(novel.name for novel in novels)
        raise NotThere(
            f"{path} has no answers for {names}; it needs BookNLP's NOVEL.quotes for one of them, "
            'or lines of {"novel", "quote_id", "speaker"}'
        )
    for name, predictions in aligned.items():
        tell(predictions.describe(name))
    if missing := [novel.name for novel in novels if novel.name not in aligned]:
        tell(f"skipped, because {path.name} has no answers for them: {', '.join(missing)}")
    return aligned


def score(
    novels: Sequence[AnnotatedNovel], aligned: Mapping[str, AlignedPredictions]
) -> list[Report]:
    """Return the reports of bench pdnc for the novels with answers.

    They have no calibration error, because the answers have no confidence.
    """
    answered = [novel for novel in novels if novel.name in aligned]
    return [
        replace(
            report, metrics={name: value for name, value in report.metrics.items() if name != "ece"}
        )
        for report in pdnc.measure(answered, to_systems(aligned))
    ]


def to_systems(aligned: Mapping[str, AlignedPredictions]) -> Callable[[str], Mapping[str, System]]:
    """Return the answers as the systems of bench pdnc, by the name of a novel."""

    def systems_of(novel: str) -> Mapping[str, System]:
        predictions = aligned[novel]

        def system(
            text: str, quotations: Sequence[Quotation], cast: Sequence[Character]
        ) -> Sequence[Attribution]:
            return [_to_attribution(speaker, cast) for speaker in predictions.speakers]

        return {SYSTEM: system}

    return systems_of


def align(novel: AnnotatedNovel, lines: Sequence[PredictedLine]) -> AlignedPredictions:
    """Return the answers of the lines for a novel's quotations."""
    pieces = sort_pieces(novel.quotations)
    shared: defaultdict[int, Counter[int]] = defaultdict(Counter)
    unaligned = 0
    for line in lines:
        overlaps = count_shared(line.places, pieces)
        unaligned += not overlaps
        if line.speaker is not None:
            for index, characters in overlaps.items():
                shared[index][line.speaker] += characters
    speakers: list[int | None] = []
    for index, quotation in enumerate(novel.quotations):
        size = sum(piece.end - piece.start for piece in quotation.pieces)
        is_answered = shared[index].total() >= SHARE * size
        speakers.append(shared[index].most_common(1)[0][0] if is_answered else None)
    unnamed = sum(line.speaker == UNKNOWN for line in lines)
    return AlignedPredictions(tuple(speakers), len(lines), unaligned, unnamed)


def _to_attribution(speaker: int | None, cast: Sequence[Character]) -> Attribution:
    if speaker is None or speaker == UNKNOWN:
        return Attribution(None, QuoteKind.IMPLICIT, None, 0.0)
    return Attribution(cast[speaker], QuoteKind.IMPLICIT, None, 1.0)


def _read_folder(folder: Path, novels: Sequence[AnnotatedNovel]) -> dict[str, AlignedPredictions]:
    """Return the answers for the novels that have BookNLP files in a folder."""
    aligned = {}
    for novel in novels:
        for place in (folder / novel.name, folder):
            if (place / f"{novel.name}.quotes").is_file():
                aligned[novel.name] = align(novel, _read_booknlp(place, novel))
                break
    return aligned


def _read_booknlp(folder: Path, novel: AnnotatedNovel) -> list[PredictedLine]:
    """Return the lines of BookNLP's files for a novel."""
    output = booknlp.read(folder, novel.name, novel.text)
    names = CastNames(novel.cast)
    characters = {
        cluster: booknlp.find_character(phrases, names)
        for cluster, phrases in output.clusters.items()
    }
    return [
        PredictedLine(
            (quote.place,) if quote.place else (),
            None if quote.cluster is None else characters.get(quote.cluster, UNKNOWN),
        )
        for quote in output.quotes
    ]


def _read_lines(
    path: Path, novels: Mapping[str, AnnotatedNovel], tell: Tell
) -> dict[str, AlignedPredictions]:
    """Return the answers of a file of JSON lines."""
    try:
        text = json_lines.decode(path, read_bytes(path, MAX_BYTES))
    except FileNotFoundError:
        raise NotThere(f"there is no {path}; give a file or a folder of answers") from None
    except (OSError, ValueError) as refusal:
        raise json_lines.unreadable(path, refusal) from refusal
    known = {name: _NovelReader(novel) for name, novel in novels.items()}
    lines: dict[str, list[PredictedLine]] = {}
    others: Counter[str] = Counter()
    for where, record in json_lines.parse(path, text):
        name = json_lines.read_id(where, record, "novel")
        place, speaker = _read_place(where, record), _read_speaker(where, record)
        if name in known:
            lines.setdefault(name, []).append(known[name].line(place, speaker))
        else:
            others[name] += 1
    if others:
        about = one_line(", ".join(sorted(others)), 200)
        tell(f"{others.total()} lines are about novels that are not measured: {about}")
    return {name: align(novels[name], of_novel) for name, of_novel in lines.items()}


class _NovelReader:
    """Resolves the positions and names in the lines about one novel."""

    def __init__(self, novel: AnnotatedNovel) -> None:
        self._names = CastNames(novel.cast)
        self._quotations = dict(zip(novel.ids, novel.quotations, strict=True))

    def line(self, place: Span | str, speaker: str | None) -> PredictedLine:
        """Return a line about a span, or about the quotation with an id."""
        if isinstance(place, Span):
            places: tuple[Span, ...] = (place,)
        else:
            quotation = self._quotations.get(place)
            places = quotation.pieces if quotation else ()
        if speaker is None:
            return PredictedLine(places, None)
        index = self._names.find(speaker)
        return PredictedLine(places, UNKNOWN if index is None else index)


def _read_speaker(where: str, record: Mapping[str, Any]) -> str | None:
    """Return the speaker that a line names, None for null."""
    if "speaker" not in record:
        raise UsageError(f'{where}: there is no "speaker"; give it a name, or null for nobody')
    speaker = record["speaker"]
    if speaker is not None and not isinstance(speaker, str):
        raise UsageError(f'{where}: the "speaker" is not text; give it a name, or null for nobody')
    return speaker


def _read_place(where: str, record: Mapping[str, Any]) -> Span | str:
    """Return the span that a line gives in characters, else the id of its quotation."""
    start, end = record.get("start"), record.get("end")
    if start is None and end is None:
        return json_lines.read_id(where, record, "quote_id")
    if type(start) is not int or type(end) is not int or not 0 <= start < end:
        raise UsageError(
            f'{where}: "start" and "end" are not a span; give character offsets in '
            "novel_text.txt, the end exclusive"
        )
    return Span(start, end)
