"""Serializers of results: records for JSON and tables, Markdown, citations and BibTeX.

Every front end uses them. Text is as stored unless a field is one line; the front end sanitizes
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from scholar_indexes.books.citation import locators
from scholar_indexes.books.citation.chapter_names import chapter_name
from scholar_indexes.books.citation.cited_titles import main_title
from scholar_indexes.books.citation.contributors import natural_names
from scholar_indexes.emphasis import styled_line, styled_passage
from scholar_indexes.sanitize import one_line, visible, visible_line
from scholar_indexes.serialize.markdown import escape_markdown, markdown_line, markdown_quotation

if TYPE_CHECKING:
    from scholar_indexes.books.adding.adding_many import CatalogAddition
    from scholar_indexes.books.gutenberg.gutenberg_catalog import CatalogEntry
    from scholar_indexes.models.registry import ModelFiles
    from scholar_indexes.results import (
        AddedBook,
        AttributedQuote,
        BackupSummary,
        CharacterProfile,
        CitedPassage,
        CorrectionStatus,
        DescriptionResult,
        Evidence,
        Extract,
        FoundEvidence,
        LikelyCharacter,
        RankerScore,
        UnreadBook,
    )
    from scholar_indexes.retrieval.index_service import IndexState
    from scholar_indexes.storage.bookmarks import SavedQuotation
    from scholar_indexes.storage.catalog import StoredBook
    from scholar_indexes.types import Book, Chapter, Character, Hit

SELECTOR_CHARS = 40
"""The number of characters around a quotation that its W3C selector contains."""


def unread_record(unread: UnreadBook) -> dict[str, Any]:
    """Return a book that could not be read as a record."""
    return {"id": unread.book.id, "title": unread.book.title, "reason": one_line(unread.reason)}


def mark_incomplete(
    records: Iterable[dict[str, Any]], not_searched: Sequence[UnreadBook]
) -> list[dict[str, Any]]:
    """Return the records of an answer; if books could not be read, each record lists them."""
    if not not_searched:
        return list(records)
    books = list(map(unread_record, not_searched))
    return [{**record, "not_searched": books} for record in records]


def mark_people_unknown(
    records: Iterable[dict[str, Any]], books: Sequence[Book]
) -> list[dict[str, Any]]:
    """Return the records of an answer; if the people in the sentences of books are not known, each
    record lists these books."""
    if not books:
        return list(records)
    references = list(map(book_reference, books))
    return [{**record, "people_unknown": references} for record in records]


def people_notice(books: Sequence[Book]) -> str:
    """Return the line that reports in which books names are matched as words, with the command that
    finds their people."""
    others = len(books) - 1
    more = f" and {others} other book{'s' * (others > 1)}" if others else ""
    chosen = f" -b {books[0].id}" if not others else ""
    return (
        f"who is in each sentence of {books[0].title}{more} is not known yet, so names are matched "
        f"as words there; to match people, run: scholar index people{chosen}"
    )


def people_failure(book: Book, reason: str) -> str:
    """Return the line that reports why the people of a book were not found, and how to try
    again."""
    return (
        f"could not find who is in each sentence of {book.title}: {reason}; names are matched as "
        f"words there; to try again, run: scholar index people -b {book.id}"
    )


def evidence_record(rank: int, hit: Hit[Evidence], *, explain: bool = False) -> dict[str, Any]:
    """Return a hit as a record: quote is one line, selector.exact is the stored text."""
    evidence = hit.item
    record = {
        "schema_version": 1,
        "rank": rank,
        "score": round(hit.score, 6),
        "quote": visible_line(evidence.passage.text),
        "before": visible_line(evidence.before),
        "after": visible_line(evidence.after),
        "book": book_reference(evidence.book),
        "chapter": chapter_reference(evidence.chapter),
        "paragraph": evidence.passage.paragraph,
        "start": evidence.passage.span.start,
        "end": evidence.passage.span.end,
        "focus": {"start": evidence.focus.start, "end": evidence.focus.end},
        "locator": evidence.locator,
        "nearby": list(evidence.nearby),
        "selector": {
            "type": "TextQuoteSelector",
            "exact": visible(evidence.passage.text),
            "prefix": visible(evidence.before[-SELECTOR_CHARS:]),
            "suffix": visible(evidence.after[:SELECTOR_CHARS]),
        },
        "citation": citation(evidence.book, evidence.chapter),
        "match": evidence.match and str(evidence.match),
        "support": evidence.support and round(evidence.support.probability, 3),
        "weak": evidence.support and evidence.support.is_weak,
        "read_by": evidence.read_by,
        "characters": _character_references(evidence.characters),
        "meant": [
            {"phrase": one_line(phrase), **reference}
            for phrase, character in evidence.meant
            for reference in _character_references([character]) or ()
        ],
    }
    if explain:
        record["explain"] = {
            "dense": _ranker_score(evidence.dense),
            "lexical": _ranker_score(evidence.lexical),
            "parts": evidence.parts
            and {name: round(value, 3) for name, value in evidence.parts.items()},
        }
    return record


def evidence_records(hits: FoundEvidence, *, explain: bool = False) -> list[dict[str, Any]]:
    """Return hits as records, best first."""
    records = (evidence_record(rank, hit, explain=explain) for rank, hit in enumerate(hits, 1))
    return mark_people_unknown(mark_incomplete(records, hits.not_searched), hits.people_unknown)


def are_weak(hits: Sequence[Hit[Evidence]]) -> bool:
    """Return True if there are hits and none of them clearly supports its claim."""
    supports = [hit.item.support for hit in hits]
    return bool(hits) and all(support is not None and support.is_weak for support in supports)


def remarks(evidence: Evidence) -> list[str]:
    """Return short remarks on a hit: "verbatim", "+2 nearby"."""
    remarks = [str(evidence.match)] if evidence.match else []
    if evidence.nearby:
        remarks.append(f"+{len(evidence.nearby)} nearby")
    return remarks


NOTATION = "+ above, - below the mean passage; cosine by meaning, BM25 by words"
"""The legend for the figures of an explanation, in one line of a terminal."""


def describe_parts(parts: Mapping[str, float]) -> str:
    """Return the parts of a score in words, the strongest first: "people +1.2, words -0.3"."""
    strongest = sorted(parts.items(), key=lambda part: -abs(part[1]))
    counted = (f"{name} {value:+.1f}" for name, value in strongest if abs(value) >= 0.05)
    return ", ".join(counted) or "nothing by itself"


def _character_references(
    characters: Iterable[Character] | None,
) -> list[dict[str, str]] | None:
    """Return the characters in a passage as records; None if they are not known."""
    if characters is None:
        return None
    return [{"id": character.id, "name": one_line(character.name)} for character in characters]


def extract_record(extract: Extract) -> dict[str, Any]:
    """Return the paragraphs at a locator as a record; exact is the marked text as stored."""
    return {
        "schema_version": 1,
        "locator": extract.locator,
        "book": book_reference(extract.book),
        "chapter": chapter_reference(extract.chapter),
        "start": extract.marked.start,
        "end": extract.marked.end,
        "exact": visible(extract.marked.of(extract.text)).strip(),
        "paragraphs": paragraph_records(extract),
    }


def paragraph_records(extract: Extract) -> list[dict[str, Any]]:
    """Return the paragraphs of an extract as records."""
    return [
        {
            "locator": f"{extract.book.id}:{extract.chapter.number}.{number}",
            "start": span.start,
            "end": span.end,
            "text": visible(span.of(extract.text)),
            "break_before": visible_line(extract.break_before(span)) or None,
        }
        for number, span in extract.paragraphs
    ]


def quotation_record(quote: AttributedQuote) -> dict[str, Any]:
    """Return a quotation with its speaker as a record; quote is one line."""
    attribution = quote.attribution
    speaker, evidence = attribution.speaker, attribution.evidence
    return {
        "schema_version": 1,
        "speaker": speaker and {"id": speaker.id, "name": speaker.name},
        "confidence": round(attribution.confidence, 4),
        "kind": str(attribution.kind),
        "cue": visible_line(quote.cue),
        "quote": visible_line(quote.text),
        "book": book_reference(quote.book),
        "chapter": chapter_reference(quote.chapter),
        "paragraph": quote.paragraph,
        "start": quote.quotation.span.start,
        "end": quote.quotation.span.end,
        "pieces": [[piece.start, piece.end] for piece in quote.quotation.pieces],
        "evidence": evidence and [evidence.start, evidence.end],
        "locator": quote.locator,
        "form": str(attribution.form),
    }


def profile_record(profile: CharacterProfile) -> dict[str, Any]:
    """Return a character with its counts as a record."""
    character = profile.character
    return {
        "schema_version": 1,
        **_character_reference(character),
        "narrator": character.narrator,
        "narrates": list(profile.narrates),
        "quotations": profile.quotations,
        "mentions": profile.mentions,
        "first": profile.first,
    }


def correction_record(status: CorrectionStatus) -> dict[str, Any]:
    """Return a correction as a record; `applied` is False if `problem` says why not."""
    return {
        "schema_version": 1,
        "number": status.number,
        "kind": status.kind,
        "correction": status.text,
        "applied": not status.problem,
        "problem": status.problem,
        "note": status.note,
    }


def likely_character_record(
    rank: int, hit: Hit[LikelyCharacter], *, explain: bool = False
) -> dict[str, Any]:
    """Return a character that a description may mean as a record; each quote is one line."""
    likely = hit.item
    record = {
        "schema_version": 1,
        "rank": rank,
        "probability": round(hit.score, 4),
        **_character_reference(likely.character),
        "book": book_reference(likely.book),
        "passages": [
            {
                "quote": visible_line(cited.text),
                **_position(cited),
                "locator": cited.locator,
                "citation": citation(likely.book, cited.chapter),
            }
            for cited in likely.passages
        ],
    }
    if explain:
        record["explain"] = [
            {"why": reason.why, "weight": round(reason.weight, 3)} for reason in likely.reasons
        ]
    return record


def description_record(description: DescriptionResult) -> dict[str, Any]:
    """Return a description of a character as a record; each quote is one line."""
    return {
        "schema_version": 1,
        "character": _character_reference(description.character),
        "kind": description.kind,
        "text": one_line(description.text),
        "automatic": description.automatic,
        "book": book_reference(description.book),
        "passages": [
            {
                "quote": visible_line(cited.text),
                "locator": cited.locator,
                **_position(cited),
                "citation": citation(description.book, cited.chapter),
            }
            for cited in description.passages
        ],
    }


def saved_quotation_record(saved: SavedQuotation) -> dict[str, Any]:
    """Return a saved quotation as a record; its chapter title includes the headings above."""
    return {
        "schema_version": 1,
        "collection": saved.collection,
        "quote": visible_line(saved.quote),
        "book": {"id": saved.book_id, "title": saved.title, "author": saved.author},
        "chapter": {"number": locators.parse(saved.locator).chapter, "title": saved.chapter},
        "locator": saved.locator,
        "claim": saved.claim,
        "note": saved.note,
        "kept": saved.kept,
        "citation": cite_saved_quotation(saved),
    }


def book_record(stored: StoredBook) -> dict[str, Any]:
    """Return a book of the library as a record."""
    return {
        **_book_fields(stored.book),
        "added": stored.added,
        "characters": stored.characters,
        "chapters": stored.chapters,
        "sentences": stored.sentences,
    }


def chapter_records(book: Book, chapters: Iterable[Chapter]) -> list[dict[str, Any]]:
    """Return the chapters of a book as records, without the front matter."""
    return [
        {
            "locator": f"{book.id}:{chapter.number}",
            "part": list(chapter.part),
            "title": chapter.title,
            "printed": chapter.printed,
            "kind": str(chapter.kind),
            "start": chapter.span.start,
            "end": chapter.span.end,
        }
        for chapter in chapters
        if chapter.number
    ]


def added_book_record(added: AddedBook) -> dict[str, Any]:
    """Return the outcome of adding a book as a record, with the pages of an EPUB."""
    record = {
        **_book_fields(added.book),
        "outcome": str(added.outcome),
        "chapters": added.chapters,
        "sentences": added.sentences,
    }
    if added.pages:
        record["pages"] = len(added.pages)
        record["not_read"] = {page.name: page.remark for page in added.pages if page.is_lost}
    return record


def catalog_addition_record(addition: CatalogAddition) -> dict[str, Any]:
    """Return the outcome for an entry of Gutenberg's catalogue as a record."""
    entry = catalog_entry_record(addition.entry)
    return {
        "schema_version": 1,
        **entry,
        "id": f"pg{addition.entry.gutenberg_id}",
        "outcome": str(addition.outcome),
        "reason": addition.reason,
    }


def backup_record(summary: BackupSummary) -> dict[str, Any]:
    """Return the summary of a backup as a record."""
    return {"schema_version": 1, **asdict(summary)}


def index_record(state: IndexState) -> dict[str, Any]:
    """Return the state of the index as a record."""
    return {
        "model": state.model,
        "table": state.table.name,
        "books": state.books,
        "sentences": state.table.rows,
        "megabytes": round(state.table.size_bytes / 1e6, 1),
        "not_in_the_index": [book.id for book in state.missing],
        "indexes": [
            f"{column} ({behind:,} sentences not indexed yet)" if behind else column
            for column, behind in state.table.unindexed.items()
            if behind is not None
        ],
        "tables_of_other_models": list(state.other_tables),
        "left_by_interrupted_commands": state.unfinished,
    }


def catalog_entry_record(entry: CatalogEntry) -> dict[str, Any]:
    """Return an entry of Gutenberg's catalogue as a record."""
    from scholar_indexes.books.gutenberg.gutenberg_catalog import display_author

    return {
        "id": entry.gutenberg_id,
        "title": entry.title,
        "author": display_author(entry.authors),
        "language": entry.language,
        "issued": entry.issued,
        "subjects": list(entry.subjects),
    }


def model_record(model: ModelFiles, in_use: str) -> dict[str, Any]:
    """Return a model on this machine as a record; `in_use` is its current use, or empty."""
    return {
        "name": model.name,
        "origin": model.origin,
        "dimensions": model.dimensions,
        "megabytes": round(model.size_bytes / 1e6, 1),
        "in_use": in_use,
        "licence": model.licence,
        "use": model.use,
        "weights_sha256": model.weights_sha256,
        "folder": str(model.folder),
    }


def _book_fields(book: Book) -> dict[str, Any]:
    return {
        **book_reference(book),
        "language": book.language,
        "source": book.source,
        "sha256": book.sha256,
    }


def book_reference(book: Book) -> dict[str, Any]:
    """Return id, title and author of a book as a part of a record."""
    return {"id": book.id, "title": book.title, "author": book.author}


def chapter_reference(chapter: Chapter) -> dict[str, Any]:
    """Return the number and the headings of a chapter as a part of a record."""
    return {
        "number": chapter.number,
        "title": chapter.title,
        "part": list(chapter.part),
        "printed": chapter.printed,
    }


def place_columns(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the book and the chapter of a record as columns of CSV: the book's id, and the number
    and the headings of the chapter, which are empty for a record of a whole book."""
    chapter = record.get("chapter") or {}
    return {
        "book": record["book"]["id"],
        "chapter": chapter.get("number"),
        "chapter_title": chapter.get("title"),
        "chapter_printed": chapter.get("printed"),
    }


def _character_reference(character: Character) -> dict[str, Any]:
    return {
        "id": character.id,
        "name": character.name,
        "aliases": list(character.aliases),
        "gender": str(character.gender),
    }


def _position(cited: CitedPassage) -> dict[str, Any]:
    return {
        "chapter": chapter_reference(cited.chapter),
        "paragraph": cited.paragraph,
        "start": cited.span.start,
        "end": cited.span.end,
    }


def books_to_markdown(books: Iterable[StoredBook]) -> str:
    """Return a Markdown table of books."""
    lines = ["| Title | Author | Id | Chapters | Sentences |", "|---|---|---|---:|---:|"]
    for stored in books:
        book = stored.book
        title, author = (escape_markdown(one_line(text)) for text in (book.title, book.author))
        lines.append(
            f"| {title} | {author} | `{book.id}` | {stored.chapters:,} | {stored.sentences:,} |"
        )
    return "\n".join(lines) + "\n"


def citation(book: Book, chapter: Chapter) -> str:
    """Return author, title and chapter as a note cites them."""
    title = main_title(book.title, book.language)
    parts = (natural_names(book.author), title, *chapter.part, chapter_name(chapter, book.title))
    return ", ".join(one_line(part) for part in parts if part)


def cite_saved_quotation(saved: SavedQuotation) -> str:
    """Return author, title and chapter of a saved quotation as a note cites them."""
    parts = (natural_names(saved.author), main_title(saved.title), saved.chapter)
    return ", ".join(one_line(part) for part in parts if part)


def evidence_to_markdown(evidence: Evidence) -> str:
    """Return a hit with its source as Markdown, the sentence nearest to the claim in bold."""
    return quotation_to_markdown(
        evidence.passage.text,
        citation(evidence.book, evidence.chapter),
        evidence.locator,
        before=evidence.before,
        after=evidence.after,
        strong=focus_in_passage(evidence),
    )


def focus_in_passage(evidence: Evidence) -> tuple[int, int]:
    """Return the start and the end of the focus in the text of the passage."""
    start = evidence.passage.span.start
    return max(evidence.focus.start - start, 0), evidence.focus.end - start


def quotation_to_markdown(
    quote: str,
    source: str,
    locator: str,
    note: str = "",
    *,
    before: str = "",
    after: str = "",
    strong: tuple[int, int] | None = None,
) -> str:
    """Return a quotation with its source as Markdown, followed by the reader's note. `before`,
    `after` and `strong` are passed to emphasis.styled_passage."""
    text = markdown_quotation(styled_passage(quote, before, after, strong))
    cited = markdown_line(styled_line(source))
    lines = f"{text}\n>\n> — {cited} (`{one_line(locator)}`)\n"
    return f"{lines}\n{escape_markdown(note.strip())}\n" if note.strip() else lines


def _ranker_score(ranked: RankerScore | None) -> dict[str, Any] | None:
    return None if ranked is None else {"rank": ranked.rank, "score": round(ranked.score, 4)}
