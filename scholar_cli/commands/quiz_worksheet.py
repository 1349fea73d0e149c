"""The worksheets of `scholar quiz export`, with their answer keys in the same file or another."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_cli import render
from scholar_cli.commands import common
from scholar_indexes.errors import UsageError
from scholar_indexes.serialize.result_formats import WORKSHEET, Format, encoded

if TYPE_CHECKING:
    from scholar_indexes.characters.quiz.quiz_service import Quiz
    from scholar_indexes.serialize.worksheets import Worksheet, WorksheetPart


def draw_worksheet(
    quiz: Quiz, book: str, n: int, kind: str, level: str, upto: str | None, seed: int | None
) -> Worksheet:
    """Return n questions about a book as a worksheet; without a seed, new ones each time."""
    from scholar_indexes.characters.quiz.preferences import parse_levels
    from scholar_indexes.serialize.worksheets import Worksheet

    book_id = quiz.book_id(book)
    drawn_with = int(datetime.now(UTC).timestamp()) if seed is None else seed
    questions = quiz.questions(
        [book_id], n=n, seed=drawn_with, kind=kind, levels=parse_levels(level), upto=upto
    )
    title, author = quiz.title_and_author(book_id)
    return Worksheet(title, author, drawn_with, tuple(questions))


def choose_files(
    format: Format, out: Path | None, *, separate_key: bool, force: bool
) -> dict[Path, WorksheetPart]:
    """Return the files to write a worksheet to, each with its part, none if it is printed;
    separate_key puts the answers into a file next to `out`.

    Raises UsageError for a binary format or a separate key without a file; for a file that exists,
    unless `force` is given; and for an existing answer key that would stay next to a worksheet to
    which it may not belong.
    """
    from scholar_indexes.serialize.worksheets import WorksheetPart

    if out is None:
        if format.is_binary or separate_key:
            what = format if format.is_binary else "a separate key"
            raise common.not_printed(what, f"worksheet{format.suffix}")
        return {}
    key = out.parent / f"{out.stem}-answers{out.suffix}"
    files = {out: WorksheetPart.BOTH}
    if separate_key:
        files = {out: WorksheetPart.QUESTIONS, key: WorksheetPart.ANSWERS}
    elif key.exists():
        raise UsageError(
            f"{key} already exists, and its answers may be for another worksheet; "
            "write both: --answers --force, or name another --out"
        )
    common.check_output_files(files, force=force)
    return files


def write_worksheet(sheet: Worksheet, format: Format, files: Mapping[Path, WorksheetPart]) -> None:
    """Write a worksheet to the files of choose_files, or print it with its answer key."""
    from scholar_indexes.characters.quiz.bank_format import write_files
    from scholar_indexes.serialize.worksheets import WorksheetPart

    write = format.writer(WORKSHEET)
    if not files:
        render.write(encoded(write(sheet, WorksheetPart.BOTH)).decode("utf-8"))
        return
    contents = {path: encoded(write(sheet, part)) for path, part in files.items()}
    write_files(next(iter(files)).parent, contents)
    listed = " and ".join(map(str, files))
    common.say(f"{len(sheet.questions)} questions in {listed}; to repeat: --seed {sheet.seed}")
