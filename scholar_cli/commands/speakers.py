"""scholar speakers: the quotations of books with their speakers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.commands.book_command import BookCommand
from scholar_indexes.errors import NoMatch, NotThere, UsageError
from scholar_indexes.requests import SpeakerMethod, SpeakersRequest
from scholar_indexes.serialize.passages import mark_incomplete, place_columns
from scholar_indexes.serialize.people import QUOTATION_COLUMNS, quotation_record
from scholar_indexes.serialize.result_formats import (
    QUOTATION_FILE,
    RECORDS,
    SPEAKERS,
    Format,
    in_words,
    names,
)

if TYPE_CHECKING:
    from scholar_indexes.library import Library
    from scholar_indexes.llm.backend import Backend
    from scholar_indexes.results import Answers, AttributedQuote, UnreadBook
    from scholar_indexes.storage.catalog import StoredBook
    from scholar_indexes.types import Chapter

app = typer.Typer(rich_markup_mode=None)

COLUMNS = ("speaker", "confidence", "kind", "form", "quote", "locator")
ONE_BOOK_ERRORS = (NoMatch, NotThere, UsageError)
"""The errors that `speakers` may raise for one book and not for another; options were checked
before."""


@app.command(cls=BookCommand)
def speakers(
    books: common.BooksOption = None,
    all_books: common.AllBooksOption = False,
    chapter: common.ChapterOption = None,
    section: common.SectionOption = None,
    speaker: common.SpeakerOption = None,
    min_confidence: Annotated[
        float, common.request_option(SpeakersRequest, "min_confidence")
    ] = 0.0,
    method: Annotated[
        SpeakerMethod | None,
        common.request_option(SpeakersRequest, "method", show_default=False),
    ] = None,
    model: Annotated[str | None, common.request_option(SpeakersRequest, "model")] = None,
    llm: Annotated[
        str | None,
        typer.Option(help="For --method llm: a model folder, or a model name on the server."),
    ] = None,
    server: Annotated[
        str | None, typer.Option(help="An OpenAI-compatible server, such as http://localhost:8080.")
    ] = None,
    api_key: Annotated[
        str | None, typer.Option(envvar="SCHOLAR_API_KEY", help="The API key of the server.")
    ] = None,
    eight_bit: Annotated[
        bool, typer.Option("--8bit", help="Load the language model in 8 bits.")
    ] = False,
    device: common.DeviceOption = None,
    to: Annotated[
        Format | None,
        common.to_option(SPEAKERS, help=f"Print one book as {in_words(SPEAKERS)} instead."),
    ] = None,
    format: Annotated[Format | None, common.format_option(QUOTATION_FILE, is_optional=True)] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            parser=common.output_file,
            metavar="PATH",
            help=f"For --format {names(QUOTATION_FILE)}: the file to write.",
        ),
    ] = None,
    force: common.ForceOption = False,
    json: common.JsonOption = False,
) -> None:
    """Identify the speaker of each quotation in one, several or all books, with a confidence.

    CSV, JSON lines, Markdown, plain text and Parquet are written book by book. A book in which
    nobody speaks, or without the --speaker, is reported on stderr and skipped; the exit code is 0
    if at least one book has speakers. A damaged book is reported too, and the exit code is 1. A
    book that is not in the library stops the command before anything is printed.
    """
    from scholar_indexes.books.reading import chapter_ranges

    _check_output(to, format, out, json, force=force)
    request = SpeakersRequest(
        chapters=chapter_ranges.choose(chapter, section),
        speaker=speaker,
        min_confidence=min_confidence,
        method=method,
        model=model,
    )
    uses_model = method is SpeakerMethod.LLM
    if not uses_model and (llm or server or eight_bit):
        raise UsageError(
            "--llm, --server and --8bit are for --method llm; add it, or leave them out"
        )
    library = common.open_library(device=device)
    chosen = common.choose_books(library, books, all_books)
    readable = library.books.select_readable([stored.book.id for stored in chosen])
    common.name_unread(readable.not_searched)
    if to:
        _check_one_book(chosen, to)
    backend = None
    if uses_model:
        from scholar_indexes.llm import backends

        backend = backends.choose_backend(
            llm, server, api_key=api_key, device=library.settings.device, eight_bit=eight_bit
        )
    library.attribution.check(request, backend)
    quotations = _quotations_by_book(library, readable, request, backend)
    if format and out:
        count = format.writer(QUOTATION_FILE)(out, quotations)
        common.say(f"{out} has {count} quotations")
    elif to:
        _print_book(library, chosen[0], chain.from_iterable(quotations), request.chapters, to)
    else:
        output_format = common.choose_format(format or Format.TABLE, json)
        _print_rows(quotations, output_format, readable.not_searched)
    common.check_complete(readable.not_searched)


def _check_output(
    to: Format | None,
    format: Format | None,
    out: Path | None,
    json: bool,
    *,
    force: bool,
) -> None:
    """Raise UsageError for formats that cannot be combined, for a format that is not printed
    without a file, and for a file that exists, unless `force` is given."""
    if to and (format or json):
        raise UsageError(f"--to {to} is a format of its own; leave out --format and --json")
    if format is None or not format.writes(QUOTATION_FILE):
        if out:
            only = names(QUOTATION_FILE)
            raise UsageError(
                f"--out is for {only}; add --format {only}, or redirect the output with >"
            )
        return
    if out is None or str(out) == "-":
        raise common.not_printed(format, f"quotations{format.suffix}")
    common.check_output_files([out], force=force)


def _check_one_book(chosen: Sequence[StoredBook], to: Format) -> None:
    """Raise UsageError if several books are chosen."""
    if len(chosen) > 1:
        raise UsageError(
            f"a {to.label} document contains one book; name one: "
            f"scholar speakers -b {chosen[0].book.id} --to {to}"
        )


def _quotations_by_book(
    library: Library,
    books: Answers[StoredBook],
    request: SpeakersRequest,
    backend: Backend | None,
) -> Iterator[list[AttributedQuote]]:
    """Yield the quotations of each book that has speakers; the others are named on stderr.

    The quotations of only one book are held at a time. Raises the error of the book if there is
    only one, and NoMatch if none of several has speakers.
    """
    read = passing = 0
    for stored in books:
        try:
            with common.progress() as progress:
                asked = replace(request, book=stored.book.id)
                quotes = library.speakers(asked, backend=backend, progress=progress)
        except ONE_BOOK_ERRORS as error:
            if len(books) == 1 and not books.not_searched:
                raise
            common.say(f"{stored.book.id}: {error}")
            continue
        read += 1
        passing += len(quotes)
        yield quotes
    if not read:
        common.check_complete(books.not_searched)
        raise NoMatch(f"none of {len(books)} books has speakers to show; see the lines above")
    if not passing:
        common.say("no quotation matches; try fewer filters")


def _print_rows(
    quotations: Iterator[list[AttributedQuote]],
    format: Format,
    not_searched: Sequence[UnreadBook],
) -> None:
    records = (
        mark_incomplete(map(quotation_record, quotes), not_searched) for quotes in quotations
    )
    if format.writes(RECORDS):
        render.print_row_groups(records, format, ())
        return
    rows = (
        render.with_quotations([_flat(record, format) for record in group], ("quote",), format)
        for group in records
    )
    render.print_row_groups(rows, format, QUOTATION_COLUMNS if format is Format.CSV else COLUMNS)


def _print_book(
    library: Library,
    stored: StoredBook,
    quotes: Iterable[AttributedQuote],
    written: str | None,
    format: Format,
) -> None:
    """Print a range of chapters, or all, with their speakers."""
    from scholar_indexes.books.reading.chapter_ranges import find_sections

    book = library.books.open(stored)
    chapters: Sequence[Chapter] = book.chapters
    if written:
        first, last = find_sections(chapters, written, stored.book.title)
        chapters = [chapter for chapter in chapters if first <= chapter.number <= last]
    document = format.writer(SPEAKERS)(stored.book, book.text, chapters, list(quotes))
    render.write(document.decode("utf-8") + "\n")


def _flat(record: dict[str, Any], format: Format) -> dict[str, Any]:
    """Return the record of a quotation as a row; tables and Markdown round the confidence."""
    speaker, confidence = record["speaker"], record["confidence"]
    return {
        **record,
        "speaker": speaker["name"] if speaker else "?",
        "confidence": f"{confidence:.2f}" if format in (Format.TABLE, Format.MD) else confidence,
        **place_columns(record),
    }
