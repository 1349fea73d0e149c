"""Entries for catalogues of papers, and how to add and list them."""

from __future__ import annotations

from typing import Any

from scholar_indexes.papers import ids
from scholar_indexes.papers.catalog.store import PaperCatalog
from scholar_indexes.papers.catalog.stored import EntryOutcomeKind
from scholar_indexes.papers.entry import Entry

SPACE = "tiny_0123"
TEXT = ("Tides are hard to foretell.", "We count the barnacles.", "They were late.")


def entry(
    title: str = "Counting barnacles by moonlight",
    *names: str,
    year: int | None = 2019,
    author: str = "Ada Byrne",
    text: tuple[str, ...] = TEXT,
    **csl: Any,
) -> Entry:
    given, _, family = author.rpartition(" ")
    item: dict[str, Any] = {"id": "x", "type": "article-journal", "title": title, **csl}
    if author:
        item["author"] = [{"family": family, "given": given}]
    if year:
        item["issued"] = {"date-parts": [[year]]}
    return Entry(
        item, names or (ids.title_id(title),), tuple((sentence, None) for sentence in text)
    )


def many(count: int, first: int = 0, year: int = 2000) -> list[Entry]:
    return [
        entry(f"The barnacles of island {at}", f"doi:10.5555/{at}", year=year + at % 10)
        for at in range(first, first + count)
    ]


def put(
    papers: PaperCatalog, *entries: Entry, collection: str = "papers"
) -> list[tuple[int, EntryOutcomeKind]]:
    """Add entries and list them; return the number of each paper, and the outcome of its entry."""
    added = papers.add(entries, collection)
    papers.mark_indexed(SPACE, added.revision)
    return [(outcome.number, outcome.kind) for outcome in added.outcomes]


def numbers(papers: PaperCatalog, *args: Any, **more: Any) -> list[int]:
    return [paper.number for paper in papers.papers(*args, **more)]


LONG = "Counting barnacles by moonlight"
