"""Passages with their notes as files for writers: Markdown, an Obsidian note, HTML, Word's docx,
CSV, JSON, and entries for reference managers.

Emphasis of the book becomes emphasis of each format; CSV and JSON keep its marks as stored. The
question mark, exclamation mark or ellipsis after the last word is printed with a passage.
"""

from __future__ import annotations

import csv
import html
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from scholar_indexes import verse
from scholar_indexes.books.citation.chapter_names import full_name
from scholar_indexes.books.collections.collection_service import CONTEXT_CHARS, PlacedQuotation
from scholar_indexes.books.collections.note_tags import tags_of
from scholar_indexes.emphasis import Run, split_paragraphs, styled_passage
from scholar_indexes.results import CitationStyle, CitedPlace
from scholar_indexes.sanitize import escape_formula, one_line, safe, sanitize_values, xml_text
from scholar_indexes.serialize import citations
from scholar_indexes.serialize.docx_text import add_runs
from scholar_indexes.serialize.html_page import html_line, html_page
from scholar_indexes.serialize.markdown import markdown_line, markdown_quotation, markdown_text
from scholar_indexes.serialize.passages import (
    SELECTOR_CHARS,
    cite_saved_quotation,
    saved_quotation_record,
)

CSV_COLUMNS = (
    "locator",
    "quote",
    "in_text",
    "author",
    "title",
    "chapter",
    "claim",
    "note",
    "before",
    "after",
)

WORKS_CITED = {
    CitationStyle.MLA: "Works Cited",
    CitationStyle.CHICAGO: "Bibliography",
    CitationStyle.APA: "References",
}
"""The heading of the list of works in each style."""

_STYLE = (
    "body{font:1.05rem/1.5 Georgia,serif;max-width:42rem;margin:2rem auto;padding:0 1rem}"
    "blockquote{margin:1.2rem 0;padding-left:1rem;border-left:3px solid #bbb}"
    ".context{color:#767676}.place{font-size:.85rem;color:#555}"
    ".works p{padding-left:2rem;text-indent:-2rem}"
)

_END_MARK = re.compile(r"[_=]?(?:[?!…]|\s?\.\s?\.\s?\.)(?:[?!…]|\s?\.)*")
"""A question mark, an exclamation mark or an ellipsis, and the marks after it."""

_ENDED = re.compile(r"[.?!…][\W_]*$")

LONGEST_PROPERTY = 255
"""The most characters of a property of a Word document."""


@dataclass(frozen=True, slots=True)
class Export:
    """Passages under a title, the style of their citations, and the day of the export (ISO 8601);
    `with_context` adds the text around each passage, `with_tei_pointers` its position in the TEI
    document of its book (JSON only)."""

    title: str
    quotations: Sequence[PlacedQuotation]
    style: CitationStyle
    date: str
    with_context: bool = False
    with_tei_pointers: bool = False
    _books_of_same_names: frozenset[str] = field(init=False, repr=False)
    _year_letters: Mapping[str, str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Find what distinguishes the works by one author."""
        places = self.places()
        object.__setattr__(self, "_books_of_same_names", citations.books_of_same_names(places))
        object.__setattr__(self, "_year_letters", citations.year_letters(places))

    @property
    def summary(self) -> str:
        """The number of passages and books, and the day."""
        passages = len(self.quotations)
        books = len({placed.place.book.id for placed in self.quotations})
        return f"{_count(passages, 'passage')} from {_count(books, 'book')}, {self.date}"

    def sections(self) -> Sequence[tuple[str, list[PlacedQuotation]]]:
        """Return the claims with all passages of each, in the order of their first passages;
        passages without a claim come first, because no heading separates them from a claim."""
        by_claim: dict[str, list[PlacedQuotation]] = {}
        for placed in self.quotations:
            by_claim.setdefault(placed.saved.claim, []).append(placed)
        return sorted(by_claim.items(), key=lambda section: section[0] != "")

    def in_text(self, placed: PlacedQuotation) -> str:
        """Return the citation of a passage for a text or a note."""
        if placed.span is None:
            return cite_saved_quotation(placed.saved)
        return self._cite(placed.place).in_text

    def entry(self, place: CitedPlace, italics: str = "") -> str:
        """Return the entry of a work, with `italics` around its title."""
        return self._cite(place, italics).entry

    def places(self) -> list[CitedPlace]:
        """Return one place of each book, if possible one that is in the library."""
        ordered = sorted(self.quotations, key=lambda placed: placed.is_in_library)
        return list({placed.place.book.id: placed.place for placed in ordered}.values())

    def works(self) -> list[str]:
        """Return the entries of the works, in order, with citations.ITALICS around their titles."""
        entries = [self.entry(place, citations.ITALICS) for place in self.places()]
        return sorted(entries, key=lambda entry: entry.replace(citations.ITALICS, "").casefold())

    def _cite(self, place: CitedPlace, italics: str = "") -> citations.Citation:
        return citations.cite(
            place,
            self.style,
            italics=italics,
            names_work=place.book.id in self._books_of_same_names,
            year_letter=self._year_letters.get(place.book.id, ""),
        )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _entry_runs(entry: str) -> list[Run]:
    """Return an entry of the works as runs, with titles in italics."""
    parts = entry.split(citations.ITALICS)
    return [Run(part, 0, italic=at % 2 == 1) for at, part in enumerate(parts) if part]


class _Pieces(NamedTuple):
    """The context before a passage, the passage, and the context after it, in runs; white space
    between them belongs to the context."""

    before: list[Run]
    quote: list[Run]
    after: list[Run]


def _with_end_mark(placed: PlacedQuotation) -> PlacedQuotation:
    """Return a passage with the end mark that follows its last word in the book."""
    mark = _END_MARK.match(placed.after)
    if mark is None or placed.is_changed or _ENDED.search(placed.saved.quote):
        return placed
    saved = replace(placed.saved, quote=placed.saved.quote + mark[0])
    return replace(placed, saved=saved, after=placed.after[mark.end() :])


def _pieces(export: Export, placed: PlacedQuotation) -> _Pieces:
    placed = _with_end_mark(placed)
    before, quote, after = placed.before, placed.saved.quote, placed.after
    runs = styled_passage(quote, before, after)
    if not export.with_context:
        return _Pieces([], runs, [])
    lines = verse.keep_lines(before + quote + after)
    start, end = len(before), len(before) + len(quote)
    context_before = _context_before(before, quote + after)
    context_after = _context_after(before + quote, after)
    return _Pieces(
        context_before and [*context_before, *_gap(lines[:start], lines[start:])],
        runs,
        context_after and [*_gap(lines[:end], lines[end:]), *context_after],
    )


def _gap(left: str, right: str) -> list[Run]:
    """Return the white space between two parts of text from verse.keep_lines, if any."""
    space = left[len(left.rstrip()) :] + right[: len(right) - len(right.lstrip())]
    if not space:
        return []
    if verse.PARAGRAPH in space:
        return [Run(verse.PARAGRAPH, 0)]
    return [Run("\n" * min(space.count("\n"), 2) or " ", 0)]


def _context_before(text: str, after: str) -> list[Run]:
    """Return the context before a passage, with an ellipsis where it was cut."""
    if len(text) < CONTEXT_CHARS:
        return styled_passage(text, after=after)
    cut, _, rest = text.partition(" ")
    return [Run("… ", 0), *styled_passage(rest, f"{cut} ", after)]


def _context_after(before: str, text: str) -> list[Run]:
    """Return the context after a passage, with an ellipsis where it was cut."""
    if len(text) < CONTEXT_CHARS:
        return styled_passage(text, before)
    rest, _, cut = text.rpartition(" ")
    return [*styled_passage(rest, before, f" {cut}"), Run(" …", 0)]


def _markdown_quote(export: Export, placed: PlacedQuotation) -> str:
    """Return a passage as a block quotation, in bold if its context is included."""
    before, quote, after = _pieces(export, placed)
    is_bold = bool(before or after)
    passage = [run._replace(bold=run.bold or is_bold) for run in quote]
    return markdown_quotation([*before, *passage, *after])


def _markdown_note(note: str) -> list[str]:
    """Return the paragraphs of a note, escaped, because it may not be the user's own."""
    return list(map(markdown_text, _paragraphs(note)))


def to_markdown(export: Export) -> str:
    """Return passages as Markdown, under their claims, with the works cited."""
    blocks = [f"# {markdown_text(export.title)}", f"{export.summary}."]
    for claim, group in export.sections():
        if claim:
            blocks.append(f"## {markdown_text(claim)}")
        for placed in group:
            cited = markdown_text(export.in_text(placed))
            place = f"{cited} `{placed.saved.locator}`{_colour(placed)}"
            blocks.append(f"{_markdown_quote(export, placed)}\n>\n> {place}")
            blocks += _markdown_note(placed.saved.note)
    blocks.append(f"## {WORKS_CITED[export.style]}")
    blocks += [markdown_line(_entry_runs(entry)) for entry in export.works()]
    return "\n\n".join(blocks) + "\n"


def to_obsidian(export: Export) -> str:
    """Return a note with properties; each passage is a callout with a block identifier, and its
    book a link, which connects the notes about a book."""
    aliases = [one_line(export.title)]
    aliases += dict.fromkeys(claim for claim, _ in export.sections() if claim)
    notes = (placed.saved.note for placed in export.quotations)
    tags = dict.fromkeys(tag for note in notes for tag in tags_of(note))
    properties = [
        "---",
        f"title: {json.dumps(one_line(export.title), ensure_ascii=False)}",
        f"aliases: {json.dumps(aliases, ensure_ascii=False)}",
        f"tags: [{', '.join(('scholar', *tags))}]",
        f"created: {export.date}",
        "---",
    ]
    blocks = ["\n".join(properties)]
    for claim, group in export.sections():
        if claim:
            blocks.append(f"## {markdown_text(claim)}")
        for placed in group:
            cited = markdown_text(export.in_text(placed))
            link = re.sub(r"[\[\]#^|\\/:]+", " ", one_line(placed.place.book.title)).strip()
            source = f" [[{' '.join(link.split())}]]" if link else ""
            source += _colour(placed)
            blocks.append(f"> [!quote] {cited}{source}\n{_markdown_quote(export, placed)}")
            blocks.append(f"^{re.sub(r'[^A-Za-z0-9]+', '-', placed.saved.locator)}")
            blocks += _markdown_note(placed.saved.note)
    blocks.append(f"## {WORKS_CITED[export.style]}")
    blocks += [markdown_line(_entry_runs(entry)) for entry in export.works()]
    return "\n\n".join(blocks) + "\n"


def _colour(placed: PlacedQuotation) -> str:
    """Return the colour of a passage after a separator; an empty text for none."""
    return f" · {placed.saved.colour}" if placed.saved.colour else ""


def to_html(export: Export) -> str:
    """Return passages as one HTML page."""
    body = [f"<h1>{html.escape(one_line(export.title))}</h1>", f"<p>{export.summary}.</p>"]
    for claim, group in export.sections():
        if claim:
            body.append(f"<h2>{html.escape(one_line(claim))}</h2>")
        for placed in group:
            body.append(_html_quotation(export, placed))
            body += [f"<p>{html.escape(part)}</p>" for part in _paragraphs(placed.saved.note)]
    body.append(f'<section class="works"><h2>{WORKS_CITED[export.style]}</h2>')
    body += [f"<p>{html_line(_entry_runs(entry))}</p>" for entry in export.works()]
    body.append("</section>")
    return html_page(one_line(export.title), _STYLE, "\n".join(body))


def _html_quotation(export: Export, placed: PlacedQuotation) -> str:
    before, quote, after = _pieces(export, placed)
    context = '<span class="context">', "</span>"
    text = _html_runs(before, *context) + _html_runs(quote) + _html_runs(after, *context)
    locator = html.escape(placed.saved.locator)
    place = f"{html.escape(one_line(export.in_text(placed)))} <code>{locator}</code>"
    colour = html.escape(placed.saved.colour)
    border = f' style="border-color:{colour}"' if colour else ""
    cited = f'<p class="place">{place}{_colour(placed)}</p>'
    return f'<blockquote id="{locator}"{border}><p>{text}</p>{cited}</blockquote>'


def _html_runs(runs: Sequence[Run], opening: str = "", closing: str = "") -> str:
    """Return the content of a paragraph, or of several with the tags between them; the markup
    around it is repeated in each."""
    lines = map(html_line, split_paragraphs(runs))
    return "</p><p>".join(f"{opening}{line}{closing}" if line else "" for line in lines)


def _paragraphs(note: str) -> list[str]:
    """Return the paragraphs of a note, each on one line."""
    return list(filter(None, map(one_line, re.split(r"\n\s*\n", safe(note)))))


def to_docx(export: Export) -> bytes:
    """Return passages as a docx file."""
    import docx

    document = docx.Document()
    document.core_properties.title = xml_text(one_line(export.title, LONGEST_PROPERTY))
    document.core_properties.author = ""
    document.add_heading(xml_text(one_line(export.title)), 1)
    document.add_paragraph(f"{export.summary}.")
    for claim, group in export.sections():
        if claim:
            document.add_heading(xml_text(one_line(claim)), 2)
        for placed in group:
            _add_quotation(document, export, placed)
            for part in _paragraphs(placed.saved.note):
                document.add_paragraph(xml_text(part))
    document.add_heading(WORKS_CITED[export.style], 2)
    for entry in export.works():
        add_runs(document.add_paragraph(), _entry_runs(entry))
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def _add_quotation(document: Any, export: Export, placed: PlacedQuotation) -> None:
    """Add a passage and its citation to a document in Word's style for quotations, which is
    italic: the passage is italic except where the book has italics, its context is upright."""
    before, quote, after = _pieces(export, placed)
    paragraph = document.add_paragraph(style="Quote")
    for part, is_passage in ((before, False), (quote, True), (after, False)):
        first, *others = split_paragraphs(part)
        add_runs(paragraph, first, is_italic=is_passage)
        for line in others:
            paragraph = document.add_paragraph(style="Quote")
            add_runs(paragraph, line, is_italic=is_passage)
    paragraph.add_run(" ")
    paragraph.add_run(xml_text(one_line(export.in_text(placed)))).italic = False


def to_csv(export: Export) -> str:
    """Return passages as CSV with CSV_COLUMNS."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for placed in export.quotations:
        ended = _with_end_mark(placed)
        book, saved = placed.place.book, ended.saved
        cells = (
            saved.locator,
            verse.slashed_passage(saved.quote, ended.before, ended.after),
            export.in_text(placed),
            book.author,
            book.title,
            _chapter_name(placed),
            saved.claim,
            saved.note,
            verse.slashed_passage(ended.before, after=saved.quote),
            verse.slashed_passage(ended.after, saved.quote),
        )
        writer.writerow([escape_formula(one_line(cell)) for cell in cells])
    return out.getvalue()


def _chapter_name(placed: PlacedQuotation) -> str:
    """Return the chapter of a passage as the library names it now, otherwise as it was saved."""
    chapter = placed.place.chapter
    if chapter is None:
        return placed.saved.chapter
    return full_name(chapter, placed.place.book.title)


def placed_record(export: Export, placed: PlacedQuotation) -> dict[str, Any]:
    """Return a passage as a record, with a W3C selector and its citation in the style."""
    span = placed.span
    record = {
        **saved_quotation_record(placed.saved),
        "start": span and span.start,
        "end": span and span.end,
        "in_text": export.in_text(placed),
        "entry": export.entry(placed.place),
        "selector": {
            "type": "TextQuoteSelector",
            "exact": placed.saved.quote,
            "prefix": placed.before[-SELECTOR_CHARS:],
            "suffix": placed.after[:SELECTOR_CHARS],
        },
    }
    if export.with_tei_pointers:
        from scholar_indexes.serialize.tei import tei_pointer

        record["tei_pointer"] = placed.extract and tei_pointer(placed.extract)
    return record


def to_json(export: Export) -> str:
    """Return passages as a JSON array of placed_record."""
    records = [placed_record(export, placed) for placed in export.quotations]
    return json.dumps(sanitize_values(records), ensure_ascii=False, indent=2) + "\n"
