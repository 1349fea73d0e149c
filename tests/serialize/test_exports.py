"""Exported passages in each format: how they read, and how their works are cited."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace

import docx
import pytest
from lxml import html
from markdown_it import MarkdownIt

from scholar_indexes.books.collections.collection_service import PlacedQuotation
from scholar_indexes.results import CitationStyle, CitedPlace, Extract
from scholar_indexes.serialize import citations, export_files
from scholar_indexes.serialize.exports import Export
from scholar_indexes.serialize.result_formats import Format
from scholar_indexes.storage.bookmarks import SavedQuotation
from scholar_indexes.types import Book, Chapter, ChapterKind, Imprint, Span

FRONT = Chapter(0, "", (), ChapterKind.FRONT, Span(0, 0), Span(0, 0))


def exported(
    quote: str, format: Format, note: str = "", title: str = "T", *, with_context: bool = True
) -> str:
    export = Export(
        title, [placed(quote, note=note)], CitationStyle.MLA, "2026-01-02", with_context
    )
    return export_files.write(export, format).decode("utf-8")


def placed(quote: str, *, claim: str = "", note: str = "") -> PlacedQuotation:
    saved = SavedQuotation("pg1:1.1:0-9", quote, "pg1", "Ann Ash", "A *Book*", "ch. I", claim, note)
    book = Book("pg1", "A *Book*", "Ann Ash", "en", "", "")
    place = CitedPlace(book, Imprint(), None, "pg1:1.1:0-9", "A *book*")
    chapter = Chapter(1, "I", (), ChapterKind.CHAPTER, Span(0, 0), Span(0, 9))
    extract = Extract(book, chapter, quote, ((1, Span(0, 9)),), Span(0, 9), saved.locator)
    return PlacedQuotation(saved, place, extract, "before it ", " after it")


@pytest.mark.parametrize("format", [Format.MD, Format.OBSIDIAN, Format.HTML, Format.DOCX])
def test_no_passage_is_listed_under_another_claim(format: Format) -> None:
    claims = {"first": "doubt", "second": "", "third": "passion", "fourth": "doubt"}
    quotations = [placed(quote, claim=claim) for quote, claim in claims.items()]
    written = export_files.write(Export("T", quotations, CitationStyle.MLA, "2026-01-02"), format)
    text = (
        "\n".join(paragraph.text for paragraph in docx.Document(io.BytesIO(written)).paragraphs)
        if format is Format.DOCX
        else written.decode("utf-8").split("created")[-1]
    )
    words = re.findall("first|second|third|fourth|doubt|passion", text)
    assert words == ["second", "doubt", "first", "fourth", "passion", "third"]


@pytest.mark.parametrize(
    ("format", "shown"),
    [
        (Format.MD, "`pg1:1.1:0-9` · blue\n"),
        (Format.OBSIDIAN, "[[A Book]] · blue\n"),
        (Format.HTML, "</code> · blue</p>"),
        (Format.JSON, '"colour": "blue"'),
        (Format.W3C, '"styleClass": "blue"'),
    ],
)
def test_the_colour_of_a_passage_is_exported(format: Format, shown: str) -> None:
    plain = placed("so it was")
    blue = replace(plain, saved=replace(plain.saved, colour="blue"))
    for quotation, is_shown in ((blue, True), (plain, False)):
        export = Export("T", [quotation], CitationStyle.MLA, "2026-01-02")
        text = export_files.write(export, format).decode("utf-8")
        assert (shown in text.replace("*", "")) == is_shown


def test_annotations_have_their_place_their_words_and_their_note() -> None:
    quotation = placed("so it was", claim="a doubt", note="see #irony \x1b[1m")
    gone = replace(placed("gone"), extract=None, before="", after="", is_changed=True)
    export = Export("T", [quotation, gone], CitationStyle.MLA, "2026-01-02")
    written = json.loads(export_files.write(export, Format.W3C))
    assert written["@context"] == "http://www.w3.org/ns/anno.jsonld"
    assert (written["type"], written["total"]) == ("AnnotationCollection", 2)
    first, second = written["first"]["items"]
    assert first["motivation"] == "commenting"
    assert [(body["purpose"], body["value"]) for body in first["body"]] == [
        ("commenting", "see #irony [1m"),
        ("tagging", "irony"),
        ("classifying", "a doubt"),
    ]
    assert first["target"]["source"]["id"] == "https://www.gutenberg.org/ebooks/1"
    assert first["target"]["selector"] == [
        {"type": "FragmentSelector", "value": "pg1:1.1:0-9"},
        {
            "type": "TextQuoteSelector",
            "exact": "so it was",
            "prefix": "before it ",
            "suffix": " after it",
        },
        {"type": "TextPositionSelector", "start": 0, "end": 9},
    ]
    assert second["motivation"] == "highlighting"
    assert [part["type"] for part in second["target"]["selector"]] == [
        "FragmentSelector",
        "TextQuoteSelector",
    ]
    assert first["id"] == second["id"]  # of one passage


def test_markup_in_a_book_is_escaped_in_markdown_and_html() -> None:
    quote = "<b>1. *bold* [x](y) & &amp; _really_ `code`"
    text = exported(quote, Format.MD)
    rendered = html.fromstring(f"<div>{MarkdownIt().render(text)}</div>")
    assert (
        rendered.xpath("//blockquote//b | //blockquote//a | //blockquote//code[. = 'code']") == []
    )
    strong = rendered.xpath("string(//blockquote//strong)")
    assert strong == "<b>1. *bold* [x](y) & &amp; really `code`"
    assert rendered.xpath("//blockquote//em/text()") == ["really"]
    page = html.fromstring(exported(quote, Format.HTML))
    assert page.xpath("string(//blockquote/p[1])").split() == [
        *"before it".split(),
        *strong.split(),
        *"after it".split(),
    ]


STANZAS = "In _such_ a night\n  Stood Dido with 10\n- A willow\n\n2.\n\nIn such\nA night"
LINES = ["In such a night", "Stood Dido with", "- A willow", "", "In such", "A night"]


@pytest.mark.parametrize("format", [Format.MD, Format.OBSIDIAN, Format.HTML])
def test_verse_keeps_its_lines_in_a_block_quotation(format: Format) -> None:
    text = exported(STANZAS, format, with_context=False)
    markup = text if format is Format.HTML else MarkdownIt().render(text.split("---")[-1])
    passage = re.search(r"In <em>such.*?A night", markup, re.DOTALL)
    assert passage is not None
    lines = re.split(r"(?:<br ?/?>|</p>|<p>)\n?", re.sub("</?em>", "", passage[0]))
    assert list(filter(None, map(str.strip, lines))) == list(filter(None, LINES))


def test_verse_that_a_word_processor_gets_keeps_its_lines() -> None:
    export = Export("T", [placed(STANZAS)], CitationStyle.MLA, "2026-01-02")
    document = docx.Document(io.BytesIO(export_files.write(export, Format.DOCX)))
    assert "\n".join(LINES) in document.paragraphs[2].text


def test_verse_on_one_line_has_slashes() -> None:
    row = next(csv.DictReader(io.StringIO(exported(STANZAS, Format.CSV))))
    assert row["quote"] == ("In _such_ a night / Stood Dido with / - A willow // In such / A night")


def test_lines_around_a_passage_of_verse_are_kept() -> None:
    quotation = replace(placed("Stood Dido"), before="In such\nA night\n", after=" with\nA willow")
    export = Export("T", [quotation], CitationStyle.MLA, "2026-01-02", with_context=True)
    text = export_files.write(export, Format.MD).decode("utf-8")
    assert "> In such  \n> A night  \n> **Stood Dido** with  \n> A willow\n" in text


@pytest.mark.parametrize(
    "quote",
    [
        "She said that it was in the\nwhole of the county\nthe best.",
        "One of the papers said that they thought it would rain; it was, I think, The\nTimes.",
    ],
)
def test_prose_has_no_lines(quote: str) -> None:
    text = exported(quote, Format.MD, with_context=False)
    assert f"> {' '.join(quote.split())}\n" in text


def of_paragraphs(format: Format, *, with_context: bool = False) -> bytes:
    quotation = replace(placed("Late.\n\n_She_ went\n\naway"), before="Dark.\n\n", after=".\n\nSo.")
    export = Export("T", [quotation], CitationStyle.MLA, "2026-01-02", with_context)
    return export_files.write(export, format)


@pytest.mark.parametrize("format", [Format.MD, Format.OBSIDIAN, Format.HTML])
def test_a_passage_keeps_its_paragraphs(format: Format) -> None:
    for with_context, expected in (
        (False, "Late.|She went|away"),
        (True, "Dark.|Late.|She went|"),
    ):
        text = of_paragraphs(format, with_context=with_context).decode("utf-8")
        markup = text if format is Format.HTML else MarkdownIt().render(text.split("---")[-1])
        paragraphs = html.fromstring(f"<div>{markup}</div>").xpath("//blockquote/p")
        assert expected in "|".join(part.text_content().strip() for part in paragraphs)


def test_a_passage_in_word_keeps_its_paragraphs() -> None:
    document = docx.Document(io.BytesIO(of_paragraphs(Format.DOCX, with_context=True)))
    quotes = [part.text for part in document.paragraphs if part.style.name == "Quote"]
    assert quotes == ["Dark.", "Late.", "She went", "away.", "So. (Ash)"]


def test_a_passage_on_one_line_has_no_paragraphs() -> None:
    row = next(csv.DictReader(io.StringIO(of_paragraphs(Format.CSV).decode("utf-8"))))
    assert row["quote"] == "Late. _She_ went away"


@pytest.mark.parametrize(
    ("quote", "after", "printed"),
    [
        ("soulless and heartless", "?—You think wrong!", "soulless and heartless?"),
        ("come _here", "_!” he said", "come here!"),
        ("and so", " . . . and on", "and so . . ."),
        ("and so", "…?", "and so…?"),
        ("the light", ", he said", "the light"),
        ("the light", ". It", "the light"),
        ("He went.", "? no", "He went."),
    ],
)
def test_a_passage_has_the_end_mark_of_its_book(quote: str, after: str, printed: str) -> None:
    export = Export("T", [replace(placed(quote), after=after)], CitationStyle.MLA, "2026-01-02")
    page = html.fromstring(export_files.write(export, Format.HTML).decode("utf-8"))
    assert page.xpath("string(//blockquote/p[1])") == printed
    table = csv.DictReader(io.StringIO(export_files.write(export, Format.CSV).decode("utf-8")))
    assert next(table)["quote"].replace("_", "") == printed


@pytest.mark.parametrize(
    "quote",
    [
        "- a list",
        "12. Number",
        "+ plus",
        "1) One",
        "---",
        "~~~ fence",
        "# heading",
        "==x== %%y%% $z$",
    ],
)
def test_a_passage_reads_as_in_its_book(quote: str) -> None:
    text = exported(quote, Format.MD, with_context=False)
    page = html.fromstring(f"<div>{MarkdownIt().render(text)}</div>")
    assert page.xpath("string(//blockquote/p[1])") == quote
    assert not any(sign in text.replace("\\", "") for sign in ("\n---", "\n~~~"))


def test_the_signs_of_a_note_mean_nothing() -> None:
    note = "# Not a heading\n\n<script>x</script> \ud800\n\n```dataviewjs"
    text = exported("q", Format.OBSIDIAN, note)
    page = html.fromstring(f"<div>{MarkdownIt().render(text.split('---')[2])}</div>")
    assert page.xpath("//h1 | //script | //pre") == []
    assert "Not a heading" in page.xpath("string()")


@pytest.mark.parametrize("title", ["Westward Ho!", "Can You Forgive Her?", "A Book"])
def test_a_title_with_a_mark_of_its_own_gets_no_stop(title: str) -> None:
    book = Book("pg1", title, "Ann Ash", "en", "", "")
    place = CitedPlace(book, Imprint(), None, "pg1", title)
    saved = SavedQuotation("pg1:1.1", "q", "pg1", "", "", "")
    export = Export("T", [PlacedQuotation(saved, place)], CitationStyle.MLA, "2026-01-02")
    [entry] = export.works()
    assert f"{title}{citations.ITALICS}{'.' if title == 'A Book' else ''} Project" in entry


def export_of(*works: tuple[str, str], style: CitationStyle) -> Export:
    """Return an export of a passage of page 7 of each work, by its author and its title."""
    placed = []
    for number, (author, title) in enumerate(works):
        book = Book(f"own-{number}", title, author, "en", "", "")
        place = CitedPlace(book, Imprint(), None, book.id, title, page="7")
        saved = SavedQuotation(f"{book.id}:1.1", "q", book.id, "", "", "")
        extract = Extract(book, FRONT, "q", (), Span(0, 1), saved.locator)
        placed.append(PlacedQuotation(saved, place, extract))
    return Export("T", placed, style, "2026-01-02")


def in_text(*works: tuple[str, str], style: CitationStyle = CitationStyle.MLA) -> list[str]:
    """Return the in-text citations of the works of export_of."""
    export = export_of(*works, style=style)
    return list(map(export.in_text, export.quotations))


def test_works_by_one_author_are_cited_with_their_titles() -> None:
    hamlet, lear = ("Ann Ash", "Hamlet"), ("Ann Ash", "The Tragedy of Lear; or, A Storm")
    assert in_text(hamlet, lear, ("Bo Birch", "A Tale"), ("", "The Fables")) == [
        "(Ash, Hamlet 7)",
        "(Ash, Tragedy of Lear 7)",
        "(Birch 7)",
        "(The Fables 7)",
    ]
    assert in_text(hamlet, hamlet) == ["(Ash 7)", "(Ash 7)"]
    assert in_text(("Ann Ash", "Emma Vol. 1"), ("Ann Ash", "Emma Vol. 2")) == ["(Ash 7)"] * 2


def test_works_by_one_author_of_one_year_are_told_apart_in_apa_by_letters() -> None:
    works = (("Ann Ash", "The Tale"), ("Ann Ash", "Hamlet"), ("Bo Birch", "Lear"), ("", "A Fable"))
    assert in_text(*works, style=CitationStyle.APA) == [
        "(Ash, n.d.-b, p. 7)",
        "(Ash, n.d.-a, p. 7)",
        "(Birch, n.d., p. 7)",
        "(A Fable, n.d., p. 7)",
    ]
    export = export_of(*works, style=CitationStyle.APA)
    assert [entry.replace(citations.ITALICS, "") for entry in export.works()][1:3] == [
        "Ash, A. (n.d.-a). Hamlet.",
        "Ash, A. (n.d.-b). The Tale.",
    ]
    volumes = [("Ann Ash", f"Emma Vol. {number}") for number in (10, 2)]
    assert in_text(*volumes, style=CitationStyle.APA)[0] == "(Ash, n.d.-b, p. 7)"


def test_more_works_of_one_year_than_the_alphabet_has_letters_are_told_apart() -> None:
    works = [("Ann Ash", f"Tale {number:02}") for number in range(28)]
    cited = in_text(*works, style=CitationStyle.APA)
    assert cited[25:] == [f"(Ash, n.d.-{letters}, p. 7)" for letters in ("z", "aa", "ab")]
