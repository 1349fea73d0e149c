"""HTML pages and the chapters of an EPUB as text, with the headings they mark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree
from lxml import html as lxml_html

from scholar_indexes.books import gutenberg
from scholar_indexes.books.decoding import decode, plain
from scholar_indexes.books.manuscript import Heading, Manuscript
from scholar_indexes.types import Span

_NO_TEXT = "head script style nav iframe object svg math template noscript form button select"
_SKIPPED = frozenset(_NO_TEXT.split())
_BLOCK_ELEMENTS = (
    "address article aside blockquote body caption center dd div dl dt figcaption figure footer "
    "h1 h2 h3 h4 h5 h6 header hr html li main ol p pre section table td th tr ul"
)
_BLOCKS = frozenset(_BLOCK_ELEMENTS.split())
_HEADINGS = {"h1": 1, "h2": 2, "h3": 3, "h4": 4}
_BOILERPLATE_IDS = frozenset({"pg-header", "pg-footer", "pg-machine-header", "pg-end-separator"})
_BOILERPLATE = frozenset({"pg-boilerplate", "pgheader", "pgmonospaced"})
_PAGE_NUMBERS = frozenset({"pagenum", "pageno", "pagebreak", "page-number", "pgnum", "page_number"})
_EPUB_TYPE = "{http://www.idpf.org/2007/ops}type"
_TABLES_OF_CONTENTS = frozenset({"toc", "landmarks", "page-list", "lot", "loi", "pagebreak"})
_CHARSET = re.compile(rb"""charset\s*=\s*["']?([\w-]{2,30})""", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\n\r\f]+")
_DEPTH = 300  # elements within elements; a page nested deeper than this loses what is below


@dataclass(slots=True)
class Page:
    """Blocks of text in order, and the level of those that are headings."""

    blocks: list[str] = field(default_factory=list)
    levels: dict[int, int] = field(default_factory=dict)
    title: str = ""
    author: str = ""
    language: str = ""

    def add(self, other: Page) -> None:
        """Put the blocks of another page after this one's."""
        self.levels.update({n + len(self.blocks): lv for n, lv in other.levels.items()})
        self.blocks.extend(other.blocks)


def read(data: bytes) -> Manuscript:
    """The book in the bytes of one HTML page."""
    text, encoding = _decode(data)
    return manuscript(page(text), encoding)


def page(markup: str) -> Page:
    """The text of a page; whatever the markup, something comes of it."""
    parser = lxml_html.HTMLParser(
        no_network=True, huge_tree=False, remove_comments=True, remove_pis=True, encoding="utf-8"
    )
    try:
        # libxml2 ignores a declaration of another encoding when it is told one
        root = etree.fromstring(markup.encode("utf-8", "replace"), parser)
    except (etree.ParseError, ValueError):
        root = None
    out = Page()
    if root is None:
        return out
    _about(root, out)
    for text, level in _walk(root):
        if level:
            out.levels[len(out.blocks)] = level
        out.blocks.append(text)
    return out


def manuscript(book: Page, encoding: str, gutenberg_id: int | None = None) -> Manuscript:
    """Blocks as a manuscript: without Gutenberg's wrapping, and with the headings placed."""
    header, start, end = gutenberg.frame(book.blocks)
    text: list[str] = []
    headings: list[Heading] = []
    length = 0
    for n in range(start, end):
        block = "\n".join(gutenberg.without_notes(book.blocks[n].split("\n"))).strip("\n")
        if gutenberg.is_wrapping(block, n - start, end - 1 - n):
            continue
        if n in book.levels:
            headings.append(Heading(Span(length, length + len(block)), book.levels[n]))
        text.append(block)
        length += len(block) + 2
    return Manuscript(
        text="\n\n".join(text),
        title=book.title or header.title,
        author=book.author or header.author,
        language=book.language or header.language,
        gutenberg_id=gutenberg_id or header.gutenberg_id,
        encoding=encoding,
        headings=tuple(headings),
    )


def decode_markup(data: bytes) -> str:
    """The characters of a page, by its own word where the bytes do not say."""
    return _decode(data)[0]


def _decode(data: bytes) -> tuple[str, str]:
    declared = _CHARSET.search(data[:2048]) or re.search(
        rb"""encoding\s*=\s*["']([\w-]{2,30})""", data[:200]
    )
    text, encoding = decode(data)
    if declared and encoding not in ("ascii", "utf-8", "utf-16", "utf-32"):
        try:
            name = declared[1].decode("ascii")
            return data.decode(name), name.lower()
        except (LookupError, UnicodeDecodeError):
            pass
    return text, encoding


def _about(root: etree._Element, out: Page) -> None:
    """Title, author and language as the head of a page has them."""
    language = root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or ""
    out.language = gutenberg.language_code(language)
    for meta in root.iter("meta"):
        name = (meta.get("name") or meta.get("property") or "").lower()
        content = " ".join(plain(meta.get("content") or "").split())
        if name in ("dc.title", "dcterms.title", "og:title") and not out.title:
            out.title = content
        elif name in ("dc.creator", "dcterms.creator", "author", "dc.author") and not out.author:
            out.author = person(content)
    if not out.title:
        heads = root.iter("title")
        named = next(heads, None)
        said = " ".join(plain("".join(named.itertext())).split()) if named is not None else ""
        said = re.sub(r"^The Project Gutenberg e-?Book of\s+", "", said, flags=re.IGNORECASE)
        title, by, author = said.partition(", by ")
        out.title = title.split(" | ")[0].strip()
        out.author = out.author or (author.strip(" .") if by else "")


def person(name: str) -> str:
    """A name as it is said: "Austen, Jane, 1775-1817" is Jane Austen."""
    parts = [p.strip() for p in name.split(",") if p.strip() and not any(c.isdigit() for c in p)]
    if len(parts) == 2 and parts[1].rstrip(".") not in ("Jr", "Sr", "Esq", "M.D"):
        return f"{parts[1]} {parts[0]}"
    return ", ".join(parts)


def _is_skipped(element: etree._Element) -> bool:
    if element.tag in _SKIPPED:
        return True
    if element.get("id") in _BOILERPLATE_IDS:
        return True
    classes = {name.lower() for name in (element.get("class") or "").split()}
    kinds = set((element.get(_EPUB_TYPE) or element.get("epub:type") or "").split())
    return bool(
        classes & _BOILERPLATE
        or classes & _PAGE_NUMBERS
        or kinds & _TABLES_OF_CONTENTS
        or element.get("hidden") is not None
    )


def _walk(root: etree._Element) -> Iterator[tuple[str, int]]:
    """Blocks of text in reading order, with the level of each that is a heading, else 0."""
    pieces: list[str] = []
    level = 0
    depth = 0
    skipping: etree._Element | None = None
    preformatted = 0
    for event, element in etree.iterwalk(root, events=("start", "end")):
        tag = element.tag if isinstance(element.tag, str) else ""
        if event == "start":
            depth += 1
            if skipping is None and (depth > _DEPTH or _is_skipped(element)):
                skipping = element
            if skipping is not None:
                continue
            if tag in _BLOCKS:
                yield from _flush(pieces, level)
                level = _HEADINGS.get(tag, level)
                preformatted += tag == "pre"
            elif tag == "br":
                pieces.append("\n")
            pieces.append(_said(element.text, preformatted))
        else:
            depth -= 1
            if skipping is not None:
                if skipping is not element:
                    continue
                skipping = None
            elif tag in _BLOCKS:
                yield from _flush(pieces, level)
                level = 0 if tag in _HEADINGS else level
                preformatted -= tag == "pre"
            if depth:
                pieces.append(_said(element.tail, preformatted))
    yield from _flush(pieces, level)


def _said(text: str | None, preformatted: int) -> str:
    if not text:
        return ""
    text = plain(text)
    return text if preformatted else _SPACE.sub(" ", text)


def _flush(pieces: list[str], level: int) -> Iterator[tuple[str, int]]:
    lines = [line.rstrip() for line in "".join(pieces).split("\n")]
    pieces.clear()
    block: list[str] = []
    for line in [*lines, ""]:
        if line.strip():
            block.append(line)
        elif block:
            margin = min(len(line) - len(line.lstrip()) for line in block)
            yield "\n".join(_squeezed(line, margin) for line in block), level
            block = []


def _squeezed(line: str, margin: int) -> str:
    indent = len(line) - len(line.lstrip()) - margin
    return " " * (indent if indent > 1 else 0) + " ".join(line.split())
