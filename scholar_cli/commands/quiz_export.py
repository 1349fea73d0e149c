"""The formats of `scholar quiz export`, and the export to apkg, csv and json."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_indexes.errors import UsageError
from scholar_indexes.serialize.quiz_text import count_phrase

if TYPE_CHECKING:
    from scholar_indexes.characters.quiz.bank_format import Banks
    from scholar_indexes.characters.quiz.service import Quiz


class QuizExportFormat(StrEnum):
    APKG = "apkg"
    CSV = "csv"
    JSON = "json"
    MD = "md"
    HTML = "html"
    DOCX = "docx"


WORKSHEET_OPTIONS = {
    "n": "-n",
    "kind": "--kind",
    "level": "--level",
    "upto": "--upto",
    "upto_section": "--upto-section",
    "seed": "--seed",
}
"""The export options that only a worksheet takes, by parameter."""


def check_options(ctx: typer.Context, to: QuizExportFormat, *, answers: bool) -> None:
    """Raise UsageError for options that do not apply to a format other than a worksheet."""
    given = [
        option
        for parameter, option in WORKSHEET_OPTIONS.items()
        if (source := ctx.get_parameter_source(parameter)) and source.name != "DEFAULT"
    ]
    if given:
        raise UsageError(
            f"{to.value} has all descriptions of a book; {', '.join(given)} "
            f"{'is' if len(given) == 1 else 'are'} for a worksheet: --to md, html or docx"
        )
    if answers and to is not QuizExportFormat.CSV:
        has = "always has the history" if to is QuizExportFormat.JSON else "has no history"
        raise UsageError(
            f"{to.value} {has}; leave out --answers, which is for csv and worksheets (md, html, "
            "docx)"
        )


def export_banks(
    service: Quiz,
    books: Sequence[str],
    to: QuizExportFormat,
    out: Path | None,
    *,
    answers: bool,
    force: bool,
) -> None:
    """Write descriptions and history to a file, or print them if they are text.

    Raises UsageError for an apkg without a file, and for a file that exists, unless `force` is
    given.
    """
    from scholar_indexes.characters.quiz.bank_format import write_files
    from scholar_indexes.serialize import quiz as serializers

    if out is not None:
        common.check_output_files([out], force=force)
    elif to is QuizExportFormat.APKG:
        raise UsageError("apkg is not printed; name a file: --out scholar.apkg")
    banks = service.banks(books)
    if out is None:
        render.write(_banks_text(service, banks, to, answers=answers))
    elif to is QuizExportFormat.APKG:
        cards = service.history.cards(banks)
        count = serializers.write_apkg(out, banks, datetime.now(UTC), service.titles, cards)
        common.say(f"{out} has {count} cards")
    else:
        text = _banks_text(service, banks, to, answers=answers)
        write_files(out.parent, {out: text.encode("utf-8")})
        common.say(f"{count_phrase(len(banks), 'book')} in {out}")


def _banks_text(service: Quiz, banks: Banks, to: QuizExportFormat, *, answers: bool) -> str:
    """Return descriptions and history as JSON, or one of them as CSV: the history with
    `answers`."""
    from scholar_indexes.serialize import quiz as serializers

    if to is QuizExportFormat.JSON:
        return serializers.banks_to_json(banks, service.history.answers(banks))
    if answers:
        return serializers.answers_to_csv(service.history.answers(banks))
    return serializers.banks_to_csv(banks)
