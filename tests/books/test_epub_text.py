"""The text of the pages of an EPUB, without signs, hidden text and markup."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epubs import PAGE, PROSE, Epub, chapter, read_epub
from scholar_indexes.books.segmentation.chapters import divide


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("water<a href='n.xhtml#n1' epub:type='noteref'>1</a> to", "water to"),
        ("boot.<a href='n.xhtml#n1' role='doc-noteref'>[12]</a> She", "boot. She"),
        ("water<a href='#fn1' class='footnote-ref' id='fnref1'><sup>1</sup></a> to", "water to"),
        ("water<a href='#Footnote_1' id='FNanchor_1' class='fnanchor'>[A]</a> to", "water to"),
        ("water<a href='#_ftn1' id='_ftnref1'><span class='super'>[1]</span></a> to", "water to"),
        ("water<sup><a href='#n1'>a</a></sup> to", "water to"),
        ("water<sup>1</sup> to", "water to"),
        ("water<sup>*</sup> to", "water to"),
        ("water<span style='vertical-align: super'>2</span> to", "water to"),
        ("in 1805<sup>3</sup> the", "in 1805 the"),
        ("water<a href='#n1'>†</a> to", "water to"),
        ("water<a href='#n1'>¹</a> to", "water to"),
        ("an<span epub:type='pagebreak' title='12'>12</span>swer", "answer"),
        ("an<span role='doc-pagebreak'>12</span>swer", "answer"),
        ("for<a class='pageno' id='Page_13'>[Pg 13]</a>ty", "forty"),
        ("for<a id='page_13'>[13]</a>ty", "forty"),
        ("he <ruby>looked<rp>(</rp><rt>lukt</rt><rp>)</rp></ruby> out", "he looked out"),
        ("gone<span hidden='hidden'> not seen</span> away", "gone away"),
        ("gone<span style='color: red; display: none'> not seen</span> away", "gone away"),
        ("count&shy;ing sacks", "counting sacks"),
        ("&#147;Geese&#148;&#0151;it&#146;s&#133;", "“Geese”—it’s…"),
        ("\u0093Geese\u0094 \u0097 it\u0092s", "“Geese” — it’s"),
        ("in the loft<sup>a</sup> that", "in the loft that"),
        ("upon the lane,<span class='linenum'>5</span> and", "upon the lane, and"),
        ("water<sup><a href='#n1'>1</a>, <a href='#n2'>2</a></sup> to", "water to"),
        ("water<sup>3–5</sup> and loft<sup>*†</sup> to", "water and loft to"),
        ("water<a href='note1.xhtml'>1</a> to", "water to"),
        ("water<span style='vertical-align: 30%'>2</span> to", "water to"),
        ("an<span class='page-break'>12</span>swer <span class='folio'>13</span>", "answer"),
        ("gone<audio src='a'> no player</audio><canvas>no</canvas> away", "gone away"),
        ("<img src='h.png' alt='H'/>er brother", "Her brother"),
        ("<img src='g.png' alt='A picture of geese'/>The geese", "The geese"),
        (
            "<epub:switch><epub:case>x</epub:case><epub:default>gone</epub:default></epub:switch>",
            "gone",
        ),
        ("<span class='dropcap'>T</span> <span>HE geese</span>", "THE geese"),
        ("<img src='t.png' alt='Drop cap T'/>he geese", "The geese"),
        (
            "He: <q>the <q>geese</q></q> and <q>“hens”</q> and “<q>mill</q>”",
            "He: “the ‘geese’” and “hens” and “mill”",
        ),
        # no signs
        ("<sup>1</sup>In the beginning.<sup>2</sup> And", "1 In the beginning. And"),
        ("<span class='dropcap'>I</span> saw", "I saw"),
        ("<span class='dropcap'>E</span> venne il giorno", "E venne il giorno"),
        ("<span class='initial'>Q</span> What geese?", "Q What geese?"),
        ("<sup>1</sup>/<sub>2</sub> cup and <sup>3</sup>/<sub>4</sub>", "1/2 cup and 3/4"),
        ("Na<sup>+</sup> and the <sup>1st</sup> of May", "Na+ and the 1st of May"),
        ("<b class='page'>I</b> saw <span class='ln'>Pool</span>", "I saw Pool"),
        ("<i class='folio'>Hamlet</i>, see <a class='page' href='#p12'>12</a>", "Hamlet, see 12"),
        ("Psalm 23:<a href='ps23.html'>4</a> and §<a href='s5.html'>5</a>", "Psalm 23:4 and §5"),
        ("in <cite><title>The Geese</title></cite>", "in The Geese"),
        ("the picture <img src='t.png' alt='Letter T'/> is", "the picture is"),
        ("x<span style='vertical-align: 0px'>2</span>", "x2"),
        ("y<sup>e</sup> wo<sup>d</sup> obed<sup>t</sup>", "ye wod obedt"),
        ("the 1<sup>st</sup> of May", "the 1st of May"),
        ("M<sup>r</sup> Pool", "Mr Pool"),
        ("x<sup>2</sup> and 10<sup>5</sup> km<sup>2</sup>", "x2 and 105 km2"),
        ("see chapter <a href='#c3'>3</a> and", "see chapter 3 and"),
        ("pages 12–<a href='#p14'>14</a> of", "pages 12–14 of"),
        ("<a href='#c1'>1</a> The Geese", "1 The Geese"),
        ("the <a epub:type='noteref' href='#n'>gander</a> hissed", "the gander hissed"),
        ("then <span id='p1'>I</span> saw", "then I saw"),
        (
            "and <span epub:type='pagebreak'>a whole sentence in a wrong mark</span> here",
            "and a whole sentence in a wrong mark here",
        ),
    ],
)
def test_signs_that_are_no_words_are_left_out(markup: str, text: str) -> None:
    page = PAGE.format(f"<p>{markup}</p>")
    book = read_epub(Epub(pages=(page, chapter(2), chapter(3))))
    assert book.text.split("\n\n")[0] == text


@pytest.mark.parametrize("letter", ["<h3 class='initial'>B</h3>", "<p class='initial'>B</p>"])
def test_a_letter_above_the_entries_of_an_index_is_no_part_of_a_word(letter: str) -> None:
    page = PAGE.format(f"{letter}<p>Babel, a tower</p><p>Bacon, a lord</p>")
    book = read_epub(Epub(pages=(page, chapter(2), chapter(3))))
    assert "Babel, a tower\n\nBacon" in book.text
    assert "BBabel" not in book.text


def test_a_raised_number_of_a_chapter_is_no_sign_of_a_note() -> None:
    css = "<style>.n { vertical-align: top }</style>"
    page = PAGE.format(
        f"{css}<p>Part <span class='n'>5</span>, so<span class='n'>1</span> it is</p>"
    )
    book = read_epub(Epub(pages=(page, chapter(2), chapter(3))))
    assert book.text.startswith("Part 5, so it is")


HIDDEN = "gone <span class='x'>not seen</span>away"


@pytest.mark.parametrize(
    ("css", "text"),
    [
        (".x { display: none }", "gone away"),
        ("/* a { */ @import 'a.css'; p, span.X{color:red;DISPLAY:none!important}", "gone away"),
        ("b{}.x{visibility:hidden}", "gone away"),
        (".x { display: none } @media print { .x { display: block } }", "gone away"),
        # shown to some readers, or somewhere
        ("@media amzn-mobi { .x { display: none } }", "gone not seenaway"),
        (".x { display: none } p .x { display: inline }", "gone not seenaway"),
        ("div .x, p.x { display: none }", "gone not seenaway"),
        (".x:before { display: none } .xx { display: none }", "gone not seenaway"),
        (".x { display: none", "gone not seenaway"),
        ("} .x { } { display: none }", "gone not seenaway"),
    ],
)
@pytest.mark.parametrize("is_linked", [False, True])
def test_text_that_the_style_sheet_of_a_book_hides_is_left_out(
    css: str, text: str, is_linked: bool
) -> None:
    style = "<link rel='stylesheet' href='../a%20b.css'/>" if is_linked else f"<style>{css}</style>"
    page = PAGE.format(f"<p>{HIDDEN}</p><p>{PROSE}</p>").replace("<body", f"{style}<body", 1)
    made = Epub(pages=(page, chapter(2), chapter(3)), files={"OEBPS/a b.css": css})
    assert read_epub(made).text.split("\n\n")[0] == text


def test_a_class_that_the_style_sheet_raises_has_signs() -> None:
    css = ".a { font-size: 70%; vertical-align: super } .b { vertical-align: baseline }"
    page = PAGE.format("<p>water<span class='a'>1</span> and 4<span class='b'>5</span></p>")
    page = page.replace("<body", f"<style>{css}</style><body", 1)
    assert read_epub(Epub(pages=(page, chapter(2), chapter(3)))).text.startswith("water and 45\n")


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<span class='x'>The geese</span><span class='x'>went out</span>", "The geese\nwent out"),
        ("<i style='display: block'>The geese</i> went out", "The geese\nwent out"),
        (
            "<span class='x'>The geese</span><br/><span class='x'>went out</span>",
            "The geese\nwent out",
        ),
        (
            "<span class='x'>The <b>geese</b></span>\n<span class='x'>went out</span>",
            "The geese\nwent out",
        ),
        ("<span class='x'>T</span>he geese went out", "The geese went out"),
        ("<span class='y'>The wild</span> geese", "The wild geese"),
        ("<span style='display: inline-block'>The wild</span> geese", "The wild geese"),
    ],
)
def test_words_that_style_puts_on_lines_of_their_own_are_apart(markup: str, text: str) -> None:
    css = "<style>.x { display: block } .y { display: block; float: left }</style><body"
    page = PAGE.format(f"<p>{markup}</p>").replace("<body", css, 1)
    book = read_epub(Epub(pages=(page, chapter(2), chapter(3))))
    assert book.text.split("\n\n")[0] == text


def test_parts_that_begin_a_new_page_are_read() -> None:
    page = PAGE.format(
        "<h2 class='pagebreak'>Part One</h2><h3 class='pagebreak'>II</h3>"
        "<div class='pagebreak'><p>To Ann</p></div><div class='dropcap'>T</div><p>he geese</p>"
    )
    blocks = read_epub(Epub(pages=(page, chapter(2), chapter(3)))).text.split("\n\n")
    assert blocks[:4] == ["Part One", "II", "To Ann", "The geese"]


def test_headings_first_letters_and_hidden_pages_are_read() -> None:
    style = "<style>.x { display: none }</style><body"
    pages = [
        PAGE.format(body).replace("<body", style, 1)
        for body in (
            f"<h2 class='x'>Chapter 1</h2><p><span class='x'>H</span>er {PROSE}</p>",
            f"<div class='x'><p>Chapter 2</p><p>{PROSE}</p></div>",
        )
    ]
    blocks = read_epub(Epub(pages=(*pages, chapter(3)))).text.split("\n\n")
    assert blocks[0] == "Chapter 1"
    assert blocks[1].startswith("Her ")
    assert blocks[2] == "Chapter 2"


def test_a_heading_broken_after_its_word_begins_a_chapter() -> None:
    pages = [chapter(n).replace("Chapter ", "Chapter<br/>") for n in (1, 2, 3)]
    pages[1] = pages[1].replace("<br/>2", " <br/> the Second<br/>The Loft")
    book = read_epub(Epub(pages=pages))
    chapters = divide(book.text, book.headings)
    assert [chapter.title for chapter in chapters if chapter.number] == [
        "Chapter 1",
        "Chapter the Second. The Loft",
        "Chapter 3",
    ]


def test_a_sidenote_is_a_paragraph_of_its_own() -> None:
    page = PAGE.format("<p>It was forty.<span class='sidenote'>Ben counts.</span> He rose.</p>")
    book = read_epub(Epub(pages=(page, chapter(2), chapter(3))))
    assert book.text.split("\n\n")[:2] == ["It was forty. He rose.", "Ben counts."]


def test_a_note_in_a_paragraph_follows_it() -> None:
    note = "<aside epub:type='footnote'><p>{}. A note.</p></aside>"
    page = PAGE.format(f"<p>Ben did{note.format(1)} not{note.format(2)} answer.</p><p>Then</p>")
    book = read_epub(Epub(pages=(page, chapter(2), chapter(3))))
    assert book.text.split("\n\n")[:4] == [
        "Ben did not answer.",
        "1. A note.",
        "2. A note.",
        "Then",
    ]


WORDS = st.lists(st.sampled_from(["geese", "mill", "loft", "water"]), min_size=1, max_size=9)
SIGNS = st.sampled_from(
    [
        "<sup>1</sup>",
        "<a epub:type='noteref' href='#n'>2</a>",
        "<a href='#n'>[3]</a>",
        "<i></i>",
        "<span epub:type='pagebreak' title='4'/>",
        "<a href='#n'><sup>†</sup></a>",
    ]
)


@given(st.lists(st.tuples(WORDS, SIGNS), min_size=1, max_size=8))
def test_signs_never_cost_a_word(parts: list[tuple[list[str], str]]) -> None:
    markup = " ".join(" ".join(words) + sign for words, sign in parts)
    page = PAGE.format(f"<p>{markup}</p>")
    book = read_epub(Epub(pages=(page, chapter(2), chapter(3))))
    words = [word for words, _ in parts for word in words]
    assert book.text.split("\n\n")[0].split() == words
