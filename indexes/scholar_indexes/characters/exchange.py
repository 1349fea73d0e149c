"""Banks and histories to other programs, and a person's own descriptions from them.

CSV has a row for every passage of every description (a description with two has two rows),
JSON everything at once, and .apkg a deck of cards for each book. What as_csv and as_json write
of a bank reads back as the same bank.
"""

from __future__ import annotations

import csv
import html
import io
import json
import os
import re
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

from scholar_indexes.characters import bank as banks
from scholar_indexes.characters.bank import SLOT, Described
from scholar_indexes.characters.history import Answer, Card
from scholar_indexes.errors import Damaged, NotThere, ScholarError, UsageError
from scholar_indexes.places import writing
from scholar_indexes.types import Gender
from scholar_indexes.untrusted import one_line

Banks = Mapping[str, Sequence[Described]]
"""The banks of some books, by the book's id."""

SCHEMA = "scholar-quiz"
SCHEMA_VERSION = 1

MAX_CELL_CHARS = 100_000

COLUMNS = ("book", "character", "aliases", "gender", "level", "description", "locator", "quote")
ANSWER_COLUMNS = ("at", "book", "character", "description", "level", "kind", "chosen", "right")

_NEEDED = ("character", "level", "description")
_BETWEEN = "; "
_BOOK_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}", re.ASCII)
_FORMULA = re.compile(r"'*(?:[=+@]|-[\w(@=+])")
_NUMBER = re.compile(r"-?[\d.]+")
_MODEL_ID = 1_607_392_319
"""Anki knows a kind of card by a number that its maker draws once."""


@dataclass(frozen=True, slots=True)
class Brought:
    """What an import put where."""

    book_id: str
    path: Path
    characters: int
    descriptions: int


# -- out ---------------------------------------------------------------------------------------


def as_csv(books: Banks) -> str:
    """Banks as CSV with COLUMNS, names of others in braces, aliases parted by semicolons.

    A cell that a spreadsheet would take for a formula has an apostrophe before it, which
    reading takes away.
    """
    return _csv(COLUMNS, (row for book_id, each in books.items() for row in _rows(book_id, each)))


def answers_as_csv(answers: Iterable[Answer]) -> str:
    """A history as CSV with ANSWER_COLUMNS; times in UTC, right is yes or no."""
    return _csv(
        ANSWER_COLUMNS,
        (
            (each.at.isoformat(), each.book_id, each.character, each.description,
             str(each.level), each.kind, each.chosen or "", "yes" if each.right else "no")
            for each in answers
        ),
    )  # fmt: skip


def as_json(books: Banks, answers: Iterable[Answer] = ()) -> str:
    """Banks and a history as one JSON object: schema, version, books (a bank's own records by
    book) and history."""
    whole = {
        "schema": SCHEMA,
        "version": SCHEMA_VERSION,
        "books": {book_id: [*map(_record, each)] for book_id, each in books.items()},
        "history": [
            {
                "at": each.at.isoformat(), "book": each.book_id, "character": each.character,
                "description": each.description, "level": each.level, "kind": each.kind,
                "question_id": each.question_id, "chosen": each.chosen, "right": each.right,
            }
            for each in answers
        ],
    }  # fmt: skip
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def as_bank(characters: Iterable[Described]) -> str:
    """A bank as its own JSON lines."""
    return "".join(json.dumps(_record(each), ensure_ascii=False) + "\n" for each in characters)


def write_apkg(
    path: Path,
    books: Banks,
    now: datetime,
    titles: Mapping[str, str] | None = None,
    cards: Iterable[Card] = (),
) -> int:
    """Write a file for Anki: a deck for each book, a card for each description of its bank.

    cards are those of a history: what they ask beyond the banks has cards too, and what was
    missed last is tagged so. Cards keep their identity, so that a later file renews those of
    an earlier one in Anki. Returns how many cards there are; raises ScholarError when the file
    cannot be written, UsageError when there would be none.
    """
    import genanki

    model = genanki.Model(
        _MODEL_ID,
        "scholar: who is it?",
        fields=[{"name": name} for name in ("Description", "Character", "Evidence", "Book")],
        templates=[
            {
                "name": "Who is it?",
                "qfmt": "<p><i>{{Book}}</i></p><p>{{Description}}</p>",
                "afmt": "{{FrontSide}}<hr id=answer><p><b>{{Character}}</b></p>{{Evidence}}",
            }
        ],
    )
    asked = {(each.book_id, each.character, each.description): each for each in cards}
    notes = _notes(books, asked)
    if not notes:
        raise UsageError("there is nothing to export; name a book that has descriptions")
    decks: dict[str, Any] = {}
    for (book_id, who, text), (level, evidence) in notes.items():
        title = one_line((titles or {}).get(book_id, book_id), 200)
        if book_id not in decks:
            number = int.from_bytes(sha256(f"scholar:{book_id}".encode()).digest()[:4], "big")
            decks[book_id] = genanki.Deck((1 << 30) + number % (1 << 30), f"scholar::{title}")
        tags = ["scholar", f"level-{level}", _tag(book_id)]
        if (book_id, who, text) in asked:
            tags.append("known" if asked[book_id, who, text].knew else "missed")
        decks[book_id].add_note(
            genanki.Note(
                model, [*map(_markup, (text, who)), evidence, _markup(title)], tags=tags,
                guid=genanki.guid_for("scholar", book_id, who, text),
            )
        )  # fmt: skip
    package = genanki.Package([*decks.values()])
    _write({path: _zipped(package, now.timestamp())})
    return len(notes)


def _zipped(package: Any, seconds: float) -> bytes:
    """What genanki's write_to_file writes, which leaves its database behind in /tmp and the
    time of day in the archive."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "collection.anki2"
        with closing(sqlite3.connect(file)) as db, db:
            package.write_to_db(db.cursor(), seconds, count(int(seconds * 1000)))
        collection = file.read_bytes()
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in (("collection.anki2", collection), ("media", b"{}")):
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _notes(
    books: Banks, asked: Mapping[tuple[str, str, str], Card]
) -> dict[tuple[str, str, str], tuple[int, str]]:
    """The level and the evidence as markup, by book, character and description."""
    found = {
        (book_id, one_line(each.name), one_line(told.plain)): (
            told.level,
            "".join(
                f"<blockquote>{_markup(proof.quote)}<br><small>{_markup(proof.locator)}</small>"
                "</blockquote>"
                for proof in told.evidence
            ),
        )
        for book_id, bank in books.items()
        for each in bank
        for told in each.descriptions
    }
    for key, card in asked.items():
        found.setdefault(key, (card.level, ""))
    return found


def _markup(text: str) -> str:
    """Text for a field: Anki takes markup, and [latex] and [sound:] besides."""
    return html.escape(one_line(text)).replace("[", "&#91;").replace("{", "&#123;")


def _tag(text: str) -> str:
    return re.sub(r"\s+", "_", one_line(text)) or "book"


def _record(each: Described) -> dict[str, Any]:
    return {
        "name": each.name,
        "aliases": list(each.aliases),
        "gender": each.gender.value,
        "descriptions": [
            {
                "level": told.level,
                "text": told.text,
                "evidence": [
                    {"locator": proof.locator, "quote": proof.quote} for proof in told.evidence
                ],
            }
            for told in each.descriptions
        ],
    }


def _rows(book_id: str, bank: Iterable[Described]) -> Iterator[tuple[str, ...]]:
    for each in bank:
        who = (book_id, each.name, _BETWEEN.join(each.aliases), each.gender.value)
        for told in each.descriptions:
            if not told.evidence:
                yield (*who, str(told.level), told.text, "", "")
            for proof in told.evidence:
                yield (*who, str(told.level), told.text, proof.locator, proof.quote)


def _csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_defused(one_line(cell)) for cell in row] for row in rows)
    return out.getvalue()


def _defused(cell: str) -> str:
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell


def _armed(cell: str) -> str:
    """What a cell was before it was defused."""
    return cell[1:] if cell.startswith("'") and _defused(cell[1:]) == cell else cell


# -- in ----------------------------------------------------------------------------------------


def bring(
    path: Path, folder: Path, book_id: str | None = None, *, replace: bool = False
) -> list[Brought]:
    """Read a person's own descriptions and put each book's into folder as BOOK.jsonl.

    The file is CSV with at least character, level and description of COLUMNS, JSON as as_json
    writes it, or a bank's own JSON lines. book_id is the book of whatever does not say its
    own. Everything is checked before anything is written, and each file is whole or as it was.

    Raises NotThere without the file; Damaged naming the first line that is wrong, why, and how
    many others are; UsageError when a book is not said, or is there already and replace is
    not given.
    """
    if book_id is not None and not _BOOK_ID.fullmatch(book_id):
        raise UsageError(f"{book_id[:40]!r} is no book's id; it looks like pg1342 or own-diary")
    found = read(path, book_id)
    for each in found:
        target = folder / f"{each}.jsonl"
        if target.exists() and not replace:
            raise UsageError(
                f"there are descriptions of {each} already, in {target}; "
                "allow them to be replaced, or move them away"
            )
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    targets = {each: folder / f"{each}.jsonl" for each in found}
    _write({targets[each]: as_bank(bank).encode() for each, bank in found.items()})
    return [
        Brought(each, targets[each], len(bank), sum(len(one.descriptions) for one in bank))
        for each, bank in found.items()
    ]


def read(path: Path, book_id: str | None = None) -> dict[str, list[Described]]:
    """The banks of a file, by book; see bring, whose errors it raises."""
    text = _text_of(path)
    if text.lstrip()[:1] not in ("{", "["):
        found = _from_csv(text, path.name, book_id)
    elif (whole := _whole(text)) is not None:
        found = _from_json(whole, path.name, book_id)
    else:
        lines = "\n".join(map(_cleaned_line, text.split("\n")))
        book = _book("", book_id, path.name)
        found = {book: list(banks.parsed(lines, path.name))}
    if not any(found.values()):
        raise Damaged(f"{path.name} describes nobody; give a row for each description")
    return found


def _text_of(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(banks.MAX_BYTES + 1)
    except FileNotFoundError:
        raise NotThere(f"there is no file {path}; check its name") from None
    except OSError as broken:
        raise ScholarError(f"{path} cannot be read ({broken.strerror}); check it") from broken
    if len(data) > banks.MAX_BYTES:
        raise Damaged(f"{path} is larger than {banks.MAX_BYTES >> 20} MiB; split it by book")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Damaged(f"{path} is not UTF-8 text; save it as UTF-8") from None


def _cleaned_line(line: str) -> str:
    """A line of JSON without control characters in its texts; one that is no JSON stays."""
    try:
        return json.dumps(_cleaned(json.loads(line)))
    except (ValueError, RecursionError):
        return line


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, dict):
        return {one_line(key): _cleaned(each) for key, each in value.items()}
    return [*map(_cleaned, value)] if isinstance(value, list) else value


def _book(said: str, book_id: str | None, where: str) -> str:
    book = said or book_id
    if not book:
        raise UsageError(f"{where} does not say which book it is about; name the book")
    if not _BOOK_ID.fullmatch(book):
        raise ValueError(f"{book[:40]!r} is no book's id; it looks like pg1342 or own-diary")
    return book


def _whole(text: str) -> Any:
    """The one JSON value of a text, cleaned; None where it is none, or a bank of one line."""
    try:
        whole = _cleaned(json.loads(text))
    except (ValueError, RecursionError):
        return None
    return None if isinstance(whole, dict) and "name" in whole else whole


def _from_json(whole: Any, name: str, book_id: str | None) -> dict[str, list[Described]]:
    """The books of an export, or the one of an array of a bank's records."""
    if isinstance(whole, list):
        whole = {"books": {book_id or "": whole}}
    books = whole.get("books") if isinstance(whole, dict) else None
    if not isinstance(books, dict):
        raise Damaged(f"{name} has no books in it; give an export of scholar, or a bank")
    found = {}
    for said, records in books.items():
        try:
            book = _book(said, book_id, name)
        except ValueError as broken:
            raise Damaged(f"{name}: {broken}; mend it") from broken
        if not isinstance(records, list):
            raise Damaged(f"{name}, {book}: there is no list of characters; mend it")
        lines = "\n".join(json.dumps(each) for each in records)
        try:
            found[book] = list(banks.parsed(lines, f"{name}, {book}"))
        except Damaged as damage:
            # the bank counts the lines it is given, people the characters in their file
            raise Damaged(re.sub(r", line (\d+)", r", character \1", str(damage), count=1)
                          .replace("mend that line", "mend that")) from damage  # fmt: skip
    return found


def _from_csv(text: str, name: str, book_id: str | None) -> dict[str, list[Described]]:
    rows = list(_csv_rows(text, name))
    wrong: list[str] = []
    books: dict[str, dict[str, dict[str, Any]]] = {}
    for line, row in rows:
        try:
            _take(books, row, _book(row["book"], book_id, f"{name}, line {line},"))
        except ValueError as broken:
            wrong.append(f"line {line}: {broken}")
    for line, row in rows if not wrong else ():
        known = books[row["book"] or book_id or ""]
        for other in SLOT.findall(row["description"]):
            if other not in known or other == row["character"]:
                wrong.append(f"line {line}: {other[:40]!r} is no other character of this book")
    if wrong:
        more = f" ({len(wrong) - 1} more lines are wrong)" if len(wrong) > 1 else ""
        raise Damaged(f"{name}, {one_line(wrong[0], 300)}; mend that line{more}")
    return {
        book: list(banks.parsed("\n".join(_line(each) for each in characters.values()), name))
        for book, characters in books.items()
    }


def _line(character: Mapping[str, Any]) -> str:
    told = [
        {"level": level, "text": text, "evidence": evidence}
        for (level, text), evidence in character["descriptions"].items()
    ]
    return json.dumps({**character, "descriptions": told})


def _csv_rows(text: str, name: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows under the headings, with the line each begins on; cells that are not there are
    empty, and a spreadsheet may have parted them by semicolons or tabs."""
    heading = text.lstrip("\r\n").split("\n", 1)[0]
    between = max(",;\t", key=heading.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=between, strict=True)
    columns: list[str] = []
    begins = 1
    try:
        for cells in reader:
            line, begins = begins, reader.line_num + 1
            if max(map(len, cells), default=0) > MAX_CELL_CHARS:
                raise Damaged(f"{name}, line {line}: field larger than {MAX_CELL_CHARS} characters")
            if not any(cell.strip() for cell in cells):
                continue
            if not columns:
                columns = [one_line(cell).casefold() for cell in cells]
                if missing := [each for each in _NEEDED if each not in columns]:
                    raise Damaged(
                        f"{name}, line {line}: there is no column {missing[0]!r}; "
                        f"head the columns {', '.join(COLUMNS)}"
                    )
                continue
            row = dict(zip(columns, (_armed(one_line(cell)) for cell in cells), strict=False))
            yield line, {each: row.get(each, "") for each in COLUMNS}
    except csv.Error as broken:
        raise Damaged(f"{name}, line {begins}: {broken}; mend that line") from broken
    if not columns:
        raise Damaged(f"{name} is empty; give a row for each description")


def _take(books: dict[str, dict[str, dict[str, Any]]], row: Mapping[str, str], book: str) -> None:
    """Put a row where it belongs; raises ValueError for one that makes no sense."""
    if not row["character"]:
        raise ValueError("it names no character")
    gender = row["gender"].casefold() or Gender.UNKNOWN
    if gender not in [*Gender]:
        raise ValueError(f"gender {gender[:20]!r}; write female, male or unknown")
    character = books.setdefault(book, {}).setdefault(
        row["character"],
        {"name": row["character"], "aliases": [], "gender": gender, "descriptions": {}},
    )
    if row["gender"] and gender != character["gender"]:
        raise ValueError(f"{row['character']} was {character['gender']} in a line before")
    for alias in filter(None, map(str.strip, row["aliases"].split(_BETWEEN.strip()))):
        if alias not in character["aliases"]:
            character["aliases"].append(alias)
    if not row["description"]:
        raise ValueError("it has no description")
    if row["level"] not in ("1", "2"):
        raise ValueError(f"level {row['level'][:20]!r}; write 1 or 2, the others are composed")
    level = int(row["level"])
    if bool(SLOT.search(row["description"])) != (level == 2):
        raise ValueError("at level 1 nobody is named {in braces}, at level 2 somebody is")
    if bool(row["locator"]) != bool(row["quote"]):
        raise ValueError("a passage has a locator and a quote")
    evidence = character["descriptions"].setdefault((level, row["description"]), [])
    if row["quote"]:
        evidence.append({"locator": row["locator"], "quote": row["quote"]})


def _write(files: Mapping[Path, bytes]) -> None:
    """Write files so that each is there as a whole or as it was, and none unless all could be
    written."""
    unfinished = {path: path.with_name(f".{path.name}.{os.getpid()}") for path in files}
    try:
        for path, data in files.items():
            with writing(path.parent), unfinished[path].open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        for path in files:
            with writing(path.parent):
                os.replace(unfinished[path], path)
    except OSError as refusal:
        raise ScholarError(
            f"{refusal.filename2 or refusal.filename} cannot be written ({refusal.strerror}); "
            "name another place"
        ) from refusal
    finally:
        for each in unfinished.values():
            with suppress(OSError):
                each.unlink(missing_ok=True)
