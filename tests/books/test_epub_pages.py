"""EPUBs as real tools and people make them: every page of the spine is read, or named."""

from __future__ import annotations

import io
import re
import unicodedata
import zipfile

import pytest

from epubs import PAGE, PROSE, XHTML, Epub, chapter, chapter_numbers, read_epub
from scholar_indexes.books.adding import source_pages
from scholar_indexes.books.formats import sources
from scholar_indexes.errors import NotABook


def second(href: str, name: str) -> Epub:
    """Return an EPUB whose second page has another address than name."""
    ends = "Text/ch1.xhtml", "Text/ch3.xhtml"
    return Epub(hrefs=(ends[0], href, ends[1]), names=(ends[0], name, ends[1]))


def of_type(kind: str, *, fallback: str = "", more: str = "") -> Epub:
    return Epub(types=(XHTML, kind, XHTML), attributes=("", fallback, ""), more=more)


COMPOSED, DECOMPOSED = (unicodedata.normalize(form, "Text/épée.xhtml") for form in ("NFC", "NFD"))
AS_CP437 = COMPOSED.encode("utf-8").decode("cp437")
AS_LATIN_1 = COMPOSED.encode("latin-1").decode("cp437")
SVG = "<svg xmlns='http://www.w3.org/2000/svg'><title>no</title><text>{}</text></svg>"
CONTENTS = PAGE.format("<ul><li><a href='#a'>Chapter 1</a></li><li><a href='#b'>2</a></li></ul>")
CONTENTS_ITEM = f"<item id='toc' href='toc.xhtml' media-type='{XHTML}'/>"
GUIDE = "</spine><guide><reference type='toc' href='{}'/></guide><spine>"
SPINE = Epub.spine
UNDECLARED = re.sub(
    r"<(/?)(?!dc:)(?=\w)", r"<\1opf:", re.sub(r" xmlns[\w:]*='[^']*'", "", Epub().opf())
)


@pytest.mark.parametrize(
    "made",
    [
        pytest.param(Epub(), id="as it should be"),
        pytest.param(second("text/CH2.XHTML", "Text/ch2.xhtml"), id="another case"),
        pytest.param(second(COMPOSED, DECOMPOSED), id="NFC in the package, NFD in the archive"),
        pytest.param(second(DECOMPOSED, COMPOSED), id="NFD in the package, NFC in the archive"),
        pytest.param(second(COMPOSED, AS_CP437), id="UTF-8 without its flag"),
        pytest.param(second("Text/%C3%A9p%C3%A9e.xhtml", AS_CP437), id="percents and no flag"),
        pytest.param(second(COMPOSED, AS_LATIN_1), id="a name in Latin-1"),
        pytest.param(second("/OEBPS/Text/ch2.xhtml", "Text/ch2.xhtml"), id="a leading slash"),
        pytest.param(second("/Text/ch2.xhtml", "Text/ch2.xhtml"), id="a slash for the folder"),
        pytest.param(second("OEBPS/Text/ch2.xhtml", "Text/ch2.xhtml"), id="from the top"),
        pytest.param(second("Text\\ch2.xhtml", "Text/ch2.xhtml"), id="a backslash in the package"),
        pytest.param(second("Text/ch2.xhtml", "Text\\ch2.xhtml"), id="a backslash in the archive"),
        pytest.param(second("./Text/../Text/ch2.xhtml", "Text/ch2.xhtml"), id="dots"),
        pytest.param(second("ch2.xhtml", "Text/ch2.xhtml"), id="another folder"),
        pytest.param(second("Text/ch%202.xhtml", "Text/ch 2.xhtml"), id="percents in the package"),
        pytest.param(second("Text/ch 2.xhtml", "Text/ch%202.xhtml"), id="percents in the archive"),
        pytest.param(second("Text/ch%202.xhtml", "Text/ch%202.xhtml"), id="percents in both"),
        pytest.param(second("Text/50%.xhtml", "Text/50%.xhtml"), id="a bare percent sign"),
        pytest.param(second("Text/No. #2.xhtml", "Text/No. #2.xhtml"), id="a bare number sign"),
        pytest.param(second("Text/ch2.xhtml#start", "Text/ch2.xhtml"), id="a fragment"),
        pytest.param(second(" Text/ch2.xhtml ", "Text/ch2.xhtml"), id="white space around"),
        pytest.param(of_type("application/xml"), id="XML"),
        pytest.param(of_type("text/html"), id="HTML"),
        pytest.param(of_type("text/x-oeb1-document"), id="OEB 1"),
        pytest.param(of_type(""), id="no media type"),
        pytest.param(of_type("application/octet-stream"), id="bytes"),
        pytest.param(of_type("APPLICATION/XHTML+XML; charset=utf-8"), id="a charset"),
        pytest.param(
            Epub(
                hrefs=("Text/ch1.xhtml", "two.pdf", "Text/ch3.xhtml"),
                types=(XHTML, "application/pdf", XHTML),
                attributes=("", "fallback='html'", ""),
                more=f"<item id='html' href='Text/ch2.xhtml' media-type='{XHTML}'/>",
            ),
            id="the fallback of a PDF",
        ),
        pytest.param(
            Epub(pages=(chapter(1), f"Chapter 2\n\nHere begins page2. {PROSE}", chapter(3))),
            id="plain text",
        ),
        pytest.param(Epub(spine=GUIDE.format("Text/ch1.xhtml#toc") + SPINE), id="a part is a toc"),
        pytest.param(Epub(spine=GUIDE.format("Text/ch1.xhtml") + SPINE), id="toc by mistake"),
        pytest.param(Epub(attributes=("properties='nav'", "", "")), id="nav by mistake"),
        pytest.param(
            Epub(
                pages=(
                    chapter(1),
                    chapter(2).replace("<body>", "<body epub:type='toc'>"),
                    chapter(3).replace("<body>", "<body><nav>").replace("</body>", "</nav></body>"),
                )
            ),
            id="a kind by mistake",
        ),
        pytest.param(Epub(spine=SPINE.replace("'p2'", "'p2' linear='no'")), id="not linear"),
        pytest.param(
            Epub(ids=("p1", "p", "p"), spine=SPINE.replace("p2", "p").replace("p3", "p")),
            id="two items with one id",
        ),
        pytest.param(
            Epub(ids=("p1", "p", "p"), spine="<itemref idref='p1'/><itemref idref='p'/>"),
            id="two items with one id, named once",
        ),
        pytest.param(Epub(spine=SPINE.replace("'p2'", "' P2 '")), id="an id of another case"),
        pytest.param(
            Epub(spine=SPINE.replace("'p2'", "'Text/ch2.xhtml'")), id="an address for an id"
        ),
        pytest.param(
            Epub(
                pages=(chapter(1), SVG.format(f"Here begins page2. {PROSE}"), chapter(3)),
                types=(XHTML, "image/svg+xml", XHTML),
            ),
            id="a page of SVG",
        ),
        pytest.param(Epub(spine=""), id="an empty spine"),
        pytest.param(Epub(spine=SPINE + "<itemref idref='p2'/>"), id="a page twice"),
        pytest.param(Epub(folder="The Geese/"), id="a folder around it"),
        pytest.param(
            Epub(folder="The Geese/", files={"../__MACOSX/The Geese/._content.opf": "x"}),
            id="a folder around it, from a Mac",
        ),
        pytest.param(
            Epub(
                rootfiles="<rootfile full-path='a.pdf' media-type='application/pdf'/>"
                + Epub.rootfiles
            ),
            id="another rootfile first",
        ),
        pytest.param(
            Epub(rootfiles=Epub.rootfiles.replace("OEBPS/content", "oebps/Content")),
            id="a rootfile of another case",
        ),
        pytest.param(Epub(rootfiles=""), id="an empty container"),
        pytest.param(Epub(files={"META-INF/container.xml": None}), id="no container"),
        pytest.param(
            Epub(
                pages=(
                    chapter(1),
                    chapter(2).replace("<p>", "<p>&nbsp;&mdash;&bogus;<br>"),
                    "\ufeff" + chapter(3).replace("<title>t</title>", "<title/>"),
                )
            ),
            id="pages that are not well-formed",
        ),
        pytest.param(
            Epub(files={"OEBPS/content.opf": UNDECLARED}), id="a package with undeclared prefixes"
        ),
        pytest.param(
            Epub(pages=(chapter(1) + chapter(2), chapter(3), PAGE.format(""))),
            id="two pages in one file",
        ),
        pytest.param(
            Epub(
                pages=(
                    chapter(1) + "<p>So page2 it is.</p>\nAnd page3",
                    PAGE.format(""),
                    PAGE.format(""),
                )
            ),
            id="text after the end of a page",
        ),
        pytest.param(
            Epub(
                pages=(
                    chapter(1).encode("utf-16"),
                    chapter(2).replace("<p>", "<p><![CDATA[x ]]>"),
                    chapter(3)
                    .replace("<p", "<h:p")
                    .replace("</p", "</h:p")
                    .replace("<html", "<html xmlns:h='http://www.w3.org/1999/xhtml'"),
                )
            ),
            id="other forms of XML",
        ),
    ],
)
def test_every_page_of_the_spine_is_read(made: Epub) -> None:
    book = read_epub(made)
    assert chapter_numbers(book) == [1, 2, 3]
    assert not [page for page in book.pages if page.is_lost]
    assert book.title == "The Geese"


@pytest.mark.parametrize(
    ("made", "numbers", "report"),
    [
        pytest.param(
            Epub(files={"OEBPS/Text/ch2.xhtml": None}),
            [1, 3],
            "3 pages, 1 could not be read: Text/ch2.xhtml (not in the archive)",
            id="a page that is missing",
        ),
        pytest.param(
            Epub(files={"OEBPS/Text/ch2.xhtml": None, "other/ch1.xhtml": chapter(9)}),
            [1, 3],
            "3 pages, 1 could not be read: Text/ch2.xhtml (not in the archive)",
            id="a page that is missing, next to strangers",
        ),
        pytest.param(
            Epub(
                hrefs=("a/ch.xhtml", "b/ch.xhtml", "c/ch.xhtml"),
                names=("a/ch.xhtml", "b/ch.xhtml", "d/other.xhtml"),
            ),
            [1, 2],
            "3 pages, 1 could not be read: c/ch.xhtml (not in the archive)",
            id="a missing page is not its namesake",
        ),
        pytest.param(
            Epub(spine=SPINE.replace("p2", "p9")),
            [1, 3],
            "3 pages, 1 could not be read: p9 (not in the list of files)",
            id="a page that is not listed",
        ),
        pytest.param(
            second("https://example.org/ch2.html", "Text/ch2.xhtml"),
            [1, 3],
            "3 pages, 1 could not be read: https://example.org/ch2.html (on the web)",
            id="a page on the web",
        ),
        pytest.param(
            of_type("application/pdf"),
            [1, 3],
            "3 pages, 1 could not be read: OEBPS/Text/ch2.xhtml (a PDF)",
            id="a page that is a PDF",
        ),
        pytest.param(
            of_type("image/jpeg"), [1, 3], "3 pages (1 without text), all read", id="a picture"
        ),
        pytest.param(
            Epub(pages=(chapter(1), PAGE.format("<img src='c.jpg'/>"), chapter(3))),
            [1, 3],
            "3 pages (1 without text), all read",
            id="a page of a picture",
        ),
        pytest.param(
            Epub(
                more=CONTENTS_ITEM,
                spine="<itemref idref='toc'/>" + GUIDE.format("toc.xhtml") + SPINE,
                files={"OEBPS/toc.xhtml": CONTENTS},
            ),
            [1, 2, 3],
            "4 pages (1 without text), all read",
            id="a table of contents",
        ),
        pytest.param(
            Epub(
                rootfiles=Epub.rootfiles + Epub.rootfiles.replace("OEBPS", "other"),
                files={"other/content.opf": Epub().opf()},
            ),
            [1, 2, 3],
            "4 pages, 1 could not be read: other/content.opf (another edition in the same file)",
            id="another edition in the same file",
        ),
    ],
)
def test_a_page_that_cannot_be_read_is_named(made: Epub, numbers: list[int], report: str) -> None:
    book = read_epub(made)
    assert chapter_numbers(book) == numbers
    assert source_pages.summary(book.pages) == report
    assert len(list(source_pages.lines(book.pages))) == len(book.pages)


def test_entities_that_a_page_declares_are_read() -> None:
    declared = (
        "<!DOCTYPE html [<!ENTITY who 'the gander'><!ENTITY nbsp \"&#160;\">"
        "<!ENTITY lol '&who;&who;'><!ENTITY secret SYSTEM 'file:///etc/passwd'>]><html"
    )
    page = chapter(2).replace("Here", "Here,&nbsp;&who;&mdash;&lol;&secret; Here")
    book = read_epub(Epub(pages=(chapter(1), page.replace("<html", declared), chapter(3))))
    assert "Chapter 2\n\nHere, the gander—&lol;&secret; Here begins page2." in book.text


def test_a_damaged_page_is_named() -> None:
    data = bytearray(Epub(pages=(chapter(1), chapter(2), b"stored " * 40)).data())
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        info = archive.getinfo("OEBPS/Text/ch2.xhtml")
    at = info.header_offset + 30 + len(info.filename)
    data[at : at + 40] = bytes(40)
    book = sources.read(bytes(data), "geese.epub")
    assert [(page.name, page.remark) for page in book.pages if page.is_lost] == [
        ("OEBPS/Text/ch2.xhtml", "damaged")
    ]


@pytest.mark.parametrize(
    ("made", "message"),
    [
        pytest.param(
            Epub(types=("image/png",) * 3),
            "has only 0 words because 3 of its 3 pages are a picture, without text",
            id="pictures",
        ),
        pytest.param(
            Epub(files={f"OEBPS/{name}": None for name in Epub.names}),
            "has only 0 words because 3 of its 3 pages are not in the archive",
            id="no pages",
        ),
        pytest.param(
            Epub(
                files={
                    "META-INF/container.xml": None,
                    "OEBPS/content.opf": None,
                    "inner.epub": b"PK",
                }
            ),
            "is an archive with inner.epub in it; unpack it first",
            id="an archive of one EPUB",
        ),
        pytest.param(
            Epub(folder="a/", files={"../b/META-INF/container.xml": "<container/>"}),
            "is an archive of 2 EPUBs; unpack it and add each",
            id="an archive of folders",
        ),
    ],
)
def test_a_refusal_gives_the_right_reason(made: Epub, message: str) -> None:
    with pytest.raises(NotABook) as refusal:
        read_epub(made)
    assert message in str(refusal.value)
