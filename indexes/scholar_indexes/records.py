"""Results as data and as citations, the same for every front end.

Text stands here as it is stored: whoever prints it makes it safe.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from scholar_indexes.untrusted import one_line

if TYPE_CHECKING:
    from scholar_indexes.answers import Evidence, Quote, Ranked
    from scholar_indexes.catalog import Shelved
    from scholar_indexes.desk import Clipping
    from scholar_indexes.types import Book, Chapter, Hit

SELECTOR_CHARS = 40
"""How much text around a quotation its W3C selector carries."""

_NUMBERED = re.compile(r"[IVXLCDM]+|[0-9]+")
"""A chapter that has a number for a name."""


def evidence(rank: int, hit: Hit[Evidence], *, explain: bool = False) -> dict[str, Any]:
    """A hit as data. quote reads as one line; selector.exact is the text as stored."""
    found = hit.item
    record = {
        "schema_version": 1,
        "rank": rank,
        "score": round(hit.score, 6),
        "quote": one_line(found.passage.text),
        "before": one_line(found.before),
        "after": one_line(found.after),
        "book": {"id": found.book.id, "title": found.book.title, "author": found.book.author},
        "chapter": {
            "number": found.chapter.number,
            "title": found.chapter.title,
            "part": list(found.chapter.part),
        },
        "paragraph": found.passage.paragraph,
        "start": found.passage.span.start,
        "end": found.passage.span.end,
        "locator": found.locator,
        "selector": {
            "type": "TextQuoteSelector",
            "exact": found.passage.text,
            "prefix": found.before[-SELECTOR_CHARS:],
            "suffix": found.after[:SELECTOR_CHARS],
        },
        "citation": citation(found.book, found.chapter),
    }
    if explain:
        record["explain"] = {"dense": _ranked(found.dense), "lexical": _ranked(found.lexical)}
    return record


def quotation(quote: Quote) -> dict[str, Any]:
    """A quotation with its speaker as data; text is as stored, quote reads as one line."""
    said = quote.attribution
    return {
        "schema_version": 1,
        "speaker": said.speaker and {"id": said.speaker.id, "name": said.speaker.name},
        "confidence": round(said.confidence, 4),
        "kind": str(said.kind),
        "cue": one_line(quote.cue),
        "quote": one_line(quote.text),
        "book": {"id": quote.book.id, "title": quote.book.title, "author": quote.book.author},
        "chapter": {"number": quote.chapter.number, "title": quote.chapter.title},
        "paragraph": quote.paragraph,
        "start": quote.quotation.span.start,
        "end": quote.quotation.span.end,
        "pieces": [[piece.start, piece.end] for piece in quote.quotation.pieces],
        "evidence": said.evidence and [said.evidence.start, said.evidence.end],
        "locator": quote.locator,
    }


def clipping(kept: Clipping) -> dict[str, Any]:
    """A kept quotation as data."""
    return {
        "schema_version": 1,
        "collection": kept.collection,
        "quote": one_line(kept.quote),
        "book": {"id": kept.book_id, "title": kept.title, "author": kept.author},
        "chapter": kept.chapter,
        "locator": kept.locator,
        "claim": kept.claim,
        "note": kept.note,
        "kept": kept.kept,
        "citation": cited(kept),
    }


def shelved(listed: Shelved) -> dict[str, Any]:
    """A book on the shelf as data."""
    book = listed.book
    return {
        "id": book.id, "title": book.title, "author": book.author, "language": book.language,
        "source": book.source, "sha256": book.sha256, "added": listed.added,
        "characters": listed.characters, "chapters": listed.chapters,
        "sentences": listed.sentences,
    }  # fmt: skip


def shelf_as_markdown(books: Iterable[Shelved]) -> str:
    """A table of books."""
    lines = ["| Title | Author | Id | Chapters | Sentences |", "|---|---|---|---:|---:|"]
    for each in books:
        title, author = (
            markdown_escaped(one_line(text)) for text in (each.book.title, each.book.author)
        )
        lines.append(
            f"| {title} | {author} | `{each.book.id}` | {each.chapters:,} | {each.sentences:,} |"
        )
    return "\n".join(lines) + "\n"


def citation(book: Book, chapter: Chapter) -> str:
    """Who, what and where, as a note would say it."""
    parts = (book.author, book.title, *chapter.part, chapter_name(chapter))
    return ", ".join(one_line(part) for part in parts if part)


def cited(kept: Clipping) -> str:
    """Who, what and where of a kept quotation."""
    parts = (kept.author, kept.title, kept.chapter)
    return ", ".join(one_line(part) for part in parts if part)


def chapter_name(chapter: Chapter) -> str:
    """A chapter as a citation has it: "ch. IV", or its title."""
    title = one_line(chapter.title) or str(chapter.number)
    return f"ch. {title}" if _NUMBERED.fullmatch(title) else title


def as_markdown(quote: str, source: str, locator: str, note: str = "") -> str:
    """A quotation as Markdown shows one, with its source; a reader's note comes after it."""
    text = markdown_escaped(one_line(quote))
    lines = f"> {text}\n>\n> — {markdown_escaped(one_line(source))} (`{one_line(locator)}`)\n"
    return f"{lines}\n{markdown_escaped(note.strip())}\n" if note.strip() else lines


def markdown_escaped(text: str) -> str:
    for mark in "\\`*_[]<>|#":
        text = text.replace(mark, "\\" + mark)
    return text


def bibtex(books: Iterable[Book]) -> str:
    """A .bib file with an entry for each book, once, found under its id."""
    from scholar_indexes.papers import export

    return export.bibtex(_csl(book) for book in {each.id: each for each in books}.values())


def _csl(book: Book) -> Mapping[str, Any]:
    item: dict[str, Any] = {"id": book.id, "type": "book", "title": one_line(book.title)}
    if author := one_line(book.author):
        family, comma, given = author.partition(", ")
        if not comma:
            given, _, family = author.rpartition(" ")
        item["author"] = [{"family": family, "given": given} if given else {"literal": family}]
    if book.language:
        item["language"] = book.language
    if book.id.startswith("pg"):
        item["publisher"] = "Project Gutenberg"
        item["URL"] = f"https://www.gutenberg.org/ebooks/{book.id[2:]}"
    return item


def _ranked(ranked: Ranked | None) -> dict[str, Any] | None:
    return None if ranked is None else {"rank": ranked.rank, "score": round(ranked.score, 4)}
