"""The attributed dialogue of a book, cached in the book's folder.

    dialogue-<method>.json      the characters, and every quotation with its speaker

A file belongs to one method, its version and its model; a file of another is rebuilt.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scholar_indexes.storage.derived import DerivedFile, character_record, parse_character
from scholar_indexes.types import Attribution, Character, Quotation, QuotationForm, QuoteKind, Span

SCHEMA_VERSION = 2


@dataclass(frozen=True, slots=True)
class Dialogue:
    """The characters and quotations of a book, with one attribution for each quotation."""

    cast: tuple[Character, ...]
    quotations: tuple[Quotation, ...]
    attributions: tuple[Attribution, ...]

    @property
    def is_play(self) -> bool:
        """Return True if speech headings name the speaker of each quotation."""
        return all(
            attribution.kind is QuoteKind.EXPLICIT
            and attribution.evidence is not None
            and (attribution.speaker is None or attribution.confidence == 1)
            for attribution in self.attributions
        ) and bool(self.attributions)


def save(folder: Path, cache_key: str, dialogue: Dialogue) -> None:
    """Write a dialogue to its cache file."""
    positions = {character.id: position for position, character in enumerate(dialogue.cast)}
    record = {
        "cast": [character_record(character) for character in dialogue.cast],
        "quotations": [
            [
                [[piece.start, piece.end] for piece in quotation.pieces],
                None if attribution.speaker is None else positions[attribution.speaker.id],
                attribution.kind,
                attribution.evidence and [attribution.evidence.start, attribution.evidence.end],
                round(attribution.confidence, 4),
                attribution.form,
            ]
            for quotation, attribution in zip(
                dialogue.quotations, dialogue.attributions, strict=True
            )
        ],
    }
    _file(folder, cache_key).save_record(record)


def load(folder: Path, cache_key: str, size: int) -> Dialogue | None:
    """Return a cached dialogue, or None if there is no valid one under this key.

    `size` is the length of the book's text: a file with a span outside it counts as damaged.
    """
    return _file(folder, cache_key).load_record(lambda record: _parse(record, size))


def _parse(record: Mapping[str, Any], size: int) -> Dialogue:
    cast = tuple(map(parse_character, record["cast"]))
    quotations, attributions = [], []
    for pieces, speaker, kind, evidence, confidence, form in record["quotations"]:
        quotations.append(Quotation(tuple(_span(piece, size) for piece in pieces)))
        attributions.append(
            Attribution(
                None if speaker is None else cast[speaker],
                QuoteKind(kind),
                evidence and _span(evidence, size),
                float(confidence),
                QuotationForm(form),
            )
        )
    return Dialogue(cast, tuple(quotations), tuple(attributions))


def _span(written: Sequence[int], size: int) -> Span:
    start, end = map(int, written)
    if not 0 <= start < end <= size:
        raise ValueError("a span outside the text")
    return Span(start, end)


def _file(folder: Path, cache_key: str) -> DerivedFile:
    method = re.sub(r"[^a-z0-9]+", "-", cache_key.partition(" ")[0].lower())
    return DerivedFile(folder / f"dialogue-{method}.json", SCHEMA_VERSION, cache_key)
