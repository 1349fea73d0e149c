"""Read EPUB books: archives of pages, in the order of the package document."""

from __future__ import annotations

import io
import posixpath
import zipfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property, partial
from typing import NamedTuple
from urllib.parse import unquote

from lxml import etree

from scholar_indexes.books.formats import html
from scholar_indexes.books.formats.epub_archive import UNREADABLE, EpubArchive
from scholar_indexes.books.formats.epub_metadata import Metadata
from scholar_indexes.books.manuscript import Manuscript
from scholar_indexes.errors import NotABook
from scholar_indexes.sanitize import one_line
from scholar_indexes.types import SourcePage

_MAX_FALLBACKS = 10
_PICTURE = "a picture, without text"
_NO_TEXT = {
    "image": _PICTURE,
    "audio": "a recording",
    "video": "a film",
    "font": "a font",
    "application/x-dtbncx+xml": "a table of contents",
    "text/css": "a style sheet",
    "text/javascript": "a program",
    "application/javascript": "a program",
}
"""Names of files without markup, by the start of their media types."""

_PDF = "application/pdf"
_NOT_LISTED = "not listed"
_OTHER_EDITION = "another edition in the same file"


def read(data: bytes, label: str) -> Manuscript:
    """Return the book in the bytes of an EPUB; label is used in error messages.

    Pages that cannot be read are named in its `pages`. Raises NotABook if the archive is broken,
    encrypted, unreasonably large when unpacked, or not an EPUB.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _Package(EpubArchive(archive, label)).manuscript()
    except UNREADABLE as error:
        raise NotABook(f"{label} is a broken EPUB; download it again") from error


class _Item(NamedTuple):
    """An item of the spine: its address, its media type, its properties, and the id of the item
    to show if its type is unknown."""

    href: str
    media_type: str = ""
    properties: frozenset[str] = frozenset()
    fallback: str = ""


class _Package:
    """The package document of an EPUB and the archive it describes."""

    def __init__(self, archive: EpubArchive) -> None:
        self._archive = archive
        path, *self._others = archive.packages()
        self._sheets: dict[str, str] = {}
        self._folder = posixpath.dirname(path.replace("\\", "/"))
        self._package = archive.xml(path)
        self._manifest: dict[str, list[_Item]] = defaultdict(list)
        for element in self._package.iter("{*}item"):
            self._manifest[(element.get("id") or "").strip()].append(_item(element))
        self._ids = {name.casefold(): name for name in self._manifest}
        self._ids |= {items[0].href: name for name, items in self._manifest.items()}
        items = [item for group in self._manifest.values() for item in group]
        exact = (archive.find_exactly(self._paths(item.href)) for item in items)
        self._taken = {name for name in exact if name is not None}

    def manuscript(self) -> Manuscript:
        book = html.HtmlPage()
        pages: list[SourcePage] = []
        for name, item in self._pages():
            page, record = self._read_page(name, item)
            book.add(page)
            pages.append(record)
        pages += [
            SourcePage(one_line(name, 200), remark=_OTHER_EDITION, is_lost=True)
            for name in self._others
        ]
        metadata = Metadata(self._package)
        book.title = metadata.title()
        book.author = metadata.author()
        book.language = metadata.language()
        book.imprint = metadata.imprint()
        return html.make_manuscript(book, "utf-8", metadata.gutenberg_id(), tuple(pages))

    def _pages(self) -> Iterator[tuple[str | None, _Item]]:
        """Yield the pages in reading order, each once, with their names in the archive or None."""
        seen: set[str] = set()
        for item in self._spine():
            item = self._readable(item)
            paths = self._paths(item.href)
            name = self._archive.find_exactly(paths) or self._archive.find(paths, self._taken)
            if name is None or name not in seen:
                seen.add(name or "")
                yield name, item

    def _spine(self) -> Iterator[_Item]:
        """Yield the items of the package in reading order.

        Of several items with one id, each reference to it means the next, and the last the rest.
        """
        references = [
            self._id((element.get("idref") or "").strip())
            for element in self._package.iter("{*}itemref")
        ]
        if not references:
            items = (item for group in self._manifest.values() for item in group)
            yield from filter(_is_page, items)
        left = Counter(references)
        for reference in references:
            group = self._manifest.get(reference)
            if group is None:
                yield _Item(reference, _NOT_LISTED)
            elif left[reference] > 1 and len(group) > 1:
                left[reference] -= 1
                yield group.pop(0)
            else:
                yield from group

    def _id(self, reference: str) -> str:
        """Return the id to which a reference in the spine refers: it may differ in case, or be the
        address of the item."""
        if reference in self._manifest:
            return reference
        return self._ids.get(reference.casefold()) or self._ids.get(reference, reference)

    def _readable(self, item: _Item) -> _Item:
        """Return an item, or the first of its fallbacks that is a page."""
        other = item
        for _ in range(_MAX_FALLBACKS):
            if not _no_text(other.media_type) and other.media_type != _PDF:
                return other
            group = self._manifest.get(other.fallback) if other.fallback else None
            if not group:
                break
            other = group[0]
        return item

    def _read_page(self, name: str | None, item: _Item) -> tuple[html.HtmlPage, SourcePage]:
        """Return the text of a page, and the record of what was read."""
        label = one_line(name or item.href, 200)
        if loss := _reason_not_to_read(name, item):
            return html.HtmlPage(), SourcePage(label, remark=loss, is_lost=True)
        if name is None or (kind := _no_text(item.media_type)):
            return html.HtmlPage(), SourcePage(label, remark=kind)
        try:
            data = self._archive.read(name)
        except UNREADABLE as error:
            unknown = isinstance(error, NotImplementedError)
            reason = "packed by an unknown method" if unknown else "damaged"
            return html.HtmlPage(), SourcePage(label, remark=reason, is_lost=True)
        page = _parse(data, partial(self._sheet, name))
        if self._is_contents(item) and not page.has_prose:
            return html.HtmlPage(), SourcePage(label, remark="the table of contents")
        remark = "" if page.blocks else _PICTURE if page.has_pictures else "without text"
        return page, SourcePage(label, page.count_words(), remark)

    def _sheet(self, page: str, address: str) -> str:
        """Return the style sheet at an address on a page, empty if it cannot be read."""
        path = posixpath.join(posixpath.dirname(page), unquote(address.split("#")[0]))
        name = self._archive.find([posixpath.normpath(path)])
        if name is None or not name.lower().endswith(".css"):
            return ""
        if name not in self._sheets:
            self._sheets[name] = ""
            with suppress(*UNREADABLE):
                self._sheets[name] = html.decode_markup(self._archive.read(name))
        return self._sheets[name]

    def _is_contents(self, item: _Item) -> bool:
        """Return True for the table of contents, by the package; a part of a page is not one."""
        return "nav" in item.properties or item.href.split("#")[0] in self._contents

    @cached_property
    def _contents(self) -> frozenset[str]:
        """The addresses of tables of contents in the guide of the package."""
        return frozenset(
            href.split("#")[0]
            for reference in self._package.iter("{*}reference")
            if (reference.get("type") or "").lower() == "toc" and (href := reference.get("href"))
        )

    def _paths(self, href: str) -> Sequence[str]:
        """Return the paths that an address may mean, the most probable first."""
        address = href.split("#")[0]
        spelled = [unquote(address), address, href]
        inside = [posixpath.normpath(posixpath.join(self._folder, path)) for path in spelled]
        return [path for path in dict.fromkeys([*inside, *spelled]) if path not in ("", ".")]


def _item(element: etree._Element) -> _Item:
    return _Item(
        (element.get("href") or "").strip(),
        (element.get("media-type") or "").strip().lower(),
        frozenset((element.get("properties") or "").split()),
        element.get("fallback") or "",
    )


def _is_page(item: _Item) -> bool:
    return not _no_text(item.media_type) and (
        "html" in item.media_type or item.media_type.endswith(("oeb1-document", "x-dtbook+xml"))
    )


def _no_text(media_type: str) -> str:
    """Return the name of a file without text by its media type, empty for markup and text."""
    if media_type == "image/svg+xml":
        return ""
    return next((name for start, name in _NO_TEXT.items() if media_type.startswith(start)), "")


def _reason_not_to_read(name: str | None, item: _Item) -> str:
    """Return the reason why a page is lost before its bytes are read, empty if it is not."""
    if item.media_type == _NOT_LISTED:
        return "not in the list of files"
    if name is None:
        return "on the web" if "://" in item.href else "not in the archive"
    return "a PDF" if item.media_type == _PDF else ""


def _parse(data: bytes, sheet_at: Callable[[str], str]) -> html.HtmlPage:
    """Return a page of markup or, if it has none, of plain text."""
    text = html.decode_markup(data)
    if "<" in text[:4096]:
        return html.parse_xhtml(text, sheet_at)
    blocks = (block.strip() for block in text.split("\n\n"))
    return html.HtmlPage(blocks=[block for block in blocks if block])
