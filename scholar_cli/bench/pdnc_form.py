"""Novels in PDNC's form: the text, who says which quotation, and the characters.

    novel_text.txt  quotation_info.csv  character_info.csv

The Project Dialogism Novel Corpus (Vishnubhotla, Hammond and Hirst 2022). Its "byte" spans
count characters.
"""

from __future__ import annotations

import ast
import csv
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.types import Character, Gender, Quotation, Span

FILES = ("novel_text.txt", "quotation_info.csv", "character_info.csv")

OFTEN = 10
"""Quotations that make a character count in the published figures."""

NOBODY = frozenset({"_group", "_unknowable"})
"""Speakers who are no character."""

_NARRATOR = frozenset({"_narr", "Narr", "Narrator"})
_NOT_NAMES = NOBODY | _NARRATOR | {"Unknowable", "Unknown"}
_RANKS = {"major": 0, "intermediate": 1, "minor": 2}
_GENDERS = {"F": Gender.FEMALE, "M": Gender.MALE}


@dataclass(frozen=True)
class Novel:
    """A novel and its annotation.

    speakers holds the place in cast of who says each quotation, -1 for nobody who is a
    character; kinds are "Explicit", "Anaphoric", "Implicit", or "" where it is not said.
    """

    name: str
    text: str
    cast: tuple[Character, ...]
    ids: tuple[str, ...]
    quotations: tuple[Quotation, ...]
    speakers: tuple[int, ...]
    kinds: tuple[str, ...]

    @cached_property
    def often(self) -> frozenset[int]:
        """The characters with OFTEN quotations or more."""
        counts = Counter(self.speakers)
        return frozenset(who for who, count in counts.items() if who >= 0 and count >= OFTEN)


def read(data: Path) -> list[Novel]:
    """The novels of a folder, one folder each, by name.

    Raises NotThere where there is none and UsageError naming the file and the row of
    one that is broken.
    """
    if not data.is_dir():
        raise NotThere(f"there is no folder {data}; name one of novels in PDNC's form")
    found = [read_novel(each) for each in sorted(data.iterdir()) if (each / FILES[0]).is_file()]
    if not found:
        raise NotThere(f"{data} holds no novels; each has a folder with {', '.join(FILES)}")
    return found


def read_novel(folder: Path) -> Novel:
    """One novel; raises UsageError for a file that is missing or broken."""
    path = folder / FILES[0]
    try:
        with path.open(encoding="utf-8", newline="") as file:
            text = file.read()
    except (OSError, ValueError) as broken:
        raise UsageError(f"{path} cannot be read as UTF-8; save it again") from broken
    cast, known = _cast(folder / FILES[2])
    path = folder / FILES[1]
    ids, quotations, speakers, kinds = [], [], [], []
    for number, row in enumerate(_rows(path, ("quoteID", "quoteByteSpans", "speaker")), 1):
        try:
            spans = sorted(
                {
                    _trimmed(text, int(start), int(end))
                    for start, end in _literal(row, "quoteByteSpans")
                }
            )
        except (ValueError, TypeError, SyntaxError) as broken:
            raise UsageError(f"{path}, row {number}: its spans cannot be read") from broken
        if not spans or any(each.start >= each.end for each in spans):
            raise UsageError(f"{path}, row {number}: a span is empty or outside the text")
        speaker = (row["speaker"] or "").strip()
        ids.append(row["quoteID"])
        quotations.append(Quotation(tuple(spans)))
        speakers.append(known.get(speaker, -1))
        kind = (row.get("quoteType") or "").strip()
        kinds.append(kind if kind in ("Explicit", "Anaphoric", "Implicit") else "")
    return Novel(
        folder.name, text, cast, tuple(ids), tuple(quotations), tuple(speakers), tuple(kinds),
    )  # fmt: skip


def sha256(novels: Sequence[Novel]) -> str:
    """One hash of the texts and the annotation."""
    digest = hashlib.sha256()
    for novel in novels:
        said = [novel.name, novel.text, *map(str, novel.speakers), *novel.kinds]
        said += [f"{p.start}-{p.end}" for each in novel.quotations for p in each.pieces]
        said += ["|".join(each.aliases) for each in novel.cast]
        digest.update("\0".join(said).encode())
    return digest.hexdigest()


def _cast(path: Path) -> tuple[tuple[Character, ...], dict[str, int]]:
    cast: list[Character] = []
    known: dict[str, int] = {}
    rows = _rows(path, ("Main Name", "Aliases"))
    # Of two characters of one name the more important one is meant more often.
    rows.sort(key=lambda row: _RANKS.get((row.get("Category") or "").strip(), len(_RANKS)))
    for number, row in enumerate(rows, 1):
        name = (row["Main Name"] or "").strip()
        try:
            aliases = {str(each).strip() for each in _literal(row, "Aliases")} | {name}
        except (ValueError, TypeError, SyntaxError) as broken:
            raise UsageError(f"{path}, row {number}: its aliases cannot be read") from broken
        if aliases & NOBODY:
            continue
        for alias in aliases:
            known.setdefault(alias, len(cast))
        names = tuple(sorted(each for each in aliases if each not in _NOT_NAMES))
        cast.append(
            Character(
                row.get("Character ID") or str(number), name, names or (name,),
                _GENDERS.get((row.get("Gender") or "").strip(), Gender.UNKNOWN),
                bool(aliases & _NARRATOR),
            )
        )  # fmt: skip
    return tuple(cast), known


def _rows(path: Path, columns: Sequence[str]) -> list[dict[str, Any]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except FileNotFoundError as missing:
        raise UsageError(f"{path} is missing; each novel has {', '.join(FILES)}") from missing
    except (OSError, ValueError, csv.Error) as broken:
        raise UsageError(f"{path} cannot be read as CSV in UTF-8; save it again") from broken
    lacking = [each for each in columns if rows and each not in rows[0]]
    if lacking:
        raise UsageError(f"{path} lacks the column {lacking[0]}; it has PDNC's columns")
    return rows


def _literal(row: Mapping[str, Any], column: str) -> Any:
    return ast.literal_eval(row[column])


def _trimmed(text: str, start: int, end: int) -> Span:
    if not 0 <= start < end <= len(text):
        raise ValueError("outside the text")
    while end > start and text[end - 1].isspace():
        end -= 1
    while start < end and text[start].isspace():
        start += 1
    return Span(start, end)
