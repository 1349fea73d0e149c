"""Small EPUBs in which a test changes one thing."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field

from scholar_indexes.books.formats import sources
from scholar_indexes.books.manuscript import Manuscript

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


def read_epub(made: Epub) -> Manuscript:
    return sources.read(made.data(), "geese.epub")


def chapter_numbers(book: Manuscript) -> list[int]:
    """Return the numbers of the chapters in a book, in the order of its text."""
    return [int(word[4]) for word in book.text.split() if word.startswith("page")]
