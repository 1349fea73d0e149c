"""What was found of a book's dialogue, kept in the book's folder.

    dialogue-<method>.json      the characters, and every quotation with its speaker

A file belongs to one method, its version and its model; another one's is made anew.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scholar_indexes.places import writing
from scholar_indexes.types import Attribution, Character, Gender, Quotation, QuoteKind, Span

SCHEMA_VERSION = 1


@dataclass(frozen=True, slots=True)
class Dialogue:
    """The characters of a book, what is said in it, and by whom; one attribution each."""

    cast: tuple[Character, ...]
    quotations: tuple[Quotation, ...]
    attributions: tuple[Attribution, ...]


def save(folder: Path, made_by: str, dialogue: Dialogue) -> None:
    """Write a dialogue whole, or not at all."""
    places = {each.id: at for at, each in enumerate(dialogue.cast)}
    record = {
        "schema_version": SCHEMA_VERSION,
        "made_by": made_by,
        "cast": [
            [each.id, each.name, list(each.aliases), each.gender, each.narrator]
            for each in dialogue.cast
        ],
        "quotations": [
            [
                [[piece.start, piece.end] for piece in quotation.pieces],
                None if said.speaker is None else places[said.speaker.id],
                said.kind,
                said.evidence and [said.evidence.start, said.evidence.end],
                round(said.confidence, 4),
            ]
            for quotation, said in zip(dialogue.quotations, dialogue.attributions, strict=True)
        ],
    }
    with writing(folder):
        handle, unfinished = tempfile.mkstemp(prefix=".dialogue-", dir=folder)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(record, file, ensure_ascii=False)
            os.replace(unfinished, _path(folder, made_by))
        except BaseException:
            Path(unfinished).unlink(missing_ok=True)
            raise


def load(folder: Path, made_by: str, size: int) -> Dialogue | None:
    """A dialogue that was kept; None where there is none of this making, or it is broken.

    size is that of the book's text: what lies outside it is broken too.
    """
    try:
        record = json.loads(_path(folder, made_by).read_text("utf-8"))
        if (record["schema_version"], record["made_by"]) != (SCHEMA_VERSION, made_by):
            return None
        cast = tuple(
            Character(str(id), str(name), tuple(map(str, aliases)), Gender(gender), bool(narrator))
            for id, name, aliases, gender, narrator in record["cast"]
        )
        quotations, attributions = [], []
        for pieces, who, kind, evidence, confidence in record["quotations"]:
            quotations.append(Quotation(tuple(_span(each, size) for each in pieces)))
            attributions.append(
                Attribution(
                    None if who is None else cast[who], QuoteKind(kind),
                    evidence and _span(evidence, size), float(confidence),
                )
            )  # fmt: skip
        return Dialogue(cast, tuple(quotations), tuple(attributions))
    except (OSError, ValueError, KeyError, TypeError, IndexError):
        return None


def _span(written: Sequence[int], size: int) -> Span:
    start, end = map(int, written)
    if not 0 <= start < end <= size:
        raise ValueError("a span outside the text")
    return Span(start, end)


def _path(folder: Path, made_by: str) -> Path:
    method = re.sub(r"[^a-z0-9]+", "-", made_by.partition(" ")[0].lower())
    return folder / f"dialogue-{method}.json"
