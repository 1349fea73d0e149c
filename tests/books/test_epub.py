"""EPUBs as real tools and people make them: every page of the spine is read, or named."""

from __future__ import annotations

import io
import unicodedata
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.books.adding import source_pages
from scholar_indexes.books.formats import sources
from scholar_indexes.books.manuscript import Manuscript
from scholar_indexes.books.segmentation.chapters import divide
from scholar_indexes.errors import NotABook

PROSE = "It was a wet morning, and the yard stood under water to the height of a boot. "
XHTML = "application/xhtml+xml"
PAGE = (
    "<html xmlns='http://www.w3.org/1999/xhtml' xmlns:epub='http://www.idpf.org/2007/ops'>"
    "<head><title>t</title></head><body>{}</body></html>"
)
OPF = "application/oebps-package+xml"


def chapter(number: int) -> str:
    """Return a page whose text has the word "pageN"."""
    return PAGE.format(f"<h2>Chapter {number}</h2><p>Here begins page{number}. {PROSE * 4}</p>")


@dataclass
class Epub:
    """A small EPUB of three chapters, of which a case changes one thing.

    `hrefs` are the addresses in the package, `names` the files in the archive, in the same order.
    """

    hrefs: Sequence[str] = ("Text/ch1.xhtml", "Text/ch2.xhtml", "Text/ch3.xhtml")
    names: Sequence[str] = ("Text/ch1.xhtml", "Text/ch2.xhtml", "Text/ch3.xhtml")
    pages: Sequence[str | bytes] = (chapter(1), chapter(2), chapter(3))
    types: Sequence[str] = (XHTML, XHTML, XHTML)
    attributes: Sequence[str] = ("", "", "")
    ids: Sequence[str] = ("p1", "p2", "p3")
    spine: str = "<itemref idref='p1'/><itemref idref='p2'/><itemref idref='p3'/>"
    metadata: str = "<dc:title>The Geese</dc:title><dc:language>en</dc:language>"
    more: str = ""
    package: str = "OEBPS/content.opf"
    folder: str = ""
    rootfiles: str = f"<rootfile full-path='OEBPS/content.opf' media-type='{OPF}'/>"
    files: dict[str, str | bytes | None] = field(default_factory=dict)

    def opf(self) -> str:
        items = "".join(
            f"<item id='{id_}' href='{href}' media-type='{kind}' {attributes}/>"
            for id_, href, kind, attributes in zip(
                self.ids, self.hrefs, self.types, self.attributes, strict=True
            )
        )
        return (
            "<package xmlns='http://www.idpf.org/2007/opf'>"
            "<metadata xmlns:dc='http://purl.org/dc/elements/1.1/' "
            f"xmlns:opf='http://www.idpf.org/2007/opf'>{self.metadata}</metadata>"
            f"<manifest>{items}{self.more}</manifest><spine>{self.spine}</spine></package>"
        )

    def data(self) -> bytes:
        container = (
            "<container xmlns='urn:oasis:names:tc:opendocument:xmlns:container'><rootfiles>"
            f"{self.rootfiles}</rootfiles></container>"
        )
        files: dict[str, str | bytes | None] = {
            "META-INF/container.xml": container,
            self.package: self.opf(),
            **{f"OEBPS/{name}": page for name, page in zip(self.names, self.pages, strict=True)},
            **self.files,
        }
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                if content is not None:
                    archive.writestr(self.folder + name, content)
        return buffer.getvalue()


def read(made: Epub) -> Manuscript:
    return sources.read(made.data(), "geese.epub")


def found(book: Manuscript) -> list[int]:
    """Return the numbers of the chapters in a book, in the order of its text."""
    return [int(word[4]) for word in book.text.split() if word.startswith("page")]


def second(href: str, name: str) -> Epub:
    """Return an EPUB whose second page has another address than name."""
    ends = "Text/ch1.xhtml", "Text/ch3.xhtml"
    return Epub(hrefs=(ends[0], href, ends[1]), names=(ends[0], name, ends[1]))


def of_type(kind: str, *, fallback: str = "", more: str = "") -> Epub:
    return Epub(types=(XHTML, kind, XHTML), attributes=("", fallback, ""), more=more)


COMPOSED, DECOMPOSED = (unicodedata.normalize(form, "Text/épée.xhtml") for form in ("NFC", "NFD"))
AS_CP437 = COMPOSED.encode("utf-8").decode("cp437")
AS_LATIN_1 = COMPOSED.encode("latin-1").decode("cp437")
CONTENTS = PAGE.format("<ul><li><a href='#a'>Chapter 1</a></li><li><a href='#b'>2</a></li></ul>")
CONTENTS_ITEM = f"<item id='toc' href='toc.xhtml' media-type='{XHTML}'/>"
GUIDE = "</spine><guide><reference type='toc' href='{}'/></guide><spine>"
SPINE = Epub.spine


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
    book = read(made)
    assert found(book) == [1, 2, 3]
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
    book = read(made)
    assert found(book) == numbers
    assert source_pages.summary(book.pages) == report
    assert len(list(source_pages.lines(book.pages))) == len(book.pages)


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
        read(made)
    assert message in str(refusal.value)


def refined(name: str, id_: str, text: str, **refinements: str) -> str:
    """Return an element of EPUB 3 with the metadata that refines it."""
    metas = "".join(
        f"<meta refines='#{id_}' property='{key.replace('_', '-')}'>{value}</meta>"
        for key, value in refinements.items()
    )
    return f"<dc:{name} id='{id_}'>{text}</dc:{name}>{metas}"


@pytest.mark.parametrize(
    ("metadata", "author", "translators", "editors"),
    [
        pytest.param("<dc:creator>Pool, Ann</dc:creator>", "Ann Pool", (), (), id="inverted"),
        pytest.param(
            "<dc:creator>Ann Pool, Ben Ford</dc:creator>",
            "Ann Pool and Ben Ford",
            (),
            (),
            id="two in one element",
        ),
        pytest.param(
            "<dc:creator>Ann Pool</dc:creator><dc:creator>Ford, Ben</dc:creator>"
            "<dc:creator>Cy Cole</dc:creator>",
            "Ann Pool; Ben Ford; Cy Cole",
            (),
            (),
            id="three",
        ),
        pytest.param(
            "<dc:creator opf:role='ill'>Brush, Carl</dc:creator>"
            "<dc:creator opf:role='aut'>Ann Pool</dc:creator>",
            "Ann Pool",
            (),
            (),
            id="an illustrator first",
        ),
        pytest.param(
            "<dc:creator opf:role='ill'>Carl Brush</dc:creator>",
            "",
            (),
            (),
            id="only an illustrator",
        ),
        pytest.param(
            "<dc:creator opf:role='edt'>Ed Itor</dc:creator>"
            "<dc:contributor opf:role='trl'>Lator, Tran</dc:contributor>"
            "<dc:contributor>calibre (6.13)</dc:contributor>",
            "",
            ("Tran Lator",),
            ("Ed Itor",),
            id="an editor and a translator",
        ),
        pytest.param(
            refined("creator", "a", "Carl Brush", role="ill")
            + refined("creator", "b", "Ben Ford", role="aut", display_seq="2")
            + refined("creator", "c", "Ann Pool", role="marc:aut", display_seq="1"),
            "Ann Pool and Ben Ford",
            (),
            (),
            id="EPUB 3",
        ),
        pytest.param(
            "<dc:creator opf:role='AUT'>Ann Pool</dc:creator>"
            "<dc:creator opf:role='aut'>Ann Pool</dc:creator>",
            "Ann Pool",
            (),
            (),
            id="one author twice",
        ),
    ],
)
def test_people_are_named_by_their_roles(
    metadata: str, author: str, translators: tuple[str, ...], editors: tuple[str, ...]
) -> None:
    book = read(Epub(metadata=metadata + "<dc:language>en</dc:language>"))
    assert (book.author, book.imprint.translators, book.imprint.editors) == (
        author,
        translators,
        editors,
    )


@pytest.mark.parametrize(
    ("metadata", "title"),
    [
        pytest.param(
            "<dc:title>The Geese</dc:title><dc:title>Geese, The</dc:title>",
            "The Geese",
            id="the first",
        ),
        pytest.param(
            refined("title", "s", "A Tale", title_type="subtitle")
            + refined("title", "m", "The Geese", title_type="main"),
            "The Geese: A Tale",
            id="a subtitle first",
        ),
        pytest.param(
            refined("title", "c", "Tales, 4", title_type="collection")
            + "<dc:title>The Geese</dc:title>",
            "The Geese",
            id="a series first",
        ),
        pytest.param(
            "<dc:title>The Geese</dc:title>"
            + refined("title", "f", "The Geese: A Tale", title_type="extended"),
            "The Geese",
            id="an extended title",
        ),
        pytest.param(
            refined("title", "m", "The Geese: A Tale", title_type="main")
            + refined("title", "s", "A Tale", title_type="subtitle"),
            "The Geese: A Tale",
            id="a subtitle that is in the title",
        ),
    ],
)
def test_the_title_is_the_main_title_with_its_subtitle(metadata: str, title: str) -> None:
    assert read(Epub(metadata=metadata)).title == title


def test_metadata_of_oeb_1_are_read() -> None:
    metadata = (
        "<dc-metadata xmlns:dc='http://purl.org/dc/elements/1.0/'><dc:Title>The Geese</dc:Title>"
        "<dc:Creator role='aut'>Ann Pool</dc:Creator><dc:Language>en</dc:Language></dc-metadata>"
    )
    book = read(Epub(metadata=metadata))
    assert (book.title, book.author, book.language) == ("The Geese", "Ann Pool", "en")


def test_the_text_decides_between_several_languages() -> None:
    languages = "<dc:language>la</dc:language><dc:language>en</dc:language>"
    assert read(Epub(metadata=languages)).language == ""
    assert read(Epub(metadata=languages.replace(">la<", ">en-GB<"))).language == "en"


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
        ("in the loft<sup>a</sup> that", "in the loft that"),
        ("upon the lane,<span class='linenum'>5</span> and", "upon the lane, and"),
        ("<img src='h.png' alt='H'/>er brother", "Her brother"),
        ("<img src='g.png' alt='A picture of geese'/>The geese", "The geese"),
        # no signs
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
    book = read(Epub(pages=(page, chapter(2), chapter(3))))
    assert book.text.split("\n\n")[0] == text


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
    assert read(made).text.split("\n\n")[0] == text


def test_headings_first_letters_and_hidden_pages_are_read() -> None:
    style = "<style>.x { display: none }</style><body"
    pages = [
        PAGE.format(body).replace("<body", style, 1)
        for body in (
            f"<h2 class='x'>Chapter 1</h2><p><span class='x'>H</span>er {PROSE}</p>",
            f"<div class='x'><p>Chapter 2</p><p>{PROSE}</p></div>",
        )
    ]
    blocks = read(Epub(pages=(*pages, chapter(3)))).text.split("\n\n")
    assert blocks[0] == "Chapter 1"
    assert blocks[1].startswith("Her ")
    assert blocks[2] == "Chapter 2"


def test_a_heading_broken_after_its_word_begins_a_chapter() -> None:
    pages = [chapter(n).replace("Chapter ", "Chapter<br/>") for n in (1, 2, 3)]
    pages[1] = pages[1].replace("<br/>2", " <br/> the Second<br/>The Loft")
    book = read(Epub(pages=pages))
    chapters = divide(book.text, book.headings)
    assert [chapter.title for chapter in chapters if chapter.number] == [
        "Chapter 1",
        "Chapter the Second. The Loft",
        "Chapter 3",
    ]


def test_a_sidenote_is_a_paragraph_of_its_own() -> None:
    page = PAGE.format("<p>It was forty.<span class='sidenote'>Ben counts.</span> He rose.</p>")
    book = read(Epub(pages=(page, chapter(2), chapter(3))))
    assert book.text.split("\n\n")[:2] == ["It was forty. He rose.", "Ben counts."]


def test_a_note_in_a_paragraph_follows_it() -> None:
    note = "<aside epub:type='footnote'><p>{}. A note.</p></aside>"
    page = PAGE.format(f"<p>Ben did{note.format(1)} not{note.format(2)} answer.</p><p>Then</p>")
    book = read(Epub(pages=(page, chapter(2), chapter(3))))
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
    book = read(Epub(pages=(page, chapter(2), chapter(3))))
    words = [word for words, _ in parts for word in words]
    assert book.text.split("\n\n")[0].split() == words
