"""scholar locate: the places that quotations are from, and what was changed in them."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scholar_cli import render
from scholar_cli.commands import common, quotation_cards
from scholar_cli.commands.lines import open_lines, read_lines, report_unanswered
from scholar_cli.render import Format
from scholar_indexes.errors import NoMatch, UsageError
from scholar_indexes.serialize import quotations as records_of

if TYPE_CHECKING:
    from scholar_indexes.results import LocatedQuotation

app = typer.Typer(rich_markup_mode=None)

BATCH = 100
"""Lines that are answered together: every book is read once for them."""

COLUMNS = ("status", "similarity", "locator", "citation", "quote", "exact")


@dataclass(frozen=True, slots=True)
class _Line:
    """A quotation, or a line that is none, with what is wrong with it."""

    quote: str
    error: str = ""


@app.command()
def locate(
    quotation: Annotated[
        str,
        typer.Argument(
            metavar="QUOTATION", help="A quotation, or - for stdin, where each line is one."
        ),
    ],
    books: common.BooksOption = None,
    n: Annotated[int, typer.Option("-n", min=1, max=100, help="How many places of each.")] = 5,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Say where a quotation is from, and what was changed in it.

    It is verbatim, elided (with an ellipsis or brackets for what is missing or put in), altered, or
    absent from the library. On stdin a line is a quotation or {"quote": "..."}; one that is neither
    has an "error" in place of a place, and the exit code is 2. Exit code 5: one is absent.
    """
    library = common.open_library()
    if quotation != "-":
        library.check_quotation(quotation)
    output_format = common.choose_format(format, json)
    lines = absent = 0
    codes: list[int] = []

    def answers(batch: Sequence[_Line]) -> Iterator[tuple[_Line, list[LocatedQuotation]]]:
        nonlocal lines, absent
        quotes = [line.quote for line in batch if not line.error]
        located = iter(library.locate(quotes, books=books or [], n=n))
        for line in batch:
            lines += 1
            if line.error:
                codes.append(UsageError.exit_code)
                yield line, []
            else:
                places = next(located)
                absent += not places
                yield line, places

    with open_lines("-", "quotations") as file:
        batches = _batches(_lines(file)) if quotation == "-" else [[_Line(quotation)]]
        answered = map(answers, batches)
        if output_format is Format.TABLE:
            for line, places in chain.from_iterable(answered):
                render.write(quotation_cards.card(line.quote, places, error=line.error))
        else:
            rows = (
                quotation_cards.table_rows(
                    [record for pair in pairs for record in _records(*pair, output_format)],
                    output_format,
                )
                for pairs in answered
            )
            render.print_row_groups(rows, output_format, COLUMNS)
    if exit_code := report_unanswered(codes, lines, "a place"):
        raise typer.Exit(exit_code)
    if absent:
        raise NoMatch(
            "it is in no book asked; see: scholar books list"
            if quotation != "-"
            else f"{absent} of the quotations are in no book asked; see: scholar books list"
        )


def _records(
    line: _Line, places: Sequence[LocatedQuotation], format: Format
) -> list[dict[str, Any]]:
    """Return the records of a quotation: one in JSON, which has all places; else one for each
    place, or for their absence. A line that is no quotation has one with its "error"."""
    if line.error:
        return [
            {**records_of.located_record(line.quote, []), "status": "error", "error": line.error}
        ]
    if format in (Format.JSON, Format.JSONL) or not places:
        return [records_of.located_record(line.quote, places)]
    return [records_of.located_record(line.quote, [place]) for place in places]


def _lines(file: Any) -> Iterator[_Line]:
    """Yield the lines of a file that are not empty."""
    for number, line in enumerate(read_lines(file), 1):
        if line.strip():
            yield _parse_line(line.strip(), number)


def _parse_line(text: str, number: int) -> _Line:
    """Return a line with the quotation of an object of JSON, or with itself."""
    if not text.startswith("{"):
        return _Line(text)
    try:
        quote = jsonlib.loads(text)["quote"]
    except (ValueError, KeyError, TypeError, RecursionError):
        quote = None
    if isinstance(quote, str):
        return _Line(quote)
    error = f'line {number} is no quotation; write it plainly, or as {{"quote": "..."}}'
    return _Line(text, error)


def _batches(lines: Iterator[_Line]) -> Iterator[list[_Line]]:
    while batch := list(islice(lines, BATCH)):
        yield batch
