"""The export of descriptions and history by `scholar quiz export`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_indexes.errors import UsageError
from scholar_indexes.serialize.quiz_text import count_phrase
from scholar_indexes.serialize.result_formats import (
    QUIZ,
    WORKSHEET,
    Format,
    encoded,
    formats,
    names,
)

if TYPE_CHECKING:
    from scholar_indexes.characters.quiz.quiz_service import Quiz


WORKSHEET_OPTIONS = {
    "n": "-n",
    "kind": "--kind",
    "level": "--level",
    "upto": "--upto",
    "upto_section": "--upto-section",
    "seed": "--seed",
}
"""The export options that only a worksheet takes, by parameter."""


def check_options(ctx: typer.Context, to: Format, *, answers: bool) -> None:
    """Raise UsageError for options that do not apply to a format other than a worksheet."""
    given = [
        option
        for parameter, option in WORKSHEET_OPTIONS.items()
        if (source := ctx.get_parameter_source(parameter)) and source.name != "DEFAULT"
    ]
    if given:
        raise UsageError(
            f"{to} has all descriptions of a book; {', '.join(given)} "
            f"{'is' if len(given) == 1 else 'are'} for a worksheet: --to {names(WORKSHEET)}"
        )
    if answers and to is not Format.CSV:
        has = "always has the history" if to is Format.JSON else "has no history"
        raise UsageError(
            f"{to} {has}; leave out --answers, which is for csv and worksheets "
            f"({', '.join(formats(WORKSHEET))})"
        )


def export_banks(
    service: Quiz,
    books: Sequence[str],
    to: Format,
    out: Path | None,
    *,
    answers: bool,
    force: bool,
) -> None:
    """Write descriptions and history to a file, or print them if they are text.

    Raises UsageError for a binary format without a file, and for a file that exists, unless
    `force` is given.
    """
    from scholar_indexes.characters.quiz.bank_format import write_files
    from scholar_indexes.serialize.quiz import QuizExport, count_cards

    if out is not None:
        common.check_output_files([out], force=force)
    elif to.is_binary:
        raise common.not_printed(to, f"scholar{to.suffix}")
    banks = service.banks(books)
    export = QuizExport(banks, service.history, service.titles, datetime.now(UTC), answers)
    content = encoded(to.writer(QUIZ)(export))
    if out is None:
        render.write(content.decode("utf-8"))
        return
    write_files(out.parent, {out: content})
    if to is Format.APKG:
        common.say(f"{out} has {count_cards(export)} cards")
    else:
        common.say(f"{count_phrase(len(banks), 'book')} in {out}")
