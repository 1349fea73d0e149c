"""The contents of screens, to be exported as files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from scholar_indexes.books.citation.cited_titles import main_title
from scholar_indexes.errors import ScholarError
from scholar_indexes.papers.catalog.stored import csl_item
from scholar_indexes.results import CitationStyle
from scholar_indexes.sanitize import one_line
from scholar_indexes.serialize import character_sheet, citations, conversations, references
from scholar_indexes.serialize import characters as characters_serializer
from scholar_indexes.serialize import papers as papers_serializer
from scholar_indexes.serialize.books import BOOK_COLUMNS, book_record, books_to_markdown
from scholar_indexes.serialize.evidence import evidence_record
from scholar_indexes.serialize.listings import Content, ExportListing
from scholar_indexes.serialize.markdown import escape_markdown
from scholar_indexes.serialize.passages import (
    citation,
    quotation_to_markdown,
    saved_quotation_record,
)
from scholar_indexes.serialize.people import (
    PROFILE_COLUMNS,
    QUOTATION_COLUMNS,
    profile_record,
    quotation_record,
)
from scholar_indexes.serialize.result_formats import (
    CHARACTER_SHEET,
    COLUMNS,
    COMPANY,
    CONVERSATIONS,
    LISTING,
    PAPERS,
    PASSAGES,
    RECORDS,
    REFERENCES,
    SPEAKERS,
    WORKSHEET,
    Kind,
)
from scholar_indexes.types import NO_IMPRINT, Book, Chapter
from scholar_tui.controllers.saved_quotations import quotation_from_hit

if TYPE_CHECKING:
    from scholar_indexes.books.reading.book_navigator import BookNavigator
    from scholar_indexes.characters.book_cast import BookCast
    from scholar_indexes.characters.quiz.overview import QuizOverview
    from scholar_indexes.characters.quiz.rounds import Round
    from scholar_indexes.library import Library
    from scholar_indexes.papers.catalog.stored import StoredPaper
    from scholar_indexes.papers.paper_results import SimilarPaper
    from scholar_indexes.results import AttributedQuote, CharacterProfile, DescriptionResult
    from scholar_indexes.serialize.worksheets import Worksheet, WorksheetPart
    from scholar_indexes.storage.bookmarks import SavedQuotation
    from scholar_indexes.storage.catalog import StoredBook
    from scholar_indexes.types import Hit
    from scholar_tui.controllers.claim_search import SearchResults
    from scholar_tui.controllers.paper_search import PaperSearch

Records = Sequence[dict[str, Any]]
Contents = dict[Kind[Any], Content]

BOOKS = "The books, for a bibliography"
MOST_ON_SHEET = 30
"""The most characters on a sheet, as `scholar characters --sheet` has by default."""


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
    return f"{counted}{source}, {_today()}."


def _heading(title: str, summary: str) -> str:
    return f"# {escape_markdown(one_line(title, 400))}\n\n{summary}\n"


def _markdown(text: str) -> Content:
    return lambda style, limit: (text,)


def _records(records: Records) -> Content:
    return lambda style, limit: (records[:limit],)


def _columns(records: Records, columns: Sequence[str]) -> Content:
    return lambda style, limit: (records[:limit], columns, True)


def _references(library: Library, books: Iterable[Book]) -> ExportListing:
    """Return books as entries for reference managers."""
    listed = list({book.id: book for book in books}.values())
    name = listed[0].id if len(listed) == 1 else "books"
    content = lambda style, limit: (_book_items(library, listed[:limit]),)  # noqa: E731
    return ExportListing(BOOKS, name, len(listed), {REFERENCES: content})


def _passages(library: Library, title: str, quotations: Sequence[SavedQuotation]) -> Content:
    """Return quotations with their citations and notes, under a title."""

    def content(style: CitationStyle, limit: int | None) -> tuple[Any, ...]:
        from scholar_indexes.serialize.exports import Export

        placed = list(library.collections.place(quotations[:limit]))
        return (Export(title, placed, style, _today()),)

    return content


def _today() -> str:
    return datetime.now(UTC).astimezone().date().isoformat()


def _with_summary(markdown: str, summary: str) -> str:
    """Return a document with a line below its heading, which is its first line."""
    heading, _, rest = markdown.partition("\n")
    return f"{heading}\n\n{summary}\n{rest}"


def export_hits(library: Library, results: SearchResults) -> list[ExportListing]:
    """Return the hits of a search."""
    claim = results.query.claim
    records = [evidence_record(rank, hit, explain=True) for rank, hit in enumerate(results.hits, 1)]
    quotations = [quotation_from_hit(hit.item, claim, "") for hit in results.hits]
    contents: Contents = {
        RECORDS: _records(records),
        PASSAGES: _passages(library, claim, quotations),
    }
    return [
        ExportListing("Passages", one_line(claim, 60), len(records), contents),
        _references(library, [hit.item.book for hit in results.hits]),
    ]


def export_saved(
    library: Library, heading: str, name: str, quotations: Sequence[SavedQuotation]
) -> list[ExportListing]:
    """Return saved quotations under a name; nothing if there are none."""
    if not quotations:
        return []
    stored_books = _stored_books(library)
    books = [
        _book(stored_books, quotation.book_id, quotation.title, quotation.author)
        for quotation in quotations
    ]
    records = list(map(saved_quotation_record, quotations))
    contents: Contents = {
        PASSAGES: _passages(library, name, quotations),
        RECORDS: _records(records),
    }
    return [ExportListing(heading, name, len(records), contents), _references(library, books)]


def _book(stored_books: Mapping[str, StoredBook], book_id: str, title: str, author: str) -> Book:
    """Return a book of the library, or one with the saved title and author if it is gone."""
    stored = stored_books.get(book_id)
    return stored.book if stored else Book(book_id, title, author, "", "", "")


def export_passage(library: Library, book: Book, quotation: SavedQuotation) -> ExportListing:
    """Return one quotation from a book."""
    content = _passages(library, one_line(book.title, 400), [quotation])
    return ExportListing("This passage", f"{book.id}-quotation", 1, {PASSAGES: content})


def export_chapter_quotations(
    book: Book, chapter: Chapter, chapter_name: str, quotes: Sequence[AttributedQuote]
) -> ExportListing:
    """Return the quotations of a chapter with their speakers."""
    records = list(map(quotation_record, quotes))
    return ExportListing(
        "The quotations of this chapter",
        f"{book.id}-{_file_part(chapter)}-quotations",
        len(quotes),
        {
            LISTING: _markdown(_quotations_markdown(f"{book.title}, {chapter_name}", quotes)),
            RECORDS: _records(records),
            COLUMNS: _columns(list(map(conversations.flat_record, records)), QUOTATION_COLUMNS),
        },
    )


def _file_part(chapter: Chapter) -> str:
    """Return the part of a file name for a chapter: its printed number, or else its section."""
    if not chapter.printed:
        return f"section-{chapter.number}"
    return f"chapter-{chapter.printed.replace(' ', '-')}"


def export_text(
    library: Library, reading: BookNavigator, quotes: Sequence[AttributedQuote]
) -> list[ExportListing]:
    """Return the text of a book with its speakers, if they are known, and the book itself."""
    whole = (reading.book, reading.text, reading.chapters, quotes)
    text = ExportListing(
        "The book with its speakers", reading.book.id, 1, {SPEAKERS: lambda style, limit: whole}
    )
    return [*([text] if quotes else []), _references(library, [reading.book])]


def export_books(library: Library, stored_books: Sequence[StoredBook]) -> list[ExportListing]:
    """Return books of the library."""
    records = list(map(book_record, stored_books))
    heading = _heading("Books", _summary(len(records), "book"))
    shelf = ExportListing(
        "The books, as a list",
        "shelf",
        len(records),
        {
            LISTING: _markdown(f"{heading}\n{books_to_markdown(stored_books)}"),
            RECORDS: _records(records),
            COLUMNS: _columns(records, BOOK_COLUMNS),
        },
    )
    return [shelf, _references(library, [stored.book for stored in stored_books])]


def export_characters(
    library: Library,
    cast: BookCast,
    profiles: Sequence[CharacterProfile],
    descriptions: Mapping[str, list[DescriptionResult]] | None,
) -> list[ExportListing]:
    """Return characters of a book with their descriptions, who speaks with whom, and the sheet of
    the main characters if the descriptions are known."""
    book = cast.stored.book
    listed = characters_serializer.as_markdown(cast, profiles, descriptions)
    summary = _summary(len(profiles), "character", [book])
    characters = ExportListing(
        "The characters listed here",
        f"{book.id}-characters",
        len(profiles),
        {
            LISTING: _markdown(_with_summary(listed, summary)),
            RECORDS: _records(characters_serializer.as_records(cast, profiles, descriptions)),
            COLUMNS: _columns(list(map(profile_record, profiles)), PROFILE_COLUMNS),
        },
    )
    listings = [characters]
    if cast.exchanges:
        listings.append(_export_conversations(cast))
    if cast.company:
        together: Contents = {COMPANY: lambda style, limit: (cast,)}
        listings.append(
            ExportListing("Who is together", f"{book.id}-company", len(cast.company), together)
        )
    if descriptions is not None:
        sheet = character_sheet.make_sheet(cast, descriptions, MOST_ON_SHEET)
        contents: Contents = {CHARACTER_SHEET: lambda style, limit: (sheet,)}
        listings.append(
            ExportListing("The sheet of the main characters", f"{book.id}-sheet", 1, contents)
        )
    return [*listings, _references(library, [book])]


def _export_conversations(cast: BookCast) -> ExportListing:
    records = conversations.exchange_records(cast)
    columns = (*conversations.EXCHANGE_COLUMNS, *conversations.EXCHANGE_ID_COLUMNS)
    return ExportListing(
        "Who speaks with whom",
        f"{cast.stored.book.id}-conversations",
        len(records),
        {
            CONVERSATIONS: lambda style, limit: (cast,),
            RECORDS: _records(records),
            COLUMNS: _columns(list(map(conversations.flat_record, records)), columns),
        },
    )


def export_papers(name: str, papers: Sequence[StoredPaper]) -> list[ExportListing]:
    """Return papers under a name."""
    summary = _summary(len(papers), "paper")
    rows = list(map(papers_serializer.paper_row, papers))
    listed = ExportListing(
        "Papers",
        name,
        len(papers),
        {
            LISTING: _markdown(
                _with_summary(papers_serializer.papers_markdown(name, papers), summary)
            ),
            RECORDS: _records(list(map(papers_serializer.paper_record, papers))),
            COLUMNS: _columns(rows, papers_serializer.PAPER_COLUMNS),
        },
    )
    return [listed, _bibliography_of_papers(name, papers)]


def _bibliography_of_papers(name: str, papers: Sequence[StoredPaper]) -> ExportListing:
    content = lambda style, limit: (list(map(csl_item, papers[:limit])),)  # noqa: E731
    return ExportListing("The papers, for a bibliography", name, len(papers), {PAPERS: content})


def export_similar_papers(
    search: PaperSearch, hits: Sequence[Hit[SimilarPaper]]
) -> list[ExportListing]:
    """Return the hits of a search for papers."""
    heading, name = f"{search.respect}: {search.claim or search.title}", f"papers {search.respect}"
    records = [
        papers_serializer.similar_record(rank, hit, search.query)
        for rank, hit in enumerate(hits, 1)
    ]
    markdown = papers_serializer.similar_markdown(heading, hits, search.query)
    rows = list(map(papers_serializer.similar_row, records))
    listing = ExportListing(
        "Similar papers",
        name,
        len(hits),
        {
            LISTING: _markdown(_with_summary(markdown, _summary(len(hits), "paper"))),
            RECORDS: _records(records),
            COLUMNS: _columns(rows, papers_serializer.SIMILAR_COLUMNS),
        },
    )
    return [listing, _bibliography_of_papers(name, [hit.item.stored for hit in hits])]


def export_quiz_round(
    library: Library, quiz_round: Round, overview: QuizOverview
) -> list[ExportListing]:
    """Return the questions of a round with their answers, and as worksheets if a seed draws them
    from one book."""
    from scholar_indexes.serialize import quiz as quiz_serializer
    from scholar_indexes.serialize.worksheets import Worksheet, WorksheetPart

    titles = {book_id: overview.title_and_author(book_id) for book_id in quiz_round.book_ids}
    stored_books = _stored_books(library)
    books = [_book(stored_books, book_id, *names) for book_id, names in titles.items()]
    markdown = quiz_serializer.round_to_markdown(quiz_round, titles)
    entries = len(quiz_round.questions)
    summary = _summary(entries, "question")
    contents: Contents = {
        LISTING: _markdown(_with_summary(markdown, summary)),
        RECORDS: _records(quiz_serializer.round_to_records(quiz_round)),
    }
    listings = [ExportListing("The questions and your answers", "quiz", entries, contents)]
    if len(titles) == 1 and quiz_round.seed is not None:
        title, author = next(iter(titles.values()))
        sheet = Worksheet(title, author, quiz_round.seed, tuple(quiz_round.questions))
        for heading, name, part in (
            ("A worksheet for a class", "worksheet", WorksheetPart.QUESTIONS),
            ("A worksheet with its answers", "worksheet-answers", WorksheetPart.BOTH),
        ):
            contents = {WORKSHEET: partial(_worksheet, sheet, part)}
            listings.append(ExportListing(heading, name, 1, contents))
    return [*listings, _references(library, books)]


def _worksheet(
    sheet: Worksheet, part: WorksheetPart, style: CitationStyle, limit: int | None
) -> tuple[Any, ...]:
    return sheet, part


def _quotations_markdown(title: str, quotes: Sequence[AttributedQuote]) -> str:
    from scholar_indexes.books.reading.book_navigator import speaker_of

    lines = [_heading(title, _summary(len(quotes), "quotation"))]
    for quote in quotes:
        character = speaker_of(quote)
        name = character.name if character else "speaker not known"
        source = f"{name}, in {citation(quote.book, quote.chapter)}"
        lines.append(quotation_to_markdown(quote.text, source, quote.locator))
    return "\n".join(lines)
