"""Many claims in one process: lines in, JSON lines out, in order, each as soon as it is ready."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.commands.lines import open_lines, read_lines, report_unanswered
from scholar_indexes.errors import Damaged, ScholarError, UsageError
from scholar_indexes.guarded import parse_json
from scholar_indexes.requests import FindRequest
from scholar_indexes.serialize.evidence import evidence_records, mark_people_unknown, people_notice
from scholar_indexes.serialize.passages import mark_incomplete
from scholar_indexes.serialize.result_formats import Format

if TYPE_CHECKING:
    from scholar_indexes.results import FoundEvidence
    from scholar_indexes.types import Book


def answer(
    source: str,
    request: FindRequest,
    find: Callable[[FindRequest], FoundEvidence],
    *,
    explain: bool = False,
) -> int:
    """Print the hits of every claim in a file, or in stdin for "-", as JSON lines.

    `request` has what the lines do not give.

    A line that cannot be answered gets an "error" instead of hits, and the number of such lines is
    reported on stderr at the end. Returns the exit code that they share, 1 if they differ, 0 if
    there are none. A line answered without a book that cannot be read names the book; then the exit
    code is 1. A line whose names were matched as words lists the books, which are also reported on
    stderr at the end. Raises NotThere or UsageError for a file that cannot be read.
    """
    lines = incomplete = 0
    codes: list[int] = []
    people_unknown: dict[str, Book] = {}
    with open_lines(source, "claims") as file:
        for number, line in enumerate(read_lines(file), 1):
            if not line.strip():
                continue
            lines += 1
            record: dict[str, Any] = {"claim": line.strip()}
            try:
                asked = parse_line(line, request)
                record["claim"] = asked.claim
                hits = find(asked)
                record["hits"] = evidence_records(hits, explain=explain)
                [record] = mark_incomplete([record], hits.not_searched)
                [record] = mark_people_unknown([record], hits.people_unknown)
                incomplete += bool(hits.not_searched)
                people_unknown |= {book.id: book for book in hits.people_unknown}
            except ScholarError as refusal:
                record["error"] = f"line {number}: {refusal}"
                codes.append(refusal.exit_code)
            render.print_rows([record], Format.JSONL, ())
            sys.stdout.flush()
    if people_unknown:
        common.say(people_notice(list(people_unknown.values())))
    exit_code = report_unanswered(codes, lines, "hits")
    if incomplete:
        common.say(
            f"scholar: {incomplete} of {lines} lines were answered without books that cannot be "
            'read; each lists them in "not_searched"; see: scholar doctor'
        )
        return Damaged.exit_code
    return exit_code


def parse_line(line: str, request: FindRequest) -> FindRequest:
    """Return a request with the claim of a line, and the books and the number that it gives: a JSON
    object, or the claim itself.

    Raises UsageError for an object that is not of the form {claim, book, n}.
    """
    text = line.strip()
    if not text.startswith("{"):
        return replace(request, claim=text)
    try:
        return replace(request, **_read_fields(parse_json(text)))
    except (ValueError, KeyError, TypeError, AttributeError, UsageError):
        raise UsageError(
            'the line is not a claim; write plain text or {"claim": "...", "book": "...", "n": 10}'
        ) from None


def _read_fields(record: Any) -> dict[str, Any]:
    """Return the fields of a request that an object gives; raises ValueError for wrong values."""
    claim, books, n = record.pop("claim"), record.pop("book", None), record.pop("n", None)
    named = [books] if isinstance(books, str) else books
    fields = {"claim": claim, "books": named, "n": n}
    given = {name: value for name, value in fields.items() if value is not None}
    is_sound = (
        not record
        and isinstance(claim, str)
        and all(isinstance(book, str) for book in given.get("books", ()))
        and type(given.get("n", 0)) is int
    )
    if not is_sound:
        raise ValueError("it is not of the form {claim, book, n}")
    return given
