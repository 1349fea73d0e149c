"""Import a user's own descriptions from CSV, JSON or JSON lines."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scholar_indexes.characters.descriptions import bank as banks
from scholar_indexes.characters.descriptions.bank import SLOT, DescribedCharacter
from scholar_indexes.characters.quiz.bank_format import (
    ALIAS_SEPARATOR,
    COLUMNS,
    bank_to_jsonl,
    write_files,
)
from scholar_indexes.errors import Damaged, NotThere, ScholarError, UsageError
from scholar_indexes.guarded import TooLarge, parse_json, read_text
from scholar_indexes.locks import explain_write_errors
from scholar_indexes.sanitize import one_line, unescape_formula
from scholar_indexes.storage import checked_files
from scholar_indexes.types import Gender

MAX_CELL_CHARS = 100_000

_REQUIRED_COLUMNS = ("character", "level", "description")
_BOOK_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}", re.ASCII)

Row = Mapping[str, str]
"""The cells of a row by the names in COLUMNS; missing cells are empty."""

Records = dict[str, dict[str, Any]]
"""The characters of a book by name, as the records of a bank's lines."""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """The descriptions of a book that an import stored, and their file."""

    book_id: str
    path: Path
    characters: int
    descriptions: int


def import_banks(
    path: Path,
    folder: Path,
    book_id: str | None = None,
    *,
    replace: bool = False,
    find_book: Callable[[str], str] = str,
) -> list[ImportReport]:
    """Read a user's own descriptions and store them in folder, as BOOK.jsonl for each book.

    The file is CSV with at least character, level and description of COLUMNS, JSON as an export
    writes it, or the JSON lines of a bank. book_id is the book of rows without one. find_book
    returns the id of a book that a row or the user names. Everything is checked before anything is
    written, atomically.

    Raises NotThere without the file; Damaged with the first wrong line, the reason, and the number
    of other wrong lines; UsageError if a book is not given, is given in two ways, or already has
    descriptions and replace is False; and the errors of find_book.
    """
    if book_id is not None:
        book_id = _given_book_id(find_book(book_id))
    books = _rename_books(read_banks(path, book_id), find_book, path.name)
    targets = {book: folder / f"{book}.jsonl" for book in books}
    for book, target in targets.items():
        if target.exists() and not replace:
            raise UsageError(
                f"there are already descriptions of {book} in {target}; "
                "replace them with --replace, or move them away"
            )
    with explain_write_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    write_files(
        folder,
        {targets[book]: bank_to_jsonl(bank).encode() for book, bank in books.items()},
        checked_files.write,
    )
    return [
        ImportReport(
            book,
            targets[book],
            len(bank),
            sum(len(character.descriptions) for character in bank),
        )
        for book, bank in books.items()
    ]


def _given_book_id(book_id: str) -> str:
    """Return a book id that the user gave; raises UsageError if it is not one."""
    if not _BOOK_ID.fullmatch(book_id):
        raise UsageError(f"{book_id[:40]!r} is not a book id; write one like pg1342 or own-diary")
    return book_id


def _rename_books(
    banks_by_name: Mapping[str, list[DescribedCharacter]],
    find_book: Callable[[str], str],
    file_name: str,
) -> dict[str, list[DescribedCharacter]]:
    """Return the banks of a file by the ids of their books; raises UsageError for a book that is
    named in two ways."""
    books: dict[str, list[DescribedCharacter]] = {}
    for named, bank in banks_by_name.items():
        book = find_book(named)
        if book in books:
            raise UsageError(f"{file_name} also calls {book} {named!r}; use {book} in all rows")
        books[book] = bank
    return books


def read_banks(path: Path, book_id: str | None = None) -> dict[str, list[DescribedCharacter]]:
    """Return the banks of a file by book; raises the errors of import_banks."""
    text = _read_text(path)
    if text.lstrip()[:1] not in ("{", "["):
        books = _parse_csv(text, path.name, book_id)
    elif (content := _parse_single_json(text)) is not None:
        books = _parse_json(content, path.name, book_id)
    else:
        lines = "\n".join(map(_clean_line, text.split("\n")))
        book = _check_book_id("", book_id, path.name)
        books = {book: list(banks.parse(lines, path.name))}
    if not any(books.values()):
        raise Damaged(f"{path.name} has no descriptions; give a row for each")
    return books


def _read_text(path: Path) -> str:
    try:
        return read_text(path, banks.MAX_BYTES)
    except FileNotFoundError:
        raise NotThere(f"there is no file {path}; check its name") from None
    except OSError as error:
        raise ScholarError(f"{path} cannot be read ({error.strerror}); check it") from error
    except TooLarge:
        limit = banks.MAX_BYTES >> 20
        raise Damaged(f"{path} is larger than {limit} MiB; split it by book") from None
    except ValueError as error:
        raise Damaged(f"{path} cannot be read ({error}); save it as UTF-8") from None


def _clean_line(line: str) -> str:
    """Return a line of JSON with its texts cleaned; a line that is not JSON is unchanged."""
    try:
        return json.dumps(_clean(parse_json(line)))
    except (ValueError, RecursionError):
        return line


def _clean(value: Any) -> Any:
    """Return a JSON value with every text in one line without control characters."""
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, dict):
        return {one_line(key): _clean(item) for key, item in value.items()}
    return [*map(_clean, value)] if isinstance(value, list) else value


def _check_book_id(named: str, book_id: str | None, where: str) -> str:
    book = named or book_id
    if not book:
        raise UsageError(f"{where} does not say which book it is about; name the book")
    if not _BOOK_ID.fullmatch(book):
        raise ValueError(f"{book[:40]!r} is not a book id; write one like pg1342 or own-diary")
    return book


def _parse_single_json(text: str) -> Any:
    """Return the JSON value that a text is, cleaned; None if it is not one value, or is a bank of
    a single line."""
    try:
        content = _clean(parse_json(text, banks.MAX_BYTES))
    except (ValueError, RecursionError):
        return None
    return None if isinstance(content, dict) and "name" in content else content


def _parse_json(
    content: Any, name: str, book_id: str | None
) -> dict[str, list[DescribedCharacter]]:
    """Return the books of an export, or the book of an array of bank records."""
    if isinstance(content, list):
        content = {"books": {book_id or "": content}}
    records_by_book = content.get("books") if isinstance(content, dict) else None
    if not isinstance(records_by_book, dict):
        raise Damaged(f"{name} has no books in it; give an export of scholar, or a bank")
    books = {}
    for named, records in records_by_book.items():
        try:
            book = _check_book_id(named, book_id, name)
        except ValueError as error:
            raise Damaged(f"{name}: {error}; fix it") from error
        if not isinstance(records, list):
            raise Damaged(f"{name}, {book}: there is no list of characters; fix it")
        books[book] = _parse_records(records, f"{name}, {book}")
    return books


def _parse_records(records: Sequence[Any], name: str) -> list[DescribedCharacter]:
    try:
        return list(banks.parse("\n".join(json.dumps(record) for record in records), name))
    except Damaged as damage:
        # banks.parse counts lines, and each line is a character of the user's file
        message = re.sub(r", line (\d+)", r", character \1", str(damage), count=1)
        raise Damaged(message.replace("fix that line", "fix that")) from damage


def _parse_csv(text: str, name: str, book_id: str | None) -> dict[str, list[DescribedCharacter]]:
    rows = list(_csv_rows(text, name))
    books: dict[str, Records] = {}
    problems = [*_add_rows(books, rows, name, book_id)]
    problems = problems or [*_check_slots(books, rows, book_id)]
    if problems:
        more = f" ({len(problems) - 1} more lines are wrong)" if len(problems) > 1 else ""
        raise Damaged(f"{name}, {one_line(problems[0], 300)}; fix that line{more}")
    return {
        book: list(banks.parse("\n".join(map(_bank_line, characters.values())), name))
        for book, characters in books.items()
    }


def _add_rows(
    books: dict[str, Records], rows: Iterable[tuple[int, Row]], name: str, book_id: str | None
) -> Iterator[str]:
    """Add the rows of a CSV file to the records of their books; yield an error for each wrong
    row."""
    for line, row in rows:
        try:
            book = _check_book_id(row["book"], book_id, f"{name}, line {line},")
            _add_row(books.setdefault(book, {}), row)
        except ValueError as error:
            yield f"line {line}: {error}"


def _check_slots(
    books: Mapping[str, Records], rows: Iterable[tuple[int, Row]], book_id: str | None
) -> Iterator[str]:
    """Yield an error for each name in a description that is not another character of the book."""
    for line, row in rows:
        known = books[row["book"] or book_id or ""]
        for other in SLOT.findall(row["description"]):
            if other not in known or other == row["character"]:
                yield f"line {line}: {other[:40]!r} is not another character of this book"


def _bank_line(character: Mapping[str, Any]) -> str:
    descriptions = [
        {"level": level, "text": text, "evidence": evidence}
        for (level, text), evidence in character["descriptions"].items()
    ]
    return json.dumps({**character, "descriptions": descriptions})


def _csv_rows(text: str, name: str) -> Iterator[tuple[int, Row]]:
    """Yield the rows below the column headings with the line that each begins on; cells may be
    separated by semicolons or tabs, as some spreadsheets do."""
    columns: list[str] = []
    for line, cells in _csv_lines(text, name):
        if not columns:
            columns = [one_line(cell).casefold() for cell in cells]
            missing = [column for column in _REQUIRED_COLUMNS if column not in columns]
            if missing:
                raise Damaged(
                    f"{name}, line {line}: there is no column {missing[0]!r}; "
                    f"use the column headings {', '.join(COLUMNS)}"
                )
        else:
            values = (unescape_formula(one_line(cell)) for cell in cells)
            row = dict(zip(columns, values, strict=False))
            yield line, {column: row.get(column, "") for column in COLUMNS}
    if not columns:
        raise Damaged(f"{name} is empty; give a row for each description")


def _csv_lines(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the cells of the rows that are not blank, with the line that each begins on."""
    heading = text.lstrip("\r\n").split("\n", 1)[0]
    delimiter = max(",;\t", key=heading.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    begins = 1
    try:
        for cells in reader:
            line, begins = begins, reader.line_num + 1
            if max(map(len, cells), default=0) > MAX_CELL_CHARS:
                raise Damaged(f"{name}, line {line}: field larger than {MAX_CELL_CHARS} characters")
            if any(cell.strip() for cell in cells):
                yield line, cells
    except csv.Error as error:
        why = str(error).replace("\t", "\\t")
        raise Damaged(f"{name}, line {begins}: {why}; fix that line") from error


ROW_RULES: tuple[tuple[Callable[[Row], bool], Callable[[Row], str]], ...] = (
    (lambda row: bool(row["description"]), lambda row: "it has no description"),
    (
        lambda row: row["level"] in ("1", "2"),
        lambda row: f"level {row['level'][:20]!r}; write 1 or 2, the others are composed",
    ),
    (
        lambda row: bool(SLOT.search(row["description"])) == (row["level"] == "2"),
        lambda row: "a description has a name {in braces} at level 2, and none at level 1",
    ),
    (
        lambda row: bool(row["locator"]) == bool(row["quote"]),
        lambda row: "a passage needs both a locator and a quote",
    ),
)
"""The conditions that a row must meet, in order, and the message about a row that does not."""


def _add_row(characters: Records, row: Row) -> None:
    """Add a row to the records of its book; raise ValueError for one that is wrong."""
    character = _add_character(characters, row)
    for alias in filter(None, map(str.strip, row["aliases"].split(ALIAS_SEPARATOR.strip()))):
        if alias not in character["aliases"]:
            character["aliases"].append(alias)
    for is_right, complaint in ROW_RULES:
        if not is_right(row):
            raise ValueError(complaint(row))
    key = int(row["level"]), row["description"]
    evidence = character["descriptions"].setdefault(key, [])
    if row["quote"]:
        evidence.append({"locator": row["locator"], "quote": row["quote"]})


def _add_character(characters: Records, row: Row) -> dict[str, Any]:
    """Return the record of a row's character, which its first row creates."""
    if not row["character"]:
        raise ValueError("it names no character")
    gender = row["gender"].casefold() or Gender.UNKNOWN
    if gender not in [*Gender]:
        raise ValueError(f"gender {gender[:20]!r}; write female, male or unknown")
    new = {"name": row["character"], "aliases": [], "gender": gender, "descriptions": {}}
    character = characters.setdefault(row["character"], new)
    if row["gender"] and gender != character["gender"]:
        raise ValueError(f"{row['character']} was {character['gender']} in an earlier line")
    return character
