"""scholar speakers: the quotations of books with their speakers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.render import Format
from scholar_indexes.errors import NoMatch, NotThere, UsageError
from scholar_indexes.serialize import results as records_of

if TYPE_CHECKING:
    from scholar_indexes.attribution.service import SpeakerOptions
    from scholar_indexes.library import Library
    from scholar_indexes.results import Answers, AttributedQuote, UnreadBook
    from scholar_indexes.storage.catalog import StoredBook

app = typer.Typer(rich_markup_mode=None)

COLUMNS = ("speaker", "confidence", "kind", "form", "quote", "locator")
CSV_COLUMNS = (
    "speaker",
    "confidence",
    "kind",
    "quote",
    "locator",
    "book",
    "chapter",
    "chapter_title",
    "form",
    "chapter_printed",
)

ONE_BOOK_ERRORS = (NoMatch, NotThere, UsageError)
"""The errors that `speakers` may raise for one book and not for another; options were checked
before."""


class AttributionMethod(StrEnum):
    TRAINED = "trained"
    LLM = "llm"
    SIEVE = "sieve"
    NEAREST = "nearest"


class SpeakersExportFormat(StrEnum):
    TEI = "tei"


class SpeakersFormat(StrEnum):
    TABLE = "table"
    PLAIN = "plain"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    MD = "md"
    PARQUET = "parquet"


@app.command()
def speakers(
    books: common.BooksArgument = None,
    all_books: common.AllBooksOption = False,
    chapter: common.ChapterOption = None,
    section: common.SectionOption = None,
    speaker: common.SpeakerOption = None,
    min_confidence: Annotated[
        float, typer.Option(min=0, max=1, help="Only speakers at least this sure.")
    ] = 0.0,
    method: Annotated[
        AttributionMethod | None, typer.Option(help="How speakers are found.", show_default=False)
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="The speaker model of trained: a name or a folder.")
    ] = None,
    llm: Annotated[
        str | None, typer.Option(help="The language model of llm: a folder, or a server's name.")
    ] = None,
    server: Annotated[
        str | None, typer.Option(help="An OpenAI-compatible server, such as http://localhost:8080.")
    ] = None,
    api_key: Annotated[
        str | None, typer.Option(envvar="SCHOLAR_API_KEY", help="The key of that server.")
    ] = None,
    eight_bit: Annotated[
        bool, typer.Option("--8bit", help="Load a language model in 8 bits.")
    ] = False,
    device: common.DeviceOption = None,
    to: Annotated[
        SpeakersExportFormat | None, typer.Option(help="Write one book as TEI instead.")
    ] = None,
    format: Annotated[
        SpeakersFormat | None,
        typer.Option(
            "--format",
            help="How to print results; else as a table.",
            callback=common.refuse_two_formats,
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", parser=common.output_file, metavar="PATH", help="The file of parquet."
        ),
    ] = None,
    force: common.ForceOption = False,
    json: common.JsonOption = False,
) -> None:
    """Say who speaks each quotation of one book, of several, or of all, and how sure that is.

    CSV, JSON lines, Markdown, plain text and Parquet are written book by book. A book in which
    nobody speaks, or that lacks the --speaker, is named on stderr and the others go on; the exit
    code is 0 if somebody speaks in one book. A book that is damaged is named too, and the exit code
    is 1. A BOOK that the library does not have stops the command before anything is printed.
    """
    _check_output(to, format, out, json, force=force)
    _check_method(method, model, language_model=bool(llm or server or eight_bit))
    library = common.open_library(device=device)
    chosen = common.choose_books(library, books, all_books)
    readable = library.readable([stored.book.id for stored in chosen])
    common.name_unread(readable.not_searched)
    if to and len(chosen) > 1:
        raise UsageError(
            "a TEI document holds one book; name one: "
            f"scholar speakers {chosen[0].book.id} --to tei"
        )
    chapters = common.choose_chapters(chapter, section)
    options: SpeakerOptions = {
        "method": method and method.value,
        "model": model,
        "chapters": chapters,
        "speaker": speaker,
        "min_confidence": min_confidence,
    }
    if method is AttributionMethod.LLM:
        from scholar_indexes.attribution.llm import backends

        options["backend"] = backends.choose_backend(
            llm, server, api_key=api_key, device=library.settings.device, eight_bit=eight_bit
        )
    library.check_speakers(**options)
    quotations = _quotations_by_book(library, readable, options)
    if out:
        _write_parquet(out, quotations)
    elif to is SpeakersExportFormat.TEI:
        _print_tei(library, chosen[0], chain.from_iterable(quotations), chapters)
    else:
        output_format = common.choose_format(Format(format or Format.TABLE), json)
        _print_rows(quotations, output_format, readable.not_searched)
    common.check_complete(readable.not_searched)


def _check_output(
    to: SpeakersExportFormat | None,
    format: SpeakersFormat | None,
    out: Path | None,
    json: bool,
    *,
    force: bool,
) -> None:
    """Raise UsageError for formats that contradict one another, for parquet without a file, and for
    a file that is there unless it may be written over."""
    if to and (format or json):
        raise UsageError("--to tei is a format of its own; leave out --format and --json")
    if format is not SpeakersFormat.PARQUET:
        if out:
            raise UsageError(
                "--out is the file of parquet; add --format parquet, or print to a file with >"
            )
        return
    if out is None or str(out) == "-":
        raise UsageError("parquet is not printed; name a file: --out quotations.parquet")
    common.check_output_files([out], force=force)


def _check_method(
    method: AttributionMethod | None, model: str | None, *, language_model: bool
) -> None:
    """Raise UsageError for the options of another method than the one that is asked for."""
    if model and method not in (None, AttributionMethod.TRAINED):
        raise UsageError("--model is for --method trained; leave it out, or that method")
    if language_model and method is not AttributionMethod.LLM:
        raise UsageError(
            "--llm, --server and --8bit are for --method llm; add it, or leave them out"
        )


def _quotations_by_book(
    library: Library, books: Answers[StoredBook], options: SpeakerOptions
) -> Iterator[list[AttributedQuote]]:
    """Yield the quotations of each book that has speakers; the others are named on stderr.

    No book is held longer than until the next is asked for. Raises the error of the book where
    there is only one, and NoMatch where several have none.
    """
    read = passing = 0
    for stored in books:
        try:
            with common.progress() as progress:
                with_progress: SpeakerOptions = {**options, "progress": progress}
                quotes = library.speakers(stored.book.id, **with_progress)
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
        raise NoMatch(f"none of {len(books)} books has speakers to show; the lines above say why")
    if not passing:
        common.say("no quotation passes; try fewer filters")


def _print_rows(
    quotations: Iterator[list[AttributedQuote]],
    format: Format,
    not_searched: Sequence[UnreadBook],
) -> None:
    records = (
        records_of.mark_incomplete(map(records_of.quotation_record, quotes), not_searched)
        for quotes in quotations
    )
    if format in (Format.JSON, Format.JSONL):
        render.print_row_groups(records, format, ())
        return
    rows = (
        render.with_quotations([_flat(record, format) for record in group], ("quote",), format)
        for group in records
    )
    render.print_row_groups(rows, format, CSV_COLUMNS if format is Format.CSV else COLUMNS)


def _write_parquet(path: Path, quotations: Iterator[list[AttributedQuote]]) -> None:
    from scholar_indexes.serialize import quotation_table
    from scholar_indexes.storage.parquet_file import write_parquet

    groups = ([quotation_table.quotation_row(quote) for quote in quotes] for quotes in quotations)
    count = write_parquet(path, quotation_table.COLUMNS, groups)
    common.say(f"{path} has {count} quotations")


def _print_tei(
    library: Library, stored: StoredBook, quotes: Iterable[AttributedQuote], written: str | None
) -> None:
    """Print the chapters of a range, or all, as TEI."""
    from scholar_indexes.books.chapter_ranges import find_sections
    from scholar_indexes.serialize import tei

    chapters = library.chapters(stored)
    if written:
        first, last = find_sections(chapters, written, stored.book.title)
        chapters = [chapter for chapter in chapters if first <= chapter.number <= last]
    document = tei.to_tei(stored.book, library.text(stored), chapters, list(quotes))
    render.write(document.decode("utf-8") + "\n")


def _flat(record: dict[str, Any], format: Format) -> dict[str, Any]:
    """Return the record of a quotation as a row of columns; people read a rounded confidence."""
    speaker, confidence = record["speaker"], record["confidence"]
    return {
        **record,
        "speaker": speaker["name"] if speaker else "?",
        "confidence": f"{confidence:.2f}" if format in (Format.TABLE, Format.MD) else confidence,
        **records_of.place_columns(record),
    }
