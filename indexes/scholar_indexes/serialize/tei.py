"""A book with its speakers as TEI P5: said elements that point to a list of persons, and q
elements for text in quotation marks that nobody says."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from lxml import etree

from scholar_indexes.books.segmentation.sentences import paragraph_spans
from scholar_indexes.emphasis import Run, cut_runs, find_emphasis, styled_runs
from scholar_indexes.results import AttributedQuote, Extract
from scholar_indexes.sanitize import xml_text
from scholar_indexes.types import (
    Attribution,
    Book,
    Chapter,
    ChapterKind,
    Character,
    Gender,
    QuotationForm,
    Span,
)

TEI = "http://www.tei-c.org/ns/1.0"

SCHEMA = Path(__file__).with_name("tei.rng")
"""The RELAX NG schema of the documents that to_tei returns."""

_ID = "{http://www.w3.org/XML/1998/namespace}id"
_SEX = {Gender.FEMALE: "F", Gender.MALE: "M"}

_Q_TYPE = {
    QuotationForm.LETTER: "written",
    QuotationForm.SIGN: "written",
    QuotationForm.VERSE: "written",
    QuotationForm.TITLE: "mentioned",
    QuotationForm.WORD: "mentioned",
}
"""The type of the q elements of the forms that have no speaker."""

HIGH, LOW = 0.9, 0.6
"""The confidence from which TEI's certainty is high, and the one below which it is low."""

_CHAPTER_KINDS = (ChapterKind.CHAPTER, ChapterKind.PREFACE)
"""The kinds of chapters that a document has."""


def to_tei(
    book: Book, text: str, chapters: Sequence[Chapter], quotes: Sequence[AttributedQuote]
) -> bytes:
    """Return the chapters of a book as one TEI document in UTF-8.

    Every piece of a quotation is a said element, with aloud="false" for a thought, or a q element
    if nobody speaks; the pieces of one quotation are linked by next and prev, and cert says how
    sure the speaker is. Emphasis becomes hi elements, and its marks in the text are omitted.
    """
    root = etree.Element(f"{{{TEI}}}TEI", nsmap={None: TEI})
    cast = {
        quote.attribution.speaker.id: quote.attribution.speaker
        for quote in quotes
        if quote.attribution.speaker
    }
    _header(root, book, list(cast.values()))
    body = _add(_add(root, "text"), "body")
    pieces = sorted(_pieces(quotes), key=lambda piece: piece.span)
    starts = [piece.span.start for piece in pieces]
    for chapter in chapters:
        if chapter.kind not in _CHAPTER_KINDS:
            continue
        division = _add(body, "div", type=str(chapter.kind), n=str(chapter.number))
        if chapter.title:
            _write(_add(division, "head"), styled_runs(chapter.title))
        count = 0
        for count, paragraph in enumerate(paragraph_spans(text, chapter.body), 1):
            element = _add(division, "p", n=str(count))
            element.set(_ID, _paragraph(chapter, count))
            first, end = (bisect_left(starts, edge) for edge in (paragraph.start, paragraph.end))
            _fill(element, text, paragraph, pieces[first:end])
        if not count:
            _add(division, "p")
    if not len(body):
        _add(_add(body, "div"), "p")
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=False))


def tei_pointer(extract: Extract) -> str | None:
    """Return a pointer to the marked span of an extract in the document that to_tei returns for its
    book, None if that omits its chapter.

    It is a string-range in a paragraph, or a range over several (TEI Guidelines, 16.2.4): offsets
    count characters from the start of a paragraph, without marks of emphasis.
    """
    if extract.chapter.kind not in _CHAPTER_KINDS:
        return None
    marked = extract.marked
    inside = [
        (_paragraph(extract.chapter, number), paragraph)
        for number, paragraph in extract.paragraphs
        if paragraph.start < marked.end and marked.start < paragraph.end
    ]
    (first, first_span), (last, last_span) = inside[0], inside[-1]
    start = _length(extract.text, first_span, marked.start)
    end = _length(extract.text, last_span, marked.end)
    if first == last:
        return f"#string-range({first},{start},{end - start})"
    return f"#range(string-index({first},{start}),string-index({last},{end}))"


def _length(text: str, paragraph: Span, end: int) -> int:
    """Return the number of characters that a document has of a paragraph up to a position."""
    emphasis = find_emphasis(text, paragraph.start, paragraph.end)
    runs = cut_runs(text, paragraph.start, end, emphasis)
    return sum(len(xml_text(run.text)) for run in runs)


def _paragraph(chapter: Chapter, number: int) -> str:
    return f"s{chapter.number}.p{number}"


def _header(root: etree._Element, book: Book, cast: Sequence[Character]) -> None:
    header = _add(root, "teiHeader")
    file = _add(header, "fileDesc")
    titles = _add(file, "titleStmt")
    _add(titles, "title").text = xml_text(book.title)
    if book.author:
        _add(titles, "author").text = xml_text(book.author)
    _add(_add(file, "publicationStmt"), "p").text = "Speakers attributed by scholar."
    _add(_add(file, "sourceDesc"), "p").text = xml_text(_public_source(book.source))
    profile = _add(header, "profileDesc")
    if cast:
        people = _add(_add(profile, "particDesc"), "listPerson")
        for character in cast:
            person = _add(people, "person")
            person.set(_ID, _person(character))
            if character.gender in _SEX:
                person.set("sex", _SEX[character.gender])
            for name in dict.fromkeys((character.name, *character.aliases)):
                _add(person, "persName").text = xml_text(name)


def _public_source(source: str) -> str:
    """Return a source without the folders of this machine: a web address, or the name of a file."""
    return source if "://" in source else source.replace("\\", "/").rpartition("/")[2]


class _Piece(NamedTuple):
    """A piece of a quotation: its span, and the name and the attributes of its element."""

    span: Span
    element: str
    attributes: dict[str, str]


def _pieces(quotes: Sequence[AttributedQuote]) -> Iterator[_Piece]:
    """Yield the pieces of all quotations."""
    for number, quote in enumerate(quotes, 1):
        element, common = _element(quote.attribution)
        last = len(quote.quotation.pieces)
        for part, span in enumerate(quote.quotation.pieces, 1):
            attributes = {_ID: f"q{number}.{part}", **common}
            if part > 1:
                attributes["prev"] = f"#q{number}.{part - 1}"
            if part < last:
                attributes["next"] = f"#q{number}.{part + 1}"
            yield _Piece(span, element, attributes)


def _element(attribution: Attribution) -> tuple[str, dict[str, str]]:
    """Return the name of the elements of a quotation and their common attributes."""
    if not attribution.form.has_speaker:
        return "q", {"type": _Q_TYPE[attribution.form]}
    speaker, sure = attribution.speaker, attribution.confidence
    attributes = {} if speaker is None else {"who": f"#{_person(speaker)}"}
    attributes["cert"] = "high" if sure >= HIGH else "low" if sure < LOW else "medium"
    if not attribution.is_speech:
        attributes["aloud"] = "false"
    return "said", attributes


def _fill(element: etree._Element, text: str, paragraph: Span, pieces: Sequence[_Piece]) -> None:
    """Write a paragraph's text to its element, with its quotations in elements of their own."""
    emphasis = find_emphasis(text, paragraph.start, paragraph.end)
    at = paragraph.start
    for piece in pieces:
        _write(element, cut_runs(text, at, piece.span.start, emphasis))
        quotation = _add(element, piece.element)
        for name, value in piece.attributes.items():
            quotation.set(name, value)
        at = min(piece.span.end, paragraph.end)
        _write(quotation, cut_runs(text, piece.span.start, at, emphasis))
    _write(element, cut_runs(text, at, paragraph.end, emphasis))


def _write(element: etree._Element, runs: Iterable[Run]) -> None:
    """Append runs of text to an element, emphasized ones in hi elements."""
    for run in runs:
        words = xml_text(run.text)
        styles = [("bold", run.bold), ("italic", run.italic)]
        if rendition := " ".join(style for style, is_given in styles if is_given):
            _add(element, "hi", rend=rendition).text = words
        elif len(element):
            element[-1].tail = (element[-1].tail or "") + words
        else:
            element.text = (element.text or "") + words


def _person(character: Character) -> str:
    return f"person-{character.id}"


def _add(parent: etree._Element, name: str, **attributes: str) -> etree._Element:
    return etree.SubElement(parent, f"{{{TEI}}}{name}", **attributes)
