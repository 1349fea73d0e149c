"""Read EPUB books: archives of pages, in the order of the package document."""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator
from urllib.parse import unquote

from lxml import etree

from scholar_indexes.books.formats import gutenberg, html
from scholar_indexes.books.manuscript import Manuscript
from scholar_indexes.errors import NotABook
from scholar_indexes.sanitize import one_line

MAX_BYTES = 64 * 1024 * 1024  # all pages together, unpacked
MAX_RATIO = 200  # unpacked to packed bytes of one file
MAX_MEMBERS = 10_000
_SMALL = 1024 * 1024  # unpacked files up to this size may have any ratio

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_RIGHTS = ("META-INF/rights.xml", "META-INF/sinf.xml")
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml")
_FONTS = ("idpf.org/2008/embedding", "ns.adobe.com/pdf/enc#RC")
_GUTENBERG = re.compile(r"gutenberg\.org/(?:ebooks/)?(\d{1,6})", re.IGNORECASE)


def read(data: bytes, label: str) -> Manuscript:
    """Return the book in the bytes of an EPUB; label is used in error messages.

    Raises NotABook if the archive is broken, encrypted, unreasonably large when unpacked, or
    not an EPUB.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _Package(archive, label).manuscript()
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        OSError,
        NotImplementedError,
        RuntimeError,
        ValueError,
        etree.LxmlError,
    ) as error:
        raise NotABook(f"{label} is a broken EPUB; download it again") from error


class _Package:
    """The package document of an EPUB and the archive it describes."""

    def __init__(self, archive: zipfile.ZipFile, label: str) -> None:
        self._archive = archive
        self._label = label
        self._bytes_left = MAX_BYTES
        self._names = {info.filename: info for info in archive.infolist()}
        if len(self._names) > MAX_MEMBERS:
            raise NotABook(f"{label} has more than {MAX_MEMBERS} files; choose an ordinary EPUB")
        if _CONTAINER not in self._names:
            raise NotABook(f"{label} is an archive, not an EPUB; unpack it and add the text in it")
        self._refuse_encryption()
        roots = self._xml(_CONTAINER).iter("{*}rootfile")
        path = unquote(next((root.get("full-path") or "" for root in roots), ""))
        self._folder = posixpath.dirname(path)
        self._package = self._xml(path)

    def manuscript(self) -> Manuscript:
        book = html.HtmlPage()
        for name in self._page_names():
            book.add(html.parse_page(html.decode_markup(self._bytes(name))))
        book.title = self._first_metadata("title")
        book.author = html.natural_name(self._first_metadata("creator"))
        book.language = gutenberg.language_code(self._first_metadata("language"))
        return html.make_manuscript(book, "utf-8", self._gutenberg_id())

    def _gutenberg_id(self) -> int | None:
        for text in self._metadata("identifier", "source"):
            if match := _GUTENBERG.search(text):
                return int(match[1])
        return None

    def _refuse_encryption(self) -> None:
        """Raise NotABook if anything other than fonts is encrypted."""
        locked = any(info.flag_bits & 0x1 for info in self._names.values())
        if _ENCRYPTION in self._names:
            methods = self._xml(_ENCRYPTION).iter("{*}EncryptionMethod")
            locked |= any(
                not any(font in (method.get("Algorithm") or "") for font in _FONTS)
                for method in methods
            )
        if locked or any(name in self._names for name in _RIGHTS):
            raise NotABook(
                f"{self._label} is encrypted (DRM); choose an edition without copy protection"
            )

    def _page_names(self) -> Iterator[str]:
        """Yield the names of the pages in reading order, each once, without navigation."""
        seen: set[str] = set()
        contents = self._contents_href()
        for item in self._spine():
            href = item.get("href") or ""
            is_contents = contents != "" and href == contents
            if is_contents or "nav" in (item.get("properties") or "").split():
                continue
            name = posixpath.normpath(posixpath.join(self._folder, unquote(href.split("#")[0])))
            if item.get("media-type") in _PAGES and name in self._names and name not in seen:
                seen.add(name)
                yield name

    def _spine(self) -> Iterator[etree._Element]:
        """Yield the items of the package in reading order, without auxiliary ones."""
        items = {item.get("id"): item for item in self._package.iter("{*}item")}
        for reference in self._package.iter("{*}itemref"):
            item = items.get(reference.get("idref"))
            if item is not None and reference.get("linear") != "no":
                yield item

    def _contents_href(self) -> str:
        """Return the address of the table of contents, empty if the guide has none."""
        for reference in self._package.iter("{*}reference"):
            if reference.get("type") == "toc":
                return (reference.get("href") or "").split("#")[0]
        return ""

    def _bytes(self, name: str) -> bytes:
        """Return the unpacked bytes of one file, within the remaining limits."""
        info = self._names.get(name)
        if info is None:
            missing = one_line(name, 80) or "its package"
            raise NotABook(
                f"{self._label} is a broken EPUB: {missing} is missing; download it again"
            )
        limit = min(self._bytes_left, max(_SMALL, MAX_RATIO * info.compress_size))
        with self._archive.open(info) as file:
            data = file.read(limit + 1)
        if len(data) > limit:
            raise NotABook(f"{self._label} unpacks to an unreasonable size; choose another copy")
        self._bytes_left -= len(data)
        return data

    def _xml(self, name: str) -> etree._Element:
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False, recover=True
        )
        root = etree.fromstring(self._bytes(name), parser)
        if root is None:
            raise ValueError(f"{name} is not XML")
        return root

    def _metadata(self, *names: str) -> Iterator[str]:
        """Yield the non-empty values of Dublin Core elements."""
        for name in names:
            for element in self._package.iter(f"{{http://purl.org/dc/elements/1.1/}}{name}"):
                value = " ".join("".join(element.itertext()).split())
                if value:
                    yield value

    def _first_metadata(self, name: str) -> str:
        return next(self._metadata(name), "")
