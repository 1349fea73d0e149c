"""The contents of screens, to be exported as files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from scholar_indexes.books.citation.cited_titles import main_title
from scholar_indexes.errors import ScholarError
from scholar_indexes.papers.catalog.stored import csl_item
from scholar_indexes.sanitize import one_line, safe
from scholar_indexes.serialize import characters as characters_serializer
from scholar_indexes.serialize import citations, references
from scholar_indexes.serialize import papers as papers_serializer
from scholar_indexes.serialize.books import book_record, books_to_markdown
from scholar_indexes.serialize.evidence import evidence_record, evidence_to_markdown
from scholar_indexes.serialize.listings import ExportListing
from scholar_indexes.serialize.markdown import escape_markdown
from scholar_indexes.serialize.passages import (
    citation,
    cite_saved_quotation,
    quotation_to_markdown,
    saved_quotation_record,
)
from scholar_indexes.serialize.people import quotation_record
from scholar_indexes.storage.bookmarks import SavedQuotation
from scholar_indexes.types import NO_IMPRINT, Book, Chapter

if TYPE_CHECKING:
    from scholar_indexes.characters.book_cast import BookCast
    from scholar_indexes.characters.quiz.overview import QuizOverview
    from scholar_indexes.characters.quiz.rounds import Round
    from scholar_indexes.library import Library
    from scholar_indexes.papers.catalog.stored import StoredPaper
    from scholar_indexes.papers.paper_results import SimilarPaper
    from scholar_indexes.results import AttributedQuote, CharacterProfile, DescriptionResult
    from scholar_indexes.storage.catalog import StoredBook
    from scholar_indexes.types import Hit
    from scholar_tui.controllers.claim_search import SearchResults
    from scholar_tui.controllers.paper_search import PaperSearch


def bibliography(library: Library, books: Iterable[Book]) -> str:
    """Return books as BibTeX, with translators, editors and year if the library has them."""
    return references.format_bibtex(_book_items(library, books))


def _book_items(library: Library, books: Iterable[Book]) -> list[dict[str, Any]]:
    """Return books as CSL-JSON items, each once."""
    stored_books = _stored_books(library)
    items = []
    for book in {book.id: book for book in books}.values():
        imprint = NO_IMPRINT
        if stored := stored_books.get(book.id):
            with suppress(ScholarError):  # a damaged book must not prevent the export of others
                imprint = library.books.open(stored).imprint
        items.append(citations.book_item(book, imprint))
    return items


def _stored_books(library: Library) -> dict[str, StoredBook]:
    """Return the books of a library by id; none if they cannot be read."""
    try:
        return {stored.book.id: stored for stored in library.books.all()}
    except ScholarError:
        return {}


def _summary(number: int, noun: str, books: Iterable[Book] = ()) -> str:
    """Return a summary with count, books and date: "3 passages from Emma, DATE."."""
    counted = f"{number:,} {noun}{'s' * (number != 1)}"
    titles = dict.fromkeys(one_line(main_title(book.title), 80) for book in books)
    source = f" from {'; '.join(map(escape_markdown, titles))}" if titles else ""
    return f"{counted}{source}, {datetime.now(UTC).astimezone().date().isoformat()}."


def _heading(title: str, summary: str) -> str:
    return f"# {escape_markdown(one_line(title, 400))}\n\n{summary}\n"


def _with_summary(markdown: str, summary: str) -> str:
    """Return a document with a line below its heading, which is its first line."""
    heading, _, rest = markdown.partition("\n")
    return f"{heading}\n\n{summary}\n{rest}"


def export_hits(library: Library, results: SearchResults) -> ExportListing:
    """Return the hits of a search."""
    rows = [evidence_record(rank, hit, explain=True) for rank, hit in enumerate(results.hits, 1)]
    quotes = [evidence_to_markdown(hit.item) for hit in results.hits]
    claim, books = results.query.claim, [hit.item.book for hit in results.hits]
    heading = _heading(claim, _summary(len(rows), "passage", books))
    return ExportListing(
        one_line(claim, 60),
        markdown="\n".join([heading, *quotes]),
        records=rows,
        sources=_book_items(library, books),
    )


def export_saved(
    library: Library, name: str, quotations: Sequence[SavedQuotation]
) -> ExportListing | None:
    """Return saved quotations under a name; None if there are none."""
    if not quotations:
        return None
    stored_books = _stored_books(library)
    books = [
        _book(stored_books, quotation.book_id, quotation.title, quotation.author)
        for quotation in quotations
    ]
    heading = _heading(name, _summary(len(quotations), "passage", books))
    quotes = [
        quotation_to_markdown(
            quotation.quote,
            cite_saved_quotation(quotation),
            quotation.locator,
            quotation.note,
        )
        for quotation in quotations
    ]
    return ExportListing(
        name,
        markdown="\n".join([heading, *quotes]),
        records=[saved_quotation_record(quotation) for quotation in quotations],
        sources=_book_items(library, books),
    )


def _book(stored_books: Mapping[str, StoredBook], book_id: str, title: str, author: str) -> Book:
    """Return a book of the library, or one with the saved title and author if it is gone."""
    stored = stored_books.get(book_id)
    return stored.book if stored else Book(book_id, title, author, "", "", "")


def export_passage(library: Library, book: Book, quotation: SavedQuotation) -> ExportListing:
    """Return one quotation from a book."""
    source = cite_saved_quotation(quotation)
    quote = quotation_to_markdown(quotation.quote, source, quotation.locator)
    return ExportListing(
        f"{book.id}-quotation",
        markdown=f"{_heading(book.title, _summary(1, 'passage', [book]))}\n{quote}",
        records=[saved_quotation_record(quotation)],
        sources=_book_items(library, [book]),
    )


def _file_part(chapter: Chapter) -> str:
    """Return the part of a file name for a chapter: its printed number, or else its section."""
    if not chapter.printed:
        return f"section-{chapter.number}"
    return f"chapter-{chapter.printed.replace(' ', '-')}"


def export_chapter_quotations(
    library: Library,
    book: Book,
    chapter: Chapter,
    chapter_name: str,
    quotes: Sequence[AttributedQuote],
) -> ExportListing:
    """Return the quotations of a chapter with their speakers."""
    return ExportListing(
        f"{book.id}-{_file_part(chapter)}-quotations",
        markdown=_quotations_markdown(f"{book.title}, {chapter_name}", quotes),
        records=[quotation_record(quote) for quote in quotes],
        sources=_book_items(library, [book]),
    )


def export_books(library: Library, stored_books: Sequence[StoredBook]) -> ExportListing:
    """Return books of the library."""
    records = [book_record(stored) for stored in stored_books]
    return ExportListing(
        "shelf",
        markdown=_heading("Books", _summary(len(records), "book"))
        + f"\n{books_to_markdown(stored_books)}",
        records=records,
        sources=_book_items(library, [stored.book for stored in stored_books]),
    )


def export_characters(
    library: Library,
    cast: BookCast,
    profiles: Sequence[CharacterProfile],
    descriptions: Mapping[str, list[DescriptionResult]] | None,
) -> ExportListing:
    """Return characters of a book with their descriptions."""
    book = cast.stored.book
    records = characters_serializer.as_records(cast, profiles, descriptions)
    return ExportListing(
        f"{book.id}-characters",
        markdown=safe(
            _with_summary(
                characters_serializer.as_markdown(cast, profiles, descriptions),
                _summary(len(profiles), "character", [book]),
            )
        ),
        records=records,
        sources=_book_items(library, [book]),
    )


def export_papers(name: str, papers: Sequence[StoredPaper]) -> ExportListing:
    """Return papers under a name."""
    return ExportListing(
        name,
        markdown=_with_summary(
            papers_serializer.papers_markdown(name, papers), _summary(len(papers), "paper")
        ),
        records=[papers_serializer.paper_record(stored) for stored in papers],
        sources=list(map(csl_item, papers)),
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
        markdown=_with_summary(
            papers_serializer.similar_markdown(heading, hits, search.query),
            _summary(len(hits), "paper"),
        ),
        records=records,
        sources=[csl_item(hit.item.stored) for hit in hits],
    )


def export_quiz_round(library: Library, quiz_round: Round, overview: QuizOverview) -> ExportListing:
    """Return the questions of a round with their answers."""
    from scholar_indexes.serialize import quiz as quiz_serializer

    titles = {book_id: overview.title_and_author(book_id) for book_id in quiz_round.book_ids}
    stored_books = _stored_books(library)
    books = [_book(stored_books, book_id, *names) for book_id, names in titles.items()]
    return ExportListing(
        "quiz",
        markdown=_with_summary(
            quiz_serializer.round_to_markdown(quiz_round, titles),
            _summary(len(quiz_round.questions), "question"),
        ),
        records=quiz_serializer.round_to_records(quiz_round),
        sources=_book_items(library, books),
    )


def _quotations_markdown(title: str, quotes: Sequence[AttributedQuote]) -> str:
    from scholar_indexes.books.reading.book_navigator import speaker_of

    lines = [_heading(title, _summary(len(quotes), "quotation"))]
    for quote in quotes:
        character = speaker_of(quote)
        name = character.name if character else "speaker not known"
        source = f"{name}, in {citation(quote.book, quote.chapter)}"
        lines.append(quotation_to_markdown(quote.text, source, quote.locator))
    return "\n".join(lines)
