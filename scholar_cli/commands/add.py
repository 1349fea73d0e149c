"""scholar add: add books to the library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scholar_cli import render
from scholar_cli.commands import adding_from_catalog, common
from scholar_indexes.requests import AddRequest, describe
from scholar_indexes.serialize.books import added_book_record
from scholar_indexes.serialize.result_formats import Format

if TYPE_CHECKING:
    from scholar_indexes.cluster.cluster_service import ClusterService
    from scholar_indexes.library import Library
    from scholar_indexes.results import AddedBook

app = typer.Typer(rich_markup_mode=None)

TABLE_COLUMNS = ("id", "title", "author", "outcome", "chapters", "sentences")


@app.command()
def add(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SOURCE...",
            help=describe(AddRequest, "source").help,
            show_default=False,
        ),
    ] = None,
    from_catalog: Annotated[
        str | None,
        typer.Option(
            metavar="FILTER",
            help="Add the books in Gutenberg's catalogue that match a filter such as 'language=en "
            "subject=fiction'.",
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1, help="With --from-catalog: at most this many books, lowest numbers first."
        ),
    ] = None,
    title: Annotated[str | None, common.request_option(AddRequest, "title")] = None,
    author: Annotated[str | None, common.request_option(AddRequest, "author")] = None,
    language: Annotated[str | None, common.request_option(AddRequest, "language")] = None,
    encoding: Annotated[str | None, common.request_option(AddRequest, "encoding")] = None,
    mirror: Annotated[str | None, common.request_option(AddRequest, "mirror")] = None,
    refresh: Annotated[bool, common.request_option(AddRequest, "refresh", "--refresh")] = False,
    dry_run: Annotated[bool, common.request_option(AddRequest, "dry_run", "--dry-run")] = False,
    offline: common.OfflineOption = None,
    model: common.ModelOption = None,
    device: common.DeviceOption = None,
    ray: common.RayOption = None,
    format: common.FormatOption = Format.TABLE,
    json: common.JsonOption = False,
) -> None:
    """Add a book: a Gutenberg number or URL, a file, or - for standard input."""
    _check(sources or [], from_catalog, limit, title or author)
    library = common.open_library(offline=offline, model=model, device=device)
    cluster = library.cluster(ray) if ray is not None else None
    request = AddRequest(
        title=title,
        author=author,
        language=language,
        encoding=encoding,
        mirror=mirror,
        refresh=refresh,
        dry_run=dry_run,
    )
    output_format = common.choose_format(format, json)
    if from_catalog is not None:
        adder = cluster or library.books.adder
        adding_from_catalog.add_all(adder, from_catalog, output_format, request, limit)
        return
    outcomes = (
        _add_together(cluster, sources or [], request)
        if cluster
        else _add_in_turn(library, sources or [], request)
    )
    _report(outcomes, sources or [], output_format)


def _report(
    outcomes: Iterator[AddedBook | Exception], sources: Sequence[str], format: Format
) -> None:
    """Print the added books, and report why the others were not added.

    Raises the error of the only book, or one error for several, and Damaged if pages of an added
    book could not be read. What stops the command before the last book is raised after the
    outcomes so far are printed.
    """
    from scholar_indexes.books.adding import source_pages
    from scholar_indexes.books.adding.adding_many import error_of_many
    from scholar_indexes.errors import Damaged, RetryLater

    records: list[dict[str, Any]] = []
    failures: list[Exception] = []
    incomplete: list[AddedBook] = []
    try:
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                failures.append(outcome)
            else:
                records.append(added_book_record(outcome))
                _say_what_was_read(outcome)
                if source_pages.lost(outcome.pages):
                    incomplete.append(outcome)
    finally:
        if records:
            render.print_rows(records, format, TABLE_COLUMNS)
        if len(sources) > 1:
            _say_what_is_missing(sources, failures, len(records) + len(failures))
    if failures and len(sources) == 1:
        raise failures[0]
    if failures:
        raise error_of_many([isinstance(failure, RetryLater) for failure in failures], len(sources))
    if incomplete:
        names = ", ".join(added.book.id for added in incomplete)
        raise Damaged(f"pages are missing from {names}; look for another copy of the file")


def _say_what_was_read(added: AddedBook) -> None:
    """Report a guessed encoding, and the pages of an EPUB; in a dry run, each of them."""
    from scholar_indexes.books.adding import source_pages
    from scholar_indexes.decoding import is_guess
    from scholar_indexes.results import AddOutcome

    if is_guess(added.encoding):
        common.say(
            f"{added.book.id}: its encoding is a guess, {added.encoding}; if letters are wrong: "
            f"scholar add FILE --encoding NAME --refresh"
        )
    if not added.pages:
        return
    if added.outcome is AddOutcome.PLANNED:
        for line in source_pages.lines(added.pages):
            common.say(line)
    common.say(f"{added.book.id}: {source_pages.summary(added.pages)}")


def _say_what_is_missing(sources: Sequence[str], failures: Sequence[Exception], tried: int) -> None:
    """Report why books could not be added, and the first one that was not tried."""
    from scholar_indexes.books.adding.adding_many import describe_failure

    for failure in failures:
        common.say(f"not added: {describe_failure(failure)}")
    untried = len(sources) - tried
    if untried:
        others = f" and {untried - 1} more" if untried > 1 else ""
        common.say(f"not added: {sources[tried]}{others}; the command ended first")


def _add_in_turn(
    library: Library, sources: Sequence[str], request: AddRequest
) -> Iterator[AddedBook | Exception]:
    """Add books one by one and yield the outcome of each; see adding_many.add_each."""
    from scholar_indexes.books.adding.adding_many import add_each

    def add(source: str) -> AddedBook:
        with common.progress() as progress:
            return library.add(replace(request, source=source), progress=progress)

    is_many = len(sources) > 1 and not request.dry_run
    with library.books.adder.adding_many() if is_many else nullcontext():
        yield from add_each(sources, add)


def _add_together(
    cluster: ClusterService, sources: Sequence[str], request: AddRequest
) -> Iterator[AddedBook | Exception]:
    """Add books on a cluster and yield the outcome of each; see ClusterService.add."""
    with common.progress() as progress:
        yield from cluster.add(sources, request, progress=progress)


def _check(
    sources: Sequence[str], from_catalog: str | None, limit: int | None, names: str | None
) -> None:
    """Raise UsageError for sources and options that cannot be combined."""
    from scholar_indexes.errors import UsageError

    if from_catalog is None and not sources:
        raise UsageError(
            "nothing to add; give a number such as 1342, a file, -, or --from-catalog FILTER"
        )
    if from_catalog is not None and sources:
        raise UsageError("--from-catalog chooses the books; leave out SOURCE")
    if from_catalog is None and limit is not None:
        raise UsageError("--limit is for --from-catalog; leave it out")
    if names and (len(sources) > 1 or from_catalog is not None):
        raise UsageError("--title and --author are for one book; add the books one by one")
