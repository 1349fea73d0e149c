"""Novels in PDNC's format: the text, the quotations with their speakers, and the characters.

    novel_text.txt  quotation_info.csv  character_info.csv

The Project Dialogism Novel Corpus (Vishnubhotla, Hammond and Hirst 2022). Its "byte" spans
count characters.
"""

from __future__ import annotations

import ast
import csv
import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from scholar_indexes.errors import NotThere, UsageError
from scholar_indexes.guarded import shown
from scholar_indexes.sanitize import unescape_formula
from scholar_indexes.types import Character, Gender, Quotation, Span

MAX_CELL_CHARS = 1_000_000
"""The maximum length of a list in a cell."""

FILES = ("novel_text.txt", "quotation_info.csv", "character_info.csv")

INDEX = "index.csv"
"""An optional file with the folders of novels, their titles and authors."""

KINDS = ("Explicit", "Anaphoric", "Implicit")

OFTEN = 10
"""The minimum number of quotations of the characters in the published figures."""

NOBODY = frozenset({"_group", "_unknowable"})
"""Speakers who are not characters."""

NARRATOR = "_narr"
"""A name for the narrator."""

_NARRATOR = frozenset({NARRATOR, "Narr", "Narrator"})
_NOT_NAMES = NOBODY | _NARRATOR | {"Unknowable", "Unknown"}
_RANKS = {"major": 0, "intermediate": 1, "minor": 2}
_GENDERS = {"F": Gender.FEMALE, "M": Gender.MALE}


@dataclass(frozen=True)
class AnnotatedNovel:
    """A novel and its annotation.

    speakers has the cast index of the speaker of each quotation, -1 if the speaker is not a
    character; kinds has one of KINDS, or "" if not annotated. addressees has the cast indices of
    the addressees, and mentions the spans in quotations that denote one character, with its index,
    in text order; both are empty if not annotated.
    """

    name: str
    text: str
    cast: tuple[Character, ...]
    ids: tuple[str, ...]
    quotations: tuple[Quotation, ...]
    speakers: tuple[int, ...]
    kinds: tuple[str, ...]
    addressees: tuple[tuple[int, ...], ...] = ()
    mentions: tuple[tuple[Span, int], ...] = ()

    @cached_property
    def often(self) -> frozenset[int]:
        """Return the characters with OFTEN quotations or more."""
        counts = Counter(self.speakers)
        return frozenset(
            speaker for speaker, count in counts.items() if speaker >= 0 and count >= OFTEN
        )


def read(data: Path) -> list[AnnotatedNovel]:
    """Return the novels in the subfolders of a folder, by name, or the one novel in the folder.

    Raises NotThere if there is none, and UsageError with the file and the row if one is broken.
    """
    if not data.is_dir():
        raise NotThere(f"there is no folder {data}; give a folder of novels in PDNC's format")
    if (data / FILES[0]).is_file():
        return [read_novel(data)]
    novels = [read_novel(path) for path in sorted(data.iterdir()) if (path / FILES[0]).is_file()]
    if not novels:
        raise NotThere(f"{data} contains no novels; each is a folder with {', '.join(FILES)}")
    return novels


def read_novel(folder: Path) -> AnnotatedNovel:
    """Return one novel, without quotations that have no speaker yet.

    Raises UsageError for a file that is missing or broken, a speaker who is not in the table of
    characters, and a table without any speaker.
    """
    text_path, quotations_path, characters_path = (folder / name for name in FILES)
    text = _read_text(text_path)
    cast, index_of_name = _read_cast(characters_path)
    numbered = _read_quotations(quotations_path, index_of_name)
    rows = [row for _, row in numbered]
    return AnnotatedNovel(
        folder.resolve().name,
        text,
        cast,
        tuple(row["quoteID"] for row in rows),
        tuple(_parse_quotation(row, text, place) for place, row in numbered),
        tuple(index_of_name[_cell(row, "speaker")] for row in rows),
        tuple(kind if (kind := _cell(row, "quoteType")) in KINDS else "" for row in rows),
        tuple(_parse_addressees(row, index_of_name) for row in rows),
        tuple(sorted(_parse_mentions(rows, text, index_of_name))),
    )


def sha256(novels: Sequence[AnnotatedNovel]) -> str:
    """Return a hash of the texts and the annotation."""
    digest = hashlib.sha256()
    for novel in novels:
        fields = [novel.name, novel.text, *map(str, novel.speakers), *novel.kinds]
        fields += [
            f"{piece.start}-{piece.end}"
            for quotation in novel.quotations
            for piece in quotation.pieces
        ]
        fields += ["|".join(character.aliases) for character in novel.cast]
        digest.update("\0".join(fields).encode())
    return digest.hexdigest()


def _has_speaker(row: Mapping[str, Any], index_of_name: Mapping[str, int], place: str) -> bool:
    """Return True for a row with a speaker; `place` names the row in errors."""
    speaker = _cell(row, "speaker")
    if speaker and speaker not in index_of_name:
        raise UsageError(
            f"{place}: nobody in {FILES[2]} is called {shown(speaker)}; write a main name or an "
            f"alias, or {' or '.join(sorted(NOBODY))}"
        )
    return bool(speaker)


def _parse_quotation(row: Mapping[str, Any], text: str, place: str) -> Quotation:
    """Return the quotation of a row; `place` names the row in errors."""
    try:
        spans = sorted(
            {
                _stripped_span(text, int(start), int(end))
                for start, end in _literal(row, "quoteByteSpans")
            }
        )
    except (ValueError, TypeError, SyntaxError, OverflowError) as error:
        raise UsageError(f"{place}: its spans cannot be read") from error
    if not spans or any(span.start >= span.end for span in spans):
        raise UsageError(f"{place}: a span is empty or outside the text")
    return Quotation(tuple(spans))


def _parse_addressees(row: Mapping[str, Any], index_of_name: Mapping[str, int]) -> tuple[int, ...]:
    """Return the addressees of a row, none if the cell cannot be read."""
    names = _list(row, "addressees")
    indices = (index_of_name.get(str(name).strip(), -1) for name in names)
    return tuple(sorted({index for index in indices if index >= 0}))


def _parse_mentions(
    rows: Sequence[Mapping[str, Any]], text: str, index_of_name: Mapping[str, int]
) -> Iterator[tuple[Span, int]]:
    """Yield the mentions that denote one character; pieces with inconsistent lists have none."""
    for row in rows:
        columns = (_list(row, f"mention{part}List") for part in ("Texts", "Spans", "Entities"))
        for texts, spans, entities in zip(*columns, strict=False):
            if not all(isinstance(piece, (list, tuple)) for piece in (texts, spans, entities)):
                continue
            for surface, span, names in zip(texts, spans, entities, strict=False):
                index = index_of_name.get(_only_name(names), -1)
                if index >= 0 and _is_span(span) and text[slice(*span)] == surface:
                    yield Span(*span), index


def _only_name(names: Any) -> str:
    """Return the name in a list of one name, "" for any other value."""
    return str(names[0]).strip() if isinstance(names, (list, tuple)) and len(names) == 1 else ""


def _is_span(value: Any) -> bool:
    """Return True for two integers in ascending order, from 0."""
    return (
        isinstance(value, (list, tuple))
        and len(value) == 2
        and all(type(number) is int for number in value)
        and 0 <= value[0] <= value[1]
    )


def _read_quotations(
    path: Path, index_of_name: Mapping[str, int]
) -> list[tuple[str, dict[str, Any]]]:
    """Return the rows that have a speaker, each with its place for messages."""
    columns = ("quoteID", "quoteByteSpans", "speaker")
    numbered = [
        (f"{path}, row {number}", row) for number, row in enumerate(_read_rows(path, columns), 1)
    ]
    kept = [(place, row) for place, row in numbered if _has_speaker(row, index_of_name, place)]
    if not kept:
        raise UsageError(f"{path} has no quotation with a speaker; fill in speakers")
    return kept


def _read_text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as UTF-8; save it again") from error


def _read_cast(path: Path) -> tuple[tuple[Character, ...], dict[str, int]]:
    """Return the characters, and the index of the character of each name, -1 for nobody."""
    cast: list[Character] = []
    nobodies = set(NOBODY)
    index_of_name: dict[str, int] = {}
    rows = _read_rows(path, ("Main Name", "Aliases"))
    # Of two characters with the same name, the more important one is usually meant.
    rows.sort(key=lambda row: _RANKS.get(_cell(row, "Category"), len(_RANKS)))
    for number, row in enumerate(rows, 1):
        name = _cell(row, "Main Name")
        try:
            aliases = {str(alias).strip() for alias in _literal(row, "Aliases")} | {name}
        except (ValueError, TypeError, SyntaxError) as error:
            raise UsageError(f"{path}, row {number}: its aliases cannot be read") from error
        if aliases & NOBODY:
            nobodies |= aliases
            continue
        for alias in aliases:
            index_of_name.setdefault(alias, len(cast))
        cast.append(_parse_character(row, name, aliases, number))
    return tuple(cast), {**dict.fromkeys(nobodies, -1), **index_of_name}


def _parse_character(
    row: Mapping[str, Any], name: str, aliases: Set[str], number: int
) -> Character:
    names = tuple(sorted(aliases - _NOT_NAMES))
    return Character(
        row.get("Character ID") or str(number),
        name,
        names or (name,),
        _GENDERS.get(_cell(row, "Gender"), Gender.UNKNOWN),
        bool(aliases & _NARRATOR),
    )


def _read_rows(path: Path, columns: Sequence[str]) -> list[dict[str, Any]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except FileNotFoundError as error:
        raise UsageError(f"{path} is missing; each novel has {', '.join(FILES)}") from error
    except (OSError, ValueError, csv.Error) as error:
        raise UsageError(f"{path} cannot be read as CSV in UTF-8; save it again") from error
    missing = [column for column in columns if rows and column not in rows[0]]
    if missing:
        raise UsageError(f"{path} has no column {missing[0]}; use PDNC's columns")
    return rows


def _cell(row: Mapping[str, Any], column: str) -> str:
    """Return the text of a cell, "" if it is missing."""
    return unescape_formula((row.get(column) or "").strip())


def _literal(row: Mapping[str, Any], column: str) -> Any:
    """Return the value of a cell; raise ValueError or SyntaxError if it cannot be read."""
    text = row[column]
    if not isinstance(text, str) or len(text) > MAX_CELL_CHARS:
        raise ValueError("a cell that is too long, or missing")
    try:
        return ast.literal_eval(text)
    except (RecursionError, MemoryError):
        raise ValueError("a cell that is nested too deeply") from None


def _list(row: Mapping[str, Any], column: str) -> list[Any]:
    """Return the list in a cell, empty if there is none."""
    try:
        value = _literal(row, column)
    except (KeyError, ValueError, TypeError, SyntaxError):
        return []
    return value if isinstance(value, list) else []


def _stripped_span(text: str, start: int, end: int) -> Span:
    if not 0 <= start < end <= len(text):
        raise ValueError("outside the text")
    while end > start and text[end - 1].isspace():
        end -= 1
    while start < end and text[start].isspace():
        start += 1
    return Span(start, end)
