"""The corrections of scholar characters: printing, exporting, importing and editing them."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from scholar_cli import render
from scholar_cli.commands import common
from scholar_indexes.errors import NotThere, ScholarError, UsageError
from scholar_indexes.guarded import open_file
from scholar_indexes.locks import explain_write_errors
from scholar_indexes.serialize.people import correction_record
from scholar_indexes.serialize.result_formats import RECORDS, Format
from scholar_indexes.storage import atomic

if TYPE_CHECKING:
    from scholar_indexes.attribution.corrections.correction_service import CorrectionChange
    from scholar_indexes.library import Library

STDIO = Path("-")

MAX_BYTES = 4_000_000
"""The most bytes of a file that are read: enough for the most characters it may have."""


def correct(
    book: str,
    *,
    export_to: Path | None,
    import_from: Path | None,
    undo_number: int | None,
    force: bool,
) -> None:
    """Export, import or undo corrections of a book, or else edit them."""
    library = common.open_library()
    if export_to is not None:
        export(library, book, export_to, force=force)
    elif import_from is not None:
        replace(library, book, read_corrections(import_from))
    elif undo_number is not None:
        undo(library, book, undo_number)
    else:
        edit(library, book)


def print_list(book: str, output_format: Format) -> None:
    """Print the corrections of a book, one per line with its number."""
    with common.progress() as progress:
        records = [
            correction_record(status)
            for status in common.open_library().corrections.list(book, progress)
        ]
    if not records:
        common.say(f"no corrections; to make some: scholar characters {book} --edit")
    if not output_format.writes(RECORDS):
        records = [
            {**record, "applied": "no: " + record["problem"] if record["problem"] else "yes"}
            for record in records
        ]
    render.print_rows(records, output_format, ("number", "kind", "correction", "applied", "note"))


def export(library: Library, book: str, path: Path, *, force: bool) -> None:
    """Write the corrections of a book to a file, or to standard output.

    Raises UsageError for a file that exists, unless `force` is given.
    """
    if path != STDIO:
        common.check_output_files([path.expanduser()], force=force)
    with common.progress() as progress:
        text = library.corrections.export(book, progress)
    if path == STDIO:
        render.write(text)
        return
    _write(path, text)
    common.say(f"wrote {path}; to apply its corrections: --import {path}")


def read_corrections(path: Path) -> str:
    """Return the text of a file, or of standard input.

    Raises NotThere or UsageError if it cannot be read.
    """
    try:
        if path == STDIO:
            content = sys.stdin.buffer.read(MAX_BYTES)
        else:
            with open_file(path.expanduser()) as file:
                content = file.read(MAX_BYTES)
        return content.decode("utf-8-sig")
    except OSError as error:
        raise NotThere(f"{path} cannot be read ({error.strerror}); check its name") from None
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path} is not UTF-8 at byte {error.start}; save it as UTF-8 and import it again"
        ) from None


def replace(library: Library, book: str, text: str, *, edited_from: str | None = None) -> None:
    """Replace all corrections of a book with the ones in a text."""
    with common.progress() as progress:
        change = library.corrections.replace(book, text, progress, edited_from=edited_from)
    _say_change(change)


def undo(library: Library, book: str, number: int) -> None:
    """Remove the correction with a number."""
    with common.progress() as progress:
        change = library.corrections.undo(book, number, progress)
    _say_change(change)


def edit(library: Library, book: str) -> None:
    """Open the corrections of a book in the editor, and apply the saved text.

    A text that is refused stays in its temporary file.
    """
    command = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not command:
        raise UsageError("no editor is set; set EDITOR, or use --export FILE and --import FILE")
    with common.progress() as progress:
        text = library.corrections.export(book, progress)
    folder = Path(tempfile.mkdtemp(prefix="scholar-"))
    path = folder / "corrections.toml"
    _write(path, text)
    _run_editor(command, path)
    try:
        edited = read_corrections(path)
        if edited == text:
            common.say("nothing was changed")
        else:
            replace(library, book, edited, edited_from=text)
    except ScholarError as error:
        again = f"scholar characters {book} --import {path}"
        raise type(error)(f"{error}; your text is in {path}; correct it and run: {again}") from None
    path.unlink()
    folder.rmdir()


def _run_editor(command: str, path: Path) -> None:
    """Run an editor until it exits; raises UsageError if it fails."""
    try:
        done = subprocess.run([*shlex.split(command), str(path)], check=False)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"the editor {command!r} cannot be started ({error}); set EDITOR to another"
        ) from None
    if done.returncode:
        raise UsageError(
            f"the editor {command!r} exited with {done.returncode}, so nothing was changed; "
            f"your text is in {path}"
        )


def _write(path: Path, text: str) -> None:
    path = path.expanduser()
    try:
        with explain_write_errors(path.parent):
            atomic.write_text(path, text)
    except FileNotFoundError:
        raise NotThere(f"there is no folder {path.parent}; name one that exists") from None


def _say_change(change: CorrectionChange) -> None:
    """Report how many corrections are in force, and how to restore the previous ones."""
    line = f"corrections in force: {change.count}, before: {change.count_before}"
    if change.before is not None:
        line += f"; to restore those: --import {change.before}"
    common.say(line)
