"""scholar locate: the sources of quotations, and what was changed in them."""

from __future__ import annotations

import json as jsonlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from scholar_cli import render
from scholar_cli.commands import common, quotation_cards
from scholar_cli.commands.lines import open_lines, read_lines, report_unanswered
from scholar_indexes.errors import NoMatch, UsageError
from scholar_indexes.serialize import quotations as records_of
from scholar_indexes.serialize.passages import mark_incomplete
from scholar_indexes.serialize.result_formats import RECORDS, Format

if TYPE_CHECKING:
    from scholar_indexes.library import Library
    from scholar_indexes.results import LocatedQuotation, UnreadBook

app = typer.Typer(rich_markup_mode=None)

BATCH = 100
"""Lines that are answered together, so that every book is read once for them."""

COLUMNS = ("status", "similarity", "locator", "citation", "quote", "exact")


class _Line(NamedTuple):
    """A quotation, or a line that is not one, with its error."""

    quote: str
    error: str = ""


class _Answer(NamedTuple):
    """A line with the places of its quotation, and the books that could not be read for it."""

    line: _Line
    places: Sequence[LocatedQuotation] = ()
    not_searched: Sequence[UnreadBook] = ()


@app.command()
def locate(
    quotation: Annotated[
        str,
        typer.Argument(metavar="QUOTATION", help="A quotation, or - for stdin, with one per line."),
    ],
    books: common.BooksOption = None,
    n: Annotated[
        int, typer.Option("-n", min=1, max=100, help="Maximum number of places per quotation.")
    ] = 5,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Find the source of a quotation, and show how it differs.

    It is verbatim, elided (with an ellipsis or brackets for omissions and insertions), altered, or
    absent from the library. On stdin a line is a quotation or {"quote": "..."}; any other line has
    an "error" instead of a place, and the exit code is 2. Exit code 5: one is absent. If a book
    cannot be read, a quotation that is verbatim in no other book is unknown (exit code 1).
    """
    library = common.open_library()
    if quotation != "-":
        from scholar_indexes.quotations.quotation_service import check_quotation

        check_quotation(quotation)
    output_format = common.choose_format(format, json)
    located = _Locating(library, books or [], n)
    with open_lines("-", "quotations") as file:
        batches = _batches(_lines(file)) if quotation == "-" else [[_Line(quotation)]]
        _print(map(located.answers, batches), output_format)
    exit_code = report_unanswered(located.codes, located.lines, "a place")
    if located.unanswered:
        common.check_complete(list(located.unread.values()), common.MAY_BE_FROM)
    if exit_code:
        raise typer.Exit(exit_code)
    if located.unanswered:
        raise NoMatch(
            "it is in none of the books searched; see: scholar books list"
            if quotation != "-"
            else f"{located.unanswered} of the quotations are in none of the books searched; "
            "see: scholar books list"
        )


def _print(answered: Iterable[Iterable[_Answer]], format: Format) -> None:
    """Print the answers to each batch as they arrive."""
    if format is Format.TABLE:
        for answer in chain.from_iterable(answered):
            render.write(_card(answer))
        return
    records = (
        [record for answer in batch for record in _records(answer, format)] for batch in answered
    )
    rows = (quotation_cards.table_rows(group, format) for group in records)
    render.print_row_groups(rows, format, COLUMNS)


class _Locating:
    """Locates lines, and counts the ones without a place. `codes` has the exit codes of lines that
    are not quotations, `unread` the books that could not be read, by id."""

    def __init__(self, library: Library, books: Sequence[str], n: int) -> None:
        self._library, self._books, self._n = library, books, n
        self.lines = self.unanswered = 0
        self.codes: list[int] = []
        self.unread: dict[str, UnreadBook] = {}

    def answers(self, batch: Sequence[_Line]) -> Iterator[_Answer]:
        """Yield the answer to each line, in order; books that cannot be read are reported."""
        quotes = [line.quote for line in batch if not line.error]
        located = self._library.locate(quotes, books=self._books, n=self._n)
        unread = {book.book.id: book for book in located.not_searched}
        common.name_unread([unread[name] for name in unread.keys() - self.unread.keys()])
        self.unread |= unread
        places = iter(located)
        for line in batch:
            self.lines += 1
            if line.error:
                self.codes.append(UsageError.exit_code)
                yield _Answer(line)
            else:
                answer = _Answer(line, next(places), located.not_searched)
                self.unanswered += not answer.places
                yield answer


def _card(answer: _Answer) -> str:
    absence = records_of.absence(answer.not_searched)
    line = answer.line
    return quotation_cards.card(line.quote, answer.places, absence=absence, error=line.error)


def _records(answer: _Answer, format: Format) -> list[dict[str, Any]]:
    """Return the records of a quotation: for JSON one with all places, else one for each place, or
    one without a place. A line that is not a quotation has one with its "error"."""
    quote, error = answer.line
    if error:
        return [{**records_of.located_record(quote, []), "status": "error", "error": error}]
    places = [answer.places]
    if not format.writes(RECORDS) and answer.places:
        places = [[place] for place in answer.places]
    absence = records_of.absence(answer.not_searched)
    records = [records_of.located_record(quote, group, absence) for group in places]
    return mark_incomplete(records, answer.not_searched)


def _lines(file: Any) -> Iterator[_Line]:
    """Yield the lines of a file that are not empty."""
    for number, line in enumerate(read_lines(file), 1):
        if line.strip():
            yield _parse_line(line.strip(), number)


def _parse_line(text: str, number: int) -> _Line:
    """Return a line with the quotation of a JSON object, or else with its text."""
    if not text.startswith("{"):
        return _Line(text)
    try:
        quote = jsonlib.loads(text)["quote"]
    except (ValueError, KeyError, TypeError, RecursionError):
        quote = None
    if isinstance(quote, str):
        return _Line(quote)
    error = f'line {number} is not a quotation; write plain text or {{"quote": "..."}}'
    return _Line(text, error)


def _batches(lines: Iterator[_Line]) -> Iterator[list[_Line]]:
    while batch := list(islice(lines, BATCH)):
        yield batch
