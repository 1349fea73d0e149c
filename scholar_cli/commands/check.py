"""scholar check: the quotations of an essay against the books of the library."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from scholar_cli import render
from scholar_cli.commands import common, quotation_cards
from scholar_indexes.errors import NoMatch
from scholar_indexes.results import Answers, EssayFormat, QuotationStatus
from scholar_indexes.serialize import quotations as records_of
from scholar_indexes.serialize.passages import mark_incomplete
from scholar_indexes.serialize.result_formats import CHECKED_ESSAY, Format

if TYPE_CHECKING:
    from scholar_indexes.results import CheckedQuotation, EssayQuotation

app = typer.Typer(rich_markup_mode=None)

PLACE_COLUMNS = ("line", "column", "status", "closed", "similarity")
COLUMNS = (*PLACE_COLUMNS, "locator", "citation", "quote", "exact")


@app.command()
def check(
    essay: Annotated[
        str,
        typer.Argument(
            metavar="ESSAY", help="Markdown, LaTeX, HTML, docx or plain text; - for stdin."
        ),
    ],
    books: common.BooksOption = None,
    wrong: Annotated[
        bool,
        typer.Option("--wrong", help="List only wrong quotations: altered, absent or not closed."),
    ] = False,
    allow_absent: Annotated[
        bool, typer.Option("--allow-absent", help="Do not count absent quotations as wrong.")
    ] = False,
    kind: Annotated[
        EssayFormat | None,
        typer.Option("--as", help="The format, if the file name does not show it."),
    ] = None,
    format: Annotated[Format, common.format_option(CHECKED_ESSAY)] = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Check the quotations in an essay against the books in your library.

    Shows the source of each, and what was changed. Block quotations and text in quotation marks
    are checked, except titles and single words. Exit code 5: a quotation is altered, in no book of
    the library, or not closed. If a book cannot be read, a quotation that is verbatim in no other
    book is unknown (exit code 1).
    """
    from scholar_indexes.quotations.essays import reading

    library = common.open_library()
    with common.progress() as progress:
        checked = library.check(essay, kind, books=books or [], progress=progress)
    common.name_unread(checked.not_searched)
    bad = [quotation for quotation in checked if _is_wrong(quotation, allow_absent)]
    shown = bad if wrong or format.writes(CHECKED_ESSAY) else checked
    if format.writes(CHECKED_ESSAY):
        render.write(format.writer(CHECKED_ESSAY)(essay, shown))
    else:
        _print(Answers(shown, checked.not_searched), common.choose_format(format, json))
    if any(quotation.status is QuotationStatus.UNKNOWN for quotation in bad):
        common.check_complete(checked.not_searched, common.MAY_BE_FROM)
    if not checked:
        common.say(f"no quotations were found; looked for {reading.sought(essay, kind)}")
    elif bad:
        raise NoMatch(f"{len(bad)} of {len(checked)} quotations are altered, absent or not closed")
    else:
        common.say(f"{len(checked)} quotations, none wrong")


def _is_wrong(quotation: CheckedQuotation, allow_absent: bool) -> bool:
    is_allowed = allow_absent and records_of.is_only_absent(quotation)
    return not quotation.is_right and not is_allowed


def _print(checked: Answers[CheckedQuotation], format: Format) -> None:
    records = mark_incomplete(map(records_of.checked_record, checked), checked.not_searched)
    table = "".join(
        quotation_cards.card(
            quotation.quotation.text,
            quotation.places,
            before=_position(quotation.quotation),
            absence=quotation.status,
            is_open=quotation.quotation.is_open,
        )
        for quotation in checked
    )
    rows = quotation_cards.table_rows(records, format)
    render.print_rows(rows, format, COLUMNS, table=table)


def _position(quotation: EssayQuotation) -> str:
    """Return the line and column of a quotation, after the name of an included file."""
    place = f"{quotation.line}:{quotation.column}"
    return f"{quotation.file}:{place}" if quotation.file else place
