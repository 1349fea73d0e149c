"""scholar kwic: a concordance, with collocates and frequencies."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.render import Format
from scholar_indexes.errors import NoMatch, UsageError
from scholar_indexes.sanitize import one_line, safe

if TYPE_CHECKING:
    from scholar_indexes.results import Collocate, ConcordanceLine, Frequency

app = typer.Typer(rich_markup_mode=None)

COLUMNS = ("locator", "left", "keyword", "right")
COLLOCATE_COLUMNS = ("word", "near", "everywhere", "score")
FREQUENCY_COLUMNS = ("book", "chapter", "count", "words", "per_10000")

NARROWEST_SIDE, WIDEST_BAR = 16, 30

KEYWORD, PLACE = 8, 26
"""Characters that a keyword, and a locator with the space before it, mostly take."""


class SideOption(StrEnum):
    """The side by whose words lines are sorted, from the keyword outwards."""

    LEFT = "left"
    RIGHT = "right"


class PartOption(StrEnum):
    """The parts in which places are counted."""

    BOOK = "book"
    CHAPTER = "chapter"


@app.command()
def kwic(
    pattern: Annotated[
        str, typer.Argument(metavar="PATTERN", help='A word, words in a row, "lov*", "gr?y".')
    ],
    books: common.BooksOption = None,
    window: Annotated[int, typer.Option(min=0, max=50, help="Words on either side.")] = 8,
    regex: Annotated[
        bool, typer.Option("--regex", help="The pattern is a regular expression.")
    ] = False,
    sort: Annotated[
        SideOption | None, typer.Option(help="Sort by the words on a side; else as in the books.")
    ] = None,
    collocates: Annotated[
        bool, typer.Option("--collocates", help="Words that stand near it more than by chance.")
    ] = False,
    frequency: Annotated[
        PartOption | None, typer.Option(help="How often it stands in each book or chapter.")
    ] = None,
    n: Annotated[
        int | None, typer.Option("-n", min=1, help="How many lines or collocates at most.")
    ] = None,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """List every place of a word or a pattern with the words around it.

    Case counts only if the pattern has a capital. Exit code 5: it stands nowhere.
    """
    if collocates and (frequency or sort):
        raise UsageError("--collocates takes no --frequency and no --sort; leave one out")
    if collocates and not window:
        raise UsageError("--collocates needs a --window of one word or more")
    library = common.open_library()
    output_format = common.choose_format(format, json)
    if frequency is not None:
        counted = list(
            library.frequencies(
                pattern,
                books=books or [],
                is_regex=regex,
                by_chapter=frequency is PartOption.CHAPTER,
            )
        )
        _print_frequencies(counted, output_format)
        found = any(part.count for part in counted)
    elif collocates:
        ranked = library.collocates(pattern, books=books or [], window=window, is_regex=regex)
        records = [_collocate_record(collocate) for collocate in ranked[: n or 50]]
        render.print_rows(records, output_format, COLLOCATE_COLUMNS)
        found = bool(ranked)
    else:
        lines = library.concordance(pattern, books=books or [], window=window, is_regex=regex)
        chosen = lines if sort is None else iter(sorted(lines, key=_SORT_KEYS[sort]))
        found = _print_lines(_first(chosen, n), output_format) > 0
    if not found:
        raise NoMatch("it stands nowhere in the books asked; see: scholar books list")


def _left_words(line: ConcordanceLine) -> tuple[list[str], str]:
    return line.left.casefold().split()[::-1], line.locator


def _right_words(line: ConcordanceLine) -> tuple[list[str], str]:
    return line.right.casefold().split(), line.locator


_SORT_KEYS = {SideOption.LEFT: _left_words, SideOption.RIGHT: _right_words}


def _first(lines: Iterable[ConcordanceLine], n: int | None) -> Iterator[ConcordanceLine]:
    for number, line in enumerate(lines):
        if n is not None and number >= n:
            return
        yield line


def _print_lines(lines: Iterator[ConcordanceLine], format: Format) -> int:
    """Print lines as they come, and return how many; a JSON array when all have come."""
    count = 0

    def records() -> Iterator[list[dict[str, Any]]]:
        nonlocal count
        for line in lines:
            count += 1
            yield [_line_record(line)]

    if format is not Format.TABLE:
        render.print_row_groups(records(), format, COLUMNS)
        return count
    for line in lines:
        count += 1
        render.write(_aligned(line))
        if count == 1:
            sys.stdout.flush()
    return count


def _aligned(line: ConcordanceLine) -> str:
    """Return a line with its keyword in the middle of the terminal."""
    keyword = one_line(line.keyword)
    left, right = (re.sub(r"\s+", " ", safe(side)) for side in (line.left, line.right))
    before = max(NARROWEST_SIDE, (render.width() - PLACE) // 2 - KEYWORD // 2)
    after = max(NARROWEST_SIDE, render.width() - PLACE - before - len(keyword))
    place = render.dim(line.locator)
    return f"{left[-before:]:>{before}}{render.bold(keyword)}{right[:after]:<{after}}  {place}\n"


def _line_record(line: ConcordanceLine) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "book": {"id": line.book.id, "title": line.book.title, "author": line.book.author},
        "chapter": {"number": line.chapter.number, "printed": line.chapter.printed},
        "locator": line.locator,
        "start": line.span.start,
        "end": line.span.end,
        "left": line.left,
        "keyword": line.keyword,
        "right": line.right,
    }


def _collocate_record(collocate: Collocate) -> dict[str, Any]:
    return {
        "word": collocate.word,
        "near": collocate.near,
        "everywhere": collocate.everywhere,
        "score": round(collocate.score, 1),
    }


def _print_frequencies(counted: list[Frequency], format: Format) -> None:
    records: list[dict[str, Any]] = [
        {
            "book": one_line(part.book.title),
            "id": part.book.id,
            "chapter": "" if part.chapter is None else part.chapter.printed or part.chapter.title,
            "section": part.chapter and part.chapter.number,
            "count": part.count,
            "words": part.words,
            "per_10000": round(part.per_ten_thousand, 2),
        }
        for part in counted
    ]
    columns: tuple[str, ...] = FREQUENCY_COLUMNS
    if format is Format.TABLE:
        highest = max((record["per_10000"] for record in records), default=0) or 1
        for record in records:
            record["plot"] = "█" * round(WIDEST_BAR * record["per_10000"] / highest)
        columns = (*FREQUENCY_COLUMNS, "plot")
    render.print_rows(records, format, columns)
