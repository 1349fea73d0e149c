"""From the bytes of any source to the text of a book, or a clear one-line error."""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholar_indexes.books.adding import source_parser
from scholar_indexes.books.adding.source_parser import SourceKind
from scholar_indexes.books.formats import epub_archive, sources
from scholar_indexes.books.formats.sources import BookFormat
from scholar_indexes.books.manuscript import Manuscript
from scholar_indexes.errors import NotABook, ScholarError

ROOT = Path(__file__).parents[2]
PARAGRAPH = "It is a truth universally acknowledged, that a single man must be in want of a wife. "
CHAPTER = "".join(f"<p>{PARAGRAPH * 3}</p>\n" for _ in range(4))
PAGE = (
    "<html xmlns='http://www.w3.org/1999/xhtml' xmlns:epub='http://www.idpf.org/2007/ops'>"
    "<head><title>t</title><style>p {{}}</style></head><body>{}</body></html>"
)
CONTAINER = (
    "<container xmlns='urn:oasis:names:tc:opendocument:xmlns:container'><rootfiles>"
    "<rootfile full-path='OEBPS/book.opf' media-type='application/oebps-package+xml'/>"
    "</rootfiles></container>"
)
PACKAGE = (
    "<package xmlns='http://www.idpf.org/2007/opf'>"
    "<metadata xmlns:dc='http://purl.org/dc/elements/1.1/'><dc:title>Pride and Prejudice</dc:title>"
    "<dc:creator>Austen, Jane, 1775-1817</dc:creator><dc:language>en-GB</dc:language>"
    "<dc:identifier>http://www.gutenberg.org/1342</dc:identifier></metadata><manifest>"
    "<item id='nav' href='nav.xhtml' media-type='application/xhtml+xml' properties='nav'/>"
    "<item id='b' href='two%20b.xhtml' media-type='application/xhtml+xml'/>"
    "<item id='a' href='one.xhtml' media-type='application/xhtml+xml'/></manifest>"
    "<spine><itemref idref='nav'/><itemref idref='a'/><itemref idref='b'/></spine></package>"
)


def an_epub(**changed: bytes | str | None) -> bytes:
    """Return a small EPUB; `changed` replaces files by name, and None omits a file."""
    files: dict[str, bytes | str | None] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": PACKAGE,
        "OEBPS/nav.xhtml": PAGE.format("<nav epub:type='toc'><ol><li>Chapter 1</li></ol></nav>"),
        "OEBPS/one.xhtml": PAGE.format(f"<h2>Chapter 1</h2>{CHAPTER}"),
        "OEBPS/two b.xhtml": PAGE.format(f"<h2>Chapter 2</h2>{CHAPTER}"),
    }
    files.update(changed)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            if content is not None:
                archive.writestr(name, content)
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(b"", "is empty", id="empty"),
        pytest.param(b" \n\t\r\n", "is empty", id="only white space"),
        pytest.param(b"%PDF-1.7 and so on", "is a PDF; convert it to text", id="a PDF"),
        pytest.param(b"\x89PNG\r\n\x1a\n....", "is an image", id="an image"),
        pytest.param(b"\x1f\x8b\x08 and so on", "unpack it first", id="gzip"),
        pytest.param(b"text with \x00 in it " * 30, "is binary", id="NULs"),
        pytest.param(b"three small words", "only 3 words", id="too few words"),
        pytest.param(b"PK\x03\x04 broken", "broken EPUB", id="a broken archive"),
        pytest.param(
            an_epub(**{"META-INF/container.xml": None, "OEBPS/book.opf": None}),
            "not an EPUB",
            id="another archive",
        ),
        pytest.param(
            an_epub(
                **{
                    "META-INF/container.xml": None,
                    "OEBPS/book.opf": None,
                    "word/document.xml": "<w:document/>",
                }
            ),
            "a Word document; save it as HTML or text",
            id="Word",
        ),
        pytest.param(an_epub(**{"OEBPS/book.opf": None}), "broken EPUB", id="no package"),
        pytest.param(an_epub(**{"OEBPS/book.opf": "not xml"}), "NOTHING", id="a package of noise"),
        pytest.param(
            an_epub(
                **{
                    "META-INF/encryption.xml": "<e><EncryptionMethod Algorithm='http://www.w3.org/aes256-cbc'/></e>"
                }
            ),
            "encrypted (DRM)",
            id="copy protection",
        ),
        pytest.param(an_epub(**{"META-INF/rights.xml": "<r/>"}), "encrypted", id="rights"),
        pytest.param(
            an_epub(**{"OEBPS/one.xhtml": b"<p>" + b"a" * 3_000_000}),
            "unreasonable size",
            id="a file that unpacks a thousandfold",
        ),
    ],
)
def test_an_unreadable_source_is_refused_with_what_to_do(data: bytes, says: str) -> None:
    if says == "NOTHING":
        with pytest.raises(NotABook):
            sources.read(data, "it.epub")
        return
    with pytest.raises(NotABook) as refusal:
        sources.read(data, "the file")
    message = str(refusal.value)
    assert says in message
    assert message.startswith("the file")
    assert ";" in message
    assert "\n" not in message


def test_a_source_over_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_BYTES", 100)
    with pytest.raises(NotABook, match="larger than"):
        sources.read(b"word " * 60)


def test_an_epub_that_unpacks_over_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(epub_archive, "MAX_BYTES", 1500)
    with pytest.raises(NotABook, match="unreasonable size"):
        sources.read(an_epub())


def test_an_epub_of_too_many_files_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(epub_archive, "MAX_MEMBERS", 4)
    with pytest.raises(NotABook, match="more than 4 files"):
        sources.read(an_epub())


def test_an_epub_is_read_in_the_order_of_its_spine() -> None:
    book = sources.read(an_epub())
    paragraph = (PARAGRAPH * 3).strip()
    assert book.text == "\n\n".join(["Chapter 1", *[paragraph] * 4, "Chapter 2", *[paragraph] * 4])
    assert (book.title, book.author, book.language) == ("Pride and Prejudice", "Jane Austen", "en")
    assert book.gutenberg_id == 1342
    assert [h.span.of(book.text) for h in book.headings] == ["Chapter 1", "Chapter 2"]
    assert {h.level for h in book.headings} == {2}


def test_scrambled_fonts_are_no_copy_protection() -> None:
    fonts = "<e><EncryptionMethod Algorithm='http://www.idpf.org/2008/embedding'/></e>"
    assert sources.read(an_epub(**{"META-INF/encryption.xml": fonts})).title


def test_entities_of_a_package_are_not_expanded() -> None:
    bomb = "<!DOCTYPE p [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;'>]>" + PACKAGE.replace(
        "Pride and Prejudice", "&b;"
    )
    assert "ha" not in sources.read(an_epub(**{"OEBPS/book.opf": bomb})).title


def test_html_gives_blocks_lines_and_headings() -> None:
    markup = (
        "<!DOCTYPE html><html lang='en'><head><title>The Project Gutenberg eBook of Emma, "
        "by Jane Austen</title><script>x()</script></head><body>"
        "<section class='pg-boilerplate' id='pg-header'><p>Boiler</p></section>"
        "<h1>EMMA</h1><h2>CHAPTER <br/> I</h2>"
        "<p>Emma\n   Woodhouse,<span class='pagenum'>[3]</span> <i>handsome</i>. "
        f"{PARAGRAPH * 8}</p>"
        "<p>Roses are red,<br>Violets are blue.</p>"
        "<div id='pg-footer'>Law</div></body></html>"
    )
    book = sources.read(markup.encode())
    blocks = book.text.split("\n\n")
    assert blocks[:2] == ["EMMA", "CHAPTER I"]
    assert blocks[2].startswith("Emma Woodhouse, handsome. It is")
    assert blocks[3:] == ["Roses are red,\nViolets are blue."]
    assert (book.title, book.author, book.language) == ("Emma", "Jane Austen", "en")
    assert [(h.span.of(book.text), h.level) for h in book.headings] == [
        ("EMMA", 1),
        ("CHAPTER I", 2),
    ]


def test_html_says_its_own_encoding_where_the_bytes_do_not() -> None:
    markup = f"<html><head><meta charset='iso-8859-2'></head><body><p>ž {PARAGRAPH * 9}</p>"
    assert sources.read(markup.encode("iso-8859-2")).text.startswith("ž ")


def test_old_html_keeps_no_header_in_its_body() -> None:
    markup = (
        "<html><body><pre>The Project Gutenberg EBook of Emma, by Jane Austen\n\n"
        "Title: Emma\n\nAuthor: Jane Austen\n\n*** START OF THIS PROJECT GUTENBERG EBOOK EMMA ***"
        f"</pre><h2>CHAPTER I</h2>{CHAPTER}<pre>*** END OF THIS PROJECT GUTENBERG EBOOK EMMA ***"
        "\n\nLaw.</pre></body></html>"
    )
    book = sources.read(markup.encode())
    assert book.text.startswith("CHAPTER I\n\n")
    assert "GUTENBERG" not in book.text
    assert "Law." not in book.text


def _read_song(data: bytes, label: str) -> Manuscript:
    return Manuscript(data.decode().removeprefix("SONG"), label, "", "en", None, "ascii")


SONG = BookFormat("song", (".song",), lambda data: data.startswith(b"SONG"), _read_song)


def test_a_format_is_a_function_and_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is read, named in errors, and completed at the prompt."""
    data = b"SONG" + PARAGRAPH.encode() * 5
    assert sources.read(data).text.startswith("SONG")
    monkeypatch.setattr(sources, "FORMATS", (*sources.FORMATS, SONG))
    book = sources.read(data, "lark.song")
    assert (book.title, book.text) == ("lark.song", PARAGRAPH * 5)
    with pytest.raises(NotABook, match="give plain text, HTML, EPUB or song"):
        sources.read(b"")
    song = tmp_path / "lark.song"
    song.write_bytes(data)
    assert source_parser.completions(f"{tmp_path}/") == [str(song)]
    monkeypatch.chdir(tmp_path)
    assert source_parser.read("lark.song").kind is SourceKind.FILE


def test_the_documentation_names_every_format() -> None:
    page = (ROOT / "docs" / "files.md").read_text("utf-8")
    (line,) = (line for line in page.splitlines() if line.startswith("- Books:"))
    assert all(format.name in line for format in sources.FORMATS)


def test_markup_nested_without_end_is_read() -> None:
    markup = "<html><body>" + "<div>" * 50_000 + f"<p>{PARAGRAPH * 10}</p>"
    with suppress(NotABook):
        assert "truth" in sources.read(markup.encode()).text


def test_text_about_html_is_text() -> None:
    assert sources.read(("<html> is a tag. " + PARAGRAPH * 10).encode()).text


def test_plain_text_needs_no_parser() -> None:
    code = (
        "import sys; from scholar_indexes.books.formats import sources;"
        "sources.read(b'word ' * 60);"
        "assert not {'lxml', 'charset_normalizer', 'numpy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@given(
    st.one_of(
        st.binary(max_size=2000),
        st.binary(max_size=500).map(lambda b: b"<html><body>" + b + b" word" * 60),
        st.binary(max_size=500).map(lambda b: b"PK\x03\x04" + b),
        st.text(max_size=500).map(lambda t: (t + " word" * 60).encode("utf-8", "replace")),
    )
)
def test_reading_raises_nothing_but_our_own_errors(data: bytes) -> None:
    try:
        text = sources.read(data).text
    except ScholarError:
        return
    assert not any(ord(c) < 32 and c != "\n" for c in text)


@given(st.data())
def test_a_damaged_epub_raises_nothing_but_our_own_errors(data: st.DataObject) -> None:
    whole = bytearray(an_epub())
    for _ in range(data.draw(st.integers(1, 8))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    with suppress(ScholarError):
        sources.read(bytes(whole))
