"""Fuzz targets: the readers of books, and of the locators and sources that a user types."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from functools import cache
from typing import Any

from checks import BETWEEN_FILES, check_spans, pack
from scholar_indexes.sanitize import one_line, safe
from scholar_indexes.types import Span


def read_gutenberg(data: bytes) -> None:
    from scholar_indexes.books.formats import gutenberg

    check_manuscript(gutenberg.read(data))


def read_html(data: bytes) -> None:
    from scholar_indexes.books.formats import html

    check_manuscript(html.read(data))


def read_epub(data: bytes) -> None:
    from scholar_indexes.books.formats import epub

    check_manuscript(epub.read(data, "book.epub"))


EPUB_FILES = ("META-INF/container.xml", "content.opf", "toc.ncx", "1.xhtml", "2.xhtml")


def read_epub_files(data: bytes) -> None:
    """Read an EPUB packed from its container, package, table of contents and two pages."""
    read_epub(pack(EPUB_FILES, data.split(BETWEEN_FILES)))


def check_manuscript(manuscript: Any) -> None:
    manuscript.text.encode()
    json.dumps([manuscript.title, manuscript.author], ensure_ascii=False).encode()
    check_spans([heading.span for heading in manuscript.headings], len(manuscript.text))
    divide_book(manuscript.text, manuscript.headings)


def divide_book(text: str, headings: Sequence[Any] = ()) -> None:
    from scholar_indexes.books.reading.chapter_ranges import find_sections
    from scholar_indexes.books.segmentation.chapter_numbers import print_numbers
    from scholar_indexes.books.segmentation.chapters import divide
    from scholar_indexes.books.segmentation.sentences import chapter_sentences

    chapters = print_numbers(divide(text, headings))
    assert [chapter.number for chapter in chapters] == list(range(len(chapters)))
    assert "".join(chapter.span.of(text) for chapter in chapters) == text
    for chapter in chapters:
        body = chapter.body
        assert chapter.span.start <= body.start <= body.end <= chapter.span.end
    for chapter in [chapter for chapter in chapters if chapter.printed][-3:]:
        assert find_sections(chapters, chapter.printed, "a book") == 2 * (chapter.number,)
    sentences = list(chapter_sentences(text, chapters))
    check_spans([sentence.span for sentence in sentences], len(text))


def read_dialogue(text: str) -> None:
    from scholar_indexes.attribution.forms.form_detection import find_forms
    from scholar_indexes.attribution.plays import read_play
    from scholar_indexes.attribution.quotes.conventions import Convention
    from scholar_indexes.attribution.quotes.quote_detection import find_quotations
    from scholar_indexes.attribution.verse import is_verse

    whole = [Span(0, len(text))]
    is_verse(text, whole)
    read_play(text, whole)
    for convention in (None, *Convention):
        quotations = find_quotations(text, whole, convention=convention)
        check_spans([span for quotation in quotations for span in quotation.pieces], len(text))
    find_forms(text, quotations, whole)


def find_people(text: str) -> None:
    """Find the characters of a book, their quotations (by rules) and their descriptions."""
    from scholar_indexes.attribution.pipeline import SIEVE, attribute_book
    from scholar_indexes.books.segmentation.chapters import divide
    from scholar_indexes.characters.descriptions import automatic

    chapters = divide(text)
    dialogue = attribute_book(text, chapters, SIEVE)
    assert len(dialogue.quotations) == len(dialogue.attributions)
    for character in dialogue.cast:
        assert character.name == one_line(character.name) != ""
    bodies = [chapter.body for chapter in chapters]
    automatic.find_descriptions(text, bodies, dialogue.quotations, dialogue.cast)


def read_emphasis(text: str) -> None:
    from scholar_indexes import emphasis, sanitize

    assert len(emphasis.plain_text(text)) <= len(text)
    line = "".join(run.text for run in emphasis.styled_line(text))
    assert line == one_line(line)
    assert safe(safe(text)) == safe(text)
    assert len(sanitize.visible(text)) == len(text)


def read_locator(text: str) -> None:
    from scholar_indexes.books.citation import locators

    locator = locators.parse(text)
    assert locators.parse(str(locator)) == locator


@cache
def books_with_chapters() -> list[Sequence[Any]]:
    """Return the chapters of a book with parts, and of a book with only chapter titles."""
    from scholar_indexes.books.segmentation.chapters import divide

    line = "It was a long evening, and nobody spoke of the sea.\n\n"
    numbered = "".join(f"CHAPTER {number}\n\n{line * 3}" for number in ("I", "II", "III"))
    titled = f"THE SEA\n\n{line}\n\nTHE SHORE\n\n{line}"
    return [divide(f"PART I\n\n{numbered}PART II\n\n{numbered}"), divide(titled)]


def read_range(text: str) -> None:
    from scholar_indexes.books.reading.chapter_ranges import find_sections

    for chapters in books_with_chapters():
        low, high = find_sections(chapters, text, "a book")
        assert 0 <= low <= high  # the range may extend past the book
        assert low < len(chapters)


def read_source_line(text: str) -> None:
    from dataclasses import replace

    from scholar_indexes.books.adding import source_parser

    source_parser.completions(text)
    request = source_parser.read(text)
    whole = replace(request.request, source=" ".join(request.sources))
    assert source_parser.read(source_parser.line(whole)).request == request.request


def read_catalog_filter(text: str) -> None:
    from scholar_indexes.books.gutenberg import catalog_filter

    assert catalog_filter.parse(text).terms


def read_catalog(data: bytes) -> None:
    from scholar_indexes.books.gutenberg import gutenberg_catalog

    for row in gutenberg_catalog._rows(io.BytesIO(data)):  # without the database of an update
        assert row == 1 or all(isinstance(text, str) for text in row[1:])


def read_contributors(text: str) -> None:
    from scholar_indexes.books.citation import cited_titles, contributors
    from scholar_indexes.books.formats import html

    contributors.divide_contributors(text)
    contributors.natural_names(text)
    contributors.title_page_translators(text)
    cited_titles.headline_case(cited_titles.main_title(text))
    html.natural_name(text)
