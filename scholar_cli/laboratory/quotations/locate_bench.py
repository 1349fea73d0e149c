"""Cut quotations from the books of a library, damage them, and locate them again.

A quotation is five to forty words in a row of one paragraph. It is found if one of the results that
are as similar as the first overlaps the span it was cut from, and exactly if the spans are equal.
Quotations of books that are not searched should not be found at all.
"""

from __future__ import annotations

import hashlib
import random
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from scholar_cli.laboratory import metrics
from scholar_cli.laboratory.quotations.damage import WAYS
from scholar_cli.laboratory.report import Report, commit
from scholar_indexes.errors import NotThere
from scholar_indexes.library import Library
from scholar_indexes.results import LocatedQuotation
from scholar_indexes.storage.catalog import StoredBook
from scholar_indexes.types import Progress, Span, silent

SHORTEST, LONGEST = 5, 40
"""Words of a quotation."""

FOREIGN = "of other books"
"""The split of quotations from books that are not searched."""

TRIES = 20_000
"""The maximum number of draws from a book for a quotation that can be damaged in some way."""

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class CutQuotation:
    """A quotation as it is searched for, the way in which it was damaged, its book and its span."""

    text: str
    split: str
    book_id: str
    span: Span


@dataclass(frozen=True, slots=True)
class CutQuotations:
    """Quotations to locate, and the ids of the books to search."""

    books: tuple[str, ...]
    quotations: tuple[CutQuotation, ...]


def draw(library: Library, count: int, books: int, seed: int) -> CutQuotations:
    """Return `count` quotations of the given number of books of a library, and as many of its other
    books; the same for the same seed and library.

    Raises NotThere for a library with too few books.
    """
    shelf = sorted(library.books.all(), key=lambda stored: stored.book.id)
    if len(shelf) < books:
        raise NotThere(f"the library has {len(shelf)} books; add more, or ask for fewer: --books")
    rng = random.Random(seed)
    asked = rng.sample(shelf, books)
    others = [stored for stored in shelf if stored not in asked]
    quotations: list[CutQuotation] = []
    ways = list(WAYS)
    for number, stored in enumerate(asked):
        wanted = [ways[at % len(ways)] for at in range(number, count, books)]
        quotations += _cut(library, stored, wanted, rng)
    for number, stored in enumerate(others):
        wanted = [FOREIGN for _ in range(number, count, len(others))]
        quotations += _cut(library, stored, wanted, rng)
    return CutQuotations(tuple(stored.book.id for stored in asked), tuple(quotations))


def _cut(
    library: Library, stored: StoredBook, wanted: Sequence[str], rng: random.Random
) -> Iterator[CutQuotation]:
    """Yield quotations of a book; raises NotThere for a book that has none."""
    text = library.books.open(stored).text
    paragraphs = [
        paragraph
        for paragraphs in library.books.open(stored).paragraphs[1:]
        for paragraph in paragraphs
        if paragraph.end - paragraph.start > 60
    ]
    words = _WORD.findall(text)
    for split in wanted:
        for _ in range(TRIES):
            span = _draw_span(text, rng.choice(paragraphs), rng) if paragraphs else None
            way = WAYS.get(split)
            if span is None:
                continue
            quotation = " ".join(span.of(text).split())
            damaged = way(quotation, rng, words) if way else quotation
            if damaged is not None:
                yield CutQuotation(damaged, split, stored.book.id, span)
                break
        else:
            raise NotThere(
                f"{stored.book.title} has no quotation for {split!r}; remove it from the library, "
                "or draw with another --seed"
            )


def _draw_span(text: str, paragraph: Span, rng: random.Random) -> Span | None:
    """Return the span of a random run of words of a paragraph; None if it is too short."""
    matches = list(_WORD.finditer(text, paragraph.start, paragraph.end))
    size = rng.randint(SHORTEST, LONGEST)
    if len(matches) < size:
        return None
    first = rng.randrange(len(matches) - size + 1)
    return Span(matches[first].start(), matches[first + size - 1].end())


def run(library: Library, cut: CutQuotations, progress: Progress = silent) -> list[Report]:
    """Return a report for each way of damage, and one for the quotations of other books."""
    start = time.perf_counter()
    located = library.locate(
        [quotation.text for quotation in cut.quotations], books=cut.books, progress=progress
    )
    seconds = time.perf_counter() - start
    rows: dict[str, list[dict[str, float]]] = {}
    for quotation, places in zip(cut.quotations, located, strict=True):
        rows.setdefault(quotation.split, []).append(_judge(quotation, places))
    digest = hashlib.sha256(repr(cut).encode()).hexdigest()
    reports = []
    for split, judged in rows.items():
        share = seconds * len(judged) / len(cut.quotations)
        reports.append(
            Report(
                "locate",
                split,
                "locate",
                metrics.average(judged),
                len(judged),
                share,
                "",
                digest,
                commit(),
                metrics.columns(judged),
            )
        )
    return reports


def _judge(quotation: CutQuotation, places: Sequence[LocatedQuotation]) -> dict[str, float]:
    """Return 1 for a quotation that is found, and 1 if its span is exact; for a quotation of
    another book, 1 if it is found anywhere."""
    if quotation.split == FOREIGN:
        return {"located": float(bool(places))}
    best = [
        place
        for place in places
        if place.similarity == places[0].similarity
        and place.book.id == quotation.book_id
        and place.span.start < quotation.span.end
        and place.span.end > quotation.span.start
    ]
    return {
        "recall": float(bool(best)),
        "exact span": float(any(place.span == quotation.span for place in best)),
    }
