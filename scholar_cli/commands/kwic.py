"""scholar kwic: a concordance, with collocates and frequencies."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_indexes import emphasis
from scholar_indexes.books.citation.chapter_names import chapter_title
from scholar_indexes.errors import NoMatch, UsageError
from scholar_indexes.serialize import concordance as records_of
from scholar_indexes.serialize.passages import mark_incomplete, place_columns
from scholar_indexes.serialize.result_formats import RECORDS, Format
from scholar_indexes.serialize.rows import StyledCell

if TYPE_CHECKING:
    from scholar_indexes.results import ConcordanceLine, Frequency, UnreadBook
    from scholar_indexes.types import Chapter

app = typer.Typer(rich_markup_mode=None)

COLUMNS = ("locator", "left", "keyword", "right")
COLLOCATE_COLUMNS = ("word", "near", "everywhere", "score")
FREQUENCY_COLUMNS = ("book", "chapter", "count", "words", "per_10000")
FREQUENCY_CSV_COLUMNS = (
    "book",
    "title",
    "chapter",
    "chapter_title",
    "chapter_printed",
    "count",
    "words",
    "per_10000",
)

NARROWEST_SIDE, WIDEST_BAR = 16, 30

KEYWORD, PLACE = 8, 26
"""The usual widths of a keyword, and of a locator with the space before it."""


class SideOption(StrEnum):
    """The side by whose words lines are sorted, from the keyword outwards."""

    LEFT = "left"
    RIGHT = "right"


class PartOption(StrEnum):
    """The parts in which occurrences are counted."""

    BOOK = "book"
    CHAPTER = "chapter"


@app.command()
def kwic(
    pattern: Annotated[
        str, typer.Argument(metavar="PATTERN", help='A word, a phrase, "lov*", "gr?y".')
    ],
    books: common.BooksOption = None,
    window: Annotated[int, typer.Option(min=0, max=50, help="Words on either side.")] = 8,
    regex: Annotated[
        bool, typer.Option("--regex", help="Read the pattern as a regular expression.")
    ] = False,
    sort: Annotated[
        SideOption | None, typer.Option(help="Sort by the words on a side; default: text order.")
    ] = None,
    collocates: Annotated[
        bool,
        typer.Option("--collocates", help="List words that occur near it more than by chance."),
    ] = False,
    frequency: Annotated[
        PartOption | None, typer.Option(help="Count occurrences per book or chapter.")
    ] = None,
    n: Annotated[
        int | None, typer.Option("-n", min=1, help="Maximum number of lines or collocates.")
    ] = None,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """List the occurrences of a word or pattern in context, its collocates or its frequencies.

    Front matter is searched too, headings are not. Case matters only if the pattern has a capital.
    Exit code 5: there is no occurrence. Exit code 1: a book cannot be read.
    """
    if collocates:
        _check_collocates(window, frequency, sort)
    library = common.open_library()
    output_format = common.choose_format(format, json)
    readable = library.books.select_readable(books or [])
    common.name_unread(readable.not_searched)
    selection: dict[str, Any] = {
        "books": [stored.book.id for stored in readable],
        "is_regex": regex,
    }
    if frequency is not None:
        by_chapter = frequency is PartOption.CHAPTER
        counted = list(library.concordance.frequencies(pattern, by_chapter=by_chapter, **selection))
        _print_frequencies(counted, output_format, readable.not_searched)
        places = sum(part.count for part in counted)
    elif collocates:
        ranked = library.concordance.collocates(pattern, window=window, **selection)
        records = mark_incomplete(
            map(records_of.collocate_record, ranked[: n or 50]), readable.not_searched
        )
        render.print_rows(records, output_format, COLLOCATE_COLUMNS)
        places = len(ranked)
    else:
        lines = library.concordance.lines(pattern, window=window, **selection)
        chosen = lines if sort is None else sorted(lines, key=_SORT_KEYS[sort])
        places = _print_lines(islice(chosen, n), output_format, readable.not_searched)
    common.check_complete(readable.not_searched)
    if not places:
        raise NoMatch("there is no occurrence in the books searched; see: scholar books list")


def _check_collocates(window: int, frequency: PartOption | None, sort: SideOption | None) -> None:
    """Raise UsageError for options that cannot be combined with --collocates."""
    if frequency or sort:
        raise UsageError("--collocates takes no --frequency and no --sort; leave one out")
    if not window:
        raise UsageError("--collocates needs a --window of one word or more")


def _left_words(line: ConcordanceLine) -> tuple[list[str], str]:
    return line.left.casefold().split()[::-1], line.locator


def _right_words(line: ConcordanceLine) -> tuple[list[str], str]:
    return line.right.casefold().split(), line.locator


_SORT_KEYS = {SideOption.LEFT: _left_words, SideOption.RIGHT: _right_words}


def _print_lines(
    lines: Iterator[ConcordanceLine], format: Format, not_searched: Sequence[UnreadBook]
) -> int:
    """Print lines as they arrive, a JSON array at the end, and return their number."""
    count = 0

    def records() -> Iterator[list[dict[str, Any]]]:
        nonlocal count
        for line in lines:
            count += 1
            yield mark_incomplete([_row(line, format)], not_searched)

    if format is not Format.TABLE:
        render.print_row_groups(records(), format, COLUMNS)
        return count
    for line in lines:
        count += 1
        render.write(_aligned(line))
        if count == 1:
            sys.stdout.flush()
    return count


def _row(line: ConcordanceLine, format: Format) -> dict[str, Any]:
    """Return a line as a record, its emphasis as styles if the format has them."""
    record = records_of.line_record(line)
    if not render.has_styles(format):
        return record
    cells = map(StyledCell, records_of.styled_parts(line))
    return {**record, **dict(zip(("left", "keyword", "right"), cells, strict=True))}


def _aligned(line: ConcordanceLine) -> str:
    """Return a line with its keyword in the middle of the terminal."""
    parts = records_of.styled_parts if render.uses_styles() else records_of.plain_parts
    left, keyword, right = parts(line)
    if render.uses_colour():
        keyword = [run._replace(bold=True) for run in keyword]
    length = emphasis.run_length(left)
    before = max(NARROWEST_SIDE, (render.width() - PLACE) // 2 - KEYWORD // 2)
    after = max(NARROWEST_SIDE, render.width() - PLACE - before - emphasis.run_length(keyword))
    shown_before = emphasis.slice_runs(left, length - before, length)
    shown_after = emphasis.slice_runs(right, 0, after)
    columns = (
        " " * (before - length),
        render.style_runs(shown_before),
        render.style_runs(keyword),
        render.style_runs(shown_after),
        " " * (after - emphasis.run_length(shown_after)),
    )
    return f"{''.join(columns)}  {render.dim(line.locator)}\n"


def _print_frequencies(
    counted: list[Frequency], format: Format, not_searched: Sequence[UnreadBook]
) -> None:
    records = mark_incomplete(map(records_of.frequency_record, counted), not_searched)
    if format.writes(RECORDS):
        render.print_rows(records, format, ())
        return
    if format is Format.CSV:
        render.print_rows(list(map(_csv_row, records)), format, FREQUENCY_CSV_COLUMNS)
        return
    highest = max((record["per_10000"] for record in records), default=0) or 1
    rows = [
        {
            **record,
            "book": record["book"]["title"],
            "chapter": _printed_or_title(part.chapter),
            "plot": "█" * round(WIDEST_BAR * record["per_10000"] / highest),
        }
        for record, part in zip(records, counted, strict=True)
    ]
    columns = (*FREQUENCY_COLUMNS, "plot") if format is Format.TABLE else FREQUENCY_COLUMNS
    render.print_rows(rows, format, columns)


def _printed_or_title(chapter: Chapter | None) -> str:
    return "" if chapter is None else chapter.printed or chapter_title(chapter)


def _csv_row(record: dict[str, Any]) -> dict[str, Any]:
    """Return the record of a frequency as a row of columns."""
    return {**record, **place_columns(record), "title": record["book"]["title"]}
