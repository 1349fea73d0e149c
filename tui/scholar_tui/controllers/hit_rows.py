"""Hits and saved quotations as rows of a list, and the words that explain one of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from textual.content import Content

from scholar_indexes.books.citation.chapter_names import full_name
from scholar_indexes.books.citation.cited_titles import main_title
from scholar_indexes.sanitize import one_line, safe
from scholar_indexes.serialize.evidence import NOTATION, describe_parts, remarks
from scholar_indexes.storage.bookmarks import SavedQuotation
from scholar_indexes.types import Hit
from scholar_tui.widgets.hit_list import SAVED_ELSEWHERE, SAVED_HERE, HitRow
from scholar_tui.widgets.hit_strips import BookStrip

if TYPE_CHECKING:
    from scholar_indexes.results import Evidence, RankerScore

MAX_SHARED_WORDS = 20

APPROVED = "liked"
"""Shown for a passage that the reader approved."""


def rows_of_hits(
    hits: Sequence[Hit[Evidence]],
    saved: Mapping[str, Mapping[str, SavedQuotation]],
    collection: str,
    approved: Collection[str] = (),
) -> list[HitRow]:
    """Return hits as rows; `saved` has the quotations saved from them, by locator and collection,
    `approved` the locators that the reader approved."""
    rows = []
    for rank, hit in enumerate(hits, 1):
        passage = hit.item
        by_collection = saved.get(passage.locator, {})
        quotation = by_collection.get(collection)
        sign = SAVED_HERE if quotation else SAVED_ELSEWHERE if by_collection else ""
        chapter, title = passage.chapter, passage.book.title
        heading = full_name(chapter, title)
        where = citation_line(title, heading, passage.book.author)
        note = quotation.note if quotation else ""
        mark = [APPROVED] if passage.locator in approved else []
        remark = " · ".join([*mark, *remarks(passage)])
        text, around = passage.passage.text, (passage.before, passage.after)
        colour = quotation.colour if quotation else ""
        rows.append(HitRow(rank, text, where, sign, note, remark, *around, colour))
    return rows


def hits_by_book(
    hits: Sequence[Hit[Evidence]], text_of: Callable[[str], str | None]
) -> list[BookStrip]:
    """Return the books of hits with the places of the hits in them; `text_of` returns the text of
    a book by its hash, and a book without a text is omitted."""
    places: dict[str, dict[str, float]] = {}
    titles = {hit.item.book.sha256: one_line(main_title(hit.item.book.title)) for hit in hits}
    for hit in hits:
        if text := text_of(hit.item.book.sha256):
            in_book = places.setdefault(hit.item.book.sha256, {})
            in_book[hit.item.locator] = hit.item.passage.span.start / len(text)
    return [BookStrip(titles[sha256], shares) for sha256, shares in places.items()]


def rows_of_saved(quotations: Sequence[SavedQuotation]) -> list[HitRow]:
    """Return saved quotations as rows."""
    return [row_of_saved(number, quotation) for number, quotation in enumerate(quotations, 1)]


def row_of_saved(number: int, quotation: SavedQuotation) -> HitRow:
    """Return a saved quotation as a row with a number."""
    where = citation_line(quotation.title, quotation.chapter, quotation.author)
    return HitRow(number, quotation.quote, where, note=quotation.note, colour=quotation.colour)


def citation_line(title: str, chapter: str, author: str) -> str:
    """Return the source of a quotation, the most distinctive part first."""
    return ", ".join(one_line(part) for part in (title, chapter, author) if part)


def explain_ranking(
    hit: Hit[Evidence], shared_words: Sequence[str], note: str = "", *, stacked: bool = False
) -> Content:
    """Return the note on a hit, and the reasons for its rank; `stacked` as in _labelled."""
    words = ", ".join(one_line(word, 40) for word in shared_words[:MAX_SHARED_WORDS])
    by_meaning, by_words = rank_label(hit.item.dense), rank_label(hit.item.lexical)
    if stacked:
        lines = [("by meaning", by_meaning), ("by words", by_words)]
    else:
        lines = [("by meaning", f"{by_meaning}  ·  by words {by_words}")]
    lines.append(("in common", words or "no word of the claim"))
    if hit.item.parts:
        lines.append(("counted", describe_parts(hit.item.parts)))
    if hit.item.characters:
        lines.append(("who", ", ".join(one_line(who.name, 40) for who in hit.item.characters)))
    lines.append(("notation", NOTATION))
    if note:
        lines.insert(0, ("note", safe(note)))
    return _labelled(lines, stacked)


def describe_saved(quotation: SavedQuotation, *, stacked: bool = False) -> Content:
    """Return when and for what claim a quotation was saved, and the note on it."""
    lines = [("kept", one_line(quotation.kept).replace("T", " ").removesuffix("Z"))]
    if quotation.colour:
        lines.append(("colour", quotation.colour))
    if quotation.claim:
        lines.append(("for", one_line(quotation.claim, 300)))
    if quotation.note:
        lines.append(("note", safe(quotation.note)))
    return _labelled(lines, stacked)


def rank_label(score: RankerScore | None) -> str:
    """Return the rank and the score that a ranker gave."""
    return f"rank {score.rank} ({score.score:.3f})" if score else "not ranked"


def _labelled(lines: Sequence[tuple[str, str]], stacked: bool) -> Content:
    """Return values after their labels, or `stacked` below them, with a line between."""
    if stacked:
        return Content("\n\n").join(
            Content.assemble((label, "$foreground-muted"), "\n", value) for label, value in lines
        )
    return Content("\n").join(
        Content.assemble((f"{label:<10} ", "$foreground-muted"), value) for label, value in lines
    )
