"""The contents of screens as files: Markdown, JSON and BibTeX."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from scholar_indexes.sanitize import one_line, safe
from scholar_indexes.serialize import characters as characters_serializer
from scholar_indexes.serialize import papers as papers_serializer
from scholar_indexes.serialize import results as serializer
from scholar_indexes.storage.bookmarks import SavedQuotation
from scholar_indexes.types import Book, Chapter
from scholar_tui.screens.mode_screen import ExportListing

if TYPE_CHECKING:
    from scholar_indexes.characters.book_cast import BookCast
    from scholar_indexes.characters.quiz.overview import QuizOverview
    from scholar_indexes.characters.quiz.rounds import Round
    from scholar_indexes.papers.catalog.stored import StoredPaper
    from scholar_indexes.papers.results import SimilarPaper
    from scholar_indexes.results import AttributedQuote, CharacterProfile, DescriptionResult
    from scholar_indexes.storage.catalog import StoredBook
    from scholar_indexes.types import Hit
    from scholar_tui.controllers.claim_search import SearchResults
    from scholar_tui.controllers.paper_search import PaperSearch


def to_json(data: Any) -> str:
    """Return data as JSON text, indented and with a line break at its end."""
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def export_hits(results: SearchResults) -> ExportListing:
    """Return the hits of a search."""
    rows = [
        serializer.evidence_record(rank, hit, explain=True)
        for rank, hit in enumerate(results.hits, 1)
    ]
    quotes = [
        serializer.quotation_to_markdown(row["quote"], row["citation"], row["locator"])
        for row in rows
    ]
    return ExportListing(
        one_line(results.query.claim, 60),
        {
            "md": "\n".join(quotes),
            "json": to_json(rows),
            "bib": serializer.books_to_bibtex(hit.item.book for hit in results.hits),
        },
    )


def export_saved(
    name: str, quotations: Sequence[SavedQuotation], stored_books: Iterable[StoredBook]
) -> ExportListing | None:
    """Return saved quotations under a name; None if there are none."""
    if not quotations:
        return None
    books = {stored.book.id: stored.book for stored in stored_books}
    quotes = [
        serializer.quotation_to_markdown(
            quotation.quote,
            serializer.cite_saved_quotation(quotation),
            quotation.locator,
            quotation.note,
        )
        for quotation in quotations
    ]
    return ExportListing(
        name,
        {
            "md": "\n".join(quotes),
            "json": to_json(
                [serializer.saved_quotation_record(quotation) for quotation in quotations]
            ),
            "bib": serializer.books_to_bibtex(
                books.get(quotation.book_id)
                or Book(quotation.book_id, quotation.title, quotation.author, "", "", "")
                for quotation in quotations
            ),
        },
    )


def export_passage(book: Book, quotation: SavedQuotation) -> ExportListing:
    """Return one quotation from a book."""
    source = serializer.cite_saved_quotation(quotation)
    return ExportListing(
        f"{book.id}-quotation",
        {
            "md": serializer.quotation_to_markdown(quotation.quote, source, quotation.locator),
            "json": to_json([serializer.saved_quotation_record(quotation)]),
            "bib": serializer.books_to_bibtex([book]),
        },
    )


def _file_part(chapter: Chapter) -> str:
    """Return a chapter as the name of a file has it: by its printed number, or else its section."""
    if not chapter.printed:
        return f"section-{chapter.number}"
    return f"chapter-{chapter.printed.replace(' ', '-')}"


def export_chapter_quotations(
    book: Book, chapter: Chapter, chapter_name: str, quotes: Sequence[AttributedQuote]
) -> ExportListing:
    """Return the quotations of a chapter with their speakers."""
    return ExportListing(
        f"{book.id}-{_file_part(chapter)}-quotations",
        {
            "md": _quotations_markdown(f"{book.title}, {chapter_name}", quotes),
            "json": to_json([serializer.quotation_record(quote) for quote in quotes]),
            "bib": serializer.books_to_bibtex([book]),
        },
    )


def export_books(stored_books: Sequence[StoredBook]) -> ExportListing:
    """Return books of the library."""
    records = [serializer.book_record(stored) for stored in stored_books]
    return ExportListing(
        "shelf",
        {
            "md": serializer.books_to_markdown(stored_books),
            "json": safe(to_json(records)[:-1]) + "\n",
            "bib": serializer.books_to_bibtex(stored.book for stored in stored_books),
        },
    )


def export_characters(
    cast: BookCast,
    profiles: Sequence[CharacterProfile],
    descriptions: Mapping[str, list[DescriptionResult]] | None,
) -> ExportListing:
    """Return characters of a book with their descriptions."""
    book = cast.stored.book
    records = characters_serializer.as_records(cast, profiles, descriptions)
    return ExportListing(
        f"{book.id}-characters",
        {
            "md": safe(characters_serializer.as_markdown(cast, profiles, descriptions)),
            "json": safe(to_json(records)[:-1]) + "\n",
            "bib": serializer.books_to_bibtex([book]),
        },
    )


def export_papers(name: str, papers: Sequence[StoredPaper]) -> ExportListing:
    """Return papers under a name."""
    return ExportListing(
        name,
        {
            "md": papers_serializer.papers_markdown(name, papers),
            "json": to_json([papers_serializer.paper_record(stored) for stored in papers]),
            "bib": papers_serializer.format_bibliography(papers),
        },
    )


def export_similar_papers(search: PaperSearch, hits: Sequence[Hit[SimilarPaper]]) -> ExportListing:
    """Return the hits of a search for papers."""
    heading = f"{search.respect}: {search.claim or search.title}"
    records = [
        papers_serializer.similar_record(rank, hit, search.query)
        for rank, hit in enumerate(hits, 1)
    ]
    return ExportListing(
        f"papers {search.respect}",
        {
            "md": papers_serializer.similar_markdown(heading, hits, search.query),
            "json": to_json(records),
            "bib": papers_serializer.format_bibliography(hit.item.stored for hit in hits),
        },
    )


def export_quiz_round(
    quiz_round: Round, overview: QuizOverview, stored_books: Iterable[StoredBook]
) -> ExportListing:
    """Return the questions of a round with their answers."""
    from scholar_indexes.serialize import quiz as quiz_serializer

    titles = {book_id: overview.title_and_author(book_id) for book_id in quiz_round.book_ids}
    books = {stored.book.id: stored.book for stored in stored_books}
    return ExportListing(
        "quiz",
        {
            "md": quiz_serializer.round_to_markdown(quiz_round, titles),
            "json": to_json(quiz_serializer.round_to_records(quiz_round)),
            "bib": serializer.books_to_bibtex(
                books.get(book_id) or Book(book_id, *titles[book_id], "", "", "")
                for book_id in quiz_round.book_ids
            ),
        },
    )


def _quotations_markdown(title: str, quotes: Sequence[AttributedQuote]) -> str:
    from scholar_indexes.books.reading import speaker_of

    lines = [f"# {serializer.escape_markdown(one_line(title))}\n"]
    for quote in quotes:
        character = speaker_of(quote)
        name = character.name if character else "speaker not known"
        source = f"{name}, in {serializer.citation(quote.book, quote.chapter)}"
        lines.append(serializer.quotation_to_markdown(quote.text, source, quote.locator))
    return "\n".join(lines)
