"""scholar locate: the places that quotations are from, and what was changed in them."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scholar_cli import render
from scholar_cli.commands import common, quotation_cards
from scholar_cli.commands.lines import open_lines, read_lines
from scholar_cli.render import Format
from scholar_indexes.errors import NoMatch, UsageError
from scholar_indexes.serialize import quotations as records_of

if TYPE_CHECKING:
    from scholar_indexes.results import LocatedQuotation

app = typer.Typer(rich_markup_mode=None)

BATCH = 100
"""Lines that are answered together: every book is read once for them."""

COLUMNS = ("status", "similarity", "locator", "citation", "quote", "exact")


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
    absent from the library. On stdin a line is a quotation or {"quote": "..."}. Exit code 5: one
    is absent.
    """
    library = common.open_library()
    if quotation != "-":
        library.check_quotation(quotation)
    output_format = common.choose_format(format, json)
    absent = 0

    def answers(quotations: Sequence[str]) -> Iterator[tuple[str, list[LocatedQuotation]]]:
        nonlocal absent
        for quote, places in zip(
            quotations, library.locate(quotations, books=books or [], n=n), strict=True
        ):
            absent += not places
            yield quote, places

    with open_lines("-", "quotations") as file:
        batches = _batches(_quotations(file)) if quotation == "-" else [[quotation]]
        answered = map(answers, batches)
        if output_format is Format.TABLE:
            for quote, places in chain.from_iterable(answered):
                render.write(quotation_cards.card(quote, places))
        else:
            rows = (
                quotation_cards.table_rows(
                    [record for pair in pairs for record in _records(*pair, output_format)],
                    output_format,
                )
                for pairs in answered
            )
            render.print_row_groups(rows, output_format, COLUMNS)
    if absent:
        raise NoMatch(
            "it is in no book asked; see: scholar books list"
            if quotation != "-"
            else f"{absent} of the quotations are in no book asked; see: scholar books list"
        )


def _records(
    quote: str, places: Sequence[LocatedQuotation], format: Format
) -> list[dict[str, Any]]:
    """Return the records of a quotation: one in JSON, which has all places; else one for each
    place, or for their absence."""
    if format in (Format.JSON, Format.JSONL) or not places:
        return [records_of.located_record(quote, places)]
    return [records_of.located_record(quote, [place]) for place in places]


def _quotations(file: Any) -> Iterator[str]:
    """Yield the quotations of the lines of a file that are not empty."""
    for number, line in enumerate(read_lines(file), 1):
        if line.strip():
            yield _parse_line(line, number)


def _parse_line(line: str, number: int) -> str:
    """Return the quotation of a line: that of an object of JSON, or the line itself.

    Raises UsageError, with the number of the line, for an object without one.
    """
    text = line.strip()
    if not text.startswith("{"):
        return text
    try:
        quote = jsonlib.loads(text)["quote"]
    except (ValueError, KeyError, TypeError, RecursionError):
        quote = None
    if not isinstance(quote, str):
        raise UsageError(
            f'line {number} is no quotation; write it plainly, or as {{"quote": "..."}}'
        )
    return quote


def _batches(quotations: Iterator[str]) -> Iterator[list[str]]:
    while batch := list(islice(quotations, BATCH)):
        yield batch
