"""A book with its speakers as TEI P5: said elements that point to a list of persons."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import Path

from lxml import etree

from scholar_indexes.books.segmentation.sentences import paragraph_spans
from scholar_indexes.results import AttributedQuote
from scholar_indexes.sanitize import xml_text
from scholar_indexes.types import Book, Chapter, ChapterKind, Character, Gender, Span

TEI = "http://www.tei-c.org/ns/1.0"

SCHEMA = Path(__file__).with_name("tei.rng")
"""The RELAX NG schema of the documents that to_tei returns."""

_ID = "{http://www.w3.org/XML/1998/namespace}id"
_SEX = {Gender.FEMALE: "F", Gender.MALE: "M"}

HIGH, LOW = 0.9, 0.6
"""From which confidence TEI's certainty is high, and below which it is low."""


def to_tei(
    book: Book, text: str, chapters: Sequence[Chapter], quotes: Sequence[AttributedQuote]
) -> bytes:
    """Return the chapters of a book as one TEI document in UTF-8.

    Every piece of a quotation is a said element; those of one quotation are linked by next
    and prev, and cert says how sure the speaker is.
    """
    root = etree.Element(f"{{{TEI}}}TEI", nsmap={None: TEI})
    cast = {
        quote.attribution.speaker.id: quote.attribution.speaker
        for quote in quotes
        if quote.attribution.speaker
    }
    _header(root, book, list(cast.values()))
    body = _add(_add(root, "text"), "body")
    pieces = sorted(_pieces(quotes), key=lambda piece: piece[0])
    starts = [piece.start for piece, _ in pieces]
    for chapter in chapters:
        if chapter.kind not in (ChapterKind.CHAPTER, ChapterKind.PREFACE):
            continue
        division = _add(body, "div", type=str(chapter.kind), n=str(chapter.number))
        if chapter.title:
            _add(division, "head").text = xml_text(chapter.title)
        count = 0
        for count, paragraph in enumerate(paragraph_spans(text, chapter.body), 1):
            element = _add(division, "p", n=str(count))
            first, end = (bisect_left(starts, edge) for edge in (paragraph.start, paragraph.end))
            _fill(element, text, paragraph, pieces[first:end])
        if not count:
            _add(division, "p")
    if not len(body):
        _add(_add(body, "div"), "p")
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=False))


def _header(root: etree._Element, book: Book, cast: Sequence[Character]) -> None:
    header = _add(root, "teiHeader")
    file = _add(header, "fileDesc")
    titles = _add(file, "titleStmt")
    _add(titles, "title").text = xml_text(book.title)
    if book.author:
        _add(titles, "author").text = xml_text(book.author)
    _add(_add(file, "publicationStmt"), "p").text = "Speakers attributed by scholar."
    _add(_add(file, "sourceDesc"), "p").text = xml_text(book.source)
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


def _pieces(quotes: Sequence[AttributedQuote]) -> Iterator[tuple[Span, dict[str, str]]]:
    """Yield the pieces of all quotations with the attributes of their elements."""
    for number, quote in enumerate(quotes, 1):
        attribution = quote.attribution
        common = {} if attribution.speaker is None else {"who": f"#{_person(attribution.speaker)}"}
        sure = attribution.confidence
        common["cert"] = "high" if sure >= HIGH else "low" if sure < LOW else "medium"
        last = len(quote.quotation.pieces)
        for part, piece in enumerate(quote.quotation.pieces, 1):
            attributes = {_ID: f"q{number}.{part}", **common}
            if part > 1:
                attributes["prev"] = f"#q{number}.{part - 1}"
            if part < last:
                attributes["next"] = f"#q{number}.{part + 1}"
            yield piece, attributes


def _fill(
    element: etree._Element,
    text: str,
    paragraph: Span,
    pieces: Sequence[tuple[Span, dict[str, str]]],
) -> None:
    """Put a paragraph's text into its element, the quotations in it into elements of their own."""
    at, last = paragraph.start, None
    for piece, attributes in pieces:
        _say(element, last, text[at : piece.start])
        last = _add(element, "said")
        for name, value in attributes.items():
            last.set(name, value)
        last.text = xml_text(text[piece.start : min(piece.end, paragraph.end)])
        at = min(piece.end, paragraph.end)
    _say(element, last, text[at : paragraph.end])


def _say(element: etree._Element, last: etree._Element | None, text: str) -> None:
    if last is None:
        element.text = xml_text(text)
    else:
        last.tail = xml_text(text)


def _person(character: Character) -> str:
    return f"person-{character.id}"


def _add(parent: etree._Element, name: str, **attributes: str) -> etree._Element:
    return etree.SubElement(parent, f"{{{TEI}}}{name}", **attributes)
