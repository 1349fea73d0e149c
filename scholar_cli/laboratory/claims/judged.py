"""Claims with judged passages, and the positions of these passages in a text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scholar_cli.laboratory import json_lines
from scholar_cli.laboratory.claims import graded
from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.guarded import parse_json, read_text
from scholar_indexes.types import Span

BEST = 2
"""The best grade of a file of judgements."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim about a work, and passages of the work with their grades; `best` is the highest
    possible grade, and a passage is given by its first and last words."""

    id: str
    gutenberg_id: str
    claim: str
    passages: tuple[graded.GradedPassage, ...]
    best: int = BEST


class PassageFinder:
    """Finds passages in a text by the letters and digits of their first and last words."""

    def __init__(self, text: str) -> None:
        self._places = tuple(at for at, character in enumerate(text) if character.isalnum())
        self._letters = "".join(text[at].lower()[:1] for at in self._places)

    def find(self, passage: graded.GradedPassage) -> Span | None:
        """Return the span of a passage; None if it is not in the text."""
        first, last = _letters(passage.first), _letters(passage.last)
        at = self._letters.find(first)
        end = self._letters.find(last, at) + len(last)
        if at < 0 or not first or end < at + max(len(first), len(last)):
            return None
        return Span(self._places[at], self._places[end - 1] + 1)

    def grades(self, passages: Sequence[graded.GradedPassage]) -> list[tuple[Span, int]]:
        """Return the spans of the passages that are found, with their grades."""
        return [
            (span, passage.grade)
            for passage in passages
            if (span := self.find(passage)) is not None
        ]


def choose(data: Path | None, part: str | None) -> list[Judged]:
    """Return the claims of a file, or of one of its parts; without a file, the graded claims of a
    part (default: dev). Raises the errors of read and read_graded."""
    if data is None:
        return read_graded(part or graded.DEV)
    return read(data, part)


def read(path: Path, part: str | None = None) -> list[Judged]:
    """Return the claims of a file, all of them or a part; raises NotThere, or UsageError naming the
    broken line or the part that is missing."""
    try:
        lines = read_text(path).splitlines()
    except FileNotFoundError:
        raise NotThere(f"there is no {path}; name a file of judged claims") from None
    except (OSError, ValueError) as refusal:
        raise json_lines.unreadable(path, refusal) from refusal
    claims, parts = [], set()
    for number, line in enumerate(lines, 1):
        try:
            record = parse_json(line)
            claim, claim_part = _parse_claim(record), str(record.get("part", ""))
        except (ValueError, KeyError, TypeError) as broken:
            raise UsageError(
                f"{path}, line {number}: not a judged claim ({broken}); fix it"
            ) from None
        parts.add(claim_part)
        if part in (None, claim_part):
            claims.append(claim)
    if parts and not claims:
        named = " or ".join(sorted(parts - {""}))
        raise UsageError(
            f"{path} has no part {part}; " + (f"write {named}" if named else "leave out --part")
        )
    if not claims:
        raise UsageError(f"{path} has no claims; add at least one")
    return claims


def read_graded(part: str) -> list[Judged]:
    """Return the packaged graded claims of a part; raises UsageError for an unknown part."""
    if part not in graded.PARTS:
        raise UsageError(
            f"--part {part} is not a part of the graded claims; write {' or '.join(graded.PARTS)}"
        )
    return [
        Judged(
            claim.id,
            str(claim.gutenberg_id),
            claim.claim,
            tuple(claim.passages),
            graded.QUOTED,
        )
        for claim in graded.load()
        if claim.part == part
    ]


def _letters(text: str) -> str:
    return "".join(character.lower() for character in text if character.isalnum())


def _parse_claim(record: Mapping[str, Any]) -> Judged:
    passages = tuple(
        graded.GradedPassage(str(judged["text"]), str(judged["text"]), int(judged["grade"]))
        for judged in record["judged"]
    )
    return Judged(
        str(record["claim_id"]), str(record["gutenberg_id"]), str(record["claim"]), passages
    )
