"""Adding books from Gutenberg's catalogue, for `scholar add --from-catalog`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from scholar_cli import render
from scholar_cli.commands import common
from scholar_indexes.serialize.books import catalog_addition_record
from scholar_indexes.serialize.result_formats import Format

if TYPE_CHECKING:
    from scholar_indexes.books.adding.adding_many import CatalogAddition
    from scholar_indexes.books.adding.book_adder import BookAdder
    from scholar_indexes.cluster.cluster_service import ClusterService
    from scholar_indexes.requests import AddRequest

TABLE_COLUMNS = ("id", "title", "author", "outcome", "reason")


def add_all(
    adder: BookAdder | ClusterService,
    conditions: str,
    format: Format,
    request: AddRequest,
    limit: int | None,
) -> None:
    """Add the books that match a filter, print the outcome of each, and report failures at the end.

    JSON lines are printed as the books are done. Raises RetryLater if only the network kept books
    from being added, else ScholarError if any book failed.
    """
    additions: list[CatalogAddition] = []
    with common.progress() as progress:
        outcomes = adder.add_from_catalog(conditions, request, limit=limit, progress=progress)
        with _reported(additions, format):
            for addition in outcomes:
                additions.append(addition)
                if format is Format.JSONL:
                    record = catalog_addition_record(addition)
                    render.print_rows([record], format, TABLE_COLUMNS)
    _raise_failure(additions)


@contextmanager
def _reported(additions: list[CatalogAddition], format: Format) -> Iterator[None]:
    """Print the outcomes of the books when the block ends, even with an exception."""
    try:
        yield
    finally:
        if format is not Format.JSONL:
            records = [catalog_addition_record(addition) for addition in additions]
            render.print_rows(records, format, TABLE_COLUMNS)
        _say_what_failed(additions)


def _say_what_failed(additions: list[CatalogAddition]) -> None:
    counts = Counter(str(addition.outcome) for addition in additions)
    if not counts:
        common.say("no book in the catalogue matches this filter")
        return
    common.say(", ".join(f"{count:,} {outcome}" for outcome, count in counts.items()))
    for addition in additions:
        if addition.reason:
            entry = addition.entry
            common.say(f"pg{entry.gutenberg_id} {entry.title[:60]}: {addition.reason}")


def _raise_failure(additions: list[CatalogAddition]) -> None:
    from scholar_indexes.books.adding.adding_many import error_of_many

    failures = [addition.may_pass for addition in additions if addition.reason]
    if failures:
        raise error_of_many(failures, len(additions))
