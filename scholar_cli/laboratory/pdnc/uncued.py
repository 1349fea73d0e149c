"""Training novels without annotation, made by distant supervision: cues are removed.

    a text -> quotations, characters, cues -> the same text without some of its cues

"Said Darcy" names the speaker of a quotation. Without these words, the speaker has to be inferred,
and the right answer is known (distant supervision, Mintz et al. 2009).
Most short narration is removed entirely, which leaves an implicit quotation; otherwise the name is
replaced by a pronoun, which leaves an anaphoric one.
"""

from __future__ import annotations

import re
import zlib
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from scholar_cli.laboratory.pdnc.pdnc_data import AnnotatedNovel
from scholar_cli.laboratory.relic import texts
from scholar_indexes.attribution.cues.cue_detection import Cue, find_cues
from scholar_indexes.attribution.quotes.quote_detection import find_quotations
from scholar_indexes.books.formats import sources
from scholar_indexes.coreference import mentions
from scholar_indexes.coreference.cast import detect_cast
from scholar_indexes.errors import NotABook
from scholar_indexes.quotations.words import grams, isin_sorted, number_words
from scholar_indexes.types import Character, Gender, Progress, Quotation, QuoteKind, Span

LONGEST = 450_000
"""The number of characters that are read of each text."""

FEWEST_QUOTATIONS, FEWEST_CUES = 150, 60
"""The minimum numbers of quotations and of cues with a name in a suitable novel."""

SHARE = 0.35
"""The share of the cues that name a speaker to remove; the others stay as context."""

SHORT = 70
"""Narration with fewer characters may be removed entirely."""

WHOLE = 0.75
"""The share of short narrations that are removed entirely."""

RUN, SAME = 8, 10
"""The length of the word runs at the start of quotations, and the number of shared runs that shows
that two texts are the same novel."""

_NAME = re.compile(
    r"(?:(?:the|old|young|poor)\s+)*\b[A-Z][\w’'-]*\.?(?:\s+(?:[A-Z][\w’'-]*\.?|de|of|the))*"
)
_OPENING = re.compile(r"[\s\"”’'_)]*")
_PRONOUNS = {Gender.FEMALE: "she", Gender.MALE: "he"}
_CLOSING = "\"“‘'_( \n"


@dataclass(frozen=True, slots=True)
class _Edit:
    start: int
    end: int
    words: str


def read(
    folder: Path, annotated: Sequence[AnnotatedNovel], progress: Progress
) -> list[AnnotatedNovel]:
    """Return the novels of a folder of texts without some of their cues, in the order of their ids.

    `speakers` has the speaker of each removed cue, and -1 for other quotations. Texts that are not
    novels, or are annotated ones, are skipped. Raises the errors of texts.files.
    """
    known = _Known(annotated)
    total, novels = texts.count(folder, "primary"), []
    for done, (id, raw) in enumerate(texts.files(folder, "primary")):
        progress("reading texts", done, total)
        try:
            text = sources.read(raw, id).text
        except NotABook:
            continue
        if known.holds(text):
            continue
        novel = make_uncued(id, text[:LONGEST])
        if novel is not None:
            novels.append(novel)
    progress("reading texts", total, total)
    return novels


def make_uncued(name: str, text: str) -> AnnotatedNovel | None:
    """Return a text without some of its cues; None if it is not a novel."""
    quotations = find_quotations(text)
    if len(quotations) < FEWEST_QUOTATIONS:
        return None
    cast = detect_cast(text, quotations)
    cues = find_cues(text, quotations, cast, mentions.find_mentions_and_titles(text, cast))
    if sum(_named(cue) for cue in cues) < FEWEST_CUES:
        return None
    draw = np.random.default_rng(zlib.crc32(name.encode()))
    return remove_cues(name, text, quotations, cast, cues, SHARE, draw)


def remove_cues(
    name: str,
    text: str,
    quotations: Sequence[Quotation],
    cast: Sequence[Character],
    cues: Sequence[Cue],
    share: float,
    draw: np.random.Generator,
) -> AnnotatedNovel:
    """Return a novel without a share of the cues that name a speaker; the name is the answer."""
    between = _Between(text, quotations)
    speakers = [-1] * len(quotations)
    edits: list[_Edit] = []
    reached = 0
    for number, cue in sorted(enumerate(cues), key=_place):
        if not _named(cue) or draw.random() >= share:
            continue
        assert cue.character is not None
        edit = between.edit(cue, cast[cue.character].gender, draw)
        if edit is not None and edit.start >= reached:
            edits.append(edit)
            reached = edit.end
            speakers[number] = cue.character
    shorter, moved = _applied(text, edits)
    return AnnotatedNovel(
        name,
        shorter,
        tuple(cast),
        tuple(character.id for character in cast),
        tuple(
            replace(
                quotation,
                pieces=tuple(
                    Span(moved(piece.start), moved(piece.end)) for piece in quotation.pieces
                ),
            )
            for quotation in quotations
        ),
        tuple(speakers),
        ("",) * len(quotations),
    )


def _place(numbered: tuple[int, Cue]) -> int:
    span = numbered[1].span
    return span.start if span else 0


def _named(cue: Cue) -> bool:
    return cue.kind is QuoteKind.EXPLICIT and cue.character is not None and cue.span is not None


class _Between:
    """The narration between pieces of quotations in a paragraph."""

    def __init__(self, text: str, quotations: Sequence[Quotation]) -> None:
        self._text = text
        self._pieces = sorted(
            (piece for quotation in quotations for piece in quotation.pieces),
            key=lambda piece: piece.start,
        )

    def edit(self, cue: Cue, gender: Gender, draw: np.random.Generator) -> _Edit | None:
        """Return the edit that removes the name of a cue; None if that is impossible."""
        assert cue.span is not None
        narration = self._narration_around(cue.span)
        if narration is None:
            return None
        if narration.end - narration.start < SHORT and draw.random() < WHOLE:
            return self._remove_narration(narration)
        pronoun = _PRONOUNS.get(gender)
        words = cue.span.of(self._text)
        changed = _NAME.sub(pronoun, words, count=1) if pronoun else words
        return None if changed == words else _Edit(cue.span.start, cue.span.end, changed)

    def _narration_around(self, span: Span) -> Span | None:
        """Return the narration around a span, between pieces of quotations or the ends of a
        paragraph; None for a span in a quotation."""
        after = bisect_right(self._pieces, span.start, key=lambda piece: piece.start)
        start = self._pieces[after - 1].end if after else 0
        end = self._pieces[after].start if after < len(self._pieces) else len(self._text)
        if start > span.start or end < span.end:
            return None
        opening = self._text.rfind("\n\n", start, span.start)
        ending = self._text.find("\n\n", span.end, end)
        return Span(start if opening < 0 else opening + 2, end if ending < 0 else ending)

    def _remove_narration(self, narration: Span) -> _Edit | None:
        """Return the edit that removes narration up to the marks of the adjacent quotations."""
        words = narration.of(self._text)
        opening = _OPENING.match(words)
        assert opening is not None
        ends_paragraph = self._text.startswith("\n\n", narration.end)
        remaining = words if ends_paragraph else words.rstrip(_CLOSING)
        if len(remaining) <= opening.end():
            return None
        return _Edit(narration.start + opening.end(), narration.start + len(remaining), "")


def _applied(text: str, edits: Sequence[_Edit]) -> tuple[str, Callable[[int], int]]:
    """Return the text with edits applied in order, and a function from old to new offsets."""
    parts: list[str] = []
    places, shifts = [0], [0]
    at = 0
    for edit in edits:
        parts += [text[at : edit.start], edit.words]
        at = edit.end
        places.append(edit.end)
        shifts.append(shifts[-1] + len(edit.words) - (edit.end - edit.start))
    parts.append(text[at:])

    def moved(place: int) -> int:
        return place + shifts[bisect_right(places, place) - 1]

    return "".join(parts), moved


class _Known:
    """The annotated novels, recognized by the words at the start of their quotations."""

    def __init__(self, novels: Sequence[AnnotatedNovel]) -> None:
        self._runs = []
        for novel in novels:
            words = number_words(novel.text)
            begins = [piece.start for quotation in novel.quotations for piece in quotation.pieces]
            runs = grams(words.numbers, RUN)
            at = np.searchsorted(words.starts, begins)
            self._runs.append(np.unique(runs[at[at < len(runs)]]))

    def holds(self, text: str) -> bool:
        """Return True if a text is, or contains, an annotated novel."""
        in_text = np.unique(grams(number_words(text).numbers, RUN))
        return any(np.count_nonzero(isin_sorted(runs, in_text)) >= SAME for runs in self._runs)
