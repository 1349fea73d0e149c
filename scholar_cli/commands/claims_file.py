"""Many claims for one process: lines in, JSON lines out, in order, each as soon as it is known."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scholar_cli import render
from scholar_cli.commands import common
from scholar_cli.commands.lines import open_lines, read_lines, report_unanswered
from scholar_indexes.errors import Damaged, ScholarError, UsageError
from scholar_indexes.guarded import parse_json
from scholar_indexes.serialize import results as records_of

if TYPE_CHECKING:
    from scholar_indexes.results import FoundEvidence
    from scholar_indexes.types import Book

MOST_PASSAGES = 1_000


@dataclass(frozen=True, slots=True)
class ClaimLine:
    """A claim of a line, with what the line says instead of the options: books and a number."""

    claim: str
    books: tuple[str, ...] | None = None
    n: int | None = None


def answer(
    source: str, find: Callable[[ClaimLine], FoundEvidence], *, explain: bool = False
) -> int:
    """Print the hits of every claim of a file, or of stdin for "-", as JSON lines.

    A line that cannot be answered gets an "error" in place of hits, and at the end stderr has the
    number of such lines. Returns the exit code that they have in common, 1 if they have several, 0
    without one. A line that is answered without a book that cannot be read names it; then the exit
    code is 1. A line whose names were matched as words names the books, which stderr has at the
    end. Raises NotThere or UsageError for a file that cannot be read.
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
                claim = parse_line(line)
                record["claim"] = claim.claim
                hits = find(claim)
                record["hits"] = records_of.evidence_records(hits, explain=explain)
                [record] = records_of.mark_incomplete([record], hits.not_searched)
                [record] = records_of.mark_people_unknown([record], hits.people_unknown)
                incomplete += bool(hits.not_searched)
                people_unknown |= {book.id: book for book in hits.people_unknown}
            except ScholarError as refusal:
                record["error"] = f"line {number}: {refusal}"
                codes.append(refusal.exit_code)
            render.print_rows([record], render.Format.JSONL, ())
            sys.stdout.flush()
    if people_unknown:
        common.say(records_of.people_notice(list(people_unknown.values())))
    exit_code = report_unanswered(codes, lines, "hits")
    if incomplete:
        common.say(
            f"scholar: {incomplete} of {lines} lines are answered without books that cannot be "
            'read; each has them in "not_searched"; see: scholar doctor'
        )
        return Damaged.exit_code
    return exit_code


def parse_line(line: str) -> ClaimLine:
    """Return the claim of a line: an object of JSON, or the line itself.

    Raises UsageError for an object that is none of {claim, book, n}.
    """
    text = line.strip()
    if not text.startswith("{"):
        return ClaimLine(text)
    try:
        record = parse_json(text)
        claim, books, n = record.pop("claim"), record.pop("book", None), record.pop("n", None)
        named = [books] if isinstance(books, str) else books
        is_sound = (
            isinstance(claim, str)
            and (named is None or all(isinstance(book, str) for book in named))
            and (n is None or (type(n) is int and 1 <= n <= MOST_PASSAGES))
            and not record
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        is_sound = False
    if not is_sound:
        raise UsageError(
            'the line is no claim; write it plainly, or as {"claim": "...", "book": "...", "n": 10}'
        )
    return ClaimLine(claim, None if named is None else tuple(named), n)
